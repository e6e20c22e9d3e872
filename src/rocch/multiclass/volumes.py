"""Dominated shares and volumes: G, delta, and hypervolume."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import BoolArray, FloatArray, IntArray
from rocch.errors import InputError, missing_extra
from rocch.inputs import as_flag, as_whole, check_length
from rocch.kernels import dominance
from rocch.kernels.bounds import clopper_pearson
from rocch.kernels.dominance import CappedCorners, TooMuchWork, packing, union_measure
from rocch.kernels.engine import engine_for
from rocch.multiclass.archive import LARGEST_SUM, as_count_rows, as_limits
from rocch.multiclass.confusion import Objectives, as_objectives
from rocch.results import Record

# How many coordinates are drawn at a time.
CELLS = 2**21


@dataclass(frozen=True, slots=True)
class Region:
    """The rates better than random allocation: between 0 and 1, with a sum of at most Q - 1."""

    classes: int
    objectives: Objectives

    @classmethod
    def of(cls, dimension: int, objectives: str, argument: str) -> Region:
        """Return the region of a number of objectives."""
        kind = as_objectives(objectives)
        classes = dimension if kind == "misses" else (1 + math.isqrt(1 + 4 * dimension)) // 2
        region = cls(classes, kind)
        if classes < 2 or region.dimension != dimension:
            columns = "two or more" if kind == "misses" else "2, 6, 12, ... Q(Q - 1)"
            raise InputError(
                argument,
                f"have {columns} columns for objectives={{expected}}",
                f"{dimension} columns",
                "Rates are all errors off the diagonal, row by row; misses are one for each class.",
                expected=repr(kind),
            )
        return region

    @property
    def dimension(self) -> int:
        """The number of objectives."""
        return self.classes if self.objectives == "misses" else self.classes * (self.classes - 1)

    @property
    def budget(self) -> int:
        """The largest sum of the rates."""
        return self.classes - 1

    @property
    def volume(self) -> Fraction:
        """The exact volume, by inclusion and exclusion of the simplex's corners beyond 1."""
        # Everson and Fieldsend's eq. 15 has the first two terms, which suffice up to three classes
        size, length = self.dimension, self.budget
        terms = ((-1) ** i * math.comb(size, i) * (length - i) ** size for i in range(length))
        return Fraction(sum(terms), math.factorial(size))

    @property
    def acceptance(self) -> float:
        """The share of draws that fall into the region."""
        return float(self.volume / min(self._simplex, Fraction(1)))

    def draw(self, samples: int, seed: int) -> Iterator[FloatArray]:
        """Draw points uniformly from the region, in parts with `samples` rows in all."""
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
        """Draw from the smaller of the simplex and the unit cube; reject outside the other."""
        if self._simplex > 1:
            points: FloatArray = rng.random((draws, self.dimension))
            inside = points.sum(axis=1) <= self.budget
        else:  # Dirichlet with all parameters 1, the last coordinate left out
            gaps = rng.standard_exponential((draws, self.dimension + 1))
            points = self.budget * gaps[:, :-1] / gaps.sum(axis=1, keepdims=True)
            inside = (points <= 1).all(axis=1)
        return np.asarray(points[inside])


def region_volume(classes: int, *, objectives: Objectives = "rates") -> Fraction:
    """Return the exact volume of the region below random allocation in the unit cube.

    Parameters
    ----------
    classes
        The number of classes Q.
    objectives
        "rates": all Q(Q - 1) error rates; "misses": the Q miss rates.

    Examples
    --------
    >>> import rocch
    >>> rocch.multiclass.region_volume(2), rocch.multiclass.region_volume(3)
    (Fraction(1, 2), Fraction(29, 360))
    >>> rocch.multiclass.region_volume(3, objectives="misses")
    Fraction(5, 6)
    """
    return Region(as_whole(classes, "classes", least=2), as_objectives(objectives)).volume


# The most terms of an exact share: some seconds, with thousands of members a minute.
MOST_TERMS = 4 * 10**6
# The most members of an exact share of more than two objectives.
MOST_MEMBERS = 10**4


def _exact_share(members: IntArray, limits: IntArray, region: Region) -> Fraction:
    """Return the share that members dominate; with two objectives the work has no limit."""
    most = math.inf if limits.size == 2 else MOST_TERMS
    corners = CappedCorners(limits, region.budget, most)
    try:
        if limits.size > 2 and len(members) > MOST_MEMBERS:
            raise TooMuchWork
        measure = union_measure(members, corners)
    except TooMuchWork:
        raise InputError(
            "exact",
            f"be False beyond {MOST_TERMS:,} terms or {MOST_MEMBERS:,} members",
            f"{len(members):,} members in {members.shape[1]} objectives, which take more",
            "Leave {exact} out: Monte Carlo gives the share with its standard error.",
        ) from None
    unit = corners.denominator**limits.size * math.factorial(limits.size)
    return Fraction(measure, unit) / region.volume


def _exact_difference(
    ours: IntArray, limits: IntArray, theirs: IntArray, rivals: IntArray, region: Region
) -> Fraction:
    """Return the share of both together less that of the other, on common totals."""
    multiples = list(map(math.lcm, limits.tolist(), rivals.tolist()))
    if sum(multiples) > LARGEST_SUM:
        raise InputError(
            "exact",
            "be False where common multiples of both sets' totals are too large to count in",
            f"multiples up to {max(multiples):,}",
            "Leave {exact} out: Monte Carlo needs no common multiples.",
        )
    common = np.array(multiples, dtype=np.int64)
    other = theirs * (common // rivals)
    both = np.concatenate([ours * (common // limits), other])
    return _exact_share(both, common, region) - _exact_share(other, common, region)


# Everson and Fieldsend (2006), section 5. Finitely many members dominate a staircase, not its hull:
# a single classifier with FPR 0.2 and TPR 0.6 has G = 0.16, while the Gini coefficient of the curve
# through it is 0.4.

CONFIDENCE = 0.95
# The most samples that memory is to hold.
MOST_SAMPLES = 10**8


@dataclass(frozen=True, slots=True, repr=False)
class DominatedShare(Record):
    """A share of the region below random allocation, exact or from samples.

    Attributes
    ----------
    value
        The share.
    standard_error
        The binomial standard error.
    low, high
        The 95% Clopper-Pearson interval.
    samples
        The number of points drawn; None if the share is exact.
    """

    value: float
    standard_error: float
    low: float
    high: float
    samples: int | None

    @classmethod
    def exact(cls, share: Fraction) -> DominatedShare:
        """Return an exact share."""
        return cls(float(share), 0.0, float(share), float(share), None)

    @classmethod
    def estimated(cls, dominated: BoolArray) -> DominatedShare:
        """Return the share of dominated samples, with its error."""
        hits, samples = np.array([np.count_nonzero(dominated)]), dominated.size
        low, high = clopper_pearson(hits, samples, CONFIDENCE)
        share = int(hits[0]) / samples
        error = math.sqrt(share * (1 - share) / samples)
        return cls(share, error, float(low[0]), float(high[0]), samples)

    def __str__(self) -> str:
        numbers = (self.value, self.standard_error, self.low, self.high)
        value, error, low, high = map(_format_share, numbers)
        if self.samples is None:
            return f"{value} (exact)"
        return f"{value} +- {error} (95% interval {low} to {high}, {self.samples:,} samples)"


def _format_share(share: float) -> str:
    return f"{share:.4f}" if share >= 0.00005 or not share else f"{share:.1e}"


class DominatedSamples:
    """Fixed points of the region, and which of them members dominate so far."""

    def __init__(
        self,
        totals: ArrayLike,
        *,
        objectives: Objectives = "rates",
        samples: int = 100_000,
        seed: int = 0,
    ) -> None:
        limits = as_limits(totals, "totals", least=1)
        region = Region.of(limits.size, objectives, "totals")
        hint = "10^5 give an error below 0.002."
        number = as_whole(samples, "samples", least=1, most=MOST_SAMPLES, hint=hint)
        self._packing = packing(limits)
        # a point is dominated by counts c if c <= x * total, and c is whole
        parts = [
            self._packing.pack(np.floor(points * limits).astype(np.int64))
            for points in region.draw(number, as_whole(seed, "seed", least=0))
        ]
        self._words = np.concatenate(parts)
        self._dominated = np.zeros(number, dtype=bool)
        self._pairs = 0

    def add(self, counts: ArrayLike) -> float:
        """Add members' counts (m, D); return the dominated share."""
        members = self._packing.pack(as_count_rows(counts, self._packing.limits, "counts"))
        rest = np.flatnonzero(~self._dominated)
        self._pairs += rest.size * len(members)
        find = engine_for(dominance, self._pairs).find_covering
        found = find(self._words[rest], members, self._packing.guards)
        self._dominated[rest[found >= 0]] = True
        return float(self._dominated.mean())

    @property
    def dominated(self) -> BoolArray:
        """Which points are dominated."""
        return self._dominated.copy()

    @property
    def share(self) -> DominatedShare:
        """The dominated share, with its error."""
        return DominatedShare.estimated(self._dominated)


def dominated_share(
    counts: ArrayLike,
    totals: ArrayLike,
    *,
    objectives: Objectives = "rates",
    samples: int = 100_000,
    seed: int = 0,
    exact: bool = False,
) -> DominatedShare:
    """Return G: the share of the region below random allocation that members dominate.

    The multi-class analogue of the Gini coefficient (Everson and Fieldsend, section 5).

    Parameters
    ----------
    counts
        The members' error counts (m, D).
    totals
        The number of rows of each objective; for rates each class's total, repeated.
    objectives
        "rates": all Q(Q - 1) errors, row by row; "misses": those of each class.
    samples, seed
        The number of points drawn from the region, and the seed.
    exact
        Whether to compute the exact volume, as always with two objectives.

    Examples
    --------
    >>> from rocch.multiclass import dominated_share
    >>> print(dominated_share([[2, 4]], [10, 10]))  # FPR 0.2, TPR 0.6
    0.1600 (exact)
    >>> three = [[1, 2, 0, 3, 1, 1], [3, 0, 1, 1, 0, 2]]
    >>> dominated_share(three, [10] * 6).samples
    100000
    >>> print(dominated_share(three, [10] * 6, exact=True))
    0.1286 (exact)
    """
    limits = as_limits(totals, "totals", least=1)
    region = Region.of(limits.size, objectives, "totals")
    members = _as_members(counts, limits, "counts")
    if as_flag(exact, "exact") or limits.size == 2:
        return DominatedShare.exact(_exact_share(members, limits, region))
    drawn = DominatedSamples(limits, objectives=objectives, samples=samples, seed=seed)
    drawn.add(members)
    return drawn.share


def exclusive_share(
    counts: ArrayLike,
    totals: ArrayLike,
    other: ArrayLike,
    other_totals: ArrayLike | None = None,
    *,
    objectives: Objectives = "rates",
    samples: int = 100_000,
    seed: int = 0,
    exact: bool = False,
) -> DominatedShare:
    """Return delta: the share of the region that members dominate and those of another set do not.

    Parameters
    ----------
    counts, totals, objectives, samples, seed, exact
        As for `dominated_share`.
    other, other_totals
        The other set; its totals are the same by default.

    Examples
    --------
    >>> from rocch.multiclass import exclusive_share
    >>> print(exclusive_share([[2, 4]], [10, 10], [[4, 2]]))
    0.1200 (exact)
    """
    limits = as_limits(totals, "totals", least=1)
    rivals = limits if other_totals is None else as_limits(other_totals, "other_totals", least=1)
    check_length(rivals.size, limits.size, "other_totals", "objectives")
    region = Region.of(limits.size, objectives, "totals")
    ours, theirs = _as_members(counts, limits, "counts"), _as_members(other, rivals, "other")
    if as_flag(exact, "exact") or limits.size == 2:
        return DominatedShare.exact(_exact_difference(ours, limits, theirs, rivals, region))
    masks = []
    for members, rows in ((ours, limits), (theirs, rivals)):
        drawn = DominatedSamples(rows, objectives=objectives, samples=samples, seed=seed)
        drawn.add(members)
        masks.append(drawn.dominated)
    return DominatedShare.estimated(masks[0] & ~masks[1])


def cube_volume(counts: ArrayLike, totals: ArrayLike) -> float:
    """Return the hypervolume: the volume of the unit cube that members dominate.

    Needs moocore (the `volumes` extra). Parameters are those of `dominated_share`.

    Examples
    --------
    >>> from rocch.multiclass import cube_volume
    >>> round(cube_volume([[2, 4]], [10, 10]), 12)
    0.48
    """
    limits = as_limits(totals, "totals", least=1)
    members = _as_members(counts, limits, "counts")
    try:
        import moocore
    except ImportError:
        raise missing_extra("volumes", "The volume of the cube") from None
    return float(moocore.hypervolume(members / limits, ref=np.ones(limits.size)))


def _as_members(counts: ArrayLike, limits: IntArray, argument: str) -> IntArray:
    members = as_count_rows(counts, limits, argument)
    if not len(members):
        raise InputError(argument, "hold at least one member", "none")
    return members
