"""Decisions added to a Spark or DuckDB table, from scores or by models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from rocch.arrays import DataFrame, Label
from rocch.errors import Hint, InputError, describe_type, format_list, missing_column
from rocch.files import digest_of
from rocch.hybrid.aimed import AimedClassifier, GroupedClassifier
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.coin import DIALECTS
from rocch.hybrid.expression import Expression, Joined, Predicts, StackAtLeast
from rocch.hybrid.grouped_rule import GroupedRule
from rocch.hybrid.hybrid import Aim
from rocch.hybrid.multiclass_rule import MulticlassRule
from rocch.hybrid.referral import ReferringClassifier
from rocch.hybrid.referral_rule import ReferralRule
from rocch.hybrid.rule import Rule, rename_columns
from rocch.hybrid.save import dump_bytes, load, load_bytes
from rocch.inputs import as_text
from rocch.roc.operating_point import OperatingPoint, RocPoint

# Rules that are an expression over columns of scores, and hybrids that have such a rule.
TableRule: TypeAlias = Rule | ReferralRule | GroupedRule | MulticlassRule
TableView: TypeAlias = AimedClassifier | GroupedClassifier | ReferringClassifier

# What a column holds, in any system.
Kind: TypeAlias = Literal["whole", "real", "text", "flag", "date", "uuid", "other"]

NUMBERS: frozenset[Kind] = frozenset({"whole", "real"})
# Types of Spark and of DuckDB.
SIZES = ("tinyint", "smallint", "integer", "bigint", "hugeint")
KINDS: dict[str, Kind] = {
    **dict.fromkeys((*SIZES, *(f"u{size}" for size in SIZES), "byte", "short", "long"), "whole"),
    **dict.fromkeys(("float", "double", "decimal"), "real"),
    **dict.fromkeys(("string", "char", "varchar", "enum"), "text"),
    "boolean": "flag",
    "date": "date",
    "uuid": "uuid",
}
# Types of decisions, which both systems know.
TYPES: dict[Kind, str] = {"whole": "long", "real": "double", "text": "string", "flag": "boolean"}


def decide_frame(
    frame: DataFrame,
    decider: TableRule | OperatingPoint | RocPoint | TableView | RocchClassifier | str | Path,
    *,
    column: str = "decision",
    columns: Mapping[str, str] | Sequence[str] | None = None,
    row_key: str | None = None,
    criterion: Aim | None = None,
    digest: str | None = None,
    trusted: Iterable[str] = (),
) -> DataFrame:
    """Return a Spark or DuckDB table with a lazy column of decisions.

    A rule, an operating point, or a hybrid of score columns only becomes a native expression over
    the table's scores. Other hybrids run their models on features, and are sent to Spark's workers
    in the format of `rocch.save`.

    Decisions equal those of `predict` and `Rule.decide`, coins included, for any partitions. Rows
    get NULL where a missing score (NULL or NaN) or key leaves the decision open, and where their
    group has no rule. The decisions of rules that refer cases are texts.

    Parameters
    ----------
    frame
        A PySpark DataFrame or a DuckDB relation; models run on Spark only.
    decider
        A rule, which may be grouped, refer cases, or predict one of several classes from a column
        of probabilities for each; a result of `RocHull.best`, or a vertex (True or False); a fitted
        `RocchClassifier`, or a result of its `at`; or the path of a saved one. Results of
        `at_each`, `at_fair` and `refer` are taken if all classifiers are columns of scores; else
        pass their rule, for a table of scores.
    column
        The new column.
    columns
        Names of columns that differ, by model or feature; a list of all columns for models fitted
        on arrays without names.
    row_key
        The column of row keys for coins: whole numbers, texts, dates or UUIDs. By default the one
        named when aiming; models can also toss by a row's content.
    criterion
        What to aim a hybrid at, if it is not aimed.
    digest, trusted
        As for `rocch.load`. Hybrids in memory are saved too, so `trusted` must name your own types.

    Examples
    --------
    >>> import duckdb, rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> table = duckdb.sql("SELECT * FROM (VALUES (1, 0.9), (2, 0.2), (3, NULL)) AS t(id, nb)")
    >>> rocch.hybrid.decide_frame(table, hull.best(rocch.NeymanPearson(0))).order("id").fetchall()
    [(1, Decimal('0.9'), True), (2, Decimal('0.2'), False), (3, None, None)]
    """
    table = Table.of(frame)
    table.check_new(column)
    if row_key is not None:
        as_text(row_key, "row_key", hint="Name a column of the table.")
    aimed = _aim(decider, criterion, digest, trusted)
    if isinstance(aimed, TableView):
        score_columns = _score_columns(aimed)
        if score_columns is not None:
            aimed, columns = aimed.rule, {**score_columns, **_by_model(columns)}
    if isinstance(aimed, TableRule):
        return _decide_by_rule(table, aimed, column, _by_model(columns), row_key)
    if table.dialect != "spark" or not isinstance(aimed, AimedClassifier):
        single = isinstance(aimed, AimedClassifier)
        raise InputError(
            "decider",
            "be a rule for a DuckDB relation" if single else "be a rule",
            "a hybrid of models",
            Hint(
                "Pass model.at(...).rule, for a table of the models' scores, or use predict."
                if single
                else "Pass its rule attribute, for a table of the models' scores, or use predict."
            ),
        )
    return _decide_by_models(table, aimed, column, columns, row_key, trusted)


def _aim(
    decider: object, criterion: Aim | None, digest: str | None, trusted: Iterable[str]
) -> TableRule | TableView:
    if isinstance(decider, str | Path):
        decider = load(decider, digest=digest, trusted=trusted)
    elif digest is not None:
        raise InputError("digest", "come with a path", describe_type(decider))
    if isinstance(decider, RocchClassifier):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(decider, "hybrid_")
        return decider.default_ if criterion is None else decider.at(criterion)
    if criterion is not None:
        raise InputError("criterion", "be left out for what is aimed already", repr(criterion))
    if isinstance(decider, OperatingPoint | RocPoint):
        return Rule.from_point(decider)
    if not isinstance(decider, TableRule | TableView):
        raise InputError(
            "decider",
            "be a rule, an operating point, a hybrid of two classes, or the path of a saved one",
            describe_type(decider),
            Hint("For example: model.at(conditions), or its rule."),
        )
    return decider


def _score_columns(view: TableView) -> dict[str, str] | None:
    """Return the score column of each classifier; None if some have none."""
    # scores for the other class do not count: a rule takes them with the opposite sign
    needed = [view.hybrid.components[name] for name in view.rule.models]
    if not view.hybrid.of_columns or any(c.scoring and not c.column for c in needed):
        return None
    return {c.name: c.estimator.column for c in needed}


def _by_model(columns: Mapping[str, str] | Sequence[str] | None) -> Mapping[str, str]:
    if columns is None or isinstance(columns, Mapping):
        return columns or {}
    hint = Hint("For example: {'nb': 'nb_v7'}.")
    raise InputError("columns", "map models to columns of scores", repr(columns), hint)


@dataclass(frozen=True, slots=True)
class Table:
    """A lazy table of Spark or DuckDB."""

    frame: Any
    dialect: Literal["spark", "duckdb"]
    columns: list[str]
    types: list[str]

    @classmethod
    def of(cls, frame: Any) -> Table:
        """Return a frame as a table."""
        # by name, to import neither library
        for kind in type(frame).__mro__:
            if kind.__module__.startswith("pyspark.sql.") and kind.__name__ == "DataFrame":
                types = [field.dataType.typeName() for field in frame.schema.fields]
                return cls(frame, "spark", frame.columns, types)
            if "duckdb" in kind.__module__ and kind.__name__ == "DuckDBPyRelation":
                return cls(frame, "duckdb", frame.columns, [each.id for each in frame.types])
        raise InputError(
            "frame",
            "be a PySpark DataFrame or a DuckDB relation",
            describe_type(frame),
            Hint("Use predict, or Rule.decide with scores, for rows in memory."),
        )

    def check_new(self, column: str) -> None:
        """Refuse a name that exists; neither system distinguishes upper case."""
        as_text(column, "column", hint="For example: 'decision'.")
        if column.lower() in (known.lower() for known in self.columns):
            raise InputError("column", "be new", f"{column!r}, which the table has")

    def kind_of(self, column: str, argument: str) -> Kind:
        """Return what a column holds."""
        if column not in self.columns:
            raise missing_column(column, self.columns, argument)
        number = self.columns.count(column)
        if number > 1:
            got = f"{column!r}, which {number} columns are called"
            raise InputError(argument, "name one column", got, "Rename or drop the others.")
        return KINDS.get(self.types[self.columns.index(column)], "other")

    def check_kind(
        self,
        column: str,
        kinds: Iterable[Kind],
        argument: str,
        of: str,
        hint: str | Hint = "Cast it first.",
    ) -> None:
        """Refuse a column of another kind; `of` describes what it must hold."""
        if self.kind_of(column, argument) not in kinds:
            got = f"{column!r} of another type"
            raise InputError(argument, f"name a column of {of}", got, hint)

    def check_key(self, row_key: str) -> None:
        """Refuse keys that systems write differently."""
        kinds: tuple[Kind, ...] = ("whole", "text", "date", "uuid")
        hint = "Cast it to BIGINT or text."
        self.check_kind(row_key, kinds, "row_key", "whole numbers, texts, dates or UUIDs", hint)

    def with_expression(self, column: str, sql: str, kind: Kind) -> Any:
        """Return the frame with one more column."""
        decision = f"CAST({sql} AS {TYPES[kind]})"
        if self.dialect == "duckdb":
            return self.frame.project(f"*, {decision} AS {DIALECTS['duckdb'].column(column)}")
        from pyspark.sql import functions

        return self.frame.withColumn(column, functions.expr(decision))


def _label_kind(*labels: Label) -> Kind:
    kinds: list[tuple[Kind, Any]] = [
        ("flag", bool),
        ("whole", int),
        ("real", int | float),
        ("text", str),
    ]
    mixed = len({isinstance(label, bool) for label in labels}) > 1
    for kind, types in kinds:
        if all(isinstance(label, types) for label in labels) and not mixed:
            return kind
    raise InputError(
        "decider",
        "have labels of one kind: numbers, texts or flags",
        format_list(labels),
    )


def _decide_by_rule(
    table: Table, rule: TableRule, column: str, columns: Mapping[str, str], row_key: str | None
) -> Any:
    if isinstance(rule, MulticlassRule):
        return _decide_among_classes(table, rule, column, columns)
    kind = _label_kind(rule.positive, rule.negative)
    labels = _comparable(kind)
    labeling = {model for part in rule.parts for model in _labeling(part)}
    for model, name in rule.column_names(columns).items():
        if model in labeling:
            table.check_kind(name, labels, "columns", f"labels such as {rule.positive!r}")
        else:
            table.check_kind(name, NUMBERS | {"flag"}, "columns", "numbers")
    if isinstance(rule, GroupedRule):
        groups = _comparable(_label_kind(*rule.rules))
        table.check_kind(rule.group, groups, "group", f"groups such as {next(iter(rule.rules))!r}")
    if isinstance(rule, ReferralRule):
        sql = rule.to_sql(columns=columns, dialect=table.dialect)
        return table.with_expression(column, sql, "text")
    key = row_key or rule.row_key
    if key is not None and rule.has_coin:
        table.check_key(key)
    sql = rule.to_sql(columns=columns, row_key=key, dialect=table.dialect)
    return table.with_expression(column, sql, kind)


def _decide_among_classes(
    table: Table, rule: MulticlassRule, column: str, columns: Mapping[str, str]
) -> Any:
    kind, names = _label_kind(*rule.classes), rule.column_names(columns).values()
    if rule.kind == "own_predictions":
        (name,) = names
        table.check_kind(name, _comparable(kind), "columns", f"labels such as {rule.classes[0]!r}")
    elif rule.kind != "always":
        for name in names:
            table.check_kind(name, NUMBERS, "columns", "probabilities")
    sql = rule.to_sql(columns=columns, dialect=table.dialect)
    return table.with_expression(column, sql, kind)


def _comparable(kind: Kind) -> frozenset[Kind]:
    """Return the kinds of columns to compare with labels; systems convert others differently."""
    return NUMBERS if kind in NUMBERS else frozenset({kind})


def _labeling(part: Expression) -> set[str]:
    if isinstance(part, Joined):
        return _labeling(part.first) | _labeling(part.second)
    if isinstance(part, StackAtLeast):
        return {term.model for term in part.stack.terms if term.kind == "label"}
    return {part.model} if isinstance(part, Predicts) else set()


def _decide_by_models(
    table: Table,
    view: AimedClassifier,
    column: str,
    columns: Mapping[str, str] | Sequence[str] | None,
    row_key: str | None,
    trusted: Iterable[str],
) -> Any:
    # Rows travel as Arrow batches. Only features pass through pandas, which would round integers
    # beyond 2^53 in a column with nulls.
    from pyspark.sql.types import StructType

    features = feature_columns(view, columns)
    for name in features:
        table.kind_of(name, "columns")
    key = (row_key or view.row_key) if len(view.point.mix) > 1 else None
    if key is not None:
        table.check_key(key)
    names = table.columns
    places = [names.index(name) for name in features]
    worker = Worker.of(view, places, None if key is None else names.index(key), trusted)
    # numbered, because Spark cannot map columns with dots in their names
    numbered = table.frame.toDF(*(f"c{place}" for place in range(len(names))))
    schema = StructType(list(numbered.schema.fields)).add("decision", TYPES[worker.kind])
    return numbered.mapInArrow(worker.decide, schema).toDF(*names, column)


def feature_columns(
    view: AimedClassifier, columns: Mapping[str, str] | Sequence[str] | None
) -> list[str]:
    """Return the columns of the features, in fitted order."""
    known = view.hybrid.feature_names_in
    names = None if known is None else [str(name) for name in known]
    if names is not None and (columns is None or isinstance(columns, Mapping)):
        return list(rename_columns(names, columns, "features of the models").values())
    number = view.hybrid.n_features_in
    given = columns if isinstance(columns, list | tuple) else []
    if not given or len(given) != (number or len(given)):
        raise InputError(
            "columns",
            f"list the columns of the {number or 'fitted'} features in their order",
            f"{len(given)} of them" if given else repr(columns),
            "The features have no names."
            if names is None
            else f"The features are: {format_list(names)}.",
        )
    return [str(name) for name in given]


@dataclass(frozen=True, slots=True)
class Worker:
    """A saved hybrid and the places of its columns, to decide rows in another process.

    Attributes
    ----------
    digest, trusted, data
        The saved hybrid, checked as by `rocch.load`.
    features
        The places of the features among the columns.
    key
        The place of the row keys, if coins need them.
    kind
        What the column of decisions holds.
    """

    digest: str
    trusted: tuple[str, ...]
    features: tuple[int, ...]
    key: int | None
    kind: Kind
    data: bytes = field(compare=False, repr=False)

    @classmethod
    def of(
        cls,
        view: AimedClassifier,
        features: Sequence[int],
        key: int | None = None,
        trusted: Iterable[str] = (),
    ) -> Worker:
        """Return the worker of an aimed classifier."""
        trusted = tuple(trusted)
        data = dump_bytes(view, trusted=trusted)
        kind = _label_kind(view.hybrid.positive, view.hybrid.negative)
        return cls(digest_of(data), trusted, tuple(features), key, kind, data)

    @property
    def model(self) -> AimedClassifier:
        """The classifier, loaded once per process."""
        return _load_once(self)

    def decide(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield Arrow batches with their decisions."""
        import pyarrow as pa

        for batch in batches:
            columns = [*batch.columns, self.decisions(batch)]
            yield pa.RecordBatch.from_arrays(columns, names=[*batch.schema.names, "decision"])

    def decisions(self, batch: Any) -> Any:
        """Return the decisions of some rows; null where a coin has no key."""
        import pyarrow as pa
        import pyarrow.compute as pc

        types = {"whole": pa.int64(), "real": pa.float64(), "text": pa.string(), "flag": pa.bool_()}
        decisions = pa.nulls(batch.num_rows, types[self.kind])
        keys = None if self.key is None else batch.column(self.key).cast(pa.string())
        valid = pa.repeat(True, batch.num_rows) if keys is None else keys.is_valid()
        rows = batch.select(self.features).filter(valid)
        if not rows.num_rows:  # models refuse empty input
            return decisions
        texts = None if keys is None else keys.drop_null().to_pylist()
        features, names = rows.to_pandas(), self.model.hybrid.feature_names_in
        known = features.to_numpy() if names is None else features.set_axis(list(names), axis=1)
        labels = self.model.predict(known, row_key=texts)
        return pc.replace_with_mask(decisions, valid, pa.array(labels, types[self.kind]))


@lru_cache(maxsize=4)
def _load_once(worker: Worker) -> AimedClassifier:
    view = load_bytes(worker.data, "the hybrid", digest=worker.digest, trusted=worker.trusted)
    return cast("AimedClassifier", view)
