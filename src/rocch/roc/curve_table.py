"""Measures of a curve at chosen thresholds, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, format_list
from rocch.inputs import as_array, as_level, as_rate, as_scores
from rocch.kernels.bounds import (
    clopper_pearson,
    odds_ratio_bounds,
    predictive_bounds,
    rate_ratio_bounds,
    weighted_sum_bounds,
)
from rocch.results import Table, Tabular, write_text
from rocch.roc.conditions import OBSERVED
from rocch.roc.operating_point import MEASURES, Performance
from rocch.roc.question_table import find_name, known_names
from rocch.svg import Line, draw_lines

if TYPE_CHECKING:
    from rocch.roc.curve import RocCurve

# Measures that a table has unless others are named.
USUAL = ("fpr", "tpr", "precision", "negative_predictive_value", "accuracy")

# Fewer rows have no picture.
FEWEST_DRAWN = 5

# Rates of one class.
OF_NEGATIVES = {"fpr": False, "specificity": True}
OF_POSITIVES = {"tpr": False, "recall": False, "fnr": True}
# Measures whose samples are all rows, at the rows' own prevalence.
OF_ROWS = ("accuracy", "error_rate", "predicted_positive_rate")
# Cells of the confusion matrix: rows of the evaluation data, at any prevalence.
COUNTS = ("true_positives", "false_positives", "true_negatives", "false_negatives")
# All names of a table's columns.
COLUMNS = (*MEASURES, *COUNTS)
# Measures that have an interval.
BOUNDED = (
    *OF_NEGATIVES,
    *OF_POSITIVES,
    *OF_ROWS,
    "precision",
    "negative_predictive_value",
    "balanced_accuracy",
    "informedness",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
)

# Cut-offs that are chosen on the evaluation rows, and how.
Cutoff = Literal["youden", "closest_topleft"]
CUTOFFS = {
    "youden": "at the highest Youden's J",
    "closest_topleft": "at the point closest to the top left corner",
}
# Points whose values differ by no more are compared exactly.
CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveTable(Tabular):
    """Measures of a classifier at chosen thresholds; made by `RocCurve.table`.

    Attributes
    ----------
    name
        The classifier.
    prevalence
        The share of positives at which measures are given.
    confidence
        That of each interval, or None.
    columns
        Thresholds, measures and their bounds, by name; None where a measure is undefined.
    cutoff
        How the cut-off was chosen on these rows, or None.
    """

    name: str
    prevalence: float
    confidence: float | None
    columns: Table
    cutoff: str | None = None

    def __str__(self) -> str:
        return f"{self._title()}\n{write_text(self.columns)}"

    def _title(self) -> str:
        level = "" if self.confidence is None else f", {100 * self.confidence:g}% intervals"
        text = f"{self.name} at prevalence {self.prevalence:.4g}{level}"
        if self.cutoff is None:
            return text
        return f"{text}, {CUTOFFS[self.cutoff]} on these rows (optimistic for new ones)"

    def _columns(self) -> Table:
        return self.columns

    def _picture(self) -> str:
        thresholds = list(self.columns["threshold"])
        is_scored = all(isinstance(each, float) for each in thresholds)
        if len(thresholds) < FEWEST_DRAWN or not is_scored:
            return ""
        lines = []
        for name in self.columns:
            if find_name(name, COLUMNS) is not None:
                heights = [np.nan if y is None else y for y in self.columns[name]]
                lines.append(Line(name, thresholds, heights))
        return draw_lines(lines, "threshold", "")


def tabulate(
    curve: RocCurve,
    thresholds: ArrayLike | Cutoff | None,
    *,
    limits: Mapping[str, ArrayLike | None],
    metrics: Sequence[str],
    prevalence: float | str,
    confidence: float | None,
) -> CurveTable:
    """Return measures at points of a curve; see `RocCurve.table`."""
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    measures = _as_measures(names)
    places, shown = _find_places(curve, thresholds, limits)
    own = isinstance(prevalence, str) and prevalence == OBSERVED
    share = curve.totals.prevalence if own else as_level(prevalence, "prevalence")
    found = [
        Performance(fpr=x, tpr=y, prevalence=share)
        for x, y in zip(curve.fpr[places].tolist(), curve.tpr[places].tolist(), strict=True)
    ]
    counts = curve.false_positives[places], curve.true_positives[places]
    level = None if confidence is None else _check_countable(curve, as_level(confidence))
    columns: dict[str, Any] = {"threshold": shown}
    for name in names:
        measure = measures[name]
        if measure in COUNTS:
            cells = _cells(counts, curve)[measure].tolist()
            columns[name] = [curve.totals.amount(cell) for cell in cells]
            continue
        columns[name] = [each.measure(measure) for each in found]
        if level is not None and measure in BOUNDED:
            low, high = _bounds(measure, counts, curve, level, None if own else share)
            columns |= {f"{name}_low": low, f"{name}_high": high}
    cutoff = thresholds if isinstance(thresholds, str) else None
    return CurveTable(curve.name, share, level, columns, cutoff)


def _cells(counts: tuple[IntArray, IntArray], curve: RocCurve) -> dict[str, IntArray]:
    """Return the confusion matrices of points."""
    fp, tp = counts
    tn, fn = curve.totals.negatives - fp, curve.totals.positives - tp
    return dict(zip(COUNTS, (tp, fp, tn, fn), strict=True))


def _as_measures(names: Sequence[str]) -> dict[str, str]:
    """Return the measures by the names that were used; unknown ones are refused."""
    found = {name: find_name(name, COLUMNS) for name in names}
    unknown = [name for name, measure in found.items() if measure is None]
    if unknown:
        hint = f"The measures are: {', '.join(known_names(COLUMNS))}."
        raise InputError("metrics", "name one of the measures", format_list(unknown), hint)
    return {name: measure for name, measure in found.items() if measure is not None}


def _find_places(
    curve: RocCurve,
    thresholds: ArrayLike | Cutoff | None,
    limits: Mapping[str, ArrayLike | None],
) -> tuple[IntArray, list[float | str | None]]:
    """Return the indices of points, and their thresholds as they are to be shown."""
    given = {name: limit for name, limit in limits.items() if limit is not None}
    if len(given) + (thresholds is not None) > 1:
        requirement = "be given without {fpr}, {tpr}, {specificity} or {sensitivity}"
        raise InputError("thresholds", requirement, "several", "Ask for one of them.")
    if thresholds is not None and not isinstance(thresholds, str):
        wanted = as_scores(np.atleast_1d(np.asarray(thresholds)), argument="thresholds")
        return curve.index_at(wanted), wanted.tolist()
    if isinstance(thresholds, str):
        places = np.array([_find_cutoff(curve, thresholds)])
    elif given:
        ((name, values),) = given.items()
        rates = _as_rates(values, name)
        places = np.array([_find_best(curve, name, rate) for rate in rates.tolist()], dtype=int)
    else:
        places = np.arange(len(curve))
    deployed = curve.deployed_thresholds
    return places, [deployed[place] for place in places.tolist()]


def _find_best(curve: RocCurve, name: str, limit: float) -> int:
    """Return the best point within a limit: that with the best other rate, then this rate."""
    fp, tp = curve.false_positives, curve.true_positives
    if name in ("tpr", "sensitivity"):
        allowed = np.flatnonzero(curve.tpr >= limit)
        allowed = allowed[fp[allowed] == fp[allowed].min()]
        return int(allowed[np.argmax(tp[allowed])])
    negatives = curve.totals.negatives
    is_met = curve.fpr <= limit if name == "fpr" else (negatives - fp) / negatives >= limit
    allowed = np.flatnonzero(is_met)
    allowed = allowed[tp[allowed] == tp[allowed].max()]
    return int(allowed[np.argmin(fp[allowed])])


def _find_cutoff(curve: RocCurve, name: str) -> int:
    """Return the point of a cut-off chosen on these rows, of equal ones that with fewest alarms."""
    if name not in CUTOFFS:
        hint = f'The names are: {", ".join(CUTOFFS)}; pROC\'s "best" is youden.'
        raise InputError("thresholds", "be numbers, or name a cut-off", repr(name), hint)
    negatives, positives = curve.totals.negatives, curve.totals.positives
    is_youden = name == "youden"
    loss = curve.fpr - curve.tpr if is_youden else curve.fpr**2 + (1 - curve.tpr) ** 2

    def exact(place: int) -> int:
        fp, fn = int(curve.false_positives[place]), positives - int(curve.true_positives[place])
        x, y = fp * positives, fn * negatives
        return x + y if is_youden else x * x + y * y

    near = np.flatnonzero(loss <= loss.min() + CLOSE)
    return int(min(near.tolist(), key=exact))


def _as_rates(values: ArrayLike, argument: str) -> FloatArray:
    given = as_array(np.atleast_1d(np.asarray(values)), argument).tolist()
    return np.array([as_rate(value, argument) for value in given])


def _check_countable(curve: RocCurve, level: float) -> float:
    totals = curve.totals
    if totals.weighted or totals.pooled:
        raise InputError(
            "confidence",
            "be left out where rows are weighted or differ",
            "weighted rows" if totals.weighted else "rates from different rows",
            "Counts of plain rows have intervals.",
        )
    return level


def _bounds(
    name: str,
    counts: tuple[IntArray, IntArray],
    curve: RocCurve,
    level: float,
    share: float | None,
) -> tuple[FloatArray, FloatArray]:
    """Return the bounds of a measure; `share` is a prevalence other than the rows' own."""
    tp, fp, tn, fn = _cells(counts, curve).values()
    negatives, positives = curve.totals.negatives, curve.totals.positives
    if name in OF_NEGATIVES:
        return clopper_pearson(tn if OF_NEGATIVES[name] else fp, negatives, level)
    if name in OF_POSITIVES:
        return clopper_pearson(fn if OF_POSITIVES[name] else tp, positives, level)
    if name == "precision":
        return predictive_bounds(tp, fp, (positives, negatives), level, share)
    if name == "negative_predictive_value":
        other = None if share is None else 1 - share
        return predictive_bounds(tn, fn, (negatives, positives), level, other)
    totals = positives, negatives
    if name == "positive_likelihood_ratio":
        return rate_ratio_bounds((tp, fp), totals, level)
    if name == "negative_likelihood_ratio":
        return rate_ratio_bounds((fn, tn), totals, level)
    if name == "diagnostic_odds_ratio":
        return odds_ratio_bounds((tp, fp), totals, level)
    parts = {
        "accuracy": (tn, tp),
        "error_rate": (fp, fn),
        "predicted_positive_rate": (fp, tp),
        "balanced_accuracy": (tn, tp),
        "informedness": (tn, tp),
    }[name]
    if name in OF_ROWS and share is None:
        return clopper_pearson(parts[0] + parts[1], negatives + positives, level)
    p = share if share is not None and name in OF_ROWS else 0.5
    low, high = weighted_sum_bounds(parts, (negatives, positives), (1 - p, p), level)
    return (2 * low - 1, 2 * high - 1) if name == "informedness" else (low, high)
