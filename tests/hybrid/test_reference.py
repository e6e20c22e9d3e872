"""The batch of a prevalence estimate is scored by the models that scored the labeled rows."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import rocch

if TYPE_CHECKING:
    from pathlib import Path

MODELS = [("nb", GaussianNB()), ("lr", LogisticRegression())]


# Two that differ, so that both get weight.
STACKED = [("lr", LogisticRegression()), ("knn", KNeighborsClassifier(25))]


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any, Any]:
    X, y = make_classification(1400, 6, n_informative=4, flip_y=0.1, random_state=3)
    return X[:600], y[:600], X[600:]


def again(model: rocch.RocchClassifier, path: Path) -> Any:
    rocch.save(model, path)
    return rocch.load(path)


def by_hand(model: Any, X: Any, y: Any, batch: Any, splits: Any) -> Any:
    """Estimate by logistic regression, from one column of scores for each split."""
    fitted = [LogisticRegression().fit(X[train], y[train]) for train, _ in splits]
    columns = np.column_stack([each.predict_proba(batch)[:, 1] for each in fitted])
    curve = rocch.RocCurve.from_rows(model.out_of_fold_.once(), "lr")
    sizes = np.bincount(model.out_of_fold_.once().folds, minlength=len(fitted))
    return rocch.stats.estimate_prevalence(curve, columns, fold_rows=sizes)


@pytest.mark.parametrize("refit", [True, False])
def test_fold_models_score_the_batch(data: Any, tmp_path: Path, refit: bool) -> None:
    X, y, batch = data
    model = rocch.RocchClassifier(MODELS, cv=4, refit=refit).fit(X, y)
    expected = by_hand(model, X, y, batch, StratifiedKFold(4).split(X, y))
    assert model.estimate_prevalence(batch, model="lr") == expected
    assert again(model, tmp_path / "m").estimate_prevalence(batch, model="lr") == expected
    deployed = model.hybrid_.components["lr"].scores(batch)
    curve = model.hybrid_.reference_curve("lr")
    assert rocch.stats.estimate_prevalence(curve, deployed) != expected


@pytest.mark.parametrize("repeats", [1, 2])
def test_the_stack_is_made_of_fold_models(data: Any, tmp_path: Path, repeats: int) -> None:
    X, y, batch = data
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=repeats, random_state=0)
    model: Any = rocch.RocchClassifier(STACKED, cv=cv).fit(X, y)
    assert set(model.stack_.weights) == {"lr", "knn"}

    def log_odds(probabilities: Any) -> Any:
        total = model.stack_.intercept
        for term in model.stack_.terms:
            inside = np.clip(probabilities[term.model], term.low, term.high)
            total = total + term.weight * np.log(inside / (1 - inside))
        return total

    columns = []
    for train, _ in list(cv.split(X, y))[:4]:
        fitted = {name: clone(each).fit(X[train], y[train]) for name, each in STACKED}
        columns.append(log_odds({n: m.predict_proba(batch)[:, 1] for n, m in fitted.items()}))
    rows = model.out_of_fold_.once()
    curve = rocch.RocCurve.from_scores(rows.positive, log_odds(rows.scores))
    expected = rocch.stats.estimate_prevalence(
        curve, np.column_stack(columns), fold_rows=np.bincount(rows.folds)
    )
    for each in (model, again(model, tmp_path / "m")):
        found = each.estimate_prevalence(batch, model="stack")
        assert found.prevalence == pytest.approx(expected.prevalence, abs=1e-6)
        assert found.p_value == pytest.approx(expected.p_value, rel=1e-3)
        assert (found.classifier, found.rows) == ("stack", 800)


def test_each_fold_counts_by_the_rows_it_scored(data: Any, tmp_path: Path) -> None:
    X, y, batch = data
    uneven = [(np.arange(100, 600), np.arange(100)), (np.arange(100), np.arange(100, 600))]
    model: Any = rocch.RocchClassifier(MODELS, cv=uneven).fit(X, y)
    assert model.reference_.fold_rows == [100, 500]
    assert model.estimate_prevalence(batch, model="lr") == by_hand(model, X, y, batch, uneven)
    # the last split holds out rows of the others only
    late = [*uneven, (np.arange(300), np.arange(300, 400))]
    model = rocch.RocchClassifier(MODELS, cv=late).fit(X, y)
    assert model.reference_.fold_rows == [100, 500, 0]
    expected = by_hand(model, X, y, batch, uneven)
    found = again(model, tmp_path / "m").estimate_prevalence(batch, model="lr")
    assert (found.prevalence, found.p_value) == (expected.prevalence, expected.p_value)


def test_models_deployed_as_evaluated_need_no_others(data: Any, tmp_path: Path) -> None:
    X, y, batch = data
    frozen = [(name, FrozenEstimator(clone(each).fit(X[:300], y[:300]))) for name, each in MODELS]
    model: Any
    hold_out = rocch.RocchClassifier(MODELS, cv=0.3, refit=False, random_state=0).fit(X, y)
    for model in (rocch.RocchClassifier(frozen, keep_folds=False).fit(X[300:], y[300:]), hold_out):
        assert not model.reference_.folds
        scores = model.hybrid_.components["lr"].scores(batch)
        curve = model.hybrid_.reference_curve("lr")
        expected = rocch.stats.estimate_prevalence(curve, scores)
        assert model.estimate_prevalence(batch, model="lr") == expected
        assert again(model, tmp_path / "m").estimate_prevalence(batch, model="lr") == expected


def test_held_out_rows_are_scored_by_the_deployed_stack(data: Any) -> None:
    X, y, batch = data
    model: Any = rocch.RocchClassifier(
        STACKED, check_size=0.3, keep_folds=False, random_state=1
    ).fit(X, y)
    held = np.setdiff1d(np.arange(600), model.out_of_fold_.index)
    deployed = model.at(rocch.ErrorRate())
    odds = [p[:, 1] / p[:, 0] for p in map(deployed.predict_proba, (X[held], batch))]
    curve = rocch.RocCurve.from_scores(y[held], np.log(odds[0]))
    expected = rocch.stats.estimate_prevalence(curve, np.log(odds[1]))
    found = model.estimate_prevalence(batch, model="stack")
    assert found.prevalence == pytest.approx(expected.prevalence, abs=1e-6)


def test_held_out_rows_replace_fold_models(data: Any, tmp_path: Path) -> None:
    X, y, batch = data
    model: Any = rocch.RocchClassifier(MODELS, check_size=0.3, keep_folds=False, random_state=1)
    model.fit(X, y)
    held = np.setdiff1d(np.arange(600), model.out_of_fold_.index)
    deployed = model.hybrid_.components["lr"]
    curve = rocch.RocCurve.from_scores(y[held], deployed.scores(X[held]), name="lr")
    expected = rocch.stats.estimate_prevalence(curve, deployed.scores(batch))
    assert model.estimate_prevalence(batch, model="lr") == expected
    assert again(model, tmp_path / "m").estimate_prevalence(batch, model="lr") == expected
    model.set_params(keep_folds=True).fit(X, y)
    assert len(model.reference_.fold_rows) == 5


def test_nothing_is_compared_with_scores_of_other_models(data: Any, tmp_path: Path) -> None:
    X, y, batch = data
    model = rocch.RocchClassifier(MODELS, keep_folds=False).fit(X, y)
    for each in (model, again(model, tmp_path / "m")):
        assert each.reference_ is None
        with pytest.raises(rocch.InputError, match=r"refitted after cross-validation.*check_size"):
            each.estimate_prevalence(batch)


def test_files_hold_each_model_once(data: Any, tmp_path: Path) -> None:
    X, y, _ = data

    def written(model: Any) -> int:
        rocch.save(model, tmp_path / "m")
        with zipfile.ZipFile(tmp_path / "m") as archive:
            names = archive.namelist()
        return sum(name.startswith("models/") and "params" not in name for name in names)

    kept = rocch.RocchClassifier(MODELS[1:], cv=3).fit(X, y)
    assert written(kept) == 1 + 3
    assert written(kept.default_) == 1  # a view estimates nothing
    assert written(rocch.RocchClassifier(MODELS[1:], cv=3, refit=False).fit(X, y)) == 1
    assert written(rocch.RocchClassifier(MODELS[1:], cv=3, keep_folds=False).fit(X, y)) == 1
    frozen = FrozenEstimator(LogisticRegression().fit(X, y))
    assert written(rocch.RocchClassifier([("lr", frozen)], cv=3).fit(X, y)) == 1


def test_combinations_and_repeats_keep_the_folds_of_their_rows(data: Any) -> None:
    X, y, batch = data
    model = rocch.RocchClassifier(MODELS, combine=True, cv=4).fit(X, y)
    expected = by_hand(model, X, y, batch, StratifiedKFold(4).split(X, y))
    found = model.estimate_prevalence(batch, model="lr")
    assert (found.prevalence, found.p_value) == (expected.prevalence, expected.p_value)
    splits = list(ShuffleSplit(6, test_size=0.4, random_state=0).split(X))
    model = rocch.RocchClassifier(MODELS, cv=splits).fit(X, y)
    assert model.estimate_prevalence(batch, model="lr") == by_hand(model, X, y, batch, splits)


def test_a_mere_change_of_prevalence_is_seldom_refused() -> None:
    X, y = make_classification(20_000, 8, n_informative=5, flip_y=0.05, random_state=1)
    rng = np.random.default_rng(0)
    tree = DecisionTreeClassifier(min_samples_leaf=8, random_state=0)
    times, refused, mismatched, covered = 60, 0, 0, 0
    for _ in range(times):
        order = rng.permutation(y.size)
        rows, rest = order[:400], order[400:]
        model = rocch.RocchClassifier([("tree", tree)]).fit(X[rows], y[rows])
        positives = int(rng.binomial(1000, 0.2))
        chosen = [rest[y[rest] == 1][:positives], rest[y[rest] == 0][: 1000 - positives]]
        batch = X[np.concatenate(chosen)]
        estimate = model.estimate_prevalence(batch)
        refused += estimate.rejected
        covered += estimate.interval.low <= 0.2 <= estimate.interval.high
        deployed = model.hybrid_.components["tree"].scores(batch)
        curve = model.hybrid_.reference_curve("tree")
        mismatched += rocch.stats.estimate_prevalence(curve, deployed).rejected
    # at the nominal rates, more or fewer would occur in one of a thousand such tests
    assert refused <= binom.isf(0.001, times, 0.05)
    assert covered >= binom.isf(0.999, times, 0.95)
    # the refitted tree's scores follow another law
    assert mismatched > binom.isf(0.001, times, 0.05)
