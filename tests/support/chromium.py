"""A real browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

ARGUMENTS = ["--no-sandbox", "--disable-background-networking"]
PATIENCE = 120_000
"""Milliseconds to wait for something in a page: a busy machine takes long to draw a chart."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser; without one skip visibly, or fail where it is required."""
    path = shutil.which("chromium")
    if path is None:
        _absent("no chromium on the PATH")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _absent("Playwright is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


def _absent(reason: str) -> None:
    if os.environ.get("ROCCH_NEED_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
