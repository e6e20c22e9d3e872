"""The tuner of the service: what it makes of feedback, and when it leads.

There is one tuner for each hull and aim. It starts at the aim's own operating point; a new aim
starts it anew, and so does an export with another hull. With "advise" it
only says where it would stand; with "follow" its knob is in force from its first move on, unless
that would break a limit on FPR or TPR that the operator named.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any

from rocch.hybrid.tune import KnobTuner
from rocch.roc.knob import Knob
from rocch.service.events import Move, TunerRecord, Weighed
from rocch.service.feedback import Outcomes, kept, tell
from rocch.service.steering import (
    ServedModel,
    beyond,
    end_of,
    lead,
    own_rule,
    state_of,
    taken_up,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.hybrid.climb import Reaction
    from rocch.roc.operating_point import OperatingPoint
    from rocch.service.aim_record import AimRecord
    from rocch.service.events import Answer, Judged
    from rocch.service.feedback import Feedback
    from rocch.service.records import Records
    from rocch.service.served import Served

MOVES = 20
"""So many moves are shown."""


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
        self._led: tuple[Served, AimRecord, TunerRecord | None, Knob | None] | None = None

    def lead(self, served: Served, aim: AimRecord) -> Knob | None:
        """Return the knob where the tuner's is in force; every decision asks, so it is quick."""
        if aim.tuning != "follow":
            return None
        tuner, led = self._tuner, self._led
        if led is None or led[0] is not served or led[1] is not aim or led[2] is not tuner:
            led = self._led = (served, aim, tuner, lead(served, aim, tuner))
        return led[3]

    def hear(self, served: Served, aim: AimRecord, feedback: Feedback) -> Answer:
        """Weigh an event and keep both; when this returns, they are durable.

        An event that is there already is answered as it was the first time.

        Raises
        ------
        InputError
            If the tuner cannot use it; then nothing is stored.
        ConflictError
            If another event had this id.
        StorageError
            If it cannot be stored.
        """
        digest = feedback.digest
        known = self._records.answered(feedback.event_id, digest)
        if known is not None:
            return known
        rows = Outcomes.of(feedback, served) if feedback.kind == "outcomes" else None
        hearing = _Hearing(served, aim, feedback, rows, self._now())
        with self._lock:  # so that what is in memory is never older than what is on the disk
            event = kept(feedback, rows, digest, hearing.at)
            answer = self._records.add_feedback(event, hearing.weighed)
            self._tuner = hearing.left or self._tuner
        return answer

    def standing(self, served: Served, aim: AimRecord) -> TunerNow | None:
        """Return where the tuner stands; None where it is off."""
        if aim.tuning == "off":
            return None
        before = self._tuner
        here, anew = taken_up(served, aim, before, max(aim.at, served.loaded_at))
        moves = (*anew, *self._records.moves(MOVES))[:MOVES]
        return TunerNow(
            mode=aim.tuning,
            position=here.position,
            start=here.start,
            step=float(here.state["state"]["stride"]["step"]),
            leads=lead(served, aim, here) is not None,
            beyond=beyond(served.hull, aim, here),
            at_end=end_of(served.hull, here.position),
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
        noted = Weighed(
            library_version=self.served.version, aim_id=self.aim.id, judged=self._judged(before)
        )
        if self.aim.tuning == "off":
            return noted
        here, anew = taken_up(self.served, self.aim, before, self.at)
        tuner = KnobTuner.from_dict(ServedModel(self.served), here.state)
        reaction = tell(tuner, self.feedback, self.rows, self._made_at(here))
        self.left = TunerRecord(about=here.about, start=here.start, state=state_of(tuner))
        return replace(
            noted,
            reaction={"words": str(reaction), **asdict(reaction)},
            tuner=self.left,
            moves=(*anew, *_turned(reaction, self.at)),
        )

    def _judged(self, tuner: TunerRecord | None) -> Judged | None:
        return None if self.rows is None else self.rows.judge(self.served, self._in_force(tuner))

    def _in_force(self, tuner: TunerRecord | None) -> OperatingPoint:
        knob = lead(self.served, self.aim, tuner)
        if knob is None:
            return own_rule(self.served, self.aim).point
        return self.served.aimed(knob, randomize=self.aim.question.randomize).point

    def _made_at(self, here: TunerRecord) -> Knob | None:
        """Return the setting that complaints are about; None for where the tuner stands.

        Where the tuner only advises, alarms come from the setting that it began at, and complaints
        must not drive it further and further away from what nobody has tried.
        """
        leads = lead(self.served, self.aim, here) is not None
        return None if leads or here.position == here.start else Knob(here.start)


def _turned(reaction: Reaction, at: str) -> tuple[Move, ...]:
    if not reaction.moved:
        return ()
    before = reaction.position - reaction.moved
    return (Move(at=at, start=before, end=reaction.position, why=reaction.why),)
