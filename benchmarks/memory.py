"""Measure the extra memory of an exact hull, in a process of its own per measurement.

    python benchmarks/memory.py [rows]

The peak of resident memory while the hull is built is compared with the peak before it, so it
includes everything: NumPy's arrays, compiled code's, and the threads'. The compiled code is loaded
beforehand on other data.
"""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import resource, sys
import numpy as np
import rocch
from rocch.kernels.engine import SAVES_A_SECOND

size, kind, fast = int(sys.argv[1]), sys.argv[2], sys.argv[3] == "fast"
SAVES_A_SECOND["passes"] = 0 if fast else 10**18
rng = np.random.default_rng(1)
warm = rng.random(200_000)
rocch.RocHull.from_scores(warm < 0.1, {"a": warm[::-1].copy(), "b": np.round(warm, 2)})
y = np.empty(size, dtype=bool)
s = np.empty(size)
for start in range(0, size, 100_000):  # in small parts, so that drawing leaves no high peak
    part = slice(start, start + 100_000)
    y[part] = rng.random(y[part].size) < 0.1
    s[part] = rng.normal(size=y[part].size) + y[part]
    if kind == "tied":
        s[part] = np.round(s[part], 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
hull = rocch.RocHull.from_scores(y, {"a": s})
extra = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
print(f"| {size:,} | {kind} | {sys.argv[3]} | {extra / 1e6:.1f} MB | {extra / s.nbytes:.2f} |")
"""


def main() -> None:
    """Print the table."""
    size = sys.argv[1] if len(sys.argv) > 1 else "10000000"
    print("| rows | scores | path | extra memory | share of the scores' bytes |", flush=True)
    print("|---:|---|---|---:|---:|", flush=True)
    for kind in ("normal", "tied"):
        for path in ("fast", "numpy"):
            subprocess.run([sys.executable, "-c", PROBE, size, kind, path], check=True)  # noqa: S603


if __name__ == "__main__":
    main()
