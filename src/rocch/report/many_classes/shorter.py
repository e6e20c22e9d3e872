"""Costs in as few digits as decide alike on the judged rows: what can be read can be deployed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rocch.kernels import assignment
from rocch.kernels.engine import engine_for

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import FloatArray, IntArray
    from rocch.report.many_classes.choices import Choices

DIGITS = (2, 3, 4, 6)
MOST_ANSWERS = 100_000_000
"""Beyond so many rows times members it would take too long, and all digits are kept."""


def with_short_costs(
    choices: Choices, posteriors: Mapping[str, FloatArray], truths: IntArray
) -> Choices:
    """Shorten the costs by which members of the surface answer, where their counts stay the same.

    They are given as parts of the largest, which leaves every answer as it is. Rules keep the costs
    that they are named after.
    """
    if truths.size * len(choices) > MOST_ANSWERS:
        return choices
    costs = choices.costs.copy()
    searched = (choices.place >= 0) & (np.arange(len(choices)) >= choices.rules)
    searched &= ~np.isnan(costs[:, 0, 0])
    for model, name in enumerate(choices.models):
        if name in posteriors:
            own = np.flatnonzero(searched & (choices.model == model))
            costs[own] = _shortened(costs[own], choices.counts[own], posteriors[name], truths)
    return replace(choices, costs=costs)


def _shortened(
    costs: FloatArray, counts: IntArray, posteriors: FloatArray, truths: IntArray
) -> FloatArray:
    short, open_ = costs.copy(), np.arange(len(costs))
    for digits in DIGITS:
        if not open_.size:
            break
        parts = costs[open_] / costs[open_].max(axis=(1, 2), keepdims=True)
        tried = _rounded(parts, digits)
        count = engine_for(assignment, truths.size * open_.size).count_draws
        found = count(posteriors, truths, tried, costs.shape[1])
        same = (found == counts[open_]).all(axis=(1, 2))
        short[open_[same]] = tried[same]
        open_ = open_[~same]
    return short


def _rounded(values: FloatArray, digits: int) -> FloatArray:
    """Round to significant digits, as they are written."""
    texts = [f"{value:.{digits - 1}e}" for value in values.ravel().tolist()]
    return np.array([float(text) for text in texts]).reshape(values.shape)
