"""Rows to be decided: each model scores only the rows it is asked about, and each only once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.hybrid.scores import Component


class ScoredBatch:
    """Rows, and the scores that models have given them so far."""

    def __init__(self, components: Mapping[str, Component], features: Any) -> None:
        from sklearn.utils.validation import _num_samples

        self.components = components
        self.features = features
        self.rows: int = _num_samples(features)
        self._scores: dict[str, Any] = {}
        self._known: dict[str, BoolArray] = {}

    def __len__(self) -> int:
        return self.rows

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's scores on some rows, or on all; no row is scored twice."""
        if rows is None and model not in self._scores:
            self._scores[model] = self.components[model].scores(self.features)
        else:
            self._score(model, np.arange(self.rows) if rows is None else rows)
        scores: FloatArray = self._scores[model]
        return scores if rows is None else scores[rows]

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return the alarms of a model that only labels, in the same way."""
        return np.asarray(self.scores(model, rows), dtype=bool)

    def _score(self, model: str, rows: IntArray) -> None:
        if model in self._scores and model not in self._known:
            return  # all rows are scored
        component = self.components[model]
        kind = float if component.scoring else bool
        scores = self._scores.setdefault(model, np.zeros(self.rows, dtype=kind))
        known = self._known.setdefault(model, np.zeros(self.rows, dtype=bool))
        new = rows[~known[rows]]
        if new.size:
            scores[new] = component.scores(rows_of(self.features, new))
            known[new] = True


def rows_of(features: Any, rows: IntArray) -> Any:
    """Return some rows of features of any kind."""
    from sklearn.utils import _safe_indexing

    return _safe_indexing(features, rows)
