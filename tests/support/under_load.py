"""Re-aiming and new exports while requests pour in: none fails, and none mixes two versions."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import pandas as pd

import rocch
from rocch import Question
from rocch.hybrid.save import load_bytes
from tests.support.loads import body_of
from tests.support.real_service import wait_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.real_service import RealService

AIMS: list[dict[str, Any]] = [
    {"question": {"prevalence": 0.1, "false_positive": 1, "false_negative": miss}}
    for miss in (1, 5, 20, 80)
] + [{"question": {"max_fpr": 0.05}}, {"question": {"knob": 0.4}}]
CALLERS = 3
"""So many ask each service, each on a connection of its own."""


def swap_and_reaim(
    library: rocch.library.ClassifierLibrary,
    services: Sequence[RealService],
    *,
    rounds: int,
    seed: int,
) -> tuple[int, int, int]:
    """Export and re-aim while callers ask; return the numbers of answers, exports and aims seen.

    Every answer must be just what the export and the aim that it names say about its rows. Aims are
    put at one service after the other, and all workers of all of them must follow.
    """
    rng, over = np.random.default_rng(seed), Event()
    bodies = [body_of(40, seed=i, rules=rounds) for i in range(5)]
    models: dict[int, Any] = {1: _loaded(library)}
    aims: dict[int | None, dict[str, Any] | None] = {None: None}
    with ThreadPoolExecutor(CALLERS * len(services)) as pool:
        asked = [
            pool.submit(_keep_asking, service, bodies, over)
            for service in services
            for _ in range(CALLERS)
        ]
        try:
            for number in range(rounds):
                _grow(library, rng, number)
                version = library.export().version
                models[version] = _loaded(library)
                aim = AIMS[number % len(AIMS)]
                service = services[number % len(services)]
                told = service.ask("PUT", "/v1/conditions", json=aim)
                assert told.status_code == 200, told.text
                aims[told.json()["current"]["id"]] = aim
                wait_until(partial(_follow, service, version, told.json()["current"]["id"]))
        finally:
            over.set()
        answers = [pair for some in asked for pair in some.result()]
    for body, answer in answers:
        _check(models[answer["model"]["version"]], aims[answer["aim"]["id"]], body, answer)
    exports = {answer["model"]["version"] for _, answer in answers}
    return len(answers), len(exports), len({answer["aim"]["id"] for _, answer in answers})


def _keep_asking(service: RealService, bodies: list[bytes], over: Event) -> list[Any]:
    answers: list[Any] = []
    headers = {"Content-Type": "application/json"}
    headers["Authorization"] = f"Bearer {service.tokens['caller']}"
    with httpx.Client(base_url=service.told["url"], headers=headers, timeout=60) as client:
        while not over.is_set():
            body = bodies[len(answers) % len(bodies)]
            answer = client.post("/v1/decide", content=body)
            assert answer.status_code == 200, answer.text
            answers.append((body, answer.json()))
    # a connection is one worker's, who never goes back
    for seen in (
        [answer["model"]["version"] for _, answer in answers],
        [answer["aim"]["id"] or 0 for _, answer in answers],
    ):
        assert seen == sorted(seen)
    return answers


def _loaded(library: rocch.library.ClassifierLibrary) -> Any:
    export = library.current_export
    assert export is not None
    return load_bytes(library.read_export(export), export.path, digest=export.sha256)


def _follow(service: RealService, version: int, aim: int) -> bool:
    """Whether all workers decide by a version and an aim."""
    workers = service.ask("GET", "/v1/status").json()["workers"]
    return all((each["model_version"], each["aim_id"]) == (version, aim) for each in workers)


def _grow(library: rocch.library.ClassifierLibrary, rng: np.random.Generator, number: int) -> None:
    """Add a labeled point just above the hull, so that every export differs from the last."""
    hull = library.hull
    segment = int(rng.integers(len(hull) - 1))
    judged = hull.totals
    fp = int(hull.false_positives[segment : segment + 2].mean())
    roof = int(np.ceil(hull.tpr_at(fp / judged.negatives) * judged.positives))
    point = rocch.RocCurve.from_counts(
        [fp],
        [min(roof + 1, judged.positives)],
        negatives=judged.negatives,
        positives=judged.positives,
        name=f"rule-{number}",
    )
    library.add(point, allow_different_rows=True)


def _check(model: Any, aim: dict[str, Any] | None, body: bytes, answer: dict[str, Any]) -> None:
    """Compare an answer with what its export says by itself."""
    view = model.default_
    if aim is not None:
        view = model.at(Question.from_dict(aim["question"]))
    assert answer["rule"]["mix"] == json.loads(view.rule.to_json())["mix"]
    frame = pd.DataFrame(json.loads(body)["scores"])
    assert answer["decisions"] == view.rule.decide(frame).tolist()
