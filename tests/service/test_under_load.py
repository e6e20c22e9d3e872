"""Re-aiming and new exports while requests pour in: none fails, and none mixes two versions.

`tests/soak/` does the same for a minute, with a load generator.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import rocch
from real_service import RealService, make_library, running
from serving import judged

EXPORTS = 3
SCORES = judged(9, 100)[0][["gbm", "nb"]]
for late in range(3, EXPORTS + 1):
    SCORES[f"m{late}"] = SCORES["gbm"] + 0.1 * late
BODY = {"scores": SCORES.to_dict("list")}


def test_no_answer_fails_or_mixes_versions(tmp_path: Path) -> None:
    library, stop = make_library(tmp_path / "models"), Event()
    with running(tmp_path / "models", "--max-fpr", "0.3") as service, ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(keep_asking, service, stop) for _ in range(2)]
        aiming = pool.submit(keep_aiming, service, stop)
        try:
            for version in range(2, EXPORTS + 1):
                extend(library, version)
                while service.ask("GET", "/v1/health").json()["library_version"] < version:
                    assert service.process.poll() is None
        finally:
            stop.set()
        answers = [answer for some in asked for answer in some.result()]
        assert aiming.result() > 1
    rules = {(export.version, export.sha256): load(export) for export in library.exports()}
    for answer in answers:
        model = rules[answer["library"]["version"], answer["library"]["sha256"]]
        check(answer, model)
    versions = [answer["library"]["version"] for answer in asked[0].result()]
    assert versions == sorted(versions)
    assert {1, EXPORTS} <= set(versions)


def keep_asking(service: RealService, stop: Event) -> list[Any]:
    answers = []
    while not stop.is_set():
        answer = service.ask("POST", "/v1/decide", "caller", json=BODY)
        assert answer.status_code == 200, answer.text
        answers.append(answer.json())
    return answers


def keep_aiming(service: RealService, stop: Event) -> int:
    turns = 0
    while not stop.is_set():
        turns += 1
        aim = {"criterion": {"knob": turns % 10 / 10}, "note": str(turns)}
        answer = service.ask("PUT", "/v1/conditions", json=aim)
        assert answer.status_code == 200, answer.text
    return turns


def extend(library: rocch.ClassifierLibrary, version: int) -> None:
    """Add a classifier that is better than all before it, and export."""
    scores, y = judged()
    better = {f"m{version}": scores["gbm"] + 0.05 * version * y}
    library.add_scores(y, {"nb": scores["nb"]} if version == 2 else better)
    library.export()


def load(export: Any) -> rocch.RocchClassifier:
    model = rocch.load(export.path, digest=export.sha256)
    assert isinstance(model, rocch.RocchClassifier)
    return model


def check(answer: Any, model: rocch.RocchClassifier) -> None:
    """Check that the rule is one of this export's, and that it made these decisions."""
    rule = rocch.Rule.from_dict(answer["rule"])
    assert set(rule.models) <= set(model.kept_)
    assert rule.decide(SCORES).tolist() == answer["decisions"]
