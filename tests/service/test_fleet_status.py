"""The workers of one record are heard of, added up and compared, beside deciding."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from socket import gethostname
from typing import TYPE_CHECKING, Any

import pytest

from rocch import StorageError
from rocch.service import fleet
from rocch.service.fleet import Fleet, WorkerState, add_decisions, fleet_warnings
from rocch.service.monitor import Monitor
from rocch.service.page import make_page
from rocch.service.served import now
from tests.support.service_stand_in import StandIn
from tests.support.serving import Asking, asking, judged, served

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = judged(9, 20)[0].to_dict("list")
MORNING = "2026-03-02T09:00:00.000Z"
COUNTS: dict[str, Any] = {
    "total": 100,
    "alarms": 20,
    "referred": 3,
    "requests": 10,
    "per_minute": [0] * 58 + [60, 40],
    "alarms_per_minute": [0] * 58 + [12, 8],
}
STATE = WorkerState(
    worker="web-1/1",
    at=MORNING,
    started_at=MORNING,
    model_version=7,
    sha256="ab",
    aim_id=None,
    since=MORNING,
    minute=1000,
    decisions=COUNTS,
    problems=[],
)


def later(at: str, seconds: float) -> str:
    moved = datetime.fromisoformat(at) + timedelta(seconds=seconds)
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = MORNING

    def __call__(self) -> str:
        return self.at

    def wait(self, seconds: float) -> None:
        self.at = later(self.at, seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ask(clock: Clock) -> Iterator[Asking]:
    with asking(workers=2, worker="web-1/0") as running:
        running.service.fleet = Fleet(running.service, clock=clock)
        running.service.monitor = Monitor(clock=lambda: 0.0)
        yield running


def join(ask: Asking, state: WorkerState) -> None:
    """Let another worker say something, in the record of a service."""
    other = Fleet(ask.service)
    other.state = lambda: state  # type: ignore[method-assign]
    other.write()


def rows(ask: Asking) -> dict[str, str]:
    with closing(sqlite3.connect(str(ask.service.store.place))) as db:
        return dict(db.execute("SELECT worker, at FROM workers"))


def test_alone_nothing_is_written_or_read() -> None:
    with asking(worker="web-1/0") as ask:

        async def live() -> None:
            async with ask.app.router.lifespan_context(ask.app):
                await asyncio.sleep(0)

        join(ask, replace(STATE, at=now()))  # of a time when there were several
        ask.wait(live())
        ask.decide(scores=COLUMNS)
        document = ask.get("/v1/status?page=true").json()
        (worker,) = document["workers"]
        del worker["at"]
        assert worker == {
            "name": "web-1/0",
            "model_version": 7,
            "aim_id": None,
            "is_this": True,
            "problems": [],
        }
        assert document["decisions"]["total"] == 20
        assert document["page"]["parts"]["workers"] == []
        assert list(rows(ask)) == ["web-1/1"]


def test_the_status_adds_up_all_who_are_alive(ask: Asking) -> None:
    ask.decide(scores=COLUMNS)
    own = ask.service.monitor.decisions()
    mine = replace(STATE, sha256=f"{7:064x}", minute=0)  # the same model
    join(ask, mine)
    join(ask, replace(mine, at=later(MORNING, -60), worker="web-2/0"))
    join(ask, replace(mine, at=later(MORNING, -60.1), worker="web-3/0"))
    document = ask.get("/v1/status?page=true").json()
    names = ["web-1/0", "web-1/1", "web-2/0"]
    assert [worker["name"] for worker in document["workers"]] == names
    assert [worker["is_this"] for worker in document["workers"]] == [True, False, False]
    for name in ("total", "alarms", "referred", "requests"):
        assert document["decisions"][name] == own[name] + 2 * COUNTS[name]
    assert sum(document["decisions"]["per_minute"]) == 220
    assert document["warnings"] == []
    words = "3 workers decide, all by version 7 and no operator's aim."
    assert document["page"]["parts"]["workers"] == [words]


def test_while_the_record_is_away_those_heard_of_before_count(
    ask: Asking, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise StorageError("the record is away.")

    join(ask, STATE)
    own = ask.service.fleet
    own.workers()
    monkeypatch.setattr(ask.service.store, "reading", fail)
    clock.wait(60)
    assert [worker.worker for worker in own.workers()] == ["web-1/0", "web-1/1"]
    clock.wait(0.1)
    assert [worker.worker for worker in own.workers()] == ["web-1/0"]


def test_minutes_are_those_of_the_clock() -> None:
    before = replace(STATE, minute=998)
    long_ago = replace(STATE, minute=1000 - 60)
    ahead = replace(STATE, minute=1001)
    assert add_decisions([STATE])["per_minute"][-3:] == [0, 60, 40]
    assert add_decisions([STATE, before])["per_minute"][-4:] == [60, 40, 60, 40]
    assert add_decisions([long_ago, STATE])["per_minute"] == [0] * 58 + [60, 40]
    assert add_decisions([STATE, ahead])["per_minute"][-3:] == [60, 100, 40]
    assert add_decisions([STATE, ahead])["alarms_per_minute"][-3:] == [12, 20, 8]
    assert add_decisions([long_ago, STATE])["total"] == 200


def test_a_monitor_counts_by_the_minutes_of_the_wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rocch.service.monitor.time.time", lambda: 6_000.0)
    monkeypatch.setattr("rocch.service.monitor.time.monotonic", lambda: 42.0)
    monitor = Monitor()
    monkeypatch.setattr("rocch.service.monitor.time.monotonic", lambda: 42.0 + 59)
    monitor.add(5, 1)
    assert monitor.counts() == (100, monitor.decisions())
    monkeypatch.setattr("rocch.service.monitor.time.monotonic", lambda: 42.0 + 60)
    minute, counts = monitor.counts()
    assert (minute, counts["per_minute"][-2:]) == (101, [5, 0])


def test_a_row_is_written_when_something_changed_and_every_ten_seconds(
    ask: Asking, clock: Clock
) -> None:
    own = ask.service.fleet
    own.write()
    clock.wait(9.9)
    own.write()
    assert rows(ask) == {"web-1/0": MORNING}
    clock.wait(0.1)
    own.write()
    assert rows(ask) == {"web-1/0": clock.at}
    clock.wait(1)
    ask.decide(scores=COLUMNS)
    own.write()
    assert rows(ask) == {"web-1/0": clock.at}
    own.leave()
    own.write()  # which had begun before
    assert rows(ask) == {}


def test_rows_of_workers_long_gone_are_deleted(ask: Asking, clock: Clock) -> None:
    join(ask, STATE)
    join(ask, replace(STATE, worker="web-2/0", at=later(MORNING, 3600)))
    clock.wait(86_401)
    ask.service.fleet.write()
    assert set(rows(ask)) == {"web-1/0", "web-2/0"}


def test_a_worker_says_since_when_it_decides_like_this(ask: Asking, clock: Clock) -> None:
    own = ask.service.fleet
    assert own.state().since == MORNING
    clock.wait(5)
    assert (own.state().at, own.state().since) == (clock.at, MORNING)
    ask.put("/v1/conditions", {"question": {"max_fpr": 0.1}})
    clock.wait(1)
    assert (own.state().aim_id, own.state().since) == (1, clock.at)
    changed = clock.at
    clock.wait(1)
    assert own.state().since == changed
    ask.service.take_over(served(version=8))
    assert (own.state().model_version, own.state().since) == (8, clock.at)


def test_a_warning_where_workers_differ_for_long() -> None:
    ahead = replace(STATE, worker="web-1/0", aim_id=5, since=later(MORNING, 60))
    for seconds, codes in ((60, []), (65, []), (65.1, ["workers_differ"])):
        states = [replace(each, at=later(MORNING, seconds)) for each in (ahead, STATE)]
        assert [code for code, _ in fleet_warnings(states)] == codes
    ((_, message),) = fleet_warnings(states)
    assert message == (
        "Workers decide differently: web-1/0 by version 7 and aim 5, web-1/1 by version 7 and no "
        "operator's aim."
    )
    same = [replace(each, aim_id=5) for each in states]
    assert list(fleet_warnings(same)) == []
    assert list(fleet_warnings([same[0], replace(same[1], sha256="cd")])) != []
    assert list(fleet_warnings([same[0], replace(same[1], seed=3)])) != []


def test_one_that_ended_before_the_others_changed_does_not_differ() -> None:
    ended = replace(STATE, worker="web-2/0", at=later(MORNING, 59))
    others = [
        replace(STATE, worker=f"web-1/{number}", aim_id=5, since=later(MORNING, 60))
        for number in range(2)
    ]
    for seconds in (60, 66, 110):
        states = [replace(each, at=later(MORNING, seconds)) for each in others]
        assert list(fleet_warnings([*states, ended])) == []


def test_command_lines_that_differ_are_noticed() -> None:
    one = replace(STATE, at=later(MORNING, 6))
    other = replace(one, worker="web-2/0", aim="a miss costs 5")
    ((code, message),) = fleet_warnings([one, other])
    assert code == "workers_differ"
    assert message == (
        "Workers decide differently: web-1/1 by version 7 and no operator's aim, web-2/0 by "
        "version 7 and no operator's aim (a miss costs 5)."
    )


def test_workers_of_other_releases_do_no_harm(ask: Asking) -> None:
    join(ask, STATE)
    with closing(sqlite3.connect(str(ask.service.store.place))) as db, db:
        (state,) = db.execute("SELECT state FROM workers").fetchone()
        newer, older = {**json.loads(state), "new": 1}, {"minute": 1}
        for name, said in (("web-2/0", newer), ("web-3/0", older)):
            row = (name, MORNING, json.dumps(said))
            db.execute("INSERT INTO workers (worker, at, state) VALUES (?, ?, ?)", row)
    names = [state.worker for state in ask.service.fleet.workers()]
    assert names == ["web-1/0", "web-1/1", "web-2/0"]


def test_counts_of_other_releases_do_no_harm(ask: Asking) -> None:
    ask.decide(scores=COLUMNS)
    counts = {**COUNTS, "per_minute": [1] * 90, "alarms_per_minute": [2] * 30, "minutes": 5}
    del counts["referred"]
    join(ask, replace(STATE, minute=0, decisions=counts))
    join(ask, replace(STATE, minute=0, worker="web-2/0", decisions={}))
    own, found = ask.service.monitor.decisions(), ask.get("/v1/status").json()["decisions"]
    assert found["total"] == own["total"] + 100
    assert found["referred"] == own["referred"]
    assert (len(found["per_minute"]), sum(found["per_minute"])) == (60, own["total"] + 60)
    assert sum(found["alarms_per_minute"]) == own["alarms"] + 60
    assert ask.get("/metrics").status_code == 200


def test_the_warning_is_in_the_status(ask: Asking, clock: Clock) -> None:
    ask.service.fleet.write()
    clock.wait(6)
    join(ask, replace(STATE, at=clock.at, model_version=6))
    document = ask.get("/v1/status?page=true").json()
    assert [warned["code"] for warned in document["warnings"]] == ["workers_differ"]
    words = (
        "2 workers decide: 1 by version 7 and no operator's aim, 1 by version 6 and no "
        "operator's aim."
    )
    assert document["page"]["parts"]["workers"] == [words]
    assert "rocch_warnings 1.0" in ask.get("/metrics").text


def test_a_process_without_a_name_gets_that_of_its_machine() -> None:
    with asking() as ask:
        assert ask.service.fleet.name == f"{gethostname()}/0"


def test_the_page_says_in_a_line_who_decides() -> None:
    status = StandIn().status("viewer")
    status["workers"] = [{"model_version": 3, "aim_id": 5}] * 2
    parts = make_page(status, StandIn().question)["parts"]
    assert parts["workers"] == ["2 workers decide, all by version 3 and aim 5."]


def test_an_application_tells_how_it_is_while_it_lives(
    ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet, "SECONDS_BETWEEN", 0)
    failing = iter([StorageError("it is away.")])
    write, written = Fleet._write, asyncio.Event()

    def fail_first(self: Fleet) -> None:
        for failure in failing:
            raise failure
        write(self)
        loop.call_soon_threadsafe(written.set)

    monkeypatch.setattr(Fleet, "_write", fail_first)
    loop: Any = None

    async def live() -> list[str]:
        nonlocal loop
        loop = asyncio.get_running_loop()
        async with ask.app.router.lifespan_context(ask.app):
            await asyncio.wait_for(written.wait(), 30)
            return list(rows(ask))

    assert ask.wait(live()) == ["web-1/0"]
    assert rows(ask) == {}  # it left


def test_no_decision_waits_for_the_record(ask: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("a decision used the record")

    with monkeypatch.context() as watched:
        for record in (ask.service.store._record, ask.service.store._reader):
            watched.setattr(record, "transaction", fail)
        assert ask.decide(scores=COLUMNS)["rows"] == 20
