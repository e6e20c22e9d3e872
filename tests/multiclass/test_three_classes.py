"""The paper's synthetic data: its classes, components, and the error no classifier can beat."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.multiclass.classes import CENTERS, VARIANCE


def test_classes_have_equal_numbers_and_rows_cannot_be_altered() -> None:
    data = rocch.multiclass.three_class_data(300)
    assert data.X.shape == (300, 2)
    assert np.bincount(data.y).tolist() == [0, 100, 100, 100]
    assert data.classes.names == (1, 2, 3)
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        data.y[0] = 2


def test_a_seed_gives_the_same_rows_and_another_gives_others() -> None:
    one, same, other = (rocch.multiclass.three_class_data(30, seed=seed) for seed in (4, 4, 5))
    assert np.array_equal(one.X, same.X)
    assert not np.array_equal(one.X, other.X)


def test_components_have_the_printed_centres_and_ripleys_variance() -> None:
    data = rocch.multiclass.three_class_data(60_000, seed=1)
    for label, centers in zip((1, 2, 3), CENTERS, strict=True):
        rows = data.X[data.y == label]
        nearest = ((rows[:, np.newaxis] - centers) ** 2).sum(axis=2).argmin(axis=1)
        assert np.mean(nearest) == pytest.approx(0.5, abs=0.02)
        assert rows.mean(axis=0) == pytest.approx(centers.mean(axis=0), abs=0.01)
        between = ((centers[0] - centers[1]) / 2) ** 2
        assert rows.var(axis=0) == pytest.approx(VARIANCE + between, abs=0.01)


def test_posteriors_are_the_mixtures_densities_by_bayes_rule() -> None:
    from scipy.stats import multivariate_normal

    data = rocch.multiclass.three_class_data(30, seed=2)
    densities = np.array(
        [
            sum(multivariate_normal(center, VARIANCE).pdf(data.X) for center in centers)
            for centers in CENTERS
        ]
    ).T
    wanted = densities / densities.sum(axis=1, keepdims=True)
    assert data.probabilities(data.X) == pytest.approx(wanted)


def test_far_away_posteriors_still_sum_to_one() -> None:
    far = rocch.multiclass.three_class_data(3).probabilities([[1e3, -1e3], [0, 50]])
    assert far.sum(axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 100}, "rows must be a multiple of 3; got 100."),
        ({"rows": 0}, "rows must be a whole number, at least 3; got 0."),
        ({"rows": 3.0}, "rows must be a whole number, at least 3; got 3.0."),
        ({"seed": -1}, "seed must be a whole number, at least 0; got -1."),
    ],
)
def test_bad_input(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=re.escape(message)):
        rocch.multiclass.three_class_data(**arguments)


def test_posteriors_of_other_tables_are_refused() -> None:
    with pytest.raises(rocch.InputError, match="X must have rows of 2 columns"):
        rocch.multiclass.three_class_data(3).probabilities([[1, 2, 3]])
