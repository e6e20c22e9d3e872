"""Whether linear inequalities have a solution, decided in integers.

The first phase of the simplex method with Bland's rule, which ends on every input, and pivots that
keep all numbers whole (J. Edmonds, "Systems of distinct representatives and linear algebra", 1967;
Bareiss's division). For the few, small systems whose answer doubles leave open.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import IntArray


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
