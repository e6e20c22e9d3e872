"""The service under the load of `wrk`, a minute for each figure: `python -m pytest tests/soak -s`.

ROCCH_SOAK_SECONDS sets another length.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from real_service import add_another, make_library, running
from rocch.service.run import address_of, listen
from serving import judged

SECONDS = int(os.environ.get("ROCCH_SOAK_SECONDS", "60"))
ROWS = 1000
BARE = """
import socket, sys, uvicorn
from fastapi import FastAPI, Response
app = FastAPI()
@app.post("/v1/decide")
async def nothing():
    return Response(b"{}", media_type="application/json")
# not by uvicorn's own fd=, which takes it for a Unix socket and leaves out TCP_NODELAY: 40 ms more
bound = socket.socket(fileno=int(sys.argv[1]))
config = uvicorn.Config(app, access_log=False, log_level="critical")
uvicorn.Server(config).run(sockets=[bound])
"""
"""A handler that does nothing, for comparison."""

pytestmark = [
    pytest.mark.skipif(shutil.which("wrk") is None, reason="needs the load generator wrk"),
    pytest.mark.timeout(10 * SECONDS + 120),
]


class Load(NamedTuple):
    """What a load generator saw."""

    requests_per_second: float
    p50: float
    p99: float
    failed: bool

    def __str__(self) -> str:
        return (
            f"{self.requests_per_second:,.0f} requests/s, "
            f"p50 {self.p50 * 1000:.2f} ms, p99 {self.p99 * 1000:.2f} ms"
        )


def put_under_load(url: str, body: str, token: str, folder: Path, connections: int) -> Load:
    script = folder / "request.lua"
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    said = "\n".join(f'wrk.headers["{name}"] = "{value}"' for name, value in headers.items())
    script.write_text(f'wrk.method = "POST"\nwrk.body = [==[{body}]==]\n{said}\n')
    wrk = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--timeout", "10s", "--latency"]
    out = subprocess.run(  # noqa: S603 - words of our own
        [*wrk, "-s", str(script), f"{url}/v1/decide"], capture_output=True, text=True, check=True
    ).stdout
    units = {"us": 1e-6, "ms": 1e-3, "s": 1.0}

    def percentile(share: str) -> float:
        found = re.search(rf"^\s+{share}%\s+([\d.]+)(us|ms|s)$", out, re.MULTILINE)
        assert found, out
        return float(found[1]) * units[found[2]]

    rate = re.search(r"Requests/sec:\s+([\d.]+)", out)
    assert rate, out
    failed = "Non-2xx" in out or "Socket errors" in out
    return Load(float(rate[1]), percentile("50"), percentile("99"), failed)


@contextmanager
def bare_handler() -> Iterator[str]:
    with listen("127.0.0.1", 0) as bound:
        process = subprocess.Popen(  # noqa: S603 - this Python, and our own words
            [sys.executable, "-c", BARE, str(bound.fileno())], pass_fds=[bound.fileno()]
        )
        try:
            yield address_of(bound)
        finally:
            process.kill()
            process.wait()


def test_what_deciding_adds_and_how_many_rows_it_decides(tmp_path: Path) -> None:
    add_another(make_library(tmp_path / "models"))
    scores = judged(5, ROWS)[0][["gbm", "nb"]]
    bodies = {rows: json.dumps({"scores": scores.head(rows).to_dict("list")}) for rows in (1, ROWS)}
    with bare_handler() as bare, running(tmp_path / "models") as service:
        url, token = service.told["url"], service.tokens["caller"]

        def load(place: str, rows: int, connections: int) -> Load:
            found = put_under_load(place, bodies[rows], token, tmp_path, connections)
            what = "nothing" if place == bare else "decide"
            print(f"{what:>7}, {rows:4} rows, {connections} connections: {found}")  # noqa: T201
            assert not found.failed
            return found

        nothing, one = load(bare, 1, 1), load(url, 1, 1)
        many = load(url, ROWS, 1)
        load(bare, 1, 8), load(url, 1, 8)
        most = load(url, ROWS, 8)
        told = service.ask("GET", "/v1/status").json()["decisions"]
    assert nothing.p50 < one.p50, "doing nothing cannot take longer: the comparison is broken"
    assert one.p50 - nothing.p50 <= 0.001
    assert max(many.requests_per_second, most.requests_per_second) * ROWS >= 200_000
    assert told["total"] > ROWS
