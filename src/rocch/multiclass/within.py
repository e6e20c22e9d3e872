"""Members of a surface that are optimal within bounds on costs and priors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from rocch.arrays import AnyArray, FloatArray, IntArray, Label
from rocch.errors import UndefinedError
from rocch.kernels.exact import solution
from rocch.multiclass.confusion import as_fractions, as_numerators, extreme_costs
from rocch.multiclass.costs import SUM_TOLERANCE, CostMatrix, Priors
from rocch.results import Record
from rocch.roc.conditions import OBSERVED


@dataclass(frozen=True, slots=True, repr=False)
class Witness(Record):
    """Costs and priors at which a member is optimal, rounded to doubles."""

    costs: CostMatrix
    priors: Any

    def _row(self) -> dict[str, Any]:
        return {"costs": str(self.costs), "priors": str(self.priors)}


# Bounds on costs and priors are a polytope of points z = (pi, u): the priors, and for each cost
# that is not exact how far pi_k lambda_kj lies above pi_k low_kj, as a share of high_kj - low_kj.
# So 0 <= u_kj <= pi_k, and an expected cost is linear: the sum of pi_k low_kj r_kj and of u_kj
# (high_kj - low_kj) r_kj. Linear programs use doubles, in units of the largest cost; integers
# decide what doubles leave open.


@dataclass(frozen=True, slots=True)
class CostBox:
    """Bounds on costs and priors, and the members' confusion counts."""

    costs: CostMatrix
    priors: Priors
    counts: IntArray

    @property
    def vague(self) -> tuple[IntArray, IntArray]:
        """The places of costs that are not exact: truths and predictions."""
        truths, predictions = np.nonzero(self.costs.high > self.costs.low)
        return truths, predictions

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.costs.classes)

    @property
    def totals(self) -> IntArray:
        """The number of evaluation rows of each class."""
        return np.asarray(self.counts[0].sum(axis=1))

    @property
    def rates(self) -> FloatArray:
        """The members' confusion matrices as rates."""
        return np.asarray(self.counts / self.totals[:, None])

    def features(self) -> FloatArray:
        """Return the coefficients of each member's cost in z, in units of the largest cost."""
        rates, top = self.rates, self.costs.high.max()
        low, width = self.costs.low / top, (self.costs.high - self.costs.low) / top
        fixed = (rates * low).sum(axis=2)
        return np.concatenate([fixed, (rates * width)[:, *self.vague]], axis=1)

    def exact_features(self) -> IntArray:
        """Return the coefficients without rounding, as Python integers in another unit."""
        bounds = np.stack([as_fractions(self.costs.low), as_fractions(self.costs.high)])
        (low, high), _ = as_numerators(bounds / self.totals.astype(object)[:, None])
        counts = self.counts.astype(object)
        fixed = (counts * low).sum(axis=2)
        return np.concatenate([fixed, counts[:, *self.vague] * (high - low)[self.vague]], axis=1)

    def samples(self, number: int) -> FloatArray:
        """Draw points z, every other one a corner."""
        rng = np.random.default_rng(0)
        mixed = rng.random((number, 1))
        mixed[::2] = 1
        shares = mixed * self._corners(rng, number) + (1 - mixed) * self._corners(rng, number)
        place = rng.random((number, self.vague[0].size))
        place[::2] = place[::2].round()
        return np.concatenate([shares, shares[:, self.vague[0]] * place], axis=1)

    def _corners(self, rng: np.random.Generator, number: int) -> FloatArray:
        low = self.priors.low
        order = rng.permuted(np.tile(np.arange(low.size), (number, 1)), axis=1)
        shares = np.tile(low, (number, 1))
        np.put_along_axis(shares, order, low[order] + self.priors.fill(order), axis=1)
        return np.clip(shares, low, self.priors.high)  # differences may miss tiny bounds

    def largest_lead(self, others: FloatArray) -> tuple[float, FloatArray]:
        """Return the largest lead of a member over all others, and a point with it."""
        from scipy.optimize import linprog

        size, room = self.classes, self._room
        excess = len(room)
        behind = np.column_stack([-others, np.ones(len(others))])
        shares = zip(self.priors.low, self.priors.high, strict=True)
        result = linprog(
            -np.eye(size + excess + 1)[-1],
            A_ub=np.concatenate([behind, np.column_stack([room, np.zeros(excess)])]),
            b_ub=np.zeros(len(others) + excess),
            A_eq=np.concatenate([np.ones(size), np.zeros(excess + 1)])[None],
            b_eq=[1.0],
            bounds=[*shares, *[(0, None)] * excess, (None, 1)],
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if not result.success:
            raise UndefinedError(f"a linear program could not be solved: {result.message}")
        return float(result.x[-1]), result.x[:-1]

    def exact_point(self, leads: IntArray) -> list[Fraction] | None:
        """Return a point z at which all leads are at least 0, exactly, or None."""
        # unknowns are not negative, so they are distances of z from its lower bounds
        low, high = self._prior_bounds()
        room = self._room
        least = np.concatenate([low, np.zeros(len(room), dtype=object)])
        rows = [np.eye(low.size, least.size, dtype=np.int64), room]
        bounds = [high - low, low[self.vague[0]]]
        if not self.priors.exact:
            # bounds that leave one class balance only may miss the sum of 1 by rounding
            slack = 0 if low.sum() <= 1 <= high.sum() else Fraction(SUM_TOLERANCE)
            total = rows[0].sum(axis=0)
            rows.append(np.stack([total, -total]))
            bounds.append(np.array([1 - low.sum() + slack, low.sum() - 1 + slack]))
        limits = np.concatenate([*bounds, leads @ least])
        units = np.array([limit.denominator for limit in limits], dtype=object)
        table = np.concatenate([*rows, -leads]) * units[:, None]
        found = solution(table, np.array([limit.numerator for limit in limits], dtype=object))
        return None if found is None else (least + np.array(found)).tolist()

    @property
    def _room(self) -> IntArray:
        """The coefficients of u_kj - pi_k in z, which are at most 0."""
        room = np.eye(self.classes + self.vague[0].size, dtype=np.int64)[self.classes :]
        room[np.arange(len(room)), self.vague[0]] = -1
        return room

    def _prior_bounds(self) -> tuple[AnyArray, AnyArray]:
        if self.priors.exact:
            shares = np.array(self.priors.fractions)
            return shares, shares
        return as_fractions(self.priors.low), as_fractions(self.priors.high)

    def witness(self, point: FloatArray | list[Fraction]) -> Witness:
        """Return the costs and priors of a point z of doubles or fractions."""
        values = self.costs.low.copy()
        for place, (k, j) in enumerate(zip(*(side.tolist() for side in self.vague), strict=True)):
            share = point[self.classes + place] / point[k] if point[k] else 0
            width = self.costs.high[k, j] - self.costs.low[k, j]
            values[k, j] += float(min(max(share, 0), 1)) * width
        values = np.clip(values, self.costs.low, self.costs.high)
        priors: dict[Label, float] | str = OBSERVED
        if self.priors.totals is None:
            shares = np.array([float(share) for share in point[: self.classes]])
            shares = np.clip(shares, self.priors.low, self.priors.high)
            priors = dict(zip(self.costs.classes, shares.tolist(), strict=True))
        return Witness(CostMatrix.of_bounds(self.costs.classes, values, values), priors)


# Whether a member is optimal somewhere is a linear program: find the point z at which its lead over
# the best of the others is largest. Few others matter, so they are added as they are found to win.

# A lead of this much, in units of the largest cost, is not due to rounding: the programs are solved
# to 1e-10.
CLEAR = 1e-7
# The number of points at which winners are looked for first.
SAMPLES = 2000
# How many rivals enter a linear program at a time: a few decide, and small programs are fast.
NEIGHBORS = 20
# How many costs are computed at a time.
BLOCK = 2**22


def optimal_members(box: CostBox) -> dict[int, Witness]:
    """Return the members that are optimal somewhere within bounds, without rounding."""
    search = _OptimalMembers(box)
    for place in _candidates(box, list(search.where)):
        if place not in search.where:
            search.settle(int(place))
    return {place: box.witness(search.where[place]) for place in sorted(search.where)}


def least_regret(box: CostBox) -> tuple[int, float]:
    """Return the member with the least worst regret, and that regret."""
    # all members that are best anywhere are among the candidates, and regret is against these alone
    rates, regrets = box.rates, np.full(len(box.counts), -np.inf)
    for rival in _candidates(box, list(_OptimalMembers(box).where)):
        behind = extreme_costs(rates - rates[rival], box.costs, box.priors, 1)
        np.maximum(regrets, behind, out=regrets)
    place = int(regrets.argmin())
    return place, max(float(regrets[place]), 0.0)


def _candidates(box: CostBox, rivals: list[int]) -> IntArray:
    """Return the members that none of the rivals beats everywhere."""
    rates, beaten = box.rates, np.zeros(len(box.counts), dtype=bool)
    for rival in rivals:
        ahead = extreme_costs(rates - rates[rival], box.costs, box.priors, -1)
        beaten |= ahead > CLEAR * box.costs.high.max()
    return np.flatnonzero(~beaten)


class _OptimalMembers:
    """The members found to be optimal so far, each with a point where it is."""

    def __init__(self, box: CostBox) -> None:
        self.box = box
        self._features = box.features()
        self._exact: IntArray | None = None
        self.where: dict[int, FloatArray | list[Fraction]] = {}
        points = box.samples(SAMPLES)
        step = max(1, BLOCK // len(self._features))
        for start in range(0, SAMPLES, step):
            self._note_clear_winners(points[start : start + step])

    def _note_clear_winners(self, points: FloatArray) -> None:
        costs = points @ self._features.T
        best = costs.argmin(axis=1)
        least = np.take_along_axis(costs, best[:, None], axis=1)
        rivals = (costs <= least * (1 + CLEAR)).sum(axis=1)
        for point, place in zip(points[rivals == 1], best[rivals == 1], strict=True):
            self.where.setdefault(int(place), point)

    def settle(self, place: int) -> None:
        """Decide whether a member is optimal somewhere: add rivals until none is cheaper."""
        features = self._features
        rivals = self._nearest(place)
        while rivals:
            lead, point = self.box.largest_lead(features[rivals] - features[place])
            if lead < -CLEAR:
                return
            if lead <= CLEAR:
                break
            costs = features @ point
            close = np.flatnonzero(costs <= costs[place] + CLEAR / 2)
            close = close[close != place]
            if not close.size:
                self.where[place] = point
                return
            order = np.argsort(costs[close], kind="stable")[:NEIGHBORS]
            rivals = list(dict.fromkeys([*rivals, *close[order].tolist()]))
        self._settle_exactly(place, rivals)

    def _settle_exactly(self, place: int, rivals: list[int]) -> None:
        """Decide in integers, adding rivals that are cheaper where the member would win."""
        if self._exact is None:
            self._exact = self.box.exact_features()
        while True:
            point = self.box.exact_point(self._exact[rivals] - self._exact[place])
            if point is None:
                return
            costs = (self._exact * np.array(point, dtype=object)).sum(axis=1)
            best = int(costs.argmin())
            if costs[place] <= costs[best]:
                self.where[place] = point
                return
            rivals = [*rivals, best]

    def _nearest(self, place: int) -> list[int]:
        if not self.where:
            return []
        winners = np.array(list(self.where))
        far = ((self._features[winners] - self._features[place]) ** 2).sum(axis=1)
        nearest: list[int] = winners[np.argsort(far, kind="stable")[:NEIGHBORS]].tolist()
        return nearest
