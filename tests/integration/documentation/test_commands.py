"""Commands of the documentation run as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.commands import (
    PAGE,
    READ_ME,
    examples,
    run_in_a_copy,
)
from tests.support.documented import run_documented, shell_lines, write_example_files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("examples")
    write_example_files(made)
    return made


@pytest.mark.parametrize(
    "line", sorted({*shell_lines(PAGE), *shell_lines(READ_ME)} - set(examples()))
)
def test_documented_commands_run(
    line: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in_a_copy(line, folder, tmp_path, monkeypatch)


def test_an_example_that_fails_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="none"):
        run_documented("rocch hull none.csv --label y", tmp_path)
    with pytest.raises(AssertionError, match="none"):
        run_documented("rocch hull none.csv --label y | cat", tmp_path)
