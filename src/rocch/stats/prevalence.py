"""The prevalence of a batch, from unlabeled scores or from calibrated probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, FloatArray, IntArray
from rocch.errors import AssumptionError, Hint, InputError, UndefinedError, format_list
from rocch.inputs import (
    as_array,
    as_choice,
    as_instance,
    as_level,
    as_numpy,
    as_rates,
    as_scores,
    as_weights,
)
from rocch.kernels.bounds import (
    Binned,
    chance_below,
    deviance,
    deviance_of_one_law,
    likeliest_share,
    range_of_shares,
)
from rocch.kernels.counting import ascending
from rocch.labels import as_outcomes, distinct_labels, recognize_positive
from rocch.results import Record
from rocch.roc.conditions import Conditions, Interval, as_conditions
from rocch.roc.curve import RocCurve
from rocch.stats.auc import last_accepted

# If only the prevalence moved, the batch's alarm rate at each point of the curve is a mixture of
# TPR and FPR, and the share of TPR is the prevalence.

Method = Literal["likelihood", "adjusted_count"]

# The smallest of the three samples has about five rows per bin, so that chi-square holds.
ROWS_PER_BIN, FEWEST_BINS, MOST_BINS = 5, 3, 10

# A batch counts as at most this many times the reference rows: its noise is nothing beside theirs,
# and doubles would run out of digits.
FAR_LARGER = 1e6

# Forman's rule: an adjusted count divides by TPR - FPR, which must exceed this.
APART = 0.25

# Likelihood ratios are shrunk by 1 - 1.5 / (rows of the rarer class), a correction of Bartlett's
# kind for few reference rows. The number was set by simulation; see benchmarks/prevalence.py.
FEW_ROWS = 1.5

# Enough to bring [0, 1] down to 13 digits; 12 are returned, so that an end is exactly 0 or 1.
HALVINGS = 45


@dataclass(frozen=True, slots=True, repr=False)
class PrevalenceEstimate(Record):
    """The prevalence of an unlabeled batch, with an interval and a test of its assumption.

    Attributes
    ----------
    prevalence, interval
        The estimate and its confidence interval.
    p_value
        Of the test that only the prevalence moved; None where nothing could be tested.
    method, confidence, significance
        As passed.
    classifier
        The name of the curve.
    rows, bins
        The size of the batch, and the number of bins of the likelihood.
    """

    prevalence: float
    interval: Interval
    p_value: float | None
    method: Method
    confidence: float
    significance: float
    classifier: str
    rows: int
    bins: int

    @property
    def rejected(self) -> bool:
        """Whether the data contradict that only the prevalence moved."""
        return self.p_value is not None and self.p_value < self.significance

    @property
    def fits(self) -> bool:
        """Whether "only the prevalence moved" was tested and not rejected."""
        return self.bins > 2 and not self.rejected

    def feed(self, conditions: Conditions, *, exact: bool = False) -> Conditions:
        """Return the costs at the interval of prevalences, or, if `exact`, at the estimate.

        Raises `AssumptionError` unless the estimate fits.
        """
        costs = as_conditions(conditions)
        if not self.fits:
            raise AssumptionError(
                f"feed needs an estimate that fits; for {self.classifier}, {self.verdict}.",
                hint=Hint(
                    "Evaluate the classifier on newly labeled rows; or take the responsibility "
                    "yourself: conditions.with_prevalence(estimate.interval)."
                ),
            )
        return costs.with_prevalence(self.prevalence if exact else self.interval)

    def __str__(self) -> str:
        low, high = (f"{end:.3g}" for end in self.interval)
        return (
            f"prevalence {self.prevalence:.3g} ({100 * self.confidence:g}% interval {low} to "
            f"{high}) by {self.classifier} on a batch of {self.rows}; {self.verdict}"
        )

    @property
    def verdict(self) -> str:
        """The result of the test in words."""
        if self.rejected:
            return f"more than the prevalence has changed (p = {self.p_value:.2g})"
        if self.fits:
            return f"nothing speaks against a mere change of prevalence (p = {self.p_value:.2g})"
        return "two kinds of score cannot tell whether more than the prevalence has changed"


def estimate_prevalence(
    curve: RocCurve,
    y_score: ArrayLike,
    *,
    method: Method = "likelihood",
    confidence: float = 0.95,
    significance: float = 0.05,
    fold_rows: ArrayLike | None = None,
) -> PrevalenceEstimate:
    """Estimate the share of positives in an unlabeled batch, and test the assumption.

    The assumption is that only the prevalence moved, not the scores within each class (prior shift,
    label shift). Scores need not be calibrated.

    Parameters
    ----------
    curve
        The classifier on labeled rows that it was not trained on, unweighted.
    y_score
        Scores of the batch by the fitted model that scored the labeled rows, or its predictions if
        it outputs labels only. If fold models scored the labeled rows, one column for each of them:
        scores of a model refitted on all rows follow another law, and so do averages.
    method
        "likelihood", or "adjusted_count": the median of (alarm rate - FPR) / (TPR - FPR) over
        thresholds where TPR and FPR are more than 1/4 apart (Forman's median sweep), with the
        interval and test of the likelihood.
    confidence
        How often the interval covers the prevalence.
    significance
        The p-value below which the assumption is rejected.
    fold_rows
        With one column for each fold model, how many labeled rows each of them scored.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> rng = np.random.default_rng(1)
    >>> y = np.arange(1000) < 300
    >>> curve = rocch.RocCurve.from_scores(y, rng.normal(size=1000) + 2 * y, name="gbm")
    >>> today = rng.normal(size=500) + 2 * (np.arange(500) < 50)
    >>> estimate = rocch.stats.estimate_prevalence(curve, today)
    >>> estimate.fits, estimate.interval.low < 0.1 < estimate.interval.high
    (True, True)
    """
    as_choice(method, get_args(Method), "method")
    confidence, significance = as_level(confidence), as_level(significance, "significance")
    _check_curve(curve)
    alarms = _mean_alarms(curve, y_score, fold_rows)
    counts = _binned(curve, alarms)
    likeliest = likeliest_share(counts)
    low, high = _interval(counts, likeliest, confidence)
    share = likeliest if method == "likelihood" else _median_sweep(curve, alarms)
    return PrevalenceEstimate(
        prevalence=share,
        interval=Interval(min(low, share), max(high, share)),
        p_value=_p_value(counts, likeliest),
        method=method,
        confidence=confidence,
        significance=significance,
        classifier=curve.name,
        rows=int(alarms[-1]),
        bins=counts.batch.size,
    )


def _mean_alarms(curve: RocCurve, y_score: ArrayLike, fold_rows: ArrayLike | None) -> FloatArray:
    """Count the batch above each point of the curve; of several fold models, return the mean.

    Each fold model scored a part of the curve's rows. The same mixture of models scores the batch,
    so that both follow one law. One model drawn for each row would do that with more noise.
    """
    if fold_rows is None:
        return _alarms(curve, y_score).astype(np.float64)
    scores = as_numpy(y_score, "y_score")
    columns = scores.T if scores.ndim == 2 else [scores]
    shares = as_weights(fold_rows, len(columns), argument="fold_rows", rows="columns of y_score")
    used = np.flatnonzero(shares)
    if not used.size:
        raise InputError("fold_rows", "have at least one row", "none")
    counts = [_alarms(curve, columns[place]) for place in used]
    alarms: FloatArray = np.average(counts, axis=0, weights=shares[used])
    alarms[-1] = counts[0][-1]  # exactly
    return alarms


def _alarms(curve: RocCurve, y_score: ArrayLike) -> IntArray:
    rows = as_array(y_score, "y_score")
    if curve.lowest_scores is None:
        return np.array([0, np.count_nonzero(_as_alarms(rows)), rows.size])
    scores = ascending(as_scores(rows, rows.size))
    alarms = scores.size - np.searchsorted(scores, curve.lowest_scores)
    alarms[-1] = scores.size  # also rows below every reference score
    return np.concatenate((np.zeros(1, dtype=np.int64), alarms))


def _binned(curve: RocCurve, alarms: FloatArray) -> Binned:
    """Count the three samples between a few of the curve's points.

    FPR + TPR rises evenly: quantiles of all rows would put rare positives into one bin. The batch
    must not influence the bins, which would bias the test.
    """
    totals = curve.totals
    smallest = min(totals.negatives, totals.positives, int(alarms[-1]))
    bins = min(max(smallest // ROWS_PER_BIN, FEWEST_BINS), MOST_BINS)
    cuts = np.searchsorted(curve.fpr + curve.tpr, 2 * np.arange(1, bins) / bins)
    cuts = np.minimum(cuts, len(curve) - 2)  # heavy ties at the end must not remove the last cut
    points = np.unique(np.concatenate(([0], cuts, [len(curve) - 1])))
    paths = (curve.false_positives, curve.true_positives, alarms)
    negatives, positives, batch = (np.diff(path[points]).astype(np.float64) for path in paths)
    reference = float(totals.negatives + totals.positives)
    return Binned(negatives, positives, batch * min(1.0, FAR_LARGER * reference / batch.sum()))


def _interval(counts: Binned, likeliest: float, confidence: float) -> tuple[float, float]:
    """Return the shares that Moreira's likelihood ratio test does not reject."""
    least, same = deviance(counts, np.array([likeliest]))[0], deviance_of_one_law(counts)
    rarer = min(counts.negatives.sum(), counts.positives.sum())
    shrunk = max(0.0, 1 - FEW_ROWS / rarer)

    def accepts(shares: FloatArray) -> BoolArray:
        left = deviance(counts, shares)
        ratio, strength = np.maximum(left - least, 0), np.maximum(same - left, 0)
        accepted: BoolArray = (
            chance_below(shrunk * ratio, strength, counts.batch.size - 1) <= confidence
        )
        return accepted

    return range_of_shares(accepts, likeliest)


def _p_value(counts: Binned, likeliest: float) -> float | None:
    """Test the mixture against three separate laws."""
    from scipy.special import chdtrc

    freedom = counts.batch.size - 2 + (likeliest in (0, 1))  # a share at an end was not fitted
    if not freedom:
        return None
    return float(chdtrc(freedom, max(0.0, deviance(counts, np.array([likeliest]))[0])))


def _median_sweep(curve: RocCurve, alarms: FloatArray) -> float:
    """Return Forman's median of adjusted counts (Data Mining and Knowledge Discovery, 2008)."""
    apart = np.abs(curve.tpr - curve.fpr)
    used = apart > APART
    if not used.any():
        used = apart == apart.max()
    fpr, tpr, rate = curve.fpr[used], curve.tpr[used], alarms[used] / alarms[-1]
    return float(np.clip(np.median((rate - fpr) / (tpr - fpr)), 0, 1))


def _as_alarms(rows: AnyArray) -> BoolArray:
    present = distinct_labels(rows, "y_score")
    if recognize_positive(present) is None:
        raise InputError(
            "y_score",
            "be alarms (boolean, 0/1, -1/1 or yes/no), because the curve is of a classifier that "
            "outputs labels only",
            format_list(present),
            Hint("For other labels pass y_pred == pos_label."),
        )
    return as_outcomes(rows)


def _check_curve(curve: RocCurve) -> None:
    as_instance(curve, RocCurve, "curve", hint=Hint("Use RocCurve.from_scores on labeled rows."))
    if curve.totals.weighted:
        raise InputError(
            "curve",
            "be counted from unweighted rows",
            "a weighted curve",
            Hint("Leave sample_weight out."),
        )
    if not curve.scoring and len(curve) != 3:
        raise InputError(
            "curve",
            "be a scoring classifier's, or have one labeled setting",
            f"{len(curve) - 2} settings",
            Hint("Build a curve of one setting with RocCurve.from_labels."),
        )
    if (curve.fpr == curve.tpr).all():
        raise UndefinedError(
            f"the prevalence is undefined: {curve.name} does not tell the reference classes apart "
            "at any threshold."
        )


def em_prevalence(y_probability: ArrayLike, *, trained_at: float) -> float:
    """Return the most likely prevalence of an unlabeled batch of calibrated probabilities.

    This is the limit of the EM algorithm of Saerens, Latinne and Decaestecker (2002). For an
    interval and a test use `estimate_prevalence`, which needs labeled rows and no calibration.

    Parameters
    ----------
    y_probability
        Probabilities of the positive class, calibrated at `trained_at`.
    trained_at
        The prevalence of the calibration.

    Examples
    --------
    >>> import rocch
    >>> round(rocch.stats.em_prevalence([0.9, 0.8, 0.7, 0.2], trained_at=0.5), 3)
    0.911
    """
    hint = Hint("For scores that are no probabilities use rocch.stats.estimate_prevalence.")
    probability = as_rates(y_probability, None, "y_probability", hint=hint)
    share = "It is the share of positives among the rows that the probabilities were fitted to."
    as_level(trained_at, "trained_at", hint=share)
    if (probability == trained_at).all():
        raise UndefinedError("em_prevalence is undefined: every probability equals trained_at.")
    positive, negative = probability / trained_at, (1 - probability) / (1 - trained_at)

    def likelihood_rises(share: float) -> bool:
        mixed = share * positive + (1 - share) * negative
        return bool(np.sum((positive - negative) / mixed) > 0)

    return round(last_accepted(likelihood_rises, 0.0, 1.0, HALVINGS), 12)
