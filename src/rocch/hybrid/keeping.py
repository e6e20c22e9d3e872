"""Which models the hybrid keeps, and why it forgets the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import InfeasibleError
from rocch.hybrid.combining.combine import Combinations, find_combinations
from rocch.hybrid.combining.gain import ALL_SLOPES
from rocch.hybrid.combining.simplest import simplest_subset
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocch.arrays import BoolArray
    from rocch.hybrid.expression import Expression
    from rocch.hybrid.out_of_fold import OutOfFold
    from rocch.roc.conditions import Conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What the user wants kept: see the parameters of `RocchClassifier`."""

    within: Conditions | None = None
    row_budget: float | None = None
    row_costs: Mapping[str, float] = field(default_factory=dict)
    parsimonious: bool = False
    combine: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """The hull of what is kept, and the reasons for the rest.

    Attributes
    ----------
    judged
        The rows that the hull was judged on; fewer than at first if some had to find combinations.
    hull
        The hull of the kept models, and of combinations of them.
    names
        The models to keep.
    discarded
        Why each of the others goes.
    expressions
        When to alarm, for the names on the hull that are combinations.
    combinations
        All that was found, if combinations were sought.
    """

    judged: OutOfFold
    hull: RocHull
    names: tuple[str, ...]
    discarded: dict[str, str]
    expressions: dict[str, Expression]
    combinations: Combinations | None


def keep(judged: OutOfFold, wishes: Wishes) -> Kept:
    """Keep the fewest models that hold every vertex of the hull, alone or in combinations."""
    discarded: dict[str, str] = {}
    names = list(judged.scores)
    slopes = ALL_SLOPES
    if wishes.within is not None:
        slopes = wishes.within.resolved(judged.hull(names[:1]).judged).slope_range
    if wishes.parsimonious and len(names) > 1:
        names = _simplest(judged, names, slopes, wishes, discarded)
    combinations = None
    if wishes.combine and len(names) > 1:
        judged, combinations = _combined(judged, names, slopes, wishes)
        whole = combinations.hull
    else:
        names = _affordable(names, wishes, discarded)
        whole = judged.hull(names)
    hull = whole if wishes.within is None else whole.within(wishes.within)
    expressions = {c.words: c.expression for c in combinations.confirmed} if combinations else {}
    on_hull = cover(hull, wishes.row_costs)
    needed = {m for n in on_hull for m in (expressions[n].models if n in expressions else (n,))}
    for name in names:
        if name not in needed:
            discarded[name] = _why_not(name, whole, hull, on_hull)
    if on_hull:
        members = tuple(member for member in hull.members if member.name in on_hull)
        hull = RocHull(hull.judged, members, hull.slope_bounds)
    used = {name: part for name, part in expressions.items() if name in on_hull}
    order = tuple(name for name in judged.scores if name in needed)
    return Kept(judged, hull, order, discarded, used, combinations)


def cover(hull: RocHull, row_costs: Mapping[str, float]) -> frozenset[str]:
    """Return few names that hold every vertex between them, the cheaper of equals.

    First those that hold a vertex alone; then, as long as a vertex is left, whoever holds most of
    the rest.
    """
    left = [set(vertex.classifiers) for vertex in hull.vertices[1:-1]]
    chosen = {name for holders in left if len(holders) == 1 for name in holders}
    while left := [holders for holders in left if not holders & chosen]:
        held = {name: sum(name in h for h in left) for h in left for name in h}
        chosen.add(min(held, key=lambda name: (-held[name], row_costs.get(name, 0.0), name)))
    return frozenset(chosen)


def _simplest(
    judged: OutOfFold,
    names: list[str],
    slopes: tuple[float, float],
    wishes: Wishes,
    discarded: dict[str, str],
) -> list[str]:
    simple = simplest_subset(
        judged.positive,
        dict(judged.scores),
        sample_weight=judged.weights,
        slopes=slopes,
        costs=wishes.row_costs or None,
    )
    for name in names:
        if name not in simple:
            discarded[name] = "gains no more than one standard error at any slope"
    return [name for name in names if name in simple]


def _combined(
    judged: OutOfFold, names: list[str], slopes: tuple[float, float], wishes: Wishes
) -> tuple[OutOfFold, Combinations]:
    """Find combinations on some rows; return the others, and what they confirm."""
    finding = _finding_rows(judged)
    combinations = find_combinations(
        judged.positive,
        {name: judged.scores[name] for name in names},
        find=finding,
        sample_weight=judged.weights,
        costs={name: wishes.row_costs[name] for name in names} if wishes.row_costs else None,
        budget=wishes.row_budget,
        slopes=slopes,
    )
    return judged.part(~finding), combinations


def _finding_rows(judged: OutOfFold) -> BoolArray:
    """Return the rows of the first half of the splits, or of the rows, if there is one split only.

    Whole splits keep groups together; in time order the past finds and the later rows confirm.
    """
    splits = int(judged.folds.max()) + 1
    if splits > 1:
        return judged.folds < splits // 2
    finding = np.zeros(judged.rows.size, dtype=bool)
    for rows in (np.flatnonzero(judged.positive), np.flatnonzero(~judged.positive)):
        finding[rows[: rows.size // 2]] = True
    return finding


def _affordable(names: list[str], wishes: Wishes, discarded: dict[str, str]) -> list[str]:
    budget, costs = wishes.row_budget, wishes.row_costs
    if budget is None:
        return names
    for name in names:
        if costs[name] > budget:
            discarded[name] = f"costs {costs[name]:.3g} per row, above {budget:.3g}"
    cheap = [name for name in names if name not in discarded]
    if not cheap:
        least = min(names, key=lambda name: costs[name])
        raise InfeasibleError(
            f"no model runs within row_budget={budget:.3g}; the cheapest, {least!r}, costs "
            f"{costs[least]:.3g} per row. Raise the budget, or add a cheaper model."
        )
    return cheap


def _why_not(name: str, whole: RocHull, hull: RocHull, kept: Iterable[str]) -> str:
    places = [set(vertex.classifiers) for vertex in hull.vertices[1:-1]]
    if any(name in holders for holders in places):
        others = sorted(set().union(*(h for h in places if name in h)) & set(kept))
        return f"every vertex it holds is also held by {' or '.join(others)}"
    if any(name in vertex.classifiers for vertex in whole.vertices[1:-1]):
        return "holds a vertex only for conditions outside the bounds"
    if name not in {member.name for member in whole.members}:
        return "costs more per row than the budget, and no chain within it was confirmed"
    return "holds no vertex of the hull: never the best, whatever the conditions"
