"""Where tests make libraries: in folders, or on PostgreSQL with files in a folder or S3."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rocch.database.postgres import DatabaseUrl
from rocch.library import ClassifierLibrary
from rocch.library.objects import OBJECTS, FolderObjects

if TYPE_CHECKING:
    from rocch.database.places import Place
    from rocch.library.objects import Objects
    from tests.support.object_stores import S3Server
    from tests.support.postgres import PostgresServer


@dataclass
class Places:
    """Places for libraries of one kind.

    Attributes
    ----------
    folder
        Of the test's own.
    server
        Where libraries are; None if they are in folders.
    store
        Where their files are; None if those are in folders.
    """

    folder: Path
    server: PostgresServer | None = None
    store: S3Server | None = None

    def new(self, name: str = "library") -> tuple[Place, dict[str, Any]]:
        """Return a new place, and the options that go with it."""
        if self.server is None:
            return self.folder / name, {}
        here = str(self.folder / f"{name} files")
        objects = here if self.store is None else self.store.new_prefix()
        return DatabaseUrl.parse(self.server.new_schema(create=False)), {"objects": objects}

    def create(self, name: str = "library", **options: Any) -> ClassifierLibrary:
        """Make a library at a new place."""
        place, more = self.new(name)
        return ClassifierLibrary.create(place, **more, **options)

    def copy(self, library: ClassifierLibrary, name: str = "copy") -> ClassifierLibrary:
        """Copy a library to a new place."""
        place, more = self.new(name)
        return library.copy(place, **more)


def objects_of(library: ClassifierLibrary) -> Objects:
    """Return a library's files."""
    if isinstance(library.place, Path):  # whatever became of its record
        return FolderObjects(library.place / OBJECTS, unique=False)
    return library._store.list_files()[0]


def files_of(library: ClassifierLibrary) -> list[str]:
    """Return the names of a library's files."""
    return list(objects_of(library).files())


def file_of(library: ClassifierLibrary, name: str) -> Path:
    """Return the path of a file that a library's record names."""
    path = objects_of(library).path(name)
    assert isinstance(path, Path)
    return path


def on_both(
    names: str, cases: list[tuple[Any, ...]], few: list[tuple[Any, ...]]
) -> pytest.MarkDecorator:
    """Parametrize a test over cases: all of them in folders, a few on a server."""
    values = [pytest.param("folder", *case) for case in cases]
    values += [pytest.param("postgres", *case, marks=pytest.mark.postgres) for case in few]
    return pytest.mark.parametrize(f"places, {names}", values, indirect=["places"])


SERVER = pytest.param("postgres", marks=pytest.mark.postgres)
STORE = pytest.param("s3", marks=[pytest.mark.postgres, pytest.mark.stores])


@pytest.fixture(params=["folder", SERVER])
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Places:
    """Return places in folders, and on a server, which plain `pytest` leaves out.

    With indirect parameters, "s3" has the files of libraries on a server in an object store.
    """
    if request.param == "folder":
        return Places(tmp_path)
    server = request.getfixturevalue("postgres")
    if request.param == "postgres":
        return Places(tmp_path, server)
    request.getfixturevalue("s3")
    return Places(tmp_path, server, request.getfixturevalue("s3_server"))
