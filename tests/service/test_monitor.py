"""The monitor notices what goes on, and the status shows it with what calls for attention."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch import Question
from rocch.service import monitor as module
from rocch.service.feedback import TunerStatus
from rocch.service.monitor import (
    FEWEST_ROWS,
    MINUTES,
    SECONDS_BETWEEN,
    Activity,
    Monitor,
    PrevalenceEstimate,
    Status,
    assumed_prevalence,
    prevalence_warnings,
    rate_warnings,
    tuner_warnings,
)
from rocch.service.policy import PendingVersion
from rocch.service.responses import StatusDocument
from rocch.stats import rate_interval
from tests.support.exported import again, scored_rows, served
from tests.support.serving import Asking, aim_of, asking, error_of, judged

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.service.served import ServedModel


@given(st.lists(st.tuples(st.floats(0, 4000), st.integers(0, 50)), max_size=30))
def test_each_minute_holds_its_own_counts(steps: list[tuple[float, int]]) -> None:
    activity, now = Activity(), 0.0
    rows: Counter[int] = Counter()
    for passed, size in steps:
        now += passed
        activity.add(now, rows=size, alarms=size // 2)
        rows[int(now // 60)] += size
    last = int(now // 60)
    found = activity.counts(now)
    assert found["per_minute"] == [rows[minute] for minute in range(last - MINUTES + 1, last + 1)]
    assert found["total"] == sum(size for _, size in steps)
    assert found["alarms"] == sum(size // 2 for _, size in steps)
    assert found["requests"] == len(steps)


def test_an_hour_later_minutes_are_empty_and_totals_stay() -> None:
    activity = Activity()
    activity.add(59.0, rows=10, alarms=3)
    assert activity.counts(60.0)["per_minute"][-2:] == [10, 0]
    assert activity.counts(60.0)["alarms_per_minute"][-2:] == [3, 0]
    assert activity.counts(59 * 60.0)["per_minute"] == [10] + [0] * 59
    late = activity.counts(60 * 60.0)
    assert late == {
        "total": 10,
        "alarms": 3,
        "referred": 0,
        "requests": 1,
        "per_minute": [0] * MINUTES,
        "alarms_per_minute": [0] * MINUTES,
    }


def test_a_clock_that_goes_back_does_no_harm() -> None:
    activity = Activity()
    activity.add(600.0, rows=5, alarms=0)
    activity.add(10.0, rows=2, alarms=0)
    assert activity.counts(600.0)["per_minute"][-1] == 7


SERVED = served()


class Clock:
    """A clock that is turned by hand."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


def columns(seed: int, size: int, prevalence: float) -> dict[str, Any]:
    scores, _ = scored_rows(seed, size, prevalence)
    return {name: np.array(column) for name, column in scores.items()}


def test_decisions_are_counted_by_its_clock() -> None:
    clock = Clock()
    monitor = Monitor(clock=clock)
    monitor.add(10, 3)
    clock.time = 61
    monitor.add(20, 4)
    found = monitor.decisions()
    assert (found["total"], found["alarms"], found["requests"]) == (30, 7, 2)
    assert found["per_minute"][-2:] == [10, 20]


def test_few_rows_make_no_estimate() -> None:
    monitor = Monitor(clock=Clock())
    nothing = monitor.prevalence(SERVED)
    assert nothing.estimated is None
    assert nothing.problem == f"0 rows with scores so far, {FEWEST_ROWS} are needed"
    clock = Clock()
    monitor = Monitor(clock=clock)
    monitor.add(150, 0, columns(1, 150, 0.3))
    few = monitor.prevalence(SERVED)
    assert (few.estimated, few.rows) == (None, 150)


@pytest.mark.parametrize("prevalence", [0.05, 0.3, 0.7])
def test_the_prevalence_is_found(prevalence: float) -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(3000, 0, columns(2, 3000, prevalence))
    found = monitor.prevalence(SERVED)
    assert found.problem is None
    assert (found.rows, found.model) == (3000, "gbm")
    assert found.interval is not None
    assert found.interval[0] < prevalence < found.interval[1]
    # the same as asking for it directly
    curve = SERVED.hybrid.reference_curve("gbm")
    scores = columns(2, 3000, prevalence)["gbm"]
    direct = rocch.stats.estimate_prevalence(curve, scores, confidence=0.99, significance=0.001)
    assert (found.estimated, found.interval) == (direct.prevalence, tuple(direct.interval))


def test_the_best_model_with_enough_rows_is_asked() -> None:
    monitor = Monitor(clock=Clock())
    scores = columns(3, 400, 0.3)
    monitor.add(400, 0, {"nb": scores["nb"]})
    monitor.add(100, 0, {"gbm": scores["gbm"][:100]})
    assert monitor.prevalence(SERVED).model == "nb"


def test_only_the_last_rows_count() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(6000, 0, columns(4, 6000, 0.9))
    for part in range(10):
        monitor.add(500, 0, columns(5 + part, 500, 0.1))
    found = monitor.prevalence(SERVED)
    assert found.rows == module.WINDOW
    assert found.estimated == pytest.approx(0.1, abs=0.03)


def test_it_is_estimated_anew_only_after_a_while() -> None:
    clock = Clock()
    monitor = Monitor(clock=clock)
    monitor.add(500, 0, columns(6, 500, 0.3))
    first = monitor.prevalence(SERVED)
    monitor.add(500, 0, columns(7, 500, 0.3))
    clock.time = SECONDS_BETWEEN - 0.1
    assert monitor.prevalence(SERVED) is first
    clock.time = SECONDS_BETWEEN
    assert monitor.prevalence(SERVED).rows == 1000


def test_scores_that_do_not_fit_are_not_trusted() -> None:
    monitor = Monitor(clock=Clock())
    scores = columns(8, 3000, 0.3)
    monitor.add(3000, 0, {"gbm": 3 * scores["gbm"] - 2})
    found = monitor.prevalence(SERVED)
    assert found.estimated is not None
    assert found.problem is not None
    assert found.problem.startswith("by the scores of gbm, more than the prevalence has changed")


def test_a_new_export_starts_anew() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(500, 0, columns(9, 500, 0.9), version=1)
    assert monitor.prevalence(SERVED).rows == 500
    newer = again(SERVED, 2)
    assert monitor.prevalence(newer).rows == 0  # although no ten seconds have passed
    monitor.replace_model(SERVED, newer)
    monitor._scores.clear()
    monitor.add(300, 0, columns(10, 300, 0.3), version=2)
    monitor.add(300, 0, columns(11, 300, 0.9), version=1)  # a late request of the old one
    assert len(monitor._scores["gbm"]) == 300
    assert monitor.decisions()["total"] == 1100


def test_a_version_may_come_back() -> None:
    monitor, other = Monitor(clock=Clock()), served(version=2, seed=5)
    monitor.add(500, 0, columns(9, 500, 0.9), version=1)
    monitor.replace_model(SERVED, other)
    monitor.add(300, 0, columns(10, 300, 0.3), version=2)
    monitor.replace_model(other, SERVED)
    monitor.add(300, 0, columns(10, 300, 0.3), version=2)  # a late request of the other one
    monitor.add(400, 0, columns(10, 400, 0.3), version=1)
    assert monitor.prevalence(SERVED).rows == 400


def test_labels_are_no_scores() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(2, 1, {"rules": np.array(["yes", "no"]), "flags": np.array([True, False])})
    assert not monitor._scores


def test_an_export_without_curves_says_so() -> None:
    bare = SimpleNamespace(version=1, reference_curves={})
    found = Monitor(clock=Clock()).prevalence(bare)  # type: ignore[arg-type]
    assert found.problem == module.NO_CURVE


def test_an_estimate_that_is_refused_becomes_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise rocch.UndefinedError("the prevalence is undefined")

    monkeypatch.setattr(module, "estimate_prevalence", refuse)
    monitor = Monitor(clock=Clock())
    monitor.add(300, 0, columns(1, 300, 0.3))
    found = monitor.prevalence(SERVED)
    assert (found.estimated, found.problem) == (None, "the prevalence is undefined")
    assert (found.rows, found.model) == (300, "gbm")


def test_threads_lose_no_decision() -> None:
    monitor = Monitor(clock=Clock())
    scores = columns(1, 10, 0.3)

    def work() -> None:
        for _ in range(300):
            monitor.add(10, 1, scores)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = monitor.decisions()
    assert (found["total"], found["alarms"], found["requests"]) == (12_000, 1200, 1200)
    assert len(monitor._scores["nb"]) == module.WINDOW


def test_scores_stay_of_use_where_a_curve_stays_the_same() -> None:
    monitor = Monitor(clock=Clock())
    monitor.add(500, 0, columns(9, 500, 0.3), version=1)
    same = again(SERVED, 2)
    monitor.replace_model(SERVED, same)
    assert monitor.prevalence(same).rows == 500
    monitor.add(300, 0, columns(11, 300, 0.3), version=2)
    monitor.add(300, 0, columns(12, 300, 0.3), version=1)  # a late request of the old one
    other = served(version=3, seed=5)
    monitor.replace_model(same, again(SERVED, 4))
    assert monitor.prevalence(again(SERVED, 4)).rows == 800
    monitor.replace_model(again(SERVED, 4), again(other, 5))
    assert monitor.prevalence(again(other, 5)).rows == 0


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
        assert document["model"]["classifiers"] == ["gbm", "nb"]
        rows = document["model"]["judged"]
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
        assert client.decide(scores={"nb": [0.5], "gbm": [0.5]})["aim"] == aim_of("tuner", 1)


def test_a_coin_has_no_standard_sql() -> None:
    with asking(SERVED) as client:
        client.put("/v1/conditions", {"question": {"max_fpr": 0.1, "randomize": True}})
        document = status(client)
        assert len(document["in_force"]["point"]["mix"]) == 2
        assert document["in_force"]["sql"] is None


def test_an_export_that_waits_and_an_audit_that_fails(tmp_path: Path) -> None:
    with asking(SERVED, audit=tmp_path / "audit.jsonl") as client:
        client.service.pending = PendingVersion("version 8", "its file is damaged.")
        document = status(client)
        assert document["model"]["pending"] == {
            "name": "version 8",
            "problem": "its file is damaged.",
        }
        assert codes(document) == ["version_pending"]
        assert client.service.audit is not None
        client.service.audit.path = tmp_path  # which is no file
        client.service.audit.reopen()
        client.service.store.problem = "the disk is full"
        document = status(client)
        assert codes(document) == ["audit_failing", "record_failing", "version_pending"]
        messages = [warned["message"] for warned in document["warnings"]]
        assert messages[1] == "The disk is full"
        assert messages[2].startswith("Version 8 is not in service")


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
        newer = served(version=2, seed=5)
        found = Monitor.prevalence

        def swapping(self: Any, export: ServedModel) -> Any:
            client.service.take_over(newer)
            return found(self, export)

        monkeypatch.setattr(Monitor, "prevalence", swapping)
        look = Status(client.service)
        document = look.document("viewer", "now")
        assert document["model"]["version"] == 1
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
FITTING = PrevalenceEstimate(estimated=0.3, interval=(0.27, 0.33), rows=5000, model="nb")
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
    assert (
        codes_of(prevalence=PrevalenceEstimate(problem="12 rows so far"), assumed=(0.9, 0.9)) == []
    )


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
        "Feedback speaks for another setting: turn the knob by 0.1, to fewer alarms: "
        "from 0.4 to 0.3."
    )
    assert "0.2, to more alarms" in message(tuner=replace(TUNER, position=0.6))


def test_a_tuner_that_leads_needs_no_advice() -> None:
    assert codes_of(tuner=replace(TUNER, mode="follow", position=0.3)) == []


def test_a_tuner_at_its_end_and_beyond_a_limit() -> None:
    end = replace(TUNER, mode="follow", position=0.0, at_end="fewest alarms")
    assert codes_of(tuner=end) == ["tuner_at_end"]
    # where the aim itself stands at the end, nobody turned the knob there
    assert codes_of(tuner=replace(end, start=0.0)) == []
    limit = "an FPR of 0.2, above the limit of 0.1"
    beyond = replace(TUNER, mode="follow", position=0.6, broken_limit=limit)
    assert codes_of(tuner=beyond) == ["tuner_beyond_limit"]
    assert limit in message(tuner=beyond)


def test_without_a_tuner_there_is_nothing_to_say_about_it() -> None:
    assert codes_of(tuner=None) == []
