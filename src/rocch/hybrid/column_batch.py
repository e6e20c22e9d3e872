"""Rows whose scores are at hand: columns named as the models are, and no model to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, shown
from rocch.inputs import as_array, as_columns, as_scores, check_labels, check_length

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rocch.arrays import BoolArray, FloatArray, IntArray

    AnyArray = np.ndarray[Any, Any]


class ColumnBatch:
    """Columns of scores (of labels, for a model that only labels), as a batch to be decided.

    Parameters
    ----------
    scores
        A mapping from models to columns, or a data frame.
    needed
        The models whose columns must be there.
    classes
        The labels that columns of labels hold, the positive one last.

    Examples
    --------
    >>> from rocch.hybrid.column_batch import ColumnBatch
    >>> from rocch.hybrid.expression import AtLeast
    >>> batch = ColumnBatch({"nb": [0.2, 0.9]}, ["nb"], (0, 1))
    >>> AtLeast("nb", 0.5).alarms(batch)
    array([False,  True])
    """

    def __init__(self, scores: Any, needed: Iterable[str], classes: tuple[Any, Any]) -> None:
        self._columns = as_columns(scores)
        self.need(needed)
        self._classes = classes
        self._rows = as_array(next(iter(self._columns.values())), "scores").size

    def __len__(self) -> int:
        return self._rows

    @property
    def columns(self) -> dict[str, Any]:
        """The columns, by the names of the models."""
        return dict(self._columns)

    def need(self, models: Iterable[str]) -> None:
        """Refuse to go on without the columns of some models."""
        missing = [model for model in models if model not in self._columns]
        if missing:
            raise bad_input(
                "scores",
                "have a column for each model of the rule",
                f"none for {shown(missing)}",
                f"The columns are: {shown(self._columns)}.",
            )

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's column of scores."""
        size = self._rows if rows is None else rows.size
        return as_scores(self._column(model, rows), size, argument=_place(model))

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return where a model's column of labels holds the positive one."""
        labels, place = self._column(model, rows), _place(model)
        check_labels(labels, self._classes, place, "hold labels of the two classes")
        return np.asarray(labels == self._classes[1], dtype=bool)

    def _column(self, model: str, rows: IntArray | None) -> AnyArray:
        self.need([model])
        values = as_array(self._columns[model], _place(model))
        check_length(values.size, self._rows, _place(model))
        return values if rows is None else values[rows]


def _place(model: str) -> str:
    return f"scores[{model!r}]"
