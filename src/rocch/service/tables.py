"""The tables of a service's record, and copies of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rocch.database.places import open_record
from rocch.database.record import Tables, copy_rows
from rocch.errors import InputError

if TYPE_CHECKING:
    from rocch.database.places import Place
    from rocch.database.record import Connection

# The record in a service's folder.
RECORD = "service.sqlite"

# In `feedback`, fpr and tpr are the rates that the active rule promised; false_positives and
# true_positives are what it did.
VERSION_1 = """CREATE TABLE aims (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, by TEXT NOT NULL,
    note TEXT NOT NULL, source TEXT NOT NULL, conditions TEXT, criterion TEXT,
    randomize INTEGER NOT NULL, tuning TEXT NOT NULL, words TEXT NOT NULL
);
CREATE TABLE feedback (
    number INTEGER PRIMARY KEY AUTOINCREMENT, event_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL, digest TEXT NOT NULL, at TEXT NOT NULL,
    library_version INTEGER NOT NULL, aim_id INTEGER,
    rows INTEGER NOT NULL, positives INTEGER,
    fpr REAL, tpr REAL, false_positives REAL, true_positives REAL,
    moved REAL NOT NULL, reaction TEXT
);
CREATE INDEX judged ON feedback (library_version, aim_id, fpr, tpr);
CREATE TABLE moves (
    number INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, event_id TEXT NOT NULL,
    from_position REAL NOT NULL, to_position REAL NOT NULL, why TEXT NOT NULL
);
CREATE TABLE tuner (
    one INTEGER PRIMARY KEY CHECK (one = 1), about TEXT NOT NULL, start REAL NOT NULL,
    state TEXT NOT NULL
)"""

# Conditions, criterion and coin become one question, which has its own words.
MERGED = """json_patch(
    json_patch(coalesce(conditions, '{}'), coalesce(criterion, '{}')),
    iif(randomize, '{"randomize": true}', '{}')
)"""
MERGED_BY_POSTGRES = """(
    coalesce(conditions, '{}')::jsonb || coalesce(criterion, '{}')::jsonb
    || (CASE randomize WHEN 0 THEN '{}' ELSE '{"randomize": true}' END)::jsonb
)::text"""
ONE_QUESTION = """ALTER TABLE aims ADD COLUMN question TEXT NOT NULL DEFAULT '{}';
UPDATE aims SET question = MERGED;
ALTER TABLE aims DROP COLUMN conditions;
ALTER TABLE aims DROP COLUMN criterion;
ALTER TABLE aims DROP COLUMN randomize;
ALTER TABLE aims DROP COLUMN words"""
VERSION_2 = (
    ONE_QUESTION.replace("MERGED", MERGED),
    ONE_QUESTION.replace("MERGED", MERGED_BY_POSTGRES),
)

# Versions of a file are numbered as they come; a library numbers its own.
VERSION_3 = """CREATE TABLE versions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, sha256 TEXT NOT NULL UNIQUE
)"""

# One tuner for each hull and policy: `key` is the SHA-256 of `about`, or empty for the one of
# before, and `number` that of the event which it weighed last.
VERSION_4 = """CREATE TABLE tuners (
    key TEXT PRIMARY KEY, number BIGINT NOT NULL, about TEXT NOT NULL,
    start DOUBLE PRECISION NOT NULL, state TEXT NOT NULL
);
INSERT INTO tuners (key, number, about, start, state)
SELECT '', (SELECT coalesce(max(number), 0) FROM feedback), about, start, state FROM tuner;
DROP TABLE tuner"""

# Decisions that were shipped from audit files, how many bytes of each file are, and what each
# worker says of itself.
VERSION_5 = """CREATE TABLE audit (
    decision_id TEXT PRIMARY KEY, at TEXT NOT NULL, worker TEXT NOT NULL,
    model_version BIGINT NOT NULL, aim_id BIGINT, record TEXT NOT NULL
);
CREATE INDEX audited ON audit (at, decision_id);
CREATE TABLE audit_files (
    host TEXT NOT NULL, device TEXT NOT NULL, inode TEXT NOT NULL, path TEXT NOT NULL,
    shipped BIGINT NOT NULL, first_line TEXT, PRIMARY KEY (host, device, inode)
);
CREATE TABLE workers (
    worker TEXT PRIMARY KEY, at TEXT NOT NULL, state TEXT NOT NULL
)"""

# The sums of complete feedback on each rule, because events may be millions. Without an aim,
# `aim_id` is 0.
VERSION_6 = """CREATE TABLE observed (
    library_version INTEGER NOT NULL, aim_id INTEGER NOT NULL, fpr REAL NOT NULL, tpr REAL NOT NULL,
    rows INTEGER, positives INTEGER, false_positives REAL, true_positives REAL,
    PRIMARY KEY (library_version, aim_id, fpr, tpr)
);
INSERT INTO observed SELECT library_version, coalesce(aim_id, 0), fpr, tpr,
    sum(rows), sum(positives), sum(false_positives), sum(true_positives)
FROM feedback WHERE fpr IS NOT NULL GROUP BY 1, 2, 3, 4;
DROP INDEX judged"""

# The application id is "ROCS".
TABLES = Tables(
    "service",
    0x524F4353,
    (VERSION_1, VERSION_2, VERSION_3, VERSION_4, VERSION_5, VERSION_6),
)

# What belongs to a service wherever it runs; the other tables are about machines.
COPIED = ("aims", "feedback", "moves", "tuners", "versions", "audit", "observed")


def record_place(folder: Place) -> Place:
    """Return where a service's record is: in a file of its folder, or in its schema."""
    return folder / RECORD if isinstance(folder, Path) else folder


def copy_record(source: Place, target: Place, beside: Connection) -> None:
    """Copy the record of a service, if there is one, to beside a library that is being written.

    On a server that is one transaction, `beside`.
    """
    found = open_record(record_place(source), TABLES)
    if not found.exists():
        return
    to = record_place(target)
    if isinstance(to, Path):
        to.touch(mode=0o600)
    copy = open_record(to, TABLES, new=True)
    try:
        with found.reading() as db, copy.joining(beside) as copied:
            if any(copied.execute(f"SELECT 1 FROM {table}").fetchone() for table in COPIED):  # noqa: S608
                raise InputError("target", "be a place without a service's record", str(target))
            for table in COPIED:
                copy_rows(db, copied, table)
    finally:
        found.close()
        copy.close()
