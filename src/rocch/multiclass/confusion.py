"""The confusion matrix: how many rows of each class got which answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import UndefinedError, bad_input, kind_of, shown
from rocch.inputs import check_length
from rocch.multiclass.classes import Classes
from rocch.multiclass.cost_matrix import CostMatrix, same_classes
from rocch.multiclass.dirichlet import DirichletBelief
from rocch.multiclass.exact_costs import exact_costs
from rocch.multiclass.priors import as_priors
from rocch.multiclass.weighing import extreme_costs
from rocch.roc.conditions import OBSERVED, Interval

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


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
    >>> confusion = rocch.Confusion.from_labels(
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
                f"there are no rows of {shown(absent)}, so there are no rates of them. The counts "
                "are there, and the expected cost at the observed class balance."
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
        came = f"shape {counts.shape}" if not square else "other numbers"
        raise bad_input(
            "counts",
            f"be {classes} by {classes} whole numbers, not negative",
            came,
            "Truths in rows, answers in columns; or use Confusion.from_labels.",
        )
    return np.array(counts, dtype=np.int64) if counts.flags.writeable else counts


def as_costs(given: Any, classes: Classes | None = None) -> CostMatrix:
    """Return costs, in the order of the classes if there is one; a belief counts as its mean."""
    if isinstance(given, DirichletBelief):
        given = given.mean_costs()
    if not isinstance(given, CostMatrix):
        raise bad_input(
            "costs",
            "be a CostMatrix or a DirichletBelief about costs",
            kind_of(given),
            "For example: rocch.CostMatrix({('ill', 'well'): 20, ('well', 'ill'): 1}); costs of "
            "single rows go to rocch.assign.",
        )
    return given if classes is None else given.in_order(classes)
