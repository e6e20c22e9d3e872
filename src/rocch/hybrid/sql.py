"""What databases write differently: names, numbers without digits, and the hashes of coins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rocch.errors import bad_input, shown
from rocch.hybrid.coin import DIGITS

if TYPE_CHECKING:
    from collections.abc import Mapping

DialectName = Literal["standard", "duckdb", "postgresql", "spark"]


class Dialect(NamedTuple):
    """How a database writes what standard SQL has no common way for."""

    quote: str = '"'
    double: str = "DOUBLE PRECISION"
    text: str = "VARCHAR"
    sha256: str | None = None
    nan_is_greatest: bool = True
    """Whether a NaN would reach any threshold, so that it must be made NULL first."""
    special: str = ""
    """Signs that do not stand for themselves in a text in quotes, whatever the settings."""


DIALECTS = {
    "standard": Dialect(nan_is_greatest=False),
    "duckdb": Dialect(double="DOUBLE", sha256="sha256({})"),
    "postgresql": Dialect(sha256="encode(sha256(convert_to({}, 'UTF8')), 'hex')"),
    "spark": Dialect(
        quote="`", double="DOUBLE", text="STRING", sha256="sha2({}, 256)", special="'\\$"
    ),
}


@dataclass(frozen=True, slots=True)
class SqlWriter:
    """Writes columns, scores and coins for one database."""

    sql: Dialect
    names: Mapping[str, str]
    """The columns of the models."""

    @classmethod
    def of(cls, dialect: str, names: Mapping[str, str]) -> SqlWriter:
        """Return the writer for a database that is known."""
        if dialect not in DIALECTS:
            raise bad_input("dialect", f"be one of {shown(DIALECTS)}", repr(dialect), "Pick one.")
        return cls(DIALECTS[dialect], names)

    def column(self, name: str) -> str:
        """Write a name in quotes."""
        quote = self.sql.quote
        return quote + name.replace(quote, quote * 2) + quote

    def labels(self, model: str) -> str:
        """Write a model's column of labels."""
        return self.column(self.names[model])

    def scores(self, model: str) -> str:
        """Write a model's column of scores, in which NaN counts as missing.

        They are compared as doubles: beside a column of single precision, a database may round the
        threshold instead, and then decide otherwise.
        """
        column = self.labels(model)
        if not self.sql.nan_is_greatest:
            return column
        return f"NULLIF(CAST({column} AS {self.sql.double}), {self.number('NaN')})"

    def number(self, text: str) -> str:
        """Write a number that has no digits."""
        return f"CAST('{text}' AS {self.sql.double})"

    def coin(self, row_key: str | None, seed: int) -> str:
        """Write the first digits of the hash of a row's key."""
        if self.sql.sha256 is None:
            others = [name for name in DIALECTS if name != "standard"]
            raise bad_input(
                "dialect",
                "name a database for a rule with a coin",
                "'standard', which knows no hashes",
                f"Choose among {shown(others)}.",
            )
        if row_key is None:
            raise bad_input(
                "row_key",
                "name the column of row keys",
                "none",
                "The coin is made of it; row content cannot be hashed in SQL.",
            )
        key = f"'{seed}:' || CAST({self.column(row_key)} AS {self.sql.text})"
        return f"substr({self.sql.sha256.format(key)}, 1, {DIGITS})"

    def label(self, label: Any) -> str:
        """Write a label."""
        if isinstance(label, bool):
            return str(label).upper()
        if isinstance(label, int | float):
            return repr(label)
        text = str(label)
        if any(sign in text for sign in self.sql.special):
            return f"CAST(X'{text.encode().hex()}' AS {self.sql.text})"
        text = text.replace("'", "''")
        return f"'{text}'"
