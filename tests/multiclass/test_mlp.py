"""The small network against a plain twin, its gradient against differences, and its fit."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.multiclass.parametric_models import DECAY

DATA = rocch.multiclass.three_class_data(90, seed=1)


def plain(vector: Any, row: Any, hidden: int, classes: int) -> list[float]:
    """Return the posteriors of one standardized row, weight by weight."""
    inputs = len(row)
    values = iter(vector)
    first = [[next(values) for _ in range(hidden)] for _ in range(inputs)]
    bias = [next(values) for _ in range(hidden)]
    second = [[next(values) for _ in range(classes)] for _ in range(hidden)]
    last = [next(values) for _ in range(classes)]
    said = [
        math.tanh(bias[j] + sum(row[i] * first[i][j] for i in range(inputs))) for j in range(hidden)
    ]
    out = [last[c] + sum(said[j] * second[j][c] for j in range(hidden)) for c in range(classes)]
    powers = [math.exp(each) for each in out]
    return [power / sum(powers) for power in powers]


def test_posteriors_are_the_networks_weight_by_weight() -> None:
    model = rocch.multiclass.MlpModel(DATA.X, DATA.y, hidden=4)
    vector = np.random.default_rng(0).normal(size=len(model.parameter_names))
    standard = (DATA.X - DATA.X.mean(axis=0)) / DATA.X.std(axis=0)
    wanted = [plain(vector, row, 4, 3) for row in standard.tolist()]
    assert model.probabilities(vector) == pytest.approx(np.array(wanted))
    assert np.array_equal(model.probabilities_of(vector, DATA.X), model.probabilities(vector))


def test_the_gradient_is_that_of_the_penalized_likelihood() -> None:
    model = rocch.multiclass.MlpModel(DATA.X, DATA.y, hidden=3)
    rng = np.random.default_rng(1)
    vector = rng.normal(size=len(model.parameter_names))
    loss, gradient = model._loss(vector)
    likely = model.probabilities(vector)[np.arange(90), DATA.y - 1]
    assert loss == pytest.approx(-np.log(likely).sum() + DECAY / 2 * vector @ vector)
    for _ in range(5):
        way = rng.normal(size=vector.size)
        rise = model._loss(vector + 1e-5 * way)[0] - model._loss(vector - 1e-5 * way)[0]
        assert rise / 2e-5 == pytest.approx(gradient @ way, rel=1e-5)


def test_it_starts_with_one_network_that_is_fitted() -> None:
    model = rocch.multiclass.MlpModel(DATA.X, DATA.y)
    started = model.start(100, np.random.default_rng(0))
    assert started.shape == (1, 33)
    loss, gradient = model._loss(started[0])
    assert loss < 0.35 * 90
    assert np.abs(gradient).max() < 1
    answers = model.probabilities(started[0]).argmax(axis=1) + 1
    assert np.count_nonzero(answers != DATA.y) <= 6


def test_more_restarts_never_fit_worse() -> None:
    losses = []
    for restarts in (1, 4):
        model = rocch.multiclass.MlpModel(DATA.X, DATA.y, hidden=2, restarts=restarts)
        losses.append(model._loss(model.start(1, np.random.default_rng(3))[0])[0])
    assert losses[1] <= losses[0]


def test_separable_classes_keep_finite_weights() -> None:
    model = rocch.multiclass.MlpModel([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1], hidden=1)
    [vector] = model.start(1, np.random.default_rng(0))
    assert np.abs(vector).max() < 20
    assert model.probabilities(vector).argmax(axis=1).tolist() == [0, 0, 1, 1]


def test_a_row_alone_is_answered_as_in_a_batch_bit_by_bit() -> None:
    model = rocch.multiclass.MlpModel(DATA.X, DATA.y)
    vector = np.random.default_rng(2).normal(size=33)
    batch = model.probabilities_of(vector, DATA.X)
    alone = [model.probabilities_of(vector, DATA.X[i : i + 1]) for i in range(90)]
    assert np.array_equal(batch, np.concatenate(alone))


def test_every_weight_takes_a_step_of_the_given_scale() -> None:
    model = rocch.multiclass.MlpModel(DATA.X, DATA.y, step=0.5)
    rng, center = np.random.default_rng(0), np.zeros(33)
    steps = np.array([model.perturb(center, rng) for _ in range(500)])
    assert (steps != 0).all()
    assert np.abs(steps).mean() == pytest.approx(0.5, rel=0.05)


def test_its_face() -> None:
    model = rocch.multiclass.MlpModel(np.column_stack((DATA.X, np.ones(90))), DATA.y, hidden=2)
    assert isinstance(model, rocch.multiclass.SearchModel)
    assert model.name_of(np.zeros(17)) == "mlp"
    assert len(model.parameter_names) == len(set(model.parameter_names)) == 3 * 2 + 2 + 2 * 3 + 3
    assert model.parameter_names[0] == "x0 to h0"
    assert model.parameter_names[-1] == "bias of 3"
    assert np.isfinite(model.probabilities(np.ones(17))).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden": 0}, "hidden must be a whole number, at least 1; got 0."),
        ({"restarts": 0}, "restarts must be a whole number, at least 1; got 0."),
        ({"step": 0}, "step must be a finite number above 0; got 0."),
        ({"step": float("inf")}, "step must be a finite number above 0; got inf."),
        ({"step": "big"}, "step must be a finite number above 0; got 'big'."),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=re.escape(message)):
        rocch.multiclass.MlpModel(DATA.X, DATA.y, **options)


def test_bad_data() -> None:
    with pytest.raises(rocch.InputError, match="y must have one value for each of the 90 rows"):
        rocch.multiclass.MlpModel(DATA.X, DATA.y[:-1])
    with pytest.raises(rocch.InputError, match="X must have rows of 2 columns"):
        rocch.multiclass.MlpModel(DATA.X, DATA.y).probabilities_of(np.zeros(33), [[1.0]])


@pytest.mark.parametrize("vector", [np.zeros(32), np.zeros((1, 33)), np.full(33, np.nan)])
def test_impossible_parameters_are_refused(vector: Any) -> None:
    with pytest.raises(rocch.InputError, match="parameters must be 33 finite numbers"):
        rocch.multiclass.MlpModel(DATA.X, DATA.y).probabilities(vector)
