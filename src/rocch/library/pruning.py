"""Keeping fewer classifiers than the hull would."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import bad_input, shown
from rocch.hybrid.model_selection import cover
from rocch.library.adding import leave
from rocch.library.files_kept import forget
from rocch.library.history import enter, now
from rocch.library.holdings import held, hull_of, store_points
from rocch.library.standing import Standing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from rocch.library.holdings import Holding
    from rocch.library.objects import Objects
    from rocch.library.record import Record
    from rocch.roc.conditions import Conditions


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
        raise bad_input(
            "names",
            "be those of classifiers that are kept",
            shown(sorted(unknown)),
            f"There are: {shown([holding.name for holding in holdings]) or 'none'}.",
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
