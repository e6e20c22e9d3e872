"""Reports of other processes are the same, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


SCRIPT = """
import hashlib, numpy, rocch
rng = numpy.random.default_rng(0)
y = rng.random(150) < 0.4
hull = rocch.RocHull.from_scores(y, {n: rng.normal(size=150) + y for n in ("b", "a", "\\xe9")})
for kind in ("html", "md", "json"):
    question = rocch.Question(cost_ratio=(1, 9), likely=2)
    rocch.write_report(hull, "report." + kind, question, resamples=100)
    print(kind, hashlib.sha256(open("report." + kind, "rb").read()).hexdigest())
"""


def test_the_same_rows_make_the_same_bytes_in_any_process(tmp_path: Path) -> None:
    prints = set()
    for seed in ("1", "2"):
        done = subprocess.run(  # noqa: S603 - this Python, with the script above
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        prints.add(done.stdout)
    assert len(prints) == 1
    assert prints.pop().count("\n") == 3
