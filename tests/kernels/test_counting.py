"""Counting agrees with the slow oracle, for every order of the rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocch.kernels import counting, refine
from rocch.kernels.counting import (
    LARGEST,
    MANY,
    MANY_BY_VECTORS,
    SMALLEST,
    ascending,
    count_points,
    distinct_counts,
    integer_weights,
    sort_keys,
    twice_pairs_won,
    weighted_counts,
)
from rocch.kernels.hull import upper_hull
from tests.support.oracles import curves
from tests.support.strategies import judged_rows


@given(judged_rows())
def test_distinct_counts_equal_the_oracle(rows: tuple[list[bool], list[float]]) -> None:
    labels, scores = rows
    expected = curves.points(labels, scores)[1:]
    thresholds, fp, tp = distinct_counts(np.array(scores), np.array(labels))
    assert list(zip(fp.tolist(), tp.tolist(), thresholds.tolist(), strict=True)) == expected


@given(judged_rows())
def test_pairs_won_give_the_auc(rows: tuple[list[bool], list[float]]) -> None:
    labels, scores = rows
    positives = sum(labels)
    pairs = positives * (len(labels) - positives)
    won = twice_pairs_won(np.array(scores), np.array(labels))
    assert won == curves.auc(labels, scores) * 2 * pairs


@pytest.fixture
def as_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few rows be counted as many are: by keys, in chunks and threads."""
    monkeypatch.setattr(counting, "MANY", 0)
    monkeypatch.setattr(counting, "MANY_BY_VECTORS", 0)
    monkeypatch.setattr(counting, "CHUNK", 3)
    monkeypatch.setattr(counting, "ROWS_PER_THREAD", 2)
    monkeypatch.setattr("os.cpu_count", lambda: 8)


@pytest.mark.usefixtures("as_many_rows")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(judged_rows())
def test_many_rows_are_counted_as_the_oracle_does(rows: tuple[list[bool], list[float]]) -> None:
    labels, scores = rows
    expected = curves.points(labels, scores)
    thresholds, fp, tp = count_points(np.array(scores), np.array(labels))
    found = zip(fp.tolist(), tp.tolist(), [None, *thresholds.tolist()], strict=True)
    assert list(found) == expected
    assert not np.signbit(thresholds[thresholds == 0]).any()
    pairs = labels.count(True) * labels.count(False)
    won = twice_pairs_won(np.array(scores), np.array(labels))
    assert won == curves.auc(labels, scores) * 2 * pairs


@pytest.mark.parametrize(
    ("scores", "fits"),
    [
        ([0.0, -0.0], True),
        ([-5.0, -1e-9, 0.0, 1e-9, 5.0], True),
        ([2.0, np.inf], True),
        ([5e-324, 1.5], True),
        ([5e-324, 2.5], False),
        ([0.5, np.inf], False),
        ([-1e200, 1e-200], False),
    ],
)
def test_scores_fit_into_keys_unless_they_span_too_many_powers_of_two(
    scores: list[float], fits: bool
) -> None:
    keys = sort_keys(np.array(scores), np.zeros(len(scores), dtype=bool))
    assert (keys is not None) == fits


@given(judged_rows(), st.data())
def test_weighted_counts_equal_the_oracle(
    rows: tuple[list[bool], list[float]], data: st.DataObject
) -> None:
    labels, scores = rows
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(labels), max_size=len(labels)))
    expected = curves.weighted_points(labels, scores, [Fraction(w) for w in weights])[1:]
    got = weighted_counts(np.array(scores), np.array(labels), np.array(weights))
    assert list(zip(got[1].tolist(), got[2].tolist(), got[0].tolist(), strict=True)) == expected


def test_negative_zero_and_zero_are_one_score() -> None:
    thresholds, fp, tp = distinct_counts(np.array([0.0, -0.0]), np.array([True, False]))
    assert thresholds.tolist() == [0.0]
    assert (fp.tolist(), tp.tolist()) == ([1], [1])
    assert not np.signbit(thresholds[0])


def test_sums_beyond_int64_are_exact() -> None:
    from rocch.kernels.counting import exact_sum

    assert exact_sum(np.full(5, 2**61)) == 5 * 2**61


@pytest.mark.parametrize("vectors", [False, True])
def test_every_way_to_sort_sorts_every_distribution(
    vectors: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "sorts_by_vectors", lambda: vectors)
    rng = np.random.default_rng(3)
    for size in (SMALLEST, SMALLEST + 1, 50_000, LARGEST):
        normal = rng.normal(size=size)
        for values in (
            normal,
            np.round(normal, 1),
            rng.standard_cauchy(size),
            np.exp(300 * normal.clip(-2, 2)),
            np.where(rng.random(size) < 0.01, np.inf, normal),
            np.full(size, 7.0),
            np.where(rng.random(size) < 0.5, 1e308, -1e308),
        ):
            assert np.array_equal(ascending(values), np.sort(values))


@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize("size", [MANY_BY_VECTORS, MANY_BY_VECTORS + 1, MANY + 1, 2 * MANY])
def test_results_do_not_depend_on_the_way_to_sort(
    vectors: bool, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(size)
    labels = rng.random(size) < 0.3
    scores = np.round(rng.normal(size=size) + labels, 4)
    order = np.argsort(-scores, kind="stable")
    last = np.append(scores[order][1:] != scores[order][:-1], True)
    tp, fp = (np.append(0, np.cumsum(kind[order])[last]) for kind in (labels, ~labels))
    monkeypatch.setattr(counting, "sorts_by_vectors", lambda: vectors)
    monkeypatch.setattr(refine, "sorts_by_vectors", lambda: vectors)
    found = count_points(scores, labels)
    assert all(map(np.array_equal, found, (scores[order][last], fp, tp)))
    assert twice_pairs_won(scores, labels) == int((np.diff(fp) * (tp[1:] + tp[:-1])).sum())
    vertices = upper_hull(fp, tp)[1:]
    hull = refine.hull_from_scores(scores, labels)
    assert np.array_equal(hull[2:], (fp[vertices], tp[vertices]))


def test_whole_weights_are_not_rounded() -> None:
    weights, unit = integer_weights(np.array([3.0, 0.0, 12.0]))
    assert (weights.tolist(), unit) == ([3, 0, 12], 1.0)


def test_other_weights_are_multiples_of_a_power_of_two() -> None:
    given_weights = np.array([0.1, 1e-3, 7.25, 1e3])
    weights, unit = integer_weights(given_weights)
    assert np.log2(unit) == int(np.log2(unit))
    assert weights.sum() < 2**62
    assert np.abs(weights * unit - given_weights).max() <= unit / 2


def test_weights_near_the_largest_double_are_counted() -> None:
    weights, unit = integer_weights(np.array([1.5e308, 1e307]))
    assert weights.sum() < 2**62
    assert weights[0] * unit == 1.5e308
