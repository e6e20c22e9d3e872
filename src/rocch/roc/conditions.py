"""Conditions: prevalence and costs, known exactly or between bounds, for all rows or each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import InputError, describe_type, explain_call
from rocch.inputs import as_array, as_scores, is_number
from rocch.roc.curve import ClassTotals
from rocch.roc.operating_point import RocPoint

# --- Conditions: prevalence and costs, each known exactly or only between bounds ------------------
#
# Conditions are the only source of a slope. With prevalence p and the costs of the four outcomes,
# all operating points with equal expected cost lie on a line in ROC space whose slope is
#
#     (false_positive - true_negative) / (false_negative - true_positive) x (1 - p) / p
#
# (Provost and Fawcett, section 2.2.1; the costs of right decisions are 0 there).

OBSERVED: Literal["observed"] = "observed"
COSTS = ("false_positive", "false_negative", "true_positive", "true_negative")


class Interval(NamedTuple):
    """A number known only to lie between two bounds; both ends belong to it."""

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether the two bounds are one number."""
        return self.low == self.high

    def __str__(self) -> str:
        return f"{self.low:g}" if self.exact else f"{self.low:g}..{self.high:g}"


class IsoPerformanceLine(NamedTuple):
    """All points with the same expected cost: tpr = intercept + slope x fpr."""

    slope: float
    intercept: float


class Case(NamedTuple):
    """One set of exact conditions out of a range."""

    prevalence: float
    false_positive: float
    false_negative: float
    true_positive: float
    true_negative: float

    def cost(self, fpr: Any, tpr: Any) -> Any:
        """Return the expected cost per case at points in ROC space."""
        misses, hits = 1 - tpr, tpr
        positives = misses * self.false_negative + hits * self.true_positive
        negatives = fpr * self.false_positive + (1 - fpr) * self.true_negative
        return self.prevalence * positives + (1 - self.prevalence) * negatives

    @property
    def weights(self) -> tuple[float, float]:
        """What one more unit of FPR costs, and one less of TPR."""
        alarm = self.false_positive - self.true_negative
        miss = self.false_negative - self.true_positive
        return (1 - self.prevalence) * alarm, self.prevalence * miss

    @property
    def slope(self) -> float:
        """The slope of the iso-performance lines."""
        alarm, miss = (
            self.false_positive - self.true_negative,
            self.false_negative - self.true_positive,
        )
        return _times(_ratio(alarm, miss), _odds(self.prevalence))


@explain_call("Conditions(prevalence=0.3, false_positive=1, false_negative=5)")
@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What you know about class balance and costs.

    Each may be a number or an interval (low, high). Costs are named, never positional, and must
    be in one unit. Intervals are independent of one another.

    Parameters
    ----------
    prevalence
        The share of positives where the classifier will work, from 0 to 1, or the word
        "observed": that of the rows the hull was judged on.
    false_positive, false_negative
        The cost of a false alarm and of a miss.
    true_positive, true_negative
        The cost of a hit (a right alarm still takes a review) and of a negative left alone.

    Raises
    ------
    InputError
        If a cost is negative, an interval runs from high to low, the prevalence is missing or not
        within [0, 1], an error can be cheaper than the right decision, or nothing costs anything.

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

    prevalence: float | tuple[float, float] | str | None = None
    false_positive: float | tuple[float, float]
    false_negative: float | tuple[float, float]
    true_positive: float | tuple[float, float] = 0
    true_negative: float | tuple[float, float] = 0

    def __post_init__(self) -> None:
        if not self._observed:
            object.__setattr__(self, "prevalence", _as_prevalence(self.prevalence))
        for name in COSTS:
            object.__setattr__(self, name, as_cost(getattr(self, name), name))
        self._check_errors_cost()

    def __str__(self) -> str:
        named = ("prevalence", *(name for name in COSTS if self._of(name) != (0, 0)))
        return ", ".join(f"{name.replace('_', ' ')} {getattr(self, name)}" for name in named)

    @classmethod
    def from_ratio(
        cls,
        *,
        negatives_per_positive: float | tuple[float, float],
        false_positive: float | tuple[float, float],
        false_negative: float | tuple[float, float],
        true_positive: float | tuple[float, float] = 0,
        true_negative: float | tuple[float, float] = 0,
    ) -> Conditions:
        """State the class balance as a number of negatives for each positive.

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

    def with_prevalence(self, prevalence: float | tuple[float, float]) -> Conditions:
        """Return the same costs at another prevalence."""
        return replace(self, prevalence=prevalence)

    def resolved(self, totals: ClassTotals) -> Conditions:
        """Return these conditions with "observed" replaced by the prevalence of judged rows."""
        return self.with_prevalence(totals.prevalence) if self._observed else self

    @property
    def _observed(self) -> bool:
        return isinstance(self.prevalence, str) and self.prevalence == OBSERVED

    @property
    def exact(self) -> bool:
        """Whether everything is known exactly; an observed prevalence is."""
        balance = self._observed or self.prevalence_interval.exact
        return balance and all(self._of(name).exact for name in COSTS)

    @property
    def prevalence_interval(self) -> Interval:
        """The prevalence as an interval."""
        if not isinstance(self.prevalence, Interval):
            raise InputError(
                "prevalence is 'observed', which only a hull can resolve. Pass the conditions to "
                "the hull, or use with_prevalence(...) to name a number."
            )
        return self.prevalence

    @property
    def slope_range(self) -> tuple[float, float]:
        """The lowest and the highest slope of iso-performance lines; always a pair.

        The lower end pairs the *low* cost of a false positive with the *high* cost of a false
        negative and the high prevalence.
        """
        fp, fn, tp, tn = (self._of(name) for name in COSTS)
        odds = [_odds(p) for p in self.prevalence_interval]
        low = _times(_ratio(fp.low - tn.high, fn.high - tp.low), odds[1])
        high = _times(_ratio(fp.high - tn.low, fn.low - tp.high), odds[0])
        return low, high

    @property
    def slope(self) -> float:
        """The slope of the iso-performance lines, where the conditions leave no doubt about it."""
        low, high = self.slope_range
        if low != high:
            raise InputError(
                f"slope must follow from exact conditions; these allow {low:.6g} to {high:.6g}. "
                "Use slope_range."
            )
        return low

    @property
    def probability_threshold_range(self) -> tuple[float, float]:
        """The range of `probability_threshold` under interval costs; always a pair."""
        fp, fn, tp, tn = (self._of(name) for name in COSTS)
        pairs = ((fp.low - tn.high, fn.high - tp.low), (fp.high - tn.low, fn.low - tp.high))
        low, high = (alarm / (alarm + miss) for alarm, miss in pairs)
        return low, high

    @property
    def probability_threshold(self) -> float:
        """The probability above which to alarm if scores are calibrated probabilities.

        It is c_fp / (c_fp + c_fn) (Provost and Fawcett, section 2.1), for probabilities that are
        calibrated at the prevalence of operation.
        """
        low, high = self.probability_threshold_range
        if low != high:
            raise InputError(
                "probability_threshold must follow from exact costs; these allow "
                f"{low:.6g} to {high:.6g}. Use probability_threshold_range."
            )
        return low

    def iso_performance_line(self, point: RocPoint) -> IsoPerformanceLine:
        """Return the line of all points as good as this one."""
        slope = self.slope
        intercept = -math.inf if math.isinf(slope) else point.tpr - slope * point.fpr
        return IsoPerformanceLine(slope, intercept)

    def expected_cost(self, fpr: FloatArray | float, tpr: FloatArray | float) -> Any:
        """Return the expected cost per case at points in ROC space (exact conditions only)."""
        return self.case.cost(fpr, tpr)

    @property
    def case(self) -> Case:
        """The one case that exact conditions allow."""
        if not self.exact:
            raise InputError(
                "conditions must be exact to give one expected cost; these have intervals "
                f"({self}). Use hull.sensitivity(conditions) or MinimaxRegret(conditions)."
            )
        return next(self.corners())

    def corners(self) -> Iterator[Case]:
        """Go through the corners of the box that the intervals span.

        Cost, and so regret, is linear in each number by itself; its greatest value over the box is
        therefore found at a corner.
        """
        sides = (self.prevalence_interval, *(self._of(name) for name in COSTS))
        for values in product(*(sorted(set(side)) for side in sides)):
            yield Case(*values)

    def _of(self, name: str) -> Interval:
        interval: Interval = getattr(self, name)
        return interval

    def _check_errors_cost(self) -> None:
        fp, fn, tp, tn = (self._of(name) for name in COSTS)
        for wrong, right, names in (
            (fp, tn, ("false_positive", "true_negative")),
            (fn, tp, ("false_negative", "true_positive")),
        ):
            if wrong.low < right.high:
                raise InputError(
                    names[0],
                    f"cost at least as much as {names[1]}",
                    f"{names[0]} {wrong} and {names[1]} {right}",
                    "If errors really are cheaper, swap the classes or the decisions.",
                )
        if fp.low == tn.high and fn.low == tp.high:
            raise InputError(
                "false_positive, false_negative",
                "not both be free of cost",
                f"false_positive {fp} beside true_negative {tn}, and false_negative {fn} beside "
                f"true_positive {tp}",
                "At least one error must always cost more than the right decision.",
            )


def as_conditions(given: object) -> Conditions:
    """Return conditions, or refuse what is none."""
    if isinstance(given, Conditions):
        return given
    from rocch.roc.belief import Belief  # which is made of conditions

    hint = "For example: Conditions(prevalence=0.1, false_positive=1, false_negative=(5, 10))."
    if isinstance(given, Belief):
        hint = "Beliefs go to decision_analysis(hull, belief) and to LeastExpectedRegret(belief)."
    raise InputError("conditions", "be Conditions", describe_type(given), hint)


def prevalence_from_ratio(negatives_per_positive: Any) -> Interval:
    """Return the share of positives where there are so many negatives for each."""
    ratio = as_interval(negatives_per_positive, "negatives_per_positive")
    if ratio.low < 0 or math.isinf(ratio.high):
        raise InputError(
            "negatives_per_positive",
            "be finite and not negative",
            repr(negatives_per_positive),
            "For '5 negatives to 1 positive' write 5.",
        )
    return Interval(1 / (1 + ratio.high), 1 / (1 + ratio.low))


def as_interval(value: Any, argument: str) -> Interval:
    """Return a number or a pair (low, high) as an interval."""
    ends = value if isinstance(value, tuple | list) else (value, value)
    if len(ends) != 2 or not all(is_number(end) for end in ends):
        share = argument == "prevalence"
        raise InputError(
            argument,
            "be a number or an interval (low, high)",
            repr(value),
            "For example: 0.1, or (0.1, 0.2)." if share else "For example: 10, or (10, 20).",
        )
    low, high = (float(end) for end in ends)
    if low > high:
        raise InputError(
            argument, "run from low to high", repr(value), f"Write ({high:g}, {low:g})."
        )
    return Interval(low, high)


def _as_prevalence(value: Any) -> Interval:
    if value is None or isinstance(value, str):
        raise InputError(
            "prevalence",
            "be given: a number from 0 to 1, an interval, or 'observed'",
            "nothing" if value is None else repr(value),
            "It is the share of positives where the classifier will work.",
        )
    interval = as_interval(value, "prevalence")
    if interval.low < 0 or interval.high > 1:
        raise InputError(
            "prevalence",
            "lie within [0, 1]",
            str(interval),
            f"It is a share{_in_percent(interval)}; '5 negatives per positive' is "
            "Conditions.from_ratio in Python and --negatives-per-positive on the command line.",
        )
    return interval


def _in_percent(interval: Interval) -> str:
    """Suggest what to write where a percentage was probably meant."""
    low, high = interval
    if not 1 <= low <= high <= 100:
        return ""
    if interval.exact:
        return f", so {low:g} % is {low / 100:g}"
    return f", so {low:g} to {high:g} % is ({low / 100:g}, {high / 100:g})"


def as_cost(value: Any, argument: str) -> Interval:
    """Return a cost: a number or an interval, finite and not negative."""
    interval = as_interval(value, argument)
    if interval.low < 0 or math.isinf(interval.high):
        raise InputError(
            argument,
            "be finite and not negative",
            str(interval),
            "State gains as costs not incurred, in one unit for all outcomes.",
        )
    return interval


def _odds(prevalence: float) -> float:
    """Return the odds of negatives; for 1/6 exactly 5, although 1/6 is rounded."""
    if prevalence == 0:
        return math.inf
    return 1 / prevalence - 1 if prevalence < 0.5 else (1 - prevalence) / prevalence


def _ratio(alarm: float, miss: float) -> float:
    return math.inf if miss == 0 else alarm / miss


def _times(ratio: float, odds: float) -> float:
    if {ratio, odds} == {0.0, math.inf}:
        raise InputError(
            "prevalence and costs",
            "give a slope",
            "errors that cannot occur together with errors that cost nothing (0 times infinity)",
            "Exclude prevalence 0 or 1, or give every error a cost.",
        )
    return ratio * odds


# --- Conditions that differ from row to row: a loan's amount, a patient's risk of a side effect ---


@explain_call("RowConditions(prevalence=0.3, false_positive=1, false_negative=amounts)")
@dataclass(frozen=True, kw_only=True, eq=False)
class RowConditions:
    """Exact prevalence and costs for each row: numbers for all rows alike, or one for each.

    A row is decided by the vertex that would be best if all rows had its conditions. That is the
    best decision for it as long as what is at stake says nothing about the score beyond the class:
    hull rates are averages over all rows. Where the amount goes with the score, weigh the hull by
    amounts instead: `RocchClassifier.fit(X, y, hull_weight=amounts)`, then `Conditions` as usual.

    Parameters
    ----------
    prevalence
        The share of positives where the classifier will work, or "observed".
    false_positive, false_negative, true_positive, true_negative
        The cost of each outcome.

    Examples
    --------
    >>> import rocch
    >>> loans = rocch.roc.RowConditions(
    ...     prevalence=0.1, false_positive=50, false_negative=[1_000, 20_000, 400]
    ... )
    >>> len(loans)
    3
    """

    prevalence: Any
    false_positive: Any
    false_negative: Any
    true_positive: Any = 0
    true_negative: Any = 0

    def __post_init__(self) -> None:
        sizes = {}
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name == "prevalence" and isinstance(value, str) and value == OBSERVED:
                continue
            array = _as_numbers(value, name)
            _check_bounds(array, name)
            object.__setattr__(self, name, array)
            if array.ndim:
                sizes[name] = array.size
        if len(set(sizes.values())) > 1:
            raise InputError(
                ", ".join(sizes),
                "have one number for each row",
                ", ".join(map(str, sizes.values())),
                "Check that all come from the same rows.",
            )
        object.__setattr__(self, "_rows", next(iter(sizes.values()), None))

    def __len__(self) -> int:
        rows: int | None = getattr(self, "_rows")  # noqa: B009 - set in __post_init__
        if rows is None:
            raise InputError(
                "conditions",
                "differ from row to row",
                "the same numbers for all rows",
                "Use Conditions for those.",
            )
        return rows

    def slopes(self, totals: ClassTotals) -> FloatArray:
        """Return the slope of each row's iso-performance lines."""
        prevalence = totals.prevalence if isinstance(self.prevalence, str) else self.prevalence
        alarm = self.false_positive - self.true_negative
        miss = self.false_negative - self.true_positive
        rows = np.broadcast_shapes((len(self),), np.shape(alarm), np.shape(miss))
        alarm, miss, p = (np.broadcast_to(a, rows) for a in (alarm, miss, prevalence))
        _refuse((alarm < 0) | (miss < 0), "an error that is cheaper than the right decision")
        top, bottom = alarm * (1 - p), miss * p
        _refuse((top == 0) & (bottom == 0), "nothing to lose: neither error can cost anything")
        with np.errstate(divide="ignore"):
            return np.asarray(top / bottom, dtype=float)


def _as_numbers(value: Any, name: str) -> FloatArray:
    scalar = np.ndim(value) == 0 and not hasattr(value, "__len__")
    given = as_array([value] if scalar else value, name)
    numbers = as_scores(given, given.size, argument=name)
    return numbers.reshape(()) if scalar else numbers


def _check_bounds(values: FloatArray, name: str) -> None:
    most = 1.0 if name == "prevalence" else np.finfo(float).max
    wrong = np.flatnonzero(~((values >= 0) & (values <= most)))
    if wrong.size:
        requirement = "lie within [0, 1]" if name == "prevalence" else "be finite and not negative"
        got = f"{values.ravel()[wrong[0]]} at position {wrong[0]}"
        raise InputError(name, requirement, got, "State all costs in one unit.")


def _refuse(wrong: BoolArray, what: str) -> None:
    if wrong.any():
        raise InputError(
            "conditions",
            "give every row a slope",
            f"{what}, at position {np.argmax(wrong)}",
            "Check the costs of that row.",
        )
