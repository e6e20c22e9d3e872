"""Reading text loads no pyarrow, and leaves no temporary files."""

from __future__ import annotations

import gzip
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


def test_text_formats_need_no_pyarrow(run_python: Run, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("y,a\n0,1\n1,2\n", encoding="utf-8")
    (tmp_path / "x.jsonl").write_text('{"y": 0, "a": 1}\n{"y": 1, "a": 2}\n', encoding="utf-8")
    for name in ("x.csv", "x.jsonl"):
        code = (
            "import sys; sys.modules['pyarrow'] = None\n"
            f"sys.argv = ['rocch', 'hull', {name!r}, '--label', 'y']\n"
            "from rocch.cli.main import main; main()"
        )
        ended = run_python("-c", code)
        assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGINT", 130)])
def test_what_was_spooled_goes_with_the_process(
    run_python: Run, tmp_path: Path, name: str, status: int
) -> None:
    (tmp_path / "x.csv").write_bytes(gzip.compress(b"y,a\n0,1\n1,2\n"))
    (tmp_path / "temporary").mkdir()
    code = (
        "import os, signal, sys, tempfile\n"
        "tempfile.tempdir = 'temporary'\n"
        "from rocch.cli import scores\n"
        "def end(*_, **__):\n"
        "    print(len(os.listdir('temporary')), flush=True)\n"
        f"    signal.raise_signal(signal.{name})\n"
        "scores._select_wide = end\n"
        "sys.argv = ['rocch', 'hull', 'x.csv', '--label', 'y']\n"
        "from rocch.cli.main import main; main()"
    )
    ended = run_python("-c", code)
    assert (ended.returncode, ended.stdout) == (status, "2\n")
    assert list((tmp_path / "temporary").iterdir()) == []
