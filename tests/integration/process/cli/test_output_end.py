"""How processes end: quietly, and without leaving files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


CODE = """
import atexit, os, sys
from rocch.cli.output import end_quietly
atexit.register(lambda: os.write(2, b"last"))
{call}
atexit.register(lambda: os.write(2, b"before "))
sys.exit(5)
"""


def test_only_what_comes_at_the_very_end_is_silenced(run_python: Run) -> None:
    quiet = run_python("-c", CODE.format(call="end_quietly(); end_quietly()"))
    assert (quiet.returncode, quiet.stderr) == (5, "before ")
    assert run_python("-c", CODE.format(call="")).stderr == "before last"


def test_a_process_that_gets_sigterm_removes_its_files(run_python: Run, tmp_path: Path) -> None:
    code = f"""
import os, signal
from rocch.cli.output import ended_in_order
from tempfile import TemporaryDirectory
with ended_in_order(), TemporaryDirectory(dir={str(tmp_path)!r}, prefix="spilled-"):
    os.kill(os.getpid(), signal.SIGTERM)
    raise AssertionError("it went on")
"""
    ended = run_python("-c", code)
    assert (ended.returncode, ended.stderr) == (143, "")
    assert not list(tmp_path.glob("spilled-*"))
