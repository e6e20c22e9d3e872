"""Class totals, ROC points, paths through them, operating points and their performance."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from rocch.arrays import BoolArray, Features, FloatArray, IntArray
from rocch.errors import Hint, InputError, UndefinedError
from rocch.inputs import as_number, as_rate, explain_call
from rocch.kernels.hull import highest_tpr, twice_area
from rocch.numbers import count_cases
from rocch.results import Record, Table, Tabular, shorten

if TYPE_CHECKING:
    from rocch.roc.guarantee import Guarantee
    from rocch.roc.new_rows import NewRowsCost
    from rocch.roc.savings import Baseline, Comparison, Savings

# `print` estimates costs on new rows where there are at most this many scores, which takes less
# than a second.
QUICK = 10**5

# Deployed thresholds of at most this many digits are written in full.
FEW_DIGITS = 12

COUNTED_LIMITS = "limits hold on the evaluation rows; with confidence=0.95, on new ones"
NO_SAVINGS = "it is estimated only for the least cost, without limits or a coin"

NEVER = "never"
ALWAYS = "always"

# Measures of `Performance` by name.
MEASURES = (
    "fpr",
    "tpr",
    "fnr",
    "specificity",
    "precision",
    "recall",
    "negative_predictive_value",
    "f_score",
    "accuracy",
    "error_rate",
    "balanced_accuracy",
    "informedness",
    "matthews_correlation",
    "cohen_kappa",
    "predicted_positive_rate",
    "lift",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
    "true_positive_share",
    "false_positive_share",
    "false_negative_share",
    "true_negative_share",
)

# A score, the name of a setting (of a classifier that outputs labels only), or None.
Threshold = float | str | None
# Who reaches a point: the name, the lowest observed score that alarms, and the threshold.
Holder: TypeAlias = tuple[str, Threshold, Threshold]


@dataclass(frozen=True, slots=True, repr=False)
class ClassTotals(Record):
    """The negatives and positives of the evaluation rows.

    Attributes
    ----------
    unit
        The weight of one count; 1 without weights.
    rows
        A fingerprint of the labels (and weights) in their order; None if unknown.
    pooled
        Whether the totals are common multiples of those of different rows.
    """

    negatives: int
    positives: int
    unit: float = 1.0
    weighted: bool = False
    rows: bytes | None = None
    pooled: bool = False

    @classmethod
    def of(cls, positive: BoolArray, weights: IntArray | None = None, unit: float = 1.0) -> Self:
        """Count labels, or sum their weights in whole units."""
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
        """Return a count in rows or weight."""
        return count if self.unit == 1 else count * self.unit

    def rates(
        self, false_positives: IntArray, true_positives: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return counts as rates, each correctly rounded, in read-only arrays."""
        pairs = ((false_positives, self.negatives), (true_positives, self.positives))
        if self.negatives < 2**53 and self.positives < 2**53:
            fpr, tpr = (np.asarray(counts / total, dtype=float) for counts, total in pairs)
        else:
            fpr, tpr = (np.array([int(c) / total for c in counts]) for counts, total in pairs)
        fpr.flags.writeable = tpr.flags.writeable = False
        return fpr, tpr

    def point(self, fp: int, tp: int, holders: Sequence[Holder]) -> RocPoint:
        """Return the point with these false and true positives."""
        rates = fp / self.negatives, tp / self.positives
        return make_point(rates, (self.amount(fp), self.amount(tp)), holders)

    def slopes(self, false_positives: IntArray, true_positives: IntArray) -> FloatArray:
        """Return the slopes between successive points, each correctly rounded; read-only."""
        runs, rises = np.diff(false_positives).tolist(), np.diff(true_positives).tolist()
        slopes = np.array(
            [
                rise * self.negatives / (run * self.positives) if run else np.inf
                for run, rise in zip(runs, rises, strict=True)
            ]
        )
        slopes.flags.writeable = False
        return slopes


def align_totals(
    several: Sequence[ClassTotals], *, allow_different_rows: bool
) -> tuple[ClassTotals, list[tuple[int, int]]]:
    """Return common totals, and the factors from each to them.

    Totals of different rows become least common multiples, which keep rates exact.
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
            Hint(
                "Score all classifiers on one set of rows in one order, or pass "
                "{allow_different_rows=} to compare rates of different rows."
            ),
            allow_different_rows=True,
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
class Performance(Record):
    """The confusion matrix at a ROC point and a prevalence, as shares of all cases.

    Undefined measures raise `UndefinedError`.

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
    def true_positive_share(self) -> float:
        """The hits' share of all cases."""
        return self.prevalence * self.tpr

    @property
    def false_positive_share(self) -> float:
        """The false alarms' share of all cases."""
        return (1 - self.prevalence) * self.fpr

    @property
    def false_negative_share(self) -> float:
        """The misses' share of all cases."""
        return self.prevalence * (1 - self.tpr)

    @property
    def true_negative_share(self) -> float:
        """The true negatives' share of all cases."""
        return (1 - self.prevalence) * (1 - self.fpr)

    @property
    def predicted_positive_rate(self) -> float:
        """The share of alarms."""
        return self.true_positive_share + self.false_positive_share

    @property
    def recall(self) -> float:
        """The TPR, also called sensitivity or hit rate."""
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
        return self.true_positive_share + self.true_negative_share

    @property
    def error_rate(self) -> float:
        """The share of wrong decisions."""
        return self.false_positive_share + self.false_negative_share

    @property
    def balanced_accuracy(self) -> float:
        """The mean of TPR and specificity."""
        return (self.tpr + self.specificity) / 2

    @property
    def informedness(self) -> float:
        """Youden's J: TPR - FPR."""
        return self.tpr - self.fpr

    @property
    def precision(self) -> float:
        """The share of hits among alarms (positive predictive value)."""
        return _ratio(
            self.true_positive_share, self.predicted_positive_rate, "precision", "there is no alarm"
        )

    @property
    def negative_predictive_value(self) -> float:
        """The share of negatives among cases without alarm."""
        return _ratio(
            self.true_negative_share,
            1 - self.predicted_positive_rate,
            "negative_predictive_value",
            "all alarm",
        )

    @property
    def lift(self) -> float:
        """The precision divided by the prevalence."""
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
    def diagnostic_odds_ratio(self) -> float:
        """The odds of an alarm among positives over those among negatives: LR+ / LR-."""
        hits, misses = self.tpr * self.specificity, self.fpr * self.fnr
        return _ratio(hits, misses, "diagnostic_odds_ratio", "the FPR is 0 or the TPR is 1")

    @property
    def matthews_correlation(self) -> float:
        """Matthews' correlation coefficient."""
        spread = (
            self.predicted_positive_rate
            * (1 - self.predicted_positive_rate)
            * self.prevalence
            * (1 - self.prevalence)
        )
        gain = self.true_positive_share - self.predicted_positive_rate * self.prevalence
        return _ratio(gain, math.sqrt(spread), "matthews_correlation", "one margin is empty")

    @property
    def cohen_kappa(self) -> float:
        """Cohen's kappa: the agreement beyond chance."""
        gain = self.true_positive_share - self.predicted_positive_rate * self.prevalence
        apart = self.predicted_positive_rate * (1 - self.prevalence) + self.prevalence * (
            1 - self.predicted_positive_rate
        )
        return _ratio(2 * gain, apart, "cohen_kappa", "chance alone agrees on every case")

    def f_score(self, beta: float = 1.0) -> float:
        """Return F-beta, a weighted harmonic mean of precision and recall."""
        beta = as_number(beta, "beta", least=0, hint="Use 1 to weigh both alike.")
        square = beta * beta
        weighted = (1 + square) * self.true_positive_share
        whole = weighted + square * self.false_negative_share + self.false_positive_share
        return _ratio(weighted, whole, "f_score", "there is neither a positive nor an alarm")

    def _row(self) -> dict[str, float | None]:
        return {name: self.measure(name) for name in ("prevalence", *MEASURES)}

    def measure(self, name: str) -> float | None:
        """Return a measure by its name; None where it is undefined."""
        try:
            found = getattr(self, name)
            return float(found() if callable(found) else found)
        except UndefinedError:
            return None


def _ratio(part: float, whole: float, name: str, because: str) -> float:
    if whole <= 0:
        raise UndefinedError(
            f"{name} is undefined here, because {because}.",
            hint="Use another measure, point or prevalence.",
        )
    return part / whole


@dataclass(frozen=True, slots=True, repr=False)
class RocPoint(Record):
    """A point in ROC space with the classifiers and thresholds that reach it, sorted by name.

    The trivial ends, *never* and *always*, have no threshold.

    Attributes
    ----------
    classifier, threshold, lowest_score
        The first of those that reach the point.
    false_positives, true_positives
        Counts (or weights) on the evaluation rows.
    thresholds
        The thresholds to deploy, halfway to the next lower observed score; or names of settings.
    lowest_scores
        The lowest observed scores that alarm; or names of settings.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> hull.vertices[1].classifier, hull.vertices[1].threshold, hull.vertices[1].tpr
    ('nb', 0.6000000000000001, 0.5)
    >>> hull.vertices[1].lowest_score
    0.8
    """

    classifier: str
    threshold: Threshold
    lowest_score: Threshold
    false_positives: float
    true_positives: float
    fpr: float
    tpr: float
    classifiers: tuple[str, ...]
    thresholds: tuple[Threshold, ...]
    lowest_scores: tuple[Threshold, ...]

    def _row(self) -> dict[str, Any]:
        names = ("classifier", "threshold", "fpr", "tpr", "false_positives", "true_positives")
        return {name: getattr(self, name) for name in names}

    @property
    def better_than_chance(self) -> bool:
        """Whether TPR exceeds FPR."""
        return self.tpr > self.fpr

    @property
    def leaning(self) -> Literal["conservative", "neutral", "liberal"]:
        """Whether TPR + FPR is below 1 (conservative) or above it (liberal)."""
        total = self.tpr + self.fpr
        return "conservative" if total < 1 else "liberal" if total > 1 else "neutral"

    def performance(self, *, prevalence: float) -> Performance:
        """Return all measures at a prevalence."""
        return Performance(fpr=self.fpr, tpr=self.tpr, prevalence=prevalence)

    def rule(self) -> str:
        """Return in words when to alarm."""
        if self.threshold is None:
            return {NEVER: "never alarm", ALWAYS: "always alarm"}.get(
                end_name(self.fpr, self.tpr) or "", f"alarm when {self.classifier} does"
            )
        if isinstance(self.threshold, str):
            return f"alarm when {self.classifier} at setting {self.threshold} does"
        return f"alarm when {self.classifier} >= {self.written_threshold}"

    @property
    def written_threshold(self) -> str:
        """The threshold, with no more digits than observed scores need."""
        if not isinstance(self.lowest_score, float) or not isinstance(self.threshold, float):
            return "" if self.threshold is None else str(self.threshold)
        # thresholds with few digits were chosen for that, perhaps close to the next lower score
        room = (self.lowest_score - self.threshold) / 2
        is_short = float(f"{self.threshold:.{FEW_DIGITS}g}") == self.threshold
        for digits in range(6, 17):
            text = f"{self.threshold:.{digits}g}"
            if abs(float(text) - self.threshold) <= (0 if is_short else room):
                return text
        return repr(self.threshold)


def end_name(fpr: float, tpr: float) -> str | None:
    """Return the trivial classifier at this point, if any."""
    if fpr == tpr == 0:
        return NEVER
    return ALWAYS if fpr == tpr == 1 else None


def midpoint(threshold: float, next_lower: float) -> float:
    """Return the middle of two neighboring scores, or the upper one if there is none."""
    middle = threshold / 2 + next_lower / 2
    return middle if next_lower < middle <= threshold else threshold


def make_point(
    rates: tuple[float, float], counts: tuple[float, float], holders: Sequence[Holder]
) -> RocPoint:
    """Build a point that these classifiers reach."""
    names, lowest, thresholds = zip(*sorted(holders, key=lambda holder: holder[0]), strict=True)
    return RocPoint(names[0], thresholds[0], lowest[0], *counts, *rates, names, thresholds, lowest)


class EstimatedCost:
    """Holds how to estimate the cost on new rows; no field, so it is neither saved nor compared."""

    __slots__ = ("_compare", "_estimate", "_has_counted_limits", "_is_quick")

    _estimate: Callable[[], NewRowsCost]
    _compare: Callable[[], Comparison]
    _is_quick: bool

    @property
    def on_new_rows(self) -> NewRowsCost:
        """What to expect of the choice on new rows, estimated at the first access."""
        from rocch.roc.new_rows import NewRowsCost

        if hasattr(self, "_estimate"):
            return self._estimate()
        return NewRowsCost(None, note="only the choice that hull.best(...) returns has one")

    def estimated_by(self, estimate: Callable[[], NewRowsCost], scores: int | None = None) -> Self:
        """Return itself, with a function that estimates cost and rates; it is called once.

        `print` calls it unless there are too many scores, or they are not stated.
        """
        object.__setattr__(self, "_estimate", cache(estimate))
        object.__setattr__(self, "_is_quick", scores is not None and scores <= QUICK)
        return self

    def compared_by(self, compare: Callable[[], Comparison], scores: int) -> Self:
        """Return itself, with a function that compares it with baselines; it is called once.

        `print` calls it unless there are too many scores.
        """
        compare = cache(compare)
        object.__setattr__(self, "_compare", compare)
        return self.estimated_by(lambda: compare().cost, scores)

    def recompared(self, change: Callable[[Comparison], Comparison]) -> Self:
        """Return itself, with a comparison that is changed, if it has one."""
        if hasattr(self, "_compare"):
            compare, is_quick = self._compare, self._is_quick
            return self.compared_by(lambda: change(compare()), 0 if is_quick else QUICK + 1)
        return self

    def within_counted_limits(self) -> Self:
        """Return itself, with the remark that its limits are counted on the evaluation rows."""
        object.__setattr__(self, "_has_counted_limits", True)
        return self

    @property
    def is_estimated(self) -> bool:
        """Whether the cost on new rows can be estimated, or why not is known."""
        return hasattr(self, "_estimate")


@dataclass(frozen=True, slots=True, repr=False)
class OperatingPoint(EstimatedCost, Tabular):
    """The best choice by a criterion: one ROC point, or a mix of several.

    Attributes
    ----------
    mix
        Pairs of probability and `RocPoint`.
    objective, value
        What was optimized, in words, and the value reached.
    expected_cost
        Per case, under exact conditions; otherwise None.
    randomizing_gains
        By how much mixing improves, or would improve, the value.
    also_best
        Other points that are as good; the one returned has the fewest alarms.
    note
        A reservation, for example that only vertices were searched.
    guarantee
        What holds on new rows, if limits have a confidence; otherwise limits speak of the
        evaluation rows alone.
    prevalence_range, cost_range
        The least and the largest prevalence and expected cost that the conditions allow; equal
        under exact conditions, None where the criterion names none.
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
    guarantee: Guarantee | None = None
    prevalence_range: tuple[float, float] | None = None
    cost_range: tuple[float, float] | None = None

    @classmethod
    def at_point(cls, point: RocPoint) -> OperatingPoint:
        """Return a ROC point as an operating point."""
        return cls(point.fpr, point.tpr, ((1.0, point),), "chosen point", 0.0, None, 0.0)

    @property
    def is_trivial(self) -> bool:
        """Whether it is never or always to alarm."""
        return end_name(self.fpr, self.tpr) is not None

    @property
    def randomized(self) -> bool:
        """Whether a coin mixes points."""
        return len(self.mix) > 1

    @property
    def point(self) -> RocPoint:
        """The one point to operate at; a mix raises `InputError`."""
        if self.randomized:
            got = f"a mix of {len(self.mix)} points, which a coin chooses from"
            hint = Hint("Use its mix, or ask without randomize=True.")
            raise InputError("operating point", "be one point", got, hint)
        return self.mix[0][1]

    @property
    def classifier(self) -> str:
        """The classifier of `point`."""
        return self.point.classifier

    @property
    def threshold(self) -> float | str | None:
        """The threshold of `point` for new rows."""
        return self.point.threshold

    @property
    def predicted_positive_rate(self) -> float | None:
        """The expected share of alarms, if the criterion names a prevalence."""
        if self.prevalence is None:
            return None
        return self.performance(prevalence=self.prevalence).predicted_positive_rate

    @property
    def predicted_positive_range(self) -> tuple[float, float] | None:
        """The least and the largest expected share of alarms that the prevalences allow."""
        if self.prevalence_range is None:
            return None
        rates = [
            self.performance(prevalence=each).predicted_positive_rate
            for each in self.prevalence_range
        ]
        return min(rates), max(rates)

    @property
    def expected_cases(self) -> float | None:
        """The expected number of alarms, if the criterion names a population."""
        if self.population is None or self.predicted_positive_rate is None:
            return None
        return self.population * self.predicted_positive_rate

    def performance(self, *, prevalence: float) -> Performance:
        """Return all measures at a prevalence."""
        return Performance(fpr=self.fpr, tpr=self.tpr, prevalence=prevalence)

    def counts(self, *, cases: float, prevalence: float) -> dict[str, float]:
        """Return the expected confusion counts."""
        cases = as_number(cases, "cases", least=0, hint="It is a number of cases.")
        shares = self.performance(prevalence=prevalence)
        kinds = ("true_positive", "false_positive", "false_negative", "true_negative")
        return {f"{kind}s": cases * getattr(shares, f"{kind}_share") for kind in kinds}

    def rule(self) -> str:
        """Return in words when to alarm."""
        *others, (_, last) = self.mix
        parts = [f"with probability {share:.4g} {place.rule()}, " for share, place in others]
        return f"{''.join(parts)}{'otherwise ' if others else ''}{last.rule()}"

    def savings(
        self,
        baseline: Baseline | None = None,
        *,
        X: Features | None = None,  # noqa: N803 - scikit-learn's name
    ) -> Savings:
        """Return what the choice saves on new rows against today's practice.

        It is compared with the same model at the threshold 0.5 (if its scores are probabilities),
        with never and always alarming, and with `baseline`. Where costs or class balance are
        ranges, savings are ranges as well. Without costs there is no saving, and the `note` says
        so.

        Parameters
        ----------
        baseline
            Today's rule: a threshold of the same model, (model, threshold), the name of a model at
            the threshold 0.5, the labels predicted for the evaluation rows (such as "fraud" if the
            hull was built with this `pos_label`, or True for an alarm), or a fitted classifier.
        X
            The evaluation rows, for a fitted classifier to predict.
        """
        from rocch.roc.savings import Savings

        if hasattr(self, "_compare"):
            return self._compare().savings(baseline, X)
        return Savings((), note=self.on_new_rows.note or NO_SAVINGS)

    def describe(self) -> str:
        """Return the rule, its rates and its cost on the evaluation rows in one line."""
        cost = "" if self.expected_cost is None else f", expected cost {self.expected_cost:.4g}"
        if self.expected_cost is None and self.cost_range is not None:
            cost = ", expected cost {:.4g} to {:.4g}".format(*self.cost_range)
        return f"{self.rule()} (FPR {self.fpr:.4g}, TPR {self.tpr:.4g}{cost})"

    def _describe_cases(self, cases: float, prevalence: float) -> str:
        expected = self.counts(cases=cases, prevalence=prevalence)
        hits, positives = expected["true_positives"], cases * prevalence
        alarms = hits + expected["false_positives"]
        found = f"{count_cases(hits)} of {count_cases(positives)} positives are found"
        return f"about {count_cases(alarms)} alarms among {count_cases(cases)} cases; {found}"

    def _describe_new_rows(self) -> list[str]:
        """Return what to expect on new rows: the cost and what it saves, or else the rates."""
        found = self.on_new_rows
        lines = [] if found.expected is None else [str(found)]
        if hasattr(self, "_compare"):
            return [*lines, str(self.savings())] if lines else []
        return lines if found.rates is None else [*lines, str(found.rates)]

    def __repr__(self) -> str:
        return shorten(f"<OperatingPoint: {self.describe()}>", end=">")

    def __str__(self) -> str:
        lines = [self.describe()]
        if hasattr(self, "_has_counted_limits"):
            lines.append(COUNTED_LIMITS)
        if self.expected_cases is not None:
            lines.append(self._describe_cases(self.population or 0.0, self.prevalence or 0.0))
        if self.guarantee is not None:
            lines.append(str(self.guarantee))
        if self.is_estimated and self._is_quick:
            lines += self._describe_new_rows()
        return "\n".join(lines)

    def _columns(self) -> Table:
        """Return a row for each point of the mix; the cost is that of the whole."""
        rows = [{"probability": share, **place._row()} for share, place in self.mix]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        return {**columns, "expected_cost": [self.expected_cost] * len(rows)}


class CountedPath:
    """Points from *never* to *always* as counts, joined by straight lines: a curve or a hull.

    Mixing two points by a coin reaches those between them.
    """

    totals: ClassTotals
    false_positives: IntArray
    true_positives: IntArray

    def __len__(self) -> int:
        return self.false_positives.size

    @property
    def _counts(self) -> tuple[IntArray, IntArray]:
        return self.false_positives, self.true_positives

    @cached_property
    def _rates(self) -> tuple[FloatArray, FloatArray]:
        return self.totals.rates(*self._counts)

    @property
    def fpr(self) -> FloatArray:
        """False positive rates at all points."""
        return self._rates[0]

    @property
    def tpr(self) -> FloatArray:
        """True positive rates at all points."""
        return self._rates[1]

    @cached_property
    def auc(self) -> float:
        """The area under the path."""
        self._check_joined("auc")
        return twice_area(*self._counts) / (2 * self.totals.positives * self.totals.negatives)

    @property
    def equal_error_rate(self) -> float:
        """The rate at which FPR = 1 - TPR."""
        self._check_joined("equal_error_rate")
        fpr = self.fpr
        excess = fpr - (1 - self.tpr)
        right = int(np.searchsorted(excess, 0.0))
        if excess[right] == 0:
            return float(fpr[right])
        left = right - 1
        share = -excess[left] / (excess[right] - excess[left])
        return float(fpr[left] + share * (fpr[right] - fpr[left]))

    def tpr_at(self, fpr: float) -> float:
        """Return the highest TPR at an FPR, interpolated."""
        self._check_joined("tpr_at")
        return float(highest_tpr(self.fpr, self.tpr, np.array(as_rate(fpr, "fpr"))))

    def fpr_at(self, tpr: float) -> float:
        """Return the lowest FPR at a TPR, interpolated."""
        self._check_joined("fpr_at")
        return fpr_at(self.fpr, self.tpr, tpr)

    def _check_joined(self, what: str) -> None:
        """Raise if no line from end to end runs through the points."""
        raise NotImplementedError


def fpr_at(fpr: FloatArray, tpr: FloatArray, wanted: float) -> float:
    """Return the lowest FPR at a TPR on the straight lines between points."""
    rest = np.array(1 - as_rate(wanted, "tpr"))
    return 1 - float(highest_tpr(1 - tpr[::-1], 1 - fpr[::-1], rest))
