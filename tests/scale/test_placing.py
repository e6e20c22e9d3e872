"""Positions along the magnitude, as every engine computes them and as the kernel does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals as nw
import numpy as np
import pytest

from rocch.kernels import _numba, passes
from rocch.kernels.cuts import CutGrid, cut_intervals, magnitudes
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


def test_compiled_code_cuts_along_the_magnitude_as_numpy_does() -> None:
    scores = powers_and_beside()
    ends = np.array([-np.inf]), np.array([np.inf])
    cut, starts = cut_intervals(*ends, np.array([1e4]), by_magnitude=np.array([True]))
    grid = CutGrid(np.empty(0), cut, -np.inf, np.inf, int(starts[-1]))
    rows = passes.Rows(scores, scores > 0, np.zeros(scores.size, dtype=np.int32))
    tallies = passes.tally_rows(rows, grid)
    np.testing.assert_array_equal(tallies, _numba.tally_rows(rows, grid))
    for end, neighbor in ((-1, -2), (0, 1)):  # infinities are apart from what is next to them
        assert np.isinf(tallies[end, 2:]).all()
        filled = tallies[:, 0] > 0
        assert np.isfinite(tallies[filled][neighbor, 2:]).all()
