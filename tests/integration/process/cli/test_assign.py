"""`rocch assign` as users run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.probabilities import COSTS, TRUTHS, probabilities_of_rows, write_probabilities

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


@pytest.fixture
def probabilities() -> dict[str, list[float]]:
    return probabilities_of_rows()


@pytest.fixture
def truths() -> list[str]:
    return TRUTHS


@pytest.fixture
def file(tmp_path: Path, probabilities: dict[str, list[float]], truths: list[str]) -> Path:
    return write_probabilities(tmp_path, probabilities, truths)


def test_the_command_as_users_run_it(run_rocch: Run, file: Path) -> None:
    ended = run_rocch("assign", str(file), *COSTS, "cat,dog,eel", "--label", "truth")
    assert ended.returncode == 0, ended.stderr
    assert len(ended.stdout.splitlines()) == 41
    assert "error rate" in ended.stderr
