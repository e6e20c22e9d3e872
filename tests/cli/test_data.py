"""Files of every kind, compressed or not, from a folder or a pipe: the same answer."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import shutil
import sys
import tempfile
import threading
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet

import rocch
from rocch.cli.data import (
    SNIFFED,
    TableSource,
    column_names,
    find_delimiter,
    find_format,
    open_table,
    whole_table,
)
from rocch.cli.main import cli

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Answer, Refusal

    Judged = dict[str, list[float]]


def csv_of(judged: Judged) -> bytes:
    rows = [",".join(map(str, row)) for row in zip(*judged.values(), strict=True)]
    return "\n".join([",".join(judged), *rows, ""]).encode()


def records(judged: Judged) -> list[dict[str, Any]]:
    return [dict(zip(judged, row, strict=True)) for row in zip(*judged.values(), strict=True)]


def json_lines(judged: Judged) -> bytes:
    return "\n".join([*map(json.dumps, records(judged)), "", ""]).encode()


def json_list(judged: Judged) -> bytes:
    return json.dumps(records(judged), indent=1).encode()


def parquet_of(judged: Judged) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(pa.table(judged), stream)
    return stream.getvalue()


def feather_of(judged: Judged) -> bytes:
    stream = io.BytesIO()
    feather.write_feather(pa.table(judged), stream)
    return stream.getvalue()


def arrow_stream(judged: Judged) -> bytes:
    stream, table = io.BytesIO(), pa.table(judged)
    with pa.ipc.new_stream(stream, table.schema) as writer:
        for batch in table.to_batches(max_chunksize=50):
            writer.write_batch(batch)
    return stream.getvalue()


def zstd(content: bytes) -> bytes:
    made = pa.BufferOutputStream()
    with pa.CompressedOutputStream(made, "zstd") as writer:
        writer.write(content)
    found: bytes = made.getvalue().to_pybytes()
    return found


KINDS: dict[str, tuple[str, str, Callable[[Judged], bytes]]] = {
    "csv": ("csv", ".csv", csv_of),
    "jsonl": ("jsonl", ".jsonl", json_lines),
    "ndjson": ("jsonl", ".ndjson", json_lines),
    "json": ("json", ".json", json_list),
    "parquet": ("parquet", ".parquet", parquet_of),
    "feather": ("arrow", ".feather", feather_of),
    "arrow file": ("arrow", ".arrow", feather_of),
    "arrow stream": ("arrow", ".ipc", arrow_stream),
}
COMPRESSIONS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "plain": ("", bytes),
    "gzip": (".gz", gzip.compress),
    "bzip2": (".bz2", bz2.compress),
    "xz": (".xz", lzma.compress),
    "zstd": (".zst", zstd),
}
every_kind = pytest.mark.parametrize(("name", "suffix", "write"), KINDS.values(), ids=KINDS.keys())
every_compression = pytest.mark.parametrize(
    ("end", "compress"), COMPRESSIONS.values(), ids=COMPRESSIONS.keys()
)


@pytest.fixture
def wanted(answer: Answer, scores_csv: Path) -> Any:
    return answer("hull", scores_csv, "--label", "y")


@every_kind
@every_compression
def test_every_kind_gives_the_same_by_any_name(
    answer: Answer,
    tmp_path: Path,
    judged: Judged,
    wanted: Any,
    name: str,
    suffix: str,
    write: Callable[[Judged], bytes],
    end: str,
    compress: Callable[[bytes], bytes],
) -> None:
    for file in (tmp_path / f"table{suffix}{end}", tmp_path / "table", tmp_path / "a.b.dat"):
        file.write_bytes(compress(write(judged)))
        assert answer("hull", file, "--label", "y") == wanted
    assert answer("hull", file, "--label", "y", "--input-format", name) == wanted
    assert column_names(file) == ["y", "nb", "gbm"]


@every_kind
@every_compression
def test_every_kind_comes_through_standard_input(
    judged: Judged,
    wanted: Any,
    name: str,
    suffix: str,
    write: Callable[[Judged], bytes],
    end: str,
    compress: Callable[[bytes], bytes],
) -> None:
    assert suffix.startswith(end[:1])
    for told in ([], ["--input-format", name]):
        arguments = ["hull", "-", "--label", "y", "--json", *told]
        result = CliRunner().invoke(cli, arguments, input=compress(write(judged)))
        assert result.exit_code == 0, result.stderr
        assert json.loads(result.stdout) == wanted


@every_kind
def test_a_name_that_lies_is_seen_through_where_bytes_tell(
    answer: Answer,
    tmp_path: Path,
    judged: Judged,
    wanted: Any,
    name: str,
    suffix: str,
    write: Callable[[Judged], bytes],
) -> None:
    assert suffix
    file = tmp_path / "table.csv.gz"
    file.write_bytes(write(judged))
    told = () if name in ("csv", "parquet", "arrow") else ("--input-format", name)
    assert answer("hull", file, "--label", "y", *told) == wanted


@pytest.mark.parametrize(
    ("head", "path", "kind"),
    [
        (b"PAR1", "x.csv", "parquet"),
        (b"ARROW1\x00\x00", "x", "arrow"),
        (b"\xff\xff\xff\xff", "-", "arrow"),
        (b"y,a", "x.JSONL", "jsonl"),
        (b"y,a", "x.jsonl.gz", "jsonl"),
        (b"y,a", "x.Json.ZST", "json"),
        (b"[red],y", "x.csv", "csv"),
        (b"\xef\xbb\xbf[{", "-", "json"),
        (b' \n{"y":', "-", "jsonl"),
        (b"y,a", "x.gz", "csv"),
        (b"", "-", "csv"),
    ],
)
def test_the_format_is_recognized(head: bytes, path: str, kind: str) -> None:
    assert find_format(head, TableSource(Path(path))) == kind
    assert find_format(head, TableSource(Path(path), input_format="csv")) == "csv"


BROKEN = {
    "truncated gzip": ("x.csv.gz", gzip.compress(b"y,a\n0,1\n" * 99)[:-9], "cannot be read"),
    "no gzip": ("x.csv.gz", b"\x1f\x8b not really", "cannot be read"),
    "truncated bzip2": ("x.bz2", bz2.compress(b"y,a\n0,1\n" * 99)[:-9], "cannot be read"),
    "truncated xz": ("x.xz", lzma.compress(b"y,a\n0,1\n" * 99)[:-9], "cannot be read"),
    "no xz": ("x.xz", b"\xfd7zXZ\x00 not really so", "cannot be read"),
    "no zstd": ("x.zst", b"\x28\xb5\x2f\xfd nothing more here", "cannot be read"),
    "zip": ("x.csv", b"PK\x03\x04....", "a zip archive or a spreadsheet"),
    "empty Arrow": ("x.arrow", b"", "cannot be read as Arrow: it is empty"),
    "no Arrow": ("x.arrow", b"ARROW1 but nothing else", "cannot be read as Arrow"),
    "no Arrow stream": ("x.arrow", b"\xff\xff\xff\xff\x01\x00\x00\x00", "cannot be read as Arrow"),
    "no UTF-8": ("x.jsonl", b'{"y": "\xe9"}', "no text in UTF-8"),
    "no JSON": ("x.jsonl", b'{"y": 1}\n{"y" 1}\n', "line 2 is not JSON"),
    "no records": ("x.jsonl", b'{"y": 1}\n[1]\n', "got list in row 2"),
    "no record at all": ("x.jsonl", b"\n\n", "have at least one record"),
    "a late name": (
        "x.jsonl",
        b'{"y": 1, "a": 2}\n' * 20_000 + b'{"y": 0, "b": 2}\n',
        "column 'a' must have no missing values; got one in row 20001",
    ),
    "a name twice": ("x.jsonl", b'{"y": 1}\n{"y": 1, "y": 2}\n', "got 'y' twice in row 2"),
    "two records in a line": ("x.jsonl", b'{"y": 1}\n{"y": 1} {"y": 2}\n', "line 2 is not JSON"),
    "a record over two lines": ("x.jsonl", b'{"y": 1,\n"a": 2}\n', "line 1 is not JSON"),
    "no list": ("x.json", b'{"y": 1}', "be a list of records"),
    "broken list": ("x.json", b'[{"y": 1}', "it is not JSON"),
    "a missing value": ("x.jsonl", b'{"y": 1, "a": 1}\n{"y": 0}\n', "row 2"),
    "a text": ("x.jsonl", b'{"y": 1, "a": 1}\n{"y": 0, "a": "x"}\n', "'x' in row 2"),
    "a list for a number": ("x.jsonl", b'{"y": 1, "a": 1}\n{"y": 0, "a": [1]}\n', "'[1]' in row 2"),
    "nameless": ("x.jsonl", b'{"y": 1, "": 1}\n', "name every column"),
}


@pytest.mark.parametrize(("name", "content", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_file_gets_one_line(
    refusal: Refusal, tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert why in refusal("hull", file, "--label", "y")


def test_keys_may_come_in_any_order_and_be_missing_where_they_do_not_matter(
    answer: Answer, tmp_path: Path
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text('{"y": true, "a": 2}\n{"note": "x", "a": 1, "y": false}\n', encoding="utf-8")
    assert answer("hull", file, "--label", "y")["classifiers"] == ["a"]


@pytest.mark.parametrize("name", ["x.arrow", "x.csv.zst"])
def test_what_needs_pyarrow_says_so(
    refusal: Refusal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = tmp_path / name
    begin = {"x.arrow": b"ARROW1", "x.csv.zst": b"\x28\xb5\x2f\xfd"}[name]
    file.write_bytes(begin + b"....")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'rocch[scale]'" in refusal("hull", file, "--label", "y")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@every_kind
def test_every_kind_comes_through_a_named_pipe(
    answer: Answer,
    tmp_path: Path,
    judged: Judged,
    wanted: Any,
    name: str,
    suffix: str,
    write: Callable[[Judged], bytes],
) -> None:
    pipe = tmp_path / f"pipe{suffix}"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(write(judged),))
    writer.start()
    assert answer("hull", pipe, "--label", "y", "--input-format", name) == wanted
    writer.join()


def test_files_without_rows(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    parquet.write_table(
        pa.table({"y": pa.array([], pa.int64()), "a": pa.array([], pa.int64())}), file
    )
    assert "FILE must have at least one row" in refusal("hull", file, "--label", "y")


def test_parquet_is_read_without_pyarrow(
    answer: Answer, scores_parquet: Path, wanted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert answer("hull", scores_parquet, "--label", "y") == wanted


def test_categories_of_pandas_are_names(answer: Answer, tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    labels = pa.array(["ill", "well", "ill"]).dictionary_encode()
    parquet.write_table(pa.table({"y": labels, "a": [3, 1, 2]}), file)
    found = answer("hull", file, "--label", "y", "--positive", "ill")
    assert (found["positives"], found["auc"]) == (2, 1)


def test_huge_whole_numbers_in_parquet_are_refused(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"y": [0, 1], "a": [1, 2**60]}), file)
    assert "below 2**53" in refusal("hull", file, "--label", "y")


def test_unexpected_errors_are_not_hidden(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("y,a\n0,1\n", encoding="utf-8")

    def fail() -> None:
        with open_table(TableSource(file)):
            raise KeyError("a mistake of ours")

    with pytest.raises(KeyError):
        fail()


def test_a_folder_or_nothing_is_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(rocch.InputError, match="FILE must be an existing file"):
            column_names(path)


def test_an_unreadable_file_gets_one_line(
    refusal: Refusal, scores_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    line = refusal("hull", scores_csv, "--label", "y")
    assert "scores.csv' cannot be read: Permission denied." in line


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


SNIFFED_TEXTS = {
    "comma": ("y,a,b\n0,1,2\n", ","),
    "semicolon": ("y;a;b\n0;1;2\n", ";"),
    "tab": ("y\ta\tb\n0\t1\t2\n", "\t"),
    "pipe": ("y|a|b\n0|1|2\n", "|"),
    "decimal commas": ("y;a;b\n0;0,5;0,7\n1;0,6;0,2\n", ";"),
    "commas in names": ("y;a, then b\n0;1\n", ";"),
    "more columns win": ("y;a,x;b\n0;0,5;3\n", ";"),
    "quoted": ('y,"a;b",c\n0,"1;2;3",2\n1,"",3\n', ","),
    "line ends in quotes": ('y,"a\nb"\n0,"1\n2"\n', ","),
    "spaces in names": ("my label,my score\n0,1\n", ","),
    "space": ("y a b\n0 1 2\n", " "),
    "caret": ("y^a\n0^1\n", "^"),
    "one column": ("y\n0\n", ","),
    "nothing": ("", ","),
    "ragged": ("y,a\n0,1\n1,2,3\n", ","),
    "ragged semicolons": ("y;a;b\n0;0,1;2\n1;2\n", ";"),
}


@pytest.mark.parametrize(("text", "mark"), SNIFFED_TEXTS.values(), ids=SNIFFED_TEXTS.keys())
def test_the_delimiter_is_recognized(text: str, mark: str) -> None:
    assert find_delimiter(lines(text)) == mark


def test_a_quoted_text_that_goes_on_does_not_confuse() -> None:
    text = 'y;"a"\n' + "1;2\n" * (SNIFFED - 2) + '3;"long\n'
    assert len(lines(text)) == SNIFFED
    assert find_delimiter(lines(text)) == ";"


@given(
    mark=st.sampled_from(",;\t|"),
    width=st.integers(2, 5),
    rows=st.integers(1, 5),
    data=st.data(),
)
def test_any_table_of_numbers_is_cut_where_it_was_joined(
    mark: str, width: int, rows: int, data: st.DataObject
) -> None:
    numbers = st.floats(allow_nan=False, allow_infinity=False).map(str)
    table = data.draw(st.lists(st.lists(numbers, min_size=width, max_size=width), min_size=rows))
    text = "\n".join(mark.join(row) for row in [[f"c{n}" for n in range(width)], *table]) + "\n"
    assert find_delimiter(lines(text)) == mark


def test_texts_are_kept_as_they_are_and_names_are_trimmed(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text('y ,"a b",c\r\n\r\n 1,"x ""y""",\r\n', encoding="utf-8")
    assert whole_table(TableSource(file)) == {"y": [" 1"], "a b": ['x "y"'], "c": [""]}


def test_many_rows_are_read_in_their_order(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    count = 300_007  # more than DuckDB reads at a time
    file.write_text("y,a\n" + "".join(f"{n},{n}.5\n" for n in range(count)), encoding="utf-8")
    found = whole_table(TableSource(file))
    assert found["y"] == [str(n) for n in range(count)]
    assert found["a"] == [f"{n}.5" for n in range(count)]


def test_a_wrong_row_far_below_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("y,a\n" + "1,2\n\n" * 300_000 + "1,2,3\n", encoding="utf-8")
    with pytest.raises(rocch.InputError, match="got 3 in row 300001"):
        whole_table(TableSource(file))


@pytest.mark.parametrize("mark", [";", "\t", "|", "~", "@"])
def test_every_delimiter_gives_the_same(answer: Answer, scores_csv: Path, mark: str) -> None:
    plain = answer("hull", scores_csv, "--label", "y")
    text = scores_csv.read_text(encoding="utf-8").replace(",", mark)
    scores_csv.write_text(text, encoding="utf-8")
    told: tuple[Any, ...] = ("--delimiter", "tab" if mark == "\t" else mark)
    assert answer("hull", scores_csv, "--label", "y", *told) == plain
    if mark != "@":
        assert answer("hull", scores_csv, "--label", "y") == plain


def test_decimal_commas(answer: Answer, scores_csv: Path) -> None:
    plain = answer("hull", scores_csv, "--label", "y")
    text = scores_csv.read_text(encoding="utf-8").replace(",", ";").replace(".", ",")
    scores_csv.write_text(text, encoding="utf-8")
    assert answer("hull", scores_csv, "--label", "y", "--decimal-comma") == plain


@pytest.mark.parametrize("mark", ["", ";;", '"', "\n", "commas"])
def test_no_delimiter(refusal: Refusal, scores_csv: Path, mark: str) -> None:
    line = refusal("hull", scores_csv, "--label", "y", "--delimiter", mark)
    assert "--delimiter" in line
    assert "one character" in line


def test_the_wrong_delimiter_is_named(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("y,a;x\n0,1\n1,2;3\n", encoding="utf-8")
    line = refusal("hull", file, "--label", "y", "--delimiter", ";")
    assert "taken to be ';'" in line


def test_a_text_among_numbers_is_a_mistake_wherever_it_stands(tmp_path: Path) -> None:
    for place in (0, 1, 40):
        cells = ["0.5"] * 60
        cells[place] = "-"
        rows = "\n".join(f"{i % 2},{cell}" for i, cell in enumerate(cells))
        (tmp_path / "scores.csv").write_text(f"y,a\n{rows}\n", encoding="utf-8")
        result = CliRunner().invoke(cli, ["hull", str(tmp_path / "scores.csv"), "--label", "y"])
        assert result.exit_code == 2
        assert f"in row {place + 1}" in result.output


def test_a_quote_that_is_never_closed_loses_no_rows(tmp_path: Path) -> None:
    rows = "\n".join(f'{i % 2},{i / 7:.3f},"ok"' for i in range(60)).replace(
        '8.143,"ok"', '8.143,"ok'
    )
    (tmp_path / "scores.csv").write_text(f"y,a,note\n{rows}\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["hull", str(tmp_path / "scores.csv"), "--label", "y"])
    assert result.exit_code == 2
    assert "cannot be read" in result.output


def test_blank_lines_may_come_first(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("\n \ny,a\n1,2\n0,1\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["hull", str(tmp_path / "scores.csv"), "--label", "y"])
    assert result.exit_code == 0


LABEL = ("--label", "y")


@pytest.fixture
def parts(scores_csv: Path, tmp_path: Path) -> Path:
    """Cut the scores into three CSV files in a folder, the last one compressed."""
    header, *lines = scores_csv.read_text(encoding="utf-8").splitlines()
    folder = tmp_path / "parts"
    folder.mkdir()
    for place, name in enumerate(("a.csv", "b.csv", "c.csv.gz")):
        text = "\n".join([header, *lines[place * 40 : place * 40 + 40], ""]).encode()
        (folder / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    return folder


def test_several_files_a_folder_and_a_pattern_are_one_table(
    answer: Answer, scores_csv: Path, parts: Path
) -> None:
    whole = answer("hull", scores_csv, *LABEL)
    assert answer("hull", parts, *LABEL) == whole
    assert answer("hull", f"{parts}/*.csv*", *LABEL) == whole
    assert answer("hull", *sorted(parts.iterdir()), *LABEL) == whole
    assert answer("best", parts, *LABEL, "--max-fpr", "0.1")["choice"]["note"] == ""


def test_a_folder_with_parquet_stands_for_that_alone(
    answer: Answer, scores_parquet: Path, parts: Path
) -> None:
    shutil.copy(scores_parquet, parts / "z.parquet")
    assert answer("hull", parts, *LABEL) == answer("hull", scores_parquet, *LABEL)


def test_columns_may_come_in_another_order(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("y,a\n0,1\n1,5\n")
    (tmp_path / "1.csv").write_text("a,more,y\n2,x,0\n3,x,1\n")
    found = answer("hull", tmp_path, *LABEL)
    assert (found["positives"], found["negatives"], found["classifiers"]) == (2, 2, ["a"])


def test_a_file_without_a_column_is_named(refusal: Refusal, tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("y,a\n0,1\n1,5\n")
    (tmp_path / "1.csv").write_text("y,b\n0,1\n1,5\n")
    line = refusal("hull", tmp_path, *LABEL)
    assert line.startswith("FILE must be files with the same columns; got ")
    assert "1.csv' without 'a'. Its columns are: 'y', 'b'." in line


def test_a_broken_file_among_several_is_named(refusal: Refusal, parts: Path) -> None:
    (parts / "b.csv").write_bytes(b"y,nb,gbm\n1,2\n")
    assert "must have 3 values in every row" in refusal("hull", parts, *LABEL)
    (parts / "b.csv").write_bytes(b"y,nb,gbm\n1,\xff,2\n")
    assert "b.csv' cannot be read" in refusal("hull", parts, *LABEL)


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (("none-*.csv",), "FILE must match at least one file; got 'none-*.csv'."),
        (("-", "scores.csv"), "standard input (-) must be the only FILE."),
        (("scores.csv", "none.csv"), "FILE must be an existing file, a folder or a pattern"),
        (("scores.csv", "*.csv"), "FILE must name every file once"),
    ],
)
def test_what_cannot_be_meant_gets_one_line(
    refusal: Refusal,
    scores_csv: Path,
    monkeypatch: pytest.MonkeyPatch,
    named: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(scores_csv.parent)
    assert says in refusal("hull", *named, *LABEL)


def test_the_report_is_not_written_over_a_part(refusal: Refusal, parts: Path) -> None:
    line = refusal("report", parts, *LABEL, "--format", "md", "-o", parts / "a.csv")
    assert "--output must not be a file that is read" in line


def read_bytes(path: Path, content: bytes, **options: Any) -> dict[str, list[Any]]:
    path.write_bytes(content)
    return whole_table(TableSource(path, **options))


WRITTEN: dict[str, tuple[bytes, dict[str, list[str]]]] = {
    "no final newline": (b"a,b\n1,2", {"a": ["1"], "b": ["2"]}),
    "CRLF": (b"a,b\r\n1,2\r\n3,4\r\n", {"a": ["1", "3"], "b": ["2", "4"]}),
    "CR": (b"a,b\r1,2\r3,4\r", {"a": ["1", "3"], "b": ["2", "4"]}),
    "LF and CRLF": (b"a,b\r\n1,2\n3,4\r\n", {"a": ["1", "3"], "b": ["2", "4"]}),
    "CR and LF": (b"a,b\n1,2\r3,4\n", {"a": ["1", "3"], "b": ["2", "4"]}),
    "CR at the end": (b"a,b\n1,2\n3,4\r", {"a": ["1", "3"], "b": ["2", "4"]}),
    "mixed, with quotes": (
        b'a,b\r\n"1\r\nx","2,""y"""\n3,4\r\n',
        {"a": ["1\r\nx", "3"], "b": ['2,"y"', "4"]},
    ),
    "newlines in quotes": (
        b'a,b\n"1\nx",2\n"\r","3,4"\n',
        {"a": ["1\nx", "\r"], "b": ["2", "3,4"]},
    ),
    "newlines in the header": (b'"a\nx",b\n1,2\n', {"a\nx": ["1"], "b": ["2"]}),
    "blank lines": (b"\n\na,b\n\n1,2\n\n\n3,4\n\n", {"a": ["1", "3"], "b": ["2", "4"]}),
    "blank lines with spaces first": (b" \n\t\na,b\n1,2\n", {"a": ["1"], "b": ["2"]}),
    "blank lines in one column": (b'a\n1\n\n""\n 2\n', {"a": ["1", "", " 2"]}),
    "empty cells": (b'a,b\n,""\nNULL,NA\n', {"a": ["", "NULL"], "b": ["", "NA"]}),
    "quotes inside": (b'a,b\n3x"y,4"z"\n', {"a": ['3x"y'], "b": ['4"z"']}),
    "spaces outside quotes": (b'a , "b"\n "1" ,2\n', {"a": ["1"], "b": ["2"]}),
    "a backslash": (b'a,b\n1\\,"2\\"\n', {"a": ["1\\"], "b": ["2\\"]}),
    "a comment": (b"a,b\n#1,2\n", {"a": ["#1"], "b": ["2"]}),
    "NUL": (b"a,b\n1\x00x,2\n", {"a": ["1\x00x"], "b": ["2"]}),
    "separators of other kinds": (
        "a,b\n1\u2028\x0c,2\x85\n".encode(),
        {"a": ["1\u2028\x0c"], "b": ["2\x85"]},
    ),
    "a mark of UTF-8": (b"\xef\xbb\xbfa,b\n1,2\n", {"a": ["1"], "b": ["2"]}),
    "UTF-16": (
        "\ufeffa,\u00e9\n1,\u65e5\n".encode("utf-16-le"),
        {"a": ["1"], "\u00e9": ["\u65e5"]},
    ),
    "UTF-16, big": ("\ufeffa,b\r\n1,2\r\n".encode("utf-16-be"), {"a": ["1"], "b": ["2"]}),
    "UTF-32": ("a,b\n1,2\n".encode("utf-32"), {"a": ["1"], "b": ["2"]}),
    "names that differ in case": (b"a,A\n1,2\n", {"a": ["1"], "A": ["2"]}),
    "a long text": (b"a,b\n" + b"x" * 100_000 + b",2\n", {"a": ["x" * 100_000], "b": ["2"]}),
    "booleans and numbers": (
        b"a,b\nyes,9007199254740993\nno,0.5\n",
        {"a": ["yes", "no"], "b": ["9007199254740993", "0.5"]},
    ),
}


@pytest.mark.parametrize(("content", "found"), WRITTEN.values(), ids=WRITTEN.keys())
def test_texts_are_read_as_they_are_written(
    tmp_path: Path, content: bytes, found: dict[str, list[str]]
) -> None:
    assert read_bytes(tmp_path / "x.csv", content) == found


def test_wide_tables(tmp_path: Path) -> None:
    names = [f"n{place}" for place in range(1500)]
    rows = [names, *([f"{row * place}" for place in range(1500)] for row in range(3))]
    content = "\n".join(map(",".join, rows)).encode()
    assert read_bytes(tmp_path / "x.csv", content) == {
        name: [rows[1][place], rows[2][place], rows[3][place]] for place, name in enumerate(names)
    }


CANNOT: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "header line and at least one row; got none"),
    "blank lines alone": (b"\n \n", "header line and at least one row; got none"),
    "a header alone": (b"a,b\n", "header line and at least one row; got none"),
    "a header without a newline": (b"a,b", "header line and at least one row; got none"),
    "too many": (
        b"a,b\n1,2\n3,4,5,6\n7\n",
        "2 values in every row, as in its header; got 4 in row 2",
    ),
    "too few": (
        b"a,b\n\n1,2\n\n3\n4,5,6\n",
        "2 values in every row, as in its header; got 1 in row 2",
    ),
    "a cell too many at the end": (b"a,b\n1,2\n3,4,\n", "got 3 in row 2"),
    "empty cells too many": (b"a,b\n1,,,\n3,4\n", "got 4 in row 1"),
    "too many after a text of several lines": (b'a,b\n"1\n\nx",2\n3,4,5\n', "got 3 in row 2"),
    "spaces alone": (b"a,b\n1,2\n  \n", "got 1 in row 2"),
    "a title": (
        b"Scores of May\na,b\n1,2\n",
        "3 values in every row, as in its header; got 1 in row 1",
    ),
    "a title with commas": (b"Scores,of,May\na,b\n1,2\n", "3 values in every row"),
    "an empty name": (b"a,,b\n1,2,3\n", "name every column; got an empty name for column 2"),
    "an index": (b",a\n0,1\n", "Is it the index of a data frame?"),
    "a name twice": (b"a, a\n1,2\n", "have distinct columns; got 'a' twice"),
    "an unclosed quote": (b'a,b\n1,2\n"3,4\n5,6\n', "row 2 has a quote that is never closed"),
    "an unclosed quote, mixed": (b'a,b\r\n1,2\n"3,4\n5,6\n', "cannot be read: "),
    "text after a quote": (
        b'a,b\n1,2\n"3"x,4\n',
        "row 2 has a quote that is never closed, or more",
    ),
    "no UTF-8": (b"a,b\n1,\xe9\n", "no text in UTF-8. Say --encoding cp1252"),
    "no UTF-8 in the header": (b"a,\xe9\n1,2\n", "no text in UTF-8"),
    "no UTF-8, mixed": (b"a,b\r\n1,\xe9\n", "no text in UTF-8"),
    "half a character": (b"\xff\xfea", "no text in UTF-8"),
    "a line of 3 MB": (b"a,b\n1," + b"x" * 3_000_000 + b"\n", "row 1 is longer than 2 MB"),
}


@pytest.mark.parametrize(("content", "why"), CANNOT.values(), ids=CANNOT.keys())
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(rocch.InputError) as caught:
        read_bytes(tmp_path / "x.csv", content)
    assert why in str(caught.value)


def test_other_encodings_are_named(answer: Answer, refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_bytes("y,r\u00e9seau\n0,1\n1,2\n".encode("cp1252"))
    found = answer("hull", file, "--label", "y", "--encoding", "cp1252")
    assert found["classifiers"] == ["r\u00e9seau"]
    line = refusal("hull", file, "--label", "y", "--encoding", "ascii")
    assert "cannot be read: it is no text in ascii." in line
    line = refusal("hull", file, "--label", "y", "--encoding", "cp0")
    assert "--encoding must be the name of an encoding; got 'cp0'. For example: cp1252." in line
    file.write_bytes('{"y": 0, "\u00e9": 1}\n{"y": 1, "\u00e9": 2}'.encode("cp1252"))
    asked = ("--label", "y", "--encoding", "cp1252", "--input-format", "jsonl")
    assert answer("hull", file, *asked)["classifiers"] == ["\u00e9"]


cells = st.text(max_size=6) | st.text("ab\",;\t|\r\n '1.\\#", max_size=6)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=8)
)


@settings(max_examples=150)
@given(
    tables,
    st.sampled_from(",;\t|~"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_any_table_is_read_as_python_reads_it(
    rows: list[list[str]], mark: str, newline: str, quoting: Any
) -> None:
    """Python's own reader is the oracle, of what its own writer wrote."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        names = [f"n{place}" for place in range(len(rows[0]))]
        with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file, delimiter=mark, lineterminator=newline, quoting=quoting)
            writer.writerows([names, *rows])
        with path.open(encoding="utf-8", newline="") as file:
            read = [row for row in csv.reader(file, delimiter=mark, strict=True) if row]
        # what Python writes without quotes it may read as more rows
        assume(all(len(row) == len(names) for row in read) and len(read) > 1)
        found = whole_table(TableSource(path, delimiter=mark))
    assert found == {name: [row[place] for row in read[1:]] for place, name in enumerate(names)}


def test_temporary_files_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged: Judged
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    (tmp_path / "x.csv").write_bytes(gzip.compress(csv_of(judged)))
    with open_table(TableSource(tmp_path / "x.csv")) as table:
        assert table.rows == len(judged["y"])
        assert [*folder.rglob("1")]
    assert [*folder.iterdir()] == []


def test_files_of_different_kinds_are_one_table(answer: Answer, tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("y,a\n0,1\n1,5\n")
    (tmp_path / "1.jsonl").write_text('{"a": 2.5, "y": 0}\n{"y": 1, "a": 3}\n')
    feather.write_feather(pa.table({"a": [7.5], "y": [1]}), tmp_path / "2.arrow")
    parquet.write_table(pa.table({"y": [0], "a": [0.125]}), tmp_path / "3.parquet")
    files = sorted(tmp_path.iterdir())
    found = whole_table(TableSource(files[0], parts=tuple(files)))
    assert found["a"] == ["1", "5", "2.5", "3", "7.5", "0.125"]
    assert answer("hull", *files, *LABEL)["positives"] == 3


def test_a_saved_model_is_no_table(refusal: Refusal, tmp_path: Path) -> None:
    file = tmp_path / "model.rocch"
    with zipfile.ZipFile(file, "w") as container:
        container.writestr("manifest.json", "{}")
    said = refusal("best", file, "--label", "y", "--max-fpr", "0.1")
    assert "it is a model that rocch.save wrote. Ask it with rocch report" in said


def test_a_missing_file_is_named_before_a_question_that_is_missing(
    refusal: Refusal, tmp_path: Path
) -> None:
    said = refusal("best", tmp_path / "none.csv", "--label", "y")
    assert "FILE must be an existing file" in said
    assert "none.csv" in said
