"""The look of pictures: names, percentages, and which points of a long line are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from rocch.plots.style import MOST_POINTS, as_text, looks, percent, visible


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.5, "50%"),
        (0.0373, "3.73%"),
        (0.36283, "36.3%"),
        (1e-5, "0.001%"),
        (0, "0%"),
        (1, "100%"),
        (0.9999, "99.99%"),
        (0.99951, "99.95%"),
        (0.9999999, "99.99999%"),
    ],
)
def test_percentages_never_round_up_to_all(share: float, text: str) -> None:
    assert percent(share) == text


def test_names_are_plain_text() -> None:
    assert as_text("nb") == "nb"
    assert as_text("$x_") == r"\$x_"
    assert as_text("_a") == "\u200b_a"
    assert as_text("abcdefghijklmnopqrstuvwxyz") == "abcdefghijkl…opqrstuvwxyz"


def test_the_trivial_classifiers_are_gray() -> None:
    given = looks(["a", "b"])
    assert given["never"] == given["always"]
    assert len({given[name].color for name in ("a", "b", "never")}) == 3


def test_short_lines_are_drawn_in_full() -> None:
    x = np.linspace(0, 1, MOST_POINTS)
    assert x[visible(x, x)].size == MOST_POINTS


def test_long_lines_are_thinned_evenly_as_seen() -> None:
    x = np.linspace(0, 1, 100_000)
    y = np.minimum(1000 * x, 1)  # half of the path as seen lies in the first thousandth
    keep = visible(x, y)
    assert x[keep].size <= MOST_POINTS + 1
    assert (x[keep][0], x[keep][-1]) == (0, 1)
    assert (x[keep] < 0.001).sum() == pytest.approx(100, abs=5)  # as many as there are
    assert np.diff(x[keep]).max() < 0.0015


def test_a_long_line_that_stands_still_is_no_problem() -> None:
    x = np.zeros(MOST_POINTS + 5)
    assert x[visible(x, x)].size >= 1
