"""Many kills on each store, and restarts of the database, under load: with figures.

pytest -n 0 -s -m '' tests/soak/test_fleet.py                   all of it, about half an hour
pytest -n 0 -s -m '' tests/soak/test_fleet.py -k 'sqlite'       kills, with the record in a folder
pytest -n 0 -s -m '' tests/soak/test_fleet.py -k 'postgres'     kills, with the record on a server
pytest -n 0 -s -m '' tests/soak/test_fleet.py -k 'restarts'     the database, twenty times
"""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import fleet, killed_service, sudden_end
from tests.support.killed_workers import follow_feedback
from tests.support.real_service import running, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.timeout(7200)

WRITERS = 3
"""So many store feedback at once."""


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str | None:
    """Return a schema, or nothing where the record is in a folder."""
    if request.param == "sqlite":
        return None
    postgres: PostgresServer = request.getfixturevalue("postgres")
    return postgres.new_schema(create=False)


def test_kills_of_writers(tmp_path: Path, url: str | None) -> None:
    place: Any = url or tmp_path / "service.sqlite"
    moments, acknowledged, kills = random.Random(300), set[str](), 0  # noqa: S311 - no secret
    while kills < 300:
        after = [moments.randint(1, 60) for _ in range(WRITERS)]
        acknowledged |= sudden_end.killed_together(place, kills, after)
        kills += WRITERS
        if kills % 30 == 0:
            sudden_end.check(place, acknowledged, kills)
    print(f"\n{kills} writers killed, {len(acknowledged):,} events acknowledged")  # noqa: T201


def test_kills_of_workers_and_supervisors(tmp_path: Path, url: str | None) -> None:
    place = killed_service.library(tmp_path / "library", url)
    follow_feedback(place)
    loads: list[fleet.Load] = []
    workers = supervisors = 0
    while workers + supervisors < 100:
        with ExitStack() as opened:
            services = [opened.enter_context(running(place, "--workers", "2"))]
            if url is not None:  # a folder has one service
                services.append(opened.enter_context(running(place)))
            with fleet.Load(f"run-{supervisors}", services) as load:
                for number in range(4):  # more, and it would take its time to start again
                    load.await_answers(10)
                    fleet.kill_worker(services[0], number)
                    workers += 1
                load.await_answers(10)
                for service in services[::-1]:
                    load.give_up(service)
                    processes = [service.process.pid, *service.workers()]
                    os.kill(processes[0], signal.SIGKILL)
                    supervisors += 1
                    wait_until(lambda pids=processes: not any(map(fleet.is_alive, pids)))  # type: ignore[misc]
            loads.append(load)
        events = fleet.check(place, loads)
    aims = sum(len(load.aims) for load in loads)
    print(  # noqa: T201 - figures
        f"\n{workers} workers and {supervisors} supervisors killed, {events:,} events and "
        f"{aims} aims acknowledged, {sum_of(loads, 'answered'):,} requests answered, "
        f"{sum_of(loads, 'cut')} connections cut, {sum_of(loads, 'refused')} events refused for now"
    )


def test_restarts_of_the_database(tmp_path: Path, postgres: PostgresServer) -> None:
    place = killed_service.library(tmp_path / "library", postgres.new_schema(create=False))
    follow_feedback(place)
    ends: dict[str, Callable[[], None]] = {
        "fast": lambda: postgres.stop("fast"),
        "immediate": lambda: postgres.stop("immediate"),
        "kill": postgres.kill,
    }
    longest = 0.0
    with running(place, "--workers", "2") as one, running(place) as other:
        with fleet.Load("load", [one, other]) as load:
            for number in range(20):
                load.await_answers(5)
                end = [*ends.values()][number % 3]
                before = [decider.unconfirmed for decider in load.deciders]
                end()
                if number % 2:  # otherwise it is back at once
                    load.await_answers(20, load.deciders)
                    wait_until(
                        lambda before=before: all(  # type: ignore[misc]
                            decider.unconfirmed > count
                            for decider, count in zip(load.deciders, before, strict=True)
                        )
                    )
                begun = time.monotonic()
                postgres.start()
                load.await_answers(3)
                longest = max(longest, time.monotonic() - begun)
        assert (one.stop()[0], other.stop()[0]) == (0, 0)
    events = fleet.check(place, [load])
    print(  # noqa: T201 - figures
        f"\n20 restarts, {events:,} events and {len(load.aims)} aims acknowledged, "
        f"{sum_of([load], 'answered'):,} requests answered, {sum_of([load], 'unconfirmed'):,} "
        f"decisions unconfirmed, {sum_of([load], 'refused'):,} events refused for now, "
        f"{sum_of([load], 'cut')} connections cut; all served again within {longest:.1f} s"
    )
    assert sum_of([load], "cut") == 0


def sum_of(loads: list[fleet.Load], name: str) -> int:
    return sum(getattr(sender, name) for load in loads for sender in load.all)
