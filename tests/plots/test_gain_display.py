"""The gain display draws gain or lift, what they are compared with, and a capacity."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch
from rocch import RocCurve, RocHull
from rocch.plots import GainDisplay
from rocch.roc import GainCurve
from rocch.roc.views import perfect_gain, perfect_lift

mpl.use("Agg")


def hull(size: int = 100) -> RocHull:
    rng = np.random.default_rng(8)
    y = rng.random(size) < 0.25
    alarm = rng.random(size) < np.where(y, 0.7, 0.1)
    scored = RocCurve.from_scores(y, rng.integers(0, 9, size) + 3 * y, name="a")
    return RocHull.of(scored, RocCurve.from_labels(y, alarm, name="rules"))


def line_of(gain: GainCurve, lift: bool) -> Any:
    return gain.lift_line if lift else (gain.predicted_positive_rate, gain.recall)


@pytest.mark.parametrize("lift", [False, True])
@pytest.mark.parametrize("prevalence", ["observed", 0.05])
def test_lines_are_gain_or_lift(lift: bool, prevalence: float | str) -> None:
    whole = hull()
    display: Any = GainDisplay.from_hull(whole, lift=lift, prevalence=prevalence)
    for member in whole.members:
        curve = member.curve()
        assert curve is not None
        wanted = line_of(GainCurve.of(curve, prevalence=prevalence), lift)
        assert np.array_equal(display.curve_lines_[member.name].get_data(), wanted)
    joint = GainCurve.of(whole, prevalence=prevalence)
    x, y = display.hull_line_.get_data()
    assert set(np.asarray(x).tolist()) <= set(line_of(joint, lift)[0].tolist())
    assert np.asarray(y).max() == pytest.approx(line_of(joint, lift)[1].max())


def test_gain_references() -> None:
    display: Any = GainDisplay.from_hull(hull(), prevalence=0.2)
    assert np.array_equal(display.random_line_.get_data(), ([0, 1], [0, 1]))
    assert np.array_equal(display.perfect_line_.get_data(), perfect_gain(0.2))
    assert display.perfect_line_.get_label() == "no errors, 20% positive"
    assert display.ax_.get_ylabel() == "Share of positives found"


def test_lift_references() -> None:
    display: Any = GainDisplay.from_hull(hull(), prevalence=0.2, lift=True)
    assert np.array_equal(display.random_line_.get_data(), ([0, 1], [1, 1]))
    assert np.array_equal(display.perfect_line_.get_data(), perfect_lift(0.2))
    assert display.ax_.get_ylim()[0] == 0
    assert display.ax_.get_ylabel().startswith("Lift")


def test_labeled_points_are_marks() -> None:
    rules = GainDisplay.from_hull(hull()).curve_lines_["rules"]
    assert (rules.get_linestyle(), rules.get_label()) == ("None", "rules (labels)")


def test_a_capacity_says_what_the_hull_finds() -> None:
    display: Any = GainDisplay.from_hull(hull(), capacity=0.3)
    assert display.capacity_line_ is not None
    assert display.capacity_line_.get_xdata() == [0.3, 0.3]
    found = GainCurve.of(hull()).recall_at(0.3)
    assert display.capacity_line_.get_label() == (
        f"capacity 30%: the hull finds {100 * found:.3g}%"
    )
    assert GainDisplay.from_hull(hull()).capacity_line_ is None


@pytest.mark.parametrize("capacity", [0, -1, 30, "many"])
def test_a_capacity_is_a_share_above_0(capacity: Any) -> None:
    with pytest.raises(rocch.InputError, match="capacity must be"):
        GainDisplay.from_hull(hull(), capacity=capacity)


def test_lift_is_a_yes_or_no() -> None:
    with pytest.raises(rocch.InputError, match="lift must be True or False"):
        GainDisplay.from_hull(hull(), lift="yes")


@pytest.mark.parametrize("prevalence", [0, 1, "seldom"])
def test_prevalence_must_leave_both_classes(prevalence: float | str) -> None:
    with pytest.raises(rocch.InputError, match="prevalence must be"):
        GainDisplay.from_hull(hull(), prevalence=prevalence)
