"""One question for all surfaces: what it means, how it is written, read and refused."""

import dataclasses
import json
import math
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rocch
from rocch import (
    Capacity,
    Conditions,
    Constrained,
    CostLimit,
    ErrorRate,
    ExpectedCost,
    InputError,
    LeastExpectedRegret,
    Maximize,
    MinimaxRegret,
    MinimumPrecision,
    MinimumTpr,
    NeymanPearson,
    PredictedPositiveLimit,
    Question,
)
from rocch.numbers import parse_interval
from rocch.roc import Interval, Knob
from rocch.roc.criteria import METRICS
from rocch.roc.question_fields import QuestionField
from rocch.roc.question_table import METRIC_NAMES

RNG = np.random.default_rng(3)
Y = RNG.random(400) < 0.3
HULL = rocch.RocHull.from_scores(
    Y, {"nb": RNG.normal(size=400) + 1.5 * Y, "gbm": RNG.normal(size=400) + Y}
)
KNOWN = Conditions(prevalence=0.1, false_positive=1, false_negative=5)


def test_exact_costs_are_least_expected_cost() -> None:
    question = Question(prevalence=0.1, false_positive=1, false_negative=5)
    assert question.criterion == ExpectedCost(KNOWN)
    assert question.conditions == KNOWN
    assert question.is_exact


def test_interval_costs_are_minimax_regret() -> None:
    listed: Any = [5, 10]
    question = Question(negatives_per_positive=4, false_positive=1, false_negative=listed)
    vague = Conditions(prevalence=0.2, false_positive=1, false_negative=(5, 10))
    assert question.criterion == MinimaxRegret(vague)
    assert not question.is_exact
    same = Question(negatives_per_positive=(4, 4), false_positive=1, false_negative=(5, 10))
    assert question == same
    assert hash(question) == hash(same)


def test_the_class_balance_is_that_of_the_rows_unless_stated() -> None:
    costs = Question(false_positive=1, false_negative=5)
    stated = Question(prevalence="observed", false_positive=1, false_negative=5)
    assert costs.criterion == stated.criterion
    assert HULL.best(costs).mix == HULL.best(costs.resolve(HULL.totals)).mix
    assert costs.resolve(HULL.totals).prevalence == HULL.totals.prevalence


def test_a_belief_without_a_unit_takes_a_false_alarm_as_1() -> None:
    bare = Question(cost_ratio=(5, 10), prevalence=0.2)
    assert isinstance(bare.criterion, LeastExpectedRegret)
    assert bare.conditions is None
    one = Question(cost_ratio=(5, 10), prevalence=0.2, false_positive=1)
    twenty = Question(cost_ratio=(5, 10), prevalence=0.2, false_positive=20)
    costs = [HULL.best(each).expected_cost for each in (bare, one, twenty)]
    assert costs[0] == costs[1] == pytest.approx((costs[2] or 0) / 20)


def test_no_most_likely_value_is_invented() -> None:
    question = Question(cost_ratio=(5, 10), prevalence=0.2)
    expected = rocch.Belief.cost_ratio(5, 10).with_unit(false_positive=1).with_prevalence(0.2)
    assert question.belief is not None
    assert str(question.belief) == str(expected)
    assert "likely" not in question.describe()
    best = HULL.best(LeastExpectedRegret(expected))
    assert HULL.best(question).value == best.value


def test_a_belief_without_end_needs_the_miss_as_its_unit() -> None:
    open_above = Question(cost_ratio=(1, math.inf), false_negative=100)
    assert HULL.best(open_above).expected_cost is not None
    with pytest.raises(rocch.UndefinedError):
        HULL.best(Question(cost_ratio=(1, math.inf)))


def test_limits_alone_and_beside_costs() -> None:
    assert Question(max_fpr=0.05).criterion == NeymanPearson(0.05)
    assert Question(max_fpr=0).criterion == NeymanPearson(0)
    both = Question(max_fpr=0.05, min_tpr=0.5).criterion
    assert both == Constrained(NeymanPearson(0.05), MinimumTpr(0.5))
    costs = Question(prevalence=0.1, false_positive=1, false_negative=5, max_share=0.2).criterion
    assert costs == Constrained(KNOWN, PredictedPositiveLimit(0.2, prevalence=0.1))


def test_a_confidence_is_that_of_all_limits() -> None:
    sure = Question(max_fpr=0.05, min_tpr=0.5, confidence=0.9).criterion
    limits = NeymanPearson(0.05, confidence=0.9), MinimumTpr(0.5, confidence=0.9)
    assert sure == Constrained(*limits)
    assert Question.from_criterion(limits[0]) == Question(max_fpr=0.05, confidence=0.9)
    precise = MinimumPrecision(0.8, prevalence=0.2, confidence=0.9)
    question = Question(min_precision=0.8, prevalence=0.2, confidence=0.9)
    assert question.criterion == precise
    assert Question.from_criterion(precise) == question
    observed = Question(min_precision=0.8)
    assert observed.criterion == MinimumPrecision(0.8)
    assert HULL.best(observed).mix == HULL.best(MinimumPrecision(0.8)).mix


def test_an_observed_prevalence_stays_observed_with_a_confidence() -> None:
    """The sample shows it, so it is not taken as known."""
    question = Question(max_share=0.4, confidence=0.9)
    assert question.resolve(HULL.totals) is question
    expected = PredictedPositiveLimit(0.4, prevalence="observed", confidence=0.9)
    assert question.criterion == expected
    capacity = Question(capacity=100, population=1000, confidence=0.9).resolve(HULL.totals)
    assert capacity.prevalence == HULL.totals.prevalence


def test_a_limit_on_the_cost_needs_costs_and_may_have_another_goal() -> None:
    costs: dict[str, Any] = {"prevalence": 0.1, "false_positive": 1, "false_negative": 5}
    alone = Question(**costs, max_cost=0.4).criterion
    assert alone == Constrained(KNOWN, CostLimit(0.4, KNOWN))
    most = Question(**costs, max_cost=0.4, maximize="tpr").criterion
    assert most == Constrained(Maximize("tpr", prevalence=0.1), CostLimit(0.4, KNOWN))
    again = Question.from_criterion(CostLimit(0.4, KNOWN, confidence=0.9))
    assert again == Question(**costs, max_cost=0.4, maximize="tpr", confidence=0.9)
    with pytest.raises(InputError, match="max_cost must be given with one of"):
        _ = Question(max_cost=0.4, max_fpr=0.1).criterion
    with pytest.raises(InputError, match=r"max_cost must be given with .*; got a ratio of costs"):
        _ = Question(max_cost=0.4, cost_ratio=(1, 5), false_positive=1, prevalence=0.1).criterion


def test_a_confidence_needs_a_limit() -> None:
    with pytest.raises(InputError, match="confidence must be given with one of"):
        _ = Question(maximize="f1", confidence=0.9).criterion
    with pytest.raises(InputError, match="confidence must be a number between 0 and 1"):
        Question(max_fpr=0.1, confidence=1)
    with pytest.raises(InputError, match="randomize must be left out beside confidence"):
        _ = Question(max_fpr=0.1, confidence=0.9, randomize=True).criterion


@pytest.mark.parametrize(
    "fields", [{"refer_cost": 0.1}, {"max_referred": 0.2}, {"max_wrong": 0.01}]
)
def test_questions_that_refer_cases_are_asked_elsewhere(fields: dict[str, Any]) -> None:
    costs: dict[str, Any] = {"prevalence": 0.1, "false_positive": 1, "false_negative": 5}
    question = Question(**costs, **fields)
    assert question.refers
    assert not Question(**costs).refers
    with pytest.raises(InputError, match="Pass it to refer"):
        HULL.best(question)


def test_words_of_limits_say_which_rows_they_speak_of() -> None:
    assert Question(max_fpr=0.05, min_precision=0.9).describe() == (
        "a false positive rate of at most 5%, a precision of at least 90%, counted on the "
        "evaluation rows"
    )
    sure = Question(max_cost=0.5, false_positive=1, false_negative=5, confidence=0.95)
    assert sure.describe() == (
        "a false alarm costs 1, a miss costs 5, an expected cost of at most 0.5, on new rows, "
        "with 95% confidence"
    )


def test_a_capacity_out_of_a_population() -> None:
    question = Question(capacity=100, population=1000, prevalence=0.25)
    assert question.criterion == Capacity(100, positives=250, negatives=750)
    split = Question(capacity=100, positives=250, negatives=750)
    assert split.criterion == question.criterion


def test_limits_on_alarms_hold_at_both_ends_of_the_prevalence() -> None:
    question = Question(capacity=100, population=1000, prevalence=(0.1, 0.4))
    ends = [Capacity(100, positives=p, negatives=1000 - p) for p in (100.0, 400.0)]
    assert question.criterion == Constrained(*ends)
    best = HULL.best(question)
    for end in ends:
        assert end.positives * best.tpr + end.negatives * best.fpr <= 100 * (1 + 1e-9)
    share = Question(max_share=0.2, prevalence=(0.1, 0.4)).criterion
    limits = [PredictedPositiveLimit(0.2, prevalence=p) for p in (0.1, 0.4)]
    assert share == Constrained(*limits)


def test_limits_on_alarms_take_the_observed_prevalence_of_a_hull() -> None:
    question = Question(max_share=0.2)
    with pytest.raises(InputError, match="class balance as a number"):
        _ = question.criterion
    limit = PredictedPositiveLimit(0.2, prevalence=HULL.totals.prevalence)
    assert HULL.best(question).mix == HULL.best(limit).mix


def test_a_prevalence_of_zero_is_not_the_observed_one() -> None:
    assert Question(maximize="tpr").criterion == Maximize("tpr", prevalence="observed")
    assert Question(maximize="tpr", prevalence=0.0).criterion == Maximize("tpr", prevalence=0.0)


def test_the_knob_is_a_setting_by_itself() -> None:
    assert Question(knob=0.3).criterion == Knob(0.3)
    assert HULL.best(Question(knob=0.3)).mix == Knob(0.3).on(HULL).mix
    coin = HULL.best(Question(knob=0.3, randomize=True))
    assert coin.mix == Knob(0.3).on(HULL, randomize=True).mix
    with pytest.raises(InputError, match="knob must stand alone"):
        _ = Question(knob=0.3, max_fpr=0.1).criterion


def test_a_question_says_whether_a_coin_may_choose() -> None:
    question = Question(max_fpr=0.05, randomize=True)
    assert HULL.best(question).mix == HULL.best(NeymanPearson(0.05), randomize=True).mix
    assert not Question(randomize=True)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"prevalence": 0.1}, "be given with .* to have an effect"),
    ({"likely": 3.0, "max_fpr": 0.1}, "likely must be given with .* to have an effect"),
    (
        {"prevalence": 0.1, "negatives_per_positive": 9, "false_positive": 1, "false_negative": 1},
        "got both",
    ),
    ({"prevalence": 0.1, "false_positive": 1}, "false_negative must be given with"),
    ({"prevalence": 0.1, "false_negative": 1}, "false_positive must be given with"),
    ({"capacity": 3}, "capacity must be given with population, or positives and negatives"),
    ({"capacity": 3, "population": 0}, "population must be more than 0"),
    ({"capacity": 3, "population": 9, "positives": 3}, "got both"),
    ({"cost_ratio": 3, "false_positive": 1, "false_negative": 4}, "one cost, its unit"),
    ({"cost_ratio": 3, "false_positive": (1, 2)}, "false_positive must be one number"),
    ({"cost_ratio": 3, "true_positive": 1, "false_positive": 2}, "true_positive must be left out"),
    ({"cost_ratio": (3, 5), "likely": 9}, "likely must be"),
    ({"cost_ratio": (3, 1e10)}, "cost_ratio must keep a miss within"),
    ({"maximize": "f1", "prevalence": (0.1, 0.2)}, "maximize must be given with .* one number"),
    ({"maximize": "f1", "false_positive": 1, "false_negative": 1}, "maximize must be .* without"),
    ({"false_positive": 1, "false_negative": 1, "true_positive": 2}, "cost at least as much"),
    ({"randomize": True}, "question must state what is known"),
    ({}, "question must state what is known"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG)
def test_what_makes_no_sense_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _ = Question(**fields).criterion


BAD_VALUES: list[Any] = [
    ("prevalence", 5, r"It is a share, so 5% is 0\.05"),
    ("prevalence", (5, 10), r"so 5 to 10% is 0\.05 to 0\.1"),
    ("prevalence", "often", "be a number, an interval or 'observed'"),
    ("prevalence", -0.1, "prevalence must be"),
    ("false_positive", (2, 1), "run from low to high"),
    ("false_positive", (1, 2, 3), "be a number or an interval"),
    ("false_positive", True, "be a number or an interval"),
    ("false_positive", math.nan, "be a number or an interval"),
    ("false_positive", math.inf, "false_positive must be"),
    pytest.param("false_positive", 10**400, "false_positive must be", id="overflow"),
    ("cost_ratio", math.inf, "cost_ratio must be"),
    ("cost_ratio", ("inf", 3), "be a number or an interval"),
    ("likely", (1, 2), "be a number"),
    ("maximize", "fun", "be a measure that can be maximized"),
    ("maximize", 3, "be a measure that can be maximized"),
    ("maximize", "NPV", "got 'NPV'. It is best where nearly everything alarms. State a limit"),
    ("maximize", "specificity", "It is best where nothing alarms"),
    ("maximize", "error rate", "Maximize the accuracy, which is best at the same point"),
    ("randomize", "yes", "be True or False"),
    ("randomize", 1, "be True or False"),
]


@pytest.mark.parametrize(("name", "value", "message"), BAD_VALUES)
def test_each_value_is_checked_when_it_is_stated(name: str, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        Question(**{name: value})
    assert refused.value.argument == name


def test_an_error_can_be_worded_as_the_user_typed() -> None:
    with pytest.raises(InputError) as refused:
        _ = Question(prevalence=0.1, false_positive=1).criterion
    assert refused.value.argument == "false_negative"
    assert "{false_positive}" in refused.value.requirement


TYPED: list[tuple[str, str, Any]] = [
    ("prevalence", "0.1", 0.1),
    ("prevalence", "5%", 0.05),
    ("prevalence", " 7% ", 0.07),
    ("prevalence", "5-20%", Interval(0.05, 0.2)),
    ("prevalence", "5%..20%", Interval(0.05, 0.2)),
    ("prevalence", "0.05-0.1", Interval(0.05, 0.1)),
    ("prevalence", "1/6", 1 / 6),
    ("prevalence", "observed", "observed"),
    ("prevalence", "Observed", "observed"),
    ("negatives_per_positive", "4..6", Interval(4, 6)),
    ("false_positive", "5-20", Interval(5, 20)),
    ("false_positive", "5 – 20", Interval(5, 20)),  # noqa: RUF001 - an en dash
    ("false_positive", "10...20", Interval(10, 20)),
    ("false_positive", "1,000", 1000.0),
    ("false_positive", "1e3", 1000.0),
    ("false_positive", "1e-3", 0.001),
    ("false_positive", "3..3", 3.0),
    ("cost_ratio", "10..40", Interval(10, 40)),
    ("cost_ratio", "1/10..1/5", Interval(0.1, 0.2)),
    ("cost_ratio", "1..inf", Interval(1, math.inf)),
    ("likely", "9", 9.0),
    ("max_fpr", "5%", 0.05),
    ("maximize", "F1", "f1"),
    ("maximize", "geometric mean", "geometric_mean"),
    ("randomize", "true", True),
    ("randomize", "no", False),
]


@pytest.mark.parametrize(("name", "text", "value"), TYPED)
def test_values_are_read_as_people_type_them(name: str, text: str, value: Any) -> None:
    assert getattr(Question.from_strings({name: text}), name) == value


MISTYPED: list[tuple[str, str, str]] = [
    ("prevalence", "some", r"For example: 0\.05\.\.0\.1"),
    ("prevalence", "", "be a number, an interval or 'observed'"),
    ("false_positive", "5%", "be a number or an interval"),
    ("false_positive", "20..5", "run from low to high"),
    ("false_positive", "-5", "false_positive must be"),
    ("false_positive", "-5-3", "be a number or an interval"),
    ("false_positive", "1..2..3", "be a number or an interval"),
    ("false_positive", "1/0", "be a number or an interval"),
    ("false_positive", "9" * 101, "be a number or an interval"),
    ("false_positive", "1e999999999999", "false_positive must be"),
    ("max_fpr", "1..2", "be a number"),
    ("randomize", "maybe", "be true or false"),
]


@pytest.mark.parametrize(("name", "text", "message"), MISTYPED)
def test_texts_that_are_no_values_are_refused_with_advice(
    name: str, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as refused:
        Question.from_strings({name: text})
    assert refused.value.argument == name


@pytest.mark.parametrize("read", [Question.from_dict, Question.from_strings])
def test_unknown_names_are_refused_with_the_closest_one(read: Any) -> None:
    with pytest.raises(InputError, match="Did you mean 'max_fpr'"):
        read({"maxfpr": "0.1"})


def test_a_question_is_read_from_an_object() -> None:
    with pytest.raises(InputError, match="question must be an object"):
        Question.from_dict([1])  # type: ignore[arg-type]
    assert Question.from_dict({"max_fpr": None, "min_tpr": 0.5}) == Question(min_tpr=0.5)


def interval(most: float) -> st.SearchStrategy[Any]:
    number = st.floats(0, most, allow_nan=False)
    return number | st.tuples(number, number).map(lambda ends: tuple(sorted(ends)))


def value_of(about: QuestionField) -> st.SearchStrategy[Any]:
    most = 1.0 if about.is_share else 1e6
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "flag": st.booleans(),
        "metric": st.sampled_from(sorted(METRICS)),
        "text": st.sampled_from(["EUR", "US$", "thousand kr"]),
        "ratio": interval(most) | st.tuples(st.floats(0, most), st.just(math.inf)),
    }
    is_open = about.name == "confidence"
    single = st.floats(0, most, exclude_min=is_open, exclude_max=is_open)
    plain = interval(most) if about.is_interval else single
    found = kinds.get(about.kind, plain)
    return found | st.just("observed") if about.name == "prevalence" else found


QUESTIONS = st.fixed_dictionaries(
    {}, optional={about.name: value_of(about) for about in Question.fields()}
).map(lambda given: Question(**given))


@given(QUESTIONS)
def test_a_question_survives_json_and_keeps_its_schema(question: Question) -> None:
    text = json.dumps(question.to_dict(), allow_nan=False)
    assert Question.from_dict(json.loads(text)) == question
    jsonschema.validate(json.loads(text), Question.json_schema())


def written(value: Any) -> str:
    if isinstance(value, Interval):
        return "..".join(map(repr, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


@given(QUESTIONS)
def test_a_question_survives_being_typed(question: Question) -> None:
    texts = {name: written(value) for name, value in question.given.items()}
    assert Question.from_strings(texts) == question


@given(QUESTIONS)
@example(Question(cost_ratio=(0.0, 1e-273)))  # its shares differ by less than doubles do near 1
def test_every_question_is_described_or_refused_by_name(question: Question) -> None:
    words = question.describe()
    assert len(words.split(", ")) >= len(question.given)
    assert "{" not in words
    names = {about.name for about in Question.fields()} | {"question", "prevalence and costs"}
    refused = None
    try:
        HULL.best(question)
    except InputError as error:
        refused = error
    except rocch.RocchError:
        pass
    assert refused is None or set(str(refused.argument).split(", ")) <= names


@pytest.mark.parametrize("bad", [{"extra": 1}, {"max_fpr": 2}, {"cost_ratio": [1, "nan"]}])
def test_the_schema_refuses_what_is_no_question(bad: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(bad, Question.json_schema())


def test_every_field_of_the_class_is_described_by_the_table() -> None:
    names = [about.name for about in Question.fields()]
    assert names == [each.name for each in dataclasses.fields(Question)]
    assert set(METRIC_NAMES) == set(METRICS)
    for about in Question.fields():
        assert Question.from_strings({about.name: about.example}).given


def test_only_what_is_stated_is_shown() -> None:
    question = Question(prevalence=(0.1, 0.2), false_positive=1, false_negative=5, randomize=True)
    shown = "prevalence=(0.1, 0.2), false_positive=1.0, false_negative=5.0, randomize=True"
    assert repr(question) == f"Question({shown})"
    assert eval(repr(question)) == question  # noqa: S307 - our own text


def test_texts_are_texts() -> None:
    with pytest.raises(InputError, match="cost_ratio must be a text"):
        Question.from_strings({"cost_ratio": 5})  # type: ignore[dict-item]


def test_words() -> None:
    question = Question(
        prevalence=(0.05, 0.1),
        false_positive=1,
        false_negative=(10, 40),
        max_fpr=0.05,
        capacity=100,
        population=12_000,
        randomize=True,
    )
    assert question.describe() == (
        "5 to 10% positive, a false alarm costs 1, a miss costs 10 to 40, a false positive rate "
        "of at most 5%, at most 100 alarms, in a population of 12,000, counted on the evaluation "
        "rows, a coin may choose"
    )
    assert Question(cost_ratio=(2, math.inf)).describe() == (
        "a miss is at least 2 times as bad as a false alarm"
    )
    assert Question(maximize="geometric_mean", prevalence="observed").describe() == (
        "as many positives as in the evaluation rows, the highest geometric mean"
    )


CRITERIA = [
    KNOWN,
    ExpectedCost(KNOWN),
    MinimaxRegret(Conditions(prevalence=(0.1, 0.2), false_positive=1, false_negative=3)),
    ErrorRate(),
    ErrorRate(0.2),
    NeymanPearson(0.1),
    MinimumTpr(0.7),
    Capacity(50, positives=100, negatives=300),
    PredictedPositiveLimit(0.2, prevalence=0.3),
    Maximize("f1"),
    Maximize("lift", prevalence=0.3),
    Knob(0.4),
]


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
def test_a_criterion_can_be_stated_as_a_question(criterion: Any) -> None:
    question = Question.from_criterion(criterion)
    assert question is not None
    assert HULL.best(question).mix == HULL.best(criterion).mix
    assert Question.from_criterion(question) == question


def test_some_criteria_cannot_be_stated() -> None:
    own = Maximize(lambda fpr, tpr: tpr - 2 * fpr)
    assert Question.from_criterion(own) is None
    assert Question.from_criterion(Constrained(KNOWN, NeymanPearson(0.1))) is None


@given(st.floats(0, 1e12), st.floats(0, 1e12))
def test_intervals_are_read_back_to_the_last_digit(low: float, high: float) -> None:
    assert parse_interval(f"{low!r}..{high!r}") == (low, high)
    assert parse_interval(repr(low)) == low


def test_typed_texts_are_read_as_values() -> None:
    typed = {"prevalence": "0.2%", "false_negative": "80..200", "false_positive": 5}
    plain = Question(prevalence=0.002, false_negative=(80, 200), false_positive=5)
    assert Question(**typed) == Question.from_dict(typed) == plain  # type: ignore[arg-type]
