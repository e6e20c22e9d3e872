"""The hulls of all replicates, laid end to end."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from rocch.roc.conditions import Case
from rocch.stats.resampling import HullRecord

HUGE = 2**40


def test_vertices_are_kept_in_the_smallest_integers_that_hold_them() -> None:
    totals = np.array([[4, 2], [4, 2]])
    hulls = [
        (np.array([0, 1, 4]), np.array([0, 2, 2])),
        (np.array([0, 4]), np.array([0, 2])),
    ]
    record = HullRecord.of(hulls, totals)
    assert record.false_positives.dtype == np.int32
    assert len(record) == 2
    assert [column.tolist() for column in record[0]] == [[0, 1, 4], [0, 2, 2]]
    assert record.aucs.tolist() == [7 / 8, 1 / 2]
    assert record.tpr_at(np.array([0, 0.125, 0.5, 1])).tolist() == [
        [0, 0.5, 1, 1],
        [0, 0.125, 0.5, 1],
    ]


def test_areas_of_counts_whose_products_leave_64_bits_are_exact() -> None:
    totals = np.array([[HUGE, HUGE + 1], [HUGE, HUGE]])
    hulls = [
        (np.array([0, 1, HUGE]), np.array([0, HUGE, HUGE + 1])),
        (np.array([0, HUGE]), np.array([0, HUGE])),
    ]
    record = HullRecord.of(hulls, totals)
    twice = HUGE + (HUGE - 1) * (2 * HUGE + 1)
    assert record.aucs.tolist() == [float(Fraction(twice, 2 * HUGE * (HUGE + 1))), 0.5]


def test_least_costs_are_those_of_the_cheapest_vertex() -> None:
    totals = np.array([[10, 10], [20, 5]])
    hulls = [
        (np.array([0, 2, 10]), np.array([0, 8, 10])),
        (np.array([0, 0, 20]), np.array([0, 2, 5])),
    ]
    case = Case(0.5, 1.0, 1.0, 0.0, 0.0)
    costs = HullRecord.of(hulls, totals).least_costs(case)
    assert costs == pytest.approx([0.5 * 0.2 + 0.5 * 0.2, 0.5 * 0.6])
