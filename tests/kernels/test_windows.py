"""Windows and boxes of rates: the cheapest choices, against enumeration."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels import windows
from rocch.kernels.windows import BoxChoices, cheapest_box, cheapest_window, least_width


@st.composite
def several_groups(draw: st.DrawFn) -> list[BoxChoices]:
    groups = []
    for _ in range(draw(st.integers(1, 3))):
        negatives, positives = draw(st.integers(1, 8)), draw(st.integers(1, 8))
        point = st.tuples(
            st.integers(0, negatives), st.integers(0, positives), st.integers(0, 1000)
        )
        rows = np.array(draw(st.lists(point, min_size=1, max_size=7)))
        groups.append(BoxChoices(rows[:, 0] / negatives, rows[:, 1] / positives, rows[:, 2] / 1000))
    return groups


WIDTHS = st.sampled_from([0.0, 0.1, 0.125, 0.3, 0.5, 1.0])


def fits(values: Any, width: float) -> bool:
    return bool(max(values) - min(values) <= width + 1e-12)


@given(several_groups(), WIDTHS)
def test_windows_are_the_cheapest(groups: list[BoxChoices], width: float) -> None:
    costs = [
        sum(g.cost[i] for g, i in zip(groups, places, strict=True))
        for places in product(*(range(g.cost.size) for g in groups))
        if fits([g.tpr[i] for g, i in zip(groups, places, strict=True)], width)
    ]
    found = cheapest_window([(g.tpr, g.cost) for g in groups], width)
    if not costs:
        assert found is None
        return
    assert found is not None
    assert found[1] == pytest.approx(min(costs), abs=1e-12)
    assert fits([g.tpr[i] for g, i in zip(groups, found[0], strict=True)], width)


@given(several_groups(), WIDTHS)
def test_boxes_are_the_cheapest(groups: list[BoxChoices], width: float) -> None:
    costs = [
        sum(g.cost[i] for g, i in zip(groups, places, strict=True))
        for places in product(*(range(g.cost.size) for g in groups))
        if fits([g.tpr[i] for g, i in zip(groups, places, strict=True)], width)
        and fits([g.fpr[i] for g, i in zip(groups, places, strict=True)], width)
    ]
    found = cheapest_box(groups, width)
    if not costs:
        assert found.places is None
        return
    assert found.places is not None
    assert found.cost == found.bound == pytest.approx(min(costs), abs=1e-12)
    chosen = list(zip(groups, found.places, strict=True))
    assert fits([g.fpr[i] for g, i in chosen], width)
    assert fits([g.tpr[i] for g, i in chosen], width)
    assert sum(g.cost[i] for g, i in chosen) == pytest.approx(found.cost, abs=1e-12)


@given(several_groups())
def test_the_least_width_holds_a_rate_of_each_group(groups: list[BoxChoices]) -> None:
    rates = [g.fpr for g in groups]
    assert least_width(rates) == min(max(each) - min(each) for each in product(*rates))


def test_a_search_that_stops_early_bounds_what_it_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    groups = []
    for _ in range(3):
        fpr, tpr = rng.random((2, 400))
        groups.append(BoxChoices(fpr, tpr, rng.random(400)))
    best = cheapest_box(groups, 0.03)
    assert best.bound == best.cost
    monkeypatch.setattr(windows, "ZOOMS", 1)
    monkeypatch.setattr(windows, "CELLS", 20)
    early = cheapest_box(groups, 0.03, most_edges=0)
    assert early.bound < best.cost <= early.cost
    slow = cheapest_box(groups, 0.03, most_edges=10_000)
    assert slow.cost == slow.bound == best.cost
