"""Adding classifiers to a library, what that saves, and keeping fewer than the hull would."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, format_list
from rocch.hybrid.hybrid import cover
from rocch.inputs import as_flag, find_duplicates
from rocch.library.holdings import (
    About,
    Candidate,
    Ground,
    Holding,
    Standing,
    enter,
    held,
    hull_of,
    now,
    offered,
    store,
    store_points,
)
from rocch.library.store import Objects, Record, forget
from rocch.roc.conditions import Conditions
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import ALWAYS, NEVER, RocPoint

# --- What a new classifier saves: at which slopes, and how much -----------------------------------
#
# At slope m the cost of a point is (m FPR + 1 - TPR) / (1 + m): false alarms and misses weigh m to
# 1, and whoever always errs pays 1. The least cost of a hull is the lower envelope of its vertices'
# costs; between two neighboring slopes of either hull both envelopes have one vertex each, and the
# ratio of what is saved to 1 + m is monotone. So the largest saving is found at one of the slopes.


@dataclass(frozen=True, slots=True)
class Saving:
    """One vertex that was not there before, and what it is worth.

    Attributes
    ----------
    vertex
        The new vertex.
    low, high
        The slopes between which it is best.
    saves
        The most that it saves there, as a share of the cost of always erring.
    at
        The slope where it does.
    """

    vertex: RocPoint
    low: float
    high: float
    saves: float
    at: float

    def __str__(self) -> str:
        high = "inf" if math.isinf(self.high) else f"{self.high:.4g}"
        return (
            f"FPR {self.vertex.fpr:.4g}, TPR {self.vertex.tpr:.4g}: best for slopes "
            f"{self.low:.4g} to {high}, saves up to {100 * self.saves:.3g} % at {self.at:.4g}"
        )


def savings(before: RocHull, after: RocHull) -> list[Saving]:
    """Return the vertices of a grown hull that are new, and what each saves."""
    known = set(before.exact_rates)
    new = [place for place, pair in enumerate(after.exact_rates) if pair not in known]
    edges = [math.inf, *after.slopes.tolist(), 0.0]
    least, most = after.slope_bounds or (0.0, math.inf)
    found = []
    for place in new:
        low, high = max(edges[place + 1], least), min(edges[place], most)
        if low <= high:
            vertex = after.vertices[place]
            found.append(Saving(vertex, low, high, *_largest(before, vertex, low, high)))
    return found


def _largest(before: RocHull, vertex: RocPoint, low: float, high: float) -> tuple[float, float]:
    """Return the largest saving of a vertex between two slopes, and where it is."""
    inside = before.slopes[(before.slopes >= low) & (before.slopes <= high)]
    edges = np.array([low, high, *inside])
    slopes = np.unique(edges[np.isfinite(edges)])  # at an infinite slope all are best at FPR 0
    saved = _costs(before.fpr, before.tpr, slopes) - _costs(
        np.array([vertex.fpr]), np.array([vertex.tpr]), slopes
    )
    best = int(np.argmax(saved))
    return max(float(saved[best]), 0.0), float(slopes[best])


def _costs(fpr: FloatArray, tpr: FloatArray, slopes: FloatArray) -> FloatArray:
    """Return the least cost among points at each slope."""
    costs = (np.outer(slopes, fpr) + (1 - tpr)) / (1 + slopes)[:, None]
    return np.asarray(costs.min(axis=1), dtype=float)


# --- The answer to an addition: what it did to the hull -------------------------------------------

Outcome = Literal["extends", "ties", "discarded", "present"]

WORDS: dict[Outcome, str] = {
    "ties": "ties: it reaches vertices that are there already, and is named there too",
    "discarded": "cannot ever be optimal; discarded",
    "present": "is there already, just so; what was said about it stays as it was",
}


@dataclass(frozen=True, slots=True)
class Judgment:
    """What became of one classifier that was added.

    Attributes
    ----------
    name
        The classifier.
    outcome
        "extends" the hull, "ties" with vertices that are there, is "discarded" because it can
        never be better than what is there, or was "present" already, the very same.
    places
        Where it extends the hull: each new vertex, the slopes at which it is best, and what it
        saves at most.
    """

    name: str
    outcome: Outcome
    places: tuple[Saving, ...] = ()

    @property
    def kept(self) -> bool:
        """Whether the library holds it now."""
        return self.outcome != "discarded"

    @property
    def saves(self) -> float:
        """The most that it saves at any slope, as a share of the cost of always erring."""
        return max((place.saves for place in self.places), default=0.0)

    def __str__(self) -> str:
        if self.outcome != "extends":
            return f"{self.name} {WORDS[self.outcome]}"
        best = max(self.places, key=lambda place: place.saves)
        low, high = self.places[-1].low, self.places[0].high
        return (
            f"{self.name} extends the hull at {len(self.places)} place(s), for slopes {low:.4g} to "
            f"{high:.4g}; saves up to {100 * best.saves:.3g} % of the cost of always erring, at "
            f"slope {best.at:.4g}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """What an addition did.

    Attributes
    ----------
    classifiers
        What became of each classifier that was added, in the order in which they came.
    driven_out
        Names of older classifiers that hold no vertex any more, and are gone.
    before, hull
        The hull as it was, and as it is.
    """

    classifiers: tuple[Judgment, ...]
    driven_out: tuple[str, ...]
    before: RocHull
    hull: RocHull

    @property
    def extends(self) -> bool:
        """Whether the hull grew."""
        return any(one.outcome == "extends" for one in self.classifiers)

    def saving(self, conditions: Conditions) -> float:
        """Return what the addition saves per case under exact conditions, in their unit."""
        old, new = (hull.best(conditions).expected_cost for hull in (self.before, self.hull))
        assert old is not None and new is not None  # noqa: S101, PT018 - conditions give a cost
        return old - new

    def __str__(self) -> str:
        lines = [str(one) for one in self.classifiers]
        if self.driven_out:
            lines.append(f"driven out: {', '.join(self.driven_out)}")
        return "\n".join(lines)


def judged_addition(
    new: Iterable[str], present: Iterable[str], before: RocHull, hull: RocHull
) -> Added:
    """Judge an addition by the hulls before and after it."""
    fresh = savings(before, hull)
    there = set(present)
    now = hull.winners
    return Added(
        tuple(_judgment(name, there, now, fresh) for name in new),
        tuple(sorted(before.winners - now)),
        before,
        hull,
    )


def _judgment(name: str, present: set[str], now: Any, fresh: list[Saving]) -> Judgment:
    if name in present:
        return Judgment(name, "present")
    if name not in now:
        return Judgment(name, "discarded")
    places = tuple(
        s
        for s in fresh
        if name in s.vertex.classifiers and s.vertex.classifier not in (NEVER, ALWAYS)
    )
    return Judgment(name, "extends" if places else "ties", places)


# --- Adding classifiers: judged and written while nobody else can write ---------------------------
#
# Before and after hull, verdict, files, rows and history are one transaction. A classifier that is
# not on the joint hull now can never be on it later, since hulls only grow; so it is forgotten, and
# the hull is that of everything ever added, in any order.


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Classifiers to be added at once, and what is said about them all."""

    candidates: Sequence[Candidate]
    ids_print: bytes | None
    about: About
    labels: tuple[Any, Any] | None = None
    allow_different_rows: bool = False

    def __post_init__(self) -> None:
        as_flag(self.allow_different_rows, "allow_different_rows")
        twice = find_duplicates(self.names)
        if twice:
            raise InputError(
                "names", "be distinct", f"{format_list(twice)} more than once", "Rename one."
            )

    @property
    def names(self) -> list[str]:
        """Their names, in the order in which they came."""
        return [candidate.name for candidate in self.candidates]

    def offered(self, at: str) -> list[Holding]:
        """Return them as they would be kept."""
        return [
            offered(one, Ground(one.totals, self.ids_print), self.about, at)
            for one in self.candidates
        ]


def add(record: Record, objects: Objects, addition: Addition) -> Added:
    """Add classifiers; when it returns, all of it is on the disk."""
    at = now()
    new = addition.offered(at)
    with record.writing() as db:
        standing = Standing.read(db).labeled(addition.labels)
        standing = standing.judging(
            [one.ground for one in new], allow_different_rows=addition.allow_different_rows
        )
        holdings = held(db, objects)
        present = _present(holdings, new)
        fresh = {one.name: one for one in new if one.name not in present}
        hull = hull_of(standing, [*holdings, *fresh.values()])
        grows = not hull.winners.isdisjoint(fresh)  # most do not: then nothing else changes
        before = hull_of(standing, holdings) if grows else hull
        added = judged_addition(addition.names, present, before, hull)
        if not hull.winners:  # nothing was ever kept: the library is not bound to any rows yet
            standing = Standing.read(db)
        _counted(standing, added, len(fresh)).write(db)
        for candidate in addition.candidates:
            if candidate.name in fresh and candidate.name in hull.winners:
                _keep(db, objects, fresh[candidate.name], candidate, hull)
        _complete(db, objects, holdings, addition)
        loose = _settle(db, holdings, hull, at) if grows else []
        _remember(db, added, at, addition.about)
    forget(record, objects, loose)
    return added


def may_join(record: Record, objects: Objects, addition: Addition) -> bool:
    """Say whether any of the classifiers would be on the hull as it is now."""
    with record.reading() as db:
        standing, holdings = Standing.read(db), held(db, objects)
    new = addition.offered("")
    standing = standing.judging(
        [n.ground for n in new], allow_different_rows=addition.allow_different_rows
    )
    others = [holding for holding in holdings if holding.name not in addition.names]
    return not hull_of(standing, [*others, *new]).winners.isdisjoint(addition.names)


def leave(db: sqlite3.Connection, holding: Holding, state: str, at: str) -> list[str]:
    """Note that a classifier left; return the files that it had."""
    number = holding.row["id"]
    db.execute("DELETE FROM points WHERE classifier = ?", (number,))
    db.execute(
        "UPDATE classifiers SET state = ?, left_at = ?, curve = NULL, model = NULL WHERE id = ?",
        (state, at, number),
    )
    return [file for file in (holding.row["curve"], holding.row["model"]) if file is not None]


def _present(holdings: Sequence[Holding], new: Sequence[Holding]) -> set[str]:
    """Return who of the new ones is there already; refuse another one under a name in use."""
    prints = {holding.name: holding.row["print"] for holding in holdings}
    taken = [n.name for n in new if n.name in prints and prints[n.name] != n.row["print"]]
    if taken:
        raise InputError(
            "names",
            "be new, unless the classifier is the very same",
            format_list(taken),
            "Another classifier has that name. Choose another, or prune that one first.",
        )
    return {one.name for one in new if one.name in prints}


def _counted(standing: Standing, added: Added, fresh: int) -> Standing:
    turned_away = sum(not one.kept for one in added.classifiers)
    return replace(
        standing, offered=standing.offered + fresh, discarded=standing.discarded + turned_away
    )


def _keep(
    db: sqlite3.Connection, objects: Objects, new: Holding, candidate: Candidate, hull: RocHull
) -> None:
    """Write a new classifier that is on the hull: its files, its row and its points."""
    scoring, model = new.member.scoring, candidate.model
    files = {
        "curve": objects.put(candidate.curve_bytes()) if scoring else None,
        "model": None if model is None else objects.put(model),
    }
    store_points(db, store(db, new, files), new.member, new.vertices_of(hull))


def _complete(
    db: sqlite3.Connection, objects: Objects, holdings: Sequence[Holding], addition: Addition
) -> None:
    """Write the models of classifiers that were there without them."""
    models = {one.name: one.model for one in addition.candidates if one.model is not None}
    for holding in holdings:
        if holding.row["model"] is None and holding.name in models:
            digest = objects.put(models[holding.name])
            db.execute("UPDATE classifiers SET model = ? WHERE id = ?", (digest, holding.row["id"]))


def _settle(
    db: sqlite3.Connection, holdings: Sequence[Holding], hull: RocHull, at: str
) -> list[str]:
    """Drop what is no longer on the hull; return the files that nobody needs then."""
    loose: list[str] = []
    for holding in holdings:
        if holding.name not in hull.winners:
            loose += leave(db, holding, "driven out", at)
            continue
        places = holding.vertices_of(hull)
        if len(places) < holding.member.false_positives.size:
            store_points(db, holding.row["id"], holding.member, places)
    return loose


def _remember(db: sqlite3.Connection, added: Added, at: str, about: About) -> None:
    """Write an addition to the history, if it changed anything."""
    joined = [one for one in added.classifiers if one.outcome in ("extends", "ties")]
    if not joined:
        return
    detail = {
        "joined": [one.name for one in joined],
        "left": list(added.driven_out),
        "saves": {one.name: one.saves for one in joined},
        "vertices": len(added.hull),
        "note": about.note,
    }
    enter(db, at, about.by, "added", detail)


# --- Keeping fewer classifiers than the hull would ------------------------------------------------


def prune(
    record: Record,
    objects: Objects,
    names: set[str],
    *,
    within: Conditions | None,
    ties: bool,
    by: str,
) -> tuple[str, ...]:
    """Remove classifiers by name, by bounds or as mere ties; return who left."""
    at = now()
    with record.writing() as db:
        standing = Standing.read(db).bounded(within)
        holdings = held(db, objects)
        _check_kept(names, holdings)
        leaving = _leaving(standing, holdings, names, ties=ties)
        loose = [f for h in holdings if h.name in leaving for f in leave(db, h, "pruned", at)]
        _tidy(db, standing, [h for h in holdings if h.name not in leaving])
        standing.write(db)
        if leaving or within is not None:
            detail: dict[str, Any] = {"left": sorted(leaving)}
            enter(
                db, at, by, "pruned", detail | ({} if within is None else {"within": str(within)})
            )
    forget(record, objects, loose)
    return tuple(sorted(leaving))


def _check_kept(names: set[str], holdings: Sequence[Holding]) -> None:
    unknown = names - {holding.name for holding in holdings}
    if unknown:
        raise InputError(
            "names",
            "be those of classifiers that are kept",
            format_list(sorted(unknown)),
            f"There are: {format_list([holding.name for holding in holdings]) or 'none'}.",
        )


def _leaving(
    standing: Standing, holdings: Sequence[Holding], names: set[str], *, ties: bool
) -> set[str]:
    """Return who has to go: those named, and those that the hull of the others does not need."""
    if standing.ground is None:
        return set()
    rest = [holding for holding in holdings if holding.name not in names]
    hull = hull_of(standing, rest)
    stay = cover(hull, {}) if ties else hull.winners
    return {holding.name for holding in holdings} - stay


def _tidy(db: sqlite3.Connection, standing: Standing, rest: Sequence[Holding]) -> None:
    """Drop points of the others that are not on the hull any more."""
    if not rest:
        return
    hull = hull_of(standing, rest)
    for holding in rest:
        store_points(db, holding.row["id"], holding.member, holding.vertices_of(hull))
