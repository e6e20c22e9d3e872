"""Long runs of the property that matters most: every path gives the identical hull.

Not part of the ordinary tests. Run with: python -m pytest tests/soak
"""

from __future__ import annotations

import numpy as np
import pytest

from rocch.kernels import _numba as compiled
from rocch.kernels import passes as numpy_passes
from rocch.kernels import readers, refine
from tests.kernels.test_hull import KINDS, assert_exact, random_rows

ROUNDS = 2000


@KINDS
def test_many_levels_few_buckets_many_threads(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(len(kind))
    for _ in range(ROUNDS):
        few = int(rng.choice([4, 8, 32]))
        monkeypatch.setattr(refine, "SORT_AT_ONCE", few)
        monkeypatch.setattr(refine, "FETCH", few)
        monkeypatch.setattr(refine, "SORT_SHARE", 1 / int(rng.choice([32, 1000])))
        monkeypatch.setattr(refine, "ROWS_PER_PIECE", int(rng.choice([2, 8])))
        monkeypatch.setattr(refine, "MOST_BUCKETS", int(rng.choice([2, 5, 16, 64])))
        monkeypatch.setattr(readers, "COPY_SHARE", 1 / int(rng.choice([1, 4, 1000])))
        monkeypatch.setattr(compiled, "ROWS_PER_THREAD", int(rng.choice([30, 100, 10**6])))
        monkeypatch.setattr(compiled, "ROWS_PER_BUCKET", 0)
        scores, positive = random_rows(rng, kind, int(rng.integers(20, 1500)))
        for passes in (numpy_passes, compiled):
            assert_exact(scores, positive, passes)


@KINDS
@pytest.mark.parametrize("size", [1_000_000, 3_000_000])
def test_millions_of_rows(kind: str, size: int) -> None:
    rng = np.random.default_rng(size + len(kind))
    scores, positive = random_rows(rng, kind, size)
    for passes in (numpy_passes, compiled):
        assert_exact(scores, positive, passes)
