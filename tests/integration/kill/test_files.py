"""A process that is ended at any line of the writer leaves a whole file."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from tests.support import cut_short

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


CUT_SHORT = cut_short.__file__


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_process_ended_anywhere_leaves_a_whole_file(
    run_python: Run, tmp_path: Path, name: str
) -> None:
    ended = run_python(CUT_SHORT, str(tmp_path), name)
    assert ended.returncode == 0, ended.stderr
    status = -signal.Signals[name]
    *cut, last = ended.stdout.splitlines()
    assert last == "1 True model.rocch"  # the signal would have come after the last line
    assert len(cut) > 30
    assert {line.split()[1] for line in cut} == {"True"}
    if name == "SIGTERM":
        assert set(cut) == {f"{status} True model.rocch"}  # and no temporary file beside it
