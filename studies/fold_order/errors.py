"""Errors out of fold, with folds in the order of the rows and with shuffled ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from roc_surfaces.real import halves, makers

if TYPE_CHECKING:
    from workbench.tables import Source


def errors_by_order(source: Source, name: str, split: int) -> dict[str, Any]:
    """Return a forest's share of errors: by folds in order, by shuffled folds, and held out."""
    judged, held = halves(source.load(name), split)
    forest = dict(makers("classifiers"))["forest"]

    def out_of_fold(folds: StratifiedKFold) -> float:
        answers = cross_val_predict(forest, judged.X, judged.y, cv=folds)
        return float(np.mean(answers != judged.y))

    refitted = forest.fit(judged.X, judged.y)
    return {
        "in order": out_of_fold(StratifiedKFold(5)),
        "shuffled": out_of_fold(StratifiedKFold(5, shuffle=True, random_state=split)),
        "held out": float(np.mean(refitted.predict(held.X) != held.y)),
    }
