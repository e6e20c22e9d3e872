"""Examples in docstrings and documentation run as tests."""

from __future__ import annotations

import shutil
from doctest import ELLIPSIS
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser


def in_a_folder(namespace: dict[str, Any]) -> None:
    """Give examples a folder of their own to write to."""
    namespace["folder"] = Path(mkdtemp(prefix="rocch-docs-"))


def remove_folder(namespace: dict[str, Any]) -> None:
    """Remove it again."""
    shutil.rmtree(namespace["folder"])


documents = Sybil(
    parsers=[PythonCodeBlockParser()],
    patterns=["*.md"],
    setup=in_a_folder,
    teardown=remove_folder,
)
docstrings = Sybil(parsers=[DocTestParser(optionflags=ELLIPSIS)], path="src", patterns=["*.py"])

pytest_collect_file = (documents + docstrings).pytest()
