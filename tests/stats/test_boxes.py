"""Boxes around fixed thresholds' points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import rocch
from rocch.kernels.bounds import clopper_pearson

lib: Any = rocch  # so that mypy lets the tests pass what users should not


def rows(size: int = 80) -> tuple[Any, Any]:
    rng = np.random.default_rng(6)
    y = np.arange(size) % 3 == 0
    return y, rng.normal(size=size) + y


def test_sides_are_clopper_pearson_at_the_root_of_the_confidence() -> None:
    y, s = rows()
    for box in rocch.stats.threshold_boxes(y, s, [-9, 0.5, 9], confidence=0.9):
        assert box.threshold is not None
        for side, rate, kind in ((box.fpr, box.point[0], ~y), (box.tpr, box.point[1], y)):
            hits = int(np.sum(s[kind] >= box.threshold))
            exact = binomtest(hits, int(kind.sum())).proportion_ci(math.sqrt(0.9))
            assert side == pytest.approx((exact.low, exact.high))
            assert rate == hits / kind.sum()
        assert "at least 90%" in box.promise


def test_notebooks_write_the_promise_once_above_a_narrow_table() -> None:
    y, s = rows()
    boxes = rocch.stats.threshold_boxes(y, s, [0.2, 0.5, 0.8])
    assert boxes._repr_html_().count(f"<p>{boxes[0].promise}</p>") == 1
    assert boxes[0].promise in boxes[0]._repr_html_()
    assert "promise" not in boxes.to_frame("polars").columns


def test_clopper_pearson_is_closed_at_both_ends() -> None:
    low, high = clopper_pearson(np.array([0, 10]), 10, 0.95)
    assert (low[0], high[1]) == (0, 1)
    assert high[0] == pytest.approx(1 - 0.025**0.1)
    assert low[1] == pytest.approx(0.025**0.1)


def test_boxes_hold_both_rates_together_as_often_as_stated() -> None:
    """Exact, by summing over all outcomes of both binomials."""
    from scipy.stats import binom

    counts = np.arange(26)
    low, high = clopper_pearson(counts, 25, math.sqrt(0.9))
    for rate in (0.03, 0.2, 0.5, 0.97):
        held = binom.pmf(counts, 25, rate)[(low <= rate) & (rate <= high)].sum()
        assert held**2 >= 0.9


def test_boxes_of_groups_come_from_the_bootstrap() -> None:
    y, s = rows(300)
    groups = np.arange(300) // 30
    s = s + np.random.default_rng(1).normal(size=10)[groups]
    (with_groups,) = rocch.stats.threshold_boxes(y, s, 0.5, groups=groups, replicates=300)
    (without_groups,) = rocch.stats.threshold_boxes(y, s, 0.5)
    assert with_groups.point == without_groups.point
    assert with_groups.fpr.low <= with_groups.point[0] <= with_groups.fpr.high
    for side in ("fpr", "tpr"):
        wide, narrow = getattr(with_groups, side), getattr(without_groups, side)
        assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)
    assert "groups are independent" in with_groups.promise
    drawn = rocch.stats.bootstrap(y, {"a": s}, groups=groups, replicates=300)
    (same,) = drawn.boxes("a", [0.5])
    assert same.fpr == with_groups.fpr


def test_a_model_that_only_labels_has_one_box() -> None:
    y, s = rows()
    drawn = rocch.stats.bootstrap(y, {"rules": s > 0.5, "s": s}, replicates=2)
    (box,) = drawn.boxes("rules", None)
    (scored,) = drawn.boxes("s", 0.5)
    assert box.threshold is None
    assert box.fpr == scored.fpr
    (grouped,) = rocch.stats.threshold_boxes(
        y, s > 0.5, None, groups=np.arange(80) // 4, replicates=50
    )
    assert grouped.point == box.point


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda y, s: lib.stats.threshold_boxes(y, s, "x"), "thresholds must be a number"),
        (lambda y, s: lib.stats.threshold_boxes(y, s, 0.5, confidence=2), "confidence must be"),
        (lambda y, s: lib.stats.threshold_boxes(y, s, 0.5, name=" "), "name must be a text"),
        (
            lambda y, s: lib.stats.bootstrap(y, {"a": s}, replicates=2).boxes("b", 0.5),
            "model must name one of the models",
        ),
        (
            lambda y, s: lib.stats.bootstrap(y, {"a": s}, groups=range(80), replicates=2).boxes(
                "b", 1
            ),
            "model must name one of the models",
        ),
    ],
)
def test_bad_input_is_refused(call: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        call(*rows())


def test_labels_have_no_threshold_to_name() -> None:
    y, s = rows()
    with pytest.raises(rocch.UndefinedError, match="outputs labels only"):
        rocch.stats.threshold_boxes(y, s > 0, 0.5)
