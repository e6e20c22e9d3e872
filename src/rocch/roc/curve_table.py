"""Measures of a curve at chosen thresholds, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, format_list
from rocch.inputs import as_array, as_level, as_rate, as_scores
from rocch.kernels.bounds import clopper_pearson, predictive_bounds, weighted_sum_bounds
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
# Measures that have an interval.
BOUNDED = (
    *OF_NEGATIVES,
    *OF_POSITIVES,
    *OF_ROWS,
    "precision",
    "negative_predictive_value",
    "balanced_accuracy",
    "informedness",
)


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
    """

    name: str
    prevalence: float
    confidence: float | None
    columns: Table

    def __str__(self) -> str:
        return f"{self._title()}\n{write_text(self.columns)}"

    def _title(self) -> str:
        level = "" if self.confidence is None else f", {100 * self.confidence:g}% intervals"
        return f"{self.name} at prevalence {self.prevalence:.4g}{level}"

    def _columns(self) -> Table:
        return self.columns

    def _picture(self) -> str:
        thresholds = list(self.columns["threshold"])
        is_scored = all(isinstance(each, float) for each in thresholds)
        if len(thresholds) < FEWEST_DRAWN or not is_scored:
            return ""
        lines = []
        for name in self.columns:
            if find_name(name, MEASURES) is not None:
                heights = [np.nan if y is None else y for y in self.columns[name]]
                lines.append(Line(name, thresholds, heights))
        return draw_lines(lines, "threshold", "")


def tabulate(
    curve: RocCurve,
    thresholds: ArrayLike | None,
    *,
    fpr: ArrayLike | None,
    tpr: ArrayLike | None,
    metrics: Sequence[str],
    prevalence: float | str,
    confidence: float | None,
) -> CurveTable:
    """Return measures at points of a curve; see `RocCurve.table`."""
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    measures = _as_measures(names)
    places, shown = _find_places(curve, thresholds, fpr, tpr)
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
        columns[name] = [each.measure(measure) for each in found]
        if level is not None and measure in BOUNDED:
            low, high = _bounds(measure, counts, curve, level, None if own else share)
            columns |= {f"{name}_low": low, f"{name}_high": high}
    return CurveTable(curve.name, share, level, columns)


def _as_measures(names: Sequence[str]) -> dict[str, str]:
    """Return the measures by the names that were used; unknown ones are refused."""
    known = known_names(MEASURES)
    unknown = [name for name in names if name not in known]
    if unknown:
        hint = f"The measures are: {', '.join(known)}."
        raise InputError("metrics", "name one of the measures", format_list(unknown), hint)
    return {name: find_name(name, MEASURES) or name for name in names}


def _find_places(
    curve: RocCurve,
    thresholds: ArrayLike | None,
    fpr: ArrayLike | None,
    tpr: ArrayLike | None,
) -> tuple[IntArray, list[float | str | None]]:
    """Return the indices of points, and their thresholds as they are to be shown."""
    if sum(each is not None for each in (thresholds, fpr, tpr)) > 1:
        raise InputError(
            "thresholds", "be given without {fpr} or {tpr}", "both", "Ask for one of them."
        )
    if thresholds is not None:
        wanted = as_scores(np.atleast_1d(np.asarray(thresholds)), argument="thresholds")
        return curve.index_at(wanted), wanted.tolist()
    if fpr is not None:
        limits = _as_rates(fpr, "fpr")
        places = np.searchsorted(curve.fpr, limits, side="right") - 1
    elif tpr is not None:
        places = np.searchsorted(curve.tpr, _as_rates(tpr, "tpr"), side="left")
    else:
        places = np.arange(len(curve))
    deployed = curve.deployed_thresholds
    return places, [deployed[place] for place in places.tolist()]


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
    fp, tp = counts
    negatives, positives = curve.totals.negatives, curve.totals.positives
    tn, fn = negatives - fp, positives - tp
    if name in OF_NEGATIVES:
        return clopper_pearson(tn if OF_NEGATIVES[name] else fp, negatives, level)
    if name in OF_POSITIVES:
        return clopper_pearson(fn if OF_POSITIVES[name] else tp, positives, level)
    if name == "precision":
        return predictive_bounds(tp, fp, (positives, negatives), level, share)
    if name == "negative_predictive_value":
        other = None if share is None else 1 - share
        return predictive_bounds(tn, fn, (negatives, positives), level, other)
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
