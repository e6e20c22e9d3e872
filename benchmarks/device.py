"""Time hulls of scores on a GPU, with PyTorch, against sorting them and torchmetrics' AUROC.

Every hull is checked against NumPy's before it is timed, up to 10^7 rows; beyond, against sorting
all rows on the GPU. Times are medians; data are on the GPU already, and the hull comes to the host.

    python benchmarks/device.py             # 10^7, 10^8 and 10^9 rows; needs 40 GB on the GPU
    python benchmarks/device.py --small     # 10^6 and 10^7 rows
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

import rocch
from rocch.kernels import _triton

if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds of runs that are not counted.
WARM = 0.3
KINDS = ("normal", "tied", "heavy tails", "probabilities")


def main() -> None:
    """Check and time all sizes, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="10^6 and 10^7 rows only")
    small = parser.parse_args().small
    print(torch.cuda.get_device_name(), "with PyTorch", torch.__version__)
    for kind in KINDS:
        for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
            check(*draw(2 * 10**6, kind, dtype))
    print("| rows | scores | hull, ms | torch.sort, ms | AUROC of torchmetrics, ms |")
    print("|---:|---|---:|---:|---:|")
    for size in (10**6, 10**7) if small else (10**7, 10**8, 10**9):
        for kind in KINDS if size < 10**9 else KINDS[:1]:
            compare(size, kind, torch.float32)
        compare(size, "normal", torch.bfloat16)


def draw(size: int, kind: str, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw labels (30% positive) and scores on the GPU."""
    chance = torch.Generator(device="cuda").manual_seed(size)
    y = torch.rand(size, device="cuda", generator=chance) < 0.3
    s = torch.randn(size, device="cuda", generator=chance) + y
    if kind == "tied":
        s = torch.round(s, decimals=2)
    elif kind == "heavy tails":
        s = torch.sign(s) * torch.exp(3 * s.abs())
    elif kind == "probabilities":
        s = torch.sigmoid(3 * s)
    return y, s.to(dtype)


def check(y: torch.Tensor, s: torch.Tensor) -> None:
    """Check a hull, a curve and an AUC against NumPy's."""
    there = rocch.RocHull.from_scores(y, {"a": s})
    labels, scores = y.cpu().numpy(), s.double().cpu().numpy()
    assert there == rocch.RocHull.from_scores(labels, {"a": scores})
    assert rocch.auc(y, s) == rocch.auc(labels, scores)
    curve = rocch.RocCurve.from_scores(labels, scores)
    assert np.array_equal(rocch.RocCurve.from_scores(y, s).true_positives, curve.true_positives)


def compare(size: int, kind: str, dtype: torch.dtype) -> None:
    """Check and time one size."""
    y, s = draw(size, kind, dtype)
    hull = rocch.RocHull.from_scores(y, {"a": s})
    if size <= 10**7:
        check(y, s)
    else:
        fewest, _triton.FEWEST_ROWS = _triton.FEWEST_ROWS, size
        assert hull == rocch.RocHull.from_scores(y, {"a": s})
        _triton.FEWEST_ROWS = fewest
        torch.cuda.empty_cache()
    ours = timed(lambda: rocch.RocHull.from_scores(y, {"a": s}))
    sort = timed(lambda: torch.sort(s))
    theirs = "not installed"
    try:
        from torchmetrics.functional.classification import binary_auroc
    except ImportError:
        pass
    else:
        target = y.long()
        theirs = f"{timed(lambda: binary_auroc(s, target, validate_args=False)):.2f}"
    name = kind if dtype == torch.float32 else f"{kind}, 16 bits"
    print(f"| {size:,} | {name} | {ours:.2f} | {sort:.2f} | {theirs} |", flush=True)


def timed(job: Callable[[], Any], times: int = 25) -> float:
    """Return the median of some runs in milliseconds, once the GPU's clocks have risen."""
    found: list[float] = []
    begin = time.perf_counter()
    while len(found) < times:
        torch.cuda.synchronize()
        before = time.perf_counter()
        job()
        torch.cuda.synchronize()
        if before > begin + WARM:
            found.append(1e3 * (time.perf_counter() - before))
    return median(found)


if __name__ == "__main__":
    main()
