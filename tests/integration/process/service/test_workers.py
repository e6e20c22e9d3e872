"""Several workers behind one socket, as users run them."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

import rocch
from tests.integration.process.service.test_run import keep_asking
from tests.support.real_service import make_library, running, wait_until
from tests.support.serving import judged

if TYPE_CHECKING:
    from tests.support.real_service import RealService

BODY = {"scores": {"gbm": [0.5, 2.0]}}

if not Path("/proc/self/task").exists():  # pragma: no cover
    pytest.skip("Linux lists the workers", allow_module_level=True)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    make_library(tmp_path / "models").close()
    return tmp_path / "models"


def decide(service: RealService, times: int, client: httpx.Client | None = None) -> None:
    for _ in range(times):
        headers = {"Authorization": f"Bearer {service.tokens['caller']}"}
        answer = (client or service.client).post("/v1/decide", json=BODY, headers=headers)
        assert answer.status_code == 200, answer.text


def metric(service: RealService, name: str) -> float:
    """Return one number of `/metrics`."""
    headers = {"Authorization": f"Bearer {service.tokens['viewer']}"}
    text = httpx.get(service.told["url"] + "/metrics", headers=headers, timeout=60).text
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert found, text
    return float(found[1])


def test_counters_of_all_workers_add_up_and_outlive_one(models: Path) -> None:
    with running(models, "--workers", "2") as service:
        assert service.told["workers"] == 2
        first = service.workers()
        assert len(first) == 2
        clients = [httpx.Client(base_url=service.told["url"], timeout=60) for _ in range(6)]
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda client: decide(service, 5, client), clients))
        assert metric(service, "rocch_workers") == 2
        assert metric(service, "rocch_rows_total") == 60
        assert metric(service, "rocch_decide_seconds_count") == 30
        route = 'rocch_requests_total{route="/v1/decide",status="200"}'
        assert metric(service, route) == 30
        os.kill(first[0], signal.SIGKILL)
        wait_until(lambda: len(set(service.workers()) - set(first)) == 1)
        for client in clients:
            client.close()
        with httpx.Client(base_url=service.told["url"], timeout=60) as client:
            decide(service, 5, client)
        assert metric(service, "rocch_rows_total") == 70
        status, said = service.stop()
    assert status == 0
    assert re.fullmatch(
        r"ERROR: worker [01] is started again in 0 s: it ended by signal 9 \(Killed\)\n", said
    )


def test_nobody_is_cut_off_and_all_learn_that_it_ends(models: Path) -> None:
    under_way = threading.Barrier(10)
    with running(models, "--workers", "2") as service, ThreadPoolExecutor(9) as pool:
        workers = service.workers()
        clients = [pool.submit(keep_asking, service, under_way) for _ in range(8)]
        probing = pool.submit(keep_probing, service, under_way)
        under_way.wait()
        assert service.stop() == (0, "")
        for client in clients:
            client.result()
        statuses = probing.result()
    assert statuses[0] == 200
    assert statuses == sorted(statuses)
    assert set(statuses) <= {200, 503}
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def keep_probing(service: RealService, under_way: threading.Barrier) -> list[int]:
    """Ask whether it is ready until nobody is there; return the statuses."""
    statuses: list[int] = []
    with (
        httpx.Client(base_url=service.told["url"], timeout=60) as client,
        suppress(httpx.HTTPError),
    ):
        while True:
            statuses.append(client.get("/v1/ready").status_code)
            if len(statuses) == 1:
                under_way.wait()
    return statuses


def holds(pid: int, file: Path) -> bool:
    """Whether a process has a file open."""
    folder = Path(f"/proc/{pid}/fd")
    return any(os.readlink(each) == str(file) for each in folder.iterdir() if each.is_symlink())


def test_a_hangup_reaches_all_and_an_interrupt_ends_all(models: Path, tmp_path: Path) -> None:
    audit, old = tmp_path / "audit.jsonl", tmp_path / "old.jsonl"
    with running(models, "--workers", "2", "--audit", str(audit)) as service:
        workers = service.workers()
        decide(service, 3)
        assert all(holds(pid, audit) for pid in workers)
        assert not holds(service.process.pid, audit)
        audit.rename(old)
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: all(holds(pid, audit) for pid in workers))
        assert not any(holds(pid, old) for pid in workers)
        decide(service, 2)
        assert service.workers() == workers
        status, said = service.stop(signal.SIGINT)
        assert (status, said.strip()) == (130, "rocch: interrupted")
    assert len(old.read_text().splitlines()) == 3
    assert len([json.loads(line) for line in audit.read_text().splitlines()]) == 2


ONCE = """
import multiprocessing

from tests.support.columns import ColumnScores

if multiprocessing.parent_process() is not None:
    raise ImportError("there is no license for a second process")


class Licensed(ColumnScores):
    pass
"""


def test_a_worker_that_cannot_start_fails_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert multiprocessing.parent_process() is None
    (tmp_path / "licensed.py").write_text(ONCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    import licensed  # type: ignore[import-not-found] # written just now

    scores, y = judged()
    model = rocch.RocchClassifier([("mine", licensed.Licensed(0))]).fit(scores, y)
    rocch.save(model, tmp_path / "m.rocch", trusted=["licensed.Licensed"])
    options = (tmp_path / "m.rocch", "--trust", "licensed.Licensed")
    with running(*options) as service:
        assert service.stop() == (0, "")
    with (
        pytest.raises(AssertionError, match="there is no license") as refused,
        running(*options, "--workers", "2"),
    ):
        pass
    assert str(refused.value).startswith("rocch: ")
    assert len(str(refused.value).splitlines()) == 1
