"""The tuner of the service: what it makes of feedback, and when it leads.

There is one tuner for each export and aim. It starts at the aim's own operating point; a new
export or a new aim starts it anew. With "advise" it only says where it would stand; with "follow"
its knob is in force from its first move on, unless that would break a limit on FPR or TPR that
the operator named.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError
from rocch.hybrid.knob import Knob, reach
from rocch.hybrid.tuning.tuner import KnobTuner
from rocch.roc.asked import Asked
from rocch.service.aims import Aim
from rocch.service.feedback import Outcomes, noted, tell
from rocch.service.records import Move, TunerRecord, Weighed

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.hybrid.tuning.reaction import Reaction
    from rocch.roc.conditions import Conditions
    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import OperatingPoint
    from rocch.service.aim_record import AimRecord
    from rocch.service.feedback import Feedback
    from rocch.service.records import Answer, Records
    from rocch.service.served import AimedRule, Served

MOVES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TunerNow:
    """Where the tuner stands.

    Attributes
    ----------
    mode
        "advise" or "follow".
    position, start, step
        Where the knob stands, where it began, and how far it would be turned next.
    leads
        Whether its knob is in force.
    beyond
        The limit that keeps it from being in force, in words.
    at_end
        "left" or "right" where the knob cannot be turned any further that way.
    moves
        What it did last, the newest first.
    """

    mode: str
    position: float
    start: float
    step: float
    leads: bool
    beyond: str | None
    at_end: str | None
    moves: tuple[Move, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "mode": self.mode,
            "position": self.position,
            "setting": self.position if self.leads else self.start,
            "step": self.step,
            "moves": [move.to_dict() for move in self.moves],
        }


class Tuning:
    """Weighs feedback, keeps it, and says where the knob stands; safe for several threads.

    Parameters
    ----------
    records
        Where events and the tuner's state are kept, together.
    now
        Returns the time as ISO text.
    """

    def __init__(self, records: Records, *, now: Callable[[], str]) -> None:
        self._records, self._now = records, now
        self._lock = Lock()
        self._tuner = records.tuner()

    def lead(self, served: Served, aim: AimRecord) -> Knob | None:
        """Return the knob if it is the tuner's that is in force; it is for every request to ask."""
        return _lead(served, aim, self._tuner)

    def hear(self, served: Served, aim: AimRecord, feedback: Feedback) -> Answer:
        """Weigh an event and keep both; when this returns, they are durable.

        An event that is there already is answered as it was the first time.

        Raises
        ------
        InputError
            If the tuner cannot use it; then nothing is stored.
        ConflictError
            If another event had this number.
        StorageError
            If it cannot be stored.
        """
        known = self._records.answered(feedback.event_id, feedback.digest)
        if known is not None:
            return known
        rows = Outcomes.of(feedback, served) if feedback.kind == "outcomes" else None
        hearing = _Hearing(served, aim, feedback, rows, self._now())
        with self._lock:  # so that what is in memory is never older than what is on the disk
            answer = self._records.add_feedback(
                noted(feedback, rows, hearing.at), hearing.weighed
            )
            self._tuner = hearing.left or self._tuner
        return answer

    def standing(self, served: Served, aim: AimRecord) -> TunerNow | None:
        """Return where the tuner stands; None where it is off."""
        if aim.tuning == "off":
            return None
        before = self._tuner
        here, anew = _taken_up(served, aim, before, max(aim.at, served.loaded_at))
        moves = (*anew, *self._records.moves(MOVES))[:MOVES]
        return TunerNow(
            mode=aim.tuning,
            position=here.position,
            start=here.start,
            step=float(here.state["state"]["stride"]["step"]),
            leads=_lead(served, aim, here) is not None,
            beyond=_beyond(served.hull, aim, here),
            at_end=_end(served.hull, here.position),
            moves=moves,
        )


class _Hearing:
    """One event on its way to the record."""

    def __init__(
        self,
        served: Served,
        aim: AimRecord,
        feedback: Feedback,
        rows: Outcomes | None,
        at: str,
    ) -> None:
        self.served, self.aim, self.feedback, self.rows, self.at = served, aim, feedback, rows, at
        self.left: TunerRecord | None = None
        """Where the event left the tuner."""

    def weighed(self, before: TunerRecord | None) -> Weighed:
        """Say what becomes of the event, told where the tuner stands."""
        about = {"library_version": self.served.version, "aim_id": self.aim.id}
        judged = self.rows and self.rows.judge(self.served, self._in_force(before))
        if self.aim.tuning == "off":
            return Weighed(**about, judged=judged)
        here, anew = _taken_up(self.served, self.aim, before, self.at)
        tuner = KnobTuner.from_dict(_Model(self.served), here.state)
        reaction = tell(tuner, self.feedback, self.rows, self._made_at(here))
        self.left = TunerRecord(about=here.about, start=here.start, state=_state(tuner))
        return Weighed(
            **about,
            judged=judged,
            reaction={"words": str(reaction), **asdict(reaction)},
            tuner=self.left,
            moves=(*anew, *_turned(reaction, self.at)),
        )

    def _in_force(self, tuner: TunerRecord | None) -> OperatingPoint:
        knob = _lead(self.served, self.aim, tuner)
        if knob is None:
            return own_rule(self.served, self.aim).point
        return self.served.aimed(knob, self.aim.randomise).point

    def _made_at(self, here: TunerRecord) -> Knob | None:
        """Return the setting that complaints are about; None for where the tuner stands.

        Where the tuner only advises, alarms come from the setting that it began at, and complaints
        must not drive it further and further away from what nobody has tried.
        """
        leads = _lead(self.served, self.aim, here) is not None
        return None if leads or here.position == here.start else Knob(here.start)


class _Model:
    """The hybrid that is served, as a tuner needs it: its rows are checked batches."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.hull_: RocHull = served.hull

    def at(self, point: OperatingPoint) -> Any:
        """Return it aimed at a point."""
        return _Aimed(self._served, point)


@dataclass(frozen=True, slots=True)
class _Aimed:
    served: Served
    point: OperatingPoint

    def decision_probability(self, batch: Any) -> Any:
        return self.served.alarm_probability(self.point, batch)

    def predict(self, batch: Any) -> Any:
        return self.decision_probability(batch) == 1


def own_rule(served: Served, aim: AimRecord) -> AimedRule:
    """Return the rule that an aim leads to by itself, without a tuner."""
    said = Aim.of(aim.conditions, aim.criterion, randomise=aim.randomise)
    criterion = said.criterion() if said else served.model.default_.criterion
    return served.aimed(criterion, aim.randomise)


def started(served: Served, aim: AimRecord) -> TunerRecord:
    """Return a new tuner at the aim's own operating point."""
    start = Knob.of(own_rule(served, aim).point)
    tuner = KnobTuner(_Model(served), _costs(aim), start=start, randomise=aim.randomise)
    return TunerRecord(about=_about(served, aim), start=tuner.knob.position, state=_state(tuner))


def _taken_up(
    served: Served, aim: AimRecord, before: TunerRecord | None, at: str
) -> tuple[TunerRecord, tuple[Move, ...]]:
    """Return the tuner of this export and aim; and, where it had to start anew, that it did."""
    if before is not None and before.about == _about(served, aim):
        return before, ()
    new = started(served, aim)
    if before is None:
        return new, ()
    why = f"started anew for {_what_changed(served, before)}"
    return new, (Move(at=at, start=before.position, end=new.start, why=why),)


def _about(served: Served, aim: AimRecord) -> str:
    said = [aim.conditions, aim.criterion, aim.randomise]
    return json.dumps([served.version, served.sha256, aim.id, said], sort_keys=True)


def _what_changed(served: Served, before: TunerRecord) -> str:
    same = json.loads(before.about)[:2] == [served.version, served.sha256]
    return "a new aim" if same else f"export {served.version}"


def _costs(aim: AimRecord) -> Conditions | None:
    """Return the costs of an aim, which outcomes are weighed by; None where it names none."""
    words = {**(aim.conditions or {}), **(aim.criterion or {})}
    words.pop("knob", None)
    return Asked(**words).conditions


def _state(tuner: KnobTuner) -> dict[str, Any]:
    """Return a tuner as plain data; what it did is kept event by event elsewhere."""
    return {**tuner.to_dict(), "history": []}


def _turned(reaction: Reaction, at: str) -> tuple[Move, ...]:
    if not reaction.moved:
        return ()
    before = reaction.position - reaction.moved
    return (Move(at=at, start=before, end=reaction.position, why=reaction.why),)


def _lead(served: Served, aim: AimRecord, tuner: TunerRecord | None) -> Knob | None:
    if aim.tuning != "follow" or tuner is None or tuner.position == tuner.start:
        return None
    if tuner.about != _about(served, aim) or _beyond(served.hull, aim, tuner) is not None:
        return None
    return Knob(tuner.position)


def _beyond(hull: RocHull, aim: AimRecord, tuner: TunerRecord) -> str | None:
    """Say which limit of the aim a tuner's setting would break, if any."""
    if tuner.position == tuner.start:
        return None
    limits = aim.criterion or {}
    point = Knob(tuner.position).on(hull, randomise=aim.randomise)
    if point.fpr > limits.get("max_fpr", 1.0):
        return f"an FPR of {point.fpr:.4g}, above the limit of {limits['max_fpr']:g}"
    if point.tpr < limits.get("min_tpr", 0.0):
        return f"a TPR of {point.tpr:.4g}, below the limit of {limits['min_tpr']:g}"
    return None


def _end(hull: RocHull, position: float) -> str | None:
    low, high = reach(hull)
    ends = {low: "left", high: "right"}
    return ends.get(position)
