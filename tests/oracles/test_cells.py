"""The oracles of cells against small examples worked out by hand."""

from fractions import Fraction

from tests.support.oracles.auc_variance import delong
from tests.support.oracles.cells import (
    Cell,
    arrangements,
    cut,
    fewest_points,
    tied_auc,
    tied_variance,
)
from tests.support.oracles.curves import auc

LABELS = [False, True, False, True]
SCORES = [1.0, 2.0, 2.0, 3.0]


def test_rows_are_cut_below_the_scores_named() -> None:
    assert cut(LABELS, SCORES, [True, False]) == [Cell(3, 3, 0, 1), Cell(2, 1, 2, 1)]
    assert cut(LABELS, SCORES, [False, False]) == [Cell(3, 1, 2, 2)]


def test_every_ranking_of_a_cell_occurs_once() -> None:
    """Negative n and positive p: n first, or p first; but not tied, since there are two scores."""
    found = list(arrangements([Cell(2, 1, 1, 1)]))
    assert sorted(auc(*rows) for rows in found) == [0, 1]
    assert len(list(arrangements([Cell(2, 2, 1, 1)]))) == 1
    assert len(list(arrangements([Cell(2, 1, 2, 1)]))) == 7  # all ties of n, n and p but one


def test_tied_cells_are_rows_of_equal_scores() -> None:
    cells = cut(LABELS, SCORES, [True, True])
    assert tied_auc(cells) == auc(LABELS, SCORES)
    assert tied_variance(cells) == delong(LABELS, SCORES, SCORES)


def test_fewest_points_by_hand() -> None:
    cells = [Cell(-i, -i, 1, 1) for i in range(4)]
    assert [fewest_points(cells, Fraction(k, 4)) for k in (0, 1, 2, 3, 4)] == [4, 4, 2, 2, 1]
