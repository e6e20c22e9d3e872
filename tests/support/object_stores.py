"""Object stores of fsspec's: an S3-compatible server on loopback, a folder, and memory."""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from tests.support.guarded import GuardedProcess, free_port, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

BUCKET = "rocch-tests"
NUMBERS = itertools.count(1)
"""Each test has a prefix of its own, also in memory, which a process has once."""


class S3Server:
    """An S3-compatible server in a process of its own; what it stores lies in its memory."""

    key, secret = "key-of-tests", "secret-of-tests"

    def __init__(self) -> None:
        self.port = free_port()
        self.folder = Path(mkdtemp(prefix="rocch-s3-"))
        self._process: GuardedProcess | None = None

    @property
    def endpoint(self) -> str:
        """The server's address."""
        return f"http://127.0.0.1:{self.port}"

    def environment(self, endpoint: str | None = None) -> dict[str, str]:
        """Return what makes s3fs find this server and no other, here and in child processes.

        Another endpoint is that of a proxy before it.
        """
        return {
            "AWS_ENDPOINT_URL": endpoint or self.endpoint,
            "AWS_ACCESS_KEY_ID": self.key,
            "AWS_SECRET_ACCESS_KEY": self.secret,
            "AWS_DEFAULT_REGION": "us-east-1",
            # neither the user's own settings nor a cloud's
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            "NO_PROXY": "127.0.0.1",
        }

    def start(self) -> None:
        """Start the server, empty but for the bucket; return when it answers."""
        program = str(Path(__file__).with_name("s3_server.py"))
        process = GuardedProcess([sys.executable, "-P", program, str(self.port)], self.folder)
        self._process = process
        wait_until(lambda: self._make_bucket() or process.ended, "moto has started")
        if process.ended:
            raise RuntimeError((self.folder / "log").read_text(encoding="utf-8"))

    def stop(self) -> None:
        """Stop the server, which forgets everything."""
        if self._process is not None:
            self._process.release()

    def close(self) -> None:
        """Stop the server for good, and remove its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_prefix(self) -> str:
        """Return the URL of a prefix that no other test has."""
        return f"s3://{BUCKET}/{next(NUMBERS)}"

    def _make_bucket(self) -> bool:
        request = Request(f"{self.endpoint}/{BUCKET}", method="PUT")  # noqa: S310 - loopback
        try:
            with urlopen(request, timeout=5):  # noqa: S310 - loopback
                return True
        except (URLError, OSError):
            return False


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    """Return a running S3-compatible server."""
    server = S3Server()
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture
def s3(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the URL of an empty prefix, which s3fs finds by the environment alone."""
    from s3fs import S3FileSystem

    for name, value in s3_server.environment().items():
        monkeypatch.setenv(name, value)
    S3FileSystem.clear_instance_cache()  # one may know another server
    yield s3_server.new_prefix()
    S3FileSystem.clear_instance_cache()


@pytest.fixture
def local_store(tmp_path: Path) -> str:
    """Return the URL of an empty folder, as fsspec names it."""
    folder = tmp_path / "store"
    folder.mkdir()
    return f"local://{folder}"


@pytest.fixture
def memory_store() -> Iterator[str]:
    """Return the URL of an empty folder in the memory of this process, which no other sees."""
    import fsspec

    url = f"memory://rocch-tests/{next(NUMBERS)}"
    yield url
    memory = fsspec.filesystem("memory")
    if memory.exists(url):
        memory.rm(url, recursive=True)


STORES = {"local": "local_store", "memory": "memory_store", "s3": "s3"}


@pytest.fixture(params=["local", "memory", pytest.param("s3", marks=pytest.mark.stores)])
def object_store(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty object store of each kind; plain `pytest` leaves S3 out."""
    url: str = request.getfixturevalue(STORES[request.param])
    return url
