"""The parts of a belief: masses and expected weights of errors along the cost axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import Hint, InputError
from rocch.kernels.moments import MASS, REST, SHARE, Powers, place_nodes, tanh_sinh
from rocch.roc.conditions import Case, Interval
from rocch.roc.operating_point import ClassTotals
from rocch.roc.shapes import Atoms, Integrals, ScipyShape, Shape, point

# The cost axis is the probability cost t = b / (a + b), with a = (1 - p) c_fp the weight of FPR and
# b = p c_fn that of 1 - TPR. The best classifier depends on t alone; slope = (1 - t) / t.

# Edges of the axis are processed in batches of about this many places, to bound memory.
PLACES_AT_ONCE = 2**17
FixedCost: TypeAlias = Literal["false_positive", "false_negative", "sum_of_costs"]
# Unknown costs count as equal.
EQUAL = point(0.5)


@dataclass(frozen=True, slots=True)
class Unit:
    """Which cost is fixed, and its amount; the other follows from the ratio."""

    fixed: FixedCost
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
        """Both costs as powers of c and 1 - c."""
        return {
            "sum_of_costs": (REST, SHARE),
            "false_positive": (MASS, Powers(1, -1)),
            "false_negative": (Powers(-1, 1), MASS),
        }[self.fixed]

    def costs(self, share: float) -> tuple[float, float]:
        """Return both costs at a cost share."""
        alarm, miss = (self.amount * float(p.of(np.array(share))) for p in self.powers)
        return alarm, miss


# The unit if only masses matter.
NO_UNIT = Unit("sum_of_costs", 1.0)


@dataclass(frozen=True, slots=True)
class IndependentPart:
    """Independent beliefs about the miss's share of both costs and about prevalence.

    Costs are equal if `share` is None; the prevalence must be named before use.
    """

    share: Shape | None = None
    prevalence: Shape | Literal["observed"] | None = None
    cost_text: str = ""
    prevalence_text: str = ""

    @property
    def description(self) -> str:
        """The belief in words."""
        return "; ".join(text for text in (self.cost_text, self.prevalence_text) if text)

    @property
    def cost_share(self) -> Shape:
        """The shape of the cost share."""
        return EQUAL if self.share is None else self.share

    @property
    def shares(self) -> tuple[Shape, Shape]:
        """The shapes of the cost share and of the prevalence."""
        if self.prevalence is None:
            raise InputError(
                "prevalence",
                "be named with a belief about costs alone",
                "none",
                Hint(
                    "Use belief.with_prevalence(0.1), an interval such as (0.1, 0.2), a belief "
                    "such as Belief.prevalence(0.1, 0.3, likely=0.15), or 'observed'."
                ),
            )
        if isinstance(self.prevalence, str):
            raise InputError(
                "prevalence",
                "be a number, an interval or a belief unless a hull is given",
                "'observed', which only a hull can resolve",
                Hint("Use belief.with_prevalence(...) to name a number."),
            )
        return self.cost_share, self.prevalence

    def resolved(self, totals: ClassTotals) -> IndependentPart:
        """Replace "observed" by the prevalence of the evaluation rows."""
        if not isinstance(self.prevalence, str):
            return self
        return replace(self, prevalence=point(totals.prevalence))

    def cost_support(self) -> Interval:
        """Return the range of the cost share."""
        return self.cost_share.support

    def prevalence_support(self) -> Interval:
        """Return the range of the prevalence."""
        return self.shares[1].support

    def corners(self, unit: Unit) -> Iterator[Case]:
        """Yield the corners of the possible conditions."""
        for p in sorted(set(self.prevalence_support())):
            for c in sorted(set(self.cost_support())):
                yield Case(p, *unit.costs(c))

    def heaviest(self, axis: FloatArray, unit: Unit) -> Iterator[Case]:
        """Yield the conditions at points of the cost axis where both errors weigh most."""
        # At t all costs grow with a + b = (1 - p) (1 - c) / (1 - t) times the sum of the costs,
        # which is largest at the lowest prevalence if a false alarm's cost is fixed, at the highest
        # if a miss's is, and at odds of sqrt(t / (1 - t)) if their sum is.
        share, prevalence = self.cost_support(), self.prevalence_support()
        low, high = self.ends()
        inside = axis[(axis > max(low, 0.0)) & (axis < min(high, 1.0))]
        least = np.maximum(prevalence.low, matching_share(inside, share.high))
        most = np.minimum(prevalence.high, matching_share(inside, share.low))
        root = np.sqrt(inside / (1 - inside))
        p = {"false_positive": least, "false_negative": most}.get(
            unit.fixed, np.clip(root / (1 + root), least, most)
        )
        for each, c in zip(p.tolist(), matching_share(inside, p).tolist(), strict=True):
            yield Case(each, *unit.costs(c))

    def ends(self) -> Interval:
        """Return the ends of the cost axis."""
        pairs = zip(self.cost_support(), self.prevalence_support(), strict=True)
        return Interval(*(_axis_point(*pair) for pair in pairs))

    @property
    def smooth(self) -> bool:
        """Whether no point of the axis has mass."""
        return not all(isinstance(shape, Atoms) for shape in self.shares)

    def means(self) -> tuple[float, float]:
        """Return the means of prevalence and cost share."""
        share, prevalence = (
            float(shape.cumulative(np.ones(1), SHARE)[0][0]) for shape in self.shares
        )
        return prevalence, share

    def cumulative(self, edges: FloatArray, unit: Unit, *, inclusive: bool = True) -> Integrals:
        """Return rows of mass and of both errors' weights below each edge, and their error."""
        # the inner integral is closed; the outer is a sum over atoms, or a quadrature over the mass
        inner, outer = share, prevalence = self.shares
        alarm, miss = unit.powers
        powers = [(MASS, MASS), (alarm, REST), (miss, SHARE)]
        if isinstance(share, Atoms | ScipyShape) and not isinstance(prevalence, Atoms):
            inner, outer = prevalence, share
            powers = [(second, first) for first, second in powers]
        nodes = (
            outer.shares.size
            if isinstance(outer, Atoms)
            else (len(inner.kinks) + len(outer.kinks) + 1) * tanh_sinh().nodes.size
        )
        step = max(1, PLACES_AT_ONCE // nodes)
        parts = [
            _integrate_some(inner, outer, powers, edges[start : start + step], inclusive)
            for start in range(0, edges.size or 1, step)
        ]
        rows = np.concatenate([part for part, _ in parts], axis=1)
        return rows * [[1.0], [unit.amount], [unit.amount]], max(error for _, error in parts)


@dataclass(frozen=True, slots=True, eq=False)
class SampledPart:
    """A sample of conditions with weights that sum to 1."""

    prevalence: FloatArray
    false_positive: FloatArray
    false_negative: FloatArray
    weights: FloatArray
    description: str = ""
    smooth = False

    def resolved(self, totals: ClassTotals) -> SampledPart:  # noqa: ARG002 - nothing is left open
        """Return the same part."""
        return self

    @property
    def cost_shares(self) -> FloatArray:
        """The cost share of each draw."""
        return self.false_negative / (self.false_positive + self.false_negative)

    @property
    def _error_weights(self) -> tuple[FloatArray, FloatArray]:
        return (1 - self.prevalence) * self.false_positive, self.prevalence * self.false_negative

    @property
    def _axis(self) -> FloatArray:
        alarm, miss = self._error_weights
        return miss / (alarm + miss)

    def cost_support(self) -> Interval:
        """Return the range of the cost share."""
        return _range_of(self.cost_shares)

    def prevalence_support(self) -> Interval:
        """Return the range of the prevalence."""
        return _range_of(self.prevalence)

    def corners(self, unit: Unit) -> Iterator[Case]:  # noqa: ARG002 - the sample has its own
        """Yield the sample."""
        columns = (self.prevalence, self.false_positive, self.false_negative)
        for p, alarm, miss in zip(*(column.tolist() for column in columns), strict=True):
            yield Case(p, alarm, miss)

    def ends(self) -> Interval:
        """Return the ends of the cost axis."""
        return _range_of(self._axis)

    def means(self) -> tuple[float, float]:
        """Return the means of prevalence and cost share."""
        return float(self.weights @ self.prevalence), float(self.weights @ self.cost_shares)

    def mean_costs(self) -> tuple[float, float]:
        """Return the mean cost of a false alarm and of a miss."""
        alarm, miss = (float(self.weights @ c) for c in (self.false_positive, self.false_negative))
        return alarm, miss

    def cumulative(self, edges: FloatArray, unit: Unit, *, inclusive: bool = True) -> Integrals:  # noqa: ARG002
        """Return mass and both errors' weights below each edge."""
        order = np.argsort(self._axis, kind="stable")
        place = np.searchsorted(self._axis[order], edges, side="right" if inclusive else "left")
        columns = np.stack([self.weights * c for c in (np.ones(order.size), *self._error_weights)])
        sums = np.cumsum(columns[:, order], axis=1)
        return np.concatenate((np.zeros((3, 1)), sums), axis=1)[:, place], 0.0


Part: TypeAlias = IndependentPart | SampledPart


def _range_of(values: FloatArray) -> Interval:
    return Interval(float(values.min()), float(values.max()))


def _integrate_some(
    inner: Shape,
    outer: Shape,
    powers: list[tuple[Powers, Powers]],
    edges: FloatArray,
    inclusive: bool,
) -> Integrals:
    if isinstance(outer, Atoms):
        places, widths = outer.shares[None, None], np.ones((1, 1, 1))
        weights = coarse_weights = outer.weights
    else:
        places, widths = place_nodes(outer.quantile, _cut_masses(inner, outer, edges))
        _, _, weights, coarse_weights = tanh_sinh()
    limits = matching_share(edges[:, None, None], places, inclusive=inclusive)
    rows, worst = [], 0.0
    for inner_powers, outer_powers in powers:
        moments, error = inner.cumulative(limits, inner_powers, inclusive=inclusive)
        with np.errstate(invalid="ignore"):  # callers refuse infinite costs
            heights = np.where(widths > 0, outer_powers.of(places) * moments * widths, 0.0)
            fine, coarse = heights @ weights, heights @ coarse_weights
            off = np.abs((fine - coarse).sum(axis=1))
            worst = max(worst, error, float(np.max(off, initial=0.0)))
        rows.append(fine.sum(axis=1))
    return np.stack(rows), worst


def _cut_masses(inner: Shape, outer: Shape, edges: FloatArray) -> FloatArray:
    """Return for each edge the outer masses at which the integrand has kinks."""
    bends = [matching_share(edges, kink) for kink in inner.kinks]
    bends += [np.full(edges.shape, kink) for kink in outer.kinks]
    masses = outer.cumulative(np.stack(bends, axis=1))[0]
    ends = np.zeros((edges.size, 1)), np.ones((edges.size, 1))
    return np.sort(np.concatenate((*ends, masses), axis=1), axis=1)


def matching_share(
    edges: FloatArray, known: FloatArray | float, *, inclusive: bool = True
) -> FloatArray:
    """Return the cost share up to which t <= edge at a known prevalence, or the reverse."""
    rest = edges * (1 - known)
    whole = rest + (1 - edges) * known
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, rest / whole, 1.0 if inclusive else 0.0)


def _axis_point(share: float, prevalence: float) -> float:
    miss, alarm = share * prevalence, (1 - share) * (1 - prevalence)
    return miss / (miss + alarm) if miss + alarm else prevalence
