"""A dump that is restored beside the original changes no file of the original."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocch import InputError, StorageError
from rocch.database.postgres import DatabaseUrl
from rocch.library import ClassifierLibrary
from rocch.library.objects import OWNER, FolderObjects
from rocch.library.store import LibraryStore
from tests.support import adders
from tests.support.places import SERVER, STORE, Places
from tests.support.postgres import programs

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rocch.database.record import Connection
    from tests.support.postgres import PostgresServer


@pytest.fixture
def original(postgres: PostgresServer, tmp_path: Path) -> ClassifierLibrary:
    library = ClassifierLibrary.create(
        postgres.new_schema(create=False), objects=tmp_path / "files"
    )
    library.add(adders.curve(1))
    return library


@pytest.fixture
def restored(original: ClassifierLibrary, postgres: PostgresServer) -> ClassifierLibrary:
    """Restore a dump to a schema of the same name in another database."""
    assert isinstance(original.place, DatabaseUrl)
    schema = original.place.schema
    postgres.execute(f"CREATE DATABASE spare_{schema} OWNER rocch")
    target = postgres.url(database=f"spare_{schema}")
    restore(dump(postgres, schema), target)
    return ClassifierLibrary(f"{target}?schema={schema}")


def dump(postgres: PostgresServer, schema: str) -> bytes:
    return run("pg_dump", f"--schema={schema}", "--dbname", postgres.url())


def restore(text: bytes, target: str) -> None:
    run("psql", "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", target, given=text)


def run(program: str, *arguments: str, given: bytes | None = None) -> bytes:
    folder = programs()
    assert folder is not None
    command = [str(folder / program), *arguments]
    return subprocess.run(command, check=True, input=given, capture_output=True).stdout  # noqa: S603


def copy_files(place: Path, target: Path) -> None:
    """Copy files of a library for another, as the documentation says."""
    shutil.copytree(place, target, ignore=shutil.ignore_patterns(OWNER))


def test_a_restored_library_leaves_the_originals_files_alone(
    original: ClassifierLibrary, restored: ClassifierLibrary
) -> None:
    original.add(adders.curve(2))  # which the dump does not know
    assert restored.hull == adders.batch([1])  # it can be read
    for change in (
        lambda: restored.add(adders.curve(4)),
        lambda: restored.prune(ties=True),
        lambda: restored.export(scores=True),
        restored.compact,
    ):
        with pytest.raises(StorageError, match="restored from a dump"):
            change()
    checked = restored.verify()
    assert "restored from a dump" in str(checked)
    assert checked.cleaned == ()
    assert original.verify().sound
    assert original.hull == adders.batch([1, 2])


def test_it_goes_on_with_files_of_its_own(
    original: ClassifierLibrary, restored: ClassifierLibrary, tmp_path: Path
) -> None:
    with pytest.raises(StorageError, match="is missing"):
        restored.verify(objects=tmp_path / "elsewhere")
    copy_files(tmp_path / "files", tmp_path / "own")
    original.add(adders.curve(2))
    assert restored.verify(objects=tmp_path / "own").sound
    restored.add(adders.curve(4))
    assert restored.hull == adders.batch([1, 4])
    assert original.hull == adders.batch([1, 2])
    for library in (original, restored):
        assert library.verify().sound
        library.close()


def test_it_cannot_take_the_originals_files_by_another_path(
    original: ClassifierLibrary, restored: ClassifierLibrary, tmp_path: Path
) -> None:
    (tmp_path / "mounted").symlink_to(tmp_path)
    with pytest.raises(InputError, match="which belongs to postgresql://"):
        restored.verify(objects=tmp_path / "mounted" / "files")
    original.add(adders.curve(2))
    restored.verify()
    assert original.verify().sound


def test_a_library_whose_files_were_taken_removes_none(
    original: ClassifierLibrary, restored: ClassifierLibrary, tmp_path: Path
) -> None:
    (tmp_path / "files" / OWNER).unlink()  # which nobody should do
    assert restored.verify(objects=tmp_path / "files").sound
    restored.add(adders.curve(4))
    for change in (lambda: original.add(adders.curve(2)), original.compact):
        with pytest.raises(StorageError, match=r"files at .* belong to postgresql://.*/spare_"):
            change()
    assert "belong to postgresql://" in str(original.verify())
    assert restored.verify().sound


def test_a_library_without_a_file_that_says_whose_it_is_names_its_place(
    original: ClassifierLibrary, tmp_path: Path
) -> None:
    (tmp_path / "files" / OWNER).unlink()
    with pytest.raises(StorageError, match=r"has no rocch-owner\.json"):
        original.add(adders.curve(2))
    assert "rocch library verify URL --objects PLACE" in str(original.verify())
    assert original.verify(objects=tmp_path / "files").sound
    original.add(adders.curve(2))
    assert original.verify().sound


def test_a_schema_that_is_restored_in_place_takes_its_files_over(
    original: ClassifierLibrary, postgres: PostgresServer, tmp_path: Path
) -> None:
    assert isinstance(original.place, DatabaseUrl)
    text = dump(postgres, original.place.schema)
    original.close()
    postgres.execute(f"DROP SCHEMA {original.place.schema} CASCADE")
    restore(text, postgres.url())
    with pytest.raises(StorageError, match="whose server was upgraded"):
        original.add(adders.curve(2))
    with pytest.raises(InputError, match="was made anew"):
        original.verify(objects=tmp_path / "files")
    (tmp_path / "files" / OWNER).unlink()
    assert original.verify(objects=tmp_path / "files").sound
    original.add(adders.curve(2))
    assert original.verify().sound


def test_a_copy_of_a_restored_library_owns_its_files(
    restored: ClassifierLibrary, postgres: PostgresServer, tmp_path: Path
) -> None:
    copy = restored.copy(postgres.new_schema(create=False), objects=tmp_path / "copied")
    copy.add(adders.curve(4))
    assert copy.verify().sound


def test_an_empty_library_takes_no_others_files(
    original: ClassifierLibrary, postgres: PostgresServer, tmp_path: Path
) -> None:
    empty = ClassifierLibrary.create(postgres.new_schema(create=False), objects=tmp_path / "empty")
    with pytest.raises(InputError, match="which has files of another"):
        empty.verify(objects=tmp_path / "files")
    assert original.verify().sound


def test_a_library_in_a_folder_has_its_files_there(tmp_path: Path) -> None:
    library = ClassifierLibrary.create(tmp_path / "library")
    with pytest.raises(InputError, match="objects must go with the URL of a database"):
        library.verify(objects=tmp_path)


def test_an_open_library_notices_that_its_files_have_moved(
    original: ClassifierLibrary, restored: ClassifierLibrary, tmp_path: Path
) -> None:
    for library in (restored, open_already := ClassifierLibrary(restored.place)):
        assert library.hull == adders.batch([1])  # it knows the place
    copy_files(tmp_path / "files", tmp_path / "own")
    assert restored.verify(objects=tmp_path / "own").sound
    shutil.rmtree(tmp_path / "files")
    assert open_already.hull.members[0].curve() is not None  # readers look at the new place
    open_already.add(adders.curve(4))
    assert open_already.hull == adders.batch([1, 4])
    assert open_already.verify().sound
    for library in (original, restored, open_already):
        library.close()


@pytest.mark.parametrize("change", ["add", "export"])
def test_what_waits_for_the_lock_writes_where_the_files_are_then(
    original: ClassifierLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    copy_files(tmp_path / "files", tmp_path / "own")
    writing = LibraryStore.writing

    def wait(store: LibraryStore) -> AbstractContextManager[Connection]:
        monkeypatch.setattr(LibraryStore, "writing", writing)
        ClassifierLibrary(original.place).verify(objects=tmp_path / "own")
        assert original.hull == adders.batch([1])  # as another thread may ask meanwhile
        return store.writing()

    monkeypatch.setattr(LibraryStore, "writing", wait)
    if change == "add":
        original.add(adders.curve(2))
    else:
        original.export(scores=True)
    assert original.verify().sound


def test_files_that_move_while_they_are_listed_are_not_swept(
    original: ClassifierLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_files(tmp_path / "files", tmp_path / "own")
    left = f"00/{'0' * 62}-{'0' * 12}"
    for place in ("files", "own"):
        (tmp_path / place / "00").mkdir(exist_ok=True)
        (tmp_path / place / left).touch()
    listed = FolderObjects.files

    def move(objects: FolderObjects) -> dict[str, int]:
        monkeypatch.setattr(FolderObjects, "files", listed)
        found = objects.files()
        ClassifierLibrary(original.place).verify(objects=tmp_path / "own")
        return found

    monkeypatch.setattr(FolderObjects, "files", move)
    assert original.verify().cleaned == ()
    assert original.verify().cleaned == (left,)


def test_a_place_in_a_library_in_a_folder_is_refused(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    folder = ClassifierLibrary.create(tmp_path / "churn")
    for place in ("churn/objects", "churn", "churn/x/y"):
        for url in (str(tmp_path / place), f"file://{tmp_path / place}"):
            with pytest.raises(InputError, match="objects must be outside libraries in folders"):
                folder.copy(postgres.new_schema(create=False), objects=url)
    folder.add(adders.curve(1))
    assert folder.verify().sound
    with pytest.raises(StorageError, match="File name too long"):
        folder.copy(postgres.new_schema(create=False), objects=f"/{'x' * 300}")


@pytest.mark.parametrize("places", [SERVER, STORE], indirect=True)
def test_a_place_belongs_to_one_library_from_the_start(places: Places) -> None:
    place, options = places.new("first")
    first = ClassifierLibrary.create(place, **options)
    schema, others = places.new("other")
    with pytest.raises(InputError, match="which belongs to postgresql://"):
        ClassifierLibrary.create(schema, **options)
    other = ClassifierLibrary.create(schema, **others)
    with pytest.raises(InputError, match="which belongs to postgresql://"):
        other.verify(**options)
    first.add(adders.curve(1))
    other.verify()
    assert first.verify().sound
