"""Sections: what the summary holds, in tables whose rows fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import rocch
from rocch.report import Summary
from rocch.report.question import Range
from rocch.report.sections import (
    MOST_ROWS,
    Code,
    Section,
    Table,
    about_data,
    between,
    sections,
    signed,
    slope,
)
from tests.support.asking import hull_of, rows_of


def made(seed: int = 1, size: int = 120, **said: Any) -> Summary:
    y, scores, _ = rows_of(seed, size)
    summary = rocch.report.summarize(
        rocch.RocHull.from_scores(y, scores), **{"resamples": 0, **said}
    )
    assert isinstance(summary, Summary)
    return summary


def by_title(summary: Summary) -> dict[str, Section]:
    return {section.title: section for section in sections(summary)}


def tables(section: Section) -> list[Table]:
    return [part for part in section.parts if isinstance(part, Table)]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"resamples": 100},
        {"belief": (1, 3, 9)},
        {"max_fpr": 0.1},
        {"capacity": 5, "population": 50, "randomize": True},
        {
            "conditions": rocch.Conditions(
                prevalence=(0.1, 0.4), false_positive=1, false_negative=(1, 20)
            )
        },
    ],
)
def test_every_row_has_a_cell_for_every_column(said: Any) -> None:
    for section in sections(made(**said)):
        assert section.parts
        for table in tables(section):
            assert table.rows
            assert {len(row) for row in table.rows} == {len(table.header)}


def test_sections_without_content_are_left_out() -> None:
    plain = by_title(made(seed=2, size=200))
    assert "What can be best" not in plain
    assert "How to deploy" in plain
    vague = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(1, 20))
    assert "What can be best" in by_title(made(seed=2, conditions=vague))
    curve = rocch.RocCurve.from_counts([3], [20], positives=40, negatives=60, name="old")
    counts: Any = rocch.report.summarize(rocch.RocHull.of(curve))
    assert {"How sure we are", "Who loses less"}.isdisjoint(by_title(counts))


def test_the_tables_hold_the_summarys_numbers() -> None:
    summary = made(belief=(1, 3, 9))
    found = by_title(summary)
    (winners,) = tables(found["Who wins where"])
    assert [row[2] for row in winners.rows] == [w.classifier for w in summary.winners]
    assert winners.rows[0][0] == "0"
    assert winners.rows[-1][1] == "inf"
    (classifiers,) = tables(found["Classifiers"])
    for row, each in zip(classifiers.rows, summary.classifiers, strict=True):
        assert row[0] == each.name
        assert row[1] == f"{each.auc:.4f}"
        assert row[3] == ("yes" if each.on_hull else "no")
    (choices,) = tables(found["What can be best"])
    assert choices.header[-1] == ">chance"
    chances = sum(float(row[-1].removesuffix(" %")) for row in choices.rows)
    assert chances == pytest.approx(100, abs=len(choices.rows))
    (vertices,) = tables(found["All vertices of the hull"])
    assert vertices.rows[0] == ("(never alarm)", "", "0.0000", "0.0000")
    assert vertices.rows[-1] == ("(always alarm)", "", "1.0000", "1.0000")
    codes = [part for part in found["How to deploy"].parts if isinstance(part, Code)]
    assert [code.language for code in codes] == ["python", "sql"]


def test_long_tables_say_how_many_rows_are_left_out() -> None:
    summary = made(seed=0, size=12_000)
    vertices = len(summary.hull.threshold)
    assert vertices > MOST_ROWS
    section = by_title(summary)["All vertices of the hull"]
    assert len(tables(section)[0].rows) == MOST_ROWS
    assert section.parts[-1] == f"... and {vertices - MOST_ROWS} more."


def test_warnings_are_a_list() -> None:
    summary = replace(made(), warnings=("one thing", "another"))
    assert by_title(summary)["Warnings"].parts == ("- one thing", "- another")
    assert "Warnings" not in by_title(replace(summary, warnings=()))


def test_the_data_in_a_line() -> None:
    y = [0] * 3000 + [1] * 1000
    plain: Any = rocch.report.summarize(
        rocch.RocHull.from_scores(y, {"m": range(4000)}), resamples=0
    )
    assert about_data(plain) == (
        "4,000 rows, 1,000 positive (25 %); 1 classifier; AUC of the hull 1.0000. m dominates: "
        "its curve alone is the hull."
    )
    weighted: Any = rocch.report.summarize(
        rocch.RocHull.from_scores([0, 1, 1], {"m": [1, 3, 2]}, sample_weight=[0.5, 0.25, 1])
    )
    assert about_data(weighted).startswith("1.75 units of weight, 1.25 positive (71 %);")
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
    pooled: Any = rocch.report.summarize(hull_of(4), conditions=known)
    assert about_data(pooled).startswith("Judged on different rows; ")


def test_small_words() -> None:
    assert (slope("inf"), slope(0.0), slope(0.123456)) == ("inf", "0", "0.1235")
    assert (signed(0.25), signed(-0.0312), signed(0.0)) == ("+0.250", "-0.031", "+0.000")
    assert between(Range(-0.5, 0.25), 2) == "-0.50 to 0.25"
