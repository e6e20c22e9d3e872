"""The page for many classes, used as a person would."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from rocch.multiclass.question import ClassQuestion
from rocch.numbers import money, per_100
from rocch.report.multiclass import answer_costs, weigh
from rocch.report.multiclass_view import FEW_CLASSES, multiclass_view
from rocch.report.render import to_html
from rocch.report.words import CLASS_TEXTS, class_label, percent
from tests.support.many_reports import (
    STRANGE_CLASSES,
    fourteen_classes,
    given_counts,
    six_classes,
    stacked,
    strange,
    wine,
)
from tests.support.pages import reach, wait_until
from tests.support.reports import wait_for_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from rocch.report import Summary
    from rocch.report.summary import CostAnswer, MulticlassData

    Open = Callable[..., Page]

# This many questions are typed into each of three pages.
SETTINGS = 12


def sentence(page: Page) -> str:
    return page.locator("#sentence").text_content() or ""


def question(page: Page) -> Any:
    return page.evaluate("RocchManyApp.current().question")


def data_of(summary: Summary) -> MulticlassData:
    assert summary.multiclass is not None
    return summary.multiclass


def now(page: Page, summary: Summary) -> CostAnswer:
    """Return Python's answer to the page's question."""
    given = question(page)
    return answer_costs(data_of(summary), given["costs"], given["shares"])


@pytest.mark.parametrize("make", [wine, fourteen_classes, stacked])
def test_the_page_begins_with_python_s_answer(open_page: Open, make: Any) -> None:
    page = open_page(to_html(make()))
    assert sentence(page) == make().sentence
    assert page.locator("#echo").text_content() == make().sentence


def shown(page: Page) -> dict[str, Any]:
    """Return everything that the page says about its answer."""
    page.evaluate("RocchShell.settled()")
    found: dict[str, Any] = page.evaluate(
        """() => {
          const text = (id) => document.getElementById(id)?.textContent ?? null;
          const rows = (id) => [...document.getElementById(id).rows].map((row) =>
            [...row.cells].map((cell) => cell.textContent));
          const facts = [...document.querySelectorAll("[id^=fact-]")]
            .filter((each) => each.textContent && !each.closest("[hidden]"));
          return {
            sentence: text("sentence"), echo: text("echo"), head: document.querySelector(
              "#sentence strong").textContent,
            facts: Object.fromEntries(facts.map((each) => [each.id.slice(5), each.textContent])),
            remark: text("new-rows-remark"), per_1000: rows("per-rows"),
            suggestions: rows("suggestions-rows"),
            own_costs: document.getElementById("own-costs").hidden ? null : rows("own-rows"),
            rule: Object.fromEntries(["words", "python", "sql"].map((kind) =>
              [kind, text(`rule-${kind}`)])),
          };
        }"""
    )
    return found


def table(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return a matrix of the view as a page's texts."""
    return [
        [row["name"], *(cell["text"] for cell in row["cells"]), *filter(None, [row.get("missed")])]
        for row in rows
    ]


def expected(summary: Summary, costs: Any, shares: Any) -> dict[str, Any]:
    """Return everything that Python says about a question."""
    found, given = answer_costs(data_of(summary), costs, shares), data_of(summary)
    models, names = [each.name for each in given.models], [each.name for each in given.classes]
    weighed = weigh(given, costs, shares)
    weighed.labels = tuple(int(name) if name.isdigit() else name for name in names)
    rule, members = weighed.rule(found.member), weighed.members
    known = replace(given, costs=costs, shares=shares, answer=found, members=members)
    view = multiclass_view(known)
    by_costs = members.costs[found.member] is not None
    moving = {
        CLASS_TEXTS["suggest_own"]: found.member,
        CLASS_TEXTS["suggest_cheapest"]: found.cheapest,
    }
    places = [moving.get(each.name, each.member) for each in given.recommended]
    rows = [
        [
            each.name,
            class_label(members, place, models, names, weighed.yours),
            money(1000 * does.cost),
            percent(does.error_rate),
            *(map(percent, does.miss_rates) if len(names) <= FEW_CLASSES else ()),
        ]
        for each, place, does in zip(
            given.recommended, places, map(weighed.describe, places), strict=True
        )
    ]
    return {
        "sentence": found.sentence,
        "echo": found.sentence,
        "head": view["headline"][0],
        "facts": view["facts"],
        "remark": view["new_rows_remark"],
        "per_1000": table(view["per_1000"]),
        "own_costs": table(view["own_costs"]) if by_costs else None,
        "rule": {"words": found.rule, "python": rule.to_python(), "sql": rule.to_sql()},
        "suggestions": rows,
    }


def typed(number: float) -> str:
    """Write a number as a person types it, with all its digits."""
    return repr(float(number)).removesuffix(".0")


@pytest.mark.parametrize(
    ("make", "seed"), [(wine, 1), (six_classes, 2), (given_counts, 3), (stacked, 4)]
)
def test_the_page_says_what_python_says_to_the_letter(
    open_page: Open, make: Any, seed: int
) -> None:
    """Costs and shares are typed into the controls: costs from alike to extreme, and ties."""
    summary = make()
    rng = np.random.default_rng(seed)
    size = len(data_of(summary).classes)
    page = open_page(to_html(summary))
    page.locator("#detail-error").check()
    chosen = set()
    for place in range(SETTINGS):
        costs = np.where(place % 3, 10.0 ** rng.uniform(-3, 3, (size, size)), 1.0)
        costs *= 1 + rng.integers(0, 2, (size, size)) * (place % 3 == 0)
        np.fill_diagonal(costs, 0)
        costs = np.array([[float(f"{cost:.3g}") for cost in row] for row in costs])
        for k, j in zip(*np.nonzero(costs), strict=True):
            page.locator(f"#cost-{k}-{j}").fill(typed(costs[k, j]))
        percentage = 0.0 if place == 4 else round(100 * float(rng.random()), place % 4)
        field = int(rng.integers(size))
        page.locator(f"#share-{field}").fill(f"{typed(percentage)}%")
        given = question(page)
        assert given["costs"] == costs.tolist()
        assert given["shares"][field] == pytest.approx(percentage / 100, abs=1e-15)
        assert sum(given["shares"]) == pytest.approx(1, abs=1e-12)
        assert shown(page) == expected(summary, given["costs"], given["shares"])
        chosen.add(now(page, summary).sentence)
    assert len(chosen) > 2  # the questions do move the answer


def test_a_rule_by_the_costs_of_the_question_is_named_so(open_page: Open) -> None:
    members = data_of(wine()).members
    page = open_page(to_html(wine()))
    names = page.locator("#members-rows td:nth-child(2)")
    (implied,) = {
        costs
        for costs, place, kind in zip(members.costs, members.place, members.rule, strict=True)
        if place < 0 and kind == "least_expected_cost" and costs is not None
    }
    for cell, cost in enumerate(implied):
        if cell % 4:
            page.locator(f"#cost-{cell // 3}-{cell % 3}").fill(typed(cost))
    page.evaluate("RocchShell.settled()")
    assert "nb, your costs" in names.all_text_contents()
    page.locator("#cost-0-1").fill("11")
    page.evaluate("RocchShell.settled()")
    assert "nb, your costs" not in names.all_text_contents()


def test_a_cost_is_typed_and_turned_by_arrow_keys(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    cell = page.locator("#cost-1-0")
    cell.fill("250")
    assert question(page)["costs"][1][0] == 250
    assert sentence(page) == now(page, wine()).sentence != wine().sentence
    cell.press("ArrowUp")
    assert question(page)["costs"][1][0] == 320  # ten steps to a power of ten
    cell.press("Shift+ArrowDown")
    assert question(page)["costs"][1][0] == 32
    assert sentence(page) == now(page, wine()).sentence
    missed = page.locator("#per-rows tr").nth(1).locator("td").nth(3).text_content()
    assert missed == f"{per_100(now(page, wine()).miss_rates[1])}%"


def test_a_class_can_cost_the_same_whatever_it_is_taken_for(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    page.locator("#detail-class").check()
    assert page.locator("#miss-0").get_attribute("placeholder") == "1 to 10"
    page.locator("#miss-1").fill("7")
    assert question(page)["costs"][1] == [7, 0, 7]
    slider = page.locator("#miss-2-slider")
    slider.focus()
    before = question(page)["costs"][2][0]
    slider.press("ArrowRight")
    assert question(page)["costs"][2][0] > before
    assert sentence(page) == now(page, wine()).sentence


def test_arrow_keys_leave_alone_what_is_no_number(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    before = question(page)
    page.locator("#cost-0-1").fill("expensive")
    page.locator("#cost-0-1").press("ArrowUp")
    assert page.locator("#cost-0-1").input_value() == "expensive"
    page.locator("#detail-class").check()
    page.locator("#miss-0").press("ArrowDown")  # empty, because its costs differ
    assert page.locator("#miss-0").input_value() == ""
    assert question(page) == before


def test_controls_show_what_was_understood(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    for text, value in (("1,234.5", "1234.5"), ("1/4", "0.25"), ("1e-7", "1e-7"), ("0", "0")):
        page.locator("#cost-0-1").fill(text)
        page.locator("#cost-0-1").blur()
        assert page.locator("#cost-0-1").input_value() == value
        assert question(page)["costs"][0][1] == float(value)
    page.locator("#share-0").fill("1/8%")
    page.locator("#share-0").blur()
    assert page.locator("#share-0").input_value() == "0.125%"
    assert page.locator("#share-0-slider").get_attribute("aria-valuetext") == "0.125%"
    assert page.locator("#miss-0-slider").get_attribute("aria-valuetext") == "0 to 1"
    page.locator("#share-0").fill("half")
    page.locator("#share-0").blur()  # stays, with what is wrong
    assert page.locator("#share-0").input_value() == "half"
    assert page.locator("#shares-problem").text_content() != ""


def test_a_slider_is_dragged_by_mouse(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    box = reach(page, "#share-0-slider").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    shares = question(page)["shares"]
    assert shares[0] > 0.9
    assert sum(shares) == pytest.approx(1, abs=1e-12)
    assert sentence(page) == now(page, wine()).sentence


def test_shares_make_room_for_one_another(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    field = page.locator("#share-1")
    field.fill("50%")
    shares = question(page)["shares"]
    assert shares[1] == 0.5
    own = data_of(wine()).shares
    assert shares[0] / shares[2] == pytest.approx(own[0] / own[2])
    field.press("ArrowUp")
    assert question(page)["shares"][1] == pytest.approx(0.51)
    field.fill("100%")
    field.fill("40%")
    assert question(page)["shares"] == pytest.approx([0.3, 0.4, 0.3])  # from nothing, evenly
    reach(page, "#shares-equal").click()
    assert question(page)["shares"] == pytest.approx([1 / 3] * 3)
    reach(page, "#shares-observed").click()
    assert question(page)["shares"] == list(own)


NONSENSE = [
    ("cost-0-1", "expensive", "costs", "number from 0 on"),
    ("cost-0-1", "-1", "costs", "number from 0 on"),
    ("cost-0-1", "1..2", "costs", "number from 0 on"),
    ("cost-0-1", "1e101", "costs", "take a larger unit"),
    ("share-0", "120", "shares", "0 to 100%"),
    ("share-0", "12", "shares", "write 12% or 0.12"),
    ("share-0", "", "shares", "0 to 100%"),
]


def test_nonsense_is_refused_at_the_control_and_changes_nothing(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    for field, text, knob, says in NONSENSE:
        before, told = question(page), sentence(page)
        page.locator(f"#{field}").fill(text)
        assert says in (page.locator(f"#{knob}-problem").text_content() or "")
        assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
        assert (question(page), sentence(page)) == (before, told)
        page.locator(f"#{field}").fill("2%" if knob == "shares" else "2")
        assert page.locator(f"#{knob}-problem").text_content() == ""


def test_errors_that_all_cost_nothing_are_refused(open_page: Open) -> None:
    page = open_page(to_html(given_counts()))
    cells = [f"#cost-{k}-{j}" for k in range(3) for j in range(3) if k != j]
    for cell in cells:
        page.locator(cell).fill("0")
    assert "At least one error" in (page.locator("#costs-problem").text_content() or "")
    assert question(page)["costs"][2][1] == 1  # the last one was not taken


def test_a_link_restores_the_page(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    page.locator("#cost-2-1").fill("77")
    page.locator("#share-0").fill("5%")
    before = shown(page)
    wait_for_address(page, r"#costs=.*=77.*&priors=class_0=0\.05,")
    fragment = page.evaluate("location.hash")
    again = open_page(to_html(wine()), fragment)
    assert shown(again) == before
    assert again.locator("#cost-2-1").input_value() == "77"
    assert again.locator("#share-0").input_value() == "5%"
    reach(again, "#reset").click()
    assert sentence(again) == wine().sentence


@pytest.mark.parametrize("make", [wine, fourteen_classes, given_counts])
def test_python_reads_the_link(open_page: Open, make: Any) -> None:
    summary = make()
    page = open_page(to_html(summary))
    page.locator("#detail-class").check()
    page.locator("#miss-1").fill("0.00000025")
    page.locator("#miss-2").fill("1e22")
    wait_for_address(page, "=1e%2B22")
    texts = dict(parse_qsl(page.evaluate("location.hash.slice(1)")))
    assert texts["priors"] == "observed"
    names = [each.name for each in data_of(summary).classes]
    totals = np.array([each.rows for each in data_of(summary).classes])
    read = ClassQuestion.from_strings(texts)
    assert read.cost_matrix(names).values.tolist() == question(page)["costs"]
    assert read.shares(names, totals).shares.tolist() == question(page)["shares"]
    reach(page, "#shares-equal").click()
    wait_for_address(page, f"priors={names[0]}=")
    texts = dict(parse_qsl(page.evaluate("location.hash.slice(1)")))
    assert ClassQuestion.from_strings(texts).shares(names, None).shares == pytest.approx(
        question(page)["shares"], abs=1e-15
    )


def test_names_with_any_sign_stand_in_a_link(open_page: Open) -> None:
    page = open_page(to_html(strange()))
    page.locator("#cost-2-0").fill("77")
    page.locator("#share-1").fill("5%")
    wait_for_address(page, r"=77&.*&priors=.*=0\.05,")
    asked = question(page)
    again = open_page(to_html(strange()), page.evaluate("location.hash"))
    assert question(again) == asked


def test_a_link_in_an_open_page_is_followed(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    shares = "priors=class_0=20%25,class_1=0.3;class_2=1/2"
    page.evaluate(f"location.hash = 'costs=class_2>class_0=99&default_cost=2&{shares}'")
    wait_until(page, "() => RocchManyApp.current().question.shares[2] === 0.5")
    assert question(page)["costs"] == [[0, 2, 2], [2, 0, 2], [99, 2, 0]]
    assert question(page)["shares"] == [0.2, 0.3, 0.5]
    assert page.locator("#cost-2-0").input_value() == "99"
    assert sentence(page) == now(page, wine()).sentence


def test_a_link_without_sense_in_an_open_page_changes_nothing(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    page.locator("#cost-2-1").fill("77")
    wait_for_address(page, "#costs=.*=77")
    before, told = page.evaluate("location.href"), sentence(page)
    page.evaluate("location.hash = 'priors=class_0=2'")
    page.locator("#bad-link", has_text="What follows is the question before.").wait_for()
    assert (page.evaluate("location.href"), sentence(page)) == (before, told)


NO_LINKS = (
    "#costs=x",
    "#cost=1",
    "#default_cost=0",
    "#default_cost=1..2",
    "#default_cost=1e101",
    "#default_cost=inf",
    "#costs=class_0>class_1",
    "#costs=class_0>class_9=1",
    "#costs=class_0>class_0=5",
    "#costs=class_0>class_1=-1",
    "#priors=class_0=0.5,class_1=0.5",
    "#priors=class_0=0.5,class_1=0.4,class_2=0.3",
    "#priors=class_0=1,class_1=-0.5,class_2=0.5",
    "#priors=",
)


@pytest.mark.parametrize("fragment", NO_LINKS[:2])
def test_a_link_that_makes_no_sense_leaves_the_report_s_own(open_page: Open, fragment: str) -> None:
    page = open_page(to_html(wine()), fragment)
    assert sentence(page) == wine().sentence
    assert "the report's own question" in (page.locator("#bad-link").text_content() or "")


def test_no_fragment_that_makes_no_sense_is_read(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    read = """(fragment) => {
      try { return RocchManyForm.decode(fragment); }
      catch (error) { return "refused"; }
    }"""
    for fragment in NO_LINKS:
        assert page.evaluate(read, fragment) == "refused", fragment
    assert page.evaluate(read, "#trade-offs") is None  # the name of a section


def test_nothing_is_wider_than_a_phone(open_page: Open) -> None:
    for make in (wine, fourteen_classes, strange):
        page = open_page(to_html(make()), width=390, height=844)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("#handle").click()
    assert page.locator("#share-0").is_visible()


def test_the_theme_is_toggled(open_page: Open) -> None:
    page = open_page(to_html(wine()), dark=True)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark


def test_everything_can_be_downloaded(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    with page.expect_download() as waiting:
        page.locator("#download-csv").press("Enter")
    lines = waiting.value.path().read_text().splitlines()
    assert len(lines) == 1 + len(data_of(wine()).members.model)
    assert lines[0].startswith("member,place,model,settings,class_0>class_0,")
    with page.expect_download() as waiting:
        page.locator("#download-json").press("Enter")
    found = json.loads(waiting.value.path().read_text())
    assert found["multiclass"]["rows"] == data_of(wine()).rows


def chosen_line(page: Page) -> list[float]:
    """Return what the trade-offs show of the recommendation."""
    found: list[float] = page.evaluate(
        "() => Array.from(document.getElementById('trade-offs-chart').data.at(-1).y)"
    )
    return found


def test_the_charts_follow_the_recommendation(open_page: Open) -> None:
    page = open_page(to_html(wine()), charts=True)
    page.locator("#trade-offs-chart .main-svg").first.wait_for()
    assert chosen_line(page) == pytest.approx(list(data_of(wine()).answer.miss_rates))
    page.locator("#cost-1-0").fill("250")
    wait_until(
        page,
        "() => document.getElementById('trade-offs-chart').data.at(-1).y"
        ".every((rate, k) => Math.abs(rate - RocchManyApp.current().answer.miss_rates[k]) < 1e-12)",
    )
    assert chosen_line(page) == pytest.approx(list(now(page, wine()).miss_rates))
    page.locator("#rates").select_option(label="what class_1 is taken for")
    assert len(chosen_line(page)) == 2
    for chart, number in (("curves", 3 * (1 + 2 + 1 + 1)), ("aucs", 2), ("pairs", 1)):
        page.locator(f"#{chart}-chart").scroll_into_view_if_needed()
        page.locator(f"#{chart}-chart .main-svg").first.wait_for()
        assert page.evaluate(f"document.getElementById('{chart}-chart').data.length") == number
    page.locator("#judged").select_option("1")
    shown = page.evaluate("document.getElementById('pairs-chart').data[0].z[0][1]")
    aucs = data_of(wine()).models[1].aucs
    assert aucs is not None
    assert shown == pytest.approx(aucs.pairs[0][1])
    assert page.locator("[data-judged]:visible h3").all_text_contents() == [
        "Most likely classes of stump, counted"
    ]


def test_names_stay_text_wherever_they_are_shown(open_page: Open) -> None:
    page = open_page(to_html(strange()), charts=True)
    assert STRANGE_CLASSES[0] in (page.locator("#per-rows").text_content() or "")
    page.evaluate("RocchShell.settled()")
    assert page.locator("main img, main b, main i").count() == 0
    ticks = page.locator("#trade-offs-chart .xtick").all_text_contents()
    assert ticks[0].startswith("</script><")
    assert ticks[2].startswith("x\"y'z & <b")
    _look_at_the_surface(page)


def _look_at_the_surface(page: Page) -> None:
    """Turn to the surface in three dimensions, where the browser can draw it."""
    page.locator("#surface-chart").scroll_into_view_if_needed()
    chart = "document.getElementById('surface-chart')"
    wait_until(page, f"!!{chart}.data || {chart}.textContent.includes('WebGL')")
    if page.locator("#surface-chart .waiting", has_text="WebGL").count():
        pytest.skip("this browser has no WebGL")
    surface = data_of(strange()).surface
    assert surface is not None
    drawn = f"{chart}.data[0].x"
    assert page.evaluate(f"{drawn}.length") == surface.shown
    before = page.evaluate(f"Array.from({drawn})")
    page.locator("#axis-x").select_option("3")
    assert page.evaluate(f"Array.from({drawn})") != before


def contrast(page: Page, cell: str) -> float:
    """Return the contrast of a tinted cell's text."""
    found: float = page.evaluate(
        """(cell) => {
          const canvas = document.createElement("canvas");
          const pen = canvas.getContext("2d", { willReadFrequently: true });
          const paint = (color) => { pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); };
          const light = () => [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3)
            .map((x) => x / 255)
            .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
            .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0.05);
          const node = document.querySelector(cell);
          paint(getComputedStyle(node.closest("section")).backgroundColor);
          paint(getComputedStyle(node).backgroundColor);
          const ground = light();
          paint(getComputedStyle(node).color);
          const ink = light();
          return Math.max(ink, ground) / Math.min(ink, ground);
        }""",
        cell,
    )
    return found


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_of_the_worst_errors_can_be_read(open_page: Open, dark: bool) -> None:
    page = open_page(to_html(wine()), dark=dark)
    page.locator("#share-0").fill("99.9%")
    for cell in ("#cost-1-0", "#cost-1-2", "#cost-2-0", "#cost-2-1"):
        page.locator(cell).fill("0.0001")
    worst = "#per-rows tr:nth-child(2) td:nth-child(2)"
    assert page.evaluate(f"document.querySelector('{worst}').className") == "wrong"
    # the most that a share of 1 gets
    page.evaluate(f"document.querySelector('{worst}').style.setProperty('--heat', 54)")
    assert contrast(page, worst) > 4.5
