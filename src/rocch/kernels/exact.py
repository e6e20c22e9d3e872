"""Exact arithmetic: sums of products, linear inequalities, and fractions as safe doubles."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from rocch.arrays import IntArray

# Exact sums of products by floating-point matrix products: numbers are cut into limbs of 16 bits,
# whose products have 32 bits, and doubles add 2^20 of these without rounding in any order. Shorter
# blocks fit a processor's cache.

BITS = 16
BLOCK = 2**16


def exact_products(left: IntArray, right: IntArray) -> IntArray:
    """Return left @ right.T as Python integers, for rows of non-negative 64-bit integers.

    O(limbs^2) matrix products; twice the placements have two limbs up to 2^31 rows.
    """
    total = np.zeros((len(left), len(right)), dtype=object)
    for start in range(0, left.shape[1], BLOCK):
        ours, theirs = (
            [limb.astype(np.float64) for limb in _limbs(part[:, start : start + BLOCK], BITS)]
            for part in (left, right)
        )
        for i, one in enumerate(ours):
            for j, other in enumerate(theirs):
                total += (one @ other.T).astype(np.int64).astype(object) << BITS * (i + j)
    return total


def exact_dot(one: IntArray, other: IntArray) -> int:
    """Return the sum of products of non-negative 64-bit integers, in 64 bits where limbs fit."""
    room = 63 - one.size.bit_length() - int(other.max(initial=0)).bit_length()
    if room < BITS:
        return int(exact_products(one[None, :], other[None, :])[0, 0])
    limbs = enumerate(_limbs(one, room))
    return sum(int(np.dot(limb, other)) << room * place for place, limb in limbs)


def exact_sum_of_squares(times: IntArray, values: IntArray) -> int:
    """Return the sum of times x value^2, for non-negative 64-bit integers."""
    bits = max(1, 63 - int(values.max(initial=0)).bit_length())
    limbs = enumerate(_limbs(times, bits))
    return sum(exact_dot(limb * values, values) << bits * place for place, limb in limbs)


def _limbs(values: IntArray, bits: int) -> list[IntArray]:
    """Cut integers into limbs of some bits, lowest first."""
    count = -(-int(values.max(initial=0)).bit_length() // bits)
    return [values >> bits * place & (1 << bits) - 1 for place in range(count)]


# Linear inequalities, for small systems that doubles leave undecided: phase one of the simplex
# method with Bland's rule, which always ends, and pivots in whole numbers (J. Edmonds, "Systems of
# distinct representatives and linear algebra", 1967; Bareiss's division).


def solution(rows: IntArray, bounds: IntArray) -> list[Fraction] | None:
    """Return some x >= 0 with rows @ x <= bounds, or None if there is none.

    Python integers (dtype object). Each pivot is O(m (n + m)) products of growing integers.
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
    """Return the tableau, its basis and its width; artificial variables need no columns."""
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
    """Pivot in place; return the new common divisor of all entries."""
    pivot = table[row, column]
    factors = table[:, column].copy()
    pivot_row = table[row].copy()
    table[:] = (table * pivot - factors[:, None] * pivot_row) // divisor
    table[row] = pivot_row
    return int(pivot)


def at_most(fraction: Fraction) -> float:
    """Return the greatest double that is not above a fraction."""
    nearest = float(fraction)
    return nearest if nearest <= fraction else math.nextafter(nearest, -math.inf)


def at_least(fraction: Fraction) -> float:
    """Return the least double that is not below a fraction."""
    nearest = float(fraction)
    return nearest if nearest >= fraction else math.nextafter(nearest, math.inf)
