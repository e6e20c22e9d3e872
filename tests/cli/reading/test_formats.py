"""Files of every kind, compressed or not, from a folder or a pipe: the same answer."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import feather, parquet

import rocch
from rocch.cli.main import cli
from rocch.cli.reading.arrow import ArrowTable
from rocch.cli.reading.formats import column_names, open_table, read_columns, recognized
from rocch.cli.reading.table_file import TableFile

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
def test_recognized(head: bytes, path: str, kind: str) -> None:
    assert recognized(head, TableFile(Path(path))) == kind
    assert recognized(head, TableFile(Path(path), input_format="csv")) == "csv"


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
        "got 'b' first in row 20001",
    ),
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


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.csv.zst"])
def test_what_needs_pyarrow_says_so(
    refusal: Refusal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = tmp_path / name
    begin = {"x.parquet": b"PAR1", "x.arrow": b"ARROW1", "x.csv.zst": b"\x28\xb5\x2f\xfd"}[name]
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


def test_only_the_wanted_columns_are_decoded(tmp_path: Path) -> None:
    file = tmp_path / "x.parquet"
    parquet.write_table(pa.table({"y": [0, 1], "a": [1.5, 2.5], "note": ["x", "z"]}), file)
    asked: list[list[str]] = []
    with open_table(TableFile(file)) as table:
        assert isinstance(table, ArrowTable)
        batches = table._batches

        def noted(wanted: list[str]) -> Any:
            asked.append(wanted)
            return batches(wanted)

        table._batches = noted
        read_columns(table, coded={"y": "--label"})
        assert table.reached() == (2, 2)
    assert asked == [["y"]]


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
        with open_table(TableFile(file)):
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
