"""How many passes an exact hull needs, from a million rows to a hundred billion.

    python benchmarks/scale_model.py            # about a quarter of an hour and 9 GB

No row is drawn: a pass sees only the counts of its cells, and these are drawn directly. Scores are
normal, positives one standard deviation higher; the first pass cuts them into equally full cells.
Live cells are then cut again, as many at a time and as finely as
`rocch.scale.scan(...).hull` does it,
and the counts of the parts are drawn given that of the whole. So the passes have the distribution
that they would have on a table of that size. The first table is about one pass; the second counts
the scans until the live rows fit the budget and are fetched.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtr

from rocch.kernels.cells import Cells, find_live, live

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray, IntArray

SHIFT = 1.0


class Drawn(NamedTuple):
    """Cells, the highest first, with the scores that bound them and the rows that they hold."""

    top: FloatArray
    bottom: FloatArray
    negatives: IntArray
    positives: IntArray

    @property
    def rows(self) -> IntArray:
        """Rows in each cell."""
        return self.negatives + self.positives

    def taken(self, which: BoolArray | IntArray) -> Drawn:
        """Return some of the cells."""
        return Drawn(*(column[which] for column in self))

    def cells(self) -> Cells:
        """Return them as the kernel wants them; only a cell of one row holds a single score."""
        place = -np.arange(self.rows.size, dtype=float)
        return Cells(place + 0.5 * (self.rows > 1), place, self.negatives, self.positives)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positives", type=float, default=0.3, help="share of positive rows")
    parser.add_argument("--small", action="store_true", help="up to a billion rows")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    one_pass(rng, options.positives, small=options.small)
    all_passes(rng, options.positives, small=options.small)


def one_pass(rng: np.random.Generator, share: float, *, small: bool) -> None:
    """Show that the live share depends on rows per cell over the cube root of the rows."""
    print("| rows | buckets | r / cube root of rows | live | live rows / V r^2 | V / cube root |")
    print("|---:|---:|---:|---:|---:|---:|")
    for rows in (10**6, 10**7, 10**8, 10**9, *(() if small else (10**10, 10**11))):
        for power in range(14, 25, 2):
            full = rows / 2**power
            if full / rows ** (1 / 3) > 8 or full < 8:
                continue
            drawn = first_cells(rng, rows, 2**power, share)
            left = int(drawn.rows[live(drawn.cells())].sum())
            vertices = find_live(drawn.cells(), weighted=True)[1].size
            print(
                f"| {rows:.0e} | 2^{power} | {full / rows ** (1 / 3):.3f} | {left / rows:.2%} | "
                f"{left / (vertices * full**2):.2f} | {vertices / rows ** (1 / 3):.2f} |",
                flush=True,
            )


def all_passes(rng: np.random.Generator, share: float, *, small: bool) -> None:
    """Count the scans until the hull is exact, the survey and the last included."""
    print("\n| rows | buckets | scans | groups moved | cells at the end | live rows before each |")
    print("|---:|---:|---:|---:|---:|---|")
    for rows in (10**8, 10**9, *(() if small else (10**10, 10**11))):
        for power in (18, 20, 22, 24):
            if not 8 <= rows / 2**power < 4 * rows ** (1 / 3):
                continue
            lefts, moved, cells = passes(rng, rows, 2**power, share)
            shown = " → ".join(f"{left:.1e}" for left in lefts)
            scans = "more than 20" if len(lefts) == 20 else len(lefts) + 2
            print(
                f"| {rows:.0e} | 2^{power} | {scans} | {moved:.1e} | {cells:.1e} | {shown} |",
                flush=True,
            )


def passes(
    rng: np.random.Generator, rows: int, buckets: int, share: float
) -> tuple[list[int], int, int]:
    """Return the live rows after each cut, the groups moved, and the cells known at the end."""
    drawn = first_cells(rng, rows, buckets, share)
    lefts: list[int] = []
    moved = drawn.rows.size
    while len(lefts) < 20:
        alive = np.flatnonzero(live(drawn.cells()))
        lefts.append(int(drawn.rows[alive].sum()))
        if lefts[-1] <= buckets:  # they are held, and cut no more
            return lefts, moved + lefts[-1], drawn.rows.size
        picked, halvings = room_for(drawn.rows[alive], buckets)
        finer = halved(rng, drawn.taken(alive[picked]), halvings)
        keep = np.ones(drawn.rows.size, dtype=bool)
        keep[alive[picked]] = False
        drawn = in_order(drawn.taken(keep), finer)
        moved += finer.rows.size
    return lefts, moved, drawn.rows.size


def first_cells(rng: np.random.Generator, rows: int, buckets: int, share: float) -> Drawn:
    """Draw the counts of equally full cells."""
    scores = np.linspace(9 + SHIFT, -9, 2**20)
    above = (1 - share) * ndtr(-scores) + share * ndtr(SHIFT - scores)
    edges = np.interp(np.linspace(0, 1, buckets + 1), above, scores)
    negatives = rng.poisson(np.diff(ndtr(-edges)) * rows * (1 - share))
    positives = rng.poisson(np.diff(ndtr(SHIFT - edges)) * rows * share)
    drawn = Drawn(edges[:-1], edges[1:], negatives, positives)
    return drawn.taken(drawn.rows > 0)


def room_for(rows: IntArray, buckets: int) -> tuple[IntArray, IntArray]:
    """Choose the cells to cut, the fullest first, and how often to halve each."""
    most = rows.size if buckets >= 3 * rows.size else buckets // 3
    picked = np.sort(np.argsort(-rows, kind="stable")[:most])
    pieces = np.clip(buckets * (rows[picked] / rows[picked].sum()), 2, rows[picked])
    return picked, np.log2(pieces).astype(np.int64)


def halved(rng: np.random.Generator, drawn: Drawn, halvings: IntArray) -> Drawn:
    """Cut cells into halves, each so often; a half's counts are drawn given the whole's."""
    done = []
    while drawn.rows.size:
        done.append(drawn.taken(halvings == 0))
        drawn, halvings = drawn.taken(halvings > 0), halvings[halvings > 0]
        middle = (drawn.top + drawn.bottom) / 2
        upper = [
            rng.binomial(count, _upper_share(drawn, middle, shift))
            for count, shift in ((drawn.negatives, 0.0), (drawn.positives, SHIFT))
        ]
        rest = drawn.negatives - upper[0], drawn.positives - upper[1]
        drawn = in_order(Drawn(drawn.top, middle, *upper), Drawn(middle, drawn.bottom, *rest))
        halvings = np.repeat(halvings - 1, 2)
    every = done[0]
    for part in done[1:]:
        every = in_order(every, part)
    return every.taken(every.rows > 0)


def _upper_share(drawn: Drawn, middle: FloatArray, shift: float) -> FloatArray:
    """Return the probability that a row of a cell lies in its upper half."""
    top, center, bottom = (ndtr(shift - edge) for edge in (drawn.top, middle, drawn.bottom))
    whole = bottom - top
    upper: FloatArray = np.divide(center - top, whole, out=np.full(top.size, 0.5), where=whole > 0)
    return np.clip(upper, 0, 1)


def in_order(*parts: Drawn) -> Drawn:
    """Put cells into one list, the highest first."""
    joined = Drawn(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    return joined.taken(np.argsort(-joined.top, kind="stable"))


if __name__ == "__main__":
    main()
