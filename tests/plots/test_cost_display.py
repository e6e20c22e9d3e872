"""The cost curve display draws what the cost curve says."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

import rocch
from rocch import Conditions, RocCurve, RocHull
from rocch.plots import CostCurveDisplay
from rocch.plots.costs import MOST_LINES
from rocch.roc import CostCurve

mpl.use("Agg")

KNOWN = Conditions(prevalence=0.3, false_positive=1, false_negative=2)
VAGUE = Conditions(prevalence="observed", false_positive=1, false_negative=(2, 8))


@pytest.fixture
def hull() -> RocHull:
    a = RocCurve.from_counts([1, 12], [8, 20], negatives=20, positives=20, name="a")
    b = RocCurve.from_counts([5], [16], negatives=20, positives=20, name="b")
    c = RocCurve.from_counts([10], [10], negatives=20, positives=20, name="c")
    return RocHull.of(a, b, c)


def segments(pieces: Any) -> list[list[list[float]]]:
    return [piece.tolist() for piece in pieces.get_segments()]


def test_the_joint_envelope_and_each_own_one(hull: RocHull) -> None:
    display: Any = CostCurveDisplay.from_hull(hull)
    cost = CostCurve(hull)
    assert np.array_equal(display.envelope_line_.get_data(), cost.knots)
    assert set(display.curve_lines_) == {"a", "b", "c"}
    for name, line in display.curve_lines_.items():
        assert np.array_equal(line.get_data(), cost.members[name].knots)
        assert line.get_color() == display._looks[name].color
        assert line.get_label() == name
    assert display.envelope_line_.get_linewidth() > 2 * display.curve_lines_["a"].get_linewidth()


def test_settings_are_faint_lines_from_fpr_to_miss_rate(hull: RocHull) -> None:
    display: Any = CostCurveDisplay.from_hull(hull)
    assert segments(display.setting_lines_["b"]) == [[[0, 0.25], [1, 0.2]]]
    assert segments(display.setting_lines_["a"]) == [[[0, 0.05], [1, 0.6]], [[0, 0.6], [1, 0]]]
    assert segments(display.setting_lines_["c"]) == []  # on the diagonal: no vertex of its own
    assert display.setting_lines_["b"].get_alpha() < 0.3


def test_only_some_of_many_settings_are_drawn() -> None:
    steps = np.arange(200)
    fp, tp = np.cumsum(steps), np.cumsum(steps[::-1])
    curve = RocCurve.from_counts(
        fp,
        tp,
        negatives=int(fp[-1]),
        positives=int(tp[-1]),
        lowest_scores=-1.0 * steps,
        name="round",
    )
    drawn = segments(CostCurveDisplay.from_hull(RocHull.of(curve)).setting_lines_["round"])
    inner = CostCurve.of(curve).lines[1:-1]
    assert len(inner) > MOST_LINES == len(drawn)
    assert drawn[0] == [[0, inner[0].fpr], [1, inner[0].fnr]]
    assert drawn[-1] == [[0, inner[-1].fpr], [1, inner[-1].fnr]]


def test_of_many_classifiers_fewer_settings_are_drawn_each() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(300) < 0.5
    for number, each in ((16, 3), (7, 6)):
        scores = {f"m{i}": rng.normal(size=300) + y for i in range(number)}
        display: Any = CostCurveDisplay.from_predictions(y, scores)
        assert {len(segments(lines)) for lines in display.setting_lines_.values()} == {each}


def test_trivial_classifiers_are_dashed_diagonals(hull: RocHull) -> None:
    display: Any = CostCurveDisplay.from_hull(hull)
    never, always = display.trivial_lines_["never"], display.trivial_lines_["always"]
    assert np.array_equal(never.get_data(), ([0, 1], [0, 1]))
    assert np.array_equal(always.get_data(), ([0, 1], [1, 0]))
    assert never.get_linestyle() == always.get_linestyle() == "--"


def test_bars_below_the_axis_are_operating_ranges_and_winning_ranges(hull: RocHull) -> None:
    display: Any = CostCurveDisplay.from_hull(hull)
    cost = CostCurve(hull)
    for i, name in enumerate(("a", "b", "c")):
        useful = cost.members[name].operating_range
        bars = segments(display.range_bars_[name])
        assert [[x for x, _ in bar] for bar in bars] == ([list(useful)] if useful else [])
        won = [[row.low, row.high] for row in cost.winning_ranges() if row.classifier == name]
        thick = segments(display.winning_bars_[name])
        assert [[x for x, _ in bar] for bar in thick] == won
        heights = {y for bar in (*bars, *thick) for _, y in bar}
        assert len(heights) == (0 if name == "c" else 1)
        assert all(display.ax_.get_ylim()[0] < y < 0 for y in heights), i
    assert len(segments(display.winning_bars_["a"])) == 2  # it wins on both sides of b


def test_the_axis_below_0_has_no_ticks(hull: RocHull) -> None:
    ax = CostCurveDisplay.from_hull(hull).ax_
    assert min(ax.get_yticks()) == 0
    assert ax.get_ylim()[0] < 0


def test_the_height_follows_the_costliest_envelope() -> None:
    y = np.arange(1000) % 2 == 0
    scores = np.where(np.arange(1000) == 1, 2.0, y * 1.0)
    top = CostCurveDisplay.from_predictions(y, {"good": scores}).ax_.get_ylim()[1]
    assert top < 0.01
    perfect: Any = CostCurveDisplay.from_predictions([0, 1], {"perfect": [0, 1]})
    assert perfect.ax_.get_ylim()[1] == 0.52


def test_conditions_are_a_line_or_a_band(hull: RocHull) -> None:
    display: Any = CostCurveDisplay.from_hull(hull, conditions=[KNOWN, VAGUE])
    line, band = display.condition_marks_
    at = rocch.roc.probability_cost(KNOWN).low
    assert line.get_xdata() == [at, at]
    assert line.get_label() == f"given conditions: {at:.3g}"
    low, high = rocch.roc.probability_cost(VAGUE.resolved(hull.totals))
    x = band.get_path().transformed(band.get_patch_transform()).vertices[:, 0]
    assert (x.min(), x.max()) == pytest.approx((low, high))
    assert band.get_label() == f"given conditions: {low:.3g} to {high:.3g}"


def test_axes_and_legend_are_in_words(hull: RocHull) -> None:
    display: Any = CostCurveDisplay.from_hull(hull, conditions=KNOWN)
    assert "Probability cost of positives" in display.ax_.get_xlabel()
    (below,) = display.figure_.legends
    assert {text.get_text() for text in below.get_texts()} == {
        "best of all (hull)",
        "a",
        "b",
        "c",
        "never or always alarm",
        "below: beats never and always",
        "below: best of all",
        f"given conditions: {rocch.roc.probability_cost(KNOWN).low:.3g}",
    }


def test_conditions_that_are_none_are_refused(hull: RocHull) -> None:
    with pytest.raises(rocch.InputError, match="conditions must be Conditions"):
        CostCurveDisplay.from_hull(hull, conditions=0.3)


def test_a_belief_is_a_band_where_it_lies(hull: RocHull) -> None:
    belief = rocch.Belief.cost_ratio(2, 8, likely=4).with_prevalence(0.3)
    display: Any = CostCurveDisplay.from_hull(hull, conditions=belief)
    (band,) = display.condition_marks_
    x = band.get_path().transformed(band.get_patch_transform()).vertices[:, 0]
    assert (x.min(), x.max()) == pytest.approx(belief.axis_range)
    lines: Any = rocch.plots.RocHullDisplay.from_hull(hull, conditions=belief)
    assert len(lines.iso_lines_) == 2
