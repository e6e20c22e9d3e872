"""What a library knows of itself: its rows, its bounds, its labels and how much it was offered."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError, StorageError, bad_input
from rocch.hybrid.plain import from_plain, to_plain
from rocch.library.ground import Ground
from rocch.library.record import DamageError, rows, stored
from rocch.roc.conditions import Conditions

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from rocch.roc.curve import Judged


@dataclass(frozen=True, slots=True)
class Standing:
    """The one row of the record that is about the library itself.

    Attributes
    ----------
    ground
        The rows that classifiers are judged on; None as long as nothing was added.
    bounds
        The conditions that the library is for, if not for all.
    slopes
        The slopes that the bounds allow.
    labels
        The two labels, the positive one last; None where only counts are known.
    offered, discarded
        How many classifiers were ever added, and how many of them were turned away at once.
    """

    created_at: str
    ground: Ground | None = None
    bounds: Conditions | None = None
    slopes: tuple[float, float] | None = None
    labels: tuple[Any, Any] | None = None
    offered: int = 0
    discarded: int = 0

    @classmethod
    def read(cls, db: sqlite3.Connection) -> Standing:
        """Read it."""
        row = next(iter(rows(db, "SELECT * FROM library")), None)
        if row is None:
            raise StorageError(
                "the library was never finished: whoever made it was interrupted, or is at it now. "
                "Try again, or remove its folder and make it anew."
            )
        slopes = row["slope_low"], row["slope_high"]
        return cls(
            row["created_at"],
            None if row["negatives"] is None else Ground.from_columns(dict(row)),
            _stored(row["bounds"], Conditions),
            None if slopes[0] is None else slopes,
            _stored(row["labels"], tuple),
            row["offered"],
            row["discarded"],
        )

    def write(self, db: sqlite3.Connection) -> None:
        """Write it, in place of what was there."""
        columns = {
            "one": 1,
            "created_at": self.created_at,
            "bounds": self.bounds and json.dumps(to_plain(self.bounds)),
            "slope_low": self.slopes and self.slopes[0],
            "slope_high": self.slopes and self.slopes[1],
            **({} if self.ground is None else self.ground.columns),
            "labels": self.labels and json.dumps(to_plain(self.labels)),
            "offered": self.offered,
            "discarded": self.discarded,
        }
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        query = f"INSERT OR REPLACE INTO library ({names}) VALUES ({marks})"  # noqa: S608 - our own
        db.execute(query, tuple(columns.values()))

    @property
    def judged(self) -> Judged:
        """The rows that the library began with."""
        if self.ground is None:
            raise InputError("the library is empty: nothing was added to it yet.")
        return self.ground.judged

    def bounded(self, within: Conditions | None) -> Standing:
        """Return it with narrower bounds."""
        if within is None:
            return self
        if isinstance(within.prevalence, str):
            raise bad_input(
                "within",
                "name the prevalence as a number or an interval",
                repr(within.prevalence),
                "A library may outlive the rows that it was begun with.",
            )
        slopes = within.slope_range
        least, most = self.slopes or (0.0, math.inf)
        if not least <= slopes[0] <= slopes[1] <= most:
            raise bad_input(
                "within",
                f"lie within the library's bounds, slopes {least:.6g} to {most:.6g}",
                f"slopes {slopes[0]:.6g} to {slopes[1]:.6g}",
                "What was outside them is not kept, so they cannot be widened.",
            )
        return replace(self, bounds=within, slopes=slopes)

    def judging(self, grounds: Sequence[Ground], *, different_rows: bool) -> Standing:
        """Return it with classifiers judged on these rows; others than its own are refused."""
        mine = self.ground or grounds[0]
        if not different_rows:
            for ground in grounds:
                mine = mine.joined(ground)
        return replace(self, ground=mine)

    def labelled(self, labels: tuple[Any, Any] | None) -> Standing:
        """Return it with its labels, which must be the same for all classifiers."""
        if labels is None or labels == self.labels:
            return self
        if self.labels is not None:
            raise bad_input(
                "y",
                f"have the library's labels, {self.labels[0]!r} and {self.labels[1]!r} (positive)",
                f"{labels[0]!r} and {labels[1]!r}",
                "Name the positive class with pos_label, or write the labels alike.",
            )
        return replace(self, labels=labels)


def _stored(text: str | None, kind: type) -> Any:
    """Return bounds, or the two labels, if there are any."""
    if text is None:
        return None
    try:
        found = from_plain(stored(text, dict))
        hash(found)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise DamageError(text[:80]) from error
    if not isinstance(found, kind) or (isinstance(found, tuple) and len(found) != 2):
        raise DamageError(text[:80])
    return found
