"""The five models, the hybrid made of them, and how they score the rows still to come."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import rocch
from rocch.hybrid import ScoreColumn

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, IntArray
    from studies.drifting.world import Plan
    from studies.workbench.tables import Source, Table


@dataclass(frozen=True)
class Task:
    """A data set: its name in the source, what to call it, and which columns to use (all)."""

    name: str
    title: str
    columns: tuple[str, ...] = ()

    def generator(self, repetition: int) -> np.random.Generator:
        """Return the generator of one repetition on these data."""
        return np.random.default_rng((zlib.crc32(self.name.encode()), repetition))


@dataclass(frozen=True, eq=False)
class Rows:
    """Features and classes of rows, each row once."""

    features: pd.DataFrame
    positive: BoolArray

    def part(self, chosen: IntArray) -> Rows:
        """Return some of the rows."""
        return Rows(self.features.iloc[chosen], self.positive[chosen])


@dataclass(frozen=True, eq=False)
class House:
    """Everything that was there when the year began.

    Attributes
    ----------
    hybrid
        Of all models. Its rows are the models' scores, so that each row is scored only once.
    single
        The same of the model with the largest out-of-fold AUC alone.
    best, calibrated
        The models with the largest out-of-fold AUC and with the least out-of-fold log loss.
    judged, positive
        The training rows' out-of-fold scores, and their classes.
    """

    hybrid: rocch.RocchClassifier
    single: rocch.RocchClassifier
    best: str
    calibrated: str
    judged: pd.DataFrame
    positive: BoolArray

    @property
    def prevalence(self) -> float:
        """The share of positives among the training rows."""
        return float(self.positive.mean())


def rows_of(source: Source, task: Task) -> Rows:
    """Load a task's rows; of those that are equal in everything only the first stays.

    Otherwise a row could be trained on and met again.
    """
    table: Table = source.load(task.name)
    features = table.features[list(task.columns)] if task.columns else table.features
    first = np.flatnonzero(~features.assign(**{"the class": table.target}).duplicated())
    return Rows(features.reset_index(drop=True), table.positive).part(first)


def split(rows: Rows, plan: Plan, rng: np.random.Generator) -> tuple[Rows, IntArray]:
    """Return training rows (at most half) and the places of the rows to draw from."""
    size = min(plan.training, rows.positive.size // 2)
    training, others = train_test_split(
        np.arange(rows.positive.size),
        train_size=size,
        stratify=rows.positive,
        random_state=int(rng.integers(2**31)),
    )
    return rows.part(training), np.sort(others[: plan.pool])


def models(features: pd.DataFrame, trees: int) -> list[tuple[str, Any]]:
    """Return five unfitted pipelines of different kinds."""
    return [
        (name, make_pipeline(_columns(features), model))
        for name, model in (
            ("logistic", LogisticRegression(max_iter=2000)),
            ("bayes", GaussianNB(var_smoothing=1e-3)),
            ("neighbors", KNeighborsClassifier(25)),
            ("forest", RandomForestClassifier(trees, min_samples_leaf=2, random_state=0)),
            (
                "boosting",
                GradientBoostingClassifier(
                    n_estimators=trees, subsample=0.5, max_features="sqrt", random_state=0
                ),
            ),
        )
    ]


def _columns(features: pd.DataFrame) -> ColumnTransformer:
    """Numbers: medians for missing ones, then scaled. Names: one column each, missing is one."""
    nominal = list(features.select_dtypes(exclude="number").columns)
    numeric = [name for name in features if name not in nominal]
    numbers = make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler()
    )
    names = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    return ColumnTransformer([("numbers", numbers, numeric), ("names", names, nominal)])


def train(rows: Rows, pool: Rows, trees: int) -> tuple[House, pd.DataFrame]:
    """Fit and judge the models; return what is known, and their scores of the pool."""
    candidates = models(rows.features, trees)
    hybrid = rocch.RocchClassifier(candidates, cv=5, stack=False).fit(rows.features, rows.positive)
    fitted = _all_fitted(hybrid, candidates, rows)
    scores = {name: model.predict_proba(pool.features)[:, 1] for name, model in fitted.items()}
    return _known(hybrid), pd.DataFrame(scores)


def _all_fitted(
    hybrid: rocch.RocchClassifier, candidates: list[tuple[str, Any]], rows: Rows
) -> dict[str, Any]:
    """Return every model as deployed; those that the hull left out are fitted here."""
    kept = hybrid.named_estimators_
    return {
        name: kept[name] if name in kept else clone(model).fit(rows.features, rows.positive)
        for name, model in candidates
    }


def _known(hybrid: rocch.RocchClassifier) -> House:
    judged = hybrid.out_of_fold_
    scores, positive = pd.DataFrame(dict(judged.scores)), judged.positive
    best = max(scores, key=lambda name: rocch.auc(positive, scores[name].to_numpy()))
    return House(
        hybrid=column_hybrid(scores, positive),
        single=column_hybrid(scores[[best]], positive),
        best=str(best),
        calibrated=str(min(scores, key=lambda name: log_loss(positive, scores[name]))),
        judged=scores,
        positive=positive,
    )


def column_hybrid(scores: pd.DataFrame, positive: BoolArray) -> rocch.RocchClassifier:
    """Return the hybrid of models whose scores are at hand, judged on these rows."""
    columns = [(name, FrozenEstimator(ScoreColumn(name, (False, True)))) for name in scores]
    return rocch.RocchClassifier(columns, stack=False).fit(scores, positive)
