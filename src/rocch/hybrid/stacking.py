"""The stack: one calibrated scorer made of several models, and the aim for new rows.

A hull is exact on the rows that built it, and so follows their noise. For new rows a smooth
threshold is better: that of the log odds of a stack, or of one calibrated model, at which both
errors are equally expensive (Bayes' threshold). See docs/theory.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, Columns, FloatArray, Label
from rocch.hybrid.expression import STACK, Stack, Term, TermKind, log_odds
from rocch.hybrid.gain import RowBatch
from rocch.kernels.bounds import normal_quantile
from rocch.kernels.stacking import StackFit, fit_stack
from rocch.results import Record, Table, Tabular
from rocch.roc.curve import RocCurve
from rocch.roc.operating_point import RocPoint
from rocch.roc.rate_intervals import design_effect
from rocch.rows import ScoredRows, cut_repeatedly, most_parts

# Probabilities beyond count as these. Forests and neighbors give 0 and 1, which have no log odds.
LEAST, MOST = 1e-4, 1 - 1e-4

# How strongly weights are pulled toward equal ones that sum to 1, in rows. Few rows that models
# separate would have infinite weights without it.
PENALTY = 1.0

# Rows are scored by stacks fitted on the other parts, in several random divisions into parts; in
# one division if there are more rows than this.
PARTS, DIVISIONS, MANY_ROWS = 10, 3, 50_000

# Where a model that may be forgotten is compared, and the confidence.
SLOPES, CONFIDENCE = (1 / 20, 1 / 10, 1 / 5, 1 / 2, 1, 2, 5, 10, 20), 0.95

# Log odds are rounded to this many decimals: those of even odds are 0, whatever rounding errors.
DECIMALS = 12

# Weights are rounded to this many significant digits, to be read; smaller ones count as 0.
DIGITS, LEAST_WEIGHT = 5, 1e-6


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StackedScores(Tabular):
    """A stack, and its scores for the rows that it was fitted on.

    Attributes
    ----------
    stack
        The weighted sum of log odds, fitted on all rows.
    scores
        Log odds from stacks fitted on other rows, as they are to be expected for new rows.
    fitted_scores
        Log odds from `stack` itself.
    trials
        The numbers of independent negatives and positives that rates of `scores` are worth.
    resamples
        How many stacks made `scores`; 0 if too few rows could be set aside.
    """

    stack: Stack
    scores: FloatArray
    fitted_scores: FloatArray
    trials: tuple[float, float]
    resamples: int

    def __str__(self) -> str:
        return f"log odds = {self.stack}"

    def _columns(self) -> Table:
        return {"model": list(self.weights), "weight": list(self.weights.values())}

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each model; models with weight 0 are left out."""
        return self.stack.weights


def stack_scores(
    y_true: ArrayLike,
    scores: Columns,
    *,
    pos_label: Label | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    random_state: int = 0,
) -> StackedScores:
    """Stack the scores of several classifiers: logistic regression with non-negative weights.

    Columns within [0, 1] count as probabilities and enter as log odds. Other scores, and labels,
    are calibrated first.

    Parameters
    ----------
    y_true, scores, pos_label, sample_weight
        As for `RocHull.from_scores`; scores of rows that the classifiers were not fitted on.
    groups
        Rows of a group are not divided between fitting and scoring.
    random_state
        Seed of the division of rows into those that fit and those that are scored.

    Examples
    --------
    >>> import numpy as np, rocch
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < 0.3
    >>> scores = {"a": rng.normal(size=2000) + y, "b": rng.normal(size=2000) + y}
    >>> stacked = rocch.hybrid.stack_scores(y, scores)
    >>> sorted(stacked.weights)
    ['a', 'b']
    >>> hull = rocch.RocHull.from_scores(y, {**scores, "stack": stacked.scores})
    >>> hull.auc > rocch.RocHull.from_scores(y, scores).auc
    True
    """
    rows = ScoredRows.of(
        y_true, scores, pos_label=pos_label, sample_weight=sample_weight, groups=groups
    )
    return stack_rows(
        rows, {name: _kind_of(col) for name, col in rows.scores.items()}, random_state
    )


def _kind_of(column: FloatArray | BoolArray) -> TermKind:
    if column.dtype == bool:
        return "label"
    return "probability" if column.size and 0 <= column.min() <= column.max() <= 1 else "score"


def stack_rows(
    rows: ScoredRows, kinds: Mapping[str, TermKind], random_state: int = 0
) -> StackedScores:
    """Fit a stack of the models in `kinds` on all rows, and score rows by stacks of others."""
    counts, labels = rows.weights, rows.positive.astype(np.intp)
    outputs, terms = _calibrated_outputs(rows, kinds)
    whole = fit_stack(outputs, labels, counts, penalty=PENALTY)
    scores = np.zeros(len(rows))
    parts, times = most_parts(rows, PARTS), 1 if len(rows) > MANY_ROWS else DIVISIONS
    if parts < 2:  # too few rows to set some aside
        scores = _log_odds(whole, outputs)
    else:
        cuts = cut_repeatedly(rows, parts, times, np.random.default_rng(random_state))
        for others, own in cuts:
            own_counts = None if counts is None else counts[others]
            fit = fit_stack(
                outputs[others], labels[others], own_counts, penalty=PENALTY, start=whole
            )
            scores[own] += _log_odds(fit, outputs[own]) / times
    stack, trials = _as_stack(whole, terms), _independent_rows(rows, scores)
    resamples = parts * times if parts > 1 else 0
    return StackedScores(stack, scores, stack.log_odds(RowBatch(rows)), trials, resamples)


def _calibrated_outputs(
    rows: ScoredRows, kinds: Mapping[str, TermKind]
) -> tuple[FloatArray, list[tuple[float, Term]]]:
    """Return log odds of models that vary, rows x models x 2, and their offsets and terms."""
    terms = [_calibrate(rows, name, kind, rows.weights) for name, kind in kinds.items()]
    batch = RowBatch(rows)
    outputs = np.zeros((len(rows), len(terms), 2))
    for place, (offset, term) in enumerate(terms):
        outputs[:, place, 1] = offset + term.weight * term.values(batch)
    varying = np.flatnonzero(np.ptp(outputs[:, :, 1], axis=0))
    return outputs[:, varying], [terms[place] for place in varying]


def _log_odds(fit: StackFit, outputs: FloatArray) -> FloatArray:
    return np.asarray(outputs[:, :, 1] @ fit.weights + fit.intercepts[1])


def _calibrate(
    rows: ScoredRows, name: str, kind: TermKind, counts: FloatArray | None
) -> tuple[float, Term]:
    """Return the offset and the term of a model's log odds, calibrated unless a probability."""
    if kind == "probability":
        return 0.0, Term(name, kind, 1.0, LEAST, MOST)
    column = rows.scores[name].astype(float)
    used = np.isfinite(column) if counts is None else np.isfinite(column) & (counts > 0)
    finite = column[used] if used.any() else np.zeros(1)
    low, high = float(finite.min()), float(finite.max())
    half = high / 2 - low / 2 or 1.0  # halves, because the range may be too large for a double
    values = (np.clip(column, low, high) / 2 - low / 2) / half
    center = float(np.average(values, weights=counts))
    scale = math.sqrt(np.average((values - center) ** 2, weights=counts)) or 1.0
    outputs = np.zeros((values.size, 1, 2))
    outputs[:, 0, 1] = (values - center) / scale
    fit = fit_stack(outputs, rows.positive.astype(np.intp), counts, penalty=PENALTY)
    slope = float(fit.weights[0]) / scale
    weight = slope / 2 / half
    offset = float(fit.intercepts[1]) - slope * center - weight * low
    return offset, Term(name, kind, weight, low, high)


def _as_stack(fit: StackFit, terms: Iterable[tuple[float, Term]]) -> Stack:
    """Return readable weights; terms of weight 0 are left out."""
    intercept, kept = float(fit.intercepts[1]), []
    for share, (offset, term) in zip(fit.weights.tolist(), terms, strict=True):
        weight = _round(share * term.weight)
        if weight and share > LEAST_WEIGHT:
            kept.append(replace(term, weight=weight))
            intercept += share * offset
    return Stack(_round(intercept), tuple(kept))


def _round(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")


@dataclass(frozen=True, slots=True, repr=False)
class ForgettingCost(Record):
    """What new rows are expected to cost more without a model.

    Costs are shares of the cost of all errors.

    Attributes
    ----------
    expected, upper
        The largest expected value, and the largest upper limit, at slopes from 1/20 to 20.
    slope
        Where the upper limit is largest.
    confidence
        That of the limit, for all these slopes together.
    """

    expected: float
    upper: float
    slope: float
    confidence: float = 0.95

    def __str__(self) -> str:
        return (
            f"without it, new rows are expected to cost {100 * self.expected:.2g}% of the cost of "
            f"all errors more, and at most {100 * self.upper:.2g}% ({100 * self.confidence:.3g}%)"
        )


def forgetting_cost(
    rows: ScoredRows, kinds: Mapping[str, TermKind], model: str, scores: FloatArray
) -> ForgettingCost:
    """Compare the aim of a stack, with these scores, to that of a stack without a model.

    Both stacks score rows that they were not fitted on. Half a row of each class is added to
    either disagreement (Agresti and Min).
    """
    others = stack_rows(rows, {name: kind for name, kind in kinds.items() if name != model}).scores
    base = log_odds(float(np.average(rows.positive, weights=rows.weights)))
    quantile = normal_quantile(1 - 2 * (1 - CONFIDENCE) / len(SLOPES))  # one-sided, Bonferroni
    found = []
    for slope in SLOPES:
        change = (others >= math.log(slope) + base).astype(float)
        change -= scores >= math.log(slope) + base
        extra = variance = 0.0
        for members, factor in ((~rows.positive, slope), (rows.positive, -1.0)):
            own, weights = change[members], None if rows.weights is None else rows.weights[members]
            count = own.size + 2
            up, down = ((np.count_nonzero(own == sign) + 0.5) / count for sign in (1, -1))
            extra += factor * float(np.average(own, weights=weights))
            variance += factor**2 * (up + down - (up - down) ** 2) / count
        found.append((extra, extra + quantile * math.sqrt(variance), slope))
    shares = [(extra / (1 + m), upper / (1 + m), m) for extra, upper, m in found]
    _, upper, slope = max(shares, key=lambda each: each[1])
    return ForgettingCost(max(extra for extra, *_ in shares), upper, slope, CONFIDENCE)


@dataclass(frozen=True, eq=False)
class AimScorer:
    """The scorer behind the aim for new rows, calibrated: a stack, or one model.

    Attributes
    ----------
    stack
        The log odds; a single term for one model.
    curve
        The curve of log odds from stacks fitted on other rows: what to expect of new rows.
    fitted_curve
        The curve of the deployed stack on the rows that it was fitted on.
    trials, resamples
        Those of the scores behind `curve`.
    """

    stack: Stack
    curve: RocCurve
    fitted_curve: RocCurve
    trials: tuple[float, float]
    resamples: int

    @classmethod
    def of(cls, rows: ScoredRows, stacked: StackedScores) -> AimScorer | None:
        """Return the scorer of fitted rows; None if no score decides."""
        stack = stacked.stack
        if not stack.terms or (len(stack.terms) == 1 and stack.terms[0].kind == "label"):
            return None
        name = STACK if len(stack.terms) > 1 else stack.terms[0].model
        curve, fitted = (
            RocCurve.from_rows(replace(rows, scores={name: column}), name)
            for column in (stacked.scores, stacked.fitted_scores)
        )
        return cls(stack, curve, fitted, stacked.trials, stacked.resamples)

    @property
    def name(self) -> str:
        """The stack's, or that of the one model."""
        return self.curve.name

    def log_odds_at(self, slopes: FloatArray) -> FloatArray:
        """Return the log odds from which on an alarm is cheaper than none, at each slope.

        The likelihood ratio of the classes equals the slope there.
        """
        totals = self.curve.totals
        with np.errstate(divide="ignore"):
            return np.log(slopes) + math.log(totals.positives / totals.negatives)

    def threshold(self, slope: float) -> float:
        """Return the threshold on the scores of the stack, or of the one model.

        It is infinite where all rows, or none, are to alarm.
        """
        wanted = round(float(self.log_odds_at(np.array(slope))), DECIMALS) + 0.0
        if len(self.stack.terms) == 1:
            (term,) = self.stack.terms
            wanted = (wanted - self.stack.intercept) / term.weight
            low, high = term.range
            if not low < wanted <= high:
                return math.inf if wanted > high else -math.inf
            if term.kind == "probability":
                wanted = 1 / (1 + math.exp(-wanted))
        return float(f"{wanted:.6g}")

    def point(self, threshold: float) -> RocPoint:
        """Return the ROC point of a finite threshold, on rows that did not fit the stack."""
        counts = self._counts(self.curve, threshold)
        return self.curve.totals.point(*counts, [(self.name, threshold, threshold)])

    def fitted_rates(self, threshold: float) -> tuple[float, float]:
        """Return FPR and TPR of the deployed stack on the rows that it was fitted on."""
        fp, tp = self._counts(self.fitted_curve, threshold)
        totals = self.fitted_curve.totals
        return fp / totals.negatives, tp / totals.positives

    def _counts(self, curve: RocCurve, threshold: float) -> tuple[int, int]:
        """Return the false and true positives that reach a threshold."""
        if len(self.stack.terms) == 1:
            (term,) = self.stack.terms
            value = log_odds(threshold) if term.kind == "probability" else threshold
            threshold = self.stack.intercept + term.weight * value
        falling = -np.asarray(curve.lowest_scores)
        place = int(np.searchsorted(falling, -threshold, side="right"))
        return int(curve.false_positives[place]), int(curve.true_positives[place])


def _independent_rows(rows: ScoredRows, scores: FloatArray) -> tuple[float, float]:
    """Return effective numbers of negatives and positives, fewer where groups decide alike."""
    base = log_odds(float(np.average(rows.positive, weights=rows.weights)))
    alarms = [(scores >= math.log(slope) + base).astype(float) for slope in SLOPES]
    kinds = (~rows.positive, rows.positive)
    negatives, positives = (
        size / max(design_effect(rows, each, kind) for each in alarms)
        for size, kind in zip(rows.effective_rows, kinds, strict=True)
    )
    return negatives, positives


def find_scorer(
    rows: ScoredRows, kinds: Mapping[str, TermKind], random_state: int = 0
) -> AimScorer | None:
    """Return the single model with the least log loss after calibration."""
    losses: dict[str, float] = {}
    for name, kind in kinds.items():
        outputs, terms = _calibrated_outputs(rows, {name: kind})
        if terms and kind != "label":
            fit = fit_stack(outputs, rows.positive.astype(np.intp), rows.weights, penalty=PENALTY)
            signed = np.where(rows.positive, -1, 1) * _log_odds(fit, outputs)
            losses[name] = float(np.average(np.logaddexp(0, signed), weights=rows.weights))
    if not losses:
        return None
    best = min(losses, key=lambda name: (losses[name], name))
    return AimScorer.of(rows, stack_rows(rows, {best: kinds[best]}, random_state))
