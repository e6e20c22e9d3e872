"""Losses at the implied threshold: jumps at scores and crossings in between, all exact."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rocch.kernels.counting import distinct_counts
from rocch.kernels.envelopes import CurveCounts, compare_implied
from tests.support.oracles import losses

if TYPE_CHECKING:
    from rocch.kernels.envelopes import Signs

PROBABILITIES = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 0.1, 0.9, 5e-324, 1 - 2**-53]),
    st.floats(0, 1),
)
ROUNDED = Fraction(32, 2**53)
"""Edges are doubles, so that on shorter stretches a sixteenth may lie on the wrong side of one."""

Rows = tuple[list[bool], list[float], list[float]]


@st.composite
def judged_twice(draw: st.DrawFn) -> Rows:
    labels = draw(st.permutations([*draw(st.lists(st.booleans(), max_size=6)), True, False]))
    first, second = (
        draw(st.lists(PROBABILITIES, min_size=len(labels), max_size=len(labels))) for _ in range(2)
    )
    return labels, first, second


def scored(labels: list[bool], scores: list[float]) -> CurveCounts:
    found: Any = distinct_counts(np.array(scores), np.array(labels))
    return CurveCounts(found[0], np.append(0, found[1]), np.append(0, found[2]))


def compared(rows: Rows, prevalence: float) -> Signs:
    labels, first, second = rows
    return compare_implied(
        scored(labels, first),
        scored(labels, second),
        negatives=labels.count(False),
        positives=labels.count(True),
        prevalence=prevalence,
    )


def oracle(rows: Rows, prevalence: float) -> tuple[losses.Loss, losses.Loss]:
    labels, *scores = rows
    p = Fraction(prevalence)
    first, second = (
        losses.implied([(y, Fraction(s)) for y, s in zip(labels, column, strict=True)], p)
        for column in scores
    )
    return first, second


def sign_at(rows: Rows, prevalence: float, share: Fraction) -> int:
    first, second = (loss(share) for loss in oracle(rows, prevalence))
    return (first < second) - (first > second)


@given(judged_twice(), st.sampled_from([0.5, 0.1, 0.9, 1e-9]))
@example(([True, False], [0.5, 0.5], [0.5, 0.5]), 0.5)
@example(([True, False], [1.0, 0.0], [0.0, 1.0]), 0.1)
@example(([False, True], [5e-324, 5e-324], [0.0, 0.0]), 0.5)
def test_signs_are_those_of_the_losses_everywhere(rows: Rows, prevalence: float) -> None:
    """Compare with the definition at every edge, in every middle, and at every score."""
    edges, better, at = compared(rows, prevalence)
    assert (np.diff(edges) > 0).all()
    assert (edges[0], edges[-1]) == (0, 1)
    exact = [Fraction(edge) for edge in edges.tolist()]
    for low, high, sign in zip(exact, exact[1:], better.tolist(), strict=False):
        for weight in (1, 7, 15) if high - low > ROUNDED else ():
            share = low + (high - low) * Fraction(weight, 16)
            assert sign_at(rows, prevalence, share) == sign
    assert (at[0], at[-1]) == tuple(sign_at(rows, prevalence, Fraction(end)) for end in (0, 1))


@given(judged_twice(), st.sampled_from([0.5, 0.25]))
def test_at_a_score_the_row_alarms_already(rows: Rows, prevalence: float) -> None:
    edges, _, at = compared(rows, prevalence)
    representable = {1 - s for s in (*rows[1], *rows[2]) if Fraction(1 - s) == 1 - Fraction(s)}
    for edge, sign in zip(edges.tolist(), at.tolist(), strict=True):
        if edge in representable:
            assert sign == sign_at(rows, prevalence, Fraction(edge))


@given(judged_twice())
def test_swapping_swaps_the_signs(rows: Rows) -> None:
    labels, first, second = rows
    there, back = compared(rows, 0.3), compared((labels, second, first), 0.3)
    assert there.edges.tolist() == back.edges.tolist()
    assert there.better.tolist() == (-back.better).tolist()
    assert there.at.tolist() == (-back.at).tolist()


def test_a_crossing_between_two_jumps_has_its_place() -> None:
    """From c = 0.2 to 0.8, one has FPR 1/2 and TPR 1, the other FPR 0 and TPR 1/2: equal at 1/2."""
    labels = [True, True, False, False]
    rows = (labels, [0.8, 0.8, 0.8, 0.1], [0.8, 0.1, 0.1, 0.1])
    edges, better, at = compared(rows, 0.5)
    assert edges.tolist() == [0, 1 - 0.8, 0.5, 1 - 0.1, 1]
    assert better.tolist() == [0, -1, 1, 0]
    assert at.tolist() == [0, -1, 0, 0, 0]


def test_a_doubtful_sign_is_decided_in_fractions() -> None:
    """A crossing exactly at a score: floats leave 0.1 x 3 against 0.3 in doubt."""
    labels = [True] * 3 + [False]
    rows = (labels, [0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.0, 0.0])
    edges, better, _ = compared(rows, 0.75)
    assert edges.tolist() == [0, 0.75, 1]
    assert better.tolist() == [0, 1]


@pytest.mark.parametrize("prevalence", [0.1, 1 / 3])
def test_nothing_is_said_where_nothing_differs(prevalence: float) -> None:
    edges, better, at = compared(([True, False], [0.3, 0.7], [0.3, 0.7]), prevalence)
    assert (edges.tolist(), better.tolist(), at.tolist()) == ([0, 1], [0], [0, 0])
