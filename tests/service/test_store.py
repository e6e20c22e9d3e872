"""Policies and feedback are kept exactly once; one service has the lock."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import stat
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocch import InputError, Question, StorageError
from rocch.service.errors import ConflictError
from rocch.service.store import (
    LOCK,
    TABLES,
    FeedbackEvent,
    FeedbackReceipt,
    Policy,
    ServiceLock,
    Store,
    TunerState,
)

MORNING = "2026-03-02T09:00:00.000Z"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "service.sqlite"


def digest_of(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def event(event_id: str, content: str = "", **more: Any) -> FeedbackEvent:
    digest = digest_of(content)
    return FeedbackEvent(
        event_id=event_id, kind="load", digest=digest, at=MORNING, library_version=1, **more
    )


def add(store: Store, event: FeedbackEvent) -> FeedbackReceipt:
    return store.add_feedback(event.event_id, event.digest, lambda _before: event)


def add_to_chain(store: Store, event: FeedbackEvent) -> FeedbackReceipt:
    """Store an event with a tuner whose state lists its events, in order."""

    def react(before: TunerState | None) -> FeedbackEvent:
        seen = [] if before is None else before.state["seen"]
        state = {"seen": [*seen, event.event_id], "state": {"position": 0.5}}
        after = TunerState(about="a", start=0.5, state=state)
        reaction = {"words": f"number {len(seen)}", "moved": 0.0}
        return replace(event, reaction=reaction, tuner=after)

    return store.add_feedback(event.event_id, event.digest, react)


def test_aims_survive_and_the_newest_is_in_force(place: Path) -> None:
    store = Store(place)
    assert store.operator_policy is None
    assert store.history() == []
    first = Policy(
        question=Question(prevalence=(0.1, 0.2), false_positive=1, false_negative=25),
        by="Ada",
        note="winter; '); DROP TABLE aims; --",
        at=MORNING,
    )
    second = Policy(question=Question(max_fpr=0.05, randomize=True), tuning="follow", at=MORNING)
    one, two = store.put_policy(first), store.put_policy(second)
    assert (one.id, two.id) == (1, 2)
    assert store.operator_policy is store.operator_policy
    store.close()
    again = Store(place)
    assert again.operator_policy == two
    assert again.history() == [two, one]
    assert again.history(1) == [two]
    assert again.count_policies() == 2
    assert again.history()[1].to_dict() == {**first.to_dict(), "id": 1}
    again.close()


def test_an_aim_that_replaces_another_than_the_present_one_is_refused(place: Path) -> None:
    store = Store(place)
    with pytest.raises(ConflictError, match="got 3, and null is in force"):
        store.put_policy(Policy(), replaces=3)
    one = store.put_policy(Policy(question=Question(max_fpr=0.1), by="Ada"), replaces=None)
    store.put_policy(Policy(question=Question(max_fpr=0.2), by="Ben"), replaces=one.id)
    in_force = r"2 is in force \(a false positive rate of at most 20%, counted on .*\), put by Ben"
    with pytest.raises(ConflictError, match=in_force) as refused:
        store.put_policy(Policy(), replaces=one.id)
    assert refused.value.argument == "replaces"
    with pytest.raises(ConflictError):
        store.put_policy(Policy(), replaces=None)
    assert store.count_policies() == 2
    store.close()


def test_of_many_at_once_one_replaces(place: Path) -> None:
    store = Store(place)
    first = store.put_policy(Policy())
    done: list[str] = []

    def put(by: str) -> None:
        try:
            store.put_policy(Policy(by=by), replaces=first.id)
            done.append(by)
        except ConflictError:
            pass

    run_all([threading.Thread(target=put, args=(str(n),)) for n in range(8)])
    assert len(done) == 1
    now = store.operator_policy
    assert now is not None
    assert now.by == done[0]
    store.close()


def test_a_reset_ends_the_operators_aim_and_stays_in_the_history(place: Path) -> None:
    store = Store(place)
    store.put_policy(Policy(by="operator"))
    store.put_policy(Policy(source="command line", by="reset"))
    assert store.operator_policy is None
    store.close()
    again = Store(place)
    assert again.operator_policy is None
    assert [aim.by for aim in again.history()] == ["reset", "operator"]
    again.close()


def test_an_event_is_weighed_once_and_answered_alike(place: Path) -> None:
    store = Store(place)
    first = add_to_chain(store, event("mon", rows=3, positives=1))
    assert not first.duplicate
    repeated = add_to_chain(store, event("mon", rows=3, positives=1))
    assert repeated == replace(first, duplicate=True)
    assert store.receipt("mon", event("mon").digest) == repeated
    assert store.receipt("tue", "") is None
    tuner = store.tuner
    assert tuner is not None
    assert tuner.state["seen"] == ["mon"]
    assert tuner.position == 0.5
    store.close()


def test_an_id_with_other_content_is_refused(place: Path) -> None:
    store = Store(place)
    add_to_chain(store, event("mon", "120 alarms"))
    with pytest.raises(ConflictError, match="'mon' again, with other content than at 2026") as no:
        add_to_chain(store, event("mon", "90 alarms"))
    assert no.value.argument == "event_id"
    with pytest.raises(ConflictError):
        store.receipt("mon", "another")
    assert store.count_events() == 1
    store.close()


def test_what_cannot_be_weighed_is_not_stored(place: Path) -> None:
    store = Store(place)

    def refuse(_before: TunerState | None) -> FeedbackEvent:
        raise InputError("costs must be exact")

    with pytest.raises(InputError, match="exact"):
        store.add_feedback("mon", digest_of(""), refuse)
    assert store.count_events() == 0
    assert add_to_chain(store, event("mon")).duplicate is False
    store.close()


def test_the_last_events_and_moves_come_first(place: Path) -> None:
    store = Store(place)
    move = {"at": MORNING, "from": 0.5, "to": 0.4, "why": "evidence 50, 40 needed"}
    reaction = {"words": "turned left", "moved": -0.1}
    add(store, event("a"))
    add(store, event("b", rows=7, reaction=reaction, moves=(move,)))
    assert store.recent_feedback() == [
        {"at": MORNING, "event_id": "b", "kind": "load", "rows": 7}
        | {"words": "turned left", "moved": -0.1},
        {"at": MORNING, "event_id": "a", "kind": "load", "rows": 0}
        | {"words": "stored, not weighed", "moved": 0.0},
    ]
    assert len(store.recent_feedback(1)) == 1
    assert store.moves() == [move]
    store.close()


def test_observed_rates_are_of_one_rule_only(place: Path) -> None:
    store = Store(place)
    rule: dict[str, Any] = {"fpr": 0.1, "tpr": 1 / 3}
    for number, (more, hits) in enumerate([(rule, 4.0), (rule, 3.5), ({**rule, "tpr": 0.8}, 9.0)]):
        counts: dict[str, Any] = {
            "rows": 30,
            "positives": 10,
            "false_positives": 2.0,
            "true_positives": hits,
        }
        add(store, event(str(number), **counts, **more))
    add(store, event("selected", rows=50, positives=50))
    known: dict[str, Any] = {"library_version": 1, "aim_id": None}
    found = store.observed_rates(**known, **rule)
    assert found is not None
    assert (found["rows"], found["negatives"], found["positives"]) == (60, 40, 20)
    assert (found["fpr"], found["tpr"]) == (4 / 40, 7.5 / 20)
    assert store.observed_rates(**{**known, "library_version": 2}, **rule) is None
    assert store.observed_rates(**{**known, "aim_id": 1}, **rule) is None
    store.close()


def test_rates_without_rows_of_a_class_are_none(place: Path) -> None:
    store = Store(place)
    counts: dict[str, Any] = {
        "rows": 5,
        "positives": 0,
        "false_positives": 1.0,
        "true_positives": 0.0,
    }
    add(store, event("a", **counts, fpr=0.1, tpr=0.9))
    found = store.observed_rates(library_version=1, aim_id=None, fpr=0.1, tpr=0.9)
    assert found is not None
    assert (found["fpr"], found["tpr"]) == (0.2, None)
    store.close()


def test_many_threads_lose_nothing(place: Path) -> None:
    store = Store(place)

    def send(own: int) -> None:
        for number in range(15):
            for event_id in (f"{own}-{number}", f"all-{number}"):
                add_to_chain(store, event(event_id))
                store.recent_feedback(3)

    run_all([threading.Thread(target=send, args=(own,)) for own in range(4)])
    wanted = {f"{own}-{n}" for own in (0, 1, 2, 3, "all") for n in range(15)}
    tuner = store.tuner
    assert tuner is not None
    assert sorted(tuner.state["seen"]) == sorted(wanted)
    assert store.count_events() == len(wanted)
    store.close()


@settings(max_examples=25)
@given(st.lists(st.sampled_from("abcde"), max_size=12), st.integers(0, 12))
def test_repeated_events_equal_the_set_of_distinct_ones(sent: list[str], restart: int) -> None:
    with TemporaryDirectory() as folder:
        place = Path(folder, "service.sqlite")
        store = Store(place)
        first: dict[str, Any] = {}
        for number, event_id in enumerate(sent):
            if number == restart:
                store.close()
                store = Store(place)
            response = add_to_chain(store, event(event_id))
            assert response.duplicate == (event_id in first)
            assert first.setdefault(event_id, response.reaction) == response.reaction
        tuner = store.tuner
        assert ([] if tuner is None else tuner.state["seen"]) == list(dict.fromkeys(sent))
        assert store.count_events() == len(set(sent))
        store.close()


WRONG = {
    "CREATE TABLE notes (said TEXT)": "the record of another program",
    "PRAGMA application_id = 7": "the record of another program",
    f"PRAGMA application_id = {TABLES.application}; PRAGMA user_version = 1": "no such table: aims",
    f"PRAGMA application_id = {TABLES.application}; PRAGMA user_version = 9": "Upgrade rocch",
}


@pytest.mark.parametrize("made", WRONG)
def test_a_record_of_another_kind_is_refused_and_let_go(place: Path, made: str) -> None:
    with closing(sqlite3.connect(place)) as db:
        db.executescript(made)
    with pytest.raises(StorageError, match=WRONG[made]):
        Store(place)
    place.unlink()  # and nobody holds it any more
    Store(place).close()


def test_a_place_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="No such file or directory"):
        Store(tmp_path / "nowhere" / "service.sqlite")
    (tmp_path / "text").write_bytes(b"It was a dark and stormy night. " * 100)
    with pytest.raises(StorageError, match="damaged, or no record"):
        Store(tmp_path / "text")


def test_a_full_disk_loses_nothing(place: Path) -> None:
    store = Store(place)
    store.put_policy(Policy(by="before"))
    with store._record.without_transaction() as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageError, match="the disk is full"):
        store.put_policy(Policy(note="x" * 100_000))
    store.put_policy(Policy(by="after"))  # what still fits goes on
    store.close()
    assert [aim.by for aim in Store(place).history()] == ["after", "before"]


def run_all(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.skipif(os.name != "posix", reason="files have no such modes here")
def test_its_owner_alone_can_read_it(place: Path) -> None:
    before = os.umask(0)
    try:
        store = Store(place)
        store.put_policy(Policy())
        files = sorted(place.parent.glob("service.sqlite*"))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in files}
        store.close()
    finally:
        os.umask(before)
    assert len(modes) == 3  # with SQLite's log and its locks
    assert set(modes.values()) == {0o600}


def test_aims_of_the_first_version_become_questions(place: Path) -> None:
    with closing(sqlite3.connect(place)) as old:
        for statement in TABLES.steps[0].split(";\n"):
            old.execute(statement)
        old.execute(
            "INSERT INTO aims (at, by, note, source, conditions, criterion, randomize, tuning, "
            "words) VALUES (?, 'Ada', 'winter', 'operator', ?, ?, 1, 'advise', 'as said')",
            (
                MORNING,
                '{"prevalence": [0.1, 0.2], "false_positive": 1}',
                '{"cost_ratio": [5, "inf"]}',
            ),
        )
        old.execute(f"PRAGMA application_id = {TABLES.application}")
        old.execute("PRAGMA user_version = 1")
        old.commit()
    store = Store(place)
    question = Question(
        prevalence=(0.1, 0.2), false_positive=1, cost_ratio=(5, float("inf")), randomize=True
    )
    known = Policy(question=question, tuning="advise", by="Ada", note="winter", at=MORNING, id=1)
    assert store.history() == [known]
    store.put_policy(Policy(question=Question(knob=0.5)))
    assert store.count_policies() == 2
    store.close()


def test_an_aim_that_no_question_can_state_is_refused_with_its_number(place: Path) -> None:
    Store(place).close()
    with closing(sqlite3.connect(place)) as file:
        file.execute(
            "INSERT INTO aims (at, by, note, source, tuning, question) "
            "VALUES ('', '', '', 'operator', 'off', '{\"inverse_cost_ratio\": 5}')"
        )
        file.commit()
    with pytest.raises(StorageError, match=r"aim 1 .* cannot be read: .*inverse_cost_ratio"):
        Store(place)


fcntl = pytest.importorskip("fcntl")  # elsewhere there are no such locks


def test_one_at_a_time(tmp_path: Path) -> None:
    first = ServiceLock(tmp_path)
    assert stat.S_IMODE(os.stat(tmp_path / LOCK).st_mode) == 0o600
    for _ in range(2):  # a refused one leaves the first one's lock as it is
        with pytest.raises(InputError, match="be a folder that no other service uses"):
            ServiceLock(tmp_path)
    first.close()
    ServiceLock(tmp_path).close()


def test_a_folder_that_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        StorageError, match=r"nowhere/[^']*' cannot be opened: No such file or dir\w*\.$"
    ):
        ServiceLock(tmp_path / "nowhere")

    def fail(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(StorageError, match="cannot be locked: No locks available"):
        ServiceLock(tmp_path)
