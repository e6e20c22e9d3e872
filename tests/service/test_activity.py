"""Decisions are counted by the minute, for an hour."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rocch.service.monitor import MINUTES, Activity


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
