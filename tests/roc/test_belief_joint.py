"""Costs and prevalence both in doubt: against Monte Carlo, against swapped roles, and by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import rocch
from rocch.roc.belief_axis import (
    NO_UNIT,
    PLACES_AT_ONCE,
    IndependentPart,
    matching_share,
)

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.shapes import Shape

B = rocch.Belief
COSTS = {
    "triangle": B.cost_ratio(1, 30, likely=5),
    "even": B.cost_ratio(2, 9),
    "open": B.cost_ratio(1, math.inf, likely=3),
    "beta": B.cost_share_beta(2, 3),
    "about": B.cost_ratio_about(5, factor=3),
    "triangle on times": B.cost_ratio(1, 30, likely=5, on="times"),
    "sample": B.cost_ratio_like([1, 5, 30], weights=[1, 3, 1]),
}
BALANCES = {
    "even": B.prevalence(0.1, 0.3),
    "triangle": B.prevalence(0.05, 0.4, likely=0.1),
    "beta": B.prevalence_beta(3, 9),
    "all": B.prevalence(0, 1),
    "SciPy": B.prevalence_like(stats.beta(2, 5)),
    "sample": B.prevalence_like([0.1, 0.25]),
}
EDGES = np.linspace(0, 1, 12)


def shapes_of(costs: rocch.Belief, balance: rocch.Belief) -> tuple[Shape, Shape]:
    ((_, part),) = costs.with_prevalence(balance).parts
    assert isinstance(part, IndependentPart)
    return part.shares


def drawn(shape: Shape, rng: np.random.Generator, size: int) -> FloatArray:
    return shape.quantile(rng.random(size))


@pytest.mark.parametrize("balance", BALANCES.values(), ids=BALANCES.keys())
@pytest.mark.parametrize("costs", COSTS.values(), ids=COSTS.keys())
def test_stretches_against_monte_carlo(costs: rocch.Belief, balance: rocch.Belief) -> None:
    size, rng = 30_000, np.random.default_rng(5)
    share, prevalence = shapes_of(costs, balance)
    c, p = drawn(share, rng, size), drawn(prevalence, rng, size)
    alarm, miss = (1 - p) * (1 - c), p * c
    place = np.minimum(np.searchsorted(EDGES, miss / (alarm + miss), side="left"), 11)
    found = costs.with_prevalence(balance).with_unit(sum_of_costs=1).stretches(EDGES, costs=True)
    masses = found.mass + found.at_edges[1:]
    for values, wanted in ((np.ones(size), masses), (alarm, found.alarm), (miss, found.miss)):
        for k in range(1, 12):
            sample = np.where(place == k, values, 0.0)
            room = 5 * sample.std() / math.sqrt(size) + 1e-4
            assert sample.mean() == pytest.approx(wanted[k - 1], abs=room)


@pytest.mark.parametrize("first", ["triangle", "beta", "about", "even", "sample"])
@pytest.mark.parametrize("second", ["even", "beta", "open"])
def test_roles_can_be_swapped(first: str, second: str) -> None:
    one, other = (shapes_of(COSTS[name], BALANCES["even"])[0] for name in (first, second))
    there = B(parts=((1.0, IndependentPart(one, other)),)).with_unit(sum_of_costs=1)
    back = B(parts=((1.0, IndependentPart(other, one)),)).with_unit(sum_of_costs=1)
    found, wanted = (belief.stretches(EDGES, costs=True) for belief in (there, back))
    for name in ("mass", "alarm", "miss"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), atol=1e-9)


@pytest.mark.parametrize("unit", ["false_positive", "false_negative", "sum_of_costs"])
@pytest.mark.parametrize("name", ["triangle", "even", "about", "triangle on times"])
def test_expectations_of_independent_doubts_multiply(name: str, unit: str) -> None:
    known = COSTS[name].with_unit(**{unit: 7}).with_prevalence(0.4).expected_case
    for balance in (BALANCES["triangle"], BALANCES["beta"], BALANCES["all"]):
        said = COSTS[name].with_unit(**{unit: 7}).with_prevalence(balance)
        found = said.expected_case
        assert found[1:3] == pytest.approx(known[1:3], rel=1e-7)
        assert found.prevalence == pytest.approx(said.mean.prevalence)


def test_by_hand() -> None:
    # both even on [0, 1]: t <= 1/2 exactly if c + p <= 1
    both = B.cost_share_beta(1, 1).with_prevalence((0, 1)).with_unit(sum_of_costs=1)
    found = both.stretches(np.array([0.0, 0.5, 1.0]), costs=True)
    assert found.mass == pytest.approx([0.5, 0.5], abs=1e-12)
    lower = integrate.dblquad(lambda c, p: (1 - p) * (1 - c), 0, 1, 0, lambda p: 1 - p)[0]
    assert found.alarm[0] == pytest.approx(lower, abs=1e-12)
    assert found.miss[0] == pytest.approx(1 / 4 - lower, abs=1e-12)
    assert found.error < 1e-10


@settings(max_examples=25)
@given(st.floats(0.02, 0.98), st.sampled_from(["triangle", "even", "beta", "open"]))
def test_masses_against_quadrature(edge: float, name: str) -> None:
    share, prevalence = shapes_of(COSTS[name], BALANCES["even"])
    inner = [float(matching_share(np.array(edge), kink)) for kink in share.kinks]
    wanted = integrate.quad(
        lambda p: float(share.cumulative(matching_share(np.array([edge]), p))[0][0]) / 0.2,
        0.1,
        0.3,
        points=[p for p in inner if 0.1 < p < 0.3] or None,
        epsabs=1e-12,
    )[0]
    rows, error = IndependentPart(share, prevalence).cumulative(np.array([edge]), NO_UNIT)
    assert rows[0][0] == pytest.approx(wanted, abs=1e-11)
    assert error < 1e-9


def test_many_edges_are_taken_in_turns() -> None:
    part = IndependentPart(*shapes_of(COSTS["triangle"], BALANCES["even"]))
    edges = np.linspace(0, 1, PLACES_AT_ONCE // 150)
    rows, _ = part.cumulative(edges, NO_UNIT)
    assert rows.shape == (3, edges.size)
    assert (np.diff(rows[0]) >= -1e-12).all()
    for k in (0, 100, 400, edges.size - 1):
        alone, _ = part.cumulative(edges[k : k + 1], NO_UNIT)
        np.testing.assert_allclose(alone[:, 0], rows[:, k], atol=1e-13)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_partners(edge: float, known: float) -> None:
    share = float(matching_share(np.array(edge), known))
    miss, alarm = share * known, (1 - share) * (1 - known)
    assert miss / (miss + alarm) == pytest.approx(edge)


def test_partners_at_the_ends() -> None:
    assert matching_share(np.array([0.0, 0.5, 1.0]), 0.0).tolist() == [1, 1, 1]
    assert matching_share(np.array([0.0, 0.5, 1.0]), 1.0).tolist() == [0, 0, 1]
    assert matching_share(np.array([0.0]), 0.0, inclusive=False).tolist() == [0]
