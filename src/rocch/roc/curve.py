"""ROC curves: from labels and scores to counts, and what is read off the curve."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, explain_call, format_count
from rocch.inputs import (
    as_alarms,
    as_array,
    as_name,
    as_positive,
    as_rate,
    as_scores,
    as_weights,
    is_number,
)
from rocch.kernels.counting import (
    distinct_counts,
    integer_weights,
    twice_pairs_won,
    weighted_counts,
)
from rocch.kernels.hull import twice_area
from rocch.roc.operating_point import ALWAYS, NEVER, RocPoint, Threshold, make_point, midpoint
from rocch.rows import ScoredRows

# --- On what a curve or hull was judged: how many rows of each class, and which -------------------


@dataclass(frozen=True, slots=True)
class ClassTotals:
    """The rows behind a curve: totals of both classes, in units, and a print of their labels."""

    negatives: int
    positives: int
    unit: float = 1.0
    """What one count is worth: 1 for plain rows; see `kernels.counting` for weighted ones."""
    weighted: bool = False
    rows: bytes | None = None
    """A fingerprint of the labels in their order (and of the weights); None if unknown."""
    pooled: bool = False
    """Whether the totals are common multiples of those of different rows, not counts of any."""

    @property
    def prevalence(self) -> float:
        """The observed share of positives."""
        if self.pooled:
            raise InputError(
                "prevalence must be named where classifiers were judged on different rows; "
                "'observed' has no meaning there. Pass a number or an interval."
            )
        return self.positives / (self.positives + self.negatives)

    @property
    def total(self) -> float:
        """All rows, or their weight."""
        return (self.positives + self.negatives) * self.unit

    def amount(self, count: int) -> float:
        """Return what a count stands for: so many rows, or their weight."""
        return count if self.unit == 1 else count * self.unit

    def rates(self, false_positives: IntArray, true_positives: IntArray) -> tuple[FloatArray, ...]:
        """Return counts as rates, each correctly rounded."""
        pairs = ((false_positives, self.negatives), (true_positives, self.positives))
        if self.negatives < 2**53 and self.positives < 2**53:
            return tuple(np.asarray(counts / total, dtype=float) for counts, total in pairs)
        return tuple(np.array([int(c) / total for c in counts]) for counts, total in pairs)

    def slopes(self, false_positives: IntArray, true_positives: IntArray) -> FloatArray:
        """Return the slopes of the segments between points, each correctly rounded."""
        runs, rises = np.diff(false_positives).tolist(), np.diff(true_positives).tolist()
        return np.array(
            [
                rise * self.negatives / (run * self.positives) if run else np.inf
                for run, rise in zip(runs, rises, strict=True)
            ]
        )


def fingerprint(positive: BoolArray, weights: IntArray | None = None) -> bytes:
    """Return a short print of labels (and weights) in their order."""
    digest = hashlib.blake2b(np.packbits(positive).tobytes(), digest_size=16)
    digest.update(positive.size.to_bytes(8, "big"))
    if weights is not None:
        digest.update(weights.tobytes())
    return digest.digest()


def align_totals(
    sets: Sequence[ClassTotals], *, allow_different_rows: bool
) -> tuple[ClassTotals, list[tuple[int, int]]]:
    """Return what all were judged on, and the factors that bring each one's counts to it.

    The factors are whole numbers, for negatives and for positives. Curves judged on different rows
    have no common counts and are refused; if that is asked for explicitly, all are brought to the
    least common multiples of their totals, which keeps their rates exactly.
    """
    first = sets[0]
    prints = {class_totals.rows for class_totals in sets} - {None}
    totals = {
        (class_totals.negatives, class_totals.positives, class_totals.unit) for class_totals in sets
    }
    if len(totals) == 1 and (len(prints) <= 1 or allow_different_rows):
        shared = prints.pop() if len(prints) == 1 else None
        pooled = any(class_totals.pooled for class_totals in sets)
        return replace(first, rows=shared, pooled=pooled), [(1, 1)] * len(sets)
    if not allow_different_rows:
        raise InputError(_why_different(sets, totals))
    negatives = math.lcm(*(class_totals.negatives for class_totals in sets))
    positives = math.lcm(*(class_totals.positives for class_totals in sets))
    weighted = any(class_totals.weighted for class_totals in sets)
    factors = [(negatives // own.negatives, positives // own.positives) for own in sets]
    return ClassTotals(negatives, positives, weighted=weighted, pooled=True), factors


def _why_different(sets: Sequence[ClassTotals], totals: set[tuple[int, int, float]]) -> str:
    if len(totals) > 1:
        seen = sorted({f"{j.positives * j.unit:.9g} positives of {j.total:.9g}" for j in sets})
        kinds = "" if len({j.weighted for j in sets}) == 1 else " (some are weighted, some are not)"
        what = "on different rows: " + "; ".join(seen) + kinds
    else:
        what = "on rows whose labels (or weights) differ or come in a different order"
    return (
        f"curves must be judged on the same rows; these were judged {what}. "
        "Score all classifiers on one set of rows in one order, or pass allow_different_rows=True "
        "if you accept to compare rates from different rows."
    )


# --- From labels and scores to counts: what a curve is made of ------------------------------------


class Counts(NamedTuple):
    """Counts at the points of a curve, from (0, 0) to the totals, and how each is reached."""

    totals: ClassTotals
    false_positives: IntArray
    true_positives: IntArray
    thresholds: FloatArray | None = None
    settings: tuple[str | None, ...] | None = None


def count_scores(y_true: Any, y_score: Any, *, pos_label: Any, sample_weight: Any) -> Counts:
    """Count a scoring classifier's points."""
    positive = as_positive(y_true, pos_label)
    scores = as_scores(y_score, positive.size)
    if sample_weight is None:
        class_totals = judged_rows(positive)
        thresholds, fp, tp = distinct_counts(scores, positive)
    else:
        class_totals, weights = _judged_weights(positive, sample_weight)
        thresholds, fp, tp = weighted_counts(scores, positive, weights)
    return Counts(class_totals, _from_zero(fp), _from_zero(tp), thresholds)


def count_labels(y_true: Any, y_pred: Any, *, pos_label: Any, sample_weight: Any) -> Counts:
    """Count the points of a classifier that outputs labels only, at each of its settings."""
    positive = as_positive(y_true, pos_label)
    if sample_weight is None:
        class_totals, weights = judged_rows(positive), np.ones(positive.size, dtype=np.int64)
    else:
        class_totals, weights = _judged_weights(positive, sample_weight)
    settings = y_pred if isinstance(y_pred, Mapping) else {None: y_pred}
    if not settings:
        raise InputError(
            "y_pred", "have at least one setting", "none", "Pass the predictions of each setting."
        )
    points = []
    for setting, predicted in settings.items():
        argument = "y_pred" if setting is None else f"y_pred[{setting!r}]"
        alarm = as_alarms(predicted, y_true, pos_label, argument=argument)
        hits = int(weights[alarm & positive].sum())
        points.append((int(weights[alarm].sum()) - hits, hits, setting))
    return _labeled(class_totals, points)


def given_counts(
    false_positives: Any, true_positives: Any, *, negatives: int, positives: int, thresholds: Any
) -> Counts:
    """Check counts that are known already."""
    fp = [_as_count(count, "false_positives") for count in np.atleast_1d(false_positives).tolist()]
    tp = [_as_count(count, "true_positives") for count in np.atleast_1d(true_positives).tolist()]
    class_totals = ClassTotals(_as_total(negatives, "negatives"), _as_total(positives, "positives"))
    if len(fp) != len(tp) or not fp:
        raise InputError(
            "false_positives, true_positives",
            "have one count each per point, and at least one point",
            f"{len(fp)} and {len(tp)}",
            "Pass both counts of every point.",
        )
    if max(fp) > class_totals.negatives or max(tp) > class_totals.positives:
        raise InputError(
            "false_positives, true_positives",
            "not exceed negatives and positives",
            f"up to {max(fp)} of {negatives} and {max(tp)} of {positives}",
            "Check the totals.",
        )
    if thresholds is None:
        settings = [None] if len(fp) == 1 else [str(i + 1) for i in range(len(fp))]
        return _labeled(class_totals, list(zip(fp, tp, settings, strict=True)))
    scores = as_array(thresholds, "thresholds")
    if scores.size != len(fp):
        raise InputError(
            "thresholds",
            f"have one for each point, and {len(fp)} in all",
            scores.size,
            "The point (0, 0) has none and is not listed.",
        )
    scores = as_scores(scores, len(fp), argument="thresholds").copy()
    return _scored(class_totals, fp, tp, scores)


def judged_rows(positive: BoolArray) -> ClassTotals:
    """Return what plain rows are: totals and a fingerprint of the labels."""
    hits = int(np.count_nonzero(positive))
    return ClassTotals(positive.size - hits, hits, rows=fingerprint(positive))


def whole_weights(
    positive: BoolArray, sample_weight: Any, argument: str = "sample_weight"
) -> tuple[IntArray, float]:
    """Return weights in whole units, and the unit; both classes must have some weight."""
    given = as_weights(sample_weight, positive.size, argument=argument)
    weights, unit = integer_weights(given) if given.any() else (given.astype(np.int64), 1.0)
    if not weights[positive].any() or not weights[~positive].any():
        raise InputError(
            argument,
            "leave both classes some weight",
            "zero for one class, or so little beside the largest that it is rounded to zero",
            "A ROC curve needs at least one row of each class.",
        )
    return weights, unit


def _judged_weights(positive: BoolArray, sample_weight: Any) -> tuple[ClassTotals, IntArray]:
    weights, unit = whole_weights(positive, sample_weight)
    hits, total = int(weights[positive].sum()), int(weights.sum())
    return ClassTotals(total - hits, hits, unit, True, fingerprint(positive, weights)), weights


def _scored(totals: ClassTotals, fp: list[int], tp: list[int], thresholds: FloatArray) -> Counts:
    rising = fp == sorted(fp) and tp == sorted(tp)
    total = (fp[-1], tp[-1]) == (totals.negatives, totals.positives)
    if not (rising and total and (np.diff(thresholds) < 0).all()):
        raise InputError(
            "thresholds",
            "fall while the counts rise to the totals",
            "points in another order, or without the last one",
            "Sort the points from the highest threshold to the lowest score.",
        )
    return Counts(totals, _as_counts([0, *fp]), _as_counts([0, *tp]), thresholds)


def _labeled(class_totals: ClassTotals, points: Sequence[tuple[int, int, str | None]]) -> Counts:
    points = sorted(points, key=lambda point: point[:2])
    fp = _as_counts([0, *(point[0] for point in points), class_totals.negatives])
    tp = _as_counts([0, *(point[1] for point in points), class_totals.positives])
    settings = tuple(None if setting is None else str(setting) for *_, setting in points)
    return Counts(class_totals, fp, tp, settings=settings)


def _as_count(count: Any, argument: str) -> int:
    try:
        whole = int(count)
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if isinstance(count, bool) or whole != count or whole < 0:
        raise InputError(argument, "be counts: whole and not negative", repr(count), "Count rows.")
    return whole


def _as_total(count: Any, argument: str) -> int:
    total = _as_count(count, argument)
    if not total:
        raise InputError(argument, "be at least 1", 0, "A ROC point needs rows of both classes.")
    return total


def _as_counts(counts: list[int]) -> IntArray:
    return np.array(counts, dtype=np.int64 if max(counts) < 2**63 else object)


def _from_zero(counts: IntArray) -> IntArray:
    return np.concatenate((np.zeros(1, dtype=np.int64), counts))


# --- Numbers on a path through ROC space: areas, look-ups and the equal error rate ----------------
#
# A path is a pair of arrays, FPR and TPR, that both rise from 0 to 1; points are joined by straight
# lines, because the points in between are reached by mixing the ends.


def tpr_at(fpr: FloatArray, tpr: FloatArray, wanted: float) -> float:
    """Return the highest TPR that the path has at this FPR."""
    return _upper(fpr, tpr, as_rate(wanted, "fpr"))


def fpr_at(fpr: FloatArray, tpr: FloatArray, wanted: float) -> float:
    """Return the lowest FPR that the path has at this TPR."""
    return 1 - _upper(1 - tpr[::-1], 1 - fpr[::-1], 1 - as_rate(wanted, "tpr"))


def partial_auc(
    path: tuple[FloatArray, FloatArray],
    *,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    standardized: bool = False,
) -> float:
    """Return the area over a range of FPR, or beside a range of TPR.

    Over FPR in [a, b]: the integral of TPR. Over TPR in [a, b]: the integral of 1 - FPR.
    Standardized (McClish): 1/2 for random guessing and 1 for a perfect classifier.
    """
    x, y = path
    if fpr is not None and tpr is None:
        low, high = _as_range(fpr, "fpr")
        floor = (high**2 - low**2) / 2
    elif tpr is not None and fpr is None:
        low, high = _as_range(tpr, "tpr")
        x, y = y, 1 - x
        floor = (high - low) - (high**2 - low**2) / 2
    else:
        raise InputError(
            "fpr, tpr",
            "be one range, of FPR or of TPR",
            "both" if fpr is not None else "neither",
            "For example: partial_auc(fpr=(0, 0.1)).",
        )
    area = _integral(x, y, low, high)
    return (1 + (area - floor) / (high - low - floor)) / 2 if standardized else area


def equal_error_rate(fpr: FloatArray, tpr: FloatArray) -> float:
    """Return the rate at which the path has FPR = 1 - TPR."""
    excess = fpr - (1 - tpr)
    right = int(np.searchsorted(excess, 0.0))
    if excess[right] == 0:
        return float(fpr[right])
    left = right - 1
    share = -excess[left] / (excess[right] - excess[left])
    return float(fpr[left] + share * (fpr[right] - fpr[left]))


def _upper(x: FloatArray, y: FloatArray, wanted: float) -> float:
    """Return the highest y at x = wanted on a rising path."""
    left = int(np.searchsorted(x, wanted, side="right")) - 1
    if x[left] == wanted:
        return float(y[left])
    share = (wanted - x[left]) / (x[left + 1] - x[left])
    return float(y[left] + share * (y[left + 1] - y[left]))


def _integral(x: FloatArray, y: FloatArray, low: float, high: float) -> float:
    """Integrate y over x in [low, high]; x rises, y may jump where x stands still."""
    inside = (x > low) & (x < high)
    ends = np.interp([low, high], x, y)
    first = y[np.flatnonzero(x == low)[-1]] if (x == low).any() else ends[0]
    last = y[np.flatnonzero(x == high)[0]] if (x == high).any() else ends[1]
    xs = np.concatenate(([low], x[inside], [high]))
    ys = np.concatenate(([first], y[inside], [last]))
    return float(np.sum(np.diff(xs) * (ys[1:] + ys[:-1])) / 2)


def _as_range(ends: tuple[float, float], argument: str) -> tuple[float, float]:
    try:
        low, high = ends
    except (TypeError, ValueError):
        raise InputError(
            argument, "be a pair (low, high)", repr(ends), "For example: (0, 0.1)."
        ) from None
    low, high = as_rate(low, argument), as_rate(high, argument)
    if not low < high:
        raise InputError(
            argument, "run from low to a higher end", repr(ends), "For example: (0, 0.1)."
        )
    return low, high


# --- One classifier in ROC space: a curve if it scores, a point or a few if it only labels --------


@explain_call("RocCurve.from_scores(y_true, y_score, name='nb')")
@dataclass(frozen=True, eq=False, repr=False)
class RocCurve:
    """The ROC points of one classifier, as exact counts, from *never* to *always*.

    Build it with `from_scores`, `from_labels` or `from_counts`. Points run from (0, 0) to the
    totals; the rows counted at a point are those that score at least its threshold. There is one
    point for each distinct score: equal scores cannot be told apart.

    Attributes
    ----------
    name
        The classifier's name.
    judged
        The rows behind the counts: totals of both classes and a fingerprint of the labels.
    false_positives, true_positives
        Counts at each point, read-only, in `judged.unit` (1 unless rows were weighted).
    thresholds
        For a scoring classifier, the distinct scores from high to low: `thresholds[i]` belongs to
        point i + 1, since point 0 is *never*. None for a classifier that outputs labels only.
    settings
        For a classifier that outputs labels only, the names of its settings, in the order of its
        points between the ends.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="nb")
    >>> curve.auc
    0.75
    >>> curve.thresholds
    array([0.8 , 0.4 , 0.35, 0.1 ])
    >>> curve.tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    """

    name: str
    totals: ClassTotals
    false_positives: IntArray
    true_positives: IntArray
    thresholds: FloatArray | None = None
    settings: tuple[str | None, ...] | None = None

    def __post_init__(self) -> None:
        for array in (self.false_positives, self.true_positives, self.thresholds):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        kind = f"{len(self)} points" if self.scoring else f"{len(self) - 2} labeled point(s)"
        return (
            f"<RocCurve {self.name!r}: {kind}, {format_count(self.totals.positives, 'positive')}, "
            f"{format_count(self.totals.negatives, 'negative')}>"
        )

    def __len__(self) -> int:
        return self.false_positives.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RocCurve):
            return NotImplemented
        same = (self.name, self.totals, self.settings) == (
            other.name,
            other.totals,
            other.settings,
        )
        mine = (*self._counts, self.thresholds)
        theirs = (*other._counts, other.thresholds)
        return same and all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((self.name, self.totals, len(self)))

    @classmethod
    def from_rows(cls, rows: ScoredRows, name: str) -> Self:
        """Count the points of one classifier of some rows; one point if it predicts labels only."""
        column = rows.scores[name]
        build = cls.from_labels if column.dtype == bool else cls.from_scores
        return build(rows.positive, column, sample_weight=rows.weights, name=name)

    @classmethod
    def from_scores(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        name: str = "classifier",
    ) -> Self:
        """Count a scoring classifier's points (Provost and Fawcett's Table 1).

        Parameters
        ----------
        y_true
            Labels: boolean, 0/1 or -1/1, or anything else with `pos_label`.
        y_score
            Scores, higher for the positive class; infinite ones are allowed, NaN is not.
        pos_label
            The positive class; all other labels are negative.
        sample_weight
            Weights, one per row. Use them also for errors that cost differently from row to row:
            the cost of a false alarm for a negative row, of a miss for a positive one (Provost and
            Fawcett, section 5). Weighted counts follow the rule of `rocch.kernels.counting`.
        name
            The classifier's name.

        Returns
        -------
        RocCurve

        Raises
        ------
        InputError
            If one class only occurs, lengths differ, or a score is missing.
        """
        counts = count_scores(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        return cls(as_name(name), *counts)

    @classmethod
    def from_labels(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        name: str = "classifier",
    ) -> Self:
        """Place a classifier that outputs labels only, at one setting or at several.

        `y_pred` holds predicted labels of the same kind as `y_true`, or maps the names of settings
        to such predictions (one rule set run strictly, normally, loosely).

        Examples
        --------
        >>> import rocch
        >>> rules = rocch.RocCurve.from_labels([0, 0, 1, 1], [0, 1, 1, 1], name="rules")
        >>> [(point.fpr, point.tpr) for point in rules.points()]
        [(0.0, 0.0), (0.5, 1.0), (1.0, 1.0)]
        """
        counts = count_labels(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
        return cls(as_name(name), *counts)

    @classmethod
    def from_counts(
        cls,
        false_positives: Any,
        true_positives: Any,
        *,
        negatives: int,
        positives: int,
        thresholds: Any = None,
        name: str = "classifier",
    ) -> Self:
        """Place points whose counts are known already, from a paper or another system.

        With `thresholds` (falling) the points are a scoring classifier's, and the last must be
        the pair of totals; without, each is a setting of a classifier that outputs labels only.
        Several settings are called "1", "2" and so on, in the order given; to name them otherwise,
        make each a curve of its own.

        Examples
        --------
        >>> import rocch
        >>> paper = rocch.RocCurve.from_counts([9, 2], [8, 6], negatives=20, positives=10)
        >>> paper.settings  # in the order of the points
        ('2', '1')
        """
        counts = given_counts(
            false_positives,
            true_positives,
            negatives=negatives,
            positives=positives,
            thresholds=thresholds,
        )
        return cls(as_name(name), *counts)

    @property
    def scoring(self) -> bool:
        """Whether the classifier scores, so that its threshold can be moved."""
        return self.thresholds is not None

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rates at all points."""
        return self._rates[0]

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rates at all points."""
        return self._rates[1]

    @cached_property
    def _rates(self) -> tuple[FloatArray, ...]:
        rates = self.totals.rates(self.false_positives, self.true_positives)
        for rate in rates:
            rate.flags.writeable = False
        return rates

    @cached_property
    def auc(self) -> float:
        """The area under the curve: the chance that a positive outranks a negative, ties half."""
        self._check_rising("auc")
        area = twice_area(self.false_positives, self.true_positives)
        return area / (2 * self.totals.positives * self.totals.negatives)

    @property
    def gini(self) -> float:
        """2 AUC - 1."""
        self._check_rising("gini")
        area = twice_area(self.false_positives, self.true_positives)
        whole = self.totals.positives * self.totals.negatives
        return (area - whole) / whole

    @property
    def equal_error_rate(self) -> float:
        """The rate at which FPR = 1 - TPR on the interpolated curve."""
        self._check_rising("equal_error_rate")
        return equal_error_rate(self.fpr, self.tpr)

    def partial_auc(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        standardized: bool = False,
    ) -> float:
        """Return the area over a range of FPR, or beside a range of TPR.

        Over FPR in [a, b] it is the integral of TPR; over TPR in [a, b] the integral of 1 - FPR.
        Standardized (McClish), random guessing has 1/2 and a perfect classifier 1.
        """
        self._check_rising("partial_auc")
        return partial_auc((self.fpr, self.tpr), fpr=fpr, tpr=tpr, standardized=standardized)

    def tpr_at(self, fpr: float) -> float:
        """Return the highest TPR of the interpolated curve at this FPR."""
        self._check_rising("tpr_at")
        return tpr_at(self.fpr, self.tpr, fpr)

    def fpr_at(self, tpr: float) -> float:
        """Return the lowest FPR of the interpolated curve at this TPR."""
        self._check_rising("fpr_at")
        return fpr_at(self.fpr, self.tpr, tpr)

    def at(self, threshold: float) -> RocPoint:
        """Return the point that is reached when rows scoring at least `threshold` alarm.

        Examples
        --------
        >>> import rocch
        >>> curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> point = curve.at(0.5)
        >>> point.fpr, point.tpr, point.performance(prevalence=0.1).precision
        (0.0, 0.5, 1.0)
        """
        if self.thresholds is None:
            raise UndefinedError(
                f"{self.name} outputs labels only, so it has no threshold to move. Use points()."
            )
        if not is_number(threshold):
            raise InputError("threshold", "be a number", repr(threshold), "Pass a score.")
        return self.point(int(np.searchsorted(-self.thresholds, -threshold, side="right")))

    def points(self) -> list[RocPoint]:
        """Return all points, from *never* to *always*."""
        return [self.point(i) for i in range(len(self))]

    def point(self, index: int) -> RocPoint:
        """Return one point; negative indices count from *always* backwards."""
        if not -len(self) <= index < len(self):
            raise InputError(
                "index", f"be below {len(self)}, the number of points", index, "See len(curve)."
            )
        index %= len(self)
        fp, tp = (self.totals.amount(int(counts[index])) for counts in self._counts)
        name, threshold, deployed = self._holder(index)
        return make_point(
            (float(self.fpr[index]), float(self.tpr[index])),
            (fp, tp),
            [(name, threshold, deployed)],
        )

    @property
    def _counts(self) -> tuple[IntArray, IntArray]:
        return self.false_positives, self.true_positives

    def _holder(self, index: int) -> tuple[str, Threshold, Threshold]:
        if index == 0:
            return NEVER, None, None
        if index == len(self) - 1:
            return ALWAYS, None, None
        if self.thresholds is None:
            setting = self.settings[index - 1] if self.settings else None
            return self.name, setting, setting
        threshold, lower = self.thresholds[index - 1 : index + 1].tolist()
        return self.name, threshold, midpoint(threshold, lower)

    def _check_rising(self, what: str) -> None:
        if not self.scoring and (np.diff(self.true_positives) < 0).any():
            raise UndefinedError(
                f"{what} is undefined for {self.name}: its labeled points are not nested, so no "
                "curve runs through them. Use the hull: RocHull.of(curve)."
            )


def auc(y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
    """Return the area under the ROC curve, exact, without building the curve.

    Examples
    --------
    >>> import rocch
    >>> rocch.auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    if sample_weight is not None:
        return RocCurve.from_scores(
            y_true, y_score, pos_label=pos_label, sample_weight=sample_weight
        ).auc
    positive = as_positive(y_true, pos_label)
    scores = as_scores(y_score, positive.size)
    hits = int(np.count_nonzero(positive))
    return twice_pairs_won(scores, positive) / (2 * hits * (positive.size - hits))
