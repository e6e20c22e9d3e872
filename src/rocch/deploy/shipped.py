"""A hybrid on its way to other processes, as the file that `rocch.save` writes.

Nothing is pickled: whoever receives it checks the digest, the versions of libraries and the types
in it, as `rocch.load` does anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from rocch.hybrid.container import digest_of
from rocch.hybrid.saving import dump_bytes, load_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocch.hybrid.aimed import AimedClassifier


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """The bytes of a saved view; two with the same digest and trust are the same."""

    digest: str
    trusted: tuple[str, ...]
    data: bytes = field(compare=False, repr=False)

    @classmethod
    def of(cls, view: AimedClassifier, trusted: Iterable[str] = ()) -> ShippedModel:
        """Write an aimed classifier."""
        trusted = tuple(trusted)
        data = dump_bytes(view, trusted=trusted)
        return cls(digest_of(data), trusted, data)

    def loaded(self) -> AimedClassifier:
        """Return the classifier, which is read once in each process."""
        return _loaded(self)


@lru_cache(maxsize=4)
def _loaded(shipped: ShippedModel) -> AimedClassifier:
    view = load_bytes(shipped.data, "the hybrid", digest=shipped.digest, trusted=shipped.trusted)
    return cast("AimedClassifier", view)
