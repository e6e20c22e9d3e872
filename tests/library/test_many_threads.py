"""Many processes at once, on one library: the batch hull of everything added is the oracle."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from rocch import InputError, RocCurve, RocHull
from rocch.library import ClassifierLibrary
from tests.support import adders
from tests.support.places import on_both

if TYPE_CHECKING:
    from tests.support.places import Places


@pytest.fixture
def library(places: Places) -> ClassifierLibrary:
    return places.create()


def curves(count: int, start: int = 0) -> list[int]:
    return [n for n in range(start, start + 2 * count) if not adders.is_model(n)][:count]


@pytest.mark.slow
@on_both("scoring", [(False,), (True,)], [(True,)])
def test_a_hundred_thousand_points_in_batches_make_the_batch_hull(
    library: ClassifierLibrary, scoring: bool
) -> None:
    rng = np.random.default_rng(3)
    parts = []
    for number in range(40):
        along, bend = np.sort(rng.random(2_500)), rng.uniform(1.5, 4)
        fp, tp = ((along**power * 10**6).astype(np.int64) for power in (bend, 0.5 / bend))
        if scoring:
            fp, tp = np.append(fp, 10**6), np.append(tp, 10**6)
        thresholds = -np.arange(fp.size, dtype=float) if scoring else None
        about: dict[str, Any] = {
            "negatives": 10**6,
            "positives": 10**6,
            "lowest_scores": thresholds,
        }
        parts.append(RocCurve.from_counts(fp, tp, name=f"m{number}", **about))
        library.add(parts[-1])
    assert library.hull == RocHull.of(*parts)
    assert len(library) < 20
    assert library.verify().sound


def test_one_of_several_who_make_a_library_succeeds(places: Places) -> None:
    made, refused = [], []
    place, options = places.new()

    def make() -> None:
        try:
            made.append(ClassifierLibrary.create(place, **options))
        except (InputError, OSError) as error:
            refused.append(error)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(made), len(refused)) == (1, 7)
    made[0].add(adders.curve(1))
    assert len(ClassifierLibrary(place)) == 1


def test_threads_share_a_library(library: ClassifierLibrary) -> None:
    numbers = curves(60)
    threads = [
        threading.Thread(target=lambda i=i: [library.add(adders.curve(n)) for n in numbers[i::4]])
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert library.hull == adders.batch(numbers)
