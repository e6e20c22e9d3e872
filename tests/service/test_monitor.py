"""The monitor counts decisions, notices a change of prevalence, and says when it cannot tell."""

from __future__ import annotations

import threading
from collections import Counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.service import monitor as module
from rocch.service.monitor import FEWEST_ROWS, MINUTES, SECONDS_BETWEEN, Activity, Monitor
from tests.support.exported import again, scored_rows, served


@given(st.lists(st.tuples(st.floats(0, 4000), st.integers(0, 50)), max_size=30))
def test_each_minute_holds_its_own_counts(steps: list[tuple[float, int]]) -> None:
    activity, now = Activity(), 0.0
    rows: Counter[int] = Counter()
    for passed, size in steps:
        now += passed
        activity.add(now, rows=size, alarms=size // 2)
        rows[int(now // 60)] += size
    last = int(now // 60)
    found = activity.counts(now)
    assert found["per_minute"] == [rows[minute] for minute in range(last - MINUTES + 1, last + 1)]
    assert found["total"] == sum(size for _, size in steps)
    assert found["alarms"] == sum(size // 2 for _, size in steps)
    assert found["requests"] == len(steps)


def test_an_hour_later_minutes_are_empty_and_totals_stay() -> None:
    activity = Activity()
    activity.add(59.0, rows=10, alarms=3)
    assert activity.counts(60.0)["per_minute"][-2:] == [10, 0]
    assert activity.counts(60.0)["alarms_per_minute"][-2:] == [3, 0]
    assert activity.counts(59 * 60.0)["per_minute"] == [10] + [0] * 59
    late = activity.counts(60 * 60.0)
    assert late == {
        "total": 10,
        "alarms": 3,
        "requests": 1,
        "per_minute": [0] * MINUTES,
        "alarms_per_minute": [0] * MINUTES,
    }


def test_a_clock_that_goes_back_does_no_harm() -> None:
    activity = Activity()
    activity.add(600.0, rows=5, alarms=0)
    activity.add(10.0, rows=2, alarms=0)
    assert activity.counts(600.0)["per_minute"][-1] == 7


SERVED = served()


class Clock:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def columns(seed: int, size: int, prevalence: float) -> dict[str, Any]:
    scores, _ = scored_rows(seed, size, prevalence)
    return {name: np.array(column) for name, column in scores.items()}


def test_decisions_are_counted_by_its_clock() -> None:
    clock = Clock()
    monitor = Monitor(clock=clock)
    monitor.add(10, 3)
    clock.time = 61
    monitor.add(20, 4)
    found = monitor.decisions()
    assert (found["total"], found["alarms"], found["requests"]) == (30, 7, 2)
    assert found["per_minute"][-2:] == [10, 20]


def test_few_rows_make_no_estimate() -> None:
    monitor = Monitor(clock=Clock())
    nothing = monitor.prevalence(SERVED)
    assert nothing.estimated is None
    assert nothing.problem == f"0 rows with scores so far, {FEWEST_ROWS} are needed"
    clock = Clock()
    monitor = Monitor(clock=clock)
    monitor.add(150, 0, columns(1, 150, 0.3))
    few = monitor.prevalence(SERVED)
    assert (few.estimated, few.rows) == (None, 150)


@pytest.mark.parametrize("prevalence", [0.05, 0.3, 0.7])
def test_the_prevalence_is_found(prevalence: float) -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(3000, 0, columns(2, 3000, prevalence))
    found = monitor.prevalence(SERVED)
    assert found.problem is None
    assert (found.rows, found.model) == (3000, "gbm")
    assert found.interval is not None
    assert found.interval[0] < prevalence < found.interval[1]
    # the same as asking for it directly
    curve = SERVED.hybrid.reference_curve("gbm")
    scores = columns(2, 3000, prevalence)["gbm"]
    direct = rocch.stats.estimate_prevalence(curve, scores, confidence=0.99, significance=0.001)
    assert (found.estimated, found.interval) == (direct.prevalence, tuple(direct.interval))


def test_the_best_model_with_enough_rows_is_asked() -> None:
    monitor = Monitor(clock=Clock())
    scores = columns(3, 400, 0.3)
    monitor.add(400, 0, {"nb": scores["nb"]})
    monitor.add(100, 0, {"gbm": scores["gbm"][:100]})
    assert monitor.prevalence(SERVED).model == "nb"


def test_only_the_last_rows_count() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(6000, 0, columns(4, 6000, 0.9))
    for part in range(10):
        monitor.add(500, 0, columns(5 + part, 500, 0.1))
    found = monitor.prevalence(SERVED)
    assert found.rows == module.WINDOW
    assert found.estimated == pytest.approx(0.1, abs=0.03)


def test_it_is_estimated_anew_only_after_a_while() -> None:
    clock = Clock()
    monitor = Monitor(clock=clock)
    monitor.add(500, 0, columns(6, 500, 0.3))
    first = monitor.prevalence(SERVED)
    monitor.add(500, 0, columns(7, 500, 0.3))
    clock.time = SECONDS_BETWEEN - 0.1
    assert monitor.prevalence(SERVED) is first
    clock.time = SECONDS_BETWEEN
    assert monitor.prevalence(SERVED).rows == 1000


def test_scores_that_do_not_fit_are_not_trusted() -> None:
    monitor = Monitor(clock=Clock())
    scores = columns(8, 3000, 0.3)
    monitor.add(3000, 0, {"gbm": 3 * scores["gbm"] - 2})
    found = monitor.prevalence(SERVED)
    assert found.estimated is not None
    assert found.problem is not None
    assert found.problem.startswith("by the scores of gbm, more than the prevalence has changed")


def test_a_new_export_starts_anew() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(500, 0, columns(9, 500, 0.9), version=1)
    assert monitor.prevalence(SERVED).rows == 500
    newer = again(SERVED, 2)
    assert monitor.prevalence(newer).rows == 0  # although no ten seconds have passed
    monitor.add(300, 0, columns(10, 300, 0.3), version=2)
    monitor.add(300, 0, columns(11, 300, 0.9), version=1)  # a late request of the old one
    assert len(monitor._scores["gbm"]) == 300
    assert monitor.decisions()["total"] == 1100


def test_the_first_request_of_a_new_export_starts_anew_too() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(500, 0, columns(9, 500, 0.9), version=1)
    monitor.add(300, 0, columns(10, 300, 0.3), version=2)
    assert monitor.prevalence(again(SERVED, 2)).rows == 300


def test_labels_are_no_scores() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(2, 1, {"rules": np.array(["yes", "no"]), "flags": np.array([True, False])})
    assert not monitor._scores


def test_an_export_without_curves_says_so() -> None:
    bare = SimpleNamespace(version=1, reference_curves={})
    found = Monitor(clock=Clock()).prevalence(bare)  # type: ignore[arg-type]
    assert found.problem == module.NO_CURVE


def test_an_estimate_that_is_refused_becomes_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise rocch.UndefinedError("the prevalence is undefined")

    monkeypatch.setattr(module, "estimate_prevalence", refuse)
    monitor = Monitor(clock=Clock())
    monitor.add(300, 0, columns(1, 300, 0.3))
    found = monitor.prevalence(SERVED)
    assert (found.estimated, found.problem) == (None, "the prevalence is undefined")
    assert (found.rows, found.model) == (300, "gbm")


def test_threads_lose_no_decision() -> None:
    monitor = Monitor(clock=Clock())
    scores = columns(1, 10, 0.3)

    def work() -> None:
        for _ in range(300):
            monitor.add(10, 1, scores)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = monitor.decisions()
    assert (found["total"], found["alarms"], found["requests"]) == (12_000, 1200, 1200)
    assert len(monitor._scores["nb"]) == module.WINDOW


def test_scores_stay_of_use_where_a_curve_stays_the_same() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(500, 0, columns(9, 500, 0.3), version=1)
    same = again(SERVED, 2)
    monitor.replace_export(SERVED, same)
    assert monitor.prevalence(same).rows == 500
    monitor.add(300, 0, columns(11, 300, 0.3), version=2)
    monitor.add(300, 0, columns(12, 300, 0.3), version=1)  # a late request of the old one
    other = served(version=3, seed=5)
    monitor.replace_export(same, again(SERVED, 4))
    assert monitor.prevalence(again(SERVED, 4)).rows == 800
    monitor.replace_export(again(SERVED, 4), again(other, 5))
    assert monitor.prevalence(again(other, 5)).rows == 0
