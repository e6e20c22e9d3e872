"""AUCs from different rows: nothing varies together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import rocch

lib: Any = rocch
NORTH = ([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6])
SOUTH = ([0, 0, 1, 1], [3, 1, 4, 2])


def test_variances_add_up() -> None:
    found = rocch.stats.compare_aucs_unpaired({"south": SOUTH, "north": NORTH})
    north, south = (rocch.stats.auc_interval(*rows) for rows in (NORTH, SOUTH))
    (pair,) = found.differences
    assert not found.paired
    assert found.aucs == {"north": north, "south": south}
    assert (pair.first, pair.second) == ("south", "north")  # as they were given
    assert pair.difference == pytest.approx(south.value - north.value)
    expected = math.hypot(north.standard_error, south.standard_error)
    assert pair.standard_error == pytest.approx(expected)
    assert found.covariance.tolist() == pytest.approx(
        np.diag([south.standard_error**2, north.standard_error**2])
    )


def test_three_samples_are_compared_together() -> None:
    rng = np.random.default_rng(0)
    samples = {}
    for i, size in enumerate((80, 120, 200)):
        y = np.arange(size) % 2
        samples[f"site {i}"] = (y, rng.normal(size=size) + y * (1 + i))
    found = rocch.stats.compare_aucs_unpaired(samples)
    assert len(found.differences) == 3
    assert found.overall.degrees == 2
    assert found.overall.p_value < 0.01


def test_the_test_is_welchs_t() -> None:
    found = rocch.stats.compare_aucs_unpaired({"north": NORTH, "south": SOUTH}, method="delong")
    (pair,) = found.differences
    v, w = (rocch.stats.auc_interval(*rows).standard_error ** 2 for rows in (NORTH, SOUTH))
    degrees = (v + w) ** 2 / (v**2 / 5 + w**2 / 3)  # six rows and four, each less one
    assert pair.degrees == pytest.approx(degrees)
    assert pair.p_value == pytest.approx(2 * student.sf(abs(pair.z), degrees))
    reach = student.ppf(0.975, degrees) * pair.standard_error
    assert pair.interval == pytest.approx((pair.difference - reach, 1))  # cut at 1
    assert found.difference("south", "north").degrees == pair.degrees
    assert {estimate.method for estimate in found.aucs.values()} == {"delong"}
    paired = rocch.stats.compare_aucs(NORTH[0], {"a": NORTH[1], "b": [1, 2, 3, 6, 5, 4]})
    assert paired.differences[0].degrees is None


def test_groups_are_the_units_of_welchs_t() -> None:
    grouped = (*NORTH, list("abcabc"))
    by_group = rocch.stats.compare_aucs_unpaired({"a": grouped, "b": grouped})
    assert by_group.differences[0].degrees == pytest.approx(4)


def test_two_perfect_samples_have_degrees_too() -> None:
    perfect = ([0, 0, 1, 1], [1, 2, 3, 4])
    (pair,) = rocch.stats.compare_aucs_unpaired({"a": perfect, "b": perfect}).differences
    assert (pair.p_value, pair.degrees) == (1, 6)


def test_groups_may_be_given_and_differ_between_samples() -> None:
    with_groups = (*NORTH, list("abcabc"))
    found = rocch.stats.compare_aucs_unpaired({"a": with_groups, "b": with_groups})
    assert found.aucs["a"].groups == 3
    assert found.covariance[0, 1] == 0


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([NORTH, SOUTH], r"samples must map each classifier's name to its own \(labels, scores\)"),
        ({"a": NORTH}, "samples must name at least two classifiers; got 'a'"),
        ({"a": NORTH, "b": [1]}, r"samples\['b'\] must be a pair .*; got 1 parts"),
        ({"a": NORTH, "b": 7}, r"samples\['b'\] must be a pair .*; got an object of type int"),
        ({"a": NORTH, "b": ([0, 1], [1])}, r"samples\['b'\] must have one value for each of the 2"),
        ({"a": NORTH, "b": ([1, 1], [1, 2])}, r"in samples\['b'\], y_true must hold both classes"),
        ({1: NORTH, "1": SOUTH}, "samples must have distinct names"),
    ],
)
def test_bad_input_is_refused(samples: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        lib.stats.compare_aucs_unpaired(samples)
