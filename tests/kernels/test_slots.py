"""Slots agree with a plain search, whatever the values look like."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels.placements import slots
from tests.support.strategies import SCORES

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


def searched(few: list[float], many: list[float]) -> list[int]:
    places = [bisect_left(few, value) for value in many]
    return [
        2 * i + (i < len(few) and few[i] == value) for i, value in zip(places, many, strict=True)
    ]


@given(st.lists(SCORES, min_size=1), st.lists(SCORES, min_size=1))
def test_slots_are_those_of_a_search(few: list[float], many: list[float]) -> None:
    distinct = np.unique(few)
    assert slots(distinct, np.array(many)).tolist() == searched(distinct.tolist(), many)


def spread(kind: str) -> FloatArray:
    """Draw values that a linear code spreads well, badly, or not at all."""
    rng = np.random.default_rng(0)
    values: dict[str, FloatArray] = {
        "normal": rng.normal(size=3000),
        "cauchy": rng.standard_cauchy(3000),
        "tied": np.round(rng.normal(size=3000), 1),
        "steep": np.exp(20 * rng.normal(size=3000)),
        "neighbors": 1 + np.spacing(1.0) * rng.integers(0, 9, 3000),
        "huge": rng.choice([-1e308, 0, 1e308, 5.0], 3000),
        "infinite": rng.choice([-math.inf, 1.0, math.inf], 3000),
        "constant": np.full(3000, 0.25),
    }
    return values[kind]


@pytest.mark.parametrize(
    "kind", ["normal", "cauchy", "tied", "steep", "neighbors", "huge", "infinite", "constant"]
)
def test_slots_of_many_values(kind: str) -> None:
    values = spread(kind)
    few, many = np.unique(values[:600]), values[400:]
    assert slots(few, many).tolist() == searched(few.tolist(), many.tolist())
