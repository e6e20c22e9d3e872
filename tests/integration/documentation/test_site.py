"""The site builds strictly, links to what exists, and fetches nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.support.chromium import chromium
from tests.support.public import public_names

ROOT = Path(__file__).parents[3]
FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
"""Elements that make a browser fetch something, and where they say what. (`link` is apart.)"""


class Page(HTMLParser):
    """What a page links to, what it fetches, and which places in it can be linked to."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.classes: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        self.classes |= set(given.get("class", "").split())
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.fetched.append(given["href"])
        elif given.get(FETCHED.get(tag, "")):
            self.fetched.append(given[FETCHED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the docs extra is not installed")
    folder = tmp_path_factory.mktemp("built") / "site"
    built = subprocess.run(  # noqa: S603 - this Python, with arguments written here
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    found = {file: Page(file) for file in site.rglob("*.html") if file.name != "404.html"}
    assert len(found) > 30
    return found


def test_every_public_name_is_on_an_api_page(site: Path, pages: dict[Path, Page]) -> None:
    described = {
        place for file, page in pages.items() if file.parent == site / "api" for place in page.ids
    }
    assert set(public_names()) <= described


def test_no_link_is_broken(pages: dict[Path, Page]) -> None:
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                assert parts.scheme in ("https", "mailto"), (file.name, link)
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            assert target.exists(), (file.name, link)
            if parts.fragment and target.suffix == ".html":
                assert unquote(parts.fragment) in pages[target].ids, (file.name, link)


def test_nothing_is_fetched_from_elsewhere(pages: dict[Path, Page]) -> None:
    for file, page in pages.items():
        for address in page.fetched:
            parts = urlsplit(address)
            assert not parts.scheme, (file.name, address)
            assert not parts.netloc, (file.name, address)
            assert (file.parent / parts.path).exists(), (file.name, address)


def test_style_sheets_import_nothing(site: Path) -> None:
    sheets = list(site.rglob("*.css"))
    assert sheets
    for sheet in sheets:
        text = sheet.read_text(encoding="utf-8")
        for address in re.findall(r"(?:@import\s+|url\()\s*[\"']?([^\"')]+)", text):
            assert address.startswith("data:") or not re.match(r"(https?:)?//", address), address


def test_no_page_asks_for_what_the_theme_would_fetch_by_script(pages: dict[Path, Page]) -> None:
    """Diagrams and counts of stars come from elsewhere, where a page has a place for them."""
    for page in pages.values():
        assert not page.classes & {"mermaid", "md-source", "md-consent"}


def test_search_works_in_a_folder(site: Path) -> None:
    with ThreadPoolExecutor(1) as own:  # a browser of other tests has this thread's event loop
        own.submit(search, site).result()


def search(site: Path) -> None:
    troubles: list[str] = []
    with chromium() as browser:
        page = browser.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", lambda sent: troubles.append(sent.url) if "//" in sent.url[7:] else None)
        page.goto((site / "index.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type("minimaxregret", delay=30)
        found = page.locator(".md-search-result__link")
        found.first.wait_for()
        links = [link.get_attribute("href") or "" for link in found.all()]
        assert any(link.endswith("#rocch.MinimaxRegret") for link in links), links
        found.first.click()
        page.wait_for_url(re.compile(r"\.html\?h="))
        assert "MinimaxRegret" in page.locator("article").inner_text()
    assert troubles == []
