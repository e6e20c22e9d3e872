"""Adding classifiers: judged and written while nobody else can write.

Before and after hull, verdict, files, rows and history are one transaction. A classifier that is
not on the joint hull now can never be on it later, since hulls only grow; so it is forgotten, and
the hull is that of everything ever added, in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rocch.errors import bad_input, shown
from rocch.inputs import as_flag, repeated
from rocch.library.added import Added, judged_addition
from rocch.library.files_kept import forget
from rocch.library.ground import Ground
from rocch.library.history import enter, now
from rocch.library.holdings import Holding, held, hull_of, offered, store, store_points
from rocch.library.standing import Standing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from rocch.library.candidate import About, Candidate
    from rocch.library.objects import Objects
    from rocch.library.record import Record
    from rocch.roc.hull import RocHull


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """Classifiers to be added at once, and what is said about them all."""

    candidates: Sequence[Candidate]
    ids_print: bytes | None
    about: About
    labels: tuple[Any, Any] | None = None
    different_rows: bool = False

    def __post_init__(self) -> None:
        as_flag(self.different_rows, "different_rows")
        twice = repeated(self.names)
        if twice:
            raise bad_input("names", "be distinct", f"{shown(twice)} more than once", "Rename one.")

    @property
    def names(self) -> list[str]:
        """Their names, in the order in which they came."""
        return [candidate.name for candidate in self.candidates]

    def offered(self, at: str) -> list[Holding]:
        """Return them as they would be kept."""
        return [
            offered(one, Ground(one.judged, self.ids_print), self.about, at)
            for one in self.candidates
        ]


def add(record: Record, objects: Objects, addition: Addition) -> Added:
    """Add classifiers; when it returns, all of it is on the disk."""
    at = now()
    new = addition.offered(at)
    with record.writing() as db:
        standing = Standing.read(db).labelled(addition.labels)
        standing = standing.judging(
            [one.ground for one in new], different_rows=addition.different_rows
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
    standing = standing.judging([n.ground for n in new], different_rows=addition.different_rows)
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
        raise bad_input(
            "names",
            "be new, unless the classifier is the very same",
            shown(taken),
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
