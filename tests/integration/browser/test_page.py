"""The page for two classes, used as a person would."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import rocch
from rocch.report.html import render
from rocch.report.many_classes.html import render_many_classes
from tests.support.many_reports import wine
from tests.support.pages import wait_until
from tests.support.reports import (
    STRANGE_NAMES,
    counts_only,
    fraud,
    scores,
    strange,
    wait_for_address,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page

    Open = Callable[..., Page]


def sentence(page: Page) -> str:
    return page.locator("#sentence").text_content() or ""


def current(page: Page) -> Any:
    """Return the question that was last asked and its answer."""
    return page.evaluate("RocchApp.current()")


def settled(page: Page) -> None:
    """Wait until what is out of sight has followed too."""
    page.evaluate("RocchSight.settled()")


def address(page: Page, fragment: str) -> None:
    """Wait until the page's address has this fragment."""
    wait_for_address(page, re.escape(fragment) + "$")


def test_the_page_says_what_python_says(open_page: Open) -> None:
    page = open_page(render(fraud()))
    assert sentence(page) == fraud().answer.sentence
    assert page.locator("#echo").text_content() == fraud().answer.sentence


def test_a_slider_moves_the_answer_by_mouse_and_by_key(open_page: Open) -> None:
    page = open_page(render(fraud()))
    before = sentence(page)
    slider = page.locator("#false_negative-high-slider")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.98 * box["width"], box["y"] + box["height"] / 2)
    by_mouse = current(page)["question"]["false_negative"][1]
    assert by_mouse > 100
    assert sentence(page) != before
    slider.press("ArrowLeft")
    assert 9 < current(page)["question"]["false_negative"][1] < by_mouse
    assert current(page)["question"]["false_negative"][1] == pytest.approx(
        float(page.locator("#false_negative-high").input_value())
    )


def test_arrow_keys_step_a_number(open_page: Open) -> None:
    page = open_page(render(fraud()))
    field = page.locator("#prevalence-high")
    field.press("ArrowUp")
    assert current(page)["question"]["prevalence"][1] > 0.3
    field.press("ArrowDown")
    assert current(page)["question"]["prevalence"][1] == pytest.approx(0.3, rel=0.01)


def test_a_typed_number_is_taken_to_the_last_digit(open_page: Open) -> None:
    page = open_page(render(strange()))
    page.locator("#prevalence-low").fill("16.7")
    assert current(page)["question"]["prevalence"] == [0.167, 0.167]
    page.locator("#prevalence-low").fill("0.3 %")
    assert current(page)["question"]["prevalence"] == [0.003, 0.003]


BAD = [
    ("prevalence-low", "many", "Write a number"),
    ("prevalence-low", "", "Write a number"),
    ("prevalence-low", "100", "Between 0 and 100 %"),
    ("prevalence-low", "60", "low end lies above"),
    ("false_negative-low", "-1", "cannot be negative"),
    ("false_negative-low", "12", "low end lies above"),
]


def test_bad_input_is_told_at_the_control_and_the_last_answer_stays(open_page: Open) -> None:
    page = open_page(render(fraud()))
    for field, text, problem in BAD:
        page.locator(f"#{field}").fill(text)
        place = page.locator(f"#{field.split('-')[0]}-problem")
        assert problem in (place.text_content() or "")
        assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
        assert sentence(page) == fraud().answer.sentence
        page.locator("#reset").click()
        assert place.text_content() == ""


def test_both_costs_cannot_be_nothing(open_page: Open) -> None:
    page = open_page(render(strange()))
    page.locator("#false_positive-low").fill("0")
    page.locator("#false_negative-low").fill("0")
    told = page.locator("#false_negative-problem").text_content() or ""
    assert "must always cost something" in told


def test_a_pushed_slider_keeps_low_below_high(open_page: Open) -> None:
    page = open_page(render(fraud()))
    page.locator("#false_negative-low-slider").press("End")
    low, high = current(page)["question"]["false_negative"]
    assert low == high > 9


def test_a_belief_limits_and_a_coin(open_page: Open) -> None:
    page = open_page(render(fraud()))
    page.locator("#belief-on").check()
    assert page.locator("#false_negative-low").is_disabled()
    assert "chance" in sentence(page) or "choice holds" in sentence(page)
    page.locator("#max_fpr-on").check()
    page.locator("#max_fpr").fill("4")
    page.locator("#capacity-on").check()
    page.locator("#goal-hits").check()
    page.locator("#randomize").check()
    asked = current(page)["question"]
    assert asked["max_fpr"] == 0.04
    assert (asked["capacity"], asked["population"]) == (100, 1000)
    assert asked["goal"] == "hits"
    assert asked["randomize"] is True
    assert current(page)["answer"]["fpr"] <= 0.04 + 1e-12
    page.locator("#max_fpr-on").uncheck()
    page.locator("#capacity-on").uncheck()
    assert current(page)["question"]["goal"] == "cost"


def test_everything_follows(open_page: Open) -> None:
    page = open_page(render(fraud()), charts=True)
    settled(page)
    ids = ["facts", "per-false_negatives", "rule-sql", "choices-rows", "winners-ratio", "roc-chart"]
    before = {name: page.locator(f"#{name}").inner_html() for name in ids}
    page.locator("#prevalence-low-slider").press("Home")
    settled(page)
    after = {name: page.locator(f"#{name}").inner_html() for name in ids}
    assert [name for name in ids if before[name] == after[name]] == []


def test_a_link_restores_the_question(open_page: Open) -> None:
    fragment = (
        "#prevalence=0.1..0.15&false_positive=2&false_negative=8&belief=2,5,12.5"
        "&max_fpr=0.2&capacity=100&population=900&randomize=1"
    )
    page = open_page(render(fraud()), fragment)
    asked = current(page)["question"]
    assert asked["prevalence"] == [0.1, 0.15]
    assert asked["belief"] == [2, 5, 12.5]
    assert (asked["max_fpr"], asked["capacity"], asked["population"]) == (0.2, 100, 900)
    address(page, fragment)
    page.locator("#reset").click()
    link = "#prevalence=0.2..0.3&false_positive=1&false_negative=3..9"
    address(page, link)
    assert sentence(page) == fraud().answer.sentence
    other = open_page(render(fraud()), link)
    assert sentence(other) == fraud().answer.sentence


def test_a_link_without_sense_is_not_followed(open_page: Open) -> None:
    page = open_page(render(fraud()), "#prevalence=7")
    assert sentence(page) == fraud().answer.sentence
    assert "make no sense" in (page.locator("#toast").text_content() or "")


@pytest.mark.parametrize("bad", ["#prevalence=7", "#nothing=1", "#"])
def test_a_link_without_sense_in_an_open_page_changes_nothing(open_page: Open, bad: str) -> None:
    page = open_page(render(fraud()))
    page.locator("#prevalence-ranged").uncheck()
    page.locator("#prevalence-low").fill("12")
    good = "#prevalence=0.12&false_positive=1&false_negative=3..9"
    address(page, good)
    told = sentence(page)
    page.evaluate("(bad) => { location.hash = bad; }", bad)
    address(page, good)
    assert sentence(page) == told
    said = page.locator("#toast").text_content() or ""
    assert said.endswith("the settings stay as they are") == (bad != "#")
    page.evaluate("location.hash = 'prevalence=0.4'")
    wait_until(page, "RocchApp.current().question.prevalence[0] === 0.4")


def test_links_within_the_page_leave_the_settings_alone(open_page: Open) -> None:
    page = open_page(render(fraud()))
    address(page, "false_negative=3..9")
    page.locator(".contents a", has_text="Cost curves").click()
    assert page.evaluate("location.hash").endswith("false_negative=3..9")
    page.locator("#echo.shown").wait_for()


def test_strange_names_are_text_everywhere_and_can_be_hidden(open_page: Open) -> None:
    page = open_page(render(strange()), charts=True)
    settled(page)
    shown = page.locator("#legend .name").all_text_contents()
    assert set(shown) == set(STRANGE_NAMES)
    # older versions of Plotly make links of the buttons of their bar
    marked = "[...document.querySelectorAll('main b, main a')]"
    assert page.evaluate(f"{marked}.filter((e) => !e.closest('.modebar')).length") == 0
    hover = page.evaluate(
        "document.getElementById('roc-chart').data.map((t) => (t.text || [''])[0])"
    )
    assert any("&lt;script&gt;" in text for text in hover)
    shown_or_not = "document.getElementById('roc-chart').data[1].visible"
    for is_shown in (False, True):
        page.locator("#legend button").first.click()
        assert page.evaluate(shown_or_not) is is_shown


@pytest.mark.parametrize("dark", [False, True])
def test_phone_and_themes(open_page: Open, dark: bool) -> None:
    page = open_page(render(strange()), width=390, height=844, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paper)
    page.locator("#theme").click()
    assert page.evaluate(paper) != before
    assert not page.locator("#reset").is_visible()
    page.locator("#handle").click()
    page.locator("#prevalence-low").fill("50")
    assert current(page)["question"]["prevalence"] == [0.5, 0.5]


def test_downloads_and_copies(open_page: Open) -> None:
    page = open_page(render(fraud()))
    with page.expect_download() as waiting:
        page.locator("#download-csv").press("Enter")
    text = waiting.value.path().read_text(encoding="utf-8")
    assert len(text.splitlines()) == 1 + len(fraud().hull.classifier)
    with page.expect_download() as waiting:
        page.locator("#download-json").press("Enter")
    assert '"rocch-summary-1"' in waiting.value.path().read_text(encoding="utf-8")


def test_a_hull_of_counts_only(open_page: Open) -> None:
    page = open_page(render(counts_only()))
    assert sentence(page) == counts_only().answer.sentence


def test_a_browser_that_cannot_unpack_still_answers(open_page: Open) -> None:
    page = open_page(render(fraud()), first="delete window.DecompressionStream")
    page.locator("#roc-remark", has_text="cannot unpack").wait_for()
    before = page.locator("#sketch-answer").inner_html()
    page.locator("#false_negative-low-slider").press("Home")
    settled(page)
    assert sentence(page) != fraud().answer.sentence
    assert page.locator("#sketch-answer").inner_html() != before


@pytest.mark.parametrize("max_fpr", [0.013, 0.07, 0.11])
def test_the_page_shows_the_text_of_the_rule(
    open_page: Open, tmp_path: Path, max_fpr: float
) -> None:
    """Its own question's to the last digit; any other's to the digits of the page's own coin."""
    hull = rocch.RocHull.from_scores(*scores(("gbm", 'say "b"')))
    file = tmp_path / "report.html"
    rocch.write_report(hull, file, max_fpr=max_fpr, randomize=True, labels=("fair", "fraud"))
    page = open_page(file.read_text(encoding="utf-8"))

    def shown() -> list[str | None]:
        return [page.locator(f"#rule-{kind}").text_content() for kind in ("plain", "sql")]

    def rule(limit: float, shares: list[float] | None = None) -> list[str]:
        point = hull.best(rocch.NeymanPearson(limit), randomize=True)
        given = shares or [share for share, _ in point.mix]
        assert given == pytest.approx([share for share, _ in point.mix], rel=1e-9)
        mix = tuple(zip(given, [place for _, place in point.mix], strict=True))
        found = rocch.hybrid.Rule.from_point(
            replace(point, mix=mix), positive="fraud", negative="fair", row_key="row_id"
        )
        head = "-- PostgreSQL; the coin is made of the column of row keys\n"
        return [str(found), head + found.to_sql(dialect="postgresql")]

    assert shown() == rule(max_fpr)
    page.locator("#max_fpr").fill("5.3")
    parts = current(page)["answer"]["parts"]
    assert len(parts) == 2
    assert shown() == rule(0.053, [part["probability"] for part in parts])
    page.locator("#reset").click()
    assert shown() == rule(max_fpr)


@pytest.mark.parametrize("make", [lambda: render(fraud()), lambda: render_many_classes(wine())])
def test_no_script_runs_but_the_pages_own(
    browser: Browser, tmp_path: Path, make: Callable[[], str]
) -> None:
    """A stranger's script, handler or link to one does nothing, wherever it comes from."""
    strangers = '<script>stranger = 1</script><img src="data:," onerror="stranger = 2"><main>'
    text = make().replace("<main>", strangers, 1)
    file = tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    page.locator(".chart .main-svg").first.wait_for(state="attached")  # Plotly is the page's own
    refused = page.evaluate(
        """() => new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", (event) =>
            resolve(event.violatedDirective));
          const script = document.createElement("script");
          script.textContent = "stranger = 3";
          document.body.append(script);
        })"""
    )
    assert refused.startswith("script-src")
    assert page.evaluate("typeof stranger") == "undefined"
    page.close()
