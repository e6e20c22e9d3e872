"""Thinned cells are the fewest that are close enough, and lose no row."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocch.kernels.cells import Cells, thin_cells, too_coarse
from tests.support.cut_rows import Cut, as_cells, cut_rows, tiny_cells
from tests.support.oracles import cells as oracle

RESOLUTIONS = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 1.0]) | st.floats(0, 1)


def rows(cells: Cells) -> list[oracle.Cell]:
    return [oracle.Cell(*row) for row in zip(*(c.tolist() for c in cells), strict=True)]


@settings(max_examples=50)
@given(tiny_cells(16) | cut_rows().map(lambda cut: cut[2]), RESOLUTIONS)
def test_no_fewer_cells_would_do(cells: list[oracle.Cell], resolution: float) -> None:
    assert thin_cells(as_cells(cells), resolution).low.size == oracle.fewest_points(
        cells, Fraction(resolution)
    )


@settings(max_examples=50)
@given(cut_rows(), RESOLUTIONS)
def test_what_is_joined_is_narrow_and_complete(cut: Cut, resolution: float) -> None:
    before, after = cut[2], rows(thin_cells(as_cells(cut[2]), resolution))
    n, m = sum(cell.negatives for cell in before), sum(cell.positives for cell in before)
    start = 0
    for cell in after:
        end = next(i for i in range(start, len(before)) if before[i].low == cell.low) + 1
        parts = before[start:end]
        assert cell.high == parts[0].high
        assert cell[2:] == tuple(sum(part[side] for part in parts) for side in (2, 3))
        if len(parts) > 1:
            assert Fraction(cell.negatives, n) <= Fraction(resolution)
            assert Fraction(cell.positives, m) <= Fraction(resolution)
        start = end
    assert start == len(before)


def test_counts_decide_and_not_rates() -> None:
    """In doubles 0.1 is a little more than a tenth, and 0.3 a little less than three tenths."""
    cells = as_cells([oracle.Cell(-i, -i, 1, 1) for i in range(10)])
    assert rows(thin_cells(cells, 0.1)) == rows(cells)
    assert thin_cells(cells, 0.3).negatives.tolist() == [2, 2, 2, 2, 2]
    assert thin_cells(cells, 0.31).negatives.tolist() == [3, 3, 3, 1]


def test_cells_that_must_be_split_first() -> None:
    cells = as_cells(
        [
            oracle.Cell(9, 8, 5, 1),
            oracle.Cell(7, 6, 1, 5),
            oracle.Cell(5, 5, 9, 9),
            oracle.Cell(4, 3, 2, 2),
            oracle.Cell(2, 2, 3, 3),
        ]
    )
    assert too_coarse(cells, 0.2).tolist() == [True, True, False, False, False]
    assert too_coarse(cells, 0.25).tolist() == [False] * 5
    assert too_coarse(cells, 0).tolist() == [True, True, False, True, False]


@pytest.mark.parametrize("resolution", [0.0, 1e-3, 1.0])
def test_huge_counts_do_not_overflow(resolution: float) -> None:
    rng = np.random.default_rng(0)
    low = -np.arange(1000.0)
    cells = Cells(low, low, *rng.integers(1, 2**51, (2, 1000)))
    found = thin_cells(cells, resolution)
    assert found.negatives.sum() == cells.negatives.sum()
    assert found.low.size == {0.0: 1000, 1.0: 1}.get(resolution, found.low.size)
    assert found.low[-1] == cells.low[-1]
