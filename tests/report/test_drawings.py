"""Drawings that are there before any script runs."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.report.drawings import (
    BOTTOM,
    LEFT,
    SIZE,
    binary_drawings,
    class_sketch,
    iso_line,
    legend,
    multiclass_drawings,
    sketch,
    slope_share,
    winners_strip,
)
from rocch.report.render import page_file
from rocch.report.summary import Winner
from tests.support.charts import (
    counts_only,
    fourteen_classes,
    fraud,
    given_counts,
    strange,
    strange_classes,
    wine,
)
from tests.support.many_reports import STRANGE_CLASSES, STRANGE_MODELS
from tests.support.reports import STRANGE_NAMES

rates = st.floats(0, 1)


def drawing(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314 - our own text


@given(slope=st.floats(1e-6, 1e6), fpr=rates, tpr=rates)
def test_an_iso_line_goes_through_its_point_and_stays_in_the_square(
    slope: float, fpr: float, tpr: float
) -> None:
    (x0, y0), (x1, y1) = iso_line(slope, fpr, tpr)
    assert 0 <= x0 <= fpr <= x1 <= 1
    assert y0 == pytest.approx(tpr + slope * (x0 - fpr), abs=1e-9)
    for y in (y0, y1):
        assert -1e-9 <= y <= 1 + 1e-9
    assert min(x0, y0) == pytest.approx(0, abs=1e-9)  # it begins at the edge
    assert max(x1, y1) == pytest.approx(1, abs=1e-9)


def test_steep_and_flat_lines() -> None:
    assert iso_line(math.inf, 0.25, 0.5) == ((0.25, 0.0), (0.25, 1.0))
    assert iso_line(0.0, 0.25, 0.5) == ((0.0, 0.5), (1.0, 0.5))


def test_the_chosen_setting_is_marked() -> None:
    circles = drawing(sketch(fraud())).findall(".//circle")
    answer = fraud().answer
    assert [(c.get("cx"), c.get("cy")) for c in circles] == [
        (f"{LEFT + SIZE * answer.fpr:.1f}", f"{BOTTOM - SIZE * answer.tpr:.1f}")
    ]


def test_a_range_has_two_lines_and_a_number_one() -> None:
    def lines(text: str) -> int:
        return len(drawing(text).findall(".//line[@class='iso']"))

    assert lines(sketch(fraud())) == 2
    assert lines(sketch(strange())) == 1
    hits = replace(fraud(), answer=replace(fraud().answer, slopes=None, choices=()))
    assert lines(sketch(hits)) == 0


def test_lines_of_a_range_touch_the_hull() -> None:
    summary = fraud()
    answer, hull, data = summary.answer, summary.hull, summary.data
    assert answer.slopes is not None
    low = float(answer.slopes[0])
    vertex = answer.choices[0].vertex
    fpr = hull.false_positives[vertex] / data.negatives
    tpr = hull.true_positives[vertex] / data.positives
    best = max(
        t / data.positives - low * f / data.negatives
        for f, t in zip(hull.false_positives, hull.true_positives, strict=True)
    )
    assert tpr - low * fpr == pytest.approx(best)


def test_the_hull_runs_from_corner_to_corner() -> None:
    line = drawing(sketch(counts_only())).find(".//polyline")
    assert line is not None
    points = (line.get("points") or "").split()
    assert points[0] == f"{LEFT},{BOTTOM}"
    assert points[-1] == f"{LEFT + SIZE},{BOTTOM - SIZE}"
    assert len(points) == len(counts_only().hull.classifier)


def test_what_the_eye_cannot_tell_apart_is_left_out() -> None:
    counts = tuple(float(i) for i in range(20_001))
    summary = fraud()
    hull = replace(summary.hull, false_positives=counts, true_positives=counts)
    data = replace(summary.data, positives=20_000.0, negatives=20_000.0)
    line = drawing(sketch(replace(summary, hull=hull, data=data))).find(".//polyline")
    assert line is not None
    assert 500 < len((line.get("points") or "").split()) < 1500


def test_the_script_places_points_where_the_sketch_does() -> None:
    said = re.search(
        r"\(fpr\) => (\d+) \+ (\d+) \* fpr, \(tpr\) => (\d+) -", page_file("charts.js")
    )
    assert said is not None
    assert [float(number) for number in said.groups()] == [LEFT, SIZE, BOTTOM]


def pieces(text: str) -> ElementTree.Element:
    """Read markup, which must have every tag closed, and every name escaped."""
    return drawing(f"<div>{text}</div>")


def test_a_legend_has_a_button_and_a_line_for_each_classifier() -> None:
    buttons = pieces(legend(STRANGE_NAMES * 2)).findall(".//button")
    assert [button.get("title") for button in buttons] == list(STRANGE_NAMES * 2)
    assert [button.get("data-toggles") for button in buttons] == [str(i) for i in range(16)]
    styles = [(button.find(".//line") or button[0][0]).get("style") for button in buttons]
    assert len(set(styles)) == 16  # the ninth has another dash


def test_winners_lie_along_the_slopes() -> None:
    winners = (Winner("never", 0.0, 0.5), Winner("gbm", 0.5, 2.0), Winner("logit", 2.0, "inf"))
    bar, *ticks = pieces(winners_strip(replace(fraud(), winners=winners)))
    assert [stretch.get("class") for stretch in bar] == [
        "stretch trivial",
        "stretch k0",
        "stretch k2",
    ]
    assert bar[2].get("title") == "logit: slopes 2 to ∞"
    assert bar[1].get("style") == (
        f"left: {100 * slope_share(0.5):.3f}%; "
        f"width: {100 * (slope_share(2) - slope_share(0.5)):.3f}%"
    )
    assert {"0", "1", "1,000", "∞"} <= {tick.text for tick in ticks}


def test_a_narrow_stretch_has_no_name_and_very_many_leave_some_out() -> None:
    edges = [i / 1000 for i in range(1001)]
    pairs = list(pairwise(edges))
    winners = tuple(
        Winner(("gbm", "logit")[i % 2], low, high) for i, (low, high) in enumerate(pairs)
    )
    bar, *_ = pieces(winners_strip(replace(fraud(), winners=winners)))
    assert 100 < len(bar) < 1000
    assert len(bar[-1]) == 0


def test_slopes_run_from_0_to_infinity() -> None:
    shares = [slope_share(slope) for slope in (0, 0.01, 0.1, 1, 10, 100, math.inf)]
    assert shares == sorted(shares)
    assert (shares[0], shares[3], shares[-1]) == (0, 0.5, 1)


def test_histograms_show_both_classes_and_the_shape_of_scores() -> None:
    boxes = pieces(binary_drawings(strange())["histograms"])
    assert [box.get("data-classifier") for box in boxes] == list(STRANGE_NAMES)
    first = boxes[0]
    assert [path.get("class") for path in first.findall(".//path")] == ["positives", "negatives"]
    histogram = strange().classifiers[0].histogram
    picture = first.find(".//svg")
    assert histogram is not None
    assert picture is not None
    assert float(picture.get("data-low") or "nan") == histogram.edges[0]
    assert float(picture.get("data-high") or "nan") == histogram.edges[-1]
    ends = [span.text or "" for span in first.findall(".//div/span")]
    assert ends[0].startswith("\N{MINUS SIGN}")
    assert first[-1].text == "400 distinct scores, not on the hull"
    (only,) = pieces(binary_drawings(counts_only())["histograms"])
    assert only.find(".//svg") is None
    assert only[-1].text == "labels only"


def test_ties_are_named() -> None:
    first, *others = fraud().classifiers
    tied = replace(first, largest_tie=1200, on_hull=True)
    text = binary_drawings(replace(fraud(), classifiers=(tied, *others)))["histograms"]
    assert "<p>400 distinct scores, up to 1,200 rows tied</p>" in text


def test_a_single_score_has_its_histogram_in_the_middle() -> None:
    first, *others = fraud().classifiers
    assert first.histogram is not None
    flat = replace(first.histogram, edges=(2.0, 2.0), positives=(3.0,), negatives=(0.0,))
    text = binary_drawings(replace(fraud(), classifiers=(replace(first, histogram=flat), *others)))[
        "histograms"
    ]
    assert 'd="M0 50L100.00 4.00L100.00 4.00L200 50Z"' in text


def test_the_sketch_of_many_classes_has_a_panel_for_each_of_the_first() -> None:
    assert len(drawing(class_sketch(wine())).findall("polyline")) == 3
    assert len(drawing(class_sketch(fourteen_classes())).findall("polyline")) == 12
    assert "…" in class_sketch(strange_classes())
    assert class_sketch(given_counts()) == ""


def test_drawings_of_many_classes_name_models_marks_and_rates() -> None:
    drawings = multiclass_drawings(strange_classes())
    buttons = pieces(drawings["legend"]).findall(".//button")
    assert [button.get("title") for button in buttons] == list(STRANGE_MODELS)
    entries = pieces(drawings["marks"])
    assert len(entries) == len(strange_classes().recommended)
    options = pieces(drawings["rates"])
    assert [option.get("value") for option in options] == [str(i) for i in range(len(options))]
    assert options[2].text == f"what {STRANGE_CLASSES[0]} is taken for"
