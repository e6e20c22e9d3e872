"""How fast the service decides, and what it adds to a handler that does nothing.

Run: python benchmarks/service.py [--seconds 10]        (needs wrk: apt-get install wrk)

A library of two scoring classifiers is served by a process of its own, with one worker. wrk puts
loads on it over loopback: single rows, and batches of 1,000 rows of precomputed scores; and, in the
same run and the same way, on a bare FastAPI handler that reads the same body as a pydantic model
and returns an empty object. One response is checked before anything is timed. The machine's other
processor belongs to wrk.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

import rocch

sys.path.insert(0, str(Path(__file__).parents[1]))

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


def checked(service: RealService, library: rocch.library.ClassifierLibrary, body: bytes) -> None:
    """Ask once, and compare with what the hybrid itself says."""
    answer = service.ask("POST", "/v1/decide", "caller", json=json.loads(body))
    assert answer.status_code == 200, answer.text
    export = library.current_export
    assert export is not None
    model: Any = rocch.load(export.path, digest=export.sha256)
    frame = pd.DataFrame(json.loads(body)["scores"])[list(model.feature_names_in_)]
    assert answer.json()["decisions"] == model.predict(frame).tolist()


def main() -> None:
    """Print the figures as a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=10)
    seconds = parser.parse_args().seconds
    added: list[tuple[int, int, float]] = []
    print("| load | connections | requests/s | p50 ms | p99 ms | failed | rows/s |")
    print("|---|---|---|---|---|---|---|")
    with TemporaryDirectory(prefix="rocch-benchmark-") as folder:
        library = library_of_columns(Path(folder, "library"))
        bodies = {}
        for rows in ROWS:
            bodies[rows] = Path(folder, f"{rows}.json")
            bodies[rows].write_bytes(body_of(rows))
        nothing = subprocess.Popen([sys.executable, "-c", BARE], stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own text
        try:
            assert nothing.stdout is not None
            bare = f"http://127.0.0.1:{nothing.stdout.readline().strip()}/"
            with running(library.path) as service:
                checked(service, library, bodies[1000].read_bytes())
                asked = {"token": service.tokens["caller"], "seconds": seconds}
                decide = f"{service.told['url']}/v1/decide"
                for connections, rows in product(CONNECTIONS, ROWS):
                    loads = [
                        wrk_load(url, bodies[rows], connections=connections, **asked)
                        for url in (bare, decide)
                    ]
                    show(f"bare handler, {rows} row(s)", connections, loads[0], 0)
                    show(f"decide, {rows} row(s)", connections, loads[1], rows)
                    added.append((connections, rows, loads[1].p50_ms - loads[0].p50_ms))
        finally:
            nothing.terminate()
            nothing.wait()
            if nothing.stdout is not None:
                nothing.stdout.close()
    print()
    for connections, rows, ms in added:
        print(f"added at p50, {connections} connection(s), {rows} row(s): {ms:.3f} ms")


def show(name: str, connections: int, load: Load, rows: int) -> None:
    """Print one line."""
    print(
        f"| {name} | {connections} | {load.requests_per_second:,.0f} | {load.p50_ms:.3f} | "
        f"{load.p99_ms:.3f} | {load.failed} | {load.requests_per_second * rows:,.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
