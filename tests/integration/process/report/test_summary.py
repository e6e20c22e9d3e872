"""The published schema is what the module prints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Run


PUBLISHED = Path(__file__).parents[4] / "docs" / "summary.schema.json"


def test_the_published_schema_is_the_present_one(run_python: Run) -> None:
    made = run_python("-m", "rocch.report.summary")
    assert made.returncode == 0, made.stderr
    assert PUBLISHED.read_text(encoding="utf-8") == made.stdout
