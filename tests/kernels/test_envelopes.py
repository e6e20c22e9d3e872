"""The partition by two envelopes is exact: the same as every line against every line."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rocch.kernels.envelopes import compare_envelopes, cut, positions, sign
from tests.support.oracles import hulls, losses

if TYPE_CHECKING:
    from collections.abc import Sequence

Counts = tuple[int, int]
HALF = Fraction(1, 2)


@st.composite
def two_hulls(draw: st.DrawFn) -> tuple[list[Counts], list[Counts]]:
    """Draw two hulls on the same totals, which often share points or segments."""
    negatives, positives = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    point = st.tuples(st.integers(0, negatives), st.integers(0, positives))
    shared = draw(st.lists(point, max_size=3))
    first, second = (
        hulls.hull([*shared, *draw(st.lists(point, max_size=4))], negatives, positives)
        for _ in range(2)
    )
    return first, second


def arrays(points: Sequence[Counts], kind: Any = np.int64) -> tuple[Any, Any]:
    x, y = zip(*points, strict=True)
    return np.array(x, dtype=kind), np.array(y, dtype=kind)


def found(first: Sequence[Counts], second: Sequence[Counts]) -> list[losses.Stretch]:
    """Return the kernel's partition of s = run / (run + rise), neighbors of one sign joined."""
    run, rise, better = compare_envelopes(arrays(first), arrays(second))
    edges = [
        Fraction(0),
        *(Fraction(int(r), int(r) + int(u)) for r, u in zip(run, rise, strict=True)),
    ]
    joined: list[losses.Stretch] = []
    for low, high, whose in zip(edges, [*edges[1:], Fraction(1)], better.tolist(), strict=True):
        if joined and joined[-1][2] == whose:
            joined[-1] = (joined[-1][0], high, whose)
        else:
            joined.append((low, high, whose))
    return joined


def wanted(first: Sequence[Counts], second: Sequence[Counts]) -> list[losses.Stretch]:
    """Take counts as rates on one common total, at prevalence 1/2: then c1 is the share of odds."""
    a, b = ([(Fraction(x), Fraction(y)) for x, y in points] for points in (first, second))
    shares = losses.turning_shares([*a, *b], HALF)
    return losses.partition(losses.envelope(a, HALF), losses.envelope(b, HALF), shares)


@given(two_hulls())
@example(([(0, 0), (1, 1)], [(0, 0), (0, 1), (1, 1)]))
@example(([(0, 0), (0, 1), (1, 1)], [(0, 0), (0, 1), (1, 1)]))
@example(([(0, 0), (2, 6), (10, 10)], [(0, 0), (1, 5), (3, 7), (10, 10)]))
def test_the_partition_is_that_of_every_line_against_every_line(
    pair: tuple[list[Counts], list[Counts]],
) -> None:
    assert found(*pair) == wanted(*pair)


@given(two_hulls())
def test_both_losses_are_equal_at_every_edge(pair: tuple[list[Counts], list[Counts]]) -> None:
    run, rise, _ = compare_envelopes(*map(arrays, pair))
    for r, u in zip(run.tolist(), rise.tolist(), strict=True):
        one, other = (min(u * x - r * y for x, y in points) for points in pair)
        assert one == other
        assert r > 0 < u


@given(two_hulls())
def test_swapping_the_hulls_swaps_the_signs(pair: tuple[list[Counts], list[Counts]]) -> None:
    there, back = compare_envelopes(*map(arrays, pair)), compare_envelopes(*map(arrays, pair[::-1]))
    assert there.better.tolist() == (-back.better).tolist()
    assert [Fraction(int(r), int(u)) for r, u in zip(*there[:2], strict=True)] == [
        Fraction(int(r), int(u)) for r, u in zip(*back[:2], strict=True)
    ]


@given(two_hulls(), st.sampled_from([1, 3, 2**31, 2**70]))
def test_counts_of_any_size_give_the_same_partition(
    pair: tuple[list[Counts], list[Counts]], factor: int
) -> None:
    large = [arrays([(factor * x, factor * y) for x, y in points], object) for points in pair]
    plain, scaled = compare_envelopes(*map(arrays, pair)), compare_envelopes(*large)
    assert plain.better.tolist() == scaled.better.tolist()
    same = [
        r * v == s * u
        for r, u, s, v in zip(
            *(column.tolist() for column in (*plain[:2], *scaled[:2])), strict=True
        )
    ]
    assert all(same)


def test_losses_that_touch_keep_an_edge_where_they_are_equal() -> None:
    first, second = [(0, 0), (2, 6), (10, 10)], [(0, 0), (1, 5), (3, 7), (10, 10)]
    run, rise, better = compare_envelopes(arrays(first), arrays(second))
    middle = better.tolist().index(-1)
    assert better[middle : middle + 2].tolist() == [-1, -1]
    assert run[middle] == rise[middle]


def test_odds_that_differ_less_than_doubles_can_tell_are_sorted_exactly() -> None:
    """Two turns whose shares are one double; each hull's own order alone does not settle them."""
    big = 2**60
    low, high = Fraction(big, big + 1), Fraction(big + 1, big + 2)
    assert float(low) == float(high)
    assert low < high
    first = [(0, 0), (big + 1, big + 2), (2 * big + 9, 2 * big + 3)]
    second = [(0, 0), (big, big + 1), (2 * big + 9, 2 * big + 3)]
    assert found(first, second) == wanted(first, second)
    assert found(second, first) == wanted(second, first)


def test_a_crossing_between_huge_counts_is_found_exactly() -> None:
    big = 2**61
    first = [(0, 0), (1, big // 2 + 1), (big, big)]
    second = [(0, 0), (big // 2 - 1, big - 1), (big, big)]
    stretches = found(first, second)
    assert stretches == wanted(first, second)
    assert [whose for *_, whose in stretches] == [0, 1, -1, 0]


def test_the_frozen_input_stays_as_it_was() -> None:
    first, second = arrays([(0, 0), (1, 3), (4, 4)]), arrays([(0, 0), (2, 4), (4, 4)])
    for column in (*first, *second):
        column.flags.writeable = False
    assert compare_envelopes(first, second).better.tolist() == [0, 1, -1]


@given(
    st.lists(st.tuples(st.integers(1, 2**70), st.integers(1, 2**70)), max_size=5),
    st.tuples(st.integers(1, 2**40), st.integers(1, 2**40)),
)
def test_positions_are_correctly_rounded(
    odds: list[tuple[int, int]], weights: tuple[int, int]
) -> None:
    run, rise = (np.array([pair[i] for pair in odds], dtype=object) for i in range(2))
    a, b = weights
    exact = [Fraction(r * a, r * a + u * b) for r, u in odds]
    assert positions(run, rise, weights).tolist() == [float(value) for value in exact]


@given(st.lists(st.tuples(st.integers(1, 2000), st.integers(1, 2000)), min_size=1))
def test_positions_of_small_counts_are_correctly_rounded_too(odds: list[tuple[int, int]]) -> None:
    run, rise = (np.array([pair[i] for pair in odds]) for i in range(2))
    exact = [float(Fraction(r * 7, r * 7 + u * 5)) for r, u in odds]
    assert positions(run, rise, (7, 5)).tolist() == exact


def test_signs_of_integers_of_any_size() -> None:
    assert sign(np.array([2**80, 0, -(2**80)], dtype=object)).tolist() == [1, 0, -1]


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1), st.integers(-1, 1)), min_size=1))
def test_cutting_loses_no_change_of_sign(signs: list[tuple[int, int, int]]) -> None:
    left, right, at = (np.array(column) for column in zip(*signs, strict=True))
    pieces = cut(left, right, at[:-1])
    walked = [int(pieces.sign[0])]
    for edge, after in zip(pieces.at.tolist(), pieces.sign[1:].tolist(), strict=True):
        walked += [edge, after]
    plain: list[int] = []
    for i, (one, other, edge) in enumerate(signs):
        inside = [one, 0, other] if one * other < 0 else [(one + other > 0) - (one + other < 0)]
        plain += inside + ([edge] if i + 1 < len(signs) else [])
    assert changes(walked) == changes(plain)
    assert all((before, edge) != (edge, after) for before, edge, after in triples(walked))


def changes(signs: list[int]) -> list[int]:
    """Return signs without repetition."""
    return signs[:1] + [after for before, after in pairwise(signs) if before != after]


def triples(signs: list[int]) -> list[tuple[int, int, int]]:
    return list(zip(signs[:-2:2], signs[1:-1:2], signs[2::2], strict=True))


@pytest.mark.parametrize("kind", [np.int64, object])
def test_equal_hulls_are_one_tie(kind: Any) -> None:
    points = arrays([(0, 0), (1, 5), (4, 9), (10, 10)], kind)
    run, rise, better = compare_envelopes(points, points)
    assert (run.size, rise.size, better.tolist()) == (0, 0, [0])
