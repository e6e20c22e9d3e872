"""A hybrid whose rows are the scores themselves, so that tests need no training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import rocch


@dataclass(frozen=True)
class Aimed:
    point: rocch.roc.OperatingPoint
    columns: tuple[str, ...]

    def decision_probability(self, rows: Any) -> Any:
        return sum(
            share * self._alarms(vertex, np.asarray(rows)) for share, vertex in self.point.mix
        )

    def predict(self, rows: Any) -> Any:
        return self.decision_probability(rows) == 1

    def _alarms(self, vertex: rocch.roc.RocPoint, rows: Any) -> Any:
        if vertex.lowest_score is None:
            return np.full(len(rows), vertex.fpr)
        return (rows[:, self.columns.index(vertex.classifier)] >= vertex.threshold) * 1.0


@dataclass(frozen=True)
class Scored:
    """Each column of the rows holds one classifier's scores, in the order of `columns`."""

    hull_: rocch.RocHull
    columns: tuple[str, ...]

    @classmethod
    def of(cls, y: Any, scores: dict[str, Any]) -> Scored:
        return cls(rocch.RocHull.from_scores(y, scores), tuple(scores))

    def at(self, point: rocch.roc.OperatingPoint) -> Aimed:
        return Aimed(point, self.columns)


def normal_rows(rng: np.random.Generator, size: int, prevalence: float) -> tuple[Any, Any]:
    """Draw rows with the scores of two classifiers, and their true classes."""
    y = rng.random(size) < prevalence
    return np.stack((rng.normal(1.6 * y, 1.0), rng.normal(2.4 * y, 2.0)), axis=1), y


def normal_model(seed: int = 0, size: int = 4000) -> Scored:
    """Return a hybrid of two classifiers with normal scores."""
    rows, y = normal_rows(np.random.default_rng(seed), size, 0.3)
    return Scored.of(y, {"gbm": rows[:, 0], "bayes": rows[:, 1]})
