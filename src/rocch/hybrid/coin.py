"""The coin of randomized decisions, in Python and in SQL."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from numbers import Real
from typing import Any, Literal
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, Features, FloatArray, Label
from rocch.errors import InputError, format_list
from rocch.inputs import as_array, as_choice, as_whole, check_length, column_values
from rocch.labels import is_missing

# A row's coin is a fraction in [0, 1): the first 13 hexadecimal digits of SHA-256("<seed>:<key>").
# So it does not depend on the batch, the order, the process or the machine, and databases can toss
# it too. Without a key the row's content replaces it; rows with equal content share a coin.

# 52 bits of the hash, which doubles hold exactly.
DIGITS = 13

# A text that is above all hexadecimal digits.
ABOVE_ALL = "g"

DialectName = Literal["standard", "duckdb", "postgresql", "spark", "sqlite"]


def tosses(keys: Iterable[str], seed: int) -> FloatArray:
    """Return the coin of each key, a number in [0, 1)."""
    start = f"{seed}:".encode()
    texts = (key.encode(errors="surrogatepass") for key in keys)
    hashes = (hashlib.sha256(start + text).hexdigest()[:DIGITS] for text in texts)
    return np.array([int(digits, 16) for digits in hashes], dtype=np.float64) / 16.0**DIGITS


def hex_limit(probability: float) -> str:
    """Return a probability as hexadecimal digits, to compare hashes with."""
    limit = int(np.ceil(probability * 16.0**DIGITS))
    return f"{limit:0{DIGITS}x}" if limit < 16**DIGITS else ABOVE_ALL


def key_texts(
    row_key: ArrayLike | Sequence[Label], rows: int, argument: str = "row_key"
) -> list[str]:
    """Return row keys as texts; whole numbers read the same in every type."""
    # lists stay as they are: an array would turn keys of several types into texts
    if isinstance(row_key, list | tuple):
        keys = list(row_key)
    else:
        array = as_array(row_key, argument)
        if array.dtype.kind == "M" and array.dtype != "M8[D]":
            # NumPy lists nanoseconds as integers; days stay dates, as in databases
            array = array.astype("datetime64[us]")
        keys = array.tolist()
    check_length(len(keys), rows, argument)
    return [_text(key, place, argument) for place, key in enumerate(keys)]


def content_texts(features: Features) -> list[str]:
    """Return a text for the content of each row, equal in float32 and float64."""
    from scipy.sparse import issparse

    if issparse(features):
        features = features.toarray()
    if hasattr(features, "columns"):
        import narwhals as nw

        frame = nw.from_native(features, eager_only=True)
        columns = [column_values(column) for column in frame.iter_columns()]
    else:
        array = np.asarray(features)
        if array.dtype.kind in "biuf":
            return [hashlib.sha256(row.tobytes()).hexdigest() for row in _single(array)]
        columns = list(array.astype(object).T)
    cells = [_column_bytes(column) for column in columns]
    return [hashlib.sha256(b"".join(row)).hexdigest() for row in zip(*cells, strict=True)]


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
            "Cast them to text.",
        )
    return str(key)


def _column_bytes(column: AnyArray) -> list[bytes]:
    if column.dtype.kind in "biuf":
        return [cell.tobytes() for cell in _single(column)]
    return [_cell_bytes(cell) for cell in column.tolist()]


def _cell_bytes(cell: Any) -> bytes:
    """Return a cell of a mixed column, numbers as in numeric columns."""
    if is_missing(cell) or isinstance(cell, Real):
        number = math.nan if is_missing(cell) else float(cell)
        return bytes(_single(np.array([number])).tobytes())
    return f"{cell}\x1f".encode()


def _single(values: AnyArray) -> AnyArray:
    """Return single precision, with one zero and one NaN."""
    with np.errstate(over="ignore"):
        single = values.astype("<f4") + np.float32(0)
    single[np.isnan(single)] = np.float32(np.nan)
    return single


def as_seed(seed: int) -> int:
    """Return the seed of coins."""
    return as_whole(seed, "seed", least=0)


@dataclass(frozen=True, slots=True)
class SqlWriter:
    """How a database writes columns, scores, labels and coins."""

    quote: str = '"'
    double: str = "DOUBLE PRECISION"
    text: str = "VARCHAR"
    sha256: str | None = None
    # whether NaN is above every threshold, so that it must become NULL
    nan_is_greatest: bool = True
    # infinity, where it cannot be cast from a text
    infinity: str = ""
    # the function that returns the least of several numbers
    least: str = "LEAST"
    # characters with a meaning inside quotes
    special: str = ""
    # the columns of the models
    names: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, dialect: str, names: Mapping[str, str]) -> SqlWriter:
        """Return the writer of a dialect, with the column of each model."""
        return replace(DIALECTS[as_choice(dialect, DIALECTS, "dialect")], names=names)

    def column(self, name: str) -> str:
        """Quote a name."""
        return self.quote + name.replace(self.quote, self.quote * 2) + self.quote

    def labels(self, model: str) -> str:
        """Write a model's column of labels."""
        return self.column(self.names[model])

    def scores(self, model: str) -> str:
        """Write a model's column of scores as doubles, with NaN as NULL."""
        column = self.labels(model)
        # as doubles: beside single precision, a database may round the threshold
        if not self.nan_is_greatest:
            return column
        return f"NULLIF(CAST({column} AS {self.double}), {self.number(math.nan)})"

    def number(self, value: float) -> str:
        """Write a number, which may be NaN or infinite."""
        if math.isfinite(value):
            return repr(value)
        sign = "-" if value < 0 else ""
        if self.infinity and math.isinf(value):
            return sign + self.infinity
        text = "NaN" if math.isnan(value) else f"{sign}Infinity"
        return f"CAST('{text}' AS {self.double})"

    def coin(self, row_key: str | None, seed: int) -> str:
        """Write the first digits of the hash of a row key."""
        if self.sha256 is None:
            others = [name for name, writer in DIALECTS.items() if writer.sha256]
            raise InputError(
                "dialect",
                "name a database with hashes for a rule with a coin",
                "one without",
                "Choose among {known}.",
                known=format_list(others),
            )
        if row_key is None:
            hint = "The coin is made of it; row content cannot be hashed in SQL."
            raise InputError("row_key", "name the column of row keys", "none", hint)
        key = f"'{seed}:' || CAST({self.column(row_key)} AS {self.text})"
        return f"substr({self.sha256.format(key)}, 1, {DIGITS})"

    def label(self, label: Label) -> str:
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
    "sqlite": SqlWriter(
        double="REAL", text="TEXT", nan_is_greatest=False, infinity="9e999", least="MIN"
    ),
}
