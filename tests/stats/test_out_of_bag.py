"""Choices of the bag judged outside it, against drawing rows really."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.roc.operating_point import end_name
from rocch.stats.guarantees import best_choices, decide_by, rates_outside


@pytest.fixture(scope="module")
def drawn() -> rocch.stats.Bootstrap:
    rng = np.random.default_rng(5)
    y = rng.random(120) < 0.4
    scores = {
        "a": np.round(rng.normal(size=120) + y, 1),
        "b": rng.normal(size=120) + y,
        "says": rng.random(120) < 0.2 + 0.5 * y,
    }
    return rocch.stats.bootstrap(y, scores, replicates=60, random_state=3)


CONDITIONS = [
    rocch.Conditions(prevalence=0.4, false_positive=fp, false_negative=fn)
    for fp, fn in ((1, 1), (1, 4), (5, 1), (1, 500))
]


@pytest.mark.parametrize("conditions", CONDITIONS)
@pytest.mark.parametrize("models", [("a", "b", "says"), ("a",), ("says",)])
def test_rows_outside_are_decided_by_what_the_drawn_rows_choose(
    drawn: rocch.stats.Bootstrap, conditions: rocch.Conditions, models: tuple[str, ...]
) -> None:
    """The oracle repeats rows, builds their hull in the ordinary way, and applies its vertex."""
    sample = drawn.sample
    axis = np.array([1 / (1 + conditions.slope)])
    for number in range(len(drawn)):
        replicate = drawn.replicate(number)
        times = replicate.multiplicities
        bag = np.repeat(np.arange(len(sample)), times)
        curves = []
        for model in models:
            own: Any = sample.scores[model][bag]
            build = rocch.RocCurve.from_labels if own.dtype == bool else rocch.RocCurve.from_scores
            curves.append(build(sample.positive[bag], own, name=model))
        point = rocch.RocHull.of(*curves).best(conditions).point
        column: Any = sample.scores[point.classifier] if point.classifier in models else None
        if end_name(point.fpr, point.tpr) is not None or column is None:
            decided = np.full(len(sample), point.tpr > 0)
        elif column.dtype == bool:
            decided = column
        else:
            decided = column >= point.threshold
        (choice,) = best_choices(replicate, axis, models)
        np.testing.assert_array_equal(decide_by(drawn, replicate, choice), decided)


def test_settings_run_from_always_to_never_along_the_cost_axis(
    drawn: rocch.stats.Bootstrap,
) -> None:
    replicate = drawn.replicate(0)
    settings = best_choices(replicate, np.array([1e-9, 0.5, 1 - 1e-9]), drawn.models)
    assert settings[0].false_positives == 0
    assert settings[2].true_positives == replicate.totals[1]
    alarms = [s.false_positives + s.true_positives for s in settings]
    assert alarms == sorted(alarms)


def test_rates_along_the_axis_agree_with_judging_each_point_by_itself(
    drawn: rocch.stats.Bootstrap,
) -> None:
    axis = np.array([0.3, 0.7])
    fpr, tpr = rates_outside(drawn, axis)
    positive = drawn.sample.positive
    for place, t in enumerate(axis.tolist()):
        rates = []
        for number in range(50):
            replicate = drawn.replicate(number)
            out = replicate.multiplicities == 0
            (setting,) = best_choices(replicate, np.array([t]), drawn.models)
            decided = decide_by(drawn, replicate, setting)
            rates.append([decided[out & ~positive].mean(), decided[out & positive].mean()])
        assert [fpr[place], tpr[place]] == pytest.approx(np.mean(rates, axis=0).tolist())
