"""Confusion matrices, their costs and their objectives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, Columns, FloatArray, IntArray, Label
from rocch.errors import UndefinedError, format_count, format_list
from rocch.inputs import as_choice, check_length
from rocch.multiclass.classes import Classes, ClassNames, Pair, as_integers, check_cells
from rocch.multiclass.costs import CostMatrix, Costs, Priors, Shares, as_costs, as_priors
from rocch.results import Table, Tabular
from rocch.roc.conditions import OBSERVED, Interval

# The expected cost of rates r is the sum over k of pi_k times the sum over j of lambda_kj r_kj.
# The extreme end of each lambda_kj depends on the sign of r_kj alone. What is left, a sum of pi_k
# times a number for each class, is extreme where free priors go to the largest numbers first.


def extreme_costs(rates: FloatArray, costs: CostMatrix, priors: Priors, sign: int) -> FloatArray:
    """Return the largest (sign 1) or smallest (sign -1) expected cost of each set of rates."""
    towards, away = (costs.high, costs.low) if sign > 0 else (costs.low, costs.high)
    by_class = (np.where(rates > 0, towards, away) * rates).sum(axis=2)
    mean: FloatArray = by_class @ priors.low
    if priors.exact:
        return mean
    order = np.argsort(-sign * by_class, axis=1, kind="stable")
    ordered = np.take_along_axis(by_class, order, axis=1)
    extra: FloatArray = (priors.fill(order) * ordered).sum(axis=1)
    return mean + extra


# Doubles that differ by no more than this share may be equal: sums of Q^2 positive terms are right
# to about Q^2 units in the last place, which is less up to 60 classes.
CLOSE = 1e-12


def as_fractions(values: FloatArray) -> AnyArray:
    """Return doubles as exact fractions."""
    return np.asarray(np.vectorize(Fraction, otypes=[object])(values))


def as_numerators(fractions: AnyArray) -> tuple[IntArray, int]:
    """Return fractions as Python integers, and their common denominator."""
    unit = math.lcm(*(fraction.denominator for fraction in fractions.flat))
    return np.vectorize(int, otypes=[object])(fractions * unit), unit


def exact_costs(
    counts: IntArray, totals: IntArray, costs: FloatArray, priors: Priors
) -> tuple[IntArray, int]:
    """Return the expected costs of (n, Q, Q) counts as Python integers, and their denominator."""
    shares = np.array(priors.fractions)
    if shares[totals == 0].any():
        raise UndefinedError(
            "a class that is to be expected has no evaluation rows, so its errors are unknown.",
            hint="Evaluate on rows of every class, or take the observed class balance.",
        )
    by_row = shares / np.maximum(totals, 1).astype(object)
    whole, unit = as_numerators(as_fractions(costs) * by_row[:, None])
    return (counts.astype(object) * whole).sum(axis=(1, 2)), unit


def cheapest(counts: IntArray, totals: IntArray, costs: FloatArray, priors: Priors) -> IntArray:
    """Return the places of the members of least expected cost, without rounding."""
    weights = priors.shares[:, None] * costs / totals[:, None]
    rounded = np.tensordot(counts, weights, axes=2)
    close = np.flatnonzero(rounded <= rounded.min() * (1 + CLOSE))
    exact, _ = exact_costs(counts[close], totals, costs, priors)
    return close[np.flatnonzero(exact == exact.min())]


# How a table of classes is to be read.
IN_ROWS = "truths in rows, predictions in columns"

Objectives: TypeAlias = Literal["rates", "misses"]


def as_objectives(kind: str) -> Objectives:
    """Return "rates" or "misses"."""
    as_choice(kind, get_args(Objectives), "objectives")
    return "rates" if kind == "rates" else "misses"


def objectives_of(counts: IntArray, objectives: Objectives) -> IntArray:
    """Return the counts to be minimized, of confusion matrices (n, Q, Q).

    "rates" are the Q(Q-1) counts off the diagonal, row by row; "misses" their sums by row (Everson
    and Fieldsend, equation 12).
    """
    wrong: IntArray = counts[:, ~np.eye(counts.shape[-1], dtype=bool)]
    if objectives == "rates":
        return wrong
    return np.asarray(wrong.reshape(len(counts), counts.shape[-1], -1).sum(axis=2))


def limits_of(totals: IntArray, objectives: Objectives) -> IntArray:
    """Return the largest possible count of each objective."""
    return totals if objectives == "misses" else np.repeat(totals, len(totals) - 1)


def count_predictions(truths: IntArray, predictions: IntArray, classes: int) -> IntArray:
    """Return the confusion counts, truths in rows."""
    cells = np.bincount(truths * classes + predictions, minlength=classes**2)
    return cells.reshape(classes, classes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Confusion(Tabular):
    """A confusion matrix of counts.

    Attributes
    ----------
    classes
        The classes, in the order of rows and columns.
    counts
        `counts[k, j]` rows of the k-th class are predicted as the j-th.

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
        size = len(self.classes)
        what = f"{size} by {size} whole numbers, not negative"
        counts = as_integers(self.counts, "counts", (size, size), what)
        check_cells(counts, counts >= 0, "counts", f"be {what}")
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Confusion):
            return NotImplemented
        return self.classes == other.classes and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.classes, self.counts.tobytes()))

    @classmethod
    def from_labels(
        cls, y_true: ArrayLike, y_pred: Columns, *, classes: ClassNames | None = None
    ) -> Confusion:
        """Count the predictions of a classifier.

        Parameters
        ----------
        y_true, y_pred
            True and predicted labels.
        classes
            The classes; by default the labels of `y_true`, sorted. A class without rows has no
            rates.
        """
        named = Classes.of_data(classes, y_true)
        truths, predictions = named.codes(y_true, "y_true"), named.codes(y_pred, "y_pred")
        check_length(predictions.size, truths.size, "y_pred")
        return cls(named, count_predictions(truths, predictions, len(named)))

    def __str__(self) -> str:
        cells = [["", *map(str, self.classes)]]
        for name, row in zip(self.classes, self.counts.tolist(), strict=True):
            cells.append([str(name), *map(str, row)])
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        lines = [
            "  ".join([name.ljust(widths[0]), *map(str.rjust, counts, widths[1:])])
            for name, *counts in cells
        ]
        return "\n".join([f"{IN_ROWS}:", *lines])

    def _title(self) -> str:
        rows = format_count(int(self.totals.sum()), "row", ",")
        return f"{self.errors:,} of {rows} wrong; {IN_ROWS}"

    def __repr__(self) -> str:
        rows = format_count(int(self.totals.sum()), "row")
        return f"<Confusion of {len(self.classes)} classes: {self.errors} of {rows} wrong>"

    def _columns(self) -> Table:
        """Return a row for each truth and a column for each prediction."""
        columns = zip(map(str, self.classes), self.counts.T, strict=True)
        return {"truth": self.classes.names, **dict(columns)}

    def _tables(self) -> tuple[Table, ...]:
        missed = (self.totals - np.diag(self.counts)).tolist()
        totals = self.totals.tolist()
        shares = [round(m / n, 3) if n else None for m, n in zip(missed, totals, strict=True)]
        return ({**self._columns(), "missed": shares},)

    def __getitem__(self, pair: Pair) -> int:
        return int(self.counts[self.classes.places(pair)])

    def in_order(self, classes: Classes) -> Confusion:
        """Return the same counts in another order of the classes."""
        if self.classes == classes:
            return self
        order = self.classes.order_in(classes, "confusion")
        return Confusion(classes, self.counts[np.ix_(order, order)])

    @property
    def totals(self) -> IntArray:
        """The number of rows of each class."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def rates(self) -> FloatArray:
        """The counts divided by their row's total: estimates of p(prediction | truth)."""
        self._check_all_occur()
        return np.asarray(self.counts / self.totals[:, None])

    def _check_all_occur(self) -> None:
        absent = [name for name, total in zip(self.classes, self.totals, strict=True) if not total]
        if absent:
            raise UndefinedError(
                f"there are no rows of {format_list(absent)}, so there are no rates of them.",
                hint="The counts are there, and the expected cost at the observed class balance.",
            )

    @property
    def errors(self) -> int:
        """The number of wrong predictions."""
        return int(self.counts.sum() - np.trace(self.counts))

    @property
    def miss_rates(self) -> dict[Label, float]:
        """The share of each class's rows predicted as another class (equation 12)."""
        self._check_all_occur()
        missed = (self.totals - np.diag(self.counts)) / self.totals
        return dict(zip(self.classes, missed.tolist(), strict=True))

    @property
    def false_alarm_rates(self) -> dict[Label, float]:
        """The share of all other classes' rows predicted as each class."""
        others = self.totals.sum() - self.totals
        if not others.all():
            raise UndefinedError("false alarms need rows of two classes; there are of one only.")
        alarms = (self.counts.sum(axis=0) - np.diag(self.counts)) / others
        return dict(zip(self.classes, alarms.tolist(), strict=True))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The cells as rows, for a data frame."""
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

    def expected_cost(self, costs: Costs, priors: Shares = OBSERVED) -> float:
        """Return the expected cost per row (Everson and Fieldsend, equation 2), rounded once.

        Parameters
        ----------
        costs
            Exact costs, or a belief, whose mean decides.
        priors
            The classes' shares in use: a mapping, a belief, or "observed".
        """
        exact = as_costs(costs, self.classes).values
        shares = as_priors(priors, self.classes, self.totals)
        whole, unit = exact_costs(self.counts[None], self.totals, exact, shares)
        return int(whole[0]) / unit

    def expected_cost_range(self, costs: CostMatrix, priors: Shares = OBSERVED) -> Interval:
        """Return the lowest and highest expected cost within bounds on costs and priors."""
        bounds = as_costs(costs, self.classes)
        shares = as_priors(priors, self.classes, self.totals)
        rates = self.rates[None]
        low, high = (float(extreme_costs(rates, bounds, shares, sign)[0]) for sign in (-1, 1))
        return Interval(low, high)
