"""What the paper proves of the hybrid, on the rows that built it (Provost and Fawcett, section 3).

Theorems hold for the stored out-of-fold scores; nothing here looks at predictions of refitted
models on the rows they were fitted on.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rocch
from tests.support.columns import ColumnLabels, ColumnScores, scored_columns
from tests.support.hybrids import hull_hybrid
from tests.support.oracles import curves
from tests.support.strategies import judged_table

DATA = Path(__file__).parents[3] / "shared" / "data"

SLOPES = np.concatenate(([0.0], np.logspace(-4, 4, 199), [np.inf]))


def conditions_of(slope: float) -> rocch.Conditions:
    """Return conditions with a slope, at prevalence one half."""
    if np.isinf(slope):
        return rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=0)
    return rocch.Conditions(prevalence=0.5, false_positive=slope, false_negative=1)


class Labeller(NearestCentroid):  # type: ignore[misc] # scikit-learn is untyped
    """A classifier that only labels."""

    predict_proba = decision_function = property()


def models() -> list[tuple[str, Any]]:
    return [
        ("nb", GaussianNB()),
        ("lr", make_pipeline(StandardScaler(), LogisticRegression())),
        ("ridge", RidgeClassifier()),
        ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
        ("forest", RandomForestClassifier(20, max_depth=5, random_state=0)),
        ("gbm", GradientBoostingClassifier(n_estimators=20, random_state=0)),
        ("centroid", Labeller()),
    ]


def components_points(judged: Any) -> list[tuple[int, int]]:
    """Return every component's counts at every threshold, counted one by one."""
    positive = judged.positive.tolist()
    return sorted(
        {
            (fp, tp)
            for scores in judged.scores.values()
            for fp, tp, _ in curves.points(positive, scores.astype(float).tolist())
        }
    )


def whole_cost(counts: Any, positive: Any, slope: float) -> Any:
    """Return costs at counts, scaled to whole numbers: slope x FPR + 1 - TPR without rounding."""
    fp, tp = counts
    p, n = int(positive.sum()), int((~positive).sum())
    over, under = (1, 0) if np.isinf(slope) else Fraction(slope).as_integer_ratio()
    return over * fp * p + under * (p - tp) * n


def check_theorem_4(model: rocch.RocchClassifier) -> None:
    judged = model.out_of_fold_
    positive = judged.positive
    known = np.array(components_points(judged), dtype=object).T
    for slope in SLOPES:
        point = model.at(conditions_of(slope), exact=True).point
        alarms = _rule_alarms(point, judged)  # what the rule does on the stored scores, anew
        fp, tp = int((alarms & ~positive).sum()), int((alarms & positive).sum())
        assert whole_cost((fp, tp), positive, slope) <= whole_cost(known, positive, slope).min()
        assert (fp, tp) == (point.point.false_positives, point.point.true_positives)


def _rule_alarms(point: Any, judged: Any) -> Any:
    """Apply the deployed rule to stored scores by hand."""
    place = point.point
    if place.threshold is None and place.fpr in (0, 1) and place.fpr == place.tpr:
        return np.full(judged.positive.size, bool(place.fpr))
    scores = judged.scores[place.classifier]
    return scores if scores.dtype == bool else scores >= place.threshold


def test_theorem_4_on_breast_cancer() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    check_theorem_4(hull_hybrid(models(), cv=5).fit(X, y))


def test_theorem_4_on_hard_generated_data() -> None:
    X, y = make_classification(500, 8, n_informative=3, flip_y=0.25, weights=[0.85], random_state=1)
    check_theorem_4(hull_hybrid(models(), cv=4, refit=False).fit(X, y))


@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not beside the repository")
@pytest.mark.parametrize("name", ["pima", "creditcard_sample"])
def test_theorem_4_on_real_data(name: str) -> None:
    import pandas as pd

    frame = pd.read_csv(DATA / f"{name}.csv")
    X, y = frame.drop(columns="target").to_numpy(), frame["target"].to_numpy()
    check_theorem_4(hull_hybrid(models()[:4], cv=5).fit(X, y))


@given(judged_table(models=3, largest=20), st.integers(0, 200))
def test_theorem_4_on_any_scores(table: Any, which: int) -> None:
    labels, scores = table
    X = scored_columns(*(np.clip(column, -1e300, 1e300) for column in scores.values()))
    y = np.array(labels)
    frozen = [
        (name, FrozenEstimator(ColumnScores(column).fit(X, y)))
        for column, name in enumerate(scores)
    ]
    model = hull_hybrid(frozen).fit(X, y)
    slope = SLOPES[which]
    alarms = model.at(conditions_of(slope), exact=True).predict(X)
    mine = int((alarms & ~y).sum()), int((alarms & y).sum())
    known = components_points(model.out_of_fold_)
    assert whole_cost(mine, y, slope) <= min(whole_cost(counts, y, slope) for counts in known)


@pytest.fixture(scope="module")
def crossing() -> tuple[Any, Any, rocch.RocchClassifier]:
    """Return 40,000 distinct rows, and a hybrid of two crossing rankers and a rule."""
    rng = np.random.default_rng(5)
    y = rng.random(40_000) < 0.3
    early = np.where(y & (rng.random(y.size) < 0.4), 2 + rng.random(y.size), rng.random(y.size))
    late = np.where(~y & (rng.random(y.size) < 0.5), rng.random(y.size) - 2, rng.random(y.size))
    rule = np.where(rng.random(y.size) < np.where(y, 0.7, 0.2), 1.0, 0.0)
    X = scored_columns(early, late, rule)
    frozen = [
        ("early", FrozenEstimator(ColumnScores(0).fit(X, y))),
        ("late", FrozenEstimator(ColumnScores(1).fit(X, y))),
        ("rule", FrozenEstimator(ColumnLabels(2).fit(X, y))),
    ]
    half = slice(0, 20_000)
    return X, y, hull_hybrid(frozen).fit(X[half], y[half])


@pytest.mark.parametrize("max_fpr", [0.01, 0.05, 0.11, 0.3, 0.45])
def test_neyman_pearson_with_a_coin_reaches_the_hull(
    crossing: tuple[Any, Any, rocch.RocchClassifier], max_fpr: float
) -> None:
    X, y, model = crossing
    view = model.at(rocch.NeymanPearson(max_fpr), randomize=True)
    assert view.point.fpr == pytest.approx(max_fpr, abs=1e-12)
    assert view.point.tpr == pytest.approx(model.hull_.tpr_at(max_fpr), abs=1e-12)
    X, y = X[:20_000], y[:20_000]
    answers = view.predict(X)
    chance = view.decision_probability(X)
    for rows, promised in ((~y, view.point.fpr), (y, view.point.tpr)):
        expected = chance[rows].mean()
        assert expected == pytest.approx(promised, abs=1e-12)  # exact in expectation
        spread = np.sqrt((chance[rows] * (1 - chance[rows])).sum()) / rows.sum()
        assert abs(answers[rows].mean() - promised) <= 4 * spread + 1e-12


def test_neyman_pearson_carries_over_to_rows_of_the_same_kind(
    crossing: tuple[Any, Any, rocch.RocchClassifier],
) -> None:
    X, y, model = crossing
    view = model.at(rocch.NeymanPearson(0.05), randomize=True)
    new, truth = X[20_000:], y[20_000:]
    answers = view.predict(new)
    for rows, promised in ((~truth, view.point.fpr), (truth, view.point.tpr)):
        noise = np.sqrt(2 * promised * (1 - promised) / rows.sum())  # both samples have some
        assert abs(answers[rows].mean() - promised) <= 4 * noise


def test_the_hybrid_beats_every_component(
    crossing: tuple[Any, Any, rocch.RocchClassifier],
) -> None:
    """Section 3.7: between vertices the hull lies above the highest component curve."""
    _, _, model = crossing
    beaten = 0
    for max_fpr in np.linspace(0.01, 0.6, 60):
        mixed = model.at(rocch.NeymanPearson(max_fpr), randomize=True).point
        plain = model.at(rocch.NeymanPearson(max_fpr)).point
        singles = [
            max(tpr for fpr, tpr in zip(c.fpr, c.tpr, strict=True) if fpr <= max_fpr)
            for c in (
                rocch.RocCurve.from_rows(model.out_of_fold_, name)
                for name in ("early", "late", "rule")
            )
        ]
        assert plain.tpr == max(singles)  # without a coin: the best point of any curve
        assert mixed.tpr >= plain.tpr
        assert mixed.tpr - plain.tpr == pytest.approx(plain.randomizing_gains, abs=1e-12)
        beaten += mixed.tpr > plain.tpr + 0.005
    assert beaten > 10


def test_only_the_models_needed_are_asked(
    crossing: tuple[Any, Any, rocch.RocchClassifier],
) -> None:
    X, _, model = crossing
    names = model.hybrid_.components
    before = {n: c.estimator.asked_ for n, c in names.items() if n != "rule"}
    view = model.at(rocch.NeymanPearson(0.001))
    assert view.rule.models == ("early",)
    view.predict(X[:100])
    after = {n: c.estimator.asked_ for n, c in names.items() if n != "rule"}
    assert after == {**before, "early": before["early"] + 100}
    never = model.at(rocch.NeymanPearson(0), randomize=False)
    if never.point.tpr == 0:
        assert never.rule.models == ()
