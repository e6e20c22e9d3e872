"""The literature's learners: pruning, Laplace's correction, cuts by entropy, and the rosters."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

from studies.learners.estimators import EntropyCuts, LaplaceTree, pessimistic_errors
from studies.learners.rosters import ROSTERS

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


@pytest.mark.parametrize(
    ("errors", "rows", "expected"),
    [(0, 6, 0.206), (0, 9, 0.143), (0, 1, 0.750)],  # Quinlan (1993), section 4.2
)
def test_pessimistic_errors_are_quinlans(errors: int, rows: int, expected: float) -> None:
    counts = np.array([[rows - errors, errors]], dtype=float)
    assert pessimistic_errors(counts, 0.25)[0] / rows == pytest.approx(expected, abs=6e-4)


def test_a_node_that_always_errs_is_wholly_wrong_at_most() -> None:
    assert pessimistic_errors(np.array([[1.0, 1.0]]), 0.25)[0] <= 2


def test_leaves_are_laplace_corrected() -> None:
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [1.0]]), np.array([0, 0, 0, 1, 1])
    tree = LaplaceTree(confidence=1, random_state=0).fit(X, y)
    assert tree.predict_proba(np.array([[0.0], [1.0]])) == pytest.approx(
        np.array([[4 / 5, 1 / 5], [1 / 4, 3 / 4]])
    )
    assert tree.predict(X).tolist() == y.tolist()


def pruned_slowly(tree: Any, node: int, confidence: float) -> tuple[float, set[int]]:
    """Return a subtree's pessimistic errors and its leaves after pruning, by recursion."""
    counts = tree.value[node] * tree.weighted_n_node_samples[node]
    alone = float(pessimistic_errors(counts, confidence)[0])
    if tree.children_left[node] < 0:
        return alone, {node}
    sides = [tree.children_left[node], tree.children_right[node]]
    below = [pruned_slowly(tree, side, confidence) for side in sides]
    split = sum(errors for errors, _ in below)
    if alone <= split + 0.1:
        return alone, {node}
    return split, below[0][1] | below[1][1]


@pytest.mark.parametrize("seed", range(5))
def test_pruning_is_that_of_the_slow_recursion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    model = LaplaceTree(random_state=0).fit(X, y)
    _, leaves = pruned_slowly(model.tree_.tree_, 0, 0.25)
    assert set(model.answering_[model.tree_.apply(X)].tolist()) == leaves
    assert len(leaves) < model.tree_.get_n_leaves()


def test_an_unpruned_tree_is_scikit_learns() -> None:
    X, y = load_iris(return_X_y=True)
    plain = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=3)
    own = LaplaceTree(confidence=1, random_state=3).fit(X, y)
    assert np.array_equal(own.predict(X), plain.fit(X, y).predict(X))


def entropy(labels: Any) -> float:
    shares = [np.mean(labels == kind) for kind in set(labels.tolist())]
    return -float(sum(share * math.log2(share) for share in shares))


def cuts_slowly(x: FloatArray, y: Any) -> list[float]:
    """Fayyad and Irani's recursion, written out: every cut tried, the best kept if it pays."""
    values = np.unique(x)
    tried = []
    for low, high in pairwise(values):
        left, right = y[x <= low], y[x > low]
        within = (left.size * entropy(left) + right.size * entropy(right)) / y.size
        tried.append((within, low, (low + high) / 2))
    if not tried:
        return []
    within, low, cut = min(tried, key=lambda one: one[0])
    left, right = y[x <= low], y[x > low]
    k, k1, k2 = (len(set(part.tolist())) for part in (y, left, right))
    delta = math.log2(3**k - 2) - (k * entropy(y) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(y) - within <= (math.log2(y.size - 1) + delta) / y.size:
        return []
    below = cuts_slowly(x[x <= low], left)
    return [*below, cut, *cuts_slowly(x[x > low], right)]


@pytest.mark.parametrize("seed", range(6))
def test_cuts_are_those_of_the_slow_recursion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 150)
    X = np.column_stack((np.round(y + rng.normal(size=150), 1), rng.normal(size=150)))
    found = EntropyCuts().fit(X, y).cuts_
    assert [cuts.tolist() for cuts in found] == [
        pytest.approx(cuts_slowly(X[:, 0], y)),
        pytest.approx(cuts_slowly(X[:, 1], y)),
    ]
    assert len(found[0]) >= 1
    assert len(found[1]) == 0


def test_iris_petals_are_cut_where_the_literature_cuts_them() -> None:
    X, y = load_iris(return_X_y=True)
    cuts = EntropyCuts().fit(X, y).cuts_
    assert cuts[2] == pytest.approx([2.45, 4.75])
    assert cuts[3] == pytest.approx([0.8, 1.75])


def test_intervals_count_from_1_and_0_is_missing() -> None:
    y = np.repeat([0, 1], 10)
    X = np.append(y.astype(float), np.nan).reshape(-1, 1)
    cuts = EntropyCuts().fit(X, np.append(y, 0))
    assert cuts.transform([[-5.0], [0.5], [9.0], [np.nan]]).ravel().tolist() == [1, 2, 2, 0]


def mixed(rows: int, seed: int) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    number = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows) + y)
    text = np.where(y, "yes", "no").astype(object)
    text[rng.random(rows) < 0.3] = "other"
    text[rng.random(rows) < 0.1] = None
    return pd.DataFrame({"number": number, "text": text}), y


@pytest.mark.parametrize("roster", sorted(ROSTERS))
@pytest.mark.filterwarnings("ignore:Found unknown categories")
def test_learners_take_mixed_features_with_gaps_and_values_never_seen(roster: str) -> None:
    X, y = mixed(300, 0)
    new = X.assign(text="never seen")
    for name, learner in ROSTERS[roster](X, 0).items():
        learner.fit(X, y)
        answers = learner.predict(X)
        assert np.mean(answers == y) > 0.7, name
        assert len(learner.predict(new)) == len(new)


def test_nearest_neighbors_vote_by_inverse_distance() -> None:
    X = pd.DataFrame({"x": [0.0, 0.25, 1.0, 10.0]})
    learner = ROSTERS["1998"](X, 0)["IB3"].fit(X, [True, False, False, False])
    # distances 1, 1.5 and 9 tenths of the range of 10 would say the same
    votes = 1 / np.array([0.1, 0.15, 0.9])
    share = learner.predict_proba(pd.DataFrame({"x": [0.1]}))[0, 1]
    assert share == pytest.approx(votes[0] / votes.sum())


def test_a_nominal_difference_is_as_far_as_a_whole_range() -> None:
    X = pd.DataFrame({"number": [0.0, 0.0, 1.0], "text": ["a", "b", "a"]})
    distances, _ = (steps := ROSTERS["1998"](X, 0)["IB1"].fit(X, [True, False, False]))[
        -1
    ].kneighbors(steps[:-1].transform(X), 3)
    assert distances[0] == pytest.approx([0, 1, 1])


def test_the_learners_of_1998_know_something_of_breast_cancer() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    for name, learner in ROSTERS["1998"](X, 0).items():
        right = learner.fit(X.iloc[::2], y.iloc[::2]).score(X.iloc[1::2], y.iloc[1::2])
        assert right > 0.88, name
