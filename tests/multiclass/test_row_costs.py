from __future__ import annotations

import numpy as np
import pytest

import rocch
from rocch import InputError


def test_answers_are_judged_by_what_each_row_costs() -> None:
    costs = rocch.multiclass.RowCosts({("fraud", "fine"): [900, 40, 10], ("fine", "fraud"): 50})
    truth = ["fraud", "fraud", "fine"]
    assert costs.mean_cost(truth, ["fine", "fraud", "fraud"]) == pytest.approx(950 / 3)
    assert costs.mean_cost(truth, truth) == 0
    with pytest.raises(InputError, match="y_pred must have one value for each of the 3 rows"):
        costs.mean_cost(truth, ["fine"])


def test_answers_by_row_costs_cost_least_if_posteriors_are_right() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    truth = np.where(rng.random(2000) < p, "fraud", "fine")
    costs = rocch.multiclass.RowCosts(
        {("fraud", "fine"): rng.exponential(100, 2000), ("fine", "fraud"): 50}
    )
    probabilities = {"fraud": p, "fine": 1 - p}
    own = costs.mean_cost(truth, rocch.multiclass.assign(probabilities, costs))
    plain = rocch.multiclass.assign(probabilities, rocch.CostMatrix.zero_one(["fine", "fraud"]))
    assert own < costs.mean_cost(truth, plain)
