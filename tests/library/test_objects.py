"""Files of a library in folders and object stores."""

from __future__ import annotations

import errno
import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import fsspec
import pytest

from rocch import InputError, StorageError
from rocch.library.objects import (
    OWNER,
    FolderObjects,
    LostFileError,
    Objects,
    Owner,
    StoreObjects,
    open_objects,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = ("shared folder", "local", "memory")
ONE = Owner("7/1/2", "postgresql://db/risk?schema=one")
TWO = Owner("7/1/3", "postgresql://db/risk?schema=two")


@pytest.fixture(params=["folder", *SHARED])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Objects]:
    place = tmp_path / "files"
    match request.param:
        case "folder":
            yield FolderObjects(place, unique=False)
        case "shared folder":
            yield claimed(str(place))
        case "local":
            yield claimed(f"local://{place}")
        case "memory":
            yield claimed(f"memory://{place}")
            fsspec.filesystem("memory").store.clear()


def claimed(place: str) -> Objects:
    """Return the files at a place that a library owns."""
    found = open_objects(place)
    found.claim(ONE)
    return found


@pytest.mark.parametrize("objects", SHARED, indirect=True)
def test_a_place_has_one_owner(objects: Objects) -> None:
    objects.claim(ONE)  # again
    objects.check_owner(ONE)
    with pytest.raises(InputError, match=r"belongs to postgresql://db/risk\?schema=one"):
        objects.claim(TWO)
    with pytest.raises(StorageError, match=r"belong to postgresql://db/risk\?schema=one"):
        objects.check_owner(TWO)
    assert objects.files() == {}


def test_a_place_has_one_owner_by_whatever_path(tmp_path: Path) -> None:
    claimed(str(tmp_path / "files"))
    (tmp_path / "mounted").symlink_to(tmp_path)
    for path in ("files/../files", "mounted/files", "../" + tmp_path.name + "/files"):
        with pytest.raises(InputError, match="schema=one"):
            open_objects(f"{tmp_path}/{path}").claim(TWO)
    open_objects(str(tmp_path / "files")).check_owner(ONE)


def test_a_copied_place_has_another_owner_once_the_first_is_removed(tmp_path: Path) -> None:
    name = claimed(str(tmp_path / "files")).put(b"a curve")
    shutil.copytree(tmp_path / "files", tmp_path / "copied")
    copied = open_objects(str(tmp_path / "copied"))
    with pytest.raises(InputError, match=r"If it is a copy, .* remove rocch-owner\.json there"):
        copied.claim(TWO)
    (tmp_path / "copied" / OWNER).unlink()
    copied.claim(TWO)
    assert copied.get(name) == b"a curve"
    with pytest.raises(InputError, match="schema=two"):
        copied.claim(ONE)


def test_a_library_whose_server_is_new_is_told_how_to_keep_its_files(tmp_path: Path) -> None:
    objects, new = claimed(str(tmp_path)), Owner("8/1/2", ONE.library)
    with pytest.raises(StorageError, match="whose server was upgraded"):
        objects.check_owner(new)
    with pytest.raises(InputError, match=r"made anew\. If nobody else uses these files, remove"):
        objects.claim(new)
    (tmp_path / OWNER).unlink()
    objects.claim(new)
    objects.check_owner(new)


def test_a_place_is_not_taken_where_its_owner_is_unclear(tmp_path: Path) -> None:
    objects = open_objects(str(tmp_path))
    for content in (b"", b"[]", b"3", b'{"place": 3, "home": 3}', b"\xff"):
        (tmp_path / OWNER).write_bytes(content)
        with pytest.raises(InputError, match=r"an unknown library: rocch-owner\.json there is dam"):
            objects.claim(ONE)
        with pytest.raises(StorageError, match=r"rocch-owner\.json there is damaged"):
            objects.check_owner(ONE)


def test_a_full_disk_leaves_no_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objects = open_objects(str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", Mock(side_effect=OSError(errno.ENOSPC, "No space left")))
        with pytest.raises(OSError, match="No space left"):
            objects.claim(ONE)
    objects.claim(TWO)


def test_an_unmounted_folder_is_not_the_librarys(tmp_path: Path) -> None:
    objects = claimed(str(tmp_path / "mounted" / "files"))
    (tmp_path / "mounted").rename(tmp_path / "away")
    (tmp_path / "mounted" / "files").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"not the place .* Mount the folder"):
        objects.check_owner(ONE)


def test_a_file_is_lost_only_where_its_place_is_there(objects: Objects) -> None:
    with pytest.raises(LostFileError, match=r"is missing\. Restore it from a backup"):
        objects.get("0" * 64)


def test_files_of_an_unmounted_folder_are_not_lost(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="Mount the folder") as away:
        open_objects(str(tmp_path / "unmounted")).get("0" * 64)
    assert not isinstance(away.value, LostFileError)


def test_a_folder_of_a_library_has_no_owner(tmp_path: Path) -> None:
    objects = FolderObjects(tmp_path / "churn" / "objects", unique=False)
    objects.check_owner(None)
    claimed(str(objects.place))
    with pytest.raises(StorageError, match="belong to postgresql://"):
        objects.check_owner(None)


def test_a_store_that_writes_over_files_is_refused() -> None:
    objects = open_objects("memory://lax")
    assert isinstance(objects, StoreObjects)
    stored: dict[str, bytes] = {}

    class Lax:
        """As s3fs before 2024.12."""

        def pipe_file(self, path: str, content: bytes, *, mode: str) -> None:
            del mode
            stored[path] = content

        def cat_file(self, path: str) -> bytes:
            if path not in stored:
                raise FileNotFoundError(path)
            return stored[path]

        def rm_file(self, path: str) -> None:
            del stored[path]

    objects._opened = (os.getpid(), Lax(), "lax")
    with pytest.raises(InputError, match="a store that refuses to write a new file over another"):
        objects.claim(ONE)
    assert stored == {}


def test_what_is_put_is_there_under_its_digest(objects: Objects) -> None:
    assert objects.files() == {}
    name = objects.put(b"a curve")
    assert name[:64] == sha256(b"a curve").hexdigest()
    assert objects.get(name) == b"a curve"
    assert objects.files() == {objects.file_of(name): 7}
    assert str(objects.path(name)).endswith(objects.file_of(name))


def test_beside_a_server_no_file_is_used_twice(objects: Objects) -> None:
    names = {objects.put(b"a curve") for _ in range(3)}
    assert len(names) == (3 if objects.unique else 1)
    assert len(objects.files()) == len(names)


def test_files_are_removed_once_and_for_all(objects: Objects) -> None:
    name = objects.put(b"a curve")
    kept = objects.put(b"another")
    objects.remove([objects.file_of(name), objects.file_of(name)])
    assert list(objects.files()) == [objects.file_of(kept)]
    with pytest.raises(StorageError, match="is missing"):
        objects.get(name)


def test_damage_is_noticed(objects: Objects) -> None:
    name = objects.put(b"a curve")
    path = str(objects.path(name))
    store, place = fsspec.core.url_to_fs(path)
    store.pipe_file(place, b"a curvE")
    with pytest.raises(StorageError, match="is damaged"):
        objects.get(name)


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "0" * 64 + "-x", "0" * 65])
def test_other_names_are_refused(objects: Objects, name: str) -> None:
    with pytest.raises(StorageError, match="names the file"):
        objects.get(name)


def test_foreign_files_are_left_alone(tmp_path: Path) -> None:
    objects = open_objects(f"local://{tmp_path}")
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "00").mkdir()
    (tmp_path / "00" / "notes").write_text("mine")
    assert objects.files() == {}


def test_urls_of_files_are_folders(tmp_path: Path) -> None:
    objects = open_objects(f"file://{tmp_path}/a%20b")
    assert isinstance(objects, FolderObjects)
    assert objects.place == tmp_path / "a b"


def test_urls_of_folders_on_other_machines_are_refused() -> None:
    assert open_objects("file://localhost/srv/files").place == Path("/srv/files")
    with pytest.raises(InputError, match="be a folder of this machine, or an object store"):
        open_objects("file://srv/files")


def test_large_files_may_take_longer() -> None:
    objects = open_objects("memory://slow")
    assert isinstance(objects, StoreObjects)
    limits: list[float] = []

    class Slow:
        async_impl = True

        def pipe_file(self, _path: str, _content: bytes, *, timeout: float, mode: str) -> None:
            assert mode == "create"
            limits.append(timeout)

        def size(self, _path: str, *, timeout: float) -> int:
            limits.append(timeout)
            return 50_000_000

        def cat_file(self, _path: str, *, timeout: float) -> bytes:
            limits.append(timeout)
            return b""

    objects._opened = (os.getpid(), Slow(), "slow")
    objects.put(b"x" * 20_000_000)
    objects._read("00/1")
    assert limits == [80, 60, 110]


def test_stores_that_nobody_knows_are_refused() -> None:
    objects = open_objects("nowhere://bucket")
    with pytest.raises(InputError, match="objects must be a URL that fsspec knows"):
        objects.put(b"")


def test_whatever_a_store_raises_is_an_error_of_storage() -> None:
    objects = open_objects("memory://failing")
    assert isinstance(objects, StoreObjects)

    class Failing:
        def __getattr__(self, name: str) -> Any:
            def fail(*_: Any, **__: Any) -> None:
                raise RuntimeError("no route\nto host")

            return fail

    objects._opened = (os.getpid(), Failing(), "failing")
    for use in (lambda: objects.put(b""), objects.files, lambda: objects.get("0" * 64)):
        with pytest.raises(StorageError, match=r"memory://failing cannot be .* no route"):
            use()


def test_a_forked_process_opens_the_store_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    objects = open_objects("memory://forked")
    name = objects.put(b"x")
    first = objects._store  # type: ignore[attr-defined]
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert objects._store is not first  # type: ignore[attr-defined]
    assert objects.get(name) == b"x"


def test_a_name_that_is_taken_is_not_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    from rocch.library import objects as module

    digits = iter(["0" * 12, "0" * 12, "1" * 12])
    monkeypatch.setattr(module, "token_hex", lambda _: next(digits))
    objects = open_objects("memory://taken")
    assert objects.put(b"x").endswith("-" + "0" * 12)
    assert objects.put(b"x").endswith("-" + "1" * 12)
