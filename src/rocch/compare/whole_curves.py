"""Are two whole curves equal? Permutation tests, for the same rows and for different ones."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.kernels import resampling as swapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray
    from rocch.compare.sample import Sample

ROUNDING = 1e-12
"""Distances that agree to 12 digits count as equal."""


class Distance(NamedTuple):
    """How far two curves lie apart, and how often chance alone takes them so far."""

    first: str
    second: str
    distance: float
    p_value: float


def exchange_scores(sample: Sample, permutations: int, seed: int) -> list[Distance]:
    """Exchange the ranks of random rows (or whole clusters) between the two classifiers."""
    scores = {model: np.asarray(column, float) for model, column in sample.models.items()}
    ranks = {
        model: swapping.coarsened(swapping.double_ranks(column)) for model, column in scores.items()
    }
    units = len(sample) if sample.groups is None else int(sample.groups.max()) + 1
    tests = []
    for number, (first, second) in enumerate(combinations(ranks, 2)):
        rng = np.random.default_rng((seed, number))
        one, other = ranks[first], ranks[second]
        seen = swapping.hits_between(one, other, sample.positive)
        reached = 0
        for _ in range(permutations):
            heads = rng.random(units) < 0.5
            swapped = heads if sample.groups is None else heads[sample.groups]
            gap = swapping.exchanged(one, other, sample.positive, swapped)
            reached += gap >= seen * (1 - ROUNDING)
        tests.append(_by_permutation(first, second, seen, reached, permutations))
    return tests


def exchange_rows(curves: Mapping[str, Sample], permutations: int, seed: int) -> list[Distance]:
    """Exchange random rows of each class between the two samples."""
    tests = []
    for number, (first, second) in enumerate(combinations(curves, 2)):
        rng = np.random.default_rng((seed, number))
        pair = [curves[first], curves[second]]
        positive = np.concatenate([sample.positive for sample in pair])
        share = float(positive.mean())
        standings = np.concatenate([_standing(sample, share) for sample in pair])
        order = np.argsort(-standings, kind="stable")
        member = (np.arange(positive.size) < len(pair[0]))[order]
        standings, positive = standings[order], positive[order]
        seen = swapping.tpr_between(standings, positive, member, share)
        reached = 0
        for _ in range(permutations):
            mixed = np.empty_like(member)
            for rows in (positive, ~positive):
                mixed[rows] = rng.permutation(member[rows])
            gap = swapping.tpr_between(standings, positive, mixed, share)
            reached += gap >= seen * (1 - ROUNDING)
        tests.append(_by_permutation(first, second, seen, reached, permutations))
    return tests


def _by_permutation(
    first: str, second: str, seen: float, reached: int, permutations: int
) -> Distance:
    p_value = (1 + reached) / (1 + permutations)
    return Distance(first, second, seen, p_value)


def _standing(sample: Sample, share: float) -> FloatArray:
    (scores,) = sample.models.values()
    return swapping.standing(np.asarray(scores, dtype=np.float64), sample.positive, share)
