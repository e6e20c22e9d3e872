from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from rocch import InputError
from rocch.multiclass import Classes, DirichletBelief
from rocch.multiclass.search import as_alphas, draw_costs

CLASSES = Classes(("cat", "dog", "eel"))


@pytest.mark.parametrize("alphas", [None, 1, 0.3, 50, {("cat", "dog"): 5.0}])
def test_costs_sum_to_one_and_right_answers_cost_nothing(alphas: Any) -> None:
    drawn = draw_costs(as_alphas(alphas, CLASSES), 200, np.random.default_rng(0))
    assert drawn.shape == (200, 3, 3)
    assert drawn.sum(axis=(1, 2)) == pytest.approx(np.ones(200))
    assert (np.diagonal(drawn, axis1=1, axis2=2) == 0).all()
    assert (drawn >= 0).all()


def test_alphas_of_one_spread_evenly_over_the_simplex() -> None:
    drawn = draw_costs(as_alphas(None, CLASSES), 20_000, np.random.default_rng(1))
    wrong = ~np.eye(3, dtype=bool)
    # coordinates of a uniform point on the 6-simplex are beta(1, 5)
    assert drawn[:, wrong].mean(axis=0) == pytest.approx(np.full(6, 1 / 6), abs=0.003)
    assert np.mean(drawn[:, wrong] > 0.5) == pytest.approx(0.5**5, abs=0.003)


def test_alphas_set_the_ratio_of_expected_costs_and_their_size_the_spread() -> None:
    rng = np.random.default_rng(2)
    pairs = dict.fromkeys(CLASSES.pairs, 1.0) | {("dog", "eel"): 4.0}
    wide = draw_costs(as_alphas(pairs, CLASSES), 20_000, rng)
    narrow = draw_costs(as_alphas({p: 100 * a for p, a in pairs.items()}, CLASSES), 20_000, rng)
    for drawn in (wide, narrow):
        assert drawn[:, 1, 2].mean() == pytest.approx(4 / 9, abs=0.01)
        assert drawn[:, 2, 1].mean() == pytest.approx(1 / 9, abs=0.01)
    assert narrow[:, 1, 2].std() < wide[:, 1, 2].std() / 5


def test_the_least_alpha_still_gives_costs() -> None:
    drawn = draw_costs(as_alphas(0.02, Classes((0, 1))), 200_000, np.random.default_rng(3))
    assert np.isfinite(drawn).all()


@pytest.mark.parametrize(
    ("alphas", "message"),
    [
        (0, "alphas must be a number from 0.02 to 1e+06; got 0."),
        (-1.0, "alphas must be a number from 0.02 to 1e+06; got -1.0."),
        (1.1e6, "alphas must be a number from 0.02 to 1e+06; got 1100000.0."),
        (float("inf"), "alphas must be a number from 0.02 to 1e+06; got inf."),
        (np.ones((3, 3)), "alphas must be a number, map pairs (truth, prediction)"),
        ("even", "alphas must be a number, map pairs"),
        ({"cat": 2.0}, "alphas must name pairs (truth, prediction); got 'cat'."),
        ({("cat", "cow"): 2.0}, "alphas must name one of the classes; got 'cow'."),
        ({("cat", "cat"): 2.0}, "alphas must be about errors"),
        (
            {("cat", "dog"): None},
            "predicting dog when cat is true must be a number from 0.02",
        ),
    ],
)
def test_bad_input(alphas: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        as_alphas(alphas, CLASSES)


def test_a_belief_gives_its_alphas() -> None:
    pairs = {(k, j): 1.0 + k + 3 * j for k in range(3) for j in range(3) if k != j}
    classes = Classes.of([0, 1, 2])
    by_pair, believed = (as_alphas(given, classes) for given in (pairs, DirichletBelief(pairs)))
    assert by_pair.tolist() == believed.tolist()
