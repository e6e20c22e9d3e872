"""The front shows the members that nobody beats in every class's misses."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch
from rocch.multiclass import miss_front
from rocch.plots.surfaces import DIAGONAL, triangulate
from tests.support.surfaces import many_class_surface, three_class_surface

mpl.use("Agg")
lib: Any = rocch  # so that mypy lets the tests pass what users should not


def in_space(artist: Any) -> Any:
    """Return the points of a scatter in three dimensions."""
    return np.stack([np.asarray(side) for side in artist._offsets3d], axis=1)


@pytest.mark.parametrize("objectives", ["rates", "misses"])
def test_points_are_the_miss_rates_of_the_front(objectives: str) -> None:
    surface = three_class_surface(objectives)
    display = rocch.plots.MissFrontDisplay.from_surface(surface)
    front = miss_front(surface)
    assert display.front_.tolist() == front.tolist()
    assert np.array_equal(in_space(display.points_), surface.miss_rates[front])
    assert np.asarray(display.points_.get_array()).tolist() == surface.errors[front].tolist()


def test_axes_are_named_by_class_and_equally_long() -> None:
    surface = three_class_surface()
    ax = rocch.plots.MissFrontDisplay.from_surface(surface).ax_
    labels = (ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel())
    assert labels == ("miss rate of ash", "miss rate of birch", "miss rate of cedar")
    top = ax.get_xlim()[1]
    assert ax.get_xlim() == ax.get_ylim() == ax.get_zlim() == (0, top)
    assert surface.miss_rates.max() <= top <= 1


def test_the_title_says_how_many_of_how_many() -> None:
    surface = three_class_surface()
    display = rocch.plots.MissFrontDisplay.from_surface(surface)
    shown = len(display.front_)
    assert display.ax_.get_title() == f"Miss-rate front: {shown} of {len(surface)} members"
    own = three_class_surface("misses")
    assert (
        rocch.plots.MissFrontDisplay.from_surface(own)
        .ax_.get_title()
        .endswith(f" {len(own)} members")
    )
    (bar,) = [ax for ax in display.figure_.axes if ax is not display.ax_]
    assert bar.get_ylabel() == "errors among 90 rows"


def test_the_knee_is_marked_unless_others_are() -> None:
    surface = three_class_surface()
    display = rocch.plots.MissFrontDisplay.from_surface(surface)
    knee = surface.miss_rates[surface.knee().member.place]
    assert in_space(display.marks_["knee"]).tolist() == [knee.tolist()]
    assert "   knee" in [text.get_text() for text in display.ax_.texts]
    other = rocch.plots.MissFrontDisplay.from_surface(surface, marks={"first": 0, "third": 2})
    assert list(other.marks_) == ["first", "third"]
    assert rocch.plots.MissFrontDisplay.from_surface(surface, marks={}).marks_ == {}


def test_the_view_can_be_chosen() -> None:
    display = rocch.plots.MissFrontDisplay.from_surface(three_class_surface(), view=(10, 200))
    assert (display.ax_.elev, display.ax_.azim) == (10, 200)


def test_two_classes_are_drawn_in_the_plane() -> None:
    surface = many_class_surface(2)
    display = rocch.plots.MissFrontDisplay.from_surface(surface)
    assert not hasattr(display.ax_, "get_zlim")
    offsets = np.asarray(display.points_.get_offsets())
    assert np.array_equal(offsets, surface.miss_rates[miss_front(surface)])
    assert display.ax_.get_ylabel() == "miss rate of c1"
    knee = surface.miss_rates[surface.knee().member.place]
    assert np.asarray(display.marks_["knee"].get_offsets()).tolist() == [knee.tolist()]
    assert display.sheet_ is None


def test_the_sheet_joins_neighbors_only() -> None:
    rng = np.random.default_rng(0)
    near = rng.random((30, 3)) * 0.1
    rates = np.concatenate([near, [[0.9, 0.05, 0.0]]])
    triangles = triangulate(rates)
    assert len(triangles) > 20
    assert 30 not in triangles
    assert np.array_equal(np.unique(triangles), np.arange(30))


def test_directions_of_the_sheet_are_at_right_angles_to_the_diagonal() -> None:
    assert DIAGONAL.sum(axis=0) == pytest.approx([0, 0])
    assert pytest.approx(np.eye(2)) == DIAGONAL.T @ DIAGONAL


@pytest.mark.parametrize("members", [1, 2])
def test_too_few_points_have_no_sheet(members: int) -> None:
    surface = three_class_surface("misses")
    few = rocch.multiclass.RocSurface.of(
        {str(i): surface.member(i).confusion for i in range(members)}, objectives="misses"
    )
    display = rocch.plots.MissFrontDisplay.from_surface(few)
    assert display.sheet_ is None
    display.figure_.canvas.draw()


def test_no_errors_at_all_can_be_drawn() -> None:
    truth = ["a", "b", "c"]
    perfect = rocch.multiclass.RocSurface.of(
        {"x": rocch.multiclass.Confusion.from_labels(truth, truth)}
    )
    display = rocch.plots.MissFrontDisplay.from_surface(perfect)
    assert display.ax_.get_xlim() == (0, 1)
    display.figure_.canvas.draw()


def test_it_draws_on_axes_that_are_given() -> None:
    from matplotlib import pyplot

    figure = pyplot.figure()
    ax = figure.add_subplot(projection="3d")
    display = rocch.plots.MissFrontDisplay.from_surface(three_class_surface(), ax=ax)
    assert (display.ax_, display.figure_) == (ax, figure)
    flat = pyplot.subplots()[1]
    assert rocch.plots.MissFrontDisplay.from_surface(many_class_surface(2), ax=flat).ax_ is flat
    with pytest.raises(rocch.InputError, match="ax must be three-dimensional; got flat axes"):
        rocch.plots.MissFrontDisplay.from_surface(three_class_surface(), ax=flat)


def test_more_classes_are_refused_with_the_alternative() -> None:
    with pytest.raises(rocch.InputError, match=r"two or three classes.*got 4. ParallelRates"):
        rocch.plots.MissFrontDisplay.from_surface(many_class_surface(4))


def test_bad_input_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="surface must be a RocSurface"):
        lib.plots.MissFrontDisplay.from_surface({"a": 1})
    with pytest.raises(rocch.InputError, match=r"marks must be a Mapping.*Map names to members"):
        lib.plots.MissFrontDisplay.from_surface(three_class_surface(), marks=[0])


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rocch.MissingExtraError, match=r"rocch\[plot\]"):
        rocch.plots.MissFrontDisplay.from_surface(three_class_surface())
