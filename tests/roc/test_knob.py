"""The knob runs along the hull, strictly, and both rates follow it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.roc import Knob
from rocch.roc.knob import positions, reach
from tests.support.strategies import judged_table

POSITION = st.floats(0, 1)


def exact_positions(hull: rocch.RocHull) -> list[Fraction]:
    n, p = 2 * hull.totals.negatives, 2 * hull.totals.positives
    counts = zip(hull.false_positives.tolist(), hull.true_positives.tolist(), strict=True)
    return [Fraction(fp, n) + Fraction(tp, p) for fp, tp in counts]


def hull_of(table: tuple[list[bool], dict[str, list[float]]]) -> rocch.RocHull:
    return rocch.RocHull.from_scores(*table)


@given(judged_table())
def test_positions_rise_strictly_from_0_to_1(table: Any) -> None:
    hull = hull_of(table)
    places = positions(hull)
    assert places[0] == 0
    assert places[-1] == 1
    assert (np.diff(places) > 0).all()
    np.testing.assert_allclose(places, [float(t) for t in exact_positions(hull)], rtol=1e-15)


@given(judged_table(), POSITION)
def test_without_a_coin_it_is_the_nearest_vertex(table: Any, position: float) -> None:
    hull = hull_of(table)
    answer = Knob(position).on(hull)
    distance = [abs(float(t) - position) for t in exact_positions(hull)]
    assert not answer.randomized
    assert answer.point in hull.vertices
    assert answer.value == pytest.approx(min(distance), abs=1e-15)
    assert answer.randomizing_gains == answer.value


@given(judged_table(), POSITION)
def test_with_a_coin_it_is_the_exact_point_of_theorem_7(table: Any, position: float) -> None:
    hull = hull_of(table)
    answer = Knob(position).on(hull, randomize=True)
    assert (answer.fpr + answer.tpr) / 2 == pytest.approx(position, abs=1e-12)
    assert sum(share for share, _ in answer.mix) == pytest.approx(1)
    for rate in ("fpr", "tpr"):
        mixed = sum(share * getattr(vertex, rate) for share, vertex in answer.mix)
        assert mixed == pytest.approx(getattr(answer, rate), abs=1e-12)
    assert answer.tpr == pytest.approx(hull.tpr_at(answer.fpr), abs=1e-9) or answer.fpr == 0
    if answer.randomized:
        left, right = (hull.vertices.index(vertex) for _, vertex in answer.mix)
        assert right == left + 1


@given(judged_table(), POSITION, POSITION, st.booleans())
def test_turning_right_lowers_neither_rate(table: Any, a: float, b: float, coin: bool) -> None:
    hull = hull_of(table)
    left, right = (Knob(t).on(hull, randomize=coin) for t in sorted((a, b)))
    assert right.fpr >= left.fpr - 1e-12
    assert right.tpr >= left.tpr - 1e-12
    if coin:
        moved = (right.fpr - left.fpr + right.tpr - left.tpr) / 2
        assert moved == pytest.approx(abs(a - b), abs=1e-12)


def test_it_moves_on_vertical_and_horizontal_segments() -> None:
    perfect = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 2, 3, 4]})
    up, across = (Knob(t).on(perfect, randomize=True) for t in (0.25, 0.75))
    assert (up.fpr, up.tpr) == (0.0, 0.5)
    assert (across.fpr, across.tpr) == (0.5, 1.0)
    assert [share for share, _ in up.mix] == [0.5, 0.5]
    assert Knob(0.25).on(perfect).rule() == "never alarm"  # of two equally near ones the left


@given(judged_table())
def test_of_and_on_are_inverse_at_vertices(table: Any) -> None:
    hull = hull_of(table)
    for vertex in hull:
        for randomize in (False, True):
            answer = Knob.of(vertex).on(hull, randomize=randomize)
            assert answer.point == vertex
            assert Knob.of(answer) == Knob.of(vertex)


@given(judged_table(), st.integers(0, 50), st.integers(1, 50), st.integers(0, 10))
def test_cost_is_convex_in_the_position(table: Any, miss: int, alarm: int, tenths: int) -> None:
    hull = hull_of(table)
    p = Fraction(tenths, 10)
    negatives, positives = hull.totals.negatives, hull.totals.positives
    cost = [
        (1 - p) * alarm * Fraction(fp, negatives) + p * miss * (1 - Fraction(tp, positives))
        for fp, tp in zip(hull.false_positives.tolist(), hull.true_positives.tolist(), strict=True)
    ]
    at = exact_positions(hull)
    rises = [(cost[i + 1] - cost[i]) / (at[i + 1] - at[i]) for i in range(len(at) - 1)]
    assert rises == sorted(rises)


@given(judged_table(), st.floats(0.05, 20), st.floats(1, 10), POSITION)
def test_a_restricted_hull_agrees_within_its_reach(
    table: Any, low: float, times: float, position: float
) -> None:
    hull = hull_of(table)
    bounds = rocch.Conditions(prevalence=0.5, false_positive=(low, low * times), false_negative=1)
    small = hull.within(bounds)
    least, most = reach(small)
    inside = least + position * (most - least)
    inside = min(max(inside, least), most)
    for randomize in (False, True):
        own, whole = (Knob(inside).on(h, randomize=randomize) for h in (small, hull))
        assert (own.fpr, own.tpr) == pytest.approx((whole.fpr, whole.tpr), abs=1e-12)
    if not least <= position <= most:
        with pytest.raises(rocch.InputError, match="restricted to bounds on conditions"):
            Knob(position).on(small)


@given(judged_table(), POSITION, st.floats(-1, 1).filter(bool), st.booleans())
def test_a_neighbor_lies_truly_beside(
    table: Any, position: float, by: float, randomize: bool
) -> None:
    hull = hull_of(table)
    knob = Knob.of(Knob(position).on(hull, randomize=randomize))
    beside = knob.neighbor(hull, by, randomize=randomize)
    end = knob.position == (1 if by > 0 else 0)
    if randomize:
        aim = min(max(knob.position + by, 0), 1)
        assert beside == (None if aim == knob.position else Knob(aim))
        return
    assert (beside is None) == end
    if beside is not None:
        others = [k for k in map(Knob.of, hull) if k != knob and (k > knob) == (by > 0)]
        assert (beside > knob) == (by > 0)
        least = min(abs(other.position - knob.position - by) for other in others)
        assert abs(beside.position - knob.position - by) == pytest.approx(least)


def test_turning_stops_at_the_ends() -> None:
    assert Knob(0.25).turned(0.5) == Knob(0.75)
    assert Knob(0.25).turned(-0.5) == Knob(0)
    assert Knob(0.75).turned(7) == Knob(1)
    assert Knob(0.2) < Knob(0.3)


@pytest.mark.parametrize("position", [-0.1, 1.1, float("nan"), float("inf"), "0.5", None, True])
def test_positions_outside_0_to_1_are_refused(position: Any) -> None:
    with pytest.raises(rocch.InputError, match="position must be a number from 0 to 1"):
        Knob(position)


def test_other_bad_input_is_refused() -> None:
    anything: Any = "hull"
    with pytest.raises(rocch.InputError, match=r"hull must be a RocHull; got .* type str"):
        Knob(0.5).on(anything)
    with pytest.raises(rocch.InputError, match="point must be an OperatingPoint or a RocPoint"):
        Knob.of(anything)
    with pytest.raises(rocch.InputError, match="by must be a finite number"):
        Knob(0.5).turned(float("inf"))
