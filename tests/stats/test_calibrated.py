"""Saerens's EM on calibrated probabilities, against plain EM and its known ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from tests.support.oracles import mixtures

lib: Any = rocch  # so that mypy lets the tests pass what users should not

PROBABILITIES = st.lists(st.floats(0.05, 0.95), min_size=1, max_size=20)


@given(PROBABILITIES, st.floats(0.1, 0.9))
@settings(max_examples=50)
def test_no_step_of_em_leads_away_from_it(probabilities: list[float], trained_at: float) -> None:
    if all(p == trained_at for p in probabilities):
        return
    found = rocch.stats.em_prevalence(probabilities, trained_at=trained_at)
    before = trained_at
    for steps in (10, 100, 1000):
        after = mixtures.em_prevalence(probabilities, trained_at, steps)
        assert abs(after - found) <= abs(before - found) + 1e-9
        before = after


def test_em_arrives_there() -> None:
    probabilities = [0.9, 0.8, 0.7, 0.2, 0.1, 0.05]
    slow = mixtures.em_prevalence(probabilities, 0.3, 5000)
    assert rocch.stats.em_prevalence(probabilities, trained_at=0.3) == pytest.approx(slow, abs=1e-9)


def test_certain_rows_are_counted() -> None:
    assert rocch.stats.em_prevalence([1.0, 0.0, 0.0, 0.0], trained_at=0.5) == pytest.approx(0.25)


def test_the_ends_are_exact() -> None:
    assert rocch.stats.em_prevalence([0.1, 0.2], trained_at=0.5) == 0
    assert rocch.stats.em_prevalence([1.0, 1.0], trained_at=0.5) == 1


def test_calibrated_probabilities_give_the_prevalence_back() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(20_000) < 0.1
    score = rng.normal(size=y.size) + 2 * y
    odds = np.exp(2 * score - 2) * 0.4 / 0.6  # calibrated at 0.4
    found = rocch.stats.em_prevalence(odds / (1 + odds), trained_at=0.4)
    assert found == pytest.approx(0.1, abs=0.01)


@pytest.mark.parametrize(
    ("probabilities", "trained_at", "words"),
    [
        (
            [0.5, 1.5],
            0.5,
            r"y_probability must be probabilities from 0 to 1; got 1\.5 at position 1",
        ),
        (
            [0.5, -0.1],
            0.5,
            r"y_probability must be probabilities from 0 to 1; got -0\.1 at position 1",
        ),
        ([0.5, math.inf], 0.5, "y_probability must be probabilities from 0 to 1"),
        ([0.5, math.nan], 0.5, "y_probability must have no missing values"),
        ([], 0.5, "y_probability must have at least one row"),
        ("0.5", 0.5, "y_probability must be an array"),
        (["a"], 0.5, "y_probability must be numbers"),
        ([[0.5, 0.5]], 0.5, "y_probability must be one-dimensional"),
        ([0.5], 0, "trained_at must be a number between 0 and 1, both excluded; got 0"),
        ([0.5], 1, "trained_at must be a number between 0 and 1"),
        ([0.5], "0.5", "trained_at must be a number between 0 and 1"),
        ([0.5], None, "trained_at must be a number between 0 and 1"),
        ([0.5], math.nan, "trained_at must be a number between 0 and 1"),
    ],
)
def test_bad_input_is_refused(probabilities: Any, trained_at: Any, words: str) -> None:
    with pytest.raises(rocch.InputError, match=words):
        lib.stats.em_prevalence(probabilities, trained_at=trained_at)


def test_probabilities_that_say_nothing_have_no_answer() -> None:
    with pytest.raises(rocch.UndefinedError, match="every probability equals trained_at"):
        rocch.stats.em_prevalence([0.3, 0.3], trained_at=0.3)
