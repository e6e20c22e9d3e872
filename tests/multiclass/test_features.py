from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rocch import InputError
from rocch.multiclass.classes import as_features


@pytest.mark.parametrize(
    "table",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]], dtype=np.float32),
        pd.DataFrame({"a": [1, 3], "b": [2.0, 4.0]}),
        pl.DataFrame({"a": [1, 3], "b": [2.0, 4.0]}),
    ],
)
def test_tables_of_any_kind_become_doubles(table: Any) -> None:
    features = as_features(table, width=2)
    assert features.tolist() == [[1, 2], [3, 4]]
    assert features.dtype == np.float64
    assert features.flags.c_contiguous


def test_what_came_is_neither_altered_nor_shared() -> None:
    given = np.array([[1.0, 2.0]])
    as_features(given)[0, 0] = 9
    assert given.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([["a", "b"]], "X must be a table of numbers; got an object of type list."),
        ([[1, 2], [3]], "X must be a table of numbers"),
        ([1, 2], "X must have rows of 2 columns; got an array of shape (2,)."),
        (np.zeros((0, 2)), "X must have rows of 2 columns; got an array of shape (0, 2)."),
        ([[1, 2, 3]], "X must have rows of 2 columns"),
        ([[1, 2], [3, np.nan]], "X must hold finite numbers; got nan in row 1, column 1."),
        ([[np.inf, 2]], "X must hold finite numbers; got inf in row 0, column 0."),
    ],
)
def test_bad_input(table: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        as_features(table, width=2)
