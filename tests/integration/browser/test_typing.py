"""Numbers as people type them, and the belief that begins at the costs they typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocch.report.html import render
from rocch.report.losses import around
from rocch.report.many_classes.html import render_many_classes
from rocch.report.question import Question, Range
from tests.support.many_reports import wine
from tests.support.reports import fraud, strange

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Open = Callable[..., Page]

COST = "#false_negative-low"


def current(page: Page) -> Any:
    return page.evaluate("RocchApp.current().question")


def problem(page: Page, knob: str) -> str:
    return page.locator(f"#{knob}-problem").text_content() or ""


def test_numbers_are_read_as_they_are_meant(open_page: Open) -> None:
    page = open_page(render(strange()))
    for text, value in (
        ("1,000", 1000),
        ("1,234,567.5", 1234567.5),
        ("2e3", 2000),
        ("1e-7", 1e-7),
        (".5", 0.5),
        ("+3", 3),
    ):
        page.locator(COST).fill(text)
        assert current(page)["false_negative"] == [value, value]
        assert problem(page, "false_negative") == ""
    page.locator("#prevalence-low").fill("2e-1 %")
    assert current(page)["prevalence"] == [0.002, 0.002]


NO_NUMBERS = {
    "0,5": "Write 0.5, with a point.",
    ",5": "Write 0.5, with a point.",
    "0,500": "Write 0.500, with a point.",
    "1,50": "Write 1.50, with a point.",
    "1,00,000": "Write a number, with a decimal point.",
    "1.000,5": "Write a number, with a decimal point.",
    "1e300": "That is too large: take a larger unit.",
    "1e999": "That is too large: take a larger unit.",
    "-1": "A cost cannot be negative.",
}


def test_what_cannot_be_read_is_told_at_the_field(open_page: Open) -> None:
    page = open_page(render(strange()))
    before = current(page)
    for text, says in NO_NUMBERS.items():
        page.locator(COST).fill(text)
        assert problem(page, "false_negative") == says
        assert page.locator(COST).get_attribute("aria-invalid") == "true"
        assert current(page) == before


def test_other_fields_tell_it_too(open_page: Open) -> None:
    page = open_page(render(strange()))
    for box in ("belief", "max_fpr", "capacity"):
        page.locator(f"#{box}-on").check()
    for field, knob, text, says in (
        ("belief-most", "belief", "1e12", "at most 1,000,000,000 times"),
        ("belief-most", "belief", "7,5", "Write 7.5"),
        ("max_fpr", "max_fpr", "0,5", "Write 0.5"),
        ("capacity", "capacity", "1e300", "too large for a number of rows"),
        ("population", "capacity", "0,5", "Write 0.5"),
    ):
        page.locator(f"#{field}").fill(text)
        assert says in problem(page, knob)
        page.locator("#reset").click()
        for box in ("belief", "max_fpr", "capacity"):
            page.locator(f"#{box}-on").check()


def test_costs_of_many_classes_are_read_alike(open_page: Open) -> None:
    page = open_page(render_many_classes(wine()))
    page.locator("#cost-1-0").fill("1,000")
    assert page.evaluate("RocchManyApp.question().costs[1][0]") == 1000
    page.locator("#share-0").fill("12.5")
    assert page.evaluate("RocchManyApp.question().shares[0]") == 0.125
    for field, knob, text, says in (
        ("cost-1-0", "costs", "0,5", "Write 0.5, with a point."),
        ("cost-1-0", "costs", "1e300", "That is too large: take a larger unit."),
        ("share-0", "shares", "12,5", "Write 12.5, with a point."),
    ):
        page.locator(f"#{field}").fill(text)
        assert problem(page, knob) == says
    assert page.evaluate("RocchManyApp.question().costs[1][0]") == 1000


STATED = [
    ((1, 1), (20, 30)),
    ((1, 2), (20, 30)),
    ((2, 2), (10, 10)),
    ((5, 5), (5, 5)),
    ((1, 1), (0, 4)),
]


def test_a_belief_begins_at_the_costs_stated(open_page: Open) -> None:
    page = open_page(render(fraud()))
    for alarm, miss in STATED:
        page.locator("#reset").click()
        costs: dict[str, Any] = {"false_positive": Range(*alarm), "false_negative": Range(*miss)}
        for name, (low, high) in costs.items():
            page.locator(f"#{name}-ranged").set_checked(low < high)
            if low < high:
                page.locator(f"#{name}-high").fill(f"{high}")
            page.locator(f"#{name}-low").fill(f"{low}")
        page.locator("#belief-on").check()
        expected = around(Question(prevalence=Range(0.2, 0.3), **costs))
        assert current(page)["belief"] == pytest.approx(list(expected))


def test_a_belief_is_kept_while_the_costs_stay(open_page: Open) -> None:
    page = open_page(render(fraud()))
    page.locator("#belief-on").check()
    page.locator("#belief-likely").fill("4")
    page.locator("#belief-on").uncheck()
    page.locator("#belief-on").check()
    assert current(page)["belief"] == [3, 4, 9]
