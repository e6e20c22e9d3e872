"""The oracle of limits against examples worked out by hand."""

from fractions import Fraction

from tests.support.oracles.limits import (
    chance_of_at_most,
    chance_of_breaking,
    most_errors,
    order_statistic,
    samples,
)

HALF = Fraction(1, 2)


def test_binomial_sums() -> None:
    assert chance_of_at_most(1, 3, HALF) == HALF
    assert chance_of_at_most(3, 3, Fraction(1, 3)) == 1
    assert most_errors(5, HALF, Fraction(1, 32)) == 0
    assert most_errors(5, HALF, Fraction(1, 33)) == -1


def test_the_walk_stops_before_the_first_failure() -> None:
    assert order_statistic([0, 0, 1, 2], 5, HALF, Fraction(1, 32)) == 2
    assert order_statistic([1, 0], 5, HALF, Fraction(1, 32)) == 0


def test_samples_have_all_the_chance() -> None:
    law = {"a": HALF, "b": Fraction(1, 3), "c": Fraction(1, 6)}
    found = list(samples(law, 4))
    assert len(found) == 15
    assert sum(chance for _, chance in found) == 1
    (only,) = [chance for counts, chance in found if counts == {"a": 2, "b": 1, "c": 1}]
    assert only == 12 * HALF**2 * Fraction(1, 3) * Fraction(1, 6)


def test_a_procedure_that_always_breaks() -> None:
    coin = {0: HALF, 1: HALF}
    assert chance_of_breaking((coin, 2), (coin, 1), lambda *_: True) == 1
    assert chance_of_breaking((coin, 2), (coin, 1), lambda n, _: n[0] == 2) == Fraction(1, 4)
