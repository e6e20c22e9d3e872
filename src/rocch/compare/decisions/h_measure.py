"""The H-measure: how much better than chance a classifier serves under doubt about the costs.

Hand (2009), "Measuring classifier performance: a coherent alternative to the area under the ROC
curve": one minus the expected cost of a classifier whose threshold is best for every cost, divided
by that of the better trivial classifier. The two costs sum to one and their shares are believed to
be Beta-distributed, the same for every classifier; the AUC is the same thing with a belief that
each classifier brings along itself.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rocch.errors import UndefinedError, bad_input, kind_of
from rocch.inputs import as_rate
from rocch.roc.belief import Belief, as_belief
from rocch.roc.conditions import OBSERVED
from rocch.roc.criteria import least_expected_cost
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull

TRIVIAL = np.array([0.0, 1.0])


def h_measure(
    curve: RocCurve | RocHull,
    *,
    belief: Belief | Literal["symmetric", "balanced"] = "symmetric",
    prevalence: Any = None,
) -> float:
    """Return the H-measure of a curve, or of all classifiers of a hull together.

    Parameters
    ----------
    curve
        A curve (its convex hull counts), or a hull.
    belief
        "symmetric": the miss's share of both costs is Beta(2, 2) (Hand, 2009). "balanced": it is
        Beta(1 + negatives, 1 + positives) of the class shares, so that errors on the rarer class
        are thought to be dearer, and most likely just so much that both classes matter alike (Hand
        and Anagnostopoulos, 2014; there the other class's share is Beta(1 + positives, 1 +
        negatives)). Or any belief about costs; without a unit, costs sum to one.
    prevalence
        The share of positives: a number, an interval or a belief; by default the belief's own, or
        else that of the judged rows ("observed").

    Returns
    -------
    float
        1 for a perfect classifier, 0 for one that never beats the trivial ones.

    Examples
    --------
    >>> import rocch
    >>> y = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1]
    >>> curve = rocch.RocCurve.from_scores(y, range(16))
    >>> round(rocch.h_measure(curve), 4)
    0.3976
    >>> round(rocch.h_measure(curve, belief=rocch.Belief.miss_costs(5, 10)), 4)
    0.3333
    """
    if not isinstance(curve, RocCurve | RocHull):
        raise bad_input("curve", "be a RocCurve or a RocHull", kind_of(curve), "Pass one of them.")
    hull = RocHull.of(curve) if isinstance(curve, RocCurve) else curve
    believed = _believed(hull, belief, prevalence)
    hull.best_between(*believed.slope_range)  # refuses what a restricted hull cannot answer
    chance = least_expected_cost(TRIVIAL, TRIVIAL, believed)
    if chance == 0:
        raise UndefinedError(
            "the H-measure is undefined where a trivial classifier costs nothing: the belief holds "
            "that one kind of error is free. Name costs for both."
        )
    return max(0.0, 1 - least_expected_cost(hull.fpr, hull.tpr, believed) / chance)


def _believed(hull: RocHull, belief: Any, prevalence: Any) -> Belief:
    """Return the belief with a prevalence and a unit."""
    if isinstance(belief, str):
        believed = _named(hull, belief, OBSERVED if prevalence is None else prevalence)
    else:
        believed = as_belief(belief)
    if prevalence is not None or not believed.has_prevalence:
        believed = believed.with_prevalence(OBSERVED if prevalence is None else prevalence)
    if not believed.has_unit:
        believed = believed.with_unit(sum_of_costs=1)
    return believed.resolved(hull.judged)


def _named(hull: RocHull, name: str, prevalence: Any) -> Belief:
    if name == "symmetric":
        return Belief.cost_share_beta(2, 2)
    if name != "balanced":
        raise bad_input(
            "belief",
            "be 'symmetric', 'balanced' or a Belief",
            repr(name),
            "For example: Belief.cost_share_beta(2, 2).",
        )
    observed = isinstance(prevalence, str) and prevalence == OBSERVED
    share = hull.judged.prevalence if observed else as_rate(prevalence, "prevalence")
    return Belief.cost_share_beta(2 - share, 1 + share)
