"""ROC curves and the measures read off them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, IntArray, Label
from rocch.device import DeviceRows
from rocch.errors import Hint, InputError, UndefinedError, format_count
from rocch.inputs import (
    as_array,
    as_name,
    as_scores,
    as_weights,
    as_whole,
    check_length,
    explain_call,
    find_name,
    is_number,
)
from rocch.kernels.counting import (
    count_points,
    integer_weights,
    twice_pairs_won,
    weighted_counts,
)
from rocch.kernels.hull import twice_area
from rocch.labels import as_positive, as_predicted_positive
from rocch.results import Table, Tabular
from rocch.roc.conditions import OBSERVED, Bounds
from rocch.roc.curve_table import USUAL, CurveTable, Cutoff, tabulate
from rocch.roc.operating_point import (
    ALWAYS,
    NEVER,
    ClassTotals,
    CountedPath,
    Holder,
    RocPoint,
    midpoint,
)
from rocch.roc.partial_auc import PartialAuc
from rocch.rows import ScoredRows, warn_of_reversed_scores
from rocch.svg import Line, draw_lines


def whole_weights(
    positive: BoolArray, sample_weight: ArrayLike | None, argument: str = "sample_weight"
) -> tuple[IntArray, float]:
    """Return weights in whole units, and the unit."""
    given = as_weights(sample_weight, positive.size, argument=argument)
    weights, unit = integer_weights(given)
    _check_both_weigh(positive, weights, argument)
    return weights, unit


def _check_both_weigh(positive: BoolArray, weights: IntArray, argument: str) -> None:
    if not weights[positive].any() or not weights[~positive].any():
        raise InputError(
            argument,
            "leave both classes some weight",
            "zero for one class, or so little beside the largest that it is rounded to zero",
        )


def _count_classes(rows: ScoredRows) -> ClassTotals:
    weights, unit = rows.units
    if weights is not None:
        _check_both_weigh(rows.positive, weights, "sample_weight")
    return ClassTotals.of(rows.positive, weights, unit)


def _as_count(count: Any, argument: str, *, least: int = 0) -> int:
    """Return a whole number, which may be written as a float or a decimal."""
    try:
        whole = count if isinstance(count, bool) else int(count)
    except (TypeError, ValueError, OverflowError):
        whole = None
    hint = "It counts rows of one class."
    return as_whole(whole if whole == count else count, argument, least=least, hint=hint)


def _as_counts(counts: ArrayLike, argument: str) -> list[int]:
    given = as_array(np.atleast_1d(counts), argument)
    return [_as_count(count, argument) for count in given.tolist()]


def _from_zero(counts: Sequence[int] | IntArray) -> IntArray:
    """Return counts after a 0; Python integers beyond int64."""
    if isinstance(counts, np.ndarray):
        return np.concatenate((np.zeros(1, dtype=np.int64), counts))
    return np.array([0, *counts], dtype=np.int64 if max(counts) < 2**63 else object)


@explain_call("RocCurve.from_scores(y_true, y_score, name='nb')")
@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(CountedPath, Tabular):
    """The ROC points of one classifier, as exact counts, from *never* to *always*.

    Build it with `from_scores`, `from_labels` or `from_counts`. Each distinct score has one point,
    which counts the rows that score at least as much.

    Attributes
    ----------
    totals
        Class totals and a fingerprint of the labels.
    false_positives, true_positives
        Counts, in `totals.unit`.
    lowest_scores
        The lowest score that alarms at each point but the first: `lowest_scores[i]` belongs to
        point i + 1. They are the distinct scores, falling. None for a classifier that outputs
        labels only.
    settings
        For such a classifier, the names of its settings, in the order of the inner points.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="nb")
    >>> curve.auc
    0.75
    >>> curve.lowest_scores
    array([0.8 , 0.4 , 0.35, 0.1 ])
    >>> curve.tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    """

    name: str
    totals: ClassTotals
    false_positives: IntArray
    true_positives: IntArray
    lowest_scores: FloatArray | None = None
    settings: tuple[str | None, ...] | None = None

    def __post_init__(self) -> None:
        for array in (self.false_positives, self.true_positives, self.lowest_scores):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        kind = f"{len(self)} points" if self.scoring else f"{len(self) - 2} labeled point(s)"
        return (
            f"<RocCurve {self.name!r}: {kind}, {format_count(self.totals.positives, 'positive')}, "
            f"{format_count(self.totals.negatives, 'negative')}>"
        )

    def _columns(self) -> Table:
        unit = 1 if self.totals.unit == 1 else self.totals.unit
        fp, tp = (counts * unit for counts in self._counts)
        rates = {"fpr": self.fpr, "tpr": self.tpr, "false_positives": fp, "true_positives": tp}
        return {"threshold": self.deployed_thresholds, **rates}

    @property
    def deployed_thresholds(self) -> list[float | str | None]:
        """The threshold of each point for new rows, or the name of its setting."""
        if self.lowest_scores is None:
            return [None, *(self.settings or [None] * (len(self) - 2)), None]
        upper, lower = self.lowest_scores[:-1], self.lowest_scores[1:]
        return [None, *map(midpoint, upper.tolist(), lower.tolist()), None]

    def _picture(self) -> str:
        points = () if self.scoring else zip(self.fpr.tolist(), self.tpr.tolist(), strict=True)
        lines = [Line(self.name, self.fpr, self.tpr)] if self.scoring else []
        return draw_lines(lines, "FPR", "TPR", points=points, whole=True, diagonal=True)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RocCurve):
            return NotImplemented
        mine, theirs = (
            ((curve.name, curve.totals, curve.settings), (*curve._counts, curve.lowest_scores))
            for curve in (self, other)
        )
        return mine[0] == theirs[0] and all(map(np.array_equal, mine[1], theirs[1]))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((self.name, self.totals, len(self)))

    @classmethod
    def from_rows(cls, rows: ScoredRows | DeviceRows, name: str) -> Self:
        """Count the points of one classifier of scored rows, where its scores are."""
        if isinstance(rows, DeviceRows):
            lowest_scores, fp, tp = rows.curve(name)
            totals = ClassTotals(*rows.totals)
            return cls(name, totals, _from_zero(fp), _from_zero(tp), lowest_scores)
        column: Any = rows.scores[name]
        totals, (weights, _) = _count_classes(rows), rows.units
        if column.dtype == bool:
            return cls._labeled(name, totals, [(*rows.count(column), None)])
        if weights is None:
            lowest_scores, fp, tp = count_points(column, rows.positive)
            return cls(name, totals, fp, tp, lowest_scores)
        lowest_scores, fp, tp = weighted_counts(column, rows.positive, weights)
        return cls(name, totals, _from_zero(fp), _from_zero(tp), lowest_scores)

    @classmethod
    def from_scores(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Label | None = None,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
    ) -> Self:
        """Count the points of a scoring classifier (Provost and Fawcett, Table 1).

        Parameters
        ----------
        y_true
            Labels: boolean, 0/1, -1/1, true/false or yes/no, or any with `pos_label`.
        y_score
            Scores, higher for the positive class; they may be infinite.
        pos_label
            The positive class; all others are negative.
        sample_weight
            Weights of rows, or costs of errors that differ by row (Provost and Fawcett, section 5);
            see `rocch.kernels.counting`.
        name
            The name of the classifier; by default that of a series, or "classifier".
        """
        name = as_name(find_name(y_score) if name is None else name)
        if sample_weight is None:
            there = DeviceRows.of(y_true, {"y_score": y_score}, pos_label)
            if there is not None:
                curve = cls.from_rows(there.named([name]), name)
                warn_of_reversed_scores({name: (curve.auc, *there.totals)})
                return curve
        positive = as_positive(y_true, pos_label)
        scores = as_scores(y_score, positive.size)
        weights = None if sample_weight is None else as_weights(sample_weight, positive.size)
        rows = ScoredRows(positive, {name: scores}, weights)
        curve = cls.from_rows(rows, name)
        rows.warn_of_reversed_scores((lambda _: curve.auc) if weights is None else None)
        return curve

    @classmethod
    def from_labels(
        cls,
        y_true: ArrayLike,
        y_pred: Columns,
        *,
        pos_label: Label | None = None,
        sample_weight: ArrayLike | None = None,
        name: str = "classifier",
    ) -> Self:
        """Count the points of a classifier that outputs labels only.

        `y_pred` holds predicted labels, or maps names of settings to them.

        Examples
        --------
        >>> import rocch
        >>> rules = rocch.RocCurve.from_labels([0, 0, 1, 1], [0, 1, 1, 1], name="rules")
        >>> [(point.fpr, point.tpr) for point in rules.points()]
        [(0.0, 0.0), (0.5, 1.0), (1.0, 1.0)]
        """
        positive = as_positive(y_true, pos_label)
        weights = None if sample_weight is None else as_weights(sample_weight, positive.size)
        rows = ScoredRows(positive, {}, weights)
        totals = _count_classes(rows)
        settings = y_pred if isinstance(y_pred, Mapping) else {None: y_pred}
        if not settings:
            raise InputError("y_pred", "have at least one setting", "none")
        points = []
        for setting, predicted in settings.items():
            argument = "y_pred" if setting is None else f"y_pred[{setting!r}]"
            chosen = as_predicted_positive(predicted, y_true, pos_label, argument=argument)
            label = None if setting is None else str(setting)
            points.append((*rows.count(chosen), label))
        return cls._labeled(name, totals, points)

    @classmethod
    def from_counts(
        cls,
        false_positives: ArrayLike,
        true_positives: ArrayLike,
        *,
        negatives: int,
        positives: int,
        lowest_scores: ArrayLike | None = None,
        name: str = "classifier",
    ) -> Self:
        """Build a curve from known counts, for example those of a paper.

        Falling `lowest_scores` must end at the totals. Without them, each point is a setting of a
        classifier that outputs labels only.

        Examples
        --------
        >>> import rocch
        >>> paper = rocch.RocCurve.from_counts([9, 2], [8, 6], negatives=20, positives=10)
        >>> paper.settings  # in the order of the points
        ('2', '1')
        """
        fp = _as_counts(false_positives, "false_positives")
        tp = _as_counts(true_positives, "true_positives")
        totals = ClassTotals(
            _as_count(negatives, "negatives", least=1), _as_count(positives, "positives", least=1)
        )
        check_length(len(tp), len(fp), "true_positives", "points")
        if max(fp) > totals.negatives or max(tp) > totals.positives:
            raise InputError(
                "false_positives, true_positives",
                "not exceed {negatives} and {positives}",
                f"up to {max(fp)} of {negatives} and {max(tp)} of {positives}",
            )
        if lowest_scores is None:
            settings = [None] if len(fp) == 1 else [str(i + 1) for i in range(len(fp))]
            return cls._labeled(name, totals, list(zip(fp, tp, settings, strict=True)))
        scores = as_scores(lowest_scores, argument="lowest_scores").copy()
        check_length(scores.size, len(fp), "lowest_scores", "points other than (0, 0)")
        rising = fp == sorted(fp) and tp == sorted(tp)
        complete = (fp[-1], tp[-1]) == (totals.negatives, totals.positives)
        if not (rising and complete and (np.diff(scores) < 0).all()):
            raise InputError(
                "lowest_scores",
                "fall while the counts rise to the totals",
                "points in another order, or without the last one",
                "Sort the points from the highest score to the lowest.",
            )
        return cls(as_name(name), totals, _from_zero(fp), _from_zero(tp), scores)

    @classmethod
    def _labeled(
        cls, name: str, totals: ClassTotals, points: Sequence[tuple[int, int, str | None]]
    ) -> Self:
        fp, tp, settings = zip(*sorted(points, key=lambda point: point[:2]), strict=True)
        counts = _from_zero([*fp, totals.negatives]), _from_zero([*tp, totals.positives])
        return cls(as_name(name), totals, *counts, settings=settings)

    @property
    def scoring(self) -> bool:
        """Whether the classifier has scores, and so thresholds."""
        return self.lowest_scores is not None

    @property
    def gini(self) -> float:
        """2 AUC - 1."""
        self._check_joined("gini")
        whole = self.totals.positives * self.totals.negatives
        return (twice_area(*self._counts) - whole) / whole

    def partial_auc(
        self,
        *,
        fpr: Bounds | None = None,
        tpr: Bounds | None = None,
        standardized: bool = False,
    ) -> float:
        """Return the area over a range of FPR, or the integral of 1 - FPR over a range of TPR.

        Standardized (McClish), random guessing has 1/2 and a perfect classifier 1. For an interval
        see `rocch.stats.partial_auc_interval`.
        """
        self._check_joined("partial_auc")
        area = PartialAuc(fpr=fpr, tpr=tpr, standardized=standardized)
        return area.value(area.share(self.fpr, self.tpr))

    def at(self, threshold: float) -> RocPoint:
        """Return the point at which rows with at least this score alarm.

        Examples
        --------
        >>> import rocch
        >>> curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> point = curve.at(0.5)
        >>> point.fpr, point.tpr, point.performance(prevalence=0.1).precision
        (0.0, 0.5, 1.0)
        """
        if not is_number(threshold):
            raise InputError("threshold", "be a number", repr(threshold))
        return self.point(int(self.index_at(np.array(threshold, dtype=float))))

    def index_at(self, thresholds: FloatArray) -> IntArray:
        """Return the index of the last point at or above each threshold."""
        if self.lowest_scores is None:
            raise UndefinedError(
                f"{self.name} outputs labels only, so it has no threshold to move.",
                hint=Hint("Use points()."),
            )
        return np.searchsorted(-self.lowest_scores, -thresholds, side="right")

    def table(
        self,
        thresholds: ArrayLike | Cutoff | None = None,
        *,
        fpr: ArrayLike | None = None,
        tpr: ArrayLike | None = None,
        specificity: ArrayLike | None = None,
        sensitivity: ArrayLike | None = None,
        metrics: Sequence[str] = USUAL,
        prevalence: float | str = OBSERVED,
        confidence: float | None = None,
    ) -> CurveTable:
        """Return measures at thresholds, with intervals.

        Parameters
        ----------
        thresholds
            Rows with at least this score alarm; by default all points of the curve. Or a cut-off
            that is chosen on these rows, and so looks better than it is on new ones: "youden" (the
            largest TPR - FPR) or "closest_topleft" (the least distance to FPR 0 and TPR 1).
        fpr, tpr, specificity, sensitivity
            Instead of thresholds: the largest FPRs, or the smallest of the others, that are
            allowed, each met by the best single threshold.
        metrics
            Names of measures of `Performance`, in any case. `true_positives`, `false_positives`,
            `true_negatives` and `false_negatives` are counts of the evaluation rows.
        prevalence
            The share of positives where the classifier is used, or "observed".
        confidence
            With it, measures have bounds for thresholds that were fixed beforehand. Rates of one
            class, and at the observed prevalence those of all rows, are Clopper-Pearson.
            Likelihood and odds ratios have the log method's, with half a row in each cell where a
            cell is empty; an infinite ratio has an infinite upper bound. Counts and other scores
            (`f_score`, `lift`, correlations) have none.

        Examples
        --------
        >>> import rocch
        >>> curve = rocch.RocCurve.from_scores([0] * 40 + [1] * 10, range(50), name="nb")
        >>> print(curve.table([30, 40], metrics=["tpr", "precision"], confidence=0.95))
        nb at prevalence 0.2, 95% intervals
        threshold  tpr  tpr_low  tpr_high  precision  precision_low  precision_high
               30    1   0.6915         1        0.5          0.272           0.728
               40    1   0.6915         1          1         0.6915               1
        >>> print(curve.table("youden", metrics=["Sensitivity", "Specificity"]))
        nb at prevalence 0.2, at the highest Youden's J on these rows (optimistic for new ones)
        threshold  Sensitivity  Specificity
             39.5            1            1
        """
        limits = {"fpr": fpr, "tpr": tpr, "specificity": specificity, "sensitivity": sensitivity}
        return tabulate(
            self,
            thresholds,
            limits=limits,
            metrics=metrics,
            prevalence=prevalence,
            confidence=confidence,
        )

    def points(self) -> list[RocPoint]:
        """Return all points, from *never* to *always*."""
        return [self.point(i) for i in range(len(self))]

    def point(self, index: int) -> RocPoint:
        """Return one point; negative indices count from the end."""
        if not -len(self) <= index < len(self):
            raise InputError("index", f"be below {len(self)}, the number of points", index)
        index %= len(self)
        fp, tp = (int(counts[index]) for counts in self._counts)
        return self.totals.point(fp, tp, [self._holder(index)])

    def _holder(self, index: int) -> Holder:
        if index == 0:
            return NEVER, None, None
        if index == len(self) - 1:
            return ALWAYS, None, None
        if self.lowest_scores is None:
            setting = self.settings[index - 1] if self.settings else None
            return self.name, setting, setting
        lowest, lower = self.lowest_scores[index - 1 : index + 1].tolist()
        return self.name, lowest, midpoint(lowest, lower)

    def _check_joined(self, what: str) -> None:
        if not self.scoring and (np.diff(self.true_positives) < 0).any():
            raise UndefinedError(
                f"{what} is undefined for {self.name}: its labeled points are not nested, so no "
                "curve runs through them.",
                hint=Hint("Use the hull: RocHull.of(curve)."),
            )


def auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Return the exact area under the ROC curve.

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
    there = DeviceRows.of(y_true, {"y_score": y_score}, pos_label)
    if there is not None:
        area, totals = there.auc("y_score"), there.totals
    else:
        positive = as_positive(y_true, pos_label)
        scores = as_scores(y_score, positive.size)
        positives = int(np.count_nonzero(positive))
        totals = positive.size - positives, positives
        area = twice_pairs_won(scores, positive) / (2 * math.prod(totals))
    warn_of_reversed_scores({find_name(y_score): (area, *totals)})
    return area
