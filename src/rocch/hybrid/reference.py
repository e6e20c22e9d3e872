"""What an unlabeled batch is compared with to estimate its prevalence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from rocch.errors import Hint, InputError
from rocch.hybrid.components import Component, ScoredBatch
from rocch.hybrid.gain import RowBatch
from rocch.hybrid.hybrid import Hybrid
from rocch.roc.curve import RocCurve
from rocch.rows import ScoredRows
from rocch.stats.prevalence import Method, PrevalenceEstimate, estimate_prevalence

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from rocch.arrays import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Reference:
    """Labeled scores of a hybrid's models, and the fitted models that made them.

    A batch must be scored by these models. A model refitted on all rows has other scores than the
    fold models, within each class, and the average of fold models has others again.

    Attributes
    ----------
    curves
        Curves by model, where they are not the hull's.
    folds
        The fold models of each component; empty if the deployed models made the scores.
    fold_rows
        How many labeled rows the models of each fold scored.
    """

    curves: Mapping[str, RocCurve] = field(default_factory=dict)
    folds: Mapping[str, Sequence[BaseEstimator]] = field(default_factory=dict)
    fold_rows: Sequence[int] = ()

    @classmethod
    def of_folds(
        cls,
        hybrid: Hybrid,
        folds: Mapping[str, Sequence[BaseEstimator]],
        rows: ScoredRows,
    ) -> Self:
        """Return the reference of evaluation rows that fold models scored."""
        once = rows.once()  # repeats are no further evidence
        batch = RowBatch(once)
        names = [] if once is rows else hybrid.scoring
        curves = {name: _curve(once, name, hybrid.scores(batch, name)) for name in names}
        deployed = {name: component.estimator for name, component in hybrid.components.items()}
        if all(each is deployed[name] for name, own in folds.items() for each in own):
            return cls(curves)
        splits = max(len(own) for own in folds.values())
        return cls(curves, folds, np.bincount(once.fold_numbers, minlength=splits).tolist())

    @classmethod
    def of_rows(cls, hybrid: Hybrid, batch: ScoredBatch, positive: BoolArray) -> Self:
        """Return the reference of labeled rows that the deployed models score."""
        rows = ScoredRows(positive, {})
        scores = {name: hybrid.scores(batch, name) for name in hybrid.scoring}
        return cls({name: _curve(rows, name, own) for name, own in scores.items()})

    def estimate(
        self, hybrid: Hybrid, batch: ScoredBatch, model: str | None, method: Method
    ) -> PrevalenceEstimate:
        """Estimate the prevalence of a batch by a model, or by the one with the largest AUC."""
        curve = hybrid.reference_curve(model)
        if curve.name not in self.curves and hybrid.repeated:
            raise InputError(
                "the model",
                "have counted each labeled row once",
                "a hull of repeated or pooled rows",
                Hint("Use rocch.stats.estimate_prevalence with a curve of other rows."),
            )
        curve = self.curves.get(curve.name, curve)
        if not self.folds:
            scores = hybrid.scores(batch, curve.name)
            return estimate_prevalence(curve, scores, method=method)
        columns = [
            hybrid.scores(ScoredBatch(self._models(hybrid, fold), batch.features), curve.name)
            if rows
            else np.zeros(len(batch))  # counts for nothing
            for fold, rows in enumerate(self.fold_rows)
        ]
        return estimate_prevalence(
            curve, np.column_stack(columns), method=method, fold_rows=self.fold_rows
        )

    def _models(self, hybrid: Hybrid, fold: int) -> dict[str, Component]:
        return {
            name: replace(component, estimator=self.folds[name][fold])
            for name, component in hybrid.components.items()
        }


def _curve(rows: ScoredRows, name: str, scores: FloatArray) -> RocCurve:
    return RocCurve.from_rows(replace(rows, scores={name: scores}), name)
