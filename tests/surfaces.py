"""Surfaces for tests: random costs over the posteriors of a model, with an obvious filter."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import Classes
from rocch.multiclass.objectives import objectives_of
from rocch.multiclass.surface import RocSurface

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

CENTRES = np.array([[[0.7, 0.3], [0.3, 0.3]], [[-0.7, 0.7], [0.4, 0.7]], [[1.0, 1.0], [0.0, 1.0]]])
"""004, equation 10: two centres for each of three classes."""
VARIANCE = 0.03
NAMES = ["ash", "birch", "cedar"]


def three_classes(rows: int = 90, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Draw rows of 004's synthetic data, with the classes' places."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(3), rows // 3)
    centres = CENTRES[codes, rng.integers(0, 2, codes.size)]
    return centres + np.sqrt(VARIANCE) * rng.standard_normal((codes.size, 2)), codes


def true_posteriors(X: Any) -> FloatArray:
    """Return the true posteriors of that data."""
    offsets = np.asarray(X, dtype=float)[:, None, None, :] - CENTRES
    powers = -(offsets**2).sum(axis=3) / (2 * VARIANCE)
    densities = np.exp(powers - powers.max(axis=(1, 2), keepdims=True)).sum(axis=2)
    shares: FloatArray = densities / densities.sum(axis=1, keepdims=True)
    return shares


class Tempered:
    """The true posteriors, sharpened or flattened by one parameter: a model of one's own."""

    def posteriors_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        powers = true_posteriors(X) ** parameters[0]
        shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
        return shares


def drawn_surface(
    posteriors: FloatArray,
    truths: IntArray,
    names: Any,
    *,
    draws: int = 300,
    objectives: str = "rates",
) -> RocSurface:
    """Keep what nobody dominates among answers by random costs, from even to extreme."""
    size = len(names)
    costs = np.random.default_rng(1).dirichlet(np.ones(size * size), draws)
    costs = costs.reshape(draws, size, size)
    costs[:, range(size), range(size)] = 0
    counts = np.zeros((draws, size, size), dtype=np.int64)
    for own, table in zip(costs, counts, strict=True):
        np.add.at(table, (truths, least_cost(posteriors, own)), 1)
    values = objectives_of(counts, objectives)
    first = np.sort(np.unique(values, axis=0, return_index=True)[1])
    kept = [
        place
        for place in first
        if not any((values[other] <= values[place]).all() for other in first if other != place)
    ]
    own_parameters = np.linspace(0.5, 2, len(kept))[:, None]
    return RocSurface(
        Classes.of(names),
        counts[kept],
        ("model",) * len(kept),
        own_parameters,
        ("temperature",),
        costs[kept],
        objectives,
    )


@cache
def three_class_surface(objectives: str = "rates") -> RocSurface:
    """Return a surface of 004's data; its members are judged at temperature 1 whatever they say."""
    X, truths = three_classes()
    return drawn_surface(true_posteriors(X), truths, NAMES, objectives=objectives)


@cache
def many_class_surface(size: int, draws: int = 200) -> RocSurface:
    """Return a surface of so many classes, from posteriors that are often wrong."""
    rng = np.random.default_rng(size)
    truths = np.repeat(np.arange(size), 20)
    scores = np.exp(1.2 * rng.standard_normal((truths.size, size)) + 2 * np.eye(size)[truths])
    shares = scores / scores.sum(axis=1, keepdims=True)
    return drawn_surface(shares, truths, [f"c{i}" for i in range(size)], draws=draws)
