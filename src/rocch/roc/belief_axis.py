"""What a belief says about the cost axis: masses and expected costs along it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, UndefinedError
from rocch.kernels.moments import MASS, Powers, Rule, tanh_sinh
from rocch.roc.conditions import OBSERVED, Case
from rocch.roc.operating_point import ClassTotals
from rocch.roc.shapes import Atoms, Frozen, Shape, point

# --- Masses and expected costs where costs and prevalence are both in doubt, independently --------
#
# For a known prevalence the integral over the cost share is closed, and vice versa; what is left is
# one integral over the other's mass. It bends where the inner share enters or leaves a stretch of
# its shape, so it is cut there, for each edge of the cost axis by itself.

EDGES_AT_ONCE = 256
"""Keeps the arrays small."""


class Weights(NamedTuple):
    """What a false alarm or a miss weighs: a function of the outer share, powers of the inner."""

    outer: Callable[[FloatArray], FloatArray]
    inner: Powers


def integrated(
    shapes: tuple[Shape, Shape],
    weighs: tuple[tuple[Powers, Powers], ...],
    edges: FloatArray,
) -> tuple[FloatArray, float]:
    """Integrate over two independent shares below each edge of the cost axis.

    `weighs` holds, for each quantity wanted, the powers of the first share and of the second that
    it is the product of; the mass is wanted in any case. Returns a row for each, and the error.
    """
    places = (1, 0) if isinstance(shapes[0], Frozen) else (0, 1)  # closed integrals inside
    inner, outer = (shapes[place] for place in places)
    wanted = [
        Weights(powers[places[1]].of, powers[places[0]]) for powers in ((MASS, MASS), *weighs)
    ]
    rule = tanh_sinh()
    parts = [
        _some(inner, outer, wanted, edges[start : start + EDGES_AT_ONCE], rule)
        for start in range(0, edges.size, EDGES_AT_ONCE)
    ]
    rows = np.concatenate([part for part, _ in parts], axis=1)
    return rows, max(error for _, error in parts)


def _some(
    inner: Shape, outer: Shape, wanted: list[Weights], edges: FloatArray, rule: Rule
) -> tuple[FloatArray, float]:
    cuts = _cuts(inner, outer, edges)
    widths = np.diff(cuts, axis=1)[..., None]
    bottom = cuts[:, :-1, None] + widths * rule.nodes
    top = 1 - cuts[:, 1:, None] + widths * rule.from_top
    at = np.where(bottom <= 0.5, outer.quantile(bottom), outer.from_top(top))
    upto = partner(edges[:, None, None], at)
    rows, worst = [], 0.0
    for weights in wanted:
        moment, error = inner.cumulative(upto, weights.inner)
        with np.errstate(invalid="ignore"):  # infinite costs are refused by whoever asked for them
            heights = np.where(widths > 0, weights.outer(at) * moment * widths, 0.0)
            fine, coarse = (heights @ share for share in (rule.weights, rule.coarse))
            worst = max(worst, error, float(np.max(np.abs((fine - coarse).sum(axis=1)))))
        rows.append(fine.sum(axis=1))
    return np.stack(rows), worst


def _cuts(inner: Shape, outer: Shape, edges: FloatArray) -> FloatArray:
    """Return for each edge the outer masses at which the integrand bends, from 0 to 1."""
    bends = [partner(edges, kink) for kink in inner.kinks]
    bends += [np.full(edges.shape, kink) for kink in outer.kinks]
    masses = outer.cumulative(np.stack(bends, axis=1))[0]
    ends = np.zeros((edges.size, 1)), np.ones((edges.size, 1))
    return np.sort(np.concatenate((*ends, masses), axis=1), axis=1)


def partner(edges: FloatArray, known: FloatArray | float, *, inclusive: bool = True) -> FloatArray:
    """Return the share c at which the cost axis reaches the edges for a prevalence, or vice versa.

    t <= edge exactly if c <= this. The formula is the same both ways round.
    """
    rest = edges * (1 - known)
    whole = rest + (1 - edges) * known
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, rest / whole, 1.0 if inclusive else 0.0)


# --- What a belief says about the cost axis: masses and expected costs along it -------------------
#
# The cost axis holds the probability-cost of the positive class, from 0 to 1:
# t = p c_fn / (p c_fn + (1 - p) c_fp). Which classifier is best depends on t alone, and t goes with
# the slope of iso-performance lines: slope = (1 - t) / t. What a choice costs is
# a x FPR + b x (1 - TPR), with the weights a = (1 - p) c_fp and b = p c_fn; so masses and expected
# weights along the axis answer everything.

SHARE, REST = Powers(1, 0), Powers(0, 1)
ACCURACY = 1e-4
"""An expected cost that is not known to so many parts of itself is not given."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Which cost is fixed, and at what: the other follows from the belief about their ratio."""

    fixed: Literal["false_positive", "false_negative", "sum_of_costs"]
    amount: float

    def __str__(self) -> str:
        what = {
            "false_positive": "a false alarm costs",
            "false_negative": "a miss costs",
            "sum_of_costs": "both errors together cost",
        }
        return f"{what[self.fixed]} {self.amount:g}"

    @property
    def powers(self) -> tuple[Powers, Powers]:
        """The costs of a false alarm and of a miss as powers of the miss's share c and of 1 - c."""
        return {
            "sum_of_costs": (REST, SHARE),
            "false_positive": (MASS, Powers(1, -1)),
            "false_negative": (Powers(-1, 1), MASS),
        }[self.fixed]

    def costs(self, share: float) -> tuple[float, float]:
        """Return the costs of a false alarm and of a miss."""
        alarm, miss = (self.amount * float(p.of(np.array(share))) for p in self.powers)
        return alarm, miss


EQUAL = point(0.5)
"""Costs that nobody spoke of count as equal."""

NO_UNIT = Unit("sum_of_costs", 1.0)
"""Serves where only masses are asked for."""


class Upto(NamedTuple):
    """Mass, and expected weights of false alarms and of misses, below points of the cost axis."""

    mass: FloatArray
    alarm: FloatArray
    miss: FloatArray
    error: float

    def times(self, weight: float) -> Upto:
        """Return the same, weighted."""
        return Upto(weight * self.mass, weight * self.alarm, weight * self.miss, self.error)

    @staticmethod
    def total(parts: list[Upto]) -> Upto:
        """Add up."""
        columns = (sum(part[i] for part in parts) for i in range(3))
        mass, alarm, miss = (np.asarray(column) for column in columns)
        return Upto(mass, alarm, miss, max(part.error for part in parts))


@dataclass(frozen=True, slots=True)
class Independent:
    """Beliefs about the miss's share of the costs and about prevalence, independent of another."""

    share: Shape | None = None
    """None where nobody spoke of costs: they count as equal."""
    prevalence: Shape | Literal["observed"] | None = None
    """None where nobody spoke of it: it must be named before the belief can be used."""
    said_of_costs: str = ""
    said_of_prevalence: str = ""

    @property
    def words(self) -> str:
        """What was said."""
        return "; ".join(said for said in (self.said_of_costs, self.said_of_prevalence) if said)

    @property
    def cost_share(self) -> Shape:
        """The shape of the miss's share of both costs."""
        return EQUAL if self.share is None else self.share

    @property
    def shares(self) -> tuple[Shape, Shape]:
        """The shapes of both, where the prevalence is named."""
        if self.prevalence is None:
            raise InputError(
                "prevalence must be named with a belief about costs alone. Use "
                "belief.with_prevalence(0.1), an interval such as (0.1, 0.2), a belief such as "
                "Belief.prevalence(0.1, 0.3, likely=0.15), or 'observed'."
            )
        if isinstance(self.prevalence, str):
            raise InputError(
                "prevalence is 'observed', which only a hull can resolve. Use "
                "belief.with_prevalence(...) to name a number."
            )
        return self.cost_share, self.prevalence

    def resolved(self, totals: ClassTotals) -> Independent:
        """Replace "observed" by the prevalence of judged rows."""
        if not isinstance(self.prevalence, str):
            return self
        return replace(self, prevalence=point(totals.prevalence))

    def corners(self, unit: Unit) -> Iterator[Case]:
        """Go through the corners of what can be."""
        share, prevalence = self.shares
        for p in sorted(set(prevalence.support)):
            for c in sorted(set(share.support)):
                yield Case(p, *unit.costs(c), 0.0, 0.0)

    def heaviest(self, axis: FloatArray, unit: Unit) -> Iterator[Case]:
        """Go through the conditions at points of the cost axis where both errors weigh most.

        At a point t the costs of all choices keep their proportions and grow with a + b, which is
        (1 - p) (1 - c) / (1 - t) times the sum of the costs: largest at the lowest prevalence if a
        false alarm has a fixed cost, at the highest if a miss has, and at odds of sqrt(t / (1 - t))
        if their sum has.
        """
        share, prevalence = self.shares
        low, high = self.ends()
        inside = axis[(axis > max(low, 0.0)) & (axis < min(high, 1.0))]
        least = np.maximum(prevalence.support.low, partner(inside, share.support.high))
        most = np.minimum(prevalence.support.high, partner(inside, share.support.low))
        root = np.sqrt(inside / (1 - inside))
        p = {"false_positive": least, "false_negative": most}.get(
            unit.fixed, np.clip(root / (1 + root), least, most)
        )
        for each, c in zip(p.tolist(), partner(inside, p).tolist(), strict=True):
            yield Case(each, *unit.costs(c), 0.0, 0.0)

    def ends(self) -> tuple[float, float]:
        """Return the lowest and the highest point of the cost axis that can be."""
        share, prevalence = self.shares
        low, high = (_axis(c, p) for c, p in zip(share.support, prevalence.support, strict=True))
        return low, high

    @property
    def smooth(self) -> bool:
        """Whether no single point of the cost axis has mass."""
        return not all(isinstance(shape, Atoms) for shape in self.shares)

    def means(self) -> tuple[float, float]:
        """Return the mean prevalence and the mean share of a miss's cost."""
        share, prevalence = self.shares
        return _mean(prevalence), _mean(share)

    def upto(self, edges: FloatArray, unit: Unit, *, inclusive: bool) -> Upto:
        """Integrate over the belief below each edge."""
        share, prevalence = self.shares
        if isinstance(prevalence, Atoms):
            return _by_prevalence(share, prevalence, edges, unit, inclusive)
        if isinstance(share, Atoms):
            return _by_share(share, prevalence, edges, unit, inclusive)
        return _by_both(share, prevalence, edges, unit)


@dataclass(frozen=True, slots=True, eq=False)
class SampledCases:
    """A sample of whole conditions, each with its weight; the weights sum to 1."""

    prevalence: FloatArray
    false_positive: FloatArray
    false_negative: FloatArray
    weights: FloatArray
    words: str = ""
    smooth = False

    def resolved(self, totals: ClassTotals) -> SampledCases:  # noqa: ARG002 - nothing is left open
        """Return the same."""
        return self

    @property
    def _weighed(self) -> tuple[FloatArray, FloatArray]:
        return (1 - self.prevalence) * self.false_positive, self.prevalence * self.false_negative

    @property
    def _axis(self) -> FloatArray:
        alarm, miss = self._weighed
        return miss / (alarm + miss)

    def corners(self, unit: Unit) -> Iterator[Case]:  # noqa: ARG002 - the sample has its own
        """Go through the sample."""
        columns = (self.prevalence, self.false_positive, self.false_negative)
        for p, alarm, miss in zip(*(column.tolist() for column in columns), strict=True):
            yield Case(p, alarm, miss, 0.0, 0.0)

    def ends(self) -> tuple[float, float]:
        """Return the lowest and the highest point of the cost axis that can be."""
        return float(self._axis.min()), float(self._axis.max())

    @property
    def cost_shares(self) -> FloatArray:
        """The miss's share of both costs in each draw."""
        return self.false_negative / (self.false_positive + self.false_negative)

    def means(self) -> tuple[float, float]:
        """Return the mean prevalence and the mean share of a miss's cost."""
        return float(self.weights @ self.prevalence), float(self.weights @ self.cost_shares)

    def mean_costs(self) -> tuple[float, float]:
        """Return the mean cost of a false alarm and of a miss."""
        alarm, miss = (float(self.weights @ c) for c in (self.false_positive, self.false_negative))
        return alarm, miss

    def upto(self, edges: FloatArray, unit: Unit, *, inclusive: bool) -> Upto:  # noqa: ARG002
        """Add up the draws below each edge."""
        order = np.argsort(self._axis, kind="stable")
        place = np.searchsorted(self._axis[order], edges, side="right" if inclusive else "left")
        alarm, miss = self._weighed
        mass, alarm, miss = (
            np.concatenate(([0.0], np.cumsum((self.weights * column)[order])))[place]
            for column in (np.ones(order.size), alarm, miss)
        )
        return Upto(mass, alarm, miss, 0.0)


Part = Independent | SampledCases


def _axis(share: float, prevalence: float) -> float:
    miss, alarm = share * prevalence, (1 - share) * (1 - prevalence)
    return miss / (miss + alarm) if miss + alarm else prevalence


def _mean(shape: Shape) -> float:
    return float(shape.cumulative(np.ones(1), SHARE)[0][0])


def _by_prevalence(
    share: Shape, prevalence: Atoms, edges: FloatArray, unit: Unit, inclusive: bool
) -> Upto:
    parts = []
    for p, weight in zip(prevalence.shares.tolist(), prevalence.weights.tolist(), strict=True):
        parts.append(_given_prevalence(share, p, edges, unit, inclusive).times(weight))
    return Upto.total(parts)


def _given_prevalence(
    share: Shape, p: float, edges: FloatArray, unit: Unit, inclusive: bool
) -> Upto:
    upto = partner(edges, p, inclusive=inclusive)
    columns = [
        share.cumulative(upto, powers, inclusive=inclusive) for powers in (MASS, *unit.powers)
    ]
    (mass, _), (alarm, one), (miss, other) = columns
    return Upto(mass, (1 - p) * unit.amount * alarm, p * unit.amount * miss, max(one, other))


def _by_share(
    share: Atoms, prevalence: Shape, edges: FloatArray, unit: Unit, inclusive: bool
) -> Upto:
    parts = []
    for c, weight in zip(share.shares.tolist(), share.weights.tolist(), strict=True):
        upto = partner(edges, c, inclusive=inclusive)
        false_positive, false_negative = unit.costs(c)
        (mass, _), (alarm, one), (miss, other) = (
            prevalence.cumulative(upto, powers, inclusive=inclusive)
            for powers in (MASS, REST, SHARE)
        )
        costs = Upto(mass, false_positive * alarm, false_negative * miss, max(one, other))
        parts.append(costs.times(weight))
    return Upto.total(parts)


def _by_both(share: Shape, prevalence: Shape, edges: FloatArray, unit: Unit) -> Upto:
    alarm, miss = unit.powers
    (mass, alarms, misses), error = integrated(
        (share, prevalence), ((alarm, REST), (miss, SHARE)), edges
    )
    return Upto(mass, unit.amount * alarms, unit.amount * misses, error)


def checked_finite(upto: Upto, *, bounded: bool = False) -> Upto:
    """Refuse expected costs that are infinite, or so heavy in the tail that they may well be."""
    hint = "Close its open end, or fix another unit: belief.with_unit(sum_of_costs=1)."
    if not (np.isfinite(upto.alarm).all() and np.isfinite(upto.miss).all()):
        raise UndefinedError(
            "the expected cost is infinite: the belief reaches so far that one error can cost any "
            f"number of times the other. {hint}"
        )
    if not bounded and upto.error > ACCURACY * float(np.max(upto.alarm + upto.miss)):
        raise UndefinedError(
            "the expected cost hangs on conditions that are all but impossible, and cannot be told "
            f"from infinite: the belief's tail is too heavy. {hint}"
        )
    return upto


def observed(prevalence: object) -> bool:
    """Say whether a prevalence is the word for that of the judged rows."""
    return isinstance(prevalence, str) and prevalence == OBSERVED
