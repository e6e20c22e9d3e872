"""The sketch of the hull that is there before any script runs."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.report.render import page_file
from rocch.report.svg import BOTTOM, LEFT, SIZE, draw_class_hulls, draw_hull, iso_line
from tests.support import many_reports
from tests.support.reports import binary, counts_only, fraud, multiclass, strange

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
    circles = drawing(draw_hull(binary(fraud()))).findall(".//circle")
    answer = binary(fraud()).answer
    assert [(c.get("cx"), c.get("cy")) for c in circles] == [
        (f"{LEFT + SIZE * answer.fpr:.1f}", f"{BOTTOM - SIZE * answer.tpr:.1f}")
    ]


def test_a_range_has_two_lines_and_a_number_one() -> None:
    def lines(text: str) -> int:
        return len(drawing(text).findall(".//line[@class='iso']"))

    assert lines(draw_hull(binary(fraud()))) == 2
    assert lines(draw_hull(binary(strange()))) == 1
    hits = replace(binary(fraud()), answer=replace(binary(fraud()).answer, slopes=None, choices=()))
    assert lines(draw_hull(hits)) == 0


def test_lines_of_a_range_touch_the_hull() -> None:
    summary = binary(fraud())
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
    line = drawing(draw_hull(binary(counts_only()))).find(".//polyline")
    assert line is not None
    points = (line.get("points") or "").split()
    assert points[0] == f"{LEFT},{BOTTOM}"
    assert points[-1] == f"{LEFT + SIZE},{BOTTOM - SIZE}"
    assert len(points) == len(binary(counts_only()).hull.classifier)


def test_what_the_eye_cannot_tell_apart_is_left_out() -> None:
    counts = tuple(float(i) for i in range(20_001))
    summary = binary(fraud())
    hull = replace(summary.hull, false_positives=counts, true_positives=counts)
    data = replace(summary.data, positives=20_000.0, negatives=20_000.0)
    line = drawing(draw_hull(replace(summary, hull=hull, data=data))).find(".//polyline")
    assert line is not None
    assert 500 < len((line.get("points") or "").split()) < 1500


def test_the_script_places_points_where_the_sketch_does() -> None:
    said = re.search(
        r"\(fpr\) => (\d+) \+ (\d+) \* fpr, \(tpr\) => (\d+) -", page_file("drawings.js")
    )
    assert said is not None
    assert [float(number) for number in said.groups()] == [LEFT, SIZE, BOTTOM]


def test_long_names_of_classes_are_cut_and_without_hulls_nothing_is_drawn() -> None:
    assert "\N{HORIZONTAL ELLIPSIS}" in draw_class_hulls(multiclass(many_reports.strange()))
    assert draw_class_hulls(multiclass(many_reports.given_counts())) == ""
