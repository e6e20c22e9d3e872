"""The operator's aim comes first, then the command line's, then the export's own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import rocch
from rocch.service.aim_record import AimRecord
from rocch.service.aims import Aim
from rocch.service.feedback import Feedback
from rocch.service.in_force import Aiming, usual_aim
from rocch.service.records import Records
from rocch.service.tuning import Tuning
from tests.support.exported import COSTS, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVED = served()
WORDS = Aim.of(COSTS, {"max_fpr": 0.2}, randomize=True)


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    opened = Records(tmp_path / "service.sqlite")
    yield opened
    opened.close()


def aiming(records: Records, said: Aim | None = None) -> tuple[Aiming, Tuning]:
    tuning = Tuning(records, now=lambda: "noon")
    return Aiming(records, tuning, usual_aim(said, "morning")), tuning


def test_without_words_the_export_decides(records: Records) -> None:
    usual, _ = aiming(records)
    assert usual.record.to_dict() == {
        "id": None,
        "at": "morning",
        "by": "",
        "note": "",
        "source": "default",
        "conditions": None,
        "criterion": None,
        "randomize": False,
        "tuning": "off",
        "words": "as the export says",
    }
    found = usual.in_force(SERVED)
    assert (found.source, found.aim_id, found.randomize) == ("default", None, False)
    assert found.criterion is SERVED.model.default_.criterion
    assert usual_aim(Aim.of(), "morning").source == "default"


def test_the_command_line_comes_before_and_the_operator_before_that(records: Records) -> None:
    usual, _ = aiming(records, WORDS)
    found = usual.in_force(SERVED)
    assert (found.source, found.aim_id, found.randomize) == ("command line", None, True)
    assert found.criterion is WORDS.criterion()
    assert usual.record.words == WORDS.words
    records.put_aim(AimRecord(criterion={"max_fpr": 0.1}))
    found = usual.in_force(SERVED)
    assert (found.source, found.aim_id, found.randomize) == ("operator", 1, False)
    assert found.criterion == rocch.NeymanPearson(0.1)
    # also after a restart with other words; until these are asked for
    later, _ = aiming(records, Aim.of(criterion={"max_fpr": 0.5}))
    assert later.in_force(SERVED).source == "operator"
    records.put_aim(replace(later._usual))
    assert later.in_force(SERVED).criterion == rocch.NeymanPearson(0.5)


def test_the_tuner_leads_where_it_may(records: Records) -> None:
    usual, tuning = aiming(records)
    aim = records.put_aim(AimRecord(conditions=COSTS, tuning="follow"))
    assert usual.in_force(SERVED).source == "operator"
    tuning.hear(SERVED, aim, Feedback(event_id="a", kind="load", alarms=300, capacity=100))
    found = usual.in_force(SERVED)
    assert (found.source, found.aim_id) == ("tuner", aim.id)
    assert found.criterion == tuning.lead(SERVED, aim)
    records.put_aim(AimRecord(conditions=COSTS))
    assert usual.in_force(SERVED).source == "operator"
