"""New exports take over, or say why they cannot; decisions go on."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sklearn.frozen import FrozenEstimator

import rocch
from rocch import Question
from rocch.service.policy import LOOKS_BETWEEN_TRIALS, Watcher
from tests.support.columns import ColumnScores
from tests.support.serving import Asking, asking, judged, of_columns, served

COLUMNS = judged(9, 50)[0].to_dict("list")


class Library:
    """A library whose current export can be set, or made to fail."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.current: Any = None
        self.looks = 0

    @property
    def current_export(self) -> Any:
        self.looks += 1
        if isinstance(self.current, Exception):
            raise self.current
        return self.current

    def export(self, model: Any, version: int, **more: Any) -> None:
        path = self.folder / f"{version}.rocch"
        digest = rocch.save(model, path, **more)
        self.current = SimpleNamespace(
            version=version, sha256=digest, at="2026-03-02T09:00:00Z", note="", path=path
        )


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def look(ask: Asking, watcher: Watcher) -> None:
    ask.wait(watcher.look())


def test_a_new_export_takes_over(library: Library) -> None:
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        look(ask, watcher)
        assert ask.decide(scores=COLUMNS)["library"]["version"] == 7
        new = of_columns(seed=2)
        library.export(new, 8)
        look(ask, watcher)
        told = ask.decide(scores=COLUMNS)
        assert told["library"] == {"version": 8, "sha256": library.current.sha256}
        assert told["rule"]["words"] == str(new.default_.rule)
        assert "rocch_library_swaps_total 1.0" in ask.get("/metrics").text
        assert "rocch_library_version 8.0" in ask.get("/metrics").text
        look(ask, watcher)
        assert "rocch_library_swaps_total 1.0" in ask.get("/metrics").text


def test_what_was_noticed_survives_an_export_of_the_same(library: Library) -> None:
    rows = judged(9, 300)[0].to_dict("list")
    with asking() as ask:
        ask.decide(scores=rows)
        library.export(of_columns(), 8)
        look(ask, Watcher(ask.service, library))
        assert ask.service.monitor.prevalence(ask.service.served).rows == 300
        library.export(of_columns(seed=2), 9)
        look(ask, Watcher(ask.service, library))
        assert ask.service.monitor.prevalence(ask.service.served).rows == 0


def refused(ask: Asking, watcher: Watcher, said: str) -> None:
    look(ask, watcher)
    pending = ask.service.pending
    assert pending is not None
    assert said in pending.problem
    told = ask.decide(scores=COLUMNS)
    assert told["library"]["version"] == 7
    health = ask.get("/v1/health", None).json()
    assert health["status"] == "degraded"
    assert health["problems"] == [f"export {pending.version}"]
    assert ask.get("/v1/status").json()["library"]["pending"] == pending._asdict()
    assert "rocch_library_pending 1.0" in ask.get("/metrics").text


def test_a_damaged_export_does_not(library: Library) -> None:
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        library.export(of_columns(seed=2), 8)
        library.current.path.write_bytes(b"no zip file")
        refused(ask, watcher, "8.rocch")
        library.current.path = library.folder / "gone.rocch"
        library.current.sha256 = "1" * 64
        refused(ask, watcher, "gone.rocch")


def test_types_that_nobody_vouched_for_do_not(library: Library) -> None:
    scores, y = judged()
    mine = FrozenEstimator(ColumnScores(0).fit(scores, y))
    model = rocch.RocchClassifier([("mine", mine)]).fit(scores, y)
    library.export(model, 8, trusted=["tests.support.columns.ColumnScores"])
    with asking() as ask:
        refused(
            ask,
            Watcher(ask.service, library),
            "start the service with trust in tests.support.columns.ColumnScores",
        )
    with asking(trusted=("tests.support.columns.ColumnScores",)) as ask:
        look(ask, Watcher(ask.service, library))
        assert ask.service.served.version == 8


def test_other_labels_do_not(library: Library) -> None:
    with asking() as ask:
        library.export(of_columns(labels=("good", "poor")), 8)
        refused(ask, Watcher(ask.service, library), "labels")


def test_an_aim_that_cannot_be_met_does_not(library: Library) -> None:
    weak = rocch.RocchClassifier([("rules", of_columns().named_estimators_["rules"])])
    scores, y = judged()
    library.export(weak.fit(scores, y), 8)
    strict = Question(max_fpr=0.4, min_tpr=0.9)
    with asking(question=strict) as ask:
        watcher = Watcher(ask.service, library)
        refused(ask, watcher, "")
        # the operator gives way, so it is tried again, and taken
        ask.put("/v1/conditions", {"question": {"max_fpr": 0.5}})
        look(ask, watcher)
        assert ask.service.served.version == 8
        assert ask.service.pending is None


def test_what_failed_is_not_tried_at_each_look(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    trials: list[int] = []

    def fail(export: Any, _settings: Any) -> None:
        trials.append(export.version)
        raise RuntimeError("no")

    monkeypatch.setattr("rocch.service.policy._load", fail)
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        library.current = SimpleNamespace(version=8, sha256="x")
        for _ in range(LOOKS_BETWEEN_TRIALS - 1):
            look(ask, watcher)
        assert trials == [8]
        look(ask, watcher)
        assert trials == [8, 8]
        library.current = SimpleNamespace(version=9, sha256="x")
        look(ask, watcher)
        assert trials == [8, 8, 9]
        library.current = SimpleNamespace(version=7, sha256="x")  # taken back
        look(ask, watcher)
        assert ask.service.pending is None


def test_a_library_that_cannot_be_read(library: Library) -> None:
    with asking() as ask:
        watcher = Watcher(ask.service, library)
        library.current = rocch.InputError("damaged")
        look(ask, watcher)
        assert ask.get("/v1/health").json()["problems"] == ["the library cannot be read"]
        assert ask.decide(scores=COLUMNS)["library"]["version"] == 7
        library.current = None
        look(ask, watcher)
        assert ask.get("/v1/health").json()["status"] == "ok"


def test_it_is_looked_at_while_the_service_runs(library: Library) -> None:
    import asyncio

    with asking(library=library, watch_seconds=0.001) as ask:

        async def until_seen() -> None:
            async with ask.app.router.lifespan_context(ask.app):
                while library.looks < 3:
                    await asyncio.sleep(0)

        ask.wait(until_seen())
        assert library.looks >= 3


def test_a_request_keeps_the_export_that_it_took() -> None:
    new = served(of_columns(seed=2), 8)
    with asking() as ask:
        old = ask.service.served
        ask.service.take_over(new)
        assert ask.service.served is new
        assert old.version == 7
        assert old.rule_for(Question(knob=0.5)).point is not None
