"""Precision against recall, at a stated prevalence and with the right lines between points.

Precision depends on the prevalence, so it is computed from the ROC rates at whichever one is
stated. Between two points precision is *not* linear in recall (Davis and Goadrich, 2006): mixing
two classifiers mixes their rates, and precision follows from those. The curve of a hull is thus
the image of the hull, the best that can be achieved at every recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_rate
from rocch.roc import measures
from rocch.roc.path import RocPath, stated_prevalence

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.curve import RocCurve
    from rocch.roc.hull import RocHull


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision and recall of one classifier, or of a hull.

    Attributes
    ----------
    path
        The ROC path that this is the image of.
    prevalence
        The share of positives at which precision is meant; also the precision of chance.
    recall, precision
        At the points that raise an alarm at all, read-only; without alarms there is no precision
        (scikit-learn puts a precision of 1 there by convention; nothing is made up here).

    Examples
    --------
    >>> import rocch
    >>> curve = rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="nb")
    >>> pr = rocch.PrecisionRecallCurve.of(curve)
    >>> pr.recall, pr.precision
    (array([0.5, 0.5, 1. , 1. ]), array([1.        , 0.5       , 0.66666667, 0.5       ]))
    >>> rare = rocch.PrecisionRecallCurve.of(curve, prevalence=0.01)
    >>> round(rare.precision_at(1.0), 3)
    0.02
    """

    path: RocPath
    prevalence: float

    @classmethod
    def of(
        cls, part: RocCurve | RocHull, *, prevalence: float | str = "observed"
    ) -> PrecisionRecallCurve:
        """Map a curve or a hull, at the observed prevalence or at any other."""
        path = RocPath.of(part)
        return cls(path, stated_prevalence(prevalence, path.judged))

    @property
    def name(self) -> str:
        """The classifier's name; "hull" for a hull."""
        return self.path.name

    @property
    def recall(self) -> FloatArray:
        """The share of positives found, at the points that alarm at all."""
        return self._points[0]

    @property
    def precision(self) -> FloatArray:
        """The share of alarms that are right, at the same points."""
        return self._points[1]

    @cached_property
    def _points(self) -> tuple[FloatArray, FloatArray]:
        return _frozen(*self._image(self.path))

    @cached_property
    def line(self) -> tuple[FloatArray, FloatArray]:
        """Recall and precision along the whole curve, with points enough to draw it truly.

        From *never* to the first point both classes' rates rise in proportion, so precision keeps
        its value down to a recall of 0. For labelled points alone it is the points themselves.
        """
        recall, precision = self._image(self.path.refined())
        if self.path.joined:
            recall = np.concatenate(([0.0], recall))
            precision = np.concatenate((precision[:1], precision))
        return _frozen(recall, precision)

    @cached_property
    def area(self) -> float:
        """The area under the curve, integrated along it in closed form.

        With hits h and alarms a along a segment (shares of all cases), the precision h / a is
        integrated over recall; a is linear in h there.
        """
        self.path.check_joined("area")
        hits, alarms = self._shares(self.path)
        rise, run = np.diff(hits), np.diff(alarms)
        rising = rise > 0
        rise, run, h, a = rise[rising], run[rising], hits[:-1][rising], alarms[:-1][rising]
        slope = rise / run
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = np.where(a > 0, (slope * a - h) * np.log1p(run / a), 0.0)
        return float(np.sum(slope * (rise - bend)) / self.prevalence)

    def precision_at(self, recall: float) -> float:
        """Return the highest precision that the curve has at this recall, above 0 and up to 1."""
        self.path.check_joined("precision_at")
        if not as_rate(recall, "recall") > 0:
            raise bad_input("recall", "be above 0", repr(recall), "Without hits, nothing is found.")
        fpr = measures.fpr_at(self.path.fpr, self.path.tpr, recall)
        hits = self.prevalence * recall
        return hits / (hits + (1 - self.prevalence) * fpr)

    def _image(self, path: RocPath) -> tuple[FloatArray, FloatArray]:
        hits, alarms = self._shares(path)
        some = alarms > 0
        return path.tpr[some], hits[some] / alarms[some]

    def _shares(self, path: RocPath) -> tuple[FloatArray, FloatArray]:
        hits = self.prevalence * path.tpr
        return hits, hits + (1 - self.prevalence) * path.fpr


def iso_f1(score: float) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision along the line on which F1 has one value, above 0 and below 1.

    Examples
    --------
    >>> from rocch.roc.precision_recall import iso_f1
    >>> recall, precision = iso_f1(0.5)
    >>> round(float(precision[0]), 4), round(float(precision[-1]), 4)
    (1.0, 0.3333)
    """
    value = as_rate(score, "f1")
    if value in (0, 1):
        raise bad_input("f1", "lie between 0 and 1", repr(score), "For example: 0.5.")
    recall = np.linspace(value / (2 - value), 1, 200)
    return recall, np.minimum(value * recall / (2 * recall - value), 1)


def _frozen(*arrays: FloatArray) -> tuple[FloatArray, FloatArray]:
    for array in arrays:
        array.flags.writeable = False
    first, second = arrays
    return first, second
