"""The AUCs of a model that tells more than two classes apart, each with an interval."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from rocch.errors import bad_input
from rocch.inputs import as_level
from rocch.multiclass.aucs.estimate import value_or_estimate
from rocch.multiclass.aucs.judged_classes import JudgedClasses
from rocch.multiclass.aucs.moments import PlacementMoments
from rocch.multiclass.aucs.weighting import (
    as_shares,
    class_weights,
    measure_weights,
    pair_weights,
)
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.multiclass.aucs.pairwise import PairwiseAucs
    from rocch.roc.conditions import Interval
    from rocch.stats.auc import AucValue


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
            raise bad_input(
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
    Variances are DeLong's, carried over to many classes; `rocch.multiclass.aucs.moments` derives
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
    >>> found = rocch.multiclass_auc(y, P)
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
