"""What a belief can be asked: where it lies, what it weighs, what it expects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.errors import InputError
from rocch.roc.belief_parts import (
    NO_UNIT,
    Independent,
    Part,
    SampledCases,
    Unit,
    Upto,
    checked_finite,
)
from rocch.roc.conditions import Case, Interval

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.arrays import FloatArray


class Stretches(NamedTuple):
    """What a belief says about stretches of the cost axis.

    `mass` is that of the open stretches between neighbouring edges, `at_edges` that of the edges
    themselves, `alarm` and `miss` the expected weights of FPR and of 1 - TPR on each stretch
    (its upper edge included, and the lowest edge with the first).
    """

    mass: FloatArray
    at_edges: FloatArray
    alarm: FloatArray
    miss: FloatArray
    error: float


class Believed:
    """A distribution over conditions, made of weighted parts whose weights sum to 1."""

    parts: tuple[tuple[float, Part], ...]
    unit: Unit | None

    @property
    def cost_share(self) -> Interval:
        """Where the miss's share of both costs can lie."""
        ends = [
            part.cost_share.support if isinstance(part, Independent) else _support(part.cost_shares)
            for _, part in self.parts
        ]
        return Interval(min(end.low for end in ends), max(end.high for end in ends))

    @property
    def axis_range(self) -> tuple[float, float]:
        """The lowest and the highest point of the cost axis (the probability-cost) that can be."""
        ends = [part.ends() for _, part in self.parts]
        return min(low for low, _ in ends), max(high for _, high in ends)

    @property
    def slope_range(self) -> tuple[float, float]:
        """The lowest and the highest slope of iso-performance lines; always a pair."""
        low, high = self.axis_range
        return (1 - high) / high if high else math.inf, (1 - low) / low if low else math.inf

    @property
    def fixed_prevalence(self) -> float | None:
        """The prevalence, if the belief leaves no doubt about it."""
        known = set()
        for _, part in self.parts:
            prevalence = part.prevalence if isinstance(part, SampledCases) else part.shares[1]
            ends = (
                _support(prevalence) if isinstance(prevalence, np.ndarray) else prevalence.support
            )
            known |= set(ends)
        return float(known.pop()) if len(known) == 1 else None

    @property
    def has_unit(self) -> bool:
        """Whether costs and regrets can be asked for."""
        return self.unit is not None or all(
            isinstance(part, SampledCases) for _, part in self.parts
        )

    @property
    def has_prevalence(self) -> bool:
        """Whether a prevalence was named, if only as "observed"."""
        return all(isinstance(p, SampledCases) or p.prevalence is not None for _, p in self.parts)

    @property
    def smooth(self) -> bool:
        """Whether no single point of the cost axis has mass."""
        return all(part.smooth for _, part in self.parts)

    @property
    def bounded(self) -> bool:
        """Whether all costs that can be are finite; only then is there a worst regret."""
        unit = self.checked_unit()
        ends = [unit.costs(c) for c in self.cost_share] if self.unit else []
        return all(math.isfinite(alarm + miss) for alarm, miss in ends)

    def corners(self) -> Iterator[Case]:
        """Go through extreme conditions that can be; a choice's regret is greatest at one."""
        if not self.bounded:
            raise InputError(
                "belief must not reach to infinite costs for a worst regret: it would be "
                "infinite. Close its open end, or use with_unit(sum_of_costs=1)."
            )
        unit = self.checked_unit()
        for _, part in self.parts:
            yield from part.corners(unit)

    def extremes(self, axis: FloatArray) -> Iterator[Case]:
        """Go through conditions that can be; the regret of who switches choice is greatest at one.

        `axis` are the points of the cost axis at which the choice is switched.
        """
        yield from self.corners()
        for _, part in self.parts:
            if isinstance(part, Independent):
                yield from part.heaviest(axis, self.checked_unit())

    @property
    def mean(self) -> Case:
        """Conditions at the mean prevalence and the mean share of the costs (or mean costs)."""
        weights = np.array([weight for weight, _ in self.parts])
        p, share = (weights @ np.array([part.means() for _, part in self.parts])).tolist()
        samples = [part.mean_costs() for _, part in self.parts if isinstance(part, SampledCases)]
        if len(samples) == len(self.parts):
            alarm, miss = (weights @ np.array(samples)).tolist()
        else:
            alarm, miss = (self.unit or NO_UNIT).costs(share)
        return Case(p, alarm, miss, 0.0, 0.0)

    @property
    def likely(self) -> Case | None:
        """The conditions thought most likely, where the belief says; None where it does not."""
        if len(self.parts) > 1 or not isinstance(self.parts[0][1], Independent):
            return None
        share, prevalence = (shape.likely for shape in self.parts[0][1].shares)
        if share is None or prevalence is None:
            return None
        return Case(prevalence, *(self.unit or NO_UNIT).costs(share), 0.0, 0.0)

    @property
    def expected_case(self) -> Case:
        """The exact conditions under which every choice costs what it costs in expectation."""
        upto = checked_finite(self._upto(np.ones(1), self.checked_unit()), bounded=self.bounded)
        p = self.mean.prevalence
        return Case(p, float(upto.alarm[0]) / (1 - p), float(upto.miss[0]) / p, 0.0, 0.0)

    def weights_upto(self, points: FloatArray) -> Upto:
        """Return mass and expected weights of FPR and 1 - TPR up to rising points of the axis."""
        return checked_finite(self._upto(points, self.checked_unit()), bounded=self.bounded)

    def stretches(self, edges: FloatArray, *, costs: bool = False) -> Stretches:
        """Measure stretches of the cost axis, between edges that rise from 0 to 1.

        Expected weights are meaningful only with `costs`, which needs a unit.
        """
        unit = self.checked_unit() if costs else NO_UNIT
        closed = self._upto(edges, unit)
        if costs:
            checked_finite(closed, bounded=self.bounded)
        below = closed.mass - self._single(edges, unit)
        at_edges = np.maximum(closed.mass - below, 0.0)
        mass = np.maximum(below[1:] - closed.mass[:-1], 0.0)
        alarm, miss = (_pieces(column) for column in (closed.alarm, closed.miss))
        return Stretches(mass, at_edges, alarm, miss, closed.error)

    def mass_upto(self, axis: FloatArray, *, inclusive: bool = True) -> FloatArray:
        """Return the mass at or below points of the cost axis, or only below them."""
        closed = self._upto(axis, NO_UNIT).mass
        return closed if inclusive else closed - self._single(axis, NO_UNIT)

    def _upto(self, edges: FloatArray, unit: Unit) -> Upto:
        parts = [part.upto(edges, unit, inclusive=True).times(w) for w, part in self.parts]
        return Upto.total(parts)

    def _single(self, edges: FloatArray, unit: Unit) -> FloatArray:
        """Return the mass that sits on the edges themselves."""
        mass = np.zeros(edges.size)
        for weight, part in self.parts:
            if not part.smooth:
                on, below = (
                    part.upto(edges, unit, inclusive=inclusive).mass for inclusive in (True, False)
                )
                mass += weight * (on - below)
        return mass

    def checked_unit(self) -> Unit:
        """Return the unit of cost, or say what is missing."""
        if self.has_unit:
            return self.unit or NO_UNIT
        raise InputError(
            "regret and expected cost need a unit of cost; this belief knows a ratio alone. "
            "Use belief.with_unit(false_positive=20) if a false alarm costs 20, "
            "with_unit(false_negative=...) or with_unit(sum_of_costs=1)."
        )


def _pieces(cumulative: FloatArray) -> FloatArray:
    """Return what lies on each stretch; what lies on the lowest edge goes with the first."""
    pieces = np.diff(cumulative)
    pieces[0] += cumulative[0]
    return pieces


def _support(values: FloatArray) -> Interval:
    return Interval(float(values.min()), float(values.max()))
