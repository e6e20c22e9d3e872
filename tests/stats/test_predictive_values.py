"""PPV and NPV at a cut-off, at the rows' prevalence and at a stated one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import rocch
from tests.support.oracles.predictive import predictive_value

lib: Any = rocch
Y = [0] * 40 + [1] * 20
S = [*range(40), *range(30, 50)]
CURVE = rocch.RocCurve.from_scores(Y, S)  # at 35: 5 false and 15 true positives


def test_at_the_prevalence_of_the_rows_shares_are_counted() -> None:
    found = rocch.stats.predictive_values(CURVE, 35, confidence=0.9)
    assert (found.ppv, found.npv) == (15 / 20, 35 / 40)
    assert found.ppv_interval == pytest.approx(tuple(binomtest(15, 20).proportion_ci(0.9)))
    assert found.npv_interval == pytest.approx(tuple(binomtest(35, 40).proportion_ci(0.9)))
    assert (found.prevalence, found.confidence) == (1 / 3, 0.9)


@pytest.mark.parametrize("prevalence", [0.01, 1 / 3, 0.9])
def test_at_a_stated_prevalence_they_follow_bayes(prevalence: float) -> None:
    found = rocch.stats.predictive_values(CURVE, 35, prevalence=prevalence)
    share = Fraction(prevalence)
    ppv = predictive_value(Fraction(15, 20), Fraction(5, 40), share)
    npv = predictive_value(Fraction(35, 40), Fraction(5, 20), 1 - share)
    assert (found.ppv, found.npv) == pytest.approx((float(ppv), float(npv)))
    for value, interval in ((found.ppv, found.ppv_interval), (found.npv, found.npv_interval)):
        assert value is not None
        assert 0 < interval.low < value < interval.high < 1
    assert found.prevalence == prevalence


def test_a_point_of_a_hull_will_do() -> None:
    hull = rocch.RocHull.from_scores(Y, {"s": S})
    point = hull.vertices[1]
    found = rocch.stats.predictive_values(hull, point)
    right, wrong = point.true_positives, point.false_positives
    assert found.ppv == right / (right + wrong)


def test_without_predictions_there_is_no_value() -> None:
    nothing = rocch.stats.predictive_values(CURVE, 99)
    assert (nothing.ppv, nothing.ppv_interval) == (None, (0, 1))
    assert nothing.npv == 40 / 60
    assert str(nothing).startswith("PPV undefined, NPV 0.667 (95% interval 0.5")
    everything = rocch.stats.predictive_values(CURVE, 0, prevalence=0.1)
    assert (everything.npv, everything.npv_interval) == (None, (0, 1))
    assert everything.ppv == pytest.approx(0.1)


def test_results_say_what_they_are() -> None:
    found = rocch.stats.predictive_values(CURVE, 35, prevalence=0.05)
    low, high = found.ppv_interval
    assert str(found).startswith(f"PPV 0.240 (95% interval {low:.3f} to {high:.3f}), NPV 0.985")
    assert str(found).endswith("at prevalence 0.05")
    assert found.to_frame()["ppv_low"].tolist() == [low]


def test_intervals_hold_in_random_samples() -> None:
    """The rows are a random sample, so that their prevalence varies too."""
    rng = np.random.default_rng(4)
    held = np.zeros(3)
    times = 300
    ppv, npv = predictive_value(0.8, 0.3, 0.25), predictive_value(0.7, 0.2, 0.75)
    elsewhere = predictive_value(0.8, 0.3, 0.02)
    for _ in range(times):
        y = rng.random(120) < 0.25
        alarm = rng.random(120) < np.where(y, 0.8, 0.3)
        curve = rocch.RocCurve.from_scores(y, alarm.astype(float))
        found = rocch.stats.predictive_values(curve, 1)
        stated = rocch.stats.predictive_values(curve, 1, prevalence=0.02)
        for k, (interval, truth) in enumerate(
            ((found.ppv_interval, ppv), (found.npv_interval, npv), (stated.ppv_interval, elsewhere))
        ):
            held[k] += interval.low <= truth <= interval.high
    assert (held / times > 0.93).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prevalence": 0}, "prevalence must be a number between 0 and 1"),
        ({"prevalence": 5}, "prevalence must be a number between 0 and 1"),
        ({"confidence": 95}, "confidence must be a number between 0 and 1"),
    ],
)
def test_bad_input_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.stats.predictive_values(CURVE, 35, **options)


def test_weighted_rows_are_refused() -> None:
    curve = rocch.RocCurve.from_scores(Y, S, sample_weight=np.linspace(1, 2, 60))
    with pytest.raises(rocch.InputError, match="curve must be counted from plain rows"):
        rocch.stats.predictive_values(curve, 35)
