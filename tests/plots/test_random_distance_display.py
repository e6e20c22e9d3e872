"""Histograms of the distance from random allocation show the counts behind them."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch
from rocch.multiclass.views import DistanceHistogram
from tests.support.surfaces import many_class_surface, three_class_surface

mpl.use("Agg")
lib: Any = rocch  # so that mypy lets the tests pass what users should not


def bad_surface() -> rocch.multiclass.RocSurface:
    truth = ["ash"] * 3 + ["birch"] * 3 + ["cedar"] * 3
    answers = ["birch"] * 3 + ["cedar"] * 3 + ["ash"] * 3
    return rocch.multiclass.RocSurface.of(
        {"bad": rocch.multiclass.Confusion.from_labels(truth, answers)}
    )


def test_outlines_are_the_counts_in_the_same_bins() -> None:
    surfaces = {"good": three_class_surface(), "bad": bad_surface()}
    display = rocch.plots.RandomDistanceDisplay.from_surfaces(surfaces, bins=15)
    found = DistanceHistogram.of(list(surfaces.values()), bins=15)
    for steps, counts in zip(display.steps_, found.counts, strict=True):
        values, edges, _ = steps.get_data()
        assert np.asarray(values).tolist() == counts.tolist()
        assert np.asarray(edges).tolist() == found.edges.tolist()
    assert [ax.get_title(loc="left") for ax in display.axes_] == ["good", "bad"]
    assert len({ax.get_xlim() for ax in display.axes_}) == 1


def test_the_picture_says_how_many_lie_beyond() -> None:
    good = three_class_surface()
    display = rocch.plots.RandomDistanceDisplay.from_surfaces({"good": good, "bad": bad_surface()})
    texts = [[text.get_text() for text in ax.texts] for ax in display.axes_]
    assert not good.beyond_random.any()
    assert f"none of {len(good)} worse than random " in texts[0]
    assert "1 of 1 worse than random " in texts[1]


def test_lines_stand_at_random_and_at_no_errors() -> None:
    display = rocch.plots.RandomDistanceDisplay.from_surfaces(three_class_surface())
    (ax,) = display.axes_
    lines = {float(np.asarray(line.get_xdata())[0]) for line in ax.lines}
    assert lines == {0.0, display.histogram.perfect}
    low, high = ax.get_xlim()
    assert low < display.histogram.perfect
    assert high > 0
    assert "negative: better" in ax.get_xlabel()


def test_one_surface_needs_no_name() -> None:
    display = rocch.plots.RandomDistanceDisplay.from_surfaces(three_class_surface())
    assert display.names == ("",)
    assert display.axes_[0].get_title(loc="left") == ""


def test_it_draws_on_axes_that_are_given() -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2)
    both = {"a": three_class_surface(), "b": bad_surface()}
    display = rocch.plots.RandomDistanceDisplay.from_surfaces(both, ax=axes)
    assert display.axes_ == list(axes)
    assert display.figure_ is figure
    with pytest.raises(rocch.InputError, match="ax must be 2 axes, one for each surface; got 1"):
        rocch.plots.RandomDistanceDisplay.from_surfaces(both, ax=axes[0])


def test_bad_input_is_refused() -> None:
    draw = lib.plots.RandomDistanceDisplay.from_surfaces
    with pytest.raises(rocch.InputError, match=r"surfaces must map names to RocSurface.*got none"):
        draw({})
    with pytest.raises(rocch.InputError, match=r"surfaces must map names to RocSurface.*type list"):
        draw([])
    with pytest.raises(rocch.InputError, match=r"surfaces\['x'\] must be a RocSurface"):
        draw({"x": 3})
    with pytest.raises(rocch.InputError, match="surfaces must have equally many classes"):
        draw({"x": three_class_surface(), "y": many_class_surface(4)})
    with pytest.raises(rocch.InputError, match="bins must be"):
        draw(three_class_surface(), bins=0)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rocch.MissingExtraError, match=r"rocch\[plot\]"):
        rocch.plots.RandomDistanceDisplay.from_surfaces(three_class_surface())
