"""Gain and lift: what alarming on a share of all cases finds, at a stated prevalence.

The share of cases that alarm is p TPR + (1 - p) FPR, so the gain curve is the ROC curve slid
sideways, and straight lines stay straight. Lift is the share of positives found over the share of
cases alarmed: how many times more frequent positives are among the alarms than among all cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import UndefinedError
from rocch.inputs import as_rate
from rocch.roc.path import RocPath, stated_prevalence

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import RocHull


@dataclass(frozen=True, eq=False)
class GainCurve:
    """The share of positives found for each share of cases alarmed.

    Attributes
    ----------
    path
        The ROC path that this is the image of.
    prevalence
        The share of positives at which alarms are counted.
    alarmed, found
        The two shares at every point, read-only.

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0, 0, 0, 1], [0.1, 0.2, 0.9, 0.8], name="nb")
    >>> gain = rocch.GainCurve.of(curve)
    >>> gain.alarmed, gain.found
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0., 0., 1., 1., 1.]))
    >>> gain.found_at(0.5), gain.lift_at(0.5)
    (1.0, 2.0)
    """

    path: RocPath
    prevalence: float

    @classmethod
    def of(cls, part: RocCurve | RocHull, *, prevalence: float | str = "observed") -> GainCurve:
        """Map a curve or a hull, at the observed prevalence or at any other."""
        path = RocPath.of(part)
        return cls(path, stated_prevalence(prevalence, path.judged))

    @property
    def name(self) -> str:
        """The classifier's name; "hull" for a hull."""
        return self.path.name

    @property
    def found(self) -> FloatArray:
        """The share of positives found: the TPR."""
        return self.path.tpr

    @cached_property
    def alarmed(self) -> FloatArray:
        """The share of all cases that alarm."""
        shares = self._alarmed(self.path)
        shares.flags.writeable = False
        return shares

    @cached_property
    def lift_line(self) -> tuple[FloatArray, FloatArray]:
        """The share of cases alarmed, and the lift, with points enough to draw it truly.

        Up to the first point lift is constant: that many alarms are drawn from equals.
        """
        path = self.path.refined()
        alarmed = self._alarmed(path)
        some = alarmed > 0
        x, lift = alarmed[some], path.tpr[some] / alarmed[some]
        if path.joined:
            x, lift = np.concatenate(([0.0], x)), np.concatenate((lift[:1], lift))
        x.flags.writeable = lift.flags.writeable = False
        return x, lift

    def found_at(self, alarmed: float) -> float:
        """Return the share of positives found when this share of cases alarms."""
        self.path.check_joined("found_at")
        return float(np.interp(as_rate(alarmed, "alarmed"), self.alarmed, self.found))

    def lift_at(self, alarmed: float) -> float:
        """Return the lift when this share of cases alarms."""
        found = self.found_at(alarmed)
        if alarmed == 0:
            raise UndefinedError("lift_at is undefined where nothing alarms. Ask for a share > 0.")
        return found / alarmed

    def _alarmed(self, path: RocPath) -> FloatArray:
        return self.prevalence * path.tpr + (1 - self.prevalence) * path.fpr


def perfect_gain(prevalence: float) -> tuple[FloatArray, FloatArray]:
    """Return the gain curve of a classifier without errors: every alarm is right while any can be.

    Examples
    --------
    >>> from rocch.roc.gain import perfect_gain
    >>> perfect_gain(0.2)
    (array([0. , 0.2, 1. ]), array([0., 1., 1.]))
    """
    return np.array([0.0, prevalence, 1.0]), np.array([0.0, 1.0, 1.0])


def perfect_lift(prevalence: float) -> tuple[FloatArray, FloatArray]:
    """Return the lift of a classifier without errors: 1 / prevalence, then 1 / share alarmed."""
    alarmed = np.concatenate(([0.0], np.geomspace(prevalence, 1, 200)))
    return alarmed, 1 / np.maximum(alarmed, prevalence)
