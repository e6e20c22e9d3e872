"""A domain as it was judged, fold by fold: who wins where, and how often one learner always."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

import rocch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    def averages(self) -> dict[str, rocch.roc.AveragedCurve]:
        """Each learner's curves of all folds, averaged at the same false positive rates."""
        return {
            name: rocch.roc.average_curves([fold.test.curve(name) for fold in self.folds])
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


def _as_curve(name: str, mean: rocch.roc.AveragedCurve) -> rocch.RocCurve:
    """Return an average as a curve of a million rows of each class."""
    fpr, tpr = (np.rint(MILLION * rate).astype(np.int64) for rate in (mean.fpr, mean.tpr))
    places = range(len(mean), 0, -1)  # an average has no thresholds; any falling numbers will do
    return rocch.RocCurve.from_counts(
        fpr, tpr, negatives=MILLION, positives=MILLION, lowest_scores=list(places), name=name
    )


PUBLISHED = {
    "Vehicle": (("Bagged-MC4", math.inf),),
    "Road": (("NB", 0.38), ("Bagged-MC4", math.inf)),
    "CRX": (("Bagged-MC4", 0.03), ("NB", 0.06), ("Bagged-MC4", 2.06), ("NB", math.inf)),
    "Satimage": (
        ("NB", 0.05),
        ("Bagged-MC4", 0.22),
        ("IB5", 2.60),
        ("IB3", 3.11),
        ("IB5", 7.54),
        ("IB3", 31.14),
        ("Bagged-MC4", math.inf),
    ),
}
"""The paper's Table 2: who wins, up to which slope."""


def published_ranges(title: str) -> list[tuple[str, float, float]]:
    """Return the paper's rows of a domain: who, from which slope, to which."""
    rows = PUBLISHED.get(title, ())
    lows = [0.0, *(high for _, high in rows)]
    return [(name, low, high) for (name, high), low in zip(rows, lows, strict=False)]


def ranges_of(domain: Domain) -> list[tuple[str, float, float]]:
    """Return the rows of a domain's averaged hull in the same form."""
    return [(row.classifier, row.low, row.high) for row in domain.averaged_hull.slope_ranges()]


def range_text(rows: Sequence[tuple[str, float, float]]) -> str:
    """Return rows as in Table 2, one below the other."""
    return "<br>".join(f"{_span(low, high)} {name}" for name, low, high in rows) or "-"


def _span(low: float, high: float) -> str:
    return f"[{_slope(low)}, {'∞)' if math.isinf(high) else _slope(high) + ']'}"


def _slope(slope: float) -> str:
    return "0" if slope == 0 else f"{slope:.2f}" if slope >= 0.1 else f"{slope:.2g}"


class Dominance(NamedTuple):
    """Who dominates a domain.

    Attributes
    ----------
    averaged
        By the averaged curves, as in the paper; None where nobody does.
    runs
        On each fold alone; several where they tie.
    """

    averaged: str | None
    runs: tuple[tuple[str, ...], ...]

    @property
    def dominated_runs(self) -> int:
        """On how many folds somebody dominates."""
        return sum(bool(names) for names in self.runs)


def dominance_of(domain: Domain) -> Dominance:
    """Say who dominates a domain."""
    return Dominance(domain.averaged_hull.dominator(), tuple(domain.run_dominators))
