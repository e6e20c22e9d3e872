"""The search for the operating points of groups: a linear program, or one setting for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, Label
from rocch.errors import GuaranteeError, Hint, InfeasibleError, format_count
from rocch.inputs import as_fraction
from rocch.kernels.windows import BoxChoices, cheapest_box, cheapest_window, least_width
from rocch.results import ByName, Table, Tabular
from rocch.roc.conditions import Case
from rocch.roc.criteria import LinearLimit
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import OperatingPoint, RocPoint

# Rates may differ by this much more than the tolerance where a coin is used: the linear program is
# solved in floating point. What it returns is checked on the counts, as fractions.
SOLVER_TOLERANCE = 1e-9
HIGHS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}

# Weights of the linear program below this are 0.
NO_WEIGHT = 1e-11

# The least violation of both rates is found to this precision, where nothing meets the limits.
PRECISION = 1e-4


class Part(NamedTuple):
    """A setting of one group with its probability and its counts."""

    share: float
    false_positives: int
    true_positives: int
    point: RocPoint


@dataclass(frozen=True, eq=False)
class Group:
    """The evaluation rows of one group.

    Attributes
    ----------
    hull
        The joint hull of all classifiers on the group's rows.
    share
        The share of the group among all rows.
    case
        The costs at the group's own prevalence, or at the stated one.
    limits
        Limits of this group alone.
    """

    name: Label
    hull: RocHull
    share: float
    case: Case
    limits: tuple[LinearLimit, ...]
    own_prevalence: bool

    @property
    def negatives(self) -> int:
        """The negatives, in units of weight."""
        return self.hull.totals.negatives

    @property
    def positives(self) -> int:
        """The positives, in units of weight."""
        return self.hull.totals.positives

    def rate(self, name: str, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        """Return a rate at points."""
        if name == "predicted_positive":
            return self.case.prevalence * tpr + (1 - self.case.prevalence) * fpr
        return fpr if name == "fpr" else tpr

    @property
    def unit(self) -> float:
        """The largest cost of one case, the same for all groups."""
        return max(self.case[1:])

    def cost(self, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        """Return the part of the expected cost per case that this group has, in units."""
        return self.share * self.case.cost(fpr, tpr) / self.unit

    @cached_property
    def settings(self) -> tuple[BoxChoices, Callable[[int], Part]]:
        """All single settings within the limits: points of all curves, and how to get one."""
        curves = [curve for m in self.hull.members if (curve := m.curve()) is not None]
        fp = np.concatenate([curve.false_positives for curve in curves])
        tp = np.concatenate([curve.true_positives for curve in curves])
        starts = np.cumsum([0, *(len(curve) for curve in curves)])
        fpr, tpr = self.hull.totals.rates(fp, tp)
        allowed = np.flatnonzero(_is_allowed(fpr, tpr, self.limits))

        def part(place: int) -> Part:
            index = int(allowed[place])
            counts = int(fp[index]), int(tp[index])
            ends = {(0, 0): 0, (self.negatives, self.positives): -1}
            if counts in ends:
                return Part(1.0, *counts, self.hull.vertices[ends[counts]])
            which = int(np.searchsorted(starts, index, side="right")) - 1
            return Part(1.0, *counts, curves[which].point(index - int(starts[which])))

        fpr, tpr = fpr[allowed], tpr[allowed]
        return BoxChoices(fpr, tpr, self.cost(fpr, tpr)), part

    def mix(self, weights: FloatArray) -> list[Part]:
        """Return weights of the hull's vertices as parts whose probabilities add up to 1."""
        chosen = np.flatnonzero(weights > NO_WEIGHT)
        shares = (weights[chosen] / weights[chosen].sum()).tolist()
        shares[0] = float(1 - sum(map(Fraction, shares[1:])))
        hull = self.hull
        return [
            Part(s, int(hull.false_positives[i]), int(hull.true_positives[i]), hull.vertices[i])
            for s, i in zip(shares, chosen, strict=True)
        ]

    def exact_rates(self, parts: Sequence[Part]) -> dict[str, Fraction]:
        """Return all rates of parts as fractions of the counts."""
        shares = [Fraction(part.share) for part in parts]
        shares[0] = 1 - sum(shares[1:], Fraction(0))
        pairs = list(zip(shares, parts, strict=True))
        fpr = sum(s * part.false_positives for s, part in pairs) / Fraction(self.negatives)
        tpr = sum(s * part.true_positives for s, part in pairs) / Fraction(self.positives)
        prevalence = as_fraction(self.case.prevalence)
        if self.own_prevalence:
            prevalence = Fraction(self.positives, self.positives + self.negatives)
        return {
            "fpr": fpr,
            "tpr": tpr,
            "predicted_positive": prevalence * tpr + (1 - prevalence) * fpr,
        }


def _is_allowed(fpr: FloatArray, tpr: FloatArray, limits: Sequence[LinearLimit]) -> BoolArray:
    allowed: BoolArray = np.ones(fpr.size, dtype=bool)
    for limit in limits:
        allowed &= limit.excess(fpr, tpr) <= 0
    return allowed


@dataclass(frozen=True, eq=False, repr=False)
class FairChoice(Tabular):
    """An operating point for each group.

    Attributes
    ----------
    points
        The operating point of each group; with a coin, a mix of up to three points.
    cost
        The expected cost per case, over all groups.
    violation
        The largest difference of the rates between two groups on the evaluation rows.
    gap
        How much less the cost of another choice of the same kind could be at most; 0 if this one
        is the best.
    """

    points: Mapping[Label, OperatingPoint]
    cost: float
    violation: float
    gap: float = 0.0

    def __str__(self) -> str:
        groups = format_count(len(self.points), "group")
        return f"expected cost {self.cost:.4g} per case in {groups}; rates differ by at most " + (
            f"{self.violation:.3g}"
        )

    def _columns(self) -> Table:
        return ByName(self.points, "group")._columns()

    @property
    def randomized(self) -> bool:
        """Whether any group needs a coin."""
        return any(point.randomized for point in self.points.values())


@dataclass(frozen=True, eq=False)
class Problem:
    """The groups, and the rates that must be alike."""

    groups: tuple[Group, ...]
    rates: tuple[str, ...]

    def choice(self, parts: Sequence[Sequence[Part]], gap: float = 0.0) -> FairChoice:
        """Return parts of each group as a choice, with rates and violation from exact counts."""
        points, cost = {}, 0.0
        exact = [g.exact_rates(own) for g, own in zip(self.groups, parts, strict=True)]
        for group, own, rates in zip(self.groups, parts, exact, strict=True):
            fpr, tpr = float(rates["fpr"]), float(rates["tpr"])
            expected = float(group.case.cost(fpr, tpr))
            cost += group.share * expected
            mix = tuple((part.share, part.point) for part in own)
            points[group.name] = OperatingPoint(
                fpr,
                tpr,
                mix,
                "least expected cost at fair rates",
                expected,
                expected,
                0.0,
                prevalence=group.case.prevalence,
            )
        spreads = (max(e[r] for e in exact) - min(e[r] for e in exact) for r in self.rates)
        return FairChoice(points, cost, float(max(spreads)), gap)

    def randomized(self, tolerance: float) -> FairChoice:
        """Return the best choice with coins: a linear program over the vertices of the hulls."""
        weights = _solve(self.groups, self.rates, tolerance)
        if weights is None:
            raise self._infeasible(tolerance)
        found = self.choice([g.mix(own) for g, own in zip(self.groups, weights, strict=True)])
        if found.violation > tolerance + SOLVER_TOLERANCE:
            raise GuaranteeError(
                f"the solver of linear programs missed the tolerance {tolerance:g} by "
                f"{found.violation - tolerance:.2g}, more than {SOLVER_TOLERANCE:g}.",
                hint="Use another tolerance.",
            )
        return found

    def deterministic(self, tolerance: float) -> FairChoice | None:
        """Return the best choice of one setting for each group, or None if there is none."""
        several = [group.settings for group in self.groups]
        choices = [each[0] for each in several]
        if not all(own.cost.size for own in choices):
            return None
        gap = 0.0
        if len(self.rates) == 2:
            box = cheapest_box(choices, tolerance)
            places, gap = box.places, (box.cost - box.bound) * self.groups[0].unit
        else:
            found = cheapest_window(
                [(self._values(g, c), c.cost) for g, c in zip(self.groups, choices, strict=True)],
                tolerance,
            )
            places = None if found is None else found[0]
        if places is None:
            return None
        parts = [[part(int(place))] for (_, part), place in zip(several, places, strict=True)]
        return self.choice(parts, gap)

    def _values(self, group: Group, choices: BoxChoices) -> FloatArray:
        return group.rate(self.rates[0], choices.fpr, choices.tpr)

    def least_violation(self) -> float | None:
        """Return the least violation of single settings; None if a group has none."""
        choices = [group.settings[0] for group in self.groups]
        if not all(own.cost.size for own in choices):
            return None
        if len(self.rates) == 1:
            pairs = zip(self.groups, choices, strict=True)
            return least_width([self._values(g, c) for g, c in pairs])
        free = [own._replace(cost=np.zeros(own.cost.size)) for own in choices]
        low, high = 0.0, 1.0
        while high - low > PRECISION:
            middle = (low + high) / 2
            if cheapest_box(free, middle).places is None:
                low = middle
            else:
                high = middle
        return high

    def _infeasible(self, tolerance: float) -> InfeasibleError:
        """Say which group, or that all of them together, cannot meet the limits."""
        for group in self.groups:
            if _solve([group], (), 1.0) is None:
                return InfeasibleError(
                    f"no rule for group {group.name!r} meets its limits "
                    f"({'; '.join(map(str, group.limits))}), not even with randomizing.",
                    hint="Relax a limit, or find a better classifier for this group.",
                )
        spread = _solve(self.groups, self.rates, None)
        reached = self.choice([g.mix(o) for g, o in zip(self.groups, spread or (), strict=True)])
        return InfeasibleError(
            f"the limits of the groups contradict the tolerance {tolerance:g}: within them, rates "
            f"differ by at least {reached.violation:.4g}.",
            hint="Relax a limit, or allow a larger tolerance.",
        )

    def no_single_settings(self, tolerance: float, randomized: FairChoice) -> InfeasibleError:
        """Return the error where only a coin can meet the tolerance."""
        least = self.least_violation()
        if least is None:
            names = [repr(g.name) for g in self.groups if not g.settings[0].cost.size]
            why = f"no single setting of {' and '.join(names)} meets the limits"
        else:
            why = (
                f"no single setting for each group meets the tolerance {tolerance:g} within the "
                f"limits: the least violation is {least:.4g}"
            )
        return InfeasibleError(
            f"{why}. With a coin, the cost is {randomized.cost:.4g}.",
            hint=Hint("Pass {randomize=}, relax a limit, or allow a larger tolerance."),
            randomize=True,
        )


def _solve(
    groups: Sequence[Group], rates: Sequence[str], tolerance: float | None
) -> list[FloatArray] | None:
    """Return the weights of each group's vertices at the least cost; None if there are none.

    Rates lie between a low one, a variable, and the low one plus the tolerance: 2 rows for each
    rate and group, whatever the number of pairs. Without a tolerance, their spread is minimized.
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, csr_array, hstack, vstack

    paths = [(g.hull.fpr, g.hull.tpr) for g in groups]
    count = len(groups)
    extra = len(rates) + (tolerance is None)
    blocks, most = [], []
    for place, rate in enumerate(rates):
        values = block_diag([g.rate(rate, *p)[None, :] for g, p in zip(groups, paths, strict=True)])
        low, spread = np.zeros((count, extra)), np.zeros((count, extra))
        low[:, place] = spread[:, place] = 1
        if tolerance is None:
            spread[:, -1] = 1
        blocks += [hstack((-values, csr_array(low))), hstack((values, csr_array(-spread)))]
        most += [np.zeros(count), np.full(count, tolerance or 0.0)]
    for limits in zip(*_padded_limits(groups), strict=True):
        values = block_diag(
            [
                (0 * f if limit is None else limit.tpr * t + limit.fpr * f)[None, :]
                for limit, (f, t) in zip(limits, paths, strict=True)
            ]
        )
        blocks.append(hstack((values, csr_array((count, extra)))))
        most.append(np.array([0.0 if limit is None else limit.at_most for limit in limits]))
    ones = hstack((block_diag([np.ones((1, f.size)) for f, _ in paths]), csr_array((count, extra))))
    costs = [g.cost(*p) for g, p in zip(groups, paths, strict=True)]
    objective = np.concatenate([*costs, np.zeros(extra)])
    if tolerance is None:
        objective[:] = 0
        objective[-1] = 1
    found = linprog(
        objective,
        A_ub=vstack(blocks) if blocks else None,
        b_ub=np.concatenate(most) if most else None,
        A_eq=ones,
        b_eq=np.ones(count),
        method="highs-ds",
        options=HIGHS,
    )
    if found.x is None:
        return None
    ends = np.cumsum([f.size for f, _ in paths])
    return [np.asarray(own) for own in np.split(found.x, ends)[:-1]]


def _padded_limits(groups: Sequence[Group]) -> list[list[LinearLimit | None]]:
    most = max(len(group.limits) for group in groups)
    return [[*group.limits, *[None] * (most - len(group.limits))] for group in groups]
