"""Who may ask for what, and what every answer says."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from rocch import InfeasibleError, StorageError
from rocch.service import Settings
from rocch.service.errors import LONGEST_MESSAGE, ServiceError
from rocch.service.security import PAGE_POLICY, Guard, host_name
from tests.support.serving import AS, Asking, aim_of, asking, error_of, raw_request

ROUTES = {
    ("POST", "/v1/decide"): {"caller", "operator"},
    ("GET", "/v1/best"): {"viewer", "caller", "operator"},
    ("GET", "/v1/hull"): {"viewer", "operator"},
    ("GET", "/v1/conditions"): {"operator"},
    ("PUT", "/v1/conditions"): {"operator"},
    ("GET", "/v1/decisions"): {"operator"},
    ("POST", "/v1/feedback"): {"caller", "operator"},
    ("GET", "/v1/status"): {"viewer", "operator"},
    ("GET", "/metrics"): {"viewer", "operator"},
}
BODY = {"scores": {"rules": [1]}}
OPEN = ("/v1/health", "/v1/ready", "/openapi.json")


@contextmanager
def ask_at_once(ask: Asking) -> Iterator[httpx.AsyncClient]:
    """Yield a client for several requests at once."""
    client = httpx.AsyncClient(transport=httpx.ASGITransport(ask.app), base_url="http://localhost")
    yield client
    ask.wait(client.aclose())


class Slow:
    """A request to decide whose body begins with blanks, and whose rest comes later."""

    def __init__(self, blanks: bytes, rest: asyncio.Event) -> None:
        self.blanks, self.rest, self.begun = blanks, rest, asyncio.Event()

    async def sent(self, client: httpx.AsyncClient) -> httpx.Response:
        headers = {**AS["caller"], "Content-Type": "application/json"}
        return await client.post("/v1/decide", content=self._body(), headers=headers)

    async def _body(self) -> AsyncIterator[bytes]:
        yield self.blanks
        self.begun.set()
        await self.rest.wait()
        yield json.dumps(BODY).encode()


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    kept: Any = {"audit": tmp_path_factory.mktemp("app") / "audit.jsonl", "audit_to_record": True}
    with asking(allowed_hosts=("localhost", "[::1]"), **kept) as running:
        yield running


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_each_role_may_do_its_part(ask: Asking, method: str, path: str) -> None:
    for role in AS:
        answer = ask.send(method, path, role)
        if role in ROUTES[method, path]:
            assert answer.status_code in (200, 415), answer.text  # bodies are missing here
        else:
            error = error_of(answer, 403)
            assert error["code"] == "forbidden"
            assert role in error["message"]


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    "header",
    [None, "", "Bearer", "Bearer wrong-token-0123456789", "Basic b3BlcmF0b3I=", "operator"],
)
def test_nobody_else_may(ask: Asking, method: str, path: str, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    answer = ask.send(method, path, None, headers=headers)
    error = error_of(answer, 401)
    assert error["code"] == "not_authorized"
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "wrong-token" not in answer.text


def test_every_route_is_guarded(ask: Asking) -> None:
    paths = ask.get("/openapi.json", None).json()["paths"]
    described = {(m.upper(), path) for path, methods in paths.items() for m in methods}
    assert described == {*ROUTES, ("GET", "/v1/health"), ("GET", "/v1/ready")}


@pytest.mark.parametrize("path", ["/v1/health", "/v1/hull", "/nowhere", "/openapi.json", "/page/x"])
def test_headers_are_on_every_answer(ask: Asking, path: str) -> None:
    headers = ask.get(path, None).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers
    if path.startswith("/v1"):
        assert headers["cache-control"] == "no-store"
    if path.startswith("/page"):
        assert headers["content-security-policy"] == PAGE_POLICY


def test_paths_and_methods_that_are_not_there(ask: Asking) -> None:
    assert error_of(ask.get("/v2/decide"), 404)["code"] == "not_found"
    answer = ask.send("DELETE", "/v1/decide")
    assert error_of(answer, 405)["code"] == "not_allowed"
    assert answer.headers["allow"] == "POST"
    for path in ("/docs", "/redoc", "/v1", "/v1/decide/"):
        assert ask.get(path).status_code in (307, 404), path


@pytest.mark.parametrize(
    "path",
    [
        "/page/../settings.py",
        "/page/%2e%2e%2fsettings.py",
        "/page/..%2f..%2f..%2fetc%2fpasswd",
        "/page//etc/passwd",
        "/page/%00",
        "/page/..\\settings.py",
        "/page/index.html%00.js",
    ],
)
def test_no_path_leads_out_of_the_page(ask: Asking, path: str) -> None:
    assert error_of(ask.get(path, None), 404)["code"] == "not_found"


def test_other_hosts_are_refused(ask: Asking) -> None:
    for host in ("evil.example", "localhost.evil.example", "", "localhost:80:80x", "127.0.0.2"):
        answer = ask.send("GET", "/v1/health", None, headers={"Host": host})
        assert error_of(answer, 400)["code"] == "bad_host"
        assert "evil" not in answer.text
    for host in ("localhost", "LOCALHOST:8000", "[::1]:1", "[::1]"):
        assert ask.send("GET", "/v1/health", None, headers={"Host": host}).status_code == 200
    assert host_name("[2001:db8::1]") == "[2001:db8::1]"


def test_allowed_hosts_are_compared_without_case_and_port() -> None:
    with asking(allowed_hosts=("Rocch.Example:8443", "[2001:DB8::1]")) as ask:
        for host in ("rocch.example", "ROCCH.EXAMPLE:80", "[2001:db8::1]:8000"):
            assert ask.send("GET", "/v1/health", None, headers={"Host": host}).status_code == 200


def test_responses_are_counted_by_route_and_status() -> None:
    with asking(allowed_hosts=("localhost",)) as ask:
        ask.get("/v1/hull")
        ask.get("/v1/hull", None)
        for path in ("/nowhere", "/elsewhere"):
            ask.get(path)
        ask.send("GET", "/v1/hull", headers={"Host": "evil.example"})
        lines = ask.get("/metrics").text.splitlines()
    counted = {line.partition("{")[2] for line in lines if line.startswith("rocch_requests_total")}
    assert counted == {
        'route="/v1/hull",status="200"} 1.0',
        'route="/v1/hull",status="401"} 1.0',
        'route="other",status="404"} 2.0',
        'route="other",status="400"} 1.0',
    }


def test_a_host_is_named_once(ask: Asking) -> None:
    for second in ("localhost", "evil.example"):
        hosts = [("Host", "localhost"), ("Host", second)]
        answer = ask.wait(ask._client.request("GET", "/v1/health", headers=hosts))
        error = error_of(answer, 400)
        assert error["code"] == "bad_host"
        assert "must be sent once; it came 2 times" in error["message"]


@pytest.mark.parametrize("headers", [[], [(b"host", b"")]])
def test_a_missing_host_is_called_missing(ask: Asking, headers: list[Any]) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {**raw_request("/v1/health"), "method": "GET", "headers": headers}
    ask.wait(ask.app(scope, None, send))  # type: ignore[arg-type]  # nothing is received
    assert sent[0]["status"] == 400
    assert b"there is none" in sent[1]["body"]


def test_health_and_best(ask: Asking) -> None:
    assert ask.get("/v1/health", None).json() == {
        "status": "ok",
        "model_version": 7,
        "problems": [],
    }
    best = ask.get("/v1/best?max_fpr=0.15&randomize=true", "caller").json()
    assert len(best["point"]["mix"]) == 2
    assert best["aim"] == aim_of("request", None)
    usual = ask.get("/v1/best", "viewer").json()
    assert usual["aim"] == aim_of("default", None)


def test_it_is_ready_until_it_ends() -> None:
    with asking() as ask:
        assert ask.get("/v1/ready", None).json() == {"ready": True, "model_version": 7}
        ask.service.is_ending = True
        answer = ask.get("/v1/ready", None)
        assert error_of(answer, 503)["code"] == "unavailable"
        assert answer.headers["retry-after"] == "1"
        assert ask.get("/v1/health", None).json()["status"] == "ok"
        ask.decide(scores=BODY["scores"])  # what is on its way is served


@pytest.mark.parametrize(
    ("query", "argument"),
    [
        ("prevalence=0.1", "prevalence"),
        ("prevalence=0.1&prevalence=0.2", "prevalence"),
        ("max_fpr=x", "max_fpr"),
        ("max_fpr=nan", "max_fpr"),
        ("max_fpr=0.1..0.2", "max_fpr"),
        ("fpr=0.1", "fpr"),
        ("randomize=maybe", "randomize"),
        ("knob=2", "knob"),
        ("false_positive=1..0&false_negative=1&prevalence=0.1", "false_positive"),
    ],
)
def test_queries_that_make_no_sense(ask: Asking, query: str, argument: str) -> None:
    error = error_of(ask.get(f"/v1/best?{query}"), 422)
    assert error["argument"] == argument


def test_too_many_requests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(max_requests=2) as ask, ask_at_once(ask) as client:
        refused = asyncio.Event()

        async def wait(*_: Any) -> Any:
            await refused.wait()
            raise ServiceError(503, "timeout", "it took too long")

        monkeypatch.setattr("rocch.service.app._decide", wait)

        async def one() -> Any:
            answer = await client.post("/v1/decide", json=BODY, headers=AS["caller"])
            refused.set()
            return answer

        async def many() -> Any:
            probes = (client.get("/v1/health"), client.get("/v1/ready"))
            return await asyncio.gather(*(one() for _ in "123"), *probes)

        *answers, health, ready = ask.wait(many())
        assert health.status_code == ready.status_code == 200
        errors = [error_of(answer, 503)["code"] for answer in answers]
        assert sorted(errors) == ["timeout", "timeout", "unavailable"]
        busy = answers[errors.index("unavailable")]
        assert "there are 2 requests under way" in busy.text
        assert busy.headers["retry-after"] == "1"
        assert ask.get("/v1/hull").status_code == 200


def test_bodies_that_arrive_slowly_do_not_keep_others_away() -> None:
    with asking(max_requests=2) as ask, ask_at_once(ask) as client:

        async def run() -> Any:
            rest = asyncio.Event()
            slow = [Slow(b"", rest) for _ in range(5)]
            sent = [asyncio.create_task(each.sent(client)) for each in slow]
            for each in slow:
                await each.begun.wait()
            quick = await client.post("/v1/decide", json=BODY, headers=AS["caller"])
            rest.set()
            return quick, await asyncio.gather(*sent)

        quick, slow = ask.wait(asyncio.wait_for(run(), 10))
        assert quick.status_code == 200
        assert [answer.status_code for answer in slow] == [200] * 5


def test_a_body_that_arrives_while_others_are_under_way_is_one_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with asking(max_requests=1) as ask, ask_at_once(ask) as client:
        deciding, end = asyncio.Event(), asyncio.Event()

        async def wait(*_: Any) -> Any:
            deciding.set()
            await end.wait()
            raise ServiceError(503, "timeout", "it took too long")

        monkeypatch.setattr("rocch.service.app._decide", wait)

        async def run() -> Any:
            rest = asyncio.Event()
            slow = Slow(b" ", rest)
            sent = asyncio.create_task(slow.sent(client))
            await slow.begun.wait()
            first = client.post("/v1/decide", json=BODY, headers=AS["caller"])
            other = asyncio.create_task(first)
            await deciding.wait()
            rest.set()
            late = await sent
            end.set()
            return late, await other

        late, other = ask.wait(asyncio.wait_for(run(), 10))
        assert "there are 1 requests under way" in error_of(late, 503)["message"]
        assert error_of(other, 503)["code"] == "timeout"


def test_what_comes_after_a_body_is_passed_on(ask: Asking) -> None:
    received: list[str] = []

    async def app(_scope: Any, receive: Any, _send: Any) -> None:
        received.extend([(await receive())["type"], (await receive())["type"]])

    async def run() -> None:
        messages = iter(({"type": "http.request", "body": b"{}"}, {"type": "http.disconnect"}))

        async def receive() -> Any:
            return next(messages)

        guard = Guard(app, settings=Settings(), responses=ask.service.metrics.requests)
        await guard(raw_request("/v1/decide"), receive, None)  # type: ignore[arg-type] # unused

    ask.wait(run())
    assert received == ["http.request", "http.disconnect"]


def test_large_bodies_that_arrive_are_not_too_many() -> None:
    with asking(max_requests=1, max_body=200_000) as ask, ask_at_once(ask) as client:

        async def run() -> Any:
            rest, never = asyncio.Event(), asyncio.Event()
            first = Slow(b" " * 150_000, rest)
            sent = asyncio.create_task(first.sent(client))
            await first.begun.wait()
            large = await Slow(b" " * 100_000, never).sent(client)
            small = await client.post("/v1/decide", json=BODY, headers=AS["caller"])
            rest.set()
            return large, small, await sent, await Slow(b" " * 150_000, rest).sent(client)

        large, *others = ask.wait(asyncio.wait_for(run(), 10))
        assert "too many large requests" in error_of(large, 503)["message"]
        assert large.headers["connection"] == "close"
        assert [answer.status_code for answer in others] == [200] * 3


def test_what_nobody_expected_is_told_without_details(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("a secret path")

    with asking() as ask:
        monkeypatch.setattr("rocch.service.app.decide", fail)

        async def once() -> Any:
            transport = httpx.ASGITransport(ask.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(
                transport=transport, base_url="http://localhost"
            ) as client:
                body = {"scores": {"nb": [1]}}
                return await client.post("/v1/decide", json=body, headers=AS["caller"])

        answer = ask.wait(once())
        error = error_of(answer, 500)
        assert error["code"] == "unexpected"
        assert "secret" not in answer.text
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_errors_of_the_package_become_answers() -> None:
    assert ServiceError.of(InfeasibleError("no")).code == "infeasible"
    assert ServiceError.of(StorageError("disk full")).status == 503
    long = ServiceError(400, "bad_input", "x" * 5000)
    assert len(long.to_response().body) < LONGEST_MESSAGE + 100


def test_a_caller_who_goes_away_is_no_failure(ask: Asking) -> None:
    async def gone() -> Any:
        return {"type": "http.disconnect"}

    sent: list[Any] = []

    async def listen(message: Any) -> None:
        sent.append(message)

    ask.wait(ask.app(raw_request("/v1/decide"), gone, listen))
    assert sent[0]["status"] == 400


def test_files_of_the_page_are_sent_as_what_they_are(ask: Asking) -> None:
    from rocch.service.app import PageFile

    kept = ask.app.state.page
    ask.app.state.page = {"index.html": PageFile(b"<p>", "text/html; charset=utf-8")}
    answer = ask.get("/", None)
    ask.app.state.page = kept
    assert (answer.status_code, answer.content) == (200, b"<p>")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == PAGE_POLICY


def test_advice_is_for_senders_of_requests(ask: Asking) -> None:
    hull = ask.service.served.hull
    left, right = hull.vertices[1:3]
    fpr, tpr = ((left.fpr + right.fpr) / 2, (left.tpr + right.tpr) / 2)
    limits = {"max_fpr": fpr + 1e-9, "min_tpr": tpr - 1e-9}
    body = {"scores": {"gbm": [1], "nb": [1], "rules": [1]}, "question": limits}
    error = ask.refused("/v1/decide", body)
    assert error["code"] == "infeasible"
    assert 'Send "randomize": true, or relax a limit.' in error["message"]
