"""The files of the page, read once: what is not among them is not there, whatever its path."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from rocch.service.page import form_html

KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
}
SHARED = ("shell.js", "theme.css")
"""Files that reports use as well."""


class PageFile(NamedTuple):
    """A file of the page."""

    content: bytes
    kind: str


def page_files() -> dict[str, PageFile]:
    """Return the files of the page by name, with the form in its HTML."""
    shared = files("rocch.report") / "page"
    found = [*(files("rocch.service") / "page").iterdir(), *(shared / name for name in SHARED)]
    texts = {file.name: file.read_text(encoding="utf-8") for file in found}
    for place, html in form_html().items():
        texts["index.html"] = texts["index.html"].replace(f"<!--{place}-->", html)
    return {
        name: PageFile(text.encode(), KINDS[name.rpartition(".")[2]])
        for name, text in texts.items()
    }
