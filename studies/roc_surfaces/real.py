"""Standard data: a surface found on one half of the rows, and what it keeps on the other.

Also a forest's errors out of fold, with folds in the order of the rows and with shuffled ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch
from studies.roc_surfaces.kept import cost_of, drawn_costs, ruled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray
    from studies.workbench.tables import Source, Table

    AnyArray = np.ndarray[Any, Any]

OFFICIAL = {"satimage": 4435, "ann_thyroid": 3772}
"""So many first rows are for training. Neighboring pixels of satimage share their values, so that
parts taken at random would know each other's rows."""
MOST_ROWS = 1500
"""Larger halves are thinned to so many rows, in proportion to the classes."""
MOST_FOR_RATES = 4
"""With more classes the surface trades off misses only."""


class Half(NamedTuple):
    """Rows and their classes."""

    X: FloatArray
    y: AnyArray


def halves(table: Table, split: int) -> tuple[Half, Half]:
    """Return the rows to search on and those to check on."""
    rows = np.arange(len(table.target))
    if table.name in OFFICIAL:
        first = OFFICIAL[table.name]
        parts = [rows[:first], rows[first:]]
    else:
        parts = train_test_split(rows, test_size=0.5, stratify=table.target, random_state=split)
    X = table.features.to_numpy(dtype=np.float64)
    thinned = [_thinned(part, table.target, split) for part in parts]
    left, right = (Half(X[part], table.target[part]) for part in thinned)
    return left, right


def _thinned(rows: AnyArray, target: AnyArray, split: int) -> AnyArray:
    if len(rows) <= MOST_ROWS:
        return rows
    kept, _ = train_test_split(
        rows, train_size=MOST_ROWS, stratify=target[rows], random_state=split
    )
    return np.sort(kept)


def makers(kind: str) -> list[tuple[str, Any]]:
    """Return the paper's two families, or classifiers that are judged out of fold."""
    if kind == "k-nn":
        return [("k-nn", rocch.hybrid.KnnFamily())]
    if kind == "MLP":
        return [("MLP", rocch.hybrid.MlpFamily())]
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
    forest = RandomForestClassifier(100, min_samples_leaf=2, random_state=0)
    return [("logistic", logistic), ("forest", forest), ("bayes", GaussianNB())]


def objectives_for(classes: int) -> str:
    """Return what a surface of so many classes trades off here."""
    return "rates" if classes <= MOST_FOR_RATES else "misses"


def kept_promises(
    source: Source, name: str, kind: str, split: int, generations: int, matrices: int
) -> dict[str, Any]:
    """Find a surface on one half, aim it at costs drawn at random, and check on the other half."""
    table = source.load(name)
    judged, held = halves(table, split)
    labels, counts = np.unique(judged.y, return_counts=True)
    hybrid = rocch.RocSurfaceClassifier(
        makers(kind),
        cv=int(min(5, counts.min())),
        objectives=objectives_for(len(labels)),
        generations=generations,
        stack=False,
        random_state=split,
    ).fit(judged.X, judged.y)
    costs = drawn_costs(hybrid.surface_.classes, matrices, seed=split)
    posteriors = hybrid.default_.predict_proba(held.X)
    return {
        **_aimed(hybrid, held, costs),
        **ruled(posteriors, held.y, costs),
    }


def _aimed(hybrid: Any, held: Half, matrices: Sequence[rocch.CostMatrix]) -> dict[str, FloatArray]:
    """Return what the hybrid promises and keeps for each cost matrix."""
    known: dict[int, AnyArray] = {}
    views = [hybrid.at(costs) for costs in matrices]
    kept = [
        cost_of(held.y, _answers(view, held, known), costs)
        for view, costs in zip(views, matrices, strict=True)
    ]
    promised = [view.point.expected_cost for view in views]
    return {"promised": np.array(promised), "kept": np.array(kept)}


def _answers(view: Any, held: Half, known: dict[int, AnyArray]) -> AnyArray:
    """Answer the rows held out; a member that was asked before is not asked again."""
    place = view.point.member.place
    if place is None:  # a rule of the costs, which has no place on the surface
        return np.asarray(view.predict(held.X))
    if place not in known:
        known[place] = view.predict(held.X)
    return known[place]


def errors_by_order(source: Source, name: str, split: int) -> dict[str, Any]:
    """Return a forest's share of errors: by folds in order, by shuffled folds, and held out."""
    judged, held = halves(source.load(name), split)
    forest = dict(makers("classifiers"))["forest"]

    def out_of_fold(folds: StratifiedKFold) -> float:
        answers = cross_val_predict(forest, judged.X, judged.y, cv=folds)
        return float(np.mean(answers != judged.y))

    refitted = forest.fit(judged.X, judged.y)
    return {
        "in order": out_of_fold(StratifiedKFold(5)),
        "shuffled": out_of_fold(StratifiedKFold(5, shuffle=True, random_state=split)),
        "held out": float(np.mean(refitted.predict(held.X) != held.y)),
    }
