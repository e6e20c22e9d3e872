"""Prevalence and costs, exact or within bounds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import Hint, InputError
from rocch.inputs import as_instance, as_number, as_scores, explain_call, is_number
from rocch.roc.operating_point import ClassTotals, RocPoint

OBSERVED: Literal["observed"] = "observed"
# One rate, or an array of them.
Rates = TypeVar("Rates", float, FloatArray)
# A number, or an interval (low, high).
Bounds: TypeAlias = float | tuple[float, float]
COSTS = ("false_positive", "false_negative", "true_positive", "true_negative")


class Interval(NamedTuple):
    """A number between two bounds, both included."""

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether the bounds are equal."""
        return self.low == self.high

    def __str__(self) -> str:
        return f"{self.low:g}" if self.exact else f"{self.low:g}..{self.high:g}"


class IsoPerformanceLine(NamedTuple):
    """The points of equal expected cost: tpr = intercept + slope x fpr."""

    slope: float
    intercept: float


class Case(NamedTuple):
    """One set of exact conditions."""

    prevalence: float
    false_positive: float
    false_negative: float
    true_positive: float = 0.0
    true_negative: float = 0.0

    @property
    def conditions(self) -> Conditions:
        """The case as conditions."""
        return Conditions(**self._asdict())

    def cost(self, fpr: Rates, tpr: Rates) -> Rates:
        """Return the expected cost per case."""
        positives = (1 - tpr) * self.false_negative + tpr * self.true_positive
        negatives = fpr * self.false_positive + (1 - fpr) * self.true_negative
        return self.prevalence * positives + (1 - self.prevalence) * negatives

    @property
    def weights(self) -> tuple[float, float]:
        """The costs of a unit of FPR and of a unit of TPR lost."""
        alarm = self.false_positive - self.true_negative
        miss = self.false_negative - self.true_positive
        return (1 - self.prevalence) * alarm, self.prevalence * miss

    @property
    def slope(self) -> float:
        """The slope of the iso-performance lines."""
        alarm = self.false_positive - self.true_negative
        miss = self.false_negative - self.true_positive
        return _times(_ratio(alarm, miss), _odds(self.prevalence))


@explain_call("Conditions(prevalence=0.3, false_positive=1, false_negative=5)")
@dataclass(frozen=True, kw_only=True, repr=False)
class Conditions:
    """Class balance and costs: numbers, or intervals (low, high).

    Lines of equal expected cost have the slope (false_positive - true_negative) / (false_negative -
    true_positive) x (1 - prevalence) / prevalence (Provost and Fawcett, section 2.2.1).

    Parameters
    ----------
    prevalence
        The share of positives in operation, or "observed": that of the evaluation rows.
    false_positive, false_negative
        The cost of a false alarm and of a miss.
    true_positive, true_negative
        The cost of a hit and of a true negative, at most that of the error.

    Examples
    --------
    >>> import rocch
    >>> known = rocch.Conditions(prevalence=1 / 6, false_positive=1, false_negative=25)
    >>> round(known.slope, 10)
    0.2
    >>> vague = rocch.Conditions(
    ...     prevalence=1 / 6, false_positive=(10, 20), false_negative=(200, 250)
    ... )
    >>> tuple(round(slope, 10) for slope in vague.slope_range)
    (0.2, 0.5)
    """

    prevalence: Bounds | str | None = None
    false_positive: Bounds
    false_negative: Bounds
    true_positive: Bounds = 0
    true_negative: Bounds = 0

    def __post_init__(self) -> None:
        if not self._observed:
            object.__setattr__(self, "prevalence", as_prevalence(self.prevalence))
        for name in COSTS:
            object.__setattr__(self, name, as_cost(getattr(self, name), name))
        self._check_errors_cost()

    @property
    def _stated(self) -> dict[str, Any]:
        """Prevalence and costs, without correct decisions that cost nothing."""
        values = {name: getattr(self, name) for name in ("prevalence", *COSTS)}
        free = [name for name in COSTS[2:] if values[name] == (0, 0)]
        return {name: value for name, value in values.items() if name not in free}

    def __str__(self) -> str:
        return ", ".join(f"{name.replace('_', ' ')} {v}" for name, v in self._stated.items())

    def __repr__(self) -> str:
        values = (f"{name}={_written(value)}" for name, value in self._stated.items())
        return f"{type(self).__name__}({', '.join(values)})"

    @classmethod
    def from_ratio(
        cls,
        *,
        negatives_per_positive: Bounds,
        false_positive: Bounds,
        false_negative: Bounds,
        true_positive: Bounds = 0,
        true_negative: Bounds = 0,
    ) -> Conditions:
        """Build conditions from the number of negatives per positive.

        Examples
        --------
        >>> import rocch
        >>> even = rocch.Conditions.from_ratio(
        ...     negatives_per_positive=5, false_positive=1, false_negative=1
        ... )
        >>> round(even.slope, 10)
        5.0
        """
        return cls(
            prevalence=prevalence_from_ratio(negatives_per_positive),
            false_positive=false_positive,
            false_negative=false_negative,
            true_positive=true_positive,
            true_negative=true_negative,
        )

    def with_prevalence(self, prevalence: Bounds) -> Conditions:
        """Return the same costs at another prevalence."""
        return replace(self, prevalence=prevalence)

    def resolved(self, totals: ClassTotals) -> Conditions:
        """Return the conditions with an "observed" prevalence replaced by its value."""
        return self.with_prevalence(totals.prevalence) if self._observed else self

    @property
    def _observed(self) -> bool:
        return isinstance(self.prevalence, str) and self.prevalence == OBSERVED

    @property
    def exact(self) -> bool:
        """Whether all numbers are exact; an observed prevalence is."""
        balance = self._observed or self.prevalence_interval.exact
        return balance and all(cost.exact for cost in self._costs)

    @property
    def prevalence_interval(self) -> Interval:
        """The prevalence as an interval."""
        if not isinstance(self.prevalence, Interval):
            raise InputError(
                "prevalence",
                "be a number or an interval here",
                "'observed', which only a hull can resolve",
                Hint("Pass the conditions to the hull, or use with_prevalence(...)."),
            )
        return self.prevalence

    @property
    def slope_range(self) -> Interval:
        """The range of `slope` under interval conditions."""
        low, high = self.prevalence_interval
        pairs = zip(self._error_costs, (high, low), strict=True)
        return Interval(*(_times(_ratio(*costs), _odds(p)) for costs, p in pairs))

    @property
    def slope(self) -> float:
        """The slope of iso-performance lines under exact conditions."""
        return _one_value(self.slope_range, "slope")

    @property
    def cost_ratio_range(self) -> Interval:
        """The range of how many times as bad as a false alarm a miss is."""
        (least_alarm, most_miss), (most_alarm, least_miss) = self._error_costs
        return Interval(_ratio(least_miss, most_alarm), _ratio(most_miss, least_alarm))

    def cost_ratios_at(self, slopes: tuple[float, float]) -> Interval:
        """Return how many times as bad a miss is where the slope lies within a range.

        Examples
        --------
        >>> import rocch
        >>> vague = rocch.Conditions(prevalence=0.2, false_positive=(1, 2), false_negative=20)
        >>> [round(ratio, 10) for ratio in vague.cost_ratios_at((0.25, 0.4))]
        [10.0, 16.0]
        """
        return cost_ratios(slopes, self.prevalence_interval, self.cost_ratio_range)

    @property
    def probability_threshold_range(self) -> Interval:
        """The range of `probability_threshold` under interval costs."""
        return Interval(*(alarm / (alarm + miss) for alarm, miss in self._error_costs))

    @property
    def probability_threshold(self) -> float:
        """The probability above which to alarm, c_fp / (c_fp + c_fn).

        For probabilities calibrated at the prevalence in operation (Provost and Fawcett, section
        2.1).
        """
        return _one_value(self.probability_threshold_range, "probability_threshold")

    def iso_performance_line(self, point: RocPoint) -> IsoPerformanceLine:
        """Return the line of equal expected cost through a point."""
        slope = self.slope
        intercept = -math.inf if math.isinf(slope) else point.tpr - slope * point.fpr
        return IsoPerformanceLine(slope, intercept)

    def expected_cost(self, fpr: Rates, tpr: Rates) -> Rates:
        """Return the expected cost per case (exact conditions only)."""
        return self.case.cost(fpr, tpr)

    @property
    def case(self) -> Case:
        """Exact conditions as a case."""
        if not self.exact:
            raise InputError(
                "conditions",
                "be exact to give one expected cost",
                f"intervals ({self})",
                Hint(
                    "Ask hull.best(MinimaxRegret(conditions)) for the safest choice, or "
                    "hull.sensitivity(conditions) for all that can be best."
                ),
            )
        return next(self.corners())

    def corners(self) -> Iterator[Case]:
        """Iterate over the corners of the intervals; the greatest regret is at one of them."""
        sides = (self.prevalence_interval, *self._costs)
        for values in product(*(sorted(set(side)) for side in sides)):
            yield Case(*values)

    @property
    def _costs(self) -> tuple[Interval, ...]:
        return tuple(getattr(self, name) for name in COSTS)

    @property
    def _error_costs(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The net costs of both errors at the lowest and the highest slope."""
        fp, fn, tp, tn = self._costs
        return (fp.low - tn.high, fn.high - tp.low), (fp.high - tn.low, fn.low - tp.high)

    def _check_errors_cost(self) -> None:
        fp, fn, tp, tn = self._costs
        for wrong, right, names in (
            (fp, tn, ("false_positive", "true_negative")),
            (fn, tp, ("false_negative", "true_positive")),
        ):
            if wrong.low < right.high:
                raise InputError(
                    names[0],
                    f"cost at least as much as {{{names[1]}}}",
                    f"{wrong} and {right}",
                    "If errors really are cheaper, swap the classes or the decisions.",
                )
        if fp.low == tn.high and fn.low == tp.high:
            raise InputError(
                "false_positive, false_negative",
                "not both be free of cost",
                f"{fp} beside {tn} for true negatives, and {fn} beside {tp} for true positives",
                "At least one error must always cost more than the correct decision.",
            )


def _written(value: Interval | str) -> str:
    """Write an argument of `Conditions` as people do: 5 for an exact value."""
    if isinstance(value, str):
        return repr(value)
    low, high = (repr(end).removesuffix(".0") for end in value)
    return low if value.exact else f"({low}, {high})"


def _one_value(found: Interval, argument: str) -> float:
    if not found.exact:
        got = f"{found.low:.6g} to {found.high:.6g}"
        raise InputError(argument, "follow from exact conditions", got, f"Use {argument}_range.")
    return found.low


def as_conditions(given: object) -> Conditions:
    """Return conditions; a belief is refused."""
    words = "For example: Conditions(prevalence=0.1, false_positive=1, false_negative=(5, 10))."
    if hasattr(type(given), "expected_case"):  # the property itself may raise
        words += (
            " Beliefs go to rocch.stats.decision_analysis(hull, belief) and "
            "LeastExpectedRegret(belief)."
        )
    hint = Hint(words)
    return as_instance(given, Conditions, "conditions", hint=hint)


def prevalence_from_ratio(negatives_per_positive: Bounds) -> Interval:
    """Return the prevalence at a number of negatives per positive."""
    hint = "For '5 negatives to 1 positive' write 5."
    ratio = as_interval(negatives_per_positive, "negatives_per_positive", least=0, hint=hint)
    return Interval(1 / (1 + ratio.high), 1 / (1 + ratio.low))


def as_interval(
    value: Any,
    argument: str,
    *,
    least: float | None = None,
    most: float | None = None,
    hint: str | Hint = "",
) -> Interval:
    """Return a number or a pair (low, high) as an interval."""
    ends = value if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2 or not all(is_number(end) for end in ends):
        share = argument == "prevalence" or most == 1
        raise InputError(
            argument,
            "be a number or an interval",
            repr(value),
            "For example: {one}, or {several}.",
            one=0.1 if share else 10,
            several=(0.1, 0.2) if share else (10, 20),
        )
    low, high = (float(end) for end in ends)
    if low > high:
        raise InputError(
            argument, "run from low to high", (low, high), "Write {turned}.", turned=(high, low)
        )
    if least is not None:
        for end in (low, high):
            as_number(end, argument, least=least, most=most, hint=hint)
    return Interval(low, high)


def as_prevalence(value: Any) -> Interval:
    """Return a prevalence as an interval."""
    if value is None or isinstance(value, str):
        raise InputError(
            "prevalence",
            "be given: a number from 0 to 1, an interval, or 'observed'",
            "nothing" if value is None else repr(value),
            "It is the share of positives where the classifier will work.",
        )
    share = f"It is a share{_in_percent(as_interval(value, 'prevalence'))}"
    ratio = f"{share}; '5 negatives per positive' is {{negatives_per_positive}} 5."
    hint = Hint(
        f"{share}; '5 negatives per positive' is Conditions.from_ratio.", cli=ratio, http=ratio
    )
    return as_interval(value, "prevalence", least=0, most=1, hint=hint)


def _in_percent(interval: Interval) -> str:
    low, high = interval
    if not 1 <= low <= high <= 100:
        return ""
    if interval.exact:
        return f", so {low:g}% is {low / 100:g}"
    return f", so {low:g} to {high:g}% is ({low / 100:g}, {high / 100:g})"


def as_cost(value: Any, argument: str) -> Interval:
    """Return a cost as an interval."""
    hint = "State gains as costs not incurred, in one unit for all outcomes."
    return as_interval(value, argument, least=0, hint=hint)


def cost_ratios(
    slopes: tuple[float, float],
    prevalence: Bounds,
    known: tuple[float, float] = (0.0, math.inf),
) -> Interval:
    """Return how many times as bad as a false alarm a miss is, for slopes within a range.

    These are the costs for which lines of equal expected cost have such slopes at the prevalence,
    as far as they lie within the ratios that are known to be possible.

    Examples
    --------
    >>> from rocch.roc.conditions import cost_ratios, format_ratios
    >>> format_ratios(cost_ratios((0.2, 0.5), 1 / 6))
    '10 to 25'
    """
    least, most = as_prevalence(prevalence)
    low, high = _cost_ratio(slopes[1], most), _cost_ratio(slopes[0], least)
    return Interval(min(max(low, known[0]), known[1]), max(min(high, known[1]), known[0]))


def _cost_ratio(slope: float, prevalence: float) -> float:
    if slope == 0:
        return math.inf
    return 0.0 if math.isinf(slope) else _odds(prevalence) / slope


def format_ratios(ratios: Interval) -> str:
    """Write a range of ratios of costs with three digits: 10 to 25, or one number."""
    low, high = (f"{ratio:.3g}" if ratio < 1000 else f"{ratio:,.0f}" for ratio in ratios)
    return low if low == high else f"{low} to {high}"


def _odds(prevalence: float) -> float:
    if prevalence == 0:
        return math.inf
    # 1 / prevalence first, so that a rounded 1/6 gives exactly 5
    return 1 / prevalence - 1 if prevalence < 0.5 else (1 - prevalence) / prevalence


def _ratio(alarm: float, miss: float) -> float:
    return math.inf if miss == 0 else alarm / miss


def _times(ratio: float, odds: float) -> float:
    if {ratio, odds} == {0.0, math.inf}:
        raise InputError(
            "prevalence and costs",
            "leave an error that can occur and costs something",
            "a class that never occurs beside errors that cost nothing",
            "Exclude prevalence 0 or 1, or give every error a cost.",
        )
    return ratio * odds


@explain_call("RowConditions(prevalence=0.3, false_positive=1, false_negative=amounts)")
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RowConditions:
    """Exact prevalence and costs that differ by row: a loan's amount, for example.

    `RocchClassifier.at_rows` gives each row its own threshold on the calibrated scores; with
    `exact=True`, its best vertex of the hull. That one is optimal if costs and scores are
    independent within each class; otherwise pass `hull_weight` to `RocchClassifier.fit`.

    Parameters
    ----------
    prevalence
        The share of positives in operation, or "observed".
    false_positive, false_negative, true_positive, true_negative
        Costs: one number for all rows, or one for each.

    Examples
    --------
    >>> import rocch
    >>> loans = rocch.roc.RowConditions(
    ...     prevalence=0.1, false_positive=50, false_negative=[1_000, 20_000, 400]
    ... )
    >>> len(loans)
    3
    """

    prevalence: ArrayLike
    false_positive: ArrayLike
    false_negative: ArrayLike
    true_positive: ArrayLike = 0
    true_negative: ArrayLike = 0

    def __post_init__(self) -> None:
        sizes = {}
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name == "prevalence" and isinstance(value, str) and value == OBSERVED:
                continue
            array = _as_numbers(value, name)
            object.__setattr__(self, name, array)
            if array.ndim:
                sizes[name] = array.size
        if len(set(sizes.values())) != 1:
            got = ", ".join(f"{size} of {name}" for name, size in sizes.items())
            raise InputError(
                "row conditions",
                "have one number for each row",
                got or "the same numbers for all rows",
                "" if sizes else "Use Conditions for those.",
            )

    def __repr__(self) -> str:
        return f"<RowConditions of {len(self):,} rows>"

    def __len__(self) -> int:
        values = (getattr(self, field.name) for field in fields(self))
        return next(np.size(value) for value in values if np.ndim(value))

    def slopes(self, totals: ClassTotals) -> FloatArray:
        """Return the slope of iso-performance lines for each row."""
        prevalence = totals.prevalence if isinstance(self.prevalence, str) else self.prevalence
        alarm = np.subtract(self.false_positive, self.true_negative)
        miss = np.subtract(self.false_negative, self.true_positive)
        alarm, miss, p = (np.broadcast_to(a, len(self)) for a in (alarm, miss, prevalence))
        _refuse((alarm < 0) | (miss < 0), "an error that is cheaper than the correct decision")
        top, bottom = alarm * (1 - p), miss * p
        _refuse((top == 0) & (bottom == 0), "nothing to lose: neither error can cost anything")
        with np.errstate(divide="ignore"):
            return np.asarray(top / bottom, dtype=float)


def _as_numbers(value: Any, name: str) -> FloatArray:
    scalar = np.ndim(value) == 0 and not hasattr(value, "__len__")
    numbers = as_scores([value] if scalar else value, argument=name)
    most = 1.0 if name == "prevalence" else np.finfo(float).max
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers <= most)))
    if wrong.size:
        requirement = "lie within [0, 1]" if name == "prevalence" else "be finite and not negative"
        raise InputError(name, requirement, f"{numbers[wrong[0]]} at position {wrong[0]}")
    return numbers.reshape(()) if scalar else numbers


def _refuse(wrong: BoolArray, what: str) -> None:
    if wrong.any():
        raise InputError(
            "conditions", "give every row a slope", f"{what}, at position {np.argmax(wrong)}"
        )
