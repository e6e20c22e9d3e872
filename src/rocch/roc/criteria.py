"""Criteria: what "best" means (Provost and Fawcett, sections 3.2 to 3.6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from rocch.arrays import BoolArray, FloatArray
from rocch.errors import (
    GuaranteeError,
    InputError,
    UndefinedError,
    describe_type,
    explain_call,
)
from rocch.inputs import as_number, as_rate
from rocch.roc.belief import Belief, as_belief
from rocch.roc.conditions import OBSERVED, Case, Conditions, as_conditions
from rocch.roc.hull import RocHull

# --- Metrics of FPR and TPR that rise with TPR and fall with FPR ----------------------------------

Metric = Callable[[Any, Any], Any]
"""A function of FPR and TPR (arrays of equal shape) that rises with TPR and falls with FPR."""


def checked_metric(metric: Metric) -> Metric:
    """Let a user's function work on arrays, and refuse one that is not monotone.

    Where the function is undefined (NaN) it is never the best.
    """

    def score(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        value = _values(metric, np.asarray(fpr, dtype=float), np.asarray(tpr, dtype=float))
        return np.where(np.isnan(value), -np.inf, value)

    steps = np.linspace(0, 1, 17)
    fpr, tpr = np.meshgrid(steps, steps)
    value = _values(metric, fpr, tpr)
    if np.isnan(value).all():
        raise InputError(
            "metric", "return numbers", "NaN everywhere", "Check the function on a few rates."
        )
    with np.errstate(invalid="ignore"):  # infinite values may stand side by side
        falls_with_tpr = (np.diff(value, axis=0) < -1e-12).any()
        rises_with_fpr = (np.diff(value, axis=1) > 1e-12).any()
    if falls_with_tpr or rises_with_fpr:
        raise GuaranteeError(
            "metric must rise with TPR and fall with FPR; this one does not everywhere. Without "
            "that the hull does not guarantee a best point (Theorem 8). Check the order of its "
            "arguments: metric(fpr, tpr)."
        )
    return score


def _values(metric: Metric, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """Call a function on arrays; where it takes only numbers, on one after the other."""
    with np.errstate(all="ignore"):
        try:
            value = np.asarray(metric(fpr, tpr), dtype=float)
            if value.shape == fpr.shape:
                return value
        except (TypeError, ValueError, ZeroDivisionError):
            pass
        try:
            pairs = zip(fpr.ravel().tolist(), tpr.ravel().tolist(), strict=True)
            return np.array([_value(metric, *pair) for pair in pairs]).reshape(fpr.shape)
        except (TypeError, ValueError) as error:
            raise InputError(
                "metric",
                "be a function of FPR and TPR that returns a number",
                f"one that fails: {error}",
                "Try it on two arrays of rates.",
            ) from None


def _value(metric: Metric, fpr: float, tpr: float) -> float:
    try:
        return float(metric(fpr, tpr))
    except ZeroDivisionError:
        return np.nan


def _divide(part: Any, whole: Any) -> Any:
    """Divide; where the whole is 0 the ratio is undefined, and never the best."""
    part, whole = np.broadcast_arrays(part, np.asarray(whole, dtype=float))
    return np.divide(part, whole, out=np.full(whole.shape, -np.inf), where=whole > 0)


def _alarms(fpr: Any, tpr: Any, p: float) -> Any:
    return p * tpr + (1 - p) * fpr


def _precision(fpr: Any, tpr: Any, p: float) -> Any:
    return _divide(p * tpr, _alarms(fpr, tpr, p))


def _lift(fpr: Any, tpr: Any, p: float) -> Any:
    return _divide(_precision(fpr, tpr, p), p)


def _f1(fpr: Any, tpr: Any, p: float) -> Any:
    return _divide(2 * p * tpr, p + _alarms(fpr, tpr, p))


def _accuracy(fpr: Any, tpr: Any, p: float) -> Any:
    return p * tpr + (1 - p) * (1 - fpr)


def hit_rate(fpr: Any, tpr: Any, p: float = 0.0) -> Any:  # noqa: ARG001 - one signature for all
    """Return the TPR, in the shape of both."""
    return tpr + 0.0 * fpr


def _informedness(fpr: Any, tpr: Any, p: float) -> Any:  # noqa: ARG001
    return tpr - fpr


def _geometric_mean(fpr: Any, tpr: Any, p: float) -> Any:  # noqa: ARG001
    return np.sqrt(tpr * (1 - fpr))


METRICS: dict[str, tuple[Callable[[Any, Any, float], Any], bool]] = {
    "tpr": (hit_rate, True),
    "recall": (hit_rate, True),
    "precision": (_precision, True),
    "lift": (_lift, True),
    "f1": (_f1, True),
    "accuracy": (_accuracy, True),
    "informedness": (_informedness, True),
    "geometric_mean": (_geometric_mean, False),
}
"""Metrics by name, and whether along a segment each is largest at an end."""

NEED_POSITIVES = ("precision", "lift", "f1")
"""Metrics that mean nothing where there are no positives."""


# --- Objectives: a number to be made as large as possible by a choice in ROC space ----------------


@dataclass(frozen=True, slots=True)
class Objective:
    """What is to be made as large as possible."""

    words: str
    score: Metric
    sign: float = 1.0
    """-1 where users see the negative of the score: a cost, or an FPR."""
    best_at_corners: bool = True
    """Whether along a segment it is largest at an end, so that no point inside needs a look."""
    case: Case | None = None
    """Exact conditions, where the objective is a cost under them."""
    slope: float | None = None
    """The slope of their iso-performance lines."""
    prevalence: float | None = None
    cases: float | None = None
    """Size of the population, where the criterion names it."""


HIGHEST_TPR = Objective("highest TPR", hit_rate)


def cost_objective(conditions: Conditions, words: str) -> Objective:
    """Return the expected cost under exact conditions as an objective."""
    if not conditions.exact:
        raise InputError(
            "criterion must be exact conditions to have one best point; these have intervals "
            f"({conditions}). Use MinimaxRegret(conditions) for the safest choice; "
            "hull.sensitivity(conditions) shows what can be best."
        )
    case = conditions.case
    return Objective(
        f"least {words}",
        lambda fpr, tpr: -case.cost(fpr, tpr),
        sign=-1.0,
        case=case,
        slope=conditions.slope,
        prevalence=case.prevalence,
    )


def without_noise(cost: Any, best: float) -> Any:
    """Return what costs exceed the best by; rounding errors do not count."""
    excess = cost - best
    return np.where(np.abs(excess) <= 1e-14 * abs(best), 0.0, excess)


# --- Linear limits on FPR and TPR, and how far the hull's guarantee reaches under them ------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearLimit:
    """A limit: tpr x TPR + fpr x FPR may be at most `at_most`.

    The hull's guarantee holds for any number of limits that all have fpr >= 0 (go left from any
    point inside: the limits still hold and nothing is lost), and for any number that all have
    tpr <= 0 (go up). Corollary 9 is the case of one limit with both >= 0.

    Examples
    --------
    >>> import rocch
    >>> rocch.roc.LinearLimit(tpr=50, fpr=950, at_most=100)  # at most 100 alarms
    LinearLimit(tpr=50.0, fpr=950.0, at_most=100.0)
    """

    tpr: float = 0.0
    fpr: float = 0.0
    at_most: float

    def __post_init__(self) -> None:
        for name in ("tpr", "fpr", "at_most"):
            number = as_number(getattr(self, name), name, hint="State the limit in rates.")
            object.__setattr__(self, name, number)
        if not (self.tpr or self.fpr):
            raise InputError("tpr, fpr", "not both be 0", "a limit on nothing", "Set one of them.")

    @property
    def limit(self) -> LinearLimit:
        """The limit itself."""
        return self

    def excess(self, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        """Return by how much points break the limit; rounding errors do not count."""
        value = self.tpr * tpr + self.fpr * fpr - self.at_most
        slack = 1e-12 * (abs(self.tpr) + abs(self.fpr) + abs(self.at_most))
        return np.where(np.abs(value) <= slack, 0.0, value)

    def __str__(self) -> str:
        if self.tpr and self.fpr:
            return f"{self.tpr:g} TPR + {self.fpr:g} FPR <= {self.at_most:g}"
        name, factor = ("TPR", self.tpr) if self.tpr else ("FPR", self.fpr)
        return f"{name} {'<=' if factor > 0 else '>='} {self.at_most / factor:g}"


def check_guarantee(limits: tuple[LinearLimit, ...]) -> None:
    """Refuse limits under which a point inside the hull could beat all of the hull."""
    if all(limit.fpr >= 0 for limit in limits) or all(limit.tpr <= 0 for limit in limits):
        return
    raise GuaranteeError(
        "limits must all allow going left (fpr >= 0) or all allow going up (tpr <= 0); got "
        f"{'; '.join(map(str, limits))}. Such limits can cut away the hull and leave a better "
        "point inside it, so the hull's answer is no longer guaranteed to be the best. Drop the "
        "limit that forbids being too good."
    )


def allowed_shares(
    x: FloatArray, y: FloatArray, limits: tuple[LinearLimit, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return for each segment from where to where (0 = left end, 1 = right end) limits hold."""
    low, high = np.zeros(x.size - 1), np.ones(x.size - 1)
    for limit in limits:
        excess = limit.excess(x, y)
        start, step = excess[:-1], np.diff(excess)
        with np.errstate(divide="ignore", invalid="ignore"):
            crossing = -start / step
        high = np.where(step > 0, np.minimum(high, crossing), high)
        low = np.where(step < 0, np.maximum(low, crossing), low)
        high = np.where((step == 0) & (start > 0), -1.0, high)
    met_in_one_point = (low > high) & (low < high + 1e-12)  # but for rounding errors
    return np.where(met_in_one_point, high, low), high


def allowed_corners(
    x: FloatArray, y: FloatArray, limits: tuple[LinearLimit, ...]
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the parts of a path that keep the limits: vertices and crossings."""
    low, high = allowed_shares(x, y, limits)
    left = np.flatnonzero(low <= high)
    shares = np.stack((low[left], high[left]))
    return (
        (x[left] + shares * np.diff(x)[left]).ravel(),
        (y[left] + shares * np.diff(y)[left]).ravel(),
    )


# --------------------------------------------------------------------------------------------------
# What can be reached without a coin where limits hold: single points of curves, and their roof.
#
# Under limits the hull is reached by mixing two points; who may not toss a coin has single points
# alone. What they cost at best, whatever the conditions, is decided by the roof over those that
# keep the limits.

FEW = 64
"""So few points go through the plain chain at once."""


def deterministic_hull(
    hull: RocHull, limits: tuple[LinearLimit, ...]
) -> tuple[FloatArray, FloatArray] | None:
    """Return the corners of the roof over all single points that keep the limits; None without any.

    Left to right and rising, as a hull is; complexity O(n log n) in the points of all curves.
    """
    found = [(hull.fpr, hull.tpr)]
    for member in hull.members:
        curve = member.curve()
        own = hull.totals.rates(member.false_positives, member.true_positives)
        found.append((curve.fpr, curve.tpr) if curve is not None else (own[0], own[1]))
    roofs = [_roof(*_allowed(*points, limits)) for points in found]
    fpr, tpr = (np.concatenate(column) for column in zip(*roofs, strict=True))
    return _roof(fpr, tpr) if fpr.size else None


def _allowed(
    fpr: FloatArray, tpr: FloatArray, limits: tuple[LinearLimit, ...]
) -> tuple[FloatArray, FloatArray]:
    kept: BoolArray = np.ones(fpr.size, dtype=bool)
    for limit in limits:
        kept &= limit.excess(fpr, tpr) <= 0
    return fpr[kept], tpr[kept]


def _roof(fpr: FloatArray, tpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the points on the rising part of the upper hull of points."""
    order = np.lexsort((tpr, fpr))
    x, y = fpr[order], tpr[order]
    last = np.append(x[1:] != x[:-1], True)[: x.size]  # the highest of those above one another
    x, y = x[last], y[last]
    highest = np.maximum.accumulate(y)
    risen = np.diff(highest, prepend=-1.0) > 0
    x, y = x[risen], y[risen]
    while x.size > FEW:
        left, right = slice(None, -2), slice(2, None)
        above = (y[1:-1] - y[left]) * (x[right] - x[left]) > (x[1:-1] - x[left]) * (
            y[right] - y[left]
        )
        if above.all():
            break
        kept = np.concatenate(([True], above, [True]))
        x, y = x[kept], y[kept]
    return _chain(x, y)


def _chain(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    corners: list[tuple[float, float]] = []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        while len(corners) > 1 and not _turns_right(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    columns = np.array(corners).reshape(-1, 2)
    return columns[:, 0], columns[:, 1]


def _turns_right(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[1] - a[1]) * (c[0] - a[0]) > (b[0] - a[0]) * (c[1] - a[1])


# --- Regret: what a choice loses against the best one for the conditions that turn out to hold ----
#
# It is measured in a fixed unit of cost. The worst over what is possible, or the mean over what is
# believed, can be made small.

SAME_POINT = 1e-12
"""Points of a path count as one where FPR + TPR differ by no more."""


@dataclass(frozen=True, slots=True)
class MinimaxRegret:
    """The least worst-case regret over interval conditions, or over what a belief holds possible.

    Regret is what a choice costs more, per case, than the best choice for the conditions that turn
    out to hold, in the unit in which the costs are stated. Under limits (`Constrained`), the best
    choice is the best that keeps them: a point of the hull where a coin may be tossed, else the
    best single point of any curve.
    """

    conditions: Conditions | Belief
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.conditions, Belief):
            as_conditions(self.conditions)

    def objective(
        self,
        hull: RocHull,
        limits: tuple[LinearLimit, ...] = (),
        *,
        among: tuple[FloatArray, FloatArray] | None = None,
    ) -> Objective:
        """Return the worst regret over the box of conditions, to be made small.

        It is against the best of the hull that keeps the limits, or of the points in `among`.
        """
        conditions = self.conditions.resolved(hull.totals)
        hull.best_between(*conditions.slope_range)  # refuses what a restricted hull cannot answer
        corners = list(conditions.corners())
        allowed = among or allowed_corners(hull.fpr, hull.tpr, limits)
        least = [float(np.min(case.cost(*allowed), initial=np.inf)) for case in corners]

        def worst(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
            regret = np.full(np.shape(fpr), -np.inf)
            for case, best in zip(corners, least, strict=True):
                regret = np.maximum(regret, without_noise(case.cost(fpr, tpr), best))
            return -regret

        return Objective("least worst regret", worst, sign=-1.0, best_at_corners=False)


@dataclass(frozen=True, slots=True)
class LeastExpectedRegret:
    """The least regret to be expected under a belief about costs and prevalence.

    Costs are linear in their weights, so the same choice has the least expected cost. It can differ
    from the choice for the belief's mean. The belief needs a unit of cost and a prevalence, which
    may be the word "observed".

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> expert = rocch.Belief.miss_costs(1, 10, likely=2).with_unit(false_positive=1)
    >>> answer = hull.best(rocch.LeastExpectedRegret(expert.with_prevalence("observed")))
    >>> round(answer.value, 3), round(answer.expected_cost, 3)
    (0.0, 0.25)
    """

    belief: Belief
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        as_belief(self.belief)

    def objective(
        self,
        hull: RocHull,
        limits: tuple[LinearLimit, ...] = (),
        *,
        among: tuple[FloatArray, FloatArray] | None = None,
    ) -> Objective:
        """Return the expected regret, to be made small; against whom, see `MinimaxRegret`."""
        belief = self.belief.resolved(hull.totals)
        hull.best_between(*belief.slope_range)  # refuses what a restricted hull cannot answer
        case = belief.expected_case
        allowed = among or allowed_corners(hull.fpr, hull.tpr, limits)
        least = least_expected_cost(*allowed, belief)

        def regret(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
            return np.asarray(-np.maximum(case.cost(fpr, tpr) - least, 0.0))

        return Objective(
            "least expected regret",
            regret,
            sign=-1.0,
            case=case,
            slope=case.slope,
            prevalence=case.prevalence,
        )


def least_expected_cost(fpr: FloatArray, tpr: FloatArray, belief: Belief) -> float:
    """Return the expected cost of choosing among points once the conditions are known.

    The points must be those of a concave path, as a hull's are, in any order. Points that are one
    but for rounding count once: the slope between them means nothing.
    """
    order = np.lexsort((tpr, fpr))
    steps = np.diff(fpr[order] + tpr[order])
    apart = order[np.concatenate(([True], steps > SAME_POINT))]
    fpr, tpr = fpr[apart], tpr[apart]
    runs, rises = np.diff(fpr), np.diff(tpr)
    breaks = np.maximum.accumulate(runs / (runs + rises))
    edges = np.concatenate(([0.0], breaks, [1.0]))
    weights = belief.stretches(edges, costs=True)
    return float(weights.alarm @ fpr + weights.miss @ (1 - tpr))


# --- Criteria: what "best" means (Provost and Fawcett, sections 3.2 to 3.6) -----------------------
#
# A criterion becomes an objective, a number to be made as large as possible, and linear limits on
# FPR and TPR. The hull holds a best answer for any objective that rises with TPR and falls with FPR
# (Theorem 6; the signs of its derivatives are misprinted, Theorem 8 has them right), under limits
# that cannot cut away the hull and leave something better inside it.


@runtime_checkable
class Criterion(Protocol):
    """Anything that says what "best" means."""

    def objective(self, hull: RocHull) -> Objective:
        """Return what is to be made as large as possible on this hull."""

    @property
    def limits(self) -> tuple[LinearLimit, ...]:
        """The limits to be met."""


class OneLimit:
    """What criteria have in common that consist of an aim and one limit."""

    __slots__ = ()

    @property
    def limit(self) -> LinearLimit:
        """The limit, which `Constrained` can combine with others."""
        raise NotImplementedError

    @property
    def limits(self) -> tuple[LinearLimit, ...]:
        """The limits to be met: this one."""
        return (self.limit,)


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """Least errors, all kinds alike, at a prevalence (Corollary 5)."""

    prevalence: float | str = OBSERVED
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def objective(self, hull: RocHull) -> Objective:
        """Return the error rate as an expected cost."""
        conditions = Conditions(prevalence=self.prevalence, false_positive=1, false_negative=1)
        return cost_objective(conditions.resolved(hull.totals), "error rate")


@dataclass(frozen=True, slots=True)
class NeymanPearson(OneLimit):
    """The highest TPR with at most the given FPR (Corollary 10)."""

    max_fpr: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "max_fpr", as_rate(self.max_fpr, "max_fpr"))

    @property
    def limit(self) -> LinearLimit:
        """The limit on FPR."""
        return LinearLimit(fpr=1, at_most=self.max_fpr)

    def objective(self, hull: RocHull) -> Objective:  # noqa: ARG002 - the same for every hull
        """Return the TPR."""
        return HIGHEST_TPR


@dataclass(frozen=True, slots=True)
class MinimumTpr(OneLimit):
    """The lowest FPR with at least the given TPR."""

    min_tpr: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "min_tpr", as_rate(self.min_tpr, "min_tpr"))

    @property
    def limit(self) -> LinearLimit:
        """The limit on TPR."""
        return LinearLimit(tpr=-1, at_most=-self.min_tpr)

    def objective(self, hull: RocHull) -> Objective:  # noqa: ARG002 - the same for every hull
        """Return the FPR, to be made small."""
        return Objective("lowest FPR", lambda fpr, tpr: -fpr + 0.0 * tpr, sign=-1.0)


@explain_call("Capacity(100, positives=50, negatives=950)")
@dataclass(frozen=True, slots=True)
class Capacity(OneLimit):
    """The best cases that a workforce can handle, out of a population (Theorem 11).

    Finds the most positives with at most `cases` alarms in expectation. When the capacity is
    filled, precision, recall and lift are all at their highest there too. A capacity larger than
    the population is no limit.

    Examples
    --------
    >>> import rocch
    >>> rocch.Capacity(100, positives=50, negatives=950).limit
    LinearLimit(tpr=50.0, fpr=950.0, at_most=100.0)
    """

    cases: float
    positives: float = field(kw_only=True)
    negatives: float = field(kw_only=True)

    def __post_init__(self) -> None:
        for name in ("cases", "positives", "negatives"):
            number = as_number(getattr(self, name), name, least=0, hint="It is a number of cases.")
            object.__setattr__(self, name, number)
        if not self.positives + self.negatives:
            raise InputError(
                "positives, negatives", "not both be 0", "an empty population", "Count the cases."
            )
        if math.isinf(self.cases + self.positives + self.negatives):
            raise InputError(
                "cases, positives, negatives",
                "have a finite sum",
                f"{self.cases:g}, {self.positives:g} and {self.negatives:g}",
                "They are numbers of cases.",
            )

    @property
    def limit(self) -> LinearLimit:
        """The limit on alarms."""
        return LinearLimit(tpr=self.positives, fpr=self.negatives, at_most=self.cases)

    def objective(self, hull: RocHull) -> Objective:  # noqa: ARG002 - the same for every hull
        """Return the TPR, with the population it is meant for."""
        everyone = self.positives + self.negatives
        return Objective(
            "highest TPR",
            hit_rate,
            prevalence=self.positives / everyone,
            cases=everyone,
        )


@explain_call("PredictedPositiveLimit(0.1, prevalence=0.05)")
@dataclass(frozen=True, slots=True)
class PredictedPositiveLimit(OneLimit):
    """The most positives when at most a share of all cases may alarm, at a prevalence."""

    max_share: float
    prevalence: float = field(kw_only=True)

    def __post_init__(self) -> None:
        for name in ("max_share", "prevalence"):
            object.__setattr__(self, name, as_rate(getattr(self, name), name))

    @property
    def limit(self) -> LinearLimit:
        """The limit on alarms."""
        return LinearLimit(tpr=self.prevalence, fpr=1 - self.prevalence, at_most=self.max_share)

    def objective(self, hull: RocHull) -> Objective:  # noqa: ARG002 - the same for every hull
        """Return the TPR, with the prevalence it is meant for."""
        return Objective("highest TPR", hit_rate, prevalence=self.prevalence)


@explain_call("Maximize('f1', prevalence=0.1)")
@dataclass(frozen=True, slots=True)
class Maximize:
    """The highest value of a metric that rises with TPR and falls with FPR.

    Parameters
    ----------
    metric
        One of the names "tpr" (or "recall"), "precision", "lift", "f1", "accuracy", "informedness",
        "geometric_mean", or a function of two arrays (FPR, TPR). Its best point may lie inside a
        segment of the hull; a function of your own is then searched to about 1e-9 of a segment.
    prevalence
        Matters for "precision", "lift", "f1" and "accuracy"; by default that of the judged rows.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1, 1], {"nb": [1, 3, 2, 4, 5]})
    >>> hull.best(rocch.Maximize("f1", prevalence=0.6)).tpr
    1.0
    """

    metric: str | Metric
    prevalence: float | str = field(default=OBSERVED, kw_only=True)
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        known = self.metric in METRICS if isinstance(self.metric, str) else callable(self.metric)
        if not known:
            raise InputError(
                "metric",
                "be a function of FPR and TPR or a known name",
                repr(self.metric),
                f"The names are: {', '.join(METRICS)}.",
            )
        if not isinstance(self.prevalence, str) or self.prevalence != OBSERVED:
            object.__setattr__(self, "prevalence", as_rate(self.prevalence, "prevalence"))

    def objective(self, hull: RocHull) -> Objective:
        """Return the metric, checked to rise with TPR and to fall with FPR."""
        observed = isinstance(self.prevalence, str)
        p = hull.totals.prevalence if observed else float(self.prevalence)
        if isinstance(self.metric, str):
            function, corners = METRICS[self.metric]
            if p == 0 and self.metric in NEED_POSITIVES:
                raise UndefinedError(
                    f"the {self.metric} is undefined at prevalence 0, where there is nothing to "
                    "find. Name another prevalence."
                )
            words = f"highest {self.metric.replace('_', ' ')}"
            return Objective(words, lambda x, y: function(x, y, p), 1.0, corners, prevalence=p)
        score = checked_metric(self.metric)
        return Objective("highest metric", score, best_at_corners=False)


@dataclass(frozen=True, slots=True, init=False)
class Constrained:
    """An objective under several limits together.

    Parameters
    ----------
    objective
        Exact `Conditions` (least expected cost), or a criterion such as `ErrorRate` or
        `Maximize("precision", prevalence=0.1)`.
    limits
        `NeymanPearson`, `MinimumTpr`, `Capacity`, `PredictedPositiveLimit` or `LinearLimit`.

    Examples
    --------
    >>> import rocch
    >>> known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=2)
    >>> both = rocch.Constrained(known, rocch.NeymanPearson(0.2), rocch.MinimumTpr(0.5))
    >>> len(both.limits)
    2
    """

    goal: Criterion
    limits: tuple[LinearLimit, ...]

    def __init__(self, objective: Conditions | Criterion, *limits: Any) -> None:
        goal = as_criterion(objective)
        for limit in limits:
            if not isinstance(getattr(limit, "limit", None), LinearLimit):
                raise InputError(
                    "limits",
                    "be limits on FPR and TPR",
                    describe_type(limit),
                    "See NeymanPearson, MinimumTpr, Capacity, PredictedPositiveLimit, LinearLimit.",
                )
        object.__setattr__(self, "goal", goal)
        object.__setattr__(self, "limits", (*goal.limits, *(limit.limit for limit in limits)))

    def objective(self, hull: RocHull) -> Objective:
        """Return the objective; regret is measured against what the limits allow."""
        if isinstance(self.goal, MinimaxRegret | LeastExpectedRegret):
            return self.goal.objective(hull, self.limits)
        return self.goal.objective(hull)

    def coinless_objective(self, hull: RocHull) -> Objective:
        """Return the same for who may not toss a coin: against single points that keep limits."""
        if isinstance(self.goal, MinimaxRegret | LeastExpectedRegret):
            roof = deterministic_hull(hull, self.limits)
            return self.goal.objective(hull, self.limits, among=roof)
        return self.goal.objective(hull)


@dataclass(frozen=True, slots=True)
class ExpectedCost:
    """Least expected cost under exact conditions (Theorem 4); `Conditions` alone mean the same."""

    conditions: Conditions
    limits: tuple[LinearLimit, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        as_conditions(self.conditions)

    def objective(self, hull: RocHull) -> Objective:
        """Return the expected cost, to be made small."""
        return cost_objective(self.conditions.resolved(hull.totals), "expected cost")


def as_criterion(given: object) -> Criterion:
    """Return a criterion; conditions alone ask for the least expected cost."""
    if isinstance(given, Conditions):
        return ExpectedCost(given)
    if isinstance(given, Criterion) and not isinstance(given, type):
        return given
    if isinstance(given, Belief):
        raise InputError(
            "criterion",
            "say what to make of a belief",
            f"a belief alone ({given})",
            "Use LeastExpectedRegret(belief), or MinimaxRegret(belief) for the safest choice.",
        )
    limit = isinstance(given, LinearLimit)
    raise InputError(
        "criterion",
        "be Conditions or a criterion",
        "a limit alone, which has no aim" if limit else describe_type(given),
        "For example: Constrained(ErrorRate(), limit)."
        if limit
        else "For example: NeymanPearson(0.05).",
    )
