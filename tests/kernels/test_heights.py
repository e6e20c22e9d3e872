"""Heights of paths against `RocCurve.tpr_at`, one FPR at a time."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocch import RocCurve
from rocch.kernels.hull import counts_within, highest_tpr, highest_tpr_of_counts, lowest_tpr
from tests.support.strategies import judged_rows

FPRS = st.one_of(
    st.floats(0, 1),
    st.integers(0, 30).flatmap(lambda n: st.integers(n, 30).map(lambda d: n / max(d, 1))),
)


@given(judged_rows(), st.lists(FPRS, min_size=1))
def test_heights_are_those_of_the_curve(
    judged: tuple[list[bool], list[float]], fprs: list[float]
) -> None:
    curve = RocCurve.from_scores(*judged)
    wanted = np.array(fprs)
    slow = [curve.tpr_at(fpr) for fpr in fprs]
    totals = curve.totals.negatives, curve.totals.positives
    counts = curve.false_positives, curve.true_positives
    assert highest_tpr(curve.fpr, curve.tpr, wanted).tolist() == slow
    assert highest_tpr_of_counts(*counts, totals, wanted).tolist() == slow


@given(judged_rows(), FPRS)
def test_the_lowest_height_is_the_first_that_the_path_reaches(
    judged: tuple[list[bool], list[float]], fpr: float
) -> None:
    curve = RocCurve.from_scores(*judged)
    (low,) = lowest_tpr(curve.fpr, curve.tpr, np.array([fpr])).tolist()
    at = curve.tpr[curve.fpr == fpr]
    if at.size:
        assert low == at[0]
    else:
        assert math.isclose(low, curve.tpr_at(fpr), rel_tol=1e-12)


@given(st.integers(1, 10**6), st.data())
def test_counts_within_are_the_largest_whose_rate_does_not_exceed(
    negatives: int, data: st.DataObject
) -> None:
    fpr = data.draw(
        st.one_of(st.floats(0, 1), st.integers(0, negatives).map(lambda k: k / negatives))
    )
    (count,) = counts_within(np.array([fpr]), negatives).tolist()
    assert 0 <= count <= negatives
    assert count / negatives <= fpr
    assert count == negatives or (count + 1) / negatives > fpr
