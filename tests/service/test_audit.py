"""Decisions are audited: a line each in a file, and from there a row each in the record."""

from __future__ import annotations

import json
import logging
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_json

import rocch
from rocch import InputError, StorageError
from rocch.database.record import fetch
from rocch.service import Settings, audit
from rocch.service.audit import AuditLag, AuditLog, AuditShipper, read_decisions, shipping
from rocch.service.errors import ServiceError
from rocch.service.store import Store
from tests.support.serving import AS, asking, end_pause, error_of, judged

COLUMNS = judged(9, 20)[0].to_dict("list")
HOST = "web-1"


def test_each_decision_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with asking(audit=file) as ask:
        coin: dict[str, Any] = {"question": {"max_fpr": 0.15, "randomize": True}}
        coin["row_keys"] = list(range(20))
        response = [ask.decide(scores=COLUMNS), ask.decide(scores=COLUMNS, role="operator", **coin)]
        ask.refused("/v1/decide", {"scores": {}})
    plain, tossed = (json.loads(line) for line in file.read_text().splitlines())
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    for record, answer in zip((plain, tossed), response, strict=True):
        for name in ("decisions", "decision_id", "decided_at", "rows", "alarms", "model", "aim"):
            assert record[name] == answer[name]
        assert record["rule"]["words"] == answer["rule"]["words"]
        assert record["rule"]["document"] == answer["rule"]
        document = to_json(record["rule"]["document"])
        assert document in file.read_bytes()
        assert record["rule"]["sha256"] == sha256(document).hexdigest()
    assert (plain["role"], tossed["role"]) == ("caller", "operator")
    assert plain["coin"] is None
    assert tossed["coin"] == {"seed": 0, "row_keys": list(map(str, range(20)))}
    assert plain["aim_words"] == "as the model was saved"
    words = "a false positive rate of at most 15%, counted on the evaluation rows"
    assert tossed["aim_words"] == f"{words}, a coin may choose"
    text = file.read_text()
    assert not any(header["Authorization"].split()[1] in text for header in AS.values())


def test_without_a_record_nothing_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "audit.jsonl"
    with asking(audit=file) as ask:

        def full(_file: int, line: bytes) -> int:
            return os.writev(_file, [line[:10]])

        with monkeypatch.context() as broken:
            broken.setattr("rocch.service.audit.os.write", full)
            error = ask.refused("/v1/decide", {"scores": COLUMNS}, 503)
            assert error["code"] == "audit_failed"
        health = ask.get("/v1/health").json()
        assert health["status"] == "degraded"
        assert health["problems"] == ["the audit record cannot be written"]
        assert ask.get("/v1/status").json()["decisions"]["total"] == 0
        response = ask.decide(scores=COLUMNS)
        assert ask.get("/v1/health").json()["status"] == "ok"
    torn, whole = file.read_text().splitlines()
    assert len(torn) == 10
    assert json.loads(whole)["decision_id"] == response["decision_id"]


def test_a_file_that_was_moved_away(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    audit = AuditLog(file)
    audit.write({"a": 1})
    file.rename(tmp_path / "old.jsonl")
    audit.write({"a": 2})
    audit.reopen()
    audit.write({"a": 3})
    audit.close()
    assert (tmp_path / "old.jsonl").read_text() == '{"a":1}\n{"a":2}\n'
    assert file.read_text() == '{"a":3}\n'


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened"):
        AuditLog(tmp_path)
    audit = AuditLog(tmp_path / "audit.jsonl")
    audit.path = tmp_path
    audit.reopen()
    audit.write({"a": 1})  # to the old file, which is still there
    assert audit.problem is not None
    assert audit.problem.startswith("the audit record cannot be opened anew: ")
    assert str(tmp_path) not in audit.problem
    audit.close()
    assert (tmp_path / "audit.jsonl").read_text() == '{"a":1}\n'
    with pytest.raises(ServiceError, match="Bad file descriptor"):
        audit.write({})


def test_a_failed_reopening_is_shown_until_it_succeeds(tmp_path: Path) -> None:
    with asking(audit=tmp_path / "audit.jsonl") as ask:
        audit = ask.service.audit
        assert audit is not None
        audit.path = tmp_path
        audit.reopen()
        ask.decide(scores=COLUMNS)
        health = ask.get("/v1/health").json()
        assert health["problems"] == ["the audit record cannot be opened anew"]
        (warned,) = ask.get("/v1/status").json()["warnings"]
        assert warned["message"].startswith("The audit record cannot be opened anew: ")
        audit.path = tmp_path / "audit.jsonl"
        audit.reopen()
        assert ask.get("/v1/health").json()["status"] == "ok"


def test_a_line_and_the_scores_make_the_decisions_again(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with asking(audit=file, seed=5) as ask:
        keys = [f"row {number}" for number in range(20)]
        coin: Any = {"question": {"max_fpr": 0.15, "randomize": True}, "row_keys": keys}
        ask.decide(scores=COLUMNS, **coin)
    line = json.loads(file.read_text())
    rule: Any = rocch.hybrid.Rule.from_dict(line["rule"]["document"])
    again = rule.decide(COLUMNS, row_key=line["coin"]["row_keys"])
    assert again.tolist() == line["decisions"]


def test_the_words_say_who_turned_what(tmp_path: Path) -> None:
    file = tmp_path / "audit.jsonl"
    with asking(audit=file) as ask:
        costs = {"prevalence": 0.3, "false_positive": 1, "false_negative": 3}
        ask.put("/v1/conditions", {"question": costs, "tuning": "follow"})
        ask.decide(scores=COLUMNS, question={"randomize": True}, row_keys=list(range(20)))
        ask.post("/v1/feedback", {"event_id": "a", "kind": "too_many_alarms", "times": 60})
        ask.decide(scores=COLUMNS)
    own, turned = (json.loads(line)["aim_words"] for line in file.read_text().splitlines())
    words = "30% positive, a false alarm costs 1, a miss costs 3"
    assert own == f"{words}; by the request, a coin may choose"
    assert turned.startswith(f"{words}; feedback turned the knob to ")


def line(number: int, **more: Any) -> dict[str, Any]:
    """Return a line of the audit, each a second after the one before."""
    return {
        "decisions": [0, 1],
        "decision_id": f"{number:032x}",
        "decided_at": f"2026-03-02T09:{number // 60:02}:{number % 60:02}.000Z",
        "model": {"version": 3},
        "aim": {"id": 5},
        **more,
    }


class Machine:
    """A machine with an audit file, of which lines are shipped to a record."""

    def __init__(self, folder: Path) -> None:
        self.file, self.record = folder / "audit.jsonl", folder / "service.sqlite"
        self.store, self.log = Store(self.record), AuditLog(self.file)
        self.shipper = AuditShipper(self.file, self.store, HOST)

    def write(self, *numbers: int, **more: Any) -> None:
        for number in numbers:
            self.log.write(line(number, **more))

    def ship(self) -> list[int]:
        """Ship, and return all that is recorded."""
        self.shipper.ship()
        return self.recorded

    def start_again(self) -> None:
        """Go on as another process would."""
        self.shipper.close()
        self.shipper = AuditShipper(self.file, self.store, HOST)

    @property
    def recorded(self) -> list[int]:
        found = read_decisions(self.store, 1000)["decisions"]
        return sorted(int(row["decision_id"], 16) for row in found)

    @property
    def lag(self) -> int | None:
        settings = Settings(audit=self.file, audit_to_record=True, worker=f"{HOST}/1")
        return AuditLag(settings, self.store).count()

    @property
    def files(self) -> list[str]:
        """The inodes of the files that the record knows."""
        with self.store.reading() as db:
            return [row["inode"] for row in fetch(db, "SELECT inode FROM audit_files")]

    def close(self) -> None:
        self.shipper.close()
        self.log.close()
        self.store.close()


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    with closing(Machine(tmp_path)) as made:
        yield made


def test_lines_are_shipped_once(machine: Machine) -> None:
    assert machine.ship() == []
    assert machine.lag == 0
    machine.write(1, 2)
    assert machine.lag == machine.file.stat().st_size
    assert machine.ship() == [1, 2]
    machine.write(3, worker="web-1/7")
    assert machine.ship() == machine.ship() == [1, 2, 3]
    assert machine.lag == 0
    newest, _, oldest = read_decisions(machine.store, 3)["decisions"]
    assert oldest == {
        "decision_id": f"{1:032x}",
        "at": "2026-03-02T09:00:01.000Z",
        "worker": HOST,
        "model_version": 3,
        "aim_id": 5,
        "record": line(1),
    }
    assert newest["worker"] == "web-1/7"


def test_it_goes_on_where_another_process_ended(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.write(1, 2)
    machine.ship()
    machine.start_again()
    machine.write(3)
    read: list[bytes] = []
    as_rows = audit._as_rows

    def watched(content: bytes, host: str) -> Any:
        read.append(content)
        return as_rows(content, host)

    monkeypatch.setattr(audit, "_as_rows", watched)
    assert machine.ship() == [1, 2, 3]
    assert [content.count(b"\n") for content in read] == [1]


def test_a_line_that_is_not_yet_whole_waits(machine: Machine) -> None:
    whole = to_json(line(1)) + b"\n"
    with machine.file.open("ab", buffering=0) as file:
        file.write(whole[:50])
        assert machine.ship() == []
        file.write(whole[50:])
    assert machine.ship() == [1]


def test_lines_that_were_cut_off(machine: Machine, caplog: pytest.LogCaptureFixture) -> None:
    torn = to_json(line(8))
    named = {"scores": {"decisions": "predict_proba"}}  # begins like a line
    whole = [to_json(line(number, rule=named)) + b"\n" for number in range(5)]
    contents = [whole[0], torn[:30], b"\n", whole[1], b"[1]\n", b"\n", b'{"a":1}\n']
    # another worker's line, and one that was cut off behind a name that begins like a line
    contents += [torn[:40], whole[2], whole[3][:-60], whole[4]]
    machine.file.write_bytes(b"".join(contents))
    with caplog.at_level(logging.WARNING):
        assert machine.ship() == [0, 1, 2, 4]
    assert "skipped 5 lines" in caplog.text
    assert read_decisions(machine.store, 1)["decisions"][0]["record"] == line(4, rule=named)


def test_batches_and_long_lines(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "BATCH", 1000)
    monkeypatch.setattr(audit, "ROWS", 2)
    machine.write(*range(20))
    machine.write(20, decisions=[0] * 5000)
    machine.write(*range(21, 40))
    assert machine.ship() == list(range(40))


def test_a_file_that_is_moved_is_finished_first(machine: Machine, tmp_path: Path) -> None:
    machine.write(1)
    machine.ship()
    machine.write(2)
    machine.file.rename(tmp_path / "audit.1")
    assert machine.lag
    assert machine.ship() == [1, 2]
    machine.write(3)  # to the file that was moved
    other = AuditLog(machine.file)  # of a worker that has got the signal
    other.write(line(4))
    assert machine.ship() == [1, 2, 3, 4]
    assert len(machine.files) == 2
    machine.write(5)
    machine.log.reopen()
    machine.write(6)
    assert machine.lag == 2 * len(to_json(line(5)) + b"\n")
    assert machine.ship() == [1, 2, 3, 4, 5, 6]
    assert machine.files == [str(machine.file.stat().st_ino)]  # nobody writes the old one
    assert machine.lag == 0
    other.close()


def test_a_file_that_is_moved_while_nobody_ships(machine: Machine, tmp_path: Path) -> None:
    machine.write(1)
    machine.ship()
    machine.write(2)
    machine.shipper.close()
    machine.file.rename(tmp_path / "audit.1")
    machine.log.reopen()
    machine.write(3)
    machine.start_again()
    assert machine.ship() == [1, 2, 3]
    assert len(machine.files) == 1


def test_a_file_that_is_gone(
    machine: Machine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    machine.write(1)
    machine.ship()
    machine.shipper.close()
    machine.file.rename(tmp_path.parent / f"{tmp_path.name}.gone")
    machine.log.reopen()
    machine.write(2)
    machine.start_again()
    assert machine.lag == len(to_json(line(2))) + 1
    with caplog.at_level(logging.WARNING):
        assert machine.ship() == [1, 2]
    assert "gone from its folder" in caplog.text
    assert len(machine.files) == 1


def test_a_record_that_got_the_number_of_a_lost_file_is_not_opened(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    machine.write(1)
    machine.ship()
    inode = str(machine.record.stat().st_ino)
    with machine.store.writing() as db:
        db.execute("UPDATE audit_files SET inode = ?", (inode,))
    machine.start_again()
    assert machine.ship() == [1]
    assert "gone from its folder" in caplog.text
    assert machine.files == [str(machine.file.stat().st_ino)]


@pytest.mark.parametrize("again", [True, False])
def test_another_file_with_the_same_number(machine: Machine, again: bool) -> None:
    machine.write(1, 2, 3)
    machine.ship()
    if again:
        machine.start_again()
    machine.file.write_bytes(b"")  # the same inode, as one that a system uses again
    machine.write(4, 5, 6, 7)
    assert machine.ship() == [1, 2, 3, 4, 5, 6, 7]
    machine.file.write_bytes(b"")
    machine.write(8)
    assert machine.ship() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_record_that_is_another_one(machine: Machine, tmp_path: Path) -> None:
    machine.write(1, 2)
    machine.ship()
    machine.store.close()
    for found in tmp_path.glob("service.sqlite*"):
        found.unlink()
    machine.store = Store(machine.record)
    machine.shipper._store = machine.store
    machine.write(3)
    assert machine.ship() == [1, 2, 3]


def test_two_that_ship_the_same_file(machine: Machine) -> None:
    other = AuditShipper(machine.file, machine.store, HOST)
    elsewhere = AuditShipper(machine.file, machine.store, "another name of this machine")
    machine.write(1)
    machine.ship()
    other.ship()
    machine.write(2)
    other.ship()
    machine.write(3)
    elsewhere.ship()
    assert machine.ship() == [1, 2, 3]
    other.close()
    elsewhere.close()


def test_nothing_is_lost_while_the_record_is_away(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StorageError("the record is away.")

    machine.write(1, 2)
    with monkeypatch.context() as away:
        away.setattr(audit, "_insert", fail)
        with pytest.raises(StorageError, match="away"):
            machine.ship()
        assert machine.recorded == []
        machine.write(3)
        end_pause(machine.store)
        with pytest.raises(StorageError, match="away"):
            machine.ship()
        assert machine.lag == machine.file.stat().st_size
    end_pause(machine.store)
    assert machine.ship() == [1, 2, 3]


def test_the_lag_is_known_while_the_record_is_away(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(audit=machine.file, audit_to_record=True, worker=f"{HOST}/0")
    lag = AuditLag(settings, machine.store)
    machine.write(1)
    machine.ship()
    assert lag.count() == 0

    def fail() -> None:
        raise StorageError("the record is away.")

    monkeypatch.setattr(machine.store, "reading", fail)
    machine.write(2)
    assert lag.count() == len(to_json(line(2))) + 1


def test_a_thread_ships_until_the_end(machine: Machine) -> None:
    machine.write(1)
    machine.shipper.start()
    machine.write(2)
    machine.shipper.close()
    assert machine.recorded == [1, 2]


def test_a_thread_goes_on_after_failures(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures = iter([StorageError("it is away."), StorageError("it is away."), ValueError("odd")])
    insert = audit._insert

    def fail_sometimes(*of: Any) -> None:
        for failure in failures:
            raise failure
        insert(*of)

    monkeypatch.setattr(audit, "_insert", fail_sometimes)
    monkeypatch.setattr(audit, "SECONDS_BETWEEN", 0.001)
    machine.write(1)
    with caplog.at_level(logging.WARNING):
        machine.shipper.start()
        wait_until(lambda: "recorded again" in caplog.text)
    machine.shipper.close()
    assert machine.recorded == [1]
    assert [record.getMessage().partition("audit.jsonl ")[2] for record in caplog.records] == [
        "cannot be recorded: it is away.",
        "cannot be recorded: ValueError('odd')",
        "are recorded again",
    ]


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for another thread, but not forever."""
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_thread_that_hangs_is_left_alone(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    insert, hangs, goes_on = audit._insert, threading.Event(), threading.Event()

    def hang(*of: Any) -> None:
        hangs.set()
        goes_on.wait(30)
        insert(*of)

    monkeypatch.setattr(audit, "_insert", hang)
    monkeypatch.setattr(audit, "BATCH", 10)
    machine.write(1, 2)
    machine.shipper.start()
    assert hangs.wait(30)
    with caplog.at_level(logging.WARNING):
        machine.shipper.close(0)
    assert "the next start goes on" in caplog.text
    goes_on.set()
    machine.shipper._thread.join(30)
    assert machine.recorded == [1]  # after its transaction it goes no further
    machine.start_again()
    assert machine.ship() == [1, 2]


def test_pages_of_decisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(audit=tmp_path / "audit.jsonl", audit_to_record=True, worker="web-1/0") as ask:
        ids = [ask.decide(scores=COLUMNS)["decision_id"] for _ in range(5)]
        assert ask.get("/v1/decisions").json() == {"decisions": [], "more": False}
        lag = (tmp_path / "audit.jsonl").stat().st_size
        assert ask.get("/v1/status").json()["audit_lag"] == lag
        assert f"rocch_audit_unshipped_bytes {float(lag)}" in ask.get("/metrics").text
        with shipping(ask.service.settings, ask.service.store.place):
            pass
        assert ask.get("/v1/status").json()["audit_lag"] == 0
        whole = ask.get("/v1/decisions").json()
        lines = [json.loads(text) for text in (tmp_path / "audit.jsonl").read_text().splitlines()]
        newest = sorted(lines, key=lambda line: (line["decided_at"], line["decision_id"]))[::-1]
        assert [row["record"] for row in whole["decisions"]] == newest
        assert not whole["more"]
        assert {row["worker"] for row in whole["decisions"]} == {"web-1/0"}

        first = ask.get("/v1/decisions?limit=2").json()
        assert first == {"decisions": whole["decisions"][:2], "more": True}
        last = first["decisions"][-1]["decision_id"]
        rest = ask.get(f"/v1/decisions?limit=3&before={last}").json()
        assert rest == {"decisions": whole["decisions"][2:], "more": False}
        monkeypatch.setattr(audit, "PAGE", 10)  # pages of large decisions are shorter
        one = ask.get("/v1/decisions?limit=2").json()
        assert one == {"decisions": whole["decisions"][:1], "more": True}

        error = error_of(ask.get("/v1/decisions?before=nowhere"), 422)
        assert (error["argument"], error["got"]) == ("before", "'nowhere'")
        error = error_of(ask.get("/v1/decisions?before=a%00b"), 422)
        assert error["requirement"] == "be text without NUL characters"
        for wrong in ("limit=0", "limit=1001", "before=", "after=1", "limit=1&limit=2"):
            error_of(ask.get(f"/v1/decisions?{wrong}"), 422)
        assert set(ids) == {row["decision_id"] for row in whole["decisions"]}


def test_without_it_there_are_no_decisions_to_show(tmp_path: Path) -> None:
    with asking(audit=tmp_path / "audit.jsonl") as ask:
        error = error_of(ask.get("/v1/decisions"), 404)
        assert (error["code"], "--audit-to-record" in error["hint"]) == ("not_found", True)
        assert ask.get("/v1/status").json()["audit_lag"] is None
        assert "rocch_audit_unshipped_bytes" not in ask.get("/metrics").text
        with shipping(ask.service.settings, ask.service.store.place):
            assert "rocch-audit" not in {thread.name for thread in threading.enumerate()}


def test_there_must_be_lines_to_ship() -> None:
    with pytest.raises(InputError, match="audit_to_record must come with audit"):
        Settings(audit_to_record=True)


def test_an_application_ships_while_it_lives(tmp_path: Path) -> None:
    with asking(audit=tmp_path / "audit.jsonl", audit_to_record=True) as ask:

        async def live() -> None:
            async with ask.app.router.lifespan_context(ask.app):
                assert "rocch-audit" in {thread.name for thread in threading.enumerate()}

        ask.decide(scores=COLUMNS)
        ask.wait(live())
        assert "rocch-audit" not in {thread.name for thread in threading.enumerate()}
        assert len(ask.get("/v1/decisions").json()["decisions"]) == 1
