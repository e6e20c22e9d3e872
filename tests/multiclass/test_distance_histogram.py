"""Distances are counted in bins that never mix what is better and worse than random."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.multiclass.views import DistanceHistogram
from tests.support.surfaces import many_class_surface, three_class_surface

TRUTH = ["a"] * 3 + ["b"] * 3 + ["c"] * 3


def one(answers: str, **given: Any) -> rocch.multiclass.RocSurface:
    return rocch.multiclass.RocSurface.of(
        {"x": rocch.multiclass.Confusion.from_labels(TRUTH, list(answers))}, **given
    )


def exact_excess(surface: rocch.multiclass.RocSurface) -> list[Fraction]:
    totals = surface.totals.tolist()
    return [
        sum((Fraction(m, t) for m, t in zip(row, totals, strict=True)), Fraction(1 - len(totals)))
        for row in surface.misses.tolist()
    ]


@pytest.mark.parametrize("bins", [2, 5, 40])
def test_every_member_is_counted_in_its_bin(bins: int) -> None:
    surfaces = [three_class_surface(), one("cccaaabbb"), one("abcabcabc")]
    found = DistanceHistogram.of(surfaces, bins=bins)
    assert found.counts.shape == (3, len(found.edges) - 1)
    assert len(found.edges) - 1 <= bins
    for row, surface in zip(found.counts, surfaces, strict=True):
        scale = math.sqrt(6)
        slow = np.zeros(len(row), dtype=int)
        for excess in exact_excess(surface):
            place = np.searchsorted(found.edges, float(excess) / scale - 1e-12) - 1
            slow[place] += 1
        assert row.tolist() == slow.tolist()
    assert found.members == (len(surfaces[0]), 1, 1)


def test_exactly_random_is_not_beyond() -> None:
    surface = one("abcabcabc")
    assert exact_excess(surface) == [0]
    found = DistanceHistogram.of([surface, one("cccaaabbb")])
    zero = found.edges.tolist().index(0)
    assert found.beyond == (0, 1)
    assert found.counts[0, zero - 1] == 1
    assert found.counts[0, zero:].sum() == 0
    assert found.counts[1, zero:].sum() == 1


def test_a_surface_at_random_only_has_bins() -> None:
    found = DistanceHistogram.of([one("abcabcabc")])
    assert found.edges.tolist() == pytest.approx([-0.1, 0])
    assert found.counts.tolist() == [[1]]


def test_the_perfect_distance_is_that_of_no_errors() -> None:
    for given in ({}, {"objectives": "misses"}):
        perfect = one("aaabbbccc", **given)
        found = DistanceHistogram.of([perfect])
        assert found.perfect == pytest.approx(float(perfect.distances[0]))


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="3 classes with rates and 4 classes with rates"):
        DistanceHistogram.of([three_class_surface(), many_class_surface(4)])
    with pytest.raises(rocch.InputError, match="3 classes with misses and 3 classes with rates"):
        DistanceHistogram.of([three_class_surface(), three_class_surface("misses")])


@pytest.mark.parametrize("bins", [1, 0, 3.5])
def test_bins_must_be_two_or_more(bins: Any) -> None:
    with pytest.raises(rocch.InputError, match="bins must be a whole number, at least 2"):
        DistanceHistogram.of([three_class_surface()], bins=bins)
