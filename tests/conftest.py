"""What several tests need: closed figures, a scores file, the command, databases and stores."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from tests.support.object_stores import local_store as local_store
from tests.support.object_stores import memory_store as memory_store
from tests.support.object_stores import object_store as object_store
from tests.support.object_stores import s3 as s3
from tests.support.object_stores import s3_server as s3_server
from tests.support.places import places as places
from tests.support.postgres import postgres as postgres

if TYPE_CHECKING:
    from pathlib import Path

# a busy machine draws examples slowly, which is no fault of theirs
SLOW = [HealthCheck.too_slow]
settings.register_profile("steady", derandomize=True, deadline=None, suppress_health_check=SLOW)
settings.register_profile("searching", max_examples=3000, deadline=None)
settings.load_profile(os.environ.get("ROCCH_HYPOTHESIS", "steady"))

Run: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
Refusal: TypeAlias = Callable[..., str]
Answer: TypeAlias = Callable[..., Any]


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    """Close every figure that a test left open."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture
def run_python(tmp_path: Path) -> Run:
    """Return a function that runs this Python with arguments in a process of its own."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - this Python, with arguments written in the tests
            [sys.executable, *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            check=False,
        )

    return run


@pytest.fixture
def run_rocch(run_python: Run) -> Run:
    """Return a function that runs the `rocch` command in a process of its own."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run_python("-m", "rocch.cli.main", *arguments)

    return run


@pytest.fixture
def refusal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refusal:
    """Return a function that runs `rocch` in this process on bad input and returns its one line."""
    from rocch.cli.main import main

    def run(*arguments: object, status: int = 2) -> str:
        monkeypatch.setattr(sys, "argv", ["rocch", *map(str, arguments)])
        with pytest.raises(SystemExit) as leaving:
            main()
        printed = capsys.readouterr()
        assert leaving.value.code == status
        assert printed.out == ""
        assert printed.err.endswith("\n")
        assert printed.err.count("\n") == 1
        assert printed.err.startswith("rocch: ")
        assert "Traceback" not in printed.err
        return printed.err.removeprefix("rocch: ").rstrip()

    return run


@pytest.fixture
def answer() -> Answer:
    """Return a function that runs `rocch ... --json` in this process and reads what it printed."""
    from click.testing import CliRunner

    from rocch.cli.main import cli

    def run(*arguments: object) -> Any:
        result = CliRunner().invoke(cli, [*map(str, arguments), "--json"], catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        dropped = r"(rocch: [\d,]+ of [\d,]+ rows dropped for missing values\.\n)?"
        note = dropped if "--drop-nulls" in arguments else ""
        assert re.fullmatch(note, result.stderr), result.stderr
        return json.loads(result.stdout, parse_constant=_no_constant)

    return run


def _no_constant(name: str) -> None:
    raise AssertionError(f"{name} is not JSON")


def _jsonable(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: _jsonable(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    return "inf" if value == math.inf else value


@pytest.fixture
def jsonable() -> Callable[[Any], Any]:
    """Return a function that writes a result of the Python API as the command line should."""
    return _jsonable


@pytest.fixture
def judged() -> dict[str, list[float]]:
    """Return labels under `y` and the scores of two classifiers, `nb` and `gbm`, that cross."""
    rng = np.random.default_rng(20240607)
    y = (np.arange(120) % 3 == 0).astype(float)
    # nb separates well at the top, gbm at the bottom, so that both win somewhere
    nb = np.round(rng.normal(size=120) + np.where(y == 1, 1.5, 0) * (rng.random(120) < 0.7), 2)
    gbm = np.round(rng.normal(size=120) * (1 - 0.6 * y) + 0.9 * y, 2)
    return {"y": y.tolist(), "nb": nb.tolist(), "gbm": gbm.tolist()}


@pytest.fixture
def scores_csv(tmp_path: Path, judged: dict[str, list[float]]) -> Path:
    """Write the judged rows as CSV, labels as 0 and 1."""
    file = tmp_path / "scores.csv"
    lines = [f"{y:g},{nb!r},{gbm!r}" for y, nb, gbm in zip(*judged.values(), strict=True)]
    file.write_text("\n".join(["y,nb,gbm", *lines]) + "\n", encoding="utf-8")
    return file


@pytest.fixture
def scores_parquet(tmp_path: Path, judged: dict[str, list[float]]) -> Path:
    """Write the judged rows as Parquet, labels as integers."""
    import pyarrow as pa
    from pyarrow import parquet

    file = tmp_path / "scores.parquet"
    columns = {"y": pa.array(judged["y"]).cast(pa.int64())}
    parquet.write_table(pa.table({**judged, **columns}), file)
    return file
