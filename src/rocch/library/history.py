"""A library's history, and what it says about each classifier that was ever on its hull."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rocch.library.ground import Ground
from rocch.library.holdings import KEPT
from rocch.library.records import LibraryClassifier

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from rocch.roc.hull import RocHull


def now() -> str:
    """Return the time in UTC, as it is recorded."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def enter(db: sqlite3.Connection, at: str, by: str, kind: str, detail: Mapping[str, Any]) -> None:
    """Write an entry."""
    db.execute(
        "INSERT INTO events (at, by, kind, detail) VALUES (?, ?, ?, ?)",
        (at, by, kind, json.dumps(detail)),
    )


def described(row: Mapping[str, Any], hull: RocHull) -> LibraryClassifier:
    """Return what the library says about a classifier."""
    name, kept = row["name"], row["state"] == KEPT
    places = [i for i, vertex in enumerate(hull.vertices) if kept and name in vertex.classifiers]
    edges = [math.inf, *hull.slopes.tolist(), 0.0]
    slopes = (edges[places[-1] + 1], edges[places[0]]) if places else None
    return LibraryClassifier(
        name=name,
        state=row["state"],
        added_at=row["added_at"],
        added_by=row["added_by"],
        tags=tuple(json.loads(row["tags"])),
        parameters=json.loads(row["parameters"]),
        note=row["note"],
        scoring=bool(row["scoring"]),
        has_model=row["model"] is not None,
        fingerprint=Ground.from_columns(row).fingerprint,
        vertices=tuple(hull.vertices[i] for i in places),
        slopes=slopes,
        left_at=row["left_at"],
    )
