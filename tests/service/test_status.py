"""The status shows what is in force, what was noticed, and what calls for attention."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import rocch
from rocch import Question
from rocch.service import monitor
from rocch.service.feedback import TunerStatus
from rocch.service.monitor import PrevalenceNow
from rocch.service.policy import PendingExport
from rocch.service.responses import StatusDocument
from rocch.service.status import (
    Status,
    assumed_prevalence,
    prevalence_warnings,
    rate_warnings,
    tuner_warnings,
)
from rocch.stats import rate_interval
from tests.support.exported import scored_rows
from tests.support.exported import served as exported
from tests.support.serving import Asking, asking, error_of, judged

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.service.served import Served


SERVED = exported()


def status(client: Asking, role: str = "operator") -> Any:
    answer = client.get("/v1/status", role)
    assert answer.status_code == 200, answer.text
    document = answer.json()
    StatusDocument.model_validate(document)
    return document


def codes(document: Any) -> list[str]:
    return [warned["code"] for warned in document["warnings"]]


def test_a_new_service_is_calm() -> None:
    with asking(SERVED) as client:
        for role in ("viewer", "operator"):
            document = status(client, role)
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
    with asking(SERVED) as client:
        assert error_of(client.get("/v1/status", "caller"), 403)["code"] == "forbidden"
        assert error_of(client.get("/v1/status", None), 401)["code"] == "not_authorized"


def test_decisions_and_a_prevalence_that_left() -> None:
    with asking(SERVED) as client:
        scores, _ = scored_rows(4, 3000, 0.7)
        decided = client.decide(scores=scores)
        document = status(client)
        assert document["decisions"]["total"] == 3000
        assert document["decisions"]["per_minute"][-1] == 3000
        assert document["decisions"]["alarms"] == decided["alarms"]
        low, high = document["prevalence"]["interval"]
        assert low < 0.7 < high
        assert document["prevalence"]["model"] == "gbm"
        assert codes(document) == ["prevalence_left"]
        client.put("/v1/conditions", {"question": vague(prevalence=[0.5, 0.9])})
        document = status(client)
        assert document["prevalence"]["assumed"] == [0.5, 0.9]
        assert codes(document) == []


def vague(**change: Any) -> dict[str, Any]:
    return {"prevalence": 0.3, "false_positive": 1, "false_negative": 2, **change}


def test_feedback_that_contradicts_the_promise() -> None:
    with asking(SERVED) as client:
        scores, y = scored_rows(5, 2000, 0.3)
        body = {"event_id": "a", "kind": "outcomes", "scores": scores, "complete": True}
        assert client.post("/v1/feedback", {**body, "outcomes": y}).status_code == 200
        document = status(client)
        observed = document["feedback"]["observed"]
        assert observed["rows"] == 2000
        assert observed["positives"] == sum(y)
        promised = document["in_force"]["point"]
        assert observed["fpr"] == pytest.approx(promised["fpr"], abs=0.03)
        assert observed["tpr"] == pytest.approx(promised["tpr"], abs=0.06)
        assert codes(document) == []
        wrong = [1 - outcome for outcome in y]
        client.post("/v1/feedback", {**body, "event_id": "b", "outcomes": wrong})
        document = status(client)
        assert codes(document) == ["fpr_contradicted", "tpr_contradicted"]
        assert [event["event_id"] for event in document["feedback"]["recent"]] == ["b", "a"]
        # another aim is another rule, of which nothing was observed yet
        client.put("/v1/conditions", {"question": vague()})
        assert status(client)["feedback"]["observed"] is None


def test_a_tuner_that_follows() -> None:
    with asking(SERVED) as client:
        aimed = client.put("/v1/conditions", {"question": vague(), "tuning": "follow"}).json()
        before = status(client)
        assert before["in_force"]["source"] == "operator"
        assert before["tuner"]["position"] == aimed["point"]["knob"]
        load = {"event_id": "a", "kind": "load", "alarms": 300, "capacity": 100}
        receipt = client.post("/v1/feedback", load).json()
        after = status(client)
        assert after["in_force"]["source"] == "tuner"
        assert after["in_force"]["point"]["knob"] == receipt["reaction"]["position"]
        assert after["tuner"]["setting"] == after["tuner"]["position"]
        assert after["tuner"]["moves"][0]["to"] == receipt["reaction"]["position"]
        assert client.decide(scores={"nb": [0.5], "gbm": [0.5]})["aim"] == {
            "source": "tuner",
            "id": 1,
        }


def test_a_coin_has_no_standard_sql() -> None:
    with asking(SERVED) as client:
        client.put("/v1/conditions", {"question": {"max_fpr": 0.1, "randomize": True}})
        document = status(client)
        assert len(document["in_force"]["point"]["mix"]) == 2
        assert document["in_force"]["sql"] is None


def test_an_export_that_waits_and_an_audit_that_fails(tmp_path: Path) -> None:
    with asking(SERVED, audit=tmp_path / "audit.jsonl") as client:
        client.service.pending = PendingExport(8, "its file is damaged.")
        document = status(client)
        assert document["library"]["pending"] == {"version": 8, "problem": "its file is damaged."}
        assert codes(document) == ["export_pending"]
        assert client.service.audit is not None
        client.service.audit.path = tmp_path  # which is no file
        client.service.audit.reopen()
        client.service.store.problem = "the disk is full"
        document = status(client)
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
    with asking(SERVED) as client:
        newer = exported(version=2, seed=5)
        found = monitor.Monitor.prevalence

        def swapping(self: Any, export: Served) -> Any:
            client.service.served = newer
            return found(self, export)

        monkeypatch.setattr(monitor.Monitor, "prevalence", swapping)
        look = Status(client.service)
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


HULL = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [1, 2, 2, 3]})
PROMISED = replace(HULL.best(Question(knob=0.5)), fpr=0.1, tpr=0.8)
INTERVALS = (rate_interval(100, 1000, confidence=0.99), rate_interval(400, 500, confidence=0.99))
FITTING = PrevalenceNow(estimated=0.3, interval=(0.27, 0.33), rows=5000, model="nb")
TUNER = TunerStatus(
    mode="advise",
    position=0.4,
    start=0.4,
    step=0.1,
    setting=0.4,
    broken_limit=None,
    at_end=None,
    moves=(),
)


def warnings_of(**change: Any) -> list[tuple[str, str]]:
    """Return the warnings of a calm situation with some changes."""
    calm: dict[str, Any] = {
        "assumed": (0.3, 0.3),
        "prevalence": FITTING,
        "observed": None,
        "tuner": TUNER,
    }
    now = calm | change
    return [
        *prevalence_warnings(now["prevalence"], now["assumed"]),
        *rate_warnings(PROMISED, INTERVALS, now["observed"]),
        *tuner_warnings(now["tuner"]),
    ]


def codes_of(**change: Any) -> list[str]:
    return [code for code, _ in warnings_of(**change)]


def message(**change: Any) -> str:
    ((_, found),) = warnings_of(**change)
    return found


def test_nothing_to_warn_of() -> None:
    assert codes_of() == []


@pytest.mark.parametrize(
    ("assumed", "left"),
    [
        ((0.1, 0.2), True),
        ((0.1, 0.27), False),  # they touch
        ((0.1, 0.28), False),
        ((0.33, 0.5), False),
        ((0.34, 0.5), True),
        ((0.28, 0.28), False),
        ((0.26, 0.26), True),
        (None, False),
    ],
)
def test_the_prevalence_left_the_interval(assumed: Any, left: bool) -> None:
    assert codes_of(assumed=assumed) == (["prevalence_left"] if left else [])


def test_its_words() -> None:
    assert message(assumed=(0.1, 0.2)) == (
        "The estimated prevalence left your interval: 0.3 (0.27 to 0.33) by the scores of nb on "
        "the last 5,000 rows, and you assumed 0.1 to 0.2."
    )
    assert message(assumed=(0.1, 0.1)).startswith("The estimated prevalence left your assumption")
    assert message(assumed=(0.1, 0.1)).endswith("and you assumed 0.1.")


def test_without_an_estimate_there_is_nothing_to_compare() -> None:
    assert codes_of(prevalence=PrevalenceNow(problem="12 rows so far"), assumed=(0.9, 0.9)) == []


def test_an_estimate_that_does_not_fit_is_no_ground_for_leaving_an_interval() -> None:
    strange = replace(FITTING, problem="by the scores of nb, more has changed")
    assert codes_of(prevalence=strange, assumed=(0.9, 0.9)) == ["scores_do_not_fit"]
    assert "more has changed. Its rates may not hold" in message(prevalence=strange)


def observed(fp: float, negatives: int, tp: float, positives: int) -> dict[str, Any]:
    fpr, tpr = fp / negatives if negatives else None, tp / positives if positives else None
    return {"negatives": negatives, "positives": positives, "fpr": fpr, "tpr": tpr}


@pytest.mark.parametrize(
    ("seen", "wanted"),
    [
        (observed(10, 100, 80, 100), []),
        (observed(15, 100, 70, 100), []),  # chance does as much
        (observed(400, 2000, 80, 100), ["fpr_contradicted"]),
        (observed(100, 1000, 300, 500), ["tpr_contradicted"]),
        (observed(10, 2000, 480, 480), ["fpr_contradicted", "tpr_contradicted"]),
        (observed(0, 0, 80, 100), []),
        (observed(10, 100, 0, 0), []),
    ],
)
def test_observed_rates_that_contradict_the_promise(
    seen: dict[str, Any], wanted: list[str]
) -> None:
    assert codes_of(observed=seen) == wanted


def test_their_words() -> None:
    assert message(observed=observed(400, 2000, 80, 100)) == (
        "Complete feedback contradicts the promised FPR: 0.2 of 2,000 rows (0.177 to 0.224), and "
        "0.1 (0.077 to 0.127) was promised."
    )


def test_a_tuner_that_advises() -> None:
    assert message(tuner=replace(TUNER, position=0.3)) == (
        "Feedback speaks for another setting: turn the knob by 0.1 to the left, to fewer alarms, "
        "from 0.4 to 0.3."
    )
    assert "0.2 to the right, to more alarms" in message(tuner=replace(TUNER, position=0.6))


def test_a_tuner_that_leads_needs_no_advice() -> None:
    assert codes_of(tuner=replace(TUNER, mode="follow", position=0.3)) == []


def test_a_tuner_at_its_end_and_beyond_a_limit() -> None:
    end = replace(TUNER, mode="follow", position=0.0, at_end="left")
    assert codes_of(tuner=end) == ["tuner_at_end"]
    # where the aim itself stands at the end, nobody turned the knob there
    assert codes_of(tuner=replace(end, start=0.0)) == []
    limit = "an FPR of 0.2, above the limit of 0.1"
    beyond = replace(TUNER, mode="follow", position=0.6, broken_limit=limit)
    assert codes_of(tuner=beyond) == ["tuner_beyond_limit"]
    assert limit in message(tuner=beyond)


def test_without_a_tuner_there_is_nothing_to_say_about_it() -> None:
    assert codes_of(tuner=None) == []
