from __future__ import annotations

import numpy as np
import pytest

from rocch.multiclass import Classes
from rocch.report.many_classes import searched
from tests.support.many_reports import drawn


def search(classes: int, **options: int) -> object:
    labels, posteriors = drawn(classes, 60)
    names = Classes(tuple(map(str, range(classes))))
    return searched.searched_surface({"m": posteriors}, np.array(labels), names, **options)


@pytest.mark.parametrize(("classes", "objectives"), [(2, "rates"), (4, "rates"), (5, "misses")])
def test_few_classes_trade_off_every_error(classes: int, objectives: str) -> None:
    found = search(classes, generations=0)
    assert found is not None
    assert found.objectives == objectives  # type: ignore[attr-defined]


def test_beyond_twelve_classes_nothing_is_searched() -> None:
    assert search(13) is None
    assert search(12, generations=0) is not None


def test_the_same_seed_finds_the_same_surface() -> None:
    assert search(3, generations=2, seed=5) == search(3, generations=2, seed=5)
    assert search(3, generations=2, seed=5) != search(3, generations=2, seed=6)


def test_much_data_is_searched_with_fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searched, "MOST_WORK", 60 * 9 * 2 * 40)
    found = search(3)
    assert found is not None
    assert len(found) <= 40 * 4  # type: ignore[arg-type]
