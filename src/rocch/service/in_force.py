"""Which aim is in force: the operator's, else the command line's, else the export's own.

Where feedback may turn the knob and has done so, the tuner's setting is in force instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rocch.roc.question import Question
from rocch.service.aim_record import AimRecord

if TYPE_CHECKING:
    from rocch.service.records import Records
    from rocch.service.served import Served
    from rocch.service.tuning import Tuning


class InForce(NamedTuple):
    """What decides where a request has no question of its own.

    Attributes
    ----------
    source, aim_id, words
        Whose aim it is, its number in the record, and what it says.
    aim
        A question, or the export's own criterion.
    randomize
        Whether a coin may choose.
    """

    source: str
    aim_id: int | None
    aim: Any
    randomize: bool
    words: str


def usual_aim(question: Question | None, at: str) -> AimRecord:
    """Return the aim of a service that no operator has aimed: the command line's, or none.

    Examples
    --------
    >>> from rocch import Question
    >>> from rocch.service.in_force import usual_aim
    >>> usual_aim(Question(max_fpr=0.05), "2026-03-02T09:00:00Z").words
    'a false positive rate of at most 5 %'
    >>> usual_aim(None, "2026-03-02T09:00:00Z").source
    'default'
    """
    if not question:
        return AimRecord(source="default", at=at)
    return AimRecord(question=question, source="command line", at=at)


class Aiming:
    """What the service aims at; every decision needs it, so it comes from memory.

    Parameters
    ----------
    records
        Where operators' aims are kept.
    tuning
        Who may turn the knob.
    usual
        The aim while no operator has aimed.
    """

    def __init__(self, records: Records, tuning: Tuning, usual: AimRecord) -> None:
        self._records, self._tuning, self._usual = records, tuning, usual

    @property
    def record(self) -> AimRecord:
        """The aim, who put it and when."""
        return self._records.current_aim() or self._usual

    def in_force(self, served: Served, aim: AimRecord | None = None) -> InForce:
        """Return what decides without a question, under the present aim or one."""
        aim = aim or self.record
        question = aim.question
        knob = self._tuning.lead(served, aim)
        if knob is not None:
            words = f"{aim.words}; feedback turned the knob to {knob.position:.6g}"
            turned = Question(knob=knob.position, randomize=question.randomize)
            return InForce("tuner", aim.id, turned, question.randomize, words)
        target = question or served.model.default_.criterion
        return InForce(aim.source, aim.id, target, question.randomize, aim.words)
