"""Processes killed at any moment while they add to a library on a server, or make one."""

from __future__ import annotations

import random
import signal
from typing import TYPE_CHECKING

import pytest

from rocch import InputError, StorageError
from rocch.library import ClassifierLibrary
from tests.support import adders

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.database.places import Place
    from tests.support.places import Places

pytestmark = [
    pytest.mark.kill,
    pytest.mark.parametrize("places", ["postgres"], indirect=True),
]
KILLS = 10


def test_ten_kills(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = adders.Trial(places.create().place, monkeypatch)
    chance = random.Random(7)  # noqa: S311 - a test's dice
    trial.kill(chance, KILLS)
    assert trial.kills == KILLS


def test_a_kill_while_a_library_is_made(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    context = adders.context(monkeypatch)
    answers = []
    for moment in (*range(20, 280, 40), 1000):
        place, options = places.new(str(moment))
        child = adders.process(context, adders.make_and_be_killed, place, moment, options)
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        answers.append(first_answer(place))
        if answers[-1] != "works":  # it can be made again, in the same places
            ClassifierLibrary.create(place, **options)
            assert first_answer(place) == "works"
    assert set(answers) >= {"works", "where there is none"}


def test_a_kill_while_a_library_is_copied(
    places: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = adders.context(monkeypatch)
    adders.make_with_record(tmp_path / "original").close()
    answers = []
    for moment in (*range(100, 1300, 150), 10**6):
        target, options = places.new(str(moment))
        arguments = tmp_path / "original", target, moment, options
        child = adders.process(context, adders.copy_and_be_killed, *arguments)
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        answers.append(adders.first_answer_of_copy(target))
        if answers[-1] != "whole":  # it can be repeated, with the same places
            adders.copy(tmp_path / "original", target, options)
            assert adders.first_answer_of_copy(target) == "whole"
    assert set(answers) == {"whole", "where there is no", "was never finished"}


def first_answer(place: Place) -> str:
    try:
        with ClassifierLibrary(place) as library:
            library.add(adders.curve(1))
            return "works" if library.verify().sound else "is damaged"
    except (InputError, StorageError) as error:
        known = ("where there is none", "was never finished")
        return next((words for words in known if words in str(error)), str(error))
