"""Results with rows: data frames, notebooks and one-line representations, by one mixin.

A result names its columns, and everything else follows:

    @dataclass(frozen=True, repr=False)
    class Fits(Tabular):
        names: tuple[str, ...]
        errors: FloatArray

        def __str__(self) -> str:
            return f"{len(self.names)} fits"

        def _columns(self) -> Table:
            return {"name": self.names, "error": self.errors}

A `Record` is one row, made of its fields; `Records` is a tuple of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from html import escape
from typing import Any, Self, TypeAlias, TypeVar

from rocch.arrays import DataFrame
from rocch.errors import escape_line, format_count
from rocch.frames import FrameLibrary, clean_column, make_frame

# Values by the name of their column.
Table: TypeAlias = Mapping[str, Iterable[Any]]

T = TypeVar("T", covariant=True)
K = TypeVar("K")
V = TypeVar("V")

# Longer representations are cut.
LONGEST = 160
# Notebooks show this many rows; of more, the first and the last few.
MOST_ROWS, SOME_ROWS = 12, 5
# Longer texts in a cell are cut; the frame has all of them.
LONGEST_CELL = 80

# Colors follow the notebook's own text, so that light and dark ones are readable. Two classes
# in a selector outweigh the notebook's own alignment of cells.
STYLE = """<style>
.rocch-result {font-size: 13px; line-height: 1.45; color: inherit}
.rocch-result > p {margin: 0 0 .5em; max-width: 52em; white-space: pre-line}
.rocch-result > div {display: flex; flex-wrap: wrap; gap: 8px 28px; align-items: flex-start}
.rocch-result .rocch-rows {overflow-x: auto; max-width: 100%}
.rocch-result table {border-collapse: collapse; border: 0; margin: 0; color: inherit;
  font-variant-numeric: tabular-nums}
.rocch-result .rocch-rows th, .rocch-result .rocch-rows td {padding: 2px 9px; border: 0;
  text-align: left; white-space: nowrap; background: none; color: inherit; vertical-align: top}
.rocch-result .rocch-rows th {font-weight: 600}
.rocch-result .rocch-rows thead th {border-bottom: 1px solid currentColor; white-space: normal;
  vertical-align: bottom}
.rocch-result .rocch-rows .n {text-align: right}
.rocch-result .rocch-rows .more {opacity: .65}
.rocch-result svg {max-width: 100%; height: auto; flex: none}
</style>"""


class Result:
    """A result in one line, and in notebooks by its sentence."""

    __slots__ = ()

    def __repr__(self) -> str:
        name = type(self).__name__
        if type(self).__str__ is not object.__str__:
            return shorten(f"<{name}: {first_line(str(self))}>", end=">")
        row = self._row() if isinstance(self, Record) else field_values(self)
        values = (f"{field}={_write(value)}" for field, value in row.items())
        return shorten(f"{name}({', '.join(values)})", end=")")

    def _title(self) -> str:
        """Return what notebooks write above the table; values that it has are not repeated."""
        if type(self).__str__ is not object.__str__:
            return str(self)
        text = repr(self)
        return text[1:-1] if text.startswith("<") else type(self).__name__

    def _repr_html_(self) -> str:
        return write_html(self._title())


class Tabular(Result):
    """A result with rows, which `to_frame` and notebooks show."""

    __slots__ = ()

    def _columns(self) -> Table:
        """Return the rows, by column."""
        raise NotImplementedError

    def _picture(self) -> str:
        """Return a small SVG picture, or nothing."""
        return ""

    def to_frame(self, backend: FrameLibrary | None = None) -> DataFrame:
        """Return the rows as a data frame.

        Parameters
        ----------
        backend
            "pandas", "polars" or "pyarrow"; by default the first of them that is installed.
        """
        return make_frame(self._columns(), backend)

    def _tables(self) -> tuple[Table, ...]:
        """Return the tables of notebooks, where they are not that of `to_frame`."""
        return (self._columns(),)

    def _repr_html_(self) -> str:
        return write_html(self._title(), self._tables(), self._picture())


class Record(Tabular):
    """A result of one row, made of its fields."""

    __slots__ = ()

    def _row(self) -> dict[str, Any]:
        """Return the row: numbers, texts, flags and intervals among the fields."""
        return field_values(self)

    def _columns(self) -> Table:
        return {name: [value] for name, value in self._row().items()}

    @classmethod
    def _draw(cls, _records: Sequence[Self]) -> str:
        """Return a small SVG picture of several records, or nothing."""
        return ""

    @classmethod
    def _caption(cls, _records: Sequence[Self]) -> str:
        """Return what notebooks write above several records, or nothing."""
        return ""


class Records(tuple[T, ...], Tabular):
    """Several records of one kind: a tuple, which `to_frame` and notebooks show as a table.

    It equals a list of the same records.
    """

    __slots__ = ()

    def _columns(self) -> Table:
        return collect(self)

    def _picture(self) -> str:
        return draw(self)

    def _title(self) -> str:
        records: Any = self
        return records[0]._caption(records) if self and isinstance(self[0], Record) else ""

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, list) else other)

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def __repr__(self) -> str:
        kind = type(self[0]).__name__ if self else "record"
        return f"<{format_count(len(self), kind)}>"


class ByName(dict[K, V], Tabular):
    """Results by name, or by group: a dict, which `to_frame` and notebooks show as one table.

    Parameters
    ----------
    found
        The results.
    names
        What the keys are; several names if they are tuples.
    library
        The library of frames, unless another is named; by default the first that is installed.
    """

    def __init__(
        self,
        found: Mapping[K, V] | Iterable[tuple[K, V]],
        *names: str,
        library: FrameLibrary | None = None,
    ) -> None:
        super().__init__(found)
        self._names, self._library = names, library

    def _columns(self) -> Table:
        rows: list[dict[str, Any]] = []
        for key, value in self.items():
            columns = _columns_of(value)
            keys = key if isinstance(key, tuple) and len(key) == len(self._names) else (key,)
            named = dict(zip(self._names, keys, strict=True))
            values = zip(*columns.values(), strict=True)
            rows += [named | dict(zip(columns, row, strict=True)) | named for row in values]
        return join_rows(rows)

    def to_frame(self, backend: FrameLibrary | None = None) -> DataFrame:
        """Return all rows as one data frame; see `Tabular.to_frame`."""
        return make_frame(self._columns(), backend or self._library)

    def _title(self) -> str:
        return ""

    def __repr__(self) -> str:
        return shorten(dict.__repr__(self), end="}")


def _columns_of(value: Any) -> Table:
    """Return the columns of one result, of several records, or of a plain value."""
    if _fits_cell(value):
        return {"value": [value]}
    return value._columns() if isinstance(value, Tabular) else collect(value)


def field_values(record: Any) -> dict[str, Any]:
    """Return the fields of a record that fit into cells; an interval becomes two of them."""
    if is_dataclass(record):
        named = {field.name: getattr(record, field.name) for field in fields(record)}
    else:
        named = record._asdict()
    found: dict[str, Any] = {}
    for name, value in named.items():
        if isinstance(value, tuple) and getattr(value, "_fields", ()) == ("low", "high"):
            low, high = _ends(name)
            found |= {low: value[0], high: value[1]}
        elif isinstance(value, tuple) and all(isinstance(each, str) for each in value):
            found[name] = ", ".join(value)
        elif not name.startswith("_") and _fits_cell(value):
            found[name] = value
    return found


def _ends(name: str) -> tuple[str, str]:
    """Return the columns of an interval: `ppv_interval` is that of `ppv`."""
    start = "" if name == "interval" else f"{name.removesuffix('_interval')}_"
    return f"{start}low", f"{start}high"


def _fits_cell(value: object) -> bool:
    is_plain = value is None or isinstance(value, str | int | float | date)
    return is_plain or getattr(value, "ndim", 1) == 0


def collect(records: Iterable[Any]) -> dict[str, list[Any]]:
    """Return the columns of several records; a value that one of them lacks is None."""
    rows = [each._row() if isinstance(each, Record) else field_values(each) for each in records]
    columns = join_rows(rows)
    for name in tuple(columns):  # an interval that some rows lack
        if _ends(name)[0] in columns and all(value is None for value in columns[name]):
            del columns[name]
    return columns


def join_rows(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return the columns of rows; a value that one of them lacks is None."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def draw(records: Sequence[Any]) -> str:
    """Return the picture of several records of one kind."""
    return type(records[0])._draw(records) if records and isinstance(records[0], Record) else ""


def write_html(text: str, tables: Iterable[Table] = (), picture: str = "") -> str:
    """Return a text, tables and a picture for a notebook."""
    sentence = f"<p>{escape(text)}</p>" if text else ""
    rows = [f'<div class="rocch-rows">{write_table(each)}</div>' for each in tables if each]
    below = f"<div>{''.join(rows)}{picture}</div>" if rows or picture else ""
    kinds = "rocch-result tex2jax_ignore mathjax_ignore"
    return f'{STYLE}<div class="{kinds}">{sentence}{below}</div>'


def write_table(columns: Table) -> str:
    """Return columns as an HTML table, without empty ones.

    One row is written downwards; of many rows only some are shown.
    """
    given = {name: _as_sequence(column) for name, column in columns.items()}
    whole = {name: v for name, v in given.items() if any(x is not None and x != "" for x in v)}
    size = max(map(len, whole.values()), default=0)
    hidden = max(size - 2 * SOME_ROWS, 0) if size > MOST_ROWS else 0
    shown = [*range(SOME_ROWS), *range(size - SOME_ROWS, size)] if hidden else range(size)
    cells = {name: clean_column(values[i] for i in shown) for name, values in whole.items()}
    if size == 1:
        lines = [f"<tr><th>{escape(n)}</th>{_cell(v[0], v)}</tr>" for n, v in cells.items()]
        return f"<table><tbody>{''.join(lines)}</tbody></table>"
    heads = "".join(f"<th{_side(values)}>{_head(name)}</th>" for name, values in cells.items())
    rows = zip(*([_cell(v, values) for v in values] for values in cells.values()), strict=True)
    lines = [f"<tr>{''.join(row)}</tr>" for row in rows]
    if hidden:
        more = f"… {format_count(hidden, 'more row', ',')}"
        lines.insert(SOME_ROWS, f'<tr><td class="more" colspan="{len(cells)}">{more}</td></tr>')
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _head(name: str) -> str:
    """Return a column's name, which may go over several lines."""
    return escape(name).replace("_", "_<wbr/>")


def write_text(columns: Table) -> str:
    """Return columns as lines of text; of many rows only some."""
    cells = {name: list(column) for name, column in columns.items()}
    size = max(map(len, cells.values()), default=0)
    hidden = max(size - 2 * SOME_ROWS, 0) if size > MOST_ROWS else 0
    shown = [*range(SOME_ROWS), *range(size - SOME_ROWS, size)] if hidden else range(size)
    texts = [[name, *(_text(values[i]) for i in shown)] for name, values in cells.items()]
    widths = [max(map(len, column)) for column in texts]
    lines = ["  ".join(map(str.rjust, row, widths)) for row in zip(*texts, strict=True)]
    if hidden:
        lines.insert(SOME_ROWS + 1, f"… {format_count(hidden, 'more row', ',')}")
    return "\n".join(lines)


def _as_sequence(column: Iterable[Any]) -> Any:
    return column if hasattr(column, "__getitem__") else list(column)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _side(values: list[Any]) -> str:
    return ' class="n"' if any(map(_is_number, values)) else ""


def _cell(value: Any, values: list[Any]) -> str:
    return f"<td{_side(values)}>{escape(_text(value))}</td>"


def _text(value: Any) -> str:
    """Write a cell; what is missing stays empty."""
    plain = value.item() if hasattr(value, "item") else value
    if plain is None:
        return ""
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    return _write(plain) if _is_number(plain) else shorten(escape_line(str(plain)), LONGEST_CELL)


def _write(value: Any) -> str:
    """Write a number with a few digits, all else as Python does."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return f"{value:,}" if _is_number(value) and isinstance(value, int) else repr(value)


def first_line(text: str) -> str:
    """Return the first line of a text."""
    return text.partition("\n")[0]


def shorten(text: str, most: int = LONGEST, *, end: str = "") -> str:
    """Return a text, cut where it is too long."""
    return text if len(text) <= most else f"{text[: most - 1 - len(end)].rstrip()}…{end}"
