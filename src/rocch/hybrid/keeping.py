"""Which models the hybrid keeps, and why it forgets the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rocch.errors import InfeasibleError
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocch.hybrid.out_of_fold import OutOfFold
    from rocch.roc.conditions import Conditions


class Kept(NamedTuple):
    """The hull of the models that are kept, their names, and the reasons for the others."""

    hull: RocHull
    names: tuple[str, ...]
    discarded: dict[str, str]


def keep(
    judged: OutOfFold,
    *,
    within: Conditions | None,
    row_budget: float | None,
    row_costs: Mapping[str, float],
) -> Kept:
    """Keep the fewest models that hold every vertex of the hull."""
    discarded: dict[str, str] = {}
    names = _affordable(judged.scores, row_budget, row_costs, discarded)
    whole = judged.hull(names)
    hull = whole if within is None else whole.within(within)
    needed = cover(hull, row_costs)
    for name in names:
        if name not in needed:
            discarded[name] = _why_not(name, whole, hull, needed)
    if needed:
        members = tuple(member for member in hull.members if member.name in needed)
        hull = RocHull(hull.judged, members, hull.slope_bounds)
    return Kept(hull, tuple(name for name in names if name in needed), discarded)


def cover(hull: RocHull, row_costs: Mapping[str, float]) -> frozenset[str]:
    """Return few models that hold every vertex between them, the cheaper of equals.

    First those that hold a vertex alone; then, as long as a vertex is left, whoever holds most of
    the rest.
    """
    left = [set(vertex.classifiers) for vertex in hull.vertices[1:-1]]
    chosen = {name for holders in left if len(holders) == 1 for name in holders}
    while left := [holders for holders in left if not holders & chosen]:
        held = {name: sum(name in h for h in left) for h in left for name in h}
        chosen.add(min(held, key=lambda name: (-held[name], row_costs.get(name, 0.0), name)))
    return frozenset(chosen)


def _affordable(
    names: Iterable[str],
    row_budget: float | None,
    row_costs: Mapping[str, float],
    discarded: dict[str, str],
) -> list[str]:
    names = list(names)
    if row_budget is None:
        return names
    for name in names:
        if row_costs[name] > row_budget:
            discarded[name] = f"costs {row_costs[name]:.3g} per row, above {row_budget:.3g}"
    cheap = [name for name in names if name not in discarded]
    if not cheap:
        least = min(names, key=lambda name: row_costs[name])
        raise InfeasibleError(
            f"no model runs within row_budget={row_budget:.3g}; the cheapest, {least!r}, costs "
            f"{row_costs[least]:.3g} per row. Raise the budget, or add a cheaper model."
        )
    return cheap


def _why_not(name: str, whole: RocHull, hull: RocHull, needed: Iterable[str]) -> str:
    places = [set(vertex.classifiers) for vertex in hull.vertices[1:-1]]
    if any(name in holders for holders in places):
        others = sorted(set().union(*(h for h in places if name in h)) & set(needed))
        return f"every vertex it holds is also held by {_listed(others)}"
    if any(name in vertex.classifiers for vertex in whole.vertices[1:-1]):
        return "holds a vertex only for conditions outside the bounds"
    return "holds no vertex of the hull: never the best, whatever the conditions"


def _listed(names: Sequence[str]) -> str:
    return " or ".join(names)
