"""Cells are checked once, where they become an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.errors import bad_input

if TYPE_CHECKING:
    from rocch.errors import InputError
    from rocch.kernels.refine import Cells
    from rocch.roc.curve import Judged

MOST = 2**62
"""Totals stay below, so that twice a total is still a 64-bit integer."""


def check_cells(cells: Cells, judged: Judged) -> None:
    """Refuse cells that are out of order or do not hold the judged rows.

    A cell may be without weight: rows may weigh nothing.
    """
    if len({column.shape for column in cells}) > 1 or cells.low.ndim != 1 or not cells.low.size:
        came = ", ".join(str(column.shape) for column in cells)
        raise _unusable("have four columns of one length, with at least one cell", came)
    for counts in (cells.negatives, cells.positives):
        if counts.dtype.kind != "i":
            raise _unusable("count rows in signed integers", f"counts of type {counts.dtype}")
    if min(cells.negatives.min(), cells.positives.min()) < 0:
        raise _unusable("have counts that are not negative", "negative ones")
    _check_order(cells)
    _check_totals(cells, judged)


def _check_order(cells: Cells) -> None:
    upright, falling = cells.high >= cells.low, cells.low[:-1] > cells.high[1:]
    if not (upright.all() and falling.all()):
        raise _unusable(
            "be disjoint and run from the highest scores to the lowest, with high >= low",
            "cells that overlap, are out of order, or have no bounds (NaN)",
        )


def _check_totals(cells: Cells, judged: Judged) -> None:
    totals = judged.negatives, judged.positives
    if min(totals) < 1 or max(totals) >= MOST:
        raise bad_input(
            "judged",
            "have totals of both classes, below 2**62",
            f"{totals[0]} negatives and {totals[1]} positives",
            "Pass the totals of the rows in the cells.",
        )
    # a sum in doubles is enough to see that one in integers cannot wrap round
    if max(cells.negatives.sum(dtype=float), cells.positives.sum(dtype=float)) >= 2 * MOST:
        raise _unusable("hold fewer than 2**62 rows of each class", "more")
    held = int(cells.negatives.sum()), int(cells.positives.sum())
    if held != totals:
        raise _unusable(
            f"hold all judged rows, {totals[0]} negatives and {totals[1]} positives",
            f"{held[0]} and {held[1]}",
        )


def _unusable(must: str, came: str) -> InputError:
    return bad_input("cells", must, came, "Use the cells that a summary of the frame returns.")
