"""A service that is killed leaves no lock on its folder."""

import signal
from pathlib import Path

import pytest

from tests.support.real_service import make_library, running

fcntl = pytest.importorskip("fcntl")  # elsewhere there are no such locks


def test_a_second_service_is_refused_and_a_killed_one_leaves_no_claim(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    make_library(folder).close()
    with running(folder) as service:
        with pytest.raises(AssertionError, match="no other service uses"), running(folder):
            pass
        assert service.ask("GET", "/v1/health").status_code == 200
        service.stop(signal.SIGKILL)
    with running(folder) as again:
        assert again.ask("GET", "/v1/health").status_code == 200
