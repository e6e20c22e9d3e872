"""Processes killed at any moment while they add: what was acknowledged is there.

Half of them are killed at a line of the library's code, between any two steps that it takes; half
by the clock, also in the midst of what SQLite and the system do.
"""

from __future__ import annotations

import random
import signal
from typing import TYPE_CHECKING

from rocch import InputError, StorageError
from rocch.library import ClassifierLibrary
from tests.support import adders

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

KILLS = 30


def test_thirty_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = adders.Trial(ClassifierLibrary.create(tmp_path / "library").path, monkeypatch)
    chance = random.Random(7)  # noqa: S311 - a test's dice
    trial.kill(chance, KILLS)
    assert trial.kills == KILLS


def test_a_kill_while_a_library_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = adders.context(monkeypatch)
    unfinished = 0
    for moment in range(0, 600, 40):
        path = tmp_path / str(moment)
        child = adders.process(context, adders.make_and_be_killed, path, moment, {})
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        said = first_answer(path)
        assert said in ("works", "where there is no library.sqlite", "was never finished")
        unfinished += said != "works"
    assert 0 < unfinished < 15


def test_a_kill_while_a_library_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = adders.context(monkeypatch)
    adders.make_with_record(tmp_path / "library").close()
    answers = []
    for moment in (*range(0, 1200, 100), 10**6):
        target = tmp_path / str(moment)
        places = tmp_path / "library", target
        child = adders.process(context, adders.copy_and_be_killed, *places, moment, {})
        child.start()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        answers.append(adders.first_answer_of_copy(target))
        if answers[-1] != "whole":
            adders.copy(tmp_path / "library", target, {})
            assert adders.first_answer_of_copy(target) == "whole"
    assert set(answers) == {"whole", "where there is no"}


def first_answer(path: Path) -> str:
    try:
        ClassifierLibrary(path).add(adders.curve(1))
    except (InputError, StorageError) as error:
        known = ("where there is no library.sqlite", "was never finished")
        return next((words for words in known if words in str(error)), str(error))
    return "works" if ClassifierLibrary(path).verify().sound else "is damaged"
