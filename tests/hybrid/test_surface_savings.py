"""What an aimed surface saves on new rows, and how it is scored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.multiclass.new_rows import class_cost_interval, saving_interval

COSTS = rocch.CostMatrix({(0, 1): 9, (2, 1): 4}, classes=[0, 1, 2], default=1)


@pytest.fixture(scope="module")
def data() -> Any:
    return make_classification(
        600, 8, n_informative=5, n_classes=3, flip_y=0.2, class_sep=0.8, random_state=0
    )


@pytest.fixture(scope="module")
def model(data: Any) -> rocch.RocSurfaceClassifier:
    parts = [("nb", GaussianNB()), ("lr", LogisticRegression(max_iter=500))]
    return rocch.RocSurfaceClassifier(parts, objectives=None, cv=3).fit(*data)


@pytest.mark.parametrize("exact", [False, True])
def test_a_choice_is_compared_with_one_class_and_one_model(
    data: Any, model: rocch.RocSurfaceClassifier, exact: bool
) -> None:
    _, y = data
    view = model.at(COSTS, exact=exact)
    found = view.savings()
    single, always = found.rows
    assert found.expected == view.on_new_rows.expected
    tables = {n: t for n, t in view.hybrid.probabilities.items() if n != "stack"}
    costs = {
        name: rocch.expected_cost(view.hybrid.truths, table.argmax(axis=1), COSTS)
        for name, table in tables.items()
    }
    best = min(costs, key=lambda name: costs[name])
    assert single.baseline == f"the likeliest class by {best}"
    assert single.cost == pytest.approx(costs[best])
    shares = np.bincount(y) / y.size
    one = shares @ COSTS.values
    assert always.baseline == f"always predicting {one.argmin()}"
    assert always.cost == pytest.approx(one.min())
    assert always.interval.exact
    for row in found.rows:
        assert row.saves == pytest.approx(row.cost - (found.expected or 0))
        assert row.saves_interval.low < row.saves < row.saves_interval.high
    assert str(view).splitlines() == [view.describe(), str(view.on_new_rows), str(found)]
    assert view.describe() == f"{view.point} ({view.objective})"
    assert "rows wrong, expected cost" in view.describe()


def test_todays_labels(data: Any, model: rocch.RocSurfaceClassifier) -> None:
    _, y = data
    view = model.at(COSTS)
    assert view.savings(y).rows[0].baseline == "today's rule"
    assert view.savings(y).rows[0].cost == 0
    with pytest.raises(rocch.InputError, match="baseline must"):
        view.savings(y[:10])
    with pytest.raises(rocch.InputError, match="baseline"):
        view.savings(y + 7)


def test_choices_without_a_cost_say_why(model: rocch.RocSurfaceClassifier) -> None:
    vague = rocch.CostMatrix({(0, 1): (5, 9)}, classes=[0, 1, 2], default=1)
    view = model.at_least_regret(vague)
    assert view.savings().rows == ()
    assert "costs between bounds" in view.savings().note
    assert str(view) == view.describe()
    assert f"at worst {view.regret:.6g} per row more" in str(view)
    limited = model.at(COSTS, limits={0: 0.5})
    assert str(limited).startswith(f"{limited.point} (the cheapest on the evaluation rows)")


def test_what_is_saved_and_what_is_lost_have_intervals_of_their_own() -> None:
    rng = np.random.default_rng(0)
    truths, units = rng.integers(0, 3, 80), np.arange(80)
    ours, theirs = rng.random(80), rng.random(80)
    costs, shares = COSTS.values, np.array([0.2, 0.5, 0.3])
    saves, (low, high) = saving_interval(ours, theirs, truths, units, costs, shares)
    gain, gained = class_cost_interval(np.maximum(theirs - ours, 0), truths, units, costs, shares)
    loss, lost = class_cost_interval(np.maximum(ours - theirs, 0), truths, units, costs, shares)
    assert saves == pytest.approx(gain - loss)
    assert (saves - low) ** 2 == pytest.approx((gain - gained.low) ** 2 + (lost.high - loss) ** 2)
    assert (high - saves) ** 2 == pytest.approx((gained.high - gain) ** 2 + (loss - lost.low) ** 2)


def test_a_surface_is_scored_by_its_costs(data: Any, model: rocch.RocSurfaceClassifier) -> None:
    X, y = data
    assert model.score(X, y) == (model.predict(X) == y).mean()
    view = model.at(COSTS)
    assert view.score(X, y) == pytest.approx(-rocch.expected_cost(y, view.predict(X), COSTS))
    priors = {0: 0.1, 1: 0.1, 2: 0.8}
    shifted = model.at(COSTS, priors=priors)
    wanted = rocch.expected_cost(y, shifted.predict(X), COSTS, priors=priors)
    assert shifted.score(X, y) == pytest.approx(-wanted)
    vague = rocch.CostMatrix({(0, 1): (8, 10), (2, 1): 4}, classes=[0, 1, 2], default=1)
    safe = model.at_least_regret(vague)
    assert safe.score(X, y) == pytest.approx(-rocch.expected_cost(y, safe.predict(X), COSTS))
    scorer = rocch.cost_scorer(COSTS)
    assert scorer(view, X, y) == pytest.approx(view.score(X, y))
