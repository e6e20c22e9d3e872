"""The picture shows what the comparison says: bars where each is better, the belief below."""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot
import numpy as np
import pytest

import rocch

mpl.use("Agg")
lib: Any = rocch  # so that mypy lets the tests pass what users should not

NARROW = rocch.Belief.cost_ratio(4, 10, likely=7)
WIDE = rocch.Belief.cost_ratio(0.2, 20, likely=2)


def curves(seed: int = 5) -> list[rocch.RocCurve]:
    rng = np.random.default_rng(seed)
    y = rng.random(300) < 0.35
    scores = {
        "net": rng.normal(size=300) + 1.5 * y * (rng.random(300) < 0.75),
        "qda": rng.normal(size=300) * (1 - 0.55 * y) + y,
        "lda": rng.normal(size=300) + y,
    }
    return [rocch.RocCurve.from_scores(y, s, name=name) for name, s in scores.items()]


def comparison(belief: rocch.Belief = WIDE, **given: Any) -> rocch.stats.LossComparison:
    net, qda, _ = curves()
    return rocch.stats.compare_losses(net, qda, belief=belief, **{"prevalence": 0.35, **given})


def spans(bars: Any) -> list[tuple[float, float]]:
    return [(float(segment[0, 0]), float(segment[1, 0])) for segment in bars.get_segments()]


def test_bars_are_the_stretches_where_each_is_better() -> None:
    found = comparison()
    display = rocch.plots.SuperiorityDisplay.from_comparison(found)
    assert set(display.bars_) == {"net", "qda"}
    for name, bars in display.bars_.items():
        assert spans(bars) == [(s.low, s.high) for s in found.stretches if s.classifiers == (name,)]
    assert display.ax_.get_xlim() == (0, 1)
    assert display.figure_.get_suptitle().replace("\n", " ") == str(found)


@pytest.mark.parametrize("width", [3, 5, 12])
def test_ticks_of_times_as_bad_keep_apart_on_narrow_axes(width: float) -> None:
    figure, ax = mpl.pyplot.subplots(figsize=(width, 3))
    rocch.plots.SuperiorityDisplay.from_comparison(comparison(), zoom=False, ax=ax)
    figure.draw_without_rendering()
    [above] = ax.child_axes
    boxes = [label.get_window_extent() for label in above.get_xticklabels()]
    boxes.sort(key=lambda box: box.x0)
    assert len(boxes) > 4
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    mpl.pyplot.close(figure)


def test_rows_are_labeled_with_names_and_belief() -> None:
    found = comparison()
    labels = [
        t.get_text()
        for t in rocch.plots.SuperiorityDisplay.from_comparison(found).ax_.get_yticklabels()
    ]
    assert labels[0] == f"net  {100 * found.mass_a:.0f}%"
    assert labels[1] == f"qda  {100 * found.mass_b:.0f}%"
    assert labels[-1] == "belief"


def test_stretches_without_a_difference_have_a_row_of_their_own() -> None:
    y = [0, 0, 0, 1, 1, 1]
    a = rocch.RocCurve.from_labels(y, [1, 0, 0, 1, 1, 0], name="a")
    b = rocch.RocCurve.from_labels(y, [0, 0, 0, 1, 0, 0], name="b")
    found = rocch.stats.compare_losses(a, b, belief=WIDE, prevalence=0.5)
    assert found.ties > 0
    display = rocch.plots.SuperiorityDisplay.from_comparison(found)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels[2].startswith("no difference")
    assert set(display.bars_) == {"a", "b"}


def test_the_belief_stands_below_with_its_apex() -> None:
    display = rocch.plots.SuperiorityDisplay.from_comparison(comparison())
    assert display.density_ is not None
    x, height = (np.asarray(column) for column in display.density_.get_data())
    assert float(x[np.argmax(height)]) == pytest.approx(2 / 3, abs=2e-3)
    assert (x[0], x[-1]) == pytest.approx((1 / 6, 20 / 21))
    assert height.max() == pytest.approx(0.92)  # of the room that it has
    assert display.atoms_ is None


def test_single_points_of_belief_are_stems() -> None:
    listed = rocch.Belief.cost_ratio_like([1, 1, 9])
    display = rocch.plots.SuperiorityDisplay.from_comparison(comparison(listed))
    assert display.density_ is None
    assert display.atoms_ is not None
    stems = display.atoms_.get_segments()
    assert [float(stem[1, 0]) for stem in stems] == [0.5, 0.9]
    assert float(stems[0][1, 1]) == pytest.approx(2 * float(stems[1][1, 1]))


def test_a_pool_has_a_density_and_stems() -> None:
    pooled = rocch.Belief.pooled(WIDE, rocch.Belief.cost_ratio(1))
    display = rocch.plots.SuperiorityDisplay.from_comparison(comparison(pooled))
    assert display.density_ is not None
    assert display.atoms_ is not None


def test_a_narrow_belief_gets_a_closer_look() -> None:
    display = rocch.plots.SuperiorityDisplay.from_comparison(comparison(NARROW))
    assert display.zoom_ax_ is not None
    low, high = display.zoom_ax_.get_xlim()
    assert 0.7 < low < 0.8
    assert 10 / 11 < high < 0.95
    assert display.ax_.get_xlim() == (0, 1)
    assert spans(display.bars_["net"])[0][0] == 0


def test_zooming_can_be_asked_for_or_declined() -> None:
    assert rocch.plots.SuperiorityDisplay.from_comparison(comparison()).zoom_ax_ is None
    assert (
        rocch.plots.SuperiorityDisplay.from_comparison(comparison(), zoom=True).zoom_ax_ is not None
    )
    plain = rocch.plots.SuperiorityDisplay.from_comparison(comparison(NARROW), zoom=False)
    assert plain.zoom_ax_ is None
    certain = rocch.Belief.cost_ratio(9)
    assert rocch.plots.SuperiorityDisplay.from_comparison(comparison(certain)).zoom_ax_ is None
    near = rocch.plots.SuperiorityDisplay.from_comparison(comparison(certain), zoom=True)
    assert near.zoom_ax_ is not None
    assert near.zoom_ax_.get_xlim() == pytest.approx((0.85, 0.95))


def test_it_draws_on_axes_that_are_given() -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2)
    whole = rocch.plots.SuperiorityDisplay.from_comparison(comparison(NARROW), ax=axes[0])
    closer = rocch.plots.SuperiorityDisplay.from_comparison(
        comparison(NARROW), ax=axes[1], zoom=True
    )
    assert (whole.ax_, whole.figure_, whole.zoom_ax_) == (axes[0], figure, None)
    assert axes[0].get_xlim() == (0, 1)
    assert axes[1].get_xlim()[0] > 0.7
    assert closer.zoom_ax_ is None


def test_above_the_axis_stands_how_many_times_as_bad() -> None:
    display = rocch.plots.SuperiorityDisplay.from_comparison(comparison())
    (above,) = display.ax_.child_axes
    ticks = dict(
        zip(
            (text.get_text() for text in above.get_xticklabels()),
            above.get_xticks(),
            strict=True,
        )
    )
    assert ticks["1"] == 0.5
    assert ticks["5"] == pytest.approx(5 / 6)
    assert ticks["1/5"] == pytest.approx(1 / 6)
    places = sorted(above.get_xticks())
    assert min(np.diff(places)) >= 0.045


def test_an_uncertain_prevalence_is_drawn_on_the_probability_cost() -> None:
    display = rocch.plots.SuperiorityDisplay.from_comparison(comparison(prevalence=(0.2, 0.5)))
    assert display.ax_.get_xlabel() == "probability-cost of the positive class"
    assert display.ax_.child_axes == []


def test_many_classifiers_have_a_row_each_where_they_are_best() -> None:
    found = rocch.stats.rank_under_belief(curves(), belief=WIDE, prevalence=0.35)
    display = rocch.plots.SuperiorityDisplay.from_superiority(found)
    best = {row.classifier: list(row.stretches) for row in found.classifiers if row.stretches}
    assert {name: spans(bars) for name, bars in display.bars_.items()} == best
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert [label.split("  ")[0] for label in labels[:-1]] == list(best)


def test_the_closer_look_leaves_out_who_is_best_elsewhere_only() -> None:
    found = rocch.stats.rank_under_belief(curves(), belief=NARROW, prevalence=0.35)
    display = rocch.plots.SuperiorityDisplay.from_superiority(found)
    assert display.zoom_ax_ is not None
    assert len(display.zoom_ax_.get_yticks()) < len(display.ax_.get_yticks())


def test_never_and_always_are_gray() -> None:
    y = [0, 0, 0, 1, 1, 1]
    rules = rocch.RocCurve.from_labels(y, [1, 0, 0, 1, 1, 0], name="rules")
    found = rocch.stats.rank_under_belief(
        [rules], belief=rocch.Belief.cost_ratio(0.1, 10), prevalence=0.5
    )
    display = rocch.plots.SuperiorityDisplay.from_superiority(found)
    colors: Any = display.bars_["never"].get_color()
    assert mpl.colors.to_hex(colors[0]) == "#444444"


def test_names_are_not_formulas() -> None:
    net, qda, _ = curves()
    odd = rocch.stats.compare_losses(
        net, qda, belief=WIDE, prevalence=0.35, names=("_$x$", "b" * 60)
    )
    display = rocch.plots.SuperiorityDisplay.from_comparison(odd)
    display.figure_.canvas.draw()
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert r"\$x\$" in labels[0]
    assert len(labels[1]) < 40


@pytest.mark.parametrize("likely", [None, 5])
def test_an_open_end_is_drawn(likely: float | None) -> None:
    belief = rocch.Belief.cost_ratio(1, math.inf, likely=likely)
    display = rocch.plots.SuperiorityDisplay.from_comparison(comparison(belief))
    assert display.density_ is not None
    assert float(np.asarray(display.density_.get_xdata())[-1]) == 1
    display.figure_.canvas.draw()


def test_what_is_not_a_comparison_is_refused() -> None:
    with pytest.raises(
        rocch.InputError, match="comparison must be a LossComparison; got an object"
    ):
        lib.plots.SuperiorityDisplay.from_comparison(curves()[0])
    with pytest.raises(rocch.InputError, match="superiority must be a Superiority"):
        lib.plots.SuperiorityDisplay.from_superiority(comparison())


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rocch.MissingExtraError, match=r"rocch\[plot\]"):
        rocch.plots.SuperiorityDisplay.from_comparison(comparison())
