"""A hybrid on its way to other processes, as the file that `rocch.save` writes.

Nothing is pickled: whoever receives it checks the digest, the versions of libraries and the types
in it, as `rocch.load` does anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

from rocch.hybrid.saving import load, save

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
        with TemporaryDirectory(prefix="rocch-") as folder:
            path = Path(folder) / "view.rocch"
            digest = save(view, path, trusted=trusted)
            return cls(digest, trusted, path.read_bytes())

    def loaded(self) -> AimedClassifier:
        """Return the classifier, which is read once in each process."""
        return _loaded(self)


@lru_cache(maxsize=4)
def _loaded(shipped: ShippedModel) -> AimedClassifier:
    with TemporaryDirectory(prefix="rocch-") as folder:
        path = Path(folder) / "view.rocch"
        path.write_bytes(shipped.data)
        view = load(path, digest=shipped.digest, trusted=shipped.trusted)
    return cast("AimedClassifier", view)
