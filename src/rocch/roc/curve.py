"""One classifier in ROC space: a curve if it scores, a point or a few if it only labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.errors import UndefinedError, bad_input
from rocch.inputs import as_array, as_name, as_positive, as_scores, as_weights, check_length
from rocch.kernels.area import twice_area
from rocch.kernels.counting import distinct_counts, twice_pairs_won, weighted_counts
from rocch.kernels.weights import integer_weights
from rocch.roc import measures
from rocch.roc.judged import Judged, fingerprint
from rocch.roc.point import ALWAYS, NEVER, RocPoint, Threshold, make_point, midpoint

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray


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
    judged: Judged
    false_positives: IntArray
    true_positives: IntArray
    thresholds: FloatArray | None = None
    settings: tuple[str | None, ...] | None = None

    def __post_init__(self) -> None:
        for array in (self.false_positives, self.true_positives, self.thresholds):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        kind = f"{len(self)} points" if self.scoring else f"{len(self) - 2} labelled point(s)"
        return (
            f"<RocCurve {self.name!r}: {kind}, {self.judged.positives} positives, "
            f"{self.judged.negatives} negatives>"
        )

    def __len__(self) -> int:
        return self.false_positives.size

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
            Weights, one per row. Use them also for errors that cost differently from row to row
            (000, section 5): the cost of a false alarm for a negative row, of a miss for a
            positive one. Weighted counts follow the rule of `rocch.kernels.weights`.
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
        positive = as_positive(y_true, pos_label)
        scores = as_scores(y_score, positive.size)
        if sample_weight is None:
            thresholds, *counts = distinct_counts(scores, positive)
            judged = _judged(positive)
        else:
            weights, unit = integer_weights(as_weights(sample_weight, positive.size))
            judged = _weighted_judged(positive, weights, unit)
            thresholds, *counts = weighted_counts(scores, positive, weights)
        fp, tp = map(_from_zero, counts)
        return cls(as_name(name), judged, fp, tp, thresholds)

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
        positive = as_positive(y_true, pos_label)
        settings = y_pred if isinstance(y_pred, Mapping) else {None: y_pred}
        label = _positive_label(y_true, positive) if pos_label is None else pos_label
        if sample_weight is None:
            weights, judged = np.ones(positive.size, dtype=np.int64), _judged(positive)
        else:
            weights, unit = integer_weights(as_weights(sample_weight, positive.size))
            judged = _weighted_judged(positive, weights, unit)
        counts = []
        for setting, predicted in settings.items():
            alarm = _alarms(predicted, label, positive.size, setting)
            hits = int(weights[alarm & positive].sum())
            counts.append((int(weights[alarm].sum()) - hits, hits, setting))
        return cls._labelled(name, judged, counts)

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
        """
        fp, tp = (
            [_as_count(count, argument) for count in np.atleast_1d(counts).tolist()]
            for counts, argument in (
                (false_positives, "false_positives"),
                (true_positives, "true_positives"),
            )
        )
        judged = Judged(_as_total(negatives, "negatives"), _as_total(positives, "positives"))
        check_length(len(tp), len(fp), "true_positives")
        if max(fp) > judged.negatives or max(tp) > judged.positives:
            raise bad_input(
                "false_positives, true_positives",
                "not exceed negatives and positives",
                f"up to {max(fp)} of {negatives} and {max(tp)} of {positives}",
                "Check the totals.",
            )
        if thresholds is None:
            names = [None] if len(fp) == 1 else [str(i + 1) for i in range(len(fp))]
            return cls._labelled(name, judged, list(zip(fp, tp, names, strict=True)))
        return cls._scored_counts(name, judged, fp, tp, thresholds)

    @classmethod
    def _scored_counts(
        cls, name: str, judged: Judged, fp: list[int], tp: list[int], thresholds: Any
    ) -> Self:
        scores = as_scores(thresholds, len(fp), argument="thresholds")
        rising = all((np.diff(counts) >= 0).all() for counts in (fp, tp))
        total = (fp[-1], tp[-1]) == (judged.negatives, judged.positives)
        if not (rising and total and (np.diff(scores) < 0).all()):
            raise bad_input(
                "thresholds",
                "fall while the counts rise to the totals",
                "points in another order, or without the last one",
                "Sort the points from the highest threshold to the lowest score.",
            )
        return cls(as_name(name), judged, _as_counts([0, *fp]), _as_counts([0, *tp]), scores)

    @classmethod
    def _labelled(
        cls, name: str, judged: Judged, counts: list[tuple[int, int, str | None]]
    ) -> Self:
        counts = sorted(counts, key=lambda point: point[:2])
        fp = _as_counts([0, *(point[0] for point in counts), judged.negatives])
        tp = _as_counts([0, *(point[1] for point in counts), judged.positives])
        settings = tuple(None if s is None else str(s) for *_, s in counts)
        return cls(as_name(name), judged, fp, tp, settings=settings)

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
        rates = self.judged.rates(self.false_positives, self.true_positives)
        for rate in rates:
            rate.flags.writeable = False
        return rates

    @cached_property
    def auc(self) -> float:
        """The area under the curve: the chance that a positive outranks a negative, ties half."""
        self._check_rising("auc")
        area = twice_area(self.false_positives, self.true_positives)
        return area / (2 * self.judged.positives * self.judged.negatives)

    @property
    def gini(self) -> float:
        """2 AUC - 1."""
        self._check_rising("gini")
        area = twice_area(self.false_positives, self.true_positives)
        whole = self.judged.positives * self.judged.negatives
        return (area - whole) / whole

    @property
    def equal_error_rate(self) -> float:
        """The rate at which FPR = 1 - TPR on the interpolated curve."""
        self._check_rising("equal_error_rate")
        return measures.equal_error_rate(self.fpr, self.tpr)

    def partial_auc(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        standardised: bool = False,
    ) -> float:
        """Return the area over a range of FPR, or beside a range of TPR.

        Over FPR in [a, b] it is the integral of TPR; over TPR in [a, b] the integral of 1 - FPR.
        Standardised (McClish), random guessing has 1/2 and a perfect classifier 1.
        """
        self._check_rising("partial_auc")
        return measures.partial_auc(
            (self.fpr, self.tpr), fpr=fpr, tpr=tpr, standardised=standardised
        )

    def tpr_at(self, fpr: float) -> float:
        """Return the highest TPR of the interpolated curve at this FPR."""
        self._check_rising("tpr_at")
        return measures.tpr_at(self.fpr, self.tpr, fpr)

    def fpr_at(self, tpr: float) -> float:
        """Return the lowest FPR of the interpolated curve at this TPR."""
        self._check_rising("fpr_at")
        return measures.fpr_at(self.fpr, self.tpr, tpr)

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
                f"{self.name} outputs labels only, so it has no threshold. Use points()."
            )
        if np.isnan(threshold):
            raise bad_input("threshold", "be a number", threshold, "Pass a score.")
        return self.point(int(np.searchsorted(-self.thresholds, -threshold, side="right")))

    def points(self) -> list[RocPoint]:
        """Return all points, from *never* to *always*."""
        return [self.point(i) for i in range(len(self))]

    def point(self, index: int) -> RocPoint:
        """Return one point."""
        unit = self.judged.unit
        counts = [c[index].item() * (unit if unit != 1 else 1) for c in self._counts]
        name, threshold, deployed = self._holder(index)
        return make_point(
            (float(self.fpr[index]), float(self.tpr[index])),
            (counts[0], counts[1]),
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
                f"{what} is undefined for {self.name}: its labelled points are not nested, so no "
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


def _judged(positive: BoolArray) -> Judged:
    hits = int(np.count_nonzero(positive))
    return Judged(positive.size - hits, hits, rows=fingerprint(positive))


def _weighted_judged(positive: BoolArray, weights: IntArray, unit: float) -> Judged:
    hits, total = int(weights[positive].sum()), int(weights.sum())
    if hits in (0, total):
        raise bad_input(
            "sample_weight",
            "leave both classes some weight",
            "a total of 0 for one class",
            "A ROC curve needs at least one row of each class.",
        )
    return Judged(total - hits, hits, unit, True, fingerprint(positive, weights))


def _positive_label(y_true: Any, positive: BoolArray) -> Any:
    return as_array(y_true, "y_true")[np.argmax(positive)]


def _alarms(predicted: Any, label: Any, rows: int, setting: str | None) -> BoolArray:
    argument = "y_pred" if setting is None else f"y_pred[{setting!r}]"
    labels = as_array(predicted, argument)
    check_length(labels.size, rows, argument)
    return np.asarray(labels == label, dtype=bool)


def _as_count(count: Any, argument: str) -> int:
    if isinstance(count, bool) or count != int(count) or count < 0:
        raise bad_input(argument, "be counts: whole and not negative", repr(count), "Count rows.")
    return int(count)


def _as_total(count: Any, argument: str) -> int:
    total = _as_count(count, argument)
    if not total:
        raise bad_input(argument, "be at least 1", 0, "A ROC point needs rows of both classes.")
    return total


def _as_counts(counts: list[int]) -> IntArray:
    return np.array(counts, dtype=np.int64 if max(counts) < 2**63 else object)


def _from_zero(counts: IntArray) -> IntArray:
    return np.concatenate((np.zeros(1, dtype=np.int64), counts))
