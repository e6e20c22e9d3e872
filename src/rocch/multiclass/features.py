"""Features of rows as a table of numbers, for the models that read them directly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of, quantity, shown
from rocch.inputs import on_host

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


def feature_names(X: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's columns; None for tables without names."""
    columns = getattr(X, "columns", None)
    return None if columns is None else tuple(map(str, columns))


def as_features(
    X: Any, *, width: int | None = None, names: tuple[str, ...] | None = None
) -> FloatArray:
    """Return features as doubles, rows by columns: finite, and with the columns once fitted."""
    given = feature_names(X)
    if names is not None and given is not None and given != names:
        raise bad_input(
            "X",
            f"have the columns {shown(names, 30)}, in this order",
            shown(given, 30),
            "Pass the features that were fitted.",
        )
    try:
        table = np.array(on_host(X, "X"), dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise bad_input(
            "X",
            "be a table of numbers",
            kind_of(X),
            "Pass rows by columns; encode texts as numbers first.",
        ) from None
    if table.ndim != 2 or not table.size:
        raise bad_input(
            "X", "have rows and columns", f"an array of shape {table.shape}", "Pass a table."
        )
    if width is not None and table.shape[1] != width:
        raise bad_input(
            "X",
            f"have {quantity(width, 'column')}",
            table.shape[1],
            "Pass the features that were fitted.",
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise bad_input(
            "X",
            "hold finite numbers",
            f"{table[row, column]} in row {row}, column {column}",
            "Drop or fill those rows first.",
        )
    return table
