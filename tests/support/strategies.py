"""Random data for property tests: mostly tied scores, because that is where hulls go wrong."""

from __future__ import annotations

import math

from hypothesis import strategies as st

SCORES = st.one_of(
    st.integers(-3, 3).map(float),
    st.sampled_from([0.0, -0.0, 0.1, math.nextafter(0.1, 1), 1e-300, 1e300, -1e300]),
    st.sampled_from([math.inf, -math.inf]),
    st.floats(allow_nan=False, width=32),
)


@st.composite
def judged_rows(draw: st.DrawFn, largest: int = 40) -> tuple[list[bool], list[float]]:
    """Draw labels of both classes and a score for each."""
    labels = draw(st.lists(st.booleans(), min_size=0, max_size=largest - 2))
    labels = draw(st.permutations([*labels, True, False]))
    scores = draw(st.lists(SCORES, min_size=len(labels), max_size=len(labels)))
    return labels, [score + 0.0 for score in scores]


@st.composite
def judged_table(
    draw: st.DrawFn, models: int = 3, largest: int = 24
) -> tuple[list[bool], dict[str, list[float]]]:
    """Draw labels and the scores of several classifiers on the same rows."""
    labels, first = draw(judged_rows(largest))
    few = st.lists(st.integers(0, 5).map(float), min_size=len(labels), max_size=len(labels))
    others = {f"m{i}": draw(few) for i in range(1, draw(st.integers(1, models)))}
    return labels, {"m0": first, **others}


@st.composite
def judged_posteriors(
    draw: st.DrawFn, models: int = 1, largest: int = 14
) -> tuple[list[int], list[list[list[float]]]]:
    """Draw labels of two to four classes, two rows of each at least, and models' posteriors."""
    classes = draw(st.integers(2, 4))
    more = draw(st.lists(st.integers(0, classes - 1), max_size=largest - 2 * classes))
    labels = draw(st.permutations([*range(classes), *range(classes), *more]))
    odds = st.lists(st.integers(0, 3), min_size=classes, max_size=classes).filter(any)
    rows = st.lists(odds, min_size=len(labels), max_size=len(labels))
    drawn = [draw(rows) for _ in range(models)]
    return labels, [[[odd / sum(row) for odd in row] for row in matrix] for matrix in drawn]
