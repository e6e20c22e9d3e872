"""Confusion matrices, what they cost, and the answers of least expected cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.arrays import AnyArray, FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, describe_type, format_list
from rocch.inputs import as_label_array, check_length
from rocch.kernels.assignment import expected_costs, least_cost
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.multiclass.costs import (
    CostMatrix,
    DirichletBelief,
    Priors,
    RowCosts,
    as_priors,
    same_classes,
)
from rocch.roc.conditions import OBSERVED, Interval

if TYPE_CHECKING:
    Costs = CostMatrix | DirichletBelief | RowCosts


# --- Expected costs where costs and priors are known only between bounds, in closed form ----------
#
# The expected cost of rates r is the sum over k of pi_k times the sum over j of lambda_kj r_kj.
# Each lambda_kj moves on its own, so its best or worst end depends on the sign of r_kj alone; what
# is left, a sum of pi_k times a number for each class, is extreme where the priors that are free go
# to the classes with the largest numbers first.


def extreme_costs(rates: FloatArray, costs: CostMatrix, priors: Priors, sign: int) -> FloatArray:
    """Return the largest (sign 1) or smallest (sign -1) expected cost of each set of rates.

    `rates` are (n, Q, Q); differences of rates, which may be negative, serve as well.
    Complexity: O(n Q^2).
    """
    towards, away = (costs.high, costs.low) if sign > 0 else (costs.low, costs.high)
    by_class = (np.where(rates > 0, towards, away) * rates).sum(axis=2)
    return _extreme_mean(by_class, priors, sign)


def _extreme_mean(values: FloatArray, priors: Priors, sign: int) -> FloatArray:
    """Return the extreme mean of each row of (n, Q) values over all allowed shares."""
    mean: FloatArray = values @ priors.low
    room = priors.high - priors.low
    if not room.any():
        return mean
    order = np.argsort(-sign * values, axis=1, kind="stable")
    free = 1 - priors.low.sum()
    filled = np.minimum(np.cumsum(room[order], axis=1), free)
    given = np.diff(filled, axis=1, prepend=0)
    extra: FloatArray = (given * np.take_along_axis(values, order, axis=1)).sum(axis=1)
    return mean + extra


# --- Expected costs without rounding: doubles and counts are rational numbers ---------------------

CLOSE = 1e-12
"""Doubles that differ by no more than this share may be equal: all terms are positive, so each sum
of Q^2 of them is right to about Q^2 units in the last place, which is less up to 60 classes."""


def exact_costs(
    counts: IntArray, totals: IntArray, costs: FloatArray, priors: Priors
) -> tuple[IntArray, int]:
    """Return expected costs of (n, Q, Q) counts as Python integers, and what to divide them by."""
    shares = priors.fractions
    if any(share and not total for share, total in zip(shares, totals, strict=True)):
        raise UndefinedError(
            "a class that is to be expected has no judged rows, so its errors are unknown. Judge "
            "on rows of every class, or take the observed class balance."
        )
    weights = [
        [share * Fraction(cost) / max(int(total), 1) for cost in row]
        for share, total, row in zip(shares, totals, costs.tolist(), strict=True)
    ]
    unit = math.lcm(*(weight.denominator for row in weights for weight in row))
    whole = np.array([[int(weight * unit) for weight in row] for row in weights], dtype=object)
    return (counts.astype(object) * whole).sum(axis=(1, 2)), unit


def cheapest(counts: IntArray, totals: IntArray, costs: FloatArray, priors: Priors) -> IntArray:
    """Return the places of the members with the least expected cost, decided without rounding.

    Doubles find the few that could be cheapest, integers decide among them. Complexity: O(n Q^2).
    """
    weights = priors.shares[:, None] * costs / totals[:, None]
    rounded = np.tensordot(counts, weights, axes=2)
    close = np.flatnonzero(rounded <= rounded.min() * (1 + CLOSE))
    exact, _ = exact_costs(counts[close], totals, costs, priors)
    return close[np.flatnonzero(exact == exact.min())]


# --- The confusion matrix: how many rows of each class got which answer ---------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Exact counts of answers: truths in rows, answers in columns.

    Attributes
    ----------
    classes
        The classes, in the order of rows and columns.
    counts
        `counts[k, j]`: how many rows of the k-th class were answered with the j-th.

    Examples
    --------
    >>> import rocch
    >>> confusion = rocch.multiclass.Confusion.from_labels(
    ...     ["cat", "cat", "dog", "eel"], ["cat", "dog", "dog", "dog"]
    ... )
    >>> confusion["cat", "dog"], confusion.errors
    (1, 2)
    >>> confusion.expected_cost(rocch.CostMatrix.zero_one(["cat", "dog", "eel"]))
    0.5
    """

    classes: Classes
    counts: IntArray

    def __post_init__(self) -> None:
        counts = _as_counts(self.counts, len(self.classes))
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        return self.classes == other.classes and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.classes, self.counts.tobytes()))

    @classmethod
    def from_labels(cls, y_true: Any, y_pred: Any, *, classes: Any = None) -> Confusion:
        """Count the answers of a classifier.

        Parameters
        ----------
        y_true, y_pred
            True and predicted labels.
        classes
            The classes; by default the labels of `y_true`, sorted. A class without rows has no
            rates, but the counts and the cost at the observed balance are there.
        """
        named = Classes.of_labels(y_true) if classes is None else Classes.of(classes)
        truths, answers = named.codes(y_true, "y_true"), named.codes(y_pred, "y_pred")
        check_length(answers.size, truths.size, "y_pred")
        cells = np.bincount(truths * len(named) + answers, minlength=len(named) ** 2)
        return cls(named, cells.reshape(len(named), -1))

    def __str__(self) -> str:
        cells = [["", *map(str, self.classes)]]
        for name, row in zip(self.classes, self.counts.tolist(), strict=True):
            cells.append([str(name), *map(str, row)])
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        lines = [
            "  ".join([name.ljust(widths[0]), *map(str.rjust, counts, widths[1:])])
            for name, *counts in cells
        ]
        return "\n".join(["truths in rows, answers in columns:", *lines])

    def __getitem__(self, pair: tuple[Any, Any]) -> int:
        """Return how many rows of (truth, prediction) there are."""
        k, j = self.classes.places(pair)
        return int(self.counts[k, j])

    def in_order(self, classes: Classes) -> Confusion:
        """Return the same counts in another order of the same classes."""
        if self.classes == classes:
            return self
        order = same_classes(self.classes, classes, "confusion")
        return Confusion(classes, self.counts[np.ix_(order, order)])

    @property
    def totals(self) -> IntArray:
        """How many rows each class has."""
        totals: IntArray = self.counts.sum(axis=1)
        return totals

    @property
    def rates(self) -> FloatArray:
        """The counts divided by their row's total, which estimate p(answer | truth)."""
        self._check_all_occur()
        shares: FloatArray = self.counts / self.totals[:, None]
        return shares

    def _check_all_occur(self) -> None:
        absent = [name for name, total in zip(self.classes, self.totals, strict=True) if not total]
        if absent:
            raise UndefinedError(
                f"there are no rows of {format_list(absent)}, so there are no rates of them. "
                "The counts are there, and the expected cost at the observed class balance."
            )

    @property
    def errors(self) -> int:
        """How many rows were answered wrongly."""
        return int(self.counts.sum() - np.trace(self.counts))

    @property
    def miss_rates(self) -> dict[Any, float]:
        """The share of each class's own rows that were answered otherwise (equation 12)."""
        self._check_all_occur()
        missed = (self.totals - np.diag(self.counts)) / self.totals
        return dict(zip(self.classes, missed.tolist(), strict=True))

    @property
    def false_alarm_rates(self) -> dict[Any, float]:
        """The share of all other classes' rows that were answered with each class."""
        others = self.totals.sum() - self.totals
        if not others.all():
            raise UndefinedError("false alarms need rows of two classes; there are of one only.")
        alarms = (self.counts.sum(axis=0) - np.diag(self.counts)) / others
        return dict(zip(self.classes, alarms.tolist(), strict=True))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each cell, which data frames take as it is."""
        return [
            {
                "truth": truth,
                "prediction": prediction,
                "rows": int(self.counts[k, j]),
                "rate": int(self.counts[k, j]) / int(self.totals[k]) if self.totals[k] else None,
            }
            for k, truth in enumerate(self.classes)
            for j, prediction in enumerate(self.classes)
        ]

    def expected_cost(self, costs: CostMatrix | DirichletBelief, priors: Any = OBSERVED) -> float:
        """Return the expected cost per row (Everson and Fieldsend, equation 2), rounded once.

        Parameters
        ----------
        costs
            Exact costs, or a belief about them, whose mean decides.
        priors
            The shares of the classes where the classifier will work: a mapping, a belief, or
            "observed".
        """
        exact = as_costs(costs, self.classes).values
        shares = as_priors(priors, self.classes, self.totals)
        whole, unit = exact_costs(self.counts[None], self.totals, exact, shares)
        return int(whole[0]) / unit

    def expected_cost_range(self, costs: CostMatrix, priors: Any = OBSERVED) -> Interval:
        """Return the lowest and highest expected cost that bounds on costs and priors allow."""
        stated = as_costs(costs, self.classes)
        known = as_priors(priors, self.classes, self.totals)
        low, high = (
            float(extreme_costs(self.rates[None], stated, known, sign)[0]) for sign in (-1, 1)
        )
        return Interval(low, high)


def _as_counts(given: Any, classes: int) -> IntArray:
    """Return a square table of whole numbers that are not negative."""
    try:
        counts = np.asarray(given)
    except ValueError:
        counts = np.empty(0)
    square = counts.shape == (classes, classes)
    if not square or counts.dtype.kind not in "iu" or (counts < 0).any():
        got = f"shape {counts.shape}" if not square else "other numbers"
        raise InputError(
            "counts",
            f"be {classes} by {classes} whole numbers, not negative",
            got,
            "Truths in rows, answers in columns; or use Confusion.from_labels.",
        )
    return np.array(counts, dtype=np.int64) if counts.flags.writeable else counts


def as_costs(given: Any, classes: Classes | None = None) -> CostMatrix:
    """Return costs, in the order of the classes if there is one; a belief counts as its mean."""
    if isinstance(given, DirichletBelief):
        given = given.mean_costs()
    if not isinstance(given, CostMatrix):
        raise InputError(
            "costs",
            "be a CostMatrix or a DirichletBelief about costs",
            describe_type(given),
            "For example: rocch.CostMatrix({('ill', 'well'): 20, ('well', 'ill'): 1}); costs of "
            "single rows go to rocch.multiclass.assign.",
        )
    return given if classes is None else given.in_order(classes)


# --- The answer of least expected cost for each row, from its posteriors --------------------------


def assign(
    y_proba: Any,
    costs: Costs,
    *,
    classes: Any = None,
    priors: Any = None,
    trained_priors: Any = None,
) -> AnyArray:
    """Answer every row with the class of least expected cost (Everson and Fieldsend, equation 3).

    That is best if the posteriors are calibrated: of the rows with posterior 0.3 for a class, 30 %
    belong to it. Forests and naive Bayes often are not; `best_classifier` shows on judged rows
    whether answering by the costs pays, and `RocSurfaceClassifier` mends what it can.

    Parameters
    ----------
    y_proba
        The posteriors: a frame or a mapping with a column for each class, or an array, whose
        columns `classes` must name.
    costs
        A `CostMatrix`, a belief about costs (whose mean decides), or `RowCosts`.
    classes
        The classes in the order of an array's columns: a fitted model's `classes_`.
    priors, trained_priors
        Where the class balance is another than the one the model learnt from: both balances, as
        mappings of every class to its share. The posteriors are then corrected by their ratio,
        which is right if only the balance has changed.

    Returns
    -------
    The labels. Of classes that are equally good, the first in order wins; sums are rounded, so this
    may not hold where posteriors are ratios of which the sums happen to be equal.

    Examples
    --------
    >>> import rocch
    >>> costs = rocch.CostMatrix({("ill", "well"): 20, ("well", "ill"): 1})
    >>> rocch.multiclass.assign({"ill": [0.04, 0.06], "well": [0.96, 0.94]}, costs).tolist()
    ['well', 'ill']
    """
    named, posteriors, values = _prepared(y_proba, costs, classes, priors, trained_priors)
    return as_label_array(named)[least_cost(posteriors, values)]


def expected_cost_of_predictions(
    y_proba: Any,
    costs: Costs,
    *,
    classes: Any = None,
    priors: Any = None,
    trained_priors: Any = None,
) -> dict[Any, FloatArray]:
    """Return for each possible answer what it is expected to cost, row by row.

    The parameters are those of `assign`. Corrected posteriors are scaled to sum to 1.

    Examples
    --------
    >>> import rocch
    >>> costs = rocch.CostMatrix({("ill", "well"): 20, ("well", "ill"): 1})
    >>> y_proba = {"ill": [0.04], "well": [0.96]}
    >>> expected = rocch.multiclass.expected_cost_of_predictions(y_proba, costs)
    >>> {name: column.round(2).tolist() for name, column in expected.items()}
    {'ill': [0.96], 'well': [0.8]}
    """
    named, posteriors, values = _prepared(y_proba, costs, classes, priors, trained_priors)
    risks = expected_costs(posteriors, values) / posteriors.sum(axis=1, keepdims=True)
    return dict(zip(named, risks.T, strict=True))


def _prepared(
    y_proba: Any, costs: Costs, classes: Any, priors: Any, trained_priors: Any
) -> tuple[Classes, FloatArray, FloatArray]:
    named = _classes(y_proba, costs, classes)
    posteriors = as_posteriors(y_proba, named)
    if isinstance(costs, RowCosts):
        values = costs.in_order(named, rows=len(posteriors)).values
    else:
        values = as_costs(costs, named).values
    return named, corrected(posteriors, named, priors, trained_priors), values


def _classes(y_proba: Any, costs: Any, classes: Any) -> Classes:
    if classes is not None:
        return Classes.of(classes)
    if not isinstance(y_proba, Mapping) and not hasattr(y_proba, "columns"):
        raise InputError(
            "classes",
            "name the columns of an array",
            "none",
            "Pass classes=model.classes_, or a frame whose columns are the classes.",
        )
    return costs.classes if isinstance(costs, RowCosts) else as_costs(costs).classes


def corrected(
    posteriors: FloatArray, classes: Classes, priors: Any, trained_priors: Any
) -> FloatArray:
    """Return posteriors for another class balance than the trained one, up to a row's factor."""
    if (priors is None) != (trained_priors is None):
        raise InputError(
            "priors, trained_priors",
            "be given both or not at all",
            "one of them",
            "Posteriors are corrected by the ratio of the two.",
        )
    if priors is None:
        return posteriors
    new = as_priors(priors, classes, None).shares
    old = as_priors(trained_priors, classes, None, "trained_priors").shares
    if (old == 0).any():
        absent = [name for name, share in zip(classes, old, strict=True) if share == 0]
        raise InputError(
            "trained_priors", "be above 0", f"0 for {format_list(absent)}", "Leave the class out."
        )
    weighed = posteriors * (new / old)
    impossible = np.flatnonzero(weighed.sum(axis=1) == 0)
    if impossible.size:
        raise UndefinedError(
            f"row {impossible[0]} has no probability but for classes whose prior is 0, and so no "
            "answer. Give these classes a prior, or leave the row out."
        )
    return weighed
