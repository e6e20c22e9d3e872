"""Rows whose true classes are known, on which models' posteriors are judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rocch.inputs import as_columns, as_name
from rocch.multiclass.classes import Classes, as_posteriors
from rocch.stats.sample import as_clusters

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class JudgedClasses:
    """The classes, and each row's true class as its place among them; every class occurs."""

    classes: Classes
    truths: IntArray
    groups: IntArray | None = None
    """The number of each row's group (a patient, a document), where rows come in groups."""

    @classmethod
    def of(cls, y_true: Any, classes: Any = None, groups: Any = None) -> Self:
        """Check labels; without `classes` these are the labels that occur, sorted."""
        known = Classes.of_labels(y_true) if classes is None else Classes.of(classes)
        truths = known.truths(y_true)
        return cls(known, truths, None if groups is None else as_clusters(groups, truths.size))

    def __len__(self) -> int:
        return self.truths.size

    @property
    def totals(self) -> IntArray:
        """How many rows each class has."""
        return np.bincount(self.truths, minlength=len(self.classes))

    @property
    def units(self) -> int:
        """How many rows, or groups of rows, are independent of each other."""
        return len(self) if self.groups is None else int(self.groups.max()) + 1

    def posteriors(self, y_proba: Any, argument: str = "y_proba") -> FloatArray:
        """Check one model's posteriors on these rows."""
        return as_posteriors(y_proba, self.classes, rows=len(self), argument=argument)

    def models(self, posteriors: Any) -> dict[str, FloatArray]:
        """Check several models' posteriors by name, or one model's alone, without a name.

        A mapping whose keys are the classes holds one model's columns.
        """
        by_class = {str(name) for name in self.classes}
        if not isinstance(posteriors, Mapping) or set(map(str, posteriors)) == by_class:
            return {"classifier": self.posteriors(posteriors)}
        return {
            as_name(name): self.posteriors(given, f"y_proba[{name!r}]")
            for name, given in as_columns(posteriors, argument="y_proba").items()
        }

    def rows_by_class(self) -> list[IntArray]:
        """Return each class's rows, in their order."""
        return [np.flatnonzero(self.truths == code) for code in range(len(self.classes))]
