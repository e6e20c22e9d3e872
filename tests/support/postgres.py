"""A real PostgreSQL: a server of the tests' own on loopback, which they may stop, kill and cut."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Literal, NoReturn
from urllib.parse import quote

import pytest

from tests.support.guarded import SECONDS, GuardedProcess, free_port, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROGRAMS = Path("/usr/lib/postgresql")
"""Where Debian keeps a folder for each version; none of them is on the PATH."""
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    # what was committed must survive a kill
    "fsync": "on",
    "synchronous_commit": "on",
    "shared_buffers": "16MB",
    "max_connections": "60",
    "max_wal_size": "64MB",
    "jit": "off",
    # in the folder, where a killed server leaves nothing behind
    "dynamic_shared_memory_type": "mmap",
}
ATTEMPTS = 50
"""After a kill, processes that have yet to notice keep the server out for moments."""
MODES = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}


def programs() -> Path | None:
    """Return the folder of the newest PostgreSQL's programs, if there is one."""
    found = [path.parent for path in PROGRAMS.glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda folder: float(folder.parent.name))
    on_path = shutil.which("initdb")
    # a link on the PATH may stand alone
    return None if on_path is None else Path(on_path).resolve().parent


class PostgresServer:
    """A server in a temporary folder, with a database `rocch` of a user who is no superuser.

    URLs hold the password, which has characters that must be escaped.
    """

    user = "rocch"
    password = "s3cret:p@ss/word"  # noqa: S105 - of a server that lives as long as the tests

    def __init__(self) -> None:
        folder = programs()
        if folder is None:
            raise FileNotFoundError("no initdb")
        self._programs = folder
        self._numbers = itertools.count(1)
        self._process: GuardedProcess | None = None
        self.port = free_port()
        # not a folder of pytest's, which the user postgres may not enter
        self.folder = Path(mkdtemp(prefix="rocch-postgres-"))
        # initdb and the server refuse to be run by root
        self._run_by = "postgres" if os.geteuid() == 0 else None
        if self._run_by:
            shutil.chown(self.folder, self._run_by, self._run_by)

    @property
    def data(self) -> Path:
        """The folder of the data."""
        return self.folder / "data"

    @property
    def running(self) -> bool:
        """Whether the server runs."""
        return self._process is not None and not self._process.ended

    @property
    def pid(self) -> int:
        """The process that all others of the server descend from."""
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        """What the server has said since it was first started."""
        return (self.folder / "log").read_text(encoding="utf-8")

    def start(self) -> None:
        """Start the server unless it runs, and wait until it answers; at first, make its data."""
        if self.running:
            return
        new = not self.data.exists()
        if new:
            self._make_data()
        for _ in range(ATTEMPTS):
            self._run()
            wait_until(lambda: self._ready or not self.running, "PostgreSQL has started")
            if self._ready:
                break
        else:
            raise RuntimeError(f"PostgreSQL does not start: {self.log[-2000:]}")
        if new:
            role = f"CREATE ROLE {self.user} LOGIN PASSWORD '{self.password}'"
            self.execute(role, database="postgres")
            self.execute(f"CREATE DATABASE rocch OWNER {self.user}", database="postgres")

    def stop(self, mode: Literal["smart", "fast", "immediate"] = "fast") -> None:
        """Stop the server; after `immediate`, the next start begins with a recovery."""
        if self._process is not None:
            self._process.signal(MODES[mode])
            self._process.wait()

    def restart(self, mode: Literal["smart", "fast", "immediate"] = "fast") -> None:
        """Stop the server and start it again at the same address."""
        self.stop(mode)
        self.start()

    def kill(self) -> None:
        """End all processes of the server, as a crash of the machine would."""
        if self._process is None or self._process.ended:
            return
        # stopped, it starts no others
        self._process.signal(signal.SIGSTOP)
        for child in _children(self.pid):
            os.kill(child, signal.SIGKILL)
        self._process.signal(signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Stop the server for good, and remove its folder."""
        if not self.running and (self.data / "postmaster.pid").exists():
            self.start()  # only so is the memory removed that a killed server leaves behind
        self.stop("immediate")
        if self._process is not None:
            self._process.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, schema: str | None = None, database: str = "rocch") -> str:
        """Return the address of a database, or of a schema in it, with the password."""
        who = f"{self.user}:{quote(self.password, safe='')}"
        return f"postgresql://{who}@127.0.0.1:{self.port}/{database}" + (
            f"?schema={schema}" if schema else ""
        )

    def new_schema(self, *, create: bool = True) -> str:
        """Return the address of an empty schema of the test's own, or of one yet to be made."""
        self.start()
        schema = f"test_{next(self._numbers)}"
        if create:
            self.execute(f"CREATE SCHEMA {schema} AUTHORIZATION {self.user}")
        return self.url(schema)

    def execute(
        self,
        sql: str,
        parameters: Sequence[Any] | None = None,
        *,
        schema: str | None = None,
        database: str = "rocch",
    ) -> list[tuple[Any, ...]]:
        """Run SQL as the superuser, in a connection of its own; return its rows, if any."""
        import psycopg

        with psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="postgres",
            password=self.password,
            dbname=database,
            connect_timeout=SECONDS,
            options=f"-c search_path={schema}" if schema else None,
            autocommit=True,
        ) as connection:
            cursor = connection.execute(sql.encode(), parameters)
            return cursor.fetchall() if cursor.description else []

    def cut_connections(self, application: str | None = None) -> int:
        """End all connections of others, or those of an application; return how many."""
        sql = """
            SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND (%s::text IS NULL OR application_name = %s)
        """
        return int(self.execute(sql, (application, application))[0][0])

    def _make_data(self) -> None:
        password = self.folder / "password"
        password.write_text(self.password + "\n")
        self._initdb(password, "C.UTF-8") or self._initdb(password, "C", check=True)
        password.unlink()
        lines = [f"{name} = '{value}'\n" for name, value in SETTINGS.items()]
        with (self.data / "postgresql.conf").open("a") as settings:
            settings.writelines(lines)

    def _initdb(self, password: Path, locale: str, *, check: bool = False) -> bool:
        command = [str(self._programs / "initdb"), f"--pgdata={self.data}", "--username=postgres"]
        options = ["--auth=scram-sha-256", f"--pwfile={password}", "--encoding=UTF8", "--no-sync"]
        as_user: dict[str, Any] = (
            {"user": self._run_by, "group": self._run_by, "extra_groups": []}
            if self._run_by
            else {}
        )
        done = subprocess.run(  # noqa: S603 - PostgreSQL's own program
            [*command, *options, f"--locale={locale}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            timeout=SECONDS,
            check=False,
            **as_user,
        )
        if check and done.returncode:
            raise RuntimeError(done.stderr)
        return done.returncode == 0

    def _run(self) -> None:
        if self._process is not None:
            self._process.release()
        command = [str(self._programs / "postgres"), "-D", str(self.data), "-p", str(self.port)]
        self._process = GuardedProcess(
            command, self.folder, user=self._run_by, ending=MODES["immediate"]
        )

    @property
    def _ready(self) -> bool:
        try:
            lines = (self.data / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        # the file of a killed server remains: its process is another
        return len(lines) > 7 and int(lines[0]) == self.pid and lines[7].strip() == "ready"


def _children(parent: int) -> list[int]:
    """Return the processes that another started; where there is no /proc, none."""
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            # the name stands in parentheses and may hold anything
            fields = file.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == parent:
            found.append(int(file.parent.name))
    return found


def missed(reason: str) -> NoReturn:
    """Skip visibly, or fail where PostgreSQL is required."""
    if os.environ.get("ROCCH_NEED_POSTGRES") == "1":
        pytest.fail(f"PostgreSQL is required here: {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Return a running server; tests that stop it start it again, or ask for a new schema."""
    if programs() is None:
        missed("no initdb on the PATH or in /usr/lib/postgresql/*/bin")
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.close()
