"""The panels show what is answered where, the rows, and the true boundaries."""

from __future__ import annotations

import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import rocch
from rocch.plots.style import COLORS, tint
from tests.support.surfaces import (
    NAMES,
    Tempered,
    three_class_surface,
    three_classes,
    true_posteriors,
)

mpl.use("Agg")
lib: Any = rocch  # so that mypy lets the tests pass what users should not
X, CODES = three_classes()
Y = np.asarray(NAMES)[CODES]


def left_or_right(rows: Any) -> Any:
    return np.where(np.asarray(rows)[:, 0] > 0.5, "birch", "cedar")


def drawn(**given: Any) -> rocch.plots.DecisionRegionsDisplay:
    classifiers = given.pop("classifiers", {"halves": left_or_right})
    return rocch.plots.DecisionRegionsDisplay.from_classifiers(
        X, Y, classifiers, **{"resolution": 20, **given}
    )


def test_the_shading_is_the_answered_class_all_over_the_grid() -> None:
    display = drawn()
    (mesh,) = display.region_meshes_
    codes = np.asarray(mesh.get_array()).reshape(20, 20)
    assert (codes == np.where(display.plane.x > 0.5, 1, 2)).all()
    for code in range(len(NAMES)):
        shade = mesh.to_rgba(np.array([code]))[0]
        assert shade[:3] == pytest.approx(tint(COLORS[code]))


def test_rows_have_a_shape_and_a_color_for_each_class() -> None:
    (marks,) = drawn().row_marks_
    assert list(marks) == NAMES
    for code, name in enumerate(NAMES):
        assert np.array_equal(np.asarray(marks[name].get_offsets()), X[code == CODES])
    colors = {mpl.colors.to_hex(np.asarray(own.get_facecolor())[0]) for own in marks.values()}
    shapes = {np.asarray(own.get_paths()[0].vertices).tobytes() for own in marks.values()}
    assert len(colors) == len(shapes) == 3


def test_titles_say_what_the_panel_is_and_how_many_are_wrong() -> None:
    display = drawn()
    wrong = int((left_or_right(X) != Y).sum())
    assert display.axes_[0].get_title() == f"halves\n{wrong} of 90 wrong"
    assert display.axes_[0].get_xlabel() == "first feature"


def test_boundaries_lie_where_the_two_likeliest_classes_are_equal() -> None:
    display = drawn(probabilities=true_posteriors, resolution=120)
    (lines,) = display.boundary_lines_
    assert len(lines) == 2
    points = np.concatenate([path.vertices for line in lines for path in line.get_paths()])
    ranked = np.sort(true_posteriors(points), axis=1)
    gaps = ranked[:, 2] - ranked[:, 1]
    assert np.median(gaps) < 0.005
    assert gaps.max() < 0.1
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels == [*NAMES, "best boundaries, equal costs"]


def test_without_the_truth_there_are_no_boundaries() -> None:
    display = drawn()
    assert display.boundary_lines_ == [[]]
    assert [text.get_text() for text in display.figure_.legends[0].get_texts()] == NAMES


def test_members_of_a_surface_are_drawn_by_their_own_costs() -> None:
    surface = three_class_surface()
    best = surface.fewest_errors()
    display = rocch.plots.DecisionRegionsDisplay.from_surface(
        surface, Tempered(), X, Y, {"fewest errors": best, "the last": 3}, resolution=15
    )
    assert surface.costs is not None
    for mesh, place in zip(display.region_meshes_, (best.member.place, 3), strict=True):
        shares = Tempered().probabilities_of(surface.parameters[place], display.plane.grid)
        slow = (shares @ surface.costs[place]).argmin(axis=1)
        assert np.asarray(mesh.get_array()).ravel().tolist() == slow.tolist()
    assert [ax.get_title() for ax in display.axes_] == [
        f"fewest errors\n{best.confusion.errors} of 90 evaluation rows wrong",
        f"the last\n{surface.errors[3]} of 90 evaluation rows wrong",
    ]


def test_fitted_classifiers_know_the_columns_of_a_frame() -> None:
    frame = pd.DataFrame({"petal": X[:, 0], "sepal": X[:, 1]})
    model = LogisticRegression().fit(frame, Y)
    display = rocch.plots.DecisionRegionsDisplay.from_classifiers(
        frame, Y, {"logistic": model}, resolution=10
    )
    assert display.axes_[0].get_xlabel() == "petal"
    assert display.axes_[0].get_ylabel() == "sepal"
    assert display.regions[0].errors == (model.predict(frame) != Y).sum()


@pytest.mark.parametrize(("panels", "shape"), [(1, (1, 1)), (3, (1, 3)), (4, (2, 2)), (5, (2, 3))])
def test_panels_stand_in_rows_and_share_their_axes(panels: int, shape: tuple[int, int]) -> None:
    display = drawn(classifiers={f"number {i}": left_or_right for i in range(panels)})
    assert len(display.axes_) == len(display.figure_.axes) == panels
    grid = display.axes_[0].get_subplotspec()
    assert grid is not None
    assert (grid.get_gridspec().nrows, grid.get_gridspec().ncols) == shape
    assert len({ax.get_xlim() for ax in display.axes_}) == 1
    for i, ax in enumerate(display.axes_):
        assert bool(ax.get_ylabel()) == (i % shape[1] == 0)
        assert bool(ax.get_xlabel()) == (i + shape[1] >= panels)


def test_classes_without_rows_are_still_in_the_legend() -> None:
    display = drawn(classes=[*NAMES, "oak"])
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels == [*NAMES, "oak"]
    assert len(np.asarray(display.row_marks_[0]["oak"].get_offsets())) == 0


def test_classes_that_are_numbers_are_called_classes() -> None:
    display = rocch.plots.DecisionRegionsDisplay.from_classifiers(
        X, CODES, {"x": lambda rows: np.zeros(len(rows), dtype=int)}, resolution=5
    )
    labels = [text.get_text() for text in display.figure_.legends[0].get_texts()]
    assert labels == ["class 0", "class 1", "class 2"]


def test_it_draws_on_axes_that_are_given() -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2)
    display = drawn(ax=axes, classifiers={"a": left_or_right, "b": left_or_right})
    assert display.axes_ == list(axes)
    assert display.figure_ is figure
    assert axes[1].get_legend() is not None
    alone = drawn(ax=pyplot.subplots()[1])
    assert len(alone.axes_) == 1
    with pytest.raises(rocch.InputError, match="ax must be 1 axes, one for each panel; got 2"):
        drawn(ax=axes)


def test_drawing_again_gives_a_new_figure() -> None:
    display = drawn()
    first = display.figure_
    assert display.plot().figure_ is not first


def test_bad_input_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="X must have rows of 2 columns"):
        lib.plots.DecisionRegionsDisplay.from_classifiers(np.ones((90, 3)), Y, {"x": left_or_right})
    with pytest.raises(rocch.InputError, match="y must have one value for each of the 90 rows"):
        lib.plots.DecisionRegionsDisplay.from_classifiers(X, Y[:80], {"x": left_or_right})
    with pytest.raises(rocch.InputError, match="y must name one of the classes; got 'cedar'"):
        drawn(classes=["ash", "birch"])
    with pytest.raises(rocch.InputError, match="surface must be a RocSurface"):
        lib.plots.DecisionRegionsDisplay.from_surface(None, Tempered(), X, Y, {"x": 0})
    with pytest.raises(rocch.InputError, match="members must be a whole number from 0 to"):
        lib.plots.DecisionRegionsDisplay.from_surface(
            three_class_surface(), Tempered(), X, Y, {"x": 99999}
        )


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rocch.MissingExtraError, match=r"rocch\[plot\]"):
        drawn()


def test_more_classes_than_colors_are_refused() -> None:
    X = np.random.default_rng(0).normal(size=(90, 2))
    y = np.arange(90) % 9
    with pytest.raises(rocch.InputError, match="at most 8, one for each color"):
        rocch.plots.DecisionRegionsDisplay.from_classifiers(
            X, y, {"first": lambda rows: [0] * len(rows)}
        )
