"""Cells that cannot be are refused, each with its reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.kernels.cells import Cells
from rocch.roc import ClassTotals
from rocch.scale.cells import check_cells


def cells(**columns: Any) -> Cells:
    good = {"high": [3.0, 1.0], "low": [2.0, 0.0], "negatives": [1, 2], "positives": [3, 0]}
    return Cells(**{name: np.array(columns.get(name, good[name])) for name in good})


def test_good_cells_pass() -> None:
    check_cells(cells(), ClassTotals(3, 3))
    check_cells(cells(negatives=[3, 0]), ClassTotals(3, 3))  # rows may weigh nothing
    check_cells(cells(high=[np.inf, 1.0], low=[np.inf, -np.inf]), ClassTotals(3, 3))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"low": [2.0]}, r"four columns of one length, .*; got \(2,\), \(1,\)"),
        ({name: [] for name in Cells._fields}, "at least one cell"),
        ({name: [[1]] for name in Cells._fields}, "four columns of one length"),
        ({"negatives": [1.0, 2.0]}, "signed integers; got counts of type float64"),
        ({"positives": np.array([3, 0], dtype=np.uint64)}, "got counts of type uint64"),
        ({"negatives": [-1, 4]}, "counts that are not negative"),
        ({"low": [4.0, 0.0]}, "be disjoint and run from the highest scores"),
        ({"low": [1.0, 0.0]}, "cells that overlap"),
        ({"low": [2.0, np.nan]}, r"have no bounds \(NaN\)"),
        ({"high": [1.0, 3.0], "low": [0.0, 2.0]}, "are out of order"),
        ({"negatives": [1, 1]}, "hold all rows, 3 negatives and 3 positives; got 2 and 3"),
        ({"positives": [2**62, 2**62]}, r"fewer than 2\*\*62 rows of each class"),
    ],
)
def test_bad_cells_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=f"cells must .*{message}"):
        check_cells(cells(**columns), ClassTotals(3, 3))


@pytest.mark.parametrize("totals", [(0, 3), (3, 0), (2**62, 3)])
def test_totals_must_be_of_both_classes_and_small_enough(totals: tuple[int, int]) -> None:
    with pytest.raises(rocch.InputError, match="totals must have totals of both classes, below"):
        check_cells(cells(), ClassTotals(*totals))
