"""An end without noise: DuckDB's binding would list on standard error what Python left standing."""

from __future__ import annotations

import atexit
import os
from functools import cache

ERROR_STREAM = 2


@cache
def end_quietly() -> None:
    """Silence standard error once everything is done; to be called before DuckDB is loaded.

    The interpreter does not take apart all objects when it ends, and newer bindings of DuckDB
    print each as leaked. That says nothing to whoever typed a command. What is registered first
    is run last, so that all others can still speak.
    """
    atexit.register(_silence)


def _silence() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, ERROR_STREAM)
    os.close(nowhere)
