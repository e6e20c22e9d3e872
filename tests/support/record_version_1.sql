-- a record as release 0.1 wrote it; frozen: later releases must read it
BEGIN TRANSACTION;
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
INSERT INTO "classifiers" VALUES(1,'early','driven out',0,10,10,1.0,0,NULL,NULL,NULL,NULL,'ffc66f6b6ca3d3250ee7d27bdc02246d',1,'2026-11-15T23:49:51.883409Z','ada','{}','[]','a first try','2026-11-15T23:49:51.889276Z');
INSERT INTO "classifiers" VALUES(2,'rules','kept',0,10,10,1.0,0,NULL,NULL,NULL,NULL,'c591c051bfa84bdd9b9fc35904e4faf4',0,'2026-11-15T23:49:51.889276Z','ada','{"depth": 3}','["2026"]','',NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
INSERT INTO "events" VALUES(1,'2026-11-15T23:49:51.883409Z','ada','added','{"joined": ["early"], "left": [], "saves": {"early": 0.15000000000000002}, "vertices": 3}');
INSERT INTO "events" VALUES(2,'2026-11-15T23:49:51.889276Z','ada','added','{"joined": ["rules"], "left": ["early"], "saves": {"rules": 0.16923076923076927}, "vertices": 4}');
CREATE TABLE exports (
    version INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    by TEXT NOT NULL,
    note TEXT NOT NULL,
    file TEXT NOT NULL,
    classifiers TEXT NOT NULL
) STRICT;
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
INSERT INTO "library" VALUES(1,'2026-11-15T23:49:51.872889Z',NULL,NULL,NULL,10,10,1.0,0,NULL,NULL,NULL,2,0);
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
INSERT INTO "points" VALUES(2,0,1,6,NULL,NULL,'1');
INSERT INTO "points" VALUES(2,1,4,9,NULL,NULL,'3');
CREATE TABLE seal (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    print TEXT NOT NULL         -- of what the answers are made from, to notice damage
) STRICT;
INSERT INTO "seal" VALUES(1,'8edca9414e3a5c4d6d6309792070101f');
CREATE UNIQUE INDEX kept_names ON classifiers (name) WHERE state = 'kept';
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('classifiers',2);
INSERT INTO "sqlite_sequence" VALUES('events',2);
COMMIT;
PRAGMA user_version = 1;
PRAGMA application_id = 1380926280;
