"""The hulls of all replicates, kept as counts: they answer any slope later."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np

from rocch.kernels.hull import between, counts_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray, IntArray
    from rocch.roc.belief import Belief
    from rocch.roc.conditions import Case

SAFE_AREA = 2**62


@dataclass(frozen=True, eq=False)
class HullRecord:
    """One hull's vertices in every replicate, one after the other.

    Attributes
    ----------
    false_positives, true_positives
        Counts at the vertices; those of replicate r lie from `starts[r]` to `starts[r + 1]`.
    starts
        Where each replicate begins, and the end.
    totals
        Negatives and positives of each replicate, one row each.
    """

    false_positives: IntArray
    true_positives: IntArray
    starts: IntArray
    totals: IntArray

    def __post_init__(self) -> None:
        for array in (self.false_positives, self.true_positives, self.starts, self.totals):
            array.flags.writeable = False

    @classmethod
    def of(cls, hulls: Sequence[tuple[IntArray, IntArray]], totals: IntArray) -> Self:
        """Lay the vertices of many hulls end to end, in the smallest integers that hold them."""
        small = np.int32 if int(totals.max()) < 2**31 else np.int64
        x, y = (np.concatenate(columns).astype(small) for columns in zip(*hulls, strict=True))
        starts = np.cumsum([0, *(fp.size for fp, _ in hulls)])
        return cls(x, y, starts, totals.view())

    def __len__(self) -> int:
        return self.starts.size - 1

    def __getitem__(self, replicate: int) -> tuple[IntArray, IntArray]:
        part = slice(self.starts[replicate], self.starts[replicate + 1])
        return self.false_positives[part], self.true_positives[part]

    @cached_property
    def aucs(self) -> FloatArray:
        """The area under the hull in each replicate."""
        x, y = self.false_positives.astype(np.int64), self.true_positives.astype(np.int64)
        if 2 * int(x.max()) * int(y.max()) >= SAFE_AREA:
            x, y = x.astype(object), y.astype(object)
        strips = np.diff(x) * (y[1:] + y[:-1])
        strips[self.starts[1:-1] - 1] = 0  # from one replicate's end to the next one's start
        areas = np.add.reduceat(strips, self.starts[:-1]).tolist()
        pairs = zip(areas, self.totals.tolist(), strict=True)
        return np.array(
            [area / (2 * negatives * positives) for area, (negatives, positives) in pairs]
        )

    def tpr_at(self, fprs: FloatArray) -> FloatArray:
        """Return the highest TPR of each replicate's hull (rows) at each FPR (columns)."""
        negatives = self.totals[:, :1]
        stride = int(negatives.max()) + 1
        offset = np.arange(len(self)) * stride
        keys = self.false_positives + np.repeat(offset, np.diff(self.starts))
        wanted = counts_within(fprs, negatives) + offset[:, None]
        left = np.searchsorted(keys, wanted, side="right") - 1
        right = np.minimum(left + 1, self.starts[1:, None] - 1)
        x, y = self.rates
        return between((x[left], y[left]), (x[right], y[right]), fprs)

    def least_costs(self, case: Case) -> FloatArray:
        """Return the least expected cost that each replicate's hull offers."""
        costs: FloatArray = np.minimum.reduceat(case.cost(*self.rates), self.starts[:-1])
        return costs

    def least_expected_costs(self, belief: Belief) -> FloatArray:
        """Return what each replicate's hull costs under a belief, aimed once conditions are known.

        All vertices of all replicates are weighed at once: each is best between two points of the
        cost axis, and the belief says how much weight lies there.
        """
        x, y = self.rates
        runs, rises = np.diff(x), np.diff(y)
        with np.errstate(invalid="ignore"):
            upper = np.append(runs / (runs + rises), 1.0)
        upper[self.starts[1:] - 1] = 1.0
        points, place = np.unique(upper, return_inverse=True)
        upto = belief.weights_upto(points)
        costs = np.zeros(len(self))
        for weights, height in ((upto.alarm, x), (upto.miss, 1 - y)):
            reached = weights[place]
            before = np.append(0.0, reached[:-1])
            before[self.starts[:-1]] = 0.0
            costs += np.add.reduceat((reached - before) * height, self.starts[:-1])
        return costs

    @cached_property
    def rates(self) -> tuple[FloatArray, FloatArray]:
        """FPR and TPR at all vertices of all replicates."""
        negatives, positives = np.repeat(self.totals, np.diff(self.starts), axis=0).T
        return self.false_positives / negatives, self.true_positives / positives
