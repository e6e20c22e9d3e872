"""Hybrids and rules of every form, with rows to decide, for tests of tables."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.hybrid import And, AtLeast, Or, Predicts
from rocch.hybrid.expression import Constant, Expression

ODD = {"a": "a b.c", "b": "`b`", "c": "größe", "d": 'say "d"'}
"""Names of columns that must be quoted."""
THRESHOLDS = (0.1, 1e-300, -1e-300, 5e-324, 1e300, 0.12345678901234568, 123456789012345.67)

PARTS: list[Expression] = [
    Constant(True),
    Constant(False),
    AtLeast("a", 0.25),
    AtLeast("b", float("inf")),
    AtLeast("b", float("-inf")),
    Predicts("c"),
    And(AtLeast("a", 0.1), Predicts("c")),
    Or(AtLeast("a", 1.0), And(AtLeast("b", -0.5), Predicts("c"))),
    *(AtLeast("a", threshold) for threshold in THRESHOLDS),
]


def scored_rows(rows: int = 200) -> dict[str, Any]:
    """Return rows with scores of two models, labels of a third, and keys."""
    rng = np.random.default_rng(5)
    a = rng.normal(size=rows)
    a[: len(THRESHOLDS)] = THRESHOLDS
    a[7:10] = (float("inf"), float("-inf"), 0.0)
    labels = np.where(rng.random(rows) < 0.5, "it's \\ $bad", "good")
    key = [10**17 + 7 * row for row in range(rows)]
    return {"a": a, "b": rng.normal(size=rows), "c": labels.tolist(), "id": key}


def rules_of(positive: Any = "it's \\ $bad", negative: Any = "good") -> list[rocch.hybrid.Rule]:
    """Return rules of one part, and with a coin between two."""
    mixes: list[Any] = [((1.0, part),) for part in PARTS]
    mixes += [((1 - p, PARTS[2]), (p, PARTS[7])) for p in (0.0, 0.3, 0.5, 1 - 2**-53, 1.0)]
    mixes += [((0.25, PARTS[6]), (0.75, PARTS[1]))]
    return [
        rocch.hybrid.Rule(mix, positive, negative, 0.1, 0.9, seed=3, row_key="id") for mix in mixes
    ]


def arrow(columns: dict[str, Any], **types: Any) -> pa.Table:
    """Return columns as a table."""
    return pa.table({n: pa.array(v, types.get(n)) for n, v in columns.items()})


def rows_of_features(rows: int = 300) -> pd.DataFrame:
    """Return rows of features under names of every kind."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=["age", "in come", "x.y"])
    frame["age"] = frame["age"].astype("float32")
    return frame


def fitted(labels: tuple[Any, Any] = ("good", "bad"), *, named: bool = True) -> Any:
    """Return a hybrid of two fitted models, on rows of features; each is fitted once."""
    return _fitted(repr(labels), labels, named)  # to Python (0, 1) is the same as (False, True)


@functools.cache
def _fitted(_written: str, labels: tuple[Any, Any], named: bool) -> Any:
    X = rows_of_features()
    rng = np.random.default_rng(9)
    positive = X.sum(axis=1).to_numpy() + rng.normal(size=len(X)) > 0
    y = np.array(labels)[positive.astype(int)]
    models = [("nb", GaussianNB()), ("lr", LogisticRegression())]
    model = rocch.RocchClassifier(models, pos_label=labels[1], cv=3)
    return model.fit(X if named else X.to_numpy(), y)
