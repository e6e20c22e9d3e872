"""From the members of a hull to its vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import bad_input, shown
from rocch.inputs import repeated
from rocch.kernels.hull import distinct_points, upper_hull
from rocch.roc.point import ALWAYS, NEVER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import IntArray
    from rocch.roc.judged import Judged
    from rocch.roc.member import Member


def joint_vertices(members: Sequence[Member], judged: Judged) -> tuple[IntArray, IntArray]:
    """Return the counts at the vertices of the members' joint hull."""
    if len(members) == 1 and members[0].scoring:
        x, y = members[0].false_positives, members[0].true_positives
        return (
            np.concatenate(([0], x, [judged.negatives])),
            np.concatenate(([0], y, [judged.positives])),
        )
    x = np.concatenate([[0], *(m.false_positives for m in members), [judged.negatives]])
    y = np.concatenate([[0], *(m.true_positives for m in members), [judged.positives]])
    order = np.lexsort((y, x)) if x.dtype != object else np.array(_by_pairs(x, y))
    x, y = x[order], y[order]
    distinct = distinct_points(x, y)
    vertex = distinct[upper_hull(x[distinct], y[distinct])]
    return x[vertex], y[vertex]


def _by_pairs(x: IntArray, y: IntArray) -> list[int]:
    pairs = list(zip(x.tolist(), y.tolist(), strict=True))
    return sorted(range(len(pairs)), key=pairs.__getitem__)


def checked_names(members: Sequence[Member]) -> tuple[Member, ...]:
    """Return the members if their names are distinct and none is a trivial classifier's."""
    names = [member.name for member in members]
    for reserved in (NEVER, ALWAYS):
        if reserved in names:
            raise bad_input(
                "name",
                "not be that of a trivial classifier",
                repr(reserved),
                "Rename it; 'never' and 'always' are on every hull.",
            )
    twice = repeated(names)
    if twice:
        raise bad_input("names", "be distinct", f"{shown(twice)} more than once", "Rename one.")
    return tuple(members)
