"""One choice for each group, with rates close to each other, at the least total cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray

# Rates that differ from the width of a window by less count as inside: rounding errors.
ROUNDING = 1e-12

# Costs that differ by less count as equal.
SAME_COST = 1e-12

# Cells of the grid that bounds costs, along each axis (fewer for few choices), and how often it
# zooms in.
CELLS, ZOOMS = 640, 6

# The search of boxes stops zooming where the rest is not smaller by this factor.
SMALLER = 0.6

# How many left edges of boxes are tried to begin with, and before the search stops with a gap.
FIRST_EDGES, MOST_EDGES = 16, 600

# Rates, and costs at them: of one group's choices.
Choices: TypeAlias = tuple[FloatArray, FloatArray]


def cheapest_window(groups: Sequence[Choices], width: float) -> tuple[IntArray, float] | None:
    """Return one choice for each group whose rates differ by at most `width`, at the least cost.

    Places of the choices and their total cost; None if there is no such window. A best window may
    begin at a rate of some group, so all of these are tried: O(g n log n) for n choices in all.
    """
    ordered = [_cheapest_by_rate(*group) for group in groups]
    lows = np.unique(np.concatenate([rates for rates, _, _ in ordered]))
    total = np.zeros(lows.size)
    for rates, costs, _ in ordered:
        total += _range_minima(costs, *_window(rates, lows, width))
    best = int(np.argmin(total))
    if np.isinf(total[best]):
        return None
    places = []
    for rates, costs, place in ordered:
        start, stop = (int(end[0]) for end in _window(rates, lows[best : best + 1], width))
        places.append(int(place[start + np.argmin(costs[start:stop])]))
    return np.array(places), float(total[best])


def least_width(groups: Sequence[FloatArray]) -> float:
    """Return the least width of a window that holds a rate of each group; O(g n log n)."""
    ordered = [np.unique(rates) for rates in groups]
    lows = np.unique(np.concatenate(ordered))
    highest = np.full(lows.size, -np.inf)
    for rates in ordered:
        places = np.searchsorted(rates, lows)
        found = np.append(rates, np.inf)[places]
        highest = np.maximum(highest, found)
    return float(np.min(highest - lows))


def _cheapest_by_rate(
    rates: FloatArray, costs: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the distinct rates, ascending, with their least cost and its place."""
    order = np.lexsort((costs, rates))
    first = np.ones(rates.size, dtype=bool)
    first[1:] = np.diff(rates[order]) > 0
    place = order[first]
    return rates[place], costs[place], place


def _window(rates: FloatArray, low: FloatArray, width: float) -> tuple[IntArray, IntArray]:
    """Return which of ascending rates lie in windows."""
    start = np.searchsorted(rates, low - ROUNDING)
    return start, np.searchsorted(rates, low + width + ROUNDING, side="right")


def _range_minima(values: FloatArray, start: IntArray, stop: IntArray) -> FloatArray:
    """Return the least of values[start:stop] for each pair; infinite where there is none."""
    sizes = stop - start
    level = np.frexp(np.maximum(sizes, 1))[1] - 1  # two overlapping powers of 2 cover a range
    found = np.full(start.size, np.inf)
    table = values
    for power in range(int(level.max(initial=0)) + 1):
        own = (level == power) & (sizes > 0)
        left, right = table[start[own]], table[stop[own] - (1 << power)]
        found[own] = np.minimum(left, right)
        if 1 << power < table.size:
            table = np.minimum(table[: -(1 << power)], table[1 << power :])
    return found


# Two rates: a box of the width, given by its lower left corner. Whatever box holds one choice of
# each group can be moved right and up until its left edge is at some FPR and its lower edge at
# some TPR. All of these are too many pairs, so a grid of corners is bounded first: the boxes of a
# cell lie in a larger box, whose cheapest choices bound their cost from below. What cannot beat
# the best box so far is left out, the grid zooms in on the rest, and what remains is walked through
# from the most promising left edge on; with its left edge, a box is a window.


class BoxChoices(NamedTuple):
    """The choices of one group."""

    fpr: FloatArray
    tpr: FloatArray
    cost: FloatArray


class BestBox(NamedTuple):
    """The places of the choices, their total cost, and a bound that no other box falls below."""

    places: IntArray | None
    cost: float
    bound: float


class _Bounds(NamedTuple):
    """Lower bounds on the cost for the cells of corners."""

    costs: FloatArray
    left: FloatArray  # of the cells, one more than there are
    lower: FloatArray


def cheapest_box(
    groups: Sequence[BoxChoices], width: float, *, most_edges: int = MOST_EDGES
) -> BestBox:
    """Return one choice for each group such that both rates differ by at most `width`.

    The cost is the least one, or within `cost - bound` of it if more than `most_edges` left edges
    may still hold a better box. O(g n) for each zoom, and O(g n log n) for each edge.
    """
    ordered = [_by_cost(group) for group in groups]
    best = BestBox(None, np.inf, -np.inf)
    corners = [(0.0, 1.0), (0.0, 1.0)]
    for zoom in range(ZOOMS):
        bounds = _bound(ordered, width, corners)
        best = _try(ordered, bounds, width, best, 4 if zoom else FIRST_EDGES)
        row, column = np.nonzero(bounds.costs < best.cost - SAME_COST)
        if not row.size:
            return best._replace(bound=best.cost)
        closer = [
            (float(edges[places.min()]), float(edges[places.max() + 1]))
            for edges, places in ((bounds.left, row), (bounds.lower, column))
        ]
        before, now = (np.prod([high - low for low, high in each]) for each in (corners, closer))
        corners = closer
        if now > SMALLER * before:
            break
    return _walk(ordered, _bound(ordered, width, corners), width, best, most_edges)


def _by_cost(group: BoxChoices) -> tuple[BoxChoices, IntArray]:
    """Return choices from the most expensive to the cheapest, and their places."""
    place = np.argsort(-group.cost, kind="stable")
    return BoxChoices(*(column[place] for column in group)), place


def _bound(
    groups: Sequence[tuple[BoxChoices, IntArray]],
    width: float,
    corners: Sequence[tuple[float, float]],
) -> _Bounds:
    edges: list[FloatArray] = []
    steps, reach = [], []
    cells_each = min(CELLS, 8 + sum(choices.cost.size for choices, _ in groups))
    for low, high in corners:
        step = max(high - low + width, ROUNDING) / cells_each
        count = max(1, int(np.ceil((high - low) / step - ROUNDING)))
        edges.append(np.array(low + step * np.arange(count + 1), dtype=float))
        steps.append(step)
        reach.append(int((width + ROUNDING) / step) + 2)
    sizes = [edge.size - 1 + more for edge, more in zip(edges, reach, strict=True)]
    total = np.zeros([edge.size - 1 for edge in edges])
    for choices, _ in groups:
        cells = [
            np.floor((rates - edge[0]) / step + ROUNDING).astype(np.int64)
            for rates, edge, step in zip(choices[:2], edges, steps, strict=True)
        ]
        inside = np.all([(c >= 0) & (c < s) for c, s in zip(cells, sizes, strict=True)], axis=0)
        least = np.full(sizes, np.inf)
        # of several choices in one cell the last, which is the cheapest, remains
        least[cells[0][inside], cells[1][inside]] = choices.cost[inside]
        for axis, more in enumerate(reach):
            least = _forward_minima(least, more, axis)
        total += least[: total.shape[0], : total.shape[1]]
    return _Bounds(total, edges[0], edges[1])


def _forward_minima(values: FloatArray, reach: int, axis: int) -> FloatArray:
    """Return the least of each value and those after it, `reach` in all, as far as there are."""
    table = np.moveaxis(values, axis, 0)
    size = 1
    while size < reach:
        shift = min(size, reach - size)
        table = np.concatenate((np.minimum(table[:-shift], table[shift:]), table[-shift:]))
        size += shift
    return np.moveaxis(table, 0, axis)


def _try(
    groups: Sequence[tuple[BoxChoices, IntArray]],
    bounds: _Bounds,
    width: float,
    best: BestBox,
    count: int,
) -> BestBox:
    """Try a few left edges: the first ones of the best cells, spread evenly, and of both ends."""
    least = bounds.costs.min(axis=1)
    parts = np.array_split(np.arange(least.size), min(count, least.size))
    strips = {0, least.size - 1} | {int(part[np.argmin(least[part])]) for part in parts}
    for strip in sorted(strips, key=lambda place: float(least[place])):
        edges = _left_edges(groups, bounds, strip)
        for edge in {float(edges[0]), float(edges[-1])} if edges.size else ():
            best = _better(groups, bounds, strip, edge, width, best)
    return best


def _walk(
    groups: Sequence[tuple[BoxChoices, IntArray]],
    bounds: _Bounds,
    width: float,
    best: BestBox,
    most_edges: int,
) -> BestBox:
    least = bounds.costs.min(axis=1)
    order = np.argsort(least, kind="stable")
    tried = 0
    for strip in order:
        if least[strip] >= best.cost - SAME_COST:
            break
        if tried >= most_edges:
            return best._replace(bound=float(least[strip]))
        for edge in _left_edges(groups, bounds, strip):
            best = _better(groups, bounds, strip, float(edge), width, best)
            tried += 1
    return best._replace(bound=best.cost)


def _left_edges(
    groups: Sequence[tuple[BoxChoices, IntArray]], bounds: _Bounds, strip: int
) -> FloatArray:
    low, high = bounds.left[strip : strip + 2]
    rates = (choices.fpr for choices, _ in groups)
    slack = ROUNDING * (1 + high - low)
    return np.unique(np.concatenate([r[(r >= low - slack) & (r <= high + slack)] for r in rates]))


def _better(
    groups: Sequence[tuple[BoxChoices, IntArray]],
    bounds: _Bounds,
    strip: int,
    left: float,
    width: float,
    best: BestBox,
) -> BestBox:
    """Return the best box with a left edge, if it is better than the best so far."""
    active = np.flatnonzero(bounds.costs[strip] < best.cost - SAME_COST)
    if not active.size:
        return best
    low = bounds.lower[active[0]] - ROUNDING
    high = bounds.lower[active[-1] + 1] + width + 2 * ROUNDING
    inside = list(_inside(groups, (left, left + width), (low, high)))
    if not all(places.size for places in inside):
        return best
    windows = [
        (choices.tpr[places], choices.cost[places])
        for (choices, _), places in zip(groups, inside, strict=True)
    ]
    found = cheapest_window(windows, width)
    if found is None or found[1] >= best.cost - SAME_COST:
        return best
    chosen = [
        place[places[one]] for (_, place), places, one in zip(groups, inside, found[0], strict=True)
    ]
    return BestBox(np.array(chosen), found[1], best.bound)


def _inside(
    groups: Sequence[tuple[BoxChoices, IntArray]],
    fpr: tuple[float, float],
    tpr: tuple[float, float],
) -> Iterator[IntArray]:
    for choices, _ in groups:
        within: BoolArray = (choices.fpr >= fpr[0] - ROUNDING) & (choices.fpr <= fpr[1] + ROUNDING)
        within &= (choices.tpr >= tpr[0]) & (choices.tpr <= tpr[1])
        yield np.flatnonzero(within)
