"""Feedback: events as they come in, and the tuner that they turn.

There is one tuner for each hull and policy. It starts at the policy's own operating point. A new
policy has a new one, and so does a version with another hull or another own operating point,
because there positions of the knob mean other settings. An event is weighed by the tuner of the
version and policy under which its process decides, so one that lags behind disturbs no other. With
"advise" a tuner only suggests a setting; with "follow" its knob is in force from its first move on,
unless that would break a limit on FPR or TPR.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rocch.errors import InputError, StorageError
from rocch.hybrid.climb import review_weights
from rocch.hybrid.tune import KnobTuner
from rocch.inputs import check_length
from rocch.roc.knob import Knob, reach
from rocch.roc.question import Question
from rocch.service.served import now
from rocch.service.store import FeedbackEvent, TunerState

if TYPE_CHECKING:
    from rocch.arrays import BoolArray
    from rocch.hybrid.climb import Reaction
    from rocch.hybrid.expression import Batch
    from rocch.roc.hull import RocHull
    from rocch.service.served import AimedRule, ServedModel
    from rocch.service.store import FeedbackReceipt, Policy, Store

# The number of moves in the status.
MOVES = 20

NOT_WEIGHED = "kept, not weighed: outcomes turn the knob only where the aim has exact costs"

Kind: TypeAlias = Literal["outcomes", "load", "too_many_alarms", "queue_not_filled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One event as it was sent; its kind determines which fields are used.

    Examples
    --------
    Equal content has an equal digest, whatever the event is called:

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
class LabeledRows:
    """Checked rows whose true classes are known."""

    batch: Batch
    positive: BoolArray
    complete: bool
    propensities: list[float] | None

    @classmethod
    def from_feedback(cls, feedback: Feedback, served: ServedModel) -> LabeledRows:
        """Check the rows of an event; it must declare how they came to be labeled."""
        batch = served.batch(scores=feedback.scores, features=feedback.features)
        if feedback.features is not None:
            for model in served.hybrid.components:  # now, because others wait for the tuner
                batch.scores(model)
        outcomes: Any = feedback.outcomes  # none is refused
        positive = served.hybrid.positives(outcomes, "outcomes")
        check_length(positive.size, len(batch), "outcomes")
        review_weights(feedback.complete, feedback.propensities, positive.size)
        return cls(batch, positive, feedback.complete, feedback.propensities)

    def count_alarms(self, rule: AimedRule) -> dict[str, Any]:
        """Return a rule's rates, and its alarms on these rows if they are no selection.

        Of a rule that refers cases, nothing is counted: what a person decides is not known.
        """
        if not self.complete or rule.referral is not None:
            return {}
        alarms = rule.decision_probability(self.batch)
        return {
            "fpr": rule.point.fpr,
            "tpr": rule.point.tpr,
            "false_positives": float(alarms[~self.positive].sum()),
            "true_positives": float(alarms[self.positive].sum()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class TunerStatus:
    """The tuner's state as the page shows it, and what may call for a warning.

    `setting` is in force, which is `position` or, where it only advises or would break a limit,
    `start`. At an end, that of the "fewest alarms" or "most alarms", the knob cannot be turned any
    further that way.
    """

    mode: str
    position: float
    setting: float
    step: float
    moves: tuple[dict[str, Any], ...]
    start: float
    broken_limit: str | None
    at_end: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return what the page shows as plain data."""
        shown = ("mode", "position", "setting", "step", "moves")
        return {name: getattr(self, name) for name in shown}


def record_feedback(
    store: Store, served: ServedModel, policy: Policy, feedback: Feedback
) -> FeedbackReceipt:
    """Weigh an event and store it; when this returns, both are durable.

    A repeated event gets the same receipt as the first time.

    Raises
    ------
    InputError
        If the tuner cannot use it; nothing is stored.
    ConflictError
        If another event had this id.
    StorageError
        If it cannot be stored.
    """
    digest = feedback.digest
    known = store.receipt(feedback.event_id, digest)
    if known is not None:
        return known
    outcomes = feedback.kind == "outcomes"
    rows = LabeledRows.from_feedback(feedback, served) if outcomes else None
    event = FeedbackEvent(
        event_id=feedback.event_id,
        kind=feedback.kind,
        digest=digest,
        at=now(),
        library_version=served.version,
        aim_id=policy.id,
        rows=0 if rows is None else rows.positive.size,
        positives=None if rows is None else int(rows.positive.sum()),
    )

    def react(state: TunerState | None) -> FeedbackEvent:
        return _react(served, policy, state, feedback, rows, event)

    about = "" if policy.tuning == "off" else _describe_setting(served, policy)
    return store.add_feedback(event.event_id, digest, react, about=about)


def tuner_status(store: Store, served: ServedModel, policy: Policy) -> TunerStatus | None:
    """Return the tuner's state; None while tuning is off.

    Its moves are empty while the record cannot be read.
    """
    if policy.tuning == "off":
        return None
    at = max(policy.at, served.loaded_at)
    state, restarts = _resume(served, policy, find_tuner(store, served, policy), at)
    moves: list[dict[str, Any]] = []
    with suppress(StorageError):
        moves = store.moves(MOVES)
    knob = tuned_knob(served, policy, state)
    low, high = reach(served.hull)
    return TunerStatus(
        mode=policy.tuning,
        position=state.position,
        setting=state.start if knob is None else knob.position,
        step=state.step,
        moves=(*restarts, *moves)[:MOVES],
        start=state.start,
        broken_limit=find_broken_limit(served.hull, policy, state),
        at_end={low: "fewest alarms", high: "most alarms"}.get(state.position),
    )


def _react(
    served: ServedModel,
    policy: Policy,
    state: TunerState | None,
    feedback: Feedback,
    rows: LabeledRows | None,
    event: FeedbackEvent,
) -> FeedbackEvent:
    """Return an event with what the active rule did on its rows, and the tuner's reaction."""
    if rows is not None:
        rule = rule_at_knob(served, policy, tuned_knob(served, policy, state))
        event = replace(event, **rows.count_alarms(rule))
    if policy.tuning == "off":
        return event
    before, moves = _resume(served, policy, state, event.at)
    tuner = KnobTuner.from_dict(served, before.state)
    # Where the tuner only advises, alarms come from the setting that it began at. Complaints must
    # not drive it further and further away from what nobody has tried.
    is_active = tuned_knob(served, policy, before) is not None
    at_start = not is_active and before.position != before.start
    reaction = _weigh(tuner, feedback, rows, Knob(before.start) if at_start else None)
    if reaction.moved:
        start = reaction.position - reaction.moved
        moves += (_move(event.at, start, reaction.position, reaction.why),)
    return replace(
        event,
        reaction={"words": str(reaction), **asdict(reaction)},
        tuner=replace(before, state=_state_of(tuner)),
        moves=moves,
    )


def _weigh(
    tuner: KnobTuner, feedback: Feedback, rows: LabeledRows | None, setting: Knob | None
) -> Reaction:
    """Pass an event to a tuner; complaints are about a setting, by default the tuner's."""
    if rows is not None and not tuner.weighs_outcomes:
        return tuner.leave_aside(feedback.kind, why=NOT_WEIGHED)
    if rows is not None:
        return tuner.outcomes(
            rows.batch, rows.positive, complete=rows.complete, propensities=rows.propensities
        )
    if feedback.kind == "load":
        return tuner.load(
            alarms=feedback.alarms,  # type: ignore[arg-type]  # the tuner refuses none
            capacity=feedback.capacity,  # type: ignore[arg-type]
            setting=setting,
        )
    if feedback.kind == "too_many_alarms":
        return tuner.too_many_alarms(times=feedback.times, setting=setting)
    return tuner.queue_not_filled(times=feedback.times, setting=setting)


def rule_at_knob(served: ServedModel, policy: Policy, knob: Knob | None) -> AimedRule:
    """Return the rule of a policy: its own, or where the tuner has turned the knob to."""
    question = policy.question
    if knob is not None:
        question = Question(knob=knob.position, randomize=question.randomize)
    return served.rule_for(question)


def start_tuner(served: ServedModel, policy: Policy) -> TunerState:
    """Return a new tuner at the policy's own operating point."""
    question = policy.question
    for is_so, where, hint in (
        (
            question.refers,
            "cases are referred to a person",
            "Feedback turns one threshold, and such a rule has two.",
        ),
        (
            question.confidence is not None,
            "limits must hold on new rows",
            "Another setting is not guaranteed.",
        ),
    ):
        if is_so:
            raise InputError("tuning", f"be off where {where}", repr(policy.tuning), hint)
    start = Knob.of(served.rule_for(question).point)
    tuner = KnobTuner(served, question.conditions, start=start, randomize=question.randomize)
    about, state = _describe_setting(served, policy), _state_of(tuner)
    return TunerState(about=about, start=tuner.knob.position, state=state)


def find_tuner(store: Store, served: ServedModel, policy: Policy) -> TunerState | None:
    """Return the tuner of a version and policy, else the last one of all, from memory."""
    return store.find_tuner(_describe_setting(served, policy))


def _resume(
    served: ServedModel, policy: Policy, state: TunerState | None, at: str
) -> tuple[TunerState, tuple[dict[str, Any], ...]]:
    """Return the tuner of this version and policy, and its restart as a move if there was one."""
    if state is None:
        return start_tuner(served, policy), ()
    reason = _restart_reason(served, policy, state)
    if reason is None:
        return state, ()
    new = start_tuner(served, policy)
    return new, (_move(at, state.position, new.start, f"started anew {reason}"),)


def _move(at: str, start: float, end: float, why: str) -> dict[str, Any]:
    return {"at": at, "from": start, "to": end, "why": why}


def _describe_setting(served: ServedModel, policy: Policy) -> str:
    """Return what a tuner's positions depend on: hull and own setting, then the question."""
    start = Knob.of(served.rule_for(policy.question).point).position
    stated = [policy.id, policy.question.to_dict()]
    return json.dumps([[served.hull_print, start], stated], sort_keys=True)


def _restart_reason(served: ServedModel, policy: Policy, state: TunerState) -> str | None:
    about = _describe_setting(served, policy)
    if state.about == about:
        try:
            KnobTuner.from_dict(served, state.state)
        except InputError:  # another release of this package wrote it
            return "because its record cannot be read any more"
        return None
    (place, stated), (new_place, new_stated) = json.loads(state.about)[:2], json.loads(about)
    if stated == new_stated:
        return f"for version {served.version}"
    same_hull = place[0] == new_place[0] if isinstance(place, list) else False
    return "for a new aim" if same_hull else f"for version {served.version} and a new aim"


def _state_of(tuner: KnobTuner) -> dict[str, Any]:
    """Return a tuner as plain data, without its history: events are stored one by one."""
    return {**tuner.to_dict(), "history": []}


def tuned_knob(served: ServedModel, policy: Policy, state: TunerState | None) -> Knob | None:
    """Return the knob if the tuner's is in force.

    For that it must be allowed to follow feedback, must have moved, and must keep the limits.
    """
    if policy.tuning != "follow" or state is None or state.position == state.start:
        return None
    if state.about != _describe_setting(served, policy):
        return None
    return None if find_broken_limit(served.hull, policy, state) else Knob(state.position)


def find_broken_limit(hull: RocHull, policy: Policy, state: TunerState) -> str | None:
    """Return the limit of a policy that a tuner's setting would break, if any, in words."""
    if state.position == state.start:
        return None
    question = policy.question
    point = Knob(state.position).on(hull, randomize=question.randomize)
    if question.max_fpr is not None and point.fpr > question.max_fpr:
        return f"an FPR of {point.fpr:.4g}, above the limit of {question.max_fpr:g}"
    if question.min_tpr is not None and point.tpr < question.min_tpr:
        return f"a TPR of {point.tpr:.4g}, below the limit of {question.min_tpr:g}"
    return None
