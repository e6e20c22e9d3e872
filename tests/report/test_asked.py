"""From what users say to the question."""

from __future__ import annotations

from typing import Any

import pytest

import rocch
from rocch.report.asked import asked
from rocch.report.question import Question

JUDGED = rocch.RocHull.from_scores([0, 0, 0, 1], {"m": [1, 2, 3, 4]}).totals


def test_nothing_said_means_errors_count_alike_as_observed() -> None:
    assert asked(JUDGED) == Question(prevalence=0.25)  # type: ignore[arg-type]


def test_conditions_are_taken_as_they_are() -> None:
    said = rocch.Conditions(prevalence=(0.1, 0.2), false_positive=3, false_negative=(4, 5))
    assert asked(JUDGED, said) == Question(
        prevalence=(0.1, 0.2),  # type: ignore[arg-type]
        false_positive=3,  # type: ignore[arg-type]
        false_negative=(4, 5),  # type: ignore[arg-type]
    )


def test_an_observed_prevalence_is_looked_up() -> None:
    said = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
    assert asked(JUDGED, said).prevalence == (0.25, 0.25)


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ({}, "cost"),
        ({"max_fpr": 0.1}, "hits"),
        ({"capacity": 1, "population": 10}, "hits"),
        ({"max_fpr": 0.1, "belief": (1, 2, 3)}, "cost"),
        (
            {
                "max_fpr": 0.1,
                "conditions": rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=1),
            },
            "cost",
        ),
    ],
)
def test_limits_alone_ask_for_hits(said: Any, goal: str) -> None:
    assert asked(JUDGED, **said).goal == goal


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"conditions": {"prevalence": 0.1}}, "conditions must be Conditions"),
        ({"conditions": rocch.Belief.cost_ratio(1, 2, likely=1)}, "conditions must be Conditions"),
        ({"belief": (1, 2)}, r"belief must be \(low, likely, high\)"),
        ({"belief": {1, 2, 3}}, r"belief must be .*; got an object of type set"),
        (
            {
                "conditions": rocch.Conditions(
                    prevalence=0.1, false_positive=2, false_negative=2, true_positive=1
                )
            },
            "conditions must have right decisions free of cost in a report",
        ),
    ],
)
def test_what_a_report_cannot_ask_is_refused(said: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        asked(JUDGED, **said)


def test_without_common_rows_the_prevalence_must_be_named() -> None:
    curves = [
        rocch.RocCurve.from_counts([1], [1], negatives=n, positives=3, name=f"m{n}") for n in (2, 3)
    ]
    judged = rocch.RocHull.of(*curves, allow_different_rows=True).totals
    with pytest.raises(rocch.InputError, match="prevalence must be named"):
        asked(judged)
