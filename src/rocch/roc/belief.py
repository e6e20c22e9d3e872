"""Beliefs about costs and class balance, as distributions (Adams and Hand, section 3).

By default they lie on the miss's share of both costs, c = c_fn / (c_fp + c_fn), the paper's c1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import FloatArray
from rocch.errors import Hint, InputError, UndefinedError, describe_type
from rocch.inputs import as_level, as_number, as_weights, explain_call, is_number
from rocch.roc.belief_axis import (
    NO_UNIT,
    FixedCost,
    IndependentPart,
    Part,
    SampledPart,
    Unit,
)
from rocch.roc.conditions import OBSERVED, Bounds, Case, Conditions, Interval
from rocch.roc.operating_point import ClassTotals
from rocch.roc.shapes import (
    BELIEF_EXAMPLE,
    Atoms,
    Elicited,
    Integrals,
    Scale,
    ScipyShape,
    Shape,
    as_masses,
    as_shape,
    beta,
    elicit,
    elicited_shape,
    other_shapes,
    point,
)

# The largest relative error of an expected cost.
ACCURACY = 1e-4

# A frozen distribution of SciPy's; SciPy has no public type for it.
Distribution: TypeAlias = Any


class Stretches(NamedTuple):
    """A belief on stretches of the cost axis.

    `alarm` and `miss` are the expected weights of FPR and of 1 - TPR on each stretch with its
    upper edge, the first with both edges.
    """

    mass: FloatArray
    at_edges: FloatArray
    alarm: FloatArray
    miss: FloatArray
    error: float


# What a belief about costs is uniform or a triangle on.
SCALES: dict[Scale, str] = {
    "share": "the miss's share of both costs",
    "times": "the cost of a miss in false alarms",
    "ratio": "the cost of a false alarm in misses",
}


def _name_scale(numbers: Elicited, on: Scale) -> str:
    """Return the shape and scale of a belief in words; of exact numbers, nothing."""
    if numbers.low == numbers.high:
        return ""
    return f" ({'uniform' if numbers.likely is None else 'a triangle'} on {SCALES[on]})"


@explain_call("Belief.cost_ratio(5, 10, likely=9)")
@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Belief:
    """A distribution over the cost ratio, the prevalence, or both.

    Build it with one of its class methods. A belief about costs alone needs a prevalence
    (`with_prevalence`), and a unit for expected costs and regret (`with_unit`).

    Examples
    --------
    >>> import rocch
    >>> expert = rocch.Belief.cost_ratio(5, 10, likely=9)
    >>> print(expert)
    a miss is 5 to 10 times as bad as a false alarm, most likely 9 (a triangle on ...
    >>> [round(share, 4) for share in expert.cost_share]
    [0.8333, 0.9091]
    >>> both = expert.with_prevalence(rocch.Belief.prevalence(0.1, 0.3))
    >>> tuple(round(slope, 3) for slope in both.slope_range)
    (0.233, 1.8)
    """

    # Weighted parts, whose weights sum to 1.
    parts: tuple[tuple[float, Part], ...]
    unit: Unit | None = None
    elicited: Elicited | None = None

    def __str__(self) -> str:
        texts = [part.description for _, part in self.parts]
        costs_known = any("a false alarm costs" in text for text in texts)
        unit = "" if self.unit is None or costs_known else f"; {self.unit}"
        if len(texts) == 1:
            return texts[0] + unit
        shares = [f"{weight:.3g}: {part.description}" for weight, part in self.parts]
        return "pooled from " + "; ".join(shares) + unit

    def __repr__(self) -> str:
        return f"<Belief: {self}>"

    @classmethod
    def cost_ratio(
        cls,
        low: float,
        high: float | None = None,
        *,
        likely: float | None = None,
        on: Scale = "share",
    ) -> Belief:
        """State how many times as bad as a false alarm a miss is.

        Parameters
        ----------
        low, high
            The bounds; `high` may be infinite. Without it, `low` is certain.
        likely
            The most likely value; without it the belief is uniform.
        on
            The scale of the uniform or triangular shape: "share", the miss's share of both costs,
            as in Adams and Hand; "times", the number itself; or "ratio", its inverse.

        Examples
        --------
        >>> import math
        >>> import rocch
        >>> worse = rocch.Belief.cost_ratio(1, math.inf)
        >>> worse.cost_share
        Interval(low=0.5, high=1.0)
        """
        numbers = elicit(low, high, likely, "times")
        text = numbers.describe("a miss is {} times as bad as a false alarm")
        shape = elicited_shape(numbers, on)
        return cls._of_costs(shape, text + _name_scale(numbers, on), numbers)

    @classmethod
    def inverse_cost_ratio(
        cls,
        low: float,
        high: float | None = None,
        *,
        likely: float | None = None,
        on: Scale = "share",
    ) -> Belief:
        """State how many times as bad as a miss a false alarm is; see `cost_ratio`."""
        numbers = elicit(low, high, likely, "ratio")
        text = numbers.describe("a false alarm is {} times as bad as a miss")
        shape = elicited_shape(numbers, on)
        return cls._of_costs(shape, text + _name_scale(numbers, on), numbers)

    @classmethod
    def cost_ratio_about(cls, times: float, *, factor: float, confidence: float = 0.9) -> Belief:
        """State about how many times as bad as a false alarm a miss is.

        The belief is log-normal with the median `times`, and within `factor` with `confidence`.
        """
        from scipy.stats import lognorm, norm

        hint = Hint("For example: Belief.cost_ratio_about(9, factor=2).")
        as_number(times, "times", above=0, hint=hint)
        as_number(factor, "factor", above=1, hint=hint)
        width = math.log(factor) / float(norm.isf((1 - as_level(confidence)) / 2))
        text = f"a miss is about {times:g} times as bad as a false alarm"
        text += f", within a factor of {factor:g}"
        return cls._of_costs(ScipyShape(lognorm(width, scale=times), "times"), text)

    @classmethod
    def cost_share_beta(cls, a: float, b: float) -> Belief:
        """Put a beta distribution on the miss's share of both costs, as the H-measure does."""
        return cls._of_costs(beta(a, b), f"the miss's share of the costs is Beta({a:g}, {b:g})")

    @classmethod
    def cost_ratio_like(
        cls, given: Distribution | ArrayLike, *, weights: ArrayLike | None = None
    ) -> Belief:
        """Use a frozen SciPy distribution, or a sample, of how many times as bad a miss is."""
        shape = as_shape(given, "times", weights)
        return cls._of_costs(shape, f"the cost of a miss in false alarms follows {_source(given)}")

    @classmethod
    def prevalence(
        cls, low: float, high: float | None = None, *, likely: float | None = None
    ) -> Belief:
        """State bounds of the share of positives, and perhaps its most likely value.

        Costs count as equal; `with_costs` sets others.
        """
        numbers = elicit(low, high, likely, "share")
        exact = numbers.low == numbers.high
        if numbers.high > 1 or (exact and numbers.low in (0, 1)):
            raise InputError(
                "prevalence",
                "lie between 0 and 1" + (", both excluded" if exact else ""),
                f"{numbers.low:g}" if exact else f"{numbers.low:g} to {numbers.high:g}",
                "It is the share of positives; write 5% as 0.05.",
            )
        text = numbers.describe("the prevalence is {}")
        return cls._of_prevalence(elicited_shape(numbers), text)

    @classmethod
    def prevalence_beta(cls, a: float, b: float) -> Belief:
        """Put a beta distribution on the prevalence."""
        return cls._of_prevalence(beta(a, b), f"the prevalence is Beta({a:g}, {b:g})")

    @classmethod
    def prevalence_like(
        cls, given: Distribution | ArrayLike, *, weights: ArrayLike | None = None
    ) -> Belief:
        """Use a frozen SciPy distribution, or a sample, of the prevalence."""
        shape = as_shape(given, "share", weights)
        if isinstance(shape, Atoms) and not 0 < shape.support.low <= shape.support.high < 1:
            raise InputError(
                "given",
                "lie between 0 and 1, both excluded",
                f"values from {shape.support.low:g} to {shape.support.high:g}",
                "They are shares of positives; write 5% as 0.05.",
            )
        return cls._of_prevalence(shape, f"the prevalence follows {_source(given)}")

    @classmethod
    def sample(
        cls,
        *,
        prevalence: ArrayLike,
        false_positive: ArrayLike,
        false_negative: ArrayLike,
        weights: ArrayLike | None = None,
    ) -> Belief:
        """Use a sample of conditions, for example those of past months.

        Each argument is a number or one value per draw; both costs have the same unit.
        """
        p, alarm, miss = _as_cost_columns(
            prevalence=prevalence, false_positive=false_positive, false_negative=false_negative
        )
        if (p >= 1).any() or (p <= 0).any():
            got = f"values from {p.min():g} to {p.max():g}"
            hint = "They are shares of positives; write 5% as 0.05."
            raise InputError("prevalence", "lie between 0 and 1, both excluded", got, hint)
        if not ((alarm > 0) | (miss > 0)).all():
            raise InputError(
                "false_positive, false_negative", "not both be 0", "a draw without costs"
            )
        masses = as_masses(weights, p.size, "draws")
        draws = SampledPart(p, alarm, miss, masses, f"a sample of {p.size} conditions")
        return cls(parts=((1.0, draws),))

    @classmethod
    def pooled(cls, *beliefs: Belief, weights: ArrayLike | None = None) -> Belief:
        """Return the linear pool of several experts' beliefs.

        Examples
        --------
        >>> import rocch
        >>> careful = rocch.Belief.cost_ratio(5, 10, likely=9)
        >>> bold = rocch.Belief.cost_ratio(1, 4)
        >>> rocch.Belief.pooled(careful, bold, weights=[3, 1]).cost_share
        Interval(low=0.5, high=0.9090909090909091)
        """
        if not beliefs:
            raise InputError("beliefs", "be at least one", "none", BELIEF_EXAMPLE)
        if len(beliefs) == 1 and isinstance(beliefs[0], list | tuple):
            raise InputError(
                "beliefs",
                "be separate arguments",
                "a list",
                Hint("Write Belief.pooled(*beliefs)."),
            )
        for belief in beliefs:
            as_belief(belief)
        masses = as_masses(weights, len(beliefs), "beliefs")
        if len({belief.has_prevalence for belief in beliefs}) > 1:
            raise InputError(
                "beliefs",
                "all name a prevalence, or none of them",
                "both kinds",
                Hint("Pool the beliefs about costs first, then use with_prevalence."),
            )
        units = {belief.unit for belief in beliefs}
        if len(units) > 1:
            raise InputError(
                "beliefs",
                "have one unit of cost, or none",
                "different ones",
                Hint("Pool first, then use with_unit."),
            )
        parts = tuple(
            (float(share * weight), part)
            for belief, share in zip(beliefs, masses, strict=True)
            for weight, part in belief.parts
            if share > 0
        )
        return cls(parts=parts, unit=units.pop())

    @classmethod
    def _of_costs(cls, shape: Shape, text: str, elicited: Elicited | None = None) -> Belief:
        return cls(parts=((1.0, IndependentPart(shape, cost_text=text)),), elicited=elicited)

    @classmethod
    def _of_prevalence(cls, shape: Shape, text: str) -> Belief:
        return cls(parts=((1.0, IndependentPart(prevalence=shape, prevalence_text=text)),))

    def with_prevalence(self, prevalence: Bounds | str | Belief) -> Belief:
        """Return the belief with a prevalence: a number, an interval, a belief, or "observed".

        An interval is a uniform belief.
        """
        shape, text = _as_prevalence(prevalence)
        parts = []
        for weight, part in self.parts:
            if isinstance(part, SampledPart) or part.prevalence is not None:
                raise InputError(
                    "prevalence",
                    "be named once",
                    f"one more beside the belief's own ({part.description})",
                    "Leave it out, or start from the belief about costs alone.",
                )
            parts.append((weight, replace(part, prevalence=shape, prevalence_text=text)))
        return replace(self, parts=tuple(parts))

    def with_unit(
        self,
        *,
        false_positive: float | None = None,
        false_negative: float | None = None,
        sum_of_costs: float | None = None,
    ) -> Belief:
        """Fix one cost or their sum, so that expected costs and regrets have a unit.

        Examples
        --------
        >>> import rocch
        >>> money = rocch.Belief.cost_ratio(5, 10, likely=9).with_unit(false_positive=20)
        """
        given: dict[FixedCost, float | None] = {
            "false_positive": false_positive,
            "false_negative": false_negative,
            "sum_of_costs": sum_of_costs,
        }
        named = {name: amount for name, amount in given.items() if amount is not None}
        if len(named) != 1:
            raise InputError(
                "unit",
                "fix one cost",
                f"{len(named)} of them",
                Hint("For example: false_positive=20."),
            )
        ((name, amount),) = named.items()
        number = as_number(amount, name, above=0)
        if self.unit is not None or any(isinstance(part, SampledPart) for _, part in self.parts):
            raise InputError(
                name, "be fixed only once", amount, "The belief has a unit of cost already."
            )
        return replace(self, unit=Unit(name, number))

    def with_costs(self, *, false_positive: float, false_negative: float) -> Belief:
        """Return a belief about prevalence with known costs.

        Examples
        --------
        >>> import rocch
        >>> balance = rocch.Belief.prevalence(0.05, 0.2, likely=0.1)
        >>> known = balance.with_costs(false_positive=1, false_negative=9)
        >>> round(known.cost_share.low, 3)
        0.9
        """
        alarm, miss = as_known_costs(false_positive=false_positive, false_negative=false_negative)
        text = f"a false alarm costs {alarm:g}, a miss {miss:g}"
        share = point(miss / (alarm + miss))
        parts = []
        for weight, part in self.parts:
            if isinstance(part, SampledPart) or part.share is not None:
                raise InputError(
                    "costs",
                    "be added to a belief about prevalence alone",
                    f"{self}",
                    Hint("Start from Belief.prevalence(0.05, 0.2), for example."),
                )
            parts.append((weight, replace(part, share=share, cost_text=text)))
        return Belief(parts=tuple(parts), unit=Unit("sum_of_costs", alarm + miss))

    def resolved(self, totals: ClassTotals) -> Belief:
        """Return the belief with "observed" replaced by the prevalence of the evaluation rows."""
        parts = tuple((weight, part.resolved(totals)) for weight, part in self.parts)
        return replace(self, parts=parts)

    def other_shapes(self) -> dict[str, Belief]:
        """Return beliefs of other shapes with the same bounds and likely value."""
        if self.elicited is None:
            requirement = "have been elicited as bounds to have other shapes"
            raise InputError("belief", requirement, f"{self}", BELIEF_EXAMPLE)
        own = [(w, part) for w, part in self.parts if isinstance(part, IndependentPart)]
        return {
            name: Belief(
                parts=tuple((w, replace(part, share=shape)) for w, part in own), unit=self.unit
            )
            for name, shape in other_shapes(self.elicited).items()
        }

    @property
    def cost_share(self) -> Interval:
        """Where the miss's share of both costs can lie."""
        return _span(part.cost_support() for _, part in self.parts)

    @property
    def axis_range(self) -> Interval:
        """The lowest and the highest probability cost."""
        return _span(part.ends() for _, part in self.parts)

    @property
    def slope_range(self) -> Interval:
        """The lowest and the highest slope of iso-performance lines."""
        high, low = ((1 - t) / t if t else math.inf for t in self.axis_range)
        return Interval(low, high)

    @property
    def fixed_prevalence(self) -> float | None:
        """The prevalence if it is certain, else None."""
        known = {end for _, part in self.parts for end in part.prevalence_support()}
        return float(known.pop()) if len(known) == 1 else None

    @property
    def has_unit(self) -> bool:
        """Whether there are costs, not only their ratio."""
        sampled = all(isinstance(part, SampledPart) for _, part in self.parts)
        return self.unit is not None or sampled

    @property
    def has_prevalence(self) -> bool:
        """Whether a prevalence is named, perhaps as "observed"."""
        return all(part.prevalence is not None for _, part in self.parts)

    @property
    def smooth(self) -> bool:
        """Whether no single point of the cost axis has mass."""
        return all(part.smooth for _, part in self.parts)

    @property
    def bounded(self) -> bool:
        """Whether all possible costs are finite."""
        unit = self.require_unit()
        ends = [unit.costs(c) for c in self.cost_share] if self.unit else []
        return all(math.isfinite(alarm + miss) for alarm, miss in ends)

    def require_unit(self) -> Unit:
        """Return the unit of cost, or raise."""
        if self.has_unit:
            return self.unit or NO_UNIT
        raise InputError(
            "belief",
            "have a unit of cost for regret and expected cost",
            "a ratio of costs alone",
            Hint(
                "Use belief.with_unit(false_positive=20) if a false alarm costs 20, "
                "with_unit(false_negative=...) or with_unit(sum_of_costs=1)."
            ),
        )

    def corners(self) -> Iterator[Case]:
        """Yield extreme conditions, at one of which the regret of a choice is greatest."""
        if not self.bounded:
            raise InputError(
                "belief",
                "have finite costs for a worst regret",
                f"{self}",
                Hint("Close its open end, or use with_unit(sum_of_costs=1)."),
            )
        unit = self.require_unit()
        for _, part in self.parts:
            yield from part.corners(unit)

    def extremes(self, axis: FloatArray) -> Iterator[Case]:
        """Yield extreme conditions for choices that switch at points of the cost axis."""
        yield from self.corners()
        for _, part in self.parts:
            if isinstance(part, IndependentPart):
                yield from part.heaviest(axis, self.require_unit())

    @property
    def mean(self) -> Case:
        """Conditions at the mean prevalence and the mean cost share (or mean costs)."""
        weights = np.array([weight for weight, _ in self.parts])
        p, share = (weights @ np.array([part.means() for _, part in self.parts])).tolist()
        samples = [part.mean_costs() for _, part in self.parts if isinstance(part, SampledPart)]
        if len(samples) == len(self.parts):
            alarm, miss = (weights @ np.array(samples)).tolist()
        else:
            alarm, miss = (self.unit or NO_UNIT).costs(share)
        return Case(p, alarm, miss)

    @property
    def likely(self) -> Case | None:
        """The most likely conditions, or None."""
        if len(self.parts) > 1 or not isinstance(self.parts[0][1], IndependentPart):
            return None
        share, prevalence = (shape.likely for shape in self.parts[0][1].shares)
        if share is None or prevalence is None:
            return None
        return Case(prevalence, *(self.unit or NO_UNIT).costs(share))

    @property
    def expected_case(self) -> Case:
        """Exact conditions under which every choice costs its expectation."""
        alarm, miss = self.cumulative_weights(np.ones(1))
        p = self.mean.prevalence
        return Case(p, float(alarm[0]) / (1 - p), float(miss[0]) / p)

    def cumulative_weights(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both errors' expected weights up to points of the cost axis."""
        rows, error = self._integrate(points, self.require_unit())
        self._check_finite(rows, error)
        _, alarm, miss = rows
        return alarm, miss

    def cumulative_mass(self, axis: FloatArray, *, inclusive: bool = True) -> FloatArray:
        """Return the mass up to points of the cost axis."""
        closed: FloatArray = self._integrate(axis, NO_UNIT)[0][0]
        return closed if inclusive else closed - self._mass_at(axis)

    def stretches(self, edges: FloatArray, *, costs: bool = False) -> Stretches:
        """Return masses and weights between rising edges; weights are valid only with `costs`."""
        rows, error = self._integrate(edges, self.require_unit() if costs else NO_UNIT)
        if costs:
            self._check_finite(rows, error)
        closed, alarm, miss = rows
        below = closed - self._mass_at(edges)
        at_edges = np.maximum(closed - below, 0.0)
        mass = np.maximum(below[1:] - closed[:-1], 0.0)
        return Stretches(mass, at_edges, _differences(alarm), _differences(miss), error)

    def _integrate(self, edges: FloatArray, unit: Unit) -> Integrals:
        """Return mass and both errors' weights up to each edge, and their error."""
        found = [(weight, *part.cumulative(edges, unit)) for weight, part in self.parts]
        rows = np.sum([weight * rows for weight, rows, _ in found], axis=0)
        return rows, max(error for _, _, error in found)

    def _mass_at(self, edges: FloatArray) -> FloatArray:
        mass = np.zeros(edges.size)
        for weight, part in self.parts:
            if not part.smooth:
                closed, below = (
                    part.cumulative(edges, NO_UNIT, inclusive=inclusive)[0][0]
                    for inclusive in (True, False)
                )
                mass += weight * (closed - below)
        return mass

    def _check_finite(self, rows: FloatArray, error: float) -> None:
        """Raise if expected costs are infinite, or too inaccurate to exclude it."""
        other_unit = "Close its open end, state {likely}, or give {false_negative} as its unit."
        hint = Hint(
            "Close its open end, or fix another unit: belief.with_unit(sum_of_costs=1).",
            cli=other_unit,
            http=other_unit,
        )
        if not np.isfinite(rows[1:]).all():
            raise UndefinedError(
                "the expected cost is infinite: one error can cost any number of times the other.",
                hint=hint,
            )
        if not self.bounded and error > ACCURACY * float(np.max(rows[1] + rows[2])):
            raise UndefinedError(
                "the expected cost may be infinite: the tail of the belief is too heavy to tell.",
                hint=hint,
            )


def _span(intervals: Iterable[Interval]) -> Interval:
    lows, highs = zip(*intervals, strict=True)
    return Interval(min(lows), max(highs))


def _differences(cumulative: FloatArray) -> FloatArray:
    """Return the weight on each stretch, the first with its lower edge."""
    pieces = np.diff(cumulative)
    pieces[0] += cumulative[0]
    return pieces


def as_belief(given: object) -> Belief:
    """Return a belief, or raise."""
    if isinstance(given, Belief):
        return given
    if isinstance(given, Conditions):
        raise InputError(
            "belief",
            "be a Belief",
            f"Conditions ({given})",
            Hint(
                "Conditions state bounds, not how likely: hull.sensitivity(conditions) and "
                "MinimaxRegret(conditions) take them. Belief.cost_ratio(5, 10, likely=9) states "
                "both."
            ),
        )
    bare = is_number(given) or isinstance(given, tuple | list)
    got = f"{given!r}, a ratio without a name" if bare else describe_type(given)
    raise InputError("belief", "be a Belief", got, BELIEF_EXAMPLE)


def as_known_costs(*, false_positive: float, false_negative: float) -> tuple[float, float]:
    """Return two known costs, not both 0."""
    alarm = as_number(false_positive, "false_positive", least=0)
    miss = as_number(false_negative, "false_negative", least=0)
    if not alarm + miss:
        raise InputError("false_positive, false_negative", "not both be 0", "no costs")
    return alarm, miss


def _as_cost_columns(**given: ArrayLike) -> list[FloatArray]:
    """Return numbers and columns as columns of one length without negative numbers."""
    rows = max(np.size(values) for values in given.values())
    columns = []
    for name, values in given.items():
        column = np.full(rows, values) if is_number(values) else values
        columns.append(as_weights(column, rows, argument=name))
    return columns


def _as_prevalence(
    given: Bounds | str | Belief,
) -> tuple[Shape | Literal["observed"], str]:
    """Return the shape of a prevalence, or "observed", and its description."""
    if isinstance(given, str) and given == OBSERVED:
        return OBSERVED, "the prevalence is the observed one"
    if isinstance(given, Belief):
        part = given.parts[0][1]
        if (
            len(given.parts) > 1
            or not isinstance(part, IndependentPart)
            or part.prevalence is None
            or part.share is not None
        ):
            requirement = "be a belief about prevalence alone"
            raise InputError("prevalence", requirement, f"{given}", Hint("See Belief.prevalence."))
        return part.prevalence, part.prevalence_text
    bounds = given if isinstance(given, tuple | list) else (given,)
    if len(bounds) not in (1, 2) or not all(is_number(bound) for bound in bounds):
        raise InputError(
            "prevalence",
            "be a number, an interval, a belief or 'observed'",
            repr(given),
            Hint("For example: 0.1, (0.1, 0.2), or Belief.prevalence(0.1, 0.3, likely=0.15)."),
        )
    return _as_prevalence(Belief.prevalence(*bounds))


def _source(given: Any) -> str:
    """Describe where a belief comes from."""
    kind = getattr(getattr(given, "dist", None), "name", None)
    return f"SciPy's {kind}" if kind else f"a sample of {len(given)}"
