"""The oracle of cost space against a small example worked out by hand."""

from fractions import Fraction
from typing import TypeAlias

from tests.support.oracles.cost_space import breakpoints, height, lines, lowest, probability_cost

F: TypeAlias = Fraction

# One point, 1 of 4 false and 4 of 5 true positives: from (0, 1/4) to (1, 1/5).
LINES = sorted(lines([(1, 4)], 4, 5))


def test_lines_of_a_point_and_of_the_trivial_ends() -> None:
    assert [(F(0), F(1)), (F(1, 4), F(1, 5)), (F(1), F(0))] == LINES
    assert height(LINES[1], F(1, 2)) == F(9, 40)


def test_the_envelope_and_where_it_breaks() -> None:
    # Against never: 1/4 - x/20 = x; against always: 1/4 - x/20 = 1 - x.
    assert breakpoints(LINES) == [F(5, 21), F(15, 19)]
    assert [lowest(LINES, x) for x in (F(0), F(1, 10), F(1, 2), F(9, 10), F(1))] == [
        0, F(1, 10), F(9, 40), F(1, 10), 0
    ]  # fmt: skip


def test_lines_above_the_envelope_break_nothing() -> None:
    dominated = sorted({*LINES, (F(1, 2), F(1, 2))})
    assert breakpoints(dominated) == breakpoints(LINES)


def test_probability_cost_by_hand() -> None:
    # A quarter positives; a miss costs 6 - 2 more than a hit, a false alarm 2 - 1 more than none.
    assert probability_cost(F(1, 4), F(2), F(6), F(2), F(1)) == F(4, 7)
    assert probability_cost(F(1, 6), F(3), F(3), F(0), F(0)) == F(1, 6)
