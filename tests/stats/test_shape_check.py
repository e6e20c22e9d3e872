"""Conclusions under other shapes: the exact ranges are those of brute force."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rocch
from rocch.kernels.envelopes import Signs
from rocch.stats.losses import unimodal_range

SHARES = st.integers(0, 64).map(lambda whole: whole / 64)


@st.composite
def signed_axis(draw: st.DrawFn) -> tuple[Signs, float, float, float]:
    """Draw signs along the axis, and a low, a likely and a high share."""
    inner = sorted(draw(st.sets(SHARES.filter(lambda share: 0 < share < 1), max_size=6)))
    signs = st.integers(-1, 1)
    better = draw(st.lists(signs, min_size=len(inner) + 1, max_size=len(inner) + 1))
    at = draw(st.lists(signs, min_size=len(inner) + 2, max_size=len(inner) + 2))
    low, mode, high = sorted(draw(st.tuples(SHARES, SHARES, SHARES)))
    edges = np.array([0.0, *inner, 1.0])
    return Signs(edges, np.array(better), np.array(at)), low, mode, high


def mean_sign(signs: Signs, start: float, end: float) -> float:
    """Return the index of a uniform belief, by cells of 1/64 that no edge cuts."""
    cells = np.arange(round(start * 64), round(end * 64)) / 64 + 1 / 128
    return float(signs.better[np.searchsorted(signs.edges, cells) - 1].mean())


@given(signed_axis())
@example((Signs(np.array([0.0, 1.0]), np.array([1]), np.array([0, 0])), 0.0, 0.0, 0.0))
def test_the_range_over_unimodal_beliefs_is_that_of_brute_force(
    drawn: tuple[Signs, float, float, float],
) -> None:
    """Every uniform belief from the mode to a multiple of 1/64, and the mode itself."""
    signs, low, mode, high = drawn
    ends = [x / 64 for x in range(65) if low <= x / 64 <= high]
    tried = [mean_sign(signs, *sorted((mode, x))) for x in ends if x != mode]
    place = int(np.searchsorted(signs.edges, mode))
    on_edge = signs.edges[place] == mode
    tried.append(float(signs.at[place] if on_edge else signs.better[place - 1]))
    found = unimodal_range(signs, low, mode, high)
    assert found.low == pytest.approx(min(tried), abs=1e-12)
    assert found.high == pytest.approx(max(tried), abs=1e-12)


@given(signed_axis(), st.lists(st.floats(0, 1), min_size=3, max_size=12), st.randoms())
def test_no_unimodal_belief_leaves_the_range(
    drawn: tuple[Signs, float, float, float], steps: list[float], random: Any
) -> None:
    """Stack random slabs that rise to the mode and fall after it, not by way of mixtures."""
    signs, low, mode, high = drawn
    cells = np.arange(round(low * 64), round(high * 64)) / 64 + 1 / 128
    if not cells.size:
        return
    heights = np.array([random.choice(steps) for _ in cells]) + 1e-3
    rising = cells < mode
    density = np.concatenate((np.sort(heights[rising]), np.sort(heights[~rising])[::-1]))
    better = signs.better[np.searchsorted(signs.edges, cells) - 1]
    index = float(density @ better / density.sum())
    found = unimodal_range(signs, low, mode, high)
    assert found.low - 1e-12 <= index <= found.high + 1e-12


def rows(seed: int = 0, size: int = 200) -> tuple[rocch.RocCurve, rocch.RocCurve]:
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.3
    first = rng.normal(size=size) + 1.5 * y * (rng.random(size) < 0.7)
    second = rng.normal(size=size) * (1 - 0.6 * y) + 0.9 * y
    a, b = (
        rocch.RocCurve.from_scores(y, scores, name=name)
        for scores, name in ((first, "a"), (second, "b"))
    )
    return a, b


def check(belief: rocch.Belief, seed: int = 0, **given: Any) -> rocch.stats.ShapeCheck:
    a, b = rows(seed)
    return rocch.stats.compare_losses(a, b, belief=belief, **{"prevalence": 0.3, **given}).shapes()


@pytest.mark.parametrize("seed", range(6))
def test_every_usual_shape_lies_in_the_range_over_all_beliefs(seed: int) -> None:
    found = check(rocch.Belief.cost_ratio(0.3, 9, likely=2), seed)
    low, high = found.any_belief
    assert set(found.by_shape) >= {"even on the share", "triangle on the ratio"}
    assert all(low <= value <= high for value in found.by_shape.values())
    assert found.unimodal is not None
    for shape in ("triangle on the share", "even on the share", "all at the likely value"):
        assert found.unimodal.low - 1e-12 <= found.by_shape[shape] <= found.unimodal.high + 1e-12
    assert low <= found.unimodal.low <= found.unimodal.high <= high
    assert found.by_shape["triangle on the share"] == pytest.approx(found.lc_index)


@pytest.mark.parametrize("seed", range(6))
def test_uniform_beliefs_attain_the_range_over_unimodal_ones(seed: int) -> None:
    a, b = rows(seed)
    comparison = rocch.stats.compare_losses(
        a, b, belief=rocch.Belief.cost_ratio(0.3, 9, likely=2), prevalence=0.3
    )
    found = comparison.shapes().unimodal
    assert found is not None
    low, mode, high = 0.3 / 1.3, 2 / 3, 0.9
    edges = [low, *(s.low for s in comparison.stretches if low < s.low < high), high]
    tried = [comparison.under(rocch.Belief.cost_ratio(2)).lc_index]
    for edge in edges:
        times = sorted(x / (1 - x) for x in (edge, mode))
        tried.append(comparison.under(rocch.Belief.cost_ratio(*times)).lc_index)
    assert found.low == pytest.approx(min(tried), abs=1e-9)
    assert found.high == pytest.approx(max(tried), abs=1e-9)


def test_without_a_most_likely_value_any_mode_will_do() -> None:
    found = check(rocch.Belief.cost_ratio(0.3, 9))
    assert found.unimodal == found.any_belief


def test_an_uncertain_prevalence_leaves_only_the_wider_range() -> None:
    found = check(rocch.Belief.cost_ratio(0.3, 9, likely=2), prevalence=(0.2, 0.4))
    assert found.unimodal is None
    assert tuple(found.any_belief) == (-1, 1)
    assert not found.robust


def test_one_number_alone_has_nothing_to_choose() -> None:
    found = check(rocch.Belief.cost_ratio(2))
    assert found.any_belief.low == found.any_belief.high == found.lc_index
    assert found.robust == found.certain == (found.lc_index != 0)


def test_a_dominating_classifier_is_certain_even_up_to_an_open_end() -> None:
    y = [0, 0, 0, 1, 1, 1]
    good = rocch.RocCurve.from_scores(y, [1, 2, 3, 4, 5, 6], name="good")
    poor = rocch.RocCurve.from_scores(y, [1, 2, 5, 4, 3, 6], name="poor")
    belief = rocch.Belief.cost_ratio(1, math.inf, likely=4)
    comparison = rocch.stats.compare_losses(good, poor, belief=belief, prevalence=0.3)
    assert comparison.robust
    found = comparison.shapes()
    assert found.certain
    assert tuple(found.any_belief) == (1, 1)
    assert str(found) == "The conclusion holds whatever the belief between these bounds."


MADE = {
    "robust": (0.8, {"even": 0.5}, (0.1, 1.0), "every unimodal belief with these bounds"),
    "usual": (0.8, {"even": 0.5}, (-0.1, 1.0), "usual shapes, but not for every unimodal"),
    "none": (0.8, {"even": -0.5}, (-0.6, 1.0), "depends on the shape"),
    "level": (0.0, {"even": 0.0}, (0.0, 0.0), "depends on the shape"),
    "negative": (-0.8, {"even": -0.5}, (-1.0, -0.1), "every unimodal belief with these bounds"),
}


@pytest.mark.parametrize(("index", "shapes", "span", "says"), MADE.values(), ids=MADE.keys())
def test_what_is_said(
    index: float, shapes: dict[str, float], span: tuple[float, float], says: str
) -> None:
    made = rocch.stats.ShapeCheck(
        index, shapes, rocch.roc.Interval(*span), rocch.roc.Interval(-1.0, 1.0)
    )
    assert says in str(made)
    assert made.robust == ("every unimodal belief with" in says)
    assert not made.certain


def test_a_sign_that_can_vanish_is_not_robust() -> None:
    touching = rocch.stats.ShapeCheck(
        0.4, {}, rocch.roc.Interval(0.0, 1.0), rocch.roc.Interval(0.0, 1.0)
    )
    assert not touching.robust


def test_a_belief_that_was_not_elicited_as_bounds_has_no_other_shapes() -> None:
    with pytest.raises(rocch.InputError, match="elicited as bounds"):
        check(rocch.Belief.cost_share_beta(2, 2))
