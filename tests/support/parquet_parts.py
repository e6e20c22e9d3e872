"""Parquet files as large tables come in: several in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

if TYPE_CHECKING:
    from pathlib import Path


def write_table(path: Path, **columns: Any) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


def write_parts(folder: Path) -> Path:
    """Write a folder of three files with scores, weights, groups and gaps."""
    rng = np.random.default_rng(11)
    folder.mkdir()
    for place in range(3):
        y = rng.random(200) < 0.3
        gaps = rng.random(200) < 0.1
        scores = np.round(rng.normal(size=(2, 200)) * (1 + y) + y, 1)
        write_table(
            folder / f"{place}.parquet",
            y=y.astype(np.int8),
            a=scores[0],
            b=scores[1],
            gappy=[None if gap else score for gap, score in zip(gaps, scores[1], strict=True)],
            weight=rng.integers(1, 5, 200) / 2,
            country=np.where(rng.random(200) < 0.5, "DE", "FR"),
            id=np.arange(200),
        )
    return folder
