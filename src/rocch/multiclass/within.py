"""Which members of a surface can be optimal within bounds on costs and priors.

A member's expected cost is linear in pi_k lambda_kj. With pi_k within bounds and summing to 1, and
each lambda_kj within bounds, the products that are possible are exactly those with

    pi_k low_kj <= (pi_k lambda_kj) <= pi_k high_kj,

which is linear too. So "is this member optimal somewhere?" is a linear program: find the costs and
priors at which its lead over the best of the others is largest. Few others matter, so they are
added as they are found to win.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import RocchError
from rocch.multiclass.cost_matrix import CostMatrix
from rocch.multiclass.weighing import extreme_costs

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.priors import Priors
    from rocch.multiclass.surface_member import SurfaceMember

TOLERANCE = 1e-9
"""Members that cost no more than the cheapest plus this share of the largest cost count as optimal:
linear programs are solved in doubles."""
SAMPLES = 2000
NEIGHBOURS = 20
"""So many rivals enter a linear program at a time: a few decide, and small programs are fast."""
BLOCK = 2**22


@dataclass(frozen=True, slots=True)
class Witness:
    """Costs and priors at which a member is optimal."""

    costs: CostMatrix
    priors: dict[Any, float]


@dataclass(frozen=True, slots=True)
class OptimalWithin:
    """The members that are optimal somewhere within bounds.

    Attributes
    ----------
    places
        Their places on the surface.
    models
        The names of their models, each once, sorted: who can be optimal at all.
    witnesses
        For each place, costs and priors within the bounds at which it is optimal.
    """

    places: tuple[int, ...]
    models: tuple[str, ...]
    witnesses: dict[int, Witness]

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, place: object) -> bool:
        return place in self.witnesses


@dataclass(frozen=True, slots=True)
class LeastRegret:
    """The member that loses least in the worst case.

    Attributes
    ----------
    member
        The member.
    regret
        The most that it can cost, per row, beyond the best member for what turns out to hold.
    """

    member: SurfaceMember
    regret: float


@dataclass(frozen=True, slots=True)
class Box:
    """All products of priors and costs within bounds, as z = (pi, excess over pi_k low_kj).

    Attributes
    ----------
    costs, priors
        The bounds.
    vague
        Which costs are not exact (k, j); only these have an excess.
    """

    costs: CostMatrix
    priors: Priors
    vague: tuple[IntArray, IntArray]

    @classmethod
    def of(cls, costs: CostMatrix, priors: Priors) -> Box:
        """Take bounds."""
        truth, answer = np.nonzero(costs.high > costs.low)
        return cls(costs, priors, (truth, answer))

    def features(self, rates: FloatArray) -> FloatArray:
        """Return for each member what its expected cost grows by with each part of z."""
        fixed = (rates * self.costs.low).sum(axis=2)
        return np.concatenate([fixed, rates[:, *self.vague]], axis=1)

    def samples(self, number: int) -> FloatArray:
        """Draw points z, every other one a corner; any will do, none is relied on."""
        rng = np.random.default_rng(0)
        mixed = rng.random((number, 1))
        mixed[::2] = 1
        shares = mixed * self._corners(rng, number) + (1 - mixed) * self._corners(rng, number)
        place = rng.random((number, self.vague[0].size))
        place[::2] = place[::2].round()
        width = (self.costs.high - self.costs.low)[self.vague]
        return np.concatenate([shares, shares[:, self.vague[0]] * width * place], axis=1)

    def _corners(self, rng: np.random.Generator, number: int) -> FloatArray:
        """Draw corners of the allowed priors: what is free goes to classes in a random order."""
        low, room = self.priors.low, self.priors.high - self.priors.low
        order = rng.permuted(np.tile(np.arange(low.size), (number, 1)), axis=1)
        filled = np.minimum(np.cumsum(room[order], axis=1), 1 - low.sum())
        shares = np.tile(low, (number, 1))
        np.put_along_axis(shares, order, low[order] + np.diff(filled, axis=1, prepend=0), axis=1)
        return shares

    def witness(self, point: FloatArray) -> Witness:
        """Return costs and priors that belong to a point z."""
        size = len(self.costs.classes)
        shares = np.clip(point[:size], self.priors.low, self.priors.high)
        values = self.costs.low.copy()
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = point[size:] / shares[self.vague[0]]
        values[self.vague] += np.nan_to_num(excess, posinf=0.0, neginf=0.0)
        values = np.clip(values, self.costs.low, self.costs.high)
        names = self.costs.classes
        return Witness(
            CostMatrix.of_bounds(names, values, values),
            dict(zip(names, (shares / shares.sum()).tolist(), strict=True)),
        )


def optimal_within(
    rates: FloatArray, costs: CostMatrix, priors: Priors, models: tuple[str, ...]
) -> OptimalWithin:
    """Return the members that are optimal somewhere within bounds.

    Complexity: a linear program (at most Q^2 + Q unknowns) for each member that nobody beats
    throughout and that no sample shows to be optimal.
    """
    box = Box.of(costs, priors)
    features = box.features(rates)
    where = _sampled_winners(features, box)
    for place in candidates(rates, costs, priors, np.array(list(where))):
        if place not in where:
            _settle(int(place), features, box, where)
    places = tuple(sorted(where))
    return OptimalWithin(
        places,
        tuple(sorted({models[place] for place in places})),
        {place: box.witness(where[place]) for place in places},
    )


def candidates(rates: FloatArray, costs: CostMatrix, priors: Priors, rivals: IntArray) -> IntArray:
    """Return the members that none of the rivals beats throughout the bounds."""
    size = rates.shape[1]
    beaten = np.zeros(len(rates), dtype=bool)
    for rival in rivals:
        ahead = extreme_costs(rates - rates[rival], costs, priors, -1)
        beaten |= ahead > TOLERANCE * costs.high.max() * size
    return np.flatnonzero(~beaten)


def least_regret(rates: FloatArray, costs: CostMatrix, priors: Priors) -> tuple[int, float]:
    """Return the member with the least worst regret, and that regret. Complexity: O(m n Q^2).

    m are the members that none of some winners beats throughout: among them are all that are best
    anywhere, against whom alone regret is counted.
    """
    box = Box.of(costs, priors)
    winners = np.array(list(_sampled_winners(box.features(rates), box)))
    regrets = np.full(len(rates), -np.inf)
    for rival in candidates(rates, costs, priors, winners):
        behind = extreme_costs(rates - rates[rival], costs, priors, 1)
        np.maximum(regrets, behind, out=regrets)
    place = int(regrets.argmin())
    return place, max(float(regrets[place]), 0.0)


def _sampled_winners(features: FloatArray, box: Box) -> dict[int, FloatArray]:
    """Return members that are cheapest at some sample, each with such a sample."""
    found: dict[int, FloatArray] = {}
    points = box.samples(SAMPLES)
    step = max(1, BLOCK // len(features))
    for start in range(0, SAMPLES, step):
        part = points[start : start + step]
        for point, place in zip(part, (part @ features.T).argmin(axis=1), strict=True):
            found.setdefault(int(place), point)
    return found


def _settle(place: int, features: FloatArray, box: Box, where: dict[int, FloatArray]) -> None:
    """Find out whether a member is optimal somewhere; whoever is found to be is noted.

    It has to beat its neighbours first. If it can, those who are cheaper at that point join them.
    """
    scale = max(float(box.costs.high.max()), TOLERANCE)
    winners = np.array(list(where))
    far = ((features[winners] - features[place]) ** 2).sum(axis=1)
    rivals = winners[np.argsort(far, kind="stable")[:NEIGHBOURS]].tolist()
    while True:
        lead, point = _largest_lead(features[rivals] - features[place], box, scale)
        if lead < -TOLERANCE:
            return
        costs = features @ point
        best = int(costs.argmin())
        if costs[place] <= costs[best] + TOLERANCE * scale:
            where[place] = point
            return
        if best in rivals:  # the program's own rounding; it was allowed less than that
            return
        where.setdefault(best, point)
        cheaper = winners[costs[winners] < costs[place]]
        order = np.argsort(costs[cheaper], kind="stable")[:NEIGHBOURS]
        rivals = list(dict.fromkeys([*rivals, best, *cheaper[order].tolist()]))


def _largest_lead(others: FloatArray, box: Box, scale: float) -> tuple[float, FloatArray]:
    """Return by how much a member can lead all others at some point, and where that is."""
    from scipy.optimize import linprog

    size, excess = len(box.costs.classes), box.vague[0].size
    rows = np.concatenate([-others / scale, np.ones((len(others), 1))], axis=1)
    room = np.zeros((excess, size + excess + 1))
    width = (box.costs.high - box.costs.low)[box.vague]
    room[np.arange(excess), box.vague[0]] = -width
    room[np.arange(excess), size + np.arange(excess)] = 1
    total = np.concatenate([np.ones(size), np.zeros(excess + 1)])[None]
    answer = linprog(
        -np.eye(size + excess + 1)[-1],
        A_ub=np.concatenate([rows, room]),
        b_ub=np.zeros(len(others) + excess),
        A_eq=total,
        b_eq=[1.0],
        bounds=[
            *zip(box.priors.low, box.priors.high, strict=True),
            *[(0, None)] * excess,
            (None, 1),
        ],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not answer.success:
        raise RocchError(f"a linear program could not be solved: {answer.message}")
    return float(answer.x[-1]), answer.x[:-1]
