"""What the service decides is what the hybrid would."""

import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch import Question
from rocch.service.policy import ActivePolicy
from rocch.service.policy import decide as service_decide
from tests.support.serving import Asking, aim_of, asking, judged, of_columns, served

MODEL = of_columns()
SCORES, _ = judged(9, 200)
COLUMNS = SCORES.to_dict("list")
AIMS: list[dict[str, Any]] = [
    {},
    {"question": {"prevalence": 0.1, "false_positive": 1, "false_negative": 25}},
    {"question": {"prevalence": [0.05, 0.3], "false_positive": 1, "false_negative": [5, 10]}},
    {"question": {"negatives_per_positive": 5, "false_positive": 1, "false_negative": 3}},
    {"question": {"max_fpr": 0.1}},
    {"question": {"min_tpr": 0.9}},
    {"question": {"knob": 0.3}},
    {"question": {"capacity": 100, "positives": 50, "negatives": 950}},
    {"question": {"maximize": "f1", "prevalence": 0.2}},
    {"question": {"false_positive": 1, "cost_ratio": [5, 10], "likely": 9}},
]


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with asking(served(MODEL), max_rows=60_000) as running:
        yield running


@pytest.mark.parametrize("aim", AIMS)
@pytest.mark.parametrize("randomize", [False, True])
def test_decisions_are_the_hybrids(ask: Asking, aim: dict[str, Any], randomize: bool) -> None:
    keys = [f"row {place}" for place in range(200)]
    stated = aim.get("question", {})
    question = {**stated, "randomize": randomize}
    response = ask.decide(scores=COLUMNS, row_keys=keys, question=question)
    target = Question.from_dict(stated) or MODEL.default_.criterion
    today = MODEL.at(target, randomize=randomize)
    assert response["decisions"] == today.predict(SCORES, row_key=keys).tolist()
    assert response["alarms"] == sum(response["decisions"])
    assert response["rule"]["words"] == str(today.rule)
    again = rocch.hybrid.Rule.from_dict(response["rule"])
    assert isinstance(again, rocch.hybrid.Rule)
    assert again.mix == today.rule.mix


def test_a_stack_decides_as_the_hybrid_does() -> None:
    model = of_columns(stack=True)
    assert model.stack_ is not None
    with asking(served(model)) as running:
        for aim in AIMS[:5]:
            response = running.decide(scores=COLUMNS, **aim)
            question = Question.from_dict(aim.get("question", {}))
            today = model.at(question or model.default_.criterion)
            assert response["decisions"] == today.predict(SCORES).tolist()
            assert response["rule"]["words"] == str(today.rule)
        assert "logit" in response["rule"]["words"] or "stack" in response["rule"]["words"]


def test_an_answer_says_where_it_came_from(ask: Asking) -> None:
    response = ask.decide(scores=COLUMNS)
    assert response["rows"] == 200
    assert response["model"] == {"version": 7, "sha256": f"{7:064x}"}
    assert response["aim"] == aim_of("default", None)
    assert response["coin"] is None
    assert len(response["decision_id"]) == 32
    assert response["decided_at"].endswith("Z")
    assert ask.decide(scores=COLUMNS)["decision_id"] != response["decision_id"]
    assert ask.decide(scores=COLUMNS, question={"knob": 0})["aim"]["source"] == "request"


COIN: dict[str, Any] = {"question": {"max_fpr": 0.15, "randomize": True}}


def test_huge_whole_numbers_are_no_keys(ask: Asking) -> None:
    keys = f"[{', '.join(['9' * 4200] * 200)}]"
    body = json.dumps({"scores": COLUMNS, "row_keys": 0, **COIN})
    error = ask.refused("/v1/decide", body.replace('"row_keys": 0', f'"row_keys": {keys}'))
    assert error["argument"] == "row_keys"
    assert "a whole number of 13953 bits at position 0" in error["message"]


def test_a_coin_needs_keys_and_tosses_alike_each_time(ask: Asking) -> None:
    error = ask.refused("/v1/decide", {"scores": COLUMNS, **COIN})
    assert error["argument"] == "row_keys"
    keys: list[Any] = list(range(200))
    response = ask.decide(scores=COLUMNS, row_keys=keys, **COIN)
    assert response["coin"] == {"seed": 0, "row_keys": list(map(str, keys))}
    again = ask.decide(scores=COLUMNS, row_keys=keys, **COIN)
    assert again["decisions"] == response["decisions"]
    back = {name: column[::-1] for name, column in COLUMNS.items()}
    reverse = ask.decide(scores=back, row_keys=keys[::-1], **COIN)
    assert reverse["decisions"] == response["decisions"][::-1]
    others = [ask.decide(scores=COLUMNS, row_keys=[f"{n}{k}" for k in keys], **COIN) for n in "ab"]
    assert others[0]["decisions"] != others[1]["decisions"]


def test_the_seed_changes_coins(ask: Asking) -> None:
    keys = list(range(200))
    with asking(served(MODEL, seed=5), seed=5) as other:
        response = other.decide(scores=COLUMNS, row_keys=keys, **COIN)
    assert response["coin"]["seed"] == 5
    assert response["decisions"] != ask.decide(scores=COLUMNS, row_keys=keys, **COIN)["decisions"]
    expected = MODEL.at(rocch.NeymanPearson(0.15), randomize=True, seed=5)
    assert response["decisions"] == expected.predict(SCORES, row_key=keys).tolist()


def test_only_the_columns_of_the_rule_are_needed(ask: Asking) -> None:
    knob: dict[str, Any] = {"question": {"knob": 0.65}}
    response = ask.decide(scores={"gbm": COLUMNS["gbm"]}, **knob)
    assert response["decisions"] == ask.decide(scores=COLUMNS, **knob)["decisions"]
    error = ask.refused("/v1/decide", {"scores": {"nb": [0.5]}, **knob})
    assert error["argument"] == "scores"
    assert "none for 'gbm'" in error["message"]


def test_bad_keys(ask: Asking) -> None:
    for keys in ([1], [1.5] * 200, [None] * 200, [True] * 200, []):
        error = ask.refused("/v1/decide", {"scores": COLUMNS, "row_keys": keys})
        assert error["argument"] == "row_keys"


def test_what_cannot_be_met_and_what_makes_no_sense(ask: Asking) -> None:
    limits = {"max_fpr": 0, "min_tpr": 1}
    error = ask.refused("/v1/decide", {"scores": COLUMNS, "question": limits})
    assert error["code"] == "infeasible"
    for question, argument in (
        ({"capacity": -1, "positives": 1, "negatives": 1}, "capacity"),
        ({"capacity": 1}, "capacity"),
        ({"maximize": "joy"}, "maximize"),
        ({"knob": 3}, "knob"),
        ({"likely": 3, "max_fpr": 0.1}, "likely"),
    ):
        error = ask.refused("/v1/decide", {"scores": COLUMNS, "question": question})
        assert (error["code"], error["argument"]) == ("bad_input", argument)
        assert error["message"].startswith(argument)


def test_randomize_alone_is_about_the_aim_in_force() -> None:
    with asking(served(MODEL), question=Question(max_fpr=0.15)) as other:
        plain = other.decide(scores=COLUMNS)
        assert plain["aim"] == aim_of("command line", None)
        coin = other.decide(scores=COLUMNS, question={"randomize": True}, row_keys=list(range(200)))
        assert coin["aim"]["source"] == "request"
        assert coin["coin"] is not None
        same = other.decide(scores=COLUMNS, question={"randomize": False})
        assert same["aim"] == plain["aim"]


def test_labels_are_the_models_own() -> None:
    named = of_columns(labels=("good", "poor"))
    with asking(served(named)) as ask:
        response = ask.decide(scores={"rules": ["poor", "good"]})
        assert response["decisions"] == ["poor", "good"]
        assert ask.decide(scores={"rules": [1, 0]})["decisions"] == ["poor", "good"]
        assert response["rule"]["positive"] == "poor"


def test_many_rows_are_decided_alike(ask: Asking) -> None:
    rows = 20_001  # more than are decided beside other requests
    many = {"gbm": np.linspace(-3, 3, rows).tolist()}
    response = ask.decide(scores=many, question={"knob": 0.65})
    single = ask.decide(scores={"gbm": many["gbm"][:100]}, question={"knob": 0.65})
    assert response["rows"] == rows
    assert response["decisions"][:100] == single["decisions"]
    assert sorted(response["decisions"]) == response["decisions"]


def test_decisions_are_noticed(ask: Asking) -> None:
    before = ask.get("/v1/status").json()["decisions"]
    response = ask.decide(scores=COLUMNS)
    after = ask.get("/v1/status").json()["decisions"]
    assert after["total"] - before["total"] == 200
    assert after["alarms"] - before["alarms"] == response["alarms"]
    text = ask.get("/metrics").text
    assert f"rocch_rows_total {after['total']:.1f}" in text


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.booleans()), min_size=1))
def test_a_row_is_decided_alike_alone_and_in_a_batch(rows: list[tuple[float, float, bool]]) -> None:
    export = served(MODEL)
    rule = export.rule_for(rocch.Question(max_fpr=0.1, randomize=True))
    policy = ActivePolicy(rule, "request", None, "")

    def decide(some: list[Any], keys: list[Any]) -> list[Any]:
        from rocch.service.schemas import DecideBody

        gbm, nb, rules = map(list, zip(*some, strict=True))
        scores = {"gbm": gbm, "nb": nb, "rules": list(map(int, rules))}
        body = DecideBody(scores=scores, row_keys=keys)
        decided: list[Any] = service_decide(export, body, policy).to_dict()["decisions"]
        return decided

    together = decide(rows, list(range(len(rows))))
    assert together == [decide([row], [place])[0] for place, row in enumerate(rows)]


def test_the_time_to_decide_is_no_longer_than_it_took() -> None:
    begun = time.perf_counter()
    with asking() as ask:
        for rows in (1, 30_000):  # at once, and in a thread
            ask.decide(scores={name: [1] * rows for name in ("nb", "gbm", "rules")})
        lines = ask.get("/metrics").text.splitlines()
    took = time.perf_counter() - begun
    response = dict(
        line.rsplit(" ", 1) for line in lines if line.startswith("rocch_decide_seconds_")
    )
    assert response["rocch_decide_seconds_count"] == "2.0"
    assert 0 < float(response["rocch_decide_seconds_sum"]) < took
