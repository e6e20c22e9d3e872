"""Feedback is answered once it is stored, and counts once."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from rocch.service.feedback import Tuner
from rocch.service.responses import FeedbackDocument
from tests.support.exported import COSTS, scored_rows
from tests.support.exported import served as exported
from tests.support.serving import Asking, asking, error_of

SERVED = exported()
PATH = "/v1/feedback"
LOAD = {"event_id": "monday", "kind": "load", "alarms": 300, "capacity": 100}


def told(asked: Asking, body: Any, role: str = "caller") -> Any:
    answer = asked.post(PATH, body, role)
    assert answer.status_code == 200, answer.text
    FeedbackDocument.model_validate(answer.json())
    return answer.json()


def outcomes(**change: Any) -> dict[str, Any]:
    scores, y = scored_rows(3, 50, 0.3)
    body = {"event_id": "o", "kind": "outcomes", "scores": scores, "outcomes": y, "complete": True}
    return {**body, **change}


def test_the_same_event_again_is_answered_alike() -> None:
    with asking(SERVED) as asked:
        asked.put("/v1/conditions", {"question": COSTS, "tuning": "follow"})
        first = told(asked, LOAD)
        assert first["reaction"]["moved"] < 0
        assert first["reaction"]["words"].startswith("turned left by")
        assert told(asked, LOAD, "operator") == {**first, "duplicate": True}
        error = error_of(asked.post(PATH, {**LOAD, "alarms": 301}), 409)
        assert (error["code"], error["argument"]) == ("conflict", "event_id")
        assert asked.service.store.count_events() == 1


def test_every_kind_is_heard() -> None:
    with asking(SERVED) as asked:
        asked.put("/v1/conditions", {"question": COSTS, "tuning": "advise"})
        kinds: list[dict[str, Any]] = [
            LOAD,
            {"event_id": "a", "kind": "too_many_alarms"},
            {"event_id": "b", "kind": "queue_not_filled", "times": 3},
            outcomes(),
            outcomes(event_id="p", complete=None, propensities=[0.5] * 50),
        ]
        for body in kinds:
            assert told(asked, body)["reaction"]["feedback"] == body["kind"]
        assert asked.service.store.count_events() == len(kinds)


def test_while_tuning_is_off_it_is_stored_only() -> None:
    with asking(SERVED) as asked:
        assert told(asked, LOAD)["reaction"] is None
        assert told(asked, outcomes())["reaction"] is None


def test_viewers_give_no_feedback() -> None:
    with asking(SERVED) as asked:
        assert error_of(asked.post(PATH, LOAD, "viewer"), 403)["code"] == "forbidden"
        assert error_of(asked.post(PATH, LOAD, None), 401)["code"] == "not_authorized"


@pytest.mark.parametrize(
    ("body", "argument", "message"),
    [
        ({}, None, ""),
        ({"event_id": "a", "kind": "gossip"}, None, "gossip"),
        ({**LOAD, "event_id": ""}, None, "event_id"),
        ({**LOAD, "event_id": "x" * 201}, None, "event_id"),
        ({**LOAD, "event_id": 7}, None, "event_id"),
        ({**LOAD, "alarms": -1}, None, "alarms"),
        ({**LOAD, "alarms": "300"}, None, "alarms"),
        ({"event_id": "a", "kind": "too_many_alarms", "times": 0}, None, "times"),
        (outcomes(complete=None), "complete, propensities", "Labels that exist only because"),
        (outcomes(complete=False), "complete, propensities", "neither"),
        (outcomes(propensities=[1.0] * 50), "complete, propensities", "both"),
        (outcomes(outcomes=[0, 1]), "outcomes", "each of the 50 rows"),
        (outcomes(outcomes=["yes"] * 50), "outcomes", "labels that the hybrid was fitted on"),
        (outcomes(outcomes=[[1]] * 50), "outcomes", "one-dimensional"),
        (outcomes(outcomes=[10**400] * 50), "outcomes", "labels"),
        (outcomes(scores={"gbm": ["x"] * 50, "nb": [1] * 50}), "scores.gbm", "numbers"),
        (outcomes(scores={"other": [1] * 50}), None, "other"),
        (outcomes(scores=None), None, "scores, features"),
        (outcomes(scores=None, features={"a": [1] * 50}), "features", "holds no models"),
        (outcomes(propensities=["x"] * 50, complete=None), "propensities", "numbers"),
        (outcomes(propensities=[5e-324] * 50, complete=None), "propensities", "from 1e-09 to 1"),
        (outcomes(propensities=[1e-300] * 50, complete=None), "propensities", "from 1e-09 to 1"),
    ],
)
def test_what_makes_no_sense_is_refused_and_not_stored(
    body: Any, argument: str | None, message: str
) -> None:
    with asking(SERVED) as asked:
        error = error_of(asked.post(PATH, body), 422)
        assert error["code"] == "bad_input"
        assert argument is None or error["argument"] == argument
        assert message in error["message"]
        assert len(error["message"]) < 1100
        assert asked.service.store.count_events() == 0


def test_too_many_rows() -> None:
    with asking(SERVED, max_rows=49) as asked:
        error = error_of(asked.post(PATH, outcomes()), 413)
        assert (error["code"], error["argument"]) == ("too_many_rows", "scores")


def test_what_cannot_be_stored_is_not_acknowledged(caplog: pytest.LogCaptureFixture) -> None:
    with asking(SERVED) as asked:
        with asked.service.store._record.reading() as connection:
            connection.execute("PRAGMA query_only = ON")
        error = error_of(asked.post(PATH, LOAD), 503)
        assert error["code"] == "unavailable"
        assert "the log says why" in error["message"]
        assert "sqlite" not in error["message"]  # nor any other place on the server's disk
        assert str(asked.service.store.path) in caplog.text
        error_of(asked.post(PATH, {**LOAD, "alarms": -1}), 422)  # which does not mend it
        health = asked.get("/v1/health").json()
        assert health["status"] == "degraded"
        assert health["problems"] == ["the service's record cannot be written"]
        (warned,) = asked.get("/v1/status").json()["warnings"]
        assert warned["code"] == "record_failing"
        with asked.service.store._record.reading() as connection:
            connection.execute("PRAGMA query_only = OFF")
        assert told(asked, LOAD)["duplicate"] is False
        assert asked.get("/v1/health").json()["status"] == "ok"


def test_weighing_takes_no_longer_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()
    monkeypatch.setattr(Tuner, "record_feedback", lambda *_: answered.wait(60))
    with asking(SERVED, decide_seconds=0.01) as asked:
        assert error_of(asked.post(PATH, outcomes()), 503)["code"] == "timeout"
        answered.set()
