"""Where a tuner stands, for one hull and one aim; and whether its knob may be in force.

It starts at the aim's own operating point. A new aim starts it anew, and so does an export with
another hull, or on which the aim operates elsewhere: positions of the knob mean other settings
there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rocch.errors import InputError
from rocch.hybrid.tune import KnobTuner
from rocch.roc.knob import Knob, reach
from rocch.service.events import Move, TunerRecord

if TYPE_CHECKING:
    from rocch.roc.hull import RocHull
    from rocch.roc.operating_point import OperatingPoint
    from rocch.service.aim_record import AimRecord
    from rocch.service.served import AimedRule, Served


class ServedModel:
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


def own_rule(served: Served, aim: AimRecord) -> AimedRule:
    """Return the rule that an aim leads to by itself, without a tuner."""
    target = aim.question or served.model.default_.criterion
    return served.aimed(target, randomize=aim.question.randomize)


def started(served: Served, aim: AimRecord) -> TunerRecord:
    """Return a new tuner at the aim's own operating point."""
    start = Knob.of(own_rule(served, aim).point)
    question = aim.question
    tuner = KnobTuner(
        ServedModel(served), question.conditions, start=start, randomize=question.randomize
    )
    return TunerRecord(about=_about(served, aim), start=tuner.knob.position, state=state_of(tuner))


def taken_up(
    served: Served, aim: AimRecord, before: TunerRecord | None, at: str
) -> tuple[TunerRecord, tuple[Move, ...]]:
    """Return the tuner of this export and aim; and, where it had to start anew, that it did."""
    if before is None:
        return started(served, aim), ()
    changed = _changed(served, aim, before)
    if changed is None:
        return before, ()
    new = started(served, aim)
    move = Move(at=at, start=before.position, end=new.start, why=f"started anew {changed}")
    return new, (move,)


def _about(served: Served, aim: AimRecord) -> str:
    """Return what a tuner's positions depend on: hull and own setting, then the question."""
    start = Knob.of(own_rule(served, aim).point).position
    stated = [aim.id, aim.question.to_dict()]
    return json.dumps([[served.hull_print, start], stated], sort_keys=True)


def _changed(served: Served, aim: AimRecord, before: TunerRecord) -> str | None:
    """Say why a tuner cannot go on, if it cannot."""
    about = _about(served, aim)
    if before.about != about:
        return _what_differs(json.loads(before.about), json.loads(about), served.version)
    try:
        KnobTuner.from_dict(ServedModel(served), before.state)
    except InputError:  # another release of this package wrote it
        return "because its record cannot be read any more"
    return None


def _what_differs(before: list[Any], now: list[Any], version: int) -> str:
    """Say whether it was another export or another aim that a tuner was for."""
    (place, stated), (new_place, new_stated) = before[:2], now
    if stated == new_stated:
        return f"for export {version}"
    same_hull = place[0] == new_place[0] if isinstance(place, list) else False
    return "for a new aim" if same_hull else f"for export {version} and a new aim"


def state_of(tuner: KnobTuner) -> dict[str, Any]:
    """Return a tuner as plain data; what it did is kept event by event elsewhere."""
    return {**tuner.to_dict(), "history": []}


def lead(served: Served, aim: AimRecord, tuner: TunerRecord | None) -> Knob | None:
    """Return the knob where a tuner's is in force: allowed to lead, moved, and within limits."""
    if aim.tuning != "follow" or tuner is None or tuner.position == tuner.start:
        return None
    if tuner.about != _about(served, aim) or beyond(served.hull, aim, tuner) is not None:
        return None
    return Knob(tuner.position)


def beyond(hull: RocHull, aim: AimRecord, tuner: TunerRecord) -> str | None:
    """Say which limit of the aim a tuner's setting would break, if any."""
    if tuner.position == tuner.start:
        return None
    question = aim.question
    point = Knob(tuner.position).on(hull, randomize=question.randomize)
    if question.max_fpr is not None and point.fpr > question.max_fpr:
        return f"an FPR of {point.fpr:.4g}, above the limit of {question.max_fpr:g}"
    if question.min_tpr is not None and point.tpr < question.min_tpr:
        return f"a TPR of {point.tpr:.4g}, below the limit of {question.min_tpr:g}"
    return None


def end_of(hull: RocHull, position: float) -> str | None:
    """Say at which end of a hull a knob stands, if at one."""
    low, high = reach(hull)
    ends = {low: "left", high: "right"}
    return ends.get(position)
