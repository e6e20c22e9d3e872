"""Expected costs where costs and priors are known only between bounds, in closed form.

The expected cost of rates r is the sum over k of pi_k times the sum over j of lambda_kj r_kj. Each
lambda_kj moves on its own, so its best or worst end depends on the sign of r_kj alone; what is
left, a sum of pi_k times a number for each class, is extreme where the priors that are free go to
the classes with the largest numbers first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.multiclass.cost_matrix import CostMatrix
    from rocch.multiclass.priors import Priors


def extreme_costs(rates: FloatArray, costs: CostMatrix, priors: Priors, sign: int) -> FloatArray:
    """Return the largest (sign 1) or smallest (sign -1) expected cost of each set of rates.

    `rates` are (n, Q, Q); differences of rates, which may be negative, serve as well.
    Complexity: O(n Q^2).
    """
    towards, away = (costs.high, costs.low) if sign > 0 else (costs.low, costs.high)
    by_class = (np.where(rates > 0, towards, away) * rates).sum(axis=2)
    return _extreme_mean(by_class, priors, sign)


def _extreme_mean(values: FloatArray, priors: Priors, sign: int) -> FloatArray:
    """Return the extreme mean of each row of (n, Q) values over all allowed shares."""
    mean: FloatArray = values @ priors.low
    room = priors.high - priors.low
    if not room.any():
        return mean
    order = np.argsort(-sign * values, axis=1, kind="stable")
    free = 1 - priors.low.sum()
    filled = np.minimum(np.cumsum(room[order], axis=1), free)
    given = np.diff(filled, axis=1, prepend=0)
    extra: FloatArray = (given * np.take_along_axis(values, order, axis=1)).sum(axis=1)
    return mean + extra
