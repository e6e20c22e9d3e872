"""What one set of decisions saves over another, and what it costs to run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import pairwise, permutations, product
from math import factorial, prod
from typing import Any, NamedTuple, Self

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, describe_type, format_list
from rocch.hybrid.rule import AtLeast, Expression, Joined, Predicts
from rocch.inputs import as_fraction, as_number, as_rate, is_number
from rocch.kernels.counting import integer_weights
from rocch.kernels.hull import counts, distinct_points, upper_hull
from rocch.roc.curve import whole_weights
from rocch.roc.hull import Member
from rocch.roc.operating_point import ClassTotals, make_point, midpoint
from rocch.stats.sample import Sample

# --- Labeled rows with every model's scores: what combinations are found and judged on -----------

FEWEST = 2
"""Rows of each class without which no standard error exists."""


class DecidedSample(Sample):
    """A sample whose rows expressions decide, and whose decisions are counted."""

    @classmethod
    def of(
        cls,
        y_true: Any,
        scores: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        argument: str = "scores",
    ) -> Self:
        """Check what came, also that weights leave both classes something.

        Models are kept sorted by name, so that their order does not decide between equals.
        """
        sample = super().of(
            y_true,
            scores,
            pos_label=pos_label,
            sample_weight=sample_weight,
            groups=groups,
            argument=argument,
        )
        if sample.weights is not None:
            whole_weights(sample.positive, sample.weights)  # which refuses none for a class
        return replace(sample, models=dict(sorted(sample.models.items())))

    def scores(self, model: str, rows: IntArray | None = None) -> Any:
        """Return a model's scores (alarms, if it only labels) on some rows, or on all."""
        column = self.models[model]
        return column if rows is None else column[rows]

    alarms = scores

    @cached_property
    def units(self) -> IntArray | None:
        """The weights as integers, by the house's one rule; None for plain rows."""
        return self._units[0]

    @cached_property
    def _units(self) -> tuple[IntArray | None, float]:
        return (None, 1.0) if self.weights is None else integer_weights(self.weights)

    def amount(self, count: int) -> float:
        """Return what a count in units stands for: so many rows, or their weight."""
        return count if self._units[1] == 1 else count * self._units[1]

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Negatives and positives, in units."""
        return self.count(np.ones(len(self), dtype=bool))

    def part(self, rows: BoolArray, what: str) -> DecidedSample:
        """Return some of the rows; each class must have enough of them for a standard error."""
        used = rows if self.weights is None else rows & (self.weights > 0)
        hits = np.count_nonzero(self.positive & used)
        others = np.count_nonzero(used) - hits
        if min(hits, others) < FEWEST:
            raise InputError(
                "find",
                f"leave at least {FEWEST} rows of each class to find with and to confirm with",
                f"{hits} positive and {others} negative rows to {what} with",
                "Choose the rows otherwise, or collect more.",
            )
        models = {name: column[rows] for name, column in self.models.items()}
        weights = None if self.weights is None else self.weights[rows]
        return DecidedSample(self.positive[rows], models, weights)

    def count(self, alarms: BoolArray) -> tuple[int, int]:
        """Return false and true positives of one decision, in units."""
        fp, tp = self.count_all(alarms[np.newaxis])
        return int(fp[0]), int(tp[0])

    def count_all(self, decisions: BoolArray) -> tuple[IntArray, IntArray]:
        """Return false and true positives of many decisions, in units."""
        hits = counts(decisions & self.positive, self.units)
        return counts(decisions, self.units) - hits, hits

    def decisions(self, expressions: Iterable[Expression]) -> BoolArray:
        """Return one row of alarms for each expression."""
        rows = [expression.alarms(self) for expression in expressions]
        return np.array(rows, dtype=bool).reshape(len(rows), len(self))

    def settings(self, model: str, most: int | None = None) -> list[Expression]:
        """Return a model's ways to alarm: at its own hull's vertices, or at many thresholds.

        With `most`, all distinct thresholds if there are no more than that, else so many of them
        at even ranks, beside the vertices. Thresholds are midpoints between observed scores.
        """
        column = self.models[model]
        if column.dtype == bool:
            return [Predicts(model)]
        curve = self.curve(model)
        member = Member.from_curve(curve)
        thresholds, lower = np.asarray(member.thresholds), np.asarray(member.next_lower)
        if most is not None and curve.thresholds is not None:
            inner = curve.thresholds[:-1]  # the lowest alarms always
            ranks = np.linspace(0, inner.size - 1, min(most, inner.size)).round().astype(int)
            chosen = np.isin(inner, thresholds)
            chosen[ranks] = True
            thresholds, lower = inner[chosen], curve.thresholds[1:][chosen]
        pairs = zip(thresholds.tolist(), lower.tolist(), strict=True)
        return [_at_least(model, threshold, below) for threshold, below in pairs]


def _at_least(model: str, threshold: float, next_lower: float) -> AtLeast:
    deployed = midpoint(threshold, next_lower)
    written = make_point((0, 0), (0, 0), [(model, threshold, deployed)]).written_threshold
    return AtLeast(model, deployed, written)


# --- What one set of decisions saves over another, at every slope, with its standard error --------
#
# At slope m the cost of a decision is (m FPR + 1 - TPR) / (1 + m): false alarms and misses weigh m
# to 1, and whoever errs always pays 1 at most. Both sides decide the same rows, so the gain is a
# mean of paired differences, within each class, and what both get right or wrong alike cancels out
# of it and of its standard error.

ALL_SLOPES = (0.0, math.inf)

ROUNDING = 1e-9
"""A gain must pass its standard errors by this share, so that a tie is not decided by rounding."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What is saved at one slope, as a share of the cost of always erring, and how surely."""

    slope: float
    gain: float
    standard_error: float

    def exceeds(self, standard_errors: float) -> bool:
        """Say whether the gain is larger than so many of its standard errors."""
        return self.gain > standard_errors * self.standard_error * (1 + ROUNDING)

    def __str__(self) -> str:
        return f"{self.gain:.3g} +- {self.standard_error:.3g} at slope {self.slope:.3g}"


class Mean(NamedTuple):
    """A mean of paired differences and its variance."""

    mean: float
    variance: float


class Envelope(NamedTuple):
    """The decisions on a hull, from *never* to *always*, their counts, and the slopes between."""

    alarms: BoolArray
    counts: tuple[IntArray, IntArray]
    slopes: FloatArray


def envelope(
    sample: DecidedSample, decisions: BoolArray, counts: tuple[IntArray, IntArray] | None = None
) -> Envelope:
    """Keep the decisions that hold a vertex of their joint hull; of equal points the first.

    Counts of the decisions save counting where they are known already.
    """
    ends = np.array([[False], [True]]).repeat(len(sample), axis=1)
    fp, tp = sample.count_all(decisions) if counts is None else counts
    negatives, positives = sample.totals
    x = np.concatenate(([0], fp, [negatives]))
    y = np.concatenate(([0], tp, [positives]))
    order = np.lexsort((y, x))
    distinct = order[distinct_points(x[order], y[order])]
    vertex = distinct[upper_hull(x[distinct], y[distinct])]
    inner = decisions[vertex[1:-1] - 1]
    x, y = x[vertex], y[vertex]
    slopes = ClassTotals(negatives, positives).slopes(x, y)
    return Envelope(np.concatenate((ends[:1], inner, ends[1:])), (x, y), slopes)


def gains(
    sample: DecidedSample,
    ours: Envelope,
    theirs: Envelope,
    slopes: tuple[float, float] = ALL_SLOPES,
) -> list[Gain]:
    """Return what the best of ours gains over the best of theirs, from low to high slopes.

    Between two neighboring breakpoints of the two hulls the same two decisions are best; the
    gain (in the share m / (1 + m)) runs straight there. So both ends of each such stretch are
    given, with the stretch's own pair, and no gain lies above all of them.
    """
    found = []
    for low, high in _stretches(ours, theirs, slopes):
        means = _paired(sample, _best(ours, low, high), _best(theirs, low, high))
        found += [_at(slope, *means) for slope in dict.fromkeys((low, high))]
    return found


def strongest(found: Iterable[Gain], standard_errors: float) -> Gain | None:
    """Return the gain that most exceeds so many of its standard errors; None if there is none."""
    positive = [gain for gain in found if gain.gain > 0]
    return max(
        positive, key=lambda gain: gain.gain - standard_errors * gain.standard_error, default=None
    )


def as_slopes(slopes: tuple[float, float]) -> tuple[float, float]:
    """Return a range of slopes, low first, or refuse what is none."""
    pair = isinstance(slopes, tuple | list) and len(slopes) == 2
    if not pair or not all(map(is_number, slopes)) or not 0 <= slopes[0] <= slopes[1]:
        raise InputError(
            "slopes",
            "be a pair (low, high) from 0 to infinity",
            repr(slopes),
            "Pass the slope_range of your conditions.",
        )
    return float(slopes[0]), float(slopes[1])


def _stretches(
    ours: Envelope, theirs: Envelope, slopes: tuple[float, float]
) -> Iterator[tuple[float, float]]:
    low, high = slopes
    breaks = {*ours.slopes.tolist(), *theirs.slopes.tolist()}
    edges = [low, *sorted(slope for slope in breaks if low < slope < high), high]
    return pairwise(edges)


def _best(hull: Envelope, low: float, high: float) -> BoolArray:
    """Return the decision that is best between two slopes; at one slope alone, the left one."""
    steeper = hull.slopes >= high if low < high else hull.slopes > high
    alarms: BoolArray = hull.alarms[np.count_nonzero(steeper)]
    return alarms


def _paired(sample: DecidedSample, ours: BoolArray, theirs: BoolArray) -> tuple[Mean, Mean]:
    """Return what is saved on negatives and on positives."""
    saved, lost = theirs & ~ours, ours & ~theirs
    negative = ~sample.positive
    return (
        _mean(sample, saved & negative, lost & negative, negative),
        _mean(sample, lost & sample.positive, saved & sample.positive, sample.positive),
    )


def _mean(sample: DecidedSample, gained: BoolArray, lost: BoolArray, rows: BoolArray) -> Mean:
    """Return the mean of 1 for rows gained and -1 for rows lost, and its variance.

    Without weights everything is counted in integers. With weights the variance is the usual one
    of a ratio of two sums; rows without weight are no rows.
    """
    if sample.weights is None:
        size, won, gone = (int(np.count_nonzero(which)) for which in (rows, gained, lost))
        _check_size(size)
        spread = size * (won + gone) - (won - gone) ** 2
        return Mean((won - gone) / size, spread / (size * size * (size - 1)))
    weights = sample.weights[rows]
    size = int(np.count_nonzero(weights))
    _check_size(size)
    shares = weights / weights.sum()
    values = gained[rows].astype(np.float64) - lost[rows]
    mean = float(shares @ values)
    return Mean(mean, float(shares**2 @ (values - mean) ** 2) * size / (size - 1))


def _check_size(size: int) -> None:
    if size < 2:
        raise UndefinedError(
            "a standard error needs at least two rows of each class; there is only one."
        )


def _at(slope: float, negatives: Mean, positives: Mean) -> Gain:
    alarm = 1.0 if math.isinf(slope) else slope / (1 + slope)
    miss = 0.0 if math.isinf(slope) else 1 / (1 + slope)
    gain = alarm * negatives.mean + miss * positives.mean
    errors = alarm * math.sqrt(negatives.variance), miss * math.sqrt(positives.variance)
    return Gain(slope, gain, math.hypot(*errors))


# --------------------------------------------------------------------------------------------------
# What a rule costs to run when its parts are asked in turn, and the cheapest order to ask in.
#
# Chaining (Fawcett): a cheap model settles most rows, and a dear one sees only those left open. A
# model is paid for once per row, however often the rule mentions it, because its score can be kept.

MOST_ORDERS = 5040
"""So many orders are tried, one by one: those of seven parts in one chain."""


class Meter:
    """Rows whose scores are known, and a record of which model was asked for which of them."""

    def __init__(self, sample: DecidedSample) -> None:
        self._sample = sample
        self.asked: dict[str, BoolArray] = {}

    def __len__(self) -> int:
        return len(self._sample)

    def scores(self, model: str, rows: IntArray | None = None) -> Any:
        """Return a model's scores on some rows, or on all, and note that it was asked."""
        asked = self.asked.setdefault(model, np.zeros(len(self), dtype=bool))
        asked[slice(None) if rows is None else rows] = True
        return self._sample.scores(model, rows)

    alarms = scores


def running_cost(
    expression: Expression,
    y_true: Any,
    scores: Any,
    *,
    costs: Mapping[str, float] | None = None,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    """Return what a rule costs per row when each part is asked only where the answer is open.

    Parameters
    ----------
    expression
        The rule; its parts are asked from left to right.
    y_true, scores, pos_label, sample_weight
        Labeled rows with every model's scores, as for `find_combinations`. How many rows are left
        open is counted on them, in each class.
    costs
        What one row costs each model to score, in any unit. By default each costs 1, so that the
        answer is the number of models asked per row.
    prevalence
        The share of positives where the rule will run; by default that of the rows.

    Examples
    --------
    >>> import rocch
    >>> from rocch.hybrid import AtLeast, Both
    >>> chain = Both(AtLeast("cheap", 2), AtLeast("dear", 5))
    >>> y, scores = [0, 0, 0, 1], {"cheap": [1, 1, 2, 3], "dear": [1, 2, 4, 6]}
    >>> costs = {"cheap": 1, "dear": 100}
    >>> rocch.hybrid.running_cost(chain, y, scores, costs=costs)  # half the rows go on
    51.0
    >>> rocch.hybrid.running_cost(chain, y, scores, prevalence=0.5)  # models asked per row
    1.6666666666666667
    """
    sample = DecidedSample.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    check_known(expression, sample)
    return cost_per_row(expression, sample, as_costs(costs, sample.models), prevalence)


def cheapest_order(
    expression: Expression,
    y_true: Any,
    scores: Any,
    *,
    costs: Mapping[str, float] | None = None,
    prevalence: float | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Expression:
    """Return the same rule with its parts in the order that is cheapest to run.

    Every order of the parts of each chain of *and* or of *or* is tried on the rows; the decisions
    stay the same. Arguments are those of `running_cost`.

    Examples
    --------
    >>> import rocch
    >>> from rocch.hybrid import AtLeast, Both
    >>> rule = Both(AtLeast("dear", 5), AtLeast("cheap", 2))
    >>> y, scores = [0, 0, 0, 1], {"cheap": [1, 1, 2, 3], "dear": [1, 2, 4, 6]}
    >>> rocch.hybrid.cheapest_order(rule, y, scores, costs={"cheap": 1, "dear": 100}).words()
    '(cheap >= 2 and dear >= 5)'
    """
    sample = DecidedSample.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    check_known(expression, sample)
    return in_cheapest_order(expression, sample, as_costs(costs, sample.models), prevalence)


def in_cheapest_order(
    expression: Expression,
    sample: DecidedSample,
    costs: Mapping[str, float],
    prevalence: float | None,
) -> Expression:
    """Return the cheapest order on a sample; of equally cheap ones the first in words."""
    if _number_of_orders(expression) > MOST_ORDERS:
        raise InputError(
            "expression",
            f"have at most {MOST_ORDERS} orders of its parts",
            _number_of_orders(expression),
            "Put the cheap parts first by hand.",
        )

    def key(order: Expression) -> tuple[float, str]:
        return cost_per_row(order, sample, costs, prevalence), order.words()

    return min(_orders(expression), key=key)


def spent(expression: Expression, sample: DecidedSample, costs: Mapping[str, float]) -> FloatArray:
    """Return what each row costs to decide."""
    meter = Meter(sample)
    expression.alarms(meter)
    total = np.zeros(len(sample))
    for model, asked in meter.asked.items():
        total += costs[model] * asked
    return total


def cost_per_row(
    expression: Expression,
    sample: DecidedSample,
    costs: Mapping[str, float],
    prevalence: float | None,
) -> float:
    """Return the mean cost over rows, the classes mixed as the prevalence says.

    Costs are the decimals that they are written as, rows are counted in whole numbers, and the mean
    is rounded once: so equal costs are equal, and one that meets a budget exactly does not pass it.
    """
    meter = Meter(sample)
    expression.alarms(meter)
    totals = sample.totals
    if prevalence is None:
        each = [Fraction(1, sum(totals))] * 2
    else:
        positives = as_fraction(as_rate(prevalence, "prevalence"))
        each = [
            share / total for share, total in zip((1 - positives, positives), totals, strict=True)
        ]
    total = Fraction(0)
    for model, asked in meter.asked.items():
        negative, positive = sample.count(asked)
        total += as_fraction(costs[model]) * (negative * each[0] + positive * each[1])
    return float(total)


def row_shares(sample: DecidedSample, prevalence: float | None) -> FloatArray:
    """Return the share of each row in a mean at this prevalence; by default the observed one."""
    shares = np.ones(len(sample)) if sample.weights is None else sample.weights.copy()
    shares /= shares.sum()
    if prevalence is not None:
        positives = as_rate(prevalence, "prevalence")
        for rows, share in ((sample.positive, positives), (~sample.positive, 1 - positives)):
            shares[rows] *= share / shares[rows].sum()
    return shares


def as_costs(costs: Mapping[str, float] | None, models: Iterable[str]) -> dict[str, float]:
    """Return the running cost of every model; by default 1 each."""
    if costs is None:
        return dict.fromkeys(models, 1.0)
    if not isinstance(costs, Mapping):
        raise InputError(
            "costs",
            "map models to costs per row",
            describe_type(costs),
            "For example {'nb': 1}.",
        )
    known = list(models)
    missing = [model for model in known if model not in costs]
    unknown = [model for model in costs if model not in known]
    if missing or unknown:
        got = f"none for {format_list(missing)}" if missing else f"one for {format_list(unknown)}"
        raise InputError(
            "costs",
            "name every model, and no other",
            got,
            f"The models are: {format_list(known)}.",
        )
    return {
        model: as_number(costs[model], f"costs[{model!r}]", least=0, hint="Use one unit for all.")
        for model in known
    }


def check_known(expression: Expression, sample: DecidedSample) -> None:
    """Refuse a rule that asks a model whose scores did not come."""
    missing = [model for model in expression.models if model not in sample.models]
    if missing:
        raise InputError(
            "scores",
            "hold every model of the rule",
            f"none for {format_list(missing)}",
            f"The models are: {format_list(sample.models)}.",
        )


def parts(expression: Expression) -> list[Expression]:
    """Return the parts of a chain of one operator, from left to right."""
    if not isinstance(expression, Joined):
        return [expression]
    found = []
    for side in (expression.first, expression.second):
        found += parts(side) if type(side) is type(expression) else [side]
    return found


def _orders(expression: Expression) -> Iterator[Expression]:
    if not isinstance(expression, Joined):
        yield expression
        return
    for order in permutations(parts(expression)):
        for chosen in product(*(list(_orders(part)) for part in order)):
            yield reduce(type(expression), chosen)


def _number_of_orders(expression: Expression) -> int:
    inside = parts(expression)
    if len(inside) == 1:
        return 1
    return factorial(len(inside)) * prod(map(_number_of_orders, inside))
