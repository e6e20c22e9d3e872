"""CSV with any delimiter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.cli.main import cli
from rocch.cli.reading.delimited import SNIFFED, sniffed
from rocch.cli.reading.formats import open_table, whole_table
from rocch.cli.reading.table import CHUNK
from rocch.cli.reading.table_file import TableFile

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal


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
    assert sniffed(lines(text)) == mark


def test_a_quoted_text_that_goes_on_does_not_confuse() -> None:
    text = 'y;"a"\n' + "1;2\n" * (SNIFFED - 2) + '3;"long\n'
    assert len(lines(text)) == SNIFFED
    assert sniffed(lines(text)) == ";"


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
    assert sniffed(lines(text)) == mark


def test_texts_are_kept_as_they_are_and_names_are_trimmed(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text('y , "a b",c\r\n\r\n 1,"x ""y""",\r\n', encoding="utf-8")
    assert whole_table(TableFile(file)) == {"y": [" 1"], '"a b"': ['x "y"'], "c": [""]}


def test_rows_beyond_a_chunk_are_read(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    count = 2 * CHUNK + 7
    file.write_text("y,a\n" + "".join(f"{n},{n}.5\n" for n in range(count)), encoding="utf-8")
    found = whole_table(TableFile(file))
    assert found["y"] == [str(n) for n in range(count)]
    assert found["a"][-1] == f"{count - 1}.5"


def test_the_file_tells_how_far_it_was_read(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("y,a\n1,2\n", encoding="utf-8")
    with open_table(TableFile(file)) as table:
        list(table.chunks(["y"]))
        assert table.reached() == (8, 8)


def test_a_wrong_row_in_a_later_chunk_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("y,a\n" + "1,2\n" * CHUNK + "1,2,3\n", encoding="utf-8")
    with pytest.raises(rocch.InputError, match=f"got 3 in line {CHUNK + 2}"):
        whole_table(TableFile(file))


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
