"""Cells that scores are added to, and that are joined until few are left."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels.cells import Cells, add_scores, count_cells, fit_cells, merge_cells
from tests.support.cut_rows import Cut, as_cells, cut_rows
from tests.support.oracles import counted_cells
from tests.support.strategies import judged_rows

Rows = tuple[list[bool], list[float]]


def counted(rows: Rows) -> Cells:
    return count_cells(np.array(rows[1]), np.array(rows[0], dtype=bool))


def lists(cells: Cells) -> list[list[float]]:
    return [column.tolist() for column in cells]


@given(judged_rows())
def test_every_score_has_a_cell(rows: Rows) -> None:
    cells = counted(rows)
    edges = [(score, score) for score in sorted(set(rows[1]), reverse=True)]
    found = list(zip(*lists(cells), strict=True))
    assert found == counted_cells.counted(*rows, edges)


@given(cut_rows(), judged_rows())
def test_scores_are_added_as_cells_are_merged(cut: Cut, rows: Rows) -> None:
    cells, scores = as_cells(cut[2]), counted(rows)
    assert lists(add_scores(cells, scores)) == lists(merge_cells([cells, scores]))
    nothing = cells.take(slice(0))
    assert lists(add_scores(nothing, scores)) == lists(scores)
    assert lists(add_scores(cells, nothing)) == lists(cells)


@given(cut_rows(), st.integers(1, 20), st.data())
def test_neighbors_are_joined_and_nothing_is_lost(cut: Cut, most: int, data: st.DataObject) -> None:
    cells = as_cells(cut[2])
    gaps = range(cells.low.size - 1)
    few = st.lists(st.sampled_from(gaps), max_size=most - 1, unique=True) if gaps else st.just([])
    apart = np.isin(gaps, data.draw(few))
    fitted = fit_cells(cells, most, apart)
    assert fitted.low.size == min(most, cells.low.size)
    assert set(cells.low[:-1][apart]) <= set(fitted.low)
    edges = zip(fitted.high.tolist(), fitted.low.tolist(), strict=True)
    expected = counted_cells.counted(cut[0], cut[1], list(edges))
    assert list(zip(*lists(fitted), strict=True)) == expected


def test_shares_of_both_classes_are_about_equal_whatever_the_scale() -> None:
    rng = np.random.default_rng(0)
    positive = rng.random(50_000) < 0.01
    scores = rng.normal(size=positive.size) + positive
    for scale in (scores, np.sinh(np.sinh(scores)), 1 / (1 + np.exp(-scores))):
        fitted = fit_cells(count_cells(scale, positive), 512)
        for counts in fitted[2:]:
            assert counts.max() / counts.sum() < 4 / 512


def test_powers_of_two_separate_first() -> None:
    """All rows weigh the same, so the smallest nodes are joined: here those of two scores."""
    scores = np.array([math.inf, 8.0, 4.0, 2.2, 2.1, 1.0, 0.0, -1.0, -1.1, -4.0, -math.inf])
    cells = count_cells(np.repeat(scores, 10), np.arange(scores.size * 10) % 2 == 0)
    fitted = zip(*lists(fit_cells(cells, 8)), strict=True)
    joined = [(high, low) for high, low, *_ in fitted if high > low]
    assert joined == [(2.2, 2.1), (1.0, 0.0), (-1.0, -1.1)]
