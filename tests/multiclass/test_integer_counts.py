"""Counts that cannot be used are refused by name, wherever they are passed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.multiclass import Archive, dominated_share

BAD_COUNTS = [
    ([[1, -1]], r"got -1 in row 0, column 1"),
    ([[1, 2], [10, 0]], r"got 10 in row 1, column 0"),
    ([[1, 2, 3]], r"be rows of 2 whole numbers; got an array of shape \(1, 3\)"),
    ([1, 2], r"be rows of 2 whole numbers; got an array of shape \(2,\)"),
    ([[0.1, 0.2]], r"be rows of 2 whole numbers; got .* type float64. Pass integer counts"),
    ([[True, False]], r"be rows of 2 whole numbers; got .* type bool"),
    ([[1, 2], [3]], r"be rows of 2 whole numbers"),
    ([["a", "b"]], r"be rows of 2 whole numbers"),
    (None, r"be rows of 2 whole numbers; got an object of type NoneType"),
    (np.array([[2**63, 0]], dtype=np.uint64), r"lie between 0 and the objective's limit"),
    (np.zeros((3, 0), dtype=int), r"be rows of 2 whole numbers"),
]


@pytest.mark.parametrize(("counts", "message"), BAD_COUNTS)
def test_counts_that_are_none(counts: Any, message: str) -> None:
    archive = Archive([9, 9])
    archive.insert([[5, 5]])
    with pytest.raises(rocch.InputError, match=f"^counts must .*{message}"):
        archive.insert(counts)
    with pytest.raises(rocch.InputError, match=f"^points must .*{message}"):
        archive.dominated(counts)
    with pytest.raises(rocch.InputError, match=f"^counts must .*{message}"):
        dominated_share(counts, [9, 9])
    assert archive.counts.tolist() == [[5, 5]]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ([], "be one whole number for each objective"),
        ([1.5], "be one whole number for each objective"),
        ([[1, 2]], r"be one whole number for each objective; got an array of shape \(1, 2\)"),
        ("ab", "be one whole number for each objective; got an object of type str"),
        ([3, -1], r"be whole numbers, at least 0, that sum to at most 2\*\*58; got \[3, -1\]"),
        ([2**58, 1], ".* that sum to at most"),
        (np.empty(0, dtype=int), "be whole numbers"),
    ],
)
def test_limits_that_are_none(limits: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=f"^limits must {message}"):
        Archive(limits)


def test_a_total_of_nothing_has_no_rate() -> None:
    with pytest.raises(rocch.InputError, match="totals must be whole numbers, at least 1"):
        dominated_share([[0, 0]], [9, 0])
    assert len(Archive([9, 0]).insert([[1, 0]])) == 1


def test_any_kind_of_integers_will_do() -> None:
    for kind in (np.uint8, np.int32, np.uint64):
        assert Archive(np.array([200, 200], dtype=kind)).insert(
            np.array([[200, 1]], dtype=kind)
        ).tolist() == [0]
