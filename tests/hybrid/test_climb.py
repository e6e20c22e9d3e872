"""The climb finds the best setting, follows it when it moves, and stays where nothing speaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.hybrid.climb import NOTHING, Climb, Evidence, Sides, State
from rocch.roc import Knob
from rocch.roc.knob import positions
from tests.support.scored import normal_model
from tests.support.strategies import judged_table

MODEL = normal_model()
PROOF = 60.0  # so much evidence that it always decides


def perfect_feedback(climb: Climb, state: State, cost: Any) -> Sides:
    """Return overwhelming evidence for or against each neighbor, by its true cost."""
    here = cost(climb.operating_point(state.knob))
    sides = []
    for way in (-1, 1):
        neighbor = climb.neighbor(state, way)
        better = neighbor is not None and cost(climb.operating_point(neighbor)) < here
        sides.append(NOTHING if neighbor is None else Evidence(PROOF if better else -PROOF, 10.0))
    return Sides(*sides)


def climbed(climb: Climb, state: State, cost: Any, steps: int) -> State:
    for _ in range(steps):
        state, _, _ = climb.weigh(state, perfect_feedback(climb, state, cost))
    return state


@given(judged_table(), st.floats(0, 1), st.floats(0.01, 100))
def test_with_perfect_feedback_the_best_vertex_is_found(
    table: Any, start: float, slope: float
) -> None:
    hull = rocch.RocHull.from_scores(*table)
    climb = Climb(hull=hull, least_step=0.001)
    state = climb.start(Knob(start))

    def cost(point: Any) -> float:
        return float(slope * point.fpr - point.tpr)

    state = climbed(climb, state, cost, 60)
    best = min(cost(vertex) for vertex in hull)
    assert cost(climb.operating_point(state.knob)) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("slope", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("start", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("randomize", [False, True])
def test_it_comes_within_the_least_step_and_follows_a_drift(
    slope: float, start: float, randomize: bool
) -> None:
    hull = MODEL.hull_
    climb = Climb(hull=hull, randomize=randomize)
    state = climb.start(Knob(start))
    for current in (slope, slope * 3, slope / 3):
        cost = hull.fpr * current - hull.tpr
        state = climbed(climb, state, lambda p, m=current: m * p.fpr - p.tpr, 40)
        best = positions(hull)[np.argmin(cost)]
        assert abs(state.position - best) <= 0.02


def test_a_move_starts_the_evidence_anew_and_says_why() -> None:
    climb = Climb(hull=MODEL.hull_)
    state = climb.start(Knob(0.5))
    after, evidence, why = climb.weigh(state, Sides(left=Evidence(PROOF, 1)))
    assert after.position < state.position
    assert after.evidence == Sides()
    assert after.last_way == -1
    assert evidence.left.total == PROOF
    assert why.startswith("evidence ")
    assert why.endswith(", 40 needed")


def test_at_an_end_it_stays_and_says_so() -> None:
    climb = Climb(hull=MODEL.hull_)
    for position, sides, end in (
        (0.0, Sides(left=Evidence(PROOF, 1)), "fewest alarms"),
        (1.0, Sides(right=Evidence(PROOF, 1)), "most alarms"),
    ):
        after, _, why = climb.weigh(State(position, 0.1), sides)
        assert after.position == position
        assert why == f"the knob is at the end with the {end}"


def test_a_window_starts_one_side_anew_and_both_shorten_the_step() -> None:
    climb = Climb(hull=MODEL.hull_, window=20)
    state = climb.start(Knob(0.5))
    before = state.step
    state, _, _ = climb.weigh(state, Sides(left=Evidence(1, 25), right=Evidence(2, 5)))
    assert state.evidence == Sides(right=Evidence(2, 5))
    assert state.settled == (-1,)
    assert state.step == before
    state, _, _ = climb.weigh(state, Sides(left=Evidence(1, 5), right=Evidence(-60, 5)))
    assert state.evidence == Sides()
    assert state.settled == ()
    assert state.step == before / 2


def test_at_an_end_one_side_is_enough_to_shorten_the_step() -> None:
    climb = Climb(hull=MODEL.hull_)
    state, _, _ = climb.weigh(State(0.0, 0.1), Sides(right=Evidence(-60, 5)))
    assert state.step == 0.05


def test_by_hand_it_turns_as_far_as_the_hull_goes() -> None:
    bounds = rocch.Conditions(prevalence=0.5, false_positive=(1, 2), false_negative=1)
    small = MODEL.hull_.within(bounds)
    known = [positions(small)[i] for i in small.best_between(*bounds.slope_range)]
    climb = Climb(hull=small)
    state = State(float(known[0]), 0.1, evidence=Sides(left=Evidence(3, 3)))
    after = climb.turn(state, 1.0)
    assert after.position == known[-1]
    assert after.evidence == Sides()
    assert climb.neighbor(after, 1) is None


def test_only_with_probing_another_setting_is_run() -> None:
    state = Climb(hull=MODEL.hull_).start(Knob(0.5))
    assert Climb(hull=MODEL.hull_).setting(state) == state.knob
    probing = Climb(hull=MODEL.hull_, probe=True)
    assert probing.setting(state) in probing.neighbors(state).values()
    assert probing.setting(state) != state.knob
    assert probing.neighbors(State(0.0, 0.1))[-1] == Knob(0)


def test_evidence_far_beyond_what_is_needed_is_not_written_out() -> None:
    climb = Climb(hull=MODEL.hull_)
    state = climb.start(Knob(0.5))
    _, _, why = climb.weigh(state, Sides(left=Evidence(1000 * PROOF, 1)))
    assert why == "evidence more than 1,000, 40 needed"
    strict = Climb(hull=MODEL.hull_, alpha=1e-4)
    _, _, why = strict.weigh(state, Sides(left=Evidence(1000 * PROOF, 1)))
    assert why == "evidence more than 20,000, 2e+04 needed"


def test_the_step_doubles_on_the_way_and_halves_on_reversal() -> None:
    climb = Climb(hull=MODEL.hull_, randomize=True, most_step=0.3)
    left, right = Sides(left=Evidence(PROOF, 1)), Sides(right=Evidence(PROOF, 1))
    state, steps = climb.start(Knob(0.1)), []
    for sides in (right, right, right, left):
        state, _, _ = climb.weigh(state, sides)
        steps.append((state.step, state.last_way))
    assert steps == [(0.1, 1), (0.2, 1), (0.3, 1), (0.15, -1)]


def test_the_step_halves_when_calm_down_to_its_least() -> None:
    climb = Climb(hull=MODEL.hull_, randomize=True)
    state, _, _ = climb.weigh(climb.start(Knob(0.5)), Sides(left=Evidence(PROOF, 1)))
    steps = []
    for _ in range(4):
        state, _, _ = climb.weigh(state, Sides(Evidence(-PROOF, 5), Evidence(-PROOF, 5)))
        steps.append(state.step)
    assert steps == [0.05, 0.025, 0.02, 0.02]
    assert state.last_way == -1


@pytest.mark.parametrize(
    "steps", [(0.1, 0.2, 0.3), (0.1, 0.05, 0.09), (0.1, 0, 0.2), (0.1, -1, 0.2), (2, 1, 3), ("a",)]
)
def test_unusable_steps_are_refused(steps: Any) -> None:
    names = ("step", "least_step", "most_step")
    with pytest.raises(rocch.InputError, match="step must"):
        Climb(hull=MODEL.hull_, **dict(zip(names, steps, strict=False)))
