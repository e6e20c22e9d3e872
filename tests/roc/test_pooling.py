"""Pooled curves are those of all rows put together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from tests.support.strategies import judged_rows

lib: Any = rocch
Fold = tuple[list[bool], list[float]]


@given(st.lists(judged_rows(largest=12), min_size=2, max_size=4))
@pytest.mark.filterwarnings("ignore::rocch.errors.ScoreScaleWarning")
def test_a_pooled_curve_is_that_of_all_rows_together(folds: list[Fold]) -> None:
    pooled = rocch.roc.pool_curves(
        [rocch.RocCurve.from_scores(y, s) for y, s in folds], name="together"
    )
    whole = rocch.RocCurve.from_scores(
        [label for y, _ in folds for label in y], [score for _, s in folds for score in s]
    )
    assert pooled.name == "together"
    assert np.array_equal(pooled.false_positives, whole.false_positives)
    assert np.array_equal(pooled.true_positives, whole.true_positives)
    assert np.array_equal(pooled.lowest_scores, whole.lowest_scores)  # type: ignore[arg-type]
    assert pooled.auc == whole.auc
    assert pooled.totals.rows is None


def test_counts_beyond_64_bits_are_added_too() -> None:
    many = 2**63
    fp, tp = np.array([0, many], dtype=object), np.array([many - 1, many], dtype=object)
    curve = rocch.RocCurve.from_counts(fp, tp, negatives=many, positives=many, lowest_scores=[2, 1])
    pooled = rocch.roc.pool_curves([curve, curve])
    assert pooled.true_positives.tolist() == [0, 2 * many - 2, 2 * many]
    assert pooled.totals.positives == 2 * many


CURVE = rocch.RocCurve.from_scores([0, 1], [1, 2])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (rocch.RocCurve.from_labels([0, 1], [0, 1], name="rules"), "got 'rules', which outputs"),
        (
            rocch.RocCurve.from_scores([0, 1], [1, 2], sample_weight=[1, 2], name="w"),
            "curves must be counted from plain rows, .* got 'w', from weighted rows",
        ),
    ],
)
def test_curves_without_addable_counts_are_refused(other: rocch.RocCurve, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        rocch.roc.pool_curves([CURVE, other])


def test_a_single_curve_and_an_empty_name_are_refused() -> None:
    with pytest.raises(rocch.InputError, match="curves must be at least two"):
        rocch.roc.pool_curves([CURVE])
    with pytest.raises(rocch.InputError, match="name must be a text"):
        rocch.roc.pool_curves([CURVE, CURVE], name="")
