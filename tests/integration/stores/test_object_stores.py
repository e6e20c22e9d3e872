"""Object stores as fsspec offers them: what libraries rely on, in each of them."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import fsspec
import pytest
from botocore.exceptions import EndpointConnectionError
from s3fs import S3FileSystem

from tests.support.cuttable_proxy import CuttableProxy
from tests.support.object_stores import S3Server

if TYPE_CHECKING:
    from collections.abc import Iterator


def write(url: str, content: bytes) -> bool:
    """Write a new object; return whether it was new."""
    files, path = fsspec.url_to_fs(url)
    if url.startswith("local:"):
        files.makedirs(files._parent(path), exist_ok=True)  # the others have no folders
    try:
        files.pipe_file(path, content, mode="create")
    except FileExistsError:
        return False
    return True


def read(url: str) -> bytes:
    files, path = fsspec.url_to_fs(url)
    content: bytes = files.cat_file(path)
    return content


def test_what_was_written_is_read(object_store: str) -> None:
    write(f"{object_store}/folder/one", b"1")
    write(f"{object_store}/two", b"22")
    assert read(f"{object_store}/folder/one") == b"1"
    files, path = fsspec.url_to_fs(object_store)
    found = [name.removeprefix(path).lstrip("/") for name in files.find(path)]
    assert found == ["folder/one", "two"]


def test_a_store_is_empty_at_first(object_store: str) -> None:
    files, path = fsspec.url_to_fs(object_store)
    assert files.find(path) == []


def test_a_missing_object_is_told(object_store: str) -> None:
    with pytest.raises(FileNotFoundError):
        read(f"{object_store}/none")


def test_s3_is_found_by_the_environment_alone(s3: str, s3_server: S3Server) -> None:
    assert write(f"{s3}/a", b"here")
    files, _ = fsspec.url_to_fs(s3)
    assert files.s3.meta.endpoint_url == s3_server.endpoint


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_a_child_process_finds_the_same_store(s3: str, method: str) -> None:
    write(f"{s3}/a", b"parent's")
    with multiprocessing.get_context(method).Pool(1) as child:
        assert child.apply(read, [f"{s3}/a"]) == b"parent's"
        assert child.apply(write, [f"{s3}/b", b"child's"])
    assert read(f"{s3}/b") == b"child's"


@pytest.mark.parametrize("size", [3, 12 * 2**20])
def test_s3_writes_an_object_once(s3: str, size: int) -> None:
    files, path = fsspec.url_to_fs(f"{s3}/a")
    contents = [bytes([number]) * size for number in range(2)]
    # parts of 5 MiB are the smallest that S3 takes
    files.pipe_file(path, contents[0], mode="create", chunksize=5 * 2**20)
    with pytest.raises(FileExistsError):
        files.pipe_file(path, contents[1], mode="create", chunksize=5 * 2**20)
    assert read(f"{s3}/a") == contents[0]


def test_of_many_writers_to_s3_one_succeeds(s3: str) -> None:
    with ThreadPoolExecutor(8) as writers:
        work = [writers.submit(write, f"{s3}/a", b"%d" % number) for number in range(8)]
        first = [number for number, one in enumerate(work) if one.result()]
    assert len(first) == 1
    assert read(f"{s3}/a") == b"%d" % first[0]


def test_each_test_of_s3_has_a_prefix_of_its_own(s3: str, s3_server: S3Server) -> None:
    assert s3_server.new_prefix() != s3
    assert s3_server.new_prefix() != s3_server.new_prefix()


@pytest.fixture
def proxy(s3: str, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[CuttableProxy]:
    """Return a proxy that s3fs reaches the store by, connected."""
    with CuttableProxy(s3_server.endpoint) as proxy:
        for name, value in s3_server.environment(proxy.url).items():
            monkeypatch.setenv(name, value)
        write(f"{s3}/first", b"1")
        yield proxy
        S3FileSystem.clear_instance_cache()


def test_a_store_may_be_cut_off(
    s3: str, proxy: CuttableProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    S3FileSystem.clear_instance_cache()
    assert read(f"{s3}/first") == b"1"
    proxy.refuse()
    proxy.cut()
    with pytest.raises(EndpointConnectionError):  # which is no OSError
        read(f"{s3}/first")
    proxy.restore()
    assert read(f"{s3}/first") == b"1"


def test_a_writer_whose_answer_was_lost_meets_its_own_object(s3: str, proxy: CuttableProxy) -> None:
    proxy.cut_at(b"what is written", "after")
    assert not write(f"{s3}/a", b"what is written")  # it was sent again, and refused
    assert proxy.cuts == 1
    assert read(f"{s3}/a") == b"what is written"


def test_only_a_timeout_of_its_own_ends_a_write_in_a_partition(
    s3: str, proxy: CuttableProxy
) -> None:
    files, path = fsspec.url_to_fs(f"{s3}/a")
    proxy.partition()
    with pytest.raises(TimeoutError):
        files.pipe_file(path, b"1", mode="create", timeout=1)
    proxy.restore()
    assert read(f"{s3}/first") == b"1"
