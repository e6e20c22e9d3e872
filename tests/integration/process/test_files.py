"""Files that are written whole or not at all, in processes that end."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support import cut_short

if TYPE_CHECKING:
    from tests.conftest import Run


CUT_SHORT = cut_short.__file__


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
def test_a_full_disk_leaves_what_was_there(run_python: Run, tmp_path: Path) -> None:
    ended = run_python(CUT_SHORT, str(tmp_path), "full")
    assert ended.returncode == 0, ended.stderr
    found = [line for line in ended.stdout.splitlines() if ".written' cannot" in line]
    assert [line.split("'")[0] for line in found] == [
        "save, kept, StorageError: ",
        "summary, kept, StorageError: ",
        "search, kept, StorageError: ",
        "report, kept, StorageError: ",
        "export, kept, StorageError: ",
        "command, kept, UsageError: ",
    ]
    assert all(line.endswith(".written' cannot be written: File too large.") for line in found)
    assert len(names(tmp_path)) == len(found) + 2  # the library and the table beside them


def test_a_handler_of_ones_own_stays(run_python: Run, tmp_path: Path) -> None:
    code = (
        "import signal, sys\n"
        "from rocch.files import writing\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
        "with writing('a.csv') as temporary:\n"
        "    temporary.write_text('half')\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
    )
    assert run_python("-c", code).returncode == 7
    assert names(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_files_within_files_are_removed_together(run_python: Run, tmp_path: Path) -> None:
    code = (
        "import signal\n"
        "from rocch.files import writing\n"
        "with writing('a.csv') as outer, writing('b.csv') as inner, writing('-') as stream:\n"
        "    [each.write_text('half') for each in (outer, inner, stream)]\n"
        "    print(stream.parent, flush=True)\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
    )
    ended = run_python("-c", code)
    assert ended.returncode == -signal.SIGTERM
    assert names(tmp_path) == []
    assert not Path(ended.stdout.strip()).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_a_folder_for_large_tables_goes_with_the_process(run_python: Run, tmp_path: Path) -> None:
    code = (
        "import signal, tempfile\n"
        "import polars\n"
        "from rocch.scale.files import open_files\n"
        "tempfile.tempdir = '.'\n"
        "polars.DataFrame({'y': [0, 1], 'a': [0.2, 0.4]}).write_parquet('rows.parquet')\n"
        "with open_files('rows.parquet'):\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
    )
    assert run_python("-c", code).returncode == -signal.SIGTERM
    assert names(tmp_path) == ["rows.parquet"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_a_real_interruption_leaves_nothing(run_python: Run, tmp_path: Path) -> None:
    code = (
        "import signal\n"
        "from rocch.files import writing\n"
        "with writing('a.csv') as temporary:\n"
        "    temporary.write_text('half')\n"
        "    signal.raise_signal(signal.SIGINT)\n"
    )
    ended = run_python("-c", code)
    assert ended.returncode in (-signal.SIGINT, 130)
    assert names(tmp_path) == []
