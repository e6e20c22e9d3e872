"""P-values of many tests, adjusted so that the many do not make one significant by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rocch.inputs import as_choice

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

Adjustment = Literal["holm", "bonferroni", "benjamini-hochberg", "none"]


def adjusted(p_values: FloatArray, method: Adjustment) -> FloatArray:
    """Return adjusted p-values in the given order.

    Holm (1979) and Bonferroni bound the chance of any false rejection, whatever the dependence,
    and Holm rejects at least as much. Benjamini and Hochberg (1995) bound the expected share of
    false ones among the rejections, for independent or positively dependent tests.
    """
    count = p_values.size
    if method == "none":
        return p_values.copy()
    if method == "bonferroni":
        return np.minimum(1, count * p_values)
    order = np.argsort(p_values, kind="stable")
    ranked = p_values[order]
    if method == "holm":
        steps = np.maximum.accumulate(ranked * np.arange(count, 0, -1))
    else:
        steps = np.minimum.accumulate((ranked * count / np.arange(1, count + 1))[::-1])[::-1]
    result = np.empty(count)
    result[order] = np.minimum(1, steps)
    return result


def as_adjustment(adjust: Any) -> Adjustment:
    """Return how to adjust p-values, which must be one of the methods."""
    method: Any = as_choice(adjust, get_args(Adjustment), "adjust")
    checked: Adjustment = method
    return checked
