"""Limits on connections that uvicorn has no settings for, and refusals in the usual form.

Without limits anybody who reaches the port, token or not, could hold connections open by sending
nothing, or fill the memory with a header that never ends. What is no HTTP never reaches the
application, so its refusal is written here, in the same form as all others.

Every client can read its response: a connection that is closed while its client still sends
would be reset, and the response lost. So it is closed for writing only, and what comes is thrown
away for a while. When the service ends, requests that are on their way on open connections are
served. A response that its client does not read is not kept forever either: the connection is
dropped.
"""

from __future__ import annotations

import sys
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from httptools import HttpParserCallbackError
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rocch.service.errors import RETRY, ServiceError
from rocch.service.security import CLOSE, PROBES, headers_for

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from starlette.types import Receive, Scope, Send

# How long a connection stays open for further requests once the service ends, in seconds.
SECONDS_FOR_LAST_REQUEST = 0.5


class LimitedProtocol(HttpToolsProtocol):
    """A connection that is closed when the head of a request is too long or too late.

    Attributes
    ----------
    most_bytes, head_seconds
        The most bytes of a request line with its headers, and how long they may take to arrive.
    rest_seconds
        How long a client may go on sending what nobody reads, before its connection is reset.
    write_seconds
        How long a client may take to read a response, before its connection is dropped.
    """

    most_bytes = 64 * 1024
    head_seconds = 10.0
    rest_seconds = 30.0
    write_seconds = 30.0
    # Whether the last request was read to its end, or none has begun.
    _is_whole = True
    # Whether nothing is written any more, though what still comes is read.
    _is_half_closed = False
    # Whether the service ends, so that no further request is wanted.
    _is_ending = False
    # Bytes of a head that has not come to its end, and of its lines that have.
    _unparsed = _parsed = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, but not forever."""
        super().connection_made(transport)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._socket = transport
        self.transport = _Transport(transport, self)  # type: ignore[assignment] # in its place
        self._served_app, self.app = self.app, self._serve_or_refuse
        # uvicorn would refuse as plain text, and a service with many connections is not a dead one
        self._most_connections, self.limit_concurrency = self.limit_concurrency, None
        self._await_head()
        if self._is_crowded:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        for name in list(self._timers):
            self._stop(name)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the client has read what is written, but not forever."""
        super().pause_writing()
        self._start("write", self.write_seconds, self._socket.abort)

    def resume_writing(self) -> None:
        """Write on."""
        super().resume_writing()
        if not self._socket.is_closing():
            self._stop("write")

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has become too long."""
        if self.transport.is_closing():
            return  # nobody waits for this
        head = self._timers.get("head")
        super().data_received(data)
        if head is not None and self._timers.get("head") is head:  # the same one, and it goes on
            self._unparsed += len(data)
            if self._unparsed > self.most_bytes and not self.transport.is_closing():
                self._refuse(self._too_long)

    def on_message_begin(self) -> None:
        """Wait for a further request's head; between requests uvicorn waits by itself."""
        super().on_message_begin()
        self._parsed, self._is_whole = 0, False
        self._await_head()

    def on_url(self, url: bytes) -> None:
        """Take the address, unless it is too long."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, unless there are too many or too long ones."""
        self._count(len(name) + len(value) + 4)  # a colon, a blank and the end of the line
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Wait no more: the head is there."""
        self._stop("head")
        super().on_headers_complete()
        if self._is_ending:
            self.cycle.keep_alive = False

    def on_message_complete(self) -> None:
        """Note that nothing of this request is left to read."""
        self._is_whole = True
        super().on_message_complete()
        if self._stop("rest") and self.cycle.response_complete:  # as uvicorn does after a response
            self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self._end)

    def on_response_complete(self) -> None:
        """Read the rest of a request whose response came before its end, but not forever."""
        super().on_response_complete()
        if self.cycle.response_complete and not self._is_whole:
            self._start("rest", self.rest_seconds, self._end)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; uvicorn calls this while it handles the parser's error."""
        error = sys.exc_info()[1]
        reason = msg if error is None else str(error)
        if isinstance(error, HttpParserCallbackError):
            if isinstance(error.__context__, ServiceError):
                self._refuse(error.__context__)
                return
            reason = "its address cannot be read"
        message = f"the request must be HTTP/1.1; it is not: {reason.rstrip('.')}. Send another."
        self._refuse(_refusal(400, "bad_request", message))

    def shutdown(self) -> None:
        """Serve what is under way, or arrives at once, and nothing more."""
        self._is_ending = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False
        else:
            self.loop.call_later(SECONDS_FOR_LAST_REQUEST, self._end_if_idle)

    def close(self) -> None:
        """Close the connection, for writing only as long as its client goes on sending."""
        if self._is_whole or self.transport.is_closing():
            self._end()
            return
        self._stop("head")
        self._is_half_closed = True
        self._socket.write_eof()
        self.flow.resume_reading()
        self._start("rest", self.rest_seconds, self._end)

    def is_closing(self) -> bool:
        """Whether nothing is to be written any more."""
        return self._is_half_closed or self._socket.is_closing()

    @property
    def _is_crowded(self) -> bool:
        most = self._most_connections
        return most is not None and len(self.connections) >= most

    def _make_room(self) -> None:
        """Drop a connection that has its response and is kept only because its client sends on."""
        kept = (other for other in self.connections if isinstance(other, LimitedProtocol))
        other = next((each for each in kept if "rest" in each._timers), None)
        if other is not None:
            other._socket.abort()

    async def _serve_or_refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        app: Any = self._served_app
        if self._is_crowded and scope["path"] not in PROBES:
            message = "there are too many connections already. Try again."
            app = _refusal(503, "unavailable", message, **RETRY).to_response()
        await app(scope, receive, send)

    def _count(self, size: int) -> None:
        self._parsed += size
        if self._parsed > self.most_bytes:
            raise self._too_long  # out of the parser, which then stops

    @property
    def _too_long(self) -> ServiceError:
        return _refusal(
            400,
            "bad_request",
            f"the request line and the headers must have at most {self.most_bytes} bytes; they "
            "have more. Send what is long in the body.",
        )

    def _refuse(self, refused: ServiceError) -> None:
        response = refused.to_response()
        lines = [b"HTTP/1.1 %d %s" % (refused.status, HTTPStatus(refused.status).phrase.encode())]
        lines += [name + b": " + value for name, value in response.raw_headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(response.body)]))
        self._is_whole = False  # where it would end is not known
        self.transport.close()

    def _end_if_idle(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self._end()

    def _end(self) -> None:
        """Close the connection once what is written has been read, or after a while."""
        self._socket.close()
        self._start("write", self.write_seconds, self._socket.abort)

    def _await_head(self) -> None:
        if "head" not in self._timers:
            self._unparsed = 0
            self._start("head", self.head_seconds, self._end)

    def _start(self, name: str, seconds: float, action: Callable[[], None]) -> None:
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(seconds, action)

    def _stop(self, name: str) -> bool:
        """Stop a timer; return whether it ran."""
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
        return timer is not None


class _Transport:
    """A transport as uvicorn uses it; the protocol decides how it is closed."""

    def __init__(self, transport: asyncio.Transport, protocol: LimitedProtocol) -> None:
        self.write, self.get_extra_info = transport.write, transport.get_extra_info
        self.close, self.is_closing = protocol.close, protocol.is_closing


def _refusal(status: int, code: str, message: str, **headers: str) -> ServiceError:
    headers = {**headers_for("/v1/"), **CLOSE, **headers}
    return ServiceError(status, code, message, headers=headers)
