from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone
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
from rocch.errors import SampleWeightWarning
from rocch.hybrid.estimators import log_likelihood_ratios
from tests.support.group_spy import GroupSpy, grouped_rows

if TYPE_CHECKING:
    from pathlib import Path

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
    vote = rocch.hybrid.VoteClassifier(stumps()).fit(X, Y)
    by_hand = sum(s.predict(X) == 1 for s in (stump(i).fit(X, Y) for i in range(5)))
    assert vote.votes(X).sum(axis=1).tolist() == by_hand.tolist()
    assert np.allclose(vote.decision_function(X) + 0.5, by_hand / 5)
    assert vote.predict(X).tolist() == (by_hand >= 3).astype(int).tolist()


def test_a_drawn_vote_goes_to_the_negative_class_exactly() -> None:
    six = [(f"r{i}", rocch.hybrid.RuleClassifier(small_area)) for i in range(3)]
    six += [(f"d{i}", DummyClassifier(strategy="constant", constant=1)) for i in range(3)]
    vote = rocch.hybrid.VoteClassifier(six).fit(X, Y)
    drawn = vote.votes(X).sum(axis=1) == 3
    assert drawn.any()
    assert (vote.decision_function(X)[drawn] == 0).all()
    assert (vote.predict(X)[drawn] == 0).all()


class ColumnVoter(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Vote as one column of the features says."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> ColumnVoter:  # noqa: ARG002 - scikit-learn's signature
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return self.classes_[np.asarray(X)[:, self.column].astype(int)]


def all_votes(voters: int) -> Any:
    """Return every way to vote, one a row."""
    return np.array(list(product((0, 1), repeat=voters)))


def fit_votes(weights: Any, rows: Any, y: Any = None) -> Any:
    """Fit voters who vote as the columns of some rows say."""
    voters = [(f"v{i}", ColumnVoter(i)) for i in range(rows.shape[1])]
    labels = np.arange(len(rows)) % 2 if y is None else y
    return rocch.hybrid.VoteClassifier(voters, weights=weights).fit(rows, labels)


def exact_score(weights: list[Any], row: Any) -> Fraction:
    """Return the share of the vote above one half, of weights as they are written."""
    written = [Fraction(str(weight)) for weight in weights]
    yes = sum((w for w, vote in zip(written, row, strict=True) if vote), Fraction(0))
    return yes / sum(written, Fraction(0)) - Fraction(1, 2)


@given(
    st.lists(
        st.integers(0, 30).map(lambda tenths: tenths / 10)
        | st.floats(0, 10).map(lambda weight: weight if weight > 1e-100 else 0.0)
        | st.fractions(0, 10, max_denominator=9)
        | st.integers(0, 2**60),
        min_size=1,
        max_size=6,
    ).filter(any)
)
def test_votes_are_counted_exactly_whatever_the_batch(weights: list[Any]) -> None:
    rows = all_votes(len(weights))
    vote = fit_votes(weights, rows)
    scores = vote.decision_function(rows).tolist()
    exact = [exact_score(weights, row) for row in rows]
    assert scores == [float(score) for score in exact]
    assert [vote.decision_function(row[None])[0] for row in rows] == scores
    assert vote.predict(rows).tolist() == [int(score > 0) for score in exact]


def test_weights_that_are_no_sums_of_powers_of_two_draw_exactly() -> None:
    rows = all_votes(4)
    vote = fit_votes([0.1, 0.1, 0.3, 0.1], rows)
    drawn = rows @ [1, 1, 3, 1] == 3
    assert np.count_nonzero(drawn) == 2
    assert not vote.decision_function(rows)[drawn].any()
    assert not vote.predict(rows)[drawn].any()
    assert np.unique(vote.decision_function(rows)).size == 7


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_weights_of_an_array_are_the_decimals_that_it_shows(kind: Any) -> None:
    rows = all_votes(3)
    vote = fit_votes(np.array([0.1, 0.2, 0.3], dtype=kind), rows)
    assert vote.weights_.tolist() == [2, 4, 6]
    assert vote.decision_function([[1, 1, 0], [0, 0, 1]]).tolist() == [0, 0]


def test_weights_of_any_size_survive_saving(tmp_path: Path) -> None:
    vote = rocch.hybrid.VoteClassifier(stumps(3), weights=[1e90, 1e90, 1e-60])
    hybrid = rocch.RocchClassifier([("vote", vote)], cv=2).fit(X, Y)
    rocch.save(hybrid, tmp_path / "vote.rocch")
    loaded = rocch.load(tmp_path / "vote.rocch")
    assert isinstance(loaded, rocch.RocchClassifier)
    known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
    assert np.array_equal(loaded.at(known).predict(X), hybrid.at(known).predict(X))


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_learned_votes_do_not_depend_on_the_batch_and_opposites_cancel(
    pairs: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (40, pairs))
    y = np.arange(40) % 2
    rows = np.hstack((rows, rows))  # every voter has a double, who weighs the same
    vote = fit_votes("learned", np.vstack((rows, 1 - rows)), np.concatenate((y, 1 - y)))
    scores = vote.decision_function(rows)
    assert [vote.decision_function(row[None])[0] for row in rows] == scores.tolist()
    assert vote.weights_[:pairs].tolist() == vote.weights_[pairs:].tolist()
    # on these rows a no weighs as much against as a yes does for, so doubles at odds draw
    assert vote.offset_ * 2 == -vote.weights_.sum()
    at_odds = np.hstack((rows[:, :pairs], 1 - rows[:, :pairs]))
    assert not vote.decision_function(at_odds).any()
    assert not vote.predict(at_odds).any()


def test_given_weights_weigh() -> None:
    vote = rocch.hybrid.VoteClassifier(stumps(3), weights=[2, 1, 0]).fit(X, Y)
    share = vote.votes(X) @ np.array([2, 1, 0]) / 3
    assert np.allclose(vote.decision_function(X), share - 0.5)


def test_learned_weights_are_naive_bayes_over_votes_out_of_fold() -> None:
    folds = KFold(5, shuffle=True, random_state=1)
    vote = rocch.hybrid.VoteClassifier(stumps(3), weights="learned", cv=folds, smoothing=0.5).fit(
        X, Y
    )
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
        vote = rocch.hybrid.VoteClassifier(voters, weights=weights).fit(features[train], y[train])
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
    vote = rocch.hybrid.VoteClassifier(
        [*stumps(7), ("rule", rocch.hybrid.RuleClassifier(small_area))]
    )
    vote.fit(X, Y)
    curve = rocch.RocCurve.from_scores(Y, vote.decision_function(X), name="vote")
    assert curve.scoring
    assert len(curve) > 4


def test_string_labels_frames_sparse_rows_and_pipelines() -> None:
    words = np.where(Y == 1, "sound", "ill")
    plain = rocch.hybrid.VoteClassifier(stumps(3)).fit(X, Y)
    named = rocch.hybrid.VoteClassifier(stumps(3)).fit(pd.DataFrame(X).rename(columns=str), words)
    assert named.classes_.tolist() == ["ill", "sound"]
    got = named.predict(pd.DataFrame(X).rename(columns=str))
    assert got.tolist() == np.where(plain.predict(X) == 1, "sound", "ill").tolist()
    sparse = rocch.hybrid.VoteClassifier(stumps(3)).fit(csr_matrix(X), Y)
    assert sparse.predict(csr_matrix(X)).tolist() == plain.predict(X).tolist()
    pipeline = make_pipeline(StandardScaler(), rocch.hybrid.VoteClassifier(stumps(3))).fit(X, Y)
    assert pipeline.decision_function(X).shape == (300,)


def test_parameters_of_voters_can_be_read_and_set() -> None:
    vote = rocch.hybrid.VoteClassifier(stumps(2))
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
        plain = rocch.hybrid.VoteClassifier(stumps(3), weights=kind).fit(X, Y)
        heavy = rocch.hybrid.VoteClassifier(stumps(3), weights=kind).fit(
            X, Y, sample_weight=weights
        )
        assert heavy.predict(X).mean() > plain.predict(X).mean()


def test_weights_of_one_change_nothing() -> None:
    for kind in (None, "learned"):
        plain = rocch.hybrid.VoteClassifier(stumps(3), weights=kind).fit(X, Y)
        same = rocch.hybrid.VoteClassifier(stumps(3), weights=kind).fit(
            X, Y, sample_weight=np.ones(300)
        )
        assert np.allclose(same.decision_function(X), plain.decision_function(X))


def test_sample_weights_that_are_no_weights_are_refused() -> None:
    for bad in (-1.0, float("inf")):
        weights = np.ones(300)
        weights[7] = bad
        with pytest.raises(ValueError, match="sample_weight"):
            rocch.hybrid.VoteClassifier(stumps(2), weights="learned").fit(
                X, Y, sample_weight=weights
            )


@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_groups_stay_together_in_the_folds(cv: Any) -> None:
    features, y, groups = grouped_rows()
    voters = [("a", GroupSpy()), ("b", GroupSpy(0.5))]
    vote = rocch.hybrid.VoteClassifier(voters, weights="learned", cv=cv)
    vote.fit(features, y, groups=groups)
    assert np.isfinite(vote.weights_).all()
    with pytest.raises(AssertionError):  # the spy would notice
        vote.set_params(cv=3).fit(features, y)


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
        rocch.hybrid.VoteClassifier(voters, weights=weights, cv=2),
        expected_failed_checks=expected if weights else None,
        on_skip=None,
    )


@pytest.mark.parametrize(
    ("voters", "given", "says"),
    [
        ([], {}, "estimators must be at least one"),
        ("ab", {}, "estimators must be classifiers with fit and predict"),
        ([DecisionTreeClassifier()], {}, "estimators must be .name, classifier. pairs"),
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
        lib.hybrid.VoteClassifier(voters, **given).fit(X, Y)


def test_bad_data_are_refused() -> None:
    with pytest.raises(rocch.InputError, match="Only binary classification is supported"):
        rocch.hybrid.VoteClassifier(stumps(2)).fit(X, np.arange(300) % 3)
    neighbors = [("a", stump(0)), ("near", KNeighborsClassifier())]
    with pytest.warns(SampleWeightWarning, match="'near' cannot be fitted with sample_weight"):
        rocch.hybrid.VoteClassifier(neighbors).fit(X, Y, sample_weight=np.ones(300))
    ordered = np.sort(Y)
    with pytest.raises(
        rocch.InputError, match="cv must leave rows of at least two classes to fit on"
    ):
        rocch.hybrid.VoteClassifier(
            stumps(2), weights="learned", cv=[(range(9), range(9, 300))]
        ).fit(X, ordered)
