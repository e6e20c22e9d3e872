"""Real disks that are full or may not be written, mounted for a test."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from rocch import StorageError
from rocch.library import ClassifierLibrary
from tests.support import adders
from tests.support.disks import check_readable, same_hull

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def library(tmp_path: Path) -> ClassifierLibrary:
    library = ClassifierLibrary.create(tmp_path / "library")
    for number in range(1, 6):
        adders.add(library, number)
    return library


MOUNTS = 0x00020000
"""CLONE_NEWNS: a thread's own view of what is mounted, which ends with it."""


def with_own_mounts(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test in a thread that mounts for itself alone; only an administrator can.

    Such a thread also has a working directory of its own. If it were the main thread, later tests
    would change the directory for that one only, not for the threads of DuckDB and Polars.
    """

    @functools.wraps(test)
    def run_alone(**fixtures: Any) -> None:
        def body() -> None:
            own_mounts()
            test(**fixtures)

        with ThreadPoolExecutor(1) as thread:
            thread.submit(body).result()

    return run_alone


def own_mounts() -> None:
    system = ctypes.CDLL(None, use_errno=True)
    if not hasattr(system, "unshare"):
        pytest.skip("this system cannot mount for one thread alone")
    if system.unshare(MOUNTS):
        pytest.skip(f"nothing can be mounted here: {os.strerror(ctypes.get_errno())}")
    run("mount", "--make-rprivate", "/")


def mount(tmp_path: Path, *many: tuple[str, ...]) -> Path:
    folder = tmp_path / "mounted"
    folder.mkdir()
    for words in many:
        run("mount", *words, str(folder))
    return folder


def run(program: str, *words: str) -> None:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"there is no {program} here")
    done = subprocess.run([found, *words], capture_output=True, text=True, check=False)  # noqa: S603 - our own words
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")


@with_own_mounts
def test_a_full_disk(tmp_path: Path) -> None:
    disk = mount(tmp_path, ("-t", "tmpfs", "-o", "size=1m", "tmpfs"))
    library = ClassifierLibrary.create(disk / "library")
    added = [1]
    adders.add(library, 1)
    ballast = disk / "ballast"
    refused = 0
    for left in (0, 4, 9, 20, 33, 60, 100, 140):  # kilobytes
        with ballast.open("wb") as file:
            filled = file.write(bytes(shutil.disk_usage(disk).free - left * 1024))
        assert filled
        try:
            while True:
                adders.add(library, added[-1] + 1)
                added.append(added[-1] + 1)
        except StorageError as error:
            assert "full" in str(error) or "No space left" in str(error)  # noqa: PT017 - where it ends is the disk's choice
            refused += 1
        assert same_hull(library, added)
        ballast.unlink()
        assert same_hull(ClassifierLibrary(library.path), added)
        library.compact()
        adders.add(library, added[-1] + 1)
        added.append(added[-1] + 1)
        assert same_hull(library, added)
    assert refused == 8


@with_own_mounts
def test_a_copy_onto_a_full_disk_is_none(tmp_path: Path) -> None:
    disk = mount(tmp_path, ("-t", "tmpfs", "-o", "size=1m", "tmpfs"))
    adders.make_with_record(tmp_path / "library").close()
    ballast, refused = disk / "ballast", 0
    for left in range(0, 400, 20):  # kilobytes
        ballast.write_bytes(bytes(shutil.disk_usage(disk).free - left * 1024))
        try:
            adders.copy(tmp_path / "library", disk / "copy", {})
        except StorageError as error:
            assert "full" in str(error) or "No space left" in str(error)  # noqa: PT017 - as above
            refused += 1
            assert list(disk.iterdir()) == [ballast]
        else:
            assert adders.first_answer_of_copy(disk / "copy") == "whole"
            break
        ballast.unlink()
    assert 5 < refused < 20


def read_only(library: ClassifierLibrary, tmp_path: Path) -> ClassifierLibrary:
    folder = mount(tmp_path, ("--bind", str(library.path)), ("-o", "remount,ro,bind"))
    if os.access(folder, os.W_OK):
        pytest.skip("a read-only mount may be written here")
    return ClassifierLibrary(folder)


@with_own_mounts
def test_a_read_only_folder_is_read(library: ClassifierLibrary, tmp_path: Path) -> None:
    library.export(scores=True)
    library.close()
    check_readable(read_only(library, tmp_path), tmp_path)


@with_own_mounts
def test_a_read_only_folder_with_a_log_is_read(library: ClassifierLibrary, tmp_path: Path) -> None:
    library.export(scores=True)
    assert (library.path / "library.sqlite-wal").stat().st_size  # it is still open
    check_readable(read_only(library, tmp_path), tmp_path)


@with_own_mounts
def test_a_log_without_its_lock_file_cannot_be_read_there(
    library: ClassifierLibrary, tmp_path: Path
) -> None:
    interrupted = shutil.copytree(library.path, tmp_path / "interrupted")  # as after a kill
    (interrupted / "library.sqlite-shm").unlink()
    folder = mount(tmp_path, ("--bind", str(interrupted)), ("-o", "remount,ro,bind"))
    with pytest.raises(StorageError, match="cannot be opened"):
        _ = ClassifierLibrary(folder).hull
    assert same_hull(ClassifierLibrary(interrupted), range(1, 6))


@with_own_mounts
def test_a_library_cannot_be_made_where_nothing_may_be_written(
    library: ClassifierLibrary, tmp_path: Path
) -> None:
    folder = mount(tmp_path, ("--bind", str(library.path)), ("-o", "remount,ro,bind"))
    with pytest.raises(StorageError, match="Read-only file system"):
        ClassifierLibrary.create(folder / "new")
    with pytest.raises(StorageError, match="Read-only file system"):
        library.copy(folder / "copy")
