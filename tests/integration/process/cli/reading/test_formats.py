"""Reading text loads nothing that only Parquet needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
