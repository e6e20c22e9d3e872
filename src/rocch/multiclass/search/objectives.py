"""What a search makes small: all rates of confusion, or the miss rate of each class.

Both are kept as counts; the rows of a class are the common denominator of its rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input
from rocch.multiclass.objectives import Objectives, as_objectives, limits_of, objectives_of

if TYPE_CHECKING:
    from rocch.arrays import IntArray

MOST_CLASSES = {"rates": 6, "misses": 12}
"""Beyond 30 rates, or 12 miss rates, next to nothing is dominated any more."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchedObjectives:
    """The counts to be made small, read from confusion matrices."""

    kind: Objectives
    totals: IntArray
    """The rows of each class."""

    @classmethod
    def of(cls, kind: Any, totals: IntArray) -> SearchedObjectives:
        """Choose "rates" (eq. 5) or "misses" (eq. 12), unless there are too many classes."""
        chosen = as_objectives(kind)
        found = cls(chosen, totals)
        if len(totals) > MOST_CLASSES[chosen]:
            fewer = "objectives='misses', " if 6 < len(totals) <= 12 else ""
            raise bad_input(
                "classes",
                f"be at most {MOST_CLASSES[chosen]} to search objectives={chosen!r}",
                f"{len(totals)} classes, which make {len(found.limits)} objectives",
                "With so many nearly everything is non-dominated, and a front would say nothing. "
                f"Use {fewer}rocch.assign for known costs, or rocch.best_classifier to choose "
                "among several classifiers at known costs.",
            )
        return found

    @property
    def limits(self) -> IntArray:
        """The largest possible counts."""
        return limits_of(self.totals, self.kind)

    def of_counts(self, counts: IntArray) -> IntArray:
        """Return the objectives of confusion matrices, one row each."""
        return np.ascontiguousarray(objectives_of(counts, self.kind))
