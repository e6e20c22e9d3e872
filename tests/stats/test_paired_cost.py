"""Intervals of costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.roc.conditions import Case
from rocch.roc.rate_intervals import cost_interval
from rocch.rows import ScoredRows

CASE = Case(0.25, 2.0, 8.0, 1.0, 0.5)
"""Prevalence 1/4, all four outcomes cost something."""


def sample_of(positives: int, negatives: int, groups: Any = None) -> ScoredRows:
    y = np.arange(positives + negatives) < positives
    return ScoredRows.of(y, {"a": np.zeros(y.size)}, groups=groups)


def test_cost_is_that_of_the_rates_and_the_interval_joins_those_of_rates() -> None:
    sample = sample_of(40, 60)
    alarms = np.concatenate((np.arange(40) < 30, np.arange(60) < 6)).astype(float)
    cost, interval = cost_interval(sample, alarms, CASE, 0.95)
    assert cost == pytest.approx(CASE.cost(0.1, 0.75))
    fpr = rocch.stats.rate_interval(6, 60)
    tpr = rocch.stats.rate_interval(30, 40)
    below = np.hypot(0.75 * 1.5 * (0.1 - fpr.low), 0.25 * 7 * (tpr.high - 0.75))
    above = np.hypot(0.75 * 1.5 * (fpr.high - 0.1), 0.25 * 7 * (0.75 - tpr.low))
    assert interval == pytest.approx((cost - below, cost + above))


def test_no_error_at_all_leaves_doubt() -> None:
    sample = sample_of(20, 30)
    alarms = sample.positive.astype(float)
    cost, interval = cost_interval(sample, alarms, CASE, 0.95)
    assert interval.low == cost == CASE.cost(0, 1)
    assert interval.high > cost + 0.1


def test_doubled_rows_in_clusters_widen_the_interval_to_that_of_single_ones() -> None:
    single = sample_of(40, 60)
    alarms = np.concatenate((np.arange(40) < 30, np.arange(60) < 6)).astype(float)
    doubled = ScoredRows(
        np.repeat(single.positive, 2),
        {"a": np.zeros(200)},
        groups=np.repeat(np.arange(100), 2),
    )
    cost, wide = cost_interval(doubled, np.repeat(alarms, 2), CASE, 0.95)
    expected = cost_interval(single, alarms, CASE, 0.95)
    assert cost == pytest.approx(expected[0])
    assert wide == pytest.approx(expected[1])
