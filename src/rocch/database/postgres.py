"""Records on PostgreSQL servers."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any
from urllib.parse import unquote, urlsplit

from rocch.database.record import (
    NO_RIGHT,
    Connection,
    Cursor,
    Record,
    Tables,
    as_postgres,
    explain_database_error,
    storage_errors,
)
from rocch.errors import InputError, StorageError, missing_extra

# Seconds to reach a server, and before it is tried again after it could not be reached.
CONNECT_SECONDS, PAUSE = 3, 0.5
# Seconds that a client may stand still inside a transaction while others wait for its lock.
IDLE_SECONDS = 3
# Writers must see what the one before them committed, whatever a server's default is.
BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED"
# The records of a schema, each with the version of its tables. A writer locks its row. All releases
# share this table, which has no version: what a record needs to know belongs in tables of its own.
RECORDS = """CREATE TABLE IF NOT EXISTS rocch_records (
    kind TEXT PRIMARY KEY, version BIGINT NOT NULL
)"""
# What is not in a dump: the server, and the numbers that it gave to the database and the schema.
HOME = """SELECT concat_ws('/', {server}, d.oid, n.oid) FROM pg_database d, pg_namespace n
WHERE d.datname = current_database() AND n.nspname = ?"""
MAY_ASK_SERVER = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE')"
SERVER = "(SELECT system_identifier FROM pg_control_system())"
# A URL in parts. All else is refused before it is used or shown: a password whose special
# characters are not escaped would reach into the other parts.
LETTER = r"(?:[^\s/?#@%:\[\],]|%[0-9A-Fa-f]{2})"
HOST = rf"(?:{LETTER}*|\[[^\s/?#@%\]]*\])(?::\d*)?"
URL = re.compile(
    rf"(?i:postgres(?:ql)?)://(?:{LETTER}*(?::(?:{LETTER}|[:,])*)?@)?{HOST}(?:,{HOST})*"
    rf"(?:/{LETTER}*)?(?:\?(?:[a-z_]+=(?:{LETTER}|[/:,])*(?:&|$))*)?"
)
# A client that is gone without a word, for example by a power cut, frees its locks within a minute,
# and a server that is gone is noticed within seconds.
KEEP_ALIVE = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
# Numbers must be read as they were written, whatever a role's or a server's defaults are.
SETTINGS = (
    "SET tcp_keepalives_idle = 20; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;"
    " SET extra_float_digits = 1"
)


@dataclass(frozen=True, slots=True)
class DatabaseUrl:
    """Where a record is on a PostgreSQL server.

    Attributes
    ----------
    address
        The URL as PostgreSQL's own programs take it, perhaps with a password.
    schema
        The schema that holds the tables; "rocch" unless the URL has `schema=`.

    Examples
    --------
    >>> from rocch.database.postgres import DatabaseUrl
    >>> url = DatabaseUrl.parse("postgresql://ada:secret@db.example/risk?schema=churn")
    >>> print(url)
    postgresql://ada@db.example/risk?schema=churn
    """

    address: str
    schema: str = "rocch"

    @classmethod
    def parse(cls, text: str, argument: str = "path") -> DatabaseUrl:
        """Read a URL; `schema` is the only parameter that PostgreSQL's programs do not have."""
        try:
            parts = urlsplit(text if URL.fullmatch(text) else "")
        except ValueError:  # what is in brackets is no address
            parts = urlsplit("")
        if not parts.scheme:
            raise InputError(
                argument,
                "be the URL of a PostgreSQL database, with special characters escaped",
                "another text",
                "For example: postgresql://ada@db.example/risk?schema=churn; @ in a password is "
                "%40, / is %2F, and % is %25.",
            )
        options = [option for option in parts.query.split("&") if option]
        schemas = [option for option in options if option.startswith("schema=")]
        schema = unquote(schemas[-1].removeprefix("schema=")) if schemas else "rocch"
        if not re.fullmatch("[a-z_][a-z0-9_]{0,62}", schema) or schema.startswith("pg_"):
            raise InputError(
                argument,
                "name a schema in lower-case letters, digits and underscores",
                repr(schema),
                "For example: postgresql://db.example/risk?schema=churn",
            )
        others = "&".join(option for option in options if option not in schemas)
        address = f"postgresql://{parts.netloc}{parts.path}"
        return cls(f"{address}?{others}" if others else address, schema)

    @property
    def text(self) -> str:
        """The whole URL, for `parse`; it may hold a password."""
        mark = "&" if urlsplit(self.address).query else "?"
        return f"{self.address}{mark}schema={self.schema}"

    def __str__(self) -> str:
        """Write it without a password."""
        parts = urlsplit(self.address)
        access, at, hosts = parts.netloc.rpartition("@")
        user = unquote(access.partition(":")[0])
        return f"postgresql://{user}{at}{hosts}{parts.path}?schema={self.schema}"

    def __repr__(self) -> str:
        return f"DatabaseUrl({str(self)!r})"


class PostgresRecord(Record):
    """A record in a schema of a PostgreSQL database; several kinds may share a schema.

    A connection that was lost opens again with the next transaction. If it is lost while a
    transaction is being committed, nobody knows whether it was; so callers repeat what they did,
    and what they do is made to be repeated.
    """

    is_remote = True
    place: DatabaseUrl

    def __init__(self, place: DatabaseUrl, tables: Tables, **options: Any) -> None:
        super().__init__(place, tables, **options)
        self._psycopg = _load_psycopg()
        self._away: tuple[float, str] = (0.0, "")
        self._known_home: str | None = None

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[Connection]:
        """Yield a connection to a record that may be damaged; writers are alone."""
        with self._lock, storage_errors(self.place):
            db = self._begin(write)
            try:
                yield db
                if write:
                    self._commit(db)
            except BaseException:
                self._leave()
                raise
            if not write:
                self._leave()  # what was read is there, even if the connection is lost now

    @contextmanager
    def joining(self, other: Any) -> Iterator[Connection]:
        """Yield the connection of another record in the schema, whose transaction it becomes."""
        with self._lock, storage_errors(self.place):
            self._connection()  # makes the tables
            self.tables.check_version(self._version(other, lock=True) or 0, self.place)
            yield other

    def exists(self) -> bool:
        """Return whether there is such a record at the place, whatever its state."""
        with self._lock, storage_errors(self.place):
            if self._db is not None:
                return True
            db = self._open()
            try:
                return self._version(db) is not None
            finally:
                db.close()

    def home(self, db: Connection) -> str:
        """Return what tells the schema from all others, also from those where it was restored."""
        if self._known_home is None:
            may_ask = db.execute(MAY_ASK_SERVER).fetchone()[0]
            query = HOME.format(server=SERVER if may_ask else "NULL")
            self._known_home = str(db.execute(query, (self.place.schema,)).fetchone()[0])
        return self._known_home

    def structure_problems(self, _db: Connection) -> Iterator[str]:
        """Describe nothing: the server checks references with every statement."""
        return iter(())

    def last_number(self, _db: Connection, _table: str) -> int | None:
        """Return None: it is not known."""
        return None

    def vacuum(self) -> None:
        """Do nothing: the server does so by itself."""

    def size(self) -> int:
        """Return the bytes that it takes."""
        query = (
            "SELECT CAST(coalesce(sum(pg_relation_size(c.oid)), 0) AS BIGINT) FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relkind = 'r'"
        )
        with self.transaction(write=False) as db:
            return int(db.execute(query, (self.place.schema,)).fetchone()[0])

    def _begin(self, write: bool) -> PostgresConnection:
        """Begin a transaction, on a new connection if the old one was lost meanwhile."""
        for is_last in (False, True):
            db: PostgresConnection = self._connection()
            try:
                if write:
                    db.execute(BEGIN)
                    version = self._version(db, lock=True)
                    if version is None:
                        raise self._missing()
                    self.tables.check_version(version, self.place)  # others may have migrated
                else:
                    db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            except self._psycopg.Error:
                is_lost = db.is_lost
                self._leave()
                if is_last or not is_lost:
                    raise
            except BaseException:
                self._leave()
                raise
            else:
                break
        return db

    def _commit(self, db: PostgresConnection) -> None:
        try:
            done: Any = db.execute("COMMIT")
        except self._psycopg.Error as error:
            if not db.is_lost:
                raise
            raise StorageError(
                f"{self.place}: {explain_database_error(error)} Nobody knows whether the last "
                "change was stored.",
                hint="See what is there before you repeat it; additions can simply be repeated.",
            ) from error
        if done.statusmessage != "COMMIT":  # after a statement that failed, the server rolls back
            raise StorageError(f"{self.place}: an error was passed over, so nothing was stored.")

    def _leave(self) -> None:
        """End a transaction that failed; a connection that is of no use any more is dropped."""
        db: PostgresConnection | None = self._db
        if db is None:
            return
        with suppress(self._psycopg.Error):
            if not db.is_lost:
                db.execute("ROLLBACK")
        if db.is_lost or db.in_transaction:
            self.close()

    def _connect(self) -> PostgresConnection:
        self._known_home = None  # another server may have taken over
        db = self._open()
        try:
            version = self._version(db)
            if version is None and not self.new:
                raise self._missing()
            self.tables.check_version(version or 0, self.place)
            if version is None or version < self.tables.version:
                self._make(db)
            if db.execute("SHOW synchronous_commit").fetchone()[0] == "off":
                db.execute("SET synchronous_commit = on")  # what is acknowledged must be written
        except BaseException:
            db.close()
            raise
        return db

    def _missing(self) -> StorageError:
        return StorageError(
            f"{self.place} holds no {self.tables.kind} record: it was never made, or lost.",
            hint="Check the URL and its schema, or restore the last backup.",
        )

    def _open(self) -> PostgresConnection:
        """Connect to the server; soon after a failure, raise the same error without trying."""
        since, problem = self._away
        if monotonic() - since < PAUSE and problem:
            raise StorageError(problem)
        kind = self._psycopg.Connection
        if self.timeout is not None:
            kind = _make_impatient(self._psycopg, self.timeout)
        try:
            raw = kind.connect(
                self.place.address,
                autocommit=True,
                prepare_threshold=None,
                client_encoding="utf8",
                connect_timeout=CONNECT_SECONDS,
                application_name=f"rocch {self.tables.kind}",
                **KEEP_ALIVE,
            )
        except self._psycopg.Error as error:
            problem = f"{self.place}: {explain_database_error(error)}"
            self._away = monotonic(), problem
            raise StorageError(problem) from error
        self._away = 0.0, ""
        db = PostgresConnection(raw)
        encoding = raw.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            db.close()
            raise InputError("database", "have the encoding UTF8", encoding, "Create another one.")
        wait = f"SET lock_timeout = {max(1, int(1000 * self.patience))}"  # 0 is forever
        if self.timeout is not None:
            wait += f"; SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'"
        try:
            db.execute(f'SET search_path TO "{self.place.schema}"; {wait}; {SETTINGS}')
        except BaseException:
            db.close()
            raise
        return db

    def _make(self, db: PostgresConnection) -> None:
        """Make the tables, or migrate them, while nobody else does."""
        schema, kind = self.place.schema, self.tables.kind
        db.execute(BEGIN)
        db.execute("SELECT pg_advisory_xact_lock(hashtext(?))", (f"rocch {schema}",))
        found = db.execute("SELECT 1 FROM pg_namespace WHERE nspname = ?", (schema,)).fetchone()
        if found is None:  # asked first: who may not make schemas may still use one
            db.execute(f'CREATE SCHEMA "{schema}"')
        if db.execute("SELECT to_regclass('rocch_records')").fetchone()[0] is None:
            db.execute(as_postgres(RECORDS))
        version = self._version(db, lock=True)
        if version is None:
            db.execute("INSERT INTO rocch_records (kind, version) VALUES (?, 0)", (kind,))
        self._migrate(db, version or 0)
        query = "UPDATE rocch_records SET version = ? WHERE kind = ?"
        db.execute(query, (self.tables.version, kind))
        db.execute("COMMIT")

    def _version(self, db: PostgresConnection, *, lock: bool = False) -> int | None:
        """Return the version of the tables, perhaps as their only writer; None without a record."""
        if not lock and db.execute("SELECT to_regclass('rocch_records')").fetchone()[0] is None:
            self._check_right(db)
            return None
        query = "SELECT version FROM rocch_records WHERE kind = ?"
        query += " FOR UPDATE" if lock else ""
        found = db.execute(query, (self.tables.kind,)).fetchone()
        return None if found is None else int(found[0])

    def _check_right(self, db: PostgresConnection) -> None:
        """Refuse a schema that this user may not use; it looks as if it were empty."""
        query = "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = ?"
        if db.execute(query, (self.place.schema,)).fetchone() == (False,):
            raise StorageError(f"{self.place}: {NO_RIGHT}")

    def _is_busy(self) -> bool:
        return bool(self._db.in_transaction)


class PostgresConnection:
    """A connection to a PostgreSQL server that takes `?` for values."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def execute(self, query: str, values: Sequence[Any] = (), /) -> Cursor:
        """Run a statement, or several without values."""
        found: Cursor = self._raw.execute(query.replace("?", "%s"), values or None)
        return found

    def executemany(self, query: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Run a statement for many rows."""
        with self._raw.cursor() as cursor:
            cursor.executemany(query.replace("?", "%s"), rows)

    def cursor(self) -> Any:
        """Return a cursor whose rows stay on the server until they are fetched."""
        return self._raw.cursor("rows")

    def close(self) -> None:
        """Close it; the server rolls back what is not committed."""
        self._raw.close()

    @property
    def is_lost(self) -> bool:
        """Whether the server cannot be reached by it any more."""
        return bool(self._raw.closed)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is under way."""
        return bool(self._raw.info.transaction_status.name != "IDLE")


def _make_impatient(psycopg: Any, seconds: float) -> Any:
    """Return a kind of connection that gives up if the server does not answer.

    The network may swallow what is sent without a word, which TCP notices much later.
    """

    class ImpatientConnection(psycopg.Connection):  # type: ignore[misc]
        def wait(self, answering: Generator[Any, Any, Any], *more: Any, **named: Any) -> Any:
            return super().wait(self._limit(answering), *more, **named)

        def _limit(self, answering: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
            end = monotonic() + seconds
            try:
                needed = next(answering)
                while True:
                    arrived = yield needed
                    if not arrived and monotonic() > end:  # asked ten times a second
                        self.pgconn.finish()
                        raise psycopg.OperationalError(f"no answer within {seconds:g} s")
                    needed = answering.send(arrived)
            except StopIteration as found:
                return found.value

    return ImpatientConnection


def _load_psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise missing_extra("fleet", "A record on PostgreSQL") from None
    return psycopg
