"""Real shells read what completes their commands."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from click.testing import CliRunner

from rocch.cli.main import cli

every_shell = pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])


@every_shell
def test_shells_can_read_it(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    script = CliRunner().invoke(cli, ["completion", shell]).stdout
    ended = subprocess.run(  # noqa: S603 - our own script, checked and not run
        [program, "-n"], input=script, text=True, capture_output=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
