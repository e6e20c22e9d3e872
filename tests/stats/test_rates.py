"""Binomial intervals against SciPy and their own definitions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

import rocch

if TYPE_CHECKING:
    from rocch.stats.bands import RateMethod

lib: Any = rocch
COUNTS = st.integers(1, 400).flatmap(lambda rows: st.tuples(st.integers(0, rows), st.just(rows)))
METHODS: tuple[RateMethod, ...] = ("clopper-pearson", "wilson")


@given(COUNTS, st.sampled_from(METHODS), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_intervals_are_scipys(
    counts: tuple[int, int], method: RateMethod, confidence: float
) -> None:
    count, rows = counts
    found = rocch.stats.rate_interval(count, rows, method=method, confidence=confidence)
    name = "exact" if method == "clopper-pearson" else "wilson"
    expected = binomtest(count, rows).proportion_ci(confidence, name)
    assert found == pytest.approx(tuple(expected), abs=1e-9)
    assert 0 <= found.low <= count / rows <= found.high <= 1


@pytest.mark.parametrize("method", METHODS)
def test_the_ends_are_exact_where_nothing_or_everything_was_hit(method: RateMethod) -> None:
    assert rocch.stats.rate_interval(0, 30, method=method).low == 0
    assert rocch.stats.rate_interval(30, 30, method=method).high == 1
    assert rocch.stats.rate_interval(0, 30, method=method).high > 0.05


def test_no_hit_in_n_is_the_rule_of_the_nth_root() -> None:
    assert rocch.stats.rate_interval(0, 30).high == pytest.approx(1 - 0.025 ** (1 / 30))


def test_effective_numbers_need_not_be_whole() -> None:
    for method in METHODS:
        below, between, above = (
            rocch.stats.rate_interval(count, 20.5, method=method) for count in (3, 3.5, 4)
        )
        assert below.low < between.low < above.low
        assert below.high < between.high < above.high


def coverage(method: RateMethod, rows: int, rate: float) -> float:
    """Return the chance that the interval holds the rate: a sum over all counts, no simulation."""
    held = 0.0
    for count in range(rows + 1):
        low, high = rocch.stats.rate_interval(count, rows, method=method)
        held += binom.pmf(count, rows, rate) * (low <= rate <= high)
    return held


def test_clopper_pearson_never_covers_less_and_wilson_about_as_often() -> None:
    rates = np.linspace(0.01, 0.99, 50).tolist()
    exact = [coverage("clopper-pearson", 25, rate) for rate in rates]
    wilson = [coverage("wilson", 25, rate) for rate in rates]
    assert min(exact) >= 0.95
    assert np.mean(wilson) == pytest.approx(0.95, abs=0.01)
    assert np.mean(exact) > np.mean(wilson)


def test_both_rates_of_a_point() -> None:
    y = [0] * 40 + [1] * 10
    curve = rocch.RocCurve.from_scores(y, list(range(35, 50)) + list(range(35)))
    point = curve.at(40)
    found = rocch.stats.point_intervals(curve, 40, method="wilson", confidence=0.9)
    assert found.fpr == rocch.stats.rate_interval(
        point.false_positives, 40, method="wilson", confidence=0.9
    )
    assert found.tpr == rocch.stats.rate_interval(
        point.true_positives, 10, method="wilson", confidence=0.9
    )
    assert rocch.stats.point_intervals(curve, point) == rocch.stats.point_intervals(curve, 40)


def test_a_vertex_of_a_hull_has_them_too() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [0.1, 0.4, 0.35, 0.8]})
    found = rocch.stats.point_intervals(hull, hull.vertices[1])
    assert found.fpr == rocch.stats.rate_interval(0, 2)
    assert found.tpr == rocch.stats.rate_interval(1, 2)


CURVE = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((1, 0), {}, "rows must be a finite number above 0; got 0"),
        ((1, -3), {}, "rows must be a finite number above 0"),
        ((5, 4), {}, "count must be a number from 0 to 4; got 5. Pass a count out of rows."),
        ((-1, 4), {}, "count must be a number from 0 to 4; got -1"),
        ((math.nan, 4), {}, "count must be a number from 0 to 4; got nan"),
        (("2", 4), {}, "count must be a number from 0 to 4; got '2'"),
        ((1, 4), {"method": "wald"}, "method must be one of 'clopper-pearson', 'wilson'"),
        ((1, 4), {"confidence": 95}, "confidence must be a number between 0 and 1"),
    ],
)
def test_bad_counts_are_refused(
    arguments: tuple[Any, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.stats.rate_interval(*arguments, **options)


def weighted() -> rocch.RocCurve:
    return rocch.RocCurve.from_scores([0, 1], [1, 2], sample_weight=[1, 0.5])


def allow_different_rows() -> rocch.RocHull:
    return rocch.RocHull.of(
        rocch.RocCurve.from_scores([0, 1], [1, 2], name="a"),
        rocch.RocCurve.from_scores([0, 0, 1], [1, 2, 3], name="b"),
        allow_different_rows=True,
    )


@pytest.mark.parametrize(
    ("judged", "at", "message"),
    [
        (0.5, 0.5, "curve must be a RocCurve or a RocHull; got an object of type float"),
        (weighted(), 2, "curve must be counted from plain rows, .*; got weighted rows"),
        (allow_different_rows(), 2, "curve must be .*; got rates from different rows"),
        (CURVE, "high", "threshold must be a number"),
        (rocch.RocHull.of(CURVE), 0.5, "at must be a point of the hull"),
        (
            CURVE,
            rocch.RocCurve.from_scores([0] * 9 + [1], list(range(10))).point(-1),
            "at must be a point of the same rows",
        ),
    ],
)
def test_points_without_known_rows_are_refused(judged: Any, at: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.stats.point_intervals(judged, at)


def test_labels_only_have_no_threshold() -> None:
    rules = rocch.RocCurve.from_labels([0, 0, 1, 1], [0, 1, 1, 1])
    with pytest.raises(rocch.UndefinedError, match="no threshold to move"):
        rocch.stats.point_intervals(rules, 0.5)
    assert rocch.stats.point_intervals(rules, rules.point(1)).tpr == rocch.stats.rate_interval(2, 2)


def test_a_point_of_other_rows_is_refused_and_an_operating_point_is_not() -> None:
    curve = rocch.RocCurve.from_scores([0] * 40 + [1] * 10, list(range(50)))
    other = rocch.RocCurve.from_scores([0, 0, 1], [1, 2, 3])
    with pytest.raises(rocch.InputError, match="point of the same rows"):
        rocch.stats.point_intervals(curve, other.at(2))
    known = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=1)
    best = rocch.RocHull.of(curve).best(known)
    assert rocch.stats.point_intervals(curve, best) == rocch.stats.point_intervals(
        curve, best.point
    )
