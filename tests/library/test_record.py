"""A record across forks, and what is asked while files are dropped."""

from __future__ import annotations

import sqlite3
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rocch import InputError, NeymanPearson, RocCurve, RocHull, StorageError
from rocch.database import record, sqlite
from rocch.errors import RocchError
from rocch.library import ClassifierLibrary
from tests.support import adders

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.places import Places


@pytest.fixture
def library(places: Places) -> ClassifierLibrary:
    library = places.create()
    library.add(adders.curve(1))
    return library


@pytest.fixture
def in_folder(tmp_path: Path) -> ClassifierLibrary:
    library = ClassifierLibrary.create(tmp_path / "library")
    library.add(adders.curve(1))
    return library


def log(library: ClassifierLibrary) -> Path:
    return library.path / "library.sqlite-wal"


def test_a_connection_is_closed_before_a_fork(in_folder: ClassifierLibrary) -> None:
    assert log(in_folder).exists()
    record._before_fork()
    assert not log(in_folder).exists()  # the last to close a record folds its log into it
    record._after_fork()
    assert in_folder.hull == adders.batch([1])


def test_whoever_forks_in_a_transaction_keeps_it(library: ClassifierLibrary) -> None:
    with library._store.writing():
        record._before_fork()
        record._after_fork()
        assert library._store.record._is_busy()
    assert library.add(adders.curve(2)).hull == adders.batch([1, 2])


def test_a_classifier_driven_out_while_it_is_asked_for(
    library: ClassifierLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, y = RocHull.best, adders.rows()[1]
    first = [True]

    def best(hull: RocHull, *criterion: Any, **options: Any) -> Any:
        if first.pop() if first else False:
            with ClassifierLibrary(library.place) as other:
                other.add(RocCurve.from_scores(y, y, name="perfect"))
        return ask(hull, *criterion, **options)

    monkeypatch.setattr(RocHull, "best", best)
    point = library.best(NeymanPearson(max_fpr=0.1))
    assert (point.fpr, point.tpr) == (0, 1)


def test_a_copy_waits_for_nobody_in_the_end(
    library: ClassifierLibrary, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocch.library import maintenance as upkeep
    from rocch.library.store import used_files

    tries = [0]
    y = adders.rows()[1]

    def dropped(db: Any) -> dict[str, str]:
        """Let another drive everyone out after the record was read, and before its files are."""
        tries[0] += 1
        if tries[0] <= upkeep.TRIES:
            with ClassifierLibrary(library.place) as other:
                other.prune(*(one.name for one in other.classifiers))
                other.add(RocCurve.from_scores(y, y + tries[0], name=f"perfect {tries[0]}"))
        return used_files(db)

    monkeypatch.setattr(upkeep, "used_files", dropped)
    copy = places.copy(library)
    assert tries[0] == upkeep.TRIES + 1
    assert [one.name for one in copy.classifiers] == [f"perfect {upkeep.TRIES}"]
    assert copy.verify().sound
    assert copy.verify().cleaned == ()


def test_a_copy_that_fails_is_no_library_and_can_be_repeated(
    library: ClassifierLibrary, places: Places
) -> None:
    target, options = places.new("copy")

    def fail(*_: object) -> None:
        raise StorageError("the disk is full")

    with pytest.raises(StorageError, match="the disk is full"):
        library.copy(target, beside=fail, **options)
    for use in (
        list,
        len,
        ClassifierLibrary.log,
        ClassifierLibrary.exports,
        ClassifierLibrary.compact,
        ClassifierLibrary.verify,
        lambda copy: copy.verify(**options),
        lambda copy: copy.hull,
        lambda copy: copy.current_export,
        lambda copy: copy.export(scores=True),
        lambda copy: copy.add(adders.curve(3)),
        lambda copy: copy.copy(places.folder / "next"),
    ):
        with pytest.raises(RocchError, match=r"where there is no|was never finished: .* failed"):
            use(ClassifierLibrary(target))
    copy = library.copy(target, **options)
    assert copy.hull == library.hull
    assert copy.verify().sound
    with pytest.raises(InputError, match=r"target must be (an empty folder|a schema without)"):
        library.copy(target, **options)


def test_a_copy_takes_the_place_of_an_empty_folder(
    in_folder: ClassifierLibrary, tmp_path: Path
) -> None:
    (tmp_path / "copy").mkdir()
    copy = in_folder.copy(tmp_path / "copy")
    assert copy.hull == in_folder.hull
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_log_is_turned_on_when_others_let_go(tmp_path: Path) -> None:
    # as of a record that was restored from text, and that another writes to
    path = tmp_path / "library.sqlite"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE anything (name TEXT)")
    other.execute("BEGIN IMMEDIATE")
    asked = threading.Event()
    db = sqlite3.connect(path, isolation_level=None, timeout=0)

    def let_go() -> None:
        asked.wait(10)
        other.execute("ROLLBACK")

    thread = threading.Thread(target=let_go)
    thread.start()
    db.set_trace_callback(lambda _: asked.set())
    sqlite._write_ahead(db, 60)
    thread.join()
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    db.close()
    other.close()
