"""What a library holds and knows of itself: classifiers, rows, bounds and history."""

from __future__ import annotations

import getpass
import hashlib
import io
import json
import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from rocch.errors import InputError, StorageError, describe_type, escape_line, is_single_line
from rocch.hybrid.coin import key_texts
from rocch.hybrid.plain import from_plain, to_plain
from rocch.inputs import as_name
from rocch.library.store import DamageError, Objects, are_texts, rows, stored
from rocch.roc.conditions import Conditions
from rocch.roc.curve import RocCurve
from rocch.roc.hull import Member, RocHull
from rocch.roc.operating_point import ClassTotals, RocPoint, align_totals

# --- What a library says about its classifiers, its history and its exports -----------------------


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
        lines = list(map(escape_line, self.problems)) or ["all is well"]
        if self.cleaned:
            lines.append(f"{len(self.cleaned)} file(s) left by interrupted additions removed")
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Compacted:
    """The size of a library on disk, in bytes, before and after it was compacted."""

    before: int
    after: int
    exports_dropped: int = 0


# --- The rows that a library's classifiers are judged on, and how they are recognized -------------


@dataclass(frozen=True, slots=True)
class Ground:
    """What classifiers were judged on: totals, a print of the labels, and one of the row ids.

    Both prints depend on the order of the rows. Either may be unknown: counts come without
    labels, and files without ids.
    """

    totals: ClassTotals
    ids_print: bytes | None = None

    @classmethod
    def from_columns(cls, row: Mapping[str, Any]) -> Ground:
        """Read the columns that `columns` wrote."""
        return cls(
            ClassTotals(
                row["negatives"],
                row["positives"],
                row["unit"],
                bool(row["weighted"]),
                row["labels_print"],
            ),
            row["ids_print"],
        )

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the record."""
        class_totals = self.totals
        return {
            "negatives": class_totals.negatives,
            "positives": class_totals.positives,
            "unit": float(class_totals.unit),
            "weighted": int(class_totals.weighted),
            "labels_print": class_totals.rows,
            "ids_print": self.ids_print,
        }

    @property
    def fingerprint(self) -> str:
        """The print of labels and ids as text; "unknown" where there are counts alone."""
        parts = [part.hex() for part in (self.totals.rows, self.ids_print) if part is not None]
        return "-".join(parts) or "unknown"

    def joined(self, other: Ground) -> Ground:
        """Return the ground of both, or refuse if they are not evidently the same rows."""
        why = self._why_not(other)
        if why is not None:
            raise InputError(
                f"classifiers must be judged on the library's rows; {why}. Judge it on the same "
                "rows in the same order, or say that you accept to compare rates from different "
                "rows: allow_different_rows=True."
            )
        return Ground(self.totals, self.ids_print or other.ids_print)

    def _why_not(self, other: Ground) -> str | None:
        mine, theirs = self.totals, other.totals
        if _totals(mine) != _totals(theirs):
            return (
                f"these are {theirs.positives * theirs.unit:.9g} positives of {theirs.total:.9g}, "
                f"the library's {mine.positives * mine.unit:.9g} of {mine.total:.9g}"
                f"{_if_mirrored(mine, theirs)}"
            )
        if (mine.rows is None) != (theirs.rows is None):
            which = "the library's" if mine.rows is None else "these"
            return f"{which} came as counts, so nobody can tell whether the rows are the same"
        if mine.rows != theirs.rows:
            return "the labels (or weights) differ, or come in another order"
        if self.ids_print is not None and other.ids_print is None:
            return "the library knows its rows by their ids, and these came without (row_ids)"
        if self.ids_print is not None and self.ids_print != other.ids_print:
            return "the row ids differ, or come in another order"
        return None


def _totals(class_totals: ClassTotals) -> tuple[int, int, float, bool]:
    return class_totals.negatives, class_totals.positives, class_totals.unit, class_totals.weighted


def _if_mirrored(mine: ClassTotals, theirs: ClassTotals) -> str:
    """Say what is likely where one's positives are as many as the other's negatives."""
    mirrored = theirs.positives, theirs.negatives, theirs.unit, theirs.weighted
    if _totals(mine) != mirrored:
        return ""
    return " (the other class may have been taken as the positive one)"


def print_of_ids(row_ids: Any, rows: int | None) -> bytes | None:
    """Return a short print of row ids in their order; None where there are none."""
    if row_ids is None:
        return None
    rows = len(row_ids) if rows is None else rows
    digest = hashlib.blake2b(digest_size=16)
    for text in key_texts(row_ids, rows, argument="row_ids"):
        encoded = text.encode(errors="surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.digest()


# --------------------------------------------------------------------------------------------------
# What a library knows of itself: its rows, its bounds, its labels and how much it was offered.


@dataclass(frozen=True, slots=True)
class Standing:
    """The one row of the record that is about the library itself.

    Attributes
    ----------
    ground
        The rows that classifiers are judged on; None as long as nothing was added.
    bounds
        The conditions that the library is for, if not for all.
    slopes
        The slopes that the bounds allow.
    labels
        The two labels, the positive one last; None where only counts are known.
    offered, discarded
        How many classifiers were ever added, and how many of them were turned away at once.
    """

    created_at: str
    ground: Ground | None = None
    bounds: Conditions | None = None
    slopes: tuple[float, float] | None = None
    labels: tuple[Any, Any] | None = None
    offered: int = 0
    discarded: int = 0

    @classmethod
    def read(cls, db: sqlite3.Connection) -> Standing:
        """Read it."""
        row = next(iter(rows(db, "SELECT * FROM library")), None)
        if row is None:
            raise StorageError(
                "the library was never finished: whoever made it was interrupted, or is at it now. "
                "Try again, or remove its folder and make it anew."
            )
        slopes = row["slope_low"], row["slope_high"]
        return cls(
            row["created_at"],
            None if row["negatives"] is None else Ground.from_columns(dict(row)),
            _stored(row["bounds"], Conditions),
            None if slopes[0] is None else slopes,
            _stored(row["labels"], tuple),
            row["offered"],
            row["discarded"],
        )

    def write(self, db: sqlite3.Connection) -> None:
        """Write it, in place of what was there."""
        columns = {
            "one": 1,
            "created_at": self.created_at,
            "bounds": self.bounds and json.dumps(to_plain(self.bounds)),
            "slope_low": self.slopes and self.slopes[0],
            "slope_high": self.slopes and self.slopes[1],
            **({} if self.ground is None else self.ground.columns),
            "labels": self.labels and json.dumps(to_plain(self.labels)),
            "offered": self.offered,
            "discarded": self.discarded,
        }
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        query = f"INSERT OR REPLACE INTO library ({names}) VALUES ({marks})"  # noqa: S608 - our own
        db.execute(query, tuple(columns.values()))

    @property
    def totals(self) -> ClassTotals:
        """The rows that the library began with."""
        if self.ground is None:
            raise InputError("the library is empty: nothing was added to it yet.")
        return self.ground.totals

    def bounded(self, within: Conditions | None) -> Standing:
        """Return it with narrower bounds."""
        if within is None:
            return self
        if isinstance(within.prevalence, str):
            raise InputError(
                "within",
                "name the prevalence as a number or an interval",
                repr(within.prevalence),
                "A library may outlive the rows that it was begun with.",
            )
        slopes = within.slope_range
        least, most = self.slopes or (0.0, math.inf)
        if not least <= slopes[0] <= slopes[1] <= most:
            raise InputError(
                "within",
                f"lie within the library's bounds, slopes {least:.6g} to {most:.6g}",
                f"slopes {slopes[0]:.6g} to {slopes[1]:.6g}",
                "What was outside them is not kept, so they cannot be widened.",
            )
        return replace(self, bounds=within, slopes=slopes)

    def judging(self, grounds: Sequence[Ground], *, allow_different_rows: bool) -> Standing:
        """Return it with classifiers judged on these rows; others than its own are refused."""
        mine = self.ground or grounds[0]
        if not allow_different_rows:
            for ground in grounds:
                mine = mine.joined(ground)
        return replace(self, ground=mine)

    def labeled(self, labels: tuple[Any, Any] | None) -> Standing:
        """Return it with its labels, which must be the same for all classifiers."""
        if labels is None or labels == self.labels:
            return self
        if self.labels is not None:
            raise InputError(
                "y",
                f"have the library's labels, {self.labels[0]!r} and {self.labels[1]!r} (positive)",
                f"{labels[0]!r} and {labels[1]!r}",
                "Name the positive class with pos_label, or write the labels alike.",
            )
        return replace(self, labels=labels)


def _stored(text: str | None, kind: type) -> Any:
    """Return bounds, or the two labels, if there are any."""
    if text is None:
        return None
    try:
        found = from_plain(stored(text, dict))
        hash(found)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamageError(text[:80]) from error
    if not isinstance(found, kind) or (isinstance(found, tuple) and len(found) != 2):
        raise DamageError(text[:80])
    return found


# --- A classifier on its way into a library: what it is, and what is said about it ----------------

LARGEST = 2**63 - 1
"""The largest whole number that the record holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is said about classifiers that are added: for people, and for finding them again."""

    by: str = ""
    tags: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    note: str = ""

    @classmethod
    def of(cls, by: Any, tags: Any, parameters: Any, note: Any) -> About:
        """Check what was said; whoever is not named is the present user."""
        by = by or present_user()
        for name, text in (("by", by), ("note", note)):
            if not isinstance(text, str) or not _is_writable(text):
                raise InputError(name, "be a text", describe_type(text), "Write it in quotes.")
        if not _are_texts(tags):
            raise InputError(
                "tags", "be a list of texts", repr(tags), "For example: ['gbm', '2026']."
            )
        try:
            json.dumps(dict(parameters), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise InputError(
                "parameters",
                "be a mapping that JSON can hold",
                str(error),
                "For example: {'max_depth': 3}.",
            ) from None
        return cls(
            by=by,
            tags=tuple(dict.fromkeys(tags)),
            parameters=dict(parameters),
            note=note,
        )


def _are_texts(values: Any) -> bool:
    if isinstance(values, str) or not isinstance(values, Iterable):
        return False
    return all(isinstance(value, str) and _is_writable(value) for value in values)


def _is_writable(text: str) -> bool:
    """Say whether a text can be written in UTF-8; halves of characters cannot."""
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A classifier's own hull, its curve if it scores, and its model if it was given."""

    member: Member
    curve: RocCurve
    model: bytes | None = None

    @classmethod
    def of(cls, curve: Any, model: bytes | None = None) -> Candidate:
        """Take a curve, or a classifier that outputs labels only."""
        if not isinstance(curve, RocCurve):
            raise InputError(
                "curve",
                "be a RocCurve",
                describe_type(curve),
                "Use add_scores for scores and labels.",
            )
        if not _is_writable(curve.name):
            raise InputError(
                "name", "be a text that can be written", repr(curve.name), "Rename it."
            )
        if not is_single_line(curve.name):  # it could write lines among those of results
            raise InputError("name", "be in one line", repr(curve.name), "Rename it.")
        if max(curve.totals.negatives, curve.totals.positives) > LARGEST:
            raise InputError(
                "curve", f"count at most {LARGEST}", "larger totals", "Use smaller units."
            )
        return cls(Member.from_curve(curve), curve, model)

    @property
    def name(self) -> str:
        """The classifier's name."""
        return as_name(self.member.name)

    @property
    def totals(self) -> ClassTotals:
        """The rows it was judged on."""
        return self.curve.totals

    @property
    def print(self) -> str:
        """A print of how it judges the rows, to know it again when it is added once more.

        The model's file is no part of it: one model is written differently each time.
        """
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.curve_bytes(), repr(self.curve.settings).encode()):
            digest.update(len(part).to_bytes(8, "big") + part)
        return digest.hexdigest()

    def curve_bytes(self) -> bytes:
        """Return the full curve as NumPy writes arrays, one after the other."""
        file = io.BytesIO()
        for column in (
            self.curve.false_positives,
            self.curve.true_positives,
            self.curve.thresholds,
        ):
            if column is not None:
                np.save(file, np.asarray(column), allow_pickle=False)
        return file.getvalue()


def curve_from(content: bytes, name: str, class_totals: ClassTotals) -> RocCurve:
    """Return what `curve_bytes` wrote for a scoring classifier."""
    file = io.BytesIO(content)
    fp, tp, thresholds = (np.load(file, allow_pickle=False) for _ in range(3))
    return RocCurve(name, class_totals, fp, tp, thresholds, None)


def present_user() -> str:
    """Return the name of whoever runs this; "unknown" where the system has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"


def as_candidates(curves: Any) -> list[Candidate]:
    """Return one curve, or several, as candidates."""
    listed: Iterable[Any] = [curves] if isinstance(curves, RocCurve) else curves
    try:
        candidates = [Candidate.of(curve) for curve in listed]
    except TypeError:
        raise InputError(
            "curves",
            "be a RocCurve or several",
            describe_type(curves),
            "Use add_scores for scores.",
        ) from None
    if not candidates:
        raise InputError("curves", "be at least one", "none", "Pass a RocCurve.")
    return candidates


# --- The classifiers that a library holds, between the record's tables and members of a hull ------

KEPT = "kept"
COUNTS = ("false_positives", "true_positives")


@dataclass(frozen=True, slots=True, eq=False)
class StoredCurve:
    """A curve in a file, read when a limit asks for it."""

    objects: Objects
    digest: str
    name: str
    totals: ClassTotals

    @property
    def curve(self) -> RocCurve:
        """The full curve."""
        return curve_from(self.objects.get(self.digest), self.name, self.totals)


@dataclass(frozen=True, slots=True, eq=False)
class Holding:
    """One classifier: the columns of its row, its ground, and its own points."""

    row: Mapping[str, Any]
    ground: Ground
    member: Member

    @property
    def name(self) -> str:
        """Its name."""
        return self.member.name

    def on(self, base: ClassTotals) -> Member:
        """Return the member with its counts brought to common totals."""
        own = self.ground.totals
        return self.member.scaled(base.negatives // own.negatives, base.positives // own.positives)

    def vertices_of(self, hull: RocHull) -> list[int]:
        """Return which of its points are vertices of a hull."""
        corners = set(zip(hull.false_positives.tolist(), hull.true_positives.tolist(), strict=True))
        own = self.on(hull.totals)
        pairs = zip(own.false_positives.tolist(), own.true_positives.tolist(), strict=True)
        return [place for place, pair in enumerate(pairs) if pair in corners]


def offered(candidate: Candidate, ground: Ground, about: About, at: str) -> Holding:
    """Return a candidate as it would be kept, all of its points with it."""
    columns = {
        "name": candidate.name,
        "state": KEPT,
        "scoring": int(candidate.member.scoring),
        **ground.columns,
        "print": candidate.print,
        "added_at": at,
        "added_by": about.by,
        "parameters": json.dumps(dict(about.parameters)),
        "tags": json.dumps(list(about.tags)),
        "note": about.note,
    }
    return Holding(columns, ground, candidate.member)


def held(db: sqlite3.Connection, objects: Objects) -> list[Holding]:
    """Read all classifiers that are kept, in the order of their names."""
    points: dict[int, list[sqlite3.Row]] = {}
    for point in rows(db, "SELECT * FROM points ORDER BY classifier, place"):
        points.setdefault(point["classifier"], []).append(point)
    kept = rows(db, "SELECT * FROM classifiers WHERE state = ? ORDER BY name", KEPT)
    return [_holding(dict(row), points.get(row["id"], []), objects) for row in kept]


def _holding(row: dict[str, Any], points: Sequence[sqlite3.Row], objects: Objects) -> Holding:
    check_name(row["name"])
    ground = Ground.from_columns(row)
    fp, tp = (np.array([p[name] for p in points], dtype=np.int64) for name in COUNTS)
    if row["scoring"]:
        thresholds, next_lower = (
            np.array([p[name] for p in points], dtype=float) for name in ("threshold", "next_lower")
        )
        stored = StoredCurve(objects, row["curve"], row["name"], ground.totals)
        return Holding(
            row, ground, Member(row["name"], True, fp, tp, thresholds, next_lower, stored)
        )
    settings = tuple(point["setting"] for point in points)
    source = _labeled(row["name"], ground.totals, (fp, tp), settings) if row["whole"] else None
    return Holding(row, ground, Member(row["name"], False, fp, tp, settings, None, source))


def check_name(name: str) -> None:
    """Refuse a name that no library takes."""
    if not is_single_line(name):
        raise DamageError(name[:80])


def _labeled(name: str, class_totals: ClassTotals, counts: Any, settings: Any) -> RocCurve:
    """Return a classifier that outputs labels only, of which no point was dropped."""
    fp, tp = (
        np.concatenate(([0], column, [total]))
        for column, total in zip(
            counts, (class_totals.negatives, class_totals.positives), strict=True
        )
    )
    return RocCurve(name, class_totals, fp, tp, None, settings)


def hull_of(standing: Standing, holdings: Sequence[Holding]) -> RocHull:
    """Return the joint hull of classifiers, within the library's bounds.

    Whether they may be on one hull was decided when they were added; those judged on other rows
    are brought to common totals, which keeps their rates exactly.
    """
    grounds = [holding.ground.totals for holding in holdings] or [standing.totals]
    base, _ = align_totals(grounds, allow_different_rows=True)
    hull = RocHull(base, tuple(holding.on(base) for holding in holdings))
    return hull if standing.slopes is None else hull.restricted(*standing.slopes)


def whole(hull: RocHull) -> RocHull:
    """Return a hull whose scoring classifiers have all vertices of their own hulls again.

    A library keeps those on the joint hull, which is all that choices need. What a classifier
    could do alone takes its own hull, which is read from its curve. Bounds drop it again.
    """
    if hull.slope_bounds is not None:
        return hull
    return RocHull(hull.totals, tuple(_whole(member, hull.totals) for member in hull.members))


def _whole(member: Member, base: ClassTotals) -> Member:
    curve = member.curve() if member.scoring else None
    if curve is None:
        return member
    own = curve.totals
    return Member.from_curve(curve).scaled(
        base.negatives // own.negatives, base.positives // own.positives
    )


def store(db: sqlite3.Connection, new: Holding, files: Mapping[str, str | None]) -> int:
    """Write a new classifier's row; return its number."""
    columns = {**new.row, **files, "whole": 1}
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    query = f"INSERT INTO classifiers ({names}) VALUES ({marks})"  # noqa: S608 - names of our own
    return int(db.execute(query, tuple(columns.values())).lastrowid or 0)


def store_points(db: sqlite3.Connection, number: int, own: Member, places: Sequence[int]) -> None:
    """Write those of a classifier's own points that are on the joint hull, and no others."""
    db.execute("DELETE FROM points WHERE classifier = ?", (number,))
    db.executemany(
        "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(number, i, *_point(own, place)) for i, place in enumerate(places)],
    )
    if len(places) < own.false_positives.size:
        db.execute("UPDATE classifiers SET whole = 0 WHERE id = ?", (number,))


def _point(own: Member, place: int) -> tuple[Any, ...]:
    counts = int(own.false_positives[place]), int(own.true_positives[place])
    threshold: Any = own.thresholds[place]
    if own.next_lower is None:
        return (*counts, None, None, threshold)
    return (*counts, float(threshold), float(own.next_lower[place]), None)


# --- A library's history, and what it says about each classifier that was ever on its hull --------


def now() -> str:
    """Return the time in UTC, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def enter(db: sqlite3.Connection, at: str, by: str, kind: str, detail: Mapping[str, Any]) -> None:
    """Write an entry."""
    db.execute(
        "INSERT INTO events (at, by, kind, detail) VALUES (?, ?, ?, ?)",
        (at, by, kind, json.dumps(detail)),
    )


def described(row: Mapping[str, Any], hull: RocHull) -> LibraryClassifier:
    """Return what the library says about a classifier."""
    name = row["name"]
    places = _places(row, hull) if row["state"] == KEPT else []
    stretches = _stretches(places, hull)
    return LibraryClassifier(
        name=name,
        state=row["state"],
        added_at=row["added_at"],
        added_by=row["added_by"],
        tags=tuple(stored(row["tags"], list)),
        parameters=stored(row["parameters"], dict),
        note=row["note"],
        scoring=bool(row["scoring"]),
        has_model=row["model"] is not None,
        fingerprint=Ground.from_columns(row).fingerprint,
        vertices=tuple(hull.vertices[i] for i in places),
        slopes=(stretches[0][0], stretches[-1][1]) if stretches else None,
        stretches=stretches,
        left_at=row["left_at"],
    )


def _places(row: Mapping[str, Any], hull: RocHull) -> list[int]:
    """Return which vertices are a classifier's; not the ends, which every curve reaches."""
    ends = (0, len(hull) - 1) if row["scoring"] else ()
    named = enumerate(hull.vertices)
    return [i for i, vertex in named if row["name"] in vertex.classifiers and i not in ends]


def _stretches(places: Sequence[int], hull: RocHull) -> tuple[tuple[float, float], ...]:
    """Return the slopes at which one of these vertices is best, from low to high."""
    edges = [math.inf, *hull.slopes.tolist(), 0.0]
    least, most = hull.slope_bounds or (0.0, math.inf)
    found: list[tuple[float, float]] = []
    for i in reversed(places):
        low, high = max(edges[i + 1], least), min(edges[i], most)
        if found and found[-1][1] == low:
            low = found.pop()[0]
        found.append((low, high))
    return tuple(found)


# --- The exports that a record lists; making one is in `export.py`, which loads scikit-learn ------


def listed(db: sqlite3.Connection, objects: Objects, *, newest: bool = False) -> list[Export]:
    """Read the exports, the oldest first, or the newest alone."""
    last = "SELECT * FROM exports ORDER BY version DESC LIMIT 1"
    query = last if newest else "SELECT * FROM exports ORDER BY version"
    return [
        Export(
            version=row["version"],
            sha256=row["file"],
            at=row["at"],
            by=row["by"],
            note=row["note"],
            classifiers=tuple(stored(row["classifiers"], list)),
            path=objects.path(row["file"]),
        )
        for row in rows(db, query)
    ]
