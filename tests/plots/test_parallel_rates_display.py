"""Parallel coordinates show each member's rates, and chosen members by name."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.text import Text

import rocch
from rocch.multiclass.views import even_sample
from tests.support.surfaces import many_class_surface, three_class_surface

mpl.use("Agg")
lib: Any = rocch  # so that mypy lets the tests pass what users should not


def heights(display: rocch.plots.ParallelRatesDisplay) -> Any:
    return np.array([segment[:, 1] for segment in display.lines_.get_segments()])


def labels(display: rocch.plots.ParallelRatesDisplay) -> list[str]:
    return [text.get_text() for text in display.ax_.get_xticklabels()]


@pytest.mark.parametrize("size", [2, 4, 6])
def test_lines_are_the_rates_of_an_even_sample(size: int) -> None:
    surface = many_class_surface(size)
    display = rocch.plots.ParallelRatesDisplay.from_surface(surface, most=25)
    places = even_sample(surface, 25)
    assert display.shown_.tolist() == places.tolist()
    assert np.array_equal(heights(display), surface.rates[places])
    assert labels(display) == [f"{truth} → {answer}" for truth, answer in surface.classes.pairs]


def test_the_title_says_how_many_of_how_many() -> None:
    surface = three_class_surface()
    display = rocch.plots.ParallelRatesDisplay.from_surface(surface, most=10)
    expected = f"Error rates, truth → prediction: 10 of {len(surface)} members"
    assert display.ax_.get_title(loc="left") == expected
    everyone = rocch.plots.ParallelRatesDisplay.from_surface(surface)
    assert f"all {len(surface)} members" in everyone.ax_.get_title(loc="left")


def test_misses_have_an_axis_for_each_class() -> None:
    surface = three_class_surface("misses")
    own = rocch.plots.ParallelRatesDisplay.from_surface(surface)
    assert labels(own) == ["ash", "birch", "cedar"]
    assert np.array_equal(heights(own), surface.miss_rates[own.shown_])
    full = three_class_surface()
    asked = rocch.plots.ParallelRatesDisplay.from_surface(full, objectives="misses")
    assert np.array_equal(heights(asked), full.miss_rates[asked.shown_])


def test_chosen_members_are_thick_labeled_lines() -> None:
    surface = many_class_surface(4)
    display = rocch.plots.ParallelRatesDisplay.from_surface(surface, marks={"one": 0, "two": 3})
    for name, place in (("one", 0), ("two", 3)):
        line = display.mark_lines_[name]
        assert np.array_equal(np.asarray(line.get_ydata()), surface.rates[place])
        assert line.get_linewidth() > 2
        assert display.mark_labels_[name].get_text() == name
    colors = {line.get_color() for line in display.mark_lines_.values()}
    assert len(colors) == 2


def test_by_default_the_fewest_errors_and_the_knee_are_marked() -> None:
    surface = many_class_surface(4)
    best, knee = surface.fewest_errors().member.place, surface.knee().member.place
    display = rocch.plots.ParallelRatesDisplay.from_surface(surface)
    expected = ["fewest errors, knee"] if best == knee else ["fewest errors", "knee"]
    assert list(display.mark_lines_) == expected
    same = rocch.plots.ParallelRatesDisplay.from_surface(surface, marks={"a": 1, "b": 1})
    assert list(same.mark_labels_) == ["a, b"]
    assert rocch.plots.ParallelRatesDisplay.from_surface(surface, marks={}).mark_lines_ == {}


def test_labels_of_chosen_members_do_not_cover_one_another() -> None:
    surface = many_class_surface(4)
    marks = {f"number {i}": i for i in range(8)}
    display = rocch.plots.ParallelRatesDisplay.from_surface(surface, marks=marks)
    display.figure_.canvas.draw()
    boxes = [Text.get_window_extent(text) for text in display.mark_labels_.values()]
    assert len(boxes) == 8
    ends = sorted((box.y0, box.y1) for box in boxes)
    assert all(low[1] <= high[0] + 1 for low, high in pairwise(ends))


def overlaps(display: rocch.plots.ParallelRatesDisplay) -> bool:
    display.figure_.canvas.draw()
    boxes = [text.get_window_extent() for text in display.ax_.get_xticklabels()]
    return any(left.x1 > right.x0 for left, right in pairwise(boxes))


@pytest.mark.parametrize("size", [3, 4, 6])
def test_axis_labels_do_not_overlap(size: int) -> None:
    assert not overlaps(rocch.plots.ParallelRatesDisplay.from_surface(many_class_surface(size)))


def test_long_names_are_cut_and_stand_upright() -> None:
    truth = ["an elm of uncommon size", "a lime tree", "$yew_"] * 4
    answers = ["an elm of uncommon size", "$yew_", "a lime tree"] * 4
    surface = rocch.multiclass.RocSurface.of(
        {"x": rocch.multiclass.Confusion.from_labels(truth, answers)}
    )
    display = rocch.plots.ParallelRatesDisplay.from_surface(surface)
    assert not overlaps(display)
    assert labels(display)[0] == r"\$yew_ → a lime tree"
    assert labels(display)[1] == r"\$yew_ → an elm…n size"
    box = display.ax_.get_tightbbox()
    assert box is not None
    assert box.y0 >= 0


def test_it_draws_on_axes_that_are_given() -> None:
    from matplotlib import pyplot

    figure, ax = pyplot.subplots()
    display = rocch.plots.ParallelRatesDisplay.from_surface(three_class_surface(), ax=ax)
    assert (display.ax_, display.figure_) == (ax, figure)


def test_no_errors_at_all_can_be_drawn() -> None:
    truth = ["a", "b", "c"]
    perfect = rocch.multiclass.RocSurface.of(
        {"x": rocch.multiclass.Confusion.from_labels(truth, truth)}
    )
    display = rocch.plots.ParallelRatesDisplay.from_surface(perfect)
    assert display.ax_.get_ylim()[1] > 1


def test_too_many_axes_are_refused_with_the_alternative() -> None:
    surface = many_class_surface(9, draws=20)
    with pytest.raises(rocch.InputError, match=r"at most 60 rates .* got 72. Pass objectives='mis"):
        rocch.plots.ParallelRatesDisplay.from_surface(surface)
    assert (
        len(labels(rocch.plots.ParallelRatesDisplay.from_surface(surface, objectives="misses")))
        == 9
    )
    with pytest.raises(rocch.InputError, match=r"at most 60 rates .* got 61. Show a few classes"):
        rocch.plots.ParallelRatesDisplay.from_surface(
            many_class_surface(61, draws=2), objectives="misses"
        )


def test_bad_input_is_refused() -> None:
    surface = three_class_surface()
    with pytest.raises(rocch.InputError, match="objectives must be one of 'rates', 'misses'"):
        lib.plots.ParallelRatesDisplay.from_surface(surface, objectives="costs")
    with pytest.raises(rocch.InputError, match="most must be a whole number, at least 1"):
        lib.plots.ParallelRatesDisplay.from_surface(surface, most=0)
    with pytest.raises(rocch.InputError, match="surface must be a RocSurface"):
        lib.plots.ParallelRatesDisplay.from_surface("surface")
    with pytest.raises(rocch.InputError, match="marks must be a whole number from 0 to"):
        lib.plots.ParallelRatesDisplay.from_surface(surface, marks={"x": len(surface)})
