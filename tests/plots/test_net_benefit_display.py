"""The net benefit display draws decision curves, read as probabilities and at their best."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch
from rocch import RocCurve, RocHull
from rocch.plots import NetBenefitDisplay
from rocch.roc import DecisionCurve
from rocch.roc.views import useful_thresholds

mpl.use("Agg")


def parts(size: int = 100) -> list[RocCurve]:
    rng = np.random.default_rng(8)
    y = rng.random(size) < 0.25
    score = rng.normal(size=size) + 2 * y
    return [
        RocCurve.from_scores(y, 1 / (1 + np.exp(1 - score)), name="probability"),
        RocCurve.from_scores(y, score + rng.normal(size=size), name="score"),
        RocCurve.from_labels(y, score > 2, name="rules"),
    ]


@pytest.mark.parametrize("prevalence", ["observed", 0.1])
def test_lines_are_decision_curves(prevalence: float | str) -> None:
    curves = parts()
    hull = RocHull.of(*curves)
    display: Any = NetBenefitDisplay.from_hull(hull, prevalence=prevalence)
    grid = useful_thresholds(hull, prevalence=prevalence)
    options: Any = {"thresholds": grid, "prevalence": prevalence}
    for curve in curves:
        wanted = DecisionCurve.best(curve, **options).net_benefit
        assert np.array_equal(display.best_lines_[curve.name].get_data(), (grid, wanted))
    calibrated = DecisionCurve.calibrated(curves[0], **options).net_benefit
    line = display.calibrated_lines_["probability"]
    assert np.array_equal(line.get_data(), (grid, calibrated))
    hull_wanted = DecisionCurve.best(hull, **options).net_benefit
    assert np.array_equal(display.hull_line_.get_data(), (grid, hull_wanted))
    always = DecisionCurve.always(hull, **options).net_benefit
    assert np.array_equal(display.always_line_.get_data(), (grid, always))
    assert list(display.never_line_.get_ydata()) == [0, 0]


def test_only_probabilities_are_read_as_probabilities_and_the_rest_says_why_not() -> None:
    display: Any = NetBenefitDisplay.from_hull(RocHull.of(*parts()))
    assert set(display.calibrated_lines_) == {"probability"}
    assert {name: line.get_label() for name, line in display.best_lines_.items()} == {
        "probability": "probability, at best",
        "score": "score, at best (no probabilities)",
        "rules": "rules, at best (labels)",
    }
    colors = display.calibrated_lines_["probability"], display.best_lines_["probability"]
    assert len({line.get_color() for line in colors}) == 1


def test_given_thresholds_are_drawn_at_in_order() -> None:
    display: Any = NetBenefitDisplay.from_hull(RocHull.of(*parts()), thresholds=[0.5, 0.1, 0.2])
    assert np.asarray(display.hull_line_.get_xdata()).tolist() == [0.1, 0.2, 0.5]
    assert display.ax_.get_xlim() == (0.1, 0.5)


def test_the_height_leaves_out_what_is_worse_than_nothing() -> None:
    display: Any = NetBenefitDisplay.from_hull(RocHull.of(*parts()))
    low, high = display.ax_.get_ylim()
    top = np.asarray(display.hull_line_.get_ydata()).max()
    assert (low, high) == pytest.approx((-0.2 * top, 1.08 * top))


@pytest.mark.parametrize("thresholds", [[1.0], [-0.5], ["a"], []])
def test_thresholds_that_are_none_are_refused(thresholds: Any) -> None:
    with pytest.raises(rocch.InputError, match="thresholds must"):
        NetBenefitDisplay.from_hull(RocHull.of(*parts()), thresholds=thresholds)


@pytest.mark.parametrize("prevalence", [0, 1, "seldom"])
def test_prevalence_must_leave_both_classes(prevalence: float | str) -> None:
    with pytest.raises(rocch.InputError, match="prevalence must be"):
        NetBenefitDisplay.from_hull(RocHull.of(*parts()), prevalence=prevalence)
