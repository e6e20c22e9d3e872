"""Rows counted into buckets against a dictionary, and both engines bit by bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels import _numba as compiled_tallies
from rocch.kernels import passes as tallies
from rocch.kernels.cuts import advised_grid

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from rocch.arrays import FloatArray
    from rocch.kernels.cuts import CutGrid

ENGINES = [tallies, compiled_tallies]


def signed(rng: np.random.Generator, powers: FloatArray) -> FloatArray:
    signs: FloatArray = rng.choice([-1.0, 1.0], powers.size)
    return signs * 10.0**powers


SHAPES: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "even": lambda rng, size: rng.random(size),
    "normal": lambda rng, size: rng.normal(size=size),
    "lopsided": lambda rng, size: rng.exponential(size=size) ** 6,
    "both signs": lambda rng, size: signed(rng, rng.uniform(-9, 9, size)),
    "wide": lambda rng, size: signed(rng, rng.uniform(-300, 300, size)),
    "tiny": lambda rng, size: rng.integers(-99, 99, size).astype(float) * 5e-324,
    "one": lambda _, size: np.full(size, 0.25),
}


def grid_of(shape: str, buckets: int) -> tuple[CutGrid, FloatArray]:
    scores = SHAPES[shape](np.random.default_rng(3), 2000)
    return advised_grid(scores[:500], float(scores.min()), float(scores.max()), buckets), scores


@pytest.mark.parametrize("buckets", [8, 300])
@pytest.mark.parametrize("shape", SHAPES)
def test_both_engines_place_scores_alike_and_in_order(shape: str, buckets: int) -> None:
    grid, scores = grid_of(shape, buckets)
    beyond = [-np.inf, np.inf, 0.0, -0.0, -1e308, 1e308, grid.low, grid.high]
    every = np.sort(np.concatenate((scores, beyond, grid.knots, np.nextafter(grid.knots, -np.inf))))
    plain = tallies.grid_buckets(every, grid)
    np.testing.assert_array_equal(compiled_tallies.grid_buckets(every, grid), plain)
    assert (np.diff(plain) >= 0).all()
    assert plain[0] == 0  # minus infinity lies below the grid
    assert plain[-1] == grid.buckets - 1
    assert tallies.grid_buckets(scores, grid).min() >= 1
    assert tallies.grid_buckets(scores, grid).max() <= grid.buckets - 2


@pytest.mark.parametrize("engine", ENGINES)
@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 4), st.floats(allow_nan=False), st.booleans()), max_size=8
        ),
        max_size=4,
    )
)
def test_batches_add_up(engine: ModuleType, batches: list[list[tuple[int, float, bool]]]) -> None:
    counted = tallies.empty_tallies(5)
    for batch in batches:
        bucket, scores, positive = zip(*batch, strict=True) if batch else ((), (), ())
        engine.add_rows(
            counted,
            np.array(bucket, dtype=np.int64),
            np.array(scores, dtype=float),
            np.array(positive, dtype=bool),
        )
    rows = [row for batch in batches for row in batch]
    for place, (number, hits, low, high) in enumerate(counted.tolist()):
        mine = [row for row in rows if row[0] == place]
        assert number == len(mine)
        assert hits == sum(row[2] for row in mine)
        assert low == min((row[1] for row in mine), default=np.inf)
        assert high == max((row[1] for row in mine), default=-np.inf)


@pytest.mark.parametrize("engine", ENGINES)
@given(st.lists(st.integers(0, 3)), st.lists(st.booleans(), min_size=4, max_size=4))
def test_marked_buckets_are_found(engine: ModuleType, bucket: list[int], marks: list[bool]) -> None:
    found = engine.find_marked(np.array(bucket, dtype=np.int64), np.array(marks))
    assert found.tolist() == [row for row, place in enumerate(bucket) if marks[place]]
