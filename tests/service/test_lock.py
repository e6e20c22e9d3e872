"""A folder is served by one service at a time, and a sudden end leaves no lock behind."""

import os
import stat
from pathlib import Path

import pytest

from rocch import InputError, StorageError
from rocch.service.store import LOCK, ServiceLock

fcntl = pytest.importorskip("fcntl")  # elsewhere there are no such locks


def test_one_at_a_time(tmp_path: Path) -> None:
    first = ServiceLock(tmp_path)
    assert stat.S_IMODE(os.stat(tmp_path / LOCK).st_mode) == 0o600
    for _ in range(2):  # a refused one leaves the first one's lock as it is
        with pytest.raises(InputError, match="DIR must be a library that no other service serves"):
            ServiceLock(tmp_path)
    first.close()
    ServiceLock(tmp_path).close()


def test_a_folder_that_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        StorageError, match=r"nowhere/[^']*' cannot be opened: No such file or dir\w*\.$"
    ):
        ServiceLock(tmp_path / "nowhere")

    def fail(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(StorageError, match="cannot be locked: No locks available"):
        ServiceLock(tmp_path)
