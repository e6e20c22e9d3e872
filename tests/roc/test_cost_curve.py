"""Cost curves: the dual of the hull, against lines that are drawn and crossed one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch import Conditions, RocCurve, RocHull
from rocch.roc import CostCurve
from rocch.roc.views import cost_lines
from tests.support.oracles import cost_space
from tests.support.strategies import judged_table

XS = [Fraction(i, 24) for i in range(25)]


def curves_of(table: tuple[list[bool], dict[str, list[float]]]) -> list[RocCurve]:
    labels, scores = table
    return [RocCurve.from_scores(labels, column, name=name) for name, column in scores.items()]


def all_lines(curves: list[RocCurve]) -> list[cost_space.Line]:
    judged = curves[0].totals
    points = {
        point
        for curve in curves
        for point in zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True)
    }
    return sorted(cost_space.lines(points, judged.negatives, judged.positives))


def hull_lines(hull: RocHull) -> list[cost_space.Line]:
    n, p = hull.totals.negatives, hull.totals.positives
    counts = zip(hull.false_positives.tolist(), hull.true_positives.tolist(), strict=True)
    return [(Fraction(fp, n), Fraction(p - tp, p)) for fp, tp in counts]


@given(judged_table(), st.fractions(0, 1, max_denominator=1000))
def test_the_envelope_of_all_lines_is_the_hulls_least_cost(table: Any, drawn: Fraction) -> None:
    curves = curves_of(table)
    every, kept = all_lines(curves), hull_lines(RocHull.of(*curves))
    cost = CostCurve.of(*curves)
    for x in [*XS, drawn]:
        least = cost_space.lowest(every, x)
        assert least == cost_space.lowest(kept, x)
        assert cost.cost_at(float(x)) == pytest.approx(float(least), abs=1e-14)


@given(judged_table())
def test_breakpoints_are_the_segments_and_rounded_once(table: Any) -> None:
    curves = curves_of(table)
    every = all_lines(curves)
    cost = CostCurve.of(*curves)
    crossings = cost_space.breakpoints(every)
    assert cost.breakpoints.tolist() == [float(x) for x in crossings]
    assert len(cost.breakpoints) == len(cost.hull) - 1
    x, y = cost.knots
    assert x.tolist() == [0, *map(float, crossings), 1]
    assert y.tolist() == [0, *(float(cost_space.lowest(every, at)) for at in crossings), 0]


@given(judged_table())
def test_every_vertex_is_a_line_that_is_lowest_between_its_breakpoints(table: Any) -> None:
    cost = CostCurve.of(*curves_of(table))
    exact = hull_lines(cost.hull)
    assert [(line.fpr, line.fnr) for line in cost.lines] == [(float(a), float(b)) for a, b in exact]
    assert [line.point for line in cost.lines] == list(cost.hull.vertices)
    edges = [Fraction(0), *cost_space.breakpoints(exact), Fraction(1)]
    for i, (low, high) in enumerate(pairwise(edges)):
        middle = (low + high) / 2
        assert cost_space.height(exact[i], middle) == cost_space.lowest(exact, middle)
        if float(low) < float(middle) < float(high):
            assert cost.line_at(float(middle)) == cost.lines[i]


@given(judged_table())
def test_who_wins_where_is_what_the_hull_says(table: Any) -> None:
    cost = CostCurve.of(*curves_of(table))
    rows, slopes = cost.winning_ranges(), cost.hull.slope_ranges()[::-1]
    assert [row.classifier for row in rows] == [row.classifier for row in slopes]
    for row, slope in zip(rows, slopes, strict=True):
        assert (row.low, row.high) == pytest.approx((1 / (1 + slope.high), 1 / (1 + slope.low)))
    assert (rows[0].low, rows[-1].high) == (0, 1)
    assert all(left.high == right.low for left, right in pairwise(rows))
    for row in rows:
        middle = (row.low + row.high) / 2
        own = {**cost.members}.get(row.classifier)
        reached = own.cost_at(middle) if own else min(middle, 1 - middle)
        assert reached == pytest.approx(cost.cost_at(middle), abs=1e-14)


@given(judged_table(models=1))
def test_the_operating_range_is_where_it_beats_both_trivial_classifiers(table: Any) -> None:
    curves = curves_of(table)
    every = all_lines(curves)
    found = CostCurve.of(*curves).operating_range
    useful = [x for x in XS if cost_space.lowest(every, x) < min(x, 1 - x)]
    if found is None:
        assert not useful
        return
    assert useful == [x for x in XS if found.low < float(x) < found.high]
    assert (found.low, found.high) in {
        (float(a), float(b)) for a, b in product(cost_space.breakpoints(every), repeat=2)
    }


def costs() -> st.SearchStrategy[Fraction]:
    return st.fractions(Fraction(1, 8), 20, max_denominator=8)


@given(
    judged_table(),
    st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50),
    st.tuples(costs(), costs()),
    st.tuples(st.fractions(0, 3, max_denominator=4), st.fractions(0, 3, max_denominator=4)),
)
def test_cost_in_money_is_the_normalized_cost_scaled(
    table: Any, share: Fraction, errors: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]
) -> None:
    hull = RocHull.of(*curves_of(table))
    tp, tn = right
    fp, fn = errors[0] + tn, errors[1] + tp
    conditions = Conditions(
        prevalence=float(share),
        false_positive=float(fp),
        false_negative=float(fn),
        true_positive=float(tp),
        true_negative=float(tn),
    )
    at = rocch.roc.probability_cost(conditions)
    assert at.exact
    assert at.low == pytest.approx(float(cost_space.probability_cost(share, fp, fn, tp, tn)))
    scale = float(share * (fn - tp) + (1 - share) * (fp - tn))
    free = float(share * tp + (1 - share) * tn)
    normalized = CostCurve(hull).cost_at(at.low)
    assert hull.best(conditions).expected_cost == pytest.approx(free + scale * normalized)


def test_probability_cost_over_intervals_is_that_of_the_corners() -> None:
    box = {
        "prevalence": (0.125, 0.25),
        "false_positive": (2.0, 3.0),
        "false_negative": (5.0, 8.0),
        "true_positive": (1.0, 2.0),
        "true_negative": (0.5, 1.0),
    }
    names = ("prevalence", "false_positive", "false_negative", "true_positive", "true_negative")
    corners = [
        cost_space.probability_cost(*map(Fraction, corner))
        for corner in product(*(box[name] for name in names))
    ]
    at = rocch.roc.probability_cost(Conditions(**box))
    assert at.low == pytest.approx(float(min(corners)))
    assert at.high == pytest.approx(float(max(corners)))


def test_plain_prevalence_is_the_case_of_equal_costs() -> None:
    for share in (0.0, 1 / 6, 0.5, 1.0):
        even = Conditions(prevalence=share, false_positive=3, false_negative=3)
        assert rocch.roc.probability_cost(even) == (share, share)


def test_an_observed_prevalence_needs_a_hull() -> None:
    unknown = Conditions(prevalence="observed", false_positive=1, false_negative=1)
    with pytest.raises(rocch.InputError, match="only a hull can resolve"):
        rocch.roc.probability_cost(unknown)


def test_no_probability_cost_where_no_error_costs_anything() -> None:
    nothing = Conditions(prevalence=0, false_positive=0, false_negative=1)
    with pytest.raises(rocch.InputError, match="errors that cost nothing"):
        rocch.roc.probability_cost(nothing)


def test_a_perfect_classifier_runs_from_0_0_to_1_0() -> None:
    cost = CostCurve.of(RocCurve.from_scores([0, 0, 1], [1, 2, 3], name="perfect"))
    assert [(line.fpr, line.fnr) for line in cost.lines] == [(0, 1), (0, 0), (1, 0)]
    assert cost.operating_range == rocch.roc.Interval(0, 1)
    assert cost.cost_at(0.3) == 0
    assert cost.breakpoints.tolist() == [0, 1]


def test_one_that_knows_nothing_is_the_two_trivial_lines() -> None:
    cost = CostCurve.of(RocCurve.from_scores([0, 1, 0, 1], [1, 1, 1, 1], name="flat"))
    assert cost.breakpoints.tolist() == [0.5]
    assert cost.cost_at(0.5) == 0.5
    assert cost.operating_range is None
    assert [row.classifier for row in cost.winning_ranges()] == ["never", "always"]


def test_at_a_breakpoint_the_line_with_fewer_alarms_is_returned() -> None:
    cost = CostCurve.of(RocCurve.from_scores([0, 1, 0, 1], [1, 1, 1, 1], name="flat"))
    assert cost.line_at(0.5).point.classifier == "never"
    assert cost.line_at(math.nextafter(0.5, 1)).point.classifier == "always"


def test_every_point_of_a_curve_has_a_line() -> None:
    curve = RocCurve.from_scores([0, 0, 1, 1, 1], [1, 4, 2, 3, 5], name="nb")
    found = cost_lines(curve)
    assert [line.fpr for line in found] == curve.fpr.tolist()
    assert [line.fnr for line in found] == [1, 2 / 3, 2 / 3, 1 / 3, 0, 0]  # rounded once
    assert found[2].cost_at(0.25) == 0.75 * 0.5 + 0.25 * (2 / 3)


def test_a_classifier_that_labels_has_its_range_too() -> None:
    rules = RocCurve.from_counts([10], [40], negatives=100, positives=50, name="rules")
    cost = CostCurve.of(rules)
    # Against never: (1 - x) 0.1 + 0.2 x = x; against always: (1 - x) 0.1 + 0.2 x = 1 - x.
    assert cost.operating_range == rocch.roc.Interval(1 / 9, 9 / 11)
    assert [str(row) for row in cost.winning_ranges()] == [
        "[0, 0.1111] never",
        "[0.1111, 0.8182] rules",
        "[0.8182, 1] always",
    ]


def test_a_classifier_can_win_in_two_ranges() -> None:
    a = RocCurve.from_counts([1, 12], [8, 20], negatives=20, positives=20, name="a")
    b = RocCurve.from_counts([5], [16], negatives=20, positives=20, name="b")
    names = [row.classifier for row in CostCurve.of(a, b).winning_ranges()]
    assert names == ["never", "a", "b", "a"]


def test_counts_beyond_64_bits_stay_exact() -> None:
    n, p = 3**60, 5**45
    curve = RocCurve.from_counts([n // 7], [p - p // 11], negatives=n, positives=p, name="huge")
    cost = CostCurve.of(curve)
    every = sorted(cost_space.lines([(n // 7, p - p // 11)], n, p))
    assert cost.breakpoints.tolist() == [float(x) for x in cost_space.breakpoints(every)]


def test_weighted_rows_and_different_rows_are_fine() -> None:
    y, score = [0, 0, 1, 1], [1, 3, 2, 4]
    weighted = RocCurve.from_scores(y, score, sample_weight=[0.1, 0.3, 0.25, 0.75], name="w")
    cost = CostCurve.of(weighted)
    assert cost.lines[1].fnr == pytest.approx(0.25)
    other = RocCurve.from_scores([0, 1, 1], [1, 2, 3], name="o")
    joint = CostCurve.of(RocCurve.from_scores(y, score, name="s"), other, allow_different_rows=True)
    assert joint.cost_at(0.5) == 0
    assert set(joint.members) == {"s", "o"}


def test_arrays_are_read_only() -> None:
    cost = CostCurve.of(RocCurve.from_scores([0, 0, 1, 1], [1, 3, 2, 4], name="a"))
    for array in (cost.breakpoints, *cost.knots):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert repr(cost) == "<CostCurve of 1 classifier: 4 lines>"


def curve() -> RocCurve:
    return RocCurve.from_scores([0, 0, 1, 1], [1, 3, 2, 4], name="a")


@pytest.mark.parametrize("x", [-0.1, 1.1, np.nan, "half", None])
def test_probability_costs_lie_within_0_and_1(x: Any) -> None:
    cost = CostCurve.of(curve())
    for ask in (cost.cost_at, cost.line_at, cost.lines[0].cost_at):
        with pytest.raises(rocch.InputError, match="x must be a number from 0 to 1"):
            ask(x)


def test_a_restricted_hull_is_refused() -> None:
    some = Conditions(prevalence=0.5, false_positive=1, false_negative=(1, 2))
    with pytest.raises(
        rocch.InputError,
        match=r"must come from a whole hull; got one that was restricted.*Ask a hull without",
    ):
        CostCurve(RocHull.of(curve()).within(some))


def test_other_things_are_refused() -> None:
    anything: Any = curve()
    with pytest.raises(rocch.InputError, match=r"hull must be a RocHull.*Use CostCurve\.of"):
        CostCurve(anything)
    with pytest.raises(rocch.InputError, match="parts must be at least one curve"):
        CostCurve.of()
    anything = [0.5]
    with pytest.raises(rocch.InputError, match="part must be a RocCurve or a RocHull"):
        cost_lines(anything)
    with pytest.raises(rocch.InputError, match="conditions must be Conditions"):
        rocch.roc.probability_cost(anything)
