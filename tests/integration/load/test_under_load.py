"""Short loads on a real process; the long ones are in tests/soak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.loads import body_of, library_of_columns, need_wrk, parsed, wrk_load
from tests.support.real_service import running
from tests.support.under_load import swap_and_reaim

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("rows", [1, 1000])
def test_no_request_fails_under_load(tmp_path: Path, rows: int) -> None:
    need_wrk()
    library = library_of_columns(tmp_path / "library")
    body = tmp_path / "body.json"
    body.write_bytes(body_of(rows))
    with running(library.path) as service:
        load = wrk_load(
            f"{service.told['url']}/v1/decide",
            body,
            token=service.tokens["caller"],
            seconds=2,
            connections=8,
        )
        decided = service.ask("GET", "/v1/status").json()["decisions"]["total"]
    assert load.failed == 0
    assert load.requests > 0
    assert decided >= load.requests * rows


def test_no_answer_fails_or_mixes_versions(tmp_path: Path) -> None:
    library = library_of_columns(tmp_path / "library")
    with running(library.path) as service:
        answers, exports, aims = swap_and_reaim(library, [service], rounds=3, seed=1)
    assert answers > 0
    assert exports > 1
    assert aims > 1


def test_reading_what_the_load_generator_prints() -> None:
    said = """Running 4s test @ http://127.0.0.1:1/
  1 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   385.30us    1.04ms  20.96ms   94.50%
    Req/Sec     7.69k     1.05k    9.30k    75.00%
  Latency Distribution
     50%  115.00us
     75%  171.00us
     90%  432.00us
     99%    1.05s
  30621 requests in 4.00s, 4.96MB read
  Socket errors: connect 1, read 2, write 0, timeout 3
  Non-2xx or 3xx responses: 4
Requests/sec:   7651.05
Transfer/sec:      1.24MB
"""
    load = parsed(said)
    assert (load.requests_per_second, load.p50_ms, load.p99_ms) == (7651.05, 0.115, 1050)
    assert (load.failed, load.requests) == (10, 30621)
    assert "10 of 30,621 failed" in str(load)
