"""Waiting for pages: whose policy forbids to evaluate texts, and whose panel moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.chromium import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

BETWEEN = 50
LOOKS = PATIENCE // BETWEEN
STILL = """(() => {
  const { bottom } = document.getElementById("sentence").getBoundingClientRect();
  return Math.abs(bottom) < 1 || document.body.classList.contains("echoing") === bottom < 0;
})()"""


def wait_until(page: Page, expression: str) -> None:
    """Wait until an expression is true in a page.

    Playwright's `wait_for_function` evaluates a text inside the page. Its first look is exempt from
    the page's policy, a second one is refused; so here every look is a first one.
    """
    for _ in range(LOOKS):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(BETWEEN)
    raise AssertionError(f"never true: {expression}")


def reach(page: Page, what: str) -> Locator:
    """Scroll to an element of a report's panel; return it when it stays where it is.

    A little after the sentence leaves the sight, its echo appears and moves the panel. A click that
    begins before and ends after that hits nothing.
    """
    place = page.locator(what)
    for _ in range(2):  # having moved, it may be out of sight
        place.scroll_into_view_if_needed()
        wait_until(page, STILL)
    return place
