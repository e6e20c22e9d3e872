"""Sums of placements add up, whatever parts the rows were summed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocch.kernels.cells import Cells
from rocch.kernels.placements import (
    PlacementSums,
    auc_from_sums,
    sums_if_tied,
    sums_inside,
    unranked,
    variance_from_sums,
)
from tests.support.cut_rows import Cut, as_cells, cut_rows
from tests.support.oracles import auc_variance, curves
from tests.support.oracles import cells as oracle

if TYPE_CHECKING:
    from random import Random


def expected(labels: list[bool], scores: list[float]) -> PlacementSums:
    """Add up twice the placements of every row, by definition."""
    n, m = labels.count(False), labels.count(True)
    lost, won = auc_variance.placements(labels, scores)
    return PlacementSums(
        int(sum(2 * n * each for each in won)),
        int(sum((2 * m * each) ** 2 for each in lost)),
        int(sum((2 * n * each) ** 2 for each in won)),
    )


def inside(cut: Cut, which: list[int]) -> Cells:
    """Return the single scores of some cells."""
    labels, scores, rows = cut
    cells = as_cells(oracle.cut(labels, scores, [True] * len(scores)))
    chosen = [rows[i] for i in which]
    return cells.take(np.array([any(c.low <= s <= c.high for c in chosen) for s in cells.low]))


@settings(max_examples=100)
@given(cut_rows(), st.randoms(use_true_random=False))
def test_rows_may_be_summed_in_any_parts(cut: Cut, random: Random) -> None:
    labels, scores, rows = cut
    cells = as_cells(rows)
    total = sums_if_tied(cells, np.flatnonzero(~unranked(cells)))
    loose = np.flatnonzero(unranked(cells)).tolist()
    random.shuffle(loose)
    middle = random.randint(0, len(loose))
    for lot in (sorted(loose[:middle]), sorted(loose[middle:])):
        which = np.array(lot, dtype=np.int64)
        total = total.plus(sums_inside(cells, which, inside(cut, lot)))
    assert total == expected(labels, scores)
    size = labels.count(False), labels.count(True)
    assert auc_from_sums(total, *size) == curves.auc(labels, scores)
    assert variance_from_sums(total, *size) == auc_variance.delong(labels, scores, scores)


@given(cut_rows())
def test_cells_that_are_ranked_may_be_looked_into_all_the_same(cut: Cut) -> None:
    labels, scores, rows = cut
    everything = list(range(len(rows)))
    found = sums_inside(as_cells(rows), np.arange(len(rows)), inside(cut, everything))
    assert found == expected(labels, scores)


@pytest.mark.parametrize("most", [10, 2**33, 10**12, 2**56])
def test_large_counts_do_not_overflow(most: int) -> None:
    rng = np.random.default_rng(1)
    low = -np.arange(40.0)
    cells = Cells(low, low, rng.integers(0, most, 40), rng.integers(0, most, 40))
    n, p = cells.negatives.tolist(), cells.positives.tolist()
    lost = [2 * sum(p[:i]) + p[i] for i in range(40)]
    won = [2 * sum(n[i + 1 :]) + n[i] for i in range(40)]
    assert sums_if_tied(cells) == (
        sum(x * y for x, y in zip(p, won, strict=True)),
        sum(x * y**2 for x, y in zip(n, lost, strict=True)),
        sum(x * y**2 for x, y in zip(p, won, strict=True)),
    )
