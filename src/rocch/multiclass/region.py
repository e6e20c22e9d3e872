"""The region below random allocation, of which a surface dominates a share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input
from rocch.inputs import as_whole
from rocch.multiclass.objectives import Objectives, as_objectives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocch.arrays import FloatArray

CELLS = 2**21
"""So many coordinates are drawn at a time."""


@dataclass(frozen=True, slots=True)
class Region:
    """What no random allocation reaches: rates between 0 and 1 whose sum is at most Q - 1.

    Whoever answers at random, with whatever chances, has error rates that sum to Q - 1; so have
    the miss rates. (Everson and Fieldsend's P, section 5.)
    """

    classes: int
    objectives: Objectives

    @classmethod
    def of(cls, dimension: int, objectives: Any, argument: str) -> Region:
        """Find the region for so many objectives: all kinds of errors, or the misses."""
        kind = as_objectives(objectives)
        classes = dimension if kind == "misses" else (1 + math.isqrt(1 + 4 * dimension)) // 2
        region = cls(classes, kind)
        if classes < 2 or region.dimension != dimension:
            must = "two classes or more" if kind == "misses" else "2, 6, 12, ... Q(Q - 1) columns"
            raise bad_input(
                argument,
                f"have {must} for objectives={kind!r}",
                f"{dimension} columns",
                "Rates are all errors off the diagonal, row by row; misses are one for each class.",
            )
        return region

    @property
    def dimension(self) -> int:
        """The number of objectives."""
        return self.classes if self.objectives == "misses" else self.classes * (self.classes - 1)

    @property
    def budget(self) -> int:
        """What the rates sum to at most."""
        return self.classes - 1

    @property
    def volume(self) -> Fraction:
        """The exact volume: a simplex less its corners beyond 1, of which pairs overlap, and so on.

        Everson and Fieldsend's eq. 15 has the first two terms, which suffice up to three classes.
        """
        size, length = self.dimension, self.budget
        terms = ((-1) ** i * math.comb(size, i) * (length - i) ** size for i in range(length))
        return Fraction(sum(terms), math.factorial(size))

    @property
    def acceptance(self) -> float:
        """The share of draws that fall into the region: above 0.9 for rates of any Q."""
        return float(self.volume / min(self._simplex, Fraction(1)))

    def draw(self, samples: int, seed: int) -> Iterator[FloatArray]:
        """Draw points uniformly from the region, in parts that together have `samples` rows.

        They are drawn from the simplex of non-negative rates with the budget's sum, or from the
        unit cube where that is smaller (the misses of three classes or more); what lies outside
        the other one is rejected. The same seed gives the same points.
        """
        rng = np.random.default_rng(seed)
        step = max(1, CELLS // (self.dimension + 1))
        left = samples
        while left:
            inside = self._inside(rng, min(step, math.ceil(1.1 * left / self.acceptance)))[:left]
            left -= len(inside)
            yield inside

    @property
    def _simplex(self) -> Fraction:
        return Fraction(self.budget**self.dimension, math.factorial(self.dimension))

    def _inside(self, rng: np.random.Generator, draws: int) -> FloatArray:
        if self._simplex > 1:
            points: FloatArray = rng.random((draws, self.dimension))
            inside = points.sum(axis=1) <= self.budget
        else:  # Dirichlet with all parameters 1, the last coordinate left out
            gaps = rng.standard_exponential((draws, self.dimension + 1))
            points = self.budget * gaps[:, :-1] / gaps.sum(axis=1, keepdims=True)
            inside = (points <= 1).all(axis=1)
        accepted: FloatArray = points[inside]
        return accepted


def region_volume(classes: int, *, objectives: Objectives = "rates") -> Fraction:
    """Return the exact volume of the region below random allocation within the unit cube.

    It is the part of {0 <= x <= 1} whose coordinates sum to at most Q - 1. It is tiny for many
    classes, so the plain hypervolume says little: even random allocation dominates nearly all.

    Parameters
    ----------
    classes
        How many classes there are, Q.
    objectives
        "rates": all Q(Q - 1) error rates; "misses": the Q miss rates.

    Returns
    -------
    Fraction

    Raises
    ------
    InputError
        If there are fewer than two classes, or the objectives are neither of the two.

    Examples
    --------
    >>> import rocch
    >>> rocch.region_volume(2), rocch.region_volume(3)
    (Fraction(1, 2), Fraction(29, 360))
    >>> rocch.region_volume(3, objectives="misses")
    Fraction(5, 6)
    """
    number = as_whole(classes, "classes", least=2, do="Pass how many classes there are.")
    return Region(number, as_objectives(objectives)).volume
