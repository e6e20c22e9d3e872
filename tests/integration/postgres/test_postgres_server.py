"""The server itself: that it starts, ends in several ways, and loses nothing that was committed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import psycopg
import pytest

from tests.support import postgres as support
from tests.support.cuttable_proxy import CuttableProxy
from tests.support.guarded import GuardedProcess, wait_until
from tests.support.postgres import PostgresServer

ROOT = Path(__file__).parents[3]


def schema_of(url: str) -> str:
    (name,) = parse_qs(urlsplit(url).query)["schema"]
    return name


def connect(url: str) -> psycopg.Connection[tuple[int]]:
    """Connect as rocch does: the schema is its own parameter, of which libpq knows nothing."""
    connection = psycopg.connect(url.partition("?")[0], connect_timeout=30)
    connection.execute("SELECT set_config('search_path', %s, false)", [schema_of(url)])
    connection.commit()
    return connection


def rows(server: PostgresServer, url: str) -> list[int]:
    return [row[0] for row in server.execute("SELECT x FROM t ORDER BY x", schema=schema_of(url))]


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    """Return a schema with a table of one row."""
    url = postgres.new_schema()
    with connect(url) as connection:
        connection.execute("CREATE TABLE t (x integer)")
        connection.execute("INSERT INTO t VALUES (1)")
    return url


def test_a_server_of_our_own_on_loopback(postgres: PostgresServer, url: str) -> None:
    def setting(name: str) -> str:
        return str(postgres.execute("SELECT current_setting(%s)", [name])[0][0])

    assert setting("server_encoding") == "UTF8"
    assert setting("fsync") == "on"
    assert setting("listen_addresses") == "127.0.0.1"
    assert setting("unix_socket_directories") == ""
    assert Path(setting("data_directory")) == postgres.data
    assert rows(postgres, url) == [1]


def test_a_password_is_asked_for(postgres: PostgresServer) -> None:
    assert quote(postgres.password, safe="") in postgres.url()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(postgres.url().replace(quote(postgres.password, safe=""), "wrong"))


def test_the_user_is_no_superuser(url: str) -> None:
    with (
        connect(url) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("CREATE ROLE another")


def test_schemas_are_apart(postgres: PostgresServer, url: str) -> None:
    other = postgres.new_schema()
    with connect(other) as connection:
        connection.execute("CREATE TABLE t (x integer)")
    assert rows(postgres, other) == []
    assert rows(postgres, url) == [1]


def test_a_schema_may_be_yet_to_make(postgres: PostgresServer) -> None:
    url = postgres.new_schema(create=False)
    sql = "SELECT count(*) FROM pg_namespace WHERE nspname = %s"
    assert postgres.execute(sql, [schema_of(url)]) == [(0,)]
    with connect(url) as connection:
        connection.execute(f"CREATE SCHEMA {schema_of(url)}".encode())
    assert postgres.execute(sql, [schema_of(url)]) == [(1,)]


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_a_restart_ends_connections_and_keeps_rows(
    postgres: PostgresServer, url: str, mode: str
) -> None:
    connection = connect(url)
    connection.execute("INSERT INTO t VALUES (2)")
    before = postgres.pid
    postgres.restart(mode)  # type: ignore[arg-type]
    assert postgres.pid != before
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    assert connection.closed
    assert rows(postgres, url) == [1]


def test_a_stopped_server_refuses_until_it_starts(postgres: PostgresServer, url: str) -> None:
    postgres.stop()
    assert not postgres.running
    with pytest.raises(psycopg.OperationalError, match="refused"):
        connect(url)
    postgres.start()
    assert rows(postgres, url) == [1]


def test_a_crash_keeps_what_was_committed_and_only_that(postgres: PostgresServer, url: str) -> None:
    connection = connect(url)
    for number in range(2, 50):
        connection.execute("INSERT INTO t VALUES (%s)", [number])
        connection.commit()
    connection.execute("INSERT INTO t VALUES (100)")
    said = len(postgres.log)
    postgres.kill()
    assert not postgres.running
    with pytest.raises(psycopg.OperationalError):
        connection.commit()
    postgres.start()
    assert "automatic recovery in progress" in postgres.log[said:]
    assert rows(postgres, url) == list(range(1, 50))


def test_all_connections_are_cut_by_the_server(postgres: PostgresServer, url: str) -> None:
    connections = [connect(url) for _ in range(3)]
    assert postgres.cut_connections() == 3
    for connection in connections:
        with pytest.raises(psycopg.errors.AdminShutdown):
            connection.execute("SELECT 1")
    assert rows(postgres, url) == [1]


def test_a_proxy_passes_cuts_and_refuses(postgres: PostgresServer, url: str) -> None:
    with CuttableProxy(url) as proxy:
        connection = connect(proxy.url)
        connection.execute("INSERT INTO t VALUES (2)")
        connection.commit()
        proxy.refuse()
        with pytest.raises(psycopg.OperationalError, match="refused"):
            connect(proxy.url)
        connection.execute("INSERT INTO t VALUES (3)")
        connection.commit()
        assert proxy.cut() == 1
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
        proxy.restore()
        with connect(proxy.url) as connection:
            connection.execute("INSERT INTO t VALUES (4)")
        wait_until(lambda: proxy.open_connections == 0, "the proxy has noticed")
    assert rows(postgres, url) == [1, 2, 3, 4]


@pytest.mark.parametrize(("when", "left"), [("before", [1]), ("after", [1, 2])])
def test_a_cut_commit_leaves_its_sender_in_the_dark(
    postgres: PostgresServer, url: str, when: str, left: list[int]
) -> None:
    with CuttableProxy(url) as proxy:
        connection = connect(proxy.url)
        proxy.cut_at(b"commit", when)  # type: ignore[arg-type]
        connection.execute("INSERT INTO t VALUES (2)")
        assert proxy.cuts == 0
        with pytest.raises(psycopg.OperationalError):
            connection.commit()
        assert proxy.cuts == 1
        assert rows(postgres, url) == left
        with connect(proxy.url) as connection:  # only the next one is cut
            connection.execute("INSERT INTO t VALUES (3)")
    assert rows(postgres, url) == [*left, 3]


def test_a_partition_holds_back_what_was_sent(postgres: PostgresServer, url: str) -> None:
    with CuttableProxy(url) as proxy:
        connection = connect(proxy.url)
        proxy.partition()
        with pytest.raises(psycopg.OperationalError, match="timeout"):
            psycopg.connect(proxy.url.partition("?")[0], connect_timeout=2)
        connection.autocommit = True
        with ThreadPoolExecutor(1) as other:
            inserting = other.submit(connection.execute, "INSERT INTO t VALUES (2)")
            with pytest.raises(TimeoutError):
                inserting.result(timeout=0.2)
            assert rows(postgres, url) == [1]
            proxy.restore()
            assert inserting.result(timeout=30).rowcount == 1
        assert rows(postgres, url) == [1, 2]
        proxy.partition()
        assert proxy.cut()
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    assert rows(postgres, url) == [1, 2]


def test_a_server_that_cannot_start_says_why(postgres: PostgresServer) -> None:
    postgres.stop()
    settings = postgres.data / "postgresql.conf"
    good = settings.read_text()
    settings.write_text(good + "no_such_setting = 1\n")
    with pytest.raises(RuntimeError, match="no_such_setting"):
        postgres.start()
    settings.write_text(good)
    postgres.start()


USER = """
import json, os, time
from tests.support.postgres import PostgresServer
server = PostgresServer()
server.start()
if os.fork() == 0:  # a child of the tests that lives longer
    os.close(1)
    time.sleep(60)
    os._exit(0)
print(json.dumps([server.pid, str(server.folder)]), flush=True)
while True:  # a single long wait may begin just after the signal, and miss it
    time.sleep(0.01)
"""


@pytest.mark.usefixtures("postgres")  # there is one at all
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_server_outlives_its_tests(number: int) -> None:
    process = subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, "-c", USER],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        start_new_session=True,
    )
    assert process.stdout is not None
    pid, folder = json.loads(process.stdout.readline())
    os.kill(pid, 0)
    process.send_signal(number)
    process.wait()
    wait_until(lambda: not Path(folder).exists(), "the folder is removed")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    os.killpg(process.pid, signal.SIGKILL)  # the child
    process.communicate()


def test_a_program_that_is_missing_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="does not run"):
        GuardedProcess(["/no/such/program"], tmp_path)
    assert tmp_path.exists()


def test_the_newest_programs_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(support, "PROGRAMS", tmp_path)
    monkeypatch.setenv("PATH", "")
    assert support.programs() is None
    for version in ("9.6", "15", "17"):
        (tmp_path / version / "bin").mkdir(parents=True)
        (tmp_path / version / "bin" / "initdb").touch()
    assert support.programs() == tmp_path / "17" / "bin"


@pytest.mark.parametrize(("needed", "outcome"), [("1", "Failed"), ("0", "Skipped")])
def test_what_is_missed_fails_only_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch, needed: str, outcome: str
) -> None:
    monkeypatch.setenv("ROCCH_NEED_POSTGRES", needed)
    with pytest.raises(BaseException, match="no initdb") as missed:
        support.missed("no initdb")
    assert type(missed.value).__name__ == outcome
