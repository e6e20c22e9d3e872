"""What reaches a real terminal cannot steer it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.support.nasty import NASTY, check, write_probabilities, write_scores

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return write_scores(tmp_path)


@pytest.fixture
def probabilities(tmp_path: Path) -> Path:
    return write_probabilities(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="there are no terminals to open here")
def test_answers_on_a_terminal_cannot_steer_it(probabilities: Path) -> None:
    ours, theirs = os.openpty()
    classes = ("--classes", f"{NASTY},second {NASTY},third", "--default-cost", "1")
    words = [sys.executable, "-m", "rocch", "assign", str(probabilities), *classes]
    # the terminal holds little, so it is read while the command writes
    with subprocess.Popen(words, stdout=theirs, stderr=subprocess.PIPE) as process:  # noqa: S603
        os.close(theirs)
        text = read_terminal(ours).replace("\r\n", "\n")
    assert process.returncode == 0
    check(text)


def read_terminal(number: int) -> str:
    """Return all that is written to a terminal until nobody has it open any more."""
    parts = []
    with suppress(OSError):  # which some systems raise at the end
        while part := os.read(number, 65_536):
            parts.append(part)
    os.close(number)
    return b"".join(parts).decode()


def test_a_file_name_that_is_no_text(run_python: Run, scores: Path) -> None:
    """On a terminal of Latin-1, its byte would begin a sequence."""
    code = f"""
import os, sys
os.rename({str(scores)!r}, b"\\x9b5A.csv")
sys.argv = ["rocch", "report", os.fsdecode(b"\\x9b5A.csv"), "--label", "y", "--scores", "third",
            "--resamples", "0", "-o", os.fsdecode(b"\\x9b5A.json")]
from rocch.cli.main import main
main()
"""
    ended = run_python("-c", code)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("Written: \\udc9b5A.json\n")


def test_warnings(run_python: Run) -> None:
    code = f"""
import sys, warnings
sys.argv = ["rocch", "--version"]
from rocch.cli.main import main
try:
    main()
finally:
    warnings.warn({NASTY!r})
"""
    check(run_python("-c", code).stderr)
