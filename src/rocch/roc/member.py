"""A classifier's part in a joint hull: the vertices of its own hull, with their thresholds.

A vertex of the joint hull is a vertex of the own hull of every classifier that reaches it, so
nothing else of a curve is needed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rocch.errors import InputError
from rocch.inputs import as_name, as_scores
from rocch.kernels import passes as numpy_passes
from rocch.kernels.buckets import hull_from_scores
from rocch.kernels.hull import distinct_points, upper_hull
from rocch.roc.curve import RocCurve
from rocch.roc.point import Threshold, midpoint

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.kernels.passes import Passes
    from rocch.roc.judged import Judged

COMPILED_FROM = 4_000_000
"""From so many scores in all the compiled passes are used, where the `fast` extra is there."""


class CurveSource(Protocol):
    """Something that a full curve can be had from, if a limit asks for it."""

    @property
    def judged(self) -> Judged:
        """The rows that it was judged on."""

    @property
    def curve(self) -> RocCurve:
        """The full curve."""


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows kept by reference, so that the full curve can be built if a limit asks for it."""

    name: str
    positive: BoolArray
    scores: FloatArray
    judged: Judged
    vertices: tuple[IntArray, IntArray]
    """Counts at the vertices that the rows gave when the hull was built."""

    @cached_property
    def curve(self) -> RocCurve:
        """The full curve, built once and kept."""
        return self.counted()

    def counted(self) -> RocCurve:
        """Build the full curve, and check it against the vertices."""
        curve = RocCurve.from_scores(self.positive, self.scores, name=self.name)
        own = Member.from_curve(curve)
        counts = own.false_positives, own.true_positives
        same = all(np.array_equal(a, b) for a, b in zip(counts, self.vertices, strict=True))
        if curve.judged != self.judged or not same:
            raise InputError(
                f"the scores of {self.name!r} (or the labels) were changed after the hull was "
                "built from them. Build the hull again, or pass copies."
            )
        return curve


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One classifier's own hull, without the two trivial ends unless it labels exactly so."""

    name: str
    scoring: bool
    false_positives: IntArray
    true_positives: IntArray
    thresholds: tuple[Threshold, ...] | FloatArray
    next_lower: FloatArray | None
    """For a scoring classifier, the next lower observed score at each vertex."""
    source: RocCurve | CurveSource | None

    @classmethod
    def from_curve(cls, curve: RocCurve) -> Member:
        """Take the vertices of one curve's own hull (Algorithm 3, corrected)."""
        if curve.thresholds is None:
            return cls._labelled(curve)
        fp, tp = curve.false_positives, curve.true_positives
        distinct = distinct_points(fp, tp)
        inner = distinct[upper_hull(fp[distinct], tp[distinct])[1:-1]]
        thresholds, lower = curve.thresholds[inner - 1], curve.thresholds[inner]
        return cls(curve.name, True, fp[inner], tp[inner], thresholds, lower, curve)

    @classmethod
    def from_rows(
        cls, name: str, column: Any, positive: BoolArray, judged: Judged, passes: Passes
    ) -> Member:
        """Take the vertices straight from scores; the last one is an end, which all share."""
        scores = as_scores(column, positive.size, argument=f"scores[{name!r}]")
        thresholds, lower, fp, tp = (c[:-1] for c in hull_from_scores(scores, positive, passes))
        rows = ScoredRows(name, positive, scores, judged, (fp, tp))
        return cls(as_name(name), True, fp, tp, thresholds, lower, rows)

    @classmethod
    def _labelled(cls, curve: RocCurve) -> Member:
        """Keep every labelled point: they are few, and settings may coincide."""
        settings = curve.settings or ()
        fp, tp = curve.false_positives[1:-1], curve.true_positives[1:-1]
        return cls(curve.name, False, fp, tp, settings, None, curve)

    def curve(self) -> RocCurve | None:
        """Return the full curve, if it can still be had."""
        source = self.source
        return source if source is None or isinstance(source, RocCurve) else source.curve

    def passing_curve(self) -> RocCurve | None:
        """Return the full curve, but do not keep it: for one look at each of many large ones."""
        if isinstance(self.source, ScoredRows) and "curve" not in vars(self.source):
            return self.source.counted()
        return self.curve()

    def scaled(self, by_negatives: int, by_positives: int) -> Member:
        """Return the same points on totals that are so many times larger."""
        if by_negatives == by_positives == 1:
            return self
        return replace(
            self,
            false_positives=self.false_positives.astype(object) * by_negatives,
            true_positives=self.true_positives.astype(object) * by_positives,
        )

    def holder(self, index: int) -> tuple[str, Threshold, Threshold]:
        """Return name, threshold and deployed threshold at one of the vertices."""
        threshold: Any = self.thresholds[index]
        if self.next_lower is None:
            return self.name, threshold, threshold
        deployed = midpoint(float(threshold), float(self.next_lower[index]))
        return self.name, float(threshold), deployed

    def only(self, points: set[tuple[int, int]]) -> Member:
        """Return the member with some of its points alone, and without its rows or curve."""
        pairs = zip(self.false_positives.tolist(), self.true_positives.tolist(), strict=True)
        keep = [i for i, pair in enumerate(pairs) if pair in points]
        thresholds = self.thresholds
        return replace(
            self,
            false_positives=self.false_positives[keep],
            true_positives=self.true_positives[keep],
            thresholds=thresholds[keep]
            if isinstance(thresholds, np.ndarray)
            else tuple(thresholds[i] for i in keep),
            next_lower=None if self.next_lower is None else self.next_lower[keep],
            source=None,
        )


def passes_for(size: int) -> Passes:
    """Pick compiled passes for large inputs if Numba is installed, else plain NumPy."""
    if size >= COMPILED_FROM:
        try:
            from rocch.kernels import _numba as compiled
        except ImportError:
            return numpy_passes
        return compiled
    return numpy_passes
