from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels import hull as boolean
from rocch.kernels.hull import count_predicted_positives, extend_hull, joint_counts, sums_where
from tests.support.oracles.hulls import hull

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, IntArray


def some(rows: int, columns: int, seed: int) -> BoolArray:
    return np.random.default_rng(seed).random((rows, columns)) < 0.4


@pytest.mark.parametrize("weights", [None, np.arange(50), np.arange(50) * 2**51 + 1])
@pytest.mark.parametrize("chunk", [7, 2**22])
def test_joint_counts_are_those_of_plain_loops(
    weights: IntArray | None, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boolean, "CHUNK", chunk)
    first, second = some(3, 50, 1), some(4, 50, 2)
    mass = [1] * 50 if weights is None else weights.tolist()
    expected = [
        [sum(m for m, p, q in zip(mass, a, b, strict=True) if p and q) for b in second]
        for a in first
    ]
    got = joint_counts(first, second, weights)
    assert got.dtype == np.int64
    assert got.tolist() == expected
    alone = [sum(m for m, p in zip(mass, a, strict=True) if p) for a in first]
    assert count_predicted_positives(first, weights).tolist() == alone


def test_joint_counts_of_nobody_are_empty() -> None:
    assert joint_counts(some(0, 5, 1), some(2, 5, 2)).shape == (0, 2)


@pytest.mark.parametrize("chunk", [7, 2**22])
def test_sums_where_adds_what_rows_hold(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boolean, "CHUNK", chunk)
    values, alarms = np.random.default_rng(3).random((2, 30)), some(3, 30, 4)
    expected = [[row[alarm].sum() for alarm in alarms] for row in values]
    assert np.allclose(sums_where(values, alarms), expected)


POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), max_size=20)


@given(POINTS, POINTS, st.sampled_from([1, 2**40, 2**59]))
def test_a_hull_grows_to_the_hull_of_all_points(
    old: list[tuple[int, int]], new: list[tuple[int, int]], unit: int
) -> None:
    before = hull(old, 6, 5)
    x, y = (np.array(c, dtype=np.int64) * unit for c in zip(*before, strict=True))
    px, py = (np.array([p[i] for p in new], dtype=np.int64) * unit for i in (0, 1))
    joint, vertices = extend_hull((x, y), px, py)
    after = hull([*old, *new], 6, 5)
    assert [
        (a // unit, b // unit) for a, b in zip(*(c.tolist() for c in joint), strict=True)
    ] == after
    firsts = [new.index(p) for p in after if p not in before]
    assert sorted(vertices.tolist()) == sorted(firsts)
