"""Every command has help, an example that runs, JSON, and a section in the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from documented import examples_of, run_documented, shell_lines, write_example_files
from rocch.cli.main import COMMANDS, cli

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
READ_ME = (ROOT / "README.md").read_text(encoding="utf-8")
every_command = pytest.mark.parametrize("name", sorted(COMMANDS))


def loaded(name: str) -> click.Command:
    with click.Context(cli) as context:
        command = cli.get_command(context, name)
    assert command is not None
    return command


def options_of(name: str) -> Iterator[click.Option]:
    return (each for each in loaded(name).params if isinstance(each, click.Option))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("examples")
    write_example_files(made)
    return made


def examples() -> list[str]:
    return [line for name in sorted(COMMANDS) for line in examples_of(loaded(name).help or "")]


def test_every_file_of_a_command_is_listed() -> None:
    files = (ROOT / "src" / "rocch" / "cli").glob("*.py")
    holding = {file.stem for file in files if "@click.command(" in file.read_text("utf-8")}
    assert holding == set(COMMANDS)
    with click.Context(cli) as context:
        assert cli.list_commands(context) == sorted(COMMANDS)


@every_command
def test_help_has_an_example(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"], catch_exceptions=False)
    assert result.exit_code == 0
    lines = examples_of(loaded(name).help or "")
    assert lines
    for line in lines:
        assert f"rocch {name}" in line
        assert line[:40] in result.stdout  # which may be a line that goes on


@every_command
def test_command_and_options_say_what_they_are_for(name: str) -> None:
    command = loaded(name)
    assert command.name == name
    assert command.help
    assert COMMANDS[name]
    for option in options_of(name):
        assert option.help, option.opts


@every_command
def test_json_is_offered(name: str) -> None:
    assert any("--json" in option.opts for option in options_of(name))


def test_one_concept_has_one_name() -> None:
    known = {opt for name in COMMANDS for option in options_of(name) for opt in option.opts}
    assert known.isdisjoint({"--out", "--truth", "--target", "--id", "--sep"})


@every_command
def test_it_has_a_section_that_mentions_every_option(name: str) -> None:
    common, *_ = PAGE.partition("\n## rocch ")
    section = re.search(rf"^## rocch {name}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert section, f"docs/command-line.md has no section '## rocch {name}'"
    told = common + section[1]
    for option in options_of(name):
        for opt in (*option.opts, *option.secondary_opts):
            assert re.search(rf"(?<![\w-]){opt}(?![\w-])", told), f"{opt} of rocch {name}"


@pytest.mark.parametrize("line", examples())
def test_examples_of_help_run(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    run_documented(line, folder)


@pytest.mark.parametrize(
    "line", sorted({*shell_lines(PAGE), *shell_lines(READ_ME)} - set(examples()))
)
def test_documented_commands_run(line: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    run_documented(line, folder)


def test_commands_are_found_in_documents() -> None:
    block = "rocch a \\\n    --b 1\npip install rocch\nx | rocch c -\n"
    text = f"# x\n```sh\n{block}```\n```\nrocch d\n```\n"
    assert shell_lines(text) == ["rocch a --b 1", "x | rocch c -"]
    assert len(shell_lines(PAGE)) > 15
    assert len(shell_lines(READ_ME)) > 2


def test_an_example_that_fails_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="none"):
        run_documented("rocch hull none.csv --label y", tmp_path)
    with pytest.raises(AssertionError, match="none"):
        run_documented("rocch hull none.csv --label y | cat", tmp_path)
