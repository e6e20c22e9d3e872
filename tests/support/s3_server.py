"""Run moto's S3 on a port of loopback: `python -P tests/support/s3_server.py PORT`.

It takes one request at a time: moto looks whether a key exists and writes it in two steps, where
S3 does both in one.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import run_simple


def serve(port: int) -> None:
    """Serve until the process ends."""
    moto = DomainDispatcherApplication(create_backend_app)
    alone = threading.Lock()

    def one_at_a_time(environment: Any, start_response: Any) -> Any:
        with alone:
            return moto(environment, start_response)

    # threads, because clients keep connections open
    run_simple("127.0.0.1", port, one_at_a_time, threaded=True, request_handler=MotoRequestHandler)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
