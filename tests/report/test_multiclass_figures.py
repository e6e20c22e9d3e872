"""Figures of reports on many classes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rocch.report.multiclass_figures import (
    MOST_LINES,
    multiclass_figures,
    rate_choices,
    suggested_color,
)
from tests.support.charts import (
    ALL,
    check_figure,
    fourteen_classes,
    given_counts,
    six_classes,
    strange_classes,
    strings,
    wine,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.report.summary import MulticlassData


def rates(data: MulticlassData, member: int, specified: list[dict[str, Any]]) -> list[float]:
    """Return rates as the page computes them."""
    counts = data.members.counts[member]
    return [sum(counts[cell] for cell in rate["cells"]) / rate["of"] for rate in specified]


def miss_rates(data: MulticlassData, member: int) -> list[float]:
    size = len(data.classes)
    counts = np.array(data.members.counts[member]).reshape(size, size)
    found: list[float] = (1 - np.diag(counts) / counts.sum(axis=1)).tolist()
    return found


@pytest.mark.parametrize("summary", ALL)
def test_figures_are_valid_and_in_the_colors_of_the_page(
    summary: Callable[[], MulticlassData],
) -> None:
    for figure in multiclass_figures(summary()).values():
        check_figure(figure)


@pytest.mark.parametrize(
    ("summary", "numbers"),
    [
        (wine, {"trade-offs": 5, "surface": 1, "curves": 1, "aucs": 1, "pairs": 2}),
        (six_classes, {"trade-offs": 7, "surface": 1, "curves": 1, "aucs": 1, "pairs": 2}),
        (fourteen_classes, {"trade-offs": 1, "curves": 2, "aucs": 1, "pairs": 1}),
        (given_counts, {"trade-offs": 5, "surface": 1}),
    ],
)
def test_each_element_has_its_figures(
    summary: Callable[[], MulticlassData], numbers: dict[str, int]
) -> None:
    names = [key.split("-chart")[0] for key in multiclass_figures(summary())]
    assert {name: names.count(name) for name in names} == numbers


def test_trade_offs_show_miss_rates_or_single_errors() -> None:
    choices = rate_choices(wine())
    assert [choice.label for choice in choices] == [
        "missed, of each class",
        "every kind of error",
        *(f"what class_{k} is taken for" for k in range(3)),
    ]
    assert choices[1].names[:2] == ["class_0 as class_1", "class_0 as class_2"]
    figures = multiclass_figures(wine())
    for i, choice in enumerate(choices):
        figure = figures[f"trade-offs-chart:{i}"]
        assert figure["name"] == choice.label
        assert figure["fit"]["names"] == choice.names
        assert len(figure["data"]) == 1 + len(wine().recommended)


@pytest.mark.parametrize("summary", [wine, six_classes, fourteen_classes])
def test_the_recommendation_is_shown_and_can_move(
    summary: Callable[[], MulticlassData],
) -> None:
    data = summary()
    figure = multiclass_figures(data)["trade-offs-chart:0"]
    (shown,) = figure["shows"]
    y = figure["data"][shown["trace"]]["y"]
    assert y[:-1] == pytest.approx(list(data.answer.miss_rates), abs=1e-6)
    for member in (0, len(data.members.counts) - 1):
        assert rates(data, member, shown["y"]) == pytest.approx(miss_rates(data, member))


@pytest.mark.parametrize("summary", [wine, six_classes, fourteen_classes])
def test_trade_offs_are_as_high_as_what_is_compared(
    summary: Callable[[], MulticlassData],
) -> None:
    for name, figure in multiclass_figures(summary()).items():
        if name.startswith("trade-offs"):
            thin, *strong = figure["data"]
            highest = max(y for trace in strong for y in trace["y"] if y is not None)
            low, top = figure["layout"]["yaxis"]["range"]
            assert low == 0
            assert highest < top <= min(max(1.3 * highest, 0.02), 1.02)
            beyond = any(y > top for y in thin["y"] if y is not None)
            assert figure["caption"].endswith("beyond the chart.") == beyond


def test_thin_lines_are_few_and_separate() -> None:
    thin = multiclass_figures(strange_classes())["trade-offs-chart:0"]["data"][0]
    assert thin["y"].count(None) == MOST_LINES
    assert thin["x"][:5] == [0, 1, 2, 3, None]
    assert (
        "250 of 395 members"
        in multiclass_figures(strange_classes())["trade-offs-chart:0"]["caption"]
    )
    few = multiclass_figures(wine())["trade-offs-chart:0"]
    assert few["data"][0]["y"].count(None) == sum(m >= 0 for m in wine().members.model)
    assert few["caption"].startswith("All 34 members of the surface.")
    assert "plain rules" in multiclass_figures(fourteen_classes())["trade-offs-chart:0"]["caption"]


def test_each_class_has_a_panel_with_all_curves_the_hull_and_the_recommendation() -> None:
    data = fourteen_classes()
    first, second = (multiclass_figures(data)[f"curves-chart:{i}"] for i in range(2))
    assert [len(each["fit"]["names"]) for each in (first, second)] == [12, 2]
    assert len(first["data"]) == 12 * (1 + len(data.models) + 2)
    assert first["data"][-1]["xaxis"] == "x12"
    assert {"xaxis", "yaxis", "xaxis12", "yaxis12"} <= set(first["layout"])
    size, member = len(data.classes), data.answer.member
    counts = np.array(data.members.counts[member]).reshape(size, size)
    for k, shown in enumerate([*first["shows"], *second["shows"]]):
        x, y = (rates(data, member, shown[axis]) for axis in "xy")
        others = counts.sum() - counts[k].sum()
        assert x == [pytest.approx((counts[:, k].sum() - counts[k, k]) / others)]
        assert y == [pytest.approx(counts[k, k] / counts[k].sum())]
    trace = second["data"][second["shows"][1]["trace"]]
    assert [*trace["x"], *trace["y"]] == pytest.approx([*x, *y], abs=1e-6)


def test_models_without_probabilities_have_no_curves() -> None:
    assert not any("curves" in key for key in multiclass_figures(given_counts()))
    first, second = wine().models
    mixed = replace(wine(), models=(replace(first, curves=(), aucs=None), second))
    figures = multiclass_figures(mixed)
    assert len(figures["curves-chart:0"]["data"]) == 3 * (1 + 1 + 2)
    (trace,) = figures["aucs-chart"]["data"]
    assert trace["legendgroup"] == "1"


def test_areas_of_models_lie_side_by_side() -> None:
    figure = multiclass_figures(wine())["aucs-chart"]
    first, second = figure["data"]
    assert figure["fit"]["names"][:3] == ["all pairs (M)", "macro", "total"]
    aucs = wine().models[0].aucs
    assert aucs is not None
    assert first["x"][:3] == [aucs.hand_till.value, aucs.macro.value, aucs.total.value]
    assert first["y"][0] > 0 > second["y"][0]
    assert [first["legendgroup"], second["legendgroup"]] == ["0", "1"]
    low, high = aucs.hand_till.interval or (math.nan, math.nan)
    assert first["text"][0] == f"{low:.3f} to {high:.3f}"


def test_pairs_have_numbers_where_there_is_room() -> None:
    figure = multiclass_figures(wine())["pairs-chart:1"]
    aucs = wine().models[1].aucs
    assert aucs is not None
    (trace,) = figure["data"]
    assert trace["z"] == [list(row) for row in aucs.pairs]
    assert trace["zmin"] <= min(v for row in aucs.pairs for v in row if v is not None)
    assert trace["texttemplate"] == "%{z:.3f}"
    (many,) = multiclass_figures(fourteen_classes())["pairs-chart:0"]["data"]
    assert many["texttemplate"] == ""


def test_space_has_the_three_classes_that_differ_most() -> None:
    data = six_classes()
    figure = multiclass_figures(data)["surface-chart"]
    cloud, *named, now = figure["data"]
    members = figure["shows"][0]["members"]
    assert len(members) == sum(place >= 0 for place in data.members.place)
    missed = np.array([miss_rates(data, member) for member in members])
    shown = figure["axes"]["shown"]
    spans = np.ptp(missed, axis=0)
    assert sorted(spans[shown]) == pytest.approx(sorted(spans)[-3:])
    found = np.array([cloud["x"], cloud["y"], cloud["z"]]).T
    assert found == pytest.approx(missed[:, shown], abs=1e-6)
    assert len(named) == len(data.recommended) - 1
    answer = [data.answer.miss_rates[k] for k in shown]
    assert [now["x"][0], now["y"][0], now["z"][0]] == pytest.approx(answer, abs=1e-6)
    assert "members" not in figure["shows"][-1]
    assert "WebGL" in figure["without_webgl"]


def test_names_are_texts_everywhere() -> None:
    for figure in multiclass_figures(strange_classes()).values():
        for text in (*strings(figure["data"]), *strings(figure["layout"])):
            assert "<script" not in text
            assert "<img" not in text


def test_suggestions_have_colors_of_their_own() -> None:
    colors = [suggested_color(i) for i in range(4)]
    assert len(set(colors)) == 4
    assert "var(--c3)" not in colors  # which looks like the accent
