"""Reading a file of labels and scores: one column for the label, one for each classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.cli.table_file import check_distinct, need_column, read_columns, text_of
from rocch.errors import bad_input, missing_column
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from pathlib import Path

TRUE, FALSE = {"true", "t", "yes"}, {"false", "f", "no"}


def hull_from_file(file: Path, *, label: str, positive: str | None, scores: str | None) -> RocHull:
    """Build the hull of the classifiers whose scores are in a CSV or Parquet file."""
    columns = read_columns(file)
    need_column(columns, label, "--label")
    wanted = _wanted(columns, label, scores)
    labels, pos_label = _labels(columns[label], positive)
    return RocHull.from_scores(
        labels,
        {name: _numbers(columns[name], name) for name in wanted},
        pos_label=pos_label,
    )


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
    check_distinct("--scores", names)
    return names


def _labels(column: Any, positive: str | None) -> tuple[Any, Any]:
    """Return labels and the positive one; text that stands for numbers or truth becomes that."""
    values = [text_of(value) for value in column]
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
    first = next((value for value in column if text_of(value)), None)
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
