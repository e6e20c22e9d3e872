"""Everything long shows its progress: nothing by default, one line, or by a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rocch

RNG = np.random.default_rng(3)
Y = np.arange(200) % 2 == 0
X = RNG.normal(size=(200, 2)) + Y[:, None]
SCORES = {"a": X[:, 0], "b": X[:, 1]}
MODELS = [("nb", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2, random_state=0))]
BELIEF = rocch.Belief.cost_ratio(2, 8).with_prevalence(0.3)
KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
FLOWERS = load_iris(return_X_y=True)


def fit_surface(verbose: Any) -> object:
    model = rocch.RocSurfaceClassifier(MODELS, generations=5, draws=4, cv=3, verbose=verbose)
    return model.fit(*FLOWERS)


WORK: dict[str, tuple[Callable[[Any], object], int]] = {
    # 2 models on 3 folds, the selection, and 2 models to deploy
    "fit": (lambda v: rocch.RocchClassifier(MODELS, cv=3, verbose=v).fit(X, Y), 9),
    "fit with jobs": (
        lambda v: rocch.RocchClassifier(MODELS, cv=3, n_jobs=2, verbose=v).fit(X, Y),
        9,
    ),
    "fit a surface": (fit_surface, 8),
    "bootstrap": (lambda v: rocch.stats.bootstrap(Y, SCORES, replicates=60, verbose=v), 60),
    "band": (
        lambda v: rocch.stats.roc_band(
            Y, X[:, 0], kind="pointwise", replicates=60, verbose=v, confidence=0.9
        ),
        60,
    ),
    "LC intervals": (
        lambda v: rocch.stats.lc_intervals(Y, SCORES, belief=BELIEF, replicates=60, verbose=v),
        60,
    ),
    "out of sample": (
        lambda v: rocch.stats.out_of_sample_choice(Y, SCORES, KNOWN, replicates=100, verbose=v),
        100,
    ),
    "resampled tests": (
        lambda v: rocch.stats.compare_curves(
            Y, SCORES, at=rocch.NeymanPearson(0.1), replicates=60, verbose=v
        ),
        60,
    ),
    "permutations": (
        lambda v: rocch.stats.compare_curves(Y, SCORES, at="whole curve", replicates=30, verbose=v),
        30,
    ),
    "combinations": (
        lambda v: rocch.hybrid.find_combinations(Y, SCORES, rounds=1, verbose=v),
        1,
    ),
    "settings": (
        lambda v: rocch.hybrid.find_settings(
            DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}, X, Y, verbose=v
        ),
        3,
    ),
}


@pytest.mark.parametrize(("work", "steps"), WORK.values(), ids=WORK.keys())
def test_a_function_hears_of_every_step(work: Callable[[Any], object], steps: int) -> None:
    seen: list[tuple[int, int]] = []
    work(lambda done, total: seen.append((done, total)))
    first = seen[: [total for _, total in seen].count(steps)]
    assert {total for _, total in first} == {steps}
    assert [done for done, _ in first] == sorted({done for done, _ in first})
    assert first[-1] == (steps, steps)


@pytest.mark.parametrize(("work", "steps"), WORK.values(), ids=WORK.keys())
def test_a_line_is_written_at_the_end_if_asked_for(
    work: Callable[[Any], object], steps: int, capfd: pytest.CaptureFixture[str]
) -> None:
    work(0)
    assert capfd.readouterr() == ("", "")
    work(1)
    out, err = capfd.readouterr()
    assert out == ""
    assert f": {steps:,} done in " in err.splitlines()[0]


def test_models_can_be_cloned_with_it() -> None:
    assert clone(rocch.RocchClassifier(MODELS, verbose=1)).get_params()["verbose"] == 1
    assert clone(rocch.RocSurfaceClassifier(MODELS, verbose=1)).get_params()["verbose"] == 1
