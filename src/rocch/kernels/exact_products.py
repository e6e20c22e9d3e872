"""Sums of products of integers, exact and yet at the speed of floating-point matrix products.

Numbers are cut into limbs of 16 bits. Products of limbs have 32 bits, and sums of 2^20 of them
stay below 2^53, so doubles add them without rounding, in whatever order a library likes. Shorter
blocks than that need less memory and fit a processor's cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray, IntArray

BITS = 16
BLOCK = 2**16


def exact_products(left: IntArray, right: IntArray) -> IntArray:
    """Return left @ right.T as Python integers, for rows of non-negative 64-bit integers.

    Complexity: O(limbs^2) matrix products; twice the placements have two limbs up to 2^31 rows.
    """
    total = np.zeros((len(left), len(right)), dtype=object)
    for start in range(0, left.shape[1], BLOCK):
        ours, theirs = (_limbs(part[:, start : start + BLOCK]) for part in (left, right))
        for i, one in enumerate(ours):
            for j, other in enumerate(theirs):
                total += (one @ other.T).astype(np.int64).astype(object) << BITS * (i + j)
    return total


def exact_dot(one: IntArray, other: IntArray) -> int:
    """Return the sum of products of non-negative 64-bit integers.

    Two rows are too little for a library of matrix products to be fast, so while sums of one with
    limbs of the other fit 64 bits, they are taken in integers.
    """
    room = 63 - one.size.bit_length() - int(other.max(initial=0)).bit_length()
    if room < BITS:
        return int(exact_products(one[None, :], other[None, :])[0, 0])
    limbs = -(-int(one.max(initial=0)).bit_length() // room)
    return sum(
        int(np.dot(one >> room * limb & (1 << room) - 1, other)) << room * limb
        for limb in range(limbs)
    )


def exact_sum_of_squares(times: IntArray, values: IntArray) -> int:
    """Return the sum of times x value^2, for non-negative 64-bit integers.

    Times are cut into limbs, so that a limb x value fits 64 bits.
    """
    bits = max(1, 63 - int(values.max(initial=0)).bit_length())
    limbs = -(-int(times.max(initial=0)).bit_length() // bits)
    return sum(
        exact_dot((times >> bits * limb & (1 << bits) - 1) * values, values) << bits * limb
        for limb in range(limbs)
    )


def _limbs(values: IntArray) -> list[FloatArray]:
    """Cut numbers into limbs, the lowest first."""
    count = -(-int(values.max(initial=1)).bit_length() // BITS)
    mask = (1 << BITS) - 1
    return [((values >> BITS * i) & mask).astype(np.float64) for i in range(count)]
