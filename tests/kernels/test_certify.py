"""Tests of limits on counts: exact chances, errors over all outcomes, and walks."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, multinomial

from rocch.kernels.certify import (
    TwoRates,
    chance_of_fewer,
    last_passing,
    least_passing,
    most_errors,
    rate_high,
    rate_low,
    rows_needed,
    walk,
)
from tests.support.oracles import limits as oracle


@pytest.mark.parametrize("rows", [1, 2, 7, 30])
@pytest.mark.parametrize("limit", [Fraction(1, 20), Fraction(1, 3), Fraction(9, 10)])
def test_chances_are_binomial_sums(rows: int, limit: Fraction) -> None:
    errors = np.arange(rows + 1)
    exact = [float(oracle.chance_of_at_most(k, rows, limit)) for k in errors.tolist()]
    assert chance_of_fewer(errors, rows, float(limit)) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("rows", [1, 5, 20, 59, 60])
@pytest.mark.parametrize("level", [Fraction(1, 20), Fraction(1, 100), Fraction(2, 5)])
def test_the_most_errors(rows: int, level: Fraction) -> None:
    for limit in (Fraction(1, 20), Fraction(1, 4), Fraction(3, 4)):
        exact = oracle.most_errors(rows, limit, level)
        assert most_errors(rows, float(limit), float(level)) == exact


def test_the_rows_that_are_needed() -> None:
    assert [rows_needed(0.05, 0.05 / models) for models in (1, 3, 10)] == [59, 80, 104]
    assert rows_needed(0, 0.05) == np.inf
    assert rows_needed(1, 0.05) == 0
    for limit, level in ((0.05, 0.05), (0.2, 0.01), (0.5, 0.25), (0.01, 0.001)):
        need = int(rows_needed(limit, level))
        assert most_errors(need, limit, level) >= 0
        assert most_errors(need - 1, limit, level) == -1


@given(st.integers(1, 400), st.data())
def test_bounds_invert_the_test(rows: int, data: st.DataObject) -> None:
    errors = np.array([data.draw(st.integers(0, rows))])
    level = data.draw(st.floats(1e-4, 0.4))
    high, low = rate_high(errors, rows, level), rate_low(rows - errors, rows, level)
    assert high == pytest.approx(1 - low)
    if errors[0] == rows:
        assert high[0] == 1
    else:
        assert chance_of_fewer(errors, rows, high) == pytest.approx(level, rel=1e-6)


TABLES = [
    (12, 9, 1.0, 1.0, 0.5),
    (30, 5, 1.0, 0.2, 0.3),
    (5, 40, 0.1, 2.0, 0.4),
    (25, 25, 1.0, 20.0, 3.0),
    (40, 18, 0.7, 0.3, 0.9),
    (17, 17, 1.0, 1.0, 1.7),
]


@pytest.mark.parametrize(("n", "m", "a", "b", "at_most"), TABLES)
@pytest.mark.parametrize("level", [0.1, 0.05, 0.005])
def test_two_rates_at_their_limit_pass_with_at_most_the_level(
    n: int, m: int, a: float, b: float, at_most: float, level: float
) -> None:
    x, y = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    passed = TwoRates(a, n, b, m, at_most).passes(x, y, level)
    low, high = max(0, (at_most - b) / a), min(1, at_most / a)
    for rate in np.linspace(low, high, 201):
        other = np.clip((at_most - a * rate) / b, 0, 1)
        chances = binom.pmf(x, n, rate) * binom.pmf(y, m, other)
        assert chances[passed].sum() <= level


@pytest.mark.parametrize("rows", [9, 25])
@pytest.mark.parametrize("ratio", [0.2, 1.4, 12.0])
@pytest.mark.parametrize("level", [0.1, 0.005])
def test_two_kinds_of_errors_among_the_same_rows_pass_with_at_most_the_level(
    rows: int, ratio: float, level: float
) -> None:
    """At the observed prevalence, false alarms and misses are counts of one multinomial."""
    x, y = np.meshgrid(np.arange(rows + 1), np.arange(rows + 1), indexing="ij")
    for at_most in (0.2 * max(1, ratio), 0.6 * max(1, ratio)):
        passed = TwoRates(1, rows, ratio, rows, at_most).passes(x, y, level) & (x + y <= rows)
        counts = np.stack([x[passed], y[passed], rows - x[passed] - y[passed]], axis=1)
        for rate in np.linspace(max(0, at_most - ratio), min(1, at_most), 41):
            other = (at_most - rate) / ratio
            if 0 <= other <= 1 - rate:
                law = [rate, other, max(0.0, 1 - rate - other)]
                assert multinomial.pmf(counts, rows, law).sum() <= level


@pytest.mark.parametrize(("n", "m", "a", "b", "at_most"), TABLES)
def test_fewer_errors_of_two_kinds_are_never_harder_to_certify(
    n: int, m: int, a: float, b: float, at_most: float
) -> None:
    x, y = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    passed = TwoRates(a, n, b, m, at_most).passes(x, y, 0.1).astype(int)
    assert (np.diff(passed, axis=0) <= 0).all()
    assert (np.diff(passed, axis=1) <= 0).all()


def test_two_rates_where_one_hardly_counts_pass_nearly_like_the_other_alone() -> None:
    x = np.arange(201)
    alone = most_errors(200, 0.1, 0.05)
    together = TwoRates(1.0, 200, 1e-6, 50, 0.1).passes(x, np.zeros(201), 0.05)
    assert alone - 1 <= np.flatnonzero(together)[-1] <= alone


def test_limits_on_two_rates_that_cannot_be_broken_or_kept() -> None:
    assert TwoRates(1, 5, 1, 5, 2).passes(np.array([5]), np.array([5]), 0.05).all()
    assert not TwoRates(1, 5, 1, 5, 0).passes(np.array([0]), np.array([0]), 0.05).any()


def first_failure(passed: Any) -> int:
    return int(np.argmin(np.append(passed, False)))


@given(st.integers(1, 300), st.integers(0, 2**32 - 1), st.floats(0.2, 0.9))
def test_a_walk_stops_before_the_first_failure(size: int, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    hit = np.sort(rng.random(size)) < share if seed % 2 else rng.random(size) < share
    tp, fp = np.cumsum(hit), np.cumsum(~hit)

    def passes(false_positives: Any, true_positives: Any) -> Any:
        return false_positives <= 3 + 0.8 * true_positives

    assert walk(passes, fp, tp) == first_failure(passes(fp, tp))
    assert walk(passes, fp[::-1], tp[::-1]) == first_failure(passes(fp, tp)[::-1])
    some = np.sort(rng.choice(size, size=min(size, 10), replace=False))
    unknown = walk(passes, fp[some], tp[some], known=False)
    if unknown:  # everything in between passes
        assert passes(
            fp[some[0] : some[unknown - 1] + 1], tp[some[0] : some[unknown - 1] + 1]
        ).all()
    assert unknown <= first_failure(passes(fp[some], tp[some]))


def test_walks_and_searches_through_nothing() -> None:
    nothing = np.zeros(0)
    assert walk(lambda fp, _: fp < 1, nothing, nothing) == 0
    assert last_passing(lambda fp, _: fp < 1, nothing, nothing) == 0


def test_the_last_that_passes() -> None:
    fp = np.arange(1000)
    for last in (0, 1, 517, 999, 1000):
        numbers = fp + (1000 - last)
        assert last_passing(lambda x, _: x < 1000, numbers, numbers) == last
    assert least_passing(lambda value: value >= 0.3, 0, 1) == pytest.approx(0.3)


def test_limits_that_no_sample_can_show_need_infinitely_many_rows() -> None:
    assert math.isinf(rows_needed(0.0, 0.05))
    assert math.isinf(rows_needed(5e-324, 0.05))
    assert math.isinf(rows_needed(math.nan, 0.05))
    assert rows_needed(1.0, 0.05) == 0
