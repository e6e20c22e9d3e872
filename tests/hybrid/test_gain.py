from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.hybrid import Gain
from rocch.hybrid.gain import as_slopes, gains, strongest_gain
from rocch.hybrid.gain import prediction_hull as hull_of
from rocch.rows import ScoredRows
from tests.support.oracles import combining as oracle

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

SIZE = 10


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[list[bool], list[list[bool]], list[list[bool]], list[int]]:
    """Draw labels with at least two rows of each class, decisions of two sides, and weights."""
    labels = draw(st.permutations([True, True, False, False]))
    labels += draw(st.lists(st.booleans(), min_size=SIZE - 4, max_size=SIZE - 4))
    alarms = st.lists(st.booleans(), min_size=SIZE, max_size=SIZE)
    sides = [draw(st.lists(alarms, max_size=4)) for _ in range(2)]
    weights = draw(st.lists(st.integers(1, 3), min_size=SIZE, max_size=SIZE))
    return labels, sides[0], sides[1], weights


def matrix(decisions: list[list[bool]], rows: int = SIZE) -> Any:
    return np.array(decisions, dtype=bool).reshape(len(decisions), rows)


def sample_of(labels: list[bool], weights: list[int] | None = None) -> ScoredRows:
    mass: FloatArray | None = None if weights is None else np.array(weights, dtype=float)
    return ScoredRows(np.array(labels), {}, mass)


@pytest.mark.parametrize("weighted", [False, True])
def test_gains_and_their_errors_are_those_of_the_oracle(weighted: bool) -> None:
    @given(two_sides())
    def check(drawn: tuple[list[bool], list[list[bool]], list[list[bool]], list[int]]) -> None:
        labels, ours, theirs, weights = drawn
        sample = sample_of(labels, weights if weighted else None)
        got = gains(sample, hull_of(sample, matrix(ours)), hull_of(sample, matrix(theirs)))
        expected = oracle.gains(labels, ours, theirs, weights if weighted else [1] * SIZE)
        assert [g.slope for g in got] == [
            math.inf if slope is None else pytest.approx(float(slope)) for slope, *_ in expected
        ]
        assert [g.gain for g in got] == pytest.approx([float(g) for _, g, _ in expected])
        assert [g.standard_error for g in got] == pytest.approx(
            [math.sqrt(v) for *_, v in expected]
        )

    check()


def test_a_row_without_weight_is_no_row() -> None:
    labels = [True, True, False, False, False]
    ours, theirs = [[True, False, False, False, False]], [[True, True, True, False, True]]
    with_it = sample_of(labels, [1, 1, 1, 1, 0])
    without = sample_of(labels[:-1])
    found = []
    for sample in (with_it, without):
        hulls = [
            hull_of(sample, matrix([side[0][: len(sample)]], len(sample)))
            for side in (ours, theirs)
        ]
        found.append(gains(sample, hulls[0], hulls[1]))
    assert found[0] == found[1]


def test_gains_are_given_within_bounds_only() -> None:
    labels = [True] * 4 + [False] * 4
    better = [[True, True, True, False, False, False, False, False]]
    sample = sample_of(labels)
    ours, theirs = hull_of(sample, matrix(better, 8)), hull_of(sample, matrix([], 8))
    found = gains(sample, ours, theirs, (0.5, 2.0))
    assert [g.slope for g in found] == [0.5, 1.0, 1.0, 2.0]
    # at slope 1 the best of theirs is never (or always), which costs 1/2; ours costs 1/8
    assert found[1].gain == found[2].gain == pytest.approx(3 / 8)


def test_at_one_slope_alone_the_left_ends_are_compared() -> None:
    labels = [True] * 4 + [False] * 4
    sample = sample_of(labels)
    trivial = hull_of(sample, matrix([], 8))
    ours = hull_of(sample, matrix([[True, True, True, False, False, False, False, False]], 8))
    (found,) = gains(sample, ours, trivial, (1.0, 1.0))
    never = [False] * 8
    expected, squared = oracle.gain(
        labels, ours.predictions[1].tolist(), never, Fraction(1), [1] * 8
    )
    assert (found.gain, found.standard_error) == pytest.approx((expected, math.sqrt(squared)))


def test_one_lone_row_is_never_more_than_one_standard_error() -> None:
    labels = [True] * 50 + [False] * 30
    theirs = matrix([[True] * 20 + [False] * 60], 80)
    ours = theirs.copy()
    ours[0, 20] = True
    sample = sample_of(labels)
    found = gains(sample, hull_of(sample, ours), hull_of(sample, theirs))
    assert max(g.gain for g in found) > 0
    assert not any(g.exceeds(1) for g in found)
    assert any(g.exceeds(0.5) for g in found)


def test_the_strongest_gain_is_the_surest_and_positive() -> None:
    weak, sure = Gain(1.0, 0.5, 0.49), Gain(2.0, 0.3, 0.1)
    assert strongest_gain([weak, sure, Gain(3.0, 0.0, 0.0)], 1) is sure
    assert strongest_gain([weak, sure], 0) is weak
    assert strongest_gain([Gain(3.0, 0.0, 0.0), Gain(1.0, -1.0, 0.0)], 1) is None
    assert str(sure) == "0.3 +- 0.1 at slope 2"


def test_a_class_with_one_row_has_no_standard_error() -> None:
    sample = sample_of([True, False, False])
    hull = hull_of(sample, matrix([[True, False, False]], 3))
    with pytest.raises(rocch.UndefinedError, match="at least two rows of each class"):
        gains(sample, hull, hull)


@pytest.mark.parametrize("slopes", [(2, 1), (-1, 1), (0,), 3, "ab", (0, math.nan), None, (0, "1")])
def test_bad_slopes_are_refused(slopes: Any) -> None:
    with pytest.raises(rocch.InputError, match=r"slopes must be a pair \(low, high\)"):
        as_slopes(slopes)


def test_rows_count_predictions_in_whole_units_of_weight() -> None:
    rows = ScoredRows(np.array([True, True, False]), {}, np.array([0.5, 0.25, 1.5]))
    units, unit = rows.units
    assert units is not None
    assert (units * unit).tolist() == [0.5, 0.25, 1.5]
    false, true = rows.count(np.array([True, False, True]))
    assert (rows.amount(false), rows.amount(true)) == (1.5, 0.5)
    assert [rows.amount(total) for total in rows.totals] == [1.5, 0.75]
    assert rows.fold_numbers.tolist() == [0, 0, 0]
    assert ScoredRows(rows.positive, {}).totals == (1, 2)
