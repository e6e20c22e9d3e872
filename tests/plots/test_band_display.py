"""Bands, boxes and averages: what is drawn is what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch

mpl.use("Agg")
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def drawn() -> rocch.stats.Bootstrap:
    rng = np.random.default_rng(0)
    y = rng.random(150) < 0.4
    return rocch.stats.bootstrap(
        y, {"a": rng.normal(size=150) + y, "$b_": rng.normal(size=150) + 2 * y}, replicates=60
    )


def labels(display: rocch.plots.RocBandDisplay) -> list[str]:
    found: list[str] = display.ax_.get_legend_handles_labels()[1]
    return found


def test_bands_are_shaded_from_low_to_high_around_their_curve(drawn: rocch.stats.Bootstrap) -> None:
    wide = drawn.band("a", kind="simultaneous")
    narrow = drawn.band("a", kind="vertical", confidence=0.9)
    other = drawn.band("$b_", kind="vertical")
    display = rocch.plots.RocBandDisplay.from_bands(wide, narrow, other)
    assert len(display.band_fills_) == 3
    for fill, band in zip(display.band_fills_, (wide, narrow, other), strict=True):
        corners: Any = fill.get_paths()[0].vertices
        heights = set(zip(*np.round(corners.T, 12).tolist(), strict=True))
        assert set(zip(band.fpr.round(12), band.low.round(12), strict=True)) <= heights
        assert set(zip(band.fpr.round(12), band.high.round(12), strict=True)) <= heights
    assert list(display.band_lines_) == ["a", "$b_"]
    assert np.array_equal(display.band_lines_["a"].get_ydata(), wide.center)
    assert labels(display) == [
        "a",
        "a: 95% band for the whole curve",
        "a: 90% band at any one FPR",
        r"\$b_",
        r"\$b_: 95% band at any one FPR",
    ]
    wider, narrower = (fill.get_alpha() for fill in display.band_fills_[:2])
    assert wider is not None
    assert narrower is not None
    assert wider < narrower


def test_boxes_stand_around_their_points(drawn: rocch.stats.Bootstrap) -> None:
    boxes = drawn.boxes("a", [0.0, 1.0])
    display = rocch.plots.RocBandDisplay.from_bands(boxes=boxes)
    for patch, box in zip(display.box_patches_, boxes, strict=True):
        assert patch.get_xy() == (box.fpr.low, box.tpr.low)
        assert patch.get_width() == pytest.approx(box.fpr.high - box.fpr.low)
        assert patch.get_height() == pytest.approx(box.tpr.high - box.tpr.low)
    assert labels(display) == ["a: 95% box at a threshold"]


def test_a_band_at_one_fpr_is_a_bar(drawn: rocch.stats.Bootstrap) -> None:
    sample = drawn.sample
    one = rocch.stats.bootstrap(sample.positive, sample.scores, replicates=50, fprs=[0.2])
    band = one.band("a", kind="vertical")
    display = rocch.plots.RocBandDisplay.from_bands(band)
    (bar,) = display.band_fills_[0].get_segments()
    assert bar.tolist() == [[0.2, band.low[0]], [0.2, band.high[0]]]


def folds() -> list[rocch.RocCurve]:
    rng = np.random.default_rng(1)
    found = []
    for number in range(4):
        y = rng.random(60) < 0.5
        found.append(rocch.RocCurve.from_scores(y, rng.normal(size=60) + y, name=f"fold {number}"))
    return found


@pytest.mark.parametrize("by", ["fpr", "threshold"])
def test_averages_show_their_spread_within_the_unit_square(by: Any) -> None:
    curves = folds()
    mean = rocch.roc.average_curves(curves, by=by)
    display = rocch.plots.RocBandDisplay.from_average(mean, curves=curves)
    assert display.average_line_ is not None
    assert np.array_equal(display.average_line_.get_xdata(), mean.fpr)
    assert np.array_equal(display.average_line_.get_ydata(), mean.tpr)
    bars: Any = display.spreads_
    segments = [np.array(bar.get_segments()) for bar in bars[2]]
    assert len(segments) == (2 if by == "threshold" else 1)
    for ends in segments:
        assert ends.min() >= 0
        assert ends.max() <= 1 + 1e-12
    middle = segments[-1][5]
    place = int(np.argmin(np.abs(mean.fpr - middle[0, 0]) + np.abs(mean.tpr - middle.mean(0)[1])))
    assert middle[1, 1] - middle[0, 1] == pytest.approx(2 * mean.tpr_deviation[place], rel=1e-6)
    assert len(display.curve_lines_) == 4
    assert labels(display)[0] == "4 curves"
    assert labels(display)[1] == f"mean at each {'FPR' if by == 'fpr' else 'threshold'}"


def test_given_axes_are_used(drawn: rocch.stats.Bootstrap) -> None:
    _, ax = plt.subplots()
    display = rocch.plots.RocBandDisplay.from_bands(drawn.band("a", kind="vertical"), ax=ax)
    assert display.ax_ is ax


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: rocch.plots.RocBandDisplay.from_bands(), "bands must be at least one"),
        (lambda: rocch.plots.RocBandDisplay.from_bands(3), "bands must be a RocBand"),  # type: ignore[arg-type]
        (lambda: rocch.plots.RocBandDisplay.from_bands(boxes=[1]), "boxes must be"),  # type: ignore[list-item]
        (lambda: rocch.plots.RocBandDisplay.from_average(1), "average must be"),  # type: ignore[arg-type]
    ],
)
def test_bad_input(make: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        make()
