"""Feedback as it is kept: events without their rows, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A piece of feedback, without its rows.

    Attributes
    ----------
    event_id
        By which the sender knows it.
    kind
        "outcomes", "load", "too_many_alarms" or "queue_not_filled".
    digest
        SHA-256 of its content.
    at
        When it came in: ISO text, UTC.
    rows, positives
        How many rows it spoke about, and how many of them turned out positive.
    """

    event_id: str
    kind: str
    digest: str
    at: str
    rows: int = 0
    positives: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the rule in force promised, and what it did on rows whose outcomes are complete."""

    fpr: float
    tpr: float
    false_positives: float
    true_positives: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What complete feedback says about one rule, all events together."""

    negatives: int
    positives: int
    false_positives: float
    true_positives: float

    @property
    def fpr(self) -> float | None:
        """The share of negatives that alarm; None where there were none."""
        return self.false_positives / self.negatives if self.negatives else None

    @property
    def tpr(self) -> float | None:
        """The share of positives that alarm; None where there were none."""
        return self.true_positives / self.positives if self.positives else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A turn of the knob, and why; or a new start elsewhere."""

    at: str
    start: float
    end: float
    why: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"at": self.at, "from": self.start, "to": self.end, "why": self.why}


@dataclass(frozen=True, slots=True, kw_only=True)
class TunerRecord:
    """Where a tuner stands.

    Attributes
    ----------
    about
        The hull and the aim that it is for.
    start
        Where it began: the aim's own operating point.
    state
        What `KnobTuner.to_dict` wrote, without the history.
    """

    about: str
    start: float
    state: dict[str, Any]

    @property
    def position(self) -> float:
        """Where the knob stands."""
        return float(self.state["state"]["position"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What became of an event: to be kept together with it."""

    library_version: int
    aim_id: int | None
    reaction: dict[str, Any] | None = None
    judged: Judged | None = None
    tuner: TunerRecord | None = None
    moves: tuple[Move, ...] = ()

    @property
    def moved(self) -> float:
        """How far the knob was turned."""
        return float(self.reaction["moved"]) if self.reaction else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a sender of feedback is told, the first time and each time that it repeats itself."""

    event_id: str
    stored_at: str
    reaction: dict[str, Any] | None
    duplicate: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "event_id": self.event_id,
            "duplicate": self.duplicate,
            "reaction": self.reaction,
            "stored_at": self.stored_at,
        }
