"""Processes that gather what each of them accumulated."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import rocch

if TYPE_CHECKING:
    from tests.conftest import Run

EXAMPLE = Path(__file__).parents[3] / "examples" / "distributed.py"

# The example, where PyTorch cannot be imported.
WITHOUT = f"""
import runpy, sys
sys.modules["torch"] = None
runpy.run_path({str(EXAMPLE)!r}, run_name="__main__")
"""


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")
@pytest.mark.skipif(sys.platform == "win32", reason="interfaces of Unix")
def test_two_processes_know_as_much_as_one_that_has_all_rows(run_python: Run) -> None:
    ended = run_python(str(EXAMPLE))
    assert ended.returncode == 0, ended.stderr
    rows = []
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        for _ in range(50):
            y = rng.random(2000) < 0.1
            rows.append((y, rng.normal(size=2000) + 1.5 * y))
    y, scores = map(np.concatenate, zip(*rows, strict=True))
    merged, known, area, hull = ended.stdout.splitlines()
    assert merged == "<RocAccumulator of 200,000 rows: 1 classifier, at most 4,096 cells>"
    low, high = (float(known.split()[place]) for place in (2, 4))
    assert low <= rocch.auc(y, scores) <= high
    assert high - low < 0.002
    assert area.startswith(f"exact: AUC {rocch.auc(y, scores):.4f} (exact; ")
    assert hull == f"exact: {rocch.RocHull.from_scores(y, scores)}"


def test_without_pytorch_the_example_says_so(run_python: Run) -> None:
    ended = run_python("-c", WITHOUT)
    assert ended.returncode == 1
    assert ended.stderr == "This example needs PyTorch, which is not installed.\n"
