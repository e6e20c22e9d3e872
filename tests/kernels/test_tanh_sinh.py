"""The tanh-sinh rule against integrals that everybody knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from rocch.kernels.moments import tanh_sinh

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.arrays import FloatArray

KNOWN: dict[str, tuple[Callable[[FloatArray, FloatArray], FloatArray], float]] = {
    "one": (lambda x, _: np.ones(x.shape), 1),
    "line": (lambda x, _: x, 1 / 2),
    "root": (lambda x, _: np.sqrt(x), 2 / 3),
    "root from above": (lambda _, y: np.sqrt(y), 2 / 3),
    "logarithm": (lambda x, _: np.log(x), -1),
    "pole": (lambda _, y: y**-0.3, 1 / 0.7),
    "waves": (lambda x, _: np.cos(9 * x), np.sin(9) / 9),
}


@pytest.mark.parametrize(("height", "area"), KNOWN.values(), ids=KNOWN.keys())
def test_known_areas(height: Callable[[FloatArray, FloatArray], FloatArray], area: float) -> None:
    rule = tanh_sinh()
    values = height(rule.nodes, rule.from_top)
    assert values @ rule.weights == pytest.approx(area, rel=3e-12)
    assert abs(values @ rule.weights - area) <= abs(values @ (rule.weights - rule.coarse)) + 3e-12


def test_nodes_know_both_ends() -> None:
    rule = tanh_sinh()
    np.testing.assert_allclose(rule.nodes + rule.from_top, 1, rtol=1e-15)
    assert rule.from_top.min() < 1e-16
    assert (np.diff(rule.nodes) >= 0).all()
    assert (rule.weights > 0).all()
