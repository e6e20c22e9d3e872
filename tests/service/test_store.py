"""Policies and feedback are kept exactly once; one service has the lock."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocch import InputError, Question, StorageError
from rocch.database.places import Place, open_record
from rocch.database.record import Tables, insert
from rocch.service.errors import ConflictError
from rocch.service.store import (
    ANSWER,
    LOCK,
    NEWEST,
    NOT_WRITABLE,
    UNREACHABLE,
    FeedbackEvent,
    FeedbackReceipt,
    Policy,
    ServiceLock,
    Store,
    TunerState,
    _read_known,
)
from rocch.service.tables import TABLES
from tests.support.serving import cut_off, end_pause

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


def add_to_chain(store: Store, event: FeedbackEvent, about: str = "a") -> FeedbackReceipt:
    """Store an event with a tuner whose state lists its events, in order."""

    def react(before: TunerState | None) -> FeedbackEvent:
        seen = before.state["seen"] if before is not None and before.about == about else []
        state = {"seen": [*seen, event.event_id], "state": {"position": 0.5}}
        after = TunerState(about=about, start=0.5, state=state)
        reaction = {"words": f"number {len(seen)}", "moved": 0.0}
        return replace(event, reaction=reaction, tuner=after)

    return store.add_feedback(event.event_id, event.digest, react, about=about)


def in_force(store: Store) -> Policy | None:
    return store.operator_policy


def problems_of(store: Store) -> list[str | None]:
    return [store.unconfirmed_since, store.unreachable, store.problem]


def seen_by(store: Store) -> dict[str, list[str]]:
    """Return the events of each tuner as a store has them in memory."""
    return {about: tuner.state["seen"] for about, tuner in store.tuners.items()}


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


@pytest.fixture
def pair(place: Path) -> Iterator[tuple[Store, Store]]:
    """Two processes with the same record."""
    one, other = Store(place), Store(place)
    yield one, other
    one.close()
    other.close()


def test_processes_see_each_others_aims_and_tuners(pair: tuple[Store, Store]) -> None:
    one, other = pair
    aim = one.put_policy(Policy(question=Question(max_fpr=0.05), by="Ada"))
    add_to_chain(one, event("mon"))
    assert (in_force(other), seen_by(other)) == (None, {})
    other.refresh()
    assert (in_force(other), seen_by(other)) == (aim, {"a": ["mon"]})
    add_to_chain(other, event("tue"))  # which goes on from there
    other.put_policy(Policy(source="default"))
    one.refresh()
    assert in_force(one) is None
    assert seen_by(one) == seen_by(other) == {"a": ["mon", "tue"]}


def test_what_one_process_has_not_read_yet_counts_nevertheless(pair: tuple[Store, Store]) -> None:
    one, other = pair
    one.put_policy(Policy(by="Ada"))
    with pytest.raises(ConflictError, match="1 is in force"):
        other.put_policy(Policy(by="Ben"), replaces=None)
    first = add_to_chain(one, event("mon"))
    assert add_to_chain(other, event("mon")) == replace(first, duplicate=True)
    assert other.receipt("mon", event("mon").digest) == replace(first, duplicate=True)
    with pytest.raises(ConflictError, match="'mon' again"):
        add_to_chain(other, event("mon", "another"))
    for number in range(3):
        add_to_chain(pair[number % 2], event(str(number)))
    for store in pair:
        store.refresh()
        assert seen_by(store) == {"a": ["mon", "0", "1", "2"]}


def test_where_nothing_changed_a_refresh_is_one_query(pair: tuple[Store, Store]) -> None:
    one, other = pair
    one.put_policy(Policy())
    add_to_chain(one, event("mon"))
    one.refresh()
    policy, tuners = one.operator_policy, one.tuners
    statements: list[str] = []
    one._reader._connection().set_trace_callback(statements.append)
    one.refresh()
    assert statements == ["BEGIN", NEWEST, "COMMIT"]
    assert one.operator_policy is policy
    assert one.tuners is tuners
    add(other, event("tue"))  # which no tuner weighs
    one.refresh()
    assert one.tuners is tuners


def test_each_hull_and_policy_has_a_tuner_of_its_own(pair: tuple[Store, Store]) -> None:
    for number in range(6):  # the second one lags behind
        about = ("new", "old")[number % 2]
        add_to_chain(pair[number % 2], event(str(number)), about)
    for store in (*pair, Store(pair[0].place)):
        store.refresh()
        assert seen_by(store) == {"new": ["0", "2", "4"], "old": ["1", "3", "5"]}
        last, own = store.tuner, store.find_tuner("new")
        assert last is not None
        assert own is not None
        assert (last.about, own.about) == ("old", "new")
        assert store.find_tuner("unknown") is last
    store.close()
    add_to_chain(pair[0], event("6"), "new")
    for store in pair:
        store.refresh()
        assert [*seen_by(store)] == ["old", "new"]


def test_many_processes_lose_nothing(place: Path) -> None:
    stores = [Store(place) for _ in range(4)]

    def send(own: int) -> None:
        for number in range(10):
            for event_id in (f"{own}-{number}", f"all-{number}"):
                add_to_chain(stores[own], event(event_id), f"about {number % 2}")
                stores[own].refresh()
        stores[own].put_policy(Policy(by=str(own)))

    run_all([threading.Thread(target=send, args=(own,)) for own in range(4)])
    wanted = sorted(f"{own}-{n}" for own in (0, 1, 2, 3, "all") for n in range(10))
    for store in stores:
        store.refresh()
        seen = seen_by(store)
        assert sorted(seen["about 0"] + seen["about 1"]) == wanted
        assert seen == seen_by(stores[0])
        assert store.operator_policy == store.history()[0] == stores[0].operator_policy
        assert store.count_events() == len(wanted)
        store.close()


def test_a_refresh_does_not_undo_what_was_just_written(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(place)
    store.put_policy(Policy(by="before"))
    read = _read_known
    reads: list[str] = []

    def write_meanwhile(*known: Any) -> Any:
        found = read(*known)
        if not reads:
            store.put_policy(Policy(by="meanwhile"))
            add_to_chain(store, event("meanwhile"))
        reads.append("read")
        return found

    with closing(Store(place)) as other:
        other.put_policy(Policy(by="other"))
    monkeypatch.setattr("rocch.service.store._read_known", write_meanwhile)
    store.refresh()
    assert len(reads) == 2  # it was too old, so it was read again
    now = store.operator_policy
    assert now is not None
    assert now.by == "meanwhile"
    assert seen_by(store) == {"a": ["meanwhile"]}
    store.close()


def test_what_was_just_written_does_not_undo_what_came_after_it(
    pair: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = pair
    writing = one._record.writing
    meanwhile: list[Callable[[], object]] = [
        lambda: add_to_chain(other, event("after")),
        lambda: other.put_policy(Policy(by="after")),
    ]

    @contextmanager
    def be_overtaken() -> Iterator[Any]:
        with writing() as db:
            yield db
        meanwhile.pop()()  # after the commit, and before it is remembered here
        one.refresh()

    monkeypatch.setattr(one._record, "writing", be_overtaken)
    one.put_policy(Policy(by="before"))
    assert (policy := one.operator_policy) is not None
    assert (policy.id, policy.by) == (2, "after")
    add_to_chain(one, event("before"))
    assert seen_by(one) == {"a": ["before", "after"]}
    one.refresh()
    assert seen_by(one) == {"a": ["before", "after"]}


def test_a_commit_whose_end_nobody_saw_counts_once(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(place)
    writing = store._record.writing

    @contextmanager
    def lose_contact() -> Iterator[Any]:
        with writing() as db:
            yield db
        raise StorageError("the connection was lost.")

    monkeypatch.setattr(store._record, "writing", lose_contact)
    with pytest.raises(StorageError, match="lost"):
        add_to_chain(store, event("mon"))
    end_pause(store)
    with pytest.raises(StorageError, match="lost"):
        store.number_version("ab")
    monkeypatch.undo()
    end_pause(store)
    assert add_to_chain(store, event("mon")).duplicate
    assert store.number_version("ab") == 1
    store.refresh()
    assert seen_by(store) == {"a": ["mon"]}
    assert store.count_events() == 1
    store.close()


def test_processes_number_versions_alike(pair: tuple[Store, Store]) -> None:
    numbers = [pair[n % 2].number_version(digest) for n, digest in enumerate("aabbacca")]
    assert numbers == [1, 1, 2, 2, 1, 3, 3, 1]


def test_a_record_that_was_restored_is_believed(pair: tuple[Store, Store]) -> None:
    one, other = pair
    first = one.put_policy(Policy(by="before"))
    add_to_chain(one, event("mon"))
    other.refresh()
    one.put_policy(Policy(by="lost"))
    add_to_chain(one, event("tue"), "b")
    one.refresh()
    with other.writing() as db:
        for statement in (
            "DELETE FROM aims WHERE id = 2",
            "DELETE FROM feedback WHERE number = 2",
            "DELETE FROM tuners WHERE number = 2",
        ):
            db.execute(statement)
    one.refresh()
    assert one.operator_policy == first
    assert seen_by(one) == {"a": ["mon"]}


def test_a_record_that_was_restored_is_believed_where_others_got_the_same_numbers(
    pair: tuple[Store, Store],
) -> None:
    one, other = pair
    one.put_policy(Policy(by="lost", at=MORNING))
    add_to_chain(one, event("lost"))
    one.refresh()
    later = MORNING.replace("09:", "10:")
    with other.writing() as db:
        db.execute("DELETE FROM aims")
    again = other.put_policy(Policy(by="again", at=later))
    one.refresh()
    assert one.operator_policy == again
    with other.writing() as db:
        for table in ("feedback", "tuners"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    add_to_chain(other, replace(event("again"), at=later))
    one.refresh()
    assert seen_by(one) == {"a": ["again"]}


def test_a_record_that_is_away_is_noticed_and_so_is_its_return(
    place: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store(place, clock=lambda: 0.0)
    aim = store.put_policy(Policy(by="Ada"))
    add_to_chain(store, event("mon"))
    assert problems_of(store) == [None] * 3
    last = store._reached[1]
    with cut_off(store) as away:
        for _ in range(3):
            with pytest.raises(StorageError):
                store.refresh()  # however short ago it failed
        assert away.attempts == 3
        for work in (
            store.history,
            store.count_events,
            store.moves,
            lambda: store.receipt("mon", ""),
            lambda: store.put_policy(Policy()),
            lambda: add_to_chain(store, event("tue")),
        ):
            with pytest.raises(StorageError):
                work()
        assert away.attempts == 3  # all others are refused at once
        end_pause(store)
        with pytest.raises(StorageError):
            store.put_policy(Policy())
        assert away.attempts == 4  # and now and then one tries
        assert problems_of(store) == [last, UNREACHABLE, NOT_WRITABLE]
        assert "/secret/place" not in UNREACHABLE
        assert store.operator_policy == aim
        assert seen_by(store) == {"a": ["mon"]}
    assert len([line for line in caplog.messages if "/secret/place" in line]) == 1
    store.refresh()
    assert problems_of(store) == [None] * 3
    assert "can be reached again" in caplog.text
    end_pause(store)
    assert not add_to_chain(store, event("tue")).duplicate
    store.close()


def test_a_record_that_does_not_even_fail(place: Path) -> None:
    times = [0.0]
    store = Store(place, clock=lambda: times[0])
    times[0] = 100.0
    assert problems_of(store)[0] is None  # nobody promised to refresh
    store.refresh()
    store.max_age, last = 1.0, store._reached[1]
    times[0] = 101.0
    assert problems_of(store)[0] is None
    times[0] = 101.1
    assert problems_of(store)[0] == last
    assert store.count_events() == 0  # it may only be late
    times[0] = 101.1 + ANSWER
    for work in (store.count_events, lambda: store.put_policy(Policy())):
        with pytest.raises(StorageError, match="does not answer"):
            work()
    store.refresh()
    assert problems_of(store)[0] is None
    assert store.count_events() == 0
    store.close()


def test_nobody_queues_up_for_a_record_that_fails(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(place, clock=lambda: 0.0)
    begun, end = threading.Event(), threading.Event()
    attempts: list[int] = []
    refused: list[str] = []

    def hang() -> NoReturn:
        attempts.append(1)
        begun.set()
        assert end.wait(60)
        raise StorageError("the server does not answer.")

    monkeypatch.setattr(store._record, "writing", hang)
    monkeypatch.setattr("rocch.service.store.TURN", 60.0)

    def put() -> None:
        try:
            store.put_policy(Policy())
        except StorageError as error:
            refused.append(str(error))

    first = threading.Thread(target=put)
    first.start()
    assert begun.wait(60)
    assert store.count_policies() == 0  # reading goes on
    with monkeypatch.context() as impatient:
        impatient.setattr("rocch.service.store.TURN", 0.0)
        put()
    assert "other requests have kept it busy" in refused.pop()
    others = [threading.Thread(target=put) for _ in range(5)]
    for thread in others:
        thread.start()
    end.set()
    for thread in (first, *others):
        thread.join()
    assert len(refused) == 6
    assert len(attempts) == 1
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
    db = store._record._connection()
    (pages,) = db.execute("PRAGMA page_count").fetchone()
    db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageError, match="the disk is full"):
        store.put_policy(Policy(note="x" * 100_000))
    end_pause(store)
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


CONDITIONS = {
    "conditions": '{"prevalence": [0.1, 0.2], "false_positive": 1}',
    "criterion": '{"cost_ratio": [5, "inf"]}',
    "randomize": 1,
    "words": "as said",
}
QUESTION = Question(
    prevalence=(0.1, 0.2), false_positive=1, cost_ratio=(5, float("inf")), randomize=True
)


def make_old_record(place: Place, version: int) -> None:
    """Make a record as a former release did, with an aim, feedback and a tuner."""
    if isinstance(place, Path):
        place.touch()
    steps = Tables(TABLES.kind, TABLES.application, TABLES.steps[:version])
    stated = CONDITIONS if version == 1 else {"question": json.dumps(QUESTION.to_dict())}
    aim = {"at": MORNING, "by": "Ada", "note": "winter", "source": "operator", "tuning": "advise"}
    mon = {"event_id": "mon", "kind": "load", "digest": digest_of(""), "at": MORNING, "rows": 0}
    mon |= {"library_version": 1, "aim_id": 1, "moved": -0.5, "reaction": '{"words": "turned"}'}
    move = {"at": MORNING, "event_id": "mon", "from_position": 1.0, "to_position": 0.5, "why": "x"}
    state = '{"seen": ["mon"], "state": {"position": 0.5}}'
    with closing(open_record(place, steps, new=True)) as record, record.writing() as db:
        insert(db, "aims", aim | stated, number="id")
        insert(db, "feedback", mon, number="number")
        insert(db, "moves", move, number="number")
        insert(db, "tuner", {"one": 1, "about": "a", "start": 0.5, "state": state})
        if version >= 3:
            insert(db, "versions", {"sha256": "ab"}, number="number")


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_record_of_a_former_release_goes_on(place: Place, version: int) -> None:
    make_old_record(place, version)
    store = Store(place)
    known = Policy(question=QUESTION, tuning="advise", by="Ada", note="winter", at=MORNING, id=1)
    assert store.history() == [known]
    assert store.operator_policy == known
    assert seen_by(store) == {"a": ["mon"]}
    assert [row["words"] for row in store.recent_feedback()] == ["turned"]
    assert [move["to"] for move in store.moves()] == [0.5]
    assert add_to_chain(store, event("mon")).duplicate
    assert store.number_version("ab") == 1
    assert store.put_policy(Policy(question=Question(knob=0.5))).id == 2
    add_to_chain(store, event("tue"), "b")
    add_to_chain(store, event("wed"))  # its tuner is found, though it is not the last one
    add_to_chain(store, event("thu"))
    store.close()
    again = Store(place)
    assert seen_by(again) == {"b": ["tue"], "a": ["mon", "wed", "thu"]}
    assert again.count_policies() == 2
    again.close()


def test_what_a_former_release_observed_is_added_up(place: Place) -> None:
    if isinstance(place, Path):
        place.touch()
    counts: dict[str, Any] = {"rows": 30, "positives": 10}
    counts |= {"false_positives": 2.0, "true_positives": 3.5}
    told = {"kind": "outcomes", "digest": "", "at": MORNING, "library_version": 1, "moved": 0.0}
    rule: dict[str, Any] = {"fpr": 0.1, "tpr": 1 / 3}
    steps = Tables(TABLES.kind, TABLES.application, TABLES.steps[:5])
    with closing(open_record(place, steps, new=True)) as record, record.writing() as db:
        for number, (aim, more) in enumerate([(None, rule), (None, rule), (1, rule), (1, {})]):
            row = {**told, **counts, **more, "event_id": str(number), "aim_id": aim}
            insert(db, "feedback", row, number="number")
    with closing(Store(place)) as store:
        add(store, event("new", aim_id=1, **counts, **rule))
        for aim in (None, 1):
            found = store.observed_rates(library_version=1, aim_id=aim, **rule)
            assert found is not None
            assert (found["rows"], found["fpr"], found["tpr"]) == (60, 4 / 40, 7 / 20)
        assert store.observed_rates(library_version=1, aim_id=2, **rule) is None


def test_an_aim_that_no_question_can_state_is_refused_with_its_number(place: Place) -> None:
    aim = dict.fromkeys(("at", "by", "note"), "") | {"source": "operator", "tuning": "off"}
    with closing(Store(place)) as store, store.writing() as db:
        insert(db, "aims", aim | {"question": '{"inverse_cost_ratio": 5}'}, number="id")
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
