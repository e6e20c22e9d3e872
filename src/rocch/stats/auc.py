"""AUCs: DeLong's variances, intervals, and the sources of variation kept apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean, variance
from typing import Any, NamedTuple

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, UndefinedError
from rocch.inputs import as_array, as_level, as_scores
from rocch.kernels.bounds import normal_quantile
from rocch.kernels.exact import exact_products
from rocch.kernels.placements import twice_placements
from rocch.roc.conditions import Interval
from rocch.stats.sample import Sample

# --- Limits of an AUC and of the difference of two that stay where such numbers can lie -----------
#
# An AUC plus and minus two standard errors reaches past 1, and has no width where no pair is
# misranked. Newcombe ("Confidence intervals for an effect size measure based on the Mann-Whitney
# statistic. Part 2", Statistics in Medicine 25, 2006, method 5) instead keeps every AUC that the
# one seen does not contradict, with the variance that *it* would have. His variance assumes
# exponential scores; here it is scaled to DeLong's estimate, as far as the rows can say something
# about that. docs/coverage.md shows the measured coverage.

PRIOR_WEIGHT = 2.0
"""How much evidence (rows of the rarer class that are neither right nor wrong throughout) DeLong's
estimate needs to count as much as Newcombe's formula. Chosen by measured
coverage: with almost no weight that is too low in many settings; from 1 on it hardly changes."""

STEPS = 60
"""Halvings of an interval no longer than 1; more would not change a double."""


def auc_limits(
    auc: float, variance: float, units: tuple[int, int], *, confidence: float
) -> Interval:
    """Return the interval of an AUC; `units` are the independent units of either class."""

    def scale(end: float) -> float:
        return _scale(end, _evidence(end, units), variance, units)

    return _limits(Interval(auc, auc), scale, units, confidence)


def bracket_limits(
    aucs: Interval, variance: float, units: tuple[int, int], *, confidence: float
) -> Interval:
    """Return an interval that encloses those of all AUCs in a bracket, with that variance or less.

    DeLong's variance of an AUC is at most (1 / (n - 1) + 1 / (m - 1)) AUC (1 - AUC), with n and m
    the rows of either class. So by how much Newcombe's variance is multiplied (`_scale`) grows with
    AUC (1 - AUC) until that bound reaches the variance, and falls from there on. Newcombe's factor
    itself is least at the end of the bracket that lies farther from 1/2.
    """
    most = 1 / (units[0] - 1) + 1 / (units[1] - 1)

    def scale(end: float) -> float:
        evidence = max(_evidence(end, units), 4 * min(units) * variance / most)
        return _scale(end, evidence, variance, units)

    return _limits(aucs, scale, units, confidence)


def difference_limits(
    aucs: tuple[float, float], intervals: tuple[Interval, Interval], correlation: float
) -> Interval:
    """Return the interval of a difference from those of its parts (Zou and Donner's MOVER).

    G. Y. Zou, "Toward using confidence intervals to compare correlations" (Psychological Methods
    12, 2007): the distance to either limit is that of correlated errors, with the errors taken
    from the limits that matter on that side. So it inherits their good behavior close to 1.
    """
    (a, b), (of_a, of_b) = aucs, intervals

    def distance(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x + y * y - 2 * correlation * x * y))

    low = (a - b) - distance(a - of_a.low, of_b.high - b)
    high = (a - b) + distance(of_a.high - a, b - of_b.low)
    return Interval(max(low, -1.0), min(high, 1.0))


def _variance_factor(auc: float, units: tuple[int, int]) -> float:
    """Return Newcombe's variance of an AUC, divided by AUC (1 - AUC)."""
    n, m = units
    mean = (n + m) / 2 - 1
    return (1 + mean * ((1 - auc) / (2 - auc) + auc / (1 + auc))) / (n * m)


def _evidence(auc: float, units: tuple[int, int]) -> float:
    """Return how many rows of the rarer class are neither right nor wrong throughout, about."""
    return 4 * min(units) * auc * (1 - auc)


def _scale(auc: float, evidence: float, variance: float, units: tuple[int, int]) -> float:
    """Return by what to multiply Newcombe's variance: 1 where the rows say nothing about it."""
    # evidence x (variance / Newcombe's); AUC (1 - AUC) cancels, so AUC = 0 does no harm
    estimate = 4 * min(units) * variance / _variance_factor(auc, units)
    return (estimate + PRIOR_WEIGHT) / (evidence + PRIOR_WEIGHT)


def _limits(
    aucs: Interval, scale: Callable[[float], float], units: tuple[int, int], confidence: float
) -> Interval:
    """Return what does not contradict all AUCs of a bracket.

    `scale` is asked at the end that lies farther from 1/2, or at its mirror image.
    """
    least, most = aucs
    if least + most > 1:  # not to lose digits close to 1
        low, high = _limits(Interval(1 - most, 1 - least), scale, units, confidence)
        return Interval(1 - high, 1 - low)
    reach = normal_quantile(confidence) * math.sqrt(scale(least))

    def contradicted(other: float) -> bool:
        spread = other * (1 - other) * _variance_factor(other, units)
        return max(least - other, other - most) > reach * math.sqrt(spread)

    return Interval(_edge(contradicted, least, 0.0), _edge(contradicted, most, 1.0))


def _edge(contradicted: Callable[[float], bool], inside: float, end: float) -> float:
    """Return the value between `inside` and an end where contradiction begins."""
    if not contradicted(end):
        return end
    outside = end
    for _ in range(STEPS):
        middle = (inside + outside) / 2
        if contradicted(middle):
            outside = middle
        else:
            inside = middle
    return inside


# --- The AUCs of several models on the same rows, and how they vary and vary together -------------
#
# DeLong, DeLong and Clarke-Pearson (1988) for independent rows; Obuchowski ("Nonparametric analysis
# of clustered ROC curve data", Biometrics 53, 1997) where rows come in groups. Rows on their own
# are groups of one, so both are one formula.


@dataclass(frozen=True, slots=True, eq=False)
class AucMoments:
    """AUCs and their covariance, as exact fractions.

    Exact, because differences of nearly equal numbers decide here: two models that rank alike must
    have a difference whose variance is 0 and not 1e-18, in any order of the rows.
    """

    models: tuple[str, ...]
    aucs: tuple[Fraction, ...]
    covariance: tuple[tuple[Fraction, ...], ...]
    units: tuple[int, int]
    """How many independent units hold negatives, and positives: rows, or groups."""

    def contrast(self, first: int, second: int) -> tuple[Fraction, Fraction]:
        """Return the difference of two models' AUCs and its variance."""
        cov = self.covariance
        variance = cov[first][first] + cov[second][second] - 2 * cov[first][second]
        return self.aucs[first] - self.aucs[second], variance

    @property
    def matrix(self) -> FloatArray:
        """The covariance matrix in doubles, read-only."""
        matrix = np.array([[float(entry) for entry in row] for row in self.covariance])
        matrix.flags.writeable = False
        return matrix


class _Side(NamedTuple):
    """One class: per unit, the sum of twice the placements by model, and the number of rows."""

    placements: IntArray
    rows: IntArray

    @property
    def units(self) -> int:
        return int(np.count_nonzero(self.rows))


def auc_moments(sample: Sample) -> AucMoments:
    """Return AUCs and covariance of all models of a sample; labels count as scores 0 and 1."""
    columns = [np.asarray(scores, dtype=np.float64) for scores in sample.models.values()]
    sides = _sides(sample, [twice_placements(scores, sample.positive) for scores in columns])
    _check_units(sides, grouped=sample.groups is not None)
    pairs = 2 * int(sides[0].rows.sum()) * int(sides[1].rows.sum())
    won = [int(row.sum()) for row in sides[1].placements]  # at most `pairs`, far below 2^63
    return AucMoments(
        tuple(sample.models),
        tuple(Fraction(count, pairs) for count in won),
        _covariance(*sides, won, both=sample.groups is not None),
        (sides[0].units, sides[1].units),
    )


def _check_units(sides: tuple[_Side, _Side], *, grouped: bool) -> None:
    for side, kind in zip(sides, ("negative", "positive"), strict=True):
        if side.units < 2:
            raise UndefinedError(
                f"the variance of an AUC is undefined with all {kind} rows in one group; groups "
                "that hold them must be at least two. Judge rows of more groups."
                if grouped
                else f"the variance of an AUC is undefined with a single {kind} row; it takes at "
                "least two rows of each class. Judge more rows."
            )


def _sides(sample: Sample, placements: Sequence[tuple[IntArray, IntArray]]) -> tuple[_Side, _Side]:
    """Gather negatives and positives by unit: as they are, or summed over each group."""
    negatives, positives = (np.stack(side) for side in zip(*placements, strict=True))
    if sample.groups is None:
        ones = (np.ones(side.shape[1], dtype=np.int64) for side in (negatives, positives))
        return _Side(negatives, next(ones)), _Side(positives, next(ones))
    count = int(sample.groups.max()) + 1
    groups = sample.groups[~sample.positive], sample.groups[sample.positive]
    sides = []
    for side, group in zip((negatives, positives), groups, strict=True):
        # bincount adds in doubles, exactly while a group's sum stays below 2^53
        sums = [np.bincount(group, row, minlength=count).astype(np.int64) for row in side]
        sides.append(_Side(np.stack(sums), np.bincount(group, minlength=count)))
    return sides[0], sides[1]


def _covariance(
    negative: _Side, positive: _Side, won: list[int], *, both: bool
) -> tuple[tuple[Fraction, ...], ...]:
    """Add up the parts of both classes, and of groups that hold both."""
    n, m = int(negative.rows.sum()), int(positive.rows.sum())
    i01, i10, count = negative.units, positive.units, negative.rows.size
    total = _part(negative, negative, won, Fraction(i01, (i01 - 1) * n**2))
    total += _part(positive, positive, won, Fraction(i10, (i10 - 1) * m**2))
    if both:
        shared = _part(negative, positive, won, Fraction(count, (count - 1) * n * m))
        total += shared + shared.T
    return tuple(tuple(entry / (2 * n * m) ** 2 for entry in row) for row in total)


def _part(one: _Side, other: _Side, won: list[int], factor: Fraction) -> IntArray:
    """Return factor x sums over units of products of deviations, in units of twice a pair.

    A unit's deviation is T x (its placements) - (its rows) x (all placements), with T the rows of
    its class: what it has more than its share. The product is multiplied out, so that only whole
    sums are needed.
    """
    left = np.vstack((*one[:1], one.rows))
    right = left if other is one else np.vstack((*other[:1], other.rows))
    sums = exact_products(left, right)
    t, u = int(one.rows.sum()), int(other.rows.sum())
    total = np.array(won, dtype=object)
    products = (
        t * u * sums[:-1, :-1]
        - t * np.outer(sums[:-1, -1], total)
        - u * np.outer(total, sums[-1, :-1])
        + sums[-1, -1] * np.outer(total, total)
    )
    part: IntArray = products * factor
    return part


# --- One model's AUC, and how well the rows determine it ------------------------------------------


@dataclass(frozen=True, slots=True)
class AucValue:
    """An AUC, and how well the rows determine it, where they say something about that.

    Attributes
    ----------
    value
        The AUC: the chance that a positive outranks a negative, ties half.
    standard_error, interval
        As for `AucEstimate`; both None where a class has a single row, or lies in a single group,
        because its rows' variance is undefined then.
    confidence, rows, positives, groups
        As for `AucEstimate`.
    """

    value: float
    standard_error: float | None
    interval: Interval | None
    confidence: float
    rows: int
    positives: int | None
    groups: int | None = None

    def __str__(self) -> str:
        if self.interval is None:
            single = "row" if self.groups is None else "group"
            return f"AUC {self.value:.4f} (no interval: a class has a single {single})"
        low, high = self.interval
        return (
            f"AUC {self.value:.4f} ({100 * self.confidence:g} % interval {low:.4f} to {high:.4f})"
        )


@dataclass(frozen=True, slots=True)
class AucEstimate(AucValue):
    """The AUC of a model as one sample of rows shows it.

    It speaks of this model on other rows of the same kind. How much a new training would change
    the model is another matter: see `rocch.stats.variation`.

    Attributes
    ----------
    value
        The AUC: the chance that a positive outranks a negative, ties half.
    standard_error
        DeLong's, or Obuchowski's with groups. It is 0 where no row differs from its class in how
        many of the other class it outranks, as at AUC 1; the interval then still has a width.
    interval
        Every AUC that the rows do not contradict; always within [0, 1].
    confidence
        As asked for.
    rows, positives
        How many rows were judged, and how many of them were positive (None for an AUC of more than
        two classes).
    groups
        How many groups the rows came in, or None for rows on their own.
    """

    standard_error: float
    interval: Interval


def auc_interval(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
) -> AucEstimate:
    """Return the AUC with its standard error and an interval that stays within [0, 1].

    Parameters
    ----------
    y_true
        Labels: boolean, 0/1 or -1/1, or anything else with `pos_label`.
    y_score
        Scores, higher for the positive class, one per row.
    pos_label
        The positive class.
    groups
        A name for each row's group (a patient, a document), where rows of one group resemble each
        other. Without it, rows count as independent.
    confidence
        How often such intervals hold the true AUC.

    Returns
    -------
    AucEstimate

    Raises
    ------
    InputError
        If labels, scores, groups or confidence cannot be used.
    UndefinedError
        If a class has a single row, or lies in a single group.

    Examples
    --------
    >>> import rocch
    >>> print(rocch.stats.auc_interval([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6]))
    AUC 0.8889 (95 % interval 0.3973 to 0.9885)

    A perfect ranking of few rows is no proof of a perfect model:

    >>> print(rocch.stats.auc_interval([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6]))
    AUC 1.0000 (95 % interval 0.5010 to 1.0000)
    """
    level = as_level(confidence)
    scores = as_scores(y_score, as_array(y_true, "y_true").size)
    sample = Sample.of(y_true, {"scores": scores}, pos_label=pos_label, groups=groups)
    return estimates(auc_moments(sample), sample, level)[0]


def estimates(moments: AucMoments, sample: Sample, confidence: float) -> list[AucEstimate]:
    """Return every model's estimate."""
    found = []
    for index, auc in enumerate(moments.aucs):
        variance = float(moments.covariance[index][index])
        limits = auc_limits(float(auc), variance, moments.units, confidence=confidence)
        found.append(
            AucEstimate(
                float(auc),
                math.sqrt(variance),
                limits,
                confidence,
                len(sample),
                int(sample.positive.sum()),
                None if sample.groups is None else int(sample.groups.max()) + 1,
            )
        )
    return found


# --------------------------------------------------------------------------------------------------
# Two sources of variation kept apart: the rows that judge a model, and those that trained it.
#
# Adams and Hand ("Comparing classifiers when the misallocation costs are uncertain", 1999, section
# 6): for the classifiers at hand only the test set matters; for a recommendation of the method both
# do.

MEANING = (
    "for the classifiers at hand only the test set matters; for a recommendation of the method "
    "both do"
)


@dataclass(frozen=True, slots=True)
class Variation:
    """How much the AUC of a method varies with the training set, and with the test set.

    The layout is two-way: runs (trainings) by test rows. With A the AUC of one training on one
    test set, Var(A) = Var(true AUC of a trained model) + E(variance of its AUC over test sets).

    Attributes
    ----------
    runs, rows
        How many trainings and test rows there are.
    auc
        The mean AUC over the runs.
    training_deviation
        The standard deviation of the trained models' true AUCs. The runs' AUCs scatter more than
        that, because each finds other test rows hard; DeLong's covariances say by how much, and
        that is subtracted. It is 0 where the runs scatter no more than test rows explain.
    test_deviation
        The standard deviation of one trained model's AUC over test sets of this size.
    total_deviation
        That of the AUC of one training on one test set.
    mean_error
        The standard error of `auc` as an estimate of what the method reaches on average over
        trainings. More runs shrink what differs between runs, more test rows what all have in
        common.
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
        """The share of the total variance that the training set makes; 0 if nothing varies."""
        return self.training_deviation**2 / self.total_deviation**2 if self.total_deviation else 0.0

    @property
    def test_share(self) -> float:
        """The share of the total variance that the test set makes; 0 if nothing varies."""
        return 1 - self.training_share if self.total_deviation else 0.0

    @property
    def meaning(self) -> str:
        """What to use which number for, in one sentence."""
        return MEANING

    def __str__(self) -> str:
        return (
            f"AUC {self.auc:.4f} over {self.runs} trainings on {self.rows} test rows; standard "
            f"deviation {self.test_deviation:.4f} by the test set "
            f"({100 * self.test_share:.0f} %), {self.training_deviation:.4f} by the training set "
            f"({100 * self.training_share:.0f} %), {self.total_deviation:.4f} by both"
        )


def variation(y_true: Any, runs: Any, *, pos_label: Any = None, groups: Any = None) -> Variation:
    """Tell apart how the AUC of one method varies with its training set and with its test set.

    Parameters
    ----------
    y_true
        Labels of the test rows.
    runs
        Maps names of runs to scores of the test rows: one method, trained several times on
        *independent* training sets of the same size. Bootstraps or folds of one set overlap, and
        show less variation than new sets would. Repeats with new seeds only show that of the seed.
    pos_label
        The positive class.
    groups
        A name for each test row's group, where rows of one group resemble each other.

    Returns
    -------
    Variation

    Raises
    ------
    InputError
        If there are fewer than two runs, or their scores are not one per test row.
    UndefinedError
        If a class has a single row, or lies in a single group.

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
    sample = Sample.of(y_true, runs, pos_label=pos_label, groups=groups, argument="runs")
    if len(sample.models) < 2:
        raise InputError(
            "runs",
            "be at least two trainings",
            len(sample.models),
            "For one trained model use rocch.stats.auc_interval: only the test set varies.",
        )
    moments = auc_moments(sample)
    diagonal, between = _mean_covariances(moments)
    aucs = [float(auc) for auc in moments.aucs]
    # what scatters between runs on these rows is the training's, and each run's own test error
    training = max(0.0, variance(aucs) - (diagonal - between))
    count = len(aucs)
    mean_variance = (training + diagonal - between) / count + between
    return Variation(
        runs=count,
        rows=len(sample),
        auc=fmean(aucs),
        training_deviation=math.sqrt(training),
        test_deviation=math.sqrt(diagonal),
        mean_error=math.sqrt(max(0.0, mean_variance)),
    )


def _mean_covariances(moments: AucMoments) -> tuple[float, float]:
    """Return the mean variance of a run, and the mean covariance of two, over test sets."""
    matrix = moments.matrix
    count = len(matrix)
    trace = float(matrix.trace())
    return trace / count, (float(matrix.sum()) - trace) / (count * (count - 1))
