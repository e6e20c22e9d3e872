import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch import Conditions, ExpectedCost, InputError, MinimaxRegret, NeymanPearson
from rocch.roc import Knob
from rocch.roc.asked import Asked
from rocch.service.aims import CONDITIONS, CRITERION, Aim

KNOWN = {"prevalence": 0.1, "false_positive": 1, "false_negative": 25}


def test_exact_costs_ask_for_the_least_expected_cost() -> None:
    known = Conditions(prevalence=0.1, false_positive=1, false_negative=25)
    assert Aim.of(KNOWN).criterion() == ExpectedCost(known)


def test_intervals_ask_for_the_safest_choice() -> None:
    criterion = Aim.of({**KNOWN, "false_negative": [5, 10]}).criterion()
    assert isinstance(criterion, MinimaxRegret)


def test_limits_and_the_knob() -> None:
    assert Aim.of(None, {"max_fpr": 0.05}).criterion() == NeymanPearson(0.05)
    assert Aim.of(criterion={"knob": 0.4}).criterion() == Knob(0.4)
    both = Aim.of(KNOWN, {"max_fpr": 0.05}).criterion()
    assert len(both.limits) == 1


def test_the_same_words_are_one_aim_in_any_order_and_number_type() -> None:
    one = Aim.of({"prevalence": 0.1, "false_positive": 1, "false_negative": 25})
    other = Aim.of({"false_negative": 25.0, "false_positive": [1, 1.0], "prevalence": 0.1})
    assert one == other
    assert hash(one) == hash(other)
    assert one.criterion() is other.criterion()


def test_none_means_that_nothing_was_said() -> None:
    assert not Aim.of({"prevalence": None}, {})
    assert not Aim.of(randomize=True)
    assert Aim.of({"prevalence": 0.5})
    assert Aim.of({}).to_dict() == {"conditions": None, "criterion": None, "randomize": False}


def test_words_say_it_plainly() -> None:
    aim = Aim.of({**KNOWN, "prevalence": [0.1, 0.2]}, {"max_fpr": 0.05}, randomize=True)
    said = "prevalence 0.1..0.2, false positive 1, false negative 25, max fpr 0.05"
    assert aim.words == said + ", a coin may be tossed"


def test_words_as_they_are_typed() -> None:
    typed = Aim.from_texts({"prevalence": "0.1..0.2", "false_positive": "1", "max_fpr": "0.05"})
    assert typed == Aim.of({"prevalence": (0.1, 0.2), "false_positive": 1}, {"max_fpr": 0.05})
    assert Aim.from_texts({"maximize": "f1"}).to_dict()["criterion"] == {"maximize": "f1"}
    assert Aim.from_texts({"prevalence": "observed"}) == Aim.of({"prevalence": "observed"})


def test_a_ratio_may_be_open_above() -> None:
    typed = Aim.from_texts({"cost_ratio": "1..inf", "prevalence": "0.1", "false_positive": "1"})
    assert typed == Aim.of(KNOWN | {"false_negative": None}, {"cost_ratio": [1, "inf"]})
    assert typed.to_dict()["criterion"] == {"cost_ratio": [1.0, "inf"]}
    assert Aim.of(**_parts(typed)) == typed


def test_what_was_asked_on_a_command_line() -> None:
    asked = Asked(prevalence=(0.1, 0.1), false_positive=(1, 1), false_negative=(5, 10))
    assert Aim.from_asked(asked) == Aim.of({**KNOWN, "false_negative": [5, 10]})


@pytest.mark.parametrize(
    ("conditions", "criterion", "argument", "said"),
    [
        ({**KNOWN, "prevalence": "often"}, None, "prevalence", "observed"),
        ({**KNOWN, "prevalence": 2}, None, "prevalence", "from 0 to 1"),
        ({**KNOWN, "prevalence": True}, None, "prevalence", "a finite number"),
        ({**KNOWN, "prevalence": math.nan}, None, "prevalence", "a finite number"),
        ({**KNOWN, "false_positive": math.inf}, None, "false_positive", "a finite number"),
        ({**KNOWN, "false_positive": 10**400}, None, "false_positive", "a finite number"),
        ({**KNOWN, "false_positive": -1}, None, "false_positive", "not negative"),
        ({**KNOWN, "false_positive": [1, 2, 3]}, None, "false_positive", "interval of two"),
        ({**KNOWN, "false_positive": [2, 1]}, None, "false_positive", "from low to high"),
        ({**KNOWN, "false_positive": [1, None]}, None, "false_positive", "interval of two"),
        ({**KNOWN, "false_positive": [math.nan, 1]}, None, "false_positive", "interval of two"),
        ({**KNOWN, "false_positive": {}}, None, "false_positive", "interval of two"),
        ({**KNOWN, "false_positive": "x" * 500}, None, "false_positive", "xxx ..."),
        ({"costs": 1}, None, "costs", "known word"),
        (None, {"max_fpr": [0.1, 0.2]}, "max_fpr", "a finite number"),
        (None, {"max_fpr": 1.5}, "max_fpr", "from 0 to 1"),
        (None, {"knob": 1.5}, "position", "from 0 to 1"),
        (KNOWN, {"knob": 0.5}, "knob", "stand alone"),
        (None, {"maximize": "joy"}, "maximize", "known name"),
        (None, {"maximize": 3}, "maximize", "a text such as"),
        (None, {"cost_ratio": ["inf", "inf"]}, "cost_ratio", "interval"),
    ],
)
def test_what_makes_no_sense_is_refused(
    conditions: Any, criterion: Any, argument: str, said: str
) -> None:
    with pytest.raises(InputError, match=said) as refused:
        Aim.of(conditions, criterion).criterion()
    assert refused.value.argument == argument
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize("text", ["", "x", "1..2..3", "1...2", "nan", "1..", "inf", "2..1"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        Aim.from_texts({"false_positive": text})
    assert refused.value.argument == "false_positive"


def test_unknown_words_are_named() -> None:
    with pytest.raises(InputError, match="'fpr'") as refused:
        Aim.from_texts({"fpr": "0.1"})
    assert refused.value.argument == "fpr"


numbers = st.floats(0, 1e6)
words = st.one_of(numbers, st.tuples(numbers, numbers).map(sorted))


@given(st.dictionaries(st.sampled_from(CONDITIONS), words), st.booleans())
def test_an_aim_goes_through_json_unchanged(conditions: dict[str, Any], randomize: bool) -> None:
    aim = Aim.of(conditions, randomize=randomize)
    assert Aim.of(**_parts(aim)) == aim


def test_all_words_are_those_that_can_be_asked() -> None:
    assert {*CONDITIONS, *CRITERION} == {*Asked.__dataclass_fields__, "knob"}


def _parts(aim: Aim) -> dict[str, Any]:
    return aim.to_dict()


@pytest.mark.parametrize("ratio", ["cost_ratio", "inverse_cost_ratio"])
@pytest.mark.parametrize("value", [["inf", "inf"], [5, "infinity"], [None, 5], "inf", [5, 6, 7]])
def test_ratios_say_that_they_may_be_open_above(ratio: str, value: Any) -> None:
    with pytest.raises(InputError, match=r'which may be "inf"; got .* For example: \[5, "inf"\]'):
        Aim.of(None, {ratio: value})


def test_a_bound_of_a_belief_is_named_by_the_word_that_said_it() -> None:
    words = {"prevalence": 0.1, "false_positive": 1}
    with pytest.raises(InputError, match=r"^cost_ratio must keep a miss within") as refused:
        Aim.of(words, {"cost_ratio": [5, 1e300]}).criterion()
    assert refused.value.argument == "cost_ratio"
    with pytest.raises(InputError, match=r"^likely must") as refused:
        Aim.of(words, {"cost_ratio": [5, 10], "likely": 50}).criterion()
    assert refused.value.argument == "likely"
