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

Where rows come in groups, a group takes the place of a row: the deviations of its rows' components
are added up class by class, and classes that share groups vary together, which adds their
covariances (Obuchowski's variance for two classes).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import UndefinedError, shown
from rocch.kernels.exact import exact_products
from rocch.kernels.placements import class_placements
from rocch.multiclass.aucs.pairwise import PairwiseAucs, wins_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rocch.arrays import FloatArray, IntArray
    from rocch.kernels.placements import ClassPlacements
    from rocch.multiclass.aucs.judged_classes import JudgedClasses
    from rocch.multiclass.aucs.weighting import Weights


class Factors(NamedTuple):
    """By what a class's twice placements are multiplied to make its rows' components."""

    code: int
    """The class."""
    used: IntArray
    """Which placements count: outranking each class, then being outranked by each."""
    numerators: IntArray
    scale: int
    """What the numerators are to be divided by."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacementMoments:
    """What any weighting of the comparisons needs to know about the rows of several models.

    `products` has, for each class (and each two classes, where rows come in groups), the sums over
    independent units of products of all placements: those by which a unit's rows outrank each
    class, then those by which each class outranks them, model after model, then the number of rows.
    Whole numbers of any size, so that two models that rank alike differ by exactly 0.
    """

    models: tuple[PairwiseAucs, ...]
    products: Mapping[tuple[int, int], IntArray]
    units: IntArray
    """How many independent units each class has: rows, or groups that hold it."""
    all_units: int
    """How many there are of all classes together."""
    grouped: bool

    @classmethod
    def of(cls, judged: JudgedClasses, models: Sequence[FloatArray]) -> PlacementMoments:
        """Place all rows by each model's posteriors."""
        placed = [class_placements(posteriors, judged.truths) for posteriors in models]
        sides = [_by_unit(placed, rows, judged) for rows in judged.rows_by_class()]
        units = np.array([np.count_nonzero(side[-1]) for side in sides])
        together = [(code, code) for code in range(len(sides))]
        if judged.groups is not None:
            together += combinations(range(len(sides)), 2)
        return cls(
            tuple(wins_of(judged, placements.outranks) for placements in placed),
            {(k, m): exact_products(sides[k], sides[m]) for k, m in together},
            units,
            judged.units,
            judged.groups is not None,
        )

    def covariance(self, weights: Weights, one: int = 0, other: int = 0) -> Fraction:
        """Return the covariance of two models' AUCs, both by the same weights."""
        self._check_units(weights)
        totals = self.models[0].totals.tolist()
        factors = [_factors(weights, totals, code) for code in range(len(totals))]
        total = Fraction(0)
        for k, m in self.products:
            if factors[k].used.size and factors[m].used.size:
                total += self._part(factors[k], factors[m], (one, other))
                if k != m:
                    total += self._part(factors[k], factors[m], (other, one))
        return total

    def lone(self, weights: Weights) -> list[Any]:
        """Return the classes that these weights compare and that have one unit, so no variance."""
        compared = np.unique(np.nonzero(weights)).tolist()
        return [self.models[0].classes.names[code] for code in compared if self.units[code] < 2]

    def _check_units(self, weights: Weights) -> None:
        lone = shown(self.lone(weights))
        if not lone:
            return
        if self.grouped:
            kind, needed = "all rows in one group", "two groups that hold each, and there is one"
        else:
            kind, needed = "a single row", "two rows of each, and there is one"
        raise UndefinedError(
            f"the variance of a multi-class AUC is undefined with {kind} of a class; it takes at "
            f"least {needed} of {lone}. Judge more rows, or use multiclass_auc for AUCs without "
            "intervals."
        )

    def _part(self, first: Factors, second: Factors, models: tuple[int, int]) -> Fraction:
        """Return the sum over units of products of two classes' deviations, as a covariance.

        A unit's deviation is n x (its components) - (its rows) x (the components of all n rows of
        its class): what it has more than its share. Multiplied out, whole sums are all it takes.
        """
        products = self.products[first.code, second.code]
        a, b = (
            side.used + 2 * len(self.units) * model
            for side, model in zip((first, second), models, strict=True)
        )
        (n, s), (m, t) = self._whole(first, models[0]), self._whole(second, models[1])
        deviations = (
            n * m * (first.numerators @ products[np.ix_(a, b)] @ second.numerators)
            - n * t * (first.numerators @ products[a, -1])
            - m * s * (products[-1, b] @ second.numerators)
            + s * t * products[-1, -1]
        )
        same = first.code == second.code
        units = int(self.units[first.code]) if same else self.all_units
        scale = (n * m) ** 2 * first.scale * second.scale
        return Fraction(deviations * units, scale * (units - 1))

    def _whole(self, factors: Factors, model: int) -> tuple[int, int]:
        """Return a class's rows and the sum of their components (times their scale)."""
        wins, code = self.models[model], factors.code
        sums = np.concatenate((wins.twice_wins[code], wins.twice_wins[:, code])).tolist()
        placed = (sums[place] for place in factors.used)
        pairs = zip(factors.numerators, placed, strict=True)
        return int(wins.totals[code]), sum(numerator * count for numerator, count in pairs)


def _by_unit(placed: Sequence[ClassPlacements], rows: IntArray, judged: JudgedClasses) -> IntArray:
    """Return the placements of a class's rows and a 1 for each: as they are, or added by group."""
    columns = [side[rows].T for placements in placed for side in placements]
    features = np.vstack((*columns, np.ones(rows.size, dtype=np.int64)))
    if judged.groups is None:
        return features
    sums = np.zeros((judged.units, len(features)), dtype=np.int64)
    np.add.at(sums, judged.groups[rows], features.T)
    return sums.T


def _factors(weights: Weights, totals: list[int], code: int) -> Factors:
    roles = np.concatenate((weights[code], weights[:, code]))
    used = np.flatnonzero(roles)
    fractions = [roles[place] / (2 * totals[place % len(totals)]) for place in used]
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    numerators = np.array([int(fraction * scale) for fraction in fractions], dtype=object)
    return Factors(code, used, numerators, scale)
