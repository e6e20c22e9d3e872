"""A path through ROC space: what other pictures of a classifier are images of.

A scoring classifier's points and a hull's vertices are joined by straight lines in ROC space,
because the points in between are reached by mixing the ends. Where another picture bends those
lines, it must bend the points in between too, so a path can be refined before it is mapped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import InputError, UndefinedError, bad_input, kind_of
from rocch.inputs import is_number
from rocch.roc.conditions import OBSERVED
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.judged import Judged

FINE_ENOUGH = 2_000
"""A path of more points than this needs no refining: its steps are too short to be seen."""

SHARES = np.union1d(np.linspace(0, 1, 33)[:-1], 1 / (1 + np.exp(-np.linspace(-12, 12, 49))))
"""Where a segment is divided: evenly, and ever more densely toward both ends, since that is where
images bend most (the normal deviate of a rate near 0, the precision of the first alarms)."""


@dataclass(frozen=True, slots=True, eq=False)
class RocPath:
    """The rates of one classifier (or hull) and whether straight lines join them.

    A classifier that outputs labels only is a few points that nothing joins; its trivial ends are
    left out.
    """

    name: str
    judged: Judged
    fpr: FloatArray
    tpr: FloatArray
    joined: bool

    def __post_init__(self) -> None:
        self.fpr.flags.writeable = self.tpr.flags.writeable = False

    @classmethod
    def of(cls, part: RocCurve | RocHull) -> RocPath:
        """Take the points of a curve or the vertices of a hull."""
        if isinstance(part, RocHull):
            check_whole(part)
            return cls("hull", part.judged, part.fpr, part.tpr, True)
        if not isinstance(part, RocCurve):
            raise bad_input(
                "part",
                "be a RocCurve or a RocHull",
                kind_of(part),
                "Build one with RocCurve.from_scores(y_true, y_score).",
            )
        inner = slice(None) if part.scoring else slice(1, -1)
        return cls(part.name, part.judged, part.fpr[inner], part.tpr[inner], part.scoring)

    def refined(self) -> RocPath:
        """Return the same path with points in between, each on its segment."""
        if not self.joined or self.fpr.size > FINE_ENOUGH:
            return self
        return replace(self, fpr=_divided(self.fpr), tpr=_divided(self.tpr))

    def check_joined(self, what: str) -> None:
        """Refuse a question about what lies between points that nothing joins."""
        if not self.joined:
            raise UndefinedError(
                f"{what} is undefined for {self.name}: it outputs labels only, so no curve runs "
                "through its points. Use the hull: RocHull.of(curve)."
            )


def check_whole(hull: RocHull) -> None:
    """Refuse a hull of which a part has been cut away."""
    if hull.slope_bounds is not None:
        raise InputError(
            "hull must be whole; this one was restricted to bounds on conditions. "
            "Use the unrestricted hull."
        )


def stated_prevalence(prevalence: float | str, judged: Judged) -> float:
    """Return a prevalence strictly between 0 and 1: the one stated, or the observed one."""
    if isinstance(prevalence, str) and prevalence == OBSERVED:
        return judged.prevalence
    if not is_number(prevalence) or not 0 < float(prevalence) < 1:
        raise bad_input(
            "prevalence",
            "be 'observed' or a number between 0 and 1, both excluded",
            repr(prevalence),
            "It is the share of positives where the classifier will work; both classes must occur.",
        )
    return float(prevalence)


def _divided(rates: FloatArray) -> FloatArray:
    """Put points into every segment; its ends stay exactly what they are."""
    between = rates[:-1, None] + np.diff(rates)[:, None] * SHARES
    return np.append(between.ravel(), rates[-1])
