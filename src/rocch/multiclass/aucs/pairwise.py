"""How well each pair of classes is told apart: Hand and Till's matrix, as exact counts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.kernels.placements import class_placements
from rocch.multiclass.aucs.judged_classes import JudgedClasses
from rocch.multiclass.aucs.weighting import Measure, as_measure, as_shares, measure_weights
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.aucs.weighting import Weights
    from rocch.multiclass.classes import Classes


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseAucs:
    """The comparisons A(i|j) of all classes i and j, from which every multi-class AUC is a mean.

    A(i|j) is the chance that a row of class i gets a larger posterior *for i* than a row of class
    j, ties half. A(j|i) asks the same of the posterior for j and may differ.

    Attributes
    ----------
    classes
        The classes, in the order of rows and columns.
    totals
        How many rows each class has, read-only.
    twice_wins
        Twice the pairs of rows (one of i, one of j) that are ranked rightly by the posterior for i,
        ties once: whole numbers, read-only; 0 on the diagonal.
    """

    classes: Classes
    totals: IntArray
    twice_wins: IntArray

    def __post_init__(self) -> None:
        self.totals.flags.writeable = self.twice_wins.flags.writeable = False

    @property
    def matrix(self) -> FloatArray:
        """A(i|j), with i in rows and j in columns; 0.5 on the diagonal, for a toss of a coin."""
        sizes = self.totals.astype(np.float64)
        wins = self.twice_wins / (2 * np.outer(sizes, sizes))
        np.fill_diagonal(wins, 0.5)
        return np.asarray(wins)

    @property
    def separation(self) -> FloatArray:
        """A(i, j) = (A(i|j) + A(j|i)) / 2: how well two classes are told apart; symmetric."""
        matrix = self.matrix
        return (matrix + matrix.T) / 2

    def mean(self, weights: Weights) -> Fraction:
        """Return the mean of all A(i|j) by a matrix of weights, exactly."""
        sizes, total = self.totals.tolist(), Fraction(0)
        for i, j in zip(*np.nonzero(weights), strict=True):
            total += weights[i, j] * Fraction(int(self.twice_wins[i, j]), 2 * sizes[i] * sizes[j])
        return total

    def auc(self, measure: Measure = "hand_till", *, priors: Any = OBSERVED) -> float:
        """Return a multi-class AUC without an interval; see `rocch.multiclass_auc`."""
        shares = as_shares(priors, self.classes, self.totals)
        return float(self.mean(measure_weights(as_measure(measure), shares)))


def pairwise_aucs(y_true: Any, y_proba: Any, *, classes: Any = None) -> PairwiseAucs:
    """Compare every pair of classes; this also works where a class has a single row.

    Parameters
    ----------
    y_true, y_proba, classes
        As for `rocch.multiclass_auc`.

    Returns
    -------
    PairwiseAucs

    Raises
    ------
    InputError
        If labels or posteriors cannot be used.

    Examples
    --------
    >>> import rocch
    >>> y = ["cat", "cat", "dog", "eel"]
    >>> P = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]
    >>> found = rocch.pairwise_aucs(y, P)
    >>> found.matrix
    array([[0.5 , 0.75, 1.  ],
           [1.  , 0.5 , 1.  ],
           [1.  , 1.  , 0.5 ]])
    >>> round(found.auc("hand_till"), 4)
    0.9583
    """
    judged = JudgedClasses.of(y_true, classes)
    placements = class_placements(judged.posteriors(y_proba), judged.truths)
    return wins_of(judged, placements.outranks)


def wins_of(judged: JudgedClasses, outranks: IntArray) -> PairwiseAucs:
    """Add up what the rows of each class outrank."""
    wins = np.stack([outranks[rows].sum(axis=0) for rows in judged.rows_by_class()])
    return PairwiseAucs(judged.classes, judged.totals, wins)
