"""A real browser: Debian's Chromium, driven by Playwright, without a network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

import pytest

from tests.support.chromium import PATIENCE, chromium
from tests.support.service_stand_in import OPERATOR, StandIn
from tests.support.standing_in import standing_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page

Open: TypeAlias = "Callable[..., Page]"
Visit: TypeAlias = "Callable[..., Page]"

PLOTLY = re.compile(r'(<script [^>]*id="plotly">)[^<]*(</script>)')
HINTS = ("Canvas2D: ", "[.WebGL-")
"""How the browser warns that drawing in three dimensions could be faster."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Return Chromium, started once for all tests."""
    with chromium() as started:
        yield started


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Return a function that opens a page from disk; errors and requests fail the test.

    The function takes the page's text, and by name a fragment of the address, the viewport's width
    and height, the color scheme, the language, and a script that the browser runs first. With
    `charts` the page is returned when they are drawn; without, it has none, and is opened much
    faster. Its details are open unless they are to stay closed.
    """
    troubles: list[str] = []
    contexts: list[BrowserContext] = []

    def open_text(
        text: str,
        fragment: str = "",
        *,
        charts: bool = False,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        language: str = "en-US",
        details: bool = True,
        first: str = "",
    ) -> Page:
        file = tmp_path / f"page-{len(contexts)}.html"
        if details:
            text = text.replace('<details class="details"', '<details open class="details"')
        file.write_text(text if charts else PLOTLY.sub(r"\1\2", text), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            locale=language,
        )
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        _watch(page, file.as_uri(), troubles)
        if first:
            page.add_init_script(first)
        page.goto(file.as_uri() + fragment)
        if charts:
            page.locator(".chart .main-svg").first.wait_for(state="attached")
        return page

    yield open_text
    for context in contexts:
        context.close()
    assert troubles == []


def _watch(page: Page, own: str, troubles: list[str]) -> None:
    """Note every error, and every request but for the page itself."""

    def request(address: str) -> None:
        if not address.startswith((own, "data:", "blob:")):
            troubles.append(f"requested {address}")

    page.on("pageerror", lambda error: troubles.append(f"error {error}"))
    page.on(
        "console",
        lambda message: (
            troubles.append(f"{message.type}: {message.text}")
            if message.type in ("error", "warning") and not message.text.startswith(HINTS)
            else None
        ),
    )
    page.on("request", lambda asked: request(asked.url))


@pytest.fixture
def service() -> Iterator[StandIn]:
    with standing_in(StandIn()) as served:
        yield served


@pytest.fixture(scope="module")
def contexts(browser: Browser) -> Iterator[Callable[[int, int], BrowserContext]]:
    """Return a function that gives the context of a size of screen; each is made once."""
    made: dict[tuple[int, int], BrowserContext] = {}

    def context(width: int, height: int) -> BrowserContext:
        if (width, height) not in made:
            made[width, height] = browser.new_context(
                viewport={"width": width, "height": height}, timezone_id="UTC"
            )
            made[width, height].set_default_timeout(PATIENCE)
        return made[width, height]

    yield context
    for each in made.values():
        each.close()


@pytest.fixture
def visit(contexts: Callable[[int, int], BrowserContext]) -> Iterator[Visit]:
    """Return a function that opens the page in a tab; what the console tells fails the test."""
    told: list[str] = []
    expected: list[re.Pattern[str]] = []
    pages: list[Page] = []

    def open_page(
        service: StandIn,
        token: str | None = OPERATOR,
        *,
        may_tell: tuple[re.Pattern[str], ...] = (),
        width: int = 1280,
        height: int = 900,
    ) -> Page:
        expected.extend(may_tell)
        page = contexts(width, height).new_page()
        pages.append(page)
        _overhear(page, service.address, told)
        page.goto(service.address + (f"#token={token}" if token else ""))
        if token in service.tokens:
            page.locator("#hull .chosen").wait_for()
        return page

    yield open_page
    for page in pages:
        page.close()
    assert [text for text in told if not any(known.search(text) for known in expected)] == []


def _overhear(page: Page, own: str, told: list[str]) -> None:
    page.on("pageerror", lambda error: told.append(f"error {error}"))
    page.on("console", lambda message: told.append(f"{message.type}: {message.text}"))
    page.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((own, "data:")) else told.append(f"asked {asked.url}")
        ),
    )
