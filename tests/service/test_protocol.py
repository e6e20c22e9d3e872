"""Connections that send no whole head of a request are closed, and others are answered."""

import asyncio
import socket
from typing import Any

import pytest
import uvicorn

from rocch.service.protocol import LimitedProtocol
from serving import OwnLoop


async def answer(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


class Quick(LimitedProtocol):
    most_bytes = 1000
    seconds = 0.05


def told(*parts: bytes) -> bytes:
    """Send some bytes on one connection, and return all that comes until it is closed."""

    async def run() -> bytes:
        bound = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(answer, http=Quick, lifespan="off", log_level="critical", ws="none")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        reader, writer = await asyncio.open_connection(*bound.getsockname())
        for part in parts:
            writer.write(part)
            await writer.drain()
        said = await reader.read()
        writer.close()
        server.should_exit = True
        await serving
        return said

    with OwnLoop() as loop:
        said: bytes = loop.run(asyncio.wait_for(run(), 60))
    return said


HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"


def test_a_whole_head_is_answered() -> None:
    said = told(HEAD + b"\r\n" + HEAD + b"Connection: close\r\n\r\n")
    assert said.count(b"HTTP/1.1 204") == 2


@pytest.mark.parametrize("part", [b"", b"GET", HEAD, HEAD + b"\r\n" + HEAD])
def test_a_head_that_does_not_end_is_not_waited_for(part: bytes) -> None:
    said = told(part)
    assert said.count(b"HTTP/1.1 204") == part.count(b"\r\n\r\n")


@pytest.mark.parametrize("part", [b"GET /" + b"x" * 3000, HEAD + b"X: " + b"x" * 3000])
def test_a_head_that_is_too_long_is_refused(part: bytes) -> None:
    assert told(part).startswith(b"HTTP/1.1 400")
