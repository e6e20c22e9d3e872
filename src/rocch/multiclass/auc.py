"""AUCs of more than two classes, with intervals and tests, and class-reference curves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rocch.errors import InputError
from rocch.inputs import as_level
from rocch.multiclass.auc_moments import (
    JudgedClasses,
    Measure,
    PairwiseAucs,
    PlacementMoments,
    Weights,
    as_measure,
    as_shares,
    class_weights,
    effective_units,
    measure_weights,
    pair_weights,
)
from rocch.roc.conditions import OBSERVED, Interval
from rocch.roc.curve import RocCurve
from rocch.roc.hull import RocHull
from rocch.stats.arguments import check_several
from rocch.stats.auc import AucEstimate, AucMoments, AucValue, auc_limits
from rocch.stats.comparisons import Adjustment, AucComparison, as_adjustment, compare_estimates

# --- One mean of the comparisons of classes as an estimate: value, error and interval -------------


def value_or_estimate(
    moments: PlacementMoments, weights: Weights, confidence: float, *, positives: int | None = None
) -> AucValue:
    """Return one model's AUC by these weights, without an interval where none is defined."""
    if not moments.lone(weights):
        return estimate(moments, weights, confidence, positives=positives)
    wins = moments.models[0]
    rows, groups = int(wins.totals.sum()), moments.all_units if moments.grouped else None
    return AucValue(float(wins.mean(weights)), None, None, confidence, rows, positives, groups)


def estimate(
    moments: PlacementMoments,
    weights: Weights,
    confidence: float,
    *,
    model: int = 0,
    positives: int | None = None,
) -> AucEstimate:
    """Return one model's AUC by these weights.

    The limits are those of two classes (see `rocch.stats.auc`), for as many
    independent units as the weights make of all classes.
    """
    wins = moments.models[model]
    value, variance = float(wins.mean(weights)), float(moments.covariance(weights, model, model))
    units = effective_units(weights, moments.units, moments.all_units)
    limits = auc_limits(value, variance, units, confidence=confidence)
    rows, groups = int(wins.totals.sum()), moments.all_units if moments.grouped else None
    return AucEstimate(value, math.sqrt(variance), limits, confidence, rows, positives, groups)


# --- The AUCs of a model that tells more than two classes apart, each with an interval ------------


@dataclass(frozen=True, slots=True)
class ClassPair:
    """How well two classes are told apart.

    Attributes
    ----------
    first, second
        The classes.
    auc, standard_error, interval
        Hand and Till's A(i, j), the mean of the two that follow, and how well it is known: None
        where one of the two classes has a single row, or lies in a single group.
    by_first
        A(i|j): the chance that a row of `first` gets a larger posterior for `first` than a row of
        `second`, ties half.
    by_second
        A(j|i): the same of the posterior for `second`.
    """

    first: Any
    second: Any
    auc: float
    standard_error: float | None
    interval: Interval | None
    by_first: float
    by_second: float

    def __str__(self) -> str:
        limits = "no interval"
        if self.interval is not None:
            limits = f"{self.interval.low:.4f} to {self.interval.high:.4f}"
        return f"{self.first} and {self.second}: AUC {self.auc:.4f} ({limits})"


@dataclass(frozen=True, slots=True, eq=False)
class MulticlassAuc:
    """The AUCs of one model's posteriors of several classes.

    All intervals are given the numbers of rows of the classes (and the priors); each holds its own
    AUC as often as `confidence` says, not all of them together. Where a class has a single row, or
    lies in a single group, the AUCs that it takes part in have no standard error and no interval.

    Attributes
    ----------
    hand_till
        Hand and Till's M: the mean of A(i, j) over all pairs of classes. It does not depend on the
        balance of the classes.
    total
        Provost and Domingos' AUC: the classes' own AUCs weighted by their shares.
    macro
        The plain mean of the classes' own AUCs.
    by_class
        Each class's own AUC, against all others together (class reference, one-vs-rest).
    pairs
        All pairs of classes, the worst told apart first; `pandas.DataFrame(found.pairs)` works.
    pairwise
        The matrix of A(i|j) behind all of this, as exact counts.
    shares
        Each class's share: of the rows, or as given by `priors`.
    confidence
        As asked for.
    """

    hand_till: AucValue
    total: AucValue
    macro: AucValue
    by_class: Mapping[Any, AucValue]
    pairs: tuple[ClassPair, ...]
    pairwise: PairwiseAucs
    shares: Mapping[Any, float]
    confidence: float

    def pair(self, first: Any, second: Any) -> ClassPair:
        """Return how well two classes are told apart, in the order of classes."""
        places = [
            self.pairwise.classes.place(name, argument)
            for name, argument in ((first, "first"), (second, "second"))
        ]
        if places[0] == places[1]:
            raise InputError(
                "second", "be another class than the first", repr(second), "Name two classes."
            )
        wanted = {self.pairwise.classes.names[place] for place in places}
        return next(pair for pair in self.pairs if {pair.first, pair.second} == wanted)

    def __str__(self) -> str:
        lines = [
            f"Hand and Till's M: {self.hand_till}",
            f"total, weighted by shares: {self.total}",
            f"macro, all classes alike: {self.macro}",
            *(f"{name} against the rest: {found}" for name, found in self.by_class.items()),
            f"told apart worst: {self.pairs[0]}",
        ]
        return "\n".join(lines)


def multiclass_auc(
    y_true: Any,
    y_proba: Any,
    *,
    classes: Any = None,
    priors: Any = OBSERVED,
    groups: Any = None,
    confidence: float = 0.95,
) -> MulticlassAuc:
    """Return a model's AUCs over several classes, with intervals that stay within [0, 1].

    Parameters
    ----------
    y_true
        The true class of each row.
    y_proba
        Posteriors: an array with a column for each class in the order of `classes`
        (`predict_proba`'s answer), or a frame with columns named after the classes.
    classes
        The classes in the order of columns. Default: the labels that occur, sorted.
    priors
        Maps each class to its share where the model will be used. Default: the rows' own shares.
        The total, the macro mean and the classes' own AUCs depend on it, because "all others" are
        mixed by it; Hand and Till's M does not.
    groups
        A name for each row's group (a patient, a document), where rows of one group resemble each
        other. Without it, rows count as independent.
    confidence
        How often each interval holds the true AUC.

    Returns
    -------
    MulticlassAuc

    Raises
    ------
    InputError
        If labels, posteriors, classes, priors, groups or confidence cannot be used; also if a class
        has no rows.

    Notes
    -----
    Variances are DeLong's, carried over to many classes; `rocch.multiclass.auc_moments` derives
    them. Everything is counted in whole numbers and exact fractions; only the results are rounded.
    It takes O(rows x classes) besides sorting, and matrix products of O(rows x classes^2).

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> P = cross_val_predict(GaussianNB(), X, y, method="predict_proba")
    >>> found = rocch.multiclass.multiclass_auc(y, P)
    >>> print(found.hand_till)
    AUC 0.9940 (95 % interval 0.9725 to 0.9987)
    >>> print(found.pairs[0])
    1 and 2: AUC 0.9820 (0.9434 to 0.9942)
    """
    level, judged = as_level(confidence), JudgedClasses.of(y_true, classes, groups)
    shares = as_shares(priors, judged.classes, judged.totals)
    moments = PlacementMoments.of(judged, [judged.posteriors(y_proba)])
    hand_till, total, macro = (
        value_or_estimate(moments, measure_weights(measure, shares), level)
        for measure in ("hand_till", "total", "macro")
    )
    own = {
        name: value_or_estimate(moments, class_weights(code, shares), level, positives=size)
        for code, (name, size) in enumerate(
            zip(judged.classes, judged.totals.tolist(), strict=True)
        )
    }
    return MulticlassAuc(
        hand_till,
        total,
        macro,
        own,
        _pairs(moments, level),
        moments.models[0],
        dict(zip(judged.classes, map(float, shares), strict=True)),
        level,
    )


def _pairs(moments: PlacementMoments, confidence: float) -> tuple[ClassPair, ...]:
    (wins,) = moments.models
    names, matrix, found = wins.classes.names, wins.matrix, []
    for i, j in combinations(range(len(names)), 2):
        both = value_or_estimate(moments, pair_weights(i, j, len(names)), confidence)
        directions = float(matrix[i, j]), float(matrix[j, i])
        known = both.value, both.standard_error, both.interval
        found.append(ClassPair(names[i], names[j], *known, *directions))
    return tuple(sorted(found, key=lambda pair: pair.auc))


# --- Whether models' multi-class AUCs differ on the same rows -------------------------------------


def compare_multiclass_aucs(
    y_true: Any,
    y_proba: Any,
    *,
    measure: Measure = "hand_till",
    classes: Any = None,
    priors: Any = OBSERVED,
    groups: Any = None,
    confidence: float = 0.95,
    adjust: Adjustment = "holm",
) -> AucComparison:
    """Compare the multi-class AUCs of models that judged the same rows.

    What all models find easy or hard on the same rows cancels, as in DeLong's test of two classes,
    which this is for two classes.

    Parameters
    ----------
    y_true
        The true class of each row.
    y_proba
        Maps names of models to posteriors, each as for `rocch.multiclass.multiclass_auc`; at least
        two.
    measure
        Which AUC: "hand_till" (M), "total" (weighted by the classes' shares) or "macro".
    classes, priors, groups
        As for `rocch.multiclass.multiclass_auc`.
    confidence
        How often each interval holds the truth.
    adjust
        How to adjust the pairs' p-values for their number: "holm", "bonferroni",
        "benjamini-hochberg" or "none".

    Returns
    -------
    AucComparison

    Raises
    ------
    InputError
        If there are fewer than two models, or something that came cannot be used.
    UndefinedError
        If a class has a single row, or lies in a single group.

    Examples
    --------
    >>> import rocch
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import cross_val_predict
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> models = {"nb": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    >>> P = {m: cross_val_predict(f, X, y, method="predict_proba") for m, f in models.items()}
    >>> print(rocch.multiclass.compare_multiclass_aucs(y, P).differences[0])
    nb - tree: +0.0985 (+0.0635 to +0.1442), p = 2.43e-07, adjusted 2.43e-07
    """
    level, method = as_level(confidence), as_adjustment(adjust)
    judged = JudgedClasses.of(y_true, classes, groups)
    models = judged.models(y_proba)
    check_several(models, "y_proba", "For one model use multiclass_auc.")
    shares = as_shares(priors, judged.classes, judged.totals)
    weights = measure_weights(as_measure(measure), shares)
    moments = PlacementMoments.of(judged, list(models.values()))
    found = {
        name: estimate(moments, weights, level, model=index) for index, name in enumerate(models)
    }
    joint = _joint(tuple(models), moments, weights)
    return compare_estimates(joint, found, adjust=method, paired=True)


def _joint(names: tuple[str, ...], moments: PlacementMoments, weights: Weights) -> AucMoments:
    """Return the AUCs and covariances of all models as comparisons of two classes take them."""
    models = range(len(names))
    return AucMoments(
        names,
        tuple(wins.mean(weights) for wins in moments.models),
        tuple(tuple(moments.covariance(weights, i, j) for j in models) for i in models),
        effective_units(weights, moments.units, moments.all_units),
    )


# --- Class-reference curves and hulls: each class in turn against all others together -------------


def class_reference_curves(
    y_true: Any, y_proba: Any, *, classes: Any = None
) -> dict[Any, RocCurve]:
    """Return one ROC curve per class: that class against all others (one-vs-rest).

    The others are mixed as in these rows; with another balance among them the curve would differ.

    Parameters
    ----------
    y_true, y_proba, classes
        As for `rocch.multiclass.multiclass_auc`.

    Returns
    -------
    dict
        Maps each class, in order, to its curve, which is named after the class.

    Raises
    ------
    InputError
        If labels or posteriors cannot be used.

    Examples
    --------
    >>> import rocch
    >>> y = ["cat", "cat", "dog", "eel"]
    >>> P = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]
    >>> {name: curve.auc for name, curve in rocch.multiclass.class_reference_curves(y, P).items()}
    {'cat': 0.875, 'dog': 1.0, 'eel': 1.0}
    """
    judged = JudgedClasses.of(y_true, classes)
    posteriors = judged.posteriors(y_proba)
    return {
        name: RocCurve.from_scores(judged.truths == code, posteriors[:, code], name=str(name))
        for code, name in enumerate(judged.classes)
    }


def class_reference_hulls(y_true: Any, y_proba: Any, *, classes: Any = None) -> dict[Any, RocHull]:
    """Return one joint hull per class: which model is best at telling it from all others.

    Parameters
    ----------
    y_true, classes
        As for `rocch.multiclass.multiclass_auc`.
    y_proba
        Maps names of models to posteriors, each as for `rocch.multiclass.multiclass_auc`; or one
        model's
        posteriors alone, which is then called "classifier".

    Returns
    -------
    dict
        Maps each class, in order, to the hull of all models, whose names are kept.

    Raises
    ------
    InputError
        If labels or posteriors cannot be used.

    Examples
    --------
    >>> import rocch
    >>> y = ["cat", "cat", "dog", "eel"]
    >>> nb = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.4, 0.6, 0.0], [0.2, 0.2, 0.6]]
    >>> knn = [[0.8, 0.2, 0.0], [0.6, 0.4, 0.0], [0.4, 0.4, 0.2], [0.4, 0.2, 0.4]]
    >>> for name, hull in rocch.multiclass.class_reference_hulls(y, {"nb": nb, "knn": knn}).items():
    ...     print(name, hull.dominator())
    cat knn
    dog nb
    eel knn
    """
    judged = JudgedClasses.of(y_true, classes)
    models = judged.models(y_proba)
    return {
        name: RocHull.from_scores(
            judged.truths == code,
            {model: np.ascontiguousarray(matrix[:, code]) for model, matrix in models.items()},
        )
        for code, name in enumerate(judged.classes)
    }
