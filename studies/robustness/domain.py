"""A domain as it was judged, fold by fold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import rocch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rocch.arrays import BoolArray, FloatArray

MILLION = 1_000_000
"""Averaged rates become counts of so many rows: finer than any sample of these data."""


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows, and what each learner says of them."""

    positive: BoolArray
    scores: Mapping[str, FloatArray]

    @cached_property
    def hull(self) -> rocch.RocHull:
        """The joint hull of all learners."""
        return rocch.RocHull.from_scores(self.positive, self.scores)

    def curve(self, name: str) -> rocch.RocCurve:
        """Return one learner's curve."""
        return rocch.RocCurve.from_scores(self.positive, self.scores[name], name=name)

    def alone(self, name: str) -> rocch.RocHull:
        """Return the hull of one learner."""
        return rocch.RocHull.from_scores(self.positive, {name: self.scores[name]})

    def of(self, names: Iterable[str]) -> Judged:
        """Return what some of the learners say."""
        return Judged(self.positive, {name: self.scores[name] for name in names})

    @property
    def dominators(self) -> tuple[str, ...]:
        """Everybody whose own hull is the joint one; several, where they tie."""
        shape = self.hull.fpr.tolist(), self.hull.tpr.tolist()
        own = {name: self.alone(name) for name in self.scores}
        return tuple(
            n for n, hull in own.items() if (hull.fpr.tolist(), hull.tpr.tolist()) == shape
        )

    @cached_property
    def best_alone(self) -> str:
        """The learner with the largest area under its curve, as one usually picks one."""
        return max(self.scores, key=lambda name: (self.curve(name).auc, name))


def _shape(hull: rocch.RocHull) -> tuple[list[int], list[int]]:
    return hull.false_positives.tolist(), hull.true_positives.tolist()


@dataclass(frozen=True, eq=False)
class Fold:
    """A fold that no learner has seen, and the rows that a hybrid for it is built on."""

    test: Judged
    building: Judged

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Self:
        """Return a fold from what was kept of it."""
        return cls(*(_part(kept, part) for part in ("test", "building")))


def _part(kept: Mapping[str, Any], part: str) -> Judged:
    scores = {
        key.removeprefix(f"{part}/"): value
        for key, value in kept.items()
        if key.startswith(f"{part}/")
    }
    return Judged(kept[part], scores)


@dataclass(frozen=True, eq=False)
class Domain:
    """A data set's folds, judged by some learners."""

    title: str
    folds: tuple[Fold, ...]

    @property
    def learners(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.folds[0].test.scores)

    def of(self, names: Iterable[str]) -> Domain:
        """Return the domain as some of the learners judge it."""
        names = list(names)
        folds = tuple(Fold(fold.test.of(names), fold.building.of(names)) for fold in self.folds)
        return Domain(self.title, folds)

    @cached_property
    def pooled(self) -> Judged:
        """All rows, each scored when its fold was held out."""
        tests = [fold.test for fold in self.folds]
        scores = {name: np.concatenate([t.scores[name] for t in tests]) for name in self.learners}
        return Judged(np.concatenate([test.positive for test in tests]), scores)

    @cached_property
    def averages(self) -> dict[str, rocch.AveragedCurve]:
        """Each learner's curves of all folds, averaged at the same false positive rates."""
        return {
            name: rocch.average_curves([fold.test.curve(name) for fold in self.folds])
            for name in self.learners
        }

    @cached_property
    def averaged_hull(self) -> rocch.RocHull:
        """The hull of the averaged curves, as in the paper."""
        return rocch.RocHull.of(*(_as_curve(name, mean) for name, mean in self.averages.items()))

    @property
    def run_dominators(self) -> list[tuple[str, ...]]:
        """For each fold the learners that dominate it."""
        return [fold.test.dominators for fold in self.folds]


def _as_curve(name: str, mean: rocch.AveragedCurve) -> rocch.RocCurve:
    """Return an average as a curve of a million rows of each class."""
    fpr, tpr = (np.rint(MILLION * rate).astype(np.int64) for rate in (mean.fpr, mean.tpr))
    places = range(len(mean), 0, -1)  # an average has no thresholds; any falling numbers will do
    return rocch.RocCurve.from_counts(
        fpr, tpr, negatives=MILLION, positives=MILLION, thresholds=list(places), name=name
    )
