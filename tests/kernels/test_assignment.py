"""Assignments of least expected cost against exact rationals, and both engines bit by bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels import _numba as compiled_assignment
from rocch.kernels import assignment
from tests.support.oracles.assignments import least_cost as exact
from tests.support.oracles.assignments import least_cost_in_doubles

if TYPE_CHECKING:
    from types import ModuleType

    from rocch.arrays import FloatArray, IntArray

ENGINES = [assignment, compiled_assignment]


@st.composite
def small_wholes(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Draw posteriors in eighths and whole costs, which doubles hold and add exactly."""
    classes, rows = draw(st.integers(2, 5)), draw(st.integers(1, 6))
    eighths = st.lists(st.integers(0, 8), min_size=classes * rows, max_size=classes * rows)
    size = classes * classes * rows
    costs = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    posteriors = np.array(draw(eighths), dtype=float).reshape(rows, classes) / 8
    return posteriors, np.array(costs, dtype=float).reshape(rows, classes, classes)


def drawn(
    rows: int, classes: int, draws: int, seed: int
) -> tuple[FloatArray, IntArray, FloatArray]:
    rng = np.random.default_rng(seed)
    posteriors = rng.dirichlet(np.ones(classes), rows)
    return posteriors, rng.integers(0, classes, rows), rng.random((draws, classes, classes))


@pytest.mark.parametrize("engine", ENGINES)
@given(small_wholes())
def test_each_row_gets_the_first_of_the_cheapest_answers(
    engine: ModuleType, given_: tuple[FloatArray, FloatArray]
) -> None:
    posteriors, costs = given_
    wanted = [exact(p, c) for p, c in zip(posteriors.tolist(), costs.tolist(), strict=True)]
    assert engine.least_cost(posteriors, costs).tolist() == wanted
    for_all = [exact(p, costs[0].tolist()) for p in posteriors.tolist()]
    assert engine.least_cost(posteriors, costs[0]).tolist() == for_all


@pytest.mark.parametrize("engine", ENGINES)
def test_ties_go_to_the_first_class(engine: ModuleType) -> None:
    even = np.full((2, 3), 1 / 3)
    assert engine.least_cost(even, np.ones((3, 3)) - np.eye(3)).tolist() == [0, 0]
    assert engine.least_cost(even, np.array([[9.0, 1, 1]] * 3)).tolist() == [1, 1]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_sums_are_taken_in_order_without_contraction(engine: ModuleType, classes: int) -> None:
    posteriors, _, draws = drawn(300, classes, 20, seed=classes)
    for costs in draws:
        wanted = [least_cost_in_doubles(p, costs.tolist()) for p in posteriors.tolist()]
        assert engine.least_cost(posteriors, costs).tolist() == wanted


@pytest.mark.parametrize("engine", ENGINES)
def test_near_ties_are_decided_as_doubles_added_in_order_decide_them(engine: ModuleType) -> None:
    rng = np.random.default_rng(5)
    posteriors = np.tile(rng.dirichlet(np.ones(4)), (500, 1))
    costs = rng.random((500, 4, 1)) * np.ones((1, 1, 4))
    costs[:, :, 1:] *= 1 + rng.integers(-2, 3, (500, 4, 3)) * 2.0**-52
    wanted = [
        least_cost_in_doubles(p, c)
        for p, c in zip(posteriors.tolist(), costs.tolist(), strict=True)
    ]
    assert len(set(wanted)) == 4
    assert engine.least_cost(posteriors, costs).tolist() == wanted


@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_alone_is_answered_as_in_a_batch(engine: ModuleType) -> None:
    posteriors, _, draws = drawn(101, 5, 3, seed=1)
    for costs in draws:
        batch = engine.least_cost(posteriors, costs)
        alone = [engine.least_cost(posteriors[i : i + 1], costs)[0] for i in range(101)]
        assert batch.tolist() == alone


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("rows", "classes", "draws"), [(300, 3, 100), (1, 2, 5), (9000, 4, 3)])
def test_draws_are_counted_as_their_assignments_say(
    engine: ModuleType, rows: int, classes: int, draws: int
) -> None:
    posteriors, truths, costs = drawn(rows, classes, draws, seed=rows)
    for array in (posteriors, truths, costs):
        array.flags.writeable = False
    counts = engine.count_draws(posteriors, truths, costs, classes)
    assert counts.dtype == np.int64
    for each, matrix in zip(costs, counts, strict=True):
        wanted = np.zeros((classes, classes), dtype=int)
        np.add.at(wanted, (truths, assignment.least_cost(posteriors, each)), 1)
        assert np.array_equal(matrix, wanted)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_draws_make_no_counts(engine: ModuleType) -> None:
    posteriors, truths, costs = drawn(4, 3, 0, seed=0)
    assert engine.count_draws(posteriors, truths, costs, 3).shape == (0, 3, 3)


def test_threads_count_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    posteriors, truths, costs = drawn(50, 3, 101, seed=7)
    alone = compiled_assignment.count_draws(posteriors, truths, costs, 3)
    monkeypatch.setattr(compiled_assignment, "PREDICTIONS_PER_THREAD", 100)
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert np.array_equal(compiled_assignment.count_draws(posteriors, truths, costs, 3), alone)
