"""Standard error is silenced only once everything is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Run

CODE = """
import atexit, os, sys
from rocch.cli.quiet_end import end_quietly
atexit.register(lambda: os.write(2, b"last"))
{call}
atexit.register(lambda: os.write(2, b"before "))
sys.exit(5)
"""


def test_only_what_comes_at_the_very_end_is_silenced(run_python: Run) -> None:
    quiet = run_python("-c", CODE.format(call="end_quietly(); end_quietly()"))
    assert (quiet.returncode, quiet.stderr) == (5, "before ")
    assert run_python("-c", CODE.format(call="")).stderr == "before last"
