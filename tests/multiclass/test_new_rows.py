"""What multi-class choices will cost: the mean, its interval, and choices made on other rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.multiclass.new_rows import choose_repeatedly, class_cost_interval, saving_interval
from tests.support.oracles.multiclass import expected_cost

COSTS = np.array([[0, 1.0, 5.0], [2.0, 0, 0.5], [10.0, 1.0, 0]])


def drawn(rng: np.random.Generator, rates: Any, sizes: Any) -> tuple[Any, Any]:
    """Return truths and predictions at random."""
    truths = np.repeat(np.arange(3), sizes)
    predictions = [rng.choice(3, size=n, p=p) for n, p in zip(sizes, rates, strict=True)]
    return truths, np.concatenate(predictions)


@pytest.mark.parametrize("seed", range(5))
def test_the_mean_is_the_expected_cost_at_any_class_balance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truths, predictions = drawn(rng, rng.dirichlet([5, 1, 1], size=3), [30, 50, 8])
    shares = rng.dirichlet([1, 1, 1])
    counts = np.zeros((3, 3), dtype=int)
    np.add.at(counts, (truths, predictions), 1)
    exact = [Fraction(share) for share in shares.tolist()]
    want = float(expected_cost(counts.tolist(), COSTS.tolist(), exact))
    losses = COSTS[truths, predictions]
    cost, (low, high) = class_cost_interval(losses, truths, np.arange(88), COSTS, shares)
    assert cost == pytest.approx(want)
    assert 0 <= low < cost < high


def test_the_interval_covers_the_true_cost() -> None:
    rng = np.random.default_rng(0)
    rates = np.array([[0.9, 0.08, 0.02], [0.1, 0.88, 0.02], [0.01, 0.19, 0.8]])
    sizes = np.array([100, 60, 40])
    shares = sizes / 200
    true = float((shares[:, np.newaxis] * rates * COSTS).sum())
    above = below = 0
    for _ in range(1000):
        truths, predictions = drawn(rng, rates, sizes)
        losses = COSTS[truths, predictions]
        _, (low, high) = class_cost_interval(losses, truths, np.arange(200), COSTS, shares)
        above, below = above + (true > high), below + (true < low)
    assert above <= 40
    assert below <= 40
    assert above + below >= 10  # not far too wide


def test_without_errors_the_cost_may_still_be_above_0() -> None:
    truths = np.repeat([0, 1, 2], 40)
    shares = np.full(3, 1 / 3)
    highs = []
    for copies in (1, 10):
        many = np.tile(truths, copies)
        found = class_cost_interval(np.zeros(many.size), many, np.arange(many.size), COSTS, shares)
        assert found[0] == found[1].low == 0
        highs.append(found[1].high)
    assert highs[0] > 9 * highs[1] > 0


def test_rows_that_are_always_wrong_have_an_interval() -> None:
    truths, predictions = np.repeat([0, 1, 2], 20), np.repeat([1, 1, 2], 20)
    losses = COSTS[truths, predictions]
    cost, (low, high) = class_cost_interval(losses, truths, np.arange(60), COSTS, np.full(3, 1 / 3))
    assert low == cost == pytest.approx(1 / 3)
    assert high > cost


def test_copies_of_rows_add_no_certainty() -> None:
    rng = np.random.default_rng(1)
    truths, predictions = drawn(rng, rng.dirichlet([5, 1, 1], size=3), [30, 50, 20])
    losses, shares = COSTS[truths, predictions], np.array([0.3, 0.5, 0.2])
    once = class_cost_interval(losses, truths, np.arange(100), COSTS, shares)
    copied = class_cost_interval(
        np.tile(losses, 5), np.tile(truths, 5), np.tile(np.arange(100), 5), COSTS, shares
    )
    assert copied[0] == pytest.approx(once[0])
    assert tuple(copied[1]) == pytest.approx(tuple(once[1]))


def test_a_choice_never_sees_the_rows_it_is_applied_to() -> None:
    folds = np.arange(50) % 10
    seen = []

    def choose(rows: Any) -> Any:
        seen.append(set(rows.tolist()))
        hidden = np.ones(50, dtype=np.int64)
        hidden[rows] = 0
        return hidden

    assert choose_repeatedly(choose, folds).tolist() == [1] * 50
    assert len(seen) == 10
    assert all(len(rows) == 45 for rows in seen)


@given(st.data())
def test_intervals_stay_within_what_predictions_can_cost(data: st.DataObject) -> None:
    """With few rows the gamma distribution alone reaches beyond the largest cost."""
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 2)] * 3), max_size=6))
    truths, ours, others = np.array([*rows, (0, 1, 2), (1, 0, 1), (2, 0, 0)]).T
    costs = COSTS + np.array([[0.0], [0.5], [0.0]])  # right predictions may cost something, too
    shares = np.array([0.5, 0.25, 0.25])
    units = np.arange(truths.size)
    least, most = shares @ costs.min(axis=1), shares @ costs.max(axis=1)
    paid, baseline = costs[truths, ours], costs[truths, others]
    cost, (low, high) = class_cost_interval(paid, truths, units, costs, shares)
    assert least - 1e-9 <= low <= cost <= high <= most + 1e-9
    saves, bounds = saving_interval(paid, baseline, truths, units, costs, shares)
    assert least - most - 1e-9 <= bounds.low <= saves <= bounds.high <= most - least + 1e-9
