"""Decide a table where it lies: from scores that it holds, or by models that travel to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocch.deploy.by_models import with_models
from rocch.deploy.by_rule import with_rule
from rocch.deploy.tables import SparkTable, new_column, table_of
from rocch.errors import bad_input, kind_of
from rocch.hybrid.aimed import AimedClassifier
from rocch.hybrid.classifier import RocchClassifier
from rocch.hybrid.rule import Rule
from rocch.hybrid.saving import load
from rocch.roc.operating_point import OperatingPoint, RocPoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
    >>> rocch.decide_frame(table, hull.best(rocch.NeymanPearson(0))).order("id").fetchall()
    [(1, Decimal('0.9'), True), (2, Decimal('0.2'), False), (3, None, None)]
    """
    table = table_of(frame)
    column = new_column(table, column)
    if row_key is not None and not isinstance(row_key, str):
        raise bad_input("row_key", "name a column of the table", repr(row_key), "Pass its name.")
    who = _who(decider, criterion, digest, trusted)
    read = None if isinstance(who, Rule) else _columns_read(who)
    if isinstance(who, AimedClassifier) and read is not None:
        who, columns = who.rule, read | dict(_by_name(columns) or {})
    if isinstance(who, Rule):
        return with_rule(table, who, column, columns=_by_name(columns), row_key=row_key)
    if not isinstance(table, SparkTable):
        raise bad_input(
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
        raise bad_input("digest", "come with a path", kind_of(decider), "Pass the saved file.")
    if isinstance(decider, RocchClassifier):
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(decider, "hybrid_")
        return decider.default_ if criterion is None else decider.at(criterion)
    if criterion is not None:
        raise bad_input(
            "criterion", "be left out", "one for what is aimed already", "Aim the hybrid anew."
        )
    if isinstance(decider, OperatingPoint | RocPoint):
        return Rule.from_point(decider)
    if not isinstance(decider, Rule | AimedClassifier):
        raise bad_input(
            "decider",
            "be a rule, an operating point, a binary hybrid, or the path of a saved one",
            kind_of(decider),
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
    raise bad_input(
        "columns", "map models to columns of scores", repr(columns), "For example: {'nb': 'nb_v7'}."
    )
