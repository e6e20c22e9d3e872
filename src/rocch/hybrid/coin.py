"""The coin of randomized decisions, in Python and in SQL."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from numbers import Real
from typing import Any, Literal
from uuid import UUID

import numpy as np

from rocch.arrays import AnyArray, FloatArray
from rocch.errors import InputError, format_list
from rocch.inputs import (
    as_array,
    as_choice,
    as_whole,
    check_length,
    column_values,
    is_missing,
)

# The coin of a row is the number made of the first 13 hexadecimal digits of
#
#     SHA-256("<seed>:<key>")
#
# read as a fraction, 0 included and 1 not, where the key is the text of the row's key. So it does
# not depend on the batch, its order, the process or the machine, and a database can toss it too.
# Without a key the row's content stands in for it; two rows with equal content then share a coin.

# hexadecimal digits of the hash that are used: 52 bits, which doubles hold exactly
DIGITS = 13

DialectName = Literal["standard", "duckdb", "postgresql", "spark"]


def tosses(keys: Iterable[str], seed: int) -> FloatArray:
    """Return the coin of each key: a number from 0 to just below 1."""
    start = f"{seed}:".encode()
    texts = (key.encode(errors="surrogatepass") for key in keys)
    hashes = (hashlib.sha256(start + text).hexdigest()[:DIGITS] for text in texts)
    return np.array([int(digits, 16) for digits in hashes], dtype=np.float64) / 16.0**DIGITS


def hex_limit(probability: float) -> str:
    """Return the hexadecimal text below which a hash's first digits mean a coin below this."""
    limit = int(np.ceil(probability * 16.0**DIGITS))
    # the text that is above all numbers of this many digits
    return f"{limit:0{DIGITS}x}" if limit < 16**DIGITS else "g"


def key_texts(row_key: Any, rows: int, argument: str = "row_key") -> list[str]:
    """Return row keys as texts; whole numbers read the same whatever type holds them."""
    # lists are taken as they are: in one array, keys of several types would change into texts
    listed = isinstance(row_key, list | tuple)
    given = row_key if listed else as_array(row_key, argument)
    if isinstance(given, np.ndarray) and given.dtype.kind == "M" and given.dtype != "M8[D]":
        # of nanoseconds NumPy would make integers; days stay dates, as databases write them
        given = given.astype("datetime64[us]")
    keys = list(given) if listed else given.tolist()
    check_length(len(keys), rows, argument)
    return [_text(key, place, argument) for place, key in enumerate(keys)]


def content_texts(features: Any) -> list[str]:
    """Return a text for the content of each row.

    Numbers are rounded to single precision, so that a row reads the same in float32 and float64.
    """
    return [hashlib.sha256(row).hexdigest() for row in _row_bytes(features)]


def _text(key: Any, place: int, argument: str) -> str:
    if is_missing(key):
        raise InputError(argument, "be there for every row", f"a missing one at position {place}")
    key = key.item() if isinstance(key, np.generic) else key
    if isinstance(key, float) and key.is_integer():
        return str(int(key))
    if isinstance(key, bool) or not isinstance(key, str | int | date | UUID):
        raise InputError(
            argument,
            "be texts, whole numbers, dates or UUIDs",
            f"{key!r} at position {place}",
            "Other keys have no one way to be written.",
        )
    return str(key)


def _row_bytes(features: Any) -> list[bytes]:
    from scipy.sparse import issparse

    if issparse(features):
        features = features.toarray()
    if hasattr(features, "columns"):
        return _frame_bytes(features)
    array = np.asarray(features)
    if array.dtype.kind in "biuf":
        return [row.tobytes() for row in _single(array)]
    array = array.astype(object)
    columns = [_column_bytes(array[:, j]) for j in range(array.shape[1])]
    return [b"".join(cells) for cells in zip(*columns, strict=True)]


def _frame_bytes(features: Any) -> list[bytes]:
    import narwhals as nw

    frame = nw.from_native(features, eager_only=True)
    columns = [_column_bytes(column_values(column)) for column in frame.iter_columns()]
    return [b"".join(cells) for cells in zip(*columns, strict=True)]


def _column_bytes(column: AnyArray) -> list[bytes]:
    if column.dtype.kind in "biuf":
        return [cell.tobytes() for cell in _single(column)]
    return [_cell_bytes(cell) for cell in column.tolist()]


def _cell_bytes(cell: Any) -> bytes:
    """Return a cell of a mixed column; a number there reads as in a column of numbers."""
    if is_missing(cell) or isinstance(cell, Real):
        number = math.nan if is_missing(cell) else float(cell)
        return bytes(_single(np.array([number])).tobytes())
    return f"{cell}\x1f".encode()


def _single(values: AnyArray) -> AnyArray:
    """Return numbers in single precision, one zero and one NaN for all."""
    with np.errstate(over="ignore"):
        single = values.astype("<f4") + np.float32(0)
    single[np.isnan(single)] = np.float32(np.nan)
    return single


def as_seed(seed: Any) -> int:
    """Return the seed of coins: a whole number, not negative."""
    return as_whole(seed, "seed", least=0)


@dataclass(frozen=True, slots=True)
class SqlWriter:
    """How one database writes columns, scores, labels and coins."""

    quote: str = '"'
    double: str = "DOUBLE PRECISION"
    text: str = "VARCHAR"
    sha256: str | None = None
    # whether a NaN would reach any threshold, so that it must be made NULL first
    nan_is_greatest: bool = True
    # signs that do not stand for themselves in a text in quotes, whatever the settings
    special: str = ""
    # the columns of the models
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, dialect: str, names: Mapping[str, str]) -> SqlWriter:
        """Return the writer of a dialect, for columns of these names by model."""
        return replace(DIALECTS[as_choice(dialect, DIALECTS, "dialect")], names=names)

    def column(self, name: str) -> str:
        """Write a name in quotes."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def labels(self, model: str) -> str:
        """Write a model's column of labels."""
        return self.column(self.names[model])

    def scores(self, model: str) -> str:
        """Write a model's column of scores, in which NaN counts as missing.

        It is compared as doubles: beside single precision, a database may round the threshold.
        """
        column = self.labels(model)
        if not self.nan_is_greatest:
            return column
        return f"NULLIF(CAST({column} AS {self.double}), {self.number('NaN')})"

    def number(self, text: str) -> str:
        """Write a number that has no digits."""
        return f"CAST('{text}' AS {self.double})"

    def coin(self, row_key: str | None, seed: int) -> str:
        """Write the first digits of the hash of a row's key."""
        if self.sha256 is None:
            others = [name for name in DIALECTS if name != "standard"]
            raise InputError(
                "dialect",
                "name a database for a rule with a coin",
                "'standard', which knows no hashes",
                f"Choose among {format_list(others)}.",
            )
        if row_key is None:
            hint = "The coin is made of it; row content cannot be hashed in SQL."
            raise InputError("row_key", "name the column of row keys", "none", hint)
        key = f"'{seed}:' || CAST({self.column(row_key)} AS {self.text})"
        return f"substr({self.sha256.format(key)}, 1, {DIGITS})"

    def label(self, label: Any) -> str:
        """Write a label."""
        if isinstance(label, bool):
            return str(label).upper()
        if isinstance(label, int | float):
            return repr(label)
        text = str(label)
        if any(sign in text for sign in self.special):
            return f"CAST(X'{text.encode().hex()}' AS {self.text})"
        text = text.replace("'", "''")
        return f"'{text}'"


DIALECTS = {
    "standard": SqlWriter(nan_is_greatest=False),
    "duckdb": SqlWriter(double="DOUBLE", sha256="sha256({})"),
    "postgresql": SqlWriter(sha256="encode(sha256(convert_to({}, 'UTF8')), 'hex')"),
    "spark": SqlWriter(
        quote="`", double="DOUBLE", text="STRING", sha256="sha2({}, 256)", special="'\\$"
    ),
}
