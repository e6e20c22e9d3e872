"""Beliefs: what an expert thinks about costs and class balance, as a distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import InputError, describe_type
from rocch.inputs import as_number, as_weights, is_number
from rocch.roc import shapes
from rocch.roc.belief_axis import (
    NO_UNIT,
    Independent,
    Part,
    SampledCases,
    Unit,
    Upto,
    checked_finite,
    observed,
)
from rocch.roc.conditions import OBSERVED, Case, Conditions, Interval
from rocch.roc.operating_point import ClassTotals
from rocch.roc.shapes import (
    NAMED,
    Elicited,
    Scale,
    Shape,
    cost_columns,
    elicit,
    known_costs,
    lies_on,
    most_likely,
    other_shapes,
    source,
    spoken,
)

# --- What a belief can be asked: where it lies, what it weighs, what it expects -------------------


class Stretches(NamedTuple):
    """What a belief says about stretches of the cost axis.

    `mass` is that of the open stretches between neighboring edges, `at_edges` that of the edges
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


# --- Beliefs: what an expert thinks about costs and class balance, as a distribution --------------
#
# An expert says "missing one is 5 to 10 times as bad as a false alarm, most likely 9" (Adams and
# Hand, section 3). The belief made of it lies on the miss's share of the two costs,
# c = c_fn / (c_fp + c_fn), which is their c1; a triangle on "times as bad" or on the ratio would be
# another belief.


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Belief(Believed):
    """A distribution over conditions: over the cost ratio, over prevalence, or over both.

    Build it with one of its named constructors. A belief about costs alone needs a prevalence
    before it can be used (`with_prevalence`, which takes a number, an interval, a belief or the
    word "observed"), and a unit before it can be asked for costs or regret (`with_unit`).

    Examples
    --------
    >>> import rocch
    >>> expert = rocch.Belief.miss_costs(5, 10, likely=9)
    >>> print(expert)
    a miss is 5 to 10 times as bad as a false alarm, most likely 9
    >>> [round(share, 4) for share in expert.cost_share]
    [0.8333, 0.9091]
    >>> both = expert.with_prevalence(rocch.Belief.prevalence(0.1, 0.3))
    >>> tuple(round(slope, 3) for slope in both.slope_range)
    (0.233, 1.8)
    """

    parts: tuple[tuple[float, Part], ...]
    unit: Unit | None
    elicited: Elicited | None

    def __init__(
        self,
        *unnamed: object,
        parts: tuple[tuple[float, Part], ...] = (),
        unit: Unit | None = None,
        elicited: Elicited | None = None,
    ) -> None:
        if unnamed or not parts:
            raise InputError("belief", "say what it is about", f"Belief{unnamed}", NAMED)
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "unit", unit)
        object.__setattr__(self, "elicited", elicited)

    def __str__(self) -> str:
        words = [part.words for _, part in self.parts]
        told = any("a false alarm costs" in said for said in words)
        unit = "" if self.unit is None or told else f"; {self.unit}"
        if len(words) == 1:
            return words[0] + unit
        shares = [
            f"{weight:.3g}: {said}" for (weight, _), said in zip(self.parts, words, strict=True)
        ]
        return "pooled from " + "; ".join(shares) + unit

    def __repr__(self) -> str:
        return f"<Belief: {self}>"

    @classmethod
    def miss_costs(
        cls,
        low: float,
        high: float | None = None,
        *,
        likely: float | None = None,
        on: Scale = "share",
    ) -> Belief:
        """Say how many times as bad as a false alarm a miss is.

        Parameters
        ----------
        low, high
            The bounds; `high` may be infinite ("more serious than the reverse" is 1 to infinity).
            One number alone leaves no doubt.
        likely
            The most likely value; without it every share between the bounds is as likely.
        on
            On what the belief is even or triangular: "share", the miss's share of both costs, as in
            Adams and Hand; "times", the number itself; or "ratio", its inverse.

        Examples
        --------
        >>> import math
        >>> import rocch
        >>> worse = rocch.Belief.miss_costs(1, math.inf)
        >>> worse.cost_share
        Interval(low=0.5, high=1.0)
        """
        said = elicit(low, high, likely, "times", on)
        words = f"a miss is {spoken(said)}times as bad as a false alarm{most_likely(said)}"
        return cls._about_costs(said, on, words)

    @classmethod
    def false_alarm_costs(
        cls,
        low: float,
        high: float | None = None,
        *,
        likely: float | None = None,
        on: Scale = "share",
    ) -> Belief:
        """Say how many times as bad as a miss a false alarm is; otherwise as `miss_costs`."""
        said = elicit(low, high, likely, "ratio", on)
        words = f"a false alarm is {spoken(said)}times as bad as a miss{most_likely(said)}"
        return cls._about_costs(said, on, words)

    @classmethod
    def miss_costs_about(cls, times: float, *, factor: float, confidence: float = 0.9) -> Belief:
        """Say about how many times as bad a miss is: log-normal, within a factor.

        "About 9, surely within a factor of 2" is `miss_costs_about(9, factor=2)`: the median is 9,
        and with the stated confidence it lies between 4.5 and 18.
        """
        from scipy.stats import lognorm, norm

        for name, value, least in (("times", times, 0.0), ("factor", factor, 1.0)):
            if not is_number(value) or not math.isfinite(value) or value <= least:
                raise InputError(
                    name,
                    f"be a finite number above {least:g}",
                    repr(value),
                    "For example: Belief.miss_costs_about(9, factor=2).",
                )
        if not is_number(confidence) or not 0 < confidence < 1:
            raise InputError(
                "confidence", "lie between 0 and 1", repr(confidence), "For example 0.9."
            )
        width = math.log(factor) / float(norm.isf((1 - confidence) / 2))
        words = f"a miss is about {times:g} times as bad as a false alarm"
        words += f", within a factor of {factor:g}"
        return cls._costs(shapes.Frozen(lognorm(width, scale=times), "times"), words)

    @classmethod
    def cost_share_beta(cls, a: float, b: float) -> Belief:
        """Put a beta distribution on the miss's share of both costs, as the H-measure does."""
        shape = shapes.beta(a, b)
        return cls._costs(shape, f"the miss's share of the costs is Beta({a:g}, {b:g})")

    @classmethod
    def miss_costs_like(cls, given: Any, *, weights: Any = None) -> Belief:
        """Take a frozen SciPy distribution, or a sample, of how many times as bad a miss is."""
        shape = shapes.like(given, "times", weights=weights, argument="given")
        return cls._costs(shape, f"a miss is as bad as {source(given)} says, in false alarms")

    @classmethod
    def prevalence(
        cls, low: float, high: float | None = None, *, likely: float | None = None
    ) -> Belief:
        """Say between which bounds the share of positives lies; the costs count as equal.

        Use `with_costs` for other costs, or pass it to another belief's `with_prevalence`.
        """
        said = elicit(low, high, likely, "share", "share")
        if said.high > 1 or said.low < 0 or (said.low == said.high and said.low in (0, 1)):
            raise InputError(
                "prevalence",
                "lie between 0 and 1" + (", both excluded" if said.low == said.high else ""),
                f"{said.low:g}" if said.low == said.high else f"{said.low:g} to {said.high:g}",
                "It is the share of positives; write 5 % as 0.05.",
            )
        shape = shapes.from_bounds(said[:2], said.likely, scale="share", lie_on="share")
        return cls._about_prevalence(
            shape, f"the prevalence is {spoken(said)[:-1]}{most_likely(said)}"
        )

    @classmethod
    def prevalence_beta(cls, a: float, b: float) -> Belief:
        """Put a beta distribution on the prevalence (a - 1 positives and b - 1 negatives seen)."""
        shape = shapes.beta(a, b)
        return cls._about_prevalence(shape, f"the prevalence is Beta({a:g}, {b:g})")

    @classmethod
    def prevalence_like(cls, given: Any, *, weights: Any = None) -> Belief:
        """Take a frozen SciPy distribution, or a sample, of the prevalence."""
        shape = shapes.like(given, "share", weights=weights, argument="given")
        if isinstance(shape, shapes.Atoms) and not 0 < shape.support.low <= shape.support.high < 1:
            raise InputError(
                "given", "lie between 0 and 1", "a prevalence of 0 or 1", "Leave those out."
            )
        return cls._about_prevalence(shape, f"the prevalence is as {source(given)} says")

    @classmethod
    def sample(
        cls, *, prevalence: Any, false_positive: Any, false_negative: Any, weights: Any = None
    ) -> Belief:
        """Take a sample of whole conditions, for example those of past months.

        Each argument is a number or one value per draw; costs are in one unit, which the belief
        then has.
        """
        columns = cost_columns(
            prevalence=prevalence, false_positive=false_positive, false_negative=false_negative
        )
        p, alarm, miss = columns
        if (p >= 1).any() or (p <= 0).any():
            raise InputError(
                "prevalence", "lie between 0 and 1", "0, 1 or beyond", "Check the draws."
            )
        if not ((alarm > 0) | (miss > 0)).all():
            raise InputError(
                "false_positive, false_negative",
                "not both be 0",
                "a draw without costs",
                "Drop it.",
            )
        mass = (
            np.ones(p.size) if weights is None else as_weights(weights, p.size, argument="weights")
        )
        if not mass.any():
            raise InputError("weights", "leave some belief", "zeros only", "Give one a weight.")
        draws = SampledCases(p, alarm, miss, mass / mass.sum(), f"a sample of {p.size} conditions")
        return cls(parts=((1.0, draws),))

    @classmethod
    def pooled(cls, *beliefs: Belief, weights: Any = None) -> Belief:
        """Pool several experts: each one's belief with its weight (a linear pool).

        Examples
        --------
        >>> import rocch
        >>> careful = rocch.Belief.miss_costs(5, 10, likely=9)
        >>> bold = rocch.Belief.miss_costs(1, 4)
        >>> rocch.Belief.pooled(careful, bold, weights=[3, 1]).cost_share
        Interval(low=0.5, high=0.9090909090909091)
        """
        if not beliefs:
            raise InputError("beliefs", "be at least one", "none", NAMED)
        if len(beliefs) == 1 and isinstance(beliefs[0], list | tuple):
            raise InputError(
                "beliefs", "come one by one", "a list of them", "Write Belief.pooled(*beliefs)."
            )
        for belief in beliefs:
            as_belief(belief)
        mass = (
            np.ones(len(beliefs))
            if weights is None
            else as_weights(weights, len(beliefs), argument="weights", rows="beliefs")
        )
        if not mass.any():
            raise InputError("weights", "leave some belief", "zeros only", "Give one a weight.")
        if len({belief.has_prevalence for belief in beliefs}) > 1:
            raise InputError(
                "beliefs",
                "all name a prevalence, or none of them",
                "some of either kind",
                "Pool what is said of costs first, then use with_prevalence.",
            )
        units = {belief.unit for belief in beliefs}
        if len(units) > 1:
            raise InputError(
                "beliefs",
                "have one unit of cost, or none",
                "different ones",
                "Pool first, then use with_unit.",
            )
        mass = mass / mass.sum()
        parts = tuple(
            (float(share * weight), part)
            for belief, share in zip(beliefs, mass, strict=True)
            for weight, part in belief.parts
            if share > 0
        )
        return cls(parts=parts, unit=units.pop())

    def with_prevalence(self, prevalence: Any) -> Belief:
        """Return the belief with a prevalence: a number, an interval, a belief, or "observed".

        Every prevalence in an interval counts as equally likely. A belief that has a prevalence
        already takes no other.
        """
        shape, words = _as_prevalence(prevalence)
        parts = []
        for weight, part in self.parts:
            if isinstance(part, SampledCases) or part.prevalence is not None:
                raise InputError(
                    "prevalence",
                    "be named once",
                    f"one more beside the belief's own ({part.words})",
                    "Leave it out, or start from the belief about costs alone.",
                )
            said = replace(part, prevalence=shape, said_of_prevalence=words)
            parts.append((weight, said))
        return Belief(parts=tuple(parts), unit=self.unit, elicited=self.elicited)

    def with_unit(
        self,
        *,
        false_positive: float | None = None,
        false_negative: float | None = None,
        sum_of_costs: float | None = None,
    ) -> Belief:
        """Fix one cost, so that expected costs and regrets have a unit.

        A ratio alone has none: ten misses at 1 and one false alarm at 1/9, or at 9 and 1, are
        different amounts. Name the cost of a false alarm, of a miss, or the sum of both.

        Examples
        --------
        >>> import rocch
        >>> money = rocch.Belief.miss_costs(5, 10, likely=9).with_unit(false_positive=20)
        """
        given = {
            "false_positive": false_positive,
            "false_negative": false_negative,
            "sum_of_costs": sum_of_costs,
        }
        named = {name: amount for name, amount in given.items() if amount is not None}
        if len(named) != 1:
            raise InputError(
                "unit", "fix one cost", f"{len(named)} of them", "For example: false_positive=20."
            )
        ((name, amount),) = named.items()
        if as_number(amount, name, least=0) == 0:
            raise InputError(name, "be positive", 0, "The other cost is measured by it.")
        if self.unit is not None or any(isinstance(part, SampledCases) for _, part in self.parts):
            raise InputError(
                name, "be left to a belief that knows its costs", amount, "Fix the unit once."
            )
        return Belief(parts=self.parts, unit=Unit(name, float(amount)), elicited=self.elicited)  # type: ignore[arg-type]

    def with_costs(self, *, false_positive: float, false_negative: float) -> Belief:
        """Return a belief about prevalence together with costs that are known.

        Examples
        --------
        >>> import rocch
        >>> balance = rocch.Belief.prevalence(0.05, 0.2, likely=0.1)
        >>> known = balance.with_costs(false_positive=1, false_negative=9)
        >>> round(known.cost_share.low, 3)
        0.9
        """
        costs = known_costs(false_positive=false_positive, false_negative=false_negative)
        parts = []
        for weight, part in self.parts:
            if isinstance(part, SampledCases) or part.share is not None:
                raise InputError(
                    "costs",
                    "be known only beside a belief about prevalence alone",
                    f"{self}",
                    "Start from Belief.prevalence(0.05, 0.2), for example.",
                )
            words = f"a false alarm costs {costs[0]:g}, a miss {costs[1]:g}"
            share = shapes.point(costs[1] / sum(costs))
            parts.append((weight, replace(part, share=share, said_of_costs=words)))
        return Belief(parts=tuple(parts), unit=Unit("sum_of_costs", sum(costs)))

    def resolved(self, totals: ClassTotals) -> Belief:
        """Return the belief with "observed" replaced by the prevalence of judged rows."""
        parts = tuple((weight, part.resolved(totals)) for weight, part in self.parts)
        return Belief(parts=parts, unit=self.unit, elicited=self.elicited)

    def other_shapes(self) -> dict[str, Belief]:
        """Return other beliefs that the same three numbers could have meant.

        Shape is the part of a belief that nobody can defend; a conclusion should survive these.
        """
        said = self.elicited
        if said is None:
            raise InputError(
                "belief", "have been elicited as bounds to have other shapes", f"{self}", NAMED
            )
        return {name: self._shaped(shape) for name, shape in other_shapes(said).items()}

    def _shaped(self, shape: Shape) -> Belief:
        parts = tuple(
            (weight, replace(part, share=shape))
            for weight, part in self.parts
            if isinstance(part, Independent)
        )
        return Belief(parts=parts, unit=self.unit)

    @classmethod
    def _about_costs(cls, said: Elicited, on: Scale, words: str) -> Belief:
        shape = shapes.from_bounds(
            said[:2], said.likely, scale=said.scale, lie_on=lies_on(on, said.scale)
        )
        return cls(parts=((1.0, Independent(shape, said_of_costs=words)),), elicited=said)

    @classmethod
    def _costs(cls, shape: Shape, words: str) -> Belief:
        return cls(parts=((1.0, Independent(shape, said_of_costs=words)),))

    @classmethod
    def _about_prevalence(cls, shape: Shape, words: str) -> Belief:
        part = Independent(prevalence=shape, said_of_prevalence=words)
        return cls(parts=((1.0, part),))


def as_belief(given: object) -> Belief:
    """Return a belief, or refuse what is none: a bare interval does not say what it is about."""
    if isinstance(given, Belief):
        return given
    if isinstance(given, Conditions):
        raise InputError(
            "belief",
            "be a Belief",
            f"Conditions ({given})",
            "Conditions say between which bounds, not how likely: hull.sensitivity(conditions) and "
            "MinimaxRegret(conditions) serve them. Belief.miss_costs(5, 10, likely=9) says both.",
        )
    bare = is_number(given) or isinstance(given, tuple | list)
    got = f"{given!r}, a ratio without a name" if bare else describe_type(given)
    raise InputError("belief", "be a Belief", got, NAMED)


def _as_prevalence(given: Any) -> tuple[Any, str]:
    """Return the shape of a prevalence, or the word for that of the judged rows; and in words."""
    if observed(given):
        return OBSERVED, "the prevalence is the observed one"
    if isinstance(given, Belief):
        part = given.parts[0][1]
        known = isinstance(part, Independent) and part.prevalence is not None
        if len(given.parts) != 1 or not isinstance(part, Independent) or not known:
            raise InputError(
                "prevalence", "be a belief about prevalence", f"{given}", "See Belief.prevalence."
            )
        if part.share is not None:
            raise InputError(
                "prevalence",
                "be a belief about prevalence alone",
                f"one that speaks of costs too ({given})",
                "Pass Belief.prevalence(...) without costs.",
            )
        return part.prevalence, part.said_of_prevalence
    bounds = given if isinstance(given, tuple | list) else (given,)
    if len(bounds) not in (1, 2) or not all(is_number(bound) for bound in bounds):
        raise InputError(
            "prevalence",
            "be a number, an interval, a belief or 'observed'",
            repr(given),
            "For example: 0.1, (0.1, 0.2), or Belief.prevalence(0.1, 0.3, likely=0.15).",
        )
    return _as_prevalence(Belief.prevalence(*bounds))
