"""A failed task or a lost executor: Spark tries again, and the hull is the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import spark_session

pytestmark = pytest.mark.timeout(300)  # two executors and a driver start, on a busy machine
SCRIPT = Path(__file__).parents[2] / "support" / "failing_cluster.py"


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what happened on a cluster of two executors, started once for all tests."""
    reason = spark_session.absent()
    if reason is not None:
        spark_session.missed(reason)
    folder = tmp_path_factory.mktemp("cluster")
    done = subprocess.run(  # noqa: S603 - this Python, with a script of ours
        [sys.executable, str(SCRIPT), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
        env={
            **os.environ,
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize(("word", "after"), [("fail", 0), ("fail", 1), ("kill", 1)])
def test_the_hull_is_the_same(answers: dict[str, Any], word: str, after: int) -> None:
    found = answers[f"{word} after {after}"]
    assert found["sprung"] == 1  # the trap was met, once
    assert found["passes"] >= 2
    assert found["identical"]
