"""`rocch serve` as users run it."""

import json
import signal
import socket
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid import ScoreColumn
from tests.support.real_service import add_another, make_library, running
from tests.support.serving import judged

COLUMNS = judged(9, 20)[0][["gbm"]].to_dict("list")


def test_it_is_started_used_swapped_and_stopped(tmp_path: Path) -> None:
    library, audit = make_library(tmp_path / "models"), tmp_path / "audit.jsonl"
    aim = (
        "--prevalence",
        "0.1",
        "--false-positive",
        "1",
        "--false-negative",
        "5..10",
        "--seed",
        "3",
    )
    with running(tmp_path / "models", "--audit", str(audit), *aim) as service:
        assert service.told["model_version"] == 1
        kept = Path(service.told["tokens_file"])
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        told = service.ask("POST", "/v1/decide", "caller", json={"scores": COLUMNS})
        assert told.status_code == 200, told.text
        assert told.json()["aim"]["source"] == "command line"
        assert "server" not in told.headers
        wanted = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=(5, 10))
        safest = library.best(rocch.MinimaxRegret(wanted))
        assert told.json()["rule"]["expected"]["fpr"] == safest.fpr
        put = service.ask("PUT", "/v1/conditions", json={"question": {"max_fpr": 0.3}, "by": "Ada"})
        assert put.status_code == 200, put.text
        add_another(library)
        waited = time.monotonic() + 30
        while service.ask("GET", "/v1/health").json()["model_version"] < 2:
            assert time.monotonic() < waited, "the new export was not taken over"
        audit.rename(tmp_path / "old.jsonl")
        service.process.send_signal(signal.SIGHUP)
        while not audit.exists():
            assert time.monotonic() < waited, "the audit record was not opened anew"
        again = service.ask("GET", "/v1/status", "viewer").json()
        assert (again["model"]["version"], again["aim"]["by"]) == (2, "Ada")
        status, said = service.stop(signal.SIGINT)
        assert (status, said.strip()) == (130, "rocch: interrupted")
    assert len((tmp_path / "old.jsonl").read_text().splitlines()) == 1


def saved(path: Path, *names: str) -> None:
    scores, y = judged()
    models = [(name, FrozenEstimator(ScoreColumn(name))) for name in names]
    rocch.save(rocch.RocchClassifier(models).fit(scores[list(names)], y), path)


def test_a_saved_model_is_replaced_without_dropping_a_request(tmp_path: Path) -> None:
    path = tmp_path / "model.rocch"
    saved(path, "gbm")
    ask = {"scores": judged(9, 20)[0][["gbm", "nb"]].to_dict("list")}
    with running(path) as service:
        assert service.told["tokens_file"] == str(tmp_path / "model.rocch.service" / "tokens.json")
        seen, under_way = {1: 0, 2: 0}, threading.Event()

        def keep_asking() -> int:
            """Ask until the second version has answered; return the last one that did."""
            waited, version = time.monotonic() + 60, 1
            while version == 1 and time.monotonic() < waited:
                answer = service.ask("POST", "/v1/decide", "caller", json=ask)
                assert answer.status_code == 200, answer.text
                version = answer.json()["model"]["version"]
                seen[version] += 1
                under_way.set()
            return version

        with ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(keep_asking) for _ in range(4)]
            assert under_way.wait(60)
            saved(path, "gbm", "nb")
            assert [each.result() for each in asking] == [2] * 4
        assert seen[1] > 0
        path.write_bytes(b"no model")
        waited = time.monotonic() + 30
        while service.ask("GET", "/v1/health").json()["status"] == "ok":
            assert time.monotonic() < waited, "the damage was not noticed"
        answer = service.ask("POST", "/v1/decide", "caller", json=ask)
        assert answer.json()["model"]["version"] == 2
        status, said = service.stop()
    assert status == 0
    assert said.startswith("WARNING: the new file is not taken over: ")


def test_names_in_the_log_cannot_steer_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "models\x1b[31m\u202e\nINFO: all is well"
    make_library(folder)
    (folder / "tokens.json").touch()
    with running(folder) as service:
        _, said = service.stop()
    assert len(said.splitlines()) == 1
    assert said.startswith("WARNING: ")
    assert r"models\x1b[31m\u202e\nINFO: all is well/tokens.json is empty" in said


def test_a_body_under_way_is_answered_before_it_ends(tmp_path: Path) -> None:
    make_library(tmp_path / "models")
    body = json.dumps({"scores": COLUMNS}).encode()
    with running(tmp_path / "models") as service:
        host, port = service.told["url"].removeprefix("http://").split(":")
        head = (
            f"POST /v1/decide HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {service.tokens['caller']}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection((host, int(port))) as line:
            line.sendall(head.encode() + body[:10])
            service.ask("GET", "/v1/health")  # by now the first request has been seen
            service.process.send_signal(signal.SIGTERM)
            while listens(host, int(port)):
                pass
            line.sendall(body[10:])
            answered = line.makefile("rb").readline()
        assert answered.startswith(b"HTTP/1.1 200")
        assert service.process.wait(30) == 0
        assert service.said == ""


def listens(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port)).close()
    except OSError:
        return False
    return True


@pytest.fixture
def models(tmp_path: Path) -> Path:
    make_library(tmp_path / "models").close()
    return tmp_path / "models"
