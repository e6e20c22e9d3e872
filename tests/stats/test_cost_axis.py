"""Beliefs along the axis: masses that sum to one, and densities to be drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

import rocch
from rocch.stats.cost_axis import CELLS, CostAxis

SHARE, COST = CostAxis(0.3), CostAxis(None)
TRIANGLE = rocch.Belief.cost_ratio(4, 10, likely=7)


def area(x: object, height: object) -> float:
    return float(trapezoid(np.asarray(height), np.asarray(x)))


@pytest.mark.parametrize(
    "belief",
    [
        TRIANGLE,
        rocch.Belief.cost_ratio(1, 4),
        rocch.Belief.cost_share_beta(3, 2),
        rocch.Belief.cost_ratio_about(9, factor=2),
        rocch.Belief.pooled(TRIANGLE, rocch.Belief.cost_ratio(1, 2)),
    ],
    ids=["triangle", "even", "beta", "log-normal", "pooled"],
)
def test_a_density_has_area_one(belief: rocch.Belief) -> None:
    found = SHARE.density(belief.with_prevalence(0.3))
    assert area(found.x, found.height) == pytest.approx(1, abs=5e-3)
    assert found.atoms.size == 0
    vague = COST.density(belief.with_prevalence((0.2, 0.4)))
    assert area(vague.x, vague.height) == pytest.approx(1, abs=5e-3)


def test_a_triangle_is_drawn_with_its_apex_and_its_support() -> None:
    found = SHARE.density(TRIANGLE.with_prevalence(0.3))
    assert (found.x[0], found.x[-1]) == (0.8, 10 / 11)
    assert found.x[np.argmax(found.height)] == pytest.approx(0.875, abs=1e-3)
    assert found.height.max() == pytest.approx(2 / (10 / 11 - 0.8), rel=1e-2)


def test_single_shares_are_drawn_one_by_one() -> None:
    found = SHARE.density(rocch.Belief.cost_ratio(9).with_prevalence(0.3))
    assert (found.x.size, found.atoms.tolist(), found.masses.tolist()) == (0, [0.9], [1.0])
    pooled = rocch.Belief.pooled(TRIANGLE, rocch.Belief.cost_ratio(1), weights=[3, 1])
    mixed = SHARE.density(pooled.with_prevalence(0.3))
    assert (mixed.atoms.tolist(), mixed.masses.tolist()) == ([0.5], [0.25])
    assert area(mixed.x, mixed.height) == pytest.approx(0.75, abs=5e-3)


def test_a_large_sample_is_drawn_as_cells() -> None:
    rng = np.random.default_rng(0)
    times = rng.lognormal(1, 0.5, 500)
    found = SHARE.density(rocch.Belief.cost_ratio_like(times).with_prevalence(0.3))
    assert found.atoms.size == 0
    assert found.x.size == CELLS // 10 + 2
    assert area(found.x, found.height) == pytest.approx(1, abs=0.05)
    drawn = rocch.Belief.sample(
        prevalence=rng.uniform(0.1, 0.2, 500), false_positive=1, false_negative=times
    )
    assert area(*COST.density(drawn)[:2]) == pytest.approx(1, abs=0.05)


def test_masses_sum_to_one() -> None:
    edges = np.linspace(0, 1, 7)
    for belief, axis in (
        (TRIANGLE.with_prevalence(0.3), SHARE),
        (TRIANGLE.with_prevalence((0.1, 0.2)), COST),
    ):
        masses = axis.masses(belief, edges)
        assert masses.between.sum() + masses.at.sum() == pytest.approx(1, abs=1e-15)


def test_the_axis_says_what_it_holds_and_where_a_belief_lies() -> None:
    assert (SHARE.name, COST.name) == ("cost share", "probability-cost")
    assert SHARE.support(TRIANGLE) == (0.8, 10 / 11)
    low, high = COST.support(TRIANGLE.with_prevalence((0.2, 0.4)))
    assert low == pytest.approx(0.2 * 0.8 / (0.2 * 0.8 + 0.8 * 0.2))
    assert high == pytest.approx(0.4 * 10 / (0.4 * 10 + 0.6))


@pytest.mark.parametrize(
    "belief",
    [
        rocch.Belief.cost_ratio(4, 10, likely=7).with_prevalence(
            rocch.Belief.prevalence_like([0.1, 0.2, 0.2, 0.4])
        ),
        rocch.Belief.cost_ratio_like([1, 2, 9]).with_prevalence((0.1, 0.3)),
        rocch.Belief.cost_ratio_like([1, 2, 9]).with_prevalence(
            rocch.Belief.prevalence_like([0.1, 0.2])
        ),
    ],
    ids=["listed prevalence", "listed costs", "both listed"],
)
def test_lists_of_costs_or_of_prevalence_are_added_up(belief: rocch.Belief) -> None:
    edges = np.linspace(0, 1, 30)
    found, wanted = COST.masses(belief, edges), belief.stretches(edges)
    assert found.between == pytest.approx(wanted.mass, abs=1e-12)
    assert found.at == pytest.approx(wanted.at_edges, abs=1e-12)
    assert found.error == 0


def test_conditions_that_all_lie_at_one_point_are_one_stem() -> None:
    """Odds of 1/4 and costs 4 times, or even odds and equal costs: the same probability-cost."""
    belief = rocch.Belief.sample(prevalence=[0.2, 0.5], false_positive=1, false_negative=[4, 1])
    found = COST.density(belief)
    assert (found.x.size, found.atoms.tolist(), found.masses.tolist()) == (0, [0.5], [1.0])
