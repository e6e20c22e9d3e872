"""Feedback as it comes in: outcomes of rows, a period's load, or a complaint."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rocch.errors import InputError
from rocch.hybrid.climb import review_weights
from rocch.inputs import check_length
from rocch.service.events import Event, Judged

if TYPE_CHECKING:
    from rocch.arrays import BoolArray
    from rocch.hybrid.climb import Reaction
    from rocch.hybrid.rule import Batch
    from rocch.hybrid.tune import KnobTuner
    from rocch.roc.operating_point import OperatingPoint
    from rocch.service.served import Served

NOT_WEIGHED = "kept, not weighed: outcomes turn the knob only where the aim has exact costs"
SELECTIVE_LABELS = (
    "Labels that exist only because a row alarmed do not tell what was missed. Send "
    '"complete": true if every row of the period is here, reviewed whether it alarmed or not; or '
    '"propensities", the probability with which each row was to be reviewed.'
)

Kind: TypeAlias = Literal["outcomes", "load", "too_many_alarms", "queue_not_filled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One event, as its sender told it; which fields are used depends on its kind.

    Examples
    --------
    Equal content is known again by its digest, whatever the event is called:

    >>> from rocch.service.feedback import Feedback
    >>> monday = Feedback(event_id="mon", kind="load", alarms=120, capacity=100)
    >>> again = Feedback(event_id="tue", kind="load", alarms=120.0, capacity=100.0)
    >>> monday.digest == again.digest
    True
    """

    event_id: str
    kind: Kind
    scores: dict[str, list[Any]] | None = None
    features: dict[str, list[Any]] | None = None
    outcomes: list[Any] | None = None
    complete: bool = False
    propensities: list[float] | None = None
    alarms: float | None = None
    capacity: float | None = None
    times: float = 1.0

    @property
    def digest(self) -> str:
        """SHA-256 of the content."""
        names = (field.name for field in fields(self) if field.name != "event_id")
        content = {name: getattr(self, name) for name in names}
        for name in ("alarms", "capacity", "times"):
            content[name] = None if content[name] is None else float(content[name])
        return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Rows whose true classes are known, checked and ready to be judged."""

    batch: Batch
    positive: BoolArray
    complete: bool
    propensities: list[float] | None

    @classmethod
    def of(cls, feedback: Feedback, served: Served) -> Outcomes:
        """Check the rows of an event; how they came to be labeled must be declared."""
        batch = served.batch(scores=feedback.scores, features=feedback.features)
        if feedback.features is not None:
            for model in served.hybrid.components:  # which takes a while; later, others would wait
                batch.scores(model)
        outcomes: Any = feedback.outcomes  # none is refused
        positive = served.hybrid.positives(outcomes, "outcomes")
        check_length(positive.size, len(batch), "outcomes")
        _check_declared(feedback)
        review_weights(feedback.complete, feedback.propensities, positive.size)
        return cls(batch, positive, feedback.complete, feedback.propensities)

    def judge(self, served: Served, point: OperatingPoint) -> Judged | None:
        """Return what a rule does on these rows; None where they may be a selection."""
        if not self.complete:
            return None
        alarms = served.alarm_probability(point, self.batch)
        return Judged(
            fpr=point.fpr,
            tpr=point.tpr,
            false_positives=float(alarms[~self.positive].sum()),
            true_positives=float(alarms[self.positive].sum()),
        )


def _check_declared(feedback: Feedback) -> None:
    """Refuse rows of unknown selection, in the words of requests."""
    if feedback.complete == (feedback.propensities is not None):
        raise InputError(
            "complete, propensities",
            "say how these rows came to be labeled, by one of the two",
            "both" if feedback.complete else "neither",
            SELECTIVE_LABELS,
        )


def kept(feedback: Feedback, rows: Outcomes | None, digest: str, at: str) -> Event:
    """Return what is kept of an event."""
    return Event(
        event_id=feedback.event_id,
        kind=feedback.kind,
        digest=digest,
        at=at,
        rows=0 if rows is None else rows.positive.size,
        positives=None if rows is None else int(rows.positive.sum()),
    )


def tell(tuner: KnobTuner, feedback: Feedback, rows: Outcomes | None, setting: Any) -> Reaction:
    """Let a tuner hear an event; return what it did."""
    if rows is not None and not tuner.weighs_outcomes:
        return tuner.leave_aside(feedback.kind, why=NOT_WEIGHED)
    if rows is not None:
        return tuner.outcomes(
            rows.batch, rows.positive, complete=rows.complete, propensities=rows.propensities
        )
    if feedback.kind == "load":
        return tuner.load(
            alarms=feedback.alarms,  # type: ignore[arg-type]  # the tuner refuses none, in its words
            capacity=feedback.capacity,  # type: ignore[arg-type]
            setting=setting,
        )
    hear = getattr(tuner, feedback.kind)
    reaction: Reaction = hear(times=feedback.times, setting=setting)
    return reaction
