"""Which choices a page keeps when there are more than it can carry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rocch.multiclass.views import even_sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rocch.arrays import IntArray
    from rocch.report.many_classes.choices import Choices

MOST_MEMBERS = 3_000
MOST_CELLS = 60_000
"""So many counts, and costs, a page carries at most."""
DRAWS = 4_000
AT_ONCE = 2_000_000


def kept(choices: Choices, needed: Iterable[int]) -> list[int]:
    """Return the places to keep, sorted.

    These are the needed ones, all rules and single answers; then the members that are
    cheapest for some of 4,000 random costs, since only they can be an answer; then others, evenly
    from the fewest errors to the most, since they show the trade-off.
    """
    most = min(MOST_MEMBERS, MOST_CELLS // len(choices.classes) ** 2)
    if len(choices) <= most:
        return list(range(len(choices)))
    single = np.flatnonzero(choices.model < 0).tolist()
    first = dict.fromkeys([*needed, *range(choices.rules), *single])
    for place in winners(choices):
        if len(first) < most:
            first.setdefault(place)
    room = max(most - len(first), 0)
    spread = even_sample(choices.as_surface(), room).tolist() if room else []
    return sorted({*first, *spread})


def winners(choices: Choices) -> list[int]:
    """Return who is cheapest for random costs, those first who are so most often."""
    size = len(choices.classes)
    rng = np.random.default_rng(0)
    totals = choices.counts[0].sum(axis=1)
    rates = (choices.counts / totals[:, None])[:, ~np.eye(size, dtype=bool)].T
    wins = np.zeros(len(choices), dtype=np.int64)
    for number in _batches(len(choices)):
        costs = rng.standard_exponential((number, size * (size - 1)))
        wins += np.bincount((costs @ rates).argmin(axis=1), minlength=len(choices))
    order: IntArray = np.argsort(-wins, kind="stable")
    return [int(place) for place in order if wins[place]]


def _batches(members: int) -> Iterator[int]:
    """Split the draws so that each part's costs of all members fit into little memory."""
    step, left = max(1, AT_ONCE // members), DRAWS
    while left > 0:
        yield min(step, left)
        left -= step
