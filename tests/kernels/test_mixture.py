"""The deviance of mixtures, against plain EM and against what two bins give in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocch.kernels.bounds import (
    Binned,
    deviance,
    deviance_of_one_law,
    likeliest_share,
    range_of_shares,
)
from tests.support.oracles import mixtures

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

SHARES = np.array([0.0, 1e-6, 0.1, 0.5, 0.93, 1.0])


def by_em(counts: Binned, share: float) -> float:
    negatives, positives, batch = (sample.tolist() for sample in counts)
    return mixtures.deviance(negatives, positives, batch, share)


@st.composite
def binned(draw: st.DrawFn, bins: int | None = None, least: int = 0) -> Binned:
    size = bins or draw(st.integers(2, 6))
    counts = st.lists(st.integers(least, 30), min_size=size, max_size=size).filter(any)
    a, b, c = (np.array(draw(counts), dtype=float) for _ in range(3))
    kept = a + b + c > 0
    return Binned(a[kept], b[kept], c[kept])


@given(binned())
@settings(max_examples=25)
def test_deviance_is_what_em_reaches(counts: Binned) -> None:
    fast = deviance(counts, SHARES)
    slow = [by_em(counts, share) for share in SHARES]
    # EM approaches the least deviance from above, slowly where a law must become zero
    assert fast == pytest.approx(slow, abs=2e-3)
    assert (fast <= np.array(slow) + 1e-9).all()


def test_deviance_is_exact_where_em_settles() -> None:
    counts = Binned(np.array([5.0, 30, 65]), np.array([40.0, 25, 5]), np.array([60.0, 80, 90]))
    slow = [by_em(counts, share) for share in SHARES]
    assert deviance(counts, SHARES) == pytest.approx(slow, abs=1e-9)


@given(binned())
def test_deviance_is_never_negative_and_never_above_that_of_one_law(counts: Binned) -> None:
    found = deviance(counts, SHARES)
    assert (found >= -1e-9).all()
    assert (found <= deviance_of_one_law(counts) + 1e-9).all()


def test_deviance_of_a_perfect_mixture_is_zero() -> None:
    f0, f1 = np.array([10.0, 30, 60]), np.array([50.0, 30, 20])
    counts = Binned(f0, f1, 0.75 * f0 + 0.25 * f1)
    assert deviance(counts, np.array([0.25]))[0] == pytest.approx(0, abs=1e-12)
    assert likeliest_share(counts) == pytest.approx(0.25, abs=1e-6)


def test_deviance_holds_for_a_batch_far_larger_than_the_reference() -> None:
    f0, f1 = np.array([1.0, 3, 6]), np.array([5.0, 3, 2])
    counts = Binned(f0, f1, 1e6 * (0.75 * f0 + 0.25 * f1))
    assert deviance(counts, np.array([0.25]))[0] == pytest.approx(0, abs=1e-6)
    assert likeliest_share(counts) == pytest.approx(0.25, abs=1e-5)


def test_a_bin_that_only_the_batch_reaches_is_no_obstacle() -> None:
    counts = Binned(np.array([9.0, 4, 0]), np.array([2.0, 8, 0]), np.array([5.0, 5, 3]))
    found = deviance(counts, SHARES)
    slow = [by_em(counts, share) for share in SHARES]
    assert found == pytest.approx(slow, abs=1e-6)


@given(binned(bins=2, least=1))
def test_two_bins_give_the_adjusted_count(counts: Binned) -> None:
    a, b, c = counts
    fpr, tpr, rate = a[0] / a.sum(), b[0] / b.sum(), c[0] / c.sum()
    if fpr == tpr:
        return
    wanted = min(max((rate - fpr) / (tpr - fpr), 0.0), 1.0)
    assert likeliest_share(counts) == pytest.approx(wanted, abs=1e-5)


@given(binned(least=1))
@settings(max_examples=50)
def test_no_share_is_likelier_than_the_likeliest(counts: Binned) -> None:
    best = likeliest_share(counts)
    least = deviance(counts, np.array([best]))[0]
    assert least <= deviance(counts, np.linspace(0, 1, 1009)).min() + 1e-6


@given(binned(least=1))
@settings(max_examples=50)
def test_swapping_the_classes_mirrors_the_deviance(counts: Binned) -> None:
    a, b, c = counts
    mirrored = deviance(Binned(b, a, c), 1 - SHARES)
    assert mirrored == pytest.approx(deviance(counts, SHARES), abs=1e-7)


def test_the_ends_are_exact() -> None:
    f0, f1 = np.array([10.0, 30, 60]), np.array([50.0, 30, 20])
    assert likeliest_share(Binned(f0, f1, np.array([1.0, 20, 79]))) == 0
    assert likeliest_share(Binned(f0, f1, np.array([80.0, 15, 5]))) == 1


@pytest.mark.parametrize(
    ("low", "high", "known"), [(0, 1, 0.5), (0.2, 0.7, 0.2), (0.123456, 0.123457, 0.1234565)]
)
def test_range_of_shares_finds_both_ends(low: float, high: float, known: float) -> None:
    def accepts(shares: FloatArray) -> BoolArray:
        return (shares >= low) & (shares <= high)

    assert range_of_shares(accepts, known) == pytest.approx((low, high), abs=1e-9)


def test_range_of_shares_covers_separate_parts() -> None:
    def accepts(shares: FloatArray) -> BoolArray:
        return (np.abs(shares - 0.2) <= 0.05) | (np.abs(shares - 0.8) <= 0.05)

    assert range_of_shares(accepts, 0.2) == pytest.approx((0.15, 0.85), abs=1e-9)
