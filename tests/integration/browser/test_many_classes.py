"""The page for many classes, used as a person would."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rocch.numbers import per_100
from rocch.report.many_classes import words
from rocch.report.many_classes.answer import answer
from rocch.report.many_classes.html import render_many_classes
from rocch.report.many_classes.question import CostQuestion
from tests.support.many_reports import (
    STRANGE_CLASSES,
    fourteen_classes,
    given_counts,
    six_classes,
    strange,
    wine,
)
from tests.support.pages import wait_until
from tests.support.reports import wait_for_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from rocch.report import ManyClassesSummary
    from rocch.report.many_classes.summary import CostAnswer

    Open = Callable[..., Page]

SETTINGS = 20
"""So many questions are put to each of the pages."""


def sentence(page: Page) -> str:
    return page.locator("#sentence").text_content() or ""


def question(page: Page) -> Any:
    return page.evaluate("RocchManyApp.question()")


def asked(summary: ManyClassesSummary, costs: Any, shares: Any) -> CostAnswer:
    """Return Python's answer to costs and shares."""
    names = tuple(each.name for each in summary.classes)
    models = tuple(model.name for model in summary.models)
    return answer(summary.members, models, CostQuestion(classes=names, costs=costs, shares=shares))


def now(page: Page, summary: ManyClassesSummary) -> CostAnswer:
    """Return Python's answer to what the page asks."""
    given = question(page)
    return asked(summary, given["costs"], given["shares"])


def questions(summary: ManyClassesSummary, seed: int) -> list[dict[str, Any]]:
    """Draw costs from alike to extreme, some of them ties, and shares that may be 0."""
    rng = np.random.default_rng(seed)
    size = len(summary.classes)
    found = []
    for place in range(SETTINGS):
        if place % 3:
            costs = 10.0 ** rng.uniform(-3, 3, (size, size))
        else:
            costs = rng.integers(1, 3, (size, size)).astype(float)
        np.fill_diagonal(costs, 0)
        shares = rng.dirichlet(np.full(size, 0.4)) if place % 2 else np.full(size, 1 / size)
        found.append({"costs": costs.tolist(), "shares": shares.tolist()})
    found[0] = {"costs": found[0]["costs"], "shares": [1.0] + [0.0] * (size - 1)}
    return found


@pytest.mark.parametrize("make", [wine, fourteen_classes])
def test_the_page_says_what_python_says(open_page: Open, make: Any) -> None:
    page = open_page(render_many_classes(make()))
    assert sentence(page) == make().answer.sentence
    assert page.locator("#echo").text_content() == make().answer.sentence


@pytest.mark.parametrize(("make", "seed"), [(wine, 1), (six_classes, 2), (given_counts, 3)])
def test_the_page_answers_as_python_does(open_page: Open, make: Any, seed: int) -> None:
    summary = make()
    page = open_page(render_many_classes(summary))
    given = questions(summary, seed)
    answers = page.evaluate(
        """(given) => {
          const model = RocchManyGeometry.prepare(RocchShell.summary());
          return given.map((question) => {
            const answer = RocchManyGeometry.answer(model, question);
            const write = [RocchManyWords.python, RocchManyWords.sql];
            return { answer, code: write.map((words) => words(model, answer.member)) };
          });
        }""",
        given,
    )
    models = tuple(model.name for model in summary.models)
    names = tuple(each.name for each in summary.classes)
    chosen = set()
    for one, found in zip(given, answers, strict=True):
        expected = json.loads(json.dumps(asdict(asked(summary, one["costs"], one["shares"]))))
        told = found["answer"]
        assert told.keys() == expected.keys()
        for name in ("member", "equals", "plain", "always", "rule", "sentence"):
            assert told[name] == expected[name]
        for name in ("cost", "standard_error", "error_rate", "plain_cost", "always_cost"):
            near = pytest.approx(expected[name] or 0, rel=1e-9, abs=1e-12)
            assert (told[name] or 0) == near
        assert np.allclose(told["miss_rates"], expected["miss_rates"], rtol=0, atol=1e-12)
        assert np.allclose(told["per_1000"], expected["per_1000"], rtol=0, atol=1e-9)
        rule = words.rule_of(summary.members, told["member"], models, names)
        assert found["code"] == [rule.to_python(), rule.to_sql()]
        chosen.add(told["member"])
    assert len(chosen) > 1  # the questions do move the answer


def test_a_cost_is_typed_and_turned_by_arrow_keys(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    cell = page.locator("#cost-1-0")
    cell.fill("250")
    assert question(page)["costs"][1][0] == 250
    assert sentence(page) == now(page, wine()).sentence != wine().answer.sentence
    cell.press("ArrowUp")
    assert question(page)["costs"][1][0] == 320  # ten steps to a power of ten
    cell.press("Shift+ArrowDown")
    assert question(page)["costs"][1][0] == 32
    assert sentence(page) == now(page, wine()).sentence
    missed = page.locator("#per-rows tr").nth(1).locator("td").nth(3).text_content()
    assert missed == f"{per_100(now(page, wine()).miss_rates[1])} %"


def test_a_class_can_cost_the_same_whatever_it_is_taken_for(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
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


def test_a_slider_is_dragged_by_mouse(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    box = page.locator("#share-0-slider").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    shares = question(page)["shares"]
    assert shares[0] > 0.9
    assert sum(shares) == pytest.approx(1, abs=1e-12)
    assert sentence(page) == now(page, wine()).sentence


def test_shares_make_room_for_one_another(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    field = page.locator("#share-1")
    field.fill("50 %")
    shares = question(page)["shares"]
    assert shares[1] == 0.5
    own = wine().question.shares
    assert shares[0] / shares[2] == pytest.approx(own[0] / own[2])
    field.press("ArrowUp")
    assert question(page)["shares"][1] == pytest.approx(0.51)
    field.fill("100")
    field.fill("40")
    assert question(page)["shares"] == pytest.approx([0.3, 0.4, 0.3])  # from nothing, evenly
    page.locator("#shares-equal").click()
    assert question(page)["shares"] == pytest.approx([1 / 3] * 3)
    page.locator("#shares-observed").click()
    assert question(page)["shares"] == list(own)


NONSENSE = [
    ("cost-0-1", "dear", "costs", "number from 0 on"),
    ("cost-0-1", "-1", "costs", "number from 0 on"),
    ("share-0", "120", "shares", "0 to 100 %"),
    ("share-0", "", "shares", "0 to 100 %"),
]


def test_nonsense_is_told_at_the_control_and_changes_nothing(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    for field, text, knob, says in NONSENSE:
        before, told = question(page), sentence(page)
        page.locator(f"#{field}").fill(text)
        assert says in (page.locator(f"#{knob}-problem").text_content() or "")
        assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
        assert (question(page), sentence(page)) == (before, told)
        page.locator(f"#{field}").fill("2")
        assert page.locator(f"#{knob}-problem").text_content() == ""


def test_errors_that_all_cost_nothing_are_refused(open_page: Open) -> None:
    page = open_page(render_many_classes(given_counts()))
    cells = [f"#cost-{k}-{j}" for k in range(3) for j in range(3) if k != j]
    for cell in cells:
        page.locator(cell).fill("0")
    assert "At least one error" in (page.locator("#costs-problem").text_content() or "")
    assert question(page)["costs"][2][1] == 1  # the last one was not taken


def test_a_link_restores_the_page(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    page.locator("#cost-2-1").fill("77")
    page.locator("#share-0").fill("5")
    told = sentence(page)
    wait_for_address(page, r"#costs=.*77.*&shares=0\.05,")
    fragment = page.evaluate("location.hash")
    again = open_page(render_many_classes(wine()), fragment)
    assert sentence(again) == told
    assert again.locator("#cost-2-1").input_value() == "77"
    assert again.locator("#share-0").input_value() == "5"
    again.locator("#reset").click()
    assert sentence(again) == wine().answer.sentence


def test_a_link_in_an_open_page_is_followed(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    page.evaluate("location.hash = 'costs=0,1,1;1,0,1;99,99,0&shares=0.2,0.3,0.5'")
    wait_until(page, "() => RocchManyApp.question().shares[2] === 0.5")
    assert sentence(page) == now(page, wine()).sentence


def test_a_link_without_sense_in_an_open_page_changes_nothing(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    page.locator("#cost-2-1").fill("77")
    wait_for_address(page, "#costs=.*77")
    before, told = page.evaluate("location.href"), sentence(page)
    page.evaluate("location.hash = 'shares=2'")
    page.locator("#toast", has_text="the settings stay as they are").wait_for()
    assert (page.evaluate("location.href"), sentence(page)) == (before, told)


@pytest.mark.parametrize("fragment", ["#costs=0,1;1,0", "#shares=0.5,0.4,0.3"])
def test_a_link_that_makes_no_sense_leaves_the_report_s_own(open_page: Open, fragment: str) -> None:
    page = open_page(render_many_classes(wine()), fragment)
    assert sentence(page) == wine().answer.sentence
    assert "makes no sense" in (page.locator("#toast").text_content() or "")


def test_no_fragment_that_makes_no_sense_is_read(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    read = """(fragment) => {
      try { return RocchManyState.decode(fragment, RocchManyApp.question()); }
      catch (error) { return "refused"; }
    }"""
    nothing = "0,0,0;0,0,0;0,0,0"
    for fragment in ("#costs=x", "#cost=1", f"#costs={nothing}", "#shares=1,0,-0", "#costs=1e999"):
        assert page.evaluate(read, fragment) == "refused"
    assert page.evaluate(read, "#trade-offs") is None  # the name of a section


def test_nothing_is_wider_than_a_phone(open_page: Open) -> None:
    for make in (wine, fourteen_classes, strange):
        page = open_page(render_many_classes(make()), width=390, height=844)
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("#handle").click()
    assert page.locator("#share-0").is_visible()


def test_the_theme_is_toggled(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()), dark=True)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark


def test_everything_can_be_downloaded(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    with page.expect_download() as waiting:
        page.locator("#csv").press("Enter")
    lines = waiting.value.path().read_text().splitlines()
    assert len(lines) == 1 + len(wine().members.model)
    assert lines[0].startswith("member,place,model,settings,class_0>class_0,")
    with page.expect_download() as waiting:
        page.locator("#json").press("Enter")
    found = json.loads(waiting.value.path().read_text())
    assert found["format"] == "rocch-many-classes-1"


def chosen_line(page: Page) -> list[float]:
    """Return what the trade-offs show of the recommendation."""
    found: list[float] = page.evaluate(
        "() => Array.from(document.getElementById('trade-offs-chart').data.at(-1).y)"
    )
    return found


def test_the_charts_follow_the_recommendation(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()), charts=True)
    page.locator("#trade-offs-chart .main-svg").first.wait_for()
    assert chosen_line(page) == pytest.approx(list(wine().answer.miss_rates))
    page.locator("#cost-1-0").fill("250")
    wait_until(
        page,
        "() => document.getElementById('trade-offs-chart').data.at(-1).y"
        ".every((rate, k) => Math.abs(rate - RocchManyApp.answer().miss_rates[k]) < 1e-12)",
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
    aucs = wine().models[1].aucs
    assert aucs is not None
    assert shown == pytest.approx(aucs.pairs[0][1])
    assert "stump" in (page.locator("#plain-words").text_content() or "")


def test_names_stay_text_wherever_they_are_shown(open_page: Open) -> None:
    page = open_page(render_many_classes(strange()), charts=True)
    assert page.locator("main img, main b, main i").count() == 0
    assert STRANGE_CLASSES[0] in (page.locator("#per-rows").text_content() or "")
    page.locator("#trade-offs-chart .xtick").first.wait_for()
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
    surface = strange().surface
    assert surface is not None
    drawn = f"{chart}.data[0].x"
    assert page.evaluate(f"{drawn}.length") == surface.shown
    before = page.evaluate(f"Array.from({drawn})")
    page.locator("#axis-x").select_option("3")
    assert page.evaluate(f"Array.from({drawn})") != before
