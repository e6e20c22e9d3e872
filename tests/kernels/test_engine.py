"""The choice between NumPy and compiled code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

import rocch
from rocch.kernels import (
    _numba,
    assignment,
    dominance,
    engine,
    passes,
    refine,
    resampling,
)
from rocch.kernels.engine import COMPILING, LOADING, RUNNING, SAVES_A_SECOND, engine_for
from rocch.kernels.refine import SORT_AT_ONCE

EVERY_KERNEL = [assignment, dominance, passes, resampling]
kernels = pytest.mark.parametrize("kernel", EVERY_KERNEL, ids=lambda each: each.__name__)

# What Numba calls the files of its cache.
FILES = {
    "assignment": "_count_errors-487",
    "dominance": "_search_single-454",
    "passes": "_locate-72",
    "resampling": "_climb-395",
}


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the empty folder of Numba's cache for a process in which nothing runs compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(engine, "_running", set())
    monkeypatch.setattr(engine, "_done", Counter())
    monkeypatch.setattr(engine, "_load", engine._load.__wrapped__)  # without its memory
    return tmp_path


def name_of(kernel: ModuleType) -> str:
    return kernel.__name__.rpartition(".")[2]


def first_compiled(kernel: ModuleType, seconds: float) -> int:
    """Return the least work for which compiled code saves these seconds."""
    return int(np.ceil(SAVES_A_SECOND[name_of(kernel)] * seconds))


def chooses(kernel: ModuleType, seconds: float) -> tuple[ModuleType, ModuleType]:
    """Return what runs work that saves a little less than these seconds, and these seconds."""
    least = first_compiled(kernel, seconds)
    return engine_for(kernel, least - 1), engine_for(kernel, least)


def write_index(kernel: ModuleType, folder: Path, *, age: float) -> Path:
    """Write what Numba leaves behind, `age` seconds older than the source."""
    folder.mkdir(exist_ok=True)
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    index = folder / f"_numba.{FILES[name_of(kernel)]}.{version}.nbi"
    index.touch()
    changed = Path(_numba.__file__).stat().st_mtime - age
    os.utime(index, (changed, changed))
    return index


def cache_folder(folder: Path) -> Path:
    """Return where Numba itself would write."""
    from numba.core.caching import UserProvidedCacheLocator

    locator: Any = UserProvidedCacheLocator
    return folder / str(locator.get_suitable_cache_subpath(_numba.__file__))


@kernels
def test_a_first_call_compiles_only_what_saves_more(kernel: ModuleType) -> None:
    assert chooses(kernel, COMPILING[name_of(kernel)]) == (kernel, _numba)


@kernels
def test_a_first_call_loads_what_an_earlier_process_compiled(
    kernel: ModuleType, empty_cache: Path
) -> None:
    write_index(kernel, cache_folder(empty_cache), age=-1)
    assert chooses(kernel, LOADING) == (kernel, _numba)


@kernels
def test_what_was_compiled_before_the_source_changed_does_not_count(
    kernel: ModuleType, empty_cache: Path
) -> None:
    write_index(kernel, cache_folder(empty_cache), age=1)
    assert chooses(kernel, LOADING) == (kernel, kernel)


def test_another_kernel_in_the_cache_does_not_count(empty_cache: Path) -> None:
    write_index(passes, cache_folder(empty_cache), age=-1)
    write_index(assignment, empty_cache / "kernels_elsewhere", age=-1)
    for kernel in (assignment, dominance, resampling):
        assert chooses(kernel, LOADING) == (kernel, kernel)


@kernels
def test_compiled_code_that_runs_already_runs_smaller_work(kernel: ModuleType) -> None:
    assert engine_for(kernel, first_compiled(kernel, COMPILING[name_of(kernel)])) is _numba
    assert chooses(kernel, RUNNING) == (kernel, _numba)
    others = [each for each in EVERY_KERNEL if each is not kernel]
    assert [engine_for(each, first_compiled(each, RUNNING)) for each in others] == others


@kernels
def test_work_adds_up_over_calls(kernel: ModuleType) -> None:
    each = first_compiled(kernel, COMPILING[name_of(kernel)] / 4)
    engines = [engine_for(kernel, each, each) for _ in range(6)]
    assert engines == [kernel] * 3 + [_numba] * 3


@kernels
def test_work_that_compiled_code_would_not_run_does_not_add_up(kernel: ModuleType) -> None:
    small = first_compiled(kernel, RUNNING) - 1
    for _ in range(3):
        assert engine_for(kernel, small, 10**18) is kernel
    assert chooses(kernel, COMPILING[name_of(kernel)]) == (kernel, _numba)


@pytest.mark.parametrize("models", [1, 4])
def test_hulls_of_many_scores_add_up(models: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    positive = rng.random(2 * SORT_AT_ONCE + 1) < 0.3
    scores = {f"m{i}": rng.normal(size=positive.size) for i in range(models)}
    monkeypatch.setitem(SAVES_A_SECOND, "passes", 8 * positive.size)
    monkeypatch.setitem(COMPILING, "passes", 1.5)  # twelve hulls
    for _ in range(12 // models):
        assert not engine._running
        rocch.RocHull.from_scores(positive, scores)
    assert engine._running


@kernels
def test_the_cache_beside_the_source_counts_without_a_folder_of_its_own(
    kernel: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    source = tmp_path / "_numba.py"
    source.touch()
    monkeypatch.setattr(engine, "COMPILED", source)
    monkeypatch.setattr(engine, "_is_cached", engine._is_cached.__wrapped__)  # without its memory
    assert chooses(kernel, LOADING) == (kernel, kernel)
    index = write_index(kernel, tmp_path / "__pycache__", age=0)
    os.utime(source, (index.stat().st_mtime - 1,) * 2)
    assert chooses(kernel, LOADING) == (kernel, _numba)


@kernels
def test_without_numba_everything_runs_in_numpy(
    kernel: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rocch.kernels._numba", None)
    monkeypatch.delattr("rocch.kernels._numba")
    assert chooses(kernel, COMPILING[name_of(kernel)]) == (kernel, kernel)
    assert chooses(kernel, RUNNING) == (kernel, kernel)


@kernels
def test_numba_that_is_switched_off_runs_nothing(
    kernel: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert chooses(kernel, COMPILING[name_of(kernel)]) == (kernel, kernel)


WITHOUT_A_CACHE = """
import sys
import numpy as np
from numba.core import caching
import rocch
from rocch.kernels.engine import SAVES_A_SECOND

caching.CacheImpl._locator_classes = []  # as if no folder could be written
SAVES_A_SECOND["passes"] = 0
rng = np.random.default_rng(5)
positive = rng.random(600_000) < 0.3
for _ in range(2):
    rocch.RocHull.from_scores(positive, rng.normal(size=positive.size))
assert "numba" in sys.modules
assert "rocch.kernels._numba" not in sys.modules
"""


def test_without_a_folder_for_numbas_cache_everything_runs_in_numpy() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_A_CACHE], check=True)  # noqa: S603 - our own


def test_labels_with_gaps_need_no_code_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SAVES_A_SECOND, "passes", 0)
    rng = np.random.default_rng(5)
    table = rng.random((2 * SORT_AT_ONCE + 1, 2)) < 0.3
    scores = rng.normal(size=len(table)) + table[:, 0]
    first = refine.hull_from_scores(scores, table[:, 0].copy())
    known = set(_numba._count.signatures), set(_numba._take.signatures)
    second = refine.hull_from_scores(scores, table[:, 0])
    assert (set(_numba._count.signatures), set(_numba._take.signatures)) == known
    assert all(map(np.array_equal, first, second))


def test_numba_names_the_files_of_its_cache_as_expected() -> None:
    functions: dict[str, Any] = {
        "passes": _numba._locate,
        "resampling": _numba._climb,
        "dominance": _numba._search,
        "assignment": _numba._count_errors,
    }
    version = f"py{sys.version_info.major}{sys.version_info.minor}"
    for name, function in functions.items():
        index = Path(function._cache._cache_file._index_name)
        assert index.match(f"_numba.{engine.MAIN_FUNCTION[name]}-*.{version}.nbi")


def test_read_only_scores_need_no_code_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba compiles again for every kind of array, which a second call must not wait for."""
    monkeypatch.setitem(SAVES_A_SECOND, "passes", 0)
    rng = np.random.default_rng(5)
    positive = rng.random(2 * SORT_AT_ONCE + 1) < 0.3
    scores = rng.normal(size=positive.size) + positive
    first = refine.hull_from_scores(scores, positive)
    known = set(_numba._count.signatures), set(_numba._take.signatures)
    for array in (scores, positive):
        array.flags.writeable = False
    second = refine.hull_from_scores(scores, positive)
    assert (set(_numba._count.signatures), set(_numba._take.signatures)) == known
    assert all(known)
    assert all(map(np.array_equal, first, second))
