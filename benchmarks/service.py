"""How fast the service decides, and what it adds to a handler that does nothing.

Run: python benchmarks/service.py [--seconds 10]        (needs wrk: apt-get install wrk)

A library of two scoring classifiers is served by a process of its own, with one worker. wrk puts
loads on it over loopback: single rows, and batches of 1,000 rows of precomputed scores; and, in the
same run and the same way, on a bare FastAPI handler that reads the same body as a pydantic model
and returns an empty object. One response is checked before anything is timed. The machine's other
processor belongs to wrk. On a machine with other work, compare the processor's time per request.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

import rocch

sys.path.insert(0, str(Path(__file__).parents[1]))

from rocch.hybrid.save import load_bytes
from tests.support.loads import Load, body_of, library_of_columns, wrk_load
from tests.support.real_service import RealService, running

BARE = """
import socket, sys
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()

class Body(BaseModel):
    scores: dict[str, list[float]]

@app.post("/")
async def nothing(body: Body) -> dict[str, str]:
    return {}

bound = socket.create_server(("127.0.0.1", 0))
print(bound.getsockname()[1], flush=True)
config = uvicorn.Config(app, log_level="error", access_log=False)
uvicorn.Server(config).run(sockets=[bound])
"""

ROWS = (1, 1000)
CONNECTIONS = (1, 16, 64)


def check(service: RealService, library: rocch.library.ClassifierLibrary, body: bytes) -> None:
    """Send one request, and compare its decisions with those of the hybrid itself."""
    response = service.ask("POST", "/v1/decide", "caller", json=json.loads(body))
    assert response.status_code == 200, response.text
    export = library.current_export
    assert export is not None
    model: Any = load_bytes(library.read_export(export), export.path, digest=export.sha256)
    frame = pd.DataFrame(json.loads(body)["scores"])[list(model.feature_names_in_)]
    assert response.json()["decisions"] == model.predict(frame).tolist()


@contextmanager
def bare_handler() -> Iterator[tuple[str, int]]:
    """Run the bare handler; yield its address, and the number of its process."""
    with subprocess.Popen(  # noqa: S603 - our own text
        [sys.executable, "-c", BARE], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/", process.pid
        process.terminate()


def cpu_seconds(process: int) -> float:
    """Return how long a process has computed, which other processes hardly change."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print the figures as a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=10)
    seconds = parser.parse_args().seconds
    print("| load | connections | requests/s | p50 ms | p99 ms | CPU ms/request | failed |")
    print("|---|---|---|---|---|---|---|")
    with TemporaryDirectory(prefix="rocch-benchmark-") as folder:
        library = library_of_columns(Path(folder, "library"))
        bodies = {rows: Path(folder, f"{rows}.json") for rows in ROWS}
        for rows, file in bodies.items():
            file.write_bytes(body_of(rows))
        with bare_handler() as (bare, bare_process), running(library.path) as service:
            check(service, library, bodies[1000].read_bytes())
            decide = f"{service.told['url']}/v1/decide"
            places = {"bare": (bare, bare_process), "decide": (decide, service.process.pid)}
            for connections, rows in product(CONNECTIONS, ROWS):
                for name, (url, process) in places.items():
                    before = cpu_seconds(process)
                    load = wrk_load(
                        url,
                        bodies[rows],
                        token=service.tokens["caller"],
                        seconds=seconds,
                        connections=connections,
                    )
                    each = (cpu_seconds(process) - before) / load.requests
                    show(f"{name}, {rows:,} row(s)", connections, load, each)


def show(name: str, connections: int, load: Load, cpu: float) -> None:
    """Print one line."""
    print(
        f"| {name} | {connections} | {load.requests_per_second:,.0f} | {load.p50_ms:.3f} | "
        f"{load.p99_ms:.3f} | {1000 * cpu:.3f} | {load.failed} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
