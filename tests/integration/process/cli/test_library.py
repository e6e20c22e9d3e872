"""Commands about libraries, in processes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


def files_of(folder: Path) -> list[Path]:
    return [file for file in (folder / "objects").rglob("*/*") if file.is_file()]


def test_the_status_of_verify_reaches_the_shell(filled: Path, run_rocch: Run) -> None:
    files_of(filled)[0].write_bytes(b"other")
    ended = run_rocch("library", "verify", str(filled))
    assert (ended.returncode, ended.stderr) == (1, "")


def test_help_of_the_group_loads_nothing_heavy(run_python: Run) -> None:
    code = (
        "import sys\nfrom click.testing import CliRunner\nfrom rocch.cli.main import cli\n"
        "for typed in (['library', '--help'], ['library', 'add', '--help']):\n"
        "    assert CliRunner().invoke(cli, typed).exit_code == 0\n"
        "assert not {'numpy', 'sklearn', 'pandas', 'sqlite3'} & set(sys.modules)\n"
    )
    ended = run_python("-c", code)
    assert (ended.returncode, ended.stderr) == (0, "")
