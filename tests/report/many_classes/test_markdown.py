from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rocch.report import summarize_probabilities
from rocch.report.many_classes.markdown import markdown
from rocch.report.many_classes.sections import about_data
from tests.support.many_reports import ALL, drawn, fourteen_classes, given_counts, strange, wine

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.report import ManyClassesSummary


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


def test_one_member_is_not_several() -> None:
    made = wine()
    assert made.surface is not None
    for members, words in ((1, "1 member by "), (2, "2 members by ")):
        surface = replace(made.surface, members=members)
        assert words in about_data(replace(made, surface=surface))


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


def test_areas_without_intervals_are_told_alone() -> None:
    labels, posteriors = drawn(3, 40)
    single = [2, *(0 if label == 2 else label for label in labels[1:])]
    found = markdown(summarize_probabilities(single, posteriors, generations=0))
    assert re.search(r"\| macro \| 0\.\d{4} \|  \|", found)
