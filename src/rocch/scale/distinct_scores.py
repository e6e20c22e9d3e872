"""Scores that doubles cannot tell apart are refused: they would become ties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from rocch.errors import bad_input
from rocch.inputs import LARGEST_EXACT_INTEGER, is_missing
from rocch.scale.engine import collected, column_of
from rocch.scale.table import as_doubles

if TYPE_CHECKING:
    from rocch.errors import InputError
    from rocch.scale.engine import Frame
    from rocch.scale.table import ScoreTable

LONG = (nw.Int64, nw.UInt64, nw.Int128, nw.UInt128)

EXACT_DIGITS = 15
"""Decimals of no more digits are different doubles if they are different."""


def check_distinct(table: ScoreTable) -> None:
    """Refuse integers of at least 2**53 in size, and decimals of which several are one double."""
    long: set[str] = set()
    for frame in table.frames:
        kinds = frame.collect_schema()
        for name, size in _sizes(table, frame).items():
            column = table.scores[name]
            if not kinds[column].is_decimal():
                if size >= LARGEST_EXACT_INTEGER:
                    raise _not_distinct(name, "larger integers")
            elif size >= 10**EXACT_DIGITS:
                # no engine compares the decimals of one frame with those of another
                if name in long or _merges(column, kinds[column], frame):
                    raise _not_distinct(name, "numbers of more digits")
                long.add(name)


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


def _merges(column: str, kind: Any, frame: Frame) -> bool:
    """Say whether different decimals of a column become the same double."""
    texts = column_of(column, frame).cast(nw.String)
    pairs = frame.select(text=texts, double=as_doubles(column, kind, frame))
    found = collected(pairs.select(nw.col("text", "double").n_unique()))
    return bool(found["double"][0] < found["text"][0])


def _not_distinct(name: str, came: str) -> InputError:
    return bad_input(
        f"scores[{name!r}]",
        "be integers below 2**53 in size, or numbers that stay distinct as doubles",
        f"{came}, which doubles cannot tell apart",
        "Rank them first, all rows together.",
    )
