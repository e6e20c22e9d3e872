"""Areas from cells: exact where rankings are known, between proven bounds elsewhere."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.kernels.cells import Cells
from rocch.kernels.exact import at_least, at_most
from rocch.kernels.placements import (
    Bracket,
    auc_bracket,
    cells_to_split,
    unranked,
    unranked_pairs,
    variance_bracket,
)
from rocch.rows import ScoredRows
from rocch.stats.auc import auc_moments
from tests.support.cut_rows import Cut, as_cells, cut_rows, tiny_cells
from tests.support.oracles import auc_variance, curves
from tests.support.oracles import cells as oracle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

    from rocch.arrays import BoolArray, FloatArray


def random_cells(rng: np.random.Generator, size: int, most: int, *, wide: bool) -> Cells:
    low = -np.arange(size, dtype=float)
    high = low + (0.5 * rng.integers(0, 2, size) if wide else 0.0)
    return Cells(high, low, rng.integers(0, most, size) + 1, rng.integers(0, most, size))


def test_only_cells_of_both_classes_and_several_scores_are_unranked() -> None:
    cells = as_cells(
        [
            oracle.Cell(9, 8, 2, 0),
            oracle.Cell(7, 6, 0, 2),
            oracle.Cell(5, 5, 3, 3),
            oracle.Cell(4, 3, 2, 5),
        ]
    )
    assert unranked(cells).tolist() == [False, False, False, True]
    assert unranked_pairs(cells) == 10


@settings(max_examples=50)
@given(tiny_cells(7))
def test_bounds_hold_for_every_ranking_inside_the_cells(cells: list[oracle.Cell]) -> None:
    found = [
        (curves.auc(*rows), auc_variance.delong(*rows, rows[1]))
        for rows in oracle.arrangements(cells)
    ]
    aucs, variances = zip(*found, strict=True)
    area, variance = auc_bracket(as_cells(cells)), variance_bracket(as_cells(cells))
    assert (area.low, area.high) == (min(aucs), max(aucs))
    assert 0 <= variance.low <= min(variances)
    assert max(variances) <= variance.high
    if area.low == area.high:
        assert variance.low == variance.high == variances[0]


@settings(max_examples=50)
@given(cut_rows())
def test_the_truth_is_inside(cut: Cut) -> None:
    labels, scores, cells = cut
    area, variance = auc_bracket(as_cells(cells)), variance_bracket(as_cells(cells))
    assert area.low <= curves.auc(labels, scores) <= area.high
    assert variance.low <= auc_variance.delong(labels, scores, scores) <= variance.high
    assert (area.middle, variance.middle) == (oracle.tied_auc(cells), oracle.tied_variance(cells))
    assert 2 * area.middle == area.low + area.high


@settings(max_examples=50)
@given(cut_rows(), st.randoms(use_true_random=False))
def test_finer_cells_narrow_the_bracket(cut: Cut, random: Random) -> None:
    labels, scores, coarse = cut
    size = len(scores)
    edges = {cell.low for cell in coarse}
    distinct = sorted(set(scores), reverse=True)
    cuts = [score in edges or bool(random.getrandbits(1)) for score in distinct]
    fine = oracle.cut(labels, scores, cuts + [True] * size)
    outer, inner = auc_bracket(as_cells(coarse)), auc_bracket(as_cells(fine))
    assert outer.low <= inner.low <= inner.high <= outer.high


def test_every_score_on_its_own_gives_what_the_rows_give() -> None:
    rng = np.random.default_rng(0)
    y, scores = rng.random(5000) < 0.3, np.round(rng.normal(size=5000), 2)
    scores = np.where(y, scores + 1, scores)
    curve = rocch.RocCurve.from_scores(y, scores)
    assert curve.lowest_scores is not None
    steps = np.diff(curve.false_positives), np.diff(curve.true_positives)
    cells = Cells(curve.lowest_scores, curve.lowest_scores, *steps)
    moments = auc_moments(ScoredRows.of(y, {"scores": scores}))
    assert auc_bracket(cells) == (moments.aucs[0],) * 3
    assert variance_bracket(cells) == (moments.covariance[0][0],) * 3


@pytest.mark.parametrize("most", [10, 2**33, 10**12, 2**56])
def test_large_counts_do_not_overflow(most: int) -> None:
    rng = np.random.default_rng(1)
    cells = random_cells(rng, 40, most, wide=True)
    rows = [oracle.Cell(*row) for row in zip(*(column.tolist() for column in cells), strict=True)]
    area, variance = auc_bracket(cells), variance_bracket(cells)
    assert area.middle == oracle.tied_auc(rows)
    assert variance.middle == oracle.tied_variance(rows)
    loose = sum(r.negatives * r.positives for r in rows if r.high > r.low)
    pairs = int(cells.negatives.sum()) * int(cells.positives.sum())
    assert (area.high - area.low) * pairs == loose
    assert unranked_pairs(cells) == loose
    assert variance.low < variance.middle < variance.high


HALF = 2**61 - 1


@pytest.mark.parametrize(
    "counts",
    [
        [(HALF, 1), (1, HALF), (HALF, HALF)],
        [(1, HALF), (3, 1)],  # 3 x twice the total would not fit 64 bits
        [(1, 2**62 - 2), (3, 1)],
    ],
)
def test_totals_just_below_the_limit_are_counted(counts: list[tuple[int, int]]) -> None:
    rows = [oracle.Cell(-i, -i, *sides) for i, sides in enumerate(counts)]
    cells = as_cells(rows)
    assert auc_bracket(cells).middle == oracle.tied_auc(rows)
    assert variance_bracket(cells).middle == oracle.tied_variance(rows)


@pytest.mark.parametrize("shift", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("count", [20, 200])
def test_the_bracket_of_the_variance_is_reached_but_for_a_second_order_term(
    shift: float, count: int
) -> None:
    rng = np.random.default_rng(2)
    y = np.arange(40_000) % 2 == 0
    cells = bucketed(rng.normal(size=y.size) + shift * y, y, count)
    found = variance_bracket(cells)
    smallest, largest = sorted(variance_bracket(ranked).middle for ranked in extremes(cells))
    assert found.low <= smallest <= largest <= found.high
    room = (found.high - found.low) - (largest - smallest)
    most = Fraction(2, 20_000) / 4  # what a variance of so many rows can be at all
    assert room < 2 * most / count**2


def bucketed(scores: FloatArray, y: BoolArray, count: int) -> Cells:
    """Cut rows into cells of equally many."""
    order = np.array_split(np.argsort(-scores), count)
    return Cells(
        np.array([scores[rows].max() for rows in order]),
        np.array([scores[rows].min() for rows in order]),
        np.array([np.count_nonzero(~y[rows]) for rows in order]),
        np.array([np.count_nonzero(y[rows]) for rows in order]),
    )


def extremes(cells: Cells) -> Iterator[Cells]:
    """Rank one class above the other in every cell, so as to raise the variance, or lower it."""
    n, m = int(cells.negatives.sum()), int(cells.positives.sum())
    lost = (2 * np.cumsum(cells.positives) - cells.positives) / m
    won = (2 * (n - np.cumsum(cells.negatives)) + cells.negatives) / n
    area = float(auc_bracket(cells).middle)
    raising = (lost - 2 * area) / (n - 1) + (won - 2 * area) / (m - 1) > 0
    for positives_first in (raising, ~raising):
        rows: list[oracle.Cell] = []
        for first, k, p in zip(positives_first, cells.negatives, cells.positives, strict=True):
            halves = [(0, int(p)), (int(k), 0)]
            for half in halves if first else halves[::-1]:
                if any(half):
                    rows.append(oracle.Cell(-len(rows), -len(rows), *half))
        yield as_cells(rows)


def test_one_cell_says_nothing_but_what_always_holds() -> None:
    cells = as_cells([oracle.Cell(1, 0, 5, 3)])
    assert auc_bracket(cells) == Bracket(Fraction(0), Fraction(1, 2), Fraction(1))
    most = (Fraction(1, 4) + Fraction(1, 2)) / 4
    assert variance_bracket(cells) == Bracket(Fraction(0), Fraction(0), most)


def test_the_largest_cells_are_split_first() -> None:
    cells = as_cells(
        [
            oracle.Cell(9, 8, 10, 10),
            oracle.Cell(7, 7, 59, 59),
            oracle.Cell(6, 5, 20, 20),
            oracle.Cell(4, 3, 1, 1),
            oracle.Cell(2, 1, 10, 10),
        ]
    )
    # of 100 x 100 pairs, 601 are unranked; what is not split may keep half the width
    assert cells_to_split(cells, 0.0602).tolist() == []
    assert cells_to_split(cells, 0.06).tolist() == [2]
    assert cells_to_split(cells, 0.03).tolist() == [2, 4]
    assert cells_to_split(cells, 0.01).tolist() == [2, 4, 0]
    assert cells_to_split(cells, 0).tolist() == [2, 4, 0, 3]


@settings(max_examples=50)
@given(cut_rows(), st.floats(0, 1))
def test_splitting_them_into_scores_makes_the_bracket_narrow_enough(cut: Cut, width: float) -> None:
    labels, scores, coarse = cut
    cells = as_cells(coarse)
    named = cells_to_split(cells, width).tolist()
    chosen = [coarse[i] for i in named]
    pairs = [cell.negatives * cell.positives for cell in chosen]
    assert pairs == sorted(pairs, reverse=True)
    assert all(unranked(cells)[i] for i in named)
    edges = {cell.low for cell in coarse}
    cuts = [
        score in edges or any(cell.low <= score <= cell.high for cell in chosen)
        for score in sorted(set(scores), reverse=True)
    ]
    found = auc_bracket(as_cells(oracle.cut(labels, scores, cuts)))
    assert found.high - found.low <= Fraction(width)
    area = auc_bracket(cells)
    if not named and area.low < area.high:
        assert at_least(area.high) - at_most(area.low) <= width


def test_a_bracket_is_narrow_enough_only_if_it_is_so_when_rounded_outward() -> None:
    cells = as_cells([oracle.Cell(3, 3, 0, 2), oracle.Cell(2, 1, 2, 1), oracle.Cell(0, 0, 1, 0)])
    area = auc_bracket(cells)
    width = at_least(area.high - area.low)
    assert at_least(area.high) - at_most(area.low) > width
    assert cells_to_split(cells, width).tolist() == [1]
    assert cells_to_split(cells, width + 2**-50).tolist() == []


def test_cells_of_huge_counts_are_split_too() -> None:
    cells = random_cells(np.random.default_rng(3), 100, 10**12, wide=True)
    named = cells_to_split(cells, 1e-4)
    assert 0 < named.size <= int(unranked(cells).sum())
