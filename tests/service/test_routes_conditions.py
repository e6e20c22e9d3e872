"""An operator re-aims; nobody else does, and nothing impossible is ever in force."""

from __future__ import annotations

from typing import Any

import pytest

from rocch import Question
from rocch.service.responses import AimedDocument, ConditionsDocument
from rocch.service.store import Policy
from tests.support.exported import COSTS
from tests.support.exported import served as exported
from tests.support.serving import Asking, asking, error_of

SERVED = exported()
PATH = "/v1/conditions"
ROW = {"nb": [0.5], "gbm": [0.5]}


def conditions(asked: Asking, query: str = "") -> Any:
    answer = asked.get(PATH + query)
    assert answer.status_code == 200, answer.text
    ConditionsDocument.model_validate(answer.json())
    return answer.json()


def put(asked: Asking, **body: Any) -> Any:
    answer = asked.put(PATH, body)
    assert answer.status_code == 200, answer.text
    AimedDocument.model_validate(answer.json())
    return answer.json()


def test_an_aim_is_in_force_at_once_and_has_a_history() -> None:
    with asking(SERVED) as asked:
        assert conditions(asked)["history"] == []
        first = put(asked, question=COSTS, note="winter", by="Ada")
        assert first["current"]["id"] == 1
        assert first["current"]["source"] == "operator"
        assert first["current"]["words"] == "30 % positive, a false alarm costs 1, a miss costs 2"
        assert asked.decide(scores=ROW)["aim"] == {"source": "operator", "id": 1}
        best = asked.get("/v1/best").json()
        assert best["point"] == first["point"]
        second = put(asked, question={"max_fpr": 0.05}, tuning="advise")
        assert second["point"]["fpr"] <= 0.05
        found = conditions(asked)
        assert found["current"] == second["current"]
        assert found["history"] == [second["current"], first["current"]]
        assert conditions(asked, "?limit=1")["history"] == [second["current"]]
        assert conditions(asked, "?limit=1")["total"] == 2


def test_only_operators() -> None:
    with asking(SERVED) as asked:
        for role in ("viewer", "caller"):
            assert error_of(asked.get(PATH, role), 403)["code"] == "forbidden"
            assert error_of(asked.put(PATH, {}, role), 403)["code"] == "forbidden"
        assert error_of(asked.put(PATH, {}, None), 401)["code"] == "not_authorized"


def test_replacing_another_than_the_present_one() -> None:
    with asking(SERVED) as asked:
        put(asked, question=COSTS, by="Ada", replaces=None)  # none was recorded, as its author saw
        error = error_of(asked.put(PATH, {"question": COSTS, "replaces": None}), 409)
        assert error["code"] == "conflict"
        assert error["argument"] == "replaces"
        assert "put by Ada" in error["message"]
        put(asked, question=COSTS, replaces=1)
        error_of(asked.put(PATH, {"question": COSTS, "replaces": 1}), 409)
        put(asked, question=COSTS)
        assert conditions(asked)["total"] == 3


@pytest.mark.parametrize(
    ("body", "code", "argument", "message"),
    [
        ({}, "bad_input", "question", "state what to aim at"),
        ({"question": {}}, "bad_input", "question", "nothing"),
        ({"question": {"randomize": True}}, "bad_input", "question", "a coin may choose"),
        ({"question": {"max_fpr": 2}}, "bad_input", "max_fpr", "from 0 to 1"),
        ({"question": {"speed": 2}}, "bad_input", "question.speed", "be one of prevalence"),
        ({"question": {"prevalence": 0.1}}, "bad_input", None, "to have an effect"),
        ({"question": {**COSTS, "prevalence": [0.3, 0.1]}}, "bad_input", None, "low to high"),
        ({"question": {"knob": 0.3, "max_fpr": 0.1}}, "bad_input", "knob", "stand alone"),
        ({"question": {"max_fpr": 0.0, "min_tpr": 1.0}}, "infeasible", None, ""),
        ({"question": COSTS, "tuning": "sometimes"}, "bad_input", "tuning", "follow"),
        ({"question": COSTS, "extra": 1}, "bad_input", "extra", ""),
        ({"question": COSTS, "replaces": "x"}, "bad_input", "replaces", ""),
        ({"question": COSTS, "note": "x" * 2001}, "bad_input", "note", ""),
    ],
)
def test_what_makes_no_sense_or_cannot_be_met_is_not_stored(
    body: Any, code: str, argument: str | None, message: str
) -> None:
    with asking(SERVED) as asked:
        error = error_of(asked.put(PATH, body), 422)
        assert error["code"] == code
        assert argument is None or error["argument"] == argument
        assert message in error["message"]
        found = conditions(asked)
        assert found["total"] == 0
        assert found["current"]["source"] == "default"


@pytest.mark.parametrize("limit", ["0", "1001", "x", "-1", "1e3", "٣", "9" * 5000, ""])
def test_limits_that_are_none(limit: str) -> None:
    with asking(SERVED) as asked:
        error = error_of(asked.get(f"{PATH}?limit={limit}"), 422)
        assert error["argument"] == "limit"


@pytest.mark.parametrize("before", ["0", "x", "-1", "9" * 19, "9" * 5000, ""])
def test_places_in_the_history_that_are_none(before: str) -> None:
    with asking(SERVED) as asked:
        error = error_of(asked.get(f"{PATH}?before={before}"), 422)
        assert error["argument"] == "before"


def test_older_pages_of_the_history() -> None:
    with asking(SERVED) as asked:
        for knob in range(5):
            put(asked, question={"knob": knob / 10})

        def page(query: str) -> list[int]:
            found = conditions(asked, query)
            assert found["total"] == 5
            return [aim["id"] for aim in found["history"]]

        assert page("?limit=2") == [5, 4]
        assert page("?limit=2&before=4") == [3, 2]
        assert page("?before=2&limit=2") == [1]
        assert page("?before=1") == []
        assert page(f"?before={2**63 - 1}") == [5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("query", "argument"), [("?lim=3", "lim"), ("?limit=3&limit=4", "limit"), ("?x", "x")]
)
def test_words_that_nobody_knows(query: str, argument: str) -> None:
    with asking(SERVED) as asked:
        assert error_of(asked.get(PATH + query), 422)["argument"] == argument


def test_a_record_that_cannot_be_written_is_unavailable() -> None:
    with asking(SERVED) as asked:
        with asked.service.store._record.reading() as connection:
            connection.execute("PRAGMA query_only = ON")
        error = error_of(asked.put(PATH, {"question": COSTS}), 503)
        assert error["code"] == "unavailable"
        assert asked.decide(scores=ROW)["aim"]["source"] == "default"  # and deciding goes on


def test_an_aim_of_the_command_line_is_shown_but_not_recorded() -> None:

    with asking(SERVED, question=Question(**COSTS)) as asked:
        found = conditions(asked)
        assert found["current"]["source"] == "command line"
        assert (found["current"]["id"], found["total"]) == (None, 0)
        put(asked, question={"max_fpr": 0.1}, replaces=None)
        assert conditions(asked)["current"]["source"] == "operator"
        asked.service.store.put_policy(Policy(source="command line"))  # a reset
        assert conditions(asked)["current"]["source"] == "command line"
