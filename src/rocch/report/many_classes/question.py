"""What a reader says about many classes: the cost of each kind of error, and the class balance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from rocch.errors import Hint, InputError, describe_type
from rocch.multiclass.classes import Classes
from rocch.multiclass.costs import CostMatrix, as_costs, as_priors

if TYPE_CHECKING:
    from rocch.arrays import IntArray

Matrix: TypeAlias = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostQuestion:
    """What each error costs, and how frequent each class is where the classifier will work.

    Attributes
    ----------
    classes
        The names of the classes, which are those of the rows and columns of `costs`.
    costs
        What it costs to answer a class (column) when another is true (row); right answers stand
        on the diagonal and usually cost nothing.
    shares
        The share of each class; they sum to 1.

    Examples
    --------
    >>> from rocch.report.many_classes.question import CostQuestion
    >>> asked = CostQuestion(
    ...     classes=("ill", "well"), costs=((0, 20), (1, 0)), shares=(0.1, 0.9)
    ... )
    >>> asked.costs
    ((0.0, 20.0), (1.0, 0.0))
    """

    classes: tuple[str, ...]
    costs: Matrix
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        named = Classes.of(list(self.classes))
        object.__setattr__(self, "classes", tuple(named))
        _check_size(self.costs, self.shares, len(named))
        pairs = {
            (truth, answer): cost
            for truth, row in zip(named, self.costs, strict=True)
            for answer, cost in zip(named, row, strict=True)
        }
        exact = CostMatrix(pairs, classes=named).values
        shares = as_priors(dict(zip(named, self.shares, strict=True)), named, None, "shares")
        object.__setattr__(self, "costs", tuple(map(tuple, exact.tolist())))
        object.__setattr__(self, "shares", tuple(shares.shares.tolist()))

    @property
    def cost_matrix(self) -> CostMatrix:
        """The costs by name."""
        values = np.array(self.costs)
        return CostMatrix.of_bounds(Classes(self.classes), values, values)

    @property
    def priors(self) -> dict[str, float]:
        """The shares by name."""
        return dict(zip(self.classes, self.shares, strict=True))

    @classmethod
    def of(cls, costs: Any, priors: Any, classes: Classes, totals: IntArray) -> Self:
        """Read costs and shares as the rest of the house states them.

        Parameters
        ----------
        costs
            A `CostMatrix`, a belief (whose mean counts), or None: every error costs 1. Bounds are
            refused: the page asks about one matrix after the other.
        priors
            The shares by class, a belief about them, or "observed".
        classes, totals
            The classes, and how many judged rows each has.
        """
        stated = CostMatrix.zero_one(classes) if costs is None else as_costs(costs, classes)
        if not stated.exact:
            raise InputError(
                "costs",
                "be numbers, because the page starts at one matrix",
                "intervals",
                Hint(
                    "Pass costs.middle(); the page's reader can turn every cost herself.",
                    cli="Name one number for each; the page's reader can turn every cost herself.",
                ),
            )
        shares = as_priors(priors, classes, totals).shares
        return cls(
            classes=tuple(map(str, classes)),
            costs=tuple(map(tuple, stated.values.tolist())),
            shares=tuple(shares.tolist()),
        )


def _check_size(costs: Any, shares: Any, classes: int) -> None:
    """Refuse what has not one row and column, or one share, for each class."""
    try:
        rows = [len(row) for row in costs]
        number = len(shares)
    except TypeError:
        raise InputError(
            "costs, shares",
            "be rows of numbers, and numbers",
            f"{describe_type(costs)} and {describe_type(shares)}",
            "Pass one row of costs, and one share, for each class.",
        ) from None
    if rows != [classes] * classes or number != classes:
        raise InputError(
            "costs, shares",
            f"speak of {classes} classes",
            f"rows of {rows} costs, and {number} shares",
            "Pass one row of costs, and one share, for each class.",
        )
