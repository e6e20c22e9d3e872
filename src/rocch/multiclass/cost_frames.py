"""Cost matrices that come as tables, which must say which way their rows run.

A square table of costs reads just as well the wrong way round, and a transposed one is a mistake
that nobody sees. So a table must say it: by the name of its index or columns, or of the column that
holds the names, or by being long, with a column each for truth, prediction and cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.errors import bad_input, kind_of, shown
from rocch.inputs import is_missing, repeated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TRUTH, PREDICTION = "truth", "prediction"
OTHER = {TRUTH: PREDICTION, PREDICTION: TRUTH}

NAME_THE_ROWS = (
    "Pass {('cat', 'dog'): 3.0, ...} with (truth, prediction), a table with the columns truth, "
    "prediction and cost, or a square frame that says what its rows are: "
    "frame.rename_axis(index='truth'), or a column 'truth' with the names."
)


def entries_of_frame(frame: Any, argument: str = "costs") -> dict[tuple[Any, Any], Any]:
    """Return the costs in any data frame by (truth, prediction)."""
    import narwhals.stable.v1 as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise bad_input(
            argument, "name the classes of each cost", kind_of(frame), NAME_THE_ROWS
        ) from None
    twice = repeated(map(str, frame.columns if hasattr(frame, "columns") else table.columns))
    if twice:
        raise bad_input(argument, "have distinct column names", shown(twice), "Rename one of them.")
    columns = {str(column.name): column.to_list() for column in table.iter_columns()}
    if {TRUTH, PREDICTION} & set(columns):
        return entries_of_columns(columns, argument)
    index = getattr(frame, "index", None)
    names = getattr(index, "name", None), getattr(frame.columns, "name", None)
    said = _said(*names)
    if index is None or said is None:
        told = [repr(name) for name in names if name is not None]
        came = (
            f"a table whose axes are named {' and '.join(told)}" if told else "an unlabelled table"
        )
        raise bad_input(argument, "say whether its rows are truths", came, NAME_THE_ROWS)
    return _wide(index.tolist(), list(frame.columns), list(columns.values()), said, argument)


def entries_of_columns(
    columns: Mapping[str, list[Any]], argument: str = "costs"
) -> dict[tuple[Any, Any], Any]:
    """Return the costs in named columns, among them truth or prediction or both."""
    others = dict(columns)
    if {TRUTH, PREDICTION} <= set(others):
        return _long(others, argument)
    for side in (TRUTH, PREDICTION):
        if side in others:
            return _wide(others.pop(side), list(others), list(others.values()), side, argument)
    raise bad_input(
        argument, "say whether its rows are truths", "an unlabelled table", NAME_THE_ROWS
    )


def _said(rows: Any, columns: Any) -> str | None:
    """Return what rows are, by the name of the index or of the columns."""
    if rows in OTHER and (columns is None or columns == OTHER[rows]):
        return str(rows)
    return OTHER[columns] if columns in OTHER and rows is None else None


def _long(columns: dict[str, list[Any]], argument: str) -> dict[tuple[Any, Any], Any]:
    truths, predictions = columns.pop(TRUTH), columns.pop(PREDICTION)
    if set(columns) == {"low", "high"}:
        values: list[Any] = list(zip(columns["low"], columns["high"], strict=True))
    elif set(columns) == {"cost"}:
        values = columns["cost"]
    else:
        raise bad_input(
            argument,
            "have the columns truth, prediction and cost (or low and high)",
            f"besides truth and prediction: {shown(columns)}",
            "Rename or drop columns.",
        )
    keys = list(zip(truths, predictions, strict=True))
    twice = repeated(map(repr, keys))
    if twice:
        raise bad_input(argument, "state each cost once", f"{shown(twice)} twice", "Keep one.")
    return dict(zip(keys, values, strict=True))


def _wide(
    rows: list[Any], names: Sequence[Any], columns: list[list[Any]], side: str, argument: str
) -> dict[tuple[Any, Any], Any]:
    """Read a square table; column names are texts in some libraries although the names are not."""
    typed = {str(name): name for name in rows}
    if len(typed) != len(rows) or set(typed) != set(map(str, names)):
        raise bad_input(
            argument,
            "have the same classes in its rows and columns",
            f"rows {shown(rows)} and columns {shown(names)}",
            "Add the missing ones; equal names must be written alike. A long table has the columns "
            "truth, prediction and cost.",
        )
    found = {}
    for name, column in zip(names, columns, strict=True):
        for row, value in zip(rows, column, strict=True):
            pair = (row, typed[str(name)]) if side == TRUTH else (typed[str(name)], row)
            if pair[0] != pair[1] or not is_missing(value):  # an empty diagonal costs nothing
                found[pair] = value
    return found
