"""When to alarm, as a statement about models' scores: the small language of deployed rules.

An expression says the same thing to everyone: it decides rows, reads as plain words, becomes SQL
over score columns, and goes through JSON unchanged. Parts are evaluated from left to right and
only on rows whose answer is still open, so that chaining a cheap model before a dear one pays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np

from rocch.errors import bad_input

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.arrays import BoolArray, FloatArray, IntArray
    from rocch.roc.operating_point import RocPoint


class Batch(Protocol):
    """Rows to be decided, and the models that score them."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def scores(self, model: str, rows: IntArray | None = None) -> FloatArray:
        """Return a model's scores on some rows, or on all."""

    def alarms(self, model: str, rows: IntArray | None = None) -> BoolArray:
        """Return on which of some rows, or of all, a model that only labels alarms."""


class SqlWriter(Protocol):
    """How one database writes columns and numbers."""

    def labels(self, model: str) -> str:
        """Write a model's column of labels."""

    def scores(self, model: str) -> str:
        """Write a model's column of scores."""

    def number(self, text: str) -> str:
        """Write a number that has no digits."""


@dataclass(frozen=True, slots=True)
class Constant:
    """Never or always alarm."""

    alarm: bool

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed, in the order of evaluation: none."""
        return ()

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        return np.full(len(batch) if rows is None else rows.size, self.alarm)

    def words(self) -> str:
        """Say it in plain words."""
        return "always" if self.alarm else "never"

    def sql(self, sql: SqlWriter, positive: str) -> str:  # noqa: ARG002 - it needs none
        """Write it as an SQL condition."""
        return "1 = 1" if self.alarm else "1 = 0"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"always" if self.alarm else "never": True}


@dataclass(frozen=True, slots=True)
class AtLeast:
    """Alarm where a model's score reaches a threshold."""

    model: str
    threshold: float
    written: str = ""
    """The threshold with fewer digits, where those decide alike; for words only."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed, in the order of evaluation."""
        return (self.model,)

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        return np.asarray(batch.scores(self.model, rows) >= self.threshold)

    def words(self) -> str:
        """Say it in plain words."""
        return f"{self.model} >= {self.written or repr(self.threshold)}"

    def sql(self, sql: SqlWriter, positive: str) -> str:  # noqa: ARG002 - scores, not labels
        """Write it as an SQL condition, with the exact threshold."""
        exact = repr(self.threshold)
        if math.isinf(self.threshold):
            exact = sql.number("-Infinity" if self.threshold < 0 else "Infinity")
        return f"{sql.scores(self.model)} >= {exact}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"model": self.model, "at_least": self.threshold, "written": self.written}


@dataclass(frozen=True, slots=True)
class Says:
    """Alarm where a model that outputs labels only says so."""

    model: str

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed, in the order of evaluation."""
        return (self.model,)

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        return batch.alarms(self.model, rows)

    def words(self) -> str:
        """Say it in plain words."""
        return f"{self.model} alarms"

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Write it as an SQL condition on a column of predicted labels."""
        return f"{sql.labels(self.model)} = {positive}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"model": self.model, "alarms": True}


@dataclass(frozen=True, slots=True)
class Joined:
    """Two parts; the second is asked only where the first has not settled the answer."""

    first: Expression
    second: Expression

    word: ClassVar[str]
    """What stands between the parts."""
    settled: ClassVar[bool]
    """The first part's answer that needs no second."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models needed, in the order of evaluation."""
        return tuple(dict.fromkeys((*self.first.models, *self.second.models)))

    def alarms(self, batch: Batch, rows: IntArray | None = None) -> BoolArray:
        """Return which rows alarm."""
        alarms = self.first.alarms(batch, rows)
        still_open = np.flatnonzero(alarms != self.settled)
        if still_open.size:
            asked = still_open if rows is None else rows[still_open]
            alarms = alarms.copy()
            alarms[still_open] = self.second.alarms(batch, asked)
        return alarms

    def words(self) -> str:
        """Say it in plain words."""
        return f"({self.first.words()} {self.word} {self.second.words()})"

    def sql(self, sql: SqlWriter, positive: str) -> str:
        """Write it as an SQL condition."""
        first, second = (part.sql(sql, positive) for part in (self.first, self.second))
        return f"({first} {self.word.upper()} {second})"

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {self.word: [self.first.to_dict(), self.second.to_dict()]}


@dataclass(frozen=True, slots=True)
class Both(Joined):
    """Alarm where both parts do."""

    word = "and"
    settled = False


@dataclass(frozen=True, slots=True)
class Either(Joined):
    """Alarm where one part does, or both."""

    word = "or"
    settled = True


Expression: TypeAlias = Constant | AtLeast | Says | Both | Either


def expression_at(point: RocPoint) -> Expression:
    """Return when to alarm at a ROC point."""
    name, threshold = point.classifier, point.deployed_threshold
    if isinstance(threshold, float):
        return AtLeast(name, threshold, point.written_threshold)
    if point.fpr == point.tpr and point.fpr in (0, 1):
        return Constant(point.fpr == 1)
    return Says(name)


def expression_from(data: Mapping[str, Any]) -> Expression:
    """Read an expression that `to_dict` wrote."""
    match data:
        case {"never": True}:
            return Constant(False)
        case {"always": True}:
            return Constant(True)
        case {"model": str(model), "at_least": float(threshold), "written": str(written)}:
            return AtLeast(model, threshold, written)
        case {"model": str(model), "alarms": True}:
            return Says(model)
        case {"and": [first, second]}:
            return Both(expression_from(first), expression_from(second))
        case {"or": [first, second]}:
            return Either(expression_from(first), expression_from(second))
    raise bad_input("rule", "be written by this package", repr(data), "Write it with to_dict().")
