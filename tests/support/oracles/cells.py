"""Rows cut into cells, and all rows that the same cells could have come from."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple


class Cell(NamedTuple):
    """An interval of scores and what lies in it."""

    high: float
    low: float
    negatives: int
    positives: int


def cut(labels: Sequence[bool], scores: Sequence[float], cuts: Sequence[bool]) -> list[Cell]:
    """Cut rows, from the highest score on, below the i-th distinct score if `cuts[i]` says so."""
    distinct = sorted(set(scores), reverse=True)
    groups: list[list[float]] = [[]]
    for index, score in enumerate(distinct):
        groups[-1].append(score)
        if index + 1 < len(distinct) and cuts[index]:
            groups.append([])
    rows = list(zip(labels, scores, strict=True))
    return [
        Cell(
            max(group),
            min(group),
            sum(not label and score in group for label, score in rows),
            sum(label and score in group for label, score in rows),
        )
        for group in groups
    ]


def arrangements(cells: Sequence[Cell]) -> Iterator[tuple[list[bool], list[float]]]:
    """Yield labels and scores of all rows, up to their ranking, that have these cells."""
    for ties in product(*(list(_inside(cell)) for cell in cells)):
        labels: list[bool] = []
        scores: list[float] = []
        for rank, (negatives, positives) in enumerate(tie for cell in ties for tie in cell):
            labels += [False] * negatives + [True] * positives
            scores += [-float(rank)] * (negatives + positives)
        yield labels, scores


def _inside(cell: Cell) -> Iterator[list[tuple[int, int]]]:
    """Yield how a cell's rows may be tied, highest first: at one score, or at two or more."""
    whole = (cell.negatives, cell.positives)
    if cell.high == cell.low:
        yield [whole]
        return
    for ties in _ties(*whole):
        if len(ties) > 1:
            yield ties


def _ties(negatives: int, positives: int) -> Iterator[list[tuple[int, int]]]:
    if not negatives and not positives:
        yield []
    for n, p in product(range(negatives + 1), range(positives + 1)):
        if n or p:
            for rest in _ties(negatives - n, positives - p):
                yield [(n, p), *rest]


def tied_auc(cells: Sequence[Cell]) -> Fraction:
    """Return the AUC if each cell were one score, pair of cells by pair of cells."""
    won = Fraction(0)
    for i, one in enumerate(cells):
        won += Fraction(one.positives * one.negatives, 2)
        won += one.positives * sum(other.negatives for other in cells[i + 1 :])
    return won / _total(cells, "negatives") / _total(cells, "positives")


def tied_variance(cells: Sequence[Cell]) -> Fraction:
    """Return DeLong's variance if each cell were one score."""
    area = tied_auc(cells)
    n, m = _total(cells, "negatives"), _total(cells, "positives")
    total = Fraction(0)
    for i, cell in enumerate(cells):
        above = sum(other.positives for other in cells[:i]) + Fraction(cell.positives, 2)
        below = sum(other.negatives for other in cells[i + 1 :]) + Fraction(cell.negatives, 2)
        total += cell.negatives * (above / m - area) ** 2 / ((n - 1) * n)
        total += cell.positives * (below / n - area) ** 2 / ((m - 1) * m)
    return total


def fewest_points(cells: Sequence[Cell], resolution: Fraction) -> int:
    """Return the least number of cells that joining neighbors can lead to.

    Only cells are joined that are together at most `resolution` wide in both rates.
    """
    n, m = _total(cells, "negatives"), _total(cells, "positives")
    best = [0]
    for end in range(1, len(cells) + 1):
        ways = [best[end - 1] + 1]
        for start in range(end - 1):
            joined = cells[start:end]
            wide = (
                Fraction(_total(joined, "negatives"), n),
                Fraction(_total(joined, "positives"), m),
            )
            if max(wide) <= resolution:
                ways.append(best[start] + 1)
        best.append(min(ways))
    return best[-1]


def _total(cells: Sequence[Cell], what: str) -> int:
    return sum(int(getattr(cell, what)) for cell in cells)
