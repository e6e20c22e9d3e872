"""Cells by definition: intervals of scores, counted one by one, and all orders that they allow."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from .curves import auc

Cell = tuple[float, float, int, int]


def counted(
    labels: Sequence[bool], scores: Sequence[float], edges: Sequence[tuple[float, float]]
) -> list[Cell]:
    """Count the rows of each interval (high, low), and refuse to lose any row.

    The interval's ends must be scores that occur, as a cell's least and greatest score are.
    """
    rows = list(zip(labels, scores, strict=True))
    found = []
    for high, low in edges:
        inside = [(label, score) for label, score in rows if low <= score <= high]
        if max(score for _, score in inside) != high or min(score for _, score in inside) != low:
            raise ValueError(f"no row scores {high} or {low}")
        hits = sum(label for label, _ in inside)
        found.append((high, low, len(inside) - hits, hits))
    if sum(negatives + positives for _, _, negatives, positives in found) != len(rows):
        raise ValueError("rows outside all cells, or in two of them")
    return found


def areas_allowed(cells: Sequence[Cell]) -> set[Fraction]:
    """Return every AUC that rows with these cells can have: each cell's rows in each order.

    Only for a handful of rows. Scores inside a cell may tie in any way; strict orders already
    reach the extremes, so ties are left out, except in cells of one score, where all tie.
    """
    orders = [_orders(cell) for cell in cells]
    found = set()
    for chosen in _products(orders):
        labels = [label for order in chosen for label, _ in order]
        ranks = [-(1000 * place + rank) for place, order in enumerate(chosen) for _, rank in order]
        found.add(auc(labels, ranks))
    return found


def _orders(cell: Cell) -> list[tuple[tuple[bool, int], ...]]:
    high, low, negatives, positives = cell
    size = negatives + positives
    if high == low:
        return [tuple((rank < positives, 0) for rank in range(size))]
    places = combinations(range(size), positives)
    return [tuple((rank in chosen, rank) for rank in range(size)) for chosen in places]


def _products(
    orders: list[list[tuple[tuple[bool, int], ...]]],
) -> list[list[tuple[tuple[bool, int], ...]]]:
    found: list[list[tuple[tuple[bool, int], ...]]] = [[]]
    for choices in orders:
        found = [[*before, choice] for before in found for choice in choices]
    return found
