"""How AUCs of many classes vary, and those of several models on the same rows vary together.

Every such AUC is a mean of comparisons A(i|j) with fixed weights w_ij. Seen from one row r of class
k, all comparisons that r takes part in add up to its *component*

    c_r = sum over j of  w_kj x (share of class j that r outranks, by the posterior for k)
                       + w_jk x (share of class j that outranks r, by the posterior for j),

which is what the AUC would be (up to a constant) if r stood for its whole class. Given the numbers
of rows n_k, the classes are independent samples, so to first order (Hoeffding's projection) the AUC
varies as a sum of independent means of components, and

    variance = sum over classes k of  (sample variance of c_r over the rows of k) / n_k.

For two classes this is DeLong's variance. It is the same as leaving out one row after the other,
class by class (the jackknife), exactly. Covariances of models on the same rows follow from products
of their components in place of squares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import UndefinedError, shown
from rocch.kernels.class_placements import class_placements
from rocch.kernels.exact_products import exact_products
from rocch.multiclass.aucs.pairwise import PairwiseAucs, wins_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray, IntArray
    from rocch.kernels.class_placements import ClassPlacements
    from rocch.multiclass.aucs.judged_classes import JudgedClasses
    from rocch.multiclass.aucs.weighting import Weights


@dataclass(frozen=True, slots=True, eq=False)
class PlacementMoments:
    """What any weighting of the comparisons needs to know about the rows of several models.

    For each class, the sums of products of all placements of its rows: those by which a row
    outranks each class, then those by which each class outranks it, model after model, then 1.
    Whole numbers of any size, so that two models that rank alike differ by exactly 0.
    """

    models: tuple[PairwiseAucs, ...]
    products: tuple[IntArray, ...]

    @classmethod
    def of(cls, judged: JudgedClasses, models: Sequence[FloatArray]) -> PlacementMoments:
        """Place all rows by each model's posteriors; every class needs two rows."""
        _check_rows(judged)
        placed = [class_placements(posteriors, judged.truths) for posteriors in models]
        wins = tuple(wins_of(judged, placements.outranks) for placements in placed)
        return cls(wins, tuple(_products(placed, rows) for rows in judged.rows_by_class()))

    def covariance(self, weights: Weights, one: int = 0, other: int = 0) -> Fraction:
        """Return the covariance of two models' AUCs, both by the same weights."""
        totals, total = self.models[0].totals.tolist(), Fraction(0)
        for code, (size, products) in enumerate(zip(totals, self.products, strict=True)):
            used, factors, scale = _factors(weights, totals, code)
            if not used.size:
                continue
            a, b = (used + 2 * len(totals) * model for model in (one, other))
            square = factors @ products[np.ix_(a, b)] @ factors
            sums = factors @ products[a, -1], factors @ products[b, -1]
            deviations = size * square - sums[0] * sums[1]
            total += Fraction(deviations, size**2 * (size - 1) * scale**2)
        return total


def _check_rows(judged: JudgedClasses) -> None:
    lone = [n for n, t in zip(judged.classes, judged.totals, strict=True) if t < 2]
    if lone:
        raise UndefinedError(
            "the variance of a multi-class AUC is undefined with a single row of a class; it "
            f"takes at least two rows of each, and there is one of {shown(lone)}. Judge more "
            "rows, or use pairwise_aucs for AUCs without intervals."
        )


def _products(placed: Sequence[ClassPlacements], rows: IntArray) -> IntArray:
    columns = [side[rows].T for placements in placed for side in placements]
    features = np.vstack((*columns, np.ones(rows.size, dtype=np.int64)))
    return exact_products(features, features)


def _factors(weights: Weights, totals: list[int], code: int) -> tuple[IntArray, IntArray, int]:
    """Return which of a class's placements count, by what whole numbers, and their scale."""
    roles = np.concatenate((weights[code], weights[:, code]))
    used = np.flatnonzero(roles)
    fractions = [roles[place] / (2 * totals[place % len(totals)]) for place in used]
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    return used, np.array([int(fraction * scale) for fraction in fractions], dtype=object), scale
