"""Which rows find, and which confirm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_array, as_codes, check_length, is_number

if TYPE_CHECKING:
    from rocch.arrays import BoolArray


def rows_to_find(
    find: Any, positive: BoolArray, random_state: Any, groups: Any = None
) -> BoolArray:
    """Return a mask of the rows to find with, from a mask or from a share of each class.

    With groups, whole groups are drawn, whatever their classes.
    """
    if not is_number(find):
        return _mask(find, positive.size)
    if not 0 < find < 1:
        raise _bad_find(repr(find))
    if isinstance(random_state, bool) or not isinstance(random_state, int) or random_state < 0:
        raise bad_input(
            "random_state", "be a whole number, not negative", repr(random_state), "Pass a seed."
        )
    rng = np.random.default_rng(random_state)
    if groups is not None:
        return _some_groups(find, groups, rng)
    chosen = np.zeros(positive.size, dtype=bool)
    for rows in (np.flatnonzero(positive), np.flatnonzero(~positive)):
        chosen[rng.permutation(rows)[: round(find * rows.size)]] = True
    return chosen


def _some_groups(find: float, groups: Any, rng: np.random.Generator) -> BoolArray:
    group = as_codes(groups, "groups")
    sizes = np.bincount(group)
    order = rng.permutation(sizes.size)
    before = np.cumsum(sizes[order]) - sizes[order]
    chosen: BoolArray = np.isin(group, order[before < find * group.size])
    return chosen


def _mask(find: Any, rows: int) -> BoolArray:
    mask = as_array(find, "find")
    if mask.dtype != bool:
        raise _bad_find(f"values of type {mask.dtype}")
    check_length(mask.size, rows, "find")
    return mask


def _bad_find(came: str) -> Exception:
    return bad_input(
        "find",
        "be a Boolean mask of the rows to find with, or a share between 0 and 1",
        came,
        "The other rows confirm; 0.5 is a good start.",
    )
