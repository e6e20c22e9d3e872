"""Selection that spreads: sparse stretches get their turn, whatever the crowd elsewhere."""

from __future__ import annotations

import numpy as np

from rocch.multiclass import Archive
from rocch.multiclass.archive import BINS, PartitionedSelection


def test_members_away_from_the_crowd_are_chosen_far_more_often() -> None:
    crowd = [[i, 1_000_000 - i] for i in range(1000)]
    sparse = [[100_000 * i, 900_000 - 100_000 * i] for i in range(1, 10)]
    archive, rng = Archive([1_000_000, 1_000_000]), np.random.default_rng(1)
    archive.insert(crowd + sparse)
    assert len(archive) == 1009
    chosen = np.array([archive.select(rng) for _ in range(2000)])
    # ten bins are filled, nine of them by one member each; uniformly it would be 9 of 1,009
    assert np.mean(chosen >= 1000) > 0.85
    assert set(range(1000, 1009)) <= set(chosen.tolist())


def test_in_one_deal_every_filled_bin_has_its_turn() -> None:
    values = np.repeat(np.arange(BINS), np.arange(1, BINS + 1))
    selection, rng = PartitionedSelection.fresh(1), np.random.default_rng(2)
    for _ in range(3):
        chosen = [selection.choose(0, values, rng) for _ in range(BINS)]
        assert sorted(values[chosen].tolist()) == list(range(BINS))


def test_empty_bins_are_skipped() -> None:
    values = np.array([0, 100, 100, 100])
    selection, rng = PartitionedSelection.fresh(1), np.random.default_rng(3)
    chosen = [selection.choose(0, values, rng) for _ in range(400)]
    assert chosen.count(0) == 200
    assert all(chosen.count(place) > 40 for place in (1, 2, 3))


def test_a_single_value_is_one_bin() -> None:
    selection, rng = PartitionedSelection.fresh(3), np.random.default_rng(4)
    chosen = {selection.choose(2, np.array([7, 7]), rng) for _ in range(30)}
    assert chosen == {0, 1}


def test_all_objectives_are_chosen() -> None:
    selection, rng = PartitionedSelection.fresh(6), np.random.default_rng(5)
    times = np.bincount([selection.objective(rng) for _ in range(600)], minlength=6)
    assert times.min() > 60


def test_ranges_near_the_largest_that_is_allowed() -> None:
    values = np.array([0, 2**57, 2**58])
    selection, rng = PartitionedSelection.fresh(1), np.random.default_rng(6)
    chosen = [selection.choose(0, values, rng) for _ in range(30)]
    assert [chosen.count(place) for place in range(3)] == [10, 10, 10]
