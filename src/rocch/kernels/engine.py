"""The choice between NumPy and compiled kernels."""

from __future__ import annotations

import os
import sys
from collections import Counter
from functools import cache
from hashlib import sha1
from pathlib import Path
from types import ModuleType

# The work in which compiled code saves about a second, by kernel: the least gain that was measured,
# since gains depend on the data.
SAVES_A_SECOND = {
    "passes": 100_000_000,  # scores that are counted
    "resampling": 250_000_000,  # walked rows; fewer for small samples
    "dominance": 2**31,  # pairs so far, of which most need not be compared; so NumPy took a second
    "assignment": 100_000_000,  # predictions for three classes; fewer for more
}

# Seconds until compiled code runs where it does already (less would not be gained for certain),
# where an earlier process left it on disk (importing Numba takes 0.2 to 0.4, loading a kernel 0.3),
# and where it has to be compiled. Nothing is loaded in the background: that holds Python's lock and
# would slow down the calls beside it by more than they wait here.
RUNNING, LOADING = 0.002, 0.7
COMPILING = {
    "passes": 4.0,
    "resampling": 2.0,
    "dominance": 1.0,
    "assignment": 1.0,
}

# The compiled function whose file in Numba's cache shows that a kernel is there.
MAIN_FUNCTION = {
    "passes": "_locate",
    "resampling": "_climb",
    "dominance": "_search*",
    "assignment": "_count_errors",
}

COMPILED = Path(__file__).with_name("_numba.py")

# The kernels that run compiled in this process, and the work that NumPy has done for the others.
_running: set[str] = set()
_done: Counter[str] = Counter()


def engine_for(kernel: ModuleType, work: int, own: int = 0) -> ModuleType:
    """Return the module that runs a kernel: compiled code if it saves more time than it costs.

    So the first call is not slower than NumPy's. `own` is the part of the work that this call does
    itself; it adds up over calls until compiled code would have paid off, so that many calls take
    less than twice what would have been best. Compiled code needs the `fast` extra. Results are
    identical.
    """
    name = kernel.__name__.rpartition(".")[2]
    if work < SAVES_A_SECOND[name] * RUNNING:
        return kernel
    if work + _done[name] < SAVES_A_SECOND[name] * _seconds_to_start(name):
        _done[name] += own
        return kernel
    compiled = _load()
    if compiled is None:
        return kernel
    _running.add(name)
    return compiled


@cache
def _load() -> ModuleType | None:
    """Return compiled code; None where Numba is missing, off, or finds no folder for its cache."""
    try:
        from numba import config

        from rocch.kernels import _numba
    except (ImportError, OSError, RuntimeError):
        return None
    return None if getattr(config, "DISABLE_JIT", False) else _numba


def _seconds_to_start(name: str) -> float:
    if name in _running:
        return RUNNING
    return LOADING if _is_cached(name, os.environ.get("NUMBA_CACHE_DIR", "")) else COMPILING[name]


@cache
def _is_cached(name: str, folder: str) -> bool:
    """Whether Numba's cache has a kernel, compiled after the last change of its source.

    Importing Numba to ask it would cost what NumPy takes for millions of scores.
    """
    home = COMPILED.parent
    where = home / "__pycache__"
    if folder:
        digest = sha1(str(home).encode(), usedforsecurity=False).hexdigest()  # as Numba names it
        where = Path(folder) / f"{home.name}_{digest}"
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    indices = where.glob(f"{COMPILED.stem}.{MAIN_FUNCTION[name]}-*.{version}.nbi")
    changed = COMPILED.stat().st_mtime
    return any(index.stat().st_mtime >= changed for index in indices)
