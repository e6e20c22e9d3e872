"""Figures of reports on two classes: valid, in the page's colors, and names are texts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.report import summarize
from rocch.report.figures import DASHES, binary_figures, cost_curve, escape, look, shorten
from rocch.report.summary import Points
from tests.support.charts import check_figure, counts_only, fraud, strange, strings
from tests.support.reports import binary, scores

if TYPE_CHECKING:
    from rocch.report.summary import BinaryData


def many_classifiers(number: int) -> BinaryData:
    names = tuple(f"model {i}" for i in range(number))
    return binary(summarize(rocch.RocHull.from_scores(*scores(names, 60)), resamples=0))


@pytest.mark.parametrize("summary", [fraud, strange, counts_only])
def test_figures_are_valid_and_in_the_colors_of_the_page(summary: Any) -> None:
    for figure in binary_figures(summary()).values():
        check_figure(figure)


def test_plotly_refuses_what_it_does_not_know() -> None:
    figure = binary_figures(fraud())["roc-chart"]
    with pytest.raises(ValueError, match="colour"):
        check_figure(figure | {"data": [{"line": {"colour": "var(--ink)"}}]})


def test_each_element_has_its_figures() -> None:
    certainty = fraud().certainty
    assert certainty is not None
    bands = {f"bands-chart:{i}" for i in range(len(certainty.bands))}
    assert set(binary_figures(fraud())) == {"roc-chart", "costs-chart", "aucs-chart", *bands}
    assert set(binary_figures(counts_only())) == {"roc-chart", "costs-chart"}


def test_the_roc_graph_has_the_diagonal_curves_and_the_hull() -> None:
    summary = fraud()
    diagonal, *curves, hull = binary_figures(summary)["roc-chart"]["data"]
    assert (diagonal["x"], diagonal["y"]) == ([0, 1], [0, 1])
    assert [curve["legendgroup"] for curve in curves] == ["0", "1", "2"]
    totals = summary.data.negatives, summary.data.positives
    counts = np.array(hull["customdata"])
    assert counts.tolist() == [
        list(pair)
        for pair in zip(summary.hull.false_positives, summary.hull.true_positives, strict=True)
    ]
    assert pytest.approx(counts / totals, abs=1e-6) == np.array([hull["x"], hull["y"]]).T


def test_hovering_shows_thresholds_rates_and_counts() -> None:
    summary = fraud()
    _, curve, *_, hull = binary_figures(summary)["roc-chart"]["data"]
    first = summary.classifiers[0].curve
    assert first is not None
    assert curve["text"] == [f" at {text}" if text else "" for text in first.threshold]
    assert curve["hovertemplate"].startswith(
        "<b>gbm</b>%{text}<br>FPR %{x:.4f} (%{customdata[0]:,}"
    )
    assert "of 284)" in curve["hovertemplate"]
    assert hull["text"][0] == "<b>never</b>"
    assert hull["text"][-1] == "<b>always</b>"
    assert hull["text"][1] == f"<b>logit</b> at {summary.hull.threshold[1]}"


def test_equals_of_a_vertex_are_named() -> None:
    hull = replace(fraud().hull, also=tuple((0, 1) for _ in fraud().hull.also))
    trace = binary_figures(replace(fraud(), hull=hull))["roc-chart"]["data"][-1]
    assert trace["text"][1].endswith("<br>also gbm, bayes")
    assert trace["text"][0] == "<b>never</b>"  # which needs no classifier


def test_a_classifier_of_labels_has_marks() -> None:
    _, curve, _ = binary_figures(counts_only())["roc-chart"]["data"]
    assert curve["mode"] == "lines+markers"
    assert set(curve["text"]) <= {"", *(f" at {t}" for t in counts_only().hull.threshold)}


def test_names_are_texts_everywhere() -> None:
    name = "<b>x</b> & %{y} {z}"
    assert escape(name) == "&lt;b&gt;x&lt;/b&gt; &amp; &#37;{y} {z}"
    classifiers = tuple(replace(each, name=name) for each in fraud().classifiers)
    for figure in binary_figures(replace(fraud(), classifiers=classifiers)).values():
        shown = {key: value for key, value in figure.items() if key != "fit"}  # the page escapes it
        assert not any(name in text or "%{y}" in text for text in strings(shown))
    for figure in binary_figures(strange()).values():
        assert not any("<script" in text or "<!--" in text for text in strings(figure["data"]))


def test_long_names_are_cut_in_the_middle_or_run_over_lines() -> None:
    assert shorten("abcdefghij", 4) == "ab…ij"
    assert shorten("abcd", 4) == "abcd"
    classifiers = tuple(replace(each, name=each.name * 40) for each in fraud().classifiers)
    figures = binary_figures(replace(fraud(), classifiers=classifiers))
    assert all(len(trace["hovertemplate"]) < 250 for trace in figures["roc-chart"]["data"][1:])
    text = figures["aucs-chart"]["data"][0]["text"][-1]
    assert max(map(len, text.split("<br>"))) <= 60 + len("<b></b>")
    assert text.replace("<br>", "").startswith(f"<b>{'logit' * 40}</b>")


def test_the_ninth_classifier_is_told_from_the_first() -> None:
    traces = binary_figures(many_classifiers(33))["roc-chart"]["data"][1:-1]
    looks = [(trace["line"]["color"], trace["line"]["dash"]) for trace in traces]
    assert len(set(looks[:32])) == 32
    assert looks[8] == (looks[0][0], "dash")
    assert {dash for _, dash in looks} == set(DASHES)
    assert look(8).fill == "k0 h1"
    assert look(-1).color == "var(--trivial)"


def test_a_cost_curve_is_the_lower_envelope_of_cost_lines() -> None:
    hull = Points((0, 1, 4, 10), (0, 5, 8, 9))
    curve = cost_curve(hull, 10, 9)
    rates = [(fp / 10, tp / 9) for fp, tp in zip((0, 1, 4, 10), (0, 5, 8, 9), strict=True)]
    for x, y in zip(curve["x"], curve["y"], strict=True):
        assert y == pytest.approx(min(x * (1 - t) + (1 - x) * f for f, t in rates), abs=2e-6)
    assert len(curve["x"]) == 5
    assert curve["x"] == sorted(curve["x"])


def test_cost_curves_have_one_for_each_and_the_best() -> None:
    figure = binary_figures(fraud())["costs-chart"]
    trivial, *curves, best = figure["data"]
    assert trivial["y"] == [0, 0.5, 0]
    assert len(curves) == 3
    assert max(best["y"]) <= min(max(curve["y"]) for curve in curves)
    assert figure["layout"]["yaxis"]["range"][1] > max(max(curve["y"]) for curve in curves)


def test_areas_rise_and_have_their_intervals() -> None:
    summary = fraud()
    figure = binary_figures(summary)["aucs-chart"]
    (trace,) = figure["data"]
    assert trace["x"] == sorted(each.auc for each in summary.classifiers if each.auc is not None)
    assert figure["fit"]["names"][-1] == "logit"
    logit = summary.classifiers[2]
    assert logit.auc is not None
    assert logit.auc_interval is not None
    ends = (
        trace["x"][-1] - trace["error_x"]["arrayminus"][-1],
        (trace["x"][-1] + trace["error_x"]["array"][-1]),
    )
    assert ends == pytest.approx(tuple(logit.auc_interval))
    assert f"AUC {logit.auc:.4f}<br>95%: " in trace["text"][-1]


def test_an_area_without_an_interval_has_no_whisker() -> None:
    first, *others = fraud().classifiers
    classifiers = (replace(first, auc_interval=None), *others)
    figure = binary_figures(replace(fraud(), classifiers=classifiers))["aucs-chart"]
    (trace,) = figure["data"]
    place = figure["fit"]["names"].index("gbm")
    assert trace["error_x"]["array"][place] == 0
    assert "95%" not in trace["text"][place]


def test_each_band_has_a_figure_with_its_promise() -> None:
    certainty = fraud().certainty
    assert certainty is not None
    figures = binary_figures(fraud())
    for i, band in enumerate(certainty.bands):
        figure = figures[f"bands-chart:{i}"]
        _, low, high, _ = figure["data"]
        assert figure["caption"] == band.promise
        assert low["y"] == pytest.approx(list(band.low), abs=1e-6)
        assert high["y"] == pytest.approx(list(band.high), abs=1e-6)
        assert high["fill"] == "tonexty"
        # steps: a curve is as high as at the FPR before, and no higher than at the next one
        assert (low["line"]["shape"], high["line"]["shape"]) == ("hv", "vh")


def test_a_band_has_the_color_of_its_classifier() -> None:
    certainty = strange().certainty
    assert certainty is not None
    assert certainty.bands[0].model == strange().classifiers[2].name
    *_, high, middle = binary_figures(strange())["bands-chart:0"]["data"]
    assert (high["fillcolor"], middle["line"]["color"]) == ("var(--c2) 20%", "var(--c2)")
    *_, high, middle = binary_figures(fraud())["bands-chart:0"]["data"]
    assert (high["fillcolor"], middle["line"]["color"]) == ("var(--c0) 20%", "var(--ink)")


def test_a_large_hull_stays_small_and_has_no_marks() -> None:
    size = 5_000
    fp = tuple(float(i * i) for i in range(size))
    tp = tuple(float(2 * size * i - i * i) for i in range(size))
    summary = fraud()
    hull = replace(
        summary.hull,
        false_positives=fp,
        true_positives=tp,
        classifier=(-1, *(i % 3 for i in range(size - 2)), -1),
        threshold=("", *(f"{i / size:.6f}" for i in range(size - 2)), ""),
        exact=("",) * size,
        also=((),) * size,
    )
    data = replace(summary.data, negatives=fp[-1], positives=tp[-1])
    figures = binary_figures(replace(summary, hull=hull, data=data))
    trace = figures["roc-chart"]["data"][-1]
    assert trace["mode"] == "lines"
    assert "marker" not in trace
    assert len(json.dumps(figures)) < 800_000


def test_todays_rule_is_marked_where_it_is_stated() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(200) < 0.3
    hull = rocch.RocHull.from_scores(y, {"m": rng.normal(size=200) + y})
    marks = []
    for today in (None, ("m", 0.5)):
        found = summarize(hull, baseline=today, resamples=0).binary
        assert found is not None
        traces = binary_figures(found)["roc-chart"]["data"]
        marks.append([trace for trace in traces if trace.get("text") == ["today"]])
        if today:
            (first, *_) = found.baselines
            assert (marks[1][0]["x"], marks[1][0]["y"]) == (
                [round(first.fpr, 6)],
                [round(first.tpr, 6)],
            )
    assert [len(each) for each in marks] == [0, 1]
