"""What a hybrid saves over the best single learner, on the rows that built it and on new ones.

Costs are normalized expected costs, as in cost curves: pc · FNR + (1 - pc) · FPR, where pc is the
prevalence weighted by costs. It runs over its whole range, so every ratio of costs and every class
balance takes part; a line of equal cost has the slope (1 - pc) / pc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid import ScoreColumn

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from studies.robustness.domain import Domain, Fold, Judged

WEIGHTS = np.arange(1, 100) / 100
SLOPES = (1 - WEIGHTS) / WEIGHTS


class Rates(NamedTuple):
    """What each vertex of a hull does on some rows."""

    fpr: FloatArray
    tpr: FloatArray


def rates_on(hull: rocch.RocHull, rows: Judged) -> Rates:
    """Return the rates on some rows of every vertex, with its learner and deployed threshold."""
    alarms = np.zeros((len(hull), rows.positive.size), dtype=bool)
    alarms[-1] = True
    for i, vertex in enumerate(hull.vertices[1:-1], start=1):
        threshold: Any = vertex.threshold
        alarms[i] = rows.scores[vertex.classifier] >= threshold
    return Rates(alarms[:, ~rows.positive].mean(axis=1), alarms[:, rows.positive].mean(axis=1))


def costs_on(hull: rocch.RocHull, rows: Judged) -> FloatArray:
    """Return what a hull costs on some rows, aimed at every weight in turn."""
    rates, chosen = rates_on(hull, rows), hull.best_each(SLOPES)
    return np.asarray(WEIGHTS * (1 - rates.tpr[chosen]) + (1 - WEIGHTS) * rates.fpr[chosen])


class Costs(NamedTuple):
    """Costs at every weight, on the rows that built the hulls and on new ones."""

    building: FloatArray
    new: FloatArray

    @classmethod
    def of(cls, hull: rocch.RocHull, fold: Fold) -> Costs:
        """Return what a hull costs that was built for this fold."""
        return cls(costs_on(hull, fold.building), costs_on(hull, fold.test))


class Saved(NamedTuple):
    """The mean saving over all weights, in % of what the single learner costs, and its error."""

    percent: float
    error: float


class Saving(NamedTuple):
    """What hybrids save in a domain, in each of its folds.

    Attributes
    ----------
    hybrid, parsimonious, alone
        Costs of the whole hybrid, of the hybrid that keeps only what gains more than a standard
        error, and of the picked learner, each re-aimed at every weight: folds by weights.
    """

    hybrid: Costs
    parsimonious: Costs
    alone: Costs

    def saved(self, rows: str, *, parsimonious: bool = False) -> Saved:
        """Return what is saved over the picked learner, with the standard error over the folds.

        The ratio of means over all folds; its error is that of the paired differences. Folds share
        most of their training rows, so it is rather too small.
        """
        hybrid: Costs = self.parsimonious if parsimonious else self.hybrid
        return _saved(getattr(self.alone, rows), getattr(hybrid, rows))


def _saved(before: FloatArray, now: FloatArray) -> Saved:
    """Compare costs, folds by weights."""
    old, new = before.mean(axis=1), now.mean(axis=1)
    error = np.std(old - new, ddof=1) / np.sqrt(old.size)
    return Saved(float(100 * (1 - new.mean() / old.mean())), float(100 * error / old.mean()))


def saving_of(domain: Domain) -> Saving:
    """Build hybrids for every fold of a domain, and see what they and single learners cost."""
    picked = [fold.building.best_alone for fold in domain.folds]
    whole = [hybrid_of(fold.building) for fold in domain.folds]
    few = [hybrid_of(fold.building, parsimonious=True) for fold in domain.folds]
    return Saving(
        _stacked(domain, [hybrid.hull_ for hybrid in whole]),
        _stacked(domain, [hybrid.hull_ for hybrid in few]),
        _stacked(domain, [f.building.alone(n) for f, n in zip(domain.folds, picked, strict=True)]),
    )


def hybrid_of(rows: Judged, *, parsimonious: bool = False) -> rocch.RocchClassifier:
    """Return the hybrid of learners whose scores are at hand, judged on these rows.

    A parsimonious one drops learners whose gain is within a standard error.
    """
    frozen = [(name, FrozenEstimator(ScoreColumn(name))) for name in rows.scores]
    hybrid = rocch.RocchClassifier(frozen, parsimonious=parsimonious, stack=False, pos_label=1)
    return hybrid.fit(pd.DataFrame(dict(rows.scores)), rows.positive.astype(int))


def _stacked(domain: Domain, hulls: list[rocch.RocHull]) -> Costs:
    found = [Costs.of(hull, fold) for hull, fold in zip(hulls, domain.folds, strict=True)]
    return Costs(*(np.array(side) for side in zip(*found, strict=True)))
