"""Rows cut into cells at random, and cells as the kernels take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from rocch.kernels.cells import Cells
from rocch.roc import ClassTotals
from tests.support.oracles import cells as oracle
from tests.support.strategies import judged_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

Cut = tuple[list[bool], list[float], list[oracle.Cell]]


def as_cells(cells: Sequence[oracle.Cell]) -> Cells:
    """Return cells as columns."""
    high, low, negatives, positives = zip(*cells, strict=True)
    return Cells(
        np.array(high, dtype=float),
        np.array(low, dtype=float),
        np.array(negatives, dtype=np.int64),
        np.array(positives, dtype=np.int64),
    )


def totals(cells: Cells) -> ClassTotals:
    """Return the totals of cells."""
    return ClassTotals(int(cells.negatives.sum()), int(cells.positives.sum()))


@st.composite
def cut_rows(draw: st.DrawFn, largest: int = 40) -> Cut:
    """Draw labels (two of each class), scores, and the cells that they were cut into."""
    labels, scores = draw(judged_rows(largest - 2))
    labels, scores = [*labels, True, False], [*scores, draw(st.sampled_from(scores)), scores[0]]
    size = len(scores)
    cuts = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    return labels, scores, oracle.cut(labels, scores, cuts)


def tiny_cells(largest: int) -> st.SearchStrategy[list[oracle.Cell]]:
    """Draw cells of few rows, two of each class at least, with one score or several."""
    few = st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans()).filter(
        lambda cell: cell[0] + cell[1] > 0
    )
    several = st.lists(few, min_size=1, max_size=4).filter(
        lambda drawn: (
            sum(c[0] + c[1] for c in drawn) <= largest
            and sum(c[0] for c in drawn) >= 2
            and sum(c[1] for c in drawn) >= 2
        )
    )
    return several.map(
        lambda drawn: [
            # one row has one score
            oracle.Cell(-2.0 * i + (1.0 if wide and n + p > 1 else 0.0), -2.0 * i, n, p)
            for i, (n, p, wide) in enumerate(drawn)
        ]
    )
