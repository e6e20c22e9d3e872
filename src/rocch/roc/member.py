"""One classifier of a hull: the vertices of its own hull, and where its curve comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.device import DeviceRows
from rocch.kernels.hull import distinct_points, safe_products, upper_hull
from rocch.kernels.refine import hull_from_scores
from rocch.roc.criteria import (
    Path,
)
from rocch.roc.curve import RocCurve
from rocch.roc.new_rows import changed_rows
from rocch.roc.operating_point import (
    ClassTotals,
    Holder,
    RocPoint,
    Threshold,
    midpoint,
)
from rocch.roc.search import PointChoices
from rocch.rows import ScoredRows


class CurveSource(Protocol):
    """A full curve that is built or read on demand."""

    @property
    def totals(self) -> ClassTotals:
        """The totals of its rows."""

    @property
    def curve(self) -> RocCurve:
        """The full curve."""


@dataclass(frozen=True, eq=False)
class DeferredCurve:
    """A curve to build from rows; known vertices detect changes."""

    rows: ScoredRows | DeviceRows
    name: str
    totals: ClassTotals
    vertices: tuple[IntArray, IntArray]

    @cached_property
    def curve(self) -> RocCurve:
        """The full curve, cached."""
        return self.build()

    def build(self) -> RocCurve:
        """Build the full curve, and check it against the vertices."""
        curve = RocCurve.from_rows(self.rows, self.name)
        if self.totals.rows is None:  # the order of rows was not read on their device
            curve = replace(curve, totals=replace(curve.totals, rows=None))
        own = Member.from_curve(curve)
        counts = own.false_positives, own.true_positives
        if curve.totals != self.totals or not all(map(np.array_equal, counts, self.vertices)):
            raise changed_rows(f"changed ones of {self.name!r}")
        return curve


@dataclass(frozen=True, eq=False)
class CountedCurve:
    """A curve, and the rows that it was counted on."""

    rows: ScoredRows
    curve: RocCurve

    @property
    def totals(self) -> ClassTotals:
        """The totals of its rows."""
        return self.curve.totals


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """The vertices of one classifier's own hull, without the two trivial ends.

    The joint hull needs no more. A classifier that outputs labels only has all of its points,
    because settings may coincide.

    Attributes
    ----------
    next_lower
        For a scoring classifier, the next lower observed scores.
    source
        The full curve or where to get it, if available.
    """

    name: str
    scoring: bool
    false_positives: IntArray
    true_positives: IntArray
    lowest_scores: tuple[Threshold, ...] | FloatArray
    next_lower: FloatArray | None
    source: RocCurve | CurveSource | None

    @classmethod
    def from_curve(cls, curve: RocCurve) -> Member:
        """Take the vertices of a curve's own hull (Fawcett's Algorithm 3, corrected)."""
        fp, tp = curve.false_positives, curve.true_positives
        if curve.lowest_scores is None:
            return cls(curve.name, False, fp[1:-1], tp[1:-1], curve.settings or (), None, curve)
        distinct = distinct_points(fp, tp)
        inner = distinct[upper_hull(fp[distinct], tp[distinct])[1:-1]]
        lowest, lower = curve.lowest_scores[inner - 1], curve.lowest_scores[inner]
        return cls(curve.name, True, fp[inner], tp[inner], lowest, lower, curve)

    @classmethod
    def from_rows(cls, rows: ScoredRows, name: str, totals: ClassTotals, curves: int) -> Member:
        """Take the vertices from scores; labels and weighted rows need the whole curve."""
        scores: Any = rows.scores[name]
        # keeps no other scores alive
        own_rows = rows if len(rows.scores) == 1 else replace(rows, scores={name: scores})
        if rows.weights is not None or scores.dtype == bool:
            curve = RocCurve.from_rows(rows, name)
            return replace(cls.from_curve(curve), source=CountedCurve(own_rows, curve))
        columns = hull_from_scores(scores, rows.positive, curves)
        lowest, lower, fp, tp = (column[:-1] for column in columns)  # the last is an end
        source = DeferredCurve(own_rows, name, totals, (fp, tp))
        return cls(name, True, fp, tp, lowest, lower, source)

    @classmethod
    def from_device(cls, rows: DeviceRows, name: str, totals: ClassTotals) -> Member:
        """Take the vertices from scores where they are."""
        lowest, lower, fp, tp = (column[:-1] for column in rows.hull(name))
        return cls(name, True, fp, tp, lowest, lower, DeferredCurve(rows, name, totals, (fp, tp)))

    def curve(self, *, keep: bool = True) -> RocCurve | None:
        """Return the full curve, if available; cache it if `keep`."""
        source = self.source
        if isinstance(source, DeferredCurve) and not keep and "curve" not in vars(source):
            return source.build()
        return source if source is None or isinstance(source, RocCurve) else source.curve

    @property
    def rows(self) -> ScoredRows | None:
        """The rows that the classifier was evaluated on, if they are kept."""
        source = self.source
        return source.rows.on_host if isinstance(source, DeferredCurve | CountedCurve) else None

    def scaled(self, by_negatives: int, by_positives: int) -> Member:
        """Return the same points on multiples of the totals."""
        if by_negatives == by_positives == 1:
            return self
        return replace(
            self,
            false_positives=self.false_positives.astype(object) * by_negatives,
            true_positives=self.true_positives.astype(object) * by_positives,
        )

    def holder(self, index: int) -> Holder:
        """Return the name, lowest observed score and threshold at a vertex."""
        lowest: Any = self.lowest_scores[index]
        if self.next_lower is None:
            return self.name, lowest, lowest
        deployed = midpoint(float(lowest), float(self.next_lower[index]))
        return self.name, float(lowest), deployed

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """False and true positives at each vertex."""
        return list(zip(self.false_positives.tolist(), self.true_positives.tolist(), strict=True))

    def only(self, points: set[tuple[int, int]]) -> Member:
        """Return the member with some of its points and without its curve."""
        chosen = [i for i, pair in enumerate(self.pairs) if pair in points]
        lowest = self.lowest_scores
        return replace(
            self,
            false_positives=self.false_positives[chosen],
            true_positives=self.true_positives[chosen],
            lowest_scores=lowest[chosen]
            if isinstance(lowest, np.ndarray)
            else tuple(lowest[i] for i in chosen),
            next_lower=None if self.next_lower is None else self.next_lower[chosen],
            source=None,
        )

    def least_auc(self, totals: ClassTotals) -> float:
        """Return the area below steps through the vertices: at most that below the curve."""
        x, y = self.false_positives, self.true_positives
        if not x.size:
            return 0.0
        if not safe_products(totals.negatives, totals.positives):
            x = x.astype(object)
        area = int(np.add.reduce((x[1:] - x[:-1]) * y[:-1]))
        area += (totals.negatives - int(x[-1])) * int(y[-1])
        return area / (totals.negatives * totals.positives)

    def candidates(self, totals: ClassTotals) -> PointChoices:
        """Return the points of the curve, or else of the own hull."""
        curve = self.curve()
        if curve is not None:
            counts = curve.false_positives, curve.true_positives
            return PointChoices(*counts, curve.fpr, curve.tpr, curve.point)
        fpr, tpr = totals.rates(self.false_positives, self.true_positives)

        def point(place: int) -> RocPoint:
            return totals.point(*self.pairs[place], [self.holder(place)])

        return PointChoices(self.false_positives, self.true_positives, fpr, tpr, point)

    def own_points(self, totals: ClassTotals) -> Path:
        """Return rates on the own hull, or on a curve below chance."""
        curve = None if self.false_positives.size else self.curve()
        if curve is not None:
            return curve.fpr[1:-1], curve.tpr[1:-1]
        return totals.rates(self.false_positives, self.true_positives)
