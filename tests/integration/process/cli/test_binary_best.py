"""`rocch best` as users run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from rocch.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


VAGUE = "--negatives-per-positive 5 --false-positive 10..20 --false-negative 200..250"


def shown(file: Path, options: str) -> str:
    arguments = ["best", str(file), "--label", "y", *options.split()]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


@pytest.mark.parametrize(
    "options",
    [
        "--prevalence 0.1 --false-positive 20..10 --false-negative 1",
        "--false-positive 1",
        "--capacity 5",
    ],
)
def test_a_process_of_its_own_ends_with_status_2_and_one_line(
    run_rocch: Run, scores_csv: Path, options: str
) -> None:
    ended = run_rocch("best", str(scores_csv), "--label", "y", *options.split())
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("rocch: ")


def test_a_process_of_its_own_answers(run_rocch: Run, scores_csv: Path) -> None:
    ended = run_rocch("best", str(scores_csv), "--label", "y", *VAGUE.split())
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "slopes from 0.2 to 0.5" in ended.stdout
    assert ended.stdout == shown(scores_csv, VAGUE)
