"""A few members of a surface that stand for all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import IntArray
    from rocch.multiclass.surface import RocSurface


def even_sample(surface: RocSurface, most: int) -> IntArray:
    """Pick at most so many members, evenly from the fewest errors to the most, in that order.

    No chance is involved: every so-manyth of the members sorted by errors is taken, with both
    ends, so that good and bad members are shown in their proportion.

    Examples
    --------
    >>> import rocch
    >>> from rocch.multiclass.even_sample import even_sample
    >>> truth = ["a", "a", "a", "b", "b", "b"]
    >>> answers = {"1": "aaabaa", "2": "abbbbb", "3": "aabbba"}
    >>> surface = rocch.RocSurface.of(
    ...     {name: rocch.Confusion.from_labels(truth, list(own)) for name, own in answers.items()}
    ... )
    >>> even_sample(surface, 3), even_sample(surface, 1)
    (array([0, 1, 2]), array([0]))
    """
    order = np.argsort(surface.errors, kind="stable")
    if len(order) <= most:
        return order
    return order[np.linspace(0, len(order) - 1, most).round().astype(np.int64)]
