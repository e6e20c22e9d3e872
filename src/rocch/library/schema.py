"""The tables of a library's record, and how older ones become the present ones.

Points are kept as they were counted, in whole numbers, and only those on the joint hull; nothing
in a library grows with the classifiers that were looked at and discarded.
"""

from __future__ import annotations

from rocch.library.tables import Tables

APPLICATION = 0x524F4348
"""Marks the file as ours ("ROCH"), as SQLite's `application_id`."""

FIRST = """
CREATE TABLE library (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    created_at TEXT NOT NULL,
    bounds TEXT,                -- the conditions that the library is for, as plain data
    slope_low REAL,             -- and the slopes that they allow
    slope_high REAL,
    negatives INTEGER,          -- the rows that classifiers are judged on, once one was added
    positives INTEGER,
    unit REAL,
    weighted INTEGER,
    labels_print BLOB,
    ids_print BLOB,
    labels TEXT,                -- the two labels, the positive one last, as plain data
    offered INTEGER NOT NULL DEFAULT 0,
    discarded INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE classifiers (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('kept', 'driven out', 'pruned')),
    scoring INTEGER NOT NULL,
    negatives INTEGER NOT NULL,
    positives INTEGER NOT NULL,
    unit REAL NOT NULL,
    weighted INTEGER NOT NULL,
    labels_print BLOB,
    ids_print BLOB,
    curve TEXT,                 -- the digest of the file with its full curve
    model TEXT,                 -- the digest of the file with the fitted model
    print TEXT NOT NULL,        -- of how it judges the rows, to know it again
    whole INTEGER NOT NULL,     -- whether all of its own points are kept
    added_at TEXT NOT NULL,
    added_by TEXT NOT NULL,
    parameters TEXT NOT NULL,
    tags TEXT NOT NULL,
    note TEXT NOT NULL,
    left_at TEXT
) STRICT;

CREATE UNIQUE INDEX kept_names ON classifiers (name) WHERE state = 'kept';

CREATE TABLE points (
    classifier INTEGER NOT NULL REFERENCES classifiers (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    false_positives INTEGER NOT NULL,
    true_positives INTEGER NOT NULL,
    threshold REAL,
    next_lower REAL,
    setting TEXT,
    PRIMARY KEY (classifier, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;

CREATE TABLE exports (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    note TEXT NOT NULL,
    file TEXT NOT NULL,
    classifiers TEXT NOT NULL
) STRICT;

CREATE TABLE seal (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    print TEXT NOT NULL         -- of what the answers are made from, to notice damage
) STRICT;
"""

TABLES = Tables(APPLICATION, (FIRST,))
"""What a library's record consists of."""
