"""Costs that differ from row to row: an order's value, a claim's amount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_array, as_scores, check_length, is_number
from rocch.multiclass.cost_matrix import (
    check_errors_cost,
    classes_named,
    every_cost,
    same_classes,
)
from rocch.roc.conditions import as_cost

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.multiclass.classes import Classes


@dataclass(frozen=True, slots=True, init=False, eq=False)
class RowCosts:
    """Exact costs of each error for each row: numbers for all rows alike, or one for each.

    Parameters
    ----------
    costs
        `{(truth, prediction): cost}`, each a number or a column of numbers.
    classes, default
        As for `CostMatrix`.

    Examples
    --------
    >>> import rocch
    >>> claims = rocch.RowCosts({("fraud", "fine"): [900, 40], ("fine", "fraud"): 50})
    >>> rocch.assign({"fraud": [0.1, 0.1], "fine": [0.9, 0.9]}, claims).tolist()
    ['fraud', 'fine']
    """

    classes: Classes
    values: FloatArray

    def __init__(self, costs: Any, *, classes: Any = None, default: Any = None) -> None:
        if not isinstance(costs, Mapping):
            raise bad_input(
                "costs",
                "map (truth, prediction) to numbers or columns of numbers",
                kind_of(costs),
                "For example: {('fraud', 'fine'): amounts, ('fine', 'fraud'): 50}.",
            )
        named = classes_named(costs, classes)
        columns = every_cost(costs, named, default, _as_column)
        rows = max(column.size for column in columns.values())
        if all(column.ndim == 0 for column in columns.values()):
            raise bad_input(
                "costs", "differ from row to row", "the same for all rows", "Use CostMatrix."
            )
        values = np.empty((rows, len(named), len(named)))
        for (truth, prediction), column in columns.items():
            if column.ndim:
                check_length(column.size, rows, f"the cost of {truth!r} answered {prediction!r}")
            values[:, named.names.index(truth), named.names.index(prediction)] = column
        check_errors_cost(named, values, values)
        self._take(named, values)

    def _take(self, classes: Classes, values: FloatArray) -> None:
        values.flags.writeable = False
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    def mean_cost(self, y_true: Any, y_pred: Any) -> float:
        """Return what answers cost per row, given the truth."""
        truths, answers = self.classes.codes(y_true, "y_true"), self.classes.codes(y_pred, "y_pred")
        for size, argument in ((truths.size, "y_true"), (answers.size, "y_pred")):
            check_length(size, len(self), argument)
        return float(self.values[np.arange(len(self)), truths, answers].mean())

    def in_order(self, classes: Classes, *, rows: int) -> RowCosts:
        """Return the same costs in another order of the same classes, for so many rows."""
        check_length(len(self), rows, "costs")
        if self.classes == classes:
            return self
        order = same_classes(self.classes, classes, "costs")
        other = RowCosts.__new__(RowCosts)
        other._take(classes, self.values[:, order][:, :, order])
        return other


def _as_column(value: Any, argument: str) -> FloatArray:
    """Return a number without a shape, or a column of numbers."""
    if is_number(value):
        return np.array(as_cost(value, argument).low)
    column = as_array(value, argument)
    costs = as_scores(column, column.size, argument=argument)
    for place in np.flatnonzero(~(np.isfinite(costs) & (costs >= 0)))[:1]:
        raise bad_input(
            argument, "be finite and not negative", f"{costs[place]} in row {place}", "Check it."
        )
    return costs
