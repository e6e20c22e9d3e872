from __future__ import annotations

import math

import numpy as np
import pytest

from rocch.multiclass.archive import Archive
from rocch.multiclass.search.stagnation import SAMPLES, Progress, better_than_random


@pytest.mark.parametrize(
    ("objectives", "classes"), [(2, 2), (6, 3), (12, 4), (30, 6), (3, 3), (12, 12)]
)
def test_points_are_better_than_random_and_none_is_missing(objectives: int, classes: int) -> None:
    rng = np.random.default_rng(0)
    points = better_than_random(5000, objectives, classes, rng)
    assert points.shape == (5000, objectives)
    assert ((points >= 0) & (points <= 1)).all()
    assert (points.sum(axis=1) < classes - 1).all()


def test_points_are_uniform() -> None:
    points = better_than_random(20_000, 2, 2, np.random.default_rng(1))
    # in the triangle x + y < 1 the corner x, y < 1/2 holds half, and x is below t with 1 - (1-t)^2
    assert np.mean((points < 0.5).all(axis=1)) == pytest.approx(0.5, abs=0.015)
    assert np.mean(points[:, 0] < 0.2) == pytest.approx(1 - 0.8**2, abs=0.015)
    three = better_than_random(20_000, 3, 3, np.random.default_rng(2))
    # the cube less a corner of volume 1/6; the lower half-cube lies in it whole
    assert np.mean((three < 0.5).all(axis=1)) == pytest.approx(0.125 / (1 - 1 / 6), abs=0.01)


def test_the_share_of_one_point_is_its_staircase() -> None:
    archive = Archive(np.array([10, 10]))
    progress = Progress(np.array([10, 10]), 2)
    assert progress.look(archive, 0) == 0
    archive.insert(np.array([[2, 4]]))
    # false alarms 0.2, misses 0.4: the triangle beyond has area (1 - 0.6)^2 / 2 of 1/2
    assert progress.look(archive, 7) == pytest.approx(0.16, abs=4 * math.sqrt(0.16 / SAMPLES))
    assert progress.looked_at == 7
    assert progress.look(archive, 8) == 0
    archive.insert(np.array([[0, 0]]))
    progress.look(archive, 9)
    assert progress.share == 1
