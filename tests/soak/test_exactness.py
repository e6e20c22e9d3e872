"""Long runs of the property that matters most: every path gives the identical hull.

Not part of the ordinary tests. Run with: python -m pytest tests/soak
"""

from __future__ import annotations

import numpy as np
import pytest
from kernels.test_hull import KINDS, random_rows

from rocch.kernels import buckets, compiled, numpy_passes
from rocch.kernels.counting import distinct_counts
from rocch.kernels.hull import upper_hull

ROUNDS = 2000


@KINDS
def test_many_levels_few_buckets_many_threads(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(len(kind))
    for _ in range(ROUNDS):
        monkeypatch.setattr(buckets, "SORT_AT_ONCE", int(rng.choice([4, 8, 32])))
        monkeypatch.setattr(buckets, "SORT_REST", int(rng.choice([2, 8, 64])))
        monkeypatch.setattr(buckets, "SORT_SHARE", int(rng.choice([32, 1000])))
        monkeypatch.setattr(buckets, "ROWS_PER_BUCKET", int(rng.choice([2, 8])))
        monkeypatch.setattr(buckets, "MOST_BUCKETS", int(rng.choice([2, 5, 16, 64])))
        monkeypatch.setattr(compiled, "ROWS_PER_THREAD", int(rng.choice([30, 100, 10**6])))
        scores, positive = random_rows(rng, kind, int(rng.integers(20, 1500)))
        thresholds, fp, tp = distinct_counts(scores, positive)
        vertex = upper_hull(*(np.concatenate(([0], c)) for c in (fp, tp)))[1:] - 1
        lower = np.append(thresholds[1:], -np.inf)
        expected = thresholds[vertex], lower[vertex], fp[vertex], tp[vertex]
        for passes in (numpy_passes, compiled):
            got = buckets.hull_from_scores(scores, positive, passes)
            assert all(np.array_equal(a, b) for a, b in zip(got, expected, strict=True))


@KINDS
@pytest.mark.parametrize("size", [1_000_000, 3_000_000])
def test_millions_of_rows(kind: str, size: int) -> None:
    rng = np.random.default_rng(size + len(kind))
    scores, positive = random_rows(rng, kind, size)
    thresholds, fp, tp = distinct_counts(scores, positive)
    vertex = upper_hull(*(np.concatenate(([0], c)) for c in (fp, tp)))[1:] - 1
    for passes in (numpy_passes, compiled):
        got = buckets.hull_from_scores(scores, positive, passes)
        assert np.array_equal(got[0], thresholds[vertex])
        assert np.array_equal(got[2], fp[vertex])
        assert np.array_equal(got[3], tp[vertex])
