"""The files of the page, read once: what is not among them is not there, whatever its path."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


class PageFile(NamedTuple):
    """A file of the page."""

    content: bytes
    kind: str


def page_files() -> dict[str, PageFile]:
    """Return the files of the page by name."""
    folder = files("rocch.service") / "page"
    found = folder.iterdir() if folder.is_dir() else ()
    named = ((file.name, file.name.rpartition(".")[2], file) for file in found)
    return {
        name: PageFile(file.read_bytes(), KINDS[end]) for name, end, file in named if end in KINDS
    }
