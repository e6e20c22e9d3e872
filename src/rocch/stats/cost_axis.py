"""The axis of costs on which losses are compared, and the belief along it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

import numpy as np

from rocch.arrays import FloatArray
from rocch.kernels.envelopes import share_weights
from rocch.results import Record, Records
from rocch.roc.belief import Belief
from rocch.roc.belief_axis import Part, SampledPart
from rocch.roc.operating_point import ClassTotals
from rocch.roc.shapes import Atoms, Shape, sample_shape
from rocch.svg import Mark, draw_bars

# Which of two loses less depends on the probability-cost of the positive class. Where the
# prevalence is one number, that follows from the miss's share of both costs,
# c_fn / (c_fp + c_fn): Adams and Hand's c1, which is the axis then.

AxisName = Literal["cost share", "probability-cost"]

# The number of cells of a drawn density; a tenth for a sample.
CELLS = 400

# The most single shares that are drawn one by one.
MOST_ATOMS = 24

# Masses below this are not drawn or mentioned.
ROUNDING = 1e-9


class Masses(NamedTuple):
    """The belief between edges and at edges; `error` bounds that of the mass below any edge."""

    edges: FloatArray
    between: FloatArray
    at: FloatArray
    error: float


class Density(NamedTuple):
    """A belief to draw: heights along the axis, and single points with their masses."""

    x: FloatArray
    height: FloatArray
    atoms: FloatArray
    masses: FloatArray


@dataclass(frozen=True, slots=True)
class CostAxis:
    """The miss's share of the costs at one prevalence, or else the probability-cost."""

    prevalence: float | None

    @property
    def name(self) -> AxisName:
        """What the axis holds."""
        return "probability-cost" if self.prevalence is None else "cost share"

    def weights(self, class_totals: ClassTotals) -> tuple[int, int]:
        """Return the weights that bring odds of counts onto the axis."""
        if self.prevalence is None:
            return class_totals.positives, class_totals.negatives
        return share_weights(class_totals.negatives, class_totals.positives, self.prevalence)

    def support(self, belief: Belief) -> tuple[float, float]:
        """Return the belief's bounds."""
        return belief.axis_range if self.prevalence is None else belief.cost_share

    def masses(self, belief: Belief, edges: FloatArray) -> Masses:
        """Return the masses between edges from 0 to 1, and at the edges."""
        if self.prevalence is None:
            found = belief.stretches(edges)
            between, at, error = found.mass, found.at_edges, found.error
        else:
            parts = [(weight, _share(part)) for weight, part in belief.parts]
            upto, below = (
                np.sum([w * shape.cumulative(edges, inclusive=to)[0] for w, shape in parts], axis=0)
                for to in (True, False)
            )
            between, at, error = np.maximum(below[1:] - upto[:-1], 0.0), upto - below, 0.0
        total = between.sum() + at.sum()  # 1, but for rounding
        return Masses(edges, between / total, at / total, error)

    def density(self, belief: Belief) -> Density:
        """Return what to draw."""
        low, high = self.support(belief)
        atoms, masses = self._atoms(belief) if low < high else (np.array([low]), np.ones(1))
        if masses.sum() > 1 - ROUNDING:
            return Density(np.empty(0), np.empty(0), atoms, masses)
        lumps = not atoms.size and not belief.smooth
        grid = self._grid(belief, CELLS // 10 if lumps else CELLS)
        found = self.masses(belief, np.unique([0.0, *grid, 1.0]))
        first = int(grid[0] > 0)
        mass = found.between[first : first + grid.size - 1]
        if lumps:
            at = found.at[first : first + grid.size]
            mass = mass + at[:-1] + np.append(np.zeros(mass.size - 1), at[-1])
        height = mass / np.diff(grid)
        x = np.concatenate((grid[:1], (grid[1:] + grid[:-1]) / 2, grid[-1:]))
        return Density(x, np.concatenate((height[:1], height, height[-1:])), atoms, masses)

    def _grid(self, belief: Belief, cells: int) -> FloatArray:
        even = np.linspace(*self.support(belief), cells + 1)
        if self.prevalence is None:
            return np.asarray(even)
        shares = [_share(part) for _, part in belief.parts]
        marks = [mark for share in shares for mark in (*share.support, share.likely)]
        return np.unique([*even, *(mark for mark in marks if mark is not None)])

    def _atoms(self, belief: Belief) -> tuple[FloatArray, FloatArray]:
        shapes = [(w, _share(part)) for w, part in belief.parts if self.prevalence is not None]
        single = [(w, shape) for w, shape in shapes if isinstance(shape, Atoms)]
        shares = np.concatenate([np.empty(0), *(shape.shares for _, shape in single)])
        if shares.size > MOST_ATOMS:
            return np.empty(0), np.empty(0)
        masses = np.concatenate([np.empty(0), *(w * shape.weights for w, shape in single)])
        return shares, masses


def _share(part: Part) -> Shape:
    """Return a part's belief about the miss's share of the costs."""
    if not isinstance(part, SampledPart):
        return part.shares[0]
    return sample_shape(part.cost_shares, "share", part.weights)


@dataclass(frozen=True, slots=True, repr=False)
class Stretch(Record):
    """A stretch of the cost axis from `low` to `high`, all that are best there, and its mass.

    `classifiers` is sorted, and "never" or "always" where that loses less than all.
    """

    low: float
    high: float
    classifiers: tuple[str, ...]
    mass: float

    @classmethod
    def _draw(cls, records: Sequence[Stretch]) -> str:
        marks = [Mark(", ".join(row.classifiers), row.low, row.high) for row in records]
        return draw_bars(marks, "cost axis")


def join_stretches(best: Iterable[tuple[str, ...]], masses: Masses) -> Records[Stretch]:
    """Join neighboring parts of the axis on which the same classifiers are best."""
    ends = masses.edges.tolist()
    parts = zip(ends, ends[1:], best, masses.between.tolist(), strict=False)
    runs = ((names, list(run)) for names, run in groupby(parts, key=lambda part: part[2]))
    return Records(
        Stretch(run[0][0], run[-1][1], names, sum(part[3] for part in run)) for names, run in runs
    )


def percent(mass: float) -> str:
    """Write a mass as a percentage, 0 and 100 only where exact."""
    if mass > 0.995 and mass < 1 - ROUNDING:
        return "over 99%"
    if mass < 0.005 and mass > ROUNDING:
        return "under 1%"
    return f"{100 * mass:.0f}%"
