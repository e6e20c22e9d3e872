"""A network between clients and a server that tests may break, at a moment of their choice."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from tests.support.guarded import SECONDS, free_port

if TYPE_CHECKING:
    from collections.abc import Callable

When: TypeAlias = Literal["before", "after"]


class CuttableProxy:
    """A proxy on loopback, in threads of this process; use it in a `with` block.

    Those threads stand still while other code holds Python's lock, as libpq's blocking functions in
    `psycopg.pq` do; psycopg's own methods do not.

    Parameters
    ----------
    url : str
        The server's address on 127.0.0.1, of any protocol over TCP.

    Attributes
    ----------
    port : int
        Where the proxy listens, on 127.0.0.1.
    cuts : int
        How often `cut_at` found its text.
    """

    def __init__(self, url: str) -> None:
        port = urlsplit(url).port
        assert port is not None
        self.port, self.cuts = free_port(), 0
        self._url, self._server_port = url, port
        self._changing = threading.Lock()
        self._flowing = threading.Event()
        self._listener: socket.socket | None = None
        self._links: list[_Link] = []
        self._threads: list[threading.Thread] = []
        self._cut_at: tuple[bytes, When] | None = None

    @property
    def url(self) -> str:
        """The server's address, by way of the proxy."""
        return self.through(self._url)

    def through(self, url: str) -> str:
        """Return another address of the same server, by way of the proxy."""
        return url.replace(f"127.0.0.1:{self._server_port}", f"127.0.0.1:{self.port}", 1)

    def __enter__(self) -> CuttableProxy:
        self.restore()
        return self

    def __exit__(self, *_: object) -> None:
        self.refuse()
        self.cut()
        self._flowing.set()
        for thread in self._threads:
            thread.join(SECONDS)
            assert not thread.is_alive()

    def restore(self) -> None:
        """Pass on everything again, also what a partition held back."""
        self._flowing.set()
        if self._listener is None:
            self._listener = socket.socket()
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind(("127.0.0.1", self.port))
            self._listener.listen()
            self._start(self._accept, self._listener)

    def refuse(self) -> None:
        """Refuse new connections; those that are open remain."""
        if self._listener is not None:
            _shut(self._listener)
            self._listener.close()
            self._listener = None

    def cut(self) -> int:
        """End all connections on both sides, and return how many; new ones may come."""
        links = self._open_links()
        for link in links:
            link.cut()
        return len(links)

    @property
    def open_connections(self) -> int:
        """How many connections there are."""
        return len(self._open_links())

    def partition(self) -> None:
        """Pass on nothing and end nothing: both sides wait, also those who connect from now on.

        As after a real partition, what was sent arrives when the proxy is restored, unless a side
        has lost patience. TCP's own keepalives are answered, unlike in a real one.
        """
        self._flowing.clear()

    def cut_at(self, text: bytes, when: When) -> None:
        """End the next connection whose client sends a text such as COMMIT, in any case.

        Parameters
        ----------
        text : bytes
            What to look for. It must reach the proxy in one piece, as short messages do.
        when : {"before", "after"}
            Before the server gets the text, or after it has answered and before the client learns
            that. The client sees the same.
        """
        self._cut_at = (text.upper(), when)

    def _open_links(self) -> list[_Link]:
        with self._changing:
            return [link for link in self._links if not link.ended]

    def _start(self, work: Callable[..., None], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:  # closed
                return
            link = _Link(client)
            with self._changing:
                self._links.append(link)
            self._start(self._serve, link)

    def _serve(self, link: _Link) -> None:
        with link.client, link.server:
            self._flowing.wait()
            try:
                link.server.connect(("127.0.0.1", self._server_port))
            except OSError:
                link.cut()
                return
            answers = self._start(self._pass_on, link, link.server, link.client)
            self._pass_on(link, link.client, link.server)
            answers.join()
            link.ended = True

    def _pass_on(self, link: _Link, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                self._flowing.wait()
                if link.loses_answer or self._cuts_before(link, source, data):
                    link.cut()
                    return
                target.sendall(data)
            self._flowing.wait()
            target.shutdown(socket.SHUT_WR)
        except OSError:
            link.cut()

    def _cuts_before(self, link: _Link, source: socket.socket, data: bytes) -> bool:
        with self._changing:
            if source is link.server or not self._cut_at or self._cut_at[0] not in data.upper():
                return False
            when, self._cut_at = self._cut_at[1], None
            self.cuts += 1
            link.loses_answer = when == "after"
            return when == "before"


class _Link:
    """A client's connection and ours to the server."""

    def __init__(self, client: socket.socket) -> None:
        self.client, self.server = client, socket.socket()
        self.ended = False
        self.loses_answer = False

    def cut(self) -> None:
        self.ended = True
        _shut(self.client)
        _shut(self.server)


def _shut(one: socket.socket) -> None:
    """End a socket in a way that wakes the thread that reads from it."""
    with suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
