"""The choice between NumPy and compiled kernels."""

from __future__ import annotations

from types import ModuleType


def engine_for(kernel: ModuleType, work: int) -> ModuleType:
    """Return the module that runs a kernel: compiled code for work of at least `COMPILED_FROM`.

    Compiled code needs the `fast` extra. Results are identical.
    """
    if work < kernel.COMPILED_FROM:
        return kernel
    try:
        from rocch.kernels import _numba
    except ImportError:
        return kernel
    return _numba
