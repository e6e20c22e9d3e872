"""Charts in a real browser: drawn, in the theme's colors, on paper, and following the answer."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest

from rocch.report.drawings import iso_line, slope_share
from tests.support.charts import (
    binary_page,
    counts_only,
    fourteen_classes,
    fraud,
    multiclass_page,
    strange,
    strange_classes,
    wine,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.integration.browser.conftest import Open

pytestmark = [pytest.mark.integration, pytest.mark.browser]

NO_WEBGL = """
const real = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return kind.startsWith("webgl") ? null : real.call(this, kind, ...rest);
};
"""
COUNT_TRACES = "(id) => document.getElementById(id).data?.length ?? 0"


def settle(page: Page) -> None:
    """Wait until everything is drawn."""
    page.evaluate("RocchShell.settled()")


def trace(page: Page, chart: str, place: int, what: str) -> Any:
    """Return something of a trace of a chart."""
    return page.evaluate(
        f"(() => {{ const it = document.getElementById('{chart}').data.at({place}).{what};"
        " return ArrayBuffer.isView(it) ? Array.from(it) : it; })()"
    )


def shapes(page: Page, chart: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(f"document.getElementById('{chart}').layout.shapes")
    return found


def ask(page: Page, answer: dict[str, Any], limits: list[dict[str, Any]] | None = None) -> None:
    page.evaluate("([answer, limits]) => ask(answer, limits)", [answer, limits or []])
    settle(page)


def variable(page: Page, name: str) -> str:
    """Return the value of a color in the page's theme."""
    found: str = page.evaluate(
        f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()"
    )
    return found


def stroke(page: Page, chart: str, place: int) -> str:
    """Return the color in which a line is drawn, as #rrggbb."""
    drawn = page.locator(f"#{chart} .scatterlayer .trace").nth(place).locator(".js-line")
    color: str = drawn.first.evaluate("(node) => getComputedStyle(node).stroke")
    red, green, blue = (int(part) for part in color.strip("rgb()").split(","))
    return f"#{red:02x}{green:02x}{blue:02x}"


def own_answer() -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(json.dumps(asdict(fraud().answer)))
    return answer


def test_all_charts_of_two_classes_are_drawn(open_page: Open) -> None:
    certainty = fraud().certainty
    assert certainty is not None
    bands = (certainty.bands[0], replace(certainty.bands[0], promise="Another."))
    summary = replace(fraud(), certainty=replace(certainty, bands=bands))
    page = open_page(binary_page(summary), charts=True)
    settle(page)
    numbers = {"roc-chart": 5, "costs-chart": 5, "aucs-chart": 1, "bands-chart": 4}
    assert {chart: page.evaluate(COUNT_TRACES, chart) for chart in numbers} == numbers
    assert page.locator(".waiting, .sketch").count() == 0
    caption = page.locator("figure:has(#bands-chart) figcaption")
    assert caption.text_content() == bands[0].promise
    page.locator("#band").select_option("1")
    assert caption.text_content() == "Another."


@pytest.mark.parametrize("dark", [False, True])
def test_charts_have_the_colors_of_the_theme_and_follow_it(open_page: Open, dark: bool) -> None:
    page = open_page(binary_page(fraud()), charts=True, dark=dark)
    settle(page)
    before = variable(page, "ink")
    assert stroke(page, "roc-chart", -1) == before
    assert stroke(page, "roc-chart", 1) == variable(page, "c0")
    page.locator("#theme").click()
    settle(page)
    assert variable(page, "ink") != before
    assert stroke(page, "roc-chart", -1) == variable(page, "ink")
    assert stroke(page, "costs-chart", 1) == variable(page, "c0")
    wash = shapes(page, "costs-chart")[0]["fillcolor"]
    assert wash.startswith("rgba(")  # as Plotly reads colors


def test_zooming_outlasts_a_change_of_theme(open_page: Open) -> None:
    page = open_page(binary_page(fraud()), charts=True)
    settle(page)
    box = page.locator("#roc-chart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 400, steps=5)
    page.mouse.up()
    ends = "document.getElementById('roc-chart')._fullLayout.xaxis.range"
    page.wait_for_function(f"{ends}[0] > 0.1")
    zoomed = page.evaluate(ends)
    page.locator("#theme").click()
    settle(page)
    assert stroke(page, "roc-chart", -1) == variable(page, "ink")
    assert page.evaluate(ends) == pytest.approx(zoomed)


def test_paper_is_light_and_the_screen_comes_back(open_page: Open) -> None:
    page = open_page(binary_page(fraud()), charts=True, dark=True)
    settle(page)
    ink = stroke(page, "roc-chart", -1)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert variable(page, "surface") == "#ffffff"
    assert stroke(page, "roc-chart", -1) == variable(page, "ink") != ink
    assert page.locator("#roc-chart .main-svg[viewBox]").count() > 0
    assert page.locator("main").bounding_box() == pytest.approx(
        {**(page.locator("main").bounding_box() or {}), "width": 680}
    )
    for chart in ("roc-chart", "costs-chart", "aucs-chart"):
        drawn = page.evaluate(f"document.getElementById('{chart}')._fullLayout.width")
        assert drawn == page.locator(f"#{chart}").evaluate("(node) => node.clientWidth") < 680
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert stroke(page, "roc-chart", -1) == ink
    assert page.locator(".main-svg[viewBox]").count() == 0
    assert page.evaluate("document.documentElement.dataset.theme") is None


def test_printing_draws_what_was_never_in_sight(open_page: Open) -> None:
    page = open_page(binary_page(fraud()), charts=True, height=300)
    assert len(page.pdf()) > 10_000
    assert page.evaluate(COUNT_TRACES, "bands-chart") == 4


def test_shapes_follow_the_answer(open_page: Open) -> None:
    page = open_page(binary_page(fraud()), charts=True)
    settle(page)
    answer = own_answer()
    kinds = [shape["type"] for shape in shapes(page, "roc-chart")]
    assert kinds == ["path", "line", "line", "circle"]  # a range: two lines of equal cost
    circle = shapes(page, "roc-chart")[-1]
    assert (circle["xanchor"], circle["yanchor"]) == (answer["fpr"], answer["tpr"])
    exact = answer | {"slopes": [2.0, 2.0], "holds": "exact", "fpr": 0.25, "tpr": 0.75}
    exact |= {"choices": [], "parts": [answer["parts"][0] | {"fpr": 0.25, "tpr": 0.75}]}
    ask(page, exact)
    line, circle = shapes(page, "roc-chart")
    assert [line[end] for end in ("x0", "y0", "x1", "y1")] == [0, 0.25, 0.375, 1]
    assert (circle["xanchor"], circle["yanchor"]) == (0.25, 0.75)
    band, cost = shapes(page, "costs-chart")
    assert (band["x0"], band["x1"]) == pytest.approx((1 / 3, 1 / 3))
    assert [cost[end] for end in ("x0", "y0", "x1", "y1")] == [0, 0.25, 1, 0.25]
    ask(page, exact | {"slopes": None})
    assert [shape["type"] for shape in shapes(page, "roc-chart")] == ["circle"]
    assert [shape["type"] for shape in shapes(page, "costs-chart")] == ["line"]


def test_a_coin_is_drawn_between_its_settings(open_page: Open) -> None:
    page = open_page(binary_page(fraud()), charts=True)
    answer = own_answer()
    ends = [{"fpr": 0.1, "tpr": 0.5}, {"fpr": 0.3, "tpr": 0.9}]
    parts = [answer["parts"][0] | end for end in ends]
    ask(page, answer | {"parts": parts, "fpr": 0.2, "tpr": 0.7, "slopes": None})
    segment, *circles = shapes(page, "roc-chart")
    assert segment["path"] == "M0.1 0.5L0.3 0.9"
    assert [circle["xanchor"] for circle in circles] == [0.1, 0.3, 0.2]


def test_limits_are_lines_within_the_square(open_page: Open) -> None:
    page = open_page(binary_page(fraud()), charts=True)
    limits = [
        {"fpr": 1, "tpr": 0, "bound": 0.1, "label": "limit"},
        {"fpr": 0, "tpr": 1, "bound": 0.8, "label": ""},
        {"fpr": 0.75, "tpr": 0.25, "bound": 0.2, "label": "capacity"},
        {"fpr": 0.75, "tpr": 0.25, "bound": 0.9, "label": ""},
    ]
    ask(page, own_answer(), limits)
    found = [
        [shape[end] for end in ("x0", "y0", "x1", "y1")] for shape in shapes(page, "roc-chart")[:4]
    ]
    expected = [
        [0.1, 1, 0.1, 0],  # downwards: its label stands at the end, away from the curves
        [0, 0.8, 1, 0.8],
        [0, 0.8, 0.2 / 0.75, 0],
        [0.65 / 0.75, 1, 1, 0.6],
    ]
    assert found == [pytest.approx(line, abs=1e-12) for line in expected]
    assert shapes(page, "roc-chart")[2]["label"]["text"] == "capacity"


def test_the_legend_switches_a_classifier_off_everywhere(open_page: Open) -> None:
    page = open_page(binary_page(strange()), charts=True)
    settle(page)
    button = page.locator("#legend button").nth(1)
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    for chart in ("roc-chart", "costs-chart"):
        assert trace(page, chart, 2, "visible") is False
        assert trace(page, chart, 1, "visible") in (True, None)
    page.locator("#theme").click()  # which draws anew
    settle(page)
    assert trace(page, "roc-chart", 2, "visible") is False
    button.click()
    assert trace(page, "roc-chart", 2, "visible") is True


def test_drawings_follow_the_answer(open_page: Open) -> None:
    page = open_page(binary_page(fraud()))
    settle(page)
    mark = page.locator("#winners-strip .span")
    assert mark.count() == 1
    low, high = (slope_share(float(slope)) for slope in fraud().answer.slopes or (0, 0))
    left, width = mark.evaluate("(node) => [node.style.left, node.style.width]")
    assert float(left.rstrip("%")) == pytest.approx(100 * low, abs=1e-3)
    assert float(width.rstrip("%")) == pytest.approx(100 * (high - low), abs=2e-3)
    visible = page.locator("#histograms .cut[visibility=visible]")
    assert visible.count() == 1
    box = "(node) => node.closest('[data-classifier]').dataset.classifier"
    assert visible.evaluate(box) == fraud().answer.parts[0].classifier
    answer = own_answer()
    answer["parts"][0] |= {"kind": "never", "classifier": "never", "threshold": ""}
    ask(page, answer | {"slopes": [2.0, 2.0]})
    assert mark.get_attribute("class") == "span needle"
    assert visible.count() == 0
    ask(page, answer | {"slopes": None})
    assert mark.count() == 0


def test_the_sketch_is_where_python_drew_it_and_moves_without_plotly(open_page: Open) -> None:
    text = binary_page(fraud())
    page = open_page(text, first="delete window.DecompressionStream")
    settle(page)

    def places() -> list[list[float]]:
        found: list[list[float]] = page.evaluate(
            "[...document.querySelectorAll('#sketch-answer > *')].map((node) =>"
            " ['x1', 'y1', 'x2', 'y2', 'cx', 'cy'].map((name) => Number(node.getAttribute(name))))"
        )
        return found

    drawn = places()
    page.evaluate(
        "(text) => { document.getElementById('sketch-answer').innerHTML = text; }",
        text.split('<g id="sketch-answer">')[1].split("</g>")[0],
    )
    assert drawn == [pytest.approx(place, abs=0.051) for place in places()]
    ask(page, own_answer() | {"slopes": [1.0, 1.0], "holds": "exact", "fpr": 0.5, "tpr": 0.5})
    assert places()[0][:4] == [60, 940, 980, 20]
    page.locator(".waiting", has_text="cannot unpack").first.wait_for(state="attached")


def test_lines_and_slopes_are_those_of_python(open_page: Open) -> None:
    page = open_page(binary_page(counts_only()))
    slopes = [0, 0.001, 0.3, 1, 2.5, 1000]
    points = [(slope, fpr, tpr) for slope in slopes for fpr in (0, 0.2, 1) for tpr in (0, 0.7, 1)]
    found = page.evaluate("(all) => all.map((each) => RocchCharts.isoLine(...each))", points)
    for point, line in zip(points, found, strict=True):
        (x0, y0), (x1, y1) = iso_line(*point)
        assert line == pytest.approx([x0, y0, x1, y1], abs=1e-12)
    steep = page.evaluate(
        "[RocchCharts.isoLine(Infinity, 0.2, 0.7), RocchCharts.slopeShare(Infinity)]"
    )
    assert steep == [[0.2, 0, 0.2, 1], 1]
    shares = page.evaluate("(all) => all.map(RocchCharts.slopeShare)", slopes)
    assert shares == pytest.approx([slope_share(slope) for slope in slopes])


def test_a_strip_names_wide_stretches(open_page: Open) -> None:
    page = open_page(binary_page(fraud()))
    stretches = [
        {"left": 0, "right": 0.3, "place": -1, "label": "never", "title": "n"},
        {"left": 0.3, "right": 0.97, "place": 9, "label": "<b>", "title": "t"},
        {"left": 0.97, "right": 1, "place": 0, "label": "narrow", "title": "x"},
    ]
    ticks = [{"at": 0, "text": "0"}, {"at": 0.5, "text": "half"}, {"at": 1, "text": "1"}]
    page.evaluate("([a, b]) => RocchCharts.strip('winners-strip', a, b)", [stretches, ticks])
    bar = page.locator("#winners-strip .stretch")
    assert [each.get_attribute("class") for each in bar.all()] == [
        "stretch trivial",
        "stretch k1 h1",
        "stretch k0",
    ]
    assert bar.all_text_contents() == ["never", "<b>", ""]
    assert bar.nth(1).evaluate("(node) => node.style.width") == "67%"
    many = [stretches[2] | {"left": i / 4000, "right": (i + 1) / 4000} for i in range(401)]
    page.evaluate("(all) => RocchCharts.strip('histograms', all, [])", [stretches[0], *many])
    assert page.locator("#histograms .stretch").count() == 1  # what can be seen
    marks = page.locator("#winners-strip .tick")
    assert [each.get_attribute("class") for each in marks.all()] == [
        "tick first",
        "tick ",
        "tick last",
    ]


def test_all_charts_of_many_classes_are_drawn_and_follow(open_page: Open) -> None:
    summary = wine()
    page = open_page(multiclass_page(summary), charts=True)
    settle(page)
    numbers = {"trade-offs-chart": 5, "curves-chart": 15, "aucs-chart": 2, "pairs-chart": 1}
    assert {chart: page.evaluate(COUNT_TRACES, chart) for chart in numbers} == numbers
    other = next(
        place for place in range(len(summary.members.counts)) if place != summary.answer.member
    )
    ask(page, {"member": other})
    counts = summary.members.counts[other]
    totals = [each.rows for each in summary.classes]
    missed = [1 - counts[4 * k] / totals[k] for k in range(3)]
    assert trace(page, "trade-offs-chart", -1, "y") == pytest.approx(missed)
    assert trace(page, "curves-chart", -1, "y") == [pytest.approx(1 - missed[2])]
    false_alarms = (counts[2] + counts[5]) / (totals[0] + totals[1])
    assert trace(page, "curves-chart", -1, "x") == [pytest.approx(false_alarms)]
    page.locator("#rates").select_option(label="what class_1 is taken for")
    assert trace(page, "trade-offs-chart", -1, "y") == pytest.approx(
        [counts[3] / totals[1], counts[5] / totals[1]]
    )
    page.locator("#judged").select_option("1")
    aucs = summary.models[1].aucs
    assert aucs is not None
    assert trace(page, "pairs-chart", 0, "z[0][1]") == pytest.approx(aucs.pairs[0][1])
    page.locator("#legend button").first.click()
    assert trace(page, "aucs-chart", 0, "visible") is False
    assert trace(page, "curves-chart", 1, "visible") is False


def test_panels_are_laid_out_by_the_width(open_page: Open) -> None:
    page = open_page(multiclass_page(fourteen_classes()), charts=True)
    settle(page)
    domain = "document.getElementById('curves-chart')._fullLayout.xaxis.domain[1]"
    assert page.evaluate(domain) < 0.25
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function(f"{domain} > 0.4")
    page.locator("#group").select_option("1")
    assert page.evaluate(COUNT_TRACES, "curves-chart") == 2 * 4


def test_names_stay_text_wherever_they_are_shown(open_page: Open) -> None:
    page = open_page(multiclass_page(strange_classes()), charts=True)
    settle(page)
    assert page.locator("main img, main b, main i").count() == 0
    ticks = page.locator("#trade-offs-chart .xtick").all_text_contents()
    assert ticks[0].startswith("</script><")
    assert ticks[2].startswith("x\"y'z & <b")
    titles = page.locator("#curves-chart .annotation-text").all_text_contents()
    assert titles[0].startswith("</script><")


def test_names_that_look_like_templates_stay_text(open_page: Open) -> None:
    first, *others = fraud().classifiers
    summary = replace(fraud(), classifiers=(replace(first, name="%{x} &lt;"), *others))
    page = open_page(binary_page(summary), charts=True)
    settle(page)
    assert page.locator("#aucs-chart .ytick").all_text_contents()[0] == "%{x} &lt;"
    page.evaluate("Plotly.Fx.hover('roc-chart', [{ curveNumber: 1, pointNumber: 40 }])")
    hover = page.locator("#roc-chart .hoverlayer .hovertext")
    assert (hover.first.text_content() or "").startswith("%{x} &lt; at ")


def test_space_shows_other_classes_and_moves(open_page: Open) -> None:
    summary = strange_classes()
    page = open_page(multiclass_page(summary), charts=True)
    settle(page)
    assert page.locator("#axis-x").input_value() == "0"
    before = trace(page, "surface-chart", 0, "x")
    assert len(before) == sum(place >= 0 for place in summary.members.place)
    page.locator("#axis-x").select_option("3")
    assert trace(page, "surface-chart", 0, "x") != before
    assert trace(page, "surface-chart", -1, "x") == [pytest.approx(summary.answer.miss_rates[3])]
    counts = summary.members.counts[0]
    missed = 1 - counts[15] / summary.classes[3].rows
    ask(page, {"member": 0})
    page.wait_for_function(
        "(missed) => Math.abs(document.getElementById('surface-chart').data.at(-1).x[0] - missed)"
        " < 1e-12",
        arg=missed,
    )


def test_without_webgl_space_is_excused_and_the_rest_is_drawn(open_page: Open) -> None:
    page = open_page(multiclass_page(wine()), charts=True, first=NO_WEBGL)
    settle(page)
    assert "WebGL is off" in (page.locator("#surface-chart").text_content() or "")
    ask(page, {"member": 0})
    page.locator("#theme").click()
    settle(page)
    assert page.locator("#surface-chart .waiting").count() == 1
    assert page.evaluate(COUNT_TRACES, "aucs-chart") == 2
