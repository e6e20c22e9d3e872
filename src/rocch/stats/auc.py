"""The AUCs of several models on the same rows, and how they vary and vary together.

DeLong, DeLong and Clarke-Pearson (1988) for independent rows; Obuchowski ("Nonparametric analysis
of clustered ROC curve data", Biometrics 53, 1997) where rows come in groups. Rows on their own are
groups of one, so both are one formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rocch.errors import UndefinedError
from rocch.kernels.exact import exact_products
from rocch.kernels.placements import twice_placements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import FloatArray, IntArray
    from rocch.compare.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class AucMoments:
    """AUCs and their covariance, as exact fractions.

    Exact, because differences of nearly equal numbers decide here: two models that rank alike must
    have a difference whose variance is 0 and not 1e-18, in any order of the rows.
    """

    models: tuple[str, ...]
    aucs: tuple[Fraction, ...]
    covariance: tuple[tuple[Fraction, ...], ...]
    units: tuple[int, int]
    """How many independent units hold negatives, and positives: rows, or groups."""

    def contrast(self, first: int, second: int) -> tuple[Fraction, Fraction]:
        """Return the difference of two models' AUCs and its variance."""
        cov = self.covariance
        variance = cov[first][first] + cov[second][second] - 2 * cov[first][second]
        return self.aucs[first] - self.aucs[second], variance

    @property
    def matrix(self) -> FloatArray:
        """The covariance matrix in doubles, read-only."""
        matrix = np.array([[float(entry) for entry in row] for row in self.covariance])
        matrix.flags.writeable = False
        return matrix


class _Side(NamedTuple):
    """One class: per unit, the sum of twice the placements by model, and the number of rows."""

    placements: IntArray
    rows: IntArray

    @property
    def units(self) -> int:
        return int(np.count_nonzero(self.rows))


def auc_moments(sample: Sample) -> AucMoments:
    """Return AUCs and covariance of all models of a sample; labels count as scores 0 and 1."""
    columns = [np.asarray(scores, dtype=np.float64) for scores in sample.models.values()]
    sides = _sides(sample, [twice_placements(scores, sample.positive) for scores in columns])
    _check_units(sides, grouped=sample.groups is not None)
    pairs = 2 * int(sides[0].rows.sum()) * int(sides[1].rows.sum())
    won = [int(row.sum()) for row in sides[1].placements]  # at most `pairs`, far below 2^63
    return AucMoments(
        tuple(sample.models),
        tuple(Fraction(count, pairs) for count in won),
        _covariance(*sides, won, both=sample.groups is not None),
        (sides[0].units, sides[1].units),
    )


def _check_units(sides: tuple[_Side, _Side], *, grouped: bool) -> None:
    for side, kind in zip(sides, ("negative", "positive"), strict=True):
        if side.units < 2:
            raise UndefinedError(
                f"the variance of an AUC is undefined with all {kind} rows in one group; groups "
                "that hold them must be at least two. Judge rows of more groups."
                if grouped
                else f"the variance of an AUC is undefined with a single {kind} row; it takes at "
                "least two rows of each class. Judge more rows."
            )


def _sides(sample: Sample, placements: Sequence[tuple[IntArray, IntArray]]) -> tuple[_Side, _Side]:
    """Gather negatives and positives by unit: as they are, or summed over each group."""
    negatives, positives = (np.stack(side) for side in zip(*placements, strict=True))
    if sample.groups is None:
        ones = (np.ones(side.shape[1], dtype=np.int64) for side in (negatives, positives))
        return _Side(negatives, next(ones)), _Side(positives, next(ones))
    count = int(sample.groups.max()) + 1
    groups = sample.groups[~sample.positive], sample.groups[sample.positive]
    sides = []
    for side, group in zip((negatives, positives), groups, strict=True):
        # bincount adds in doubles, exactly while a group's sum stays below 2^53
        sums = [np.bincount(group, row, minlength=count).astype(np.int64) for row in side]
        sides.append(_Side(np.stack(sums), np.bincount(group, minlength=count)))
    return sides[0], sides[1]


def _covariance(
    negative: _Side, positive: _Side, won: list[int], *, both: bool
) -> tuple[tuple[Fraction, ...], ...]:
    """Add up the parts of both classes, and of groups that hold both."""
    n, m = int(negative.rows.sum()), int(positive.rows.sum())
    i01, i10, count = negative.units, positive.units, negative.rows.size
    total = _part(negative, negative, won, Fraction(i01, (i01 - 1) * n**2))
    total += _part(positive, positive, won, Fraction(i10, (i10 - 1) * m**2))
    if both:
        shared = _part(negative, positive, won, Fraction(count, (count - 1) * n * m))
        total += shared + shared.T
    return tuple(tuple(entry / (2 * n * m) ** 2 for entry in row) for row in total)


def _part(one: _Side, other: _Side, won: list[int], factor: Fraction) -> IntArray:
    """Return factor x sums over units of products of deviations, in units of twice a pair.

    A unit's deviation is T x (its placements) - (its rows) x (all placements), with T the rows of
    its class: what it has more than its share. The product is multiplied out, so that only whole
    sums are needed.
    """
    left = np.vstack((*one[:1], one.rows))
    right = left if other is one else np.vstack((*other[:1], other.rows))
    sums = exact_products(left, right)
    t, u = int(one.rows.sum()), int(other.rows.sum())
    total = np.array(won, dtype=object)
    products = (
        t * u * sums[:-1, :-1]
        - t * np.outer(sums[:-1, -1], total)
        - u * np.outer(total, sums[-1, :-1])
        + sums[-1, -1] * np.outer(total, total)
    )
    part: IntArray = products * factor
    return part
