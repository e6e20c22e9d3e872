"""Products are exact where doubles and 64-bit integers are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rocch.kernels import exact as module
from rocch.kernels.exact import exact_dot, exact_products, exact_sum_of_squares

if TYPE_CHECKING:
    import pytest

NUMBERS = st.integers(0, 2**62)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 9), st.data())
def test_products_are_those_of_python(k: int, m: int, size: int, data: st.DataObject) -> None:
    rows = st.lists(NUMBERS, min_size=size, max_size=size)
    left = data.draw(st.lists(rows, min_size=k, max_size=k))
    right = data.draw(st.lists(rows, min_size=m, max_size=m))
    expected = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in right] for x in left]
    assert exact_products(np.array(left), np.array(right)).tolist() == expected


def test_blocks_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**40, (2, 1000))
    whole = exact_products(values, values)
    monkeypatch.setattr(module, "BLOCK", 7)
    assert np.array_equal(exact_products(values, values), whole)


def test_a_full_block_of_the_largest_limbs_is_not_rounded() -> None:
    size = module.BLOCK
    values = np.full((1, size), 2**16 - 1)
    values[0, 0] -= 1
    expected = (size - 1) * (2**16 - 1) ** 2 + (2**16 - 2) ** 2
    assert exact_products(values, values).tolist() == [[expected]]


SIZES = st.sampled_from([1, 2**20, 2**40, 2**62])


@given(SIZES, SIZES, st.data())
def test_sums_of_two_rows_are_those_of_python(most: int, more: int, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(st.integers(0, most), st.integers(0, more)), max_size=9))
    one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    assert exact_dot(one, other) == sum(a * b for a, b in pairs)
    assert exact_sum_of_squares(one, other) == sum(a * b**2 for a, b in pairs)


def test_the_largest_sums_that_are_taken_in_integers_do_not_wrap_round() -> None:
    one = np.full(2**10 - 1, 2**62 - 1)
    for bits in (35, 36, 37, 38):
        other = np.full(one.size, 2**bits - 1)
        assert exact_dot(one, other) == one.size * (2**62 - 1) * (2**bits - 1)
