"""Walks along resampled paths against rows that are really repeated, counted the ordinary way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch import RocCurve, RocHull
from rocch.kernels import _numba as compiled_resampling
from rocch.kernels import resampling
from rocch.kernels.resampling import (
    RankedRows,
    Walk,
    above_chords,
    corners,
    join_hulls,
    orders_of,
    path_of,
)
from tests.support.strategies import judged_rows

if TYPE_CHECKING:
    from types import ModuleType

    from rocch.arrays import BoolArray, FloatArray, IntArray

ENGINES = [resampling, compiled_resampling]


def sorted_once(y: BoolArray, scores: FloatArray) -> RankedRows:
    curve = RocCurve.from_scores(y, scores)
    return path_of(orders_of(scores, y), curve.false_positives, curve.true_positives)


def same(one: Walk, other: Walk) -> bool:
    flat = [(*walk[:2], *walk.vertices, walk.twice_area) for walk in (one, other)]
    return all(np.array_equal(a, b) for a, b in zip(*flat, strict=True))


@st.composite
def resampled(draw: st.DrawFn) -> tuple[BoolArray, FloatArray, IntArray]:
    """Draw labels, scores and multiplicities that leave both classes some rows."""
    labels, scores = draw(judged_rows())
    times = draw(st.lists(st.integers(0, 3), min_size=len(labels), max_size=len(labels)))
    y, rows = np.array(labels), np.array(times)
    for kind in (y, ~y):
        if not rows[kind].any():
            rows[np.flatnonzero(kind)[-1]] = 1
    return y, np.array(scores), rows


@pytest.mark.parametrize("engine", ENGINES)
@given(resampled())
def test_a_walk_equals_the_curve_and_hull_of_repeated_rows(
    engine: ModuleType, drawn: tuple[BoolArray, FloatArray, IntArray]
) -> None:
    y, scores, times = drawn
    walk = engine.walk(sorted_once(y, scores), times[~y], times[y])
    curve = RocCurve.from_scores(np.repeat(y, times), np.repeat(scores, times))
    hull = RocHull.of(curve)
    assert np.array_equal(walk.vertices[0], hull.false_positives)
    assert np.array_equal(walk.vertices[1], hull.true_positives)
    negatives, positives = walk.false_positives[-1], walk.true_positives[-1]
    assert (negatives, positives) == (curve.totals.negatives, curve.totals.positives)
    assert walk.twice_area / (2 * negatives * positives) == curve.auc


@given(resampled())
def test_both_engines_take_the_same_walk(drawn: tuple[BoolArray, FloatArray, IntArray]) -> None:
    y, scores, times = drawn
    one, other = (engine.walk(sorted_once(y, scores), times[~y], times[y]) for engine in ENGINES)
    assert same(one, other)


@pytest.mark.parametrize("decimals", [1, 8])
def test_both_engines_agree_on_many_rows(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    y = rng.random(20_000) < 0.2
    path = sorted_once(y, np.round(rng.normal(size=y.size) + y, decimals))
    for _ in range(5):
        draws = [rng.integers(0, size, size) for size in (int(np.sum(~y)), int(np.sum(y)))]
        counts = [[engine.tally(drawn, drawn.size) for drawn in draws] for engine in ENGINES]
        assert all(np.array_equal(a, b) for a, b in zip(*counts, strict=True))
        assert same(*(engine.walk(path, *counts[0]) for engine in ENGINES))


@pytest.mark.parametrize("engine", ENGINES)
def test_counts_whose_products_leave_64_bits_are_still_exact(engine: ModuleType) -> None:
    y = np.array([True, False, True, False])
    path = sorted_once(y, np.array([4.0, 3.0, 2.0, 1.0]))
    huge = 2**40
    walk = engine.walk(path, np.array([huge, 1]), np.array([1, huge]))
    assert walk.vertices[0].tolist() == [0, 0, huge, huge + 1]
    assert walk.vertices[1].tolist() == [0, 1, huge + 1, huge + 1]
    assert walk.twice_area == huge * 2 + 2 * (huge + 1)


def test_only_corners_are_read() -> None:
    y = np.array([True, True, True, False, False, True, False, False])
    curve = RocCurve.from_scores(y, np.arange(8.0)[::-1])
    assert corners(curve.false_positives, curve.true_positives).tolist() == [0, 3, 5, 6, 8]


def test_points_on_a_chord_between_knots_are_dropped_and_points_above_are_kept() -> None:
    x, y = np.array([0, 1, 2, 3, 4]), np.array([0, 1, 3, 3, 4])
    assert above_chords(x, y, np.array([0, 4])).tolist() == [True, False, True, False, True]


def test_a_joint_hull_says_who_holds_an_inner_vertex() -> None:
    steep = np.array([0, 0, 4]), np.array([0, 2, 4])
    late = np.array([0, 2, 4]), np.array([0, 4, 4])
    loser = np.array([0, 3, 4]), np.array([0, 3, 4])
    (x, y), held = join_hulls([steep, late, loser, late])
    assert x.tolist() == [0, 0, 2, 4]
    assert y.tolist() == [0, 2, 4, 4]
    assert held.tolist() == [True, True, False, True]


def test_one_hull_alone_holds_what_it_has() -> None:
    inner = np.array([0, 1, 4]), np.array([0, 3, 4])
    plain = np.array([0, 4]), np.array([0, 4])
    assert join_hulls([inner])[1].tolist() == [True]
    assert join_hulls([plain])[1].tolist() == [False]
