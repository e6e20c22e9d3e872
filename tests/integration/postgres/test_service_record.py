"""The record of a service on PostgreSQL: the tests of records in files again, and what differs."""

from __future__ import annotations

import inspect
import random
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rocch import StorageError
from rocch.database.postgres import DatabaseUrl
from rocch.service.store import ANSWER, NEWEST, Policy, Store
from rocch.service.tables import RECORD, copy_record
from tests.service import test_feedback, test_policy, test_store
from tests.service.test_policy import SERVED
from tests.service.test_store import add_to_chain, event, pair, problems_of, seen_by
from tests.support import adders, sudden_end
from tests.support.cuttable_proxy import CuttableProxy
from tests.support.exported import COSTS
from tests.support.serving import worker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.postgres import PostgresServer

__all__ = ["pair"]

FIXTURES = {"place", "pair", "record", "store"}
"""Tests that ask for one of these are about records of any kind, but for a few about files."""
ABOUT_FILES = {
    "test_a_record_of_another_kind_is_refused_and_let_go",
    "test_a_full_disk_loses_nothing",
    "test_its_owner_alone_can_read_it",
    "test_no_decision_touches_the_record",
    "test_nothing_of_the_rows_is_kept",
    "test_what_cannot_be_stored_moves_nothing",
    "test_where_nothing_changed_a_refresh_is_one_query",
}
for module in (test_store, test_policy, test_feedback):
    for name, test in vars(module).items():
        is_test = name.startswith("test_") and name not in ABOUT_FILES
        if is_test and FIXTURES & set(inspect.signature(test).parameters):
            assert name not in globals()
            globals()[name] = test


@pytest.fixture
def place(postgres: PostgresServer) -> DatabaseUrl:
    return DatabaseUrl.parse(postgres.new_schema(create=False))


@pytest.fixture
def record(place: DatabaseUrl) -> DatabaseUrl:
    return place


@pytest.fixture
def store(place: DatabaseUrl) -> Iterator[Store]:
    with closing(Store(place)) as opened:
        yield opened


def statements_of(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which all statements are added that a store sends from now on."""
    sent: list[str] = []
    for record in (store._reader, store._record):
        db = record._connection()

        def execute(query: str, *values: Any, send: Any = db.execute) -> Any:
            sent.append(query)
            return send(query, *values)

        monkeypatch.setattr(db, "execute", execute)
    return sent


def test_where_nothing_changed_a_refresh_is_one_query(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put_policy(Policy())
    store.refresh()
    sent = statements_of(store, monkeypatch)
    store.refresh()
    assert sent == ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NEWEST, "ROLLBACK"]


def test_no_decision_touches_the_record(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"nb": [0.5], "gbm": [0.5]}
    with worker(place, SERVED) as ask:
        ask.put("/v1/conditions", {"question": COSTS, "tuning": "follow"})
        load = {"event_id": "a", "kind": "load", "alarms": 300, "capacity": 100}
        ask.post("/v1/feedback", load)
        ask.service.refresh()
        sent = statements_of(ask.service.store, monkeypatch)
        for more in ({}, {"question": {"max_fpr": 0.1}}, {"question": {"randomize": True}}):
            ask.decide(scores=row, row_keys=["a"], **more)
        ask.get("/v1/best")
        ask.get("/v1/health")
        assert sent == []
        ask.get("/v1/status")
        assert sent != []


def test_a_copy_leaves_rows_on_the_server_until_they_are_written(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    for number in range(5):
        add_to_chain(store, event(str(number)))
    fetched: list[int] = []
    fetch = psycopg.ServerCursor.fetchmany

    def note(cursor: Any, size: int) -> Any:
        rows = fetch(cursor, size)
        fetched.append(len(rows))
        return rows

    monkeypatch.setattr(psycopg.ServerCursor, "fetchmany", note)
    monkeypatch.setattr("rocch.database.record.ROWS_AT_ONCE", 2)
    with store.reading() as beside:
        copy_record(store.place, tmp_path, beside)
    assert [size for size in fetched if size] == [2, 2, 1, 1]  # events, and their tuner
    with closing(Store(tmp_path / RECORD)) as copy:
        assert seen_by(copy) == {"a": ["0", "1", "2", "3", "4"]}
        assert copy.count_events() == 5


def test_a_text_that_the_server_cannot_store_is_named(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    adders.make_with_record(tmp_path / "library").close()
    with closing(Store(tmp_path / "library" / RECORD)) as old, old.writing() as db:
        db.execute("UPDATE aims SET note = ? WHERE id = 2", ("a\0b",))
    target = DatabaseUrl.parse(postgres.new_schema(create=False))
    with pytest.raises(StorageError, match="note in aims, where id is 2, holds a NUL character"):
        adders.copy(tmp_path / "library", target, {"objects": tmp_path / "files"})


def test_six_sudden_ends(postgres: PostgresServer) -> None:
    place, moments = postgres.new_schema(create=False), random.Random(9)  # noqa: S311 - no secret
    acknowledged: set[str] = set()
    for first in (0, 3):
        after = [moments.randint(10, 40) for _ in range(3)]
        acknowledged |= sudden_end.killed_together(place, first, after)
        sudden_end.check(place, acknowledged, first + 3)
    assert len(acknowledged) > 50


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_that_is_cut(postgres: PostgresServer, when: Any) -> None:
    with (
        CuttableProxy(postgres.new_schema(create=False)) as proxy,
        closing(Store(DatabaseUrl.parse(proxy.url), clock=lambda: 0.0)) as store,
    ):
        proxy.cut_at(b"COMMIT\0", when)
        with pytest.raises(StorageError, match="Nobody knows whether the last change") as lost:
            add_to_chain(store, event("mon"))
        assert postgres.password not in str(lost.value)
        assert problems_of(store)[2] is not None
        store.clock = lambda: 1.0
        receipt = add_to_chain(store, event("mon"))
        assert receipt.duplicate == (when == "after")
        assert problems_of(store) == [None] * 3
        assert store.count_events() == 1
        store.refresh()
        assert seen_by(store) == {"a": ["mon"]}


def test_a_server_that_does_not_answer_is_given_up(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ANSWER < 5
    monkeypatch.setattr("rocch.service.store.ANSWER", 0.3)
    monkeypatch.setattr("rocch.service.store.PATIENCE", 0.2)
    monkeypatch.setattr("rocch.database.postgres.CONNECT_SECONDS", 2)
    with (
        CuttableProxy(postgres.new_schema(create=False)) as proxy,
        closing(Store(DatabaseUrl.parse(proxy.url))) as store,
    ):
        store.put_policy(Policy(by="before"))
        proxy.partition()
        for work in (store.refresh, lambda: store.put_policy(Policy(by="meanwhile"))):
            store._read_failed_at = store._write_failed_at = float("-inf")
            with pytest.raises(StorageError, match="cannot be reached"):
                work()
        assert problems_of(store)[0] is not None
        proxy.restore()
        store._read_failed_at = store._write_failed_at = float("-inf")
        monkeypatch.setattr("rocch.database.postgres.PAUSE", 0.0)
        store.refresh()
        assert problems_of(store)[0] is None
        store.put_policy(Policy(by="after"))
        assert store.history()[0].by == "after"


def test_a_process_that_stands_still_keeps_no_other_waiting(
    place: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rocch.service.store.ANSWER", 0.3)
    with monkeypatch.context() as impatient:
        impatient.setattr("rocch.service.store.PATIENCE", 0.2)
        asleep = Store(place)
    with closing(asleep), closing(Store(place)) as awake:
        begun, end, ended = threading.Event(), threading.Event(), []

        def write() -> None:
            try:
                with asleep.writing() as db:
                    db.execute("INSERT INTO versions (number, sha256) VALUES (1, 'ab')")
                    begun.set()
                    assert end.wait(60)
            except StorageError as error:
                ended.append(str(error))

        thread = threading.Thread(target=write)
        thread.start()
        assert begun.wait(60)
        assert awake.number_version("cd") == 1
        end.set()
        thread.join()
        assert len(ended) == 1
        assert awake.number_version("ab") == 2


def test_a_user_who_may_only_read_is_named_in_the_log_at_the_start(
    postgres: PostgresServer, place: DatabaseUrl, caplog: pytest.LogCaptureFixture
) -> None:
    Store(place).close()
    schema, user = place.schema, f"reader_of_{place.schema}"
    postgres.execute(
        f"CREATE ROLE {user} LOGIN PASSWORD 'readers'; GRANT USAGE ON SCHEMA {schema} TO {user};"
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {user}"
    )
    reader = DatabaseUrl(
        f"postgresql://{user}:readers@127.0.0.1:{postgres.port}/rocch", place.schema
    )
    with worker(reader) as ask:  # type: ignore[arg-type] # as others of this folder
        for _ in range(2):
            with pytest.raises(StorageError):
                ask.service.fleet.write()  # as it does first of all, and every second
        assert ask.get("/v1/health").json()["status"] == "degraded"
    (message,) = caplog.messages
    assert message.startswith(f"the record cannot be written: {reader}: this user may not do that")
