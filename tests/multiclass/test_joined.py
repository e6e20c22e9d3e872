from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch import InputError
from tests.support.oracles.multiclass import nondominated
from tests.support.surfaces import random_surface

DATA = rocch.multiclass.three_class_data(90, seed=1)
NEAR = rocch.multiclass.KnnModel(DATA.X, DATA.y)
LISTED = rocch.multiclass.FittedModels(
    {
        "true": rocch.RocSurfaceClassifier([("near", rocch.hybrid.KnnFamily())], generations=5).fit(
            DATA.X, DATA.y
        )
    },
    DATA.X,
)


def searched(model: Any) -> rocch.multiclass.RocSurface:
    return rocch.multiclass.SurfaceSearch(model, DATA.y, draws=20).run(20)


def test_a_joined_surface_keeps_what_nobody_dominates_and_knows_whose_it_is() -> None:
    parts = {"near": searched(NEAR), "listed": searched(LISTED)}
    joint = rocch.multiclass.RocSurface.joined(parts)
    every = [tuple(row) for part in parts.values() for row in part.objective_counts.tolist()]
    assert {tuple(row) for row in joint.objective_counts.tolist()} == nondominated(every)
    assert set(joint.models) <= {"near", "true"}
    several = rocch.multiclass.SeveralModels({"near": NEAR, "listed": LISTED})
    for place in range(0, len(joint), 5):
        member = joint.member(place)
        assert set(member.parameters) == ({"k", "beta"} if member.model == "near" else set())
        probabilities = several.probabilities(joint.parameters[place])
        assert member.costs is not None
        answers = rocch.multiclass.assign(probabilities, member.costs, classes=[1, 2, 3])
        assert rocch.multiclass.Confusion.from_labels(DATA.y, answers) == member.confusion


def test_it_is_never_worse_than_its_parts() -> None:
    parts = {name: random_surface(seed, draws=80) for seed, name in enumerate("xyz")}
    joint = rocch.multiclass.RocSurface.joined(parts)
    rng = np.random.default_rng(0)
    for _ in range(50):
        drawn = rng.exponential(size=6).tolist()
        costs = rocch.CostMatrix(dict(zip(joint.classes.pairs, drawn, strict=True)))
        best = min(part.best(costs).expected_cost or 0 for part in parts.values())
        assert joint.best(costs).expected_cost == best
    share = joint.dominated_share(samples=2000).value
    assert share >= max(part.dominated_share(samples=2000).value for part in parts.values())


def test_new_rows_are_answered_by_a_member() -> None:
    surface = searched(NEAR)
    new = rocch.multiclass.three_class_data(30, seed=5).X
    point = surface.fewest_errors()
    vector = np.array(list(point.member.parameters.values()))
    assert point.member.costs is not None
    want = rocch.multiclass.assign(
        NEAR.probabilities_of(vector, new), point.member.costs, classes=[1, 2, 3]
    )
    assert surface.predict(point, NEAR, new).tolist() == want.tolist()
    assert surface.predict(0, NEAR, new).shape == (30,)


@pytest.mark.parametrize(
    ("surfaces", "why"),
    [
        ({}, "map names to RocSurface"),
        ({"x": 1}, "be a RocSurface"),
        (
            {"x": random_surface(0), "y": random_surface(0, rows=90)},
            "count the same rows as the others",
        ),
        (
            {"x": random_surface(0), "y": random_surface(0, classes=4)},
            "have the classes 'a', 'b', 'c' and the objectives rates",
        ),
    ],
)
def test_bad_input(surfaces: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        rocch.multiclass.RocSurface.joined(surfaces)


def test_limits_hold_within_bounds_too() -> None:
    surface = random_surface(3, draws=120)
    vague = rocch.CostMatrix(dict.fromkeys(surface.classes.pairs, (1, 3)))
    limits = {("a", "b"): 0.1, "c": 0.5}
    found = surface.optimal_within(vague, limits=limits)
    safe = surface.least_regret(vague, limits=limits)
    for place in (*found.places, safe.member.place):
        assert place is not None
        assert surface.counts[place, 0, 1] <= 2
        assert surface.misses[place, 2] <= 10
    for place, witness in found.witnesses.items():
        best = surface.best(witness.costs, witness.priors, limits=limits)
        own = surface.member(place).confusion.expected_cost(witness.costs)
        assert own == pytest.approx(best.expected_cost)


def test_models_of_the_same_name_are_refused() -> None:
    near = searched(NEAR)
    with pytest.raises(InputError, match="have distinct names; got 'true'"):
        rocch.multiclass.RocSurface.joined({"true": near, "listed": searched(LISTED)})


def test_the_model_must_have_the_surfaces_parameters() -> None:
    joint = rocch.multiclass.RocSurface.joined({"near": searched(NEAR), "listed": searched(LISTED)})
    turned = rocch.multiclass.SeveralModels({"listed": LISTED, "near": NEAR})
    with pytest.raises(InputError, match="have the surface's parameters"):
        joint.predict(0, turned, DATA.X)
