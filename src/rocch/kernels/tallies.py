"""Counting rows into buckets, batch by batch, with the least and greatest score of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.kernels.cuts import grid_buckets

if TYPE_CHECKING:
    from types import ModuleType

    from rocch.arrays import BoolArray, FloatArray, IntArray

COMPILED_FROM = 4_000_000
"""From so many rows on compiled loops are used, where the `fast` extra is there."""


def empty_tallies(buckets: int) -> FloatArray:
    """Return rows, positives, lowest and highest score of empty buckets, side by side.

    Counts are doubles, exact up to 2^53: so all that a row changes lies in one line of cache.
    """
    return np.tile([0.0, 0.0, np.inf, -np.inf], (buckets, 1))


def add_rows(
    tallies: FloatArray, bucket: IntArray, scores: FloatArray, positive: BoolArray
) -> None:
    """Add rows to the tallies of their buckets."""
    places, mine = np.unique(bucket, return_inverse=True)
    rows, hits = np.bincount(mine), np.bincount(mine, weights=positive)
    low, high = np.full((2, places.size), np.inf)
    np.minimum.at(low, mine, scores)
    np.minimum.at(high, mine, -scores)
    tallies[places, 0] += rows
    tallies[places, 1] += hits
    tallies[places, 2] = np.minimum(tallies[places, 2], low)
    tallies[places, 3] = np.maximum(tallies[places, 3], -high)


def marked(bucket: IntArray, marks: BoolArray) -> IntArray:
    """Return which rows lie in marked buckets."""
    rows: IntArray = np.flatnonzero(marks[bucket])
    return rows


def engine_for(rows: int) -> ModuleType:
    """Pick the compiled twin for many rows if Numba is installed, else this module."""
    from rocch.kernels import tallies

    if rows < COMPILED_FROM:
        return tallies
    try:
        from rocch.kernels import compiled_tallies
    except ImportError:
        return tallies
    return compiled_tallies


__all__ = ["add_rows", "empty_tallies", "engine_for", "grid_buckets", "marked"]
