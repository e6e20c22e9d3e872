"""The plane and what is answered on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rocch
from rocch.multiclass import Classes
from rocch.multiclass.views import Plane, regions_of_classifiers, regions_of_members
from tests.support.surfaces import (
    NAMES,
    Tempered,
    three_class_surface,
    three_classes,
    true_posteriors,
)

CLASSES = Classes.of(NAMES)
X, TRUTHS = three_classes()


def test_the_plane_covers_the_rows_and_a_margin() -> None:
    plane = Plane.around(X, resolution=11)
    assert (plane.points == X).all()
    for side, column in ((plane.x, X[:, 0]), (plane.y, X[:, 1])):
        width = np.ptp(column)
        assert side[0] == pytest.approx(column.min() - 0.08 * width)
        assert side[-1] == pytest.approx(column.max() + 0.08 * width)
    assert plane.grid.shape == (121, 2)
    assert plane.grid[1].tolist() == [plane.x[1], plane.y[0]]
    assert plane.names == ("first feature", "second feature")


def test_a_feature_that_never_changes_has_a_plane_too() -> None:
    plane = Plane.around([[1, 2], [1, 3]], resolution=3)
    assert plane.x.tolist() == [0.5, 1, 1.5]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_columns_names_for_the_models(frame: Any) -> None:
    table = frame({"petal": X[:, 0], "sepal": X[:, 1]})
    plane = Plane.around(table, resolution=5)
    assert plane.names == ("petal", "sepal")
    assert isinstance(plane.grid, frame)
    assert list(plane.grid.columns) == ["petal", "sepal"]
    assert np.array_equal(plane.grid.to_numpy(), Plane.around(X, resolution=5).grid)


def test_answers_lie_where_they_were_asked_for() -> None:
    plane = Plane.around(X, resolution=7)
    (found,) = regions_of_classifiers(
        plane,
        X,
        TRUTHS,
        {"right": lambda rows: np.where(rows[:, 0] > 0.5, "birch", "ash")},
        CLASSES,
    )
    assert (found.codes == (plane.x > 0.5)).all()
    wrong = np.where(X[:, 0] > 0.5, 1, 0) != TRUTHS
    assert (found.name, found.errors, found.rows) == ("right", wrong.sum(), 90)
    assert not found.of_surface


def test_members_carry_the_errors_they_were_judged_by() -> None:
    surface = three_class_surface()
    plane = Plane.around(X, resolution=6)
    (found,) = regions_of_members(plane, surface, Tempered(), {"one": 4})
    assert (found.errors, found.rows, found.of_surface) == (surface.errors[4], 90, True)
    assert surface.costs is not None
    flat = Tempered().probabilities_of(surface.parameters[4], plane.grid) @ surface.costs[4]
    assert found.codes.ravel().tolist() == flat.argmin(axis=1).tolist()


def test_leads_are_gaps_to_the_best_of_the_others() -> None:
    plane = Plane.around(X, resolution=9)
    leads = plane.leads(true_posteriors, CLASSES)
    shares = true_posteriors(plane.grid)
    slow = [
        [own[k] - max(own[j] for j in range(3) if j != k) for own in shares.tolist()]
        for k in range(3)
    ]
    assert leads.reshape(3, -1).tolist() == slow
    assert leads.shape == (3, 9, 9)


def test_equally_likely_classes_lead_by_nothing() -> None:
    plane = Plane.around(X, resolution=2)
    leads = plane.leads(lambda rows: np.tile([0.4, 0.4, 0.2], (len(rows), 1)), CLASSES)
    assert leads[:, 0, 0].tolist() == [0.0, 0.0, -0.2]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones((5, 3)), r"X must have rows of 2 columns; got an array of shape \(5, 3\)"),
        (np.ones(5), r"X must have rows of 2 columns; got an array of shape \(5,\)"),
        ([[1, 2], [3]], "X must be a table of numbers"),
        (
            pd.DataFrame({"a": [1.0], "b": [1.0], "c": [2.0]}),
            r"rows of 2 columns.*shape \(1, 3\)",
        ),
        ([[0, 1], [np.nan, 1]], "X must hold finite numbers; got nan in row 1"),
        ([[0, 1], [np.inf, 1]], r"X must hold finite numbers; got inf in row 1"),
        ([["a", "b"]], "X must be a table of numbers"),
        (np.ones((0, 2)), "X must have rows of 2 columns"),
        (7, "X must have rows of 2 columns"),
    ],
)
def test_what_has_no_plane_is_refused(rows: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        Plane.around(rows, resolution=5)


@pytest.mark.parametrize("resolution", [1, 2.5, "fine"])
def test_a_grid_needs_two_places_a_side(resolution: Any) -> None:
    with pytest.raises(rocch.InputError, match="resolution must be a whole number, at least 2"):
        Plane.around(X, resolution=resolution)


@pytest.mark.parametrize(
    ("classifiers", "message"),
    [
        ({}, "classifiers must map names to classifiers.*; got none"),
        (len, "classifiers must map names"),
        ({"x": 5}, r"classifiers\['x'\] must be a function of rows to labels"),
        (
            {"x": lambda rows: ["oak"] * len(rows)},
            "the predictions of 'x' must name one of the classes",
        ),
        ({"x": lambda _: ["ash"]}, "the predictions of 'x' must have one value for each of the 90"),
    ],
)
def test_what_does_not_answer_is_refused(classifiers: Any, message: str) -> None:
    plane = Plane.around(X, resolution=3)
    with pytest.raises(rocch.InputError, match=message):
        regions_of_classifiers(plane, X, TRUTHS, classifiers, CLASSES)


def test_members_must_be_named() -> None:
    plane = Plane.around(X, resolution=3)
    with pytest.raises(rocch.InputError, match="members must map names to members; got none"):
        regions_of_members(plane, three_class_surface(), Tempered(), {})


def test_true_posteriors_must_be_a_function_to_probabilities() -> None:
    plane = Plane.around(X, resolution=3)
    with pytest.raises(rocch.InputError, match="probabilities must be a function"):
        plane.leads(np.ones((9, 3)), CLASSES)  # type: ignore[arg-type]
    with pytest.raises(rocch.InputError, match="probabilities must sum to 1"):
        plane.leads(lambda rows: np.ones((len(rows), 3)), CLASSES)
    with pytest.raises(
        rocch.InputError, match="probabilities must have one value for each of the 9"
    ):
        plane.leads(lambda _: np.full((4, 3), 1 / 3), CLASSES)
