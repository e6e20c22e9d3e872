"""Every command has help, an example that runs, JSON, and a place in the documentation."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import fields
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from rocch import Question
from rocch.cli.main import COMMANDS, LazyGroup, cli
from tests.support.commands import (
    PAGE,
    PURPOSES,
    READ_ME,
    ROOT,
    examples,
    loaded,
    run_in_a_copy,
)
from tests.support.documented import examples_of, needs_shell, shell_lines, write_example_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLI = ROOT / "src" / "rocch" / "cli"


every_command = pytest.mark.parametrize("name", sorted(PURPOSES))


def is_group(name: str) -> bool:
    return isinstance(loaded(name), LazyGroup)


def options_of(name: str) -> Iterator[click.Option]:
    return (each for each in loaded(name).params if isinstance(each, click.Option))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("examples")
    write_example_files(made)
    return made


def test_every_command_is_listed() -> None:
    texts = [file.read_text("utf-8") for file in CLI.rglob("*.py")]
    made = [name for text in texts for name in re.findall(r'@click\.command\(\s*"(\w+)"', text)]
    assert sorted(made) == sorted(name.split()[-1] for name in PURPOSES if not is_group(name))
    assert "library add" in PURPOSES
    with click.Context(cli) as context:
        assert cli.list_commands(context) == sorted(COMMANDS)


@every_command
def test_help_has_an_example(name: str) -> None:
    result = CliRunner().invoke(cli, [*name.split(), "--help"], catch_exceptions=False)
    assert result.exit_code == 0
    lines = examples_of(loaded(name).help or "")
    assert lines
    for line in lines:
        assert f"rocch {name}" in line
        assert line[:40] in result.stdout  # which may be a line that goes on


@every_command
def test_command_and_options_say_what_they_are_for(name: str) -> None:
    command = loaded(name)
    assert command.name == name.split()[-1]
    assert command.help
    assert PURPOSES[name]
    for option in options_of(name):
        assert option.help, option.opts


@every_command
def test_json_is_offered(name: str) -> None:
    assert is_group(name) or any("--json" in option.opts for option in options_of(name))


def test_one_concept_has_one_name() -> None:
    known = {opt for name in PURPOSES for option in options_of(name) for opt in option.opts}
    assert known.isdisjoint({"--out", "--truth", "--target", "--id", "--sep"})


@every_command
def test_the_page_lists_it(name: str) -> None:
    first, *rest = name.split()
    (row,) = re.findall(rf"^\| (?:\[)?`rocch {first}`.*$", PAGE, re.MULTILINE)
    assert all(f"`{word}`" in row for word in rest)


def test_the_page_names_only_options_that_exist() -> None:
    known = {
        opt
        for name in PURPOSES
        for option in options_of(name)
        for opt in (*option.opts, *option.secondary_opts)
    }
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", PAGE))
    assert named - known == {"--help", "--master", "--stdout"}  # of click, Spark and gunzip


def test_the_page_has_every_field_of_the_question() -> None:
    section = PAGE.partition("\n## The question\n")[2].partition("\n## ")[0]
    for field in fields(Question):
        assert f"--{field.name.replace('_', '-')}" in section


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=pytest.mark.process if needs_shell(line) else ())
        for line in examples()
    ],
)
def test_examples_of_help_run(
    line: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_a_copy(line, folder, tmp_path, monkeypatch)


def test_commands_are_found_in_documents() -> None:
    block = "rocch a \\\n    --b 1\npip install rocch\nx | rocch c -\n"
    text = f"# x\n```sh\n{block}```\n```\nrocch d\n```\n"
    assert shell_lines(text) == ["rocch a --b 1", "x | rocch c -"]
    assert len(shell_lines(PAGE)) > 15
    assert len(shell_lines(READ_ME)) > 2


# A line for each command whose JSON has keys of its own; reports have a schema.
WITH_JSON = {
    "assign": "probabilities.csv --default-cost 1 --classes ill,well --label outcome",
    "auc": "scores.csv --label y --fpr 0..0.2",
    "best": "scores.csv --label y --cost-ratio 5..10 --out-of-sample",
    "compare": "scores.csv --label y --cost-ratio 5..10 --resamples 0",
    "completion": "bash",
    "demo": "--output demo",
    "hull": "scores.csv --label y",
    "hull --by": "country scores --label y",
    "power": "--auc 0.8",
    "refer": "scores.csv --label y --max-wrong 0.1",
    "library add": "churn scores.csv --label y",
    "library copy": "churn copy",
    "library best": "churn --max-fpr 0.1",
    "library compact": "churn",
    "library export": "churn --scores",
    "library hull": "churn",
    "library init": "new",
    "library list": "churn",
    "library log": "churn",
    "library prune": "churn lda",
    "library show": "churn lda",
    "library verify": "churn",
    "surface": "iris.csv --label species --model knn --generations 5 --default-cost 1..2",
}


def documented_keys(name: str) -> set[str]:
    section = PAGE.partition("\n## JSON\n")[2].partition("\n## ")[0]
    rows = [row.split("|")[1:3] for row in section.splitlines() if row.startswith("| `")]
    (keys,) = [keys for names, keys in rows if f"`{name}`" in names]
    found = set(re.findall(r"`(\w+)`", keys))
    return found | documented_keys("hull") if "as for `hull`" in keys else found


@pytest.mark.parametrize("name", WITH_JSON)
def test_json_has_the_documented_keys(
    name: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    typed = [*name.split(), *WITH_JSON[name].split(), "--json"]
    result = CliRunner().invoke(cli, typed, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert set(json.loads(result.stdout)) <= documented_keys(name)


def test_the_json_of_every_command_is_documented() -> None:
    for name in PURPOSES:
        if not is_group(name):
            assert documented_keys(name) or name == "report"
            assert name in WITH_JSON or name in ("report", "serve")  # which have tests of their own
