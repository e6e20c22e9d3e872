"""Columns of numbers and of names: what is taken for which, and what is refused."""

from __future__ import annotations

import csv
import json
import math
import random
import struct
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import feather

import rocch
from rocch.cli.data import TableSource, open_table, whole_table
from rocch.cli.table import Coded, as_number, is_number, text_of
from tests.support.parquet_parts import write_table


def write_csv(path: Path, texts: list[str], **options: Any) -> Path:
    """Write texts as the second of two columns, as Python does."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n", **options)
        writer.writerows([["y", "a"], *(["x", text] for text in texts)])
    return path


def write_jsonl(path: Path, values: list[Any]) -> Path:
    lines = [json.dumps({"y": "x", "a": value}) for value in values]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def numbers(path: Path, *, decimal_comma: bool = False, **rule: Any) -> list[float]:
    with open_table(TableSource(path, decimal_comma=decimal_comma)) as table:
        found: list[float] = table.select(["a"], **rule).numbers()["a"].tolist()
    return found


def names(path: Path, **rule: Any) -> Coded:
    with open_table(TableSource(path)) as table:
        return table.select([], {"a": "--label"}, **rule).coded("a")


def same_doubles(found: list[float], wanted: list[float]) -> bool:
    pack = struct.Struct("<d").pack
    return [pack(value) for value in found] == [pack(value) for value in wanted]


@settings(max_examples=30)
@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_texts_give_the_numbers_that_were_written(values: list[float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write_csv(Path(folder) / "x.csv", [repr(value) for value in values])
        assert same_doubles(numbers(path), values)


def decimals(count: int) -> list[str]:
    """Return decimals that are hard to round: 17 digits, halfway cases, subnormal numbers."""
    draw = random.Random(3)  # noqa: S311 - no secret
    texts = [f"0.{draw.getrandbits(56):017d}" for _ in range(count)]
    texts += [f"{draw.getrandbits(60)}e{draw.randint(-330, 290)}" for _ in range(count)]
    for _ in range(count):
        low = abs(struct.unpack("<d", struct.pack("<Q", draw.getrandbits(62)))[0])
        if math.isfinite(low) and low > 1e-300:
            half = (Decimal(low) + Decimal(math.nextafter(low, math.inf))) / 2
            texts += [f"{half:.60e}", f"{half.next_plus():.60e}"]
    texts += [f"{draw.random()}e-{draw.randint(300, 320)}" for _ in range(count)]
    return texts


def test_every_double_is_the_one_that_python_reads(tmp_path: Path) -> None:
    texts = decimals(5_000)
    assert same_doubles(numbers(write_csv(tmp_path / "x.csv", texts)), [*map(float, texts)])


READ: dict[str, float] = {
    " 1 ": 1,
    "\t-2e3": -2000,
    "inf": math.inf,
    "-Infinity": -math.inf,
    " +INF ": math.inf,
    "+.5": 0.5,
    "1.": 1,
    "-0.0": -0.0,
    "0e99999": 0,
    "1e300": 1e300,
    "9007199254740993.0": 9007199254740992,
    "9007199254740993e0": 9007199254740992,
    "9007199254740991": 9007199254740991,
    "-9007199254740991": -9007199254740991,
    "5e-324": 5e-324,
    "0.5\xa0": 0.5,
    "\u0661.\u0665": 1.5,
    "\uff11": 1,
    "0.1\x0b": 0.1,
}


def test_whatever_python_reads_as_a_number_is_one(tmp_path: Path) -> None:
    assert same_doubles(numbers(write_csv(tmp_path / "x.csv", [*READ])), [*READ.values()])
    assert [float(text) for text in READ] == [*READ.values()]


@settings(max_examples=60)
@given(st.lists(st.text("0123456789+-.eE_xXinfatyNA \t\xa0\u0663", max_size=8), min_size=1))
@example(["+-1"])
@example(["1_000"])
@example(["0x1F"])
def test_no_other_text_is_a_number(texts: list[str]) -> None:
    """Python's float is the oracle."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_csv(Path(folder) / "x.csv", texts, quoting=csv.QUOTE_ALL)
        refused = [row for row, text in enumerate(texts, start=1) if is_refused(text)]
        if refused:
            with pytest.raises(rocch.InputError, match=rf"in row {refused[0]}\b"):
                numbers(path)
        else:
            assert same_doubles(numbers(path), [float(text) for text in texts])


def is_refused(text: str) -> bool:
    """Return whether a text is no number, missing, or one that a double cannot hold."""
    if not is_number(text) or math.isnan(float(text)):
        return True
    value, plain = float(text), text.strip().lower().lstrip("+-")
    is_whole = plain.isdecimal() and abs(value) >= 2**53
    is_zero = value == 0 and any(char in "123456789" for char in plain.partition("e")[0])
    return is_whole or is_zero or (math.isinf(value) and not plain.startswith("inf"))


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2.5, 3], [1, 2.5, 3]),
        (["1", 2, "2.5"], [1, 2, 2.5]),
        ([1e300, -1e16], [1e300, -1e16]),
        ([0.1, 5e-324, 123456789.123456789], [0.1, 5e-324, 123456789.123456789]),
        ([math.inf, -math.inf], [math.inf, -math.inf]),
    ],
)
def test_numbers_in_json(tmp_path: Path, values: list[Any], found: list[float]) -> None:
    assert numbers(write_jsonl(tmp_path / "x.jsonl", values)) == found


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (pa.array([1, 2], pa.int8()), [1, 2]),
        (pa.array([True, False]), [1, 0]),
        (pa.array([Decimal("0.5"), Decimal("3")], pa.decimal128(5, 2)), [0.5, 3]),
        (pa.array([Decimal("0.1"), Decimal("0.3")], pa.decimal128(38, 30)), [0.1, 0.3]),
        (pa.array([1.5, 2.5], pa.float32()), [1.5, 2.5]),
        (pa.array(["1", " 2.5 "]), [1, 2.5]),
        (pa.array([math.inf, -0.0]), [math.inf, -0.0]),
        (pa.array([2**53 - 1, 2.0], pa.float64()), [2**53 - 1, 2]),
        (pa.array([2.0**60, 1], pa.float64()), [2.0**60, 1]),
    ],
    ids=str,
)
def test_numbers_of_every_type(tmp_path: Path, column: Any, found: list[float]) -> None:
    assert numbers(write_table(tmp_path / "x.parquet", a=column)) == found
    feather.write_feather(pa.table({"a": column}), tmp_path / "x.arrow")
    assert numbers(tmp_path / "x.arrow") == found


def test_half_floats_and_long_decimals_of_arrow(tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": pa.array(np.array([0.5, 1.5], dtype=np.float16)),
            "b": pa.array([Decimal("0.25"), Decimal("2")], pa.decimal256(50, 2)),
        }
    )
    feather.write_feather(table, tmp_path / "x.arrow")
    with open_table(TableSource(tmp_path / "x.arrow")) as opened:
        found = opened.select(["a", "b"]).numbers()
    assert {name: column.tolist() for name, column in found.items()} == {
        "a": [0.5, 1.5],
        "b": [0.25, 2],
    }


REFUSED = {
    "x": "hold numbers; got 'x' in row 2",
    "": "no missing values; got one in row 2.",
    " NA ": "got one in row 2, written 'NA'",
    "nan": "got one in row 2, written 'nan'",
    "?": "got one in row 2, written '?'",
    "null": "got one in row 2, written 'null'",
    "1_000": "hold numbers; got '1_000' in row 2",
    "+-1": "hold numbers; got '+-1' in row 2",
    "0x1F": "hold numbers; got '0x1F' in row 2",
    "0,5": "Say --decimal-comma",
    "1.000,5": "hold numbers; got '1.000,5'",
    "true": "hold numbers; got 'true'",
    "yes": "hold numbers; got 'yes'",
    "-9007199254740992": "got -9007199254740992 in row 2",
    "9007199254740993": "below 2**53 in size, or floats; got 9007199254740993 in row 2",
    "1e400": "hold numbers in the range of doubles; got '1e400' in row 2",
    "-1e309": "in the range of doubles; got '-1e309' in row 2",
    "1e-400": "in the range of doubles; got '1e-400' in row 2",
    "1" * 400: "below 2**53",
}


@pytest.mark.parametrize(("text", "why"), REFUSED.items(), ids=[key[:20] for key in REFUSED])
def test_what_is_no_number_is_named_with_its_row(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(rocch.InputError) as caught:
        numbers(write_csv(tmp_path / "x.csv", ["1", text, "x"], quoting=csv.QUOTE_ALL))
    assert why in str(caught.value)
    assert str(caught.value).startswith("column 'a' must ")


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([1, "x"], "got 'x' in row 2"),
        ([1.0, None], "got one in row 2."),
        ([1.0, math.nan], "got one in row 2"),
        ([1, [1]], "hold numbers; got '[1]' in row 2"),
        ([1, True], "hold numbers; got 'true' in row 2"),
        ([1, 10**400], "below 2**53"),
        ([1, 2**53], "got 9007199254740992 in row 2"),
        ([1, 2**80], f"got {2**80} in row 2"),
    ],
)
def test_what_is_no_number_in_json(tmp_path: Path, values: list[Any], why: str) -> None:
    with pytest.raises(rocch.InputError) as caught:
        numbers(write_jsonl(tmp_path / "x.jsonl", values))
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (pa.array([1, None]), "no missing values; got one in row 2."),
        (pa.array([1, math.nan]), "no missing values; got one in row 2."),
        (pa.array(["1", "y"]), "hold numbers; got 'y' in row 2"),
        (pa.array([1, 2], pa.date32()), "hold numbers; got '1970-01-02' in row 1"),
        (pa.array([1, 2**60]), f"below 2**53 in size, or floats; got {2**60} in row 2"),
        (
            pa.array([1, 2**60], pa.decimal128(30, 0)),
            f"below 2**53 in size, or floats; got {2**60}",
        ),
        (pa.array([1, 2**63], pa.uint64()), f"below 2**53 in size, or floats; got {2**63}"),
    ],
    ids=str,
)
def test_what_is_no_number_in_parquet(tmp_path: Path, column: Any, why: str) -> None:
    with pytest.raises(rocch.InputError) as caught:
        numbers(write_table(tmp_path / "x.parquet", a=column))
    assert why in str(caught.value)


def test_infinite_numbers_are_refused_where_they_make_no_sense(tmp_path: Path) -> None:
    for path in (
        write_csv(tmp_path / "x.csv", ["1", "inf"]),
        write_table(tmp_path / "x.parquet", a=[1, math.inf]),
    ):
        with pytest.raises(rocch.InputError, match="hold finite numbers; got 'inf' in row 2"):
            numbers(path, finite=True)


def test_missing_numbers_are_allowed_where_rows_are_dropped(tmp_path: Path) -> None:
    texts = ["1", "", " n/a ", "NaN", "inf", "None", "\u0661", "2"]
    for path in (
        write_csv(tmp_path / "x.csv", texts),
        write_jsonl(tmp_path / "x.jsonl", [1, None, "NA", math.nan, math.inf, "?", "1", 2]),
        write_table(tmp_path / "x.parquet", a=[1, None, math.nan, None, math.inf, None, 1, 2]),
    ):
        found = numbers(path, gaps=True)
        assert found[:1] + found[4:5] + found[6:] == [1, math.inf, 1, 2]
        assert all(map(math.isnan, [*found[1:4], found[5]]))
    with pytest.raises(rocch.InputError, match="got 'x' in row 3"):
        numbers(write_csv(tmp_path / "x.csv", ["1", "", "x"]), gaps=True)


def test_decimal_commas(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "x.csv", ["0,5", "1,25e1", "3", "inf", "-,5"])
    assert numbers(path, decimal_comma=True) == [0.5, 12.5, 3, math.inf, -0.5]
    for wrong, why in (
        ("x", "got 'x' in row 2"),
        ("1\n2", "in row 2"),
        ("1.234", r"'1\.234' in row 2.* have no points"),
        ("1.000,5", r"'1\.000,5' in row 2.* have no points"),
        ("1,000,5", r"'1,000,5' in row 2"),
        ("1e400", "range of doubles"),
        ("0,1e-400", "range of doubles"),
        ("9007199254740993", "below 2"),
    ):
        with pytest.raises(rocch.InputError, match=why):
            numbers(write_csv(tmp_path / "x.csv", ["0,5", wrong]), decimal_comma=True)


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["a", "b", "c d", "A"]), min_size=1))
def test_names_come_back(values: list[str]) -> None:
    found = Coded.of(values)
    assert found.texts() == values
    assert list(found.names) == list(dict.fromkeys(values))
    with tempfile.TemporaryDirectory() as folder:
        read = names(write_csv(Path(folder) / "x.csv", values))
    assert (read.texts(), read.names) == (values, found.names)


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        ([1, 0, 1], ["1", "0", "1"]),
        ([1.0, 0.5, 0.0], ["1", "0.5", "0"]),
        ([True, False], ["true", "false"]),
        (["x", " y"], ["x", "y"]),
    ],
)
def test_names_of_every_kind(tmp_path: Path, column: list[Any], texts: list[str]) -> None:
    assert names(write_table(tmp_path / "x.parquet", a=column)).texts() == texts
    assert names(write_jsonl(tmp_path / "x.jsonl", column)).texts() == texts


@pytest.mark.parametrize("missing", ["", "NaN", "  "])
def test_missing_names_are_refused_with_their_row(tmp_path: Path, missing: str) -> None:
    why = r"--label must have no missing .* row 3"
    with pytest.raises(rocch.InputError, match=why):
        names(write_csv(tmp_path / "x.csv", ["a", "x", missing]))
    with pytest.raises(rocch.InputError, match=why):
        names(write_jsonl(tmp_path / "x.jsonl", ["a", "x", None]))
    with pytest.raises(rocch.InputError, match=why):
        names(write_table(tmp_path / "x.parquet", a=[1, 2, math.nan]))
    found = names(write_csv(tmp_path / "x.csv", ["a", missing, "b"]), gaps=True)
    assert (found.names, found.codes.tolist()) == (("a", "b"), [0, -1, 1])


def test_values_are_carried_along_as_they_are(tmp_path: Path) -> None:
    values = [1.5, "x", None, True, 10**30, [1, {"b": "2"}]]
    assert whole_table(TableSource(write_jsonl(tmp_path / "x.jsonl", values)))["a"] == values
    days = pa.array([1, 2], pa.date32())
    found = whole_table(TableSource(write_table(tmp_path / "x.parquet", a=days, b=[1.5, 2])))
    assert [*map(str, found["a"]), *found["b"]] == ["1970-01-02", "1970-01-03", 1.5, 2.0]


@pytest.mark.parametrize("text", ["", "x", "1_0", "0,5", "[1]"])
def test_no_numbers(text: str) -> None:
    assert not is_number(text)


def test_marks_that_would_be_overlooked_are_refused() -> None:
    assert as_number("0,5", decimal_comma=True) == 0.5
    assert not is_number("1.5", decimal_comma=True)


def test_whole_numbers_have_no_point() -> None:
    assert [text_of(value) for value in (1.0, 1.5, None, float("nan"), " x ")] == [
        "1",
        "1.5",
        "",
        "",
        "x",
    ]


def test_columns_of_numbers_are_found_by_their_first_values(tmp_path: Path) -> None:
    rows = ["a,b,c,d,e", *(f"NA,{n},x,,{n}" for n in range(300)), "1,2,3,4,x"]
    (tmp_path / "x.csv").write_text("\n".join(rows) + "\n")
    with open_table(TableSource(tmp_path / "x.csv")) as table:
        assert table.numeric() == ["a", "b", "d", "e"]
    far = ["a,b", *("NA,1" for _ in range(20_000)), "1,2"]
    (tmp_path / "x.csv").write_text("\n".join(far) + "\n")
    with open_table(TableSource(tmp_path / "x.csv")) as table:
        assert table.numeric() == ["b"]


def test_columns_that_differ_in_case_alone_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,A,c0,C0\n1,2,3,4\n")
    with open_table(TableSource(tmp_path / "x.csv")) as table:
        found = table.select(["C0", "a", "A", "c0"]).numbers()
    assert {name: column.tolist() for name, column in found.items()} == {
        "C0": [4],
        "a": [1],
        "A": [2],
        "c0": [3],
    }
    file = write_table(tmp_path / "x.parquet", a=[1], A=[2])
    assert whole_table(TableSource(file)) == {"a": [1], "A": [2]}
    (tmp_path / "x.jsonl").write_text('{"a": 1, "A": 2, "a/b~c": 3, "$.a": 4, "\\"q": 5}\n')
    found = {
        name: values[0] for name, values in whole_table(TableSource(tmp_path / "x.jsonl")).items()
    }
    assert found == {"a": 1, "A": 2, "a/b~c": 3, "$.a": 4, '"q': 5}
