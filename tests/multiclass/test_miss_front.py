"""The miss-rate front is what nobody dominates, found by asking everyone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.multiclass import Classes, RocSurface, miss_front
from tests.support.surfaces import three_class_surface

ROWS = 6


def surface_of(answered: list[list[list[int]]], size: int) -> RocSurface:
    """Make a surface of given answers: for each member and class, the answers to its rows."""
    counts = np.array([[np.bincount(row, minlength=size) for row in member] for member in answered])
    names = Classes.of([f"c{i}" for i in range(size)])
    return RocSurface(names, counts, ("m",) * len(counts), np.empty((len(counts), 0)), (), None)


def answers(size: int) -> st.SearchStrategy[list[list[list[int]]]]:
    row = st.lists(st.integers(0, size - 1), min_size=ROWS, max_size=ROWS)
    member = st.lists(row, min_size=size, max_size=size)
    return st.lists(member, min_size=1, max_size=12)


def slow_front(misses: list[list[int]]) -> list[int]:
    def beats(one: list[int], other: list[int]) -> bool:
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    return [
        place
        for place, own in enumerate(misses)
        if own not in misses[:place] and not any(beats(other, own) for other in misses)
    ]


@given(st.integers(2, 4).flatmap(lambda size: st.tuples(st.just(size), answers(size))))
def test_nobody_dominates_the_front(case: tuple[int, list[list[list[int]]]]) -> None:
    surface = surface_of(case[1], case[0])
    assert miss_front(surface).tolist() == slow_front(surface.misses.tolist())


@pytest.mark.parametrize("objectives", ["rates", "misses"])
def test_the_knee_lies_on_the_front(objectives: str) -> None:
    surface = three_class_surface(objectives)
    assert surface.knee().member.place in miss_front(surface)


def test_a_surface_of_misses_is_its_own_front() -> None:
    surface = three_class_surface("misses")
    assert miss_front(surface).tolist() == list(range(len(surface)))
    full = three_class_surface()
    assert len(miss_front(full)) < len(full)
