"""The whole surface in miss-rate space, colored by the most common wrong prediction."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch
from rocch.multiclass.views import most_common_wrong_predictions
from rocch.plots.style import COLORS
from tests.support.surfaces import many_class_surface, three_class_surface

mpl.use("Agg")
lib: Any = rocch  # so that mypy lets the tests pass what users should not


def test_all_members_are_drawn_in_two_views() -> None:
    surface = three_class_surface()
    display = rocch.plots.SurfaceDisplay.from_surface(surface)
    assert len(display.axes_) == len(display.points_) == 2
    for points in display.points_:
        found = np.stack([np.asarray(side) for side in points._offsets3d], axis=1)
        assert np.array_equal(found, surface.miss_rates)
    views = {(ax.elev, ax.azim) for ax in display.axes_}
    assert len(views) == 2
    assert display.axes_[0].get_zlabel() == "miss rate of cedar"


def test_colors_are_those_of_the_most_common_wrong_answer() -> None:
    surface = three_class_surface()
    display = rocch.plots.SurfaceDisplay.from_surface(surface)
    expected = most_common_wrong_predictions(surface)
    assert display.wrong_predictions_.tolist() == expected.tolist()
    display.figure_.canvas.draw()  # sorts the points by depth
    points = display.points_[0]
    colors = [mpl.colors.to_hex(color).upper() for color in points.get_facecolor()]
    assert colors == [COLORS[expected[place]] for place in points._z_markers_idx]


def test_the_legend_counts_the_members_of_each_color() -> None:
    surface = three_class_surface()
    display = rocch.plots.SurfaceDisplay.from_surface(surface)
    (legend,) = display.figure_.legends
    counts = np.bincount(display.wrong_predictions_, minlength=3)
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == [f"{n}: {c}" for n, c in zip(surface.classes, counts, strict=True)]
    assert (
        legend.get_title().get_text() == f"most common wrong prediction of {len(surface)} members"
    )


def test_views_can_be_chosen() -> None:
    display = rocch.plots.SurfaceDisplay.from_surface(three_class_surface(), views=[(10, 20)])
    assert [(ax.elev, ax.azim) for ax in display.axes_] == [(10, 20)]


def test_it_draws_on_axes_that_are_given() -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, subplot_kw={"projection": "3d"})
    display = rocch.plots.SurfaceDisplay.from_surface(three_class_surface(), ax=axes)
    assert display.axes_ == list(axes)
    assert display.figure_ is figure
    assert axes[1].get_legend() is not None
    with pytest.raises(rocch.InputError, match="ax must be 2 axes, one for each view; got 1"):
        rocch.plots.SurfaceDisplay.from_surface(three_class_surface(), ax=axes[0])
    with pytest.raises(rocch.InputError, match="ax must be three-dimensional"):
        rocch.plots.SurfaceDisplay.from_surface(three_class_surface(), ax=pyplot.subplots(2)[1])


def test_other_numbers_of_classes_are_refused_with_the_alternative() -> None:
    with pytest.raises(rocch.InputError, match=r"three classes.*; got 4. ParallelRatesDisplay"):
        rocch.plots.SurfaceDisplay.from_surface(many_class_surface(4))
    with pytest.raises(rocch.InputError, match=r"three classes.*; got 2. MissFrontDisplay"):
        rocch.plots.SurfaceDisplay.from_surface(many_class_surface(2))
    with pytest.raises(rocch.InputError, match="surface must be a RocSurface"):
        lib.plots.SurfaceDisplay.from_surface(None)


def test_a_perfect_surface_is_refused() -> None:
    truth = ["a", "b", "c"]
    perfect = rocch.multiclass.RocSurface.of(
        {"x": rocch.multiclass.Confusion.from_labels(truth, truth)}
    )
    with pytest.raises(rocch.UndefinedError, match="nothing to trade off"):
        rocch.plots.SurfaceDisplay.from_surface(perfect)


@pytest.mark.parametrize("views", [(), 5, [(1, 2, 3)], [("a", "b")], [(float("nan"), 1)]])
def test_views_must_be_pairs_of_degrees(views: Any) -> None:
    with pytest.raises(rocch.InputError, match="views must be pairs of degrees"):
        lib.plots.SurfaceDisplay.from_surface(three_class_surface(), views=views)


@pytest.mark.parametrize("view", [None, (1,), "ab"])
def test_a_view_must_be_a_pair_of_degrees(view: Any) -> None:
    with pytest.raises(rocch.InputError, match="view must be pairs of degrees"):
        lib.plots.MissFrontDisplay.from_surface(three_class_surface(), view=view)
