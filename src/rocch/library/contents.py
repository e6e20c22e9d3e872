"""Contents of a library's record: state, classifiers, history and exports."""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import Label
from rocch.database.record import Connection, DamageError, Row, fetch, insert
from rocch.errors import InputError, is_single_line
from rocch.hybrid.coin import key_texts
from rocch.hybrid.model_files import from_plain, to_plain
from rocch.inputs import as_array
from rocch.library.objects import DIGITS, Objects
from rocch.library.store import are_texts, load_json
from rocch.results import Record, Records, field_values
from rocch.roc.conditions import Conditions, Interval, cost_ratios
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.member import Member
from rocch.roc.operating_point import ClassTotals, RocPoint, align_totals

KEPT = "kept"


@dataclass(frozen=True, slots=True)
class EvaluationRows:
    """Evaluation rows: class totals, and a fingerprint of the row ids.

    Fingerprints of labels (in the totals) and ids depend on the order; either may be unknown.
    """

    totals: ClassTotals
    id_fingerprint: bytes | None = None

    @classmethod
    def from_columns(cls, row: Row) -> EvaluationRows:
        """Read the columns that `columns` wrote."""
        counts = row["negatives"], row["positives"], row["unit"]
        totals = ClassTotals(*counts, bool(row["weighted"]), row["labels_print"])
        return cls(totals, row["ids_print"])

    @property
    def columns(self) -> dict[str, object]:
        """The columns of the record."""
        return {
            "negatives": self.totals.negatives,
            "positives": self.totals.positives,
            "unit": float(self.totals.unit),
            "weighted": int(self.totals.weighted),
            "labels_print": self.totals.rows,
            "ids_print": self.id_fingerprint,
        }

    @property
    def fingerprint(self) -> str:
        """The fingerprints of labels and ids as text, or "unknown"."""
        parts = [part.hex() for part in (self.totals.rows, self.id_fingerprint) if part is not None]
        return "-".join(parts) or "unknown"

    def merge(self, other: EvaluationRows) -> EvaluationRows:
        """Return what is known of both, or refuse different rows."""
        difference = self._difference(other)
        if difference:
            raise InputError(
                "classifiers",
                "be evaluated on the library's rows",
                difference,
                "Evaluate on the same rows in the same order, or accept different rows with "
                "{allow_different_rows}.",
            )
        return EvaluationRows(self.totals, self.id_fingerprint or other.id_fingerprint)

    def _difference(self, other: EvaluationRows) -> str:
        mine, theirs = (replace(each.totals, rows=None) for each in (self, other))
        if mine != theirs:
            swapped = replace(theirs, negatives=theirs.positives, positives=theirs.negatives)
            perhaps = " (perhaps the other class was taken as the positive one)"
            return (
                f"{theirs.positives * theirs.unit:.9g} positives of {theirs.total:.9g}, where the "
                f"library has {mine.positives * mine.unit:.9g} of {mine.total:.9g}"
                f"{perhaps if mine == swapped else ''}"
            )
        labels, others = self.totals.rows, other.totals.rows
        if (labels is None) != (others is None):
            which = "a library" if labels is None else "classifiers"
            return f"{which} known by counts alone, so that the rows cannot be compared"
        if labels != others:
            return "labels (or weights) that differ, or come in another order"
        if self.id_fingerprint is not None and other.id_fingerprint is None:
            return "rows without ids, while the library knows its rows by their ids"
        if self.id_fingerprint is not None and self.id_fingerprint != other.id_fingerprint:
            return "row ids that differ, or come in another order"
        return ""


def fingerprint_ids(row_ids: ArrayLike | None, rows: int | None) -> bytes | None:
    """Return a fingerprint of row ids in their order, or None."""
    if row_ids is None:
        return None
    rows = as_array(row_ids, "row_ids").size if rows is None else rows
    texts = key_texts(row_ids, rows, argument="row_ids")
    return digest_parts(text.encode(errors="surrogatepass") for text in texts)


def digest_parts(parts: Iterable[bytes]) -> bytes:
    """Return a fingerprint of parts in their order."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class LibraryState:
    """The state of a library: one row of the record.

    Attributes
    ----------
    created_at
        Time of creation (UTC).
    evaluation_rows
        The rows that classifiers are evaluated on; None before the first addition.
    bounds
        The conditions that the library is for; None for all.
    labels
        The two labels, the positive one last; None if only counts are known.
    offered, discarded
        Numbers of classifiers ever added, and of those discarded at once.
    """

    created_at: str
    evaluation_rows: EvaluationRows | None = None
    bounds: Conditions | None = None
    labels: tuple[Label, Label] | None = None
    offered: int = 0
    discarded: int = 0

    @classmethod
    def read(cls, db: Connection) -> LibraryState:
        """Read the state from the record."""
        row = next(iter(fetch(db, "SELECT * FROM library")), None)
        if row is None:
            raise DamageError("library")
        return cls(
            row["created_at"],
            None if row["negatives"] is None else EvaluationRows.from_columns(row),
            _load_plain(row["bounds"], Conditions),
            _load_plain(row["labels"], tuple),
            row["offered"],
            row["discarded"],
        )

    def write(self, db: Connection) -> None:
        """Write the state to the record."""
        rows = self.evaluation_rows
        columns = {
            "one": 1,
            "created_at": self.created_at,
            "bounds": self.bounds and json.dumps(to_plain(self.bounds)),
            "slope_low": self.slopes and self.slopes[0],
            "slope_high": self.slopes and self.slopes[1],
            **({} if rows is None else rows.columns),
            "labels": self.labels and json.dumps(to_plain(self.labels)),
            "offered": self.offered,
            "discarded": self.discarded,
        }
        insert(db, "library", columns, key="one")

    @property
    def slopes(self) -> Interval | None:
        """The slopes that the bounds allow."""
        return None if self.bounds is None else self.bounds.slope_range

    @property
    def totals(self) -> ClassTotals:
        """The class totals of the first evaluation rows."""
        if self.evaluation_rows is None:
            raise InputError(
                "the library", "hold at least one classifier", "none", "Add one first."
            )
        return self.evaluation_rows.totals

    def cost_ratios(self, slopes: tuple[float, float], totals: ClassTotals) -> Interval | None:
        """Return how many times as bad as a false alarm a miss is, for slopes within a range.

        They go with the bounds, or else with the class balance of the totals, which is not known
        where classifiers have different rows.
        """
        if self.bounds is not None:
            return self.bounds.cost_ratios_at(slopes)
        return None if totals.pooled else cost_ratios(slopes, totals.prevalence)

    def narrow(self, within: Conditions | None) -> LibraryState:
        """Return the state with narrower bounds."""
        if within is None:
            return self
        if isinstance(within.prevalence, str):
            requirement = "name the prevalence as a number or an interval"
            raise InputError("within", requirement, repr(within.prevalence))
        slopes = within.slope_range
        least, most = self.slopes or (0.0, math.inf)
        if not least <= slopes[0] <= slopes[1] <= most:
            raise InputError(
                "within",
                f"lie within the library's bounds, slopes {least:.6g} to {most:.6g}",
                f"slopes {slopes[0]:.6g} to {slopes[1]:.6g}",
                "Bounds cannot be widened: classifiers outside them are gone.",
            )
        return replace(self, bounds=within)

    def with_rows(
        self, others: Sequence[EvaluationRows], *, allow_different_rows: bool
    ) -> LibraryState:
        """Return the state with these evaluation rows; other rows than its own are refused."""
        own = self.evaluation_rows or others[0]
        if not allow_different_rows:
            for rows in others:
                own = own.merge(rows)
        return replace(self, evaluation_rows=own)

    def with_labels(self, labels: tuple[Label, Label] | None) -> LibraryState:
        """Return the state with labels, which must be the same for all classifiers."""
        if labels is None or labels == self.labels:
            return self
        if self.labels is not None:
            raise InputError(
                "y",
                f"have the library's labels, {self.labels[0]!r} and {self.labels[1]!r} (positive)",
                f"{labels[0]!r} and {labels[1]!r}",
                "Name the positive class with {pos_label}, or write the labels alike.",
            )
        return replace(self, labels=labels)


def _load_plain(text: str | None, kind: type) -> Any:
    if text is None:
        return None
    try:
        found = from_plain(load_json(text, dict))
        hash(found)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamageError(text[:80]) from error
    if not isinstance(found, kind) or (isinstance(found, tuple) and len(found) != 2):
        raise DamageError(text[:80])
    return found


@dataclass(frozen=True, slots=True, eq=False)
class StoredCurve:
    """A curve in a file, read when needed."""

    objects: Objects
    digest: str
    name: str
    totals: ClassTotals

    @property
    def curve(self) -> RocCurve:
        """The full curve."""
        file = io.BytesIO(self.objects.get(self.digest))
        fp, tp, lowest_scores = (np.load(file, allow_pickle=False) for _ in range(3))
        return RocCurve(self.name, self.totals, fp, tp, lowest_scores, None)


def curve_bytes(curve: RocCurve) -> bytes:
    """Return a curve's columns in NumPy's file format."""
    file = io.BytesIO()
    for column in (curve.false_positives, curve.true_positives, curve.lowest_scores):
        if column is not None:
            np.save(file, np.asarray(column), allow_pickle=False)
    return file.getvalue()


@dataclass(frozen=True, slots=True, eq=False)
class LibraryEntry:
    """A classifier: its row in the record, its evaluation rows and its points."""

    columns: Mapping[str, Any]
    evaluation_rows: EvaluationRows
    member: Member

    @classmethod
    def from_row(cls, row: Row, points: Sequence[Row], objects: Objects) -> LibraryEntry:
        """Read a classifier's row and points."""
        name = row["name"]
        check_name(name)
        evaluated = EvaluationRows.from_columns(row)
        fp, tp = (
            np.array([point[column] for point in points], dtype=np.int64)
            for column in ("false_positives", "true_positives")
        )
        if row["scoring"]:
            lowest_scores, next_lower = (
                np.array([point[column] for point in points], dtype=float)
                for column in ("threshold", "next_lower")
            )
            source = StoredCurve(objects, row["curve"], name, evaluated.totals)
            member = Member(name, True, fp, tp, lowest_scores, next_lower, source)
        else:
            settings, curve = tuple(point["setting"] for point in points), None
            if row["whole"]:  # no point was dropped
                every_fp = np.concatenate(([0], fp, [evaluated.totals.negatives]))
                every_tp = np.concatenate(([0], tp, [evaluated.totals.positives]))
                curve = RocCurve(name, evaluated.totals, every_fp, every_tp, None, settings)
            member = Member(name, False, fp, tp, settings, None, curve)
        return cls(row, evaluated, member)

    @property
    def name(self) -> str:
        """The classifier's name."""
        return self.member.name

    def vertices_of(self, hull: RocHull) -> list[int]:
        """Return which of its points are vertices of a hull."""
        own = _scale(self.member, self.evaluation_rows.totals, hull.totals)
        counts = hull.false_positives.tolist(), hull.true_positives.tolist()
        vertices = set(zip(*counts, strict=True))
        return [place for place, pair in enumerate(own.pairs) if pair in vertices]


def _scale(member: Member, own: ClassTotals, base: ClassTotals) -> Member:
    return member.scaled(base.negatives // own.negatives, base.positives // own.positives)


def check_name(name: str) -> None:
    """Refuse an invalid name in the record."""
    if not is_single_line(name):
        raise DamageError(name[:80])


def read_entries(db: Connection, objects: Objects) -> list[LibraryEntry]:
    """Read all classifiers on the hull, sorted by name."""
    points: dict[int, list[Row]] = {}
    for point in fetch(db, "SELECT * FROM points ORDER BY classifier, place"):
        points.setdefault(point["classifier"], []).append(point)
    rows = fetch(db, "SELECT * FROM classifiers WHERE state = ? ORDER BY name", KEPT)
    return [LibraryEntry.from_row(row, points.get(row["id"], []), objects) for row in rows]


def write_points(db: Connection, number: int, own: Member, places: Sequence[int]) -> None:
    """Write those points of a classifier that are on the joint hull."""
    db.execute("DELETE FROM points WHERE classifier = ?", (number,))
    db.executemany(
        "INSERT INTO points VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(number, i, *_point_columns(own, place)) for i, place in enumerate(places)],
    )
    if len(places) < own.false_positives.size:
        db.execute("UPDATE classifiers SET whole = 0 WHERE id = ?", (number,))


def _point_columns(own: Member, place: int) -> tuple[object, ...]:
    counts = int(own.false_positives[place]), int(own.true_positives[place])
    lowest: Any = own.lowest_scores[place]
    if own.next_lower is None:
        return (*counts, None, None, lowest)
    # + 0.0, because SQLite stores -0.0 as 0.0, and the content must be the same everywhere
    return (*counts, float(lowest) + 0.0, float(own.next_lower[place]) + 0.0, None)


def build_hull(state: LibraryState, entries: Sequence[LibraryEntry]) -> RocHull:
    """Return the joint hull of classifiers, within the library's bounds.

    Those evaluated on other rows are brought to common totals, which keeps their rates exact.
    """
    totals = [entry.evaluation_rows.totals for entry in entries]
    base, _ = align_totals(totals or [state.totals], allow_different_rows=True)
    members = [_scale(entry.member, entry.evaluation_rows.totals, base) for entry in entries]
    hull = RocHull(base, tuple(members), considered=max(state.offered, len(members)))
    return hull if state.slopes is None else hull.restricted(*state.slopes)


def complete_members(hull: RocHull) -> RocHull:
    """Return a hull whose scoring classifiers have all vertices of their own hulls.

    A library stores those on the joint hull; the others are read from the curves, except within
    bounds.
    """
    if hull.slope_bounds is not None:
        return hull
    members = []
    for member in hull.members:
        curve = member.curve() if member.scoring else None
        if curve is not None:
            member = _scale(Member.from_curve(curve), curve.totals, hull.totals)
        members.append(member)
    return RocHull(hull.totals, tuple(members), considered=hull.considered)


@dataclass(frozen=True, slots=True, repr=False)
class LibraryClassifier(Record):
    """One classifier of a library.

    Attributes
    ----------
    name, tags, parameters, note, added_at, added_by
        From its addition; times are in UTC.
    state
        "kept"; or "driven out" by others, or "pruned", since `left_at`.
    scoring
        Whether it scores, so that its threshold can be moved.
    has_model
        Whether the library holds the fitted model.
    fingerprint
        The fingerprint of its evaluation rows.
    vertices
        Its vertices on the joint hull; where others share one, with its own threshold.
    slopes
        The lowest and highest slope at which it is best; None if it is not kept.
    stretches
        The separate ranges of slopes at which it is best, lowest first.
    cost_ratios
        For each of these ranges, how many times as bad as a false alarm a miss is: within the
        library's bounds, or else at the class balance of its rows; None where that is not known.
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
    cost_ratios: tuple[Interval | None, ...] = ()
    left_at: str | None = None

    def _row(self) -> dict[str, Any]:
        low, high = self.slopes or (None, None)
        numbers = {"vertices": len(self.vertices), "slope_low": low, "slope_high": high}
        row = field_values(self)
        del row["fingerprint"]
        return {name: row.pop(name) for name in ("name", "state")} | numbers | row

    @classmethod
    def from_row(cls, row: Row, state: LibraryState, hull: RocHull) -> LibraryClassifier:
        """Read a row of the record; the library's state and hull give the rest."""
        places = _places(row, hull) if row["state"] == KEPT else []
        stretches = _stretches(places, hull)
        return cls(
            name=row["name"],
            state=row["state"],
            added_at=row["added_at"],
            added_by=row["added_by"],
            tags=tuple(load_json(row["tags"], list)),
            parameters=load_json(row["parameters"], dict),
            note=row["note"],
            scoring=bool(row["scoring"]),
            has_model=row["model"] is not None,
            fingerprint=EvaluationRows.from_columns(row).fingerprint,
            vertices=tuple(own_vertex(hull.vertices[i], row["name"]) for i in places),
            slopes=(stretches[0][0], stretches[-1][1]) if stretches else None,
            stretches=stretches,
            cost_ratios=tuple(state.cost_ratios(each, hull.totals) for each in stretches),
            left_at=row["left_at"],
        )


def _places(row: Row, hull: RocHull) -> list[int]:
    """Return a classifier's vertices, without the ends, which every curve reaches."""
    ends = (0, len(hull) - 1) if row["scoring"] else ()
    vertices = enumerate(hull.vertices)
    return [i for i, vertex in vertices if row["name"] in vertex.classifiers and i not in ends]


def own_vertex(vertex: RocPoint, name: str) -> RocPoint:
    """Return a vertex that classifiers may share with the threshold of one of them first."""
    place = vertex.classifiers.index(name)
    return replace(
        vertex,
        classifier=name,
        lowest_score=vertex.lowest_scores[place],
        threshold=vertex.thresholds[place],
    )


def vertex_slopes(hull: RocHull) -> list[tuple[float, float]]:
    """Return the slopes between which each vertex is best, within the hull's bounds."""
    edges = [math.inf, *hull.slopes.tolist(), 0.0]
    least, most = hull.slope_bounds or (0.0, math.inf)
    return [(max(low, least), min(high, most)) for high, low in pairwise(edges)]


def _stretches(places: Sequence[int], hull: RocHull) -> tuple[tuple[float, float], ...]:
    found: list[tuple[float, float]] = []
    slopes = vertex_slopes(hull)
    for place in reversed(places):
        low, high = slopes[place]
        if found and found[-1][1] == low:
            low = found.pop()[0]
        found.append((low, high))
    return tuple(found)


@dataclass(frozen=True, slots=True, repr=False)
class LogEntry(Record):
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
        Names driven out or pruned.
    detail
        Further data; for additions the savings and slopes.
    """

    at: str
    by: str
    kind: str
    joined: tuple[str, ...]
    left: tuple[str, ...]
    detail: Mapping[str, Any]

    @classmethod
    def from_row(cls, row: Row) -> LogEntry:
        """Read a row of the record."""
        detail = load_json(row["detail"], dict)
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


def utc_now() -> str:
    """Return the current time in UTC."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def write_event(db: Connection, at: str, by: str, kind: str, detail: Mapping[str, object]) -> None:
    """Write an entry of the history."""
    columns = {"at": at, "by": by, "kind": kind, "detail": json.dumps(detail)}
    insert(db, "events", columns, number="id")


@dataclass(frozen=True, slots=True, repr=False)
class Export(Record):
    """A deployable hybrid that a library wrote.

    Attributes
    ----------
    version
        1, 2, 3, and so on.
    sha256
        The digest of the file, for `rocch.load(path, digest=sha256)`.
    at, by, note
        When (UTC), who, and a note.
    classifiers
        Names of its classifiers.
    path
        The file inside the library; of an object store, its URL.
    """

    version: int
    sha256: str
    at: str
    by: str
    note: str
    classifiers: tuple[str, ...]
    path: Path | str

    def _row(self) -> dict[str, Any]:
        return {**field_values(self), "path": str(self.path)}


def read_exports(db: Connection, objects: Objects, *, newest: bool = False) -> Records[Export]:
    """Read the exports, oldest first, or only the newest."""
    last = "SELECT * FROM exports ORDER BY version DESC LIMIT 1"
    query = last if newest else "SELECT * FROM exports ORDER BY version"
    return Records(
        Export(
            version=row["version"],
            sha256=row["file"][:DIGITS],
            at=row["at"],
            by=row["by"],
            note=row["note"],
            classifiers=tuple(load_json(row["classifiers"], list)),
            path=objects.path(row["file"]),
        )
        for row in fetch(db, query)
    )
