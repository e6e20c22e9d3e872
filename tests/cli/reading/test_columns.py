"""Columns gathered chunk by chunk."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.cli.reading.columns import Coded, Codes, NumberRule, Numbers, Raw, is_number, text_of


def numbers(*chunks: Any, **rule: Any) -> list[float]:
    column = Numbers("a", NumberRule(**rule))
    for chunk in chunks:
        column.add(chunk)
    found: list[float] = column.whole().tolist()
    return found


def names(*chunks: Any) -> Coded:
    column = Codes("--label")
    for chunk in chunks:
        column.add(chunk)
    return column.whole()


@given(st.lists(st.floats(allow_nan=False), min_size=1), st.integers(0, 20))
def test_texts_give_the_numbers_that_were_written(values: list[float], cut: int) -> None:
    texts = [repr(value) for value in values]
    parts = [part for part in (texts[:cut], texts[cut:]) if part]
    assert numbers(*parts) == values
    assert numbers(np.array(values)) == values
    assert numbers(values) == values


@pytest.mark.parametrize(
    ("chunk", "found"),
    [
        ([" 1 ", "-2e3", "inf"], [1, -2000, float("inf")]),
        ([1, 2.5, True], [1, 2.5, 1]),
        (["1", 2, "2.5"], [1, 2, 2.5]),
        ([2, "1"], [2, 1]),
        (np.array([1, 2], dtype=np.int8), [1, 2]),
        (np.array([True, False]), [1, 0]),
        (np.array([Decimal("0.5"), 3], dtype=object), [0.5, 3]),
        ([1e300, -1e16], [1e300, -1e16]),
        (["1e300"], [1e300]),
        (["9007199254740993.0"], [9007199254740992]),
        (["9007199254740991"], [9007199254740991]),
    ],
)
def test_numbers_of_every_kind(chunk: Any, found: list[float]) -> None:
    assert numbers(chunk) == found


@pytest.mark.parametrize(
    ("chunk", "why"),
    [
        (["1", "x"], "hold numbers; got 'x' in row 4"),
        (["1", ""], "no missing values; got one in row 4."),
        (["1", " NA "], "got one in row 4, written 'NA'"),
        (["1", "nan"], "got one in row 4, written 'nan'"),
        ([1.0, None], "got one in row 4."),
        (np.array([1, np.nan]), "got one in row 4."),
        (np.array([1, None], dtype=object), "got one in row 4."),
        (np.array(["x", "y"]), "got 'x' in row 3"),
        (np.array(["2024-01-01"], dtype="datetime64[D]"), "'2024-01-01' in row 3"),
        (["1", "1_000"], "got '1_000' in row 4"),
        (["1", "0,5"], "Say --decimal-comma"),
        ([[1], 2], "hold numbers; got '[1]' in row 3"),
        ([10**400, 2], "hold numbers"),
        (["-9007199254740992", "1"], "got -9007199254740992 in row 3"),
        ([2**53, 1], "got 9007199254740992 in row 3"),
        (np.array([1, 2**60]), "below 2**53"),
        ([1, "x"], "got 'x' in row 4"),
    ],
)
def test_what_is_no_number_is_named_with_its_row(chunk: Any, why: str) -> None:
    with pytest.raises(rocch.InputError) as caught:
        numbers(["1", "2"], chunk)
    assert why in str(caught.value)
    assert str(caught.value).startswith("column 'a' must ")


def test_infinite_numbers_are_refused_where_they_make_no_sense() -> None:
    with pytest.raises(rocch.InputError, match="hold finite numbers; got 'inf' in row 2"):
        numbers(["1", "inf"], finite=True)


def test_decimal_commas() -> None:
    assert numbers(["0,5", "1,25e1", "3"], decimal_comma=True) == [0.5, 12.5, 3]
    for wrong, why in (
        ("x", "got 'x' in row 2"),
        ("1\n2", "in row 2"),
        ("1.234", r"'1\.234' in row 2.* have no points"),
    ):
        with pytest.raises(rocch.InputError, match=why):
            numbers(["0,5", wrong], decimal_comma=True)


@given(st.lists(st.sampled_from(["a", "b", "c d"]), min_size=1), st.integers(0, 9))
def test_names_come_back(values: list[str], cut: int) -> None:
    parts = [part for part in (values[:cut], values[cut:]) if part]
    found = names(*parts)
    assert found.texts() == values
    assert list(found.names) == list(dict.fromkeys(values))


@pytest.mark.parametrize(
    ("chunk", "texts"),
    [
        (np.array([1, 0, 1]), ["1", "0", "1"]),
        (np.array([1.0, 0.5]), ["1", "0.5"]),
        (np.array([True, False]), ["True", "False"]),
        (np.array(["x", " y"], dtype=object), ["x", "y"]),
        ([1, 1.0, "1"], ["1", "1", "1"]),
    ],
)
def test_names_of_every_kind(chunk: Any, texts: list[str]) -> None:
    assert names(chunk).texts() == texts


@pytest.mark.parametrize(
    "chunk",
    [["x", ""], ["x", None], ["x", "NaN"], np.array([1, np.nan]), np.array(["x", None])],
)
def test_missing_names_are_refused_with_their_row(chunk: Any) -> None:
    with pytest.raises(rocch.InputError, match=r"--label must have no missing .* row 3"):
        names(["a"], chunk)


def test_raw_values_become_pythons_own() -> None:
    column = Raw()
    column.add(np.array([1.5, 2]))
    column.add(["x"])
    column.add(np.array(["2024-02-29"], dtype="datetime64[D]"))
    found = column.whole()
    assert [type(value) for value in found[:2]] == [float, float]
    assert list(map(str, found)) == ["1.5", "2.0", "x", "2024-02-29"]


@pytest.mark.parametrize("value", [None, True, "", "x", "1_0", "0,5", [1]])
def test_no_numbers(value: Any) -> None:
    assert not is_number(value)


def test_whole_numbers_have_no_point() -> None:
    assert [text_of(value) for value in (1.0, 1.5, None, float("nan"), " x ")] == [
        "1",
        "1.5",
        "",
        "",
        "x",
    ]
