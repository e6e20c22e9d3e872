"""What small pools alone do to the test of fit, on normal scores, where all else is as assumed.

Weeks are drawn from a pool with replacement. A pool differs by chance from the rows that the hull
was judged on, and more than the test reckons with: it knows of the week's own noise only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import norm

import rocch

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class Sizes:
    """Positives and negatives of the reference rows and of a half of the pool, and a week's rows.

    Attributes
    ----------
    auc
        How well the scores tell the classes apart.
    """

    reference: tuple[int, int]
    half: tuple[int, int]
    rows: int
    auc: float

    @property
    def prevalence(self) -> float:
        """The usual share of positives."""
        return self.reference[0] / sum(self.reference)


def refusals(sizes: Sizes, times: int) -> dict[str, Any]:
    """Return which weeks are refused, from a pool of the given size and from an endless one."""
    rng = np.random.default_rng(0)
    found = [_refused(rng, sizes) for _ in range(times)]
    return dict(zip(("pool", "endless"), np.array(found).T, strict=True))


def _refused(rng: np.random.Generator, sizes: Sizes) -> tuple[bool, bool]:
    curve = rocch.RocCurve.from_scores(*scored(rng, sizes.reference, sizes.auc), name="normal")
    positives = int(rng.binomial(sizes.rows, sizes.prevalence))
    week = positives, sizes.rows - positives
    positive, pool = scored(rng, sizes.half, sizes.auc)
    drawn = [
        rng.choice(pool[positive == kind], size)
        for kind, size in zip((True, False), week, strict=True)
    ]
    batches = np.concatenate(drawn), scored(rng, week, sizes.auc)[1]
    first, second = (rocch.estimate_prevalence(curve, batch).rejected for batch in batches)
    return first, second


def scored(
    rng: np.random.Generator, size: tuple[int, int], auc: float
) -> tuple[BoolArray, FloatArray]:
    """Draw classes and normal scores with a given AUC."""
    positive = np.arange(sum(size)) < size[0]
    return positive, rng.normal(size=positive.size) + np.sqrt(2) * norm.ppf(auc) * positive
