"""A sample runs evenly from the fewest errors to the most."""

from __future__ import annotations

import numpy as np
import pytest

from rocch.multiclass.views import even_sample
from tests.support.surfaces import three_class_surface


@pytest.mark.parametrize("most", [1, 2, 7, 30])
def test_picks_are_distinct_and_evenly_ranked(most: int) -> None:
    surface = three_class_surface()
    assert len(surface) > 30
    picks = even_sample(surface, most)
    assert len(set(picks.tolist())) == most
    order = np.argsort(surface.errors, kind="stable").tolist()
    ranks = [order.index(place) for place in picks]
    assert ranks[0] == 0
    steps = np.diff(ranks)
    assert most == 1 or (ranks[-1] == len(surface) - 1 and steps.max() - steps.min() <= 1)


def test_few_members_are_all_taken() -> None:
    surface = three_class_surface()
    assert sorted(even_sample(surface, 10_000).tolist()) == list(range(len(surface)))
