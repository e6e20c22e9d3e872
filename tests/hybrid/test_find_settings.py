from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config  # it ships no types
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import (
    GroupKFold,
    ParameterSampler,
    RepeatedStratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch.hybrid.combine import choose_finding_rows
from rocch.hybrid.selection import setting_name
from tests.support.group_spy import GroupSpy, grouped_rows

lib: Any = rocch
X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:300, :5], Y[:300]
TREE = DecisionTreeClassifier(random_state=0)
GRID = {"max_depth": [1, 2, 3, 4], "class_weight": [None, "balanced"]}


def test_the_kept_extend_the_hull_and_the_others_say_why_not() -> None:
    found = rocch.hybrid.find_settings(TREE, GRID, X, Y)
    assert len(found.tried) == 8
    assert found.kept[0].gain is None
    assert "largest area" in found.kept[0].reason
    for setting in found.kept[1:]:
        assert setting.gain is not None
        assert setting.gain.exceeds(1)
        assert ": kept, it gains" in str(setting)
    for setting in found.dropped:
        assert "gains only" in setting.reason or "adds nothing" in setting.reason
    assert {member.name for member in found.hull.members} == {s.name for s in found.kept}
    for name, estimator in found.estimators:
        assert "__" not in name
        assert not hasattr(estimator, "tree_")


def test_five_folds_judge_the_settings_unless_others_are_asked_for() -> None:
    usual = rocch.hybrid.find_settings(TREE, GRID, X, Y)
    assert usual.hull == rocch.hybrid.find_settings(TREE, GRID, X, Y, cv=5).hull
    assert usual.hull != rocch.hybrid.find_settings(TREE, GRID, X, Y, cv=6).hull


def test_settings_that_win_at_different_ends_are_both_kept() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(2000) < 0.5
    features = np.zeros((2000, 2))
    features[:, 0] = y & (rng.random(2000) < 0.5)  # finds half of the positives, never errs
    features[:, 1] = ~y & (rng.random(2000) < 0.5)  # clears half of the negatives, never errs
    pick = _Pick()
    found = rocch.hybrid.find_settings(pick, {"column": [0, 1]}, features, y)
    assert {s.params["column"] for s in found.kept} == {0, 1}
    steep = rocch.hybrid.find_settings(pick, {"column": [0, 1]}, features, y, slopes=(3, 9))
    assert steep.kept[-1].params["column"] == 0  # the other has nothing to add there
    strict = rocch.hybrid.find_settings(pick, {"column": [0, 1]}, features, y, standard_errors=1000)
    assert len(strict.kept) == 1


class _Pick(GaussianNB):  # type: ignore[misc]  # scikit-learn is untyped
    """Score by one column, up for the first and down for the second."""

    def __init__(self, column: int = 0) -> None:
        super().__init__()
        self.column = column

    def predict_proba(self, X: Any) -> Any:
        score = X[:, self.column] if self.column == 0 else 1 - X[:, self.column]
        return np.column_stack([1 - score, score])


def test_twins_are_kept_once() -> None:
    found = rocch.hybrid.find_settings(TREE, {"max_depth": [2], "min_samples_leaf": [1, 1]}, X, Y)
    assert len(found.tried) == 2
    assert len(found.kept) == 1
    assert len({s.name for s in found.tried}) == 2


def test_scores_come_from_models_that_did_not_see_the_row() -> None:
    confirming = np.arange(300) >= 150
    for model, method in ((TREE, "predict_proba"), (RidgeClassifier(), "decision_function")):
        expected = cross_val_predict(model, X, Y, cv=5, method=method)
        scores = expected[:, 1] if expected.ndim == 2 else expected
        up = rocch.hybrid.find_settings(model, [{}], X, Y, find=~confirming)
        assert (
            up.hull.auc
            == rocch.RocHull.from_scores(Y[confirming], {"same": scores[confirming]}).auc
        )
        down = rocch.hybrid.find_settings(model, [{}], X, Y, find=~confirming, pos_label=0)
        assert (
            down.hull.auc
            == rocch.RocHull.from_scores(Y[confirming] == 0, {"same": -scores[confirming]}).auc
        )


def test_a_classifier_that_only_labels_is_searched_too() -> None:
    rules = rocch.hybrid.RuleClassifier(large)
    found = rocch.hybrid.find_settings(rules, {"rule": [large, larger]}, X, Y)
    assert found.kept
    assert not found.hull.members[0].scoring


def large(features: Any) -> Any:
    return features[:, 0] < 14


def larger(features: Any) -> Any:
    return features[:, 0] < 16


def test_pipelines_samplers_frames_and_words() -> None:
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    sampler = ParameterSampler(
        {"logisticregression__C": [0.01, 1, 100], "logisticregression__class_weight": [None]},
        n_iter=2,
        random_state=0,
    )
    frame = pd.DataFrame(X).rename(columns=str)
    words = np.where(Y == 1, "sound", "ill")
    found = rocch.hybrid.find_settings(pipeline, sampler, frame, words, pos_label="ill")
    assert len(found.tried) == 2
    assert "logisticregression.C=" in found.tried[0].name
    assert found.hull.auc > 0.8


def test_the_seed_decides_the_share_and_a_mask_is_obeyed() -> None:
    one, two, other = (
        rocch.hybrid.find_settings(TREE, GRID, X, Y, random_state=seed) for seed in (1, 1, 2)
    )
    assert [str(s) for s in one.tried] == [str(s) for s in two.tried]
    assert one.hull.totals.rows != other.hull.totals.rows
    mask = np.arange(300) < 200
    found = rocch.hybrid.find_settings(TREE, GRID, X, Y, find=mask)
    assert found.hull.totals.positives == Y[200:].sum()


def test_several_jobs_give_the_same_answer() -> None:
    one = rocch.hybrid.find_settings(TREE, GRID, X, Y)
    with parallel_config(backend="threading"):
        two = rocch.hybrid.find_settings(TREE, GRID, X, Y, n_jobs=2)
    assert [str(s) for s in one.tried] == [str(s) for s in two.tried]


def test_rows_that_are_never_tested_are_not_judged() -> None:
    found = rocch.hybrid.find_settings(
        TREE, {"max_depth": [2]}, X, Y, cv=TimeSeriesSplit(4), find=0.5
    )
    judged = found.hull.totals
    assert judged.positives + judged.negatives == pytest.approx(120, abs=1)


@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_groups_are_kept_whole_in_folds(cv: Any) -> None:
    features, y, groups = grouped_rows()
    grid = {"offset": [0.0, 0.5]}
    found = rocch.hybrid.find_settings(GroupSpy(), grid, features, y, cv=cv, groups=groups)
    assert found.kept
    with pytest.raises(
        rocch.InputError, match="estimator must be fitted by some setting"
    ):  # the spy notices
        rocch.hybrid.find_settings(GroupSpy(), grid, features, y, cv=3)


def test_groups_are_kept_whole_in_the_split() -> None:
    groups = np.arange(300) // 20
    mask = choose_finding_rows(0.4, Y == 1, 0, groups)
    whole = [mask[groups == g].all() or not mask[groups == g].any() for g in range(15)]
    assert all(whole)
    assert mask.sum() == 120


def test_a_setting_that_cannot_be_fitted_is_dropped_with_its_reason() -> None:
    found = rocch.hybrid.find_settings(TREE, {"max_depth": [2, -3]}, X, Y)
    (failed,) = found.dropped
    assert failed.params == {"max_depth": -3}
    assert "could not be fitted: The 'max_depth' parameter" in failed.reason


def test_names_are_made_of_parameters() -> None:
    assert setting_name({"b__c": 1, "a": "x"}) == "a=x, b.c=1"
    assert setting_name({"rule": large}) == "rule=large"
    assert "__" not in setting_name({"a": "____"})
    (only,) = rocch.hybrid.find_settings(TREE, [{}], X, Y).kept
    assert only.name == "DecisionTreeClassifier"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (
            lambda: lib.hybrid.find_settings(TREE, {"depth": [1]}, X, Y),
            "param_grid must name parameters",
        ),
        (
            lambda: lib.hybrid.find_settings(TREE, {"max_depth": 1}, X, Y),
            "param_grid must map parameters to lists",
        ),
        (
            lambda: lib.hybrid.find_settings(TREE, 3, X, Y),
            "param_grid must map parameters to lists",
        ),
        (
            lambda: lib.hybrid.find_settings(TREE, "max_depth", X, Y),
            "param_grid must map parameters",
        ),
        (
            lambda: lib.hybrid.find_settings(TREE, iter(()), X, Y),
            "param_grid must hold at least one",
        ),
        (
            lambda: lib.hybrid.find_settings(TREE, {"max_depth": [-1]}, X, Y),
            "estimator must be fitted",
        ),
        (lambda: lib.hybrid.find_settings(TREE, GRID, X, Y, cv="five"), "cv must split the rows"),
        (lambda: lib.hybrid.find_settings(TREE, GRID, X, Y, cv=1000), "cv must split the rows"),
        (
            lambda: lib.hybrid.find_settings(
                TREE, GRID, X, Y, cv=RepeatedStratifiedKFold(n_splits=3)
            ),
            "cv must hold out each row at most once",
        ),
        (lambda: lib.hybrid.find_settings(TREE, GRID, X, Y, cv=[([0, 1], [])]), "cv must"),
        (lambda: lib.hybrid.find_settings(TREE, GRID, X, Y * 2), "pos_label must be given"),
        (lambda: lib.hybrid.find_settings(TREE, GRID, X, Y * 0), "y must hold both classes"),
        (lambda: lib.hybrid.find_settings(TREE, GRID, X, Y, find=2), "find must be a number"),
        (
            lambda: lib.hybrid.find_settings(TREE, GRID, X, Y, find=[True]),
            "find must have one value",
        ),
        (
            lambda: lib.hybrid.find_settings(TREE, GRID, X, Y, slopes=(2, 1)),
            "slopes must be a pair",
        ),
        (
            lambda: lib.hybrid.find_settings(TREE, GRID, X, Y, standard_errors=-1),
            "standard_errors must",
        ),
    ],
)
def test_bad_input_is_refused(call: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        call()


def test_a_training_part_of_one_class_is_refused() -> None:
    ones, zeros = np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)
    with pytest.raises(rocch.InputError, match="cv must leave rows of at least two classes to fit"):
        rocch.hybrid.find_settings(TREE, GRID, X, Y, cv=[(ones, zeros)])
