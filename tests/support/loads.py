"""A library to put a load on, and a real load generator (wrk)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

import rocch

if TYPE_CHECKING:
    from pathlib import Path

NEEDED = "ROCCH_NEED_WRK"
"""Set where the load generator must not be missing, so that nothing is skipped."""

SCRIPT = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer {token}"
local file = io.open("{body}", "rb")
wrk.body = file:read("*a")
file:close()
"""


@dataclass(frozen=True)
class Load:
    """What wrk measured."""

    requests_per_second: float
    p50_ms: float
    p99_ms: float
    failed: int
    requests: int

    def __str__(self) -> str:
        return (
            f"{self.requests_per_second:,.0f} requests/s, p50 {self.p50_ms:.3f} ms, "
            f"p99 {self.p99_ms:.3f} ms, {self.failed} of {self.requests:,} failed"
        )


def library_of_columns(
    folder: Path, *, rows: int = 2000, seed: int = 1
) -> rocch.library.ClassifierLibrary:
    """Make a library of two scoring classifiers, exported."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    library = rocch.library.ClassifierLibrary.create(folder)
    library.add_scores(
        y.astype(int),
        {
            "gbm": (rng.normal(size=rows) * (1 - 0.6 * y) + 0.9 * y).round(4),
            "nb": (rng.normal(size=rows) + 1.6 * y * (rng.random(rows) < 0.75)).round(4),
        },
    )
    library.export()
    return library


def body_of(rows: int, *, seed: int = 0, rules: int = 0) -> bytes:
    """Return the body of a request that has scores of both classifiers decided.

    It may also have labels of classifiers yet to come, as callers send who know of them.
    """
    rng = np.random.default_rng(seed)
    scores = {name: rng.normal(size=rows).round(4).tolist() for name in ("gbm", "nb")}
    labels = {f"rule-{i}": rng.integers(0, 2, size=rows).tolist() for i in range(rules)}
    return json.dumps({"scores": {**scores, **labels}}).encode()


def need_wrk() -> str:
    """Return the load generator, or skip the test that asked for it, and say so."""
    wrk = shutil.which("wrk")
    if wrk is None:
        if os.environ.get(NEEDED):
            pytest.fail(f"wrk is missing, and {NEEDED} is set")
        pytest.skip("the load generator wrk is not installed (apt-get install wrk)")
    return wrk


def wrk_load(url: str, body: Path, *, token: str, seconds: int, connections: int) -> Load:
    """Put a load on a URL, and return what was measured."""
    script = body.with_suffix(".lua")
    script.write_text(SCRIPT.format(token=token, body=body))
    said = subprocess.run(  # noqa: S603 - our own command
        [
            need_wrk(),
            "--latency",
            f"--duration={seconds}s",
            "--threads=1",
            f"--connections={connections}",
            f"--script={script}",
            url,
        ],
        check=True,
        capture_output=True,
        text=True,
        timeout=seconds + 60,
    ).stdout
    return parsed(said)


def parsed(said: str) -> Load:
    """Read what wrk printed."""
    failed = sum(map(int, re.findall(r"Non-2xx or 3xx responses: (\d+)", said)))
    for errors in re.findall(r"Socket errors: (.*)", said):
        failed += sum(map(int, re.findall(r"\d+", errors)))
    return Load(
        float(_one(r"Requests/sec:\s+([\d.]+)", said)),
        _milliseconds(_one(r"(?m)^\s+50%\s+(\S+)", said)),
        _milliseconds(_one(r"(?m)^\s+99%\s+(\S+)", said)),
        failed,
        int(_one(r"(\d+) requests in", said)),
    )


def _one(pattern: str, said: str) -> str:
    found = re.search(pattern, said)
    assert found, said
    return found[1]


def _milliseconds(text: str) -> float:
    unit = next(unit for unit in ("us", "ms", "s", "m") if text.endswith(unit))
    return float(text.removesuffix(unit)) * {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}[unit]
