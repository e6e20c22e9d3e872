"""What a second worker adds, how soon all workers follow, and what decisions cost the database.

Run: python benchmarks/fleet.py [--parts workers,aims,exports,statements] [--seconds 5] [--rounds 5]
(needs wrk and PostgreSQL: apt-get install wrk postgresql)

Services with one worker and with two are under the same load in turn, single rows on 16
connections, with their records in folders and on a PostgreSQL server of the benchmark's own; and
two services of one worker each, which have nothing in common, at the same time. These say what two
busy processes cost on this machine. The load generator and the server share it: compare requests
per second of processor time, of the supervisor and all workers together. A figure is the median of
all rounds, with the least and the most.

Times until an aim or an export is in force are those until every worker has answered by it, from
the request to put it or the end of the export on; each worker is asked on a connection of its own,
every few milliseconds. Responses are checked first.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, NamedTuple

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.service import check, cpu_seconds
from rocch.library import ClassifierLibrary
from tests.support.fleet import clients_of_all
from tests.support.loads import body_of, library_of_columns, wrk_load
from tests.support.postgres import PostgresServer
from tests.support.real_service import RealService, running

CONNECTIONS = 16
# Events of feedback per second, where there is feedback.
FEEDBACK = 20
SECONDS_BETWEEN_LOOKS = 0.005
PARTS = ("workers", "aims", "exports", "statements")


class Place(NamedTuple):
    """A library that is served, and the name of its store."""

    store: str
    library: ClassifierLibrary
    at: Path | str


class Machine:
    """A folder and a server for as many libraries as are needed."""

    def __init__(self, folder: Path, server: PostgresServer) -> None:
        self.folder, self.server = folder, server
        self._numbers = itertools.count(1)
        self.body = body_of(1)

    def make(self, store: str) -> Place:
        """Make a library of two scoring classifiers, exported."""
        name = f"library-{next(self._numbers)}"
        library = library_of_columns(self.folder / name)
        if store == "SQLite":
            return Place(store, library, library.path)
        url = self.server.new_schema(create=False)
        copied = library.copy(url, objects=self.folder / f"{name}-objects")
        library.close()
        return Place(store, copied, url)

    def load(self, services: list[RealService], seconds: int) -> int:
        """Put a load on services; return how many requests they answered, and none failed."""

        def load_one(number: int) -> int:
            body = self.folder / f"body-{number}.json"
            body.write_bytes(self.body)
            load = wrk_load(
                f"{services[number].told['url']}/v1/decide",
                body,
                token=services[number].tokens["caller"],
                seconds=seconds,
                connections=CONNECTIONS // len(services),
            )
            assert load.failed == 0, load
            return load.requests

        with ThreadPoolExecutor(len(services)) as pool:
            return sum(pool.map(load_one, range(len(services))))


def cpu_of(services: list[RealService]) -> dict[int, float]:
    """Return the seconds that each process of services has computed."""
    processes = [pid for each in services for pid in (each.process.pid, *each.workers())]
    return {pid: cpu_seconds(pid) for pid in processes}


class Round(NamedTuple):
    """What a service did under load for a while."""

    per_second: float
    per_cpu_second: float
    largest_share: float


def measure(machine: Machine, services: list[RealService], seconds: int) -> Round:
    """Put a load on services, and compare their requests with the time that they computed."""
    before = cpu_of(services)
    requests = machine.load(services, seconds)
    spent = [after - before[pid] for pid, after in cpu_of(services).items()]
    return Round(requests / seconds, requests / sum(spent), max(spent) / sum(spent))


@contextmanager
def feedback(service: RealService, *, on: bool) -> Iterator[None]:
    """Send feedback at a steady rate meanwhile."""
    over, names = Event(), f"feedback-{time.monotonic_ns()}"

    def send() -> None:
        number = 0
        while not over.wait(1 / FEEDBACK):
            body = {"event_id": f"{names}-{number}", "kind": "load", "alarms": 9, "capacity": 10}
            answer = service.ask("POST", "/v1/feedback", json=body)
            assert answer.status_code == 200, answer.text
            number += 1

    thread = Thread(target=send)
    if on:
        thread.start()
    yield
    over.set()
    if on:
        thread.join()


def spread(values: list[float], form: str = ",.0f") -> str:
    """Return the median, the least and the most."""
    low, middle, high = min(values), statistics.median(values), max(values)
    return f"{middle:{form}} ({low:{form}} to {high:{form}})"


def compare_workers(machine: Machine, seconds: int, rounds: int) -> None:
    """Compare one worker with two, and with two services, in turn."""
    print("| store | feedback | workers | requests/s | requests/CPU s | largest share of CPU |")
    print("|---|---|---|---|---|---|")
    ratios = []
    for store in ("SQLite", "PostgreSQL"):
        with ExitStack() as opened:

            def run(workers: int, store: str = store, opened: ExitStack = opened) -> RealService:
                place = machine.make(store)
                service = opened.enter_context(running(place.at, "--workers", str(workers)))
                check(service, place.library, machine.body)
                return service

            cases = {"1": [run(1)], "2": [run(2)], "1 + 1, apart": [run(1), run(1)]}
            for services in cases.values():
                machine.load(services, 1)
            for on in (False, True):
                found: dict[str, list[Round]] = {name: [] for name in cases}
                for number in range(rounds):
                    for name in list(cases)[:: 1 if number % 2 else -1]:
                        with feedback(cases[name][0], on=on):
                            found[name].append(measure(machine, cases[name], seconds))
                what = f"{FEEDBACK}/s" if on else "none"
                for name, measured in found.items():
                    columns = [list(column) for column in zip(*measured, strict=True)]
                    shown = f"{spread(columns[0])} | {spread(columns[1])}"
                    share = spread(columns[2], ".0%")
                    print(f"| {store} | {what} | {name} | {shown} | {share} |", flush=True)
                    pairs = list(zip(found["1"], measured, strict=True))
                    per_cpu = [more.per_cpu_second / one.per_cpu_second for one, more in pairs]
                    per_second = [more.per_second / one.per_second for one, more in pairs]
                    shown = f"{spread(per_second, '.2f')} | {spread(per_cpu, '.2f')}"
                    ratios.append(f"| {store} | {what} | {name} | {shown} |")
    print("\n| store | feedback | workers, to 1 | requests/s | requests/CPU s |")
    print("|---|---|---|---|---|")
    print("\n".join(each for each in ratios if "| 1 |" not in each) + "\n", flush=True)


def time_following(
    clients: dict[str, httpx.Client],
    pool: ThreadPoolExecutor,
    body: bytes,
    change: Callable[[], tuple[float, Callable[[Any], bool]]],
) -> float:
    """Change something; return the seconds until every worker has answered accordingly."""
    begun, follows = change()

    def look(client: httpx.Client) -> float:
        while True:
            headers = {"Content-Type": "application/json"}
            answer = client.post("/v1/decide", content=body, headers=headers)
            assert answer.status_code == 200, answer.text
            if follows(answer.json()):
                return time.perf_counter() - begun
            time.sleep(SECONDS_BETWEEN_LOOKS)

    return max(pool.map(look, clients.values()))


@contextmanager
def fleets(
    machine: Machine,
) -> Iterator[Iterator[tuple[Place, str, list[RealService], dict[str, httpx.Client]]]]:
    """Run services for each store, with a client for each worker."""
    with ExitStack() as opened:

        def run() -> Iterator[Any]:
            for store, replicas in (("SQLite", 1), ("PostgreSQL", 2)):
                place = machine.make(store)
                services = [
                    opened.enter_context(running(place.at, "--workers", "2"))
                    for _ in range(replicas)
                ]
                clients = clients_of_all(services, 2 * replicas)
                for client in clients.values():
                    opened.callback(client.close)
                yield place, f"{store}, {replicas} x 2", services, clients
                opened.pop_all().close()

        yield run()


def show_times(what: str, times: list[float]) -> None:
    """Print one line."""
    times = sorted(times)
    p99 = times[min(len(times) - 1, int(0.99 * len(times)))]
    columns = (statistics.median(times), p99, times[-1])
    print(f"| {what} | {len(times)} | " + " | ".join(f"{each:.3f}" for each in columns) + " |")
    sys.stdout.flush()


def time_aims(machine: Machine, count: int) -> None:
    """Print how soon aims are in force everywhere."""
    print("| aims: record, services x workers | changes | p50 s | p99 s | most s |")
    print("|---|---|---|---|---|")
    body = machine.body
    with fleets(machine) as found, ThreadPoolExecutor(8) as pool:
        for _, name, services, clients in found:
            times = []
            for number in range(count):
                costs = {"prevalence": 0.1, "false_positive": 1, "false_negative": 1 + number % 9}
                service = services[number % len(services)]

                def put(service: RealService = service, costs: Any = costs) -> Any:
                    begun = time.perf_counter()
                    answer = service.ask("PUT", "/v1/conditions", json={"question": costs})
                    assert answer.status_code == 200, answer.text
                    aim = answer.json()["current"]["id"]
                    return begun, lambda document: document["aim"]["id"] == aim

                times.append(time_following(clients, pool, body, put))
            show_times(name, times)
    print()


def time_exports(machine: Machine, count: int) -> None:
    """Print how soon exports are in force everywhere."""
    print("| exports: record, services x workers | changes | p50 s | p99 s | most s |")
    print("|---|---|---|---|---|")
    body = machine.body
    with fleets(machine) as found, ThreadPoolExecutor(8) as pool:
        for place, name, _, clients in found:

            def export(library: ClassifierLibrary = place.library) -> Any:
                version = library.export().version
                return time.perf_counter(), lambda answer: answer["model"]["version"] == version

            show_times(name, [time_following(clients, pool, body, export) for _ in range(count)])
    print()


def count_statements(machine: Machine, seconds: int) -> None:
    """Print how many transactions the database sees with few decisions and with many."""
    place = machine.make("PostgreSQL")

    def transactions() -> int:
        time.sleep(2)  # sessions report what they did about once a second
        query = "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'rocch'"
        return int(machine.server.execute(query, database="postgres")[0][0])

    with running(place.at, "--workers", "2") as service:
        rates, decided = [], 0
        for many in (False, True):
            before, begun = transactions(), time.monotonic()
            if many:
                while decided < 10_000:
                    decided += machine.load([service], seconds)
            else:  # so few that they only keep the workers' news new
                for _ in range(10 * seconds):
                    headers = {"Authorization": f"Bearer {service.tokens['caller']}"}
                    httpx.post(
                        f"{service.told['url']}/v1/decide",
                        content=machine.body,
                        headers={**headers, "Content-Type": "application/json"},
                    )
                    time.sleep(0.1)
            rates.append((transactions() - before) / (time.monotonic() - begun))
    few, many_ = rates
    print("| transactions/s, 10 decisions/s | transactions/s, full load | decisions |")
    print("|---|---|---|")
    print(f"| {few:.1f} | {many_:.1f} | {decided:,} |\n", flush=True)


def main() -> None:
    """Print the figures as tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--changes", type=int, default=100)
    options = parser.parse_args()
    server = PostgresServer()
    with TemporaryDirectory(prefix="rocch-benchmark-") as folder:
        try:
            server.start()
            machine = Machine(Path(folder), server)
            todo: dict[str, Callable[[], None]] = {
                "workers": lambda: compare_workers(machine, options.seconds, options.rounds),
                "aims": lambda: time_aims(machine, options.changes),
                "exports": lambda: time_exports(machine, max(1, options.changes // 5)),
                "statements": lambda: count_statements(machine, options.seconds),
            }
            for part in options.parts.split(","):
                todo[part]()
        finally:
            server.close()


if __name__ == "__main__":
    main()
