"""Reading a file of labels and scores: one column for the label, one for each classifier."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, bad_input, missing_column, missing_extra
from rocch.inputs import repeated
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from pathlib import Path

TRUE, FALSE = {"true", "t", "yes"}, {"false", "f", "no"}


def hull_from_file(file: Path, *, label: str, positive: str | None, scores: str | None) -> RocHull:
    """Build the hull of the classifiers whose scores are in a CSV or Parquet file."""
    columns = read_columns(file)
    if label not in columns:
        error = missing_column(label, columns, "--label")
        if len(columns) == 1 and any(mark in next(iter(columns)) for mark in ";\t|"):
            raise InputError(f"{error} Is the delimiter a comma?")
        raise error
    wanted = _wanted(columns, label, scores)
    labels, pos_label = _labels(columns[label], positive)
    return RocHull.from_scores(
        labels,
        {name: _numbers(columns[name], name) for name in wanted},
        pos_label=pos_label,
    )


def read_columns(file: Path) -> dict[str, Any]:
    """Read a CSV or Parquet file into named columns; the file is only read."""
    if not file.is_file():
        raise bad_input("FILE", "be an existing file", repr(str(file)), "Check the path.")
    try:
        if file.suffix.lower() in (".parquet", ".pq"):
            return _read_parquet(file)
        return _read_csv(file)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"FILE {str(file)!r} cannot be read: {error}.") from None


def _read_csv(file: Path) -> dict[str, Any]:
    with file.open(newline="", encoding="utf-8-sig") as stream:
        rows = csv.reader(stream)
        header = next(rows, [])
        table = []
        for row in rows:
            if row and len(row) != len(header):
                raise bad_input(
                    "FILE",
                    f"have {len(header)} values in every row, as in its header",
                    f"{len(row)} in line {rows.line_num}",
                    "Is the delimiter a comma?",
                )
            if row:
                table.append(row)
    if not table:
        raise bad_input(
            "FILE",
            "have a header line and at least one row",
            "none",
            "Write the column names first.",
        )
    _check_distinct("FILE", header)
    if "" in header:
        raise bad_input(
            "FILE",
            "name every column",
            f"an empty name for column {header.index('') + 1}",
            "Mend the header line.",
        )
    return dict(zip(header, map(list, zip(*table, strict=True)), strict=True))


def _read_parquet(file: Path) -> dict[str, Any]:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ImportError:
        raise missing_extra("scale", "Reading Parquet") from None
    try:
        table = parquet.read_table(file)
    except ArrowInvalid as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"FILE {str(file)!r} cannot be read as Parquet: {reason}") from None
    return {name: table[name].to_numpy() for name in table.column_names}


def _wanted(columns: dict[str, Any], label: str, scores: str | None) -> list[str]:
    if scores is None:
        others = [name for name in columns if name != label and _numeric(columns[name])]
        if not others:
            raise bad_input(
                "--scores",
                "name score columns, or leave at least one numeric column besides the label",
                "none",
                f"The columns are: {', '.join(map(repr, columns))}.",
            )
        return others
    names = [name.strip() for name in scores.split(",")]
    for name in names:
        if name not in columns:
            raise missing_column(name, columns, "--scores")
    if label in names:
        raise bad_input("--scores", "not name the label", repr(label), "Leave it out.")
    _check_distinct("--scores", names)
    return names


def _check_distinct(argument: str, names: list[str]) -> None:
    twice = repeated(names)
    if twice:
        raise bad_input(argument, "have distinct columns", repr(twice[0]), "Leave one out.")


def _labels(column: Any, positive: str | None) -> tuple[Any, Any]:
    """Return labels and the positive one; text that stands for numbers or truth becomes that."""
    values = [_text(value) for value in column]
    if "" in values:
        row = values.index("") + 1
        raise bad_input("--label", "have no missing labels", f"one in row {row}", "Drop the row.")
    if positive is not None:
        return _with_positive(values, positive)
    lower = {value.lower() for value in values}
    if lower <= TRUE | FALSE:
        return [value.lower() in TRUE for value in values], None
    try:
        numbers = [float(value) for value in values]
        whole = all(number.is_integer() for number in numbers)
        return [int(number) for number in numbers] if whole else numbers, None
    except ValueError:
        pass
    raise bad_input(
        "--positive",
        "be given unless labels are 0/1, -1/1 or true/false",
        f"labels {', '.join(sorted(set(values))[:6])}",
        "Name the class whose detection counts as a hit.",
    )


def _text(value: Any) -> str:
    """Return a label as text; a missing one (None, NaN) as none at all."""
    return "" if value is None or value != value else str(value).strip()


def _with_positive(values: list[str], positive: str) -> tuple[Any, Any]:
    """Compare labels with the positive one as numbers where all are numbers (1 and 1.0)."""
    try:
        return [float(value) for value in values], float(positive)
    except ValueError:
        return values, positive


def _numeric(column: Any) -> bool:
    """Say whether a column holds numbers, judged by its first value that is not missing."""
    if hasattr(column, "dtype") and column.dtype.kind != "O":
        return column.dtype.kind in "iuf"
    first = next((value for value in column if _text(value)), None)
    if isinstance(first, bool):
        return False
    try:
        float(first)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def _numbers(column: Any, name: str) -> Any:
    if hasattr(column, "dtype") and column.dtype.kind in "iuf":
        return column
    for row, value in enumerate(column, start=1):
        try:
            float(value)
        except (TypeError, ValueError):
            raise bad_input(
                f"column {name!r}",
                "hold numbers",
                f"{value!r} in row {row}",
                "Mend the file, or leave the column out with --scores.",
            ) from None
    return [float(value) for value in column]
