"""The wrong answer that each member of a surface gives most often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import UndefinedError

if TYPE_CHECKING:
    from rocch.arrays import IntArray
    from rocch.multiclass.surface import RocSurface


def most_common_wrong_answers(surface: RocSurface) -> IntArray:
    """Return for each member the place of the class that most of its errors are answered with.

    Of classes that are equally common, the first in order counts.

    Raises
    ------
    UndefinedError
        If a member makes no errors.

    Examples
    --------
    >>> import rocch
    >>> from rocch.multiclass.wrong_answers import most_common_wrong_answers
    >>> truth = ["a", "a", "b", "b", "c", "c"]
    >>> one = rocch.Confusion.from_labels(truth, ["a", "c", "b", "c", "c", "b"])
    >>> most_common_wrong_answers(rocch.RocSurface.of({"one": one}))
    array([2])
    """
    if not surface.errors.all():
        raise UndefinedError(
            f"member {int(np.argmin(surface.errors))} makes no errors, so it has no most common "
            "one. It is the best for all costs: there is nothing to trade off."
        )
    into = surface.counts.sum(axis=1) - np.diagonal(surface.counts, axis1=1, axis2=2)
    answers: IntArray = into.argmax(axis=1)
    return answers
