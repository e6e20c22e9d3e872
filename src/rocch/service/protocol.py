"""Limits on heads of requests, which uvicorn's fast parser lacks, and errors of the usual form.

Without limits anybody who reaches the port, token or not, could hold connections open by sending
nothing, or fill the memory with a header that never ends. What is no HTTP never reaches the
application, so its refusal is written here, in the same form as all others.

Whoever is answered can read the answer: a connection that is closed while its client still sends
would be reset, and the answer lost. So it is closed for writing only, and what comes is thrown away
for a while. When the service ends, requests that are on their way on open connections are answered.
An answer that its client does not take is not kept for ever either: the connection is dropped.
"""

from __future__ import annotations

import sys
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from httptools import HttpParserCallbackError
from uvicorn.protocols.http.flow_control import service_unavailable
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from rocch.service.errors import ServiceError
from rocch.service.security import HEALTH, with_own_headers

if TYPE_CHECKING:
    import asyncio

    from starlette.types import Receive, Scope, Send

MOST_BYTES = 64 * 1024
SECONDS = 10.0
SECONDS_TO_LINGER = 30.0
"""How long a client may go on sending what nobody reads, before its connection is reset."""
SECONDS_TO_TAKE = 30.0
"""How long a client may take to read an answer, before its connection is dropped."""
SECONDS_TO_ASK = 0.5
"""How long a connection that is open for further requests stays so once the service ends."""


class LimitedProtocol(HttpToolsProtocol):
    """A connection that is closed when the head of a request is too long or too late."""

    most_bytes = MOST_BYTES
    seconds = SECONDS
    linger_seconds = SECONDS_TO_LINGER
    take_seconds = SECONDS_TO_TAKE
    _whole = True
    """Whether the last request was read to its end, or none has begun."""
    _last = False
    """Whether the service ends, so that no further request is asked for."""
    _lingers: asyncio.TimerHandle | None = None
    """The end of a connection that is closed for writing."""
    _rest: asyncio.TimerHandle | None = None
    """The end of one whose last request was answered and is still being sent."""
    _untaken: asyncio.TimerHandle | None = None
    """The end of one whose answer its client does not read."""
    _late: asyncio.TimerHandle | None = None
    _unread = 0
    """Bytes of a head that has not come to its end."""
    _read = 0
    """Bytes of its lines that have."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, but not for ever."""
        super().connection_made(transport)
        self._own = transport
        self.transport = _Lingering(transport, self)  # type: ignore[assignment] # it stands in
        self._wait()
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            self._make_room()

    def _make_room(self) -> None:
        """Drop a connection that is answered and kept only because its client goes on sending."""
        kept = (other for other in self.connections if isinstance(other, LimitedProtocol))
        answered = (other for other in kept if other._lingers or other._rest)
        other = next(answered, None)
        if other is not None:
            other._own.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        for timer in (self._lingers, self._rest, self._untaken):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the client has read what is written, but not for ever."""
        super().pause_writing()
        self._drop_later()

    def resume_writing(self) -> None:
        """Write on."""
        super().resume_writing()
        if self._untaken is not None and not self._own.is_closing():
            self._untaken.cancel()
            self._untaken = None

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has become too long."""
        if self.transport.is_closing():
            return  # it lingers: nobody waits for this
        head = self._late
        super().data_received(data)
        if head is not None and self._late is head:  # the same one, and it goes on
            self._unread += len(data)
            if self._unread > self.most_bytes and not self.transport.is_closing():
                self._refuse(self._too_long)

    def on_message_begin(self) -> None:
        """Wait for a further request's head; between requests uvicorn waits by itself."""
        super().on_message_begin()
        self._read, self._whole = 0, False
        self._wait()

    def on_message_complete(self) -> None:
        """Take note that nothing of this request is left to read."""
        self._whole = True
        super().on_message_complete()
        if self._rest is not None:
            self._rest.cancel()
            self._rest = None
            if self.cycle.response_complete:  # as uvicorn does after an answer
                self.timeout_keep_alive_task = self._closed_after(self.timeout_keep_alive)

    def on_response_complete(self) -> None:
        """Read the rest of a request that was answered before its end, but not for ever."""
        super().on_response_complete()
        if self.cycle.response_complete and not self._whole and self._lingers is None:
            self._rest = self._closed_after(self.linger_seconds)

    def on_url(self, url: bytes) -> None:
        """Take note of the address, unless it is too long."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take note of a header, unless there are too many or too long ones."""
        self._count(len(name) + len(value) + 4)  # a colon, a blank and the end of the line
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Wait no more: the head is there."""
        self._wait_no_more()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP; uvicorn calls this while it handles the parser's error."""
        error = sys.exc_info()[1]
        reason = msg if error is None else str(error)
        if isinstance(error, HttpParserCallbackError):
            cause = error.__context__
            if isinstance(cause, ServiceError):
                self._refuse(cause)
                return
            reason = "its address cannot be read"
        self._refuse(_no_http(reason.rstrip(".")))

    def shutdown(self) -> None:
        """Answer what is under way, or arrives at once, and ask for nothing more."""
        self._last = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False
        else:
            self.loop.call_later(SECONDS_TO_ASK, self._close_if_idle)

    def _close_if_idle(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self._end()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        chosen: Any = app
        if app is service_unavailable:  # a service with many connections is not a dead one
            chosen = self.app if cycle.scope["path"] == HEALTH else _busy
        cycle.keep_alive = cycle.keep_alive and not self._last
        super()._start_asgi_task(cycle, chosen)

    def _count(self, size: int) -> None:
        self._read += size
        if self._read > self.most_bytes:
            raise self._too_long  # out of the parser, which then stops

    @property
    def _too_long(self) -> ServiceError:
        return ServiceError(
            400,
            "bad_request",
            f"the request line and the headers must have at most {self.most_bytes} bytes; they "
            "have more. Send what is long in the body.",
        )

    def _refuse(self, refused: ServiceError) -> None:
        answer = refused.answer()
        lines = [b"HTTP/1.1 %d %s" % (refused.status, HTTPStatus(refused.status).phrase.encode())]
        headers = [*with_own_headers(answer.raw_headers, "/v1/"), (b"connection", b"close")]
        lines += [name + b": " + value for name, value in headers]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(answer.body)]))
        self._whole = False  # where it would end is not known
        self.transport.close()

    def close(self) -> None:
        """Close the connection, for writing only as long as its client goes on sending."""
        if self._whole or self.transport.is_closing():
            self._end()
            return
        self._wait_no_more()
        self._own.write_eof()
        self.flow.resume_reading()
        self._lingers = self._closed_after(self.linger_seconds)

    def is_closing(self) -> bool:
        """Say whether nothing is to be written any more."""
        return self._lingers is not None or self._own.is_closing()

    def _closed_after(self, seconds: float) -> asyncio.TimerHandle:
        return self.loop.call_later(seconds, self._end)

    def _end(self) -> None:
        """Close the connection once what is written has been read, or after a while."""
        self._own.close()
        self._drop_later()

    def _drop_later(self) -> None:
        if self._untaken is None:
            self._untaken = self.loop.call_later(self.take_seconds, self._own.abort)

    def _wait(self) -> None:
        if self._late is None:
            self._unread = 0
            self._late = self._closed_after(self.seconds)

    def _wait_no_more(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class _Lingering:
    """A transport as uvicorn uses it, whose end is the protocol's own affair."""

    def __init__(self, transport: asyncio.Transport, protocol: LimitedProtocol) -> None:
        self.write, self.get_extra_info = transport.write, transport.get_extra_info
        self.close, self.is_closing = protocol.close, protocol.is_closing


def _no_http(reason: str) -> ServiceError:
    return ServiceError(
        400,
        "bad_request",
        f"the request must be HTTP/1.1; it is not: {reason}. Send another.",
    )


async def _busy(scope: Scope, receive: Receive, send: Send) -> None:
    """Turn a request away, where there are more connections than may be."""
    refused = ServiceError(
        503,
        "unavailable",
        "there are too many connections already. Try again.",
        headers={"Retry-After": "1", "Connection": "close"},
    )

    async def with_headers(message: Any) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = with_own_headers(message["headers"], scope["path"])
        await send(message)

    await refused.answer()(scope, receive, with_headers)
