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
from rocch.library.objects import open_objects
from tests.support import adders
from tests.support.places import SERVER, STORE, Places
from tests.support.postgres import programs

if TYPE_CHECKING:
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
    folder = programs()
    assert folder is not None
    postgres.execute(f"CREATE DATABASE spare_{schema} OWNER rocch")
    dump = [str(folder / "pg_dump"), f"--schema={schema}", "--dbname", postgres.url()]
    text = subprocess.run(dump, check=True, capture_output=True).stdout  # noqa: S603 - our own
    target = postgres.url(database=f"spare_{schema}")
    restore = [str(folder / "psql"), "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", target]
    subprocess.run(restore, check=True, input=text, capture_output=True)  # noqa: S603
    return ClassifierLibrary(f"{target}?schema={schema}")


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
    shutil.copytree(tmp_path / "files", tmp_path / "own")
    original.add(adders.curve(2))
    assert restored.verify(objects=tmp_path / "own").sound
    restored.add(adders.curve(4))
    assert restored.hull == adders.batch([1, 4])
    assert original.hull == adders.batch([1, 2])
    for library in (original, restored):
        assert library.verify().sound
        library.close()


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
    shutil.copytree(tmp_path / "files", tmp_path / "own")
    assert restored.verify(objects=tmp_path / "own").sound
    for change in (lambda: open_already.add(adders.curve(4)), open_already.verify):
        open_already._store._objects = open_objects(str(tmp_path / "files"))  # as it was
        with pytest.raises(StorageError, match=r"its files have moved\. Try again"):
            change()
        change()
    open_already._store._objects = open_objects(str(tmp_path / "files"))
    shutil.rmtree(tmp_path / "files")
    assert open_already.hull.members[0].curve() is not None  # readers look at the new place
    assert open_already.hull == adders.batch([1, 4])
    assert open_already.verify().sound
    for library in (original, restored, open_already):
        library.close()


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
