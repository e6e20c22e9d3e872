"""Decide a table where it lies: from scores that it holds, or by models that travel to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, cast

from rocch.errors import InputError, describe_type, format_list, missing_column
from rocch.files import digest_of
from rocch.hybrid.aimed import AimedClassifier
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.coin import DialectName
from rocch.hybrid.rule import Expression, Joined, Predicts, Rule
from rocch.hybrid.save import dump_bytes, load, load_bytes
from rocch.roc.operating_point import OperatingPoint, RocPoint

# --- Tables of other systems, as far as deciding needs them: columns, their kinds, and one more ---

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
    raise InputError(
        "frame",
        "be a PySpark DataFrame or a DuckDB relation",
        describe_type(frame),
        "Rows in memory are decided by predict, or from their scores by Rule.decide.",
    )


def new_column(table: Table, column: Any) -> str:
    """Return the name of a column that is not there yet; neither system heeds upper case."""
    if not isinstance(column, str) or not column:
        raise InputError("column", "be a name", repr(column), "For example: 'decision'.")
    taken = [name for name, _ in table.columns if name.lower() == column.lower()]
    if taken:
        raise InputError(
            "column", "be new", f"{column!r}, which is there", "Name another, or drop it first."
        )
    return column


def kind_in(table: Table, column: str, argument: str) -> Kind:
    """Return what a column holds, which must be there once."""
    kinds = [kind for name, kind in table.columns if name == column]
    if not kinds:
        raise missing_column(column, [name for name, _ in table.columns], argument)
    if len(kinds) > 1:
        raise InputError(
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
        raise InputError(
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
    raise InputError(
        "decider",
        "answer with labels of one kind: numbers, texts or flags",
        f"{positive!r} and {negative!r}",
        "A column of a table holds one kind.",
    )


# --- A hybrid on its way to other processes, as the file that `rocch.save` writes -----------------
#
# Nothing is pickled: whoever receives it checks the digest, the versions of libraries and the types
# in it, as `rocch.load` does anywhere.


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """The bytes of a saved view; two with the same digest and trust are the same."""

    digest: str
    trusted: tuple[str, ...]
    data: bytes = field(compare=False, repr=False)

    @classmethod
    def of(cls, view: AimedClassifier, trusted: Iterable[str] = ()) -> ShippedModel:
        """Write an aimed classifier."""
        trusted = tuple(trusted)
        data = dump_bytes(view, trusted=trusted)
        return cls(digest_of(data), trusted, data)

    def loaded(self) -> AimedClassifier:
        """Return the classifier, which is read once in each process."""
        return _loaded(self)


@lru_cache(maxsize=4)
def _loaded(shipped: ShippedModel) -> AimedClassifier:
    view = load_bytes(shipped.data, "the hybrid", digest=shipped.digest, trusted=shipped.trusted)
    return cast("AimedClassifier", view)


# --------------------------------------------------------------------------------------------------
# Deciding from scores that a table holds already: the rule becomes an expression of the system.

NUMBERS: frozenset[Kind] = frozenset({"whole", "real"})


def with_rule(
    table: Table,
    rule: Rule,
    column: str,
    *,
    columns: Mapping[str, str] | None,
    row_key: str | None,
) -> Any:
    """Return the table with a rule's answers, which the system computes by itself."""
    kind = label_kind(rule.positive, rule.negative)
    labeling = {model for _, part in rule.mix for model in _labeling(part)}
    for model, name in rule.column_names(columns).items():
        if model in labeling:
            _check_labels(table, name, kind, rule.positive)
        else:
            _check_scores(table, name)
    key = row_key or rule.row_key
    if key is not None and len(rule.mix) > 1:
        check_key(table, key)
    sql = rule.to_sql(columns=columns, row_key=key, dialect=table.dialect)
    return table.with_expression(column, sql, kind)


def _labeling(part: Expression) -> set[str]:
    """Return the models that only label."""
    if isinstance(part, Joined):
        return _labeling(part.first) | _labeling(part.second)
    return {part.model} if isinstance(part, Predicts) else set()


def _check_scores(table: Table, column: str) -> None:
    if kind_in(table, column, "columns") not in NUMBERS | {"flag"}:
        raise InputError(
            "columns", "name columns of numbers", f"{column!r} of another type", "Cast it first."
        )


def _check_labels(table: Table, column: str, kind: Kind, positive: Any) -> None:
    """Refuse labels of another type, which a system might convert in a way of its own."""
    found = kind_in(table, column, "columns")
    if found != kind and not {found, kind} <= NUMBERS:
        raise InputError(
            "columns",
            f"name columns of labels such as {positive!r}",
            f"{column!r} of another type",
            "Cast it first.",
        )


# --- Deciding from features: the models travel to where the rows are ------------------------------
#
# Rows come as batches of Arrow and leave as they came, with a column more. They do not pass through
# pandas, which would round whole numbers beyond 2^53 in a column with nulls; only features do.


def with_models(
    table: SparkTable,
    view: AimedClassifier,
    column: str,
    *,
    columns: Mapping[str, str] | Sequence[str] | None,
    row_key: str | None,
    trusted: Iterable[str],
) -> Any:
    """Return a Spark table with a hybrid's answers, which its models give where the rows are."""
    features = feature_columns(view, columns)
    for name in features:
        kind_in(table, name, "columns")
    key = (row_key or view.row_key) if len(view.point.mix) > 1 else None
    if key is not None:
        check_key(table, key)
    kind = label_kind(view.hybrid.positive, view.hybrid.negative)
    names = table.frame.columns
    places = [names.index(name) for name in features]
    worker = Worker(
        ShippedModel.of(view, trusted), places, None if key is None else names.index(key), kind
    )
    return _mapped(table.frame, worker, column)


def _mapped(frame: Any, worker: Worker, column: str) -> Any:
    """Return a Spark table with one more column, made where the rows are."""
    from pyspark.sql.types import StructType

    # Spark cannot map columns with dots in their names, so they go under their numbers
    numbered = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    schema = StructType(list(numbered.schema.fields)).add("answer", SPARK_TYPES[worker.kind])
    return numbered.mapInArrow(worker.decided, schema).toDF(*frame.columns, column)


def feature_columns(
    view: AimedClassifier, columns: Mapping[str, str] | Sequence[str] | None
) -> list[str]:
    """Return the columns that hold the features, in the order in which they were fitted."""
    known = view.hybrid.feature_names_in
    names = None if known is None else [str(name) for name in known]
    if isinstance(columns, Mapping):
        return _renamed(names, columns)
    if columns is None and names is not None:
        return names
    wanted = view.hybrid.n_features_in
    given = columns if isinstance(columns, list | tuple) else []
    if not given or len(given) != (wanted or len(given)):
        raise InputError(
            "columns",
            f"list the columns of the {wanted or 'fitted'} features in their order",
            f"{len(given)} of them" if given else repr(columns),
            "The models know no names for their features."
            if names is None
            else f"The features are: {format_list(names)}.",
        )
    return [str(name) for name in given]


def _renamed(names: list[str] | None, columns: Mapping[str, str]) -> list[str]:
    unknown = [name for name in columns if name not in (names or ())]
    wrong = [name for name in columns.values() if not isinstance(name, str)]
    if unknown or wrong:
        raise InputError(
            "columns",
            "map features of the models to names of columns",
            format_list(unknown or wrong),
            f"The features are: {format_list(names)}."
            if names
            else "They have no names: pass a list.",
        )
    return [columns.get(name, name) for name in names or ()]


@dataclass(frozen=True, slots=True)
class Worker:
    """What a process needs to decide the rows that are sent to it."""

    model: ShippedModel
    features: list[int]
    """The places of the features among the columns."""
    key: int | None
    """The place of the row keys, where coins are made of them."""
    kind: Kind

    def decided(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Return batches of Arrow with their decisions."""
        import pyarrow as pa

        for batch in batches:
            columns = [*batch.columns, self.decisions(batch)]
            yield pa.RecordBatch.from_arrays(columns, names=[*batch.schema.names, "answer"])

    def decisions(self, batch: Any) -> Any:
        """Return the decisions of some rows; a row whose coin has no key gets none."""
        import pyarrow as pa
        import pyarrow.compute as pc

        types = {"whole": pa.int64(), "real": pa.float64(), "text": pa.string(), "flag": pa.bool_()}
        answers = pa.nulls(batch.num_rows, types[self.kind])
        keys = None if self.key is None else batch.column(self.key).cast(pa.string())
        there = pa.repeat(True, batch.num_rows) if keys is None else keys.is_valid()
        rows = batch.select(self.features).filter(there)
        if not rows.num_rows:  # models refuse to decide nothing
            return answers
        texts = None if keys is None else keys.drop_null().to_pylist()
        labels = self.model.loaded().predict(self._rows(rows), row_key=texts)
        return pc.replace_with_mask(answers, there, pa.array(labels, types[self.kind]))

    def _rows(self, batch: Any) -> Any:
        """Return features as the models know them: with their names, or without any."""
        frame = batch.to_pandas()
        names = self.model.loaded().hybrid.feature_names_in
        return frame.to_numpy() if names is None else frame.set_axis(list(names), axis=1)


# --- Decide a table where it lies: from scores that it holds, or by models that travel to it ------


def decide_frame(
    frame: Any,
    decider: Rule | OperatingPoint | RocPoint | AimedClassifier | RocchClassifier | str | Path,
    *,
    column: str = "decision",
    columns: Mapping[str, str] | Sequence[str] | None = None,
    row_key: str | None = None,
    criterion: Any = None,
    digest: str | None = None,
    trusted: Iterable[str] = (),
) -> Any:
    """Return a table of Spark or DuckDB with a column of decisions; nothing is computed yet.

    Who decides says how. A `Rule`, or an operating point of a hull, reads scores that the table
    holds already: it becomes a native expression, and no Python runs beside the rows. A hybrid
    runs its models on features; it travels to Spark's workers as the file that `rocch.save`
    writes, and is loaded once in each. (A hybrid all of whose classifiers are columns of scores,
    as a `ClassifierLibrary` exports it, is taken by its rule.) To decide from scores what a hybrid
    of models would, pass its rule.

    The answers are those of `predict` and `Rule.decide` on the same rows, coins included, for any
    partitions. A row whose answer depends on a missing score (NULL or NaN), or on a missing key,
    gets NULL; missing features are the models' own affair.

    Parameters
    ----------
    frame
        A PySpark DataFrame or a DuckDB relation; models run on Spark only.
    decider
        A `Rule`; what `RocHull.best` returned, or a vertex, which answers True or False; what
        `RocchClassifier.at` returned; a fitted `RocchClassifier`, which decides as its `predict`
        does; or the path of a hybrid that was saved, aimed or not.
    column
        The name of the new column: of flags, texts, 64-bit whole numbers or doubles, as the labels
        are.
    columns
        What columns are called in this table, where they are called otherwise: of scores by model,
        or of features by name. For models that were fitted on arrays without names: a list of
        columns, in the order of the features.
    row_key
        The column of row keys, of which coins are made: whole numbers, texts, dates or UUIDs. By
        default the one that was named when aiming; models also toss by a row's content.
    criterion
        What to aim a hybrid at that is not aimed: conditions or any criterion.
    digest, trusted
        For saved hybrids, as for `rocch.load`; types of your own must also be named for a hybrid
        in memory, because it is saved on its way.

    Raises
    ------
    InputError
        If the table cannot be decided so: a column is missing, is there already, or has another
        type than deciding needs.

    Examples
    --------
    >>> import duckdb, rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> table = duckdb.sql("SELECT * FROM (VALUES (1, 0.9), (2, 0.2), (3, NULL)) AS t(id, nb)")
    >>> rocch.hybrid.decide_frame(table, hull.best(rocch.NeymanPearson(0))).order("id").fetchall()
    [(1, Decimal('0.9'), True), (2, Decimal('0.2'), False), (3, None, None)]
    """
    table = table_of(frame)
    column = new_column(table, column)
    if row_key is not None and not isinstance(row_key, str):
        raise InputError("row_key", "name a column of the table", repr(row_key), "Pass its name.")
    who = _who(decider, criterion, digest, trusted)
    read = None if isinstance(who, Rule) else _columns_read(who)
    if isinstance(who, AimedClassifier) and read is not None:
        who, columns = who.rule, read | dict(_by_name(columns) or {})
    if isinstance(who, Rule):
        return with_rule(table, who, column, columns=_by_name(columns), row_key=row_key)
    if not isinstance(table, SparkTable):
        raise InputError(
            "decider",
            "be a rule where the table is no Spark one",
            "a hybrid of models",
            "Pass its rule, for a table that holds the models' scores, or decide with predict.",
        )
    return with_models(table, who, column, columns=columns, row_key=row_key, trusted=trusted)


def _who(
    decider: Any, criterion: Any, digest: str | None, trusted: Iterable[str]
) -> Rule | AimedClassifier:
    """Return who decides, aimed."""
    if isinstance(decider, str | Path):
        decider = load(decider, digest=digest, trusted=trusted)
    elif digest is not None:
        raise InputError(
            "digest", "come with a path", describe_type(decider), "Pass the saved file."
        )
    if isinstance(decider, RocchClassifier):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(decider, "hybrid_")
        return decider.default_ if criterion is None else decider.at(criterion)
    if criterion is not None:
        raise InputError(
            "criterion", "be left out", "one for what is aimed already", "Aim the hybrid anew."
        )
    if isinstance(decider, OperatingPoint | RocPoint):
        return Rule.from_point(decider)
    if not isinstance(decider, Rule | AimedClassifier):
        raise InputError(
            "decider",
            "be a rule, an operating point, a binary hybrid, or the path of a saved one",
            describe_type(decider),
            "For example: model.at(conditions), or its rule.",
        )
    return decider


def _columns_read(view: AimedClassifier) -> dict[str, str] | None:
    """Return the columns of scores by classifier, if all classifiers are such columns.

    Scores for the other class are no such: a rule takes them with the opposite sign.
    """
    needed = [view.hybrid.components[name] for name in view.rule.models]
    if not view.hybrid.of_columns or any(c.scoring and not c.column for c in needed):
        return None
    return {c.name: c.estimator.column for c in needed}


def _by_name(columns: Any) -> Mapping[str, str] | None:
    if columns is None or isinstance(columns, Mapping):
        return columns
    raise InputError(
        "columns", "map models to columns of scores", repr(columns), "For example: {'nb': 'nb_v7'}."
    )
