"""Surfaces to test with: many cost matrices over the posteriors of a noisy model."""

from __future__ import annotations

import numpy as np

from rocch.kernels.assignment import least_cost
from rocch.multiclass.classes import Classes
from rocch.multiclass.surface import RocSurface

NAMES = ("a", "b", "c", "d", "e")


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
        Classes.of(NAMES[:classes]),
        counts,
        ("noisy",) * draws,
        np.zeros((draws, 1)),
        ("dial",),
        costs,
    )
