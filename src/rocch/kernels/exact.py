"""Exact arithmetic: sums of products, linear inequalities, and fractions as safe doubles."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from rocch.arrays import FloatArray, IntArray

# Sums of products at the speed of floating-point matrix products: numbers are cut into limbs of 16
# bits. Products of limbs have 32 bits, and sums of 2^20 of them stay below 2^53, so doubles add
# them without rounding, in whatever order a library likes. Shorter blocks than that need less
# memory and fit a processor's cache.

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


# Linear inequalities: the first phase of the simplex method with Bland's rule, which ends on every
# input, and pivots that keep all numbers whole (J. Edmonds, "Systems of distinct representatives
# and linear algebra", 1967; Bareiss's division). For the few, small systems that doubles leave
# undecided.


def solution(rows: IntArray, bounds: IntArray) -> list[Fraction] | None:
    """Return some x >= 0 with rows @ x <= bounds, or None if there is none.

    Both are Python integers (dtype object). Complexity: each pivot is O(m (n + m)) products of
    integers whose length grows with the number of pivots; Bland's rule may need many pivots in
    theory, in practice about as many as there are rows.
    """
    table, basis, real = _tableau(rows, bounds)
    divisor = 1
    while True:
        gains = np.flatnonzero(table[-1, :real] > 0)
        if not gains.size:
            break
        column = int(gains[0])
        row = _leaving(table, basis, column)
        divisor = _pivot(table, row, column, divisor)
        basis[row] = column
    if table[-1, -1] != 0:
        return None
    found = [Fraction(0)] * rows.shape[1]
    for row, column in enumerate(basis):
        if column < len(found):
            found[column] = Fraction(int(table[row, -1]), divisor)
    return found


def _tableau(rows: IntArray, bounds: IntArray) -> tuple[IntArray, list[int], int]:
    """Return the tableau with slacks and the sum of artificial variables, and its basis.

    Artificial variables never return to the basis, so they need no columns.
    """
    count, width = rows.shape
    sign = np.where(bounds < 0, -1, 1).astype(object)
    needs = np.flatnonzero(sign < 0)  # rows whose slack cannot be in the basis
    real = width + count
    table = np.zeros((count + 1, real + 1), dtype=object)
    table[:count, :width] = rows * sign[:, None]
    table[np.arange(count), width + np.arange(count)] = sign
    table[:count, -1] = bounds * sign
    table[-1] = table[needs].sum(axis=0)  # what the artificial variables add up to
    basis = list(range(width, real))
    for place, row in enumerate(needs):
        basis[row] = real + place
    return table, basis, real


def _leaving(table: IntArray, basis: list[int], column: int) -> int:
    """Return the row whose variable reaches 0 first; of equal ones the first variable's."""
    best = -1
    for row in np.flatnonzero(table[:-1, column] > 0):
        if best < 0:
            best = int(row)
            continue
        ahead = table[row, -1] * table[best, column] - table[best, -1] * table[row, column]
        if ahead < 0 or (ahead == 0 and basis[row] < basis[best]):
            best = int(row)
    return best


def _pivot(table: IntArray, row: int, column: int, divisor: int) -> int:
    """Make a column that of its row's variable; return what all entries are now multiples of."""
    pivot = table[row, column]
    factors = table[:, column].copy()
    kept = table[row].copy()
    table[:] = (table * pivot - factors[:, None] * kept) // divisor
    table[row] = kept
    return int(pivot)


def at_most(fraction: Fraction) -> float:
    """Return the greatest double that is not above a fraction."""
    nearest = float(fraction)
    return nearest if nearest <= fraction else math.nextafter(nearest, -math.inf)


def at_least(fraction: Fraction) -> float:
    """Return the least double that is not below a fraction."""
    nearest = float(fraction)
    return nearest if nearest >= fraction else math.nextafter(nearest, math.inf)
