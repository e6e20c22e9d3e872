"""Which aim is in force: the operator's, else the command line's, else the export's own.

Where feedback may turn the knob and has done so, the tuner's setting is in force instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rocch.service.aim_record import AimRecord
from rocch.service.aims import Aim

if TYPE_CHECKING:
    from rocch.service.records import Records
    from rocch.service.served import Served
    from rocch.service.tuning import Tuning


class InForce(NamedTuple):
    """What decides where a request says nothing else."""

    source: str
    aim_id: int | None
    criterion: Any
    randomize: bool
    words: str


def usual_aim(said: Aim | None, at: str) -> AimRecord:
    """Return the aim of a service that no operator has aimed: the command line's, or none.

    Examples
    --------
    >>> from rocch.service.aims import Aim
    >>> from rocch.service.in_force import usual_aim
    >>> usual_aim(Aim.of(criterion={"max_fpr": 0.05}), "2026-03-02T09:00:00Z").words
    'max fpr 0.05'
    >>> usual_aim(None, "2026-03-02T09:00:00Z").source
    'default'
    """
    if not said:
        return AimRecord(source="default", words="as the export says", at=at)
    return AimRecord(**said.to_dict(), source="command line", words=said.words, at=at)


class Aiming:
    """What the service aims at; every decision asks, so answers come from memory.

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
        self._known: tuple[AimRecord, Any] | None = None

    @property
    def record(self) -> AimRecord:
        """The aim as it was said, by whom and when."""
        return self._records.current_aim() or self._usual

    def in_force(self, served: Served, aim: AimRecord | None = None) -> InForce:
        """Return what decides where a request says nothing else, under the present aim or one."""
        aim = aim or self.record
        knob = self._tuning.lead(served, aim)
        if knob is not None:
            words = f"{aim.words}; feedback turned the knob to {knob.position:.6g}"
            return InForce("tuner", aim.id, knob, aim.randomize, words)
        criterion = self._criterion(aim)
        if criterion is None:
            criterion = served.model.default_.criterion
        return InForce(aim.source, aim.id, criterion, aim.randomize, aim.words)

    def _criterion(self, aim: AimRecord) -> Any:
        """Return what an aim means by "best", made once; None where it says nothing."""
        known = self._known
        if known is None or known[0] is not aim:
            said = Aim.of(aim.conditions, aim.criterion, randomize=aim.randomize)
            known = self._known = (aim, said.criterion() if said else None)
        return known[1]
