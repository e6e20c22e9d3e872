from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from many_reports import ALL, fourteen_classes, given_counts, strange, wine
from rocch.report.many_classes.markdown import markdown
from rocch.report.many_classes.sections import about_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.report.many_classes.summary import ManyClassesSummary


def test_markdown_says_what_the_summary_says() -> None:
    found = markdown(wine())
    assert found.startswith("# Wine\n\n**Use nb")
    for text in ("## What is known", "| class\\_0 | 0 | 10 | 1 |", "all pairs of classes (M)"):
        assert text in found
    assert "## Model stump" in found
    assert "## How to deploy" in found


def test_parts_that_are_not_known_are_left_out() -> None:
    assert "## Model" not in markdown(given_counts())
    assert "surface: " not in about_data(fourteen_classes())
    assert "G " in about_data(wine())


@pytest.mark.parametrize("make", ALL)
def test_tables_have_as_many_cells_as_names(make: Callable[[], ManyClassesSummary]) -> None:
    width = 0
    for line in markdown(make()).replace("\\|", "/").splitlines():
        if not line.startswith("|"):
            width = 0
            continue
        width = width or line.count("|")
        assert line.count("|") == width, line


def test_names_stay_text() -> None:
    found = markdown(strange()).split("## How to deploy")[0]
    assert "<script>" not in found
    assert "\\</script\\>\\<script\\>alert(1)" in found
