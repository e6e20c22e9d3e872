from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import rocch
from rocch.hybrid.combining.votes import log_likelihood_ratios

lib: Any = rocch
X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:300, :6], Y[:300]


def stump(seed: int) -> Any:
    return DecisionTreeClassifier(max_depth=1, max_features=1, random_state=seed)


def stumps(number: int = 5) -> list[tuple[str, Any]]:
    return [(f"s{i}", stump(i)) for i in range(number)]


def small_area(features: Any) -> Any:
    return np.asarray(features)[:, 3] < 700


def test_plain_votes_are_counted() -> None:
    vote = rocch.VoteClassifier(stumps()).fit(X, Y)
    by_hand = sum(s.predict(X) == 1 for s in (stump(i).fit(X, Y) for i in range(5)))
    assert vote.votes(X).sum(axis=1).tolist() == by_hand.tolist()
    assert np.allclose(vote.decision_function(X) + 0.5, by_hand / 5)
    assert vote.predict(X).tolist() == (by_hand >= 3).astype(int).tolist()


def test_a_drawn_vote_goes_to_the_negative_class_exactly() -> None:
    six = [(f"r{i}", rocch.RuleClassifier(small_area)) for i in range(3)]
    six += [(f"d{i}", DummyClassifier(strategy="constant", constant=1)) for i in range(3)]
    vote = rocch.VoteClassifier(six).fit(X, Y)
    drawn = vote.votes(X).sum(axis=1) == 3
    assert drawn.any()
    assert (vote.decision_function(X)[drawn] == 0).all()
    assert (vote.predict(X)[drawn] == 0).all()


def test_given_weights_weigh() -> None:
    vote = rocch.VoteClassifier(stumps(3), weights=[2, 1, 0]).fit(X, Y)
    share = vote.votes(X) @ np.array([2, 1, 0]) / 3
    assert np.allclose(vote.decision_function(X), share - 0.5)


def test_learned_weights_are_naive_bayes_over_votes_out_of_fold() -> None:
    folds = KFold(5, shuffle=True, random_state=1)
    vote = rocch.VoteClassifier(stumps(3), weights="learned", cv=folds, smoothing=0.5).fit(X, Y)
    score = np.full(len(X), math.log(Y.mean() / (1 - Y.mean())))
    for i in range(3):
        out_of_fold = cross_val_predict(stump(i), X, Y, cv=folds)
        now = stump(i).fit(X, Y).predict(X)
        for said in (0, 1):
            ratio = 1.0
            for label, sign in ((1, 1), (0, -1)):
                rows = label == Y
                share = ((out_of_fold[rows] == said).sum() + 0.5) / (rows.sum() + 1)
                ratio *= share**sign
            score[now == said] += math.log(ratio)
    assert np.allclose(vote.decision_function(X), score)
    assert vote.predict(X).tolist() == (score > 0).astype(int).tolist()


def test_learned_weights_beat_plain_ones_when_most_voters_guess() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(1500) < 0.4
    features = rng.normal(size=(1500, 7))
    features[:, 0] += 2 * y
    features[:, 1] += 1.5 * y
    voters = [
        (f"v{i}", make_pipeline(_Column(i), DecisionTreeClassifier(max_depth=1))) for i in range(7)
    ]
    train = np.arange(1500) < 750
    areas = {}
    for weights in (None, "learned"):
        vote = rocch.VoteClassifier(voters, weights=weights).fit(features[train], y[train])
        areas[weights] = rocch.auc(y[~train], vote.decision_function(features[~train]))
    assert areas["learned"] > areas[None] + 0.02


class _Column(StandardScaler):  # type: ignore[misc]  # scikit-learn is untyped
    """Show one column only."""

    def __init__(self, column: int = 0) -> None:
        super().__init__()
        self.column = column

    def fit(self, X: Any, y: Any = None) -> Any:
        return super().fit(np.asarray(X)[:, [self.column]], y)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        return self.fit(X, y).transform(X)

    def transform(self, X: Any) -> Any:
        return super().transform(np.asarray(X)[:, [self.column]])


def test_it_makes_a_curve_out_of_points() -> None:
    vote = rocch.VoteClassifier([*stumps(7), ("rule", rocch.RuleClassifier(small_area))])
    vote.fit(X, Y)
    curve = rocch.RocCurve.from_scores(Y, vote.decision_function(X), name="vote")
    assert curve.scoring
    assert len(curve) > 4


def test_string_labels_frames_sparse_rows_and_pipelines() -> None:
    words = np.where(Y == 1, "sound", "ill")
    plain = rocch.VoteClassifier(stumps(3)).fit(X, Y)
    named = rocch.VoteClassifier(stumps(3)).fit(pd.DataFrame(X).rename(columns=str), words)
    assert named.classes_.tolist() == ["ill", "sound"]
    got = named.predict(pd.DataFrame(X).rename(columns=str))
    assert got.tolist() == np.where(plain.predict(X) == 1, "sound", "ill").tolist()
    sparse = rocch.VoteClassifier(stumps(3)).fit(csr_matrix(X), Y)
    assert sparse.predict(csr_matrix(X)).tolist() == plain.predict(X).tolist()
    pipeline = make_pipeline(StandardScaler(), rocch.VoteClassifier(stumps(3))).fit(X, Y)
    assert pipeline.decision_function(X).shape == (300,)


def test_parameters_of_voters_can_be_read_and_set() -> None:
    vote = rocch.VoteClassifier(stumps(2))
    assert vote.get_params()["s0__max_depth"] == 1
    vote.set_params(s0__max_depth=4, weights=[1, 2])
    copy = clone(vote)
    assert copy.get_params()["s0__max_depth"] == 4
    assert copy.weights == [1, 2]
    copy.fit(X, Y)
    assert copy.named_estimators_["s0"].max_depth == 4
    assert not hasattr(vote.estimators[0][1], "tree_")


def test_sample_weights_reach_voters_and_learned_weights() -> None:
    weights = np.where(Y == 1, 100.0, 1.0)
    for kind in (None, "learned"):
        plain = rocch.VoteClassifier(stumps(3), weights=kind).fit(X, Y)
        heavy = rocch.VoteClassifier(stumps(3), weights=kind).fit(X, Y, sample_weight=weights)
        assert heavy.predict(X).mean() > plain.predict(X).mean()


def test_weights_of_one_change_nothing() -> None:
    for kind in (None, "learned"):
        plain = rocch.VoteClassifier(stumps(3), weights=kind).fit(X, Y)
        same = rocch.VoteClassifier(stumps(3), weights=kind).fit(X, Y, sample_weight=np.ones(300))
        assert np.allclose(same.decision_function(X), plain.decision_function(X))


def test_groups_stay_together_in_the_folds() -> None:
    groups = np.arange(300) // 10
    vote = rocch.VoteClassifier(stumps(2), weights="learned", cv=GroupKFold(3))
    vote.fit(X, Y, groups=groups)
    assert np.isfinite(vote.weights_).all()


def test_a_voter_who_never_errs_is_trusted_within_bounds() -> None:
    votes = np.array([[True], [True], [False], [False]])
    hits = np.array([True, True, False, False])
    no, yes = log_likelihood_ratios(votes, hits, np.ones(4), smoothing=1.0)
    assert yes[0] == pytest.approx(math.log(0.75 / 0.25))
    assert no[0] == pytest.approx(-math.log(0.75 / 0.25))


SPLITS_DEPEND_ON_ROWS = "folds are made of rows, so a row twice is not a row of weight two"


@pytest.mark.parametrize("weights", [None, "learned"])
def test_scikit_learn_accepts_it(weights: Any) -> None:
    voters = [
        ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
        ("line", RidgeClassifier()),
    ]
    expected = dict.fromkeys(
        (
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        SPLITS_DEPEND_ON_ROWS,
    )
    check_estimator(
        rocch.VoteClassifier(voters, weights=weights, cv=2),
        expected_failed_checks=expected if weights else None,
        on_skip=None,
    )


@pytest.mark.parametrize(
    ("voters", "given", "says"),
    [
        ([], {}, "estimators must be at least one"),
        ("ab", {}, "estimators must be classifiers with fit and predict"),
        ([DecisionTreeClassifier()], {}, "estimators must be named"),
        ([("a", stump(0)), ("a", stump(1))], {}, "estimators must have distinct names; got 'a'"),
        ([("a__b", stump(0))], {}, "names without '__'"),
        ([("a", small_area)], {}, "wrap a function in RuleClassifier"),
        ([("", stump(0))], {}, "name must be a text"),
        (stumps(2), {"weights": [1]}, "weights must be None, 'learned', or one weight for each"),
        (stumps(2), {"weights": "equal"}, "weights must be None, 'learned'"),
        (stumps(2), {"weights": 3}, "weights must be None, 'learned'"),
        (stumps(2), {"weights": [0, 0]}, "weights must not all be 0"),
        (stumps(2), {"weights": [1, -1]}, "weights must be a finite number, not negative"),
        (stumps(2), {"weights": "learned", "smoothing": -1}, "smoothing must be a finite number"),
        (
            [("a", DummyClassifier(strategy="most_frequent"))],
            {"weights": "learned", "smoothing": 0},
            "smoothing must be above 0",
        ),
    ],
)
def test_bad_settings_are_refused(voters: Any, given: dict[str, Any], says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        lib.VoteClassifier(voters, **given).fit(X, Y)


def test_bad_data_are_refused() -> None:
    with pytest.raises(rocch.InputError, match="Only binary classification is supported"):
        rocch.VoteClassifier(stumps(2)).fit(X, np.arange(300) % 3)
    neighbours = [("a", stump(0)), ("near", KNeighborsClassifier())]
    with pytest.warns(UserWarning, match="'near' cannot be fitted with sample_weight"):
        rocch.VoteClassifier(neighbours).fit(X, Y, sample_weight=np.ones(300))
    ordered = np.sort(Y)
    with pytest.raises(rocch.InputError, match="cv must leave both classes in every training"):
        rocch.VoteClassifier(stumps(2), weights="learned", cv=[(range(9), range(9, 300))]).fit(
            X, ordered
        )
