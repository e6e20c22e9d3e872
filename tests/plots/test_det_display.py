"""The DET display: rates on probit axes, zeros drawn where half a row would be, and said so."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from scipy.special import ndtri

import rocch
from rocch import RocCurve, RocHull
from rocch.plots import DetDisplay
from rocch.plots.style import MOST_POINTS
from rocch.roc import DetCurve

mpl.use("Agg")
from matplotlib import pyplot as plt


def hull(size: int = 400, shift: float = 2.0) -> RocHull:
    rng = np.random.default_rng(8)
    y = np.arange(size) % 2 == 0
    return RocHull.from_scores(
        y, {"a": rng.normal(size=size) + shift * y, "b": rng.normal(size=size) + 0.9 * shift * y}
    )


def labels(display: DetDisplay) -> list[str]:
    return [label.get_text() for label in display.ax_.get_xticklabels()]


def test_lines_are_the_rates_of_the_curves() -> None:
    whole = hull()
    display: Any = DetDisplay.from_hull(whole)
    for member in whole.members:
        curve = member.curve()
        assert curve is not None
        x, miss = display.curve_lines_[member.name].get_data()
        wanted = set(zip(*(side.tolist() for side in DetCurve.of(curve).line()), strict=True))
        assert set(zip(x.tolist(), miss.tolist(), strict=True)) <= wanted
    assert display.hull_line_ is not None
    assert np.array_equal(display.hull_line_.get_data(), DetCurve.of(whole).line())


def test_equal_steps_of_a_normal_deviate_are_equally_long() -> None:
    ax = DetDisplay.from_hull(hull()).ax_
    for axis in (ax.xaxis, ax.yaxis):
        rates = np.array([0.01, 0.05, 0.2, 0.5])
        assert axis.get_transform().transform(rates) == pytest.approx(ndtri(rates))


def test_ticks_are_percentages_and_a_zero() -> None:
    display: Any = DetDisplay.from_hull(hull(4000, 4.5))
    shown = labels(display)
    assert "0" in shown
    assert {"0.1%", "1%", "10%", "40%"} <= set(shown)
    zero = display.ax_.get_xticks()[shown.index("0")]
    assert zero == 0.5 / 2000
    low, high = display.ax_.get_xlim()
    assert all(low < tick < high for tick in display.ax_.get_xticks())


def test_the_axes_say_how_zero_is_drawn() -> None:
    display: Any = DetDisplay.from_hull(hull(4000, 4.5))
    assert display.ax_.get_xlabel() == "False positive rate\n(0 is drawn at half a row: 0.025%)"
    assert display.ax_.get_ylabel() == "Miss rate\n(0 is drawn at half a row: 0.025%)"


def test_nothing_is_said_about_a_zero_that_is_out_of_view() -> None:
    display: Any = DetDisplay.from_hull(hull(4000, 2.0))
    assert display.ax_.get_xlabel() == "False positive rate"
    assert "0" not in labels(display)


def test_points_at_infinity_are_drawn_within_the_axes() -> None:
    display: Any = DetDisplay.from_predictions([0, 0, 0, 1, 1, 1], {"perfect": [1, 2, 3, 4, 5, 6]})
    x, miss = display.curve_lines_["perfect"].get_data()
    assert (x.min(), miss.min()) == pytest.approx((1 / 6, 1 / 6))
    low, _ = display.ax_.get_xlim()
    assert low < x.min()


def test_weighted_rows_say_what_zero_means() -> None:
    y, score, weight = [0, 0, 1, 1], [1, 3, 2, 4], [3.0, 1.0, 1.5, 0.5]
    display: Any = DetDisplay.from_predictions(y, {"w": score}, sample_weight=weight)
    assert "half the smallest rate: 12.5%" in display.ax_.get_xlabel()


def test_good_classifiers_are_shown_up_to_one_half_and_poor_ones_in_full() -> None:
    assert DetDisplay.from_hull(hull(400, 3.0)).ax_.get_xlim()[1] == 0.55
    poor = DetDisplay.from_hull(hull(400, 0.5)).ax_
    assert poor.get_xlim()[1] > 0.99
    assert poor.get_xlim() == poor.get_ylim()


def test_the_line_of_equal_errors_is_the_diagonal() -> None:
    display: Any = DetDisplay.from_hull(hull())
    low, high = display.ax_.get_xlim()
    assert display.equal_line_.get_xy1() == (low, low)
    assert display.equal_line_.get_xy2() == (high, high)


def test_the_legend_names_equal_error_rates() -> None:
    whole = hull()
    display: Any = DetDisplay.from_hull(whole)
    curve = whole.members[0].curve()
    assert curve is not None
    wanted = f"a (equal error rate {100 * curve.equal_error_rate:.3g}%)"
    assert display.curve_lines_["a"].get_label() == wanted


def test_the_hull_is_optional() -> None:
    display: Any = DetDisplay.from_hull(hull(), with_hull=False)
    assert display.hull_line_ is None
    (below,) = display.figure_.legends
    assert not any(text.get_text().startswith("hull") for text in below.get_texts())
    with pytest.raises(rocch.InputError, match="with_hull must be True or False"):
        DetDisplay.from_hull(hull(), with_hull="no")


def test_labeled_points_are_marks() -> None:
    rules = RocCurve.from_counts([2, 5], [12, 18], negatives=20, positives=20, name="rules")
    line = DetDisplay.from_hull(RocHull.of(rules)).curve_lines_["rules"]
    assert line.get_linestyle() == "None"
    assert np.array(line.get_data()) == pytest.approx(np.array([[0.1, 0.25], [0.4, 0.1]]))


def test_long_curves_are_thinned_as_seen_on_these_axes() -> None:
    display: Any = DetDisplay.from_hull(hull(40_000, 3.0))
    x, miss = display.curve_lines_["a"].get_data()
    assert x.size <= MOST_POINTS + 1
    low, high = (ndtri(limit) for limit in display.ax_.get_xlim())
    seen = (ndtri(x) > low) & (ndtri(x) < high) & (ndtri(miss) < high)
    assert np.abs(np.diff(ndtri(x)[seen])).max() < 0.2
    corner: Any = DetDisplay.from_hull(hull(40_000, 5.5)).curve_lines_["a"]
    near = np.max(corner.get_data(), axis=0) < 0.01  # tiny in ROC space, half of this picture
    assert near.sum() > 100


def test_ticks_make_room_on_small_axes() -> None:
    _, axes = plt.subplots(1, 4, figsize=(10, 3))
    small: Any = DetDisplay.from_hull(hull(4000, 4.5), ax=axes[0])
    assert 2 <= len(labels(small)) < len(labels(DetDisplay.from_hull(hull(4000, 4.5))))


def test_axes_of_one_size_have_the_same_ticks_in_any_figure() -> None:
    shown = []
    for size in ((14, 4), (4, 14)):  # the axes are square
        _, ax = plt.subplots(figsize=size)
        shown.append(labels(DetDisplay.from_hull(hull(4000, 4.5), ax=ax)))
    assert shown[0] == shown[1]
    assert "20%" in shown[0]
