"""`rocch surface` as users run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Run

    Table = dict[str, list[Any]]


NAMES = ("ant", "bee", "cow")
QUICK = ("--generations", "10", "--draws", "20")


@pytest.fixture
def table() -> Table:
    """Return 90 rows of three classes that overlap, the second feature a thousand times wider."""
    data = rocch.multiclass.three_class_data(90, seed=4)
    names = [NAMES[code] for code in np.unique(data.y, return_inverse=True)[1]]
    return {"x": data.X[:, 0].tolist(), "y": (1000 * data.X[:, 1]).tolist(), "kind": names}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Table], Path]:
    def written(table: Table) -> Path:
        file = tmp_path / "data.csv"
        lines = [",".join(table), *(",".join(map(str, row)) for row in zip(*table.values()))]  # noqa: B905
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return file

    return written


@pytest.fixture
def file(write: Callable[[Table], Path], table: Table) -> Path:
    return write(table)


def arguments(file: Path, *options: object, model: str = "knn") -> list[str]:
    return ["surface", str(file), "--label", "kind", "--model", model, *QUICK, *map(str, options)]


def test_the_command_as_users_run_it(run_rocch: Run, file: Path) -> None:
    ended = run_rocch(*arguments(file))
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert "farthest from random" in ended.stdout
