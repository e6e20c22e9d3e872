"""Partial AUCs: intervals, what they cover, and tests of differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.stats import norm

import rocch

lib: Any = rocch  # so that mypy lets the tests pass what users should not
PARTS: list[dict[str, Any]] = [
    {"fpr": (0, 0.1)},
    {"fpr": (0.1, 0.4), "standardized": True},
    {"tpr": (0.8, 1)},
    {"tpr": (0.9, 1), "standardized": True},
]


def draw(
    rng: np.random.Generator, positives: int, negatives: int, shift: float = 1.0
) -> tuple[Any, Any]:
    y = np.arange(positives + negatives) < positives
    return y, rng.normal(size=y.size) + shift * y


Y, S = draw(np.random.default_rng(1), 40, 60)


def partial_aucs_of_draws(y: Any, s: Any, part: Any, **options: Any) -> Any:
    """Count each replicate's curve from the rows that it draws."""

    def partial_auc(replicate: rocch.stats.Replicate) -> float:
        times = replicate.multiplicities
        curve = rocch.RocCurve.from_scores(np.repeat(y, times), np.repeat(s, times))
        return curve.partial_auc(**part)

    return np.array(rocch.stats.bootstrap(y, {"s": s}, **options).map(partial_auc))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("digits", [0, 9])
def test_errors_and_percentiles_are_those_of_the_rows_drawn(part: Any, digits: int) -> None:
    s = np.round(S, digits)
    options: Any = {"replicates": 60, "random_state": 3}
    found = rocch.stats.partial_auc_interval(Y, s, **part, method="percentile", **options)
    values = partial_aucs_of_draws(Y, s, part, **options)
    assert found.value == pytest.approx(rocch.RocCurve.from_scores(Y, s).partial_auc(**part))
    assert found.standard_error == pytest.approx(values.std(ddof=1))
    assert found.interval == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_groups_are_drawn_whole() -> None:
    y, s, groups = np.tile(Y, 3), np.tile(S, 3), np.tile(np.arange(100), 3)
    options: Any = {"groups": groups, "replicates": 60}
    found = rocch.stats.partial_auc_interval(y, s, fpr=(0, 0.2), **options)
    assert found.groups == 100
    values = partial_aucs_of_draws(y, s, {"fpr": (0, 0.2)}, **options)
    assert found.standard_error == pytest.approx(values.std(ddof=1))
    rows = rocch.stats.partial_auc_interval(y, s, fpr=(0, 0.2), replicates=60)
    assert rows.standard_error < 0.8 * found.standard_error


@pytest.mark.parametrize("part", PARTS)
def test_intervals_hold_the_value_stay_within_bounds_and_nest(part: Any) -> None:
    ends = [
        rocch.stats.partial_auc_interval(Y, S, **part, confidence=level, replicates=200)
        for level in (0.8, 0.99)
    ]
    narrow, wide = (each.interval for each in ends)
    perfect = rocch.RocCurve.from_scores(Y, Y * 1.0).partial_auc(**part)
    assert wide.low < narrow.low < ends[0].value < narrow.high < wide.high <= perfect
    assert wide.low >= 0


def test_standardizing_rescales_the_interval() -> None:
    plain, scaled = (
        rocch.stats.partial_auc_interval(Y, S, fpr=(0, 0.1), standardized=each, replicates=50)
        for each in (False, True)
    )
    for one, other in zip(
        (plain.value, *plain.interval), (scaled.value, *scaled.interval), strict=True
    ):
        assert other == pytest.approx((1 + (one - 0.005) / (0.1 - 0.005)) / 2)


def test_a_perfect_ranking_of_few_rows_has_an_interval_with_a_width() -> None:
    y = np.arange(20) < 10
    for part in ({"fpr": (0, 0.2)}, {"tpr": (0.5, 1)}):
        found = rocch.stats.partial_auc_interval(y, y * 1.0, **part, replicates=50)
        width = 0.2 if "fpr" in part else 0.5
        assert found.value == found.interval.high == pytest.approx(width)
        assert found.interval.low < 0.7 * width


def test_with_few_negatives_in_the_range_the_interval_still_covers_the_truth() -> None:
    """Two negatives are within the range; percentiles cover the truth in 83% of samples."""
    rng = np.random.default_rng(7)
    grid = np.linspace(0, 0.1, 2001)
    truth = float(trapezoid(norm.sf(norm.isf(grid) - 1), grid))
    held = {"wilson": 0, "percentile": 0}
    for number in range(150):
        y, s = draw(rng, 20, 20)
        for method in held:
            low, high = lib.stats.partial_auc_interval(
                y, s, fpr=(0, 0.1), method=method, replicates=60, random_state=number
            ).interval
            held[method] += low <= truth <= high
    assert held["wilson"] >= 0.93 * 150
    assert held["percentile"] < 0.9 * 150


def test_it_can_be_read_as_text_and_as_a_table() -> None:
    found = rocch.stats.partial_auc_interval(Y, S, tpr=(0.8, 1), confidence=0.9, replicates=50)
    low, high = found.interval
    assert str(found) == (
        f"partial AUC over TPR 0.8 to 1: {found.value:.4f} "
        f"(90% bootstrap interval {low:.4f} to {high:.4f})"
    )
    (row,) = found.to_frame("pandas").to_dict("records")
    assert row["area"] == "partial AUC over TPR 0.8 to 1"
    assert (row["low"], row["high"]) == found.interval


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "fpr, tpr must be one range, of FPR or of TPR; got neither"),
        ({"fpr": (0, 0.1), "tpr": (0.9, 1)}, "got both"),
        ({"fpr": 0.1}, "fpr must run from low to a higher end"),
        ({"tpr": (0.5, 2)}, "tpr must be"),
        ({"fpr": (0, 0.1), "method": "delong"}, "method must be one of 'wilson', 'percentile'"),
        ({"fpr": (0, 0.1), "replicates": 10}, "replicates must be at least 40"),
        ({"fpr": (0, 0.1), "confidence": 1}, "confidence must be a number between 0 and 1"),
    ],
)
def test_bad_input_is_refused(options: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.stats.partial_auc_interval(Y, S, **options)


def test_partial_aucs_of_two_models_are_compared_on_the_same_draws() -> None:
    other = S + np.random.default_rng(5).normal(size=S.size)
    part: Any = {"fpr": (0, 0.3)}
    found = rocch.stats.compare_curves(
        Y, {"a": S, "b": other}, at=rocch.roc.PartialAuc(**part), replicates=80, random_state=2
    )
    one, two = (
        partial_aucs_of_draws(Y, s, part, replicates=80, random_state=2) for s in (S, other)
    )
    pair = found.difference("a", "b")
    assert pair.standard_error == pytest.approx((one - two).std(ddof=1))
    values = [rocch.RocCurve.from_scores(Y, s).partial_auc(**part) for s in (S, other)]
    assert pair.difference == pytest.approx(values[0] - values[1])
    assert found.measured == "partial AUC over FPR 0 to 0.3 (more is better)"
    apart = rocch.stats.compare_curves_unpaired(
        {"a": (Y, S), "b": (Y, other)}, at=rocch.roc.PartialAuc(**part), replicates=80
    )
    assert apart.differences[0].difference == pytest.approx(pair.difference)
    assert apart.differences[0].p_value > pair.p_value


def test_equal_models_are_rarely_told_apart() -> None:
    rng = np.random.default_rng(8)
    false_alarms = 0
    for number in range(100):
        y, shared = draw(rng, 30, 50, 1.5)
        scores = {name: shared + rng.normal(size=y.size) for name in "ab"}
        found = rocch.stats.compare_curves(
            y,
            scores,
            at=rocch.roc.PartialAuc(fpr=(0, 0.2)),
            replicates=60,
            random_state=number,
        )
        false_alarms += found.differences[0].p_value <= 0.05
    assert false_alarms <= 10
