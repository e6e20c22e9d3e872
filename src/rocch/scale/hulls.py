"""Exact hulls from frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rocch.kernels.cells import hull_of_cells
from rocch.roc.hull import RocHull
from rocch.roc.joint import checked_names
from rocch.roc.judged import Judged
from rocch.roc.member import Member

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.kernels.cells import Cells


def joint_hull(names: Sequence[str], cells: Sequence[Cells], judged: Judged) -> RocHull:
    """Build the joint hull of classifiers whose hulls are those of their known points."""
    return RocHull(judged, checked_names([_member(*pair) for pair in zip(names, cells, strict=True)]))


def _member(name: str, cells: Cells) -> Member:
    thresholds, lower, fp, tp = (column[:-1] for column in hull_of_cells(cells))
    return Member(name, True, fp, tp, thresholds, lower, None)
