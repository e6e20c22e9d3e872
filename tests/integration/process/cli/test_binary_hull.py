"""`rocch hull` as users run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


@pytest.mark.parametrize("name", ["none.csv", "bad.parquet", "ragged.csv"])
def test_a_process_of_its_own_ends_with_status_2_and_one_line(
    run_rocch: Run, tmp_path: Path, name: str
) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"no")
    (tmp_path / "ragged.csv").write_text("y,a\n0,1\n1,2,3\n", encoding="utf-8")
    ended = run_rocch("hull", name, "--label", "y")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == 1
    assert ended.stderr.startswith("rocch: FILE ")


def test_a_process_of_its_own_prints_the_tables(run_rocch: Run, scores_csv: Path) -> None:
    ended = run_rocch("hull", str(scores_csv), "--label", "y")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Who wins where" in ended.stdout
    assert "\x1b" not in ended.stdout  # no color codes where there is no terminal
