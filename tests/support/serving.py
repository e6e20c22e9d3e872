"""Services to be tested: small exports of columns and of models, and who asks them."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NoReturn

import httpx
import numpy as np
import pandas as pd
import pytest
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter
from sklearn.frozen import FrozenEstimator

import rocch
from rocch import StorageError
from rocch.hybrid import LabelColumn, ScoreColumn
from rocch.service import Settings, create_app
from rocch.service.policy import Service
from rocch.service.schemas import MOST_NAMES, explain_misfit, parse_body
from rocch.service.security import ROLES, Tokens
from rocch.service.served import ServedModel, own_view
from rocch.service.store import PAUSE
from tests.support.hybrids import as_export

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from fastapi import FastAPI

    from rocch.hybrid.save import Saved
    from rocch.service.store import Store

TOKENS = Tokens(*(f"{role}-token-for-tests" for role in ROLES))
AS = {str(role): {"Authorization": f"Bearer {role}-token-for-tests"} for role in ROLES}


def judged(seed: int = 1, rows: int = 400) -> tuple[pd.DataFrame, Any]:
    """Return scores of two classifiers, labels of a third, and the truth; all win somewhere."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    scores = pd.DataFrame(
        {
            "gbm": rng.normal(size=rows) * (1 - 0.6 * y) + 0.9 * y,
            "nb": rng.normal(size=rows) + 1.6 * y * (rng.random(rows) < 0.75),
            "rules": np.where(y, rng.random(rows) < 0.65, rng.random(rows) < 0.02).astype(int),
        }
    )
    return scores.round(3), y.astype(int)


def of_columns(
    seed: int = 1, *, labels: tuple[Any, Any] = (0, 1), **settings: Any
) -> rocch.RocchClassifier:
    """Return a hybrid whose models live elsewhere."""
    scores, y = judged(seed)
    truth = np.array(labels)[y]
    scores["rules"] = np.array(labels)[scores["rules"]]
    models = [
        ("gbm", FrozenEstimator(ScoreColumn("gbm", labels))),
        ("nb", FrozenEstimator(ScoreColumn("nb", labels))),
        ("rules", FrozenEstimator(LabelColumn("rules", labels))),
    ]
    options = {"stack": False, **settings}
    model = rocch.RocchClassifier(models, pos_label=labels[1], **options).fit(scores, truth)
    return model if model.stack else as_export(model)


def served(model: Saved | None = None, version: int = 7, **more: Any) -> ServedModel:
    """Return a hybrid as it is served."""
    return ServedModel(own_view(model or of_columns()), version, f"{version:064x}", **more)


class OwnLoop:
    """An event loop in a thread of its own: that of the tests may have one, of a browser's."""

    def __init__(self) -> None:
        self._thread, self._runner = ThreadPoolExecutor(1), asyncio.Runner()

    def __enter__(self) -> OwnLoop:
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.submit(self._runner.close).result()
        self._thread.shutdown()

    def run(self, task: Coroutine[Any, Any, Any]) -> Any:
        return self._thread.submit(self._runner.run, task).result()


class Asking:
    """Who asks a service in the same process; each request runs to its end before the next."""

    def __init__(self, service: Service, app: FastAPI, loop: OwnLoop) -> None:
        self.service, self.app, self._loop = service, app, loop
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://localhost"
        )

    def send(self, method: str, path: str, role: str | None = "operator", **more: Any) -> Any:
        headers = {**(AS[role] if role else {}), **more.pop("headers", {})}
        return self.wait(self._client.request(method, path, headers=headers, **more))

    def wait(self, task: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run(task)

    def get(self, path: str, role: str | None = "operator") -> Any:
        return self.send("GET", path, role)

    def post(self, path: str, body: Any, role: str | None = "operator") -> Any:
        return self.send("POST", path, role, json=body)

    def put(self, path: str, body: Any, role: str | None = "operator") -> Any:
        return self.send("PUT", path, role, json=body)

    def decide(self, role: str = "caller", **body: Any) -> Any:
        answer = self.post("/v1/decide", body, role)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, path: str, body: Any, status: int = 422, role: str = "operator") -> Any:
        """Return the error that a body is refused with."""
        content = body if isinstance(body, str | bytes) else json.dumps(body)
        headers = {"Content-Type": "application/json"}
        answer = self.send("POST", path, role, content=content, headers=headers)
        return error_of(answer, status)


def error_of(answer: Any, status: int) -> Any:
    """Return the error of an answer, which must be one."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json()) == {"error"}
    error = answer.json()["error"]
    always, parts = {"code", "message", "argument"}, {"requirement", "got", "hint"}
    assert always <= set(error) <= always | parts
    for part in parts & set(error):
        assert error[part] in error["message"]
    return error


@contextmanager
def asking(
    export: ServedModel | None = None, source: Any = None, **settings: Any
) -> Iterator[Asking]:
    """Run a service in this process, with a record of its own."""
    with TemporaryDirectory(prefix="rocch-service-") as folder, OwnLoop() as loop:
        record = Path(folder, "service.sqlite")
        options = Settings(**settings)
        service = Service(export or served(), record, TOKENS, options, source=source)
        try:
            yield Asking(service, create_app(service), loop)
        finally:
            service.close()


def aim_of(source: str, number: int | None = None) -> dict[str, Any]:
    """Return what responses say about an aim that the record confirms."""
    return {"source": source, "id": number, "unconfirmed_since": None}


def end_pause(store: Store) -> None:
    """Let the time pass in which a record that failed is not tried again."""
    then = store.clock() + PAUSE
    store.clock = lambda: then


class Away:
    """A record that cannot be reached, and how often somebody tried."""

    def __init__(self) -> None:
        self.attempts = 0

    def reading(self) -> NoReturn:
        self.attempts += 1
        raise StorageError("/secret/place: the server does not answer.")

    writing = reading


@contextmanager
def cut_off(store: Store) -> Iterator[Away]:
    """Let a store's record be away for a while."""
    away: Any = Away()
    records = store._reader, store._record
    store._reader = store._record = away
    try:
        yield away
    finally:
        store._reader, store._record = records


class _NoLock:
    def close(self) -> None:
        pass


@contextmanager
def worker(record: Path, export: ServedModel | None = None, **settings: Any) -> Iterator[Asking]:
    """Run one of the services that share a record."""
    with OwnLoop() as loop, pytest.MonkeyPatch.context() as patch:
        patch.setattr("rocch.service.policy.ServiceLock", lambda _folder: _NoLock())
        service = Service(export or served(), record, TOKENS, Settings(**settings))
        try:
            yield Asking(service, create_app(service), loop)
        finally:
            service.close()


def raw_request(path: str) -> dict[str, Any]:
    """Return a caller's POST as ASGI servers hand it over, for bodies that no client would send."""
    headers = {"Host": "localhost", "Content-Type": "application/json", **AS["caller"]}
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    about = {"query_string": b"", "root_path": "", "scheme": "http", "http_version": "1.1"}
    return {"type": "http", "method": "POST", "path": path, "headers": raw, **about}


def parsed(content: bytes, model: Any, most: int = MOST_NAMES) -> Any:
    """Return a body as its model; refuse it as the application does."""
    try:
        return parse_body(content, TypeAdapter(model), most)
    except RequestValidationError as error:
        known = getattr(model, "model_fields", ())
        raise explain_misfit(error.errors()[0], known) from None
