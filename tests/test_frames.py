"""Frames in the user's own library."""

from __future__ import annotations

from datetime import date
from importlib.machinery import ModuleSpec
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rocch import InputError, MissingExtraError
from rocch.frames import FrameLibrary, find_library, make_frame

KINDS: dict[FrameLibrary, type] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.Table,
}


def only(*installed: str) -> Any:
    return lambda name: ModuleSpec(name, None) if name in installed else None


@pytest.mark.parametrize("backend", KINDS)
def test_columns_become_a_frame_of_the_library_named(backend: FrameLibrary) -> None:
    frame = make_frame({"name": ["a", "b"], "value": np.array([1.5, 2.0])}, backend)
    assert type(frame).__name__ == KINDS[backend].__name__
    assert pl.DataFrame(frame).to_dicts() == [
        {"name": "a", "value": 1.5},
        {"name": "b", "value": 2.0},
    ]


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [(("pyarrow", "polars", "pandas"), "pandas"), (("pyarrow", "polars"), "polars")],
)
def test_the_first_installed_library_is_the_default(
    monkeypatch: pytest.MonkeyPatch, installed: tuple[str, ...], chosen: str
) -> None:
    monkeypatch.setattr("rocch.frames.find_spec", only(*installed))
    assert find_library() == chosen


def test_without_any_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rocch.frames.find_spec", only())
    with pytest.raises(MissingExtraError, match=r"pandas, polars or pyarrow.*pip install pandas"):
        make_frame({"a": [1]})
    with pytest.raises(MissingExtraError, match=r"needs polars.*pip install polars"):
        make_frame({"a": [1]}, "polars")


def test_other_libraries_are_refused() -> None:
    with pytest.raises(InputError, match="backend must be"):
        make_frame({"a": [1]}, "dask")  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", KINDS)
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, None], [1, None]),
        ([1, 2.5, None], [1.0, 2.5, None]),
        ([0.25, "all", None], ["0.25", "all", None]),
        ([True, None], [True, None]),
        ([True, 1], ["True", "1"]),
        ([10**30, 1], [1e30, 1.0]),
        ([date(2026, 1, 2)], [date(2026, 1, 2)]),
        ([("a", 1)], ["('a', 1)"]),
        ([np.float64(2), np.float64(np.inf)], [2.0, np.inf]),
        ([], []),
    ],
    ids=str,
)
def test_every_library_holds_the_same_values(
    backend: FrameLibrary, values: list[Any], expected: list[Any]
) -> None:
    frame = make_frame({"x": values}, backend)
    column: Any = pl.from_pandas(frame["x"]) if backend == "pandas" else pl.DataFrame(frame)["x"]
    found = [None if value != value else value for value in column.to_list()]
    assert found == expected


@pytest.mark.parametrize("backend", KINDS)
def test_a_frame_may_be_empty(backend: FrameLibrary) -> None:
    assert make_frame({}, backend).shape[0] == 0
