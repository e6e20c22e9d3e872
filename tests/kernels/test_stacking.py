"""Stacks with non-negative weights against slow and obvious ways to the same optimum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from rocch.kernels.stacking import StackFit, fit_stack


def loss(fit: StackFit, outputs: Any, labels: Any, counts: Any, penalty: float) -> float:
    """The penalized log loss, row by row in plain Python."""
    total = 0.0
    for row, label, count in zip(outputs.tolist(), labels.tolist(), counts.tolist(), strict=True):
        scores = [
            b + math.fsum(w * model[k] for w, model in zip(fit.weights.tolist(), row, strict=True))
            for k, b in enumerate(fit.intercepts.tolist())
        ]
        top = max(scores)
        total += count * (
            top + math.log(math.fsum(math.exp(s - top) for s in scores)) - scores[label]
        )
    away = fit.weights - 1 / fit.weights.size
    return total + penalty / 2 * float(away @ away)


def sample(rows: int, models: int, classes: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, rows)
    quality = np.linspace(0, 1.5, models)
    outputs = rng.normal(size=(rows, models, classes))
    outputs += quality[:, None] * (labels[:, None, None] == np.arange(classes))
    return outputs, labels


@pytest.mark.parametrize(("models", "classes"), [(1, 2), (4, 2), (3, 3), (2, 5)])
@pytest.mark.parametrize("penalty", [0.01, 1.0, 30.0])
def test_it_finds_the_least_loss(models: int, classes: int, penalty: float) -> None:
    outputs, labels = sample(60, models, classes, seed=models)
    counts = np.random.default_rng(9).integers(0, 4, 60).astype(float)
    found = fit_stack(outputs, labels, counts, penalty=penalty)

    def objective(parameters: Any) -> float:
        fit = StackFit(parameters[:models], np.append(0.0, parameters[models:]))
        return loss(fit, outputs, labels, counts, penalty)

    start = np.append(np.full(models, 1 / models), np.zeros(classes - 1))
    bounds = [(0, None)] * models + [(None, None)] * (classes - 1)
    slow = minimize(objective, start, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-14})
    assert loss(found, outputs, labels, counts, penalty) <= slow.fun + 1e-8
    assert (found.weights >= 0).all()
    assert found.intercepts[0] == 0


def test_a_model_that_points_the_wrong_way_gets_no_weight() -> None:
    outputs, labels = sample(300, 3, 2, seed=0)
    outputs[:, 1] = -outputs[:, 2]
    weights = fit_stack(outputs, labels).weights
    assert weights[1] == 0 < weights[2]


def test_counts_are_repeated_rows() -> None:
    outputs, labels = sample(50, 3, 3, seed=1)
    counts = np.random.default_rng(2).integers(0, 3, 50)
    weighted = fit_stack(outputs, labels, counts.astype(float))
    repeated = fit_stack(np.repeat(outputs, counts, axis=0), np.repeat(labels, counts))
    np.testing.assert_allclose(weighted.weights, repeated.weights, atol=1e-8)
    np.testing.assert_allclose(weighted.intercepts, repeated.intercepts, atol=1e-8)


def test_only_differences_between_classes_count() -> None:
    outputs, labels = sample(80, 2, 3, seed=3)
    shifted = outputs + np.random.default_rng(4).normal(size=(80, 2, 1))
    one, other = fit_stack(outputs, labels), fit_stack(shifted, labels)
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-7)
    np.testing.assert_allclose(one.intercepts, other.intercepts, atol=1e-7)


def test_the_start_decides_nothing() -> None:
    outputs, labels = sample(80, 4, 2, seed=5)
    start = StackFit(np.array([0.0, 3.0, 0.0, 0.0]), np.array([0.0, -2.0]))
    near, far = fit_stack(outputs, labels), fit_stack(outputs, labels, start=start)
    np.testing.assert_allclose(near.weights, far.weights, atol=1e-7)


def test_separated_classes_have_finite_weights() -> None:
    labels = np.arange(20) % 2
    outputs = np.zeros((20, 2, 2))
    outputs[:, 0, 1] = np.where(labels, 5.0, -5.0)
    found = fit_stack(outputs, labels)
    assert 0.5 < found.weights[0] < 3
    assert found.weights[1] == pytest.approx(0.5)  # it says nothing, so it stays where it was


def test_probabilities_sum_to_one() -> None:
    outputs, labels = sample(30, 2, 4, seed=6)
    log_shares = fit_stack(outputs, labels).log_probabilities(outputs)
    np.testing.assert_allclose(np.exp(log_shares).sum(axis=1), 1)
