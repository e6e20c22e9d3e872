"""The status says what is in force, what was noticed, and what calls for attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rocch import Question
from rocch.service import monitor
from rocch.service.policy import PendingExport
from rocch.service.responses import StatusDocument
from rocch.service.status import Status, assumed_prevalence
from tests.support.exported import scored_rows
from tests.support.exported import served as exported
from tests.support.serving import Asking, asking, error_of, judged

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.service.served import Served

SERVED = exported()
EXAMPLE = StatusDocument.model_json_schema()["examples"][0]


def status(asked: Asking, role: str = "operator") -> Any:
    answer = asked.get("/v1/status", role)
    assert answer.status_code == 200, answer.text
    document = answer.json()
    StatusDocument.model_validate(document)
    _same_shape(document, EXAMPLE, "status")
    return document


def _same_shape(found: Any, example: Any, place: str) -> None:
    """Hold the names of a document against those of the example; what may be null may be."""
    free = ("status.aim.question", "status.page")
    if isinstance(found, dict) and isinstance(example, dict) and place not in free:
        assert set(found) == set(example), place
        for name in found:
            _same_shape(found[name], example[name], f"{place}.{name}")


def codes(document: Any) -> list[str]:
    return [warned["code"] for warned in document["warnings"]]


def test_a_new_service_is_calm() -> None:
    with asking(SERVED) as asked:
        for role in ("viewer", "operator"):
            document = status(asked, role)
            assert document["role"] == role
        assert document["aim"]["source"] == document["in_force"]["source"] == "default"
        assert document["library"]["classifiers"] == ["gbm", "nb"]
        rows = document["library"]["judged"]
        assert rows["negatives"] + rows["positives"] == 2000
        assert document["prevalence"]["assumed"] == [SERVED.hull.totals.prevalence] * 2
        assert document["prevalence"]["problem"].startswith("0 rows")
        assert document["feedback"] == {"events": 0, "recent": [], "observed": None}
        assert document["tuner"] is None
        assert document["warnings"] == []
        assert document["in_force"]["sql"].startswith("CASE WHEN")


def test_callers_and_strangers_see_nothing() -> None:
    with asking(SERVED) as asked:
        assert error_of(asked.get("/v1/status", "caller"), 403)["code"] == "forbidden"
        assert error_of(asked.get("/v1/status", None), 401)["code"] == "not_authorized"


def test_decisions_and_a_prevalence_that_left() -> None:
    with asking(SERVED) as asked:
        scores, _ = scored_rows(4, 3000, 0.7)
        decided = asked.decide(scores=scores)
        document = status(asked)
        assert document["decisions"]["total"] == 3000
        assert document["decisions"]["per_minute"][-1] == 3000
        assert document["decisions"]["alarms"] == decided["alarms"]
        low, high = document["prevalence"]["interval"]
        assert low < 0.7 < high
        assert document["prevalence"]["model"] == "gbm"
        assert codes(document) == ["prevalence_left"]
        asked.put("/v1/conditions", {"question": vague(prevalence=[0.5, 0.9])})
        document = status(asked)
        assert document["prevalence"]["assumed"] == [0.5, 0.9]
        assert codes(document) == []


def vague(**change: Any) -> dict[str, Any]:
    return {"prevalence": 0.3, "false_positive": 1, "false_negative": 2, **change}


def test_feedback_that_contradicts_the_promise() -> None:
    with asking(SERVED) as asked:
        scores, y = scored_rows(5, 2000, 0.3)
        body = {"event_id": "a", "kind": "outcomes", "scores": scores, "complete": True}
        assert asked.post("/v1/feedback", {**body, "outcomes": y}).status_code == 200
        document = status(asked)
        observed = document["feedback"]["observed"]
        assert observed["rows"] == 2000
        assert observed["positives"] == sum(y)
        promised = document["in_force"]["point"]
        assert observed["fpr"] == pytest.approx(promised["fpr"], abs=0.03)
        assert observed["tpr"] == pytest.approx(promised["tpr"], abs=0.06)
        assert codes(document) == []
        wrong = [1 - outcome for outcome in y]
        asked.post("/v1/feedback", {**body, "event_id": "b", "outcomes": wrong})
        document = status(asked)
        assert codes(document) == ["fpr_contradicted", "tpr_contradicted"]
        assert [event["event_id"] for event in document["feedback"]["recent"]] == ["b", "a"]
        # another aim is another rule, of which nothing was observed yet
        asked.put("/v1/conditions", {"question": vague()})
        assert status(asked)["feedback"]["observed"] is None


def test_a_tuner_that_follows() -> None:
    with asking(SERVED) as asked:
        aimed = asked.put("/v1/conditions", {"question": vague(), "tuning": "follow"}).json()
        before = status(asked)
        assert before["in_force"]["source"] == "operator"
        assert before["tuner"]["position"] == aimed["point"]["knob"]
        load = {"event_id": "a", "kind": "load", "alarms": 300, "capacity": 100}
        told = asked.post("/v1/feedback", load).json()
        after = status(asked)
        assert after["in_force"]["source"] == "tuner"
        assert after["in_force"]["point"]["knob"] == told["reaction"]["position"]
        assert after["tuner"]["setting"] == after["tuner"]["position"]
        assert after["tuner"]["moves"][0]["to"] == told["reaction"]["position"]
        assert asked.decide(scores={"nb": [0.5], "gbm": [0.5]})["aim"] == {
            "source": "tuner",
            "id": 1,
        }


def test_a_coin_has_no_standard_sql() -> None:
    with asking(SERVED) as asked:
        asked.put("/v1/conditions", {"question": {"max_fpr": 0.1, "randomize": True}})
        document = status(asked)
        assert len(document["in_force"]["point"]["mix"]) == 2
        assert document["in_force"]["sql"] is None


def test_an_export_that_waits_and_an_audit_that_fails(tmp_path: Path) -> None:
    with asking(SERVED, audit=tmp_path / "audit.jsonl") as asked:
        asked.service.pending = PendingExport(8, "its file is damaged.")
        document = status(asked)
        assert document["library"]["pending"] == {"version": 8, "problem": "its file is damaged."}
        assert codes(document) == ["export_pending"]
        assert asked.service.audit is not None
        asked.service.audit.path = tmp_path  # which is no file
        asked.service.audit.reopen()
        asked.service.store.problem = "the disk is full"
        document = status(asked)
        assert codes(document) == ["audit_failing", "record_failing", "export_pending"]
        messages = [warned["message"] for warned in document["warnings"]]
        assert messages[1] == "The disk is full"
        assert messages[2].startswith("Export 8 is not in service")


@pytest.mark.parametrize(
    ("stated", "assumed"),
    [
        (vague(prevalence=[0.1, 0.2]), (0.1, 0.2)),
        (vague(prevalence=0.25), (0.25, 0.25)),
        (vague(prevalence="observed"), (SERVED.hull.totals.prevalence,) * 2),
        (
            {"negatives_per_positive": 3, "false_positive": 1, "false_negative": 1},
            (0.25, 0.25),
        ),
        ({"max_share": 0.1}, (SERVED.hull.totals.prevalence,) * 2),
        ({"max_fpr": 0.1}, None),
        ({"knob": 0.3}, None),
        ({"capacity": 10, "positives": 20, "negatives": 80}, (0.2, 0.2)),
    ],
)
def test_the_prevalence_that_an_aim_assumes(stated: Any, assumed: Any) -> None:
    question = Question(**stated)
    found = assumed_prevalence(SERVED, SERVED.rule_for(question))
    assert found == (None if assumed is None else pytest.approx(assumed))


def test_the_status_looks_at_one_export_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A swap between two parts of the document must not mix them."""
    with asking(SERVED) as asked:
        newer = exported(version=2, seed=5)
        found = monitor.Monitor.prevalence

        def swapping(self: Any, export: Served) -> Any:
            asked.service.served = newer
            return found(self, export)

        monkeypatch.setattr(monitor.Monitor, "prevalence", swapping)
        look = Status(asked.service)
        document = look.document("viewer", "now")
        assert document["library"]["version"] == 1
        assert document["in_force"]["rule"] == SERVED.rule_for(look.policy.question).words


def test_a_coin_in_force_is_warned_of_where_callers_would_be_refused() -> None:
    rows = judged(9, 20)[0].to_dict("list")
    with asking(question=Question(max_fpr=0.071, randomize=True)) as ask:
        found = ask.get("/v1/status").json()["warnings"]
        assert {
            "code": "coin",
            "message": "Decisions toss a coin: callers must send row_keys, and are refused (422) "
            "without.",
        } in found
        assert ask.refused("/v1/decide", {"scores": rows})["argument"] == "row_keys"
        assert ask.decide(scores=rows, row_keys=list(range(20)))
    with asking(question=Question(max_fpr=0.071)) as ask:
        assert "coin" not in codes(ask.get("/v1/status").json())
        assert ask.decide(scores=rows)
