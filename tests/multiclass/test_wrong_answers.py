"""The most common wrong answer, counted one error at a time."""

from __future__ import annotations

import pytest

import rocch
from rocch.multiclass.views import most_common_wrong_predictions
from tests.support.surfaces import many_class_surface, three_class_surface


@pytest.mark.parametrize("surface", [three_class_surface(), many_class_surface(4)])
def test_it_is_what_most_errors_are_answered_with(surface: rocch.multiclass.RocSurface) -> None:
    found = most_common_wrong_predictions(surface).tolist()
    for table, answer in zip(surface.counts.tolist(), found, strict=True):
        size = len(table)
        into = [sum(table[k][j] for k in range(size) if k != j) for j in range(size)]
        assert answer == into.index(max(into))
    assert len(set(found)) == len(surface.classes)


def test_of_equally_common_answers_the_first_counts() -> None:
    truth = ["a", "a", "b", "b", "c", "c"]
    tied = rocch.multiclass.Confusion.from_labels(truth, ["a", "a", "b", "c", "c", "b"])
    assert most_common_wrong_predictions(rocch.multiclass.RocSurface.of({"x": tied})).tolist() == [
        1
    ]


def test_without_errors_there_is_none() -> None:
    truth = ["a", "b", "c"]
    perfect = rocch.multiclass.RocSurface.of(
        {"x": rocch.multiclass.Confusion.from_labels(truth, truth)}
    )
    with pytest.raises(rocch.UndefinedError, match="member 0 makes no errors"):
        most_common_wrong_predictions(perfect)
