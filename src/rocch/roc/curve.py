"""One classifier in ROC space: a curve if it scores, a point or a few if it only labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.errors import UndefinedError, bad_input, explain_call, quantity
from rocch.inputs import as_name, as_positive, as_scores, is_number
from rocch.kernels.counting import twice_pairs_won
from rocch.kernels.hull import twice_area
from rocch.roc import measures
from rocch.roc.counts import count_labels, count_scores, given_counts
from rocch.roc.point import ALWAYS, NEVER, RocPoint, Threshold, make_point, midpoint

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray
    from rocch.roc.judged import Judged


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
            f"<RocCurve {self.name!r}: {kind}, {quantity(self.judged.positives, 'positive')}, "
            f"{quantity(self.judged.negatives, 'negative')}>"
        )

    def __len__(self) -> int:
        return self.false_positives.size

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RocCurve):
            return NotImplemented
        same = (self.name, self.judged, self.settings) == (other.name, other.judged, other.settings)
        mine = (*self._counts, self.thresholds)
        theirs = (*other._counts, other.thresholds)
        return same and all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((self.name, self.judged, len(self)))

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
                f"{self.name} outputs labels only, so it has no threshold to move. Use points()."
            )
        if not is_number(threshold):
            raise bad_input("threshold", "be a number", repr(threshold), "Pass a score.")
        return self.point(int(np.searchsorted(-self.thresholds, -threshold, side="right")))

    def points(self) -> list[RocPoint]:
        """Return all points, from *never* to *always*."""
        return [self.point(i) for i in range(len(self))]

    def point(self, index: int) -> RocPoint:
        """Return one point; negative indices count from *always* backwards."""
        if not -len(self) <= index < len(self):
            raise bad_input(
                "index", f"be below {len(self)}, the number of points", index, "See len(curve)."
            )
        index %= len(self)
        fp, tp = (self.judged.amount(int(counts[index])) for counts in self._counts)
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
