"""Scores that doubles cannot tell apart are refused: they would become ties."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from rocch.errors import bad_input
from rocch.inputs import LARGEST_EXACT_INTEGER, is_missing
from rocch.scale.engine import collected, column_of, small_table
from rocch.scale.table import as_doubles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.errors import InputError
    from rocch.scale.engine import Frame
    from rocch.scale.table import ScoreTable

LONG = (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128)

EXACT_DIGITS = 15
"""Decimals of no more digits are different doubles if they are different."""

MOST_COMPARED = 2**16
"""No more decimals of many digits are compared with those of other frames."""


def check_distinct(table: ScoreTable) -> None:
    """Refuse integers of at least 2**53 in size, and decimals of which several are one double."""
    long: dict[str, list[Frame]] = {}
    for frame in map(table.kept, table.frames):
        kinds = frame.collect_schema()
        for name, size in _sizes(table, frame).items():
            column = table.scores[name]
            if not kinds[column].is_decimal():
                if size >= LARGEST_EXACT_INTEGER:
                    raise _not_distinct(name, "larger integers")
            elif size >= 10**EXACT_DIGITS:
                if _merges(column, frame):
                    raise _not_distinct(name, "numbers of more digits")
                long.setdefault(name, []).append(frame)
    for name, frames in long.items():
        if len(table.frames) > 1 and _merges_across(table, table.scores[name], frames):
            raise _not_distinct(name, "numbers of more digits")


def _sizes(table: ScoreTable, frame: Frame) -> dict[str, float]:
    """Return the greatest size of long integers, and of decimals without their point."""
    kinds = {name: frame.collect_schema()[column] for name, column in table.scores.items()}
    long = {name: kind for name, kind in kinds.items() if kind.is_decimal() or kind in LONG}
    if not long:
        return {}
    ends: dict[str, nw.Expr] = {}
    for index, (name, kind) in enumerate(long.items()):
        column = table.scores[name]
        whole = not kind.is_decimal()  # a double might hide what is wrong with an integer
        values = column_of(column, frame) if whole else as_doubles(column, kind, frame)
        ends |= {f"low_{index}": values.min(), f"high_{index}": values.max()}
    found = collected(frame.select(**ends))
    return {
        name: max(_size(found[f"{end}_{index}"][0], kind) for end in ("low", "high"))
        for index, (name, kind) in enumerate(long.items())
    }


def _size(value: Any, kind: Any) -> float:
    if is_missing(value):
        return 0
    return abs(value) * 10.0 ** getattr(kind, "scale", 38) if kind.is_decimal() else abs(int(value))


def _merges(column: str, frame: Frame) -> bool:
    """Say whether different decimals of a column become the same double."""
    found = collected(_pairs(column, frame).select(nw.col("text", "double").n_unique()))
    return bool(found["double"][0] < found["text"][0])


def _merges_across(table: ScoreTable, column: str, frames: Sequence[Frame]) -> bool:
    """Say whether a number of one frame becomes the same double as another one elsewhere.

    Only numbers of many digits can; they are few, or too many to be compared.
    """
    known: dict[float, Decimal] = {}
    for frame in frames:
        pairs = _pairs(column, frame)
        digits = nw.col("text").str.strip_chars("-0").str.len_chars()
        many = _distinct(pairs.filter(digits > EXACT_DIGITS))
        if any(known.setdefault(double, value) != value for double, value in many):
            return True
        if len(known) > MOST_COMPARED:
            return True
    wanted = {"double": np.array(list(known))}
    return bool(known) and any(
        known[double] != value
        for frame in map(table.kept, table.frames)
        for double, value in _distinct(
            _pairs(column, frame).join(small_table(wanted, frame), on="double", how="inner")
        )
    )


def _pairs(column: str, frame: Frame) -> Frame:
    """Return scores as doubles, and decimals as texts too."""
    kind = frame.collect_schema()[column]
    columns = {"double": as_doubles(column, kind, frame)}
    if kind.is_decimal():
        columns["text"] = column_of(column, frame).cast(nw.String)
    return frame.select(**columns)


def _distinct(pairs: Frame) -> list[tuple[float, Decimal]]:
    """Return distinct doubles and what they stand for, or more of them than can be compared."""
    names = pairs.collect_schema().names()
    found = collected(pairs.group_by(*names).agg(rows=nw.len()).head(MOST_COMPARED + 1))
    doubles = found["double"].tolist()
    return list(zip(doubles, map(Decimal, found[names[-1]].tolist()), strict=True))


def _not_distinct(name: str, came: str) -> InputError:
    return bad_input(
        f"scores[{name!r}]",
        "be integers below 2**53 in size, or numbers that stay distinct as doubles",
        f"{came}, which doubles cannot tell apart",
        "Rank them first, all rows together.",
    )
