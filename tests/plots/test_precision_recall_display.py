"""The precision-recall display draws images of ROC paths at the stated prevalence."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch
from rocch import RocCurve, RocHull
from rocch.plots import RocPrecisionRecallDisplay
from rocch.plots.style import MOST_POINTS
from rocch.roc import PrecisionRecallCurve

mpl.use("Agg")


def hull(size: int = 100) -> RocHull:
    rng = np.random.default_rng(8)
    y = rng.random(size) < 0.25
    alarm = rng.random(size) < np.where(y, 0.7, 0.1)
    scored = RocCurve.from_scores(y, rng.integers(0, 9, size) + 3 * y, name="a")
    return RocHull.of(scored, RocCurve.from_labels(y, alarm, name="rules"))


@pytest.mark.parametrize("prevalence", ["observed", 0.02])
def test_lines_are_the_images_of_curve_and_hull(prevalence: float | str) -> None:
    whole = hull()
    display: Any = RocPrecisionRecallDisplay.from_hull(whole, prevalence=prevalence)
    for member in whole.members:
        curve = member.curve()
        assert curve is not None
        image = PrecisionRecallCurve.of(curve, prevalence=prevalence)
        assert np.array_equal(display.curve_lines_[member.name].get_data(), image.line)
    image = PrecisionRecallCurve.of(whole, prevalence=prevalence)
    assert np.array_equal(display.hull_line_.get_data(), image.line)
    assert display.baseline_.get_ydata() == [image.prevalence, image.prevalence]
    assert display.hull_line_.get_label() == f"hull (area {image.area:.3f})"


def test_scores_have_an_area_and_labels_have_marks() -> None:
    display: Any = RocPrecisionRecallDisplay.from_hull(hull())
    assert display.curve_lines_["a"].get_label().startswith("a (area 0.")
    assert display.curve_lines_["rules"].get_label() == "rules (labels)"
    assert display.curve_lines_["rules"].get_linestyle() == "None"


def test_long_curves_are_thinned() -> None:
    rng = np.random.default_rng(1)
    y = np.arange(20_000) % 3 == 0
    display: Any = RocPrecisionRecallDisplay.from_predictions(y, {"a": rng.normal(size=y.size) + y})
    assert display.curve_lines_["a"].get_xdata().size <= MOST_POINTS + 1


def test_lines_of_equal_f1_are_named_beside_the_graph() -> None:
    display: Any = RocPrecisionRecallDisplay.from_hull(hull(), f1=(0.2, 0.6))
    assert sorted(display.f1_lines_) == [0.2, 0.6]
    recall, precision = (np.asarray(side) for side in display.f1_lines_[0.6].get_data())
    assert 2 * recall * precision / (recall + precision) == pytest.approx(0.6)
    assert [text.get_text() for text in display.ax_.texts] == ["F1 0.2", "F1 0.6"]
    assert all(text.get_position()[0] > 1 for text in display.ax_.texts)


@pytest.mark.parametrize("prevalence", [0, 1, "seldom"])
def test_prevalence_must_leave_both_classes(prevalence: float | str) -> None:
    with pytest.raises(rocch.InputError, match="prevalence must be"):
        RocPrecisionRecallDisplay.from_hull(hull(), prevalence=prevalence)


def test_an_f1_that_has_no_line_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="f1 must be a number between 0 and 1"):
        RocPrecisionRecallDisplay.from_hull(hull(), f1=[1])
