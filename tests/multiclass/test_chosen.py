"""Members that users choose are found at their places, and only on their own surface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.kernels.assignment import least_cost
from rocch.multiclass.surface import as_places, as_surface
from tests.support.surfaces import Tempered, three_class_surface, three_classes


def test_points_members_and_places_are_taken() -> None:
    surface = three_class_surface()
    best = surface.fewest_errors()
    chosen: dict[Any, Any] = {"best": best, 2: surface.member(2), "third": np.int64(3)}
    assert as_places(surface, chosen, "marks") == {"best": best.member.place, "2": 2, "third": 3}


def test_a_member_of_another_surface_is_refused() -> None:
    other = three_class_surface("misses")
    stranger = other.member(len(other) - 1)
    surface = three_class_surface()
    assert (surface.counts[stranger.place] != stranger.confusion.counts).any()
    with pytest.raises(rocch.InputError, match="marks must be members of this surface"):
        as_places(surface, {"x": stranger}, "marks")
    few = rocch.multiclass.RocSurface.of({"one": surface.member(0).confusion})
    with pytest.raises(rocch.InputError, match="marks must be members of this surface"):
        as_places(few, {"x": surface.member(5)}, "marks")


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([0, 1], "marks must be a Mapping; got an object of type list"),
        ({"x": -1}, "marks must be a whole number from 0 to 65; got -1"),
        ({"x": 1.5}, "marks must be a whole number"),
        ({"x": True}, "marks must be a whole number"),
        ({"x": "best"}, "marks must be a whole number"),
        ({"x": 10**6}, "marks must be a whole number from 0 to"),
    ],
)
def test_what_is_no_member_is_refused(chosen: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        as_places(three_class_surface(), chosen, "marks")


def test_what_is_no_surface_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="surface must be a RocSurface; got an object"):
        as_surface([1])
    surface = three_class_surface()
    empty = rocch.multiclass.RocSurface(
        surface.classes, surface.counts[:0], (), surface.parameters[:0], ("t",), None
    )
    with pytest.raises(rocch.InputError, match="surface must have members; got none"):
        as_surface(empty)


def test_a_member_answers_by_its_own_parameters_and_costs() -> None:
    surface, (X, _) = three_class_surface(), three_classes(seed=3)
    assert surface.costs is not None
    answers = {}
    for place in (0, len(surface) - 1):
        probabilities = Tempered().probabilities_of(surface.parameters[place], X)
        answers[place] = surface.predictor(Tempered(), place)(X)
        assert answers[place].tolist() == least_cost(probabilities, surface.costs[place]).tolist()
    assert len({tuple(own.tolist()) for own in answers.values()}) == 2


def test_members_that_cannot_answer_new_rows_are_refused() -> None:
    surface = three_class_surface()
    with pytest.raises(rocch.InputError, match=r"model\.probabilities_of must be a function"):
        surface.predictor(object(), 0)
    labels = rocch.multiclass.RocSurface.of({"one": surface.member(0).confusion})
    with pytest.raises(rocch.InputError, match="surface must know the costs by which"):
        labels.predictor(Tempered(), 0)


def test_posteriors_that_are_none_are_refused() -> None:
    class Wrong:
        def probabilities_of(self, parameters: Any, X: Any) -> Any:
            return np.ones((len(X), 3)) * parameters[0]

    with pytest.raises(rocch.InputError, match="the model's probabilities must sum to 1"):
        three_class_surface().predictor(Wrong(), 0)([[0.0, 0.0]])
