"""Labelled rows with every model's scores: what combinations are found and judged on."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.errors import bad_input
from rocch.hybrid.expression import AtLeast, Says
from rocch.kernels.counting import integer_weights
from rocch.kernels.hull import counts
from rocch.roc.curve import whole_weights
from rocch.roc.hull import Member
from rocch.roc.operating_point import make_point, midpoint
from rocch.stats.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocch.arrays import BoolArray, IntArray
    from rocch.hybrid.expression import Expression

FEWEST = 2
"""Rows of each class without which no standard error exists."""


class DecidedSample(Sample):
    """A sample whose rows expressions decide, and whose decisions are counted."""

    @classmethod
    def of(
        cls,
        y_true: Any,
        scores: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        argument: str = "scores",
    ) -> Self:
        """Check what came, also that weights leave both classes something.

        Models are kept sorted by name, so that their order does not decide between equals.
        """
        sample = super().of(
            y_true,
            scores,
            pos_label=pos_label,
            sample_weight=sample_weight,
            groups=groups,
            argument=argument,
        )
        if sample.weights is not None:
            whole_weights(sample.positive, sample.weights)  # which refuses none for a class
        return replace(sample, models=dict(sorted(sample.models.items())))

    def scores(self, model: str, rows: IntArray | None = None) -> Any:
        """Return a model's scores (alarms, if it only labels) on some rows, or on all."""
        column = self.models[model]
        return column if rows is None else column[rows]

    alarms = scores

    @cached_property
    def units(self) -> IntArray | None:
        """The weights as integers, by the house's one rule; None for plain rows."""
        return self._units[0]

    @cached_property
    def _units(self) -> tuple[IntArray | None, float]:
        return (None, 1.0) if self.weights is None else integer_weights(self.weights)

    def amount(self, count: int) -> float:
        """Return what a count in units stands for: so many rows, or their weight."""
        return count if self._units[1] == 1 else count * self._units[1]

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Negatives and positives, in units."""
        return self.count(np.ones(len(self), dtype=bool))

    def part(self, rows: BoolArray, what: str) -> DecidedSample:
        """Return some of the rows; each class must have enough of them for a standard error."""
        used = rows if self.weights is None else rows & (self.weights > 0)
        hits = np.count_nonzero(self.positive & used)
        others = np.count_nonzero(used) - hits
        if min(hits, others) < FEWEST:
            raise bad_input(
                "find",
                f"leave at least {FEWEST} rows of each class to find with and to confirm with",
                f"{hits} positive and {others} negative rows to {what} with",
                "Choose the rows otherwise, or collect more.",
            )
        models = {name: column[rows] for name, column in self.models.items()}
        weights = None if self.weights is None else self.weights[rows]
        return DecidedSample(self.positive[rows], models, weights)

    def count(self, alarms: BoolArray) -> tuple[int, int]:
        """Return false and true positives of one decision, in units."""
        fp, tp = self.count_all(alarms[np.newaxis])
        return int(fp[0]), int(tp[0])

    def count_all(self, decisions: BoolArray) -> tuple[IntArray, IntArray]:
        """Return false and true positives of many decisions, in units."""
        hits = counts(decisions & self.positive, self.units)
        return counts(decisions, self.units) - hits, hits

    def decisions(self, expressions: Iterable[Expression]) -> BoolArray:
        """Return one row of alarms for each expression."""
        rows = [expression.alarms(self) for expression in expressions]
        return np.array(rows, dtype=bool).reshape(len(rows), len(self))

    def settings(self, model: str, most: int | None = None) -> list[Expression]:
        """Return a model's ways to alarm: at its own hull's vertices, or at many thresholds.

        With `most`, all distinct thresholds if there are no more than that, else so many of them
        at even ranks, beside the vertices. Thresholds are midpoints between observed scores.
        """
        column = self.models[model]
        if column.dtype == bool:
            return [Says(model)]
        curve = self.curve(model)
        member = Member.from_curve(curve)
        thresholds, lower = np.asarray(member.thresholds), np.asarray(member.next_lower)
        if most is not None and curve.thresholds is not None:
            inner = curve.thresholds[:-1]  # the lowest alarms always
            ranks = np.linspace(0, inner.size - 1, min(most, inner.size)).round().astype(int)
            chosen = np.isin(inner, thresholds)
            chosen[ranks] = True
            thresholds, lower = inner[chosen], curve.thresholds[1:][chosen]
        pairs = zip(thresholds.tolist(), lower.tolist(), strict=True)
        return [_at_least(model, threshold, below) for threshold, below in pairs]


def _at_least(model: str, threshold: float, next_lower: float) -> AtLeast:
    deployed = midpoint(threshold, next_lower)
    written = make_point((0, 0), (0, 0), [(model, threshold, deployed)]).written_threshold
    return AtLeast(model, deployed, written)
