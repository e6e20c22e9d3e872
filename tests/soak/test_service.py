"""Long loads on the service: a minute each. Run with `pytest -n 0 -s tests/soak/test_service.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from loads import body_of, library_of_columns, running, wrk_load
from under_load import feed_and_kill, swap_and_reaim

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("rows", [1, 1000])
def test_a_minute_without_an_error(tmp_path: Path, rows: int) -> None:
    library = library_of_columns(tmp_path / "library")
    body = tmp_path / "body.json"
    body.write_bytes(body_of(rows))
    with running(library.path) as service:
        load = wrk_load(f"{service.url}/v1/decide", body, seconds=60, connections=16)
    print(f"\n{rows} row(s): {load}; {load.requests_per_second * rows:,.0f} rows/s")  # noqa: T201
    assert load.failed == 0


def test_a_minute_of_swaps_and_new_aims(tmp_path: Path) -> None:
    answers, exports, aims = swap_and_reaim(tmp_path / "library", rounds=50, seed=3)
    print(f"\n{answers:,} answers, {exports} exports, {aims} aims: none failed, none mixed")  # noqa: T201
    assert exports > 40
    assert aims > 40


def test_many_kills_under_feedback_load(tmp_path: Path) -> None:
    told, kept = feed_and_kill(tmp_path / "library", kills=40, seed=4)
    print(f"\n{told:,} events acknowledged, {kept:,} kept, each once, after 40 kills")  # noqa: T201
