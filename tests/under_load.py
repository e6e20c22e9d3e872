"""What must hold while a service is under load: no request fails, no answer mixes two exports."""

from __future__ import annotations

import json
import random
import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
from loads import Running, bearer, body_of, library_of_columns, running

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

AIMS: list[dict[str, Any]] = [
    {"conditions": {"prevalence": 0.1, "false_positive": 1, "false_negative": miss}}
    for miss in (1, 5, 20, 80)
] + [{"criterion": {"max_fpr": 0.05}}, {"criterion": {"knob": 0.4}}]


@dataclass
class Callers:
    """Threads that ask a service again and again, and what they were told."""

    told: list[Any] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def ask(self, service: Running, bodies: list[bytes]) -> None:
        headers = {**bearer("caller"), "Content-Type": "application/json"}
        with httpx.Client(base_url=service.url, headers=headers, timeout=30) as client:
            place = 0
            while not self.over.is_set():
                body = bodies[place % len(bodies)]
                place += 1
                try:
                    answer = client.post("/v1/decide", content=body)
                except httpx.HTTPError as error:
                    self.failures.append(repr(error))
                    continue
                if answer.status_code == 200:
                    self.told.append((body, answer.json()))
                else:
                    self.failures.append(answer.text)


@contextmanager
def calling(service: Running, bodies: list[bytes], threads: int) -> Iterator[Callers]:
    """Have some threads ask meanwhile."""
    callers = Callers()
    workers = [threading.Thread(target=callers.ask, args=(service, bodies)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    try:
        yield callers
    finally:
        callers.over.set()
        for worker in workers:
            worker.join()


def swap_and_reaim(folder: Path, *, rounds: int, seed: int) -> tuple[int, int, int]:
    """Export and re-aim while callers ask; return the numbers of answers, exports and aims seen.

    Every answer must be just what the export and the aim that it names give on its rows.
    """
    rng = np.random.default_rng(seed)
    library = library_of_columns(folder)
    bodies = [body_of(40, seed=i, rules=rounds) for i in range(5)]
    with running(folder) as service, service.client() as operator:
        with calling(service, bodies, 3) as callers:
            models, aims = {1: _loaded(library)}, {None: None}
            for number in range(rounds):
                _grow(library, rng, number)
                models[library.export().version] = _loaded(library)
                aim = AIMS[number % len(AIMS)]
                said = operator.put("/v1/conditions", json=aim)
                assert said.status_code == 200, said.text
                aims[said.json()["current"]["id"]] = aim
                wait_until(lambda: _version(operator) == max(models))
        assert not callers.failures, callers.failures[0]
        for body, answer in callers.told:
            _check(models[answer["library"]["version"]], aims[answer["aim"]["id"]], body, answer)
    seen = {answer["library"]["version"] for _, answer in callers.told}
    aimed = {answer["aim"]["id"] for _, answer in callers.told}
    return len(callers.told), len(seen), len(aimed)


def _loaded(library: rocch.ClassifierLibrary) -> Any:
    export = library.current_export
    assert export is not None
    return rocch.load(export.path, digest=export.sha256)


def _version(client: httpx.Client) -> int:
    return int(client.get("/v1/health").json()["library_version"])


def _grow(library: rocch.ClassifierLibrary, rng: np.random.Generator, number: int) -> None:
    """Add a labelled point just above the hull, so that every export differs from the last."""
    hull = library.hull
    segment = int(rng.integers(len(hull) - 1))
    judged = hull.judged
    fp = int(hull.false_positives[segment : segment + 2].mean())
    tp = min(
        int(np.ceil(hull.tpr_at(fp / judged.negatives) * judged.positives)) + 1, judged.positives
    )
    point = rocch.RocCurve.from_counts(
        [fp], [tp], negatives=judged.negatives, positives=judged.positives, name=f"rule-{number}"
    )
    library.add(point, different_rows=True)


def _check(model: Any, aim: dict[str, Any] | None, body: bytes, answer: dict[str, Any]) -> None:
    """Compare an answer with what its export says by itself."""
    import pandas as pd

    from rocch.service.aims import Aim

    view = model.default_
    if aim is not None:
        said = Aim.of(aim.get("conditions"), aim.get("criterion"))
        view = model.at(said.criterion())
    rule = view.rule
    assert answer["rule"]["mix"] == json.loads(rule.to_json())["mix"]
    frame = pd.DataFrame(json.loads(body)["scores"])
    assert answer["decisions"] == rule.decide(frame).tolist()


def wait_until(true: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something that another process brings about."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.01)


def feed_and_kill(folder: Path, *, kills: int, seed: int) -> tuple[int, int]:
    """Kill a service under feedback load again and again; return the events told and kept.

    Every event that was acknowledged must be in the record exactly once, with no others than those
    that were sent.
    """
    randomness = random.Random(seed)  # noqa: S311 - moments to kill at
    library_of_columns(folder)
    told: list[str] = []
    sent: list[str] = []
    for round_ in range(kills):
        with running(folder, "--prevalence", "0.3", "--fp-cost", "1", "--fn-cost", "5") as service:
            threads = [
                threading.Thread(target=_feed, args=(service, f"{round_}-{i}", sent, told))
                for i in range(4)
            ]
            for thread in threads:
                thread.start()
            time.sleep(randomness.uniform(0.02, 0.6))
            service.kill()
            for thread in threads:
                thread.join()
    with running(folder) as service, service.client() as client:
        for event in told[-20:]:  # a retry is told so, and nothing is counted twice
            again = client.post("/v1/feedback", json=_event(event))
            assert again.json()["duplicate"] is True
        events = client.get("/v1/status").json()["feedback"]["events"]
    with closing(sqlite3.connect(folder / "service.sqlite")) as record:
        kept = [row[0] for row in record.execute("SELECT event_id FROM feedback")]
    assert len(kept) == len(set(kept)) == events
    assert set(told) <= set(kept) <= set(sent)
    return len(told), len(kept)


def _event(name: str) -> dict[str, Any]:
    rng = np.random.default_rng(sum(name.encode()))
    y = rng.random(5) < 0.3
    scores = {who: (rng.normal(size=5) + y).round(3).tolist() for who in ("gbm", "nb")}
    outcomes = y.astype(int).tolist()
    return {
        "event_id": name,
        "kind": "outcomes",
        "scores": scores,
        "outcomes": outcomes,
        "complete": True,
    }


def _feed(service: Running, name: str, sent: list[str], told: list[str]) -> None:
    """Send feedback until the service is gone."""
    with service.client("caller") as client:
        number = 0
        while True:
            event = f"{name}-{number}"
            number += 1
            sent.append(event)
            try:
                answer = client.post("/v1/feedback", json=_event(event))
            except httpx.HTTPError:
                return
            assert answer.status_code == 200, answer.text
            told.append(event)
