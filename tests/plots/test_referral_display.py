"""The picture of a referral: its thresholds, what it refers, and what a case costs."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch

mpl.use("Agg")

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)


def hull_of(models: int = 1) -> rocch.RocHull:
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    return rocch.RocHull.from_scores(
        y, {f"m{i}": rng.normal(size=300) + (2 - 0.1 * i) * y for i in range(models)}
    )


def data_of(line: Any) -> tuple[Any, Any]:
    x, y = line.get_data()
    return x, y


def draw(hull: rocch.RocHull, **options: Any) -> rocch.plots.ReferralDisplay:
    return rocch.plots.ReferralDisplay.from_hull(hull, conditions=KNOWN, **options)


def test_one_scorer_has_a_stretch_between_two_tangent_points() -> None:
    hull = hull_of()
    display = draw(hull, cost=0.3)
    found = hull.refer(KNOWN, cost=0.3)
    assert display.referral == found
    assert display.stretch_line_ is not None
    x, y = data_of(display.stretch_line_)
    assert (x[0], y[0]) == (found.upper.fpr, found.upper.tpr)
    assert (x[-1], y[-1]) == (found.lower.fpr, found.lower.tpr)
    slopes = rocch.roc.referral_slopes(KNOWN.case, 0.3)
    for line, slope in zip(display.tangent_lines_, slopes or (), strict=True):
        (x0, x1), (y0, y1) = data_of(line)
        assert (y1 - y0) / (x1 - x0) == pytest.approx(slope)
    texts = [text.get_text() for text in display.ax_.texts]
    assert f"positive: m0 ≥ {found.upper.written_threshold}" in texts
    assert f"negative: m0 < {found.lower.written_threshold}" in texts
    assert display.ax_.get_title(loc="left") == "Referred: cases between two thresholds"


@pytest.mark.parametrize("options", [{"cost": 0.3}, {"max_referred": 0.1}, {"max_wrong": 0.05}])
def test_the_cost_falls_with_the_share_that_may_be_referred(options: dict[str, float]) -> None:
    hull = hull_of(2)
    display = draw(hull, **options)
    shares, costs = data_of(display.cost_line_)
    assert costs[0] == pytest.approx(hull.best(KNOWN).expected_cost)
    assert (np.diff(costs) <= 0).all()
    priced = {"cost": options["cost"]} if "cost" in options else {}
    for share, cost in list(zip(shares, costs, strict=True))[::5]:
        found = hull.refer(KNOWN, max_referred=float(share / 100), **priced)
        assert found.expected_cost == pytest.approx(cost)


def test_two_scorers_have_a_ring_each() -> None:
    display = draw(hull_of(2), cost=0.3)
    assert list(display.curve_lines_) == ["m0", "m1"]
    assert display.stretch_line_ is None
    assert not display.tangent_lines_
    assert display.ax_.get_title(loc="left") == "Referred: one alarms, the other does not"


def test_words_stay_inside_the_graph() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.3
    hull = rocch.RocHull.from_scores(y, {"m0": rng.normal(size=300) + 0.8 * y})
    display = draw(hull, cost=0.3)
    assert display.referral.lower.fpr > 0.6
    display.figure_.canvas.draw()
    graph = display.ax_.get_window_extent()
    for text in display.ax_.texts:
        place = text.get_window_extent()
        assert graph.x0 <= place.x0
        assert place.x1 <= graph.x1


def test_nothing_and_everything() -> None:
    assert draw(hull_of(), cost=2).ax_.get_title(loc="left") == "Every case is decided"
    same = rocch.RocHull.from_scores([0, 1, 0, 1], {"nb": [1, 1, 1, 1]})
    assert draw(same, cost=0.1).ax_.get_title(loc="left") == "Every case is referred"


def test_labels_only_have_a_straight_stretch() -> None:
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    curve = rocch.RocCurve.from_labels(y, [0, 0, 0, 0, 0, 1, 1, 1], name="rules")
    display = draw(rocch.RocHull.of(curve), cost=0.1)
    assert display.stretch_line_ is not None
    assert len(data_of(display.stretch_line_)[0]) == 2


def test_given_axes_are_two() -> None:
    from matplotlib import pyplot

    _, axes = pyplot.subplots(1, 2)
    hull = hull_of()
    options: Any = {"conditions": KNOWN, "cost": 0.3}
    display = rocch.plots.ReferralDisplay.from_hull(hull, ax=axes, **options)
    assert display.axes_ == list(axes)
    with pytest.raises(rocch.InputError, match="be 2 axes"):
        rocch.plots.ReferralDisplay.from_hull(hull, ax=axes[0], **options)
