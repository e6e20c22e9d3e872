"""The true rates of rules, against rows drawn."""

from __future__ import annotations

import numpy as np
import pytest

from studies import new_rows_cost as study

SETTINGS = {setting.graded: setting for setting in (study.SETTINGS[6], study.SETTINGS[8])}


@pytest.mark.parametrize("graded", [False, True])
def test_true_rates_are_those_of_rows_drawn(graded: bool) -> None:
    setting = SETTINGS[graded]
    many, other = (
        study.draw(np.random.default_rng(seed), setting._replace(positives=10**5, negatives=10**5))
        for seed in (1, 2)
    )
    for threshold in (-0.5, 1.0):
        alarms = other[1][1] >= threshold
        rates = alarms[~other[0]].mean(), alarms[other[0]].mean()
        assert study._rates(setting, 1, threshold, many) == pytest.approx(rates, abs=0.01)
    y, values = study.draw(np.random.default_rng(3), setting)
    fit = study._fit(values, y)
    alarms = study._log_odds(fit, other[1]) > 0.3
    rates = alarms[~other[0]].mean(), alarms[other[0]].mean()
    assert study._stack_rates(setting, fit, 0.3, many) == pytest.approx(rates, abs=0.01)


def test_a_line_says_how_far_costs_are_off_and_how_often_intervals_hold() -> None:
    outcomes = np.array([[1.1, 0.5, 1.5, 0.9, 1.0], [1.1, 1.2, 1.4, 0.9, 1.0]])
    assert study.describe(outcomes) == "+10.0 ± 0.0 (-10); 50.0; 0.60"
