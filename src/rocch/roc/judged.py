"""On what a curve or hull was judged: how many rows of each class, and which."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rocch.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rocch.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class Judged:
    """The rows behind a curve: totals of both classes, in units, and a print of their labels."""

    negatives: int
    positives: int
    unit: float = 1.0
    """What one count is worth: 1 for plain rows; see `kernels.weights` for weighted ones."""
    weighted: bool = False
    rows: bytes | None = None
    """A fingerprint of the labels in their order (and of the weights); None if unknown."""
    pooled: bool = False
    """Whether the totals are common multiples of those of different rows, not counts of any."""

    @property
    def prevalence(self) -> float:
        """The observed share of positives."""
        if self.pooled:
            raise InputError(
                "prevalence must be named where classifiers were judged on different rows; "
                "'observed' has no meaning there. Pass a number or an interval."
            )
        return self.positives / (self.positives + self.negatives)

    @property
    def total(self) -> float:
        """All rows, or their weight."""
        return (self.positives + self.negatives) * self.unit

    def amount(self, count: int) -> float:
        """Return what a count stands for: so many rows, or their weight."""
        return count if self.unit == 1 else count * self.unit

    def rates(self, false_positives: IntArray, true_positives: IntArray) -> tuple[FloatArray, ...]:
        """Return counts as rates, each correctly rounded."""
        pairs = ((false_positives, self.negatives), (true_positives, self.positives))
        if self.negatives < 2**53 and self.positives < 2**53:
            return tuple(np.asarray(counts / total, dtype=float) for counts, total in pairs)
        return tuple(np.array([int(c) / total for c in counts]) for counts, total in pairs)

    def slopes(self, false_positives: IntArray, true_positives: IntArray) -> FloatArray:
        """Return the slopes of the segments between points, each correctly rounded."""
        runs, rises = np.diff(false_positives).tolist(), np.diff(true_positives).tolist()
        return np.array(
            [
                rise * self.negatives / (run * self.positives) if run else np.inf
                for run, rise in zip(runs, rises, strict=True)
            ]
        )


def fingerprint(positive: BoolArray, weights: IntArray | None = None) -> bytes:
    """Return a short print of labels (and weights) in their order."""
    digest = hashlib.blake2b(np.packbits(positive).tobytes(), digest_size=16)
    digest.update(positive.size.to_bytes(8, "big"))
    if weights is not None:
        digest.update(weights.tobytes())
    return digest.digest()


def common_ground(
    sets: Sequence[Judged], *, different_rows: bool
) -> tuple[Judged, list[tuple[int, int]]]:
    """Return what all were judged on, and the factors that bring each one's counts to it.

    The factors are whole numbers, for negatives and for positives. Curves judged on different rows
    have no common counts and are refused; if that is asked for explicitly, all are brought to the
    least common multiples of their totals, which keeps their rates exactly.
    """
    first = sets[0]
    prints = {judged.rows for judged in sets} - {None}
    totals = {(judged.negatives, judged.positives, judged.unit) for judged in sets}
    if len(totals) == 1 and (len(prints) <= 1 or different_rows):
        shared = prints.pop() if len(prints) == 1 else None
        pooled = any(judged.pooled for judged in sets)
        return replace(first, rows=shared, pooled=pooled), [(1, 1)] * len(sets)
    if not different_rows:
        raise InputError(_why_different(sets, totals))
    negatives = math.lcm(*(judged.negatives for judged in sets))
    positives = math.lcm(*(judged.positives for judged in sets))
    weighted = any(judged.weighted for judged in sets)
    factors = [(negatives // own.negatives, positives // own.positives) for own in sets]
    return Judged(negatives, positives, weighted=weighted, pooled=True), factors


def _why_different(sets: Sequence[Judged], totals: set[tuple[int, int, float]]) -> str:
    if len(totals) > 1:
        seen = sorted({f"{j.positives * j.unit:.9g} positives of {j.total:.9g}" for j in sets})
        kinds = "" if len({j.weighted for j in sets}) == 1 else " (some are weighted, some are not)"
        what = "on different rows: " + "; ".join(seen) + kinds
    else:
        what = "on rows whose labels (or weights) differ or come in a different order"
    return (
        f"curves must be judged on the same rows; these were judged {what}. "
        "Score all classifiers on one set of rows in one order, or pass different_rows=True "
        "if you accept to compare rates from different rows."
    )
