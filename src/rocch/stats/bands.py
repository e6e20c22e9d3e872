"""Bands around ROC curves and boxes around thresholds, each named for what it promises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, UndefinedError
from rocch.inputs import as_choice, as_level, as_name
from rocch.kernels.bounds import clopper_pearson, normal_quantile
from rocch.kernels.hull import highest_tpr, lowest_tpr
from rocch.roc.conditions import Interval
from rocch.roc.curve import RocCurve
from rocch.stats.replicates import alarms_at, known_model
from rocch.stats.resampling import Bootstrap, as_fprs, bootstrap
from rocch.stats.sample import Sample

# --- How far a band reaches: from Wilson, from Kolmogorov, and from a bootstrap -------------------

HALVINGS = 40
"""How often the search for a band's width halves its range."""


def wilson(
    rates: FloatArray, variances: FloatArray, level: float, *, units: int, rows: int
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's interval for rates, with a bootstrap's variance in it.

    With the binomial variance it is Wilson's own. A bootstrap's adds what thresholds move; Wilson's
    shape keeps a width where all replicates agree (a rate of 0 or 1), where percentiles have none.
    Rows that come in fewer independent units count as so many trials as their variance tells, at
    least the units and at most the rows.
    """
    z2 = normal_quantile(level) ** 2
    told = rates * (1 - rates) / np.where(variances > 0, variances, np.inf)
    trials = np.clip(told, units, rows)
    middle = rates + z2 / (2 * trials)
    half = np.sqrt(z2 * (variances + z2 / (4 * trials**2)))
    low, high = ((middle + side * half) / (1 + z2 / trials) for side in (-1, 1))
    # the rate itself is inside but for rounding
    return np.clip(low, 0, rates), np.clip(high, rates, 1)


def kolmogorov(curve: RocCurve, fprs: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the curve moved by Kolmogorov's distances of both classes (Campbell 1994).

    Each class's distribution of scores lies within its distance, exactly as often as the root of
    the confidence says; the classes are independent. Ties only make it safer.
    """
    from scipy.stats import kstwo

    rows = np.array([curve.totals.negatives, curve.totals.positives])
    return shifted(curve, fprs, kstwo.ppf(level**0.5, rows))


def fixed_width(
    curve: RocCurve,
    replicates: FloatArray,
    fprs: FloatArray,
    level: float,
    *,
    units: tuple[int, int],
) -> tuple[FloatArray, FloatArray]:
    """Return the curve moved along one direction until enough replicates lie in between.

    The direction is that of the two classes' noise, 1 / sqrt(independent units) each (Campbell
    1994; "FWB" of Macskassy, Provost and Rosset 2005). Never nearer than a rate of 0 could be from
    the truth, so that a sample which separates the classes perfectly has a band too.
    """
    held = np.array(units)
    least = 1 - ((1 - level) / 2) ** (1 / held)

    def at(width: float) -> tuple[FloatArray, FloatArray]:
        return shifted(curve, fprs, np.maximum(width / np.sqrt(held), least))

    def share(width: float) -> float:
        low, high = at(width)
        return float(np.mean(np.all((low <= replicates) & (replicates <= high), axis=1)))

    narrow, wide = 0.0, float(np.sqrt(held.max()))
    for _ in range(HALVINGS):
        width = (narrow + wide) / 2
        narrow, wide = (narrow, width) if share(width) >= level else (width, wide)
    return at(wide)


def shifted(curve: RocCurve, fprs: FloatArray, by: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the curve moved right and down, and left and up, read at the FPRs."""
    right, up = by
    low = np.maximum(lowest_tpr(curve.fpr, curve.tpr, np.maximum(fprs - right, 0)) - up, 0)
    high = np.minimum(highest_tpr(curve.fpr, curve.tpr, np.minimum(fprs + right, 1)) + up, 1)
    low[fprs == 1] = 1  # every curve ends there
    return low, high


# --- Bands around ROC curves, each named for what it promises -------------------------------------

Kind = Literal["vertical", "simultaneous"]
Method = Literal["bootstrap", "kolmogorov"]
JOINT = "joint hull"

PROMISES = {
    ("vertical", "bootstrap"): (
        "At one FPR that was named beforehand, the true TPR lies between low and high in about "
        "{level} of samples; the whole curve leaves the band more often."
    ),
    ("simultaneous", "bootstrap"): (
        "The whole true curve lies within the band in about {level} of samples; the width is "
        "that which holds as many bootstrap curves, so it is approximate."
    ),
    ("simultaneous", "kolmogorov"): (
        "The whole true curve lies within the band in at least {level} of samples, however few "
        "the rows and however the scores are distributed, if the rows are independent."
    ),
    ("vertical", JOINT): (
        "At one FPR that was named beforehand, the hull that these models would have on endless "
        "rows lies between low and high in about {level} of samples, in fewer where rows are few. "
        "It is about the hull of these models alone, and a hull is optimistic: it has picked the "
        "luckiest points, for which the lower limit allows only as far as the bootstrap shows it."
    ),
}

FEWEST_ABOVE = 3
"""Where fewer negatives than this are expected to alarm, a vertical band has no lower limit.

The sample's few highest negatives say little about thresholds that hardly any negative reaches;
measured, lower limits there fail far more often than stated.
"""


class Sides(NamedTuple):
    """The lowest and the highest TPR of a band, and that of the sample itself."""

    low: FloatArray
    high: FloatArray
    center: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RocBand:
    """A band in ROC space, over a grid of FPRs.

    Attributes
    ----------
    model
        The model's name, or "joint hull".
    kind
        "vertical" or "simultaneous".
    confidence
        The confidence asked for.
    fpr
        The grid of FPRs.
    low, high
        The lowest and the highest TPR in the band at each of them.
    center
        The TPR of the sample's own curve or hull.
    promise
        What the band promises, in words.
    """

    model: str
    kind: Kind
    confidence: float
    fpr: FloatArray
    low: FloatArray
    high: FloatArray
    center: FloatArray
    promise: str

    def __post_init__(self) -> None:
        for array in (self.fpr, self.low, self.high, self.center):
            array.flags.writeable = False

    def __str__(self) -> str:
        return f"{100 * self.confidence:g} % {self.kind} band of {self.model}. {self.promise}"

    def contains(self, tpr: Any) -> bool:
        """Say whether a curve with these TPRs at the grid's FPRs lies within the band."""
        heights = np.asarray(tpr, dtype=np.float64)
        if heights.shape != self.fpr.shape:
            raise InputError(
                "tpr",
                f"have one value for each of the {self.fpr.size} FPRs",
                f"an array of shape {heights.shape}",
                "Read the curve at band.fpr.",
            )
        return bool(np.all((self.low <= heights) & (heights <= self.high)))


def roc_band(
    y_true: Any,
    y_score: Any,
    *,
    kind: Kind,
    method: Method = "bootstrap",
    confidence: float = 0.95,
    pos_label: Any = None,
    groups: Any = None,
    replicates: int = 2000,
    seed: int = 0,
    fprs: Any = None,
    name: str = "classifier",
) -> RocBand:
    """Return a band around one classifier's ROC curve.

    Parameters
    ----------
    y_true, y_score, pos_label, name
        As for `RocCurve.from_scores`.
    kind
        "vertical": for one FPR that was named beforehand. "simultaneous": for the whole curve.
    method
        "bootstrap", or for simultaneous bands also "kolmogorov": wider, but a guarantee for
        any number of independent rows, and no bootstrap is run.
    confidence
        How often the promise should hold.
    groups, replicates, seed, fprs
        As for `rocch.stats.bootstrap`.

    Returns
    -------
    RocBand

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(2)
    >>> y = np.arange(300) < 100
    >>> band = rocch.stats.roc_band(y, rng.normal(size=300) + y, kind="simultaneous", method="kolmogorov")
    >>> print(band)
    95 % simultaneous band of classifier. The whole true curve lies within the band in at least 95 % of samples, however few the rows and however the scores are distributed, if the rows are independent.
    >>> band.contains(band.center)
    True
    """  # noqa: E501 - the output of an example is one line
    scores = {as_name(name): y_score}
    level = as_level(confidence)
    _check(kind, method)
    if method == "kolmogorov":
        sample = Sample.of(y_true, scores, pos_label=pos_label, groups=groups)
        return _kolmogorov(sample, _scoring(sample.curve(name)), as_fprs(fprs), level)
    drawn = bootstrap(
        y_true,
        scores,
        pos_label=pos_label,
        groups=groups,
        replicates=replicates,
        seed=seed,
        fprs=fprs,
    )
    return band_of(drawn, name, kind=kind, method=method, confidence=level)


def band_of(
    drawn: Bootstrap, model: str | None, *, kind: Kind, method: Method, confidence: float
) -> RocBand:
    """Return a band around a model's curve, or around the joint hull; see `Bootstrap.band`."""
    level = as_level(confidence)
    _check(kind, method)
    if model is None:
        return _around_joint_hull(drawn, kind, level)
    curve, replicates = _scoring(drawn.curve(model)), drawn.tpr(model)
    if method == "kolmogorov":
        return _kolmogorov(drawn.sample, curve, drawn.fprs, level)
    drawn.check_enough(level)
    center = highest_tpr(curve.fpr, curve.tpr, drawn.fprs)
    if kind == "vertical":
        sides = _vertical(drawn, center, replicates, level)
    else:
        limits = fixed_width(curve, replicates, drawn.fprs, level, units=drawn.independent)
        sides = Sides(*limits, center)
    return _band(model, kind, method, level, drawn.fprs, sides)


def _around_joint_hull(drawn: Bootstrap, kind: Kind, level: float) -> RocBand:
    if kind != "vertical":
        raise InputError(
            "kind",
            "be 'vertical' for the joint hull",
            repr(kind),
            "Name a model to get a band for its whole curve.",
        )
    hull, replicates = drawn.sample_hull, drawn.hull_tpr()
    center = highest_tpr(hull.fpr, hull.tpr, drawn.fprs)
    # Replicates' hulls lie above the sample's as the sample's lies above the truth.
    optimism = np.clip(replicates.mean(axis=0) - center, 0, center)
    sides = _vertical(drawn, center, replicates, level)
    lower = _vertical(drawn, center - optimism, replicates, level)
    return _band(JOINT, kind, JOINT, level, drawn.fprs, sides._replace(low=lower.low))


def _vertical(drawn: Bootstrap, center: FloatArray, replicates: FloatArray, level: float) -> Sides:
    variances = replicates.var(axis=0, ddof=1)
    units, rows = drawn.independent[1], drawn.sample_totals.positives
    low, high = wilson(center, variances, level, units=units, rows=rows)
    # Between two grades the curve is far surer than Wilson's rows; percentiles know that.
    tails = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    low, high = np.minimum(low, tails[0]), np.maximum(high, tails[1])
    low[drawn.fprs * drawn.independent[0] < FEWEST_ABOVE] = 0
    low[drawn.fprs == 1] = 1  # every curve ends there
    return Sides(low, high, center)


def _kolmogorov(sample: Sample, curve: RocCurve, fprs: FloatArray, level: float) -> RocBand:
    if sample.groups is not None:
        raise InputError(
            "method",
            "be 'bootstrap' where rows come in groups",
            "'kolmogorov', which counts on independent rows",
            "The bootstrap draws whole groups.",
        )
    sides = Sides(*kolmogorov(curve, fprs, level), highest_tpr(curve.fpr, curve.tpr, fprs))
    return _band(curve.name, "simultaneous", "kolmogorov", level, fprs, sides)


def _check(kind: Kind, method: Method) -> None:
    as_choice(kind, ("vertical", "simultaneous"), "kind")
    as_choice(method, ("bootstrap", "kolmogorov"), "method")
    if (kind, method) == ("vertical", "kolmogorov"):
        raise InputError(
            "method",
            "be 'bootstrap' for a vertical band",
            "'kolmogorov', whose band holds the whole curve",
            "Ask for kind='simultaneous'.",
        )


def _scoring(curve: RocCurve) -> RocCurve:
    if not curve.scoring:
        raise UndefinedError(
            f"{curve.name} outputs labels only: it has a point and no curve to put a band around. "
            "Use boxes(...) for the point."
        )
    return curve


def _band(
    model: str, kind: Kind, method: str, level: float, fprs: FloatArray, sides: Sides
) -> RocBand:
    promise = PROMISES[kind, method].format(level=f"{100 * level:g} %")
    return RocBand(model, kind, level, fprs, *sides, promise)


# --- Boxes around the points of fixed thresholds: an interval for FPR and one for TPR -------------

EXACT = (
    "Both true rates of this threshold, named beforehand, lie within the box in at least {level} "
    "of samples, if the rows are independent."
)
ABOUT = (
    "Both true rates of this threshold, named beforehand, lie within the box in about {level} of "
    "samples, if the groups are independent."
)


@dataclass(frozen=True, slots=True)
class ThresholdBox:
    """Where the true point of one fixed threshold lies.

    Attributes
    ----------
    model, threshold
        Whose point it is; the threshold is None for a model that only labels.
    point
        FPR and TPR on the sample.
    fpr, tpr
        The two sides of the box; each has the root of the confidence, so that both hold together.
    confidence
        The confidence of the box, by itself: several boxes together hold less often.
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


def threshold_boxes(
    y_true: Any,
    y_score: Any,
    thresholds: Any,
    *,
    confidence: float = 0.95,
    pos_label: Any = None,
    groups: Any = None,
    replicates: int = 2000,
    seed: int = 0,
    name: str = "classifier",
) -> tuple[ThresholdBox, ...]:
    """Return a box around the point of each threshold.

    The thresholds must have been fixed without looking at these rows. The sides are exact
    (Clopper and Pearson) where rows are independent; with `groups` they come from a bootstrap of
    whole groups. A model that only labels (Boolean alarms) takes None as its threshold.

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
    scores = {as_name(name): y_score}
    if groups is None:
        sample = Sample.of(y_true, scores, pos_label=pos_label)
        return _exact(sample, name, thresholds, as_level(confidence))
    drawn = bootstrap(
        y_true, scores, pos_label=pos_label, groups=groups, replicates=replicates, seed=seed
    )
    return boxes_of(drawn, name, thresholds, confidence=confidence)


def boxes_of(
    drawn: Bootstrap, model: str, thresholds: Any, *, confidence: float
) -> tuple[ThresholdBox, ...]:
    """Return a box around each threshold's point; see `Bootstrap.boxes`."""
    level = as_level(confidence)
    if drawn.sample.groups is None:
        return _exact(drawn.sample, model, thresholds, level)
    replicates = drawn.rates_at({known_model(model, drawn.models): thresholds})[model]
    drawn.check_enough(level)
    counts, totals = _counts(drawn.sample, alarms_at(drawn.sample, model, thresholds))
    sides = [
        wilson(
            hits / total,
            np.atleast_1d(rates.var(axis=0, ddof=1)),
            level**0.5,
            units=units,
            rows=total,
        )
        for hits, total, rates, units in zip(
            counts, totals, replicates, drawn.independent, strict=True
        )
    ]
    return tuple(_boxes(model, thresholds, (counts, totals), sides, level, ABOUT))


def _exact(sample: Sample, model: str, thresholds: Any, level: float) -> tuple[ThresholdBox, ...]:
    counts, totals = _counts(sample, alarms_at(sample, model, thresholds))
    sides = [
        clopper_pearson(hits, total, level**0.5) for hits, total in zip(counts, totals, strict=True)
    ]
    return tuple(_boxes(model, thresholds, (counts, totals), sides, level, EXACT))


def _counts(sample: Sample, alarms: BoolArray) -> tuple[list[IntArray], list[int]]:
    """Count the negatives and the positives that alarm, and all of them."""
    rows = [np.flatnonzero(~sample.positive), np.flatnonzero(sample.positive)]
    grid = np.atleast_2d(alarms)
    return [np.count_nonzero(grid[:, part], axis=1) for part in rows], [r.size for r in rows]


def _boxes(
    model: str,
    thresholds: Any,
    judged: tuple[list[IntArray], list[int]],
    sides: list[tuple[FloatArray, FloatArray]],
    level: float,
    promise: str,
) -> Iterator[ThresholdBox]:
    rates = [hits / total for hits, total in zip(*judged, strict=True)]
    wanted = [None] if thresholds is None else np.atleast_1d(thresholds).tolist()
    for i, threshold in enumerate(wanted):
        fpr, tpr = (Interval(float(low[i]), float(high[i])) for low, high in sides)
        yield ThresholdBox(
            model,
            threshold,
            (float(rates[0][i]), float(rates[1][i])),
            fpr,
            tpr,
            level,
            promise.format(level=f"{100 * level:g} %"),
        )
