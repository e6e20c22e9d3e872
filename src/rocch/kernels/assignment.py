"""Answers of least expected cost from posteriors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


def expected_costs(posteriors: FloatArray, costs: FloatArray) -> FloatArray:
    """Return the conditional risk of every answer."""
    risks = np.zeros(posteriors.shape)
    for k in range(posteriors.shape[1]):
        risks += posteriors[:, k, None] * costs[..., k, :]
    return risks


def least_cost(posteriors: FloatArray, costs: FloatArray) -> IntArray:
    """Return answers of least cost."""
    answers: IntArray = expected_costs(posteriors, costs).argmin(axis=1)
    return answers
