"""Bands around ROC curves, each named for what it promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rocch.compare.resampling.band_limits import fixed_width, kolmogorov, wilson
from rocch.compare.resampling.bootstrap import as_fprs, bootstrap
from rocch.compare.sample import Sample
from rocch.errors import UndefinedError, bad_input
from rocch.inputs import as_choice, as_level, as_name
from rocch.kernels.hull import highest

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.compare.resampling.bootstrapped import Bootstrap
    from rocch.roc.curve import RocCurve

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
    centre: FloatArray


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
    centre
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
    centre: FloatArray
    promise: str

    def __post_init__(self) -> None:
        for array in (self.fpr, self.low, self.high, self.centre):
            array.flags.writeable = False

    def __str__(self) -> str:
        return f"{100 * self.confidence:g} % {self.kind} band of {self.model}. {self.promise}"

    def contains(self, tpr: Any) -> bool:
        """Say whether a curve with these TPRs at the grid's FPRs lies within the band."""
        heights = np.asarray(tpr, dtype=np.float64)
        if heights.shape != self.fpr.shape:
            raise bad_input(
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
        As for `rocch.bootstrap`.

    Returns
    -------
    RocBand

    Examples
    --------
    >>> import numpy as np
    >>> import rocch
    >>> rng = np.random.default_rng(2)
    >>> y = np.arange(300) < 100
    >>> band = rocch.roc_band(y, rng.normal(size=300) + y, kind="simultaneous", method="kolmogorov")
    >>> print(band)
    95 % simultaneous band of classifier. The whole true curve lies within the band in at least 95 % of samples, however few the rows and however the scores are distributed, if the rows are independent.
    >>> band.contains(band.centre)
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
    centre = highest(curve.fpr, curve.tpr, drawn.fprs)
    if kind == "vertical":
        sides = _vertical(drawn, centre, replicates, level)
    else:
        limits = fixed_width(curve, replicates, drawn.fprs, level, units=drawn.independent)
        sides = Sides(*limits, centre)
    return _band(model, kind, method, level, drawn.fprs, sides)


def _around_joint_hull(drawn: Bootstrap, kind: Kind, level: float) -> RocBand:
    if kind != "vertical":
        raise bad_input(
            "kind",
            "be 'vertical' for the joint hull",
            repr(kind),
            "Name a model to get a band for its whole curve.",
        )
    hull, replicates = drawn.sample_hull, drawn.hull_tpr()
    centre = highest(hull.fpr, hull.tpr, drawn.fprs)
    # Replicates' hulls lie above the sample's as the sample's lies above the truth.
    optimism = np.clip(replicates.mean(axis=0) - centre, 0, centre)
    sides = _vertical(drawn, centre, replicates, level)
    lower = _vertical(drawn, centre - optimism, replicates, level)
    return _band(JOINT, kind, JOINT, level, drawn.fprs, sides._replace(low=lower.low))


def _vertical(drawn: Bootstrap, centre: FloatArray, replicates: FloatArray, level: float) -> Sides:
    variances = replicates.var(axis=0, ddof=1)
    units, rows = drawn.independent[1], drawn.judged.positives
    low, high = wilson(centre, variances, level, units=units, rows=rows)
    # Between two grades the curve is far surer than Wilson's rows; percentiles know that.
    tails = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2], axis=0)
    low, high = np.minimum(low, tails[0]), np.maximum(high, tails[1])
    low[drawn.fprs * drawn.independent[0] < FEWEST_ABOVE] = 0
    low[drawn.fprs == 1] = 1  # every curve ends there
    return Sides(low, high, centre)


def _kolmogorov(sample: Sample, curve: RocCurve, fprs: FloatArray, level: float) -> RocBand:
    if sample.groups is not None:
        raise bad_input(
            "method",
            "be 'bootstrap' where rows come in groups",
            "'kolmogorov', which counts on independent rows",
            "The bootstrap draws whole groups.",
        )
    sides = Sides(*kolmogorov(curve, fprs, level), highest(curve.fpr, curve.tpr, fprs))
    return _band(curve.name, "simultaneous", "kolmogorov", level, fprs, sides)


def _check(kind: Kind, method: Method) -> None:
    as_choice(kind, ("vertical", "simultaneous"), "kind")
    as_choice(method, ("bootstrap", "kolmogorov"), "method")
    if (kind, method) == ("vertical", "kolmogorov"):
        raise bad_input(
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
