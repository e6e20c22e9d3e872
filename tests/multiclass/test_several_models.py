from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch import InputError

DATA = rocch.multiclass.three_class_data(90, seed=1)
NEAR = rocch.multiclass.KnnModel(DATA.X, DATA.y)
NET = rocch.multiclass.MlpModel(DATA.X, DATA.y, hidden=2)
LISTED = rocch.multiclass.KnownProbabilities(
    {"even": np.full((90, 3), 1 / 3), "true": DATA.probabilities(DATA.X)}, [1, 2, 3]
)


def test_one_surface_of_all_models_each_member_knowing_its_own() -> None:
    own: dict[str, rocch.multiclass.SearchModel] = {"near": NEAR, "net": NET}
    surface = rocch.multiclass.SurfaceSearch(
        rocch.multiclass.SeveralModels({**own, "listed": LISTED}), DATA.y, seed=0
    ).run(15)
    assert {"near", "net"} <= set(surface.models) <= {"near", "net", "even", "true"}
    for member in surface:
        if member.model not in own:
            assert member.parameters == {}
            continue
        assert tuple(member.parameters) == own[member.model].parameter_names
        assert member.costs is not None
        probabilities = own[member.model].probabilities(np.array(list(member.parameters.values())))
        again = rocch.multiclass.assign(probabilities, member.costs, classes=[1, 2, 3])
        found = rocch.multiclass.Confusion.from_labels(DATA.y, again)
        assert found.counts.tolist() == member.confusion.counts.tolist()


def test_vectors_go_to_their_own_model() -> None:
    models = rocch.multiclass.SeveralModels({"near": NEAR, "listed": LISTED})
    vector = np.array([0.0, 15.0, 20.0, 0.0])
    assert (
        models.probabilities(vector).tolist() == NEAR.probabilities(np.array([15.0, 20.0])).tolist()
    )
    assert models.name_of(vector) == "near"
    assert models.name_of(np.array([1.0, 0.0, 0.0, 1.0])) == "true"
    new = models.probabilities_of(vector, DATA.X[:2])
    assert new.tolist() == NEAR.probabilities_of(np.array([15.0, 20.0]), DATA.X[:2]).tolist()


@pytest.mark.parametrize(
    ("models", "why"),
    [
        ({}, "map names to models"),
        ([NEAR], "map names to models"),
        ({"near": "knn"}, r"models\['near'\] must be a model with start"),
        (
            {
                "near": NEAR,
                "other": rocch.multiclass.KnownProbabilities({"x": [[0.5, 0.5]]}, ["a", "b"]),
            },
            "same classes in the same order",
        ),
    ],
)
def test_bad_input(models: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        rocch.multiclass.SeveralModels(models)
