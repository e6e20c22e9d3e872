"""What tests of the service's page read from it and do on it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

NO_ANSWER = re.compile(r"Failed to load resource: net::ERR_(EMPTY_RESPONSE|CONNECTION)")
"""What the console tells of a service that is gone."""
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")
"""What the console tells of a request that is refused."""
LOOK = "document.dispatchEvent(new Event('visibilitychange'))"
"""Makes the page look at once, rather than after two seconds."""


def text(page: Page, name: str) -> str:
    """Return what an element says; spaces that keep a number and its unit together are spaces."""
    return (page.locator(f"#{name}").text_content() or "").replace("\u00a0", " ")


def says(page: Page, name: str, words: str) -> None:
    """Wait until an element contains these words."""
    page.locator(f"#{name}", has_text=words).wait_for(state="attached")


def previewed(page: Page) -> None:
    page.locator("#put:enabled").wait_for()


def put(page: Page) -> None:
    previewed(page)
    page.locator("#put").click()
    page.locator("#confirm-yes").click()
