"""All commands, and those that help and documentation show."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.main import LazyGroup, cli
from tests.support.documented import examples_of, run_documented

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guide" / "command-line.md").read_text(encoding="utf-8")
READ_ME = (ROOT / "README.md").read_text(encoding="utf-8")


def purposes(group: LazyGroup = cli, before: str = "") -> dict[str, str]:
    """Return all commands as they are typed, those of groups too, and what each is for."""
    found = {}
    for name, purpose in group.purposes.items():
        found[before + name] = purpose
        command = group.get_command(click.Context(group), name)
        if isinstance(command, LazyGroup):
            found |= purposes(command, f"{before}{name} ")
    return found


PURPOSES = purposes()


def loaded(name: str) -> click.Command:
    command: click.Command | None = cli
    for word in name.split():
        assert isinstance(command, LazyGroup)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    return command


def examples() -> list[str]:
    return [line for name in sorted(PURPOSES) for line in examples_of(loaded(name).help or "")]


def run_in_a_copy(line: str, folder: Path, place: Path, patch: pytest.MonkeyPatch) -> None:
    """Run a command where it finds the files, and a library, as no other command left them."""
    shutil.copytree(folder, place, dirs_exist_ok=True)
    patch.chdir(place)
    run_documented(line, place)


def without_aucs(document: Any) -> Any:
    """Return the JSON of hulls without the AUCs of classifiers, which need the rows in memory."""
    for each in (document, *document.get("groups", {}).values()):
        each.pop("aucs", None)
    return document
