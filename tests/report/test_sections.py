"""Sections: what the summary holds, in tables whose rows fit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import rocch
from rocch import Question
from rocch.report import Summary
from rocch.report.parts import Code, Section, Table
from rocch.report.sections import (
    MOST_ROWS,
    between,
    binary_sections,
    rows_of_1000,
    signed,
    slope,
)
from rocch.roc import Interval
from tests.support.asking import hull_of, rows_of
from tests.support.reports import binary


def made(question: Any = None, seed: int = 1, size: int = 120, **options: Any) -> Summary:
    y, scores, _ = rows_of(seed, size)
    hull = rocch.RocHull.from_scores(y, scores)
    return rocch.report.summarize(hull, question, **{"resamples": 0, **options})


def by_title(summary: Summary) -> dict[str, Section]:
    return {section.title: section for section in summary.sections}


def tables(section: Section) -> list[Table]:
    return [part for part in section.parts if isinstance(part, Table)]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"resamples": 100},
        {"question": Question(cost_ratio=(1, 9), likely=3)},
        {"question": Question(max_fpr=0.1)},
        {"question": Question(capacity=5, population=50, randomize=True)},
        {"question": Question(prevalence=(0.1, 0.4), false_positive=1, false_negative=(1, 20))},
    ],
)
def test_every_row_has_a_cell_for_every_column(given: Any) -> None:
    for section in made(**given).sections:
        assert section.parts
        for table in tables(section):
            assert table.rows
            assert {len(row) for row in table.rows} == {len(table.header)}


def test_sections_without_content_are_left_out() -> None:
    plain = by_title(made(seed=2, size=200))
    assert "If the costs change" not in plain
    assert "How to use it" in plain
    vague = rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=(1, 20))
    assert "If the costs change" in by_title(made(vague, seed=2))
    curve = rocch.RocCurve.from_counts([3], [20], positives=40, negatives=60, name="old")
    counts: Any = rocch.report.summarize(rocch.RocHull.of(curve))
    assert {"Uncertainty", "Which costs less"}.isdisjoint(by_title(counts))
    assert "rows themselves" in str(by_title(counts)["New rows"].parts[0])
    assert "New rows" not in plain


def test_the_tables_hold_the_summarys_numbers() -> None:
    made_of = made(Question(cost_ratio=(1, 9), likely=3), resamples=100)
    summary, found = binary(made_of), by_title(made_of)
    (winners,) = tables(found["Which classifier, for any costs"])
    assert [row[3] for row in winners.rows] == [w.classifier for w in summary.winners]
    assert (winners.header[2], winners.rows[0][2]) == (">a miss is ... times as bad", "0 to inf")
    assert winners.rows[0][0] == "0"
    assert winners.rows[-1][1] == "inf"
    (classifiers,) = tables(found["Classifiers"])
    for row, each in zip(classifiers.rows, summary.classifiers, strict=True):
        assert row[0] == each.name
        assert row[1] == f"{each.auc:.4f}"
        assert row[3] == ("yes" if each.on_hull else "no")
    wins, differences = tables(found["Uncertainty"])
    assert summary.certainty is not None
    assert [row[0] for row in wins.rows] == [r.classifier for r in summary.certainty.rivals]
    assert len(differences.rows) == len(summary.certainty.differences)
    (choices,) = tables(found["If the costs change"])
    assert choices.header[-1] == ">chance"
    ratios = [row[2].split(" to ") for row in choices.rows]
    assert (ratios[0][1], ratios[-1][0]) == ("9", "1")  # the least slope has the greatest ratio
    chances = sum(float(row[-1].removesuffix("%")) for row in choices.rows)
    assert chances == pytest.approx(100, abs=len(choices.rows))
    (vertices,) = tables(found["All vertices of the hull"])
    assert vertices.rows[0] == ("(never alarm)", "", "0.0000", "0.0000")
    assert vertices.rows[-1] == ("(always alarm)", "", "1.0000", "1.0000")
    codes = [part for part in found["How to use it"].parts if isinstance(part, Code)]
    assert [code.language for code in codes] == ["python", "sql"]


def test_long_tables_say_how_many_rows_are_left_out() -> None:
    summary = made(seed=0, size=12_000)
    vertices = len(binary(summary).hull.threshold)
    assert vertices > MOST_ROWS
    section = by_title(summary)["All vertices of the hull"]
    assert len(tables(section)[0].rows) == MOST_ROWS
    assert section.parts[-1] == f"... and {vertices - MOST_ROWS} more."


def test_warnings_are_a_list() -> None:
    summary = replace(made(), warnings=("one thing",), remarks=("another",))
    notes, *_ = binary_sections(summary, binary(summary))
    assert notes == Section("Warnings and remarks", ("- one thing", "- another"))
    silent = replace(summary, warnings=(), remarks=())
    assert binary_sections(silent, binary(silent))[0].title != notes.title


def test_the_data_in_a_line() -> None:
    y = [0] * 3000 + [1] * 1000
    plain: Any = rocch.report.summarize(
        rocch.RocHull.from_scores(y, {"m": range(4000)}), resamples=0
    )
    assert plain.about == (
        "4,000 cases, 1,000 positives (25%); 1 classifier; AUC of the hull 1.000. m is the best "
        "classifier for all costs."
    )
    weighted: Any = rocch.report.summarize(
        rocch.RocHull.from_scores([0, 1, 1], {"m": [1, 3, 2]}, sample_weight=[0.5, 0.25, 1])
    )
    assert weighted.about.startswith("1.75 units of weight, 1.25 positives (71%);")
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
    pooled: Any = rocch.report.summarize(hull_of(4), known)
    assert pooled.about.startswith("Evaluated on different rows; ")


def test_small_words() -> None:
    assert [rows_of_1000(n) for n in (0, 3.14, 9.97, 31.4)] == ["0", "3.1", "10", "31"]
    assert (slope("inf"), slope(0.0), slope(0.123456)) == ("inf", "0", "0.1235")
    assert (signed(0.25), signed(-0.0312), signed(0.0)) == ("+0.250", "-0.031", "+0.000")
    assert between(Interval(-0.5, 0.25), 2) == "-0.50 to 0.25"


def test_without_a_class_balance_slopes_stand_alone() -> None:
    curves = [
        rocch.RocCurve.from_counts([3], [20], positives=40, negatives=60, name="old"),
        rocch.RocCurve.from_counts([2], [9], positives=10, negatives=90, name="new"),
    ]
    hull = rocch.RocHull.of(*curves, allow_different_rows=True)
    summary: Any = rocch.report.summarize(hull, Question(max_fpr=0.1))
    (winners,) = tables(by_title(summary)["Which classifier, for any costs"])
    assert winners.header == (">slope from", ">to", "classifier")
