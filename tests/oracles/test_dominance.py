"""The slow twins themselves, on cases that can be seen at a glance."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tests.support.oracles.dominance import corner_volume, coverer, front, insert, union_volume

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_a_front_by_hand() -> None:
    assert front([(2, 2), (1, 3), (2, 2), (3, 1), (3, 3), (1, 4)]) == [0, 1, 3]
    assert coverer((2, 2), [(3, 0), (1, 2), (0, 0)]) == 1
    assert coverer((2, 2), [(3, 0)]) == -1


def test_a_newcomer_throws_out_whom_it_dominates() -> None:
    members: dict[int, Sequence[int]] = {0: (2, 2), 1: (0, 5)}
    assert insert(members, 2, [(1, 2), (0, 5), (9, 9)]) == [0]
    assert members == {1: (0, 5), 2: (1, 2)}


def test_volumes_by_hand() -> None:
    assert corner_volume((0, 0), (1, 1), 1) == Fraction(1, 2)
    assert corner_volume((2, 4), (10, 10), 1) == Fraction(8, 100)
    assert corner_volume((5, 0, 0), (10, 1, 1), 3) == Fraction(1, 2)
    # two triangles of legs 0.4, whose corner in common has legs 0.2
    assert union_volume([(2, 4), (4, 2)], (10, 10), 1) == 2 * Fraction(8, 100) - Fraction(2, 100)
