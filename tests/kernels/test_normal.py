"""The normal quantile is the table's."""

from __future__ import annotations

import pytest

from rocch.kernels.bounds import normal_quantile


@pytest.mark.parametrize(("confidence", "z"), [(0.95, 1.959964), (0.99, 2.575829), (0.5, 0.674490)])
def test_quantiles_are_those_of_the_table(confidence: float, z: float) -> None:
    assert normal_quantile(confidence) == pytest.approx(z, abs=1e-6)
