"""The climb finds the best setting, follows it when it moves, and stays where nothing speaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.hybrid import Knob
from rocch.hybrid.climb import NOTHING, Climb, Evidence, Sides, State, Stride, TunerOptions
from rocch.hybrid.knob import positions
from tests.support.scored import normal_model
from tests.support.strategies import judged_table

MODEL = normal_model()
PROOF = 60.0  # so much evidence that it always decides


def perfect_feedback(climb: Climb, state: State, cost: Any) -> Sides:
    """Return overwhelming evidence for or against each neighbor, by its true cost."""
    here = cost(climb.point(state.knob))
    sides = []
    for way in (-1, 1):
        beside = climb.beside(state, way)
        better = beside is not None and cost(climb.point(beside)) < here
        sides.append(NOTHING if beside is None else Evidence(PROOF if better else -PROOF, 10.0))
    return Sides(*sides)


def climbed(climb: Climb, state: State, cost: Any, steps: int) -> State:
    for _ in range(steps):
        state = climb.weighed(state, perfect_feedback(climb, state, cost)).state
    return state


@given(judged_table(), st.floats(0, 1), st.floats(0.01, 100))
def test_with_perfect_feedback_the_best_vertex_is_found(
    table: Any, start: float, slope: float
) -> None:
    hull = rocch.RocHull.from_scores(*table)
    climb = Climb(hull, TunerOptions())
    state = State(climb.placed(Knob(start)).position, Stride(0.1, 0.001, 0.2))

    def cost(point: Any) -> float:
        return float(slope * point.fpr - point.tpr)

    state = climbed(climb, state, cost, 60)
    best = min(cost(vertex) for vertex in hull)
    assert cost(climb.point(state.knob)) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("slope", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("start", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("randomize", [False, True])
def test_it_comes_within_the_least_step_and_follows_a_drift(
    slope: float, start: float, randomize: bool
) -> None:
    hull = MODEL.hull_
    climb = Climb(hull, TunerOptions(randomize=randomize))
    state = State(climb.placed(Knob(start)).position, Stride(0.1, 0.02, 0.2))
    for current in (slope, slope * 3, slope / 3):
        cost = hull.fpr * current - hull.tpr
        state = climbed(climb, state, lambda p, m=current: m * p.fpr - p.tpr, 40)
        best = positions(hull)[np.argmin(cost)]
        assert abs(state.position - best) <= 0.02


def test_a_move_starts_the_evidence_anew_and_says_why() -> None:
    climb = Climb(MODEL.hull_, TunerOptions())
    state = State(climb.placed(Knob(0.5)).position)
    step = climb.weighed(state, Sides(left=Evidence(PROOF, 1)))
    assert step.moved < 0
    assert step.state.position == state.position + step.moved
    assert step.state.sides == Sides()
    assert step.state.stride.last == -1
    assert step.sides.left.total == PROOF
    assert step.why.startswith("evidence ")
    assert step.why.endswith(", 40 needed")


def test_at_an_end_it_stays_and_says_so() -> None:
    climb = Climb(MODEL.hull_, TunerOptions())
    for position, sides, end in (
        (0.0, Sides(left=Evidence(PROOF, 1)), "left"),
        (1.0, Sides(right=Evidence(PROOF, 1)), "right"),
    ):
        step = climb.weighed(State(position), sides)
        assert step.moved == 0
        assert step.why == f"the knob is at its {end} end"


def test_a_window_starts_one_side_anew_and_both_shorten_the_stride() -> None:
    climb = Climb(MODEL.hull_, TunerOptions(window=20))
    state = State(climb.placed(Knob(0.5)).position)
    before = state.stride.step
    state = climb.weighed(state, Sides(left=Evidence(1, 25), right=Evidence(2, 5))).state
    assert state.sides == Sides(right=Evidence(2, 5))
    assert state.settled == (-1,)
    assert state.stride.step == before
    state = climb.weighed(state, Sides(left=Evidence(1, 5), right=Evidence(-60, 5))).state
    assert state.sides == Sides()
    assert state.settled == ()
    assert state.stride.step == before / 2


def test_at_an_end_one_side_is_enough_to_shorten_the_stride() -> None:
    climb = Climb(MODEL.hull_, TunerOptions())
    state = climb.weighed(State(0.0), Sides(right=Evidence(-60, 5))).state
    assert state.stride.step == State(0.0).stride.step / 2


def test_by_hand_it_turns_as_far_as_the_hull_goes() -> None:
    bounds = rocch.Conditions(prevalence=0.5, false_positive=(1, 2), false_negative=1)
    small = MODEL.hull_.within(bounds)
    known = [positions(small)[i] for i in small.best_between(*bounds.slope_range)]
    climb = Climb(small, TunerOptions())
    state = State(float(known[0]), sides=Sides(left=Evidence(3, 3)))
    step = climb.turned(state, 1.0, "audit")
    assert step.state.position == known[-1]
    assert step.state.sides == Sides()
    assert step.why == "audit"
    assert climb.beside(step.state, 1) is None


def test_only_with_probing_another_setting_is_run() -> None:
    state = State(Climb(MODEL.hull_, TunerOptions()).placed(Knob(0.5)).position)
    assert Climb(MODEL.hull_, TunerOptions()).setting(state) == state.knob
    probing = Climb(MODEL.hull_, TunerOptions(probe=True))
    assert probing.setting(state) in probing.pair(state).values()
    assert probing.setting(state) != state.knob
    assert probing.pair(State(0.0))[-1] == Knob(0)


def test_evidence_far_beyond_what_is_needed_is_not_written_out() -> None:
    climb = Climb(MODEL.hull_, TunerOptions())
    state = State(climb.placed(Knob(0.5)).position)
    step = climb.weighed(state, Sides(left=Evidence(1000 * PROOF, 1)))
    assert step.why == "evidence more than 1,000, 40 needed"
    strict = Climb(MODEL.hull_, TunerOptions(alpha=1e-4))
    step = strict.weighed(state, Sides(left=Evidence(1000 * PROOF, 1)))
    assert step.why == "evidence more than 20,000, 2e+04 needed"
