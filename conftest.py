"""Examples in docstrings and documentation run as tests."""

from __future__ import annotations

import gc
import os
import shutil
from doctest import ELLIPSIS
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from sybil import Sybil
from sybil.parsers.rest import DocTestParser

from tests.support.printed import PARSERS

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # each processor has tests of its own; read at the import
os.environ.setdefault("MPLBACKEND", "Agg")  # examples draw without a screen
gc.disable()  # until all is collected: half the time of it went into looking for garbage
INTEGRATION = Path(__file__).parent / "tests" / "integration"
KINDS = (
    "browser",
    "spark",
    "postgres",
    "stores",
    "load",
    "kill",
    "mount",
    "process",
    "documentation",
    "slow",
)
"""What `pytest` leaves to `pytest -m integration`: each is a marker, and most are folders there."""
SLOW = (
    "tests/integration/spark/",
    "tests/integration/browser/",
    "tests/integration/documentation/",
    "docs/",
    "tests/service/",
)
"""Folders whose files take longest: begun last, one of them would keep a processor alone."""


def pytest_configure(config: pytest.Config) -> None:
    """Take our own warnings for errors: only now, since this imports what coverage must see."""
    config.addinivalue_line("filterwarnings", "error::rocch.RocchWarning")


@pytest.hookimpl(tryfirst=True)  # markers must be there when -m chooses by them
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of each kind, and begin with the slow files."""
    for item in items:
        if item.path.suffix == ".md":
            item.add_marker("documentation")
        elif item.path.is_relative_to(INTEGRATION):
            item.add_marker(item.path.relative_to(INTEGRATION).parts[0])
        if any(item.get_closest_marker(kind) for kind in KINDS):
            item.add_marker("integration")
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW))


def pytest_collection_finish() -> None:
    """Look for garbage again, but never among modules and tests, which stay to the end."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # ten times less often: tests end before it matters
    gc.enable()


def in_a_folder(namespace: dict[str, Any]) -> None:
    """Let examples write to where they run, in a folder of their own."""
    namespace["_home"] = Path.cwd()
    namespace["_folder"] = Path(mkdtemp(prefix="rocch-docs-"))
    os.chdir(namespace["_folder"])


def remove_folder(namespace: dict[str, Any]) -> None:
    """Go back, and remove it again."""
    os.chdir(namespace["_home"])
    shutil.rmtree(namespace["_folder"])


documents = Sybil(
    parsers=PARSERS,
    patterns=["*.md"],
    setup=in_a_folder,
    teardown=remove_folder,
)
docstrings = Sybil(parsers=[DocTestParser(optionflags=ELLIPSIS)], path="src", patterns=["*.py"])

pytest_collect_file = (documents + docstrings).pytest()
