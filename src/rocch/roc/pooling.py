"""Several curves of one method pooled: all rows counted as if one model had scored them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_name
from rocch.roc.average import as_curves
from rocch.roc.common_thresholds import common_thresholds, counts_at
from rocch.roc.curve import RocCurve
from rocch.roc.judged import Judged
from rocch.roc.score_scales import warn_of_scales

if TYPE_CHECKING:
    from collections.abc import Iterable


def pool_curves(curves: Iterable[RocCurve], *, name: str = "pooled") -> RocCurve:
    """Add the counts of several curves at every threshold.

    The third way beside the two of `average_curves`. It is the curve that all rows would give if
    they were scored together, exactly; larger folds count more. It assumes that a score means the
    same in all curves, and gives `ScoreScaleWarning` where it evidently does not. Rows that occur
    in several curves are counted as often.

    Parameters
    ----------
    curves
        At least two, of scoring classifiers, counted from plain rows.
    name
        The name of the result.

    Returns
    -------
    RocCurve
        With integer counts, so that all that curves can do works. Its rows have no fingerprint.

    Examples
    --------
    >>> import rocch
    >>> folds = [
    ...     rocch.RocCurve.from_scores([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]),
    ...     rocch.RocCurve.from_scores([0, 1, 1], [0.3, 0.7, 0.6]),
    ... ]
    >>> rocch.pool_curves(folds, name="nb")
    <RocCurve 'nb': 8 points, 4 positives, 3 negatives>
    """
    several = as_curves(curves)
    for curve in several:
        if curve.judged.weighted:
            raise bad_input(
                "curves",
                "be counted from plain rows, so that counts can be added",
                f"{curve.name!r}, from weighted rows",
                "Leave sample_weight out, or average by='fpr'.",
            )
    thresholds = common_thresholds(several)
    warn_of_scales(several)
    fp, tp = np.insert(counts_at(several, thresholds).sum(axis=1), 0, 0, axis=1)
    return RocCurve(as_name(name), Judged(int(fp[-1]), int(tp[-1])), fp, tp, thresholds)
