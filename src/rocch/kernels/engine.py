"""The choice between a kernel in NumPy and the same functions compiled by Numba."""

from __future__ import annotations

from types import ModuleType


def engine_for(kernel: ModuleType, work: int) -> ModuleType:
    """Return the module that runs a kernel's functions: the kernel, or compiled code.

    Compiled code is chosen if the `fast` extra is installed and the work is at least the kernel's
    `COMPILED_FROM`; for less it does not pay to load it. Results are identical.
    """
    if work < kernel.COMPILED_FROM:
        return kernel
    try:
        from rocch.kernels import _numba
    except ImportError:
        return kernel
    return _numba
