"""Surfaces for tests: random costs over the posteriors of a model, with an obvious filter."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.kernels.assignment import least_cost
from rocch.multiclass import Classes, RocSurface, three_class_data
from rocch.multiclass.confusion import Objectives, objectives_of

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

NAMES = ["ash", "birch", "cedar"]
LETTERS = ("a", "b", "c", "d", "e")


def three_classes(rows: int = 90, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """Draw rows of 004's synthetic data, with the classes' places."""
    data = three_class_data(rows, seed=seed)
    return data.X, data.y - 1


def true_posteriors(X: Any) -> FloatArray:
    """Return the true posteriors of that data."""
    return three_class_data(3).probabilities(X)


class Tempered:
    """The true posteriors, sharpened or flattened by one parameter: a model of one's own."""

    def probabilities_of(self, parameters: FloatArray, X: Any) -> FloatArray:
        powers = true_posteriors(X) ** parameters[0]
        shares: FloatArray = powers / powers.sum(axis=1, keepdims=True)
        return shares


def drawn_surface(
    posteriors: FloatArray,
    truths: IntArray,
    names: Any,
    *,
    draws: int = 300,
    objectives: Objectives = "rates",
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
def three_class_surface(objectives: Objectives = "rates") -> RocSurface:
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


def random_surface(
    seed: int, *, classes: int = 3, rows: int = 60, draws: int = 60, skill: float = 0.3
) -> RocSurface:
    """Return a surface of unfiltered members with known posteriors behind it."""
    rng = np.random.default_rng(seed)
    truths = np.arange(rows) % classes
    posteriors = rng.dirichlet(np.ones(classes), rows)
    posteriors[np.arange(rows), truths] += skill
    posteriors /= posteriors.sum(axis=1, keepdims=True)
    costs = np.zeros((draws, classes, classes))
    off = ~np.eye(classes, dtype=bool)
    costs[:, off] = rng.dirichlet(np.ones(classes * (classes - 1)), draws)
    counts = np.array(
        [
            np.bincount(truths * classes + least_cost(posteriors, one), minlength=classes**2)
            for one in costs
        ]
    ).reshape(draws, classes, classes)
    return RocSurface(
        Classes.of(LETTERS[:classes]),
        counts,
        ("noisy",) * draws,
        np.zeros((draws, 1)),
        ("dial",),
        costs,
    )
