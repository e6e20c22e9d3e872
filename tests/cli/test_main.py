"""The command as a whole: help, version, errors, and what it loads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

import rocch
from rocch.cli import main as main_module
from rocch.cli.main import COMMANDS, cli, main

if TYPE_CHECKING:
    from conftest import Refusal, Run

ROOT = Path(__file__).parents[2]
HEAVY = ("sklearn", "scipy", "matplotlib", "numba", "pandas", "polars", "pyarrow", "narwhals")
every_command = pytest.mark.parametrize("name", sorted(COMMANDS))


def test_every_file_of_a_command_is_listed() -> None:
    folder = ROOT / "src" / "rocch" / "cli"
    holding = {f.stem for f in folder.glob("*.py") if "@click.command(" in f.read_text("utf-8")}
    assert holding == set(COMMANDS)
    with click.Context(cli) as context:
        assert cli.list_commands(context) == sorted(COMMANDS)


@every_command
def test_every_command_has_help_with_an_example(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "Example" in result.stdout
    assert f"rocch {name}" in result.stdout.split("Example", 1)[1]


@every_command
def test_every_command_and_option_says_what_it_is_for(name: str) -> None:
    with click.Context(cli) as context:
        command = cli.get_command(context, name)
    assert command is not None
    assert command.name == name
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts


@every_command
def test_every_command_offers_json(name: str) -> None:
    with click.Context(cli) as context:
        command = cli.get_command(context, name)
    assert command is not None
    assert any("--json" in parameter.opts for parameter in command.params)


@every_command
def test_every_command_is_documented(name: str) -> None:
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert f"rocch {name}" in text


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_the_commands_and_an_example(option: str) -> None:
    result = CliRunner().invoke(cli, [option], catch_exceptions=False)
    assert result.exit_code == 0
    assert "Example" in result.stdout
    for name, purpose in COMMANDS.items():
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


def test_no_command_at_all_shows_the_help(run_rocch: Run) -> None:
    ended = run_rocch()
    assert ended.returncode == 0
    assert (ended.stdout + ended.stderr).startswith("Usage: ")
    assert "hull" in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


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


def loaded(text: str) -> set[str]:
    return set(text.splitlines()[-1].split(","))


def test_importing_rocch_loads_nothing_heavy(run_python: Run) -> None:
    ended = run_python("-c", "import rocch, sys; print(','.join(sys.modules))")
    assert ended.returncode == 0, ended.stderr
    assert "rocch" in loaded(ended.stdout)
    assert loaded(ended.stdout) & {*HEAVY, "click", "rich"} == set()


def test_a_hull_loads_numpy_alone(run_python: Run) -> None:
    code = (
        "import rocch, sys\n"
        "rocch.RocHull.from_scores([0, 1], {'a': [1, 2]}).best(rocch.NeymanPearson(0.5))\n"
        "print(','.join(sys.modules))"
    )
    ended = run_python("-c", code)
    assert ended.returncode == 0, ended.stderr
    assert "numpy" in loaded(ended.stdout)
    assert loaded(ended.stdout) & {*HEAVY, "click", "rich"} == set()


@pytest.mark.parametrize("arguments", ["--help", *(f"{name} --help" for name in sorted(COMMANDS))])
def test_help_loads_nothing_heavy(run_python: Run, arguments: str) -> None:
    code = (
        "import sys\n"
        f"sys.argv = ['rocch', *{arguments.split()!r}]\n"
        "from rocch.cli.main import main\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as leaving:\n"
        "    assert not leaving.code\n"
        "print()\n"
        "print(','.join(sys.modules))"
    )
    ended = run_python("-c", code)
    assert ended.returncode == 0, ended.stderr
    assert "Usage:" in ended.stdout
    assert loaded(ended.stdout) & {*HEAVY, "numpy", "rich"} == set()


def test_every_public_name_loads_and_is_listed() -> None:
    for name in rocch.__all__:
        assert getattr(rocch, name).__name__ == name
    assert set(rocch.__all__) <= set(dir(rocch))
    assert rocch.__all__ == sorted(rocch.__all__)
