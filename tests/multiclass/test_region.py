"""The region below random allocation: its volume, and points drawn from it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rocch
from rocch.multiclass import region_volume
from rocch.multiclass.volumes import Region

CASES = [(classes, kind) for classes in (2, 3, 4, 5) for kind in ("rates", "misses")]


@pytest.mark.parametrize(("classes", "kind"), [(2, "rates"), (3, "rates"), (3, "misses")])
def test_the_volume_is_the_share_of_the_cube(classes: int, kind: Any) -> None:
    region = Region(classes, kind)
    points = np.random.default_rng(0).random((200_000, region.dimension))
    share = np.mean(points.sum(axis=1) <= classes - 1)
    exact = float(region_volume(classes, objectives=kind))
    assert abs(share - exact) < 4 * (exact * (1 - exact) / 200_000) ** 0.5


@pytest.mark.parametrize("classes", range(2, 9))
def test_all_misses_but_one_corner(classes: int) -> None:
    corner = Fraction(1, int(np.prod(np.arange(1, classes + 1))))
    assert region_volume(classes, objectives="misses") == 1 - corner


def test_many_classes_leave_a_tiny_region_that_is_still_exact() -> None:
    volume = region_volume(26)
    assert 0 < volume < Fraction(1, 10**500)
    assert Region(26, "rates").acceptance > 0.9


@pytest.mark.parametrize(("classes", "kind"), CASES)
def test_points_lie_in_the_region_and_fill_it_evenly(classes: int, kind: Any) -> None:
    region = Region(classes, kind)
    points = np.concatenate(list(region.draw(40_000, 1)))
    assert points.shape == (40_000, region.dimension)
    assert points.min() >= 0
    assert points.max() <= 1
    assert points.sum(axis=1).max() <= classes - 1
    # by symmetry every coordinate has the same mean, and the region shrunk by half about the
    # origin lies within it and holds 2^-D of its volume
    assert np.ptp(points.mean(axis=0)) < 0.02
    shrunk = (points.max(axis=1) <= 0.5) & (points.sum(axis=1) <= (classes - 1) / 2)
    share = 0.5**region.dimension
    assert abs(shrunk.mean() - share) < 4 * (share * (1 - share) / 40_000) ** 0.5 + 1e-12


@pytest.mark.parametrize(("classes", "kind"), CASES)
def test_the_stated_acceptance_is_met(classes: int, kind: Any) -> None:
    region = Region(classes, kind)
    accepted = len(region._inside(np.random.default_rng(2), 20_000)) / 20_000
    spread = (region.acceptance * (1 - region.acceptance) / 20_000) ** 0.5
    assert abs(accepted - region.acceptance) <= 4 * spread
    assert region.acceptance >= (0.83 if kind == "misses" else 0.9)


def test_draws_follow_from_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    one, same, other = (
        np.concatenate(list(Region(3, "rates").draw(1000, seed))) for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    monkeypatch.setattr("rocch.multiclass.volumes.CELLS", 700)
    parts = list(Region(3, "rates").draw(1000, 1))
    assert len(parts) > 9
    assert sum(map(len, parts)) == 1000


@pytest.mark.parametrize("classes", [1, 0, -3, 2.0, True, "3", None])
def test_fewer_than_two_classes_are_refused(classes: Any) -> None:
    with pytest.raises(rocch.InputError, match="classes must be a whole number, at least 2"):
        region_volume(classes)


def test_unknown_objectives_are_refused() -> None:
    with pytest.raises(rocch.InputError, match="objectives must be one of 'rates', 'misses'"):
        region_volume(3, objectives="errors")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "kind"), [(1, "misses"), (1, "rates"), (3, "rates"), (7, "rates")]
)
def test_columns_that_no_number_of_classes_has(columns: int, kind: str) -> None:
    with pytest.raises(rocch.InputError, match=f"totals must have .* got {columns} columns"):
        Region.of(columns, kind, "totals")


def test_the_number_of_classes_follows_from_the_columns() -> None:
    assert [Region.of(n, "rates", "t").classes for n in (2, 6, 12, 20, 650)] == [2, 3, 4, 5, 26]
    assert [Region.of(n, "misses", "t").classes for n in (2, 3, 26)] == [2, 3, 26]
