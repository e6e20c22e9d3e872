"""Positions along the magnitude, as every engine computes them and as the kernel does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw
import numpy as np
import pytest

from rocch.kernels.cuts import magnitudes
from rocch.scale.engines import collect, with_magnitudes
from tests.support.engines import ENGINES, table
from tests.support.judged_frames import powers_and_beside

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("engine", ["Polars", "DuckDB", "pandas", "Arrow", "Dask"])
def test_engines_agree_with_the_kernel_to_the_last_bit(engine: str, folder: Path) -> None:
    scores = powers_and_beside()
    frame = nw.from_native(ENGINES[engine]([table({"s": scores})], folder)).lazy()
    found = collect(with_magnitudes(frame, {"along": nw.col("s")}).select("s", "along"))
    np.testing.assert_array_equal(found["along"], magnitudes(found["s"]))
    np.testing.assert_array_equal(np.sort(found["s"]), np.sort(scores))
