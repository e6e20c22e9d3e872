"""Rows cut into parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rocch.rows import ScoredRows, cut_repeatedly, most_parts


def cuts(rows: ScoredRows, parts: int, times: int = 3) -> list[tuple[Any, Any]]:
    return list(cut_repeatedly(rows, parts, times, np.random.default_rng(0)))


def rows_of(positive: Any, **more: Any) -> ScoredRows:
    y = np.asarray(positive, dtype=bool)
    return ScoredRows(y, {"a": np.zeros(y.size)}, **more)


def test_every_row_is_left_out_once_and_classes_are_even() -> None:
    rows = rows_of(np.arange(103) < 23)
    found = cuts(rows, 10)
    assert len(found) == 30
    for start in range(0, 30, 10):
        tests = [test for _, test in found[start : start + 10]]
        assert sorted(np.concatenate(tests).tolist()) == list(range(103))
        positives = [int(rows.positive[test].sum()) for test in tests]
        assert max(positives) - min(positives) <= 1
    for train, test in found:
        assert not set(train.tolist()) & set(test.tolist())
        assert train.size + test.size == 103


@pytest.mark.parametrize("name", ["groups", "index"])
def test_groups_and_entries_of_one_row_stay_together(name: str) -> None:
    units = np.repeat(np.arange(30), 4)
    rows = rows_of(units % 3 == 0, **{name: units})
    for train, test in cuts(rows, 5):
        assert not set(units[train]) & set(units[test])


def test_there_are_no_more_parts_than_rows_of_a_class_that_weigh_something() -> None:
    assert most_parts(rows_of(np.arange(50) < 7), 10) == 7
    assert most_parts(rows_of(np.arange(50) < 20), 10) == 10
    weights = np.ones(50)
    weights[:4] = 0
    assert most_parts(rows_of(np.arange(50) < 7, weights=weights), 10) == 3
    for train, _ in cuts(rows_of(np.arange(50) < 7, weights=weights), 3):
        assert (weights[train][train < 7] > 0).any()
