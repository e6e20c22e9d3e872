"""Gains of decisions over others, and running costs of rules."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise, permutations, product
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, UndefinedError
from rocch.hybrid.expression import Expression, Joined, Predicts, expression_at
from rocch.inputs import (
    as_fraction,
    as_mapping,
    as_number,
    as_rate,
    check_known,
    check_same_names,
    is_number,
)
from rocch.kernels.hull import distinct_points, extend_hull, upper_hull
from rocch.results import Record
from rocch.roc.curve import RocCurve, whole_weights
from rocch.roc.member import Member
from rocch.roc.operating_point import ClassTotals, make_point, midpoint
from rocch.rows import ScoredRows

# Without two rows of each class there is no standard error.
FEWEST = 2


def as_scored_rows(
    y_true: ArrayLike, scores: Columns, *, pos_label: Label | None, sample_weight: ArrayLike | None
) -> ScoredRows:
    """Return checked labels and scores, with models sorted by name."""
    return sort_models(
        ScoredRows.of(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    )


def sort_models(rows: ScoredRows) -> ScoredRows:
    """Sort models by name, so that their order decides no tie; check the weights."""
    if rows.weights is not None:
        whole_weights(rows.positive, rows.weights)
    return replace(rows, scores=dict(sorted(rows.scores.items())))


def split_rows(
    rows: ScoredRows, finding: BoolArray, argument: str = "find"
) -> tuple[ScoredRows, ScoredRows]:
    """Return the rows to find with and those to confirm with."""
    used = np.ones(len(rows), dtype=bool) if rows.weights is None else rows.weights > 0
    for part, purpose in ((finding, "find"), (~finding, "confirm")):
        positives = np.count_nonzero(part & used & rows.positive)
        negatives = np.count_nonzero(part & used) - positives
        if min(positives, negatives) < FEWEST:
            raise InputError(
                argument,
                f"leave at least {FEWEST} rows of each class to find with and to confirm with",
                f"{positives} positive and {negatives} negative rows to {purpose} with",
            )
    return rows.select(finding), rows.select(~finding)


class RowBatch:
    """Scored rows as a batch that records which model scores which rows."""

    def __init__(self, rows: ScoredRows) -> None:
        self._rows = rows
        self.asked: dict[str, BoolArray] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def scores(self, model: str, rows: IntArray | None = None) -> AnyArray:
        """Return a model's scores, or predictions, on some rows or on all."""
        if model not in self.asked:
            self.asked[model] = np.zeros(len(self), dtype=bool)
        self.asked[model][slice(None) if rows is None else rows] = True
        column = self._rows.scores[model]
        return column if rows is None else column[rows]

    alarms = scores


def predict_each(rows: ScoredRows, expressions: Iterable[Expression]) -> BoolArray:
    """Return one line of predictions for each expression."""
    batch = RowBatch(rows)
    lines = [expression.alarms(batch) for expression in expressions]
    return np.array(lines, dtype=bool).reshape(len(lines), len(rows))


def list_rules(rows: ScoredRows, model: str, most: int | None = None) -> list[Expression]:
    """Return a model's rules at its hull's vertices, and at up to `most` even ranks."""
    if rows.scores[model].dtype == bool:
        return [Predicts(model)]
    curve = RocCurve.from_rows(rows, model)
    member = Member.from_curve(curve)
    thresholds, lower = np.asarray(member.lowest_scores), np.asarray(member.next_lower)
    if most is not None and curve.lowest_scores is not None:
        inner = curve.lowest_scores[:-1]  # at the lowest every row is predicted positive
        ranks = np.linspace(0, inner.size - 1, min(most, inner.size)).round().astype(int)
        chosen = np.isin(inner, thresholds)
        chosen[ranks] = True
        thresholds, lower = inner[chosen], curve.lowest_scores[1:][chosen]
    rules: list[Expression] = []
    for threshold, below in zip(thresholds.tolist(), lower.tolist(), strict=True):
        holder = model, threshold, midpoint(threshold, below)
        rules.append(expression_at(make_point((0, 0), (0, 0), [holder])))
    return rules


# Gains at every slope, with their standard errors. At slope m the cost of a decision is
# (m FPR + 1 - TPR) / (1 + m), at most 1. Both sides decide the same rows, so the gain is a mean of
# paired differences within each class.

ALL_SLOPES = (0.0, math.inf)

# A gain must exceed its standard errors by this share, so that rounding decides no tie.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class Gain(Record):
    """The saving at one slope, as a share of the cost of always erring."""

    slope: float
    gain: float
    standard_error: float

    def exceeds(self, standard_errors: float) -> bool:
        """Whether the gain is larger than a number of its standard errors."""
        return self.gain > standard_errors * self.standard_error * (1 + ROUNDING)

    def __str__(self) -> str:
        return f"{self.gain:.3g} +- {self.standard_error:.3g} at slope {self.slope:.3g}"


class PredictionHull(NamedTuple):
    """Predictions at the vertices of a hull, from *never* to *always*."""

    predictions: BoolArray
    counts: tuple[IntArray, IntArray]
    slopes: FloatArray


def prediction_hull(
    rows: ScoredRows, predictions: BoolArray, counts: tuple[IntArray, IntArray] | None = None
) -> PredictionHull:
    """Return the hull of predictions; of equal points the first stays."""
    ends = np.array([[False], [True]]).repeat(len(rows), axis=1)
    fp, tp = rows.count_all(predictions) if counts is None else counts
    negatives, positives = rows.totals
    x = np.concatenate(([0], fp, [negatives]))
    y = np.concatenate(([0], tp, [positives]))
    order = np.lexsort((y, x))
    distinct = order[distinct_points(x[order], y[order])]
    vertex = distinct[upper_hull(x[distinct], y[distinct])]
    inner = predictions[vertex[1:-1] - 1]
    x, y = x[vertex], y[vertex]
    slopes = ClassTotals(negatives, positives).slopes(x, y)
    return PredictionHull(np.concatenate((ends[:1], inner, ends[1:])), (x, y), slopes)


def gains(
    rows: ScoredRows,
    ours: PredictionHull,
    theirs: PredictionHull,
    slopes: tuple[float, float] = ALL_SLOPES,
) -> list[Gain]:
    """Return the gains of our best predictions over theirs, from low to high slopes.

    The gain is linear in m / (1 + m) between breakpoints of the hulls; both ends are returned.
    """
    low, high = slopes
    breaks = {*ours.slopes.tolist(), *theirs.slopes.tolist()}
    edges = [low, *sorted(slope for slope in breaks if low < slope < high), high]
    found = []
    for start, end in pairwise(edges):
        pair = _best(ours, start, end), _best(theirs, start, end)
        means = _mean_savings(rows, *pair)
        found += [_gain_at(slope, *means) for slope in dict.fromkeys((start, end))]
    return found


def strongest_gain(found: Iterable[Gain], standard_errors: float) -> Gain | None:
    """Return the gain that most exceeds its standard errors, if any is positive."""
    positive = [gain for gain in found if gain.gain > 0]
    return max(
        positive, key=lambda gain: gain.gain - standard_errors * gain.standard_error, default=None
    )


def gain_of_adding(
    rows: ScoredRows,
    before: PredictionHull,
    added: BoolArray,
    slopes: tuple[float, float],
    standard_errors: float,
) -> Gain | None:
    """Return the strongest gain of a hull from further predictions, if any."""
    counts = rows.count_all(added)
    if not extend_hull(before.counts, *counts)[1].size:
        return None
    fp, tp = (np.append(old, new) for old, new in zip(before.counts, counts, strict=True))
    after = prediction_hull(rows, np.vstack((before.predictions, added)), (fp, tp))
    return strongest_gain(gains(rows, after, before, slopes), standard_errors)


def as_slopes(slopes: tuple[float, float]) -> tuple[float, float]:
    """Return a range of slopes, low first."""
    pair = isinstance(slopes, tuple | list) and len(slopes) == 2
    if not pair or not all(map(is_number, slopes)) or not 0 <= slopes[0] <= slopes[1]:
        raise InputError(
            "slopes",
            "be a pair (low, high) from 0 to infinity",
            repr(slopes),
            Hint("Pass the slope_range of your conditions."),
        )
    return float(slopes[0]), float(slopes[1])


def _best(hull: PredictionHull, low: float, high: float) -> BoolArray:
    steeper = hull.slopes >= high if low < high else hull.slopes > high
    predictions: BoolArray = hull.predictions[np.count_nonzero(steeper)]
    return predictions


def _mean_savings(
    rows: ScoredRows, ours: BoolArray, theirs: BoolArray
) -> tuple[tuple[float, float], tuple[float, float]]:
    fewer, more = theirs & ~ours, ours & ~theirs
    positive, negative = rows.positive, ~rows.positive
    return (
        _mean_difference(rows, fewer & negative, more & negative, negative),
        _mean_difference(rows, more & positive, fewer & positive, positive),
    )


def _mean_difference(
    rows: ScoredRows, gained: BoolArray, lost: BoolArray, among: BoolArray
) -> tuple[float, float]:
    """Return mean and variance of 1 for rows gained and -1 for rows lost."""
    # Without weights everything is counted in integers. With weights the variance is the usual one
    # of a ratio of two sums; rows of weight 0 do not count.
    weights = None if rows.weights is None else rows.weights[among]
    size = int(np.count_nonzero(among if weights is None else weights))
    if size < FEWEST:
        raise UndefinedError(
            "a standard error needs at least two rows of each class; there is only one."
        )
    if weights is None:
        won, gone = int(np.count_nonzero(gained)), int(np.count_nonzero(lost))
        spread = size * (won + gone) - (won - gone) ** 2
        return (won - gone) / size, spread / (size * size * (size - 1))
    shares = weights / weights.sum()
    values = gained[among].astype(np.float64) - lost[among]
    mean = float(shares @ values)
    return mean, float(shares**2 @ (values - mean) ** 2) * size / (size - 1)


def _gain_at(slope: float, negatives: tuple[float, float], positives: tuple[float, float]) -> Gain:
    alarm = 1.0 if math.isinf(slope) else slope / (1 + slope)
    miss = 0.0 if math.isinf(slope) else 1 / (1 + slope)
    gain = alarm * negatives[0] + miss * positives[0]
    errors = alarm * math.sqrt(negatives[1]), miss * math.sqrt(positives[1])
    return Gain(slope, gain, math.hypot(*errors))


# Chaining (Fawcett): a cheap model decides most rows, and an expensive one sees only the others. A
# model costs once per row, however often the rule mentions it, because its score can be stored.

# The orders of seven parts in one chain.
MOST_ORDERS = 5040


def running_cost(
    expression: Expression,
    y_true: ArrayLike,
    scores: Columns,
    *,
    costs: Mapping[str, float] | None = None,
    prevalence: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the cost of a rule per row, where each part runs only on undecided rows.

    Parameters
    ----------
    expression
        The rule; its parts run from left to right.
    y_true, scores, pos_label, sample_weight
        Labeled rows with scores, as for `find_combinations`.
    costs
        Each model's cost per row; by default 1, which counts the models run.
    prevalence
        The share of positives where the rule will run; by default that of the rows.

    Examples
    --------
    >>> import rocch
    >>> from rocch.hybrid import And, AtLeast
    >>> chain = And(AtLeast("cheap", 2), AtLeast("expensive", 5))
    >>> y, scores = [0, 0, 0, 1], {"cheap": [1, 1, 2, 3], "expensive": [1, 2, 4, 6]}
    >>> costs = {"cheap": 1, "expensive": 100}
    >>> rocch.hybrid.running_cost(chain, y, scores, costs=costs)  # half the rows go on
    51.0
    >>> rocch.hybrid.running_cost(chain, y, scores, prevalence=0.5)  # models that run per row
    1.6666666666666667
    """
    rows = as_scored_rows(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    check_known(expression.models, rows.scores, "expression", "models")
    return cost_per_row(expression, rows, as_costs(costs, rows.scores), prevalence)


def cheapest_order(
    expression: Expression,
    y_true: ArrayLike,
    scores: Columns,
    *,
    costs: Mapping[str, float] | None = None,
    prevalence: float | None = None,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> Expression:
    """Return the same rule with its parts in the order that is cheapest on these rows.

    Parameters are those of `running_cost`.

    Examples
    --------
    >>> import rocch
    >>> from rocch.hybrid import And, AtLeast
    >>> rule = And(AtLeast("expensive", 5), AtLeast("cheap", 2))
    >>> y, scores = [0, 0, 0, 1], {"cheap": [1, 1, 2, 3], "expensive": [1, 2, 4, 6]}
    >>> rocch.hybrid.cheapest_order(rule, y, scores, costs={"cheap": 1, "expensive": 100}).words()
    '(cheap >= 2 and expensive >= 5)'
    """
    rows = as_scored_rows(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    check_known(expression.models, rows.scores, "expression", "models")
    return find_cheapest_order(expression, rows, as_costs(costs, rows.scores), prevalence)


def find_cheapest_order(
    expression: Expression, rows: ScoredRows, costs: Mapping[str, float], prevalence: float | None
) -> Expression:
    """Return the cheapest order; of equally cheap ones the first in words."""
    orders = _count_orders(expression)
    if orders > MOST_ORDERS:
        raise InputError(
            "expression",
            f"have at most {MOST_ORDERS} orders of its parts",
            orders,
            "Put the cheap parts first by hand.",
        )

    def key(order: Expression) -> tuple[float, str]:
        return cost_per_row(order, rows, costs, prevalence), order.words()

    return min(_orders(expression), key=key)


def rows_to_score(expression: Expression, rows: ScoredRows) -> dict[str, BoolArray]:
    """Return which rows each model must score."""
    batch = RowBatch(rows)
    expression.alarms(batch)
    return batch.asked


def cost_per_row(
    expression: Expression, rows: ScoredRows, costs: Mapping[str, float], prevalence: float | None
) -> float:
    """Return the mean cost per row at a prevalence, rounded once."""
    # in fractions: equal costs are equal, and one that meets a budget exactly is within it
    if prevalence is None:
        shares = [Fraction(1, sum(rows.totals))] * 2
    else:
        positives = as_fraction(as_rate(prevalence, "prevalence"))
        shares = [(1 - positives) / rows.totals[0], positives / rows.totals[1]]
    total = Fraction(0)
    for model, scored in rows_to_score(expression, rows).items():
        negatives, hits = rows.count(scored)
        total += as_fraction(costs[model]) * (negatives * shares[0] + hits * shares[1])
    return float(total)


def as_costs(
    costs: Mapping[str, float] | None, models: Iterable[str], argument: str = "costs"
) -> dict[str, float]:
    """Return the running cost of every model, by default 1."""
    known = list(models)
    if costs is None:
        return dict.fromkeys(known, 1.0)
    given = as_mapping(costs, argument, "every model to its cost per row")
    check_same_names(given, known, argument, "models")
    return {model: as_number(given[model], f"{argument}[{model!r}]", least=0) for model in known}


def split_chain(expression: Expression) -> list[Expression]:
    """Return the parts of a chain of one operator."""
    if not isinstance(expression, Joined):
        return [expression]
    found = []
    for side in (expression.first, expression.second):
        found += split_chain(side) if type(side) is type(expression) else [side]
    return found


def _orders(expression: Expression) -> Iterator[Expression]:
    if not isinstance(expression, Joined):
        yield expression
        return
    for order in permutations(split_chain(expression)):
        for chosen in product(*(list(_orders(part)) for part in order)):
            yield reduce(type(expression), chosen)


def _count_orders(expression: Expression) -> int:
    parts = split_chain(expression)
    return 1 if len(parts) == 1 else factorial(len(parts)) * prod(map(_count_orders, parts))
