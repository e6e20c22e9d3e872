"""Whether posteriors promise about what happens: rough calibration, class by class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

BINS = 10
GAP = 0.05
"""Posteriors that are off by more than this on average are worth a word ..."""
NOISE = 2.0
"""... if it is also more than so many times what chance alone would show."""


def calibration_errors(posteriors: FloatArray, truths: IntArray) -> tuple[float, ...]:
    """Return for each class how far posteriors are, on average, from the share that comes true.

    Rows are gathered in ten bins of equally many rows by their posterior; each bin's mean posterior
    is compared with the share of its rows that are of the class.

    Examples
    --------
    >>> import numpy as np
    >>> from rocch.report.many_classes.calibration import calibration_errors
    >>> sure = np.array([[1.0, 0.0]] * 20)
    >>> calibration_errors(sure, np.array([0, 1] * 10))
    (0.5, 0.5)
    """
    return tuple(
        float(_gap(column, truths == place)[0]) for place, column in enumerate(posteriors.T)
    )


def badly_calibrated(posteriors: FloatArray, truths: IntArray) -> bool:
    """Say whether some class's posteriors are off by more than a little, and than chance."""
    for place, column in enumerate(posteriors.T):
        gap, noise = _gap(column, truths == place)
        if gap > GAP and gap > NOISE * noise:
            return True
    return False


def _gap(promised: FloatArray, got: IntArray) -> tuple[float, float]:
    """Return the mean gap, and the mean that chance would show if the posteriors were right."""
    order = np.argsort(promised, kind="stable")
    gap = noise = 0.0
    for part in np.array_split(order, min(BINS, order.size)):
        gap += abs(promised[part].sum() - got[part].sum())
        variance = (promised[part] * (1 - promised[part])).sum()
        noise += np.sqrt(2 / np.pi * variance)
    return gap / order.size, noise / order.size
