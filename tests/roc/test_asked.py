from typing import Any

import pytest

from rocch import (
    Capacity,
    Conditions,
    Constrained,
    ExpectedCost,
    InputError,
    LeastExpectedRegret,
    Maximize,
    MinimaxRegret,
    MinimumTpr,
    NeymanPearson,
    PredictedPositiveLimit,
)
from rocch.errors import Vocabulary
from rocch.roc.asked import Asked, simplify_interval


def test_exact_costs_are_least_expected_cost() -> None:
    known = Conditions(prevalence=0.1, false_positive=1, false_negative=5)
    asked = Asked(prevalence=0.1, false_positive=1, false_negative=5)
    assert asked.criterion == ExpectedCost(known)
    assert asked.conditions == known


def test_interval_costs_are_minimax_regret() -> None:
    listed: Any = [5, 10]
    asked = Asked(negatives_per_positive=4, false_positive=1, false_negative=listed)
    vague = Conditions(prevalence=0.2, false_positive=1, false_negative=(5, 10))
    assert asked.criterion == MinimaxRegret(vague)
    assert hash(asked) == hash(
        Asked(negatives_per_positive=4, false_positive=1, false_negative=(5, 10))
    )


def test_a_belief_needs_a_unit_and_a_balance() -> None:
    asked = Asked(prevalence=0.1, false_positive=20, cost_ratio=(5, 10), likely=9)
    assert isinstance(asked.criterion, LeastExpectedRegret)
    assert asked.conditions is None
    with pytest.raises(InputError, match="one cost as its unit"):
        _ = Asked(prevalence=0.1, cost_ratio=(5, 10)).criterion
    with pytest.raises(InputError, match="be given beside a belief"):
        _ = Asked(false_positive=1, cost_ratio=(5, 10)).criterion


def test_limits_alone_and_beside_costs() -> None:
    assert Asked(max_fpr=0.05).criterion == NeymanPearson(0.05)
    both = Asked(max_fpr=0.05, min_tpr=0.5).criterion
    assert both == Constrained(NeymanPearson(0.05), MinimumTpr(0.5))
    costs = Asked(prevalence=0.1, false_positive=1, false_negative=5, max_share=0.2).criterion
    known = Conditions(prevalence=0.1, false_positive=1, false_negative=5)
    assert costs == Constrained(known, PredictedPositiveLimit(0.2, prevalence=0.1))


def test_a_capacity_out_of_a_population() -> None:
    asked = Asked(capacity=100, population=1000, prevalence=0.25)
    assert asked.criterion == Capacity(100, positives=250, negatives=750)
    with pytest.raises(InputError, match="population must be a finite number above 0"):
        _ = Asked(capacity=100, population=-1.0, prevalence=0.25).criterion


def test_a_prevalence_of_zero_is_not_the_observed_one() -> None:
    assert Asked(maximize="tpr").criterion == Maximize("tpr", prevalence="observed")
    assert Asked(maximize="tpr", prevalence=0.0).criterion == Maximize("tpr", prevalence=0.0)


WRONG = [
    ({"prevalence": 0.1}, "be given with .* to have an effect"),
    ({"likely": 3.0, "max_fpr": 0.1}, "likely must be given with .* to have an effect"),
    (
        {
            "prevalence": 0.1,
            "negatives_per_positive": 9,
            "false_positive": 1,
            "false_negative": 1,
        },
        "got both",
    ),
    ({"prevalence": 0.1, "false_positive": 1}, "false_negative must be given with"),
    ({"prevalence": 0.1, "false_negative": 1}, "false_positive must be given with"),
    ({"capacity": 3}, "capacity must be given with positives and negatives"),
    ({"cost_ratio": 3, "inverse_cost_ratio": 4}, "got both"),
    ({"max_share": 0.1}, "max_share must be given with the class balance"),
    ({"max_share": 0.1, "prevalence": (0.1, 0.2)}, "be one number"),
    ({}, "state what you know"),
]


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_what_makes_no_sense_is_refused(words: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        _ = Asked(**words).criterion  # type: ignore[arg-type]


class Shouting(Vocabulary):
    def name(self, argument: str) -> str:
        return argument.upper()


def test_an_error_can_be_worded_as_the_user_typed() -> None:
    with pytest.raises(InputError) as refused:
        _ = Asked(prevalence=0.1, false_positive=1).criterion
    assert refused.value.to_text(Shouting()) == (
        "FALSE_NEGATIVE must be given with FALSE_POSITIVE; got none."
    )


def test_equal_bounds_are_one_number() -> None:
    values = (None, "observed", 0.1, (0.1, 0.1), (0.1, 0.2))
    assert [simplify_interval(each) for each in values] == [None, "observed", 0.1, 0.1, (0.1, 0.2)]
