"""Any function of named parameters: bounds, whole numbers, starts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import rocch

LOW, HIGH = {"c": -1.0, "depth": 1}, {"c": 2.0, "depth": 4}
SEEN: list[dict[str, Any]] = []


def probabilities(values: dict[str, Any]) -> Any:
    SEEN.append(values)
    p = 1 / (1 + np.exp(-values["c"] * np.arange(4) / values["depth"]))
    return np.column_stack((p, 1 - p))


def model(**options: Any) -> rocch.multiclass.FunctionModel:
    return rocch.multiclass.FunctionModel(
        probabilities, **({"low": LOW, "high": HIGH, "whole": ["depth"]} | options)
    )


def test_the_function_gets_values_by_name_and_whole_ones_whole() -> None:
    SEEN.clear()
    got = model().probabilities(np.array([0.5, 3.0]))
    assert SEEN == [{"c": 0.5, "depth": 3}]
    assert isinstance(SEEN[0]["depth"], int)
    assert got.shape == (4, 2)


def test_random_starts_fill_the_bounds() -> None:
    started = model().start(2000, np.random.default_rng(0))
    assert started[:, 0].min() == pytest.approx(-1, abs=0.01)
    assert started[:, 0].max() == pytest.approx(2, abs=0.01)
    depths, times = np.unique(started[:, 1], return_counts=True)
    assert depths.tolist() == [1, 2, 3, 4]
    assert times == pytest.approx(np.full(4, 500), abs=100)  # the ends are as likely as the rest


def test_steps_stay_within_and_have_their_scale() -> None:
    rng = np.random.default_rng(1)
    small = model(step={"c": 0.01, "depth": 1})
    moved = np.array([small.perturb(np.array([0.5, 2.0]), rng) for _ in range(2000)])
    assert np.abs(moved[:, 0] - 0.5).mean() == pytest.approx(0.01, rel=0.1)
    assert set(moved[:, 1]) == {1, 2, 3, 4}
    wide = model(step={"c": 100, "depth": 100})
    far = np.array([wide.perturb(np.array([0.5, 2.0]), rng) for _ in range(500)])
    assert ((far >= [-1, 1]) & (far <= [2, 4])).all()
    by_default = np.array([model().perturb(np.array([0.5, 2.0]), rng) for _ in range(2000)])
    assert np.abs(by_default[:, 0] - 0.5).mean() == pytest.approx(0.3, rel=0.15)


def test_a_step_of_zero_and_bounds_that_meet_keep_a_parameter_fixed() -> None:
    rng = np.random.default_rng(0)
    still = model(step={"c": 0, "depth": 0})
    assert still.perturb(np.array([0.5, 2.0]), rng).tolist() == [0.5, 2]
    fixed = model(low={"c": 1.5, "depth": 1}, high={"c": 1.5, "depth": 4})
    assert fixed.perturb(np.array([1.5, 2.0]), rng)[0] == 1.5
    assert (fixed.start(9, rng)[:, 0] == 1.5).all()


def test_given_starts_are_used_as_they_are() -> None:
    rng = np.random.default_rng(0)
    given = model(start=[{"depth": 2, "c": 0.5}, {"c": 2.0, "depth": 4}])
    assert given.start(100, rng).tolist() == [[0.5, 2], [2, 4]]
    assert model(start={"depth": 2, "c": 0.5}).start(100, rng).tolist() == [[0.5, 2]]


def test_new_rows_need_a_function_of_their_own() -> None:
    with pytest.raises(rocch.UndefinedError, match="Pass new_rows="):
        model().probabilities_of(np.array([0.5, 2.0]), [[1.0]])
    able = model(new_rows=lambda values, X: np.full((len(X), 2), values["depth"] / 4))
    assert able.probabilities_of(np.array([0.5, 2.0]), [[1.0], [2.0]]).tolist() == [[0.5, 0.5]] * 2


def test_its_face() -> None:
    made = model(name="tree")
    assert isinstance(made, rocch.multiclass.SearchModel)
    assert made.parameter_names == ("c", "depth")
    assert made.name_of(np.array([0.0, 1])) == "tree"
    assert model(whole="depth").start(5, np.random.default_rng(0))[:, 1].dtype == float


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"low": {}}, "low must map every parameter's name to its lower bound; got none."),
        ({"low": [1, 2]}, "low must map every parameter's name to its lower bound; got an object"),
        ({"high": {"c": 1}}, "high must have exactly the parameters 'c', 'depth'; got 'c'."),
        (
            {"high": 3},
            "high must map every parameter's name to a number; got an object of type int",
        ),
        ({"high": {"c": "x", "depth": 4}}, "high['c'] must be a finite number; got 'x'."),
        ({"high": {"c": np.inf, "depth": 4}}, "high['c'] must be a finite number; got inf."),
        ({"high": {"c": -2, "depth": 4}}, "low['c'] must not be above high; got -1 and -2."),
        ({"high": {"c": 2, "depth": 4.5}}, "low['depth'] must be a whole number"),
        ({"whole": ["width"]}, "whole must name one of the parameters; got 'width'."),
        (
            {"step": {"c": -1, "depth": 1}},
            "step['c'] must be a finite number, not negative",
        ),
        ({"step": {"c": 1}}, "step must have exactly the parameters 'c', 'depth'; got 'c'."),
        ({"start": []}, "start must hold at least one vector; got none."),
        ({"start": [{"c": 3, "depth": 1}]}, "start[0] must lie between low and high"),
        ({"start": [{"c": 1, "depth": 1.5}]}, "start[0] must lie between low and high, whole"),
        ({"start": [{"c": 1}]}, "start[0] must have exactly the parameters"),
        (
            {"new_rows": 3},
            "new_rows must be a function of parameters and rows",
        ),
        ({"name": ""}, "name must be a text that is not empty; got ''."),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=re.escape(message)):
        model(**options)


def test_something_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="function must be a function of parameters; got"):
        rocch.multiclass.FunctionModel("f", low=LOW, high=HIGH)  # type: ignore[arg-type]
