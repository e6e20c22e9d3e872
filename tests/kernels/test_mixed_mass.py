"""Masses of a quantity made of two: known products, and what the error says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.compare.cost_axis import CostAxis
from rocch.kernels.mixed_mass import mixed_mass

EDGES = np.array([0.0, 0.1, 0.35, 0.8, 1.0])


def rows(*cuts: Any) -> Any:
    return np.stack(np.broadcast_arrays(*cuts), axis=1).astype(float)


def test_the_product_of_two_even_shares_has_its_known_mass() -> None:
    """P(XY <= e) = e - e log e; for a given X = x the mass below is min(e / x, 1)."""

    def below(x: Any, edge: Any) -> Any:
        return np.minimum(edge / np.maximum(x, 1e-300), 1.0)

    found, error = mixed_mass(EDGES, lambda mass: mass, below, rows(0.0, EDGES, np.ones(5)))
    wanted = [0.0, *(e - e * np.log(e) for e in EDGES[1:])]
    assert found == pytest.approx(wanted, abs=1e-6)
    assert np.abs(found - wanted).max() <= max(10 * error, 1e-14)


def test_a_root_at_the_ends_does_no_harm() -> None:
    """The larger of two even shares has the root as its quantile; E[sqrt(u)] = 2/3."""
    found, error = mixed_mass(np.ones(1), np.sqrt, lambda x, edge: x * edge, np.array([[0.0, 1.0]]))
    assert found[0] == pytest.approx(2 / 3, abs=1e-13)
    assert error < 1e-12


@pytest.mark.parametrize(
    "belief",
    [
        rocch.Belief.miss_costs(0.5, 10, likely=4).with_prevalence((0.1, 0.4)),
        rocch.Belief.cost_share_beta(2, 3).with_prevalence(rocch.Belief.prevalence_beta(3, 9)),
    ],
    ids=["triangle and interval", "two betas"],
)
def test_it_agrees_with_adaptive_quadrature(belief: rocch.Belief) -> None:
    edges = np.array([0.0, 0.2, 0.55, 1.0])
    found = CostAxis(None).masses(belief, edges)
    slow = belief.stretches(edges)
    assert found.between == pytest.approx(slow.mass, abs=1e-9)
    assert found.error < 1e-9
