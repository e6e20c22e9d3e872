"""Intervals for rates, boxes around thresholds, and bands around ROC curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import FloatArray, Label
from rocch.errors import Hint, InputError, UndefinedError
from rocch.inputs import (
    as_array,
    as_choice,
    as_instance,
    as_level,
    as_name,
    as_number,
    check_length,
    find_name,
)
from rocch.kernels.bounds import clopper_pearson, predictive_bounds, student_quantile
from rocch.kernels.hull import highest_tpr, lowest_tpr
from rocch.progress import Verbose
from rocch.results import Record, Records, Table, Tabular, field_values
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.roc.operating_point import OperatingPoint, RocPoint
from rocch.rows import ScoredRows
from rocch.stats.auc import last_accepted
from rocch.stats.resampling import Bootstrap, as_fprs, predicted_positives, resample
from rocch.svg import Line, draw_lines

RateMethod = Literal["clopper-pearson", "wilson"]
Kind = Literal["pointwise", "simultaneous"]
BandMethod = Literal["bootstrap", "kolmogorov"]


@dataclass(frozen=True, slots=True, repr=False)
class PointIntervals(Record):
    """The intervals of FPR and TPR at one point that was fixed beforehand.

    Both hold together with at least confidence^2.
    """

    fpr: Interval
    tpr: Interval


def rate_interval(
    count: float, rows: float, *, method: RateMethod = "clopper-pearson", confidence: float = 0.95
) -> Interval:
    """Return a confidence interval for a rate.

    Parameters
    ----------
    count, rows
        Effective numbers of weighted rows need not be whole.
    method
        "clopper-pearson" covers the truth at least as often as stated; "wilson" is shorter and
        covers it as often on average.
    confidence
        The stated coverage.

    Examples
    --------
    No false alarm among 300 rows does not make the rate 0:

    >>> import rocch
    >>> print(rocch.stats.rate_interval(0, 300))
    0..0.012221
    >>> print(rocch.stats.rate_interval(0, 300, method="wilson"))
    0..0.012643
    """
    level = as_level(confidence)
    total = as_number(rows, "rows", above=0, hint="A rate needs rows of its class.")
    hits = as_number(count, "count", least=0, most=total, hint="Pass a count out of {rows}.")
    if as_choice(method, get_args(RateMethod), "method") == "wilson":
        rate = np.array(hits / total)
        low, high = wilson(rate, rate * (1 - rate) / total, level, units=total, rows=total)
    else:
        low, high = clopper_pearson(np.array(hits), total, level)
    return Interval(float(low), float(high))


def point_intervals(
    curve: RocCurve | RocHull,
    at: float | RocPoint | OperatingPoint,
    *,
    method: RateMethod = "clopper-pearson",
    confidence: float = 0.95,
) -> PointIntervals:
    """Return confidence intervals for FPR and TPR at a point.

    Parameters
    ----------
    curve
        The curve or hull of the point.
    at
        A threshold of the curve, or a point (`curve.at(0.5)`, `hull.vertices[2]`).
    method, confidence
        As for `rate_interval`.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0] * 40 + [1] * 10, list(range(50)))
    >>> found = rocch.stats.point_intervals(curve, 40)
    >>> print(found.fpr, found.tpr)
    0..0.0880973 0.691503..1
    """
    counts, rows = _counts_at(curve, at)
    fpr, tpr = (
        rate_interval(count, total, method=method, confidence=confidence)
        for count, total in zip(counts, rows, strict=True)
    )
    return PointIntervals(fpr, tpr)


@dataclass(frozen=True, slots=True, repr=False)
class PredictiveValues(Record):
    """How often predictions are right at one point that was fixed beforehand.

    Attributes
    ----------
    ppv, ppv_interval
        The share of positives among predicted positives; None where there are none.
    npv, npv_interval
        The share of negatives among predicted negatives; None where there are none.
    prevalence
        The share of positives for which they hold.
    confidence
        That of each interval.
    """

    ppv: float | None
    ppv_interval: Interval
    npv: float | None
    npv_interval: Interval
    prevalence: float
    confidence: float

    def __str__(self) -> str:
        level = f"{100 * self.confidence:g}%"
        parts = (("PPV", self.ppv, self.ppv_interval), ("NPV", self.npv, self.npv_interval))
        text = ", ".join(
            f"{name} undefined"
            if value is None
            else f"{name} {value:.3f} ({level} interval {low:.3f} to {high:.3f})"
            for name, value, (low, high) in parts
        )
        return f"{text}, at prevalence {self.prevalence:.3g}"


def predictive_values(
    curve: RocCurve | RocHull,
    at: float | RocPoint | OperatingPoint,
    *,
    prevalence: float | None = None,
    confidence: float = 0.95,
) -> PredictiveValues:
    """Return PPV and NPV at a point, with intervals of at least nominal coverage.

    Parameters
    ----------
    curve, at
        As for `point_intervals`.
    prevalence
        The share of positives where the classifier is used. None is that of the rows, which must
        then be a random sample: cases and controls sampled separately need a stated one.
    confidence
        How often each interval covers the truth.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0] * 40 + [1] * 10, list(range(50)))
    >>> print(rocch.stats.predictive_values(curve, 38))
    PPV 0.833 (95% interval 0.516 to 0.979), NPV 1.000 (95% interval 0.907 to 1.000), at ...
    >>> found = rocch.stats.predictive_values(curve, 38, prevalence=0.02)
    >>> print(f"{found.ppv:.3f}, from {found.ppv_interval.low:.3f}")
    0.290, from 0.101
    """
    level = as_level(confidence)
    (fp, tp), (negatives, positives) = _counts_at(curve, at)
    tn, fn = negatives - fp, positives - tp
    share = None if prevalence is None else as_level(prevalence, "prevalence")
    ppv, ppv_interval = _predictive_value((tp, fp), (positives, negatives), level, share)
    share = None if share is None else 1 - share
    npv, npv_interval = _predictive_value((tn, fn), (negatives, positives), level, share)
    observed = positives / (positives + negatives)
    stated = observed if prevalence is None else float(prevalence)
    return PredictiveValues(ppv, ppv_interval, npv, npv_interval, stated, level)


def _predictive_value(
    counts: tuple[float, float], totals: tuple[float, float], level: float, share: float | None
) -> tuple[float | None, Interval]:
    """Return one predictive value; see `predictive_bounds`."""
    right, wrong = counts
    low, high = predictive_bounds(np.array(right), np.array(wrong), totals, level, share)
    limits = Interval(float(low), float(high))
    if not right + wrong:
        return None, limits
    if share is not None:
        right, wrong = share * right / totals[0], (1 - share) * wrong / totals[1]
    return right / (right + wrong), limits


def _counts_at(
    curve: RocCurve | RocHull, at: float | RocPoint | OperatingPoint
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return false and true positives at a point, and the rows of both classes."""
    as_instance(curve, (RocCurve, RocHull), "curve")
    totals = curve.totals
    if totals.weighted or totals.pooled:
        raise InputError(
            "curve",
            "be counted from plain rows, the same for all",
            "weighted rows" if totals.weighted else "rates from different rows",
            Hint("Use rocch.stats.rate_interval with the (effective) number of rows."),
        )
    at = at.point if isinstance(at, OperatingPoint) else at
    if not isinstance(at, RocPoint):
        if isinstance(curve, RocHull):
            hint = Hint("A hull has several models; see hull.vertices.")
            raise InputError("at", "be a point of the hull", repr(at), hint)
        at = curve.at(at)
    counts, rows = (at.false_positives, at.true_positives), (totals.negatives, totals.positives)
    rates = zip(counts, rows, (at.fpr, at.tpr), strict=True)
    if any(abs(count - rate * total) > 1e-6 * total for count, total, rate in rates):
        raise InputError(
            "at",
            "be a point of the same rows",
            f"{counts[0]:g} false and {counts[1]:g} true positives of other rows",
            "Take it from this curve or hull.",
        )
    return counts, rows


def wilson(
    rates: FloatArray,
    variances: FloatArray,
    level: float,
    *,
    units: float,
    rows: float,
    degrees: float | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's interval (1927) for rates with any variance.

    The variance decides the number of trials, from `units` to `rows`. With `degrees` of freedom the
    variance is an estimate, as for Student's t distribution.
    """
    z2 = student_quantile(level, degrees) ** 2
    implied = rates * (1 - rates) / np.where(variances > 0, variances, np.inf)
    trials = np.clip(implied, units, rows)
    middle = rates + z2 / (2 * trials)
    half = np.sqrt(z2 * (variances + z2 / (4 * trials**2)))
    low, high = ((middle + side * half) / (1 + z2 / trials) for side in (-1, 1))
    # rounding must not exclude the rate itself
    return np.clip(low, 0, rates), np.clip(high, rates, 1)


# Steps of the search for a band's width.
HALVINGS = 40

JOINT = "joint hull"

PROMISES = {
    ("pointwise", "bootstrap"): (
        "At one FPR that was named beforehand, the true TPR lies between low and high in about "
        "{level} of samples; the whole curve leaves the band more often."
    ),
    ("simultaneous", "bootstrap"): (
        "The whole true curve lies within the band in about {level} of samples; it holds at least "
        "as many bootstrap curves, so it is approximate."
    ),
    ("simultaneous", "kolmogorov"): (
        "The whole true curve lies within the band in at least {level} of samples, however few "
        "the rows and however the scores are distributed, if the rows are independent."
    ),
    ("pointwise", JOINT): (
        "At one FPR that was named beforehand, the hull that these models would have on endless "
        "rows lies between low and high in about {level} of samples, in fewer where rows are few. "
        "It is about the hull of these models alone, and a hull is optimistic: it has picked the "
        "luckiest points, for which the lower limit allows only as far as the bootstrap shows it."
    ),
}

# Where fewer negatives than this are expected to alarm, a pointwise band has no lower limit: in
# measurements, lower limits there fail far more often than stated.
FEWEST_ABOVE = 3


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RocBand(Tabular):
    """A band in ROC space, over a grid of FPRs.

    Attributes
    ----------
    model
        The model's name, or "joint hull".
    kind, method, confidence
        As passed.
    fpr
        The grid.
    low, high, center
        The lowest and highest TPR at each FPR, and that of the sample.
    curve
        The sample's curve, or its hull.
    promise
        What the band promises, in words.
    """

    model: str
    kind: Kind
    method: BandMethod
    confidence: float
    fpr: FloatArray
    low: FloatArray
    high: FloatArray
    center: FloatArray
    curve: RocCurve | RocHull
    promise: str

    def __post_init__(self) -> None:
        for array in (self.fpr, self.low, self.high, self.center):
            array.flags.writeable = False

    def __str__(self) -> str:
        return f"{100 * self.confidence:g}% {self.kind} band of {self.model}. {self.promise}"

    def _columns(self) -> Table:
        return {"fpr": self.fpr, "low": self.low, "center": self.center, "high": self.high}

    def _picture(self) -> str:
        lines = [Line(self.model, self.curve.fpr, self.curve.tpr)]
        fpr, low, high = self.outline()
        lines += [Line("high", fpr, high, dashed=True), Line("low", fpr, low, dashed=True)]
        return draw_lines(lines, "FPR", "TPR", whole=True, diagonal=True)

    def outline(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return FPRs, low and high of the band's edges, to draw them.

        Limits are known on the grid. In between, curves do not fall: they are at least as high as
        at the FPR before, and at most as high as at the next one. So the edges are steps, which
        hold wherever the limits on the grid do.
        """
        if self.fpr.size == 1:
            return self.fpr, self.low, self.high
        fpr, low, high = (np.repeat(column, 2) for column in (self.fpr, self.low, self.high))
        return fpr[1:-1], low[:-2], high[2:]

    def contains(self, tpr: ArrayLike) -> bool:
        """Return whether a curve with these TPRs on the grid lies within the band."""
        heights = as_array(tpr, "tpr")
        check_length(heights.size, self.fpr.size, "tpr", "FPRs")
        return bool(np.all((self.low <= heights) & (heights <= self.high)))


def roc_band(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    kind: Kind,
    method: BandMethod = "bootstrap",
    confidence: float = 0.95,
    pos_label: Label | None = None,
    groups: ArrayLike | None = None,
    replicates: int = 2000,
    random_state: int = 0,
    fprs: ArrayLike | None = None,
    name: str | None = None,
    verbose: Verbose = 0,
) -> RocBand:
    """Return a band around one classifier's ROC curve.

    Parameters
    ----------
    y_true, y_score, pos_label, name
        As for `RocCurve.from_scores`.
    kind
        "pointwise": for one FPR fixed beforehand. "simultaneous": for the whole curve.
    method
        "bootstrap", or for simultaneous bands also "kolmogorov": wider, but guaranteed for any
        number of independent rows.
    confidence
        How often the promise holds.
    groups, replicates, random_state, fprs, verbose
        As for `rocch.stats.bootstrap`.

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(2)
    >>> y = np.arange(300) < 100
    >>> band = rocch.stats.roc_band(
    ...     y, rng.normal(size=300) + y, kind="simultaneous", method="kolmogorov"
    ... )
    >>> print(band)
    95% simultaneous band of classifier. The whole true curve lies within the band in at least ...
    >>> band.contains(band.center)
    True
    """
    level = as_level(confidence)
    _check_band(kind, method)
    name = as_name(find_name(y_score) if name is None else name)
    rows = ScoredRows.of(y_true, {name: y_score}, pos_label=pos_label, groups=groups)
    if method == "kolmogorov":
        return _kolmogorov_band(rows, RocCurve.from_rows(rows, name), as_fprs(fprs), level)
    drawn = resample(
        rows, replicates=replicates, random_state=random_state, fprs=fprs, verbose=verbose
    )
    return band_from_bootstrap(drawn, name, kind=kind, method=method, confidence=level)


def band_from_bootstrap(
    drawn: Bootstrap, model: str | None, *, kind: Kind, method: BandMethod, confidence: float
) -> RocBand:
    """Return a band; see `Bootstrap.band`."""
    level = as_level(confidence)
    _check_band(kind, method)
    if model is None:
        return _joint_hull_band(drawn, kind, level)
    curve = drawn.curve(model)
    if method == "kolmogorov":
        return _kolmogorov_band(drawn.sample, curve, drawn.fprs, level)
    _check_scoring(curve)
    drawn.check_enough(level)
    center = highest_tpr(curve.fpr, curve.tpr, drawn.fprs)
    low, high = _vertical_limits(drawn, center, drawn.tpr(model), level)
    if drawn.sample.groups is None:
        # Kolmogorov's band holds the whole curve, and so each point of it. With few negatives the
        # bootstrap alone would go beyond.
        least, most = _kolmogorov_limits(curve, drawn.fprs, level)
        low, high = np.maximum(low, least), np.minimum(high, most)
    if kind == "simultaneous":
        # where few rows decide, a constant width is too little even for a single point
        least, most = _fixed_width_limits(drawn, curve, level)
        low, high = np.minimum(low, least), np.maximum(high, most)
    promise = _promise(PROMISES[kind, method], level)
    return RocBand(model, kind, method, level, drawn.fprs, low, high, center, curve, promise)


def _joint_hull_band(drawn: Bootstrap, kind: Kind, level: float) -> RocBand:
    if kind != "pointwise":
        raise InputError(
            "kind",
            "be 'pointwise' for the joint hull",
            repr(kind),
            "Name a model to get a band for its whole curve.",
        )
    hull, replicates = drawn.sample_hull, drawn.hull_tpr()
    center = highest_tpr(hull.fpr, hull.tpr, drawn.fprs)
    # replicates' hulls lie above the sample's as the sample's lies above the truth
    optimism = np.clip(replicates.mean(axis=0) - center, 0, center)
    low, _ = _vertical_limits(drawn, center - optimism, replicates, level)
    _, high = _vertical_limits(drawn, center, replicates, level)
    promise = _promise(PROMISES[kind, JOINT], level)
    return RocBand(JOINT, kind, "bootstrap", level, drawn.fprs, low, high, center, hull, promise)


def _vertical_limits(
    drawn: Bootstrap, center: FloatArray, replicates: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    variances = replicates.var(axis=0, ddof=1)
    units, rows = drawn.independent[1], drawn.sample_totals.positives
    low, high = wilson(center, variances, level, units=units, rows=rows)
    # between tied scores percentiles can reach farther than Wilson's interval
    tails = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    low, high = np.minimum(low, tails[0]), np.maximum(high, tails[1])
    low[drawn.fprs * drawn.independent[0] < FEWEST_ABOVE] = 0
    low[drawn.fprs == 1] = 1  # every curve ends there
    return low, high


def _fixed_width_limits(
    drawn: Bootstrap, curve: RocCurve, level: float
) -> tuple[FloatArray, FloatArray]:
    """Move the curve until enough replicates lie in between.

    The direction is 1 / sqrt(independent units) of each class (Campbell 1994; "FWB" of Macskassy,
    Provost and Rosset 2005).
    """
    by_class, replicates = np.array(drawn.independent), drawn.tpr(curve.name)
    least = 1 - ((1 - level) / 2) ** (1 / by_class)  # a width for perfect separation

    def limits(width: float) -> tuple[FloatArray, FloatArray]:
        return shift_curve(curve, drawn.fprs, np.maximum(width / np.sqrt(by_class), least))

    def wide_enough(width: float) -> bool:
        low, high = limits(width)
        inside = np.all((low <= replicates) & (replicates <= high), axis=1)
        return bool(np.mean(inside) >= level)

    return limits(last_accepted(wide_enough, float(np.sqrt(by_class.max())), 0.0, HALVINGS))


def _kolmogorov_band(rows: ScoredRows, curve: RocCurve, fprs: FloatArray, level: float) -> RocBand:
    _check_scoring(curve)
    if rows.groups is not None:
        raise InputError(
            "method",
            "be 'bootstrap' where rows come in groups",
            "'kolmogorov', which assumes independent rows",
        )
    low, high = _kolmogorov_limits(curve, fprs, level)
    center = highest_tpr(curve.fpr, curve.tpr, fprs)
    promise = _promise(PROMISES["simultaneous", "kolmogorov"], level)
    return RocBand(
        curve.name, "simultaneous", "kolmogorov", level, fprs, low, high, center, curve, promise
    )


def _kolmogorov_limits(
    curve: RocCurve, fprs: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Move the curve by Kolmogorov's distances (Campbell 1994)."""
    from scipy.stats import kstwo

    totals = np.array([curve.totals.negatives, curve.totals.positives])
    return shift_curve(curve, fprs, kstwo.ppf(level**0.5, totals))


def shift_curve(curve: RocCurve, fprs: FloatArray, by: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the curve moved right and down, and left and up."""
    right, up = by
    low = np.maximum(lowest_tpr(curve.fpr, curve.tpr, np.maximum(fprs - right, 0)) - up, 0)
    high = np.minimum(highest_tpr(curve.fpr, curve.tpr, np.minimum(fprs + right, 1)) + up, 1)
    low[fprs == 1] = 1  # every curve ends there
    return low, high


def _check_band(kind: Kind, method: BandMethod) -> None:
    as_choice(kind, get_args(Kind), "kind")
    as_choice(method, get_args(BandMethod), "method")
    if (kind, method) == ("pointwise", "kolmogorov"):
        raise InputError(
            "method",
            "be 'bootstrap' for a pointwise band",
            "'kolmogorov', which is for the whole curve",
            "Use {kind}='simultaneous'.",
        )


def _check_scoring(curve: RocCurve) -> None:
    if not curve.scoring:
        raise UndefinedError(
            f"{curve.name} outputs labels only: it has a point and no curve to put a band around.",
            hint=Hint("Use boxes(...) for the point."),
        )


def _promise(text: str, level: float) -> str:
    return text.format(level=f"{100 * level:g}%")


EXACT_BOX = (
    "Both true rates of this threshold, named beforehand, lie within the box in at least {level} "
    "of samples, if the rows are independent."
)
BOOTSTRAP_BOX = (
    "Both true rates of this threshold, named beforehand, lie within the box in about {level} of "
    "samples, if the groups are independent."
)


@dataclass(frozen=True, slots=True, repr=False)
class ThresholdBox(Record):
    """A box around the true point of one fixed threshold.

    Attributes
    ----------
    model, threshold
        The threshold is None for a model that outputs labels only.
    point
        FPR and TPR on the sample.
    fpr, tpr
        The sides; each has the root of the confidence.
    confidence
        That of this box alone.
    promise
        What the box promises, in words.
    """

    model: str
    threshold: float | None
    point: tuple[float, float]
    fpr: Interval
    tpr: Interval
    confidence: float
    promise: str

    def _row(self) -> dict[str, Any]:
        rates = {"fpr": self.point[0], "tpr": self.point[1]}
        sides = {name: value for name, value in field_values(self).items() if name != "promise"}
        first = {name: sides.pop(name) for name in ("model", "threshold")}
        return first | rates | sides

    def _title(self) -> str:
        return self.promise

    @classmethod
    def _caption(cls, records: Sequence[Self]) -> str:
        return "\n".join(dict.fromkeys(box.promise for box in records))


def threshold_boxes(
    y_true: ArrayLike,
    y_score: ArrayLike,
    thresholds: ArrayLike | None,
    *,
    confidence: float = 0.95,
    pos_label: Label | None = None,
    groups: ArrayLike | None = None,
    replicates: int = 2000,
    random_state: int = 0,
    name: str | None = None,
) -> Records[ThresholdBox]:
    """Return a box around the point of each threshold.

    Thresholds must be fixed without looking at these rows; a model that outputs labels only takes
    None. Sides are exact (Clopper and Pearson); with `groups` they are bootstrapped. Other
    arguments are as for `roc_band`.

    Examples
    --------
    >>> import rocch
    >>> y = [0] * 40 + [1] * 20
    >>> s = [*range(40), *range(30, 50)]
    >>> (box,) = rocch.stats.threshold_boxes(y, s, [35])
    >>> box.point
    (0.125, 0.75)
    >>> print(f"FPR {box.fpr.low:.3f} to {box.fpr.high:.3f}")
    FPR 0.035 to 0.289
    """
    name = as_name(find_name(y_score) if name is None else name)
    rows = ScoredRows.of(y_true, {name: y_score}, pos_label=pos_label, groups=groups)
    if groups is None:
        return _boxes(rows, name, thresholds, as_level(confidence))
    drawn = resample(rows, replicates=replicates, random_state=random_state)
    return boxes_from_bootstrap(drawn, name, thresholds, confidence=confidence)


def boxes_from_bootstrap(
    drawn: Bootstrap, model: str, thresholds: ArrayLike | None, *, confidence: float
) -> Records[ThresholdBox]:
    """Return boxes; see `Bootstrap.boxes`."""
    grouped = drawn if drawn.sample.groups is not None else None
    return _boxes(drawn.sample, model, thresholds, as_level(confidence), grouped)


def _boxes(
    rows: ScoredRows,
    model: str,
    thresholds: ArrayLike | None,
    level: float,
    drawn: Bootstrap | None = None,
) -> Records[ThresholdBox]:
    """Return exact boxes, or bootstrapped ones if groups were drawn."""
    counts = rows.count_all(np.atleast_2d(predicted_positives(rows, model, thresholds)))
    rates = [hits / total for hits, total in zip(counts, rows.totals, strict=True)]
    side = level**0.5
    if drawn is None:
        pairs = zip(counts, rows.totals, strict=True)
        limits = [clopper_pearson(hits, total, side) for hits, total in pairs]
    else:
        drawn.check_enough(level)
        replicates = drawn.rates_at({model: thresholds})[model]
        variances = [np.atleast_1d(each.var(axis=0, ddof=1)) for each in replicates]
        limits = [
            wilson(rate, variance, side, units=units, rows=total)
            for rate, variance, units, total in zip(
                rates, variances, drawn.independent, rows.totals, strict=True
            )
        ]
    promise = _promise(EXACT_BOX if drawn is None else BOOTSTRAP_BOX, level)
    wanted = [None] if thresholds is None else np.atleast_1d(thresholds).tolist()
    boxes = []
    for i, threshold in enumerate(wanted):
        fpr, tpr = (Interval(float(low[i]), float(high[i])) for low, high in limits)
        point = float(rates[0][i]), float(rates[1][i])
        boxes.append(ThresholdBox(model, threshold, point, fpr, tpr, level, promise))
    return Records(boxes)
