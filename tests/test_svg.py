"""Small pictures: where things lie, and what they say."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from rocch.svg import (
    COLORS,
    MOST,
    Axis,
    Line,
    Mark,
    draw_amounts,
    draw_bars,
    draw_intervals,
    draw_lines,
    draw_ranges,
)

SVG = "{http://www.w3.org/2000/svg}"


def parse(picture: str) -> ElementTree.Element:
    return ElementTree.fromstring(picture)  # noqa: S314 - our own text


def texts(picture: str) -> list[str]:
    return [each.text or "" for each in parse(picture).iter(f"{SVG}text")]


def bars(picture: str) -> list[tuple[float, float]]:
    """Return where bars begin and end."""
    found = parse(picture).iter(f"{SVG}rect")
    return [(float(b.get("x", 0)), float(b.get("x", 0)) + float(b.get("width", 0))) for b in found]


@pytest.mark.parametrize(
    ("values", "log", "places"),
    [
        ([2.0, 6.0], False, {2.0: 0.0, 3.0: 0.25, 6.0: 1.0}),
        ([1.0, 100.0], True, {1.0: 0.0, 10.0: 0.5, 100.0: 1.0}),
        ([0.0, 5.0], True, {0.0: 0.0, 1.0: 0.5, math.inf: 1.0}),
        ([1.0, math.inf], True, {1.0: 0.5, 3.0: 0.75}),
        ([3.0], False, {3.0: 0.5}),
    ],
)
def test_values_have_their_place(
    values: list[float], log: bool, places: dict[float, float]
) -> None:
    axis = Axis(values, log=log)
    for value, place in places.items():
        assert axis.place(value) == pytest.approx(place)


@pytest.mark.parametrize("ends", [(0, 1), (0.2, 0.31), (-3, 4000), (1e-9, 2e-9), (5, 5)])
@pytest.mark.parametrize("log", [True, False])
def test_ticks_are_a_few_round_numbers_at_their_place(ends: tuple[float, float], log: bool) -> None:
    axis = Axis(ends, log=log)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 7
    for place, text in ticks:
        assert -1e-9 <= place <= 1 + 1e-9
        value = math.inf if text == "∞" else float(text.replace(",", ""))
        assert axis.place(value) == pytest.approx(place, abs=0.02)


def test_lines_are_drawn_and_named() -> None:
    lines = [Line("<a>", [0.0, 0.5, 1.0], [0.0, 0.8, 1.0]), Line("b", [0.0, 1.0], [0.0, 1.0], True)]
    picture = draw_lines(lines, "FPR", "TPR", points=[(0.5, 0.8)], whole=True, diagonal=True)
    assert {"FPR", "TPR", "<a>", "b"} <= set(texts(picture))
    drawn = list(parse(picture).iter(f"{SVG}polyline"))
    assert [each.get("stroke") for each in drawn] == ["currentColor", COLORS[1], COLORS[0]]
    (point,) = parse(picture).iter(f"{SVG}circle")
    middle = drawn[-1].get("points", "").split()[1]
    assert middle == f"{point.get('cx')},{point.get('cy')}"


def test_many_points_are_thinned_but_both_ends_stay() -> None:
    many = [place / 10_000 for place in range(10_001)]
    ends = parse(draw_lines([Line("a", many, many)], "x", "y")).find(f"{SVG}polyline")
    assert ends is not None
    places = ends.get("points", "").split()
    few = parse(draw_lines([Line("a", [0, 1], [0, 1])], "x", "y")).find(f"{SVG}polyline")
    assert few is not None
    assert len(places) < 500
    assert [places[0], places[-1]] == few.get("points", "").split()


def test_missing_values_are_left_out() -> None:
    picture = draw_lines([Line("a", [0, 1, 2], [1, math.nan, 3])], "x", "y")
    line = parse(picture).find(f"{SVG}polyline")
    assert line is not None
    assert len(line.get("points", "").split()) == 2


def test_ranges_touch_where_their_values_do() -> None:
    picture = draw_ranges([Mark("a", 0.0, 2.0), Mark("b", 2.0, math.inf)], "ratio")
    (start, middle), (again, end) = bars(picture)
    assert middle == pytest.approx(again, abs=0.2)
    assert start < middle < end
    assert {"a", "b", "ratio", "∞"} <= set(texts(picture))


def test_bars_lie_on_an_axis_from_0_to_1() -> None:
    (low, high), _ = bars(draw_bars([Mark("a", 0.0, 0.25), Mark("b", 0.25, 1.0)], "mass"))
    assert high - low == pytest.approx(260 / 4, abs=0.2)


def test_intervals_hold_their_value_and_a_reference() -> None:
    marks = [Mark("a - b", -1.0, 3.0, 1.0), Mark("b - c", None, None, 2.0)]
    picture = draw_intervals(marks, "difference", reference=0)
    ((low, high),) = bars(picture)
    first, second = (float(each.get("cx", 0)) for each in parse(picture).iter(f"{SVG}circle"))
    assert first == pytest.approx((low + high) / 2, abs=0.2)
    assert first < second < high
    dashed = [e for e in parse(picture).iter(f"{SVG}line") if e.get("stroke-dasharray")]
    assert len(dashed) == 1
    assert float(dashed[0].get("x1", 0)) == pytest.approx(low + (high - low) / 4, abs=0.2)


def test_only_some_of_many_are_drawn() -> None:
    marks = [Mark(f"model number {i} with a long long long name", 0.0, 1.0) for i in range(30)]
    picture = draw_intervals(marks, "AUC")
    assert len(bars(picture)) == MOST
    assert any("20 more rows" in text for text in texts(picture))
    assert max(map(len, texts(picture))) <= 34
    lines = [Line(str(i), [0, 1], [0, i]) for i in range(30)]
    assert "and 20 more" in texts(draw_lines(lines, "x", "y"))


def test_nothing_needs_no_picture() -> None:
    assert draw_intervals([], "AUC") == ""


def test_amounts_are_bars_from_0_in_one_color() -> None:
    picture = draw_amounts([Mark("a", 0.0, 30.0), Mark("b", 0.0, 15.0)], "cost")
    (start, end), (other, half) = bars(picture)
    assert start == other
    assert half - other == pytest.approx((end - start) / 2, abs=0.1)
    assert {each.get("fill") for each in parse(picture).iter(f"{SVG}rect")} == {COLORS[0]}


def test_lines_mark_a_point_in_their_color() -> None:
    lines = [Line("a", [0, 1], [0, 1]), Line("b", [0, 1], [1, 0], mark=(2.0, 0.0))]
    picture = parse(draw_lines(lines, "x", "y"))
    (circle,) = picture.iter(f"{SVG}circle")
    assert circle.get("fill") == COLORS[1]
    ends = [line.get("points", "").split()[-1] for line in picture.iter(f"{SVG}polyline")]
    assert all(float(end.split(",")[0]) < float(circle.get("cx", 0)) for end in ends)
