"""Training-set and test-set variation are separated, and recovered where both are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import rocch
from tests.support.oracles import auc_variance, curves

lib: Any = rocch
ROWS = 200


def trained(
    rng: np.random.Generator, runs: int, *, wobble: float, noise: float, y: Any, x: Any
) -> dict[str, Any]:
    """Score rows x by linear models whose direction, off by an angle, came out of training.

    The rows are two-dimensional standard normal, the first feature shifted by 1.5 for positives.
    A model at angle t has true AUC Phi(1.5 cos t / sqrt 2) at noise 0, whatever the rows.
    """
    angles = rng.normal(0, wobble, runs)
    return {
        f"run {i}": x[:, 0] * math.cos(t) + x[:, 1] * math.sin(t) + noise * rng.normal(size=len(y))
        for i, t in enumerate(angles)
    }


def rows(rng: np.random.Generator) -> tuple[Any, Any]:
    y = np.arange(ROWS) % 2
    x = rng.normal(size=(ROWS, 2))
    x[:, 0] += 1.5 * y
    return y, x


@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")  # some trainings go wrong
def test_known_variances_are_recovered() -> None:
    """The truth from the model itself: 20,000 true AUCs, and 4,000 trainings each on new rows."""
    rng = np.random.default_rng(0)
    angles = rng.normal(0, 0.5, 20_000)
    training = np.var(norm.cdf(1.5 * np.cos(angles) / math.sqrt(2)))
    total = np.var(
        [
            rocch.auc(y, trained(rng, 1, wobble=0.5, noise=0, y=y, x=x)["run 0"])
            for y, x in (rows(rng) for _ in range(4000))
        ]
    )
    found = []
    for _ in range(80):
        y, x = rows(rng)
        found.append(rocch.stats.variation(y, trained(rng, 20, wobble=0.5, noise=0, y=y, x=x)))
    assert np.mean([f.training_deviation**2 for f in found]) == pytest.approx(training, rel=0.15)
    assert np.mean([f.test_deviation**2 for f in found]) == pytest.approx(
        total - training, rel=0.15
    )
    assert np.mean([f.total_deviation**2 for f in found]) == pytest.approx(total, rel=0.1)
    # the error of the mean AUC is the one that means of new trainings on new rows have
    errors = np.mean([f.mean_error**2 for f in found])
    assert errors == pytest.approx(np.var([f.auc for f in found], ddof=1), rel=0.35)


def test_noise_on_the_test_rows_is_not_taken_for_training() -> None:
    """Runs that differ only in fresh noise per row have one true AUC, though theirs scatter."""
    rng = np.random.default_rng(1)
    found, scatter = [], []
    for _ in range(60):
        y, x = rows(rng)
        runs = trained(rng, 10, wobble=0, noise=1, y=y, x=x)
        found.append(rocch.stats.variation(y, runs))
        scatter.append(np.var([rocch.auc(y, s) for s in runs.values()], ddof=1))
    assert np.mean([f.training_deviation**2 for f in found]) < 0.25 * np.mean(scatter)


def test_identical_runs_vary_with_the_test_set_only() -> None:
    rng = np.random.default_rng(2)
    y, x = rows(rng)
    found = rocch.stats.variation(y, {"a": x[:, 0], "b": x[:, 0]})
    alone = rocch.stats.auc_interval(y, x[:, 0])
    assert found.training_deviation == 0
    assert found.test_deviation == pytest.approx(alone.standard_error)
    assert found.mean_error == pytest.approx(alone.standard_error)
    assert (found.training_share, found.test_share) == (0, 1)
    assert found.auc == pytest.approx(alone.value)


def test_the_formula_on_a_few_rows() -> None:
    labels = [False, False, False, True, True, True]
    runs = {"a": [1.0, 2, 4, 3, 5, 6], "b": [3.0, 2, 4, 1, 5, 6], "c": [6.0, 2, 5, 4, 3, 1]}
    aucs = [float(curves.auc(labels, scores)) for scores in runs.values()]
    own = np.mean([float(auc_variance.delong(labels, s, s)) for s in runs.values()])
    common = np.mean(
        [
            float(auc_variance.delong(labels, runs[i], runs[j]))
            for i, j in (("a", "b"), ("a", "c"), ("b", "c"))
        ]
    )
    found = rocch.stats.variation(labels, runs)
    spread = np.var(aucs, ddof=1)
    assert found.training_deviation**2 == pytest.approx(max(0, spread - own + common))
    assert found.test_deviation**2 == pytest.approx(own)
    assert found.training_share + found.test_share == pytest.approx(1)
    assert (found.runs, found.rows) == (3, 6)


def test_nothing_varies_where_every_ranking_is_perfect() -> None:
    y = [0, 0, 1, 1]
    found = rocch.stats.variation(y, {"a": y, "b": [1, 2, 3, 4]})
    assert (found.total_deviation, found.training_share, found.test_share) == (0, 0, 0)


def test_groups_of_test_rows_raise_the_test_part() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(200) % 2
    who = np.repeat(np.arange(25), 8)
    pull = rng.normal(size=25)[who] * (2 * y - 1)
    runs = {f"run {i}": rng.normal(size=200) / 2 + y + pull for i in range(4)}
    plain, grouped = rocch.stats.variation(y, runs), rocch.stats.variation(y, runs, groups=who)
    assert grouped.test_deviation > 1.3 * plain.test_deviation


def test_it_says_what_it_means() -> None:
    found = rocch.stats.variation([0, 0, 1, 1], {"a": [1, 3, 2, 4], "b": [1, 2, 3, 4]})
    assert found.meaning == (
        "for these trained classifiers only the test set matters; for a recommendation of the "
        "method both do"
    )
    assert str(found).startswith("AUC 0.8750 over 2 trainings on 4 test rows; ")


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"a": [1, 2, 3, 4]}, "runs must name at least two trainings; got .a."),
        ({"a": [1, 2, 3, 4], "b": [1]}, r"runs\['b'\] must have one value for each of the 4 rows"),
        ({}, "runs must name at least one classifier"),
        ([[1, 2, 3, 4]], "runs must be one classifier's scores, map names"),
    ],
)
def test_bad_input_is_refused(runs: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.stats.variation([0, 0, 1, 1], runs)
