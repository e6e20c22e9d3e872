"""The choice between NumPy and compiled code."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from rocch.kernels import _numba, assignment, dominance, passes, refine, resampling
from rocch.kernels.engine import engine_for


@pytest.mark.parametrize("kernel", [assignment, dominance, passes, refine, resampling])
def test_compiled_code_runs_large_work_where_numba_is_installed(
    kernel: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert engine_for(kernel, kernel.COMPILED_FROM - 1) is kernel
    assert engine_for(kernel, kernel.COMPILED_FROM) is _numba
    monkeypatch.setitem(sys.modules, "rocch.kernels._numba", None)
    monkeypatch.delattr("rocch.kernels._numba")
    assert engine_for(kernel, kernel.COMPILED_FROM) is kernel
