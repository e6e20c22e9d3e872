"""`rocch completion`, and what shells then complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from rocch.cli import options
from rocch.cli.main import COMMANDS, cli

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer, Refusal

every_shell = pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])


def completed(*typed: str) -> list[str]:
    *words, incomplete = typed
    shell = ShellComplete(cli, {}, "rocch", "_ROCCH_COMPLETE")
    return [item.value for item in shell.get_completions(words, incomplete)]


@every_shell
def test_the_script_is_that_of_the_shell(shell: str, answer: Answer) -> None:
    result = CliRunner().invoke(cli, ["completion", shell], catch_exceptions=False)
    assert result.exit_code == 0
    assert f"_ROCCH_COMPLETE={shell}_complete" in result.stdout
    assert answer("completion", shell) == {"shell": shell, "script": result.stdout}


def test_another_shell_gets_one_line(refusal: Refusal) -> None:
    assert "'bash', 'zsh', 'fish'" in refusal("completion", "cmd")


def test_commands_are_completed() -> None:
    assert completed("") == sorted(COMMANDS)
    assert completed("comp") == ["compare", "completion"]


def test_options_are_completed() -> None:
    assert completed("hull", "--inp") == ["--input-format"]
    assert set(completed("surface", "--no-")) == {"--no-scale", "--no-progress"}
    assert completed("hull", "--input-format", "j") == ["jsonl", "json"]
    assert completed("best", "--false") == ["--false-positive", "--false-negative"]
    assert completed("report", "--false") == ["--false-positive", "--false-negative"]


def test_metrics_are_completed() -> None:
    assert completed("best", "scores.csv", "--maximize", "p") == ["precision", "ppv"]


def test_columns_are_completed(scores_csv: Path, scores_parquet: Path) -> None:
    for file in map(str, (scores_csv, scores_parquet)):
        assert completed("hull", file, "--label", "") == ["y", "nb", "gbm"]
        assert completed("best", file, "--label", "y", "--scores", "n") == ["nb"]
        assert completed("best", file, "--label", "y", "--scores", "nb,g") == ["nb,gbm"]
    assert completed("surface", str(scores_csv), "--features", "g") == ["gbm"]


def test_columns_are_completed_behind_a_library(tmp_path: Path, scores_csv: Path) -> None:
    add = ("library", "add", str(tmp_path), str(scores_csv))
    assert completed(*add, "--label", "") == ["y", "nb", "gbm"]
    assert completed(*add, "--label", "y", "--scores", "n") == ["nb"]
    assert completed("library", "ve") == ["verify"]


def test_what_cannot_be_read_completes_nothing(
    tmp_path: Path, scores_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"no")
    assert completed("hull", "--label", "") == []
    assert completed("hull", str(tmp_path / "none.csv"), "--label", "") == []
    assert completed("hull", str(tmp_path / "bad.parquet"), "--label", "") == []
    monkeypatch.setattr(options, "LARGEST_COMPLETED", 10)
    assert completed("hull", str(scores_csv), "--label", "") == []
