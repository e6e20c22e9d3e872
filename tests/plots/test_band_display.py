"""Bands, boxes and averages: what is drawn is what they say."""

from __future__ import annotations

import itertools
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


def test_bands_are_shaded_between_steps_that_claim_no_more_than_the_grid(
    drawn: rocch.stats.Bootstrap,
) -> None:
    wide = drawn.band("a", kind="simultaneous")
    narrow = drawn.band("a", kind="pointwise", confidence=0.9)
    other = drawn.band("$b_", kind="pointwise")
    display = rocch.plots.RocBandDisplay.from_bands(wide, narrow, other)
    assert len(display.band_fills_) == 3
    for fill, band in zip(display.band_fills_, (wide, narrow, other), strict=True):
        corners: Any = fill.get_paths()[0].vertices
        places = set(zip(*np.round(corners.T, 12).tolist(), strict=True))
        for before, after in itertools.pairwise(range(len(band.fpr))):
            # a curve does not fall, so it lies above the limit before and below the one after
            low, high = band.low[before].round(12), band.high[after].round(12)
            for fpr in band.fpr[[before, after]].round(12):
                assert {(fpr, low), (fpr, high)} <= places
    wider, narrower = (fill.get_alpha() for fill in display.band_fills_[:2])
    assert wider is not None
    assert narrower is not None
    assert wider < narrower


def test_lines_are_the_exact_curves_which_pass_through_the_points_of_boxes() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(60) < 20
    scores = rng.normal(size=60) + y
    band = rocch.stats.roc_band(y, scores, kind="pointwise", replicates=50, name="a")
    boxes = rocch.stats.threshold_boxes(y, scores, [0.5, 1.0], name="a")
    display = rocch.plots.RocBandDisplay.from_bands(band, boxes=boxes)
    curve = rocch.RocCurve.from_scores(y, scores)
    line = display.band_lines_["a"]
    assert np.array_equal(line.get_xdata(), curve.fpr)
    assert np.array_equal(line.get_ydata(), curve.tpr)
    places = set(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True))
    assert {box.point for box in boxes} <= places
    # the notebook's picture rises from the corner, too
    first = band._repr_html_().split('<polyline points="')[-1].split(" ")[:2]
    (left, bottom), (above, higher) = (map(float, each.split(",")) for each in first)
    assert left == above
    assert higher < bottom


def test_the_legend_names_each_model_and_each_kind_of_band_once(
    drawn: rocch.stats.Bootstrap,
) -> None:
    bands = [drawn.band(name, kind="simultaneous") for name in ("a", "$b_")]
    sure = drawn.band("a", kind="simultaneous", method="kolmogorov")
    joint = drawn.band(kind="pointwise", confidence=0.9)
    boxes = drawn.boxes("a", [0.0, 1.0])
    display = rocch.plots.RocBandDisplay.from_bands(*bands, sure, joint, boxes=boxes)
    aucs = [band.curve.auc for band in (*bands, joint)]
    assert list(display.band_lines_) == ["a", "$b_", "joint hull"]
    assert labels(display) == [
        f"a (AUC {aucs[0]:.3f})",
        rf"\$b_ (AUC {aucs[1]:.3f})",
        f"joint hull (AUC {aucs[2]:.3f})",
        "95% simultaneous band",
        "95% Kolmogorov band",
        "90% pointwise band",
        "95% box at a threshold",
    ]


def test_the_legend_fits_a_column_of_a_journal(drawn: rocch.stats.Bootstrap) -> None:
    figure, ax = plt.subplots(figsize=(3.5, 3.5), layout="constrained")
    bands = [drawn.band(name, kind="simultaneous") for name in ("a", "$b_")]
    rocch.plots.RocBandDisplay.from_bands(*bands, ax=ax)
    figure.canvas.draw()
    legend: Any = ax.get_legend()
    outer, inner = ax.get_window_extent(), legend.get_window_extent()
    assert inner.width < 0.6 * outer.width
    assert inner.height < outer.height / 5


def test_boxes_stand_around_their_points(drawn: rocch.stats.Bootstrap) -> None:
    boxes = drawn.boxes("a", [0.0, 1.0])
    display = rocch.plots.RocBandDisplay.from_bands(boxes=boxes)
    for patch, box in zip(display.box_patches_, boxes, strict=True):
        assert patch.get_xy() == (box.fpr.low, box.tpr.low)
        assert patch.get_width() == pytest.approx(box.fpr.high - box.fpr.low)
        assert patch.get_height() == pytest.approx(box.tpr.high - box.tpr.low)
    assert labels(display) == ["a", "95% box at a threshold"]


def test_a_band_at_one_fpr_is_a_bar(drawn: rocch.stats.Bootstrap) -> None:
    sample = drawn.sample
    one = rocch.stats.bootstrap(sample.positive, sample.scores, replicates=50, fprs=[0.2])
    band = one.band("a", kind="pointwise")
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
    display = rocch.plots.RocBandDisplay.from_bands(drawn.band("a", kind="pointwise"), ax=ax)
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
