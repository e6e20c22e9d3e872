"""Which members of a surface can be optimal within bounds on costs and priors.

A member's expected cost is linear in pi_k lambda_kj. With pi_k within bounds and summing to 1, and
each lambda_kj within bounds, the products that are possible are exactly those with

    pi_k low_kj <= (pi_k lambda_kj) <= pi_k high_kj,

which is linear too. So "is this member optimal somewhere?" is a linear program: find the costs and
priors at which its lead over the best of the others is largest. Few others matter, so they are
added as they are found to win. Where the lead is so small that rounding could decide, integers do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import RocchError, quantity
from rocch.multiclass.cost_box import CostBox, Witness
from rocch.multiclass.weighing import extreme_costs

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.multiclass.cost_matrix import CostMatrix
    from rocch.multiclass.priors import Priors
    from rocch.multiclass.surface_member import SurfaceMember

CLEAR = 1e-7
"""A lead of so much, in units of the largest cost, is none of rounding's: the programs are solved
to 1e-10. Of sums of positive numbers, a share of so much is clear in any unit."""
SAMPLES = 2000
NEIGHBOURS = 20
"""So many rivals enter a linear program at a time: a few decide, and small programs are fast."""
BLOCK = 2**22


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

    def at(self, places: list[int]) -> OptimalWithin:
        """Return the same of members that stand elsewhere on a larger surface."""
        witnesses = {places[own]: witness for own, witness in self.witnesses.items()}
        return OptimalWithin(tuple(places[own] for own in self.places), self.models, witnesses)

    def __len__(self) -> int:
        return len(self.places)

    def __contains__(self, place: object) -> bool:
        return place in self.witnesses

    def __str__(self) -> str:
        return f"{quantity(len(self), 'member')} can be optimal, of: {', '.join(self.models)}"


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

    def __str__(self) -> str:
        return f"{self.member}; at worst {self.regret:.6g} per row more than the best member"


def optimal_within(
    counts: IntArray, costs: CostMatrix, priors: Priors, models: tuple[str, ...]
) -> OptimalWithin:
    """Return the members that are optimal somewhere within bounds, decided without rounding.

    Complexity: a linear program (at most Q^2 + Q unknowns) for each member that nobody beats
    throughout and that no sample shows to be optimal.
    """
    search = _Search(CostBox.of(costs, priors, counts))
    rates = counts / counts[0].sum(axis=1)[:, None]
    for place in candidates(rates, costs, priors, np.array(list(search.where))):
        if place not in search.where:
            search.settle(int(place))
    places = tuple(sorted(search.where))
    return OptimalWithin(
        places,
        tuple(sorted({models[place] for place in places})),
        {place: search.box.witness(search.where[place]) for place in places},
    )


def candidates(rates: FloatArray, costs: CostMatrix, priors: Priors, rivals: IntArray) -> IntArray:
    """Return the members that none of the rivals clearly beats throughout the bounds."""
    beaten = np.zeros(len(rates), dtype=bool)
    for rival in rivals:
        ahead = extreme_costs(rates - rates[rival], costs, priors, -1)
        beaten |= ahead > CLEAR * costs.high.max()
    return np.flatnonzero(~beaten)


def least_regret(counts: IntArray, costs: CostMatrix, priors: Priors) -> tuple[int, float]:
    """Return the member with the least worst regret, and that regret. Complexity: O(m n Q^2).

    m are the members that none of some winners beats throughout: among them are all that are best
    anywhere, against whom alone regret is counted.
    """
    rates = counts / counts[0].sum(axis=1)[:, None]
    winners = np.array(list(_Search(CostBox.of(costs, priors, counts)).where))
    regrets = np.full(len(rates), -np.inf)
    for rival in candidates(rates, costs, priors, winners):
        behind = extreme_costs(rates - rates[rival], costs, priors, 1)
        np.maximum(regrets, behind, out=regrets)
    place = int(regrets.argmin())
    return place, max(float(regrets[place]), 0.0)


class _Search:
    """The members found to be optimal so far, each with a point where it is."""

    def __init__(self, box: CostBox) -> None:
        self.box = box
        self._features = box.features()
        self._exact: IntArray | None = None
        self.where: dict[int, Any] = {}
        points = box.samples(SAMPLES)
        step = max(1, BLOCK // len(self._features))
        for start in range(0, SAMPLES, step):
            self._take_clear_winners(points[start : start + step])

    def _take_clear_winners(self, points: FloatArray) -> None:
        """Note who is cheapest at some points by more than rounding."""
        costs = points @ self._features.T
        best = costs.argmin(axis=1)
        least = np.take_along_axis(costs, best[:, None], axis=1)
        rivals = (costs <= least * (1 + CLEAR)).sum(axis=1)
        for point, place in zip(points[rivals == 1], best[rivals == 1], strict=True):
            self.where.setdefault(int(place), point)

    def settle(self, place: int) -> None:
        """Find out whether a member is optimal somewhere; note it if so.

        It has to beat its neighbours first. If it can, those who are cheaper at that point join
        them.
        """
        features = self._features
        rivals = self._nearest(place)
        while rivals:
            lead, point = _largest_lead(features[rivals] - features[place], self.box)
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
            order = np.argsort(costs[close], kind="stable")[:NEIGHBOURS]
            rivals = list(dict.fromkeys([*rivals, *close[order].tolist()]))
        self._settle_exactly(place, rivals)

    def _settle_exactly(self, place: int, rivals: list[int]) -> None:
        """Decide in whole numbers, letting those in who are cheaper where the member would win."""
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
        nearest: list[int] = winners[np.argsort(far, kind="stable")[:NEIGHBOURS]].tolist()
        return nearest


def _largest_lead(others: FloatArray, box: CostBox) -> tuple[float, FloatArray]:
    """Return by how much a member can lead all others at some point, and where that is."""
    from scipy.optimize import linprog

    size, excess = box.classes, box.vague[0].size
    rows = np.concatenate([-others, np.ones((len(others), 1))], axis=1)
    room = np.zeros((excess, size + excess + 1))
    room[np.arange(excess), box.vague[0]] = -1
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
