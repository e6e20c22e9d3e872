"""Heads of requests within limits, of which uvicorn's fast parser knows none.

Without them anybody who reaches the port, token or not, could hold connections open by sending
nothing, or fill the memory with a header that never ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

MOST_BYTES = 64 * 1024
SECONDS = 10.0


class LimitedProtocol(HttpToolsProtocol):
    """A connection that is closed when the head of a request is too long or too late."""

    most_bytes = MOST_BYTES
    seconds = SECONDS
    _late: asyncio.TimerHandle | None = None
    _head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, but not for ever."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless the head has become too long."""
        super().data_received(data)
        if self._late is not None:
            self._head += len(data)
            if self._head > self.most_bytes and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """Wait for a further request's head; between requests uvicorn waits by itself."""
        super().on_message_begin()
        self._wait()

    def on_headers_complete(self) -> None:
        """Wait no more: the head is there."""
        self._wait_no_more()
        super().on_headers_complete()

    def _wait(self) -> None:
        if self._late is None:
            self._head = 0
            self._late = self.loop.call_later(self.seconds, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
