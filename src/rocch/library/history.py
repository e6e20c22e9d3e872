"""A library's history, and what it says about each classifier that was ever on its hull."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rocch.library.ground import Ground
from rocch.library.holdings import KEPT
from rocch.library.record import stored
from rocch.library.records import LibraryClassifier

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

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
    name = row["name"]
    places = _places(row, hull) if row["state"] == KEPT else []
    stretches = _stretches(places, hull)
    return LibraryClassifier(
        name=name,
        state=row["state"],
        added_at=row["added_at"],
        added_by=row["added_by"],
        tags=tuple(stored(row["tags"], list)),
        parameters=stored(row["parameters"], dict),
        note=row["note"],
        scoring=bool(row["scoring"]),
        has_model=row["model"] is not None,
        fingerprint=Ground.from_columns(row).fingerprint,
        vertices=tuple(hull.vertices[i] for i in places),
        slopes=(stretches[0][0], stretches[-1][1]) if stretches else None,
        stretches=stretches,
        left_at=row["left_at"],
    )


def _places(row: Mapping[str, Any], hull: RocHull) -> list[int]:
    """Return which vertices are a classifier's; not the ends, which every curve reaches."""
    ends = (0, len(hull) - 1) if row["scoring"] else ()
    named = enumerate(hull.vertices)
    return [i for i, vertex in named if row["name"] in vertex.classifiers and i not in ends]


def _stretches(places: Sequence[int], hull: RocHull) -> tuple[tuple[float, float], ...]:
    """Return the slopes at which one of these vertices is best, from low to high."""
    edges = [math.inf, *hull.slopes.tolist(), 0.0]
    least, most = hull.slope_bounds or (0.0, math.inf)
    found: list[tuple[float, float]] = []
    for i in reversed(places):
        low, high = max(edges[i + 1], least), min(edges[i], most)
        if found and found[-1][1] == low:
            low = found.pop()[0]
        found.append((low, high))
    return tuple(found)
