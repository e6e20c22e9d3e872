"""`rocch demo` as users run it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Run


KEYS = {"data", "hull", "rough_costs", "limit_on_false_alarms", "sixty_appointments", "files"}


def read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def test_a_process_of_its_own_writes_to_its_own_folder(run_rocch: Run, tmp_path: Path) -> None:
    ended = run_rocch("demo")
    assert (ended.returncode, ended.stderr) == (0, "")
    files = sorted(file.name for file in (tmp_path / "rocch-demo").iterdir())
    assert files == ["hull.png", "result.json"]
    assert set(read(tmp_path / "rocch-demo" / "result.json")) == KEYS
