"""Numbers as people type them, and the ratio that begins at the costs they typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocch.report.render import to_html
from tests.support.pages import reach
from tests.support.reports import fraud, strange

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Open = Callable[..., Page]

COST = "#false_negative"


def current(page: Page) -> Any:
    return page.evaluate("RocchApp.current().question")


def problem(page: Page, name: str) -> str:
    return page.locator(f"#{name}-problem").text_content() or ""


def test_numbers_are_read_as_they_are_meant(open_page: Open) -> None:
    page = open_page(to_html(strange()))
    for text, value in (
        ("1,000", 1000),
        ("1,234,567.5", 1234567.5),
        ("2e3", 2000),
        ("1e-7", 1e-7),
        (".5", 0.5),
        ("+3", 3),
        ("10/4", 2.5),
        ("10..40", [10, 40]),
        ("5-20", [5, 20]),
        ("7..7", 7),
    ):
        page.locator(COST).fill(text)
        assert current(page)["false_negative"] == value
        assert problem(page, "false_negative") == ""
    page.locator("#prevalence").fill("2e-1%")
    assert current(page)["prevalence"] == 0.002


NO_NUMBERS = {
    "1,00,000": "Write a number or an interval, for example 200..250.",
    "1.000,5": "Write a number or an interval, for example 200..250.",
    "1e300": "That is too large: take a larger unit.",
    "1e999": "That is too large: take a larger unit.",
    "1..inf": "That is too large: take a larger unit.",
    "-1": "It cannot be negative.",
}


def test_what_cannot_be_read_is_told_at_the_field(open_page: Open) -> None:
    page = open_page(to_html(strange()))
    before = current(page)
    for text, told in NO_NUMBERS.items():
        page.locator(COST).fill(text)
        assert problem(page, "false_negative") == told
        assert page.locator(COST).get_attribute("aria-invalid") == "true"
        assert current(page) == before


def test_other_fields_tell_it_too(open_page: Open) -> None:
    page = open_page(to_html(strange()))
    page.locator("#belief-on").check()
    page.locator("#more summary").click()
    for field, name, text, told in (
        ("cost_ratio", "cost_ratio", "1..1e12", "At most 1,000,000,000 times"),
        ("likely", "likely", "1..3", "Write a number, for example 9."),
        ("likely", "likely", "1000", "within the bounds"),
        ("false_positive", "false_positive", "1..2", "one number above 0"),
        ("false_positive", "false_positive", "0", "one number above 0"),
        ("max_fpr", "max_fpr", "5,5", "write 5.5% or 0.055"),
        ("max_fpr", "max_fpr", "5", "write 5% or 0.05"),
        ("prevalence", "prevalence", "0", "more than 0 and less than 1"),
        ("capacity", "capacity", "1e300", "too large"),
        ("capacity", "capacity", "30", "State the population"),
        ("population", "population", "0", "more than 0 cases"),
    ):
        page.locator(f"#{field}").fill(text)
        assert told in problem(page, name), (field, text)
        if field != "capacity":
            reach(page, "#reset").click()
            reach(page, "#belief-on").check()
            if field == "population":
                page.locator("#capacity").fill("30")
    reach(page, "#goal-hits").check()
    page.locator("#capacity").fill("30")
    page.locator("#positives").fill("0")
    page.locator("#negatives").fill("0")
    assert "more than 0 cases" in problem(page, "positives")


# costs of a false alarm and of a miss, and the ratio that begins from them
STATED = [
    ("1", "20..30", [20, 30]),
    ("1..2", "20..30", [10, 30]),
    ("2", "10", [1.67, 15]),
    ("5", "5", [1, 10]),
    ("1", "0..4", [1, 10]),
]


@pytest.mark.parametrize(("alarm", "miss", "ratio"), STATED)
def test_a_ratio_begins_at_the_costs_stated(
    open_page: Open, alarm: str, miss: str, ratio: list[float]
) -> None:
    page = open_page(to_html(fraud()))
    page.locator("#false_positive").fill(alarm)
    page.locator("#false_negative").fill(miss)
    page.locator("#belief-on").check()
    assert current(page)["cost_ratio"] == ratio
    assert "likely" not in current(page)


def test_a_ratio_is_kept_while_the_costs_stay(open_page: Open) -> None:
    page = open_page(to_html(fraud()))
    page.locator("#belief-on").check()
    page.locator("#cost_ratio").fill("4..5")
    page.locator("#belief-on").uncheck()
    page.locator("#belief-on").check()
    assert current(page)["cost_ratio"] == [4, 5]
