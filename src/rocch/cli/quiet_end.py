"""An end without noise, and without files left behind."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ERROR_STREAM = 2
TERMINATED = 128 + signal.SIGTERM


@cache
def end_quietly() -> None:
    """Silence standard error once everything is done; to be called before DuckDB is loaded.

    The interpreter does not take apart all objects when it ends, and newer bindings of DuckDB
    print each as leaked. That says nothing to whoever typed a command. What is registered first
    is run last, so that all others can still speak.
    """
    atexit.register(_silence)


@contextmanager
def ended_in_order() -> Iterator[None]:
    """Let whoever is asked to end (as schedulers do) first remove what it has put on the disk."""
    is_ended = False

    def end(*_: object) -> None:
        nonlocal is_ended
        is_ended = True
        sys.exit(TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    except KeyboardInterrupt:  # DuckDB reports every signal alike
        if is_ended:
            sys.exit(TERMINATED)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, ERROR_STREAM)
    os.close(nowhere)
