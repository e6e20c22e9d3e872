"""The best K of a batch (Theorem 11)."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator

import rocch
from tests.support.columns import ColumnLabels, ColumnScores, scored_columns


def hybrid_of(y: Any, *columns: Any, labels: bool = False) -> tuple[Any, rocch.RocchClassifier]:
    X = scored_columns(*columns)
    kinds = [ColumnScores] * len(columns)
    if labels:
        kinds[-1] = ColumnLabels
    models = [(f"m{i}", FrozenEstimator(kind(i).fit(X, y))) for i, kind in enumerate(kinds)]
    return X, rocch.RocchClassifier(models).fit(X, y)


@pytest.fixture(scope="module")
def rankers() -> tuple[Any, Any, rocch.RocchClassifier]:
    """Return the paper's R_a and R_b (section 3.4), which cross at 50 of 100 balanced cases."""
    y = np.arange(100) < 50
    rng = np.random.default_rng(0)
    noise = rng.permutation(100) / 200
    top = np.where(np.arange(100) < 20, 1.0, 0.0) + noise / 100
    bottom = np.where(np.arange(100) >= 80, -1.0, 0.0) + noise / 100
    X, model = hybrid_of(y, np.round(top), np.round(bottom))
    return X, y, model


def test_the_papers_rankers(rankers: tuple[Any, Any, Any]) -> None:
    X, y, model = rankers
    few, many = model.select(X, 20), model.select(X, 80)
    assert set(few.rows) == set(range(20))  # R_a's sure positives
    assert y[many.rows].all() or set(many.rows) == set(range(80))  # all but R_b's sure negatives
    assert few.expected_true_positives == pytest.approx(20)
    assert many.expected_true_positives == pytest.approx(50)


@pytest.mark.parametrize("k", [0, 1, 19, 20, 21, 50, 79, 99, 100])
def test_expected_true_positives_are_the_hulls(rankers: tuple[Any, Any, Any], k: int) -> None:
    X, y, model = rankers
    chosen = model.select(X, k)
    assert chosen.rows.size == k
    point = model.hull_.best(rocch.Capacity(k, positives=50, negatives=50), randomize=True)
    assert chosen.expected_true_positives == pytest.approx(50 * point.tpr, abs=1e-9)
    # on the rows that built the hull, the stated chances give exactly that
    assert chosen.inclusion_probability[y].sum() == pytest.approx(50 * point.tpr, abs=1e-9)
    assert chosen.inclusion_probability.sum() == pytest.approx(k, abs=1e-9)
    assert chosen.expected_precision == (
        None if not k else pytest.approx(chosen.expected_true_positives / k)
    )


def test_drawn_as_often_as_stated(rankers: tuple[Any, Any, Any]) -> None:
    X, _, model = rankers
    draws = 400
    hits = np.zeros(100)
    keys = [f"case {i}" for i in range(100)]
    for seed in range(draws):
        hits[model.select(X, 37, row_key=keys, seed=seed).rows] += 1
    chance = model.select(X, 37).inclusion_probability
    error = 4.5 * np.sqrt(chance * (1 - chance) / draws)
    assert (np.abs(hits / draws - chance) <= error + 1e-12).all()
    assert set(np.unique(chance)) > {0.0, 1.0} or (chance < 1).any()


@settings(max_examples=60)
@given(st.data())
def test_exactly_k_for_any_batch(data: Any) -> None:
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    y = rng.random(60) < 0.4
    y[:2] = [True, False]
    columns = [rng.integers(0, 6, 60) + y, rng.integers(0, 4, 60) + 2 * y, rng.random(60) < 0.5]
    X, model = hybrid_of(y, *columns, labels=True)
    rows = data.draw(st.integers(1, 90))
    batch = X[rng.integers(0, 60, rows)]
    k = data.draw(st.integers(0, rows))
    prevalence = data.draw(st.one_of(st.none(), st.floats(0, 1)))
    chosen = model.select(batch, k, prevalence=prevalence, row_key=np.arange(rows))
    assert chosen.rows.size == k
    assert (np.diff(chosen.rows) > 0).all()
    chance = chosen.inclusion_probability
    assert ((chance >= 0) & (chance <= 1)).all()
    assert chance.sum() == pytest.approx(k)
    assert (chance[chosen.rows] > 0).all()
    assert set(np.flatnonzero(chance == 1)) <= set(chosen.rows)
    # the order of the batch plays no part
    order = rng.permutation(rows)
    again = model.select(batch[order], k, prevalence=prevalence, row_key=order)
    assert sorted(order[again.rows]) == chosen.rows.tolist()


def test_chances_are_those_of_the_two_vertices() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(300) < 0.5
    X, model = hybrid_of(y, rng.normal(size=300) + y, 3 * rng.normal(size=300) + 3 * y)
    vertices = model.hull_.vertices
    alarms = [model.hybrid_.expression(v).alarms(_batch(model, X)) for v in vertices]
    for k in range(0, 301, 7):
        chance = model.select(X, k).inclusion_probability
        fits = []
        for left, right in itertools.pairwise(alarms):
            fewer, more = int(left.sum()), int(right.sum())
            if fewer <= k <= more and fewer < more:
                share = Fraction(k - fewer, more - fewer)
                expected = [
                    float((1 - share) * a + share * b)
                    for a, b in zip(left.tolist(), right.tolist(), strict=True)
                ]
                fits.append(np.allclose(chance, expected, atol=1e-12))
        assert any(fits)


def _batch(model: Any, X: Any) -> Any:
    from rocch.hybrid.components import ScoredBatch

    return ScoredBatch(model.hybrid_.components, X)


def test_more_positives_than_any_single_ranker() -> None:
    """Section 3.4: which ranking is best depends on K; the hull promises as much as each."""
    rng = np.random.default_rng(11)
    y = rng.random(4000) < 0.3
    first = np.where(y & (rng.random(4000) < 0.3), 3, 0) + rng.random(4000)
    second = np.where(~y & (rng.random(4000) < 0.6), -3, 0) + rng.random(4000)
    X, model = hybrid_of(y, first, second)
    for k in (200, 1200, 2000, 3000):
        single = max(y[np.argsort(-column)[:k]].sum() for column in (first, second))
        promised = model.select(X, k).expected_true_positives
        assert promised >= single - 1e-9


def test_a_column_of_keys() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(80) < 0.5
    X = pd.DataFrame({"score": np.round(rng.random(80) + y, 1)})
    model = rocch.RocchClassifier([("m", FrozenEstimator(ColumnScores(0).fit(X, y)))]).fit(X, y)
    keys = [f"k{i}" for i in range(80)]
    plain = model.select(X, 31, row_key=keys, seed=5)
    named = model.select(X.assign(id=keys), 31, row_key="id", seed=5)
    np.testing.assert_array_equal(plain.rows, named.rows)
    with pytest.raises(rocch.InputError, match="row_key must name a column"):
        model.select(X, 31, row_key="id")


@pytest.mark.parametrize("k", [-1, 101, 2.5, True, "10", None])
def test_bad_k(rankers: tuple[Any, Any, Any], k: Any) -> None:
    with pytest.raises(rocch.InputError, match="k must be a whole number from 0 to 100"):
        rankers[2].select(rankers[0], k)


def test_bad_prevalence(rankers: tuple[Any, Any, Any]) -> None:
    with pytest.raises(rocch.InputError, match="prevalence must be a number from 0 to 1"):
        rankers[2].select(rankers[0], 3, prevalence=1.5)
