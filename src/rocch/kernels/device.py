"""Exact hulls, curves and AUCs of scores on a device, by the array API standard.

Scores stay where they are, and few points come to the host. On a GPU, Triton's kernels count labels
in cells of scores first; elsewhere all rows are sorted at once.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import RocchWarning, first_line, levels_to_caller
from rocch.inputs import to_host
from rocch.kernels.counting import exact_sum
from rocch.kernels.hull import distinct_points, safe_products, upper_hull

# A device's array. Its namespace is called xp.
Array = Any

# Points of which all come to the host; of more, blocks offer one each to the hull of known points.
FEW, BLOCKS = 2**13, 2048


class DevicePoints(NamedTuple):
    """Points of a curve from high to low scores, without (0, 0)."""

    thresholds: Array
    false_positives: Array
    true_positives: Array


def hull_on_device(
    xp: Any, scores: Array, positive: Array, totals: tuple[int, int]
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return the hull of a curve on the host, as `refine.hull_from_scores` does."""
    kernels = _kernels_for(xp, scores)
    if kernels is not None:
        thresholds, next_lower, *counts = kernels.find_candidates(scores, positive, totals)
    else:
        points = points_on_device(xp, scores, positive)
        lowest = xp.full((1,), -xp.inf, dtype=scores.dtype, device=scores.device)
        lower = xp.concat((points.thresholds[1:], lowest))
        kept = _find_candidates(xp, *points[1:], totals)
        columns = (points.thresholds, lower, *points[1:])
        if kept is not None:
            columns = tuple(xp.take(column, kept) for column in columns)
        thresholds, next_lower, *counts = (to_host(column, "scores") for column in columns)
    vertex = upper_hull(*(np.concatenate(([0], column)) for column in counts))[1:] - 1
    return (
        thresholds[vertex].astype(np.float64) + 0.0,
        next_lower[vertex].astype(np.float64) + 0.0,
        counts[0][vertex],
        counts[1][vertex],
    )


def curve_on_device(
    xp: Any, scores: Array, positive: Array
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return all points of a curve on the host, as `counting.distinct_counts` does."""
    thresholds, *counts = (
        to_host(each, "scores") for each in points_on_device(xp, scores, positive)
    )
    return thresholds.astype(np.float64) + 0.0, counts[0], counts[1]


def points_on_device(xp: Any, scores: Array, positive: Array) -> DevicePoints:
    """Count the rows that score at least as much as each distinct score."""
    order = xp.argsort(scores, descending=True, stable=False)
    ranked = xp.take(scores, order)
    hits = xp.cumulative_sum(xp.astype(xp.take(positive, order), xp.int64))
    differ = ranked[1:] != ranked[:-1]
    place = xp.nonzero(xp.concat((differ, xp.ones_like(differ[:1]))))[0]
    true_positives = xp.take(hits, place)
    return DevicePoints(xp.take(ranked, place), place + 1 - true_positives, true_positives)


def orders_on_device(xp: Any, scores: Array, positive: Array) -> tuple[IntArray, IntArray]:
    """Return the orders of both classes on the host, as `resampling.orders_of` does."""
    negatives, positives = (
        to_host(xp.argsort(scores[rows], descending=True, stable=False), "scores")
        for rows in (~positive, positive)
    )
    return negatives, positives


def twice_pairs_won_on_device(xp: Any, scores: Array, positive: Array) -> int:
    """Return twice the pairs ranked correctly, ties half."""
    few, many = (xp.sort(scores[each]) for each in (positive, ~positive))
    swapped = few.shape[0] > many.shape[0]
    if swapped:
        few, many = many, few
    below = xp.searchsorted(many, few) + xp.searchsorted(many, few, side="right")
    if 2 * many.shape[0] * few.shape[0] < 2**62:
        won = int(xp.sum(below))
    else:
        won = exact_sum(to_host(below, "scores"))
    return 2 * few.shape[0] * many.shape[0] - won if swapped else won


def count_rows(xp: Any, positive: Array, columns: list[Array]) -> tuple[int, list[bool]]:
    """Count the positive rows, and say which columns have missing scores."""
    kernels = _kernels_for(xp, positive)
    if kernels is not None:
        positives, *missing = kernels.count_rows(positive, columns)
        return positives, [count > 0 for count in missing]
    return int(xp.count_nonzero(positive)), [bool(xp.isnan(xp.max(each))) for each in columns]


def is_out_of_memory(error: Exception) -> bool:
    """Whether the memory of a device is too small; each library has its own error."""
    return "OutOfMemory" in type(error).__name__ or "out of memory" in str(error).lower()


def _kernels_for(xp: Any, array: Array) -> Any:
    """Return the module of kernels for a device, or None."""
    return _try_kernels(xp, array.device) if getattr(array, "is_cuda", False) else None


@cache
def _try_kernels(xp: Any, device: Any) -> Any:
    """Return the module of kernels if they run on a device.

    Triton needs a C compiler, a folder that it can write to and load from, and a GPU that it knows.
    """
    try:
        from rocch.kernels import _triton

        _triton.count_rows(xp.zeros(16, dtype=xp.bool, device=device), [])
    except Exception as error:
        if is_out_of_memory(error):
            raise
        if getattr(error, "name", None) != "triton":  # which PyTorch brings on Linux only
            warnings.warn(
                f"Triton's kernels do not run on {device}, so hulls take more time and memory: "
                f"{first_line(error)}",
                RocchWarning,
                stacklevel=levels_to_caller(),
            )
        return None
    return _triton


def _find_candidates(xp: Any, x: Array, y: Array, totals: tuple[int, int]) -> Array | None:
    """Return which points may be vertices of the hull; None for all.

    Those are the vertices of a hull of some points, and the points above it.
    """
    if x.shape[0] <= FEW or not safe_products(*totals):  # 64 bits are too short on the device
        return None
    hull = _known_hull(xp, x, y)
    found = _above(xp, hull, x, y) | _is_vertex(xp, hull, x, y)
    return xp.nonzero(found)[0]


def _known_hull(xp: Any, x: Array, y: Array) -> tuple[IntArray, IntArray]:
    """Return the hull of (0, 0), the last point and some between, on the host.

    The hull of the blocks' last points says which way each block faces, and the farthest point of
    each in that direction joins them.
    """
    each = x.shape[0] // BLOCKS
    last = np.arange(1, BLOCKS + 1) * each - 1
    last[-1] = x.shape[0] - 1
    ends = _take_to_host(xp, x, y, xp.asarray(last, device=x.device))
    coarse = _hull_of(ends)
    segment = np.clip(np.searchsorted(coarse[0], ends[0]), 1, coarse[0].size - 1)
    run, rise = (
        xp.asarray(np.diff(column)[segment - 1][:, None], device=x.device) for column in coarse
    )
    blocks = [xp.reshape(column[: each * BLOCKS], (BLOCKS, each)) for column in (x, y)]
    far = xp.argmax(blocks[1] * run - blocks[0] * rise, axis=1)
    far = far + xp.arange(BLOCKS, device=x.device) * each
    points = np.concatenate((ends, _take_to_host(xp, x, y, far)), axis=1)
    return _hull_of(points[:, np.lexsort(points[::-1])])


def _take_to_host(xp: Any, x: Array, y: Array, which: Array) -> IntArray:
    taken: IntArray = to_host(xp.stack((xp.take(x, which), xp.take(y, which))), "scores")
    return taken


def _hull_of(points: IntArray) -> tuple[IntArray, IntArray]:
    x, y = (np.concatenate(([0], column)) for column in points)
    distinct = distinct_points(x, y)
    vertex = distinct[upper_hull(x[distinct], y[distinct])]
    return x[vertex], y[vertex]


def _above(xp: Any, hull: tuple[IntArray, IntArray], x: Array, y: Array) -> Array:
    """Return which points are strictly above a hull; `hull.above_hull` on a device."""
    hull_x, hull_y = (xp.asarray(column, device=x.device) for column in hull)
    left = xp.searchsorted(hull_x, x, side="right") - 1
    left = xp.clip(left, max=hull[0].size - 2)
    left_x, left_y = xp.take(hull_x, left), xp.take(hull_y, left)
    run, rise = xp.take(hull_x, left + 1) - left_x, xp.take(hull_y, left + 1) - left_y
    return run * (y - left_y) > rise * (x - left_x)


def _is_vertex(xp: Any, hull: tuple[IntArray, IntArray], x: Array, y: Array) -> BoolArray:
    hull_x, hull_y = (xp.asarray(column, device=x.device) for column in hull)
    place = xp.searchsorted(hull_x, x, side="right") - 1
    found: BoolArray = (xp.take(hull_x, place) == x) & (xp.take(hull_y, place) == y)
    return found
