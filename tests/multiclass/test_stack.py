"""Stacks of class probabilities: their formula, their weights, and stacks fitted to other rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rocch import InputError
from rocch.multiclass import Classes, ProbabilityStack, three_class_data
from rocch.multiclass.stack import CLIP, cross_fit_stack, deal_folds

CLASSES = [1, 2, 3]


def log_loss(probabilities: Any, truths: Any) -> float:
    return -float(np.log(probabilities[np.arange(len(truths)), truths - 1]).mean())


def sharpened(probabilities: Any, power: float) -> Any:
    powers = probabilities**power
    return powers / powers.sum(axis=1, keepdims=True)


def noisy_models(seed: int, rows: int = 600) -> tuple[Any, dict[str, Any]]:
    """Return labels, and models that know the true probabilities up to noise of their own."""
    data = three_class_data(rows, seed=seed)
    true = data.probabilities(data.X)
    rng = np.random.default_rng(seed)
    return data.y, {
        name: sharpened(np.maximum(true, 1e-6) * np.exp(rng.normal(size=true.shape)), power)
        for name, power in (("calm", 0.6), ("bold", 2.0))
    }


def slow_probabilities(stack: ProbabilityStack, row: dict[str, list[float]]) -> list[float]:
    powers = [
        math.exp(
            intercept
            + sum(w * math.log(max(row[name][k], CLIP)) for name, w in stack.weights.items())
        )
        for k, intercept in enumerate(stack.intercepts.values())
    ]
    return [power / sum(powers) for power in powers]


def test_probabilities_follow_the_formula() -> None:
    y, models = noisy_models(0)
    stack = ProbabilityStack.fit(y, models)
    found = stack.predict_proba(models)
    for place in range(0, len(y), 25):
        row = {name: table[place].tolist() for name, table in models.items()}
        assert found[place] == pytest.approx(slow_probabilities(stack, row), rel=1e-9)
        alone = stack.predict_proba({name: table[[place]] for name, table in models.items()})
        assert alone[0].tolist() == found[place].tolist()


def test_a_stack_predicts_new_rows_better_than_its_models() -> None:
    y, models = noisy_models(0)
    stack = ProbabilityStack.fit(y, models)
    new_y, new = noisy_models(1)
    own = log_loss(stack.predict_proba(new), new_y)
    assert own < min(log_loss(table, new_y) for table in new.values())


def test_one_model_is_calibrated() -> None:
    data = three_class_data(3000, seed=3)
    bold = sharpened(data.probabilities(data.X), 3)
    stack = ProbabilityStack.fit(data.y, {"bold": np.maximum(bold, 1e-12)})
    assert log_loss(stack.predict_proba({"bold": bold}), data.y) < log_loss(
        np.maximum(bold, 1e-12), data.y
    )
    assert 0 < stack.weights["bold"] < 1


def test_a_model_that_misleads_has_weight_0_and_is_not_needed() -> None:
    y, models = noisy_models(2)
    models["wrong"] = sharpened(models["calm"], -1)  # likely classes are unlikely
    stack = ProbabilityStack.fit(y, models)
    assert stack.weights["wrong"] == 0
    assert stack.components == ("calm", "bold")
    assert "wrong" not in str(stack)
    few = {name: models[name] for name in stack.components}
    assert stack.predict_proba(few).tolist() == stack.predict_proba(models).tolist()
    with pytest.raises(InputError, match="have the probabilities of 'calm', 'bold'"):
        stack.predict_proba({"calm": models["calm"]})


def test_models_that_know_nothing_leave_the_shares_of_the_classes() -> None:
    y, models = noisy_models(4)
    wrong = {"wrong": models["bold"][:, [1, 2, 0]]}
    stack = ProbabilityStack.fit(y, wrong)
    assert stack.weights == {"wrong": 0}
    assert str(stack) == "the shares of the classes"
    assert stack.predict_proba(wrong) == pytest.approx(np.full((len(y), 3), 1 / 3), abs=1e-4)


def test_classes_may_have_another_order() -> None:
    y, models = noisy_models(5)
    turned = {name: table[:, ::-1] for name, table in models.items()}
    one = ProbabilityStack.fit(y, models)
    two = ProbabilityStack.fit(y, turned, classes=[3, 2, 1])
    assert two.weights == pytest.approx(dict(one.weights), rel=1e-5)
    assert two.predict_proba(turned)[:, ::-1] == pytest.approx(one.predict_proba(models), abs=1e-5)
    assert one == ProbabilityStack.fit(y, models)
    assert hash(one) == hash(ProbabilityStack.fit(y, models))


def test_a_row_has_no_influence_on_its_own_stacked_probabilities() -> None:
    y, models = noisy_models(6, 120)
    truths, folds = y - 1, deal_folds(y - 1, np.arange(120))
    before = cross_fit_stack(models, truths, folds)
    changed = np.where(folds == 3, (truths + 1) % 3, truths)
    after = cross_fit_stack(models, changed, folds)
    assert after[folds == 3] == pytest.approx(before[folds == 3], abs=1e-4)
    assert np.abs(after[folds != 3] - before[folds != 3]).max() > 0.01
    own = ProbabilityStack.of_rows(
        {name: table[folds != 3] for name, table in models.items()},
        truths[folds != 3],
        Classes.of(CLASSES),
    )
    held_out = {name: table[folds == 3] for name, table in models.items()}
    assert before[folds == 3] == pytest.approx(own.predict_proba(held_out), abs=1e-4)


def test_a_class_that_only_one_fold_has_stays_finite() -> None:
    y, models = noisy_models(7, 60)
    truths = np.where(np.arange(60) == 0, 2, (y - 1) % 2)
    stacked = cross_fit_stack(models, truths, deal_folds(truths, np.arange(60)))
    assert np.isfinite(stacked).all()
    assert stacked.sum(axis=1) == pytest.approx(np.ones(60))


@pytest.mark.parametrize("seed", range(5))
def test_folds_have_nearly_as_many_rows_of_each_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truths = rng.integers(0, 4, rng.integers(5, 300))
    folds = deal_folds(truths, np.arange(truths.size))
    for k in range(4):
        counts = np.bincount(folds[truths == k], minlength=10)
        assert counts.max() - counts.min() <= 1
    assert np.ptp(np.bincount(folds, minlength=10)) <= 1


def test_rows_of_a_unit_stay_in_one_fold() -> None:
    rng = np.random.default_rng(0)
    units, truths = rng.integers(0, 40, 300), rng.integers(0, 3, 300)
    folds = deal_folds(truths, units)
    assert all(np.unique(folds[units == unit]).size == 1 for unit in range(40))
    assert np.unique(folds).size == 10
