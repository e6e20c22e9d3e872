"""Every AUC of many classes is a mean of the comparisons A(i|j); this is how each one weighs them.

A(i|j) is the chance that a row of class i gets a larger posterior for i than a row of class j, ties
half. Weights are exact fractions that sum to 1, in a matrix with i in rows and j in columns.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_choice
from rocch.multiclass.priors import as_priors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import IntArray
    from rocch.multiclass.classes import Classes

Measure = Literal["hand_till", "total", "macro"]

Weights = np.ndarray[Any, Any]
"""A matrix of fractions (dtype object)."""


def measure_weights(measure: Measure, shares: Sequence[Fraction]) -> Weights:
    """Return the weights of a mean over all classes; `shares` are those of the classes.

    Hand and Till's M gives all pairs of classes the same weight. Provost and Domingos' total weighs
    the classes' own AUCs by their shares, the macro mean gives each the same weight.
    """
    classes = len(shares)
    if measure == "hand_till":
        even = np.full((classes, classes), Fraction(1, classes * (classes - 1)))
        return _without_diagonal(even)
    rows = [class_weights(code, shares) for code in range(classes)]
    own = shares if measure == "total" else [Fraction(1, classes)] * classes
    return np.asarray(sum(weights * share for weights, share in zip(rows, own, strict=True)))


def class_weights(code: int, shares: Sequence[Fraction]) -> Weights:
    """Return the weights of one class against all others together (its class-reference AUC).

    The others are mixed by their shares, so what one of them contributes depends on the balance of
    the classes. Weights that follow the shares of rows give the usual one-vs-rest AUC.
    """
    weights = np.full((len(shares), len(shares)), Fraction(0))
    rest = sum(shares) - shares[code]
    weights[code] = [share / rest for share in shares]
    return _without_diagonal(weights)


def pair_weights(first: int, second: int, classes: int) -> Weights:
    """Return the weights of A(i, j), the mean of A(i|j) and A(j|i)."""
    weights = np.full((classes, classes), Fraction(0))
    weights[first, second] = weights[second, first] = Fraction(1, 2)
    return weights


def effective_units(weights: Weights, units: IntArray, most: int) -> tuple[int, int]:
    """Return as how many negatives and positives the independent units of all classes count.

    Units are rows, or groups of rows, n_k of class k and `most` in all. A mean of A(i|j) has the
    variance sum over k of u_k^2 s_k / n_k, where u_k is the weight of all comparisons of class k,
    as the class that should win (its row) and as the one that should lose (its column), and s_k the
    variance of a unit's mean placement. Two classes have s_1 / n_1 + s_0 / n_0. So the sum of
    u_k^2 / n_k is split by the two roles into two parts, and their inverses stand for n_1 and n_0.
    For one class against the rest, and for a single pair, they are the very numbers of rows; for M
    of classes of equal size, half of all rows each.
    """
    sizes = [int(size) for size in units]
    compared = np.unique(np.nonzero(weights))
    if compared.size == 2:  # both directions compare the same rows
        return sizes[compared[0]], sizes[compared[1]]
    wins, losses = weights.sum(axis=1), weights.sum(axis=0)
    parts = (
        sum(role * (win + loss) / size for role, win, loss, size in zip(*sides, strict=True))
        for sides in ((losses, wins, losses, sizes), (wins, wins, losses, sizes))
    )
    negatives, positives = (min(math.floor(1 / part), most) for part in parts)
    return negatives, positives


def as_shares(priors: Any, classes: Classes, totals: IntArray) -> tuple[Fraction, ...]:
    """Return each class's share, as priors are stated everywhere; they sum to exactly 1."""
    stated = as_priors(priors, classes, totals).fractions
    for name, share in zip(classes, stated, strict=True):
        if not 0 < share < 1:
            raise bad_input(
                f"the prior of {name!r}",
                "be between 0 and 1, both excluded",
                f"{float(share):g}",
                "For a class that does not occur, leave its rows and its column out.",
            )
    return tuple(share / sum(stated) for share in stated)


def _without_diagonal(weights: Weights) -> Weights:
    np.fill_diagonal(weights, Fraction(0))
    return weights


def as_measure(measure: Any) -> Measure:
    """Return which mean of all classes is meant."""
    word: Any = as_choice(measure, get_args(Measure), "measure")
    checked: Measure = word
    return checked
