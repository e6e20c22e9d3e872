"""The classifiers that a library holds, between the record's tables and members of a hull."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import is_one_line
from rocch.library.candidate import curve_from
from rocch.library.ground import Ground
from rocch.library.record import DamageError, rows
from rocch.roc.curve import RocCurve, common_ground
from rocch.roc.hull import Member, RocHull, checked_names

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from rocch.library.candidate import About, Candidate
    from rocch.library.objects import Objects
    from rocch.library.standing import Standing
    from rocch.roc.curve import Judged

KEPT = "kept"
COUNTS = ("false_positives", "true_positives")


@dataclass(frozen=True, slots=True, eq=False)
class StoredCurve:
    """A curve in a file, read when a limit asks for it."""

    objects: Objects
    digest: str
    name: str
    judged: Judged

    @property
    def curve(self) -> RocCurve:
        """The full curve."""
        return curve_from(self.objects.get(self.digest), self.name, self.judged)


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

    def on(self, base: Judged) -> Member:
        """Return the member with its counts brought to common totals."""
        own = self.ground.judged
        return self.member.scaled(base.negatives // own.negatives, base.positives // own.positives)

    def vertices_of(self, hull: RocHull) -> list[int]:
        """Return which of its points are vertices of a hull."""
        corners = set(zip(hull.false_positives.tolist(), hull.true_positives.tolist(), strict=True))
        own = self.on(hull.judged)
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
        stored = StoredCurve(objects, row["curve"], row["name"], ground.judged)
        return Holding(
            row, ground, Member(row["name"], True, fp, tp, thresholds, next_lower, stored)
        )
    settings = tuple(point["setting"] for point in points)
    source = _labelled(row["name"], ground.judged, (fp, tp), settings) if row["whole"] else None
    return Holding(row, ground, Member(row["name"], False, fp, tp, settings, None, source))


def check_name(name: str) -> None:
    """Refuse a name that no library takes."""
    if not is_one_line(name):
        raise DamageError(name[:80])


def _labelled(name: str, judged: Judged, counts: Any, settings: Any) -> RocCurve:
    """Return a classifier that outputs labels only, of which no point was dropped."""
    fp, tp = (
        np.concatenate(([0], column, [total]))
        for column, total in zip(counts, (judged.negatives, judged.positives), strict=True)
    )
    return RocCurve(name, judged, fp, tp, None, settings)


def hull_of(standing: Standing, holdings: Sequence[Holding]) -> RocHull:
    """Return the joint hull of classifiers, within the library's bounds.

    Whether they may be on one hull was decided when they were added; those judged on other rows
    are brought to common totals, which keeps their rates exactly.
    """
    grounds = [holding.ground.judged for holding in holdings] or [standing.judged]
    base, _ = common_ground(grounds, different_rows=True)
    hull = RocHull(base, checked_names([holding.on(base) for holding in holdings]))
    return hull if standing.slopes is None else hull.restricted(*standing.slopes)


def whole(hull: RocHull) -> RocHull:
    """Return a hull whose scoring classifiers have all vertices of their own hulls again.

    A library keeps those on the joint hull, which is all that choices need. What a classifier
    could do alone takes its own hull, which is read from its curve. Bounds drop it again.
    """
    if hull.slope_bounds is not None:
        return hull
    return RocHull(hull.judged, tuple(_whole(member, hull.judged) for member in hull.members))


def _whole(member: Member, base: Judged) -> Member:
    curve = member.curve() if member.scoring else None
    if curve is None:
        return member
    own = curve.judged
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
