"""The stand-in for the service on a port: the real page, under the service's content policy."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rocch.service.app import page_files
from tests.support.service_stand_in import CALLER, StandIn, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class _Handler(BaseHTTPRequestHandler):
    service: StandIn
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is Python's
        """Say nothing."""

    def do_GET(self) -> None:
        self._any("GET")

    def do_PUT(self) -> None:
        self._any("PUT")

    def _any(self, method: str) -> None:
        if self.service.gone:
            self.close_connection = True
            return
        path = urlsplit(self.path).path
        if path.startswith("/v1/"):
            self._api(method)
        else:
            self._file("index.html" if path == "/" else path.removeprefix("/page/"))

    def _api(self, method: str) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        self.service.asked.append(f"{method} {self.path}")
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        role = self.service.tokens.get(token)
        if token == CALLER:
            status, answer = 403, refusal("forbidden", "not yours")
        elif role is None:
            status, answer = 401, refusal("not_authorized", "the token must be known")
        else:
            status, answer = self.service.answer(method, self.path, role, body)
        self._send(status, "application/json", json.dumps(answer).encode())

    def _file(self, name: str) -> None:
        file = page_files().get(name)
        if file is None:
            self._send(404, "text/plain", b"")
        else:
            self._send(200, file.media_type, file.content)

    def _send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of browsers that hang up."""


@contextmanager
def standing_in(service: StandIn) -> Iterator[StandIn]:
    """Serve a stand-in on a free port of this machine."""
    handler = type("Handler", (_Handler,), {"service": service})
    server = _Server(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    service.address = f"http://127.0.0.1:{server.server_port}/"
    yield service
    server.shutdown()
    server.server_close()
    thread.join()
