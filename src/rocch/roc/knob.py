"""The knob: one setting from 0 to 1 along the hull (Provost and Fawcett, section 3.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rocch.arrays import FloatArray
from rocch.errors import Hint, InputError
from rocch.inputs import as_instance, as_number
from rocch.roc.operating_point import OperatingPoint, RocPoint

if TYPE_CHECKING:
    from rocch.roc.hull import RocHull


@dataclass(frozen=True, slots=True, order=True)
class Knob:
    """A position along a hull, from 0 (never alarm) to 1 (always alarm).

    Parameters
    ----------
    position
        (FPR + TPR) / 2. Unlike the paper's FPR it moves on vertical segments, too.

    Examples
    --------
    >>> import rocch
    >>> hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]})
    >>> [(rocch.roc.Knob.of(vertex).position, vertex.rule()) for vertex in hull]
    [(0.0, 'never alarm'), (0.25, 'alarm when nb >= 0.6'), (0.75, 'alarm when nb >= 0.225'), (1.0, 'always alarm')]
    >>> rocch.roc.Knob(0.3).on(hull).rule()
    'alarm when nb >= 0.6'
    >>> rocch.roc.Knob(0.35).on(hull, randomize=True).rule()
    'with probability 0.8 alarm when nb >= 0.6, otherwise alarm when nb >= 0.225'
    >>> rocch.roc.Knob(0.9).turned(0.3)
    Knob(position=1.0)
    """  # noqa: E501 - the output of an example is one line

    position: float

    def __post_init__(self) -> None:
        hint = "0 is never alarming, 1 is always alarming."
        position = as_number(self.position, "position", least=0, most=1, hint=hint)
        object.__setattr__(self, "position", position)

    @classmethod
    def of(cls, point: OperatingPoint | RocPoint) -> Knob:
        """Return the position of a point, on the hull or not."""
        hint = Hint("For example: Knob.of(hull.best(conditions)).")
        as_instance(point, (OperatingPoint, RocPoint), "point", hint=hint)
        return cls((point.fpr + point.tpr) / 2)

    def turned(self, by: float) -> Knob:
        """Return the knob turned to more alarms (by > 0) or fewer (by < 0), clipped to 0 and 1."""
        by = as_number(by, "by", hint="Positive turns to more alarms, negative to fewer.")
        return Knob(min(max(self.position + by, 0.0), 1.0))

    def on(self, hull: RocHull, *, randomize: bool = False) -> OperatingPoint:
        """Return the operating point of this setting on a hull.

        With `randomize` it is exact, a mix of two vertices (Theorem 7); otherwise it is the nearest
        vertex, the left one on a tie.
        """
        # Points of curves between vertices may be nearer, but lie below the hull, and turning right
        # from one curve to another could lower TPR.
        places = positions(hull)
        low, high = reach(hull)
        if not low <= self.position <= high:
            raise InputError(
                "knob",
                f"lie within {low:.6g} to {high:.6g}, because the hull was restricted to bounds on "
                "conditions",
                f"{self.position:.6g}",
                "Use a hull without bounds.",
            )
        end = min(int(np.searchsorted(places, self.position)), places.size - 1)
        start = max(end - 1, 0)
        nearer_left = self.position - places[start] <= places[end] - self.position
        nearest = start if nearer_left else end
        off = abs(float(places[nearest]) - self.position)
        mix: tuple[tuple[float, RocPoint], ...]
        if off == 0 or not randomize:
            vertex = hull.vertices[nearest]
            fpr, tpr, mix = vertex.fpr, vertex.tpr, ((1.0, vertex),)
        else:
            share = float((self.position - places[start]) / (places[end] - places[start]))
            left, right = hull.vertices[start], hull.vertices[end]
            fpr = left.fpr + share * (right.fpr - left.fpr)
            tpr = left.tpr + share * (right.tpr - left.tpr)
            mix, off = ((1 - share, left), (share, right)), 0.0
        return OperatingPoint(
            fpr=fpr,
            tpr=tpr,
            mix=mix,
            objective=f"distance from knob position {self.position:.6g}",
            value=off,
            expected_cost=None,
            randomizing_gains=off,
        )

    def neighbor(self, hull: RocHull, by: float, *, randomize: bool = False) -> Knob | None:
        """Return a setting about `by` to the right or left, or None at the end.

        Without `randomize` it is a vertex, at least the next one.
        """
        low, high = reach(hull)
        aim = min(max(self.position + by, low), high)
        if randomize:
            return None if aim == self.position else Knob(aim)
        places = positions(hull)
        places = places[(places >= low) & (places <= high)]
        beyond = places[places > self.position] if by > 0 else places[places < self.position]
        if not beyond.size:
            return None
        return Knob(float(beyond[np.argmin(np.abs(beyond - aim))]))


def positions(hull: RocHull) -> FloatArray:
    """Return the strictly increasing positions of the vertices."""
    from rocch.roc.hull import RocHull

    as_instance(hull, RocHull, "hull", hint=Hint("Build one with RocHull.of."))
    return (hull.fpr + hull.tpr) / 2


def reach(hull: RocHull) -> tuple[float, float]:
    """Return the range of the knob: 0 to 1, or less on a restricted hull."""
    places = positions(hull)
    if hull.slope_bounds is None:
        return 0.0, 1.0
    known = hull.best_between(*hull.slope_bounds)
    return float(places[known[0]]), float(places[known[-1]])
