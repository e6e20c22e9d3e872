"""`rocch hull` on large files as users run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support.parquet_parts import write_parts

if TYPE_CHECKING:
    from pathlib import Path


LABEL = ("--label", "y")


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    return write_parts(tmp_path / "parts")


def test_nothing_but_the_answer_is_printed(run_rocch: Any, parts: Path) -> None:
    asked = ("hull", str(parts), *LABEL, "--engine", "duckdb", "--scores", "a", "--json")
    ended = run_rocch(*asked)
    assert (ended.returncode, ended.stderr) == (0, "")
