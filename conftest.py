"""Examples in docstrings and documentation run as tests."""

from __future__ import annotations

import os
import shutil
from doctest import ELLIPSIS
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from sybil import Sybil
from sybil.parsers.rest import DocTestParser

from tests.support.printed import PARSERS


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
