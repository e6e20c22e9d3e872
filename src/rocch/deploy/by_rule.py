"""Deciding from scores that a table holds already: the rule becomes an expression of the system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.deploy.tables import Kind, Table, check_key, kind_in, label_kind
from rocch.errors import bad_input
from rocch.hybrid.expression import Expression, Joined, Says

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.hybrid.rule import Rule

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
    labelling = {model for _, part in rule.mix for model in _labelling(part)}
    for model, name in rule.column_names(columns).items():
        if model in labelling:
            _check_labels(table, name, kind, rule.positive)
        else:
            _check_scores(table, name)
    key = row_key or rule.row_key
    if key is not None and len(rule.mix) > 1:
        check_key(table, key)
    sql = rule.to_sql(columns=columns, row_key=key, dialect=table.dialect)
    return table.with_expression(column, sql, kind)


def _labelling(part: Expression) -> set[str]:
    """Return the models that only label."""
    if isinstance(part, Joined):
        return _labelling(part.first) | _labelling(part.second)
    return {part.model} if isinstance(part, Says) else set()


def _check_scores(table: Table, column: str) -> None:
    if kind_in(table, column, "columns") not in NUMBERS | {"flag"}:
        raise bad_input(
            "columns", "name columns of numbers", f"{column!r} of another type", "Cast it first."
        )


def _check_labels(table: Table, column: str, kind: Kind, positive: Any) -> None:
    """Refuse labels of another type, which a system might convert in a way of its own."""
    found = kind_in(table, column, "columns")
    if found != kind and not {found, kind} <= NUMBERS:
        raise bad_input(
            "columns",
            f"name columns of labels such as {positive!r}",
            f"{column!r} of another type",
            "Cast it first.",
        )
