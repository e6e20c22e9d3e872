"""The chi-square test of equal AUCs, also with models that rank alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import rocch
from rocch.rows import ScoredRows
from rocch.stats.auc import auc_moments
from rocch.stats.auc_tests import equality_test


def drawn(models: int, rows: int = 300) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(models)
    y = np.arange(rows) % 2
    return y, {f"m{i}": rng.normal(size=rows) + (1 + i / 8) * y for i in range(models)}


def test_it_is_the_quadratic_form_of_all_contrasts() -> None:
    y, scores = drawn(4)
    found = rocch.stats.compare_aucs(y, scores)
    contrasts = np.array([[-1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, 1]])
    aucs = np.array([estimate.value for estimate in found.aucs.values()])
    differences = contrasts @ aucs
    inner = np.linalg.inv(contrasts @ found.covariance @ contrasts.T)
    assert found.overall.statistic == pytest.approx(differences @ inner @ differences)
    assert found.overall.degrees == 3
    assert found.overall.p_value == pytest.approx(chi2.sf(found.overall.statistic, 3))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_models_that_rank_alike_count_once(place: int) -> None:
    y, scores = drawn(3)
    copied = {**scores, "again": 2 * scores[f"m{place}"] - 1}
    one, other = (
        rocch.stats.compare_aucs(y, scores).overall,
        rocch.stats.compare_aucs(y, copied).overall,
    )
    assert other.degrees == one.degrees == 2
    assert other.statistic == pytest.approx(one.statistic)
    assert other.p_value == pytest.approx(one.p_value)


def test_the_order_of_models_changes_nothing() -> None:
    y, scores = drawn(4)
    renamed = {f"n{9 - i}": s for i, s in enumerate(scores.values())}
    assert rocch.stats.compare_aucs(y, renamed).overall.statistic == pytest.approx(
        rocch.stats.compare_aucs(y, scores).overall.statistic
    )


def test_more_models_than_rows_leave_fewer_degrees() -> None:
    """Placements of 3 + 3 rows vary in at most 2 + 2 directions."""
    rng = np.random.default_rng(0)
    y = [0, 0, 0, 1, 1, 1]
    scores = {f"m{i}": rng.permutation(6) for i in range(10)}
    found = rocch.stats.compare_aucs(y, scores).overall
    assert found.degrees <= 4
    assert 0.25 <= found.p_value <= 1


def test_a_certain_difference_is_worth_what_its_rows_are() -> None:
    y = [0, 0, 0, 1, 1, 1]
    moments = auc_moments(
        ScoredRows.of(y, {"a": y, "b": [1 - v for v in y], "c": [1, 2, 4, 3, 5, 6]})
    )
    found = equality_test(moments)
    assert found.statistic == math.inf
    assert found.p_value == 0.25
