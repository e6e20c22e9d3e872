"""Nearest neighbors against a plain row-by-row twin, with ties and duplicates."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.multiclass import parametric_models as knn
from tests.support.oracles.assignments import knn_posteriors

Rows = list[tuple[tuple[int, ...], int]]

rows = st.lists(
    st.tuples(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(0, 2)),
    min_size=4,
    max_size=12,
).filter(lambda drawn: len({code for _, code in drawn}) > 1)


@given(rows, st.integers(1, 10), st.floats(0, 20))
def test_judged_rows_are_left_out_of_their_own_neighbors(drawn: Rows, k: int, beta: float) -> None:
    X, y = [row for row, _ in drawn], [code for _, code in drawn]
    model = rocch.multiclass.KnnModel(X, y)
    k = min(k, model.most_neighbors)
    codes = {code: place for place, code in enumerate(sorted(set(y)))}
    coded: Any = [(row, codes[code]) for row, code in drawn]
    for i, got in enumerate(model.probabilities(np.array([k, beta]))):
        others = coded[:i] + coded[i + 1 :]
        assert got == pytest.approx(knn_posteriors(X[i], others, k, beta, len(codes)), abs=1e-12)


@given(rows, st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 10))
def test_new_rows_have_all_training_rows_as_neighbors(
    drawn: Rows, new: tuple[int, int], k: int
) -> None:
    X, y = [row for row, _ in drawn], [code for _, code in drawn]
    model = rocch.multiclass.KnnModel(X, y)
    k = min(k, model.most_neighbors)
    codes = {code: place for place, code in enumerate(sorted(set(y)))}
    coded: Any = [(row, codes[code]) for row, code in drawn]
    [got] = model.probabilities_of(np.array([k, 3.0]), [new])
    assert got == pytest.approx(knn_posteriors(new, coded, k, 3.0, len(codes)), abs=1e-12)


def test_duplicates_count_one_kth_each() -> None:
    model = rocch.multiclass.KnnModel(np.zeros((5, 2)), ["a", "a", "b", "b", "b"])
    [first, *_] = model.probabilities(np.array([3, 6.0]))
    # of row 0's neighbors in row order, 1, 2 and 3, one is an "a"
    powers = np.exp([6 / 3, 12 / 3])
    assert first == pytest.approx(powers / powers.sum())


def test_beta_of_zero_knows_nothing_and_a_large_beta_is_sure() -> None:
    data = rocch.multiclass.three_class_data(30, seed=1)
    model = rocch.multiclass.KnnModel(data.X, data.y)
    assert model.probabilities(np.array([5, 0.0])) == pytest.approx(np.full((30, 3), 1 / 3))
    assert model.probabilities(np.array([5, 1e4])).max(axis=1) == pytest.approx(
        np.ones(30), abs=0.01
    )


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = rocch.multiclass.three_class_data(60, seed=2)
    whole = rocch.multiclass.KnnModel(data.X, data.y).probabilities(np.array([7, 9.0]))
    monkeypatch.setattr(knn, "BLOCK", 100)
    assert np.array_equal(
        rocch.multiclass.KnnModel(data.X, data.y).probabilities(np.array([7, 9.0])), whole
    )


def test_a_row_alone_is_answered_as_in_a_batch_bit_by_bit() -> None:
    old, new = (
        rocch.multiclass.three_class_data(90, seed=1),
        rocch.multiclass.three_class_data(60, seed=2),
    )
    model, values = rocch.multiclass.KnnModel(old.X, old.y), np.array([12, 7.7])
    batch = model.probabilities_of(values, new.X)
    alone = np.concatenate([model.probabilities_of(values, new.X[i : i + 1]) for i in range(60)])
    assert np.array_equal(batch, alone)


def test_scaling_makes_units_irrelevant() -> None:
    data = rocch.multiclass.three_class_data(60, seed=3)
    in_meters, in_millimeters = data.X, data.X * [1, 1000]
    values = np.array([9, 5.0])
    plain, scaled = (
        [
            rocch.multiclass.KnnModel(X, data.y, scale=s).probabilities(values)
            for X in (in_meters, in_millimeters)
        ]
        for s in (False, True)
    )
    assert not np.allclose(plain[0], plain[1])
    assert np.allclose(scaled[0], scaled[1])
    model = rocch.multiclass.KnnModel(in_millimeters, data.y, scale=True)
    twin = rocch.multiclass.KnnModel(in_meters, data.y, scale=True)
    assert np.allclose(
        model.probabilities_of(values, in_millimeters[:5] + np.array([1, 1000])),
        twin.probabilities_of(values, in_meters[:5] + 1),
    )


def test_a_constant_feature_is_no_trouble_when_scaling() -> None:
    data = rocch.multiclass.three_class_data(30, seed=1)
    constant = np.column_stack((data.X, np.ones(30)))
    values = np.array([5, 5.0])
    assert np.allclose(
        rocch.multiclass.KnnModel(constant, data.y, scale=True).probabilities(values),
        rocch.multiclass.KnnModel(data.X, data.y, scale=True).probabilities(values),
    )


def test_starts_and_steps_stay_among_possible_parameters() -> None:
    data = rocch.multiclass.three_class_data(30, seed=1)
    model, rng = (
        rocch.multiclass.KnnModel(data.X, data.y, most_neighbors=4),
        np.random.default_rng(0),
    )
    started = model.start(500, rng)
    assert set(started[:, 0]) == {1, 2, 3, 4}
    assert started[:, 1].min() >= 1
    moved = np.array([model.perturb(vector, rng) for vector in started])
    assert set(moved[:, 0]) == {1, 2, 3, 4}
    assert ((moved[:, 1] >= 0) & (moved[:, 1] <= knn.STRONGEST)).all()
    assert (moved[:, 1] != started[:, 1]).all()
    assert moved[:, 1].min() < 1  # steps go below where they start, down to 0
    model.probabilities(moved[0])


def test_its_face() -> None:
    data = rocch.multiclass.three_class_data(30, seed=1)
    model = rocch.multiclass.KnnModel(data.X, data.y)
    assert isinstance(model, rocch.multiclass.SearchModel)
    assert model.parameter_names == ("k", "beta")
    assert model.name_of(np.array([1, 1.0])) == "knn"
    assert model.most_neighbors == 28
    assert rocch.multiclass.KnnModel(np.zeros((500, 2)), [0, 1] * 250).most_neighbors == 200


X, Y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((X, Y[:3]), {}, "y must have one value for each of the 4 rows; got 3."),
        ((X, ["a"] * 4), {}, "y must name two or more distinct classes; got only 'a'."),
        ((X, ["a", None, "b", "b"]), {}, "y must have no missing labels"),
        ((X[:2], Y[:2]), {}, "X must have at least 3 rows; got 2."),
        (([[0.0], [1], [2], [np.nan]], Y), {}, "X must hold finite numbers"),
        (
            (X, Y),
            {"most_neighbors": 0},
            "most_neighbors must be a whole number from 1 to 2; got 0.",
        ),
        (
            (X, Y),
            {"most_neighbors": 3},
            "most_neighbors must be a whole number from 1 to 2; got 3.",
        ),
        ((X, Y), {"scale": "yes"}, "scale must be True or False; got 'yes'."),
    ],
)
def test_bad_input(arguments: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=re.escape(message)):
        rocch.multiclass.KnnModel(*arguments, **options)


@pytest.mark.parametrize("values", [[0, 1], [3, 1], [1.5, 1], [1, -1], [1, np.inf], [np.nan, 1]])
def test_impossible_parameters_are_refused(values: list[float]) -> None:
    model = rocch.multiclass.KnnModel(X, Y)
    with pytest.raises(
        rocch.InputError, match=r"parameters must be (a whole k from 1 to 2|2 finite numbers)"
    ):
        model.probabilities(np.array(values))


def test_new_rows_must_have_the_features_that_were_fitted() -> None:
    with pytest.raises(rocch.InputError, match="X must have rows of 1 column"):
        rocch.multiclass.KnnModel(X, Y).probabilities_of(np.array([1, 1.0]), [[1, 2]])
