"""Questions: what they mean, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rocch
from rocch import Constrained
from rocch.report.question import MissCosts, Question, Range

HULL = rocch.RocHull.from_scores([0, 0, 1, 0, 1, 1], {"m": [1, 2, 3, 4, 5, 6]})


def test_numbers_become_ranges() -> None:
    asked: Any = Question(prevalence=0.1, false_positive=(1, 2), belief=[1, 2, 3])  # type: ignore[arg-type]
    assert asked.prevalence == Range(0.1, 0.1)
    assert asked.false_positive == Range(1.0, 2.0)
    assert asked.false_negative == Range(1.0, 1.0)
    assert asked.belief == MissCosts(1.0, 2.0, 3.0)
    assert all(isinstance(number, float) for number in (*asked.prevalence, *asked.belief))


@pytest.mark.parametrize(
    ("asked", "exact", "limited"),
    [
        ({}, True, False),
        ({"false_negative": (1, 2)}, False, False),
        ({"prevalence": (0.1, 0.2)}, False, False),
        ({"belief": (2, 2, 2)}, False, False),
        ({"max_fpr": 0.1}, True, True),
        ({"capacity": 5, "population": 50}, True, True),
    ],
)
def test_what_is_known(asked: Any, exact: bool, limited: bool) -> None:
    question = Question(**{"prevalence": 0.1, **asked})
    assert (question.exact, question.limited) == (exact, limited)


def test_conditions_and_beliefs_are_stated_in_the_houses_words() -> None:
    exact = Question(prevalence=0.1, false_positive=2, false_negative=6)  # type: ignore[arg-type]
    assert exact.stated() == rocch.Conditions(prevalence=0.1, false_positive=2, false_negative=6)
    believed = Question(prevalence=(0.1, 0.2), false_positive=3, belief=(1, 2, 5))  # type: ignore[arg-type]
    belief = believed.stated()
    assert isinstance(belief, rocch.Belief)
    corners = {
        (c.prevalence, c.false_positive, round(c.false_negative, 9)) for c in belief.corners()
    }
    assert corners == {(0.1, 3, 3), (0.1, 3, 15), (0.2, 3, 3), (0.2, 3, 15)}


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ({}, "ExpectedCost"),
        ({"false_negative": (1, 2)}, "MinimaxRegret"),
        ({"belief": (1, 2, 3)}, "LeastExpectedRegret"),
        ({"max_fpr": 0.1}, "Constrained"),
        ({"max_fpr": 0.1, "goal": "hits"}, "Constrained"),
    ],
)
def test_the_criterion_is_of_its_kind(asked: Any, kind: str) -> None:
    assert type(Question(**{"prevalence": 0.1, **asked}).criterion()).__name__ == kind


def test_a_capacity_must_do_at_either_end_of_the_prevalence() -> None:
    asked = Question(prevalence=(0.1, 0.4), goal="hits", capacity=20, population=100, max_fpr=0.3)  # type: ignore[arg-type]
    criterion = asked.criterion()
    assert isinstance(criterion, Constrained)
    found = {(limit.tpr, limit.fpr, limit.at_most) for limit in criterion.limits}
    assert found - {(0, 1, 1)} == {(0, 1, 0.3), (10, 90, 20), (40, 60, 20)}


def test_hits_are_made_many_and_costs_not_looked_at() -> None:
    cheap, dear = (
        Question(prevalence=0.1, false_positive=cost, goal="hits", max_fpr=0.4)  # type: ignore[arg-type]
        for cost in (1, 1000)
    )
    assert HULL.best(cheap.criterion()) == HULL.best(dear.criterion())
    assert HULL.best(cheap.criterion()).tpr == 1


NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"prevalence": 0}, "prevalence must lie between 0 and 1, both excluded; got 0 to 0"),
        ({"prevalence": 1}, "prevalence must lie between 0 and 1"),
        ({"prevalence": (0.5, 1)}, "prevalence must lie between 0 and 1"),
        ({"prevalence": -0.1}, "prevalence must lie between 0 and 1"),
        ({"prevalence": (0.2, 0.1)}, "prevalence must"),
        ({"prevalence": NAN}, "prevalence must be a number or an interval"),
        ({"prevalence": "observed"}, "prevalence must be a number or an interval"),
        ({"false_positive": -1}, "false_positive must be a finite number, not negative"),
        ({"false_negative": INF}, "false_negative must be a finite number"),
        ({"false_negative": (2, 1)}, "false_negative must"),
        ({"false_negative": 1e101}, r"must cost at most 1e\+100; got 1e\+101"),
        ({"false_positive": 0, "false_negative": 0}, "not both be free of cost"),
        ({"false_positive": (0, 1), "false_negative": (0, 1)}, "not both be free of cost"),
        ({"belief": 5}, r"belief must be \(low, likely, high\)"),
        ({"belief": "1,2"}, r"belief must be \(low, likely, high\)"),
        ({"belief": (1, 2)}, r"belief must be \(low, likely, high\).*got \(1, 2\)"),
        ({"belief": (1, "2", 3)}, "belief must be a finite number, not negative; got '2'"),
        ({"belief": (1, None, 3)}, "belief must be a finite number, not negative; got None"),
        ({"belief": (1, NAN, 3)}, "belief must be a finite number"),
        ({"belief": (1, 2, INF)}, "belief must be a finite number"),
        ({"belief": (-1, 2, 3)}, "belief must be a finite number, not negative"),
        ({"belief": (3, 2, 1)}, "belief must run from low"),
        ({"belief": (1, 5, 3)}, "belief must run from low"),
        ({"belief": (1, 2, 1e10)}, "high must keep a miss within"),
        ({"belief": (1, 2, 3), "false_positive": 0}, "false_positive must be .* above 0"),
        ({"goal": "profit"}, "goal must be one of 'cost', 'hits'"),
        ({"goal": "hits"}, "goal must be 'cost' where there is no limit"),
        ({"max_fpr": 5}, "max_fpr must be a number from 0 to 1; got 5"),
        ({"max_fpr": "5 %"}, "max_fpr must be a number from 0 to 1"),
        ({"capacity": 5}, "capacity, population must come together"),
        ({"population": 5}, "capacity, population must come together"),
        ({"capacity": -1, "population": 5}, "capacity must be a finite number, not negative"),
        ({"capacity": 1, "population": 0}, "population must be more than 0"),
        ({"capacity": 1, "population": INF}, "population must be a finite number"),
        ({"randomize": "yes"}, "randomize must be True or False"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(asked: Any, says: str) -> None:
    with pytest.raises(rocch.InputError, match=says):
        Question(**{"prevalence": 0.1, **asked})
