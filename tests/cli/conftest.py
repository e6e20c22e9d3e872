"""A library with two classifiers that cross, on the evaluation rows of the other tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from click import unstyle
from click.testing import CliRunner

from rocch.cli.main import cli
from rocch.library import ClassifierLibrary

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Answer

Shown: TypeAlias = Callable[..., str]


@pytest.fixture
def shown() -> Shown:
    """Return a function that runs `rocch library ...` in this process and returns its text."""

    def run(*arguments: object, status: int = 0, columns: int | None = None) -> str:
        """Run a command; with a number of columns, as if on a terminal of this width."""
        typed = ["library", *map(str, arguments)]
        env = {} if columns is None else {"COLUMNS": str(columns), "TTY_COMPATIBLE": "1"}
        result = CliRunner().invoke(cli, typed, catch_exceptions=False, env=env)
        assert result.exit_code == status, result.stderr
        assert result.stderr == ""
        return unstyle(result.stdout)

    return run


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Make an empty library."""
    folder = tmp_path / "lib"
    ClassifierLibrary.create(folder).close()
    return folder


@pytest.fixture
def filled(library: Path, scores_csv: Path, answer: Answer) -> Path:
    """Make a library of nb and gbm."""
    document = answer("library", "add", library, scores_csv, "--label", "y", "--by", "ada")
    assert [one["outcome"] for one in document["classifiers"]] == ["extends", "extends"]
    return library


def write_csv(file: Path, **columns: object) -> Path:
    """Write columns as CSV."""
    lists = [np.asarray(column).tolist() for column in columns.values()]
    lines = [",".join(map(str, row)) for row in zip(*lists, strict=True)]
    file.write_text("\n".join([",".join(columns), *lines]) + os.linesep, encoding="utf-8")
    return file
