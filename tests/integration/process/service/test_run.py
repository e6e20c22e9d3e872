"""A service that ends answers what was sent before."""

import asyncio
import http.client
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import rocch
from rocch.service import run
from rocch.service.protocol import LimitedProtocol
from tests.support.real_service import RealService, make_library, running
from tests.support.serving import Asking, OwnLoop, asking


@pytest.fixture
def library(tmp_path: Path) -> Iterator[rocch.library.ClassifierLibrary]:
    with make_library(tmp_path / "models") as made:
        yield made


ASK = b"POST /v1/decide HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"


async def answer(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


async def ended_at_once() -> list[bytes]:
    """Let requests arrive in the very moment in which a service ends; return what it answers."""
    config = uvicorn.Config(
        answer, http=LimitedProtocol, lifespan="off", log_level="critical", ws="none"
    )
    config.load()
    server = run.Server(config, lambda: None)
    server.lifespan = config.lifespan_class(config)
    with run.bind("127.0.0.1", 0) as bound:
        await server.startup([bound])
        old = [socket.create_connection(bound.getsockname(), timeout=60) for _ in range(8)]
        for client in old:  # which know the service and go on asking
            client.sendall(ASK)
            assert b"close" not in await asyncio.to_thread(client.recv, 1000)
        new = [socket.create_connection(bound.getsockname(), timeout=60) for _ in range(8)]
        for client in (*old, *new):  # the loop, which runs here, has seen none of these
            client.sendall(ASK)
        await server.shutdown([bound])
    received = []
    for client in (*old, *new):
        with client, client.makefile("rb") as stream:
            received.append(stream.read())
    return received


def test_what_was_sent_before_the_end_is_answered() -> None:
    with OwnLoop() as loop:
        received = loop.run(asyncio.wait_for(ended_at_once(), 60))
    assert len(received) == 16
    for each in received:
        assert each.startswith(b"HTTP/1.1 204")


async def probed_while_ending(ask: Asking) -> tuple[bytes, bytes]:
    """Ask whether a service is ready before it is told to end, and after; return the answers."""
    config = uvicorn.Config(
        ask.app, http=LimitedProtocol, lifespan="off", log_level="critical", ws="none"
    )
    config.load()
    server = run.Server(config, lambda: None, ask.service)
    server.lifespan = config.lifespan_class(config)
    probe = b"GET /v1/ready HTTP/1.1\r\nHost: x\r\n\r\n"
    with run.bind("127.0.0.1", 0) as bound:
        await server.startup([bound])
        with socket.create_connection(bound.getsockname(), timeout=60) as client:
            client.sendall(probe)
            before = await asyncio.to_thread(client.recv, 1000)
            server.handle_exit(signal.SIGTERM, None)
            client.sendall(probe)
            await server.shutdown([bound])
            with client.makefile("rb") as stream:
                return before, stream.read()


def test_who_probes_learns_that_it_ends() -> None:
    with asking() as ask:
        before, after = ask.wait(asyncio.wait_for(probed_while_ending(ask), 60))
    assert before.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 503" in after
    assert b"connection: close" in after


def keep_asking(service: RealService, under_way: threading.Barrier) -> None:
    """Send requests until one was the last; any other end of the connection raises."""
    connection = http.client.HTTPConnection(service.told["url"].removeprefix("http://"), timeout=60)
    headers = {"Authorization": f"Bearer {service.tokens['caller']}"}
    headers["Content-Type"] = "application/json"
    last = None
    while last != "close":
        connection.request("POST", "/v1/decide", b'{"scores": {"gbm": [0.5]}}', headers)
        answer = connection.getresponse()
        assert answer.status == 200
        answer.read()
        if last is None:
            under_way.wait()
        last = answer.headers.get("connection", "")
    connection.close()


def test_nobody_is_cut_off_when_it_is_told_to_end(
    tmp_path: Path, library: rocch.library.ClassifierLibrary
) -> None:
    library.close()
    under_way = threading.Barrier(9)
    with running(tmp_path / "models") as service, ThreadPoolExecutor(8) as pool:
        clients = [pool.submit(keep_asking, service, under_way) for _ in range(8)]
        under_way.wait()
        assert service.stop() == (0, "")
        for client in clients:
            client.result()
