"""Each warning comes when it should, with its numbers, and not otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import rocch
from rocch import Question
from rocch.service.feedback import TunerStatus
from rocch.service.monitor import PrevalenceNow
from rocch.service.status import prevalence_warnings, rate_warnings, tuner_warnings
from rocch.stats import rate_interval

HULL = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [1, 2, 2, 3]})
PROMISED = replace(HULL.best(Question(knob=0.5)), fpr=0.1, tpr=0.8)
INTERVALS = (rate_interval(100, 1000, confidence=0.99), rate_interval(400, 500, confidence=0.99))
FITTING = PrevalenceNow(estimated=0.3, interval=(0.27, 0.33), rows=5000, model="nb")
TUNER = TunerStatus(
    mode="advise",
    position=0.4,
    start=0.4,
    step=0.1,
    setting=0.4,
    broken_limit=None,
    at_end=None,
    moves=(),
)


def warnings_of(**change: Any) -> list[tuple[str, str]]:
    """Return the warnings of a calm situation with some changes."""
    calm: dict[str, Any] = {
        "assumed": (0.3, 0.3),
        "prevalence": FITTING,
        "observed": None,
        "tuner": TUNER,
    }
    now = calm | change
    return [
        *prevalence_warnings(now["prevalence"], now["assumed"]),
        *rate_warnings(PROMISED, INTERVALS, now["observed"]),
        *tuner_warnings(now["tuner"]),
    ]


def codes(**change: Any) -> list[str]:
    return [code for code, _ in warnings_of(**change)]


def message(**change: Any) -> str:
    ((_, found),) = warnings_of(**change)
    return found


def test_nothing_to_warn_of() -> None:
    assert codes() == []


@pytest.mark.parametrize(
    ("assumed", "left"),
    [
        ((0.1, 0.2), True),
        ((0.1, 0.27), False),  # they touch
        ((0.1, 0.28), False),
        ((0.33, 0.5), False),
        ((0.34, 0.5), True),
        ((0.28, 0.28), False),
        ((0.26, 0.26), True),
        (None, False),
    ],
)
def test_the_prevalence_left_the_interval(assumed: Any, left: bool) -> None:
    assert codes(assumed=assumed) == (["prevalence_left"] if left else [])


def test_its_words() -> None:
    assert message(assumed=(0.1, 0.2)) == (
        "The estimated prevalence left your interval: 0.3 (0.27 to 0.33) by the scores of nb on "
        "the last 5,000 rows, and you assumed 0.1 to 0.2."
    )
    assert message(assumed=(0.1, 0.1)).startswith("The estimated prevalence left your assumption")
    assert message(assumed=(0.1, 0.1)).endswith("and you assumed 0.1.")


def test_without_an_estimate_there_is_nothing_to_compare() -> None:
    assert codes(prevalence=PrevalenceNow(problem="12 rows so far"), assumed=(0.9, 0.9)) == []


def test_an_estimate_that_does_not_fit_is_no_ground_for_leaving_an_interval() -> None:
    strange = replace(FITTING, problem="by the scores of nb, more has changed")
    assert codes(prevalence=strange, assumed=(0.9, 0.9)) == ["scores_do_not_fit"]
    assert "more has changed. Its rates may not hold" in message(prevalence=strange)


def observed(fp: float, negatives: int, tp: float, positives: int) -> dict[str, Any]:
    fpr, tpr = fp / negatives if negatives else None, tp / positives if positives else None
    return {"negatives": negatives, "positives": positives, "fpr": fpr, "tpr": tpr}


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        (observed(10, 100, 80, 100), []),
        (observed(15, 100, 70, 100), []),  # chance does as much
        (observed(400, 2000, 80, 100), ["fpr_contradicted"]),
        (observed(100, 1000, 300, 500), ["tpr_contradicted"]),
        (observed(10, 2000, 480, 480), ["fpr_contradicted", "tpr_contradicted"]),
        (observed(0, 0, 80, 100), []),
        (observed(10, 100, 0, 0), []),
    ],
)
def test_observed_rates_that_contradict_the_promise(
    seen: dict[str, Any], wanted: list[str]
) -> None:
    assert codes(observed=seen) == wanted


def test_their_words() -> None:
    assert message(observed=observed(400, 2000, 80, 100)) == (
        "Complete feedback contradicts the promised FPR: 0.2 of 2,000 rows (0.177 to 0.224), and "
        "0.1 (0.077 to 0.127) was promised."
    )


def test_a_tuner_that_advises() -> None:
    assert message(tuner=replace(TUNER, position=0.3)) == (
        "Feedback speaks for another setting: turn the knob by 0.1 to the left, to fewer alarms, "
        "from 0.4 to 0.3."
    )
    assert "0.2 to the right, to more alarms" in message(tuner=replace(TUNER, position=0.6))


def test_a_tuner_that_leads_needs_no_advice() -> None:
    assert codes(tuner=replace(TUNER, mode="follow", position=0.3)) == []


def test_a_tuner_at_its_end_and_beyond_a_limit() -> None:
    end = replace(TUNER, mode="follow", position=0.0, at_end="left")
    assert codes(tuner=end) == ["tuner_at_end"]
    # where the aim itself stands at the end, nobody turned the knob there
    assert codes(tuner=replace(end, start=0.0)) == []
    limit = "an FPR of 0.2, above the limit of 0.1"
    beyond = replace(TUNER, mode="follow", position=0.6, broken_limit=limit)
    assert codes(tuner=beyond) == ["tuner_beyond_limit"]
    assert limit in message(tuner=beyond)


def test_without_a_tuner_there_is_nothing_to_say_about_it() -> None:
    assert codes(tuner=None) == []
