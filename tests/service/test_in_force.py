"""The operator's aim comes first, then the command line's, then the export's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rocch import Question
from rocch.service.aim_record import AimRecord
from rocch.service.feedback import Feedback
from rocch.service.in_force import Aiming, usual_aim
from rocch.service.records import Records
from rocch.service.tuning import Tuning
from tests.support.exported import COSTS, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVED = served()
STATED = Question(**COSTS, max_fpr=0.2, randomize=True)


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    opened = Records(tmp_path / "service.sqlite")
    yield opened
    opened.close()


def aiming(records: Records, stated: Question | None = None) -> tuple[Aiming, Tuning]:
    tuning = Tuning(records, now=lambda: "noon")
    return Aiming(records, tuning, usual_aim(stated, "morning")), tuning


def test_without_a_question_the_export_decides(records: Records) -> None:
    usual, _ = aiming(records)
    assert usual.record.to_dict() == {
        "id": None,
        "at": "morning",
        "by": "",
        "note": "",
        "source": "default",
        "question": {},
        "tuning": "off",
        "words": "as the export says",
    }
    found = usual.in_force(SERVED)
    assert (found.source, found.aim_id, found.randomize) == ("default", None, False)
    assert found.aim is SERVED.model.default_.criterion
    assert usual_aim(Question(), "morning").source == "default"


def test_the_command_line_comes_before_and_the_operator_before_that(records: Records) -> None:
    usual, _ = aiming(records, STATED)
    found = usual.in_force(SERVED)
    assert (found.source, found.aim_id, found.randomize) == ("command line", None, True)
    assert found.aim == STATED
    assert usual.record.words == STATED.describe()
    records.put_aim(AimRecord(question=Question(max_fpr=0.1)))
    found = usual.in_force(SERVED)
    assert (found.source, found.aim_id, found.randomize) == ("operator", 1, False)
    assert found.aim == Question(max_fpr=0.1)
    # also after a restart with another question, until that is put
    later, _ = aiming(records, Question(max_fpr=0.5))
    assert later.in_force(SERVED).source == "operator"
    records.put_aim(replace(later._usual))
    assert later.in_force(SERVED).aim == Question(max_fpr=0.5)


def test_the_tuner_leads_where_it_may(records: Records) -> None:
    usual, tuning = aiming(records)
    aim = records.put_aim(AimRecord(question=Question(**COSTS), tuning="follow"))
    assert usual.in_force(SERVED).source == "operator"
    tuning.hear(SERVED, aim, Feedback(event_id="a", kind="load", alarms=300, capacity=100))
    found = usual.in_force(SERVED)
    assert (found.source, found.aim_id) == ("tuner", aim.id)
    knob = tuning.lead(SERVED, aim)
    assert knob is not None
    assert found.aim == Question(knob=knob.position)
    records.put_aim(AimRecord(question=Question(**COSTS)))
    assert usual.in_force(SERVED).source == "operator"
