"""The AUC: DeLong's variances, intervals, and variation over training and test sets."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, UndefinedError
from rocch.inputs import as_choice, as_level
from rocch.kernels.bounds import normal_quantile
from rocch.kernels.exact import exact_dot, exact_products
from rocch.kernels.placements import twice_placements
from rocch.results import Record, field_values
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.rows import ScoredRows
from rocch.stats.arguments import as_one_column, check_several

# How to make the interval of an AUC from DeLong's variance.
AucMethod = Literal["newcombe", "delong"]

# AUC plus and minus two standard errors can exceed 1, and has no width where no pair is misranked.
# Newcombe ("Confidence intervals for an effect size measure based on the Mann-Whitney statistic.
# Part 2", Statistics in Medicine 25, 2006, method 5) inverts a test with the variance of each
# possible AUC. His variance assumes exponential scores; here it is scaled to DeLong's estimate, as
# far as there is evidence. docs/studies/measurements.md shows the measured coverage.

# The evidence at which DeLong's estimate counts as much as Newcombe's formula. Chosen by measured
# coverage, which is too low near 0 and hardly changes from 1 on.
PRIOR_WEIGHT = 2.0

# Halvings of [0, 1]; more would not change a double.
STEPS = 60


def auc_limits(
    auc: float,
    variance: float,
    units: tuple[float, float],
    *,
    confidence: float,
    method: AucMethod = "newcombe",
) -> Interval:
    """Return the interval of an AUC; `units` are the independent units of either class."""
    if method == "delong":
        reach = normal_quantile(confidence) * math.sqrt(variance)
        return _cut(auc - reach, auc + reach)

    def scale(end: float) -> float:
        return _scale(end, _evidence(end, units), variance, units)

    return _limits(Interval(auc, auc), scale, units, confidence)


def bracket_limits(
    aucs: Interval, variance: float, units: tuple[int, int], *, confidence: float
) -> Interval:
    """Return an interval that encloses those of all AUCs in a bracket.

    DeLong's variance is at most (1 / (n - 1) + 1 / (m - 1)) AUC (1 - AUC), so `_scale` grows with
    AUC (1 - AUC) until that reaches `variance`, and then falls.
    """
    most = 1 / (units[0] - 1) + 1 / (units[1] - 1)

    def scale(end: float) -> float:
        evidence = max(_evidence(end, units), 4 * min(units) * variance / most)
        return _scale(end, evidence, variance, units)

    return _limits(aucs, scale, units, confidence)


def difference_limits(
    aucs: tuple[float, float], intervals: tuple[Interval, Interval], correlation: float
) -> Interval:
    """Return the interval of a difference from those of its parts.

    G. Y. Zou, "Toward using confidence intervals to compare correlations" (2007).
    """
    (a, b), (of_a, of_b) = aucs, intervals

    def distance(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x + y * y - 2 * correlation * x * y))

    low = (a - b) - distance(a - of_a.low, of_b.high - b)
    high = (a - b) + distance(of_a.high - a, b - of_b.low)
    return Interval(max(low, -1.0), min(high, 1.0))


def _variance_factor(auc: float, units: tuple[float, float]) -> float:
    """Return Newcombe's variance divided by AUC (1 - AUC)."""
    n, m = units
    mean = (n + m) / 2 - 1
    return (1 + mean * ((1 - auc) / (2 - auc) + auc / (1 + auc))) / (n * m)


def _evidence(auc: float, units: tuple[float, float]) -> float:
    """Return about how many rows of the rarer class are neither right nor wrong throughout."""
    return 4 * min(units) * auc * (1 - auc)


def _scale(auc: float, evidence: float, variance: float, units: tuple[float, float]) -> float:
    # evidence x (variance / Newcombe's); AUC (1 - AUC) cancels, so AUC may be 0
    estimate = 4 * min(units) * variance / _variance_factor(auc, units)
    return (estimate + PRIOR_WEIGHT) / (evidence + PRIOR_WEIGHT)


def _limits(
    aucs: Interval, scale: Callable[[float], float], units: tuple[float, float], confidence: float
) -> Interval:
    least, most = aucs
    if least + most > 1:  # not to lose digits close to 1
        low, high = _limits(Interval(1 - most, 1 - least), scale, units, confidence)
        return Interval(1 - high, 1 - low)
    reach = normal_quantile(confidence) * math.sqrt(scale(least))

    def fits(other: float) -> bool:
        spread = other * (1 - other) * _variance_factor(other, units)
        return max(least - other, other - most) <= reach * math.sqrt(spread)

    low, high = (
        end if fits(end) else last_accepted(fits, start, end, STEPS)
        for start, end in ((least, 0.0), (most, 1.0))
    )
    return Interval(low, high)


def last_accepted(
    accepts: Callable[[float], bool], inside: float, outside: float, steps: int
) -> float:
    """Search by halving from an accepted number towards one that is not."""
    for _ in range(steps):
        middle = (inside + outside) / 2
        if accepts(middle):
            inside = middle
        else:
            outside = middle
    return inside


# DeLong, DeLong and Clarke-Pearson (1988); for groups Obuchowski ("Nonparametric analysis of
# clustered ROC curve data", Biometrics 53, 1997). Independent rows are groups of one. A row that
# weighs k times as much counts as a group of k equal rows, so that the variance is the sandwich
# estimate of survey statistics.


@dataclass(frozen=True, slots=True, eq=False)
class AucMoments:
    """Exact AUCs and their covariance.

    `units` counts rows, or groups, of either class; of weighted rows it is the effective number.
    `degrees` are the degrees of freedom of each variance where models have their own rows.
    """

    models: tuple[str, ...]
    aucs: tuple[Fraction, ...]
    covariance: tuple[tuple[Fraction, ...], ...]
    units: tuple[float, float]
    degrees: tuple[int, ...] | None = None

    def contrast(self, first: int, second: int) -> tuple[Fraction, Fraction]:
        """Return the difference of two AUCs and its variance."""
        cov = self.covariance
        variance = cov[first][first] + cov[second][second] - 2 * cov[first][second]
        return self.aucs[first] - self.aucs[second], variance

    @property
    def matrix(self) -> FloatArray:
        """The covariance in doubles, read-only."""
        matrix = np.array(self.covariance, dtype=np.float64)
        matrix.flags.writeable = False
        return matrix


def auc_moments(rows: ScoredRows) -> AucMoments:
    """Return AUCs and covariance of all classifiers; labels count as scores 0 and 1."""
    columns = [np.asarray(scores, dtype=np.float64) for scores in rows.scores.values()]
    weights = rows.units[0]
    placed = zip(
        *(twice_placements(scores, rows.positive, weights) for scores in columns), strict=True
    )
    classes = (~rows.positive, rows.positive)
    negative, positive = (_sums_by_unit(rows, *each) for each in zip(classes, placed, strict=True))
    units = int(np.count_nonzero(negative[-1])), int(np.count_nonzero(positive[-1]))
    for count, kind in zip(units, ("negative", "positive"), strict=True):
        if count < 2:
            raise UndefinedError(
                f"the variance of an AUC is undefined with all {kind} rows in one group; groups "
                "that hold them must be at least two. Evaluate rows of more groups."
                if rows.groups is not None
                else f"the variance of an AUC is undefined with {('no', 'a single')[count]} {kind} "
                "row; it takes at least two rows of each class. Evaluate more rows."
            )
    pairs = 2 * int(negative[-1].sum()) * int(positive[-1].sum())
    won = [int(row.sum()) for row in positive[:-1]]  # at most `pairs`, far below 2^63
    total = _part(negative, negative, won, units[0]) + _part(positive, positive, won, units[1])
    if rows.groups is not None:
        shared = _part(negative, positive, won, negative.shape[1])
        total += shared + shared.T
    return AucMoments(
        tuple(rows.scores),
        tuple(Fraction(count, pairs) for count in won),
        tuple(tuple(entry / pairs**2 for entry in row) for row in total),
        units if weights is None else _effective_units(weights, classes, units),
    )


def _effective_units(
    weights: IntArray, classes: tuple[BoolArray, BoolArray], units: tuple[int, int]
) -> tuple[float, float]:
    """Return the units of equal weight that would be as informative (Kish 1965)."""
    found = []
    for members, count in zip(classes, units, strict=True):
        own = weights[members]
        own = own[own > 0]
        squares = own.size * exact_dot(own, own)
        found.append(float(Fraction(count * int(own.sum()) ** 2, squares)))
    return found[0], found[1]


def _sums_by_unit(rows: ScoredRows, members: BoolArray, placements: Sequence[IntArray]) -> IntArray:
    """Return twice the placements by model, then the number of rows, of each unit of a class.

    Weights multiply both; then entries are Python integers.
    """
    features = np.vstack((*placements, np.ones(placements[0].size, dtype=np.int64)))
    if rows.units[0] is not None:
        features = features.astype(object) * rows.units[0][members].astype(object)
    if rows.groups is None:
        return features
    count = int(rows.groups.max()) + 1
    if features.dtype == object:
        sums = np.zeros((len(features), count), dtype=object)
        for place, group in enumerate(rows.groups[members].tolist()):
            sums[:, group] += features[:, place]
        return sums
    # bincount adds in doubles, which is exact below 2^53
    return np.stack(
        [np.bincount(rows.groups[members], row, minlength=count) for row in features]
    ).astype(np.int64)


def _part(one: IntArray, other: IntArray, won: list[int], units: int) -> IntArray:
    """Return one class's part of the covariance, or what two share, in units of twice a pair.

    A unit deviates by (rows of its class) x (its placements) - (its rows) x (all placements).
    """
    sums = one @ other.T if one.dtype == object else exact_products(one, other)
    t, u = int(one[-1].sum()), int(other[-1].sum())
    total = np.array(won, dtype=object)
    products = (
        t * u * sums[:-1, :-1]
        - t * np.outer(sums[:-1, -1], total)
        - u * np.outer(total, sums[-1, :-1])
        + sums[-1, -1] * np.outer(total, total)
    )
    part: IntArray = products * Fraction(units, (units - 1) * t * u)
    return part


@dataclass(frozen=True, slots=True, repr=False)
class AucValue(Record):
    """An `AucEstimate` that may lack standard error and interval."""

    value: float
    standard_error: float | None
    interval: Interval | None
    confidence: float
    rows: int
    positives: int | None
    groups: int | None = None
    method: AucMethod = "newcombe"

    def __str__(self) -> str:
        if self.interval is None:
            single = "row" if self.groups is None else "group"
            return f"AUC {self.value:.4f} (no interval: a class has a single {single})"
        low, high = self.interval
        kind = "DeLong interval" if self.method == "delong" else "interval"
        return f"AUC {self.value:.4f} ({100 * self.confidence:g}% {kind} {low:.4f} to {high:.4f})"


@dataclass(frozen=True, slots=True, repr=False)
class AucEstimate(AucValue):
    """The AUC of a trained model, estimated on a sample of rows.

    Attributes
    ----------
    value
        The probability that a positive outranks a negative; ties count half.
    standard_error
        DeLong's, or Obuchowski's with groups; 0 at AUC 1.
    interval
        Within [0, 1]; by Newcombe's method it has a width even at AUC 1.
    confidence, method
        Those of the interval.
    rows, positives, groups
        Positives are None for more than two classes, groups for independent rows.
    """

    standard_error: float
    interval: Interval


def auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    method: AucMethod = "newcombe",
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
) -> AucEstimate:
    """Return the AUC with its standard error and an interval within [0, 1].

    Parameters
    ----------
    y_true
        Labels: boolean, 0/1, -1/1, true/false or yes/no, or any with `pos_label`.
    y_score
        Scores, higher for the positive class.
    method
        "newcombe" keeps its nominal coverage in small samples and when the AUC is close to 1.
        "delong" is the AUC plus and minus 1.96 standard errors, as pROC and most journals report
        it; in those cases it covers the AUC too rarely.
    pos_label
        The positive class.
    sample_weight
        How many rows of the population each row stands for, such as the inverse of its sampling
        probability; only ratios within a class count.
    groups
        Each row's group (a patient, a document), where rows of a group resemble each other.
    confidence
        How often such intervals cover the true AUC.

    Examples
    --------
    A perfect ranking of few rows is no proof of a perfect model:

    >>> import rocch
    >>> y, s = [0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6]
    >>> print(rocch.stats.auc_interval(y, s))
    AUC 1.0000 (95% interval 0.5010 to 1.0000)
    >>> print(rocch.stats.auc_interval(y, s, method="delong"))
    AUC 1.0000 (95% DeLong interval 1.0000 to 1.0000)
    """
    level, kind = as_level(confidence), as_auc_method(method)
    rows = as_one_column(
        y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, groups=groups
    )
    (found,) = estimate_aucs(auc_moments(rows), rows, level, kind).values()
    return found


def as_auc_method(method: object) -> AucMethod:
    """Return one of the methods that make an interval of an AUC."""
    return cast(AucMethod, as_choice(method, get_args(AucMethod), "method"))


def estimate_aucs(
    moments: AucMoments, rows: ScoredRows, confidence: float, method: AucMethod = "newcombe"
) -> dict[str, AucEstimate]:
    """Return every classifier's estimate."""
    positives = int(rows.positive.sum())
    groups = None if rows.groups is None else int(rows.groups.max()) + 1
    found = {}
    for place, (model, exact) in enumerate(zip(moments.models, moments.aucs, strict=True)):
        auc, variance = float(exact), float(moments.covariance[place][place])
        limits = auc_limits(auc, variance, moments.units, confidence=confidence, method=method)
        found[model] = AucEstimate(
            auc, math.sqrt(variance), limits, confidence, len(rows), positives, groups, method
        )
    return found


@dataclass(frozen=True, slots=True, repr=False)
class Variation(Record):
    """How a method's AUC varies with the training set and with the test set.

    Attributes
    ----------
    runs, rows
        The numbers of trainings and of test rows.
    auc
        The mean over the runs.
    training_deviation
        The standard deviation of the trained models' true AUCs.
    test_deviation
        The standard deviation of one model's AUC over test sets.
    mean_error
        The standard error of `auc`.
    """

    runs: int
    rows: int
    auc: float
    training_deviation: float
    test_deviation: float
    mean_error: float

    @property
    def total_deviation(self) -> float:
        """The standard deviation of the AUC of one training on one test set."""
        return math.hypot(self.training_deviation, self.test_deviation)

    @property
    def training_share(self) -> float:
        """The training set's share of the total variance."""
        return self.training_deviation**2 / self.total_deviation**2 if self.total_deviation else 0.0

    @property
    def test_share(self) -> float:
        """The test set's share of the total variance."""
        return 1 - self.training_share if self.total_deviation else 0.0

    @property
    def meaning(self) -> str:
        """Which number to use for what (Adams and Hand, 1999, section 6)."""
        return (
            "for these trained classifiers only the test set matters; for a recommendation of "
            "the method both do"
        )

    def _row(self) -> dict[str, Any]:
        shares = {"training_share": self.training_share, "test_share": self.test_share}
        return {**field_values(self), "total_deviation": self.total_deviation, **shares}

    def __str__(self) -> str:
        return (
            f"AUC {self.auc:.4f} over {self.runs} trainings on {self.rows} test rows; standard "
            f"deviation {self.test_deviation:.4f} by the test set "
            f"({100 * self.test_share:.0f}%), {self.training_deviation:.4f} by the training set "
            f"({100 * self.training_share:.0f}%), {self.total_deviation:.4f} by both"
        )


def variation(
    y_true: ArrayLike,
    runs: Columns,
    *,
    pos_label: Label | None = None,
    groups: ArrayLike | None = None,
) -> Variation:
    """Separate the variation of a method's AUC by training set and by test set.

    Parameters
    ----------
    y_true, pos_label, groups
        As for `auc_interval`.
    runs
        Maps names to scores: one method, trained on *independent* sets of the same size. Folds or
        bootstraps of one set, or new seeds, vary too little.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(400) % 2
    >>> shared = rng.normal(size=400) + y
    >>> runs = {f"seed {i}": shared + rng.normal(size=400) for i in range(10)}
    >>> print(rocch.stats.variation(y, runs))
    AUC ... over 10 trainings on 400 test rows; standard deviation ...
    """
    rows = ScoredRows.of(y_true, runs, pos_label=pos_label, groups=groups, argument="runs")
    hint = Hint("For one trained model use rocch.stats.auc_interval: only the test set varies.")
    check_several(rows.scores, "runs", hint, what="trainings")
    moments = auc_moments(rows)
    aucs = [float(auc) for auc in moments.aucs]
    count = len(aucs)
    trace, total = float(moments.matrix.trace()), float(moments.matrix.sum())
    # the mean variance of a run, and the mean covariance of two, over test sets
    own, shared = trace / count, (total - trace) / (count * (count - 1))
    # runs scatter by training and by each run's own test error
    training = max(0.0, statistics.variance(aucs) - (own - shared))
    mean_variance = (training + own - shared) / count + shared
    return Variation(
        runs=count,
        rows=len(rows),
        auc=statistics.fmean(aucs),
        training_deviation=math.sqrt(training),
        test_deviation=math.sqrt(own),
        mean_error=math.sqrt(max(0.0, mean_variance)),
    )


# Intervals from bootstrap replicates:
#
# - *logit*: normal on the scale of log(AUC / (1 - AUC)); it stays inside (0, 1) and has the best
#   coverage where AUC is high and rows are few.
# - *bca*: percentiles moved for bias and skewness (Efron 1987) by the rows' placement values.
# - *percentile*, *basic*, *normal*: clipped to [0, 1].
#
# Where the sample separates the classes perfectly, so does every replicate; then
# `perfect_auc_interval` applies.

IntervalMethod = Literal["logit", "bca", "percentile", "basic", "normal"]
METHODS = get_args(IntervalMethod)


def replicate_interval(
    method: IntervalMethod,
    estimate: float,
    replicates: FloatArray,
    confidence: float,
    influence: FloatArray | None = None,
) -> Interval:
    """Return an interval for an estimate between 0 and 1, both excluded."""
    from scipy.special import expit, logit

    tail, z = (1 - confidence) / 2, normal_quantile(confidence)
    error = float(replicates.std(ddof=1))
    if method == "logit":
        center, half = float(logit(estimate)), z * error / (estimate * (1 - estimate))
        return Interval(float(expit(center - half)), float(expit(center + half)))
    if method == "normal":
        return _cut(estimate - z * error, estimate + z * error)
    shares = np.array([tail, 1 - tail])
    if method == "bca" and influence is not None:
        shares = _moved_shares(estimate, replicates, influence, z)
    low, high = np.quantile(replicates, shares).tolist()
    return _cut(2 * estimate - high, 2 * estimate - low) if method == "basic" else _cut(low, high)


def perfect_auc_interval(auc: float, pairs: int, confidence: float) -> Interval:
    """Return an interval for an AUC of 0 or 1: m disjoint pairs agree with probability AUC ** m."""
    tail = (1 - confidence) / 2
    bound = tail ** (1 / pairs)
    return Interval(bound, 1.0) if auc == 1 else Interval(0.0, 1 - bound)


def auc_influence(curve: RocCurve, rows: ScoredRows) -> FloatArray:
    """Return how much each row, or group, moves the AUC: centered placement values."""
    scores = rows.scores[curve.name].astype(np.float64)
    steps = np.array([1.0, 0.0]) if curve.lowest_scores is None else curve.lowest_scores
    place = np.searchsorted(-steps, -scores)
    outranking, outranked = curve.fpr, curve.tpr
    placement = np.where(
        rows.positive,
        1 - (outranking[place] + outranking[place + 1]) / 2,
        (outranked[place] + outranked[place + 1]) / 2,
    )
    totals = np.where(rows.positive, curve.totals.positives, curve.totals.negatives)
    moves: FloatArray = (placement - curve.auc) / totals
    if rows.groups is None:
        return moves
    return np.asarray(np.bincount(rows.groups, weights=moves), dtype=np.float64)


def _moved_shares(
    estimate: float, replicates: FloatArray, influence: FloatArray, z: float
) -> FloatArray:
    """Return BCa's percentiles; ties count half."""
    from scipy.special import ndtr, ndtri

    below = np.count_nonzero(replicates < estimate) + np.count_nonzero(replicates <= estimate)
    least = 0.5 / replicates.size  # where all replicates are on one side
    bias = ndtri(np.clip(below / (2 * replicates.size), least, 1 - least))
    spread = float(np.sum(influence**2)) ** 1.5
    skew = float(np.sum(influence**3)) / (6 * spread) if spread else 0.0
    moved = bias + np.array([-z, z])
    return np.asarray(ndtr(bias + moved / (1 - skew * moved)))


def _cut(low: float, high: float) -> Interval:
    return Interval(max(low, 0.0), min(high, 1.0))
