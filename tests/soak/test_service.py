"""Long loads on the service, with figures: pytest -n 0 -s tests/soak/test_service.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.loads import body_of, library_of_columns, wrk_load
from tests.support.real_service import running
from tests.support.under_load import swap_and_reaim

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(900)


@pytest.mark.parametrize("rows", [1, 1000])
@pytest.mark.parametrize("connections", [1, 16])
def test_a_minute_without_an_error(tmp_path: Path, rows: int, connections: int) -> None:
    library = library_of_columns(tmp_path / "library")
    body = tmp_path / "body.json"
    body.write_bytes(body_of(rows))
    with running(library.path) as service:
        load = wrk_load(
            f"{service.told['url']}/v1/decide",
            body,
            token=service.tokens["caller"],
            seconds=60,
            connections=connections,
        )
    speed = f"{load.requests_per_second * rows:,.0f} rows/s"
    print(f"\n{rows} row(s), {connections} connection(s): {load}; {speed}")  # noqa: T201 - figures
    assert load.failed == 0


def test_a_minute_of_swaps_and_new_aims(tmp_path: Path) -> None:
    library = library_of_columns(tmp_path / "library")
    with running(library.path) as service:
        answers, exports, aims = swap_and_reaim(library, [service], rounds=50, seed=3)
    print(f"\n{answers:,} answers, {exports} exports, {aims} aims")  # noqa: T201 - figures
    assert exports > 40
    assert aims > 40
