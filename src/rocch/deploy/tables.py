"""Tables of other systems, as far as deciding needs them: columns, their kinds, and one more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

from rocch.errors import bad_input, kind_of, missing_column

if TYPE_CHECKING:
    from rocch.hybrid.sql import DialectName

Kind: TypeAlias = Literal["whole", "real", "text", "flag", "date", "uuid", "other"]
"""What a column holds, whatever a system calls it."""

SPARK_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), "whole"),
    **dict.fromkeys(("float", "double", "decimal"), "real"),
    **dict.fromkeys(("string", "char", "varchar"), "text"),
    "boolean": "flag",
    "date": "date",
}
SPARK_TYPES: dict[Kind, str] = {
    "whole": "long",
    "real": "double",
    "text": "string",
    "flag": "boolean",
}
SIZES = ("tinyint", "smallint", "integer", "bigint", "hugeint")
DUCKDB_KINDS: dict[str, Kind] = {
    **dict.fromkeys((*SIZES, *(f"u{size}" for size in SIZES)), "whole"),
    **dict.fromkeys(("float", "double", "decimal"), "real"),
    **dict.fromkeys(("varchar", "enum"), "text"),
    "boolean": "flag",
    "date": "date",
    "uuid": "uuid",
}
DUCKDB_TYPES: dict[Kind, str] = {**SPARK_TYPES, "whole": "bigint", "text": "varchar"}


class Table(Protocol):
    """A table that is computed elsewhere, and only when it is asked for."""

    dialect: ClassVar[DialectName]

    @property
    def frame(self) -> Any:
        """The table as its system knows it."""

    @property
    def columns(self) -> list[tuple[str, Kind]]:
        """The columns and what they hold."""

    def with_expression(self, column: str, sql: str, kind: Kind) -> Any:
        """Return the table with one more column."""


@dataclass(frozen=True, slots=True)
class SparkTable:
    """A PySpark data frame."""

    frame: Any
    dialect: ClassVar[DialectName] = "spark"

    @property
    def columns(self) -> list[tuple[str, Kind]]:
        """The columns and what they hold."""
        fields = self.frame.schema.fields
        return [(f.name, SPARK_KINDS.get(f.dataType.typeName(), "other")) for f in fields]

    def with_expression(self, column: str, sql: str, kind: Kind) -> Any:
        """Return the table with one more column, which Spark computes by itself."""
        from pyspark.sql import functions

        return self.frame.withColumn(column, functions.expr(sql).cast(SPARK_TYPES[kind]))


@dataclass(frozen=True, slots=True)
class DuckdbTable:
    """A relation of DuckDB."""

    frame: Any
    dialect: ClassVar[DialectName] = "duckdb"

    @property
    def columns(self) -> list[tuple[str, Kind]]:
        """The columns and what they hold."""
        pairs = zip(self.frame.columns, self.frame.types, strict=True)
        return [(name, DUCKDB_KINDS.get(kind.id, "other")) for name, kind in pairs]

    def with_expression(self, column: str, sql: str, kind: Kind) -> Any:
        """Return the relation with one more column."""
        name = column.replace('"', '""')
        return self.frame.project(f'*, CAST({sql} AS {DUCKDB_TYPES[kind]}) AS "{name}"')


def table_of(frame: Any) -> SparkTable | DuckdbTable:
    """Return a table that can be decided where it lies."""
    # no library is loaded to find out: who has such a table has loaded its library
    for kind in type(frame).__mro__:
        if kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame":
            return SparkTable(frame)
        if "duckdb" in kind.__module__ and kind.__name__ == "DuckDBPyRelation":
            return DuckdbTable(frame)
    raise bad_input(
        "frame",
        "be a PySpark DataFrame or a DuckDB relation",
        kind_of(frame),
        "Rows in memory are decided by predict, or from their scores by Rule.decide.",
    )


def new_column(table: Table, column: Any) -> str:
    """Return the name of a column that is not there yet; neither system heeds upper case."""
    if not isinstance(column, str) or not column:
        raise bad_input("column", "be a name", repr(column), "For example: 'decision'.")
    taken = [name for name, _ in table.columns if name.lower() == column.lower()]
    if taken:
        raise bad_input(
            "column", "be new", f"{column!r}, which is there", "Name another, or drop it first."
        )
    return column


def kind_in(table: Table, column: str, argument: str) -> Kind:
    """Return what a column holds, which must be there once."""
    kinds = [kind for name, kind in table.columns if name == column]
    if not kinds:
        raise missing_column(column, [name for name, _ in table.columns], argument)
    if len(kinds) > 1:
        raise bad_input(
            argument,
            "name one column",
            f"{column!r}, which {len(kinds)} columns are called",
            "Rename or drop the others.",
        )
    return kinds[0]


def check_key(table: Table, row_key: str) -> None:
    """Refuse keys of which the coin would be another one here than elsewhere."""
    kind = kind_in(table, row_key, "row_key")
    if kind not in ("whole", "text", "date", "uuid"):
        raise bad_input(
            "row_key",
            "name a column of whole numbers, texts, dates or UUIDs",
            f"{row_key!r} of another type",
            "Systems write other keys in ways of their own; cast it to BIGINT or text.",
        )


def label_kind(positive: Any, negative: Any) -> Kind:
    """Return the kind of column that holds two labels."""
    labels = positive, negative
    kinds: list[tuple[Kind, type | tuple[type, ...]]] = [
        ("flag", bool),
        ("whole", int),
        ("real", (int, float)),
        ("text", str),
    ]
    for kind, types in kinds:
        mixed = kind != "flag" and any(isinstance(label, bool) for label in labels)
        if all(isinstance(label, types) for label in labels) and not mixed:
            return kind
    raise bad_input(
        "decider",
        "answer with labels of one kind: numbers, texts or flags",
        f"{positive!r} and {negative!r}",
        "A column of a table holds one kind.",
    )
