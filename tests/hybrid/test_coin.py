"""The coin: the same row gets the same coin, wherever it is decided."""

from __future__ import annotations

import dataclasses
import hashlib
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid.coin import content_texts, hex_limit, key_texts, tosses
from tests.support.columns import ColumnScores, scored_columns


def by_hand(seed: int, key: str) -> float:
    return int(hashlib.sha256(f"{seed}:{key}".encode()).hexdigest()[:13], 16) / 2**52


@given(st.integers(0, 2**40), st.text(max_size=20))
def test_the_coin_is_the_documented_one(seed: int, key: str) -> None:
    (toss,) = tosses([key], seed)
    assert toss == by_hand(seed, key)
    assert 0 <= toss < 1


def test_coins_are_uniform_and_differ_between_seeds() -> None:
    keys = [str(i) for i in range(20_000)]
    first, second = tosses(keys, 0), tosses(keys, 1)
    for share in (0.01, 0.3, 0.5, 0.99):
        error = 4 * np.sqrt(share * (1 - share) / len(keys))
        assert abs((first < share).mean() - share) < error
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(len(keys))


@given(st.floats(0, 1) | st.sampled_from([0.0, 1 - 2**-53, 1.0]), st.text(max_size=8))
def test_comparing_hexadecimal_texts_is_comparing_coins(share: float, key: str) -> None:
    digits = hashlib.sha256(f"7:{key}".encode()).hexdigest()[:13]
    assert (digits < hex_limit(share)) == (tosses([key], 7)[0] < share)


def test_whole_numbers_read_the_same_whatever_holds_them() -> None:
    kinds: list[Any] = [
        [7, 8],
        ["7", "8"],
        np.array([7, 8], dtype=np.uint8),
        np.array([7.0, 8.0]),
        pd.Series([7, 8]),
        pl.Series([7, 8]),
        pd.Series([7, 8], dtype="Int64"),
    ]
    assert {tuple(key_texts(kind, 2)) for kind in kinds} == {("7", "8")}
    days: list[Any] = [
        [date(2024, 2, 29)],
        np.array(["2024-02-29"], dtype="datetime64[D]"),
        pl.Series([date(2024, 2, 29)]),
        pd.Series([date(2024, 2, 29)]),
    ]
    assert {tuple(key_texts(kind, 1)) for kind in days} == {("2024-02-29",)}


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([1, None], "row_key must be there for every row; got a missing one at position 1"),
        ([np.nan, 1.0], "a missing one at position 0"),
        ([1.5, 2.5], "row_key must be texts, whole numbers, dates or UUIDs; got 1.5 at position 0"),
        ([True, False], "got True at position 0"),
        ([1], "row_key must have one value for each of the 2 rows"),
        ("ab", "row_key must be an array"),
    ],
)
def test_bad_keys(keys: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match="row_key") as caught:
        key_texts(keys, 2)
    assert message in str(caught.value)


def test_content_does_not_depend_on_how_rows_are_held() -> None:
    X = np.array([[0.1, -0.0, 3.0], [1e300, np.nan, -np.inf]])
    expected = content_texts(X)
    frame = pd.DataFrame(X, columns=list("abc"))
    with np.errstate(over="ignore"):
        single = X.astype(np.float32)
    assert content_texts(single) == expected
    assert content_texts(single.astype(np.float64)) == expected
    assert content_texts(np.asfortranarray(X)) == expected
    assert content_texts(X + 0.0) == expected
    assert content_texts(frame) == expected
    assert content_texts(pl.from_pandas(frame)) == expected
    assert content_texts(sparse.csr_array(X)) == expected
    assert content_texts(X[::-1]) == expected[::-1]
    assert len(set(expected)) == 2


def test_content_of_texts() -> None:
    rows = [["a", "bc"], ["ab", "c"]]
    assert len(set(content_texts(np.array(rows, dtype=object)))) == 2
    mixed = {"n": [1.0, 2.0], "t": ["x", "x"]}
    assert content_texts(pd.DataFrame(mixed)) == content_texts(pl.DataFrame(mixed))


@pytest.fixture(scope="module")
def mixed() -> tuple[Any, Any, Any]:
    """Return rows, keys, and a view that needs the coin for about half of them."""
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.5
    X = scored_columns(rng.random(600) + 0.3 * y, rng.random(600) + 0.3 * y).astype(np.float32)
    X = X.astype(float)  # what float32 holds exactly, so that scores agree in both
    frozen = [(n, FrozenEstimator(ColumnScores(i).fit(X, y))) for i, n in enumerate("ab")]
    model = rocch.RocchClassifier(frozen).fit(X, y)
    left, right = model.hull_.vertices[3], model.hull_.vertices[-3]
    point = rocch.roc.OperatingPoint(
        0.5, 0.5, ((0.4, left), (0.6, right)), "by hand", 0.0, None, 0.0
    )
    view = model.at(point, seed=3)
    share = view.decision_probability(X)
    assert ((share > 0) & (share < 1)).sum() > 100
    return X, [f"row {i}" for i in range(600)], view


@pytest.mark.parametrize("keyed", [True, False])
def test_alone_in_a_batch_shuffled_and_in_single_precision(
    mixed: tuple[Any, Any, Any], keyed: bool
) -> None:
    X, keys, view = mixed
    keys = np.array(keys) if keyed else np.full(len(keys), None)

    def decide(features: Any, own: Any) -> Any:
        return view.predict(features, row_key=own if keyed else None)

    whole = decide(X, keys)
    alone = np.concatenate([decide(X[i : i + 1], keys[i : i + 1]) for i in range(100)])
    np.testing.assert_array_equal(alone, whole[:100])
    order = np.random.default_rng(1).permutation(len(X))
    np.testing.assert_array_equal(decide(X[order], keys[order]), whole[order])
    np.testing.assert_array_equal(decide(X.astype(np.float32), keys), whole)


def test_the_share_of_alarms_is_the_stated_one(mixed: tuple[Any, Any, Any]) -> None:
    X, keys, view = mixed
    chance = view.decision_probability(X)
    open_rows = (chance > 0) & (chance < 1)
    seeds = range(200)
    hits = sum(
        view.hybrid.alarms(_batch(view, X), view._mix, _toss(keys, seed))[open_rows].astype(int)
        for seed in seeds
    )
    error = 4.5 * np.sqrt(chance * (1 - chance) / len(seeds))[open_rows]
    assert (abs(hits / len(seeds) - chance[open_rows]) <= error).all()


def _batch(view: Any, X: Any) -> Any:
    from rocch.hybrid.components import ScoredBatch

    return ScoredBatch(view.hybrid.components, X)


def _toss(keys: list[str], seed: int) -> Any:
    return lambda rows: tosses([keys[i] for i in rows], seed)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_named_column_of_keys(mixed: tuple[Any, Any, Any], kind: Any) -> None:
    X, keys, view = mixed
    names = dataclasses.replace(view.hybrid, feature_names_in=np.array(["a", "b"], dtype=object))
    hybrid = rocch.hybrid.AimedClassifier(names, view.point, row_key="id", seed=3)
    plain = view.predict(X, row_key=keys)
    frame = kind({"a": X[:, 0], "b": X[:, 1]})
    keyed = kind({"id": keys, "a": X[:, 0], "b": X[:, 1]})
    np.testing.assert_array_equal(hybrid.predict(keyed), plain)
    np.testing.assert_array_equal(hybrid.predict(frame, row_key=keys), plain)
    np.testing.assert_array_equal(hybrid.decision_probability(keyed), view.decision_probability(X))
    with pytest.raises(rocch.InputError, match="row_key must name a column of the data; got 'id'"):
        hybrid.predict(frame)
    with pytest.raises(rocch.InputError, match="for rows without column names"):
        hybrid.predict(X)


def test_a_key_that_is_a_feature_stays_one(mixed: tuple[Any, Any, Any]) -> None:
    X, _, view = mixed
    names = dataclasses.replace(view.hybrid, feature_names_in=np.array(["a", "b"], dtype=object))
    frame = pd.DataFrame({"a": np.arange(600), "b": X[:, 1]})
    hybrid = rocch.hybrid.AimedClassifier(names, view.point, row_key="a", seed=3)
    assert hybrid.predict(frame).size == 600


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", None])
def test_bad_seeds(mixed: tuple[Any, Any, Any], seed: Any) -> None:
    with pytest.raises(rocch.InputError, match="seed must be a whole number"):
        rocch.hybrid.AimedClassifier(mixed[2].hybrid, rocch.ErrorRate(), seed=seed)
