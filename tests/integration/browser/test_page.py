"""The page for two classes, used as a person would."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import rocch
from rocch.hybrid.rule_templates import shown_texts
from rocch.report.answer import answer
from rocch.report.binary import Source
from rocch.report.render import to_html
from tests.support.chromium import PATIENCE
from tests.support.many_reports import wine
from tests.support.pages import reach, wait_until
from tests.support.reports import (
    STRANGE_NAMES,
    binary,
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
    page.evaluate("RocchShell.settled()")


def address(page: Page, fragment: str) -> None:
    """Wait until the page's address has this fragment."""
    wait_for_address(page, re.escape(fragment) + "$")


def test_the_page_says_what_python_says(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    assert sentence(page) == fraud().sentence
    assert page.locator("#echo").text_content() == fraud().sentence


def test_a_slider_moves_the_answer_by_mouse_and_by_key(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    before = sentence(page)
    slider = page.locator("#false_negative-high-slider")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 0.98 * box["width"], box["y"] + box["height"] / 2)
    by_mouse = current(page)["question"]["false_negative"][1]
    assert by_mouse > 100
    assert sentence(page) != before
    slider.press("ArrowLeft")
    low, high = current(page)["question"]["false_negative"]
    assert 9 < high < by_mouse
    assert page.locator("#false_negative").input_value() == f"{low:g}..{high:g}"


def test_arrow_keys_step_a_number_or_both_ends(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    field = page.locator("#prevalence")
    field.press("ArrowUp")
    low, high = current(page)["question"]["prevalence"]
    assert low > 0.2
    assert high > 0.3
    field.press("ArrowDown")
    assert current(page)["question"]["prevalence"] == pytest.approx([0.2, 0.3], rel=0.01)
    page.locator("#false_positive").press("ArrowUp")
    assert 1 < current(page)["question"]["false_positive"] < 1.5


def test_a_typed_number_is_taken_to_the_last_digit(open_page: Open) -> None:
    page = open_page(to_html(strange()))
    for text, value in (("16.7%", 0.167), ("0.3%", 0.003), ("1/6", 1 / 6)):
        page.locator("#prevalence").fill(text)
        assert current(page)["question"]["prevalence"] == value
    page.locator("#prevalence").fill("5-10%")
    assert current(page)["question"]["prevalence"] == [0.05, 0.1]
    assert page.locator("#prevalence-ranged").is_checked()
    page.locator("#prevalence").fill("observed")
    assert current(page)["question"]["prevalence"] == binary(strange()).data.prevalence


BAD = [
    ("prevalence", "many", "Write a number or an interval, for example 0.05..0.1."),
    ("prevalence", "5", "It is a share: write 5% or 0.05."),
    ("prevalence", "5..20", "It is a share: write 5..20% or 0.05..0.2."),
    ("prevalence", "700", "It is a share, from 0 to 1 or in %."),
    ("prevalence", "0.6..0.2", "The low end lies above the high end."),
    ("false_negative", "-1", "It cannot be negative."),
    ("false_negative", "12..3", "The low end lies above the high end."),
    ("false_negative", "", "Write a number, for example 200..250."),
]


def test_bad_input_is_told_at_the_control_and_the_last_answer_stays(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    for field, text, problem in BAD:
        page.locator(f"#{field}").fill(text)
        place = page.locator(f"#{field}-problem")
        assert place.text_content() == problem
        assert page.locator(f"#{field}").get_attribute("aria-invalid") == "true"
        assert sentence(page) == fraud().sentence
        reach(page, "#reset").click()
        assert place.text_content() == ""


def test_costs_must_make_sense_together(open_page: Open) -> None:
    page = open_page(to_html(strange()))
    page.locator("#false_positive").fill("0")
    page.locator("#false_negative").fill("0")
    told = page.locator("#false_negative-problem").text_content() or ""
    assert "must always cost more" in told
    page.locator("#false_negative").fill("3")
    page.locator("#more summary").click()
    page.locator("#true_positive").fill("4")
    told = page.locator("#true_positive-problem").text_content() or ""
    assert "cannot cost more than the error" in told


def test_a_pushed_slider_keeps_low_below_high(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    page.locator("#false_negative-low-slider").press("End")
    pushed = current(page)["question"]["false_negative"]
    assert pushed > 9
    page.locator("#false_negative-low-slider").press("PageDown")
    low, high = current(page)["question"]["false_negative"]
    assert low < high == pushed


def test_a_range_begins_around_a_number_and_a_number_in_the_middle(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    page.locator("#false_positive-ranged").check()
    assert current(page)["question"]["false_positive"] == [0.5, 2]
    page.locator("#false_positive-ranged").uncheck()
    assert current(page)["question"]["false_positive"] == pytest.approx(1)
    assert page.locator("#false_positive-high-slider").is_hidden()


def test_a_belief_limits_and_a_coin(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    page.locator("#belief-on").check()
    assert page.locator("#false_negative").is_disabled()
    assert current(page)["question"]["cost_ratio"] == [3, 9]
    assert "likely" not in current(page)["question"]  # nobody stated it
    assert "the best choice with a probability of" in sentence(page)
    page.locator("#max_fpr").fill("4%")
    page.locator("#more summary").click()
    page.locator("#population").fill("1,000")
    page.locator("#capacity").fill("100")
    reach(page, "#goal-hits").check()
    reach(page, "#randomize").check()
    assert current(page)["question"] == {
        "prevalence": [0.2, 0.3],
        "max_fpr": 0.04,
        "capacity": 100,
        "population": 1000,
        "randomize": True,
    }
    assert current(page)["answer"]["fpr"] <= 0.04 + 1e-12
    for field in ("max_fpr", "capacity"):
        page.locator(f"#{field}").fill("")
    assert "State a limit" in (page.locator("#goal-problem").text_content() or "")


def test_a_question_without_an_answer_is_told_and_the_last_answer_stays(open_page: Open) -> None:
    page = open_page(to_html(fraud()), "#min_tpr=0.99&max_fpr=0.01")
    assert sentence(page) == fraud().sentence
    assert "No setting meets these limits" in (page.locator("#goal-problem").text_content() or "")
    page.locator("#max_fpr").fill("")
    assert page.locator("#goal-problem").text_content() == ""
    assert current(page)["question"] == {"min_tpr": 0.99}
    reach(page, "#goal-cost").check()
    reach(page, "#belief-on").check()
    page.locator("#cost_ratio").fill("2..inf")
    assert "infinite" in (page.locator("#goal-problem").text_content() or "")
    page.locator("#likely").fill("3")
    assert current(page)["question"]["cost_ratio"] == [2, "inf"]


def test_a_metric_and_the_knob(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    page.locator("#maximize").select_option("accuracy")
    page.locator("#goal-metric").check()
    assert "one number" in (page.locator("#prevalence-problem").text_content() or "")
    page.locator("#prevalence").fill("20%")
    assert current(page)["question"] == {"prevalence": 0.2, "maximize": "accuracy"}
    page.locator("#goal-position").check()
    assert current(page)["question"] == {"knob": 0.5}
    page.locator("#knob-low-slider").press("End")
    assert current(page)["question"] == {"knob": 1}
    assert sentence(page).startswith("Always alarm")
    assert page.locator("#prevalence").is_disabled()


def test_everything_follows(open_page: Open) -> None:
    page = open_page(to_html(fraud()), charts=True)
    settled(page)
    ids = ["facts", "per-false_negatives", "rule-sql", "choices-rows", "winners-ratio", "roc-chart"]
    before = {name: page.locator(f"#{name}").inner_html() for name in ids}
    page.locator("#prevalence-low-slider").press("Home")
    settled(page)
    after = {name: page.locator(f"#{name}").inner_html() for name in ids}
    assert [name for name in ids if before[name] == after[name]] == []


def test_a_link_restores_the_question(open_page: Open) -> None:
    fragment = (
        "#prevalence=0.1..0.15&false_positive=2&cost_ratio=2..12.5&likely=5"
        "&max_fpr=0.2&capacity=100&population=900&randomize=true"
    )
    page = open_page(to_html(fraud()), fragment)
    asked = current(page)["question"]
    assert asked["prevalence"] == [0.1, 0.15]
    assert (asked["cost_ratio"], asked["likely"]) == ([2, 12.5], 5)
    assert (asked["max_fpr"], asked["capacity"], asked["population"]) == (0.2, 100, 900)
    assert page.locator("#capacity").is_visible()
    address(page, fragment)
    reach(page, "#reset").click()
    link = "#prevalence=0.2..0.3&false_positive=1&false_negative=3..9"
    address(page, link)
    assert sentence(page) == fraud().sentence
    other = open_page(to_html(fraud()), link)
    assert sentence(other) == fraud().sentence


def test_a_link_as_people_write_it_is_read_like_python_reads_it(open_page: Open) -> None:
    page = open_page(to_html(fraud()), "#prevalence=5%25&false_positive=1&false_negative=10-40")
    assert current(page)["question"] == {
        "prevalence": 0.05,
        "false_positive": 1,
        "false_negative": [10, 40],
    }
    other = open_page(to_html(fraud()), "#negatives_per_positive=4..6")
    assert current(other)["question"] == {
        "negatives_per_positive": [4, 6],
        "false_positive": 1,
        "false_negative": 1,
    }


def test_a_link_without_sense_is_not_followed(open_page: Open) -> None:
    page = open_page(to_html(fraud()), "#prevalence=7")
    assert sentence(page) == fraud().sentence
    told = page.locator("#bad-link")
    assert told.is_visible()
    assert told.text_content() == (
        "This link asks for something the page cannot show: It is a share: write 7% or 0.07. "
        "What follows is the report's own question."
    )
    page.locator("#prevalence").fill("12%")
    address(page, "prevalence=0.12&false_positive=1&false_negative=3..9")
    assert not told.is_visible()


@pytest.mark.parametrize(
    "bad",
    [
        *("#prevalence=7", "#nothing=1", "#", "#knob=0.2&max_fpr=0.1", "#likely=3"),
        *("#prevalence=0.1&negatives_per_positive=4&false_positive=1&false_negative=2",),
        *("#cost_ratio=2..4&false_positive=1&false_negative=2", "#maximize=auc"),
    ],
)
def test_a_link_without_sense_in_an_open_page_changes_nothing(open_page: Open, bad: str) -> None:
    page = open_page(to_html(fraud()))
    page.locator("#prevalence").fill("12%")
    good = "#prevalence=0.12&false_positive=1&false_negative=3..9"
    address(page, good)
    told = sentence(page)
    page.evaluate("(bad) => { location.hash = bad; }", bad)
    address(page, good)
    assert sentence(page) == told
    said = page.locator("#bad-link").text_content() or ""
    assert said.endswith("What follows is the question before.") == (bad != "#")
    page.evaluate("location.hash = 'prevalence=0.4'")
    wait_until(page, "RocchApp.current().question.prevalence === 0.4")


def test_links_within_the_page_leave_the_settings_alone(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    address(page, "false_negative=3..9")
    page.locator(".contents a", has_text="Cost curves").click()
    assert page.evaluate("location.hash").endswith("false_negative=3..9")
    page.locator("#echo.shown").wait_for()


def test_strange_names_are_text_everywhere_and_can_be_hidden(open_page: Open) -> None:
    page = open_page(to_html(strange()), charts=True)
    settled(page)
    shown = page.locator("#legend .name").all_text_contents()
    assert set(shown) == set(STRANGE_NAMES)
    # older versions of Plotly make links of the buttons of their bar
    marked = "[...document.querySelectorAll('main b, main a')]"
    assert page.evaluate(f"{marked}.filter((e) => !e.closest('.modebar, nav')).length") == 0
    hover = page.evaluate("JSON.stringify(document.getElementById('roc-chart').data)")
    assert "&lt;script&gt;" in hover
    assert "<script>" not in hover
    shown_or_not = "document.getElementById('roc-chart').data[1].visible"
    for is_shown in (False, True):
        page.locator("#legend button").first.click()
        assert page.evaluate(shown_or_not) is is_shown


@pytest.mark.parametrize("dark", [False, True])
def test_phone_and_themes(open_page: Open, dark: bool) -> None:
    page = open_page(to_html(strange()), width=390, height=844, dark=dark)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paper)
    page.locator("#theme").click()
    assert page.evaluate(paper) != before
    assert not page.locator("#reset").is_visible()
    page.locator("#handle").click()
    page.locator("#prevalence").fill("50%")
    assert current(page)["question"]["prevalence"] == 0.5


def test_downloads_and_copies(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    with page.expect_download() as waiting:
        page.locator("#download-csv").press("Enter")
    text = waiting.value.path().read_text(encoding="utf-8")
    assert len(text.splitlines()) == 1 + len(binary(fraud()).hull.classifier)
    with page.expect_download() as waiting:
        page.locator("#download-json").press("Enter")
    assert '"rocch-summary-2"' in waiting.value.path().read_text(encoding="utf-8")


def test_a_hull_of_counts_only(open_page: Open) -> None:
    page = open_page(to_html(counts_only()))
    assert sentence(page) == counts_only().sentence


def test_a_browser_that_cannot_unpack_still_answers(open_page: Open) -> None:
    page = open_page(to_html(fraud()), first="delete window.DecompressionStream")
    page.locator("#roc-remark", has_text="cannot unpack").wait_for()
    before = page.locator("#sketch-answer").inner_html()
    page.locator("#false_negative-low-slider").press("Home")
    settled(page)
    assert sentence(page) != fraud().sentence
    assert page.locator("#sketch-answer").inner_html() != before


@pytest.mark.parametrize("max_fpr", [0.013, 0.07, 0.11])
def test_the_page_shows_the_text_of_the_rule(open_page: Open, max_fpr: float) -> None:
    hull = rocch.RocHull.from_scores(*scores(("gbm", 'say "b"')))
    labels = ("fair", "fraud")
    own = rocch.Question(max_fpr=max_fpr, randomize=True)
    page = open_page(to_html(rocch.report.summarize(hull, own, labels=labels, resamples=0)))
    source = Source.of(hull, labels=labels, label="label")

    def check(question: rocch.Question) -> None:
        for kind, text in shown_texts(source.rule(answer(hull, question))).items():
            assert page.locator(f"#rule-{kind}").text_content() == text

    check(own)
    page.locator("#max_fpr").fill("5.3%")
    assert len(current(page)["answer"]["parts"]) == 2
    check(replace(own, max_fpr=0.053))
    reach(page, "#reset").click()
    check(own)


@pytest.mark.parametrize("make", [lambda: to_html(fraud()), lambda: to_html(wine())])
def test_no_script_runs_but_the_pages_own(
    browser: Browser, tmp_path: Path, make: Callable[[], str]
) -> None:
    """A stranger's script, handler or link to one does nothing, wherever it comes from."""
    strangers = '<script>stranger = 1</script><img src="data:," onerror="stranger = 2"><main>'
    text = make().replace("<main>", strangers, 1)
    file = tmp_path / "page.html"
    file.write_text(text, encoding="utf-8")
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
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


def test_an_answer_to_another_question_is_marked(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    note = page.locator(".outdated")
    assert not note.is_visible()
    page.fill("#false_negative", "much")
    assert note.is_visible()
    page.emulate_media(media="print")
    assert note.is_visible()
    page.emulate_media(media="screen")
    page.fill("#false_negative", "30")
    assert not note.is_visible()
