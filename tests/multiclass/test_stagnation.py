"""When a search stops because the share that it dominates no longer grows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rocch.multiclass import KnownProbabilities, SurfaceSearch
from rocch.multiclass.search import SAMPLES

TRUTHS = np.repeat([0, 1], 10)
# at equal costs 2 of 10 rows of the first class are wrong, and 4 of 10 of the second
FIRST = np.where(np.isin(np.arange(20), [0, 1, *range(14, 20)]), 0.0, 1.0)
PERFECT = np.where(TRUTHS == 0, 1.0, 0.0)


def searched(first: Any, **settings: Any) -> SurfaceSearch:
    known = KnownProbabilities({"m": np.stack((first, 1 - first), axis=1)}, [0, 1])
    search = SurfaceSearch(known, TRUTHS, draws=1, start=1, **settings)
    search.run(1, tolerance=0.5, patience=1)
    return search


def test_the_share_of_one_point_is_its_staircase() -> None:
    search = searched(FIRST)
    # false alarms 0.2, misses 0.4: the triangle beyond has area (1 - 0.6)^2 / 2 of 1/2
    assert search._share == pytest.approx(0.16, abs=4 * math.sqrt(0.16 / SAMPLES))
    assert search._looked_at == 1
    assert search.stopped == "stagnation"


def test_a_perfect_classifier_dominates_all() -> None:
    assert searched(PERFECT)._share == 1
    assert searched(PERFECT, objectives="misses")._share == 1
