"""`rocch compare` as users run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from rocch.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


EXPERT = "--prevalence 0.3 --cost-ratio 0.5..10 --likely 4"


def shown(file: Path, options: str) -> str:
    arguments = ["compare", str(file), "--label", "y", *options.split()]
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


def test_a_process_of_its_own_answers(run_rocch: Run, scores_csv: Path) -> None:
    ended = run_rocch("compare", str(scores_csv), "--label", "y", *EXPERT.split())
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == shown(scores_csv, EXPERT)
