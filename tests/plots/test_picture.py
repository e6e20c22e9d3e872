"""What all pictures of a hull promise alike."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch import RocCurve, RocHull
from rocch.plots.style import resolve_conditions

mpl.use("Agg")
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba

if TYPE_CHECKING:
    from pathlib import Path

Display: TypeAlias = Any

DISPLAYS: list[Display] = [
    rocch.plots.CostCurveDisplay,
    rocch.plots.DetDisplay,
    rocch.plots.GainDisplay,
    rocch.plots.NetBenefitDisplay,
    rocch.plots.RocPrecisionRecallDisplay,
]
ALL: list[Display] = [*DISPLAYS, rocch.plots.RocHullDisplay]

every_display = pytest.mark.parametrize("display", ALL, ids=lambda each: each.__name__)
every_new_display = pytest.mark.parametrize("display", DISPLAYS, ids=lambda each: each.__name__)


def data(size: int = 120) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(5)
    y = rng.random(size) < 0.3
    sharp = rng.normal(size=size) + np.where(y & (rng.random(size) < 0.6), 3.0, 0.0)
    wide = rng.normal(size=size) * np.where(y, 0.3, 1.0) + 0.8 * y
    return y, {"sharp": sharp, "wide": wide}


@pytest.fixture
def hull() -> RocHull:
    return RocHull.from_scores(*data())


def words(picture: Display) -> list[str]:
    """Return the entries of the legend, wherever it stands."""
    box = picture.ax_.get_legend() or picture.figure_.legends[0]
    return [text.get_text() for text in box.get_texts()]


@every_display
def test_from_predictions_is_from_hull(display: Display, hull: RocHull) -> None:
    y, scores = data()
    one, other = display.from_hull(hull), display.from_predictions(y, scores)
    assert other.hull == hull
    assert words(one) == words(other)


@every_display
def test_labels_weights_and_positive_class_are_passed_on(display: Display) -> None:
    y, scores = data()
    weights = np.random.default_rng(1).integers(1, 5, y.size)
    picture = display.from_predictions(
        np.where(y, "ill", "well"), scores, pos_label="ill", sample_weight=weights
    )
    assert picture.hull == RocHull.from_scores(y, scores, sample_weight=weights)


@every_display
def test_from_estimators_judges_fitted_classifiers(display: Display) -> None:
    X, y = make_classification(n_samples=80, flip_y=0.2, random_state=0)
    models = {"lr": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=2)}
    fitted = {name: model.fit(X, y) for name, model in models.items()}
    picture = display.from_estimators(fitted, X, y)
    wanted = {name: model.predict_proba(X)[:, 1] for name, model in fitted.items()}
    assert picture.hull == RocHull.from_scores(y, wanted)


@every_display
def test_any_name_stays_text(display: Display, tmp_path: Path) -> None:
    y, scores = data(40)
    names = ["$x_", "_hidden", r"$\frac$", "100%", "x\ny", "hull"]
    picture = display.from_predictions(y, dict.fromkeys(names, scores["sharp"]))
    entries = [entry.replace(r"\$", "$").lstrip("\u200b") for entry in words(picture)]
    assert all(any(entry.startswith(name) for entry in entries) for name in names)
    picture.figure_.savefig(tmp_path / "picture.png")


@every_display
def test_many_models_have_their_legend_below_and_look_different(display: Display) -> None:
    rng = np.random.default_rng(2)
    y = rng.random(100) < 0.5
    scores = {f"m{i}": rng.normal(size=100) + y for i in range(20)}
    picture = display.from_predictions(y, scores)
    (below,) = picture.figure_.legends
    assert len(below.get_texts()) >= 21
    assert picture.ax_.get_legend() is None
    looks = {(look.color, look.line) for name, look in picture._looks.items() if name in scores}
    assert len(looks) == 20


@every_new_display
def test_the_legend_stands_below_and_the_figure_grows_for_it(
    display: Display, hull: RocHull
) -> None:
    picture = display.from_hull(hull)
    (below,) = picture.figure_.legends
    assert picture.ax_.get_legend() is None
    rows = -(-len(below.get_texts()) // 2)
    width, height = picture.figure_.get_size_inches()
    assert (width, height) == pytest.approx((display.size[0], display.size[1] + 0.19 * rows))


@every_display
def test_given_axes_are_drawn_on(display: Display, hull: RocHull) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    picture = display.from_hull(hull, ax=right)
    assert (picture.ax_, picture.figure_) == (right, figure)
    assert right.get_legend() is not None
    assert not figure.legends
    assert not left.lines
    assert len(plt.get_fignums()) == 1


@every_display
def test_plot_draws_again_on_new_axes(display: Display, hull: RocHull) -> None:
    picture = display.from_hull(hull)
    first, entries = picture.ax_, words(picture)
    assert picture.plot() is picture
    assert picture.ax_ is not first
    assert words(picture) == entries
    assert len(picture.ax_.lines) == len(first.lines)


@every_display
def test_drawing_leaves_global_settings_alone(display: Display, hull: RocHull) -> None:
    before = dict(mpl.rcParams)
    display.from_hull(hull)
    assert dict(mpl.rcParams) == before


LABELS_ONLY = RocCurve.from_labels([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0], name="rules")
ODD = {
    "perfect": RocHull.from_scores([0, 0, 1, 1, 1], {"a": [1, 2, 3, 4, 5]}),
    "constant": RocHull.from_scores([0, 1, 0, 1], {"a": [1, 1, 1, 1]}),
    "inverted": RocHull.from_scores([0, 0, 1, 1], {"a": [4, 3, 2, 1]}),
    "two rows": RocHull.from_scores([0, 1], {"a": [0, 1]}),
    "infinite scores": RocHull.from_scores([0, 1, 0, 1], {"a": [-np.inf, 1, 2, np.inf]}),
    "labels only": RocHull.of(LABELS_ONLY),
    "identical": RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4], "b": [1, 3, 2, 4]}),
    "counts from elsewhere": RocHull.of(
        RocCurve.from_counts([10, 30], [40, 45], negatives=100, positives=50, name="a")
    ),
}


@every_display
def test_odd_classifiers_can_be_drawn(display: Display) -> None:
    figure, axes = plt.subplots(2, 4)
    for (kind, odd), ax in zip(ODD.items(), axes.ravel(), strict=True):
        display.from_hull(odd, ax=ax)
        lines = [line for line in ax.lines if not hasattr(line, "get_xy1")]
        numbers = np.concatenate([np.ravel(line.get_xydata()) for line in lines])
        assert np.isfinite(numbers).all(), kind
    figure.draw_without_rendering()


@every_new_display
def test_labels_only_are_named_as_such(display: Display) -> None:
    entries = words(display.from_hull(RocHull.of(LABELS_ONLY)))
    wanted = "rules" if display is rocch.plots.CostCurveDisplay else "labels)"
    assert any(entry.startswith("rules") and wanted in entry for entry in entries)


@every_new_display
def test_hulls_of_different_rows_can_be_drawn_at_a_stated_prevalence(display: Display) -> None:
    one = RocCurve.from_scores([0, 0, 1, 1], [1, 3, 2, 4], name="one")
    other = RocCurve.from_scores([0, 1, 1], [1, 2, 3], name="other")
    hull = RocHull.of(one, other, allow_different_rows=True)
    needs = display not in (rocch.plots.CostCurveDisplay, rocch.plots.DetDisplay)
    if needs:
        with pytest.raises(rocch.InputError, match="prevalence must be named"):
            display.from_hull(hull)
    picture = display.from_hull(hull, **({"prevalence": 0.2} if needs else {}))
    assert any(entry.startswith("other") for entry in words(picture))


@every_new_display
def test_a_restricted_hull_is_refused(display: Display, hull: RocHull) -> None:
    some = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=(1, 2))
    with pytest.raises(rocch.InputError, match="the view must come from a whole hull"):
        display.from_hull(hull.within(some))


@every_display
def test_other_things_than_hulls_are_refused(display: Display) -> None:
    with pytest.raises(rocch.InputError, match=r"hull must be a RocHull.*Build it with RocHull"):
        display.from_hull([0, 1])


@every_display
def test_an_unknown_option_is_refused(display: Display, hull: RocHull) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'color'"):
        display.from_hull(hull, color="red")


@every_display
def test_without_matplotlib_the_extra_is_named(
    display: Display, hull: RocHull, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rocch.MissingExtraError, match=r"'plot' extra.*pip install 'rocch\[plot\]'"):
        display.from_hull(hull)


@every_display
def test_a_band_has_its_classifiers_color(display: Display, hull: RocHull) -> None:
    picture = display.from_hull(hull)
    x, low, high = np.array([0.2, 0.4]), np.array([0.1, 0.2]), np.array([0.3, 0.4])
    for name, color in (("wide", picture._looks["wide"].color), ("hull", "#222222")):
        band = picture.shade(name, x, low, high)
        assert tuple(band.get_facecolor()[0]) == pytest.approx(to_rgba(color, 0.15))
        corners = {(float(a), float(b)) for a, b in band.get_paths()[0].vertices}
        assert {(0.2, 0.1), (0.4, 0.2), (0.2, 0.3), (0.4, 0.4)} <= corners
        assert band in picture.ax_.collections


def test_one_or_several_conditions(hull: RocHull) -> None:
    one = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
    for given in (one, [one], (one,)):
        assert [stated for stated, _ in resolve_conditions(given, hull)] == [one]
    assert list(resolve_conditions([], hull)) == []
    anything: Any = "cheap"
    with pytest.raises(rocch.InputError, match="conditions must be Conditions"):
        list(resolve_conditions(anything, hull))
