"""Trials run both sides once each, in an order that a seeded coin draws."""

from __future__ import annotations

from rocch.hybrid.climb import Evidence, Sides, Trial


def test_both_sides_are_run_in_a_drawn_order() -> None:
    firsts = [Trial(round=i).next_side(7) for i in range(200)]
    assert firsts == [Trial(round=i).next_side(7) for i in range(200)]
    assert firsts != [Trial(round=i).next_side(8) for i in range(200)]
    assert 70 < firsts.count(-1) < 130
    for start in (Trial(round=i) for i in range(10)):
        first = start.next_side(7)
        assert start.add(first, 5, 1).next_side(7) == -first


def test_costs_of_one_side_are_pooled_and_compared_per_case() -> None:
    trial = Trial().add(-1, 10, 5).add(-1, 20, 5)
    assert not trial.is_complete
    trial = trial.add(1, 200, 100)
    assert trial.is_complete
    assert trial.difference == 3 - 2


def test_a_finished_trial_speaks_for_the_cheaper_side() -> None:
    following, said = Trial().add(-1, 3, 1).add(1, 1, 1).finish()
    assert said == Sides(Evidence(-1, 1), Evidence(1, 1))
    assert following == Trial(1, compared=1, squares=4)
    _, said = following.add(-1, 0, 1).add(1, 4, 1).finish()
    assert said.left.total > 1  # larger than typical
    assert said.left.variance == said.left.total**2
    assert following.restart() == Trial(2, compared=1, squares=4)


def test_equal_costs_say_nothing() -> None:
    _, said = Trial().add(-1, 3, 1).add(1, 3, 1).finish()
    assert said == Sides()
