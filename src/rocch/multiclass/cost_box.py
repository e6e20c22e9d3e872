"""Bounds on costs and priors as one polytope, on which expected costs are linear.

A point is z = (pi, u): the priors, and for each cost that is not exact how far pi_k lambda_kj lies
above pi_k low_kj, as a share of high_kj - low_kj. So 0 <= u_kj <= pi_k, and an expected cost
is the sum of pi_k low_kj r_kj and of u_kj (high_kj - low_kj) r_kj. Everything is there in doubles
(in units of the largest cost, for linear programs) and in whole numbers (where doubles leave a
question open).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.kernels.exact import solution
from rocch.multiclass.cost_matrix import CostMatrix
from rocch.multiclass.priors import SUM_TOLERANCE
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.priors import Priors


@dataclass(frozen=True, slots=True)
class Witness:
    """Costs and priors at which a member is optimal, as the nearest doubles.

    A member that is optimal only where others cost exactly the same may miss that by a last digit.
    Priors are a mapping, or the word "observed" where they were given so.
    """

    costs: CostMatrix
    priors: Any


@dataclass(frozen=True, slots=True)
class CostBox:
    """Bounds on costs and priors, and the confusion counts whose costs they bound.

    Attributes
    ----------
    costs, priors
        The bounds.
    counts
        The members' confusion matrices (m, Q, Q).
    vague
        Which costs are not exact: truths and answers, as places.
    """

    costs: CostMatrix
    priors: Priors
    counts: IntArray
    vague: tuple[IntArray, IntArray]

    @classmethod
    def of(cls, costs: CostMatrix, priors: Priors, counts: IntArray) -> CostBox:
        """Take bounds."""
        truth, answer = np.nonzero(costs.high > costs.low)
        return cls(costs, priors, counts, (truth, answer))

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.costs.classes)

    @property
    def totals(self) -> IntArray:
        """How many judged rows each class has."""
        totals: IntArray = self.counts[0].sum(axis=1)
        return totals

    def features(self) -> FloatArray:
        """Return what each member's cost grows by with each part of z, the largest cost being 1."""
        rates = self.counts / self.totals[:, None]
        top = self.costs.high.max()
        low, width = self.costs.low / top, (self.costs.high - self.costs.low) / top
        fixed = (rates * low).sum(axis=2)
        return np.concatenate([fixed, (rates * width)[:, *self.vague]], axis=1)

    def exact_features(self) -> IntArray:
        """Return the same without rounding, in another unit, as Python integers."""
        low, high = (
            [[Fraction(cost) for cost in row] for row in bound.tolist()]
            for bound in (self.costs.low, self.costs.high)
        )
        totals = [int(total) for total in self.totals]
        each = [[cost / totals[k] for cost in row] for k, row in enumerate(low)]
        vague = list(zip(*(side.tolist() for side in self.vague), strict=True))
        excess = [(high[k][j] - low[k][j]) / totals[k] for k, j in vague]
        parts = [part for row in each for part in row] + excess
        unit = math.lcm(*(part.denominator for part in parts))
        counts = self.counts.astype(object)
        weights = np.array([[int(part * unit) for part in row] for row in each], dtype=object)
        fixed = (counts * weights).sum(axis=2)
        whole = np.array([int(part * unit) for part in excess], dtype=object)
        return np.concatenate([fixed, counts[:, *self.vague] * whole], axis=1)

    def samples(self, number: int) -> FloatArray:
        """Draw points z, every other one a corner; any will do, none is relied on."""
        rng = np.random.default_rng(0)
        mixed = rng.random((number, 1))
        mixed[::2] = 1
        shares = mixed * self._corners(rng, number) + (1 - mixed) * self._corners(rng, number)
        place = rng.random((number, self.vague[0].size))
        place[::2] = place[::2].round()
        return np.concatenate([shares, shares[:, self.vague[0]] * place], axis=1)

    def _corners(self, rng: np.random.Generator, number: int) -> FloatArray:
        """Draw corners of the allowed priors: what is free goes to classes in a random order."""
        low, room = self.priors.low, self.priors.high - self.priors.low
        order = rng.permuted(np.tile(np.arange(low.size), (number, 1)), axis=1)
        filled = np.minimum(np.cumsum(room[order], axis=1), 1 - low.sum())
        shares = np.tile(low, (number, 1))
        np.put_along_axis(shares, order, low[order] + np.diff(filled, axis=1, prepend=0), axis=1)
        return np.clip(shares, low, self.priors.high)  # differences may miss tiny bounds

    def exact_point(self, leads: IntArray) -> list[Fraction] | None:
        """Return a point z at which all leads are at least 0, without rounding; None if none is.

        `leads` are differences of exact features, one row for each rival. What is sought is how far
        z lies above its lower bounds, because unknowns are not negative.
        """
        low, high = self._prior_bounds()
        least = [*low, *[Fraction(0)] * self.vague[0].size]
        limits = [*self._limits(low, high, len(least))]
        for lead in leads.tolist():
            bound = sum((part * least[place] for place, part in enumerate(lead)), Fraction(0))
            limits.append(([-part for part in lead], bound))
        units = np.array([bound.denominator for _, bound in limits], dtype=object)
        table = np.array([row for row, _ in limits], dtype=object) * units[:, None]
        whole = np.array([bound.numerator for _, bound in limits], dtype=object)
        found = solution(table, whole)
        if found is None:
            return None
        return [bound + above for bound, above in zip(least, found, strict=True)]

    def _limits(
        self, low: list[Fraction], high: list[Fraction], size: int
    ) -> Iterator[tuple[list[int], Fraction]]:
        """Go through the rows, and their upper bounds, that make the polytope."""

        def row(at: dict[int, int]) -> list[int]:
            return [at.get(place, 0) for place in range(size)]

        for k in range(self.classes):
            yield row({k: 1}), high[k] - low[k]
        for place, k in enumerate(self.vague[0].tolist(), start=self.classes):
            yield row({place: 1, k: -1}), low[k]
        if not self.priors.exact:
            # bounds that leave one class balance only may miss the sum of 1 by rounding
            reached = sum(low, Fraction(0)) <= 1 <= sum(high, Fraction(0))
            slack = Fraction(0 if reached else SUM_TOLERANCE)
            for sign in (1, -1):
                every = dict.fromkeys(range(self.classes), sign)
                yield row(every), sign * (1 - sum(low, Fraction(0))) + slack

    def _prior_bounds(self) -> tuple[list[Fraction], list[Fraction]]:
        if self.priors.exact:
            return self.priors.fractions, self.priors.fractions
        low, high = (
            [Fraction(share) for share in side.tolist()]
            for side in (self.priors.low, self.priors.high)
        )
        return low, high

    def witness(self, point: Any) -> Witness:
        """Return costs and priors that belong to a point z of doubles or fractions."""
        values = self.costs.low.copy()
        for place, (k, j) in enumerate(zip(*(side.tolist() for side in self.vague), strict=True)):
            share = point[self.classes + place] / point[k] if point[k] else 0
            width = self.costs.high[k, j] - self.costs.low[k, j]
            values[k, j] += float(min(max(share, 0), 1)) * width
        values = np.clip(values, self.costs.low, self.costs.high)
        priors: Any = OBSERVED
        if self.priors.totals is None:
            shares = np.array([float(share) for share in point[: self.classes]])
            shares = np.clip(shares, self.priors.low, self.priors.high)
            priors = dict(zip(self.costs.classes, shares.tolist(), strict=True))
        return Witness(CostMatrix.of_bounds(self.costs.classes, values, values), priors)
