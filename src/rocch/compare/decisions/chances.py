"""The chances of being best: how much of a belief lies where each vertex, or classifier, wins."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.roc.hull import SAME_SLOPE

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.belief import Belief
    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import RocPoint


class Chance(NamedTuple):
    """The probability of being best, and the part of it in which others are exactly as good."""

    probability: float
    shared: float


@dataclass(frozen=True, eq=False)
class Chances:
    """Masses of a belief along a hull.

    Attributes
    ----------
    alone
        Where each vertex is the only best one.
    ties
        Where each vertex and the next are equally good.
    """

    hull: RocHull
    alone: FloatArray
    ties: FloatArray

    @classmethod
    def of(cls, hull: RocHull, belief: Belief) -> Chances:
        """Measure where each vertex is best.

        Only single conditions can tie, and their slopes count as equal when 12 digits agree.
        """
        room = 0.0 if belief.smooth else SAME_SLOPE
        starts = np.maximum.accumulate(1 / (1 + hull.slopes * (1 + room)))
        stops = np.maximum.accumulate(1 / (1 + hull.slopes * (1 - room)))
        below, upto = belief.mass_upto(starts, inclusive=False), belief.mass_upto(stops)
        alone = np.append(below, 1.0) - np.insert(upto, 0, 0.0)
        possible = np.isin(np.arange(len(hull)), list(hull.best_between(*belief.slope_range)))
        return cls(
            hull,
            np.where(possible, np.maximum(alone, 0.0), 0.0),  # but for rounding errors
            np.where(possible[:-1] & possible[1:], np.maximum(upto - below, 0.0), 0.0),
        )

    def of_point(self, point: RocPoint) -> Chance:
        """Return a vertex's chance; a point inside the hull has none."""
        place = np.flatnonzero((self.hull.fpr == point.fpr) & (self.hull.tpr == point.tpr))
        if not place.size:
            return Chance(0.0, 0.0)
        shared = float(np.concatenate(([0.0], self.ties, [0.0]))[place[0] : place[0] + 2].sum())
        return Chance(min(1.0, float(self.alone[place[0]]) + shared), shared)

    def of_classifier(self, name: str) -> Chance:
        """Return a classifier's chance; it may share vertices, and the ends, with others."""
        holders = [set(vertex.classifiers) for vertex in self.hull.vertices]
        either = [left | right for left, right in pairwise(holders)]
        masses = np.concatenate((self.alone, self.ties)).tolist()
        zones = zip(masses, holders + either, strict=True)
        held = [(mass, names) for mass, names in zones if name in names]
        shared = sum(mass for mass, names in held if len(names) > 1)
        return Chance(min(1.0, sum(mass for mass, _ in held)), shared)
