"""What a library says about its classifiers, its history and its exports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocch.errors import visible_line
from rocch.library.record import DamageError, are_texts, stored

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rocch.roc.operating_point import RocPoint


@dataclass(frozen=True, slots=True)
class LibraryClassifier:
    """One classifier of a library.

    Attributes
    ----------
    name, tags, parameters, note
        What was said when it was added.
    added_at, added_by
        When (UTC) and by whom.
    state
        "kept"; or "driven out" by others, or "pruned", since `left_at`.
    scoring
        Whether it scores, so that its threshold can be moved.
    has_model
        Whether the fitted model is in the library, and not its scores alone.
    fingerprint
        The print of the rows that it was judged on: labels, and ids if they were given.
    vertices
        Its vertices on the joint hull.
    slopes
        The lowest and the highest slope at which it is best; None if it is not kept.
    stretches
        The slopes at which it is best, as ranges that do not touch, the lowest first: others may
        be best in between.
    """

    name: str
    state: str
    added_at: str
    added_by: str
    tags: tuple[str, ...]
    parameters: Mapping[str, Any]
    note: str
    scoring: bool
    has_model: bool
    fingerprint: str
    vertices: tuple[RocPoint, ...] = ()
    slopes: tuple[float, float] | None = None
    stretches: tuple[tuple[float, float], ...] = ()
    left_at: str | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One entry of a library's history.

    Attributes
    ----------
    at, by
        When (UTC) and who.
    kind
        "added", "pruned", "bounded" or "exported".
    joined
        Names that joined the hull.
    left
        Names that it drove out, or that were pruned.
    detail
        What else is known: for additions what each saves at most and for which slopes.
    """

    at: str
    by: str
    kind: str
    joined: tuple[str, ...]
    left: tuple[str, ...]
    detail: Mapping[str, Any]

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> LogEntry:
        """Read a row of the record."""
        detail = stored(row["detail"], dict)
        names = [detail.pop("joined", []), detail.pop("left", [])]
        saves = detail.get("saves", {})
        if (
            not all(map(are_texts, [*names, detail.get("classifiers", [])]))
            or not isinstance(saves, dict)
            or not all(isinstance(share, int | float) for share in saves.values())
            or ("version" in detail and "classifiers" not in detail)
        ):
            raise DamageError(row["detail"][:80])
        joined, left = map(tuple, names)
        return cls(row["at"], row["by"], row["kind"], joined, left, detail)

    def __str__(self) -> str:
        parts = []
        if self.joined:
            parts.append(f"joined: {', '.join(self.joined)}")
        if self.left:
            word = "driven out" if self.kind == "added" else "removed"
            parts.append(f"{word}: {', '.join(self.left)}")
        if "version" in self.detail:
            parts.append(f"version {self.detail['version']}")
        return f"{self.at} {self.by} {self.kind}" + (f" ({'; '.join(parts)})" if parts else "")


@dataclass(frozen=True, slots=True)
class Export:
    """A deployable hybrid that a library wrote.

    Attributes
    ----------
    version
        1, 2, 3, and so on.
    sha256
        The digest of the file, for `rocch.load(path, digest=sha256)`.
    at, by, note
        When (UTC), who, and what was said.
    classifiers
        The classifiers in it.
    path
        The file inside the library.
    """

    version: int
    sha256: str
    at: str
    by: str
    note: str
    classifiers: tuple[str, ...]
    path: Path


@dataclass(frozen=True, slots=True)
class Verification:
    """What checking a library found.

    Attributes
    ----------
    problems
        What is damaged, in words; empty if all is well.
    cleaned
        Files that an interrupted process left behind, which were removed.
    """

    problems: tuple[str, ...]
    cleaned: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing is damaged."""
        return not self.problems

    def __str__(self) -> str:
        lines = list(map(visible_line, self.problems)) or ["all is well"]
        if self.cleaned:
            lines.append(f"{len(self.cleaned)} file(s) left by interrupted additions removed")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Compacted:
    """The size of a library on disk, in bytes, before and after it was compacted."""

    before: int
    after: int
    exports_dropped: int = 0
