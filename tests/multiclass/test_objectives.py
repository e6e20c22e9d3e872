from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from rocch import InputError
from rocch.multiclass.confusion import limits_of, objectives_of
from rocch.multiclass.search import as_searchable

COUNTS = np.array([[[5, 1, 2], [3, 6, 4], [7, 8, 9]]])
TOTALS = COUNTS[0].sum(axis=1)


def test_rates_are_all_ways_to_err_row_by_row() -> None:
    assert objectives_of(COUNTS, "rates").tolist() == [[1, 2, 3, 4, 7, 8]]
    assert limits_of(TOTALS, "rates").tolist() == [8, 8, 13, 13, 24, 24]


def test_misses_are_summed_over_predictions() -> None:
    assert objectives_of(COUNTS, "misses").tolist() == [[3, 7, 15]]
    assert limits_of(TOTALS, "misses").tolist() == [8, 13, 24]


@pytest.mark.parametrize(("kind", "most"), [("rates", 6), ("misses", 12)])
def test_the_largest_number_of_classes_is_allowed(kind: str, most: int) -> None:
    assert as_searchable(kind, most) == kind


@pytest.mark.parametrize(
    ("kind", "classes", "message", "alternative"),
    [
        ("rates", 7, "at most 6 to search objectives='rates'; got 7 classes, which make 42", True),
        ("rates", 26, "got 26 classes, which make 650 objectives", False),
        ("misses", 13, "at most 12 to search objectives='misses'; got 13 classes", False),
    ],
)
def test_too_many_classes_are_refused_with_alternatives(
    kind: Any, classes: int, message: str, alternative: bool
) -> None:
    with pytest.raises(InputError, match=re.escape(message)) as refusal:
        as_searchable(kind, classes)
    said = str(refusal.value)
    assert "nearly everything is non-dominated" in said
    assert ("Use objectives='misses', rocch.multiclass.assign" in said) is alternative
    assert "rocch.multiclass.assign" in said
    assert "rocch.multiclass.best_classifier" in said


def test_unknown_objectives_are_refused() -> None:
    with pytest.raises(InputError, match="objectives must be one of 'rates', 'misses'; got 'hits'"):
        as_searchable("hits", 3)
