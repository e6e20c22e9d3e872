"""The policy in force, how an operator changes it, and new exports that take over."""

from __future__ import annotations

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

import pytest
from sklearn.frozen import FrozenEstimator

import rocch
from rocch import Question, StorageError
from rocch.service import Settings
from rocch.service.errors import NotTriedError
from rocch.service.feedback import Feedback, record_feedback, tuned_knob
from rocch.service.policy import LOOKS_BETWEEN_TRIALS, WORKERS, Service, Watcher
from rocch.service.responses import AimedDocument, ConditionsDocument, StatusDocument
from rocch.service.served import ServedModel
from rocch.service.sources import Version
from rocch.service.store import Policy, Store
from tests.support.columns import ColumnScores
from tests.support.exported import COSTS
from tests.support.exported import served as exported
from tests.support.serving import (
    AS,
    TOKENS,
    Asking,
    aim_of,
    asking,
    cut_off,
    end_pause,
    error_of,
    judged,
    of_columns,
    served,
    worker,
)

SERVED = exported()
STATED = Question(**COSTS, max_fpr=0.2, randomize=True)


def test_without_a_question_the_export_decides() -> None:
    for question in (None, Question()):
        with asking(SERVED, question=question) as ask:
            service = ask.service
            assert service.policy.to_dict() == {
                "id": None,
                "at": service.started_at,
                "by": "",
                "note": "",
                "source": "default",
                "question": {},
                "tuning": "off",
                "words": "as the model was saved",
            }
            found = service.active_policy(SERVED)
            assert found.to_dict() == aim_of("default", None)
            assert found.rule.target is SERVED.own.criterion
            assert not found.rule.question.randomize


def test_the_command_line_comes_before_and_the_operator_before_that() -> None:
    with asking(SERVED, question=STATED) as ask:
        service = ask.service
        found = service.active_policy(SERVED)
        assert found.to_dict() == aim_of("command line", None)
        assert found.rule.question == STATED
        assert service.policy.words == STATED.describe()
        service.put_policy(Policy(question=Question(max_fpr=0.1)))
        found = service.active_policy(SERVED)
        assert found.to_dict() == aim_of("operator", 1)
        assert found.rule.question == Question(max_fpr=0.1)
        service.reset_policy()
        assert service.active_policy(SERVED).rule.question == STATED


def test_the_tuner_leads_where_it_may() -> None:
    with asking(SERVED) as ask:
        service = ask.service
        policy, _ = service.put_policy(Policy(question=Question(**COSTS), tuning="follow"))
        assert service.active_policy(SERVED).source == "operator"
        load = Feedback(event_id="a", kind="load", alarms=300, capacity=100)
        record_feedback(service.store, SERVED, policy, load)
        found = service.active_policy(SERVED)
        assert found.to_dict() == aim_of("tuner", policy.id)
        knob = tuned_knob(SERVED, policy, service.store.tuner)
        assert knob is not None
        assert found.rule.question == Question(knob=knob.position)
        assert service.active_policy(SERVED) is found  # every decision needs it
        service.put_policy(Policy(question=Question(**COSTS)))
        assert service.active_policy(SERVED).source == "operator"


PATH = "/v1/conditions"
ROW = {"nb": [0.5], "gbm": [0.5]}


def conditions(client: Asking, query: str = "") -> Any:
    answer = client.get(PATH + query)
    assert answer.status_code == 200, answer.text
    ConditionsDocument.model_validate(answer.json())
    return answer.json()


def put(client: Asking, **body: Any) -> Any:
    answer = client.put(PATH, body)
    assert answer.status_code == 200, answer.text
    AimedDocument.model_validate(answer.json())
    return answer.json()


def test_an_aim_is_in_force_at_once_and_has_a_history() -> None:
    with asking(SERVED) as client:
        assert conditions(client)["history"] == []
        first = put(client, question=COSTS, note="winter", by="Ada")
        assert first["current"]["id"] == 1
        assert first["current"]["source"] == "operator"
        assert first["current"]["words"] == "30% positive, a false alarm costs 1, a miss costs 2"
        assert client.decide(scores=ROW)["aim"] == aim_of("operator", 1)
        best = client.get("/v1/best").json()
        assert best["point"] == first["point"]
        second = put(client, question={"max_fpr": 0.05}, tuning="advise")
        assert second["point"]["fpr"] <= 0.05
        found = conditions(client)
        assert found["current"] == second["current"]
        assert found["history"] == [second["current"], first["current"]]
        assert conditions(client, "?limit=1")["history"] == [second["current"]]
        assert conditions(client, "?limit=1")["total"] == 2


def test_only_operators() -> None:
    with asking(SERVED) as client:
        for role in ("viewer", "caller"):
            assert error_of(client.get(PATH, role), 403)["code"] == "forbidden"
            assert error_of(client.put(PATH, {}, role), 403)["code"] == "forbidden"
        assert error_of(client.put(PATH, {}, None), 401)["code"] == "not_authorized"


def test_replacing_another_than_the_present_one() -> None:
    with asking(SERVED) as client:
        put(client, question=COSTS, by="Ada", replaces=None)  # none was recorded, as its author saw
        error = error_of(client.put(PATH, {"question": COSTS, "replaces": None}), 409)
        assert error["code"] == "conflict"
        assert error["argument"] == "replaces"
        assert "put by Ada" in error["message"]
        put(client, question=COSTS, replaces=1)
        error_of(client.put(PATH, {"question": COSTS, "replaces": 1}), 409)
        put(client, question=COSTS)
        assert conditions(client)["total"] == 3


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
    with asking(SERVED) as client:
        error = error_of(client.put(PATH, body), 422)
        assert error["code"] == code
        assert argument is None or error["argument"] == argument
        assert message in error["message"]
        found = conditions(client)
        assert found["total"] == 0
        assert found["current"]["source"] == "default"


@pytest.mark.parametrize("limit", ["0", "1001", "x", "-1", "1e3", "٣", "9" * 5000, ""])
def test_limits_that_are_none(limit: str) -> None:
    with asking(SERVED) as client:
        error = error_of(client.get(f"{PATH}?limit={limit}"), 422)
        assert error["argument"] == "limit"


@pytest.mark.parametrize("before", ["0", "x", "-1", "9" * 19, "9" * 5000, ""])
def test_places_in_the_history_that_are_none(before: str) -> None:
    with asking(SERVED) as client:
        error = error_of(client.get(f"{PATH}?before={before}"), 422)
        assert error["argument"] == "before"


def test_older_pages_of_the_history() -> None:
    with asking(SERVED) as client:
        for knob in range(5):
            put(client, question={"knob": knob / 10})

        def page(query: str) -> list[int]:
            found = conditions(client, query)
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
    with asking(SERVED) as client:
        assert error_of(client.get(PATH + query), 422)["argument"] == argument


def test_a_record_that_cannot_be_written_is_unavailable() -> None:
    with asking(SERVED) as client:
        with client.service.store._record.reading() as connection:
            connection.execute("PRAGMA query_only = ON")
        error = error_of(client.put(PATH, {"question": COSTS}), 503)
        assert error["code"] == "unavailable"
        assert client.decide(scores=ROW)["aim"]["source"] == "default"  # and deciding goes on


def test_an_aim_of_the_command_line_is_shown_but_not_recorded() -> None:

    with asking(SERVED, question=Question(**COSTS)) as client:
        found = conditions(client)
        assert found["current"]["source"] == "command line"
        assert (found["current"]["id"], found["total"]) == (None, 0)
        put(client, question={"max_fpr": 0.1}, replaces=None)
        assert conditions(client)["current"]["source"] == "operator"
        client.service.store.put_policy(Policy(source="command line"))  # a reset
        assert conditions(client)["current"]["source"] == "command line"


def weak() -> ServedModel:
    """Return a version that cannot meet a strict aim."""
    scores, y = judged()
    model = rocch.RocchClassifier([("rules", of_columns().named_estimators_["rules"])])
    return served(model.fit(scores, y), 3)


STRICT = {"max_fpr": 0.4, "min_tpr": 0.9}


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "service.sqlite"


def test_an_aim_reaches_other_processes(record: Path) -> None:
    with worker(record, SERVED) as one, worker(record, SERVED) as other:
        first = put(one, question=COSTS)["current"]
        assert one.decide(scores=ROW)["aim"] == aim_of("operator", 1)
        assert other.decide(scores=ROW)["aim"] == aim_of("default")
        other.service.refresh()
        assert other.decide(scores=ROW)["aim"] == aim_of("operator", 1)
        put(one, question={"max_fpr": 0.1})
        assert conditions(other)["current"] == conditions(one)["current"] != first
        assert other.decide(scores=ROW)["aim"] == aim_of("operator", 2)
        put(one, question={"max_fpr": 0.2})
        assert other.get("/v1/status").json()["aim"]["id"] == 3
        one.service.reset_policy()
        other.service.refresh()
        assert other.decide(scores=ROW)["aim"] == aim_of("default")
        error = error_of(other.put(PATH, {"question": COSTS, "replaces": 3}), 409)
        assert "null is in force" in error["message"]


def test_a_tuner_that_moved_leads_other_processes(record: Path) -> None:
    with worker(record, SERVED) as one, worker(record, SERVED) as other:
        put(one, question=COSTS, tuning="follow")
        other.service.refresh()
        for number, sender in enumerate((one, other, one)):
            load = {"event_id": str(number), "kind": "load", "alarms": 300, "capacity": 100}
            assert sender.post("/v1/feedback", load).status_code == 200
            one.service.refresh()
            other.service.refresh()
            found = [each.decide(scores=ROW) for each in (one, other)]
            assert found[0]["aim"] == found[1]["aim"] == aim_of("tuner", 1)
            assert found[0]["rule"] == found[1]["rule"]
            status = [each.get("/v1/status").json() for each in (one, other)]
            assert status[0]["tuner"] == status[1]["tuner"]
            assert len(status[0]["tuner"]["moves"]) == number + 1


def test_it_is_refreshed_while_the_service_runs(record: Path) -> None:
    with worker(record, SERVED) as one, worker(record, SERVED, refresh_seconds=0.0) as other:

        async def until_adopted() -> None:
            async with other.app.router.lifespan_context(other.app), asyncio.timeout(60):
                one.service.put_policy(Policy(question=Question(**COSTS)))
                while other.service.policy.id != 1 or other.service.store.max_age != 1.0:
                    await asyncio.sleep(0)

        other.wait(until_adopted())
        assert other.decide(scores=ROW)["aim"]["id"] == 1


def test_refreshing_survives_whatever_happens(
    record: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with worker(record, SERVED, refresh_seconds=0.0) as ask:
        store, tries = ask.service.store, []

        def fail(**_: bool) -> None:
            tries.append(1)
            raise RuntimeError("nobody expected this")

        monkeypatch.setattr(store, "refresh", fail)

        async def until_tried() -> None:
            async with ask.app.router.lifespan_context(ask.app), asyncio.timeout(60):
                while len(tries) < 3:
                    await asyncio.sleep(0)

        ask.wait(until_tried())
        assert "nobody expected this" in caplog.text
        then = store.clock() + 2
        store.clock = lambda: then
        assert ask.decide(scores=ROW)["aim"]["unconfirmed_since"] is not None


def test_an_aim_that_the_model_here_cannot_meet(record: Path) -> None:
    columns = {"rules": [1, 0]}
    with worker(record) as strong, worker(record, weak()) as other:
        put(strong, question={"max_fpr": 0.5})
        other.service.refresh()
        put(strong, question=STRICT)
        for _ in range(2):
            other.service.refresh()
            assert other.decide(scores=columns)["aim"] == aim_of("operator", 1)
        health = other.get("/v1/health", None).json()
        assert health["status"] == "degraded"
        assert health["problems"] == ["the newest aim is not in force here"]
        document = other.get("/v1/status").json()
        assert document["aim"]["id"] == 1
        (warned,) = document["warnings"]
        assert warned["code"] == "aim_pending"
        assert "cannot meet aim 2" in warned["message"]
        assert strong.get("/v1/health", None).json()["status"] == "ok"
        put(strong, question={"max_fpr": 0.6})  # the operator gives way
        other.service.refresh()
        assert other.decide(scores=columns)["aim"] == aim_of("operator", 3)
        assert other.get("/v1/health", None).json()["status"] == "ok"


def test_a_version_that_meets_the_newest_aim_puts_it_in_force(record: Path) -> None:
    with worker(record) as strong, worker(record, weak()) as other:
        put(strong, question=STRICT)
        other.service.refresh()
        assert other.decide(scores={"rules": [1]})["aim"] == aim_of("default")
        with pytest.raises(rocch.InfeasibleError):
            other.service.take_over(replace(weak(), version=4))  # the aim in force would be met
        assert other.service.served.version == 3
        other.service.take_over(served())
        assert (other.service.served.version, other.service.policy.id) == (7, 1)
        assert other.service.aim_problem is None
        assert other.service.problems == []


def test_what_cannot_be_met_is_not_tried_again_in_vain(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with worker(record) as strong, worker(record, weak()) as other:
        put(strong, question=STRICT)
        other.service.refresh()
        monkeypatch.setattr(Service, "active_policy", None)
        other.service.refresh()
        assert other.service.aim_problem is not None


def test_decisions_go_on_without_the_record(record: Path, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    with worker(record, SERVED, audit=audit) as ask:
        service = ask.service
        put(ask, question=COSTS, tuning="follow")
        load = {"event_id": "a", "kind": "load", "alarms": 300, "capacity": 100}
        assert ask.post("/v1/feedback", load).status_code == 200
        before = ask.get("/v1/status?page=true").json()
        service.store.clock = lambda: 0.0
        with cut_off(service.store) as away:
            service.refresh()
            aim = aim_of("tuner", 1)
            aim["unconfirmed_since"] = service.store.unconfirmed_since
            assert aim["unconfirmed_since"] is not None
            assert ask.decide(scores=ROW)["aim"] == aim
            assert json.loads(audit.read_text())["aim"] == aim
            assert ask.get("/v1/best").json()["aim"] == aim
            health = ask.get("/v1/health", None).json()
            assert health["status"] == "degraded"
            assert health["problems"] == ["the service's record cannot be reached"]
            found = ask.get("/v1/status?page=true")
            assert found.status_code == 200
            document = found.json()
            StatusDocument.model_validate(document)
            assert [warned["code"] for warned in document["warnings"]] == ["record_unreachable"]
            assert "/secret/place" not in found.text
            assert document["feedback"] == {"events": None, "recent": [], "observed": None}
            assert document["tuner"] == {**before["tuner"], "moves": []}
            for part in ("aim", "in_force", "model"):
                assert document[part] == before[part]
            metrics = ask.get("/metrics").text
            assert "rocch_record_reachable 0.0" in metrics
            assert "rocch_feedback_events" not in metrics
            for answer in (
                ask.post("/v1/feedback", {**load, "event_id": "b"}),
                ask.put(PATH, {"question": COSTS}),
                ask.get(PATH),
            ):
                assert error_of(answer, 503)["code"] == "unavailable"
                assert answer.headers["retry-after"] == "1"
            assert away.attempts == 1  # nobody else waited for it
        service.refresh()
        assert ask.decide(scores=ROW)["aim"] == aim_of("tuner", 1)
        assert ask.get("/v1/health", None).json()["status"] == "ok"
        assert "rocch_record_reachable 1.0" in ask.get("/metrics").text
        end_pause(service.store)
        put(ask, question=COSTS)


def test_no_decision_touches_the_record(record: Path) -> None:
    with worker(record, SERVED) as ask:
        put(ask, question=COSTS, tuning="follow")
        load = {"event_id": "a", "kind": "load", "alarms": 300, "capacity": 100}
        ask.post("/v1/feedback", load)
        ask.service.refresh()
        statements: list[str] = []
        for file in (ask.service.store._reader, ask.service.store._record):
            file._connection().set_trace_callback(statements.append)
        for more in ({}, {"question": {"max_fpr": 0.1}}, {"question": {"randomize": True}}):
            ask.decide(scores=ROW, row_keys=["a"], **more)
        ask.get("/v1/best")
        ask.get("/v1/health")
        assert statements == []
        ask.get("/v1/status")
        assert statements != []


def test_a_record_that_does_not_answer_leaves_models_their_threads(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered, begun = threading.Event(), threading.Semaphore(0)

    def wait(*_: Any) -> None:
        begun.release()
        answered.wait(60)

    monkeypatch.setattr("rocch.service.app.record_feedback", wait)
    monkeypatch.setattr("rocch.service.app.ROWS_AT_ONCE", 0)  # so that deciding needs a thread
    load = {"event_id": "a", "kind": "load", "alarms": 300, "capacity": 100}
    with worker(record, SERVED) as ask:

        async def decide_meanwhile() -> Any:
            async with asyncio.timeout(60):
                waiting = [
                    asyncio.create_task(
                        ask._client.post("/v1/feedback", json=load, headers=AS["caller"])
                    )
                    for _ in range(WORKERS + 1)
                ]
                for _ in range(WORKERS):
                    while not begun.acquire(blocking=False):
                        await asyncio.sleep(0)
                body = {"scores": ROW}
                decided = await ask._client.post("/v1/decide", json=body, headers=AS["caller"])
                answered.set()
                await asyncio.gather(*waiting)
                return decided

        assert ask.wait(decide_meanwhile()).status_code == 200


def test_at_most_half_of_all_requests_wait_for_the_record(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    monkeypatch.setattr("rocch.service.app.record_feedback", lambda *_: answered.wait(60))
    load = {"event_id": "a", "kind": "load", "alarms": 300, "capacity": 100}
    with worker(record, SERVED, max_requests=4) as ask:

        async def ask_meanwhile() -> list[Any]:
            def send(path: str, body: Any) -> Any:
                sent = ask._client.post(path, json=body, headers=AS["caller"])
                return asyncio.create_task(sent)

            async with asyncio.timeout(60):
                waiting = [send("/v1/feedback", load) for _ in range(2)]
                while ask.service._using_record < 2:
                    await asyncio.sleep(0)
                found = [
                    await send("/v1/feedback", load),
                    await send("/v1/decide", {"scores": ROW}),
                ]
                answered.set()
                return [*found, *await asyncio.gather(*waiting)]

        refused, decided, *others = ask.wait(ask_meanwhile())
        assert error_of(refused, 503)["code"] == "unavailable"
        assert refused.headers["retry-after"] == "1"
        assert [answer.status_code for answer in (decided, *others)] == [200] * 3


COLUMNS = judged(9, 50)[0].to_dict("list")


class Library:
    """A source whose newest version can be set, or made to fail."""

    noun, remedy = "the library", "Make another."

    def __init__(self, folder: Path) -> None:
        self.folder = self.path = self.state = folder
        self.current: Any = None
        self.looks = 0

    def close(self) -> None:
        pass

    def newest(self) -> Any:
        self.looks += 1
        if isinstance(self.current, Exception):
            raise self.current
        return self.current

    def export(self, model: Any, version: int, **more: Any) -> None:
        path = self.folder / f"{version}.rocch"
        digest = rocch.save(model, path, **more)
        self.current = Version(
            path, digest, "2026-03-02T09:00:00Z", "", version, read=path.read_bytes
        )


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def look(ask: Asking, watcher: Watcher) -> None:
    ask.wait(watcher.look())


def test_a_new_export_takes_over(library: Library) -> None:
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        look(ask, watcher)
        assert ask.decide(scores=COLUMNS)["model"]["version"] == 7
        new = of_columns(seed=2)
        library.export(new, 8)
        look(ask, watcher)
        response = ask.decide(scores=COLUMNS)
        assert response["model"] == {"version": 8, "sha256": library.current.sha256}
        assert response["rule"]["words"] == str(new.default_.rule)
        assert "rocch_model_swaps_total 1.0" in ask.get("/metrics").text
        assert "rocch_model_version 8.0" in ask.get("/metrics").text
        look(ask, watcher)
        assert "rocch_model_swaps_total 1.0" in ask.get("/metrics").text


def test_another_export_with_the_same_number_takes_over(library: Library) -> None:
    with asking() as ask:  # as of a library that was restored
        library.export(of_columns(seed=2), 7)
        look(ask, Watcher(ask.service, library))
        assert ask.decide(scores=COLUMNS)["model"]["sha256"] == library.current.sha256


def test_what_was_noticed_survives_an_export_of_the_same(library: Library) -> None:
    rows = judged(9, 300)[0].to_dict("list")
    with asking() as ask:
        ask.decide(scores=rows)
        library.export(of_columns(), 8)
        look(ask, Watcher(ask.service, library))
        assert ask.service.monitor.prevalence(ask.service.served).rows == 300
        library.export(of_columns(seed=2), 9)
        look(ask, Watcher(ask.service, library))
        assert ask.service.monitor.prevalence(ask.service.served).rows == 0


def refused(ask: Asking, watcher: Watcher, words: str) -> None:
    look(ask, watcher)
    pending = ask.service.pending
    assert pending is not None
    assert words in pending.problem
    response = ask.decide(scores=COLUMNS)
    assert response["model"]["version"] == 7
    health = ask.get("/v1/health", None).json()
    assert health["status"] == "degraded"
    assert health["problems"] == [pending.name]
    assert ask.get("/v1/status").json()["model"]["pending"] == pending._asdict()
    assert "rocch_model_pending 1.0" in ask.get("/metrics").text


def test_a_damaged_export_does_not(library: Library) -> None:
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        library.export(of_columns(seed=2), 8)
        library.current.path.write_bytes(b"no zip file")
        refused(ask, watcher, "8.rocch")
        gone = library.folder / "gone.rocch"
        library.current = replace(library.current, path=gone, sha256="1" * 64)
        refused(ask, watcher, "gone.rocch")


def test_types_that_nobody_vouched_for_do_not(library: Library) -> None:
    scores, y = judged()
    mine = FrozenEstimator(ColumnScores(0).fit(scores, y))
    model = rocch.RocchClassifier([("mine", mine)]).fit(scores, y)
    library.export(model, 8, trusted=["tests.support.columns.ColumnScores"])
    with asking() as ask:
        refused(
            ask,
            Watcher(ask.service, library),
            "start the service with trust in tests.support.columns.ColumnScores",
        )
    with asking(trusted=("tests.support.columns.ColumnScores",)) as ask:
        look(ask, Watcher(ask.service, library))
        assert ask.service.served.version == 8


def test_other_labels_do_not(library: Library) -> None:
    with asking() as ask:
        library.export(of_columns(labels=("good", "poor")), 8)
        refused(ask, Watcher(ask.service, library), "labels")


def test_an_aim_that_cannot_be_met_does_not(library: Library) -> None:
    weak = rocch.RocchClassifier([("rules", of_columns().named_estimators_["rules"])])
    scores, y = judged()
    library.export(weak.fit(scores, y), 8)
    strict = Question(max_fpr=0.4, min_tpr=0.9)
    with asking(question=strict) as ask:
        watcher = Watcher(ask.service, library)
        refused(ask, watcher, "")
        # the operator gives way, so it is tried again, and taken
        ask.put("/v1/conditions", {"question": {"max_fpr": 0.5}})
        look(ask, watcher)
        assert ask.service.served.version == 8
        assert ask.service.pending is None


def test_what_failed_is_not_tried_at_each_look(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials: list[int] = []

    def fail(version: Version, _trusted: Any = ()) -> None:
        trials.append(version.number)
        raise RuntimeError("no")

    monkeypatch.setattr(Version, "load", fail)
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        library.current = Version(library.path, "x", number=8)
        for _ in range(LOOKS_BETWEEN_TRIALS):
            look(ask, watcher)
        assert trials == [8]
        look(ask, watcher)
        assert trials == [8, 8]
        library.current = Version(library.path, "x", number=9)
        look(ask, watcher)
        assert trials == [8, 8, 9]
        library.current = Version(library.path, ask.service.served.sha256, number=7)  # taken back
        look(ask, watcher)
        assert ask.service.pending is None


def test_what_may_pass_is_tried_again_soon_and_then_ever_later(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def fail(_store: Store, _digest: str) -> NoReturn:
        tried.append(library.looks)
        raise NotTriedError("the record failed just now.")

    path = library.folder / "model.rocch"
    digest = rocch.save(of_columns(seed=2), path)
    library.current = Version(path, digest)
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        with monkeypatch.context() as failing:
            failing.setattr(Store, "number_version", fail)
            for _ in range(400):
                look(ask, watcher)
        assert tried[:8] == [1, 2, 4, 8, 16, 32, 64, 128]
        assert {later - before for before, later in pairwise(tried[8:])} == {LOOKS_BETWEEN_TRIALS}
        library.current = replace(library.current, number=8)  # another one is tried at once
        look(ask, watcher)
        assert ask.service.served.version == 8


def test_slow_requests_keep_no_new_version_and_no_news_waiting(library: Library) -> None:
    library.export(of_columns(seed=2), 8)
    with asking(workers=2, worker="web-1/0") as ask:
        service, released = ask.service, threading.Event()

        async def follow() -> None:
            loop = asyncio.get_running_loop()
            loop.set_default_executor(ThreadPoolExecutor(1))
            slow = loop.run_in_executor(None, released.wait, 60)
            try:
                async with asyncio.timeout(10):
                    await Watcher(service, library).look()
                    await service.fleet._try(service.fleet.write)
            finally:
                released.set()
                await slow

        ask.wait(follow())
        assert service.served.version == 8
        with service.store.reading() as db:
            assert db.execute("SELECT worker FROM workers").fetchall() == [("web-1/0",)]


def test_a_library_that_cannot_be_read(library: Library) -> None:
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        library.current = rocch.InputError("damaged")
        look(ask, watcher)
        assert ask.get("/v1/health").json()["problems"] == ["the library cannot be read"]
        assert ask.decide(scores=COLUMNS)["model"]["version"] == 7
        library.current = None
        look(ask, watcher)
        assert ask.get("/v1/health").json()["status"] == "ok"


def test_it_is_looked_at_while_the_service_runs(library: Library) -> None:
    with asking(source=library, watch_seconds=0.001) as ask:

        async def until_seen() -> None:
            async with ask.app.router.lifespan_context(ask.app):
                while library.looks < 3:
                    await asyncio.sleep(0)

        ask.wait(until_seen())
        assert library.looks >= 3


def test_a_request_keeps_the_export_that_it_took() -> None:
    new = served(of_columns(seed=2), 8)
    with asking() as ask:
        old = ask.service.served
        ask.service.take_over(new)
        assert ask.service.served is new
        assert old.version == 7
        assert old.rule_for(Question(knob=0.5)).point is not None


def test_a_service_that_cannot_start_leaves_its_folder_to_others(tmp_path: Path) -> None:
    record = tmp_path / "service.sqlite"
    record.write_bytes(b"no record of a service " * 100)
    audit = tmp_path / "audit.jsonl"
    with pytest.raises(StorageError, match="damaged"):
        Service(served(), record, TOKENS, Settings(audit=audit))
    record.unlink()
    Service(served(), record, TOKENS, Settings(audit=audit)).close()
