"""Connections that send no whole head of a request are closed, and others are answered."""

import asyncio
import json
import socket
from typing import Any

import pytest
import uvicorn

from rocch.service.protocol import LimitedProtocol
from rocch.service.security import headers_for
from tests.support.serving import OwnLoop


async def answer(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


class Quick(LimitedProtocol):
    most_bytes = 1000
    head_seconds = 0.05


class Impatient(Quick):
    rest_seconds = 0.05


def exchange(*parts: bytes, later: bytes = b"", http: Any = Quick, **more: Any) -> bytes:
    """Send some bytes on one connection, and return all that comes until it is closed.

    What is to be sent later is sent after the first answer.
    """

    async def run() -> bytes:
        bound = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            answer, http=http, lifespan="off", log_level="critical", ws="none", **more
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        reader, writer = await asyncio.open_connection(*bound.getsockname())
        for part in parts:
            writer.write(part)
            await writer.drain()
        received = await reader.readuntil(b"\r\n\r\n") if later else b""
        writer.write(later)
        received += await reader.read()
        writer.close()
        server.should_exit = True
        await serving
        return received

    with OwnLoop() as loop:
        received: bytes = loop.run(asyncio.wait_for(run(), 60))
    return received


class Dropping(LimitedProtocol):
    write_seconds = 0.05
    lost: asyncio.Event

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost.set()


HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"
HOOKS = {
    name for name, value in vars(LimitedProtocol).items() if callable(value) and name[0] != "_"
}


def recording(called: set[str]) -> Any:
    """Return a protocol that records which of its own methods are called from outside."""

    def recorded(name: str) -> Any:
        def call(self: Any, *given: Any) -> Any:
            called.add(name)
            return getattr(super(Recording, self), name)(*given)

        return call

    Recording = type("Recording", (LimitedProtocol,), {name: recorded(name) for name in HOOKS})
    return Recording


def test_uvicorn_calls_each_hook() -> None:
    called: set[str] = set()
    large = 20_000_000

    async def respond(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(large)})

    async def run() -> bytes:
        bound = socket.create_server(("127.0.0.1", 0))
        http = recording(called)
        config = uvicorn.Config(respond, http=http, lifespan="off", log_level="critical")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        reader, writer = await asyncio.open_connection(*bound.getsockname())
        writer.write(HEAD + b"\r\n")
        assert b" 200 " in await reader.readuntil(b"\r\n\r\n")
        while "pause_writing" not in called:
            await asyncio.sleep(0)
        read = 0
        while read < large:
            read += len(await reader.read(large))
        writer.write(b"no HTTP\r\n\r\n")
        received = await reader.read()
        writer.close()
        other, idle = await asyncio.open_connection(*bound.getsockname())
        server.should_exit = True
        await serving
        assert await other.read() == b""
        idle.close()
        return received

    assert {"data_received", "on_header", "send_400_response", "shutdown", "close"} < HOOKS
    with OwnLoop() as loop:
        received: bytes = loop.run(asyncio.wait_for(run(), 60))
    assert received.startswith(b"HTTP/1.1 400 ")
    assert called == HOOKS


def test_a_whole_head_is_answered() -> None:
    received = exchange(HEAD + b"\r\n" + HEAD + b"Connection: close\r\n\r\n")
    assert received.count(b"HTTP/1.1 204") == 2


@pytest.mark.parametrize("part", [b"", b"GET", HEAD, HEAD + b"\r\n" + HEAD])
def test_a_head_that_does_not_end_is_not_waited_for(part: bytes) -> None:
    received = exchange(part)
    assert received.count(b"HTTP/1.1 204") == part.count(b"\r\n\r\n")


def refused(*parts: bytes, status: int = 400, **more: Any) -> Any:
    """Return the error of what is sent, which must be in the house's form, with its headers."""
    received, _, body = exchange(*parts, **more).partition(b"\r\n\r\n")
    first, *lines = received.decode().split("\r\n")
    assert first.startswith(f"HTTP/1.1 {status} ")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    assert headers["content-type"] == "application/json"
    assert headers["content-length"] == str(len(body))
    assert headers["connection"] == "close"
    wanted = {name.lower(): value.lower() for name, value in headers_for("/v1/").items()}
    assert wanted.items() <= headers.items()
    return json.loads(body)["error"]


@pytest.mark.parametrize(
    "part",
    [
        b"GET /" + b"x" * 3000,
        b"GET /" + b"x" * 3000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        HEAD + b"X: " + b"x" * 3000,
        HEAD + b"X: " + b"x" * 3000 + b"\r\n\r\n",
        HEAD + b"X: y\r\n" * 300 + b"\r\n",
    ],
)
def test_a_head_that_is_too_long_is_refused(part: bytes) -> None:
    error = refused(part)
    assert error["code"] == "bad_request"
    assert "must have at most 1000 bytes" in error["message"]


def test_a_long_body_before_the_next_head_is_not_counted() -> None:
    post = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n" + b"x" * 3000
    received = exchange(post + b"GET / HT", b"TP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert received.count(b"HTTP/1.1 204") == 2
    assert b"400" not in received


@pytest.mark.parametrize(
    "part",
    [
        b"FETCH / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
        b"GET / HTTP/7\r\nHost: x\r\n\r\n",
        b"GET http:// HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"\x16\x03\x01\x02\x00\x01\x00",  # TLS, to a port that speaks none
    ],
)
def test_what_is_no_http_is_refused_in_the_houses_form(part: bytes) -> None:
    error = refused(part)
    assert error["code"] == "bad_request"
    assert error["message"].startswith("the request must be HTTP/1.1; it is not: ")
    assert error["argument"] is None


def test_chunks_that_are_none() -> None:
    head = b"POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert "chunk" in refused(head + b"zz\r\nabc\r\n")["message"]


def test_too_many_connections() -> None:
    error = refused(HEAD.replace(b"/", b"/v1/hull", 1) + b"\r\n", status=503, limit_concurrency=1)
    assert (error["code"], error["argument"]) == ("unavailable", None)


@pytest.mark.parametrize("path", [b"/v1/health", b"/v1/ready"])
def test_probes_are_answered_among_too_many_connections(path: bytes) -> None:
    request = HEAD.replace(b"/", path, 1) + b"Connection: close\r\n\r\n"
    assert exchange(request, limit_concurrency=1).startswith(b"HTTP/1.1 204")


@pytest.mark.parametrize("end", [b"\r\n", b"Connection: close\r\n\r\n"])
def test_who_is_answered_and_goes_on_sending_makes_room(end: bytes) -> None:
    async def run() -> bytes:
        bound = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            answer, http=LimitedProtocol, lifespan="off", log_level="critical", limit_concurrency=3
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        answered = []
        for _ in range(2):
            reader, writer = await asyncio.open_connection(*bound.getsockname())
            writer.write(LARGE + end + b"x")
            assert b" 204 " in await reader.readuntil(b"\r\n\r\n")
            answered.append(writer)
        reader, writer = await asyncio.open_connection(*bound.getsockname())
        writer.write(HEAD + b"Connection: close\r\n\r\n")
        received = await reader.read()
        for each in (*answered, writer):
            each.close()
        server.should_exit = True
        await serving
        return received

    with OwnLoop() as loop:
        received: bytes = loop.run(asyncio.wait_for(run(), 10))
    assert received.startswith(b"HTTP/1.1 204")


LARGE = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n"


@pytest.mark.parametrize(
    "head", [LARGE + b"Connection: close\r\n\r\n", LARGE.replace(b"1.1", b"1.0") + b"\r\n"]
)
def test_an_answer_that_comes_before_the_end_can_be_read(head: bytes) -> None:
    received = exchange(head, bytes(20_000_000))  # which raises where the connection is reset
    assert received.startswith(b"HTTP/1.1 204")
    assert b"connection: close" in received


def test_a_refusal_of_a_head_can_be_read_too() -> None:
    assert (
        "at most 1000 bytes"
        in refused(HEAD + b"X: ", bytes(20_000_000).replace(b"\0", b"x"))["message"]
    )


@pytest.mark.parametrize("later", [b"x", b"x" * 3000 + HEAD, b"x" * 3000])
def test_the_rest_of_a_request_is_not_waited_for_after_its_answer(later: bytes) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n"
    received = exchange(head, later=later, http=Impatient, timeout_keep_alive=1)
    assert received.count(b"HTTP/1.1 204") == 1


def test_a_further_request_after_one_that_was_answered_early() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3000\r\n\r\n"
    rest = b"x" * 3000 + HEAD + b"Connection: close\r\n\r\n"
    assert exchange(head, later=rest).count(b"HTTP/1.1 204") == 2


@pytest.mark.parametrize("size", [20_000, 20_000_000])
@pytest.mark.parametrize("end", [b"\r\n", b"Connection: close\r\n\r\n"])
def test_an_answer_that_is_not_read_is_not_kept_for_ever(size: int, end: bytes) -> None:
    async def large(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(size)})

    async def run() -> None:
        Dropping.lost = asyncio.Event()
        bound = socket.create_server(("127.0.0.1", 0))
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
        config = uvicorn.Config(
            large, http=Dropping, lifespan="off", log_level="critical", timeout_keep_alive=0
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            await asyncio.to_thread(client.connect, bound.getsockname())
            client.sendall(HEAD + end)
            await Dropping.lost.wait()
        server.should_exit = True
        await serving

    with OwnLoop() as loop:
        loop.run(asyncio.wait_for(run(), 30))
