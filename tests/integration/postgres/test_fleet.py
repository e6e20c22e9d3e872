"""Two services with three workers on one record: aims, feedback, kills, and a database that fails.

More kills and restarts are in tests/soak/test_fleet.py.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from rocch.library import ClassifierLibrary
from tests.support import fleet, killed_service
from tests.support.cuttable_proxy import CuttableProxy
from tests.support.exported import COSTS, scored_rows
from tests.support.killed_workers import follow_feedback
from tests.support.loads import library_of_columns
from tests.support.real_service import running, wait_until
from tests.support.under_load import swap_and_reaim

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.postgres import PostgresServer
    from tests.support.real_service import RealService

WORKERS = 3


def run_both(opened: ExitStack, one: str, other: str) -> list[RealService]:
    """Start a service with two workers and one without, at the same time."""
    with ThreadPoolExecutor(2) as pool:
        starting = [
            pool.submit(opened.enter_context, running(one, "--workers", "2")),
            pool.submit(opened.enter_context, running(other)),
        ]
        return [each.result() for each in starting]


class Fleet:
    """The services, the proxy before the database of the first one, and all loads so far."""

    def __init__(self, place: str, proxy: CuttableProxy, services: list[RealService]) -> None:
        self.place, self.proxy, self.services = place, proxy, services
        self.loads: list[fleet.Load] = []

    def load(self, name: str, services: list[RealService] | None = None) -> fleet.Load:
        self.loads.append(fleet.Load(name, services or self.services))
        return self.loads[-1]

    def check(self) -> None:
        assert fleet.check(self.place, self.loads) > 0


@pytest.fixture(scope="module")
def both(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    url = postgres.new_schema(create=False)
    killed_service.library(tmp_path_factory.mktemp("fleet") / "objects", url)
    follow_feedback(url)
    with CuttableProxy(url) as proxy, ExitStack() as opened:
        yield Fleet(url, proxy, run_both(opened, proxy.url, url))


def test_aims_and_exports_reach_all(postgres: PostgresServer, tmp_path: Path) -> None:
    url = postgres.new_schema(create=False)
    with library_of_columns(tmp_path / "library") as made:
        made.copy(url, objects=tmp_path / "objects").close()
    with ExitStack() as opened, ClassifierLibrary(url) as library:
        services = run_both(opened, url, url)
        answers, exports, aims = swap_and_reaim(library, services, rounds=3, seed=1)
        assert len(fleet.list_workers(services[1])) == WORKERS
    assert answers > 0
    assert exports > 1
    assert aims > 1


def test_workers_that_are_killed_in_turn(both: Fleet) -> None:
    one, other = both.services
    with both.load("kills") as load:
        for number in range(2):
            load.await_answers(5)
            fleet.kill_worker(one, number)
        load.await_answers(10)
    assert sum(sender.cut for sender in load.of(other)) == 0
    assert load.aims
    both.check()


@pytest.mark.parametrize("end", ["fast", "kill"])
def test_a_database_that_is_stopped_and_started(
    both: Fleet, postgres: PostgresServer, end: str
) -> None:
    with both.load(f"database-{end}") as load:
        load.await_answers(5)
        if end == "kill":
            postgres.kill()
        else:
            postgres.stop("fast")
        # all decisions are made, and say so; all events are refused, and repeated
        wait_until(lambda: all(decider.unconfirmed > 20 for decider in load.deciders))
        wait_until(lambda: all(sender.refused for sender in load.senders))
        postgres.start()
        load.await_answers(5)
        wait_until(lambda: all(is_confirmed(service) for service in both.services))
        load.await_answers(5)
    assert sum(sender.cut for sender in load.all) == 0
    both.check()


def is_confirmed(service: RealService) -> bool:
    answer = service.ask("GET", "/v1/health").json()
    return bool(answer["status"] == "ok")


def test_a_network_that_swallows_everything(both: Fleet) -> None:
    one, other = both.services
    scores, _ = scored_rows(1, 20_000, 0.3)
    large: Any = {"scores": scores}
    assert len(json.dumps(large)) > 2**18  # it is read in a thread
    with both.load("partition") as load:
        load.await_answers(5)
        both.proxy.partition()
        (cut_off, *_), connected = load.of(one), load.of(other)
        wait_until(lambda: cut_off.unconfirmed > 0)
        for _ in range(10):  # more than there are threads
            status = one.ask("GET", "/v1/status")
            assert status.status_code == 200
            codes = [warned["code"] for warned in status.json()["warnings"]]
            assert "record_unreachable" in codes
            assert one.ask("GET", "/v1/health").json()["status"] == "degraded"
            assert one.ask("GET", "/v1/ready").status_code == 200
            assert one.ask("GET", "/metrics").status_code == 200
            refused = one.ask("PUT", "/v1/conditions", json={"question": COSTS})
            assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
            decided = one.ask("POST", "/v1/decide", json=large)
            assert decided.status_code == 200
            assert decided.json()["aim"]["unconfirmed_since"] is not None
        # whoever was cut off while it wrote keeps the lock until the server ends its session
        load.await_answers(20, [cut_off, *connected])
        held_up = sum(sender.refused for sender in connected)
        load.await_answers(20, connected)  # from then on the others go on as before
        assert sum(sender.refused for sender in connected) == held_up
        wait_until(lambda: is_confirmed(other))  # though a busy machine may read late now and then
        both.proxy.restore()
        load.await_answers(5)
        wait_until(lambda: is_confirmed(one))
        load.await_answers(5)
    assert sum(sender.cut for sender in load.all) == 0
    both.check()


def test_a_service_that_ends_while_another_goes_on(both: Fleet) -> None:
    one, other = both.services
    with both.load("end") as load:
        load.await_answers(5)
        load.give_up(other)
        assert other.stop()[0] == 0
        load.await_answers(20, load.of(one))
        wait_until(lambda: len(fleet.list_workers(one)) == WORKERS - 1)
        wait_until(lambda: is_confirmed(one))
    for sender in load.of(one):
        assert (sender.cut, sender.refused) == (0, 0)
    both.check()
