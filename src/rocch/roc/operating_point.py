"""Class totals, ROC points and operating points, and what they mean at a given prevalence."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, explain_call
from rocch.inputs import as_number, as_rate

NEVER = "never"
ALWAYS = "always"

# A score, the name of a setting (of a classifier that outputs labels only), or none.
Threshold = float | str | None


@dataclass(frozen=True, slots=True)
class ClassTotals:
    """How many negatives and positives a curve or hull was counted on, and which rows.

    Attributes
    ----------
    negatives, positives
        The totals, in units.
    unit
        What one count is worth: 1 for plain rows; see `rocch.kernels.counting` for weighted ones.
    weighted
        Whether rows have weights.
    rows
        A fingerprint of the labels in their order (and of the weights); None if unknown.
    pooled
        Whether the totals are common multiples of those of different rows, not counts of any.
    """

    negatives: int
    positives: int
    unit: float = 1.0
    weighted: bool = False
    rows: bytes | None = None
    pooled: bool = False

    @classmethod
    def of(cls, positive: BoolArray, weights: IntArray | None = None, unit: float = 1.0) -> Self:
        """Count labels, or sum their weights (whole multiples of `unit`)."""
        digest = hashlib.blake2b(np.packbits(positive).tobytes(), digest_size=16)
        digest.update(positive.size.to_bytes(8, "big"))
        if weights is None:
            positives, total = int(np.count_nonzero(positive)), positive.size
        else:
            digest.update(weights.tobytes())
            positives, total = int(weights[positive].sum()), int(weights.sum())
        return cls(total - positives, positives, unit, weights is not None, digest.digest())

    @property
    def prevalence(self) -> float:
        """The observed share of positives."""
        if self.pooled:
            raise InputError(
                "prevalence",
                "be named where classifiers were evaluated on different rows",
                "'observed', which has no meaning there",
                "Pass a number or an interval.",
            )
        return self.positives / (self.positives + self.negatives)

    @property
    def total(self) -> float:
        """The number of rows, or their weight."""
        return (self.positives + self.negatives) * self.unit

    def amount(self, count: int) -> float:
        """Return the number of rows, or the weight, that a count stands for."""
        return count if self.unit == 1 else count * self.unit

    def rates(
        self, false_positives: IntArray, true_positives: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return counts as rates, each correctly rounded."""
        pairs = ((false_positives, self.negatives), (true_positives, self.positives))
        if self.negatives < 2**53 and self.positives < 2**53:
            fpr, tpr = (np.asarray(counts / total, dtype=float) for counts, total in pairs)
        else:
            fpr, tpr = (np.array([int(c) / total for c in counts]) for counts, total in pairs)
        return fpr, tpr

    def slopes(self, false_positives: IntArray, true_positives: IntArray) -> FloatArray:
        """Return the slopes of the segments between points, each correctly rounded."""
        runs, rises = np.diff(false_positives).tolist(), np.diff(true_positives).tolist()
        return np.array(
            [
                rise * self.negatives / (run * self.positives) if run else np.inf
                for run, rise in zip(runs, rises, strict=True)
            ]
        )


def align_totals(
    several: Sequence[ClassTotals], *, allow_different_rows: bool
) -> tuple[ClassTotals, list[tuple[int, int]]]:
    """Return common totals, and the factors (negatives, positives) that bring each one to them.

    Curves of different rows have no common counts and are refused; if `allow_different_rows`, all
    are brought to the least common multiples of their totals, which keeps their rates exactly.
    """
    prints = {each.rows for each in several} - {None}
    sizes = {(each.negatives, each.positives, each.unit) for each in several}
    if len(sizes) == 1 and (len(prints) <= 1 or allow_different_rows):
        shared = prints.pop() if len(prints) == 1 else None
        pooled = any(each.pooled for each in several)
        return replace(several[0], rows=shared, pooled=pooled), [(1, 1)] * len(several)
    if not allow_different_rows:
        raise InputError(
            "curves",
            "be counted on the same rows",
            _describe_difference(several)
            if len(sizes) > 1
            else "labels (or weights) that differ, or come in a different order",
            "Score all classifiers on one set of rows in one order, or pass "
            "allow_different_rows=True to compare rates of different rows.",
        )
    negatives = math.lcm(*(each.negatives for each in several))
    positives = math.lcm(*(each.positives for each in several))
    weighted = any(each.weighted for each in several)
    factors = [(negatives // each.negatives, positives // each.positives) for each in several]
    return ClassTotals(negatives, positives, weighted=weighted, pooled=True), factors


def _describe_difference(several: Sequence[ClassTotals]) -> str:
    seen = sorted(
        {f"{each.positives * each.unit:.9g} positives of {each.total:.9g}" for each in several}
    )
    mixed = len({each.weighted for each in several}) > 1
    return "; ".join(seen) + (" (some are weighted, some are not)" if mixed else "")


@explain_call("Performance(fpr=0.1, tpr=0.8, prevalence=0.5)")
@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """The confusion matrix, as shares of all cases, at one ROC point and one prevalence.

    An undefined measure (precision without a single alarm, say) raises `UndefinedError`.

    Examples
    --------
    >>> from rocch.roc import Performance
    >>> half = Performance(fpr=0.1, tpr=0.8, prevalence=0.5)
    >>> round(half.precision, 3), round(half.f_score(), 3), round(half.cohen_kappa, 3)
    (0.889, 0.842, 0.7)
    >>> round(Performance(fpr=0.1, tpr=0.8, prevalence=0.01).precision, 3)
    0.075
    """

    fpr: float
    tpr: float
    prevalence: float

    def __post_init__(self) -> None:
        for name in ("fpr", "tpr", "prevalence"):
            object.__setattr__(self, name, as_rate(getattr(self, name), name))

    @property
    def true_positives(self) -> float:
        """Hits, as a share of all cases."""
        return self.prevalence * self.tpr

    @property
    def false_positives(self) -> float:
        """False alarms, as a share of all cases."""
        return (1 - self.prevalence) * self.fpr

    @property
    def false_negatives(self) -> float:
        """Misses, as a share of all cases."""
        return self.prevalence * (1 - self.tpr)

    @property
    def true_negatives(self) -> float:
        """True negatives, as a share of all cases."""
        return (1 - self.prevalence) * (1 - self.fpr)

    @property
    def predicted_positive_rate(self) -> float:
        """All alarms, as a share of all cases."""
        return self.true_positives + self.false_positives

    @property
    def recall(self) -> float:
        """The TPR under its other name (also: sensitivity, hit rate)."""
        return self.tpr

    @property
    def specificity(self) -> float:
        """1 - FPR, the true negative rate."""
        return 1 - self.fpr

    @property
    def fnr(self) -> float:
        """1 - TPR, the miss rate."""
        return 1 - self.tpr

    @property
    def accuracy(self) -> float:
        """The share of correct decisions."""
        return self.true_positives + self.true_negatives

    @property
    def error_rate(self) -> float:
        """The share of wrong decisions."""
        return self.false_positives + self.false_negatives

    @property
    def balanced_accuracy(self) -> float:
        """The mean of TPR and specificity."""
        return (self.tpr + self.specificity) / 2

    @property
    def informedness(self) -> float:
        """Youden's J: TPR - FPR, the height above the diagonal of chance."""
        return self.tpr - self.fpr

    @property
    def precision(self) -> float:
        """The share of alarms that are hits (positive predictive value)."""
        return _ratio(
            self.true_positives, self.predicted_positive_rate, "precision", "there is no alarm"
        )

    @property
    def negative_predictive_value(self) -> float:
        """The share of cases without alarm that are negative."""
        return _ratio(
            self.true_negatives,
            1 - self.predicted_positive_rate,
            "negative_predictive_value",
            "all alarm",
        )

    @property
    def lift(self) -> float:
        """How many times more frequent positives are among the alarms than among all cases."""
        return _ratio(self.precision, self.prevalence, "lift", "the prevalence is 0")

    @property
    def positive_likelihood_ratio(self) -> float:
        """TPR / FPR."""
        return _ratio(self.tpr, self.fpr, "positive_likelihood_ratio", "the FPR is 0")

    @property
    def negative_likelihood_ratio(self) -> float:
        """(1 - TPR) / (1 - FPR)."""
        return _ratio(self.fnr, self.specificity, "negative_likelihood_ratio", "the FPR is 1")

    @property
    def matthews_correlation(self) -> float:
        """Matthews' correlation coefficient of alarms and classes."""
        spread = (
            self.predicted_positive_rate
            * (1 - self.predicted_positive_rate)
            * self.prevalence
            * (1 - self.prevalence)
        )
        gain = self.true_positives - self.predicted_positive_rate * self.prevalence
        return _ratio(gain, math.sqrt(spread), "matthews_correlation", "one margin is empty")

    @property
    def cohen_kappa(self) -> float:
        """Cohen's kappa: the agreement of alarms and classes beyond chance."""
        gain = self.true_positives - self.predicted_positive_rate * self.prevalence
        apart = self.predicted_positive_rate * (1 - self.prevalence) + self.prevalence * (
            1 - self.predicted_positive_rate
        )
        return _ratio(2 * gain, apart, "cohen_kappa", "chance alone agrees on every case")

    def f_score(self, beta: float = 1.0) -> float:
        """Return F-beta, the weighted harmonic mean of precision and recall."""
        beta = as_number(beta, "beta", least=0, hint="Use 1 to weigh both alike.")
        square = beta * beta
        weighted = (1 + square) * self.true_positives
        whole = weighted + square * self.false_negatives + self.false_positives
        return _ratio(weighted, whole, "f_score", "there is neither a positive nor an alarm")


def _ratio(part: float, whole: float, name: str, because: str) -> float:
    if whole <= 0:
        raise UndefinedError(
            f"{name} is undefined here, because {because}. Ask for another measure, or at another "
            "point or prevalence."
        )
    return part / whole


@dataclass(frozen=True, slots=True)
class RocPoint:
    """One point in ROC space with the classifiers and thresholds that reach it.

    Classifiers that share the point are sorted by name. One that outputs labels only is named once
    for each setting that reaches it. The trivial ends, *never* and *always*, have no threshold.

    Attributes
    ----------
    classifier, threshold, deployed_threshold
        The first of `classifiers`, `thresholds` and `deployed_thresholds`.
    false_positives, true_positives
        Counts (weights, for weighted data) on the evaluation rows.
    fpr, tpr
        The rates.
    classifiers
        Names of all classifiers that reach the point.
    thresholds
        For each, the lowest observed score that alarms. For a classifier that outputs labels only,
        the name of its setting, if it has several.
    deployed_thresholds
        For each, the threshold to use on new rows: halfway to the next lower observed score, so
        that a last-digit difference in a score does not flip a counted decision.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> hull.vertices[1].classifier, hull.vertices[1].threshold, hull.vertices[1].tpr
    ('nb', 0.8, 0.5)
    >>> hull.vertices[1].deployed_threshold
    0.6000000000000001
    """

    classifier: str
    threshold: Threshold
    deployed_threshold: Threshold
    false_positives: float
    true_positives: float
    fpr: float
    tpr: float
    classifiers: tuple[str, ...]
    thresholds: tuple[Threshold, ...]
    deployed_thresholds: tuple[Threshold, ...]

    @property
    def better_than_chance(self) -> bool:
        """Whether the point lies above the diagonal of random guessing."""
        return self.tpr > self.fpr

    @property
    def leaning(self) -> Literal["conservative", "neutral", "liberal"]:
        """Whether TPR + FPR is below 1 (conservative: few alarms) or above it (liberal)."""
        total = self.tpr + self.fpr
        return "conservative" if total < 1 else "liberal" if total > 1 else "neutral"

    def performance(self, *, prevalence: float) -> Performance:
        """Return every confusion-matrix measure at the given prevalence."""
        return Performance(fpr=self.fpr, tpr=self.tpr, prevalence=prevalence)

    def rule(self) -> str:
        """Return in words when to alarm at this point."""
        if self.threshold is None:
            return {NEVER: "never alarm", ALWAYS: "always alarm"}.get(
                end_name(self.fpr, self.tpr) or "", f"alarm when {self.classifier} does"
            )
        if isinstance(self.threshold, str):
            return f"alarm when {self.classifier} at setting {self.threshold} does"
        return f"alarm when {self.classifier} >= {self.written_threshold}"

    @property
    def written_threshold(self) -> str:
        """The deployed threshold, with as few digits as decide alike on the observed scores."""
        if not isinstance(self.threshold, float) or not isinstance(self.deployed_threshold, float):
            return "" if self.threshold is None else str(self.threshold)
        room = (self.threshold - self.deployed_threshold) / 2
        for digits in range(6, 17):
            text = f"{self.deployed_threshold:.{digits}g}"
            if abs(float(text) - self.deployed_threshold) <= room:
                return text
        return repr(self.deployed_threshold)


def end_name(fpr: float, tpr: float) -> str | None:
    """Return the name of the trivial classifier at this point, if it is one of the ends."""
    if fpr == tpr == 0:
        return NEVER
    return ALWAYS if fpr == tpr == 1 else None


def midpoint(threshold: float, next_lower: float) -> float:
    """Return the deployed threshold between an observed score and the next lower one.

    Between neighboring doubles and beside infinities it is the observed score itself.
    """
    middle = threshold / 2 + next_lower / 2
    return middle if next_lower < middle <= threshold else threshold


def make_point(
    rates: tuple[float, float],
    counts: tuple[float, float],
    holders: Sequence[tuple[str, Threshold, Threshold]],
) -> RocPoint:
    """Build a point from its holders (name, threshold, deployed threshold), sorted by name."""
    names, thresholds, deployed = zip(*sorted(holders, key=lambda holder: holder[0]), strict=True)
    return RocPoint(
        names[0], thresholds[0], deployed[0], *counts, *rates, names, thresholds, deployed
    )


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """The answer to a criterion: one ROC point, or two vertices mixed by a stated probability.

    Attributes
    ----------
    fpr, tpr
        The (expected) rates.
    mix
        Pairs of probability and `RocPoint`: one, or two with probabilities that sum to 1.
    objective, value
        What was optimized, in words, and the value reached.
    expected_cost
        Per case, where exact conditions were given; otherwise None.
    randomizing_gains
        By how much mixing improves, or would improve, the value.
    also_best
        Other points that are exactly as good. The one returned is the leftmost, which has the
        fewest alarms.
    prevalence, population
        Those of the criterion, where it names them.
    note
        A reservation, for example that only vertices could be searched.
    """

    fpr: float
    tpr: float
    mix: tuple[tuple[float, RocPoint], ...]
    objective: str
    value: float
    expected_cost: float | None
    randomizing_gains: float
    also_best: tuple[RocPoint, ...] = ()
    prevalence: float | None = None
    population: float | None = None
    note: str = ""

    @classmethod
    def at_point(cls, point: RocPoint) -> OperatingPoint:
        """Return a ROC point, for example a vertex, as an operating point."""
        return cls(point.fpr, point.tpr, ((1.0, point),), "chosen point", 0.0, None, 0.0)

    @property
    def randomized(self) -> bool:
        """Whether two points are mixed by a coin."""
        return len(self.mix) > 1

    @property
    def point(self) -> RocPoint:
        """The one point to operate at, where nothing is mixed."""
        if self.randomized:
            raise InputError("operating point", "be one point", "a mix of two", "Use mix.")
        return self.mix[0][1]

    @property
    def classifier(self) -> str:
        """The classifier to use, where nothing is mixed."""
        return self.point.classifier

    @property
    def threshold(self) -> float | str | None:
        """The threshold to use on new rows, where nothing is mixed."""
        return self.point.deployed_threshold

    @property
    def predicted_positive_rate(self) -> float | None:
        """The expected share of cases that alarm, where the criterion names a prevalence."""
        if self.prevalence is None:
            return None
        return self.performance(prevalence=self.prevalence).predicted_positive_rate

    @property
    def expected_cases(self) -> float | None:
        """The expected number of alarms, where the criterion names a population."""
        if self.population is None or self.predicted_positive_rate is None:
            return None
        return self.population * self.predicted_positive_rate

    def performance(self, *, prevalence: float) -> Performance:
        """Return every confusion-matrix measure at the given prevalence."""
        return Performance(fpr=self.fpr, tpr=self.tpr, prevalence=prevalence)

    def counts(self, *, cases: float, prevalence: float) -> dict[str, float]:
        """Return the expected confusion counts among a number of cases."""
        cases = as_number(cases, "cases", least=0, hint="It is a number of cases.")
        shares = self.performance(prevalence=prevalence)
        names = ("true_positives", "false_positives", "false_negatives", "true_negatives")
        return {name: cases * getattr(shares, name) for name in names}

    def rule(self) -> str:
        """Return in words when to alarm."""
        if not self.randomized:
            return self.mix[0][1].rule()
        (share, left), (_, right) = self.mix
        return f"with probability {share:.6g} {left.rule()}, otherwise {right.rule()}"

    def __str__(self) -> str:
        cost = "" if self.expected_cost is None else f", expected cost {self.expected_cost:.6g}"
        return f"{self.rule()} (FPR {self.fpr:.4g}, TPR {self.tpr:.4g}{cost})"
