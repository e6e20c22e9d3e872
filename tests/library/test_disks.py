"""Disks that are full, and folders that may not be written: a clear error, and nothing is lost."""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from rocch import RocCurve, StorageError
from rocch.library import ClassifierLibrary
from tests.support import adders
from tests.support.disks import check_readable, same_hull

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def library(tmp_path: Path) -> ClassifierLibrary:
    library = ClassifierLibrary.create(tmp_path / "library")
    for number in range(1, 6):
        adders.add(library, number)
    return library


def test_no_room_for_the_record(library: ClassifierLibrary) -> None:
    db = library._store.record._connection()
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages}").fetchall()
    added = list(range(1, 6))
    words = "library.sqlite: the disk is full. Make room"
    with pytest.raises(StorageError, match=words):  # noqa: PT012 - which of them fails is open
        for number in range(6, 400):
            library.add(adders.judged(number), note="x" * 1000)
            added.append(number)
    assert library.hull == adders.batch(added)
    library.close()  # the limit was this connection's
    assert library.verify().sound
    library.add(adders.curve(added[-1] + 1))


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.open", "pathlib.Path.replace"])
def test_no_room_for_a_file(
    library: ClassifierLibrary, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    good = RocCurve.from_scores(adders.rows()[1], adders.rows()[1], name="perfect")
    with monkeypatch.context() as patch:
        patch.setattr(step, full)
        with pytest.raises(StorageError, match="No space left on device"):
            library.add(good)
    assert same_hull(library, range(1, 6))
    assert library.verify().cleaned == ()
    assert library.add(good).extends


def test_a_file_that_cannot_be_removed_is_left_for_later(
    library: ClassifierLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    gone = len(library)
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", refuse)
        y = adders.rows()[1]
        added = library.add(RocCurve.from_scores(y, y, name="perfect"))
    assert len(added.driven_out) == gone
    assert len(library.verify().cleaned) >= gone


def test_a_folder_that_may_not_be_written_is_read(
    library: ClassifierLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.export(scores=True)
    library.close()
    can = os.access
    closed = str(library.path)
    monkeypatch.setattr(os, "access", lambda place, mode: str(place) != closed and can(place, mode))
    check_readable(library, tmp_path)
    assert sorted(path.name for path in library.path.iterdir()) == ["library.sqlite", "objects"]


def test_somebody_else_writes_to_a_folder_that_we_may_not(
    library: ClassifierLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.close()
    can = os.access
    ours = {"writable": False}
    monkeypatch.setattr(os, "access", lambda *about: ours["writable"] and can(*about))

    def another_adds() -> None:
        ours["writable"] = True
        with ClassifierLibrary(library.path) as other:
            other.add(adders.curve(7))
        ours["writable"] = False

    with pytest.raises(StorageError, match="changed while it was read"), library._store.reading():
        another_adds()
    assert same_hull(library, [1, 2, 3, 4, 5, 7])


def test_a_folder_that_vanished(library: ClassifierLibrary) -> None:
    library.close()
    shutil.rmtree(library.path)
    with pytest.raises(StorageError, match="No such file"):
        _ = library.hull
    assert not library.path.exists()
