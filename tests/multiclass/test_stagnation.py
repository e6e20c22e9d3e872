from __future__ import annotations

import math

import numpy as np
import pytest

from rocch.multiclass.search import SAMPLES, Progress, SearchedObjectives


def test_the_share_of_one_point_is_its_staircase() -> None:
    progress = Progress(SearchedObjectives.of("rates", np.array([10, 10])))
    assert progress.looked_at == -1
    # false alarms 0.2, misses 0.4: the triangle beyond has area (1 - 0.6)^2 / 2 of 1/2
    growth = progress.look(np.array([[2, 4]]), 7)
    assert growth == progress.share == pytest.approx(0.16, abs=4 * math.sqrt(0.16 / SAMPLES))
    assert progress.looked_at == 7
    assert progress.look(np.array([[2, 4]]), 8) == 0
    progress.look(np.array([[0, 0]]), 9)
    assert progress.share == 1


def test_miss_rates_have_a_region_of_their_own() -> None:
    progress = Progress(SearchedObjectives.of("misses", np.array([100, 100, 100])))
    # half of the cube, less where the misses sum to more than 2: 1/6 - 1/48 of it
    growth = progress.look(np.array([[0, 0, 50]]), 0)
    assert growth == pytest.approx((1 / 2 - 7 / 48) / (5 / 6), abs=0.02)
