"""Counts of errors and their totals as integer arrays, or a clear refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of

if TYPE_CHECKING:
    from rocch.arrays import IntArray

LARGEST_SUM = 2**58
"""What all limits together may reach, so that no sum of counts, nor twenty times one (the bins of
the archive's selection), leaves 64 bits."""


def as_limits(limits: Any, argument: str, *, least: int = 0) -> IntArray:
    """Return the largest count of each objective, whole numbers in one row."""
    row = _integers(limits, argument, 1, "one whole number for each objective")
    if row.size < 1 or int(row.min()) < least or sum(map(int, row)) > LARGEST_SUM:
        raise bad_input(
            argument,
            f"be whole numbers, at least {least}, that sum to at most 2**58",
            row.tolist(),
            "Pass how many rows each objective counts out of.",
        )
    row.setflags(write=False)
    return row


def as_count_rows(counts: Any, limits: IntArray, argument: str) -> IntArray:
    """Return counts (n, D), each a whole number from 0 to its objective's limit."""
    if isinstance(counts, list | tuple) and not counts:
        return np.empty((0, limits.size), dtype=np.int64)
    rows = _integers(counts, argument, 2, f"rows of {limits.size} whole numbers")
    if rows.shape[1] != limits.size:
        raise bad_input(
            argument,
            f"have one column for each of the {limits.size} objectives",
            f"an array of shape {rows.shape}",
            "Pass the counts off the diagonal row by row, or the misses of each class.",
        )
    wrong = (rows < 0) | (rows > limits)
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise bad_input(
            argument,
            "lie between 0 and the objective's limit",
            f"{rows[row, column]} in row {row} of objective {column}, whose limit is "
            f"{limits[column]}",
            "Count errors out of the same rows that the limits come from.",
        )
    return rows


def _integers(values: Any, argument: str, dimensions: int, what: str) -> IntArray:
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0)
    if array.dtype.kind not in "iu" or array.ndim != dimensions:
        came = f"an array of shape {array.shape} and type {array.dtype}"
        plain = isinstance(values, np.ndarray | list | tuple)
        raise bad_input(
            argument,
            f"be {what}",
            came if plain else kind_of(values),
            "Pass integer counts, not rates.",
        )
    return array.astype(np.int64)
