"""Scores of rows by models that have not seen them: what the hybrid's hull is judged on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rocch.errors import bad_input
from rocch.hybrid.combining.sample import DecidedSample
from rocch.hybrid.scores import Component
from rocch.inputs import as_codes
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.roc.curve import RocCurve

    AnyArray = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False, slots=True)
class OutOfFold:
    """Rows judged by models that were fitted without them.

    Attributes
    ----------
    rows
        Which rows of the data were judged, in rising order. With repeated splits a row occurs once
        for each time it was held out; rows that never were (the start of a time series) are absent.
    folds
        The split in which each was held out.
    positive
        Whether each belongs to the positive class.
    scores
        For each classifier its scores; for one that only labels, its alarms.
    weights
        What each row counts, or None where all count the same.
    seconds_per_row
        How long each classifier took to score a row.
    groups
        The group of each, where rows belong together.
    """

    rows: IntArray
    folds: IntArray
    positive: BoolArray
    scores: Mapping[str, FloatArray | BoolArray]
    weights: FloatArray | None
    seconds_per_row: Mapping[str, float]
    groups: AnyArray | None = None

    def __post_init__(self) -> None:
        for array in (self.rows, self.folds, self.positive, self.weights, *self.scores.values()):
            if array is not None:
                array.flags.writeable = False

    @property
    def effective_rows(self) -> tuple[float, float]:
        """How many negatives and positives of equal weight would say as much as these.

        A row that was held out several times counts once.
        """
        counts = []
        weights = np.ones(self.rows.size) if self.weights is None else self.weights
        place = np.cumsum(self.first) - 1
        for kind in (False, True):
            per_row = np.bincount(place, weights * (self.positive == kind))
            counts.append(float(per_row.sum() ** 2 / (per_row**2).sum()))
        return counts[0], counts[1]

    @property
    def first(self) -> BoolArray:
        """Which entries are their row's first; the others come from repeated splits."""
        return np.diff(self.rows, prepend=-1) > 0

    def once(self) -> OutOfFold:
        """Return every row once, as it was held out first."""
        return self if self.first.all() else self.part(self.first)

    @property
    def sample(self) -> DecidedSample:
        """The rows as combinations and rules take them."""
        return DecidedSample(self.positive, self.scores, self.weights)

    def curve(self, name: str) -> RocCurve:
        """Return one classifier's curve (or point, if it only labels) on these rows."""
        return self.sample.curve(name)

    def part(self, chosen: BoolArray) -> OutOfFold:
        """Return some of the rows."""
        return replace(
            self,
            rows=self.rows[chosen],
            folds=self.folds[chosen],
            positive=self.positive[chosen],
            scores={name: scores[chosen] for name, scores in self.scores.items()},
            weights=None if self.weights is None else self.weights[chosen],
            groups=None if self.groups is None else self.groups[chosen],
        )

    def hull(self, names: Iterable[str]) -> RocHull:
        """Return the joint hull of some classifiers on these rows."""
        names = list(names)
        scoring = {name: self.scores[name] for name in names if self.scores[name].dtype != bool}
        parts: list[RocCurve | RocHull] = [self.curve(n) for n in names if n not in scoring]
        if scoring:
            parts.append(RocHull.from_scores(self.positive, scoring, sample_weight=self.weights))
        return RocHull.of(*parts)


class Fitted(NamedTuple):
    """What fitting one model on one split gave."""

    component: Component
    scores: FloatArray | BoolArray
    seconds: float


def fit_and_score(
    name: str,
    estimator: Any,
    data: tuple[Any, AnyArray],
    split: tuple[IntArray | None, IntArray],
    fit_params: Mapping[str, Any],
    where: tuple[int, Any],
) -> Fitted:
    """Fit a copy of a model on the rows of a split, and score those held out.

    `where` is the number of the split and the positive class; training rows of None mean a model
    that is fitted already.
    """
    from sklearn.utils import _safe_indexing

    features, labels = data
    train, test = split
    fold, pos_label = where
    try:
        if train is not None:
            estimator = fit_copy(estimator, features, labels, fit_params, train)
        component = Component.of(name, estimator, pos_label)
        start = perf_counter()
        scores = component.scores(_safe_indexing(features, test))
        return Fitted(component, scores, perf_counter() - start)
    except Exception as error:
        error.add_note(f"This happened to classifier {name!r} on split {fold} of the data.")
        raise


def fit_copy(
    estimator: Any,
    features: Any,
    labels: AnyArray,
    fit_params: Mapping[str, Any],
    rows: IntArray | None = None,
) -> Any:
    """Fit a copy of an estimator on some rows, or on all."""
    from sklearn.base import clone
    from sklearn.utils import _safe_indexing
    from sklearn.utils.validation import _check_method_params

    given = _check_method_params(features, fit_params, indices=rows)
    if rows is not None:
        features, labels = _safe_indexing(features, rows), labels[rows]
    return clone(estimator).fit(features, labels, **given)


def judge(
    estimators: Sequence[tuple[str, Any]],
    data: tuple[Any, AnyArray],
    splits: Sequence[tuple[IntArray | None, IntArray]],
    fit_params: Mapping[str, Mapping[str, Any]],
    *,
    pos_label: Any,
    weights: FloatArray | None,
    groups: Any,
    n_jobs: int | None,
) -> tuple[OutOfFold, dict[str, list[Component]]]:
    """Fit every model on every split; return the held-out scores and the fitted models."""
    from sklearn.utils.parallel import Parallel, delayed

    check_splits(splits, data[1])
    fitted = Parallel(n_jobs=n_jobs)(
        delayed(fit_and_score)(name, model, data, split, fit_params[name], (fold, pos_label))
        for name, model in estimators
        for fold, split in enumerate(splits)
    )
    by_name = {
        name: fitted[i * len(splits) : (i + 1) * len(splits)]
        for i, (name, _) in enumerate(estimators)
    }
    rows = np.concatenate([test for _, test in splits])
    folds = np.repeat(np.arange(len(splits)), [test.size for _, test in splits])
    order = np.argsort(rows, kind="stable")
    rows, folds = rows[order], folds[order]
    judged = OutOfFold(
        rows,
        folds,
        data[1][rows] == pos_label,
        {name: np.concatenate([f.scores for f in own])[order] for name, own in by_name.items()},
        None if weights is None else weights[rows],
        {name: sum(f.seconds for f in own) / rows.size for name, own in by_name.items()},
        None if groups is None else as_codes(groups, "groups")[rows],
    )
    return judged, {name: [f.component for f in own] for name, own in by_name.items()}


def check_splits(splits: Sequence[tuple[IntArray | None, IntArray]], labels: AnyArray) -> None:
    """Refuse splits that leave one class only to fit on, or to judge on."""
    first = labels == labels[0]
    for fold, (train, _) in enumerate(splits):
        if train is not None and (first[train].all() or not first[train].any()):
            raise bad_input(
                "cv",
                "leave rows of both classes to fit on",
                f"split {fold} with one class only",
                "Use fewer splits, or a stratified splitter.",
            )
    held_out = first[np.concatenate([test for _, test in splits])]
    if held_out.all() or not held_out.any():
        raise bad_input(
            "cv",
            "hold out rows of both classes",
            "rows of one class only",
            "Use more splits, or a stratified splitter.",
        )
