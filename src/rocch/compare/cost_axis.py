"""The axis on which losses are compared, and what a belief weighs along it.

Who loses less depends on one number, the probability-cost of the positive class. Where the
prevalence is one number, it goes with the miss's share of both costs, c = c_fn / (c_fp + c_fn):
Adams and Hand's c1, on which experts' beliefs lie. Comparisons use that axis then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rocch.errors import bad_input
from rocch.kernels.envelopes import share_weights
from rocch.roc.belief import as_belief
from rocch.roc.belief_parts import Draws, Part
from rocch.roc.shapes import Atoms, Shape, sampled

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.belief import Belief
    from rocch.roc.judged import Judged

AxisName = Literal["cost share", "probability-cost"]

CELLS = 400
"""A density is drawn from the masses of so many cells; a sample's on a tenth of them."""

MOST_ATOMS = 24
"""So many single shares are drawn one by one."""

WHOLE = 1e-9
"""A rest of belief that is too little to be drawn."""


class Masses(NamedTuple):
    """The belief on the stretches between edges and at the edges.

    The error is that of the mass below any edge: the quadrature's where costs and prevalence are
    both uncertain, 0 elsewhere, because masses then have closed forms and are only rounded.
    """

    between: FloatArray
    at: FloatArray
    error: float


class Density(NamedTuple):
    """A belief to be drawn: heights along the axis, and single points with their masses."""

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

    def weights(self, judged: Judged) -> tuple[int, int]:
        """Return the weights that bring odds of counts onto the axis."""
        if self.prevalence is None:
            return judged.positives, judged.negatives
        return share_weights(judged.negatives, judged.positives, self.prevalence)

    def support(self, belief: Belief) -> tuple[float, float]:
        """Return between which points the belief lies."""
        return belief.axis_range if self.prevalence is None else tuple(belief.cost_share)

    def masses(self, belief: Belief, edges: FloatArray) -> Masses:
        """Weigh stretches between edges that rise from 0 to 1, and the edges themselves."""
        if self.prevalence is None:
            found = belief.stretches(edges)
            return _whole(found.mass, found.at_edges, found.error)
        closed, below = (
            np.sum(
                [
                    weight * _share(part).cumulative(edges, inclusive=inclusive)[0]
                    for weight, part in belief.parts
                ],
                axis=0,
            )
            for inclusive in (True, False)
        )
        between = np.maximum(below[1:] - closed[:-1], 0.0)
        return _whole(between, np.maximum(closed - below, 0.0), 0.0)

    def density(self, belief: Belief) -> Density:
        """Return heights, and single points with their masses, to be drawn."""
        atoms, masses = self._atoms(belief)
        if masses.sum() > 1 - WHOLE:
            return Density(np.empty(0), np.empty(0), atoms, masses)
        lumps = not atoms.size and any(_lumpy(part) for _, part in belief.parts)
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
        """Return the edges of cells over the belief's support; a triangle's apex is one."""
        low, high = self.support(belief)
        tops: list[float] = []
        if self.prevalence is not None:
            tops = [top for _, part in belief.parts if (top := _share(part).likely) is not None]
        return np.unique([*np.linspace(low, high, cells + 1), *tops])

    def _atoms(self, belief: Belief) -> tuple[FloatArray, FloatArray]:
        """Return a belief's single shares, if they are few; many are drawn as a density."""
        shapes = [(w, _share(part)) for w, part in belief.parts if self.prevalence is not None]
        single = [(w, shape) for w, shape in shapes if isinstance(shape, Atoms)]
        shares = np.concatenate([np.empty(0), *(shape.shares for _, shape in single)])
        if shares.size > MOST_ATOMS:
            return np.empty(0), np.empty(0)
        masses = np.concatenate([np.empty(0), *(w * shape.weights for w, shape in single)])
        return shares, masses


def believed_on(judged: Judged, belief: Any, prevalence: Any) -> Belief:
    """Return a belief with a prevalence, which must be named once: in the belief or beside it."""
    belief = as_belief(belief)
    if prevalence is not None:
        if has_prevalence(belief):
            raise bad_input(
                "prevalence",
                "be left out where the belief has one",
                repr(prevalence),
                f"The belief says: {belief}.",
            )
        belief = belief.with_prevalence(prevalence)
    return belief.resolved(judged)


def has_prevalence(belief: Belief) -> bool:
    """Say whether a belief, or any part of a pooled one, speaks of prevalence."""
    return any(isinstance(p, Draws) or p.prevalence is not None for _, p in belief.parts)


def _whole(between: FloatArray, at: FloatArray, error: float) -> Masses:
    """Return masses that sum to 1: what their rounding left over is shared out."""
    total = between.sum() + at.sum()
    return Masses(between / total, at / total, error)


def _share(part: Part) -> Shape:
    """Return what a part of a belief says about the miss's share of the costs."""
    if not isinstance(part, Draws):
        return part.share
    shares = part.false_negative / (part.false_positive + part.false_negative)
    return sampled(shares, "share", weights=part.weights, argument="belief")


def _lumpy(part: Part) -> bool:
    """Say whether a part of a belief is made of single conditions."""
    return isinstance(part, Draws) or all(isinstance(shape, Atoms) for shape in part.shares)
