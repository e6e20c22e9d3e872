"""Waiting for pages whose policy forbids to evaluate texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOOKS, BETWEEN = 600, 50


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
