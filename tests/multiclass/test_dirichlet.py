from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import rocch
from rocch import InputError
from rocch.multiclass import Classes

PAIRS = {("a", "b"): 4.0, ("b", "a"): 1.0}
NO_MAPPING: Any = [1, 2]


def test_draws_have_the_moments_of_a_dirichlet() -> None:
    belief = rocch.multiclass.DirichletBelief({"a": 2.0, "b": 5.0, "c": 1.0})
    draws = belief.sample(40_000, seed=1)
    law = stats.dirichlet([2, 5, 1])
    assert draws.sum(axis=1) == pytest.approx(np.ones(len(draws)))
    assert draws.mean(axis=0) == pytest.approx(law.mean(), abs=0.005)
    assert draws.var(axis=0) == pytest.approx(law.var(), rel=0.05)


def test_about_sets_the_mean_and_how_sure_it_is() -> None:
    belief = rocch.multiclass.DirichletBelief.about({"a": 30, "b": 10}, strength=19)
    assert belief.mean == {"a": 0.75, "b": 0.25}
    assert belief.sample(40_000).std(axis=0) == pytest.approx(
        np.full(2, (0.75 * 0.25 / 20) ** 0.5), rel=0.05
    )


def test_an_alpha_of_zero_is_certainly_nothing() -> None:
    assert (rocch.multiclass.DirichletBelief({"a": 1, "b": 0, "c": 1}).sample(50)[:, 1] == 0).all()


def test_cost_draws_stand_in_the_order_of_the_classes() -> None:
    belief = rocch.multiclass.DirichletBelief(PAIRS)
    draws = belief.cost_draws(Classes.of(["b", "a"]), 100, seed=3)
    plain = belief.sample(100, seed=3)
    assert draws[:, 1, 0].tolist() == plain[:, 0].tolist()
    assert (np.diagonal(draws, axis1=1, axis2=2) == 0).all()


def test_mean_costs() -> None:
    assert rocch.multiclass.DirichletBelief(PAIRS).mean_costs()["a", "b"] == 0.8


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: rocch.multiclass.DirichletBelief(NO_MAPPING), "map"),
        (lambda: rocch.multiclass.DirichletBelief({"a": 1}), "two or more"),
        (lambda: rocch.multiclass.DirichletBelief({"a": 0, "b": 0}), "not only zeros"),
        (lambda: rocch.multiclass.DirichletBelief({"a": -1, "b": 1}), "the alpha of a must be"),
        (lambda: rocch.multiclass.DirichletBelief.about({"a": 1, "b": 1}, strength=0), "above 0"),
        (lambda: rocch.multiclass.DirichletBelief({"a": 1, "b": 1}).sample(0), "at least 1"),
        (
            lambda: rocch.multiclass.DirichletBelief({"a": 1, "b": 1}).mean_costs(),
            "belief about classes is for priors",
        ),
        (
            lambda: rocch.multiclass.DirichletBelief(PAIRS).cost_draws(Classes.of(["a", "c"]), 5),
            "have exactly the classes",
        ),
    ],
)
def test_bad_input(call: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        call()


def test_beliefs_compare_by_value() -> None:
    one, two = (
        rocch.multiclass.DirichletBelief({"a": 1, "b": 2}),
        rocch.multiclass.DirichletBelief({"b": 2, "a": 1}),
    )
    assert one == two
    assert hash(one) == hash(two)
    assert one != rocch.multiclass.DirichletBelief({"a": 1, "b": 3})
    assert one != "belief"


def test_tiny_alphas_draw_one_of_the_keys() -> None:
    drawn = rocch.multiclass.DirichletBelief({"a": 1e-300, "b": 1e-300}).sample(200, seed=1)
    assert np.isin(drawn, [0, 1]).all()
    assert 50 < drawn[:, 0].sum() < 150


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (
            lambda: rocch.multiclass.DirichletBelief({"a": 1, ("a", "b"): 1}),
            "about errors or about classes",
        ),
        (
            lambda: rocch.multiclass.DirichletBelief({("a", "a"): 1, ("a", "b"): 1}),
            "Right predictions cost",
        ),
        (
            lambda: rocch.multiclass.DirichletBelief({"a": 1, "b": 1}).sample(
                3,
                seed="x",  # type: ignore[arg-type]
            ),
            "seed must",
        ),
    ],
)
def test_keys_that_make_no_belief(call: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        call()
