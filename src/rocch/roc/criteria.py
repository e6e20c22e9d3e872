"""Criteria: what "best" means (Provost and Fawcett, sections 3.2 to 3.6).

The hull holds a best point for any objective that rises with TPR and falls with FPR (Theorem 6,
with the signs of Theorem 8).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import FloatArray
from rocch.errors import GuaranteeError, Hint, InputError, UndefinedError, describe_type
from rocch.inputs import as_level, as_number, as_rate, explain_call, is_number
from rocch.roc.belief import Belief, as_belief
from rocch.roc.conditions import OBSERVED, Case, Conditions, Interval, as_conditions
from rocch.roc.operating_point import ClassTotals, OperatingPoint, RocPoint
from rocch.roc.question_table import find_name, known_names, metric_text

# A function of FPR and TPR (arrays of equal shape) that rises with TPR and falls with FPR.
Metric = Callable[[Any, Any], Any]

# FPR and TPR of points, and a function that returns those that regret is measured against.
Path = tuple[FloatArray, FloatArray]
Reachable = Callable[[], Path]

# What a limit with a confidence takes as a sample: negatives and positives apart (at a stated
# prevalence), all rows, or the alarms among them (both at the observed prevalence).
Sample: TypeAlias = Literal["classes", "rows", "alarms"]

# Points whose FPR + TPR differ by no more count as one: the slope between them means nothing.
SAME_POINT = 1e-12


def _checked_metric(metric: Metric) -> Metric:
    """Make a user's function work on arrays, with -inf for NaN."""

    def score(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        value = _values(metric, np.asarray(fpr, dtype=float), np.asarray(tpr, dtype=float))
        return np.where(np.isnan(value), -np.inf, value)

    steps = np.linspace(0, 1, 17)
    fpr, tpr = np.meshgrid(steps, steps)
    value = _values(metric, fpr, tpr)
    if np.isnan(value).all():
        raise InputError("metric", "return numbers", "NaN everywhere")
    with np.errstate(invalid="ignore"):  # infinite values may stand side by side
        falls_with_tpr = (np.diff(value, axis=0) < -1e-12).any()
        rises_with_fpr = (np.diff(value, axis=1) > 1e-12).any()
    if falls_with_tpr or rises_with_fpr:
        raise GuaranteeError(
            "metric",
            "rise with TPR and fall with FPR for the hull to guarantee a best point (Theorem 8)",
            "one that does not everywhere",
            Hint("Check the order of its arguments: metric(fpr, tpr)."),
        )
    return score


def _values(metric: Metric, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
    """Call a function on arrays, or else on single numbers."""
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
            ) from None


def _value(metric: Metric, fpr: float, tpr: float) -> float:
    try:
        return float(metric(fpr, tpr))
    except ZeroDivisionError:
        return np.nan


def _divide(part: ArrayLike, whole: ArrayLike) -> FloatArray:
    """Return a ratio, or -inf (never the best) where it is undefined."""
    part, whole = np.broadcast_arrays(part, np.asarray(whole, dtype=float))
    ratio = np.full(whole.shape, -np.inf)
    np.divide(part, whole, out=ratio, where=whole > 0)
    return ratio


def _alarm_rate(fpr: FloatArray, tpr: FloatArray, p: float) -> FloatArray:
    return p * tpr + (1 - p) * fpr


def _precision(fpr: FloatArray, tpr: FloatArray, p: float) -> FloatArray:
    return _divide(p * tpr, _alarm_rate(fpr, tpr, p))


def _correlation(fpr: FloatArray, tpr: FloatArray, p: float) -> FloatArray:
    """Return Matthews' correlation, 0 where all cases alarm or none does."""
    share = _alarm_rate(fpr, tpr, p)
    value = _divide((tpr - fpr) * math.sqrt(p * (1 - p)), np.sqrt(share * (1 - share)))
    return np.where(np.isneginf(value), 0.0, value)


def recall(fpr: FloatArray, tpr: FloatArray, p: float = 0.0) -> FloatArray:  # noqa: ARG001
    """Return the TPR, as metrics return their value."""
    return tpr + 0.0 * fpr


# Metrics by name, as functions of FPR, TPR and prevalence, and whether along a segment each is
# largest at an end.
METRICS: dict[str, tuple[Callable[[FloatArray, FloatArray, float], FloatArray], bool]] = {
    "tpr": (recall, True),
    "recall": (recall, True),
    "precision": (_precision, True),
    "lift": (lambda fpr, tpr, p: _divide(_precision(fpr, tpr, p), p), True),
    "f1": (lambda fpr, tpr, p: _divide(2 * p * tpr, p + _alarm_rate(fpr, tpr, p)), True),
    "accuracy": (lambda fpr, tpr, p: p * tpr + (1 - p) * (1 - fpr), True),
    "informedness": (lambda fpr, tpr, _: tpr - fpr, True),
    "geometric_mean": (lambda fpr, tpr, _: np.sqrt(tpr * (1 - fpr)), False),
    # (TPR - FPR) over a concave function of the alarm rate, so largest at an end of a segment
    "matthews_correlation": (lambda fpr, tpr, p: _correlation(fpr, tpr, p), True),
}

# Metrics that are undefined where there are no positives.
NEED_POSITIVES = ("precision", "lift", "f1", "matthews_correlation")


@dataclass(frozen=True, slots=True)
class Objective:
    """A number to maximize over ROC points.

    Attributes
    ----------
    sign
        -1 where users see the negative of the score: a cost or an FPR.
    best_at_corners
        Whether the score is largest at an end of every segment.
    case
        The exact conditions of an expected cost.
    slopes
        The slopes that the conditions allow.
    prevalence, cases
        The prevalence where there is no case, and the size of a population.
    corners
        The extremes of interval conditions.
    """

    name: str
    score: Metric
    sign: float = 1.0
    best_at_corners: bool = True
    case: Case | None = None
    slopes: Interval | None = None
    prevalence: float | None = None
    cases: float | None = None
    corners: tuple[Case, ...] = ()

    def operating_point(
        self,
        fpr: float,
        tpr: float,
        mix: tuple[tuple[float, RocPoint], ...],
        *,
        score: float | None = None,
        gain: float = 0.0,
        also_best: tuple[RocPoint, ...] = (),
        note: str = "",
    ) -> OperatingPoint:
        """Return a point or mix as an operating point."""
        reached = float(self.score(fpr, tpr)) if score is None else score
        cases = self.corners if self.case is None else (self.case,)
        shares = {case.prevalence for case in cases}
        if self.prevalence is not None:
            shares.add(self.prevalence)
        costs = [float(case.cost(fpr, tpr)) for case in cases]
        return OperatingPoint(
            fpr=fpr,
            tpr=tpr,
            mix=mix,
            objective=self.name,
            value=self.sign * reached + 0.0,
            expected_cost=None if self.case is None else float(self.case.cost(fpr, tpr)),
            randomizing_gains=float(gain),
            also_best=also_best,
            prevalence=min(shares) if len(shares) == 1 else None,
            population=self.cases,
            note=note,
            prevalence_range=(min(shares), max(shares)) if shares else None,
            cost_range=(min(costs), max(costs)) if costs else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearLimit:
    """The limit tpr x TPR + fpr x FPR <= at_most.

    The hull holds the best point under limits that all have fpr >= 0, or all have tpr <= 0
    (Corollary 9 is one limit with both >= 0).

    Attributes
    ----------
    confidence
        Without one, the limit holds on the evaluation rows. With one, it holds on new rows, and
        the whole procedure breaks it in at most 1 - confidence of all samples.
    sample
        What the confidence takes as a sample: "classes" (negatives and positives apart, as at a
        stated prevalence), "rows" or "alarms" (both at the observed prevalence).
    text
        The limit in words; by default it is written in rates.
    offset
        What the limited value has beyond the rates: of a cost, what right decisions cost.
    prevalence
        That of a limit on the precision.
    """

    tpr: float = 0.0
    fpr: float = 0.0
    at_most: float
    confidence: float | None = None
    sample: Sample = "classes"
    text: str = field(default="", compare=False)
    offset: float = field(default=0.0, compare=False)
    prevalence: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in ("tpr", "fpr", "at_most"):
            number = as_number(getattr(self, name), name, hint="State the limit in rates.")
            object.__setattr__(self, name, number)
        check_confidence(self)
        if not (self.tpr or self.fpr):
            raise InputError("tpr, fpr", "not both be 0", "a limit on nothing")

    def excess(self, fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        """Return by how much points exceed the limit, rounding errors aside."""
        value = self.tpr * tpr + self.fpr * fpr - self.at_most
        slack = 1e-12 * (abs(self.tpr) + abs(self.fpr) + abs(self.at_most))
        return np.where(np.abs(value) <= slack, 0.0, value)

    @property
    def limits(self) -> tuple[LinearLimit, ...]:
        """The limit itself, as criteria have theirs."""
        return (self,)

    def resolved(self, totals: ClassTotals) -> LinearLimit:  # noqa: ARG002
        """Return the limit; it names no prevalence."""
        return self

    def __str__(self) -> str:
        if self.text:
            return self.text
        if self.tpr and self.fpr:
            sign = "+" if self.fpr > 0 else "-"
            tpr, fpr = _times(self.tpr, "TPR"), _times(abs(self.fpr), "FPR")
            return f"{tpr} {sign} {fpr} <= {self.at_most:.4g}"
        name, factor = ("TPR", self.tpr) if self.tpr else ("FPR", self.fpr)
        return f"{name} {'<=' if factor > 0 else '>='} {self.at_most / factor:g}"


def _times(factor: float, name: str) -> str:
    """Return a rate times a number."""
    return name if factor == 1 else f"-{name}" if factor == -1 else f"{factor:.4g} {name}"


def check_confidence(limit: Any) -> None:
    """Check the confidence of a limit, if it has one."""
    if limit.confidence is not None:
        object.__setattr__(limit, "confidence", as_level(limit.confidence))


def common_confidence(limits: tuple[LinearLimit, ...]) -> float | None:
    """Return the one confidence of limits that have some; refuse different ones."""
    stated = sorted({limit.confidence for limit in limits if limit.confidence is not None})
    if len(stated) > 1:
        raise InputError(
            "confidence",
            "be the same number for all limits",
            " and ".join(f"{level:g}" for level in stated),
            "One choice has one confidence: that all of its limits hold together.",
        )
    return stated[0] if stated else None


def check_guarantee(limits: tuple[LinearLimit, ...]) -> None:
    """Refuse limits under which the hull may miss the best point."""
    if all(limit.fpr >= 0 for limit in limits) or all(limit.tpr <= 0 for limit in limits):
        return
    raise GuaranteeError(
        "limits",
        "all stay met with fewer false alarms, or all stay met with more hits",
        "; ".join(map(str, limits)),
        "Otherwise the best point may lie below the hull. Drop the limit that forbids being too "
        "good.",
    )


class Criterion:
    """The base class of criteria: what "best" means."""

    __slots__ = ()

    @property
    def limits(self) -> tuple[LinearLimit, ...]:
        """The limits of the criterion."""
        own = getattr(self, "limit", None)
        return () if own is None else (own,)

    def resolved(self, totals: ClassTotals) -> Criterion:  # noqa: ARG002
        """Return the criterion with an "observed" prevalence of its limits replaced."""
        return self

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:  # noqa: ARG002
        """Return what to maximize, TPR if there are only limits.

        Regret is measured against `reachable` points.
        """
        return Objective("highest TPR", recall)


@dataclass(frozen=True, slots=True)
class ExpectedCost(Criterion):
    """The least expected cost (Theorem 4); exact `Conditions` alone mean this criterion."""

    conditions: Conditions

    def __post_init__(self) -> None:
        as_conditions(self.conditions)

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:  # noqa: ARG002
        """Return the negative expected cost."""
        return _cost_objective(self.conditions.resolved(totals), "least expected cost")


@dataclass(frozen=True, slots=True)
class ErrorRate(Criterion):
    """The lowest error rate at a prevalence (Corollary 5)."""

    prevalence: float | str = OBSERVED

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:  # noqa: ARG002
        """Return the negative error rate."""
        conditions = Conditions(prevalence=self.prevalence, false_positive=1, false_negative=1)
        return _cost_objective(conditions.resolved(totals), "least error rate")


def _cost_objective(conditions: Conditions, name: str) -> Objective:
    case = conditions.case
    slopes = conditions.slope_range
    return Objective(name, lambda x, y: -case.cost(x, y), -1.0, case=case, slopes=slopes)


@dataclass(frozen=True, slots=True)
class MinimaxRegret(Criterion):
    """The least worst-case regret over interval conditions, or those possible under a belief.

    Regret is the cost per case beyond that of the best allowed choice for the actual conditions.
    """

    conditions: Conditions | Belief

    def __post_init__(self) -> None:
        if not isinstance(self.conditions, Belief):
            as_conditions(self.conditions)

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:
        """Return the negative worst regret."""
        conditions = self.conditions.resolved(totals)
        corners = tuple(conditions.corners())
        worst = worst_regret(corners, [reachable()])
        return Objective(
            "least worst regret",
            lambda fpr, tpr: -worst(fpr, tpr),
            -1.0,
            best_at_corners=False,
            slopes=conditions.slope_range,
            corners=corners,
        )


def worst_regret(corners: Sequence[Case], paths: Sequence[Path]) -> Metric:
    """Return a function of FPR and TPR: the greatest regret against points of these paths."""
    least = [
        min(float(np.min(case.cost(*path), initial=np.inf)) for path in paths) for case in corners
    ]

    def worst(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
        regret = np.full(np.shape(fpr), -np.inf)
        for case, best in zip(corners, least, strict=True):
            regret = np.maximum(regret, _without_noise(case.cost(fpr, tpr), best))
        return regret

    return worst


def _without_noise(cost: FloatArray, best: float) -> FloatArray:
    """Return costs beyond the best, rounding errors aside."""
    excess = cost - best
    return np.where(np.abs(excess) <= 1e-14 * abs(best), 0.0, excess)


@dataclass(frozen=True, slots=True)
class LeastExpectedRegret(Criterion):
    """The least expected regret, and so expected cost, under a belief about the conditions.

    The belief needs a unit of cost and a prevalence, which may be "observed".

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> expert = rocch.Belief.cost_ratio(1, 10, likely=2).with_unit(false_positive=1)
    >>> best = hull.best(rocch.LeastExpectedRegret(expert.with_prevalence("observed")))
    >>> round(best.value, 3), round(best.expected_cost, 3)
    (0.0, 0.25)
    """

    belief: Belief

    def __post_init__(self) -> None:
        as_belief(self.belief)

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:
        """Return the negative expected regret."""
        belief = self.belief.resolved(totals)
        case = belief.expected_case
        least = least_expected_cost(*reachable(), belief)

        def regret(fpr: FloatArray, tpr: FloatArray) -> FloatArray:
            return np.asarray(-np.maximum(case.cost(fpr, tpr) - least, 0.0))

        slopes = belief.slope_range
        return Objective("least expected regret", regret, -1.0, case=case, slopes=slopes)


def least_expected_cost(fpr: FloatArray, tpr: FloatArray, belief: Belief) -> float:
    """Return the expected cost of choosing on a concave path once the conditions are known."""
    if not fpr.size:  # no choice is allowed
        return math.inf
    order = np.lexsort((tpr, fpr))
    steps = np.diff(fpr[order] + tpr[order])
    apart = order[np.concatenate(([True], steps > SAME_POINT))]
    fpr, tpr = fpr[apart], tpr[apart]
    runs, rises = np.diff(fpr), np.diff(tpr)
    breaks = np.maximum.accumulate(runs / (runs + rises))
    edges = np.concatenate(([0.0], breaks, [1.0]))
    weights = belief.stretches(edges, costs=True)
    return float(weights.alarm @ fpr + weights.miss @ (1 - tpr))


@explain_call("Maximize('f1', prevalence=0.1)")
@dataclass(frozen=True, slots=True)
class Maximize(Criterion):
    """The highest value of a metric that rises with TPR and falls with FPR.

    Parameters
    ----------
    metric
        "tpr" ("recall", "sensitivity"), "precision" ("ppv"), "lift", "f1", "accuracy",
        "informedness" ("youden"), "geometric_mean", "matthews_correlation" ("mcc"),
        or a function of FPR and TPR, searched to about 1e-9 of a segment.
    prevalence
        For metrics that depend on it; by default that of the evaluation rows.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1, 1], {"nb": [1, 3, 2, 4, 5]})
    >>> hull.best(rocch.Maximize("f1", prevalence=0.6)).tpr
    1.0
    """

    metric: str | Metric
    prevalence: float | str = field(default=OBSERVED, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.metric, str):
            object.__setattr__(self, "metric", as_metric(self.metric))
        elif not callable(self.metric):
            raise _no_metric("metric", self.metric, "be a function of FPR and TPR or a known name")
        if not isinstance(self.prevalence, str) or self.prevalence != OBSERVED:
            object.__setattr__(self, "prevalence", as_rate(self.prevalence, "prevalence"))

    def objective(self, totals: ClassTotals, reachable: Reachable) -> Objective:  # noqa: ARG002
        """Return the metric."""
        if not isinstance(self.metric, str):
            score = _checked_metric(self.metric)
            return Objective("highest metric", score, best_at_corners=False)
        p = totals.prevalence if isinstance(self.prevalence, str) else self.prevalence
        function, at_corners = METRICS[self.metric]
        if p == 0 and self.metric in NEED_POSITIVES:
            raise UndefinedError(
                f"the {self.metric} is undefined at prevalence 0, where there are no positives.",
                hint="Name another prevalence.",
            )
        name = f"highest {metric_text(self.metric)}"
        return Objective(name, lambda x, y: function(x, y, p), 1.0, at_corners, prevalence=p)


def as_metric(name: object, argument: str = "metric") -> str:
    """Return the name of a metric, also by its other names, in any case."""
    plain = (
        name.strip().lower().replace("-", "_").replace(" ", "_") if isinstance(name, str) else ""
    )
    found = find_name(plain, METRICS)
    if found is None:
        raise _no_metric(argument, name, "be a measure that can be maximized", plain)
    return found


# Why other measures are not maximized, or what has the same best point.
NOTHING_ALARMS = "It is best where nothing alarms. State a limit such as {max_fpr}, or costs."
ALL_ALARM = "It is best where nearly everything alarms. State a limit such as {min_tpr}, or costs."
NOT_MAXIMIZED = {
    **dict.fromkeys(("specificity", "fpr", "false_positives", "true_negatives"), NOTHING_ALARMS),
    **dict.fromkeys(("negative_predictive_value", "negative_likelihood_ratio"), ALL_ALARM),
    **dict.fromkeys(("fnr", "false_negatives", "predicted_positive_rate"), ALL_ALARM),
    "true_positives": "Maximize the tpr, which is best at the same point.",
    "error_rate": "Maximize the accuracy, which is best at the same point.",
    "balanced_accuracy": "Maximize the informedness, which is best at the same point.",
    "positive_likelihood_ratio": "Maximize the precision, which is best at the same point.",
    "cohen_kappa": "Maximize the matthews_correlation, which allows for chance, too.",
}


def _no_metric(argument: str, got: object, requirement: str, name: str = "") -> InputError:
    names = ", ".join(known_names(METRICS))
    reason = NOT_MAXIMIZED.get(find_name(name, NOT_MAXIMIZED) or "")
    hint = f"{reason} " if reason else ""
    return InputError(argument, requirement, repr(got), f"{hint}The names are: {names}.")


def as_criterion(given: object) -> Criterion:
    """Return a criterion; for conditions, the least expected cost."""
    if isinstance(given, Conditions):
        return ExpectedCost(given)
    if isinstance(given, Criterion):
        return given
    got = describe_type(given)
    question = "Question(false_positive=1, false_negative=10)"
    hint = Hint(f"For example: {question}, or NeymanPearson(0.05).")
    if isinstance(given, str):
        got = repr(given)
        hint = Hint(f"For example: {question}, or Maximize('f1').")
    elif is_number(given):
        got = f"the number {given:g}"
        hint = Hint("For the point at a threshold use RocCurve.at(threshold).")
    elif given is None:
        got = "nothing"
    if isinstance(given, Belief):
        got = f"a belief alone ({given})"
        hint = Hint(
            "Use LeastExpectedRegret(belief), or MinimaxRegret(belief) for the safest choice."
        )
    elif isinstance(given, LinearLimit):
        got, hint = "a limit alone", Hint("For example: Constrained(ErrorRate(), limit).")
    raise InputError("criterion", "be Conditions, a Question or a criterion", got, hint)
