"""The fairness display draws what fair rates say."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

import rocch
from rocch.plots import FairnessDisplay

mpl.use("Agg")

COSTS = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)


def solve(kind: Any, **options: Any) -> rocch.hybrid.FairRates:
    rng = np.random.default_rng(0)
    groups = rng.choice(["a", "b", "_c$"], 600)
    y = rng.random(600) < np.where(groups == "a", 0.5, 0.3)
    scores = {"nb": rng.normal(size=600) + np.where(groups == "a", 1, 2) * y}
    return rocch.hybrid.fair_rates(y, scores, groups, COSTS, rates=kind, tolerance=0.05, **options)


@pytest.mark.parametrize("kind", ["fpr", "tpr", "both", "predicted_positive"])
def test_points_lines_and_costs(kind: Any) -> None:
    fair = solve(kind, randomize=kind == "both")
    display: Any = FairnessDisplay.from_rates(fair, tolerances=[0, 0.05, 0.2])
    for group in fair.problem.groups:
        name = group.name
        assert np.array_equal(display.hull_lines_[name].get_xdata(), group.hull.fpr)
        for marks, points in (
            (display.point_marks_, fair.points),
            (display.free_marks_, fair.unconstrained.points),
        ):
            x, y = marks[name].get_data()
            assert (x[0], y[0]) == (points[name].fpr, points[name].tpr)
    assert display.deterministic_line_.get_ydata().tolist() == display.costs_.deterministic.tolist()
    assert display.randomized_line_.get_xdata().tolist() == [0, 0.05, 0.2]
    assert display.chosen_mark_.get_ydata()[0] == fair.cost
    low, high = display.axes_[1].get_ylim()
    assert low < fair.unconstrained.cost <= fair.cost < high
    assert (display.allowed_ is None) == (kind == "predicted_positive")
    pyplot.close(display.figure_)


def test_all_points_lie_in_the_box_of_the_tolerance() -> None:
    fair = solve("both")
    display: Any = FairnessDisplay.from_rates(fair, tolerances=[0.05])
    box = display.allowed_.get_bbox()
    assert box.width <= 0.05 + 1e-9
    assert box.height <= 0.05 + 1e-9
    for point in fair.points.values():
        assert box.x0 - 1e-12 <= point.fpr <= box.x1 + 1e-12
        assert box.y0 - 1e-12 <= point.tpr <= box.y1 + 1e-12
    pyplot.close(display.figure_)


def test_given_axes_and_wrong_ones() -> None:
    fair = solve("tpr")
    figure, axes = pyplot.subplots(1, 2)
    display: Any = FairnessDisplay.from_rates(fair, tolerances=[0.05], ax=axes)
    assert display.figure_ is figure
    with pytest.raises(rocch.InputError, match="ax must be 2 axes"):
        FairnessDisplay.from_rates(fair, ax=axes[:1])
    with pytest.raises(rocch.InputError, match="fair must be FairRates"):
        FairnessDisplay.from_rates(fair.points)  # type: ignore[arg-type]
    pyplot.close(figure)
