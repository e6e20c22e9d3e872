"""Expressions decide lazily, read as words, become SQL, and go through JSON unchanged."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.hybrid import And, AtLeast, Or, Predicts, Stack, StackAtLeast, Term
from rocch.hybrid.coin import SqlWriter
from rocch.hybrid.expression import Constant, Expression, expression_from

TERMS = st.tuples(
    st.builds(
        Term,
        st.sampled_from("ab"),
        st.just("score"),
        st.floats(0, 2),
        st.floats(-1, -0.5),
        st.floats(0.5, 1),
    ),
    st.builds(Term, st.just("c"), st.just("label"), st.floats(0, 2), st.just(0.0), st.just(1.0)),
)
LEAVES = st.one_of(
    st.builds(StackAtLeast, st.builds(Stack, st.floats(-1, 1), TERMS), st.floats(-2, 2)),
    st.builds(Constant, st.booleans()),
    st.builds(AtLeast, st.sampled_from("ab"), st.floats(-1, 1)),
    st.builds(Predicts, st.just("c")),
)
EXPRESSIONS = st.recursive(
    LEAVES, lambda inner: st.builds(And, inner, inner) | st.builds(Or, inner, inner)
)


class Table:
    """Columns as a batch; notes who was asked about how many rows."""

    def __init__(self, **columns: Any) -> None:
        self.columns = {name: np.asarray(column) for name, column in columns.items()}
        self.asked: list[tuple[str, int]] = []

    def __len__(self) -> int:
        return next(iter(self.columns.values())).size

    def scores(self, model: str, rows: Any = None) -> Any:
        column = self.columns[model] if rows is None else self.columns[model][rows]
        self.asked.append((model, column.size))
        return column

    alarms = scores


WRITER = SqlWriter.of("duckdb", {name: name for name in "abc"})


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(0)
    return Table(a=rng.uniform(-1, 1, 50), b=rng.uniform(-1, 1, 50), c=rng.random(50) < 0.5)


def eager(part: Expression, row: dict[str, Any]) -> bool:
    """Decide one row by the definition."""
    match part:
        case Constant(alarm):
            return alarm
        case AtLeast(model, threshold):
            return bool(row[model] >= threshold)
        case Predicts(model):
            return bool(row[model])
        case StackAtLeast(stack, threshold):
            total = stack.intercept
            for term in stack.terms:
                total += term.weight * min(max(float(row[term.model]), term.low), term.high)
            return total >= threshold
        case And(first, second):
            return eager(first, row) and eager(second, row)
        case Or(first, second):
            return eager(first, row) or eager(second, row)


@given(EXPRESSIONS)
def test_lazy_is_eager(part: Expression) -> None:
    rng = np.random.default_rng(1)
    batch = Table(a=rng.uniform(-1, 1, 30), b=rng.uniform(-1, 1, 30), c=rng.random(30) < 0.5)
    rows = [{n: c[i] for n, c in batch.columns.items()} for i in range(30)]
    expected = [eager(part, row) for row in rows]
    assert part.alarms(batch).tolist() == expected
    some = np.array([3, 7, 8, 29])
    assert part.alarms(batch, some).tolist() == [expected[i] for i in some]


@given(EXPRESSIONS)
def test_json_keeps_everything(part: Expression) -> None:
    again = expression_from(json.loads(json.dumps(part.to_dict())))
    assert again == part
    assert again.words() == part.words()


@given(EXPRESSIONS)
def test_sql_decides_alike(part: Expression) -> None:
    rng = np.random.default_rng(1)
    batch = Table(a=rng.uniform(-1, 1, 30), b=rng.uniform(-1, 1, 30), c=rng.random(30) < 0.5)
    a, b, c = batch.columns.values()
    values = ", ".join(
        f"({i}, {x!r}, {y!r}, {'yes' if z else 'no'!r})"
        for i, (x, y, z) in enumerate(zip(a.tolist(), b.tolist(), c.tolist(), strict=True))
    ).replace(", yes)", ", 'yes')")
    condition = part.sql(WRITER, "'yes'")
    answers = duckdb.execute(
        f"SELECT {condition} FROM (VALUES {values}) AS t(i, a, b, c) ORDER BY i"  # noqa: S608
    ).fetchall()
    assert [row[0] for row in answers] == part.alarms(batch).tolist()


@given(EXPRESSIONS)
def test_python_decides_alike(part: Expression) -> None:
    rng = np.random.default_rng(1)
    batch = Table(a=rng.uniform(-1, 1, 30), b=rng.uniform(-1, 1, 30), c=rng.random(30) < 0.5)
    rows = {**batch.columns, "c": np.where(batch.columns["c"], "it's", "no")}
    frame = pd.DataFrame(rows)
    found = eval(part.python("it's"), {"np": np, "rows": frame})  # noqa: S307 - our own text
    assert np.asarray(found).tolist() == part.alarms(batch).tolist()


def test_the_second_part_is_asked_only_where_it_matters() -> None:
    batch = Table(a=[0.9, 0.1, 0.8, 0.2], b=[0.9, 0.9, 0.1, 0.1])
    And(AtLeast("a", 0.5), AtLeast("b", 0.5)).alarms(batch)
    assert batch.asked == [("a", 4), ("b", 2)]
    batch.asked.clear()
    Or(AtLeast("a", 0.0), AtLeast("b", 0.5)).alarms(batch)
    assert batch.asked == [("a", 4)]


def test_words() -> None:
    part = Or(And(AtLeast("gbm", 0.25), Predicts("rules")), AtLeast("nb", 0.1234567, "0.12"))
    assert part.words() == "((gbm >= 0.25 and rules alarms) or nb >= 0.12)"
    assert part.models == ("gbm", "rules", "nb")
    assert Constant(True).words() == "always"


def test_infinite_thresholds_in_sql() -> None:
    stack = Stack(0.0, (Term("a", "score", 1.0, -1.0, 1.0),))
    for part, wanted in ((AtLeast("a", np.inf), False), (StackAtLeast(stack, -np.inf), True)):
        query = f"SELECT {part.sql(WRITER, '1')} FROM (VALUES (1.0)) AS t(a)"  # noqa: S608
        assert duckdb.execute(query).fetchall() == [(wanted,)]


@pytest.mark.parametrize("data", [{}, {"model": 3}, {"model": "a", "at_least": "x"}, {"and": []}])
def test_foreign_data_is_refused(data: Any) -> None:
    with pytest.raises(rocch.InputError, match=r"rule must be a rule of version 1; got \{"):
        expression_from(data)
