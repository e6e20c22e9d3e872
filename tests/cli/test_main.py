"""The command as a whole: help, version, errors, and what it loads."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

import rocch
from rocch.cli import main as main_module
from rocch.cli.main import cli, main

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Refusal


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_the_commands_and_an_example(option: str) -> None:
    result = CliRunner().invoke(cli, [option], catch_exceptions=False)
    assert result.exit_code == 0
    assert "Example" in result.stdout
    for name, purpose in cli.purposes.items():
        assert name in result.stdout
        assert purpose in result.stdout


def test_the_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(cli, ["--version"], catch_exceptions=False)
    assert result.stdout == f"rocch, version {rocch.__version__}\n"


def test_an_unknown_command_gets_one_line(refusal: Refusal) -> None:
    assert "'guess'" in refusal("guess")


def test_an_unknown_option_gets_one_line(refusal: Refusal) -> None:
    assert "--guess" in refusal("hull", "s.csv", "--label", "y", "--guess")


def test_a_missing_option_gets_one_line(refusal: Refusal) -> None:
    assert "--label" in refusal("hull", "s.csv")


def test_a_missing_file_argument_gets_one_line(refusal: Refusal) -> None:
    assert "FILE" in refusal("hull", "--label", "y")


def test_an_interruption_is_not_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(**_: object) -> None:
        raise click.Abort

    monkeypatch.setattr(main_module.cli, "main", interrupted)
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == 130
    assert capsys.readouterr().err == "rocch: interrupted\n"


def test_help_through_main_ends_with_status_0(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["rocch", "--help"])
    try:
        main()
    except SystemExit as leaving:
        assert leaving.code == 0  # noqa: PT017 - returning is as good as leaving with 0
    assert "Commands:" in capsys.readouterr().out


def test_an_unexpected_failure_is_one_line_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, refusal: Refusal, scores_csv: Path
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr("rocch.cli.scores.hull_from_file", fail)
    line = refusal("hull", scores_csv, "--label", "y", status=1)
    assert line.startswith("unexpected failure, RuntimeError: two lines. ")
    assert "ROCCH_DEBUG=1" in line


def test_the_traceback_is_shown_when_asked_for(
    monkeypatch: pytest.MonkeyPatch, scores_csv: Path
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr("rocch.cli.scores.hull_from_file", fail)
    monkeypatch.setenv("ROCCH_DEBUG", "1")
    monkeypatch.setattr(sys, "argv", ["rocch", "hull", str(scores_csv), "--label", "y"])
    with pytest.raises(RuntimeError, match="a mistake"):
        main()


@pytest.mark.parametrize(
    ("name", "head", "where"), [("d.json", "", "it"), ("d.jsonl", '{"y": ', "line 1")]
)
def test_deep_json_gets_one_line(
    refusal: Refusal, tmp_path: Path, name: str, head: str, where: str
) -> None:
    file = tmp_path / name
    file.write_text(head + "[" * 200_000, encoding="utf-8")
    said = refusal("hull", file, "--label", "y")
    assert said == f"FILE {str(file)!r} cannot be read: {where} is nested too deeply."
