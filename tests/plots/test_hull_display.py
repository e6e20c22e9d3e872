"""The ROC graph: what is drawn is what the hull and the curves say."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import rocch
from rocch import Conditions, RocCurve, RocHull
from rocch.plots import RocHullDisplay
from rocch.plots.style import MOST_POINTS

mpl.use("Agg")
from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.arrays import BoolArray, FloatArray

KNOWN = Conditions(prevalence=0.3, false_positive=1, false_negative=2)
VAGUE = Conditions(prevalence=0.3, false_positive=(1, 3), false_negative=(2, 8))


def data(size: int = 200, seed: int = 5) -> tuple[BoolArray, dict[str, FloatArray]]:
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.3
    sharp = rng.normal(size=size) + np.where(y & (rng.random(size) < 0.6), 3.0, 0.0)
    wide = rng.normal(size=size) * np.where(y, 0.3, 1.0) + 0.8 * y
    return y, {"sharp": sharp, "wide": wide}


@pytest.fixture
def hull() -> RocHull:
    return RocHull.from_scores(*data())


@pytest.fixture
def curves() -> list[RocCurve]:
    y, scores = data()
    return [RocCurve.from_scores(y, column, name=name) for name, column in scores.items()]


def xy(line: Any) -> tuple[list[float], list[float]]:
    x, y = line.get_data()
    return list(x), list(y)


def legend(display: RocHullDisplay) -> list[str]:
    box = display.ax_.get_legend()
    assert box is not None
    return [text.get_text() for text in box.get_texts()]


def texts(display: RocHullDisplay) -> list[str]:
    return [text.get_text() for text in display.ax_.texts]


def touching(hull: RocHull, slope: float) -> list[tuple[float, float]]:
    """Return the vertices on the highest line of this slope, by looking at all of them."""
    heights = hull.tpr - slope * hull.fpr
    best = np.flatnonzero(heights >= heights.max() - 1e-12)
    return [(float(hull.fpr[i]), float(hull.tpr[i])) for i in best]


def test_the_test_data_have_two_winners(hull: RocHull) -> None:
    assert hull.winners == {"sharp", "wide"}
    assert hull.dominator() is None


def test_the_hull_line_is_the_hull(hull: RocHull) -> None:
    display = RocHullDisplay.from_hull(hull)
    assert xy(display.hull_line_) == (hull.fpr.tolist(), hull.tpr.tolist())
    assert display.hull_line_.get_label() == f"hull (AUC {hull.auc:.3f})"


def test_the_area_under_the_hull_is_shaded(hull: RocHull) -> None:
    display = RocHullDisplay.from_hull(hull)
    shade = display.ax_.collections[0].get_paths()[0].vertices
    corners = {(float(x), float(y)) for x, y in np.asarray(shade)}
    assert set(zip(hull.fpr.tolist(), hull.tpr.tolist(), strict=True)) <= corners
    assert (1.0, 0.0) in corners


def test_each_curve_has_its_line(hull: RocHull, curves: list[RocCurve]) -> None:
    display = RocHullDisplay.from_hull(hull)
    assert len(display.curve_lines_) == 2
    for line, curve in zip(display.curve_lines_, curves, strict=True):
        assert xy(line) == (curve.fpr.tolist(), curve.tpr.tolist())
        assert line.get_label() == f"{curve.name} (AUC {curve.auc:.3f})"
    colors = {line.get_color() for line in display.curve_lines_}
    assert len(colors) == 2


def test_vertices_are_marked_by_winner_in_its_color(hull: RocHull) -> None:
    display = RocHullDisplay.from_hull(hull)
    inner = hull.vertices[1:-1]
    assert set(display.vertex_marks_) == {vertex.classifier for vertex in inner}
    marked = 0
    lines = dict(zip(("sharp", "wide"), display.curve_lines_, strict=True))
    for name, marks in display.vertex_marks_.items():
        own = [[vertex.fpr, vertex.tpr] for vertex in inner if vertex.classifier == name]
        assert np.asarray(marks.get_offsets()).tolist() == own
        color = mpl.colors.to_rgba(lines[name].get_color())
        face: Any = marks.get_facecolor()
        assert tuple(face[0]) == pytest.approx(color)
        marked += len(own)
    assert marked == len(hull) - 2


def test_winners_are_named_beside_the_hull(hull: RocHull) -> None:
    assert {"sharp", "wide", "chance"} == set(texts(RocHullDisplay.from_hull(hull)))


def test_axes_chance_and_legend(hull: RocHull, curves: list[RocCurve]) -> None:
    display = RocHullDisplay.from_hull(hull)
    ax = display.ax_
    assert ax.get_xlabel() == "False positive rate"
    assert ax.get_ylabel() == "True positive rate"
    assert ax.get_aspect() == 1
    assert xy(ax.lines[0]) == ([0, 1], [0, 1])
    wanted = [f"hull (AUC {hull.auc:.3f})", *(f"{c.name} (AUC {c.auc:.3f})" for c in curves)]
    assert legend(display) == wanted


def test_exact_conditions_draw_one_line_through_the_best_vertex(hull: RocHull) -> None:
    display = RocHullDisplay.from_hull(hull, conditions=KNOWN)
    (line,) = display.iso_lines_
    assert line.get_slope() == pytest.approx(KNOWN.slope)
    assert line.get_xy1() in touching(hull, KNOWN.slope)
    best = hull.best(KNOWN)
    assert line.get_xy1() == (best.fpr, best.tpr)
    assert line.get_label() == f"equal cost, slope {KNOWN.slope:.3g}"
    assert display.stretch_line_ is None


def test_intervals_draw_both_outer_lines_and_the_stretch_between(hull: RocHull) -> None:
    display = RocHullDisplay.from_hull(hull, conditions=VAGUE)
    low, high = VAGUE.slope_range
    assert [line.get_slope() for line in display.iso_lines_] == pytest.approx([low, high])
    for line, slope in zip(display.iso_lines_, (low, high), strict=True):
        assert line.get_xy1() in touching(hull, slope)
    stretch = hull.best_between(low, high)
    assert len(stretch) > 1
    x, y = xy(display.stretch_line_)
    assert x == [hull.vertices[i].fpr for i in stretch]
    assert y == [hull.vertices[i].tpr for i in stretch]
    assert legend(display)[-3:] == [
        f"range: equal cost, slope {low:.3g}",
        f"range: equal cost, slope {high:.3g}",
        "can be best in the range",
    ]


def test_several_conditions_draw_all_their_lines(hull: RocHull) -> None:
    display = RocHullDisplay.from_hull(hull, conditions=[KNOWN, VAGUE])
    slopes = [KNOWN.slope, *VAGUE.slope_range]
    assert [line.get_slope() for line in display.iso_lines_] == pytest.approx(slopes)
    assert display.stretch_line_ is not None


def test_observed_prevalence_is_that_of_the_hull(hull: RocHull) -> None:
    observed = Conditions(prevalence="observed", false_positive=1, false_negative=1)
    (line,) = RocHullDisplay.from_hull(hull, conditions=observed).iso_lines_
    assert line.get_slope() == pytest.approx(hull.totals.negatives / hull.totals.positives)


def test_an_infinite_slope_is_a_vertical_line(hull: RocHull) -> None:
    nobody = Conditions(prevalence=0, false_positive=1, false_negative=1)
    (line,) = RocHullDisplay.from_hull(hull, conditions=nobody).iso_lines_
    assert list(line.get_xdata()) == [0, 0]
    assert line.get_label() == "equal cost, slope inf"


def test_operating_points_are_ringed_and_named(hull: RocHull) -> None:
    point = hull.best(rocch.NeymanPearson(0.2))
    mixed = hull.best(rocch.NeymanPearson(0.2), randomize=True)
    never = hull.best(Conditions(prevalence=0, false_positive=1, false_negative=1))
    display = RocHullDisplay.from_hull(hull, points=[point, mixed, never])
    rings = display.ax_.collections[-3:]
    places = [np.asarray(ring.get_offsets()).tolist() for ring in rings]
    assert places == [[[found.fpr, found.tpr]] for found in (point, mixed, never)]
    names = legend(display)[-3:]
    assert names[0] == f"highest TPR: {point.classifier}"
    assert all(vertex.classifier in names[1] for _, vertex in mixed.mix)
    assert names[2] == "least expected cost: never"


def test_a_small_range_of_fprs_is_drawn_with_all_its_points_and_names() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(50_000) < 200
    scores = {"a": rng.normal(size=y.size) + 3 * y, "b": rng.normal(size=y.size) + y}
    display = RocHullDisplay.from_predictions(y, scores, max_fpr=0.002)
    assert display.ax_.get_xlim()[1] == pytest.approx(0.002, rel=0.02)
    curve = display.curves[0]
    seen = curve.fpr <= 0.002
    drawn: Any = display.curve_lines_[0].get_xydata()
    assert np.array_equal(drawn[: seen.sum()], np.stack((curve.fpr[seen], curve.tpr[seen]), axis=1))
    (name,) = [text for text in display.ax_.texts if text.get_text() == "a"]
    assert 0 <= name.get_position()[0] <= 0.002
    display.figure_.canvas.draw()
    assert display.ax_.get_xticklabels()[-2].get_text() == "0.2%"


def test_labels_only_are_drawn_as_points(curves: list[RocCurve]) -> None:
    y, scores = data()
    alarms = {"strict": scores["wide"] > 1.2, "loose": scores["wide"] > 0.5}
    rules = RocCurve.from_labels(y, alarms, name="rules")
    display = RocHullDisplay.from_hull(RocHull.of(*curves, rules))
    line = display.curve_lines_[-1]
    assert xy(line) == (rules.fpr[1:-1].tolist(), rules.tpr[1:-1].tolist())
    assert line.get_linestyle() == "None"
    assert line.get_marker() not in ("None", "", None)
    assert line.get_label() == "rules (labels)"
    assert "rules (labels)" in legend(display)


def test_from_predictions_draws_the_hull_of_the_scores(hull: RocHull) -> None:
    y, scores = data()
    display = RocHullDisplay.from_predictions(y, scores, conditions=KNOWN)
    assert display.hull == hull
    assert xy(display.hull_line_) == (hull.fpr.tolist(), hull.tpr.tolist())
    assert len(display.iso_lines_) == 1


def test_from_predictions_takes_labels_and_weights() -> None:
    y, scores = data()
    words = np.where(y, "ill", "well")
    weights = np.random.default_rng(1).integers(1, 5, y.size)
    display = RocHullDisplay.from_predictions(words, scores, pos_label="ill", sample_weight=weights)
    wanted = RocHull.from_scores(y, scores, sample_weight=weights)
    assert xy(display.hull_line_) == (wanted.fpr.tolist(), wanted.tpr.tolist())


def fitted() -> tuple[Any, Any, dict[str, Any]]:
    features, y = make_classification(n_samples=300, n_features=6, flip_y=0.2, random_state=0)
    models = {
        "proba": LogisticRegression(),
        "decision": LinearSVC(random_state=0),
        "pipeline": make_pipeline(StandardScaler(), LogisticRegression(C=0.01)),
        "labels": OnlyLabels(),
    }
    return features, y, {name: model.fit(features, y) for name, model in models.items()}


class OnlyLabels:
    """A classifier that outputs labels only."""

    def fit(self, features: Any, y: Any) -> OnlyLabels:
        self.inner = RidgeClassifier().fit(features, y)
        self.classes_ = self.inner.classes_
        return self

    def predict(self, features: Any) -> Any:
        return self.inner.predict(features)


def test_from_estimators_uses_whatever_each_offers() -> None:
    features, y, models = fitted()
    display = RocHullDisplay.from_estimators(models, features, y)
    wanted = [
        RocCurve.from_scores(y, models["proba"].predict_proba(features)[:, 1], name="proba"),
        RocCurve.from_scores(y, models["decision"].decision_function(features), name="decision"),
        RocCurve.from_scores(y, models["pipeline"].predict_proba(features)[:, 1], name="pipeline"),
        RocCurve.from_labels(y, models["labels"].predict(features), name="labels"),
    ]
    assert [curve.name for curve in display.curves] == list(models)
    for found, curve in zip(display.curves, wanted, strict=True):
        assert found.scoring == curve.scoring
        assert (found.fpr.tolist(), found.tpr.tolist()) == (curve.fpr.tolist(), curve.tpr.tolist())
    assert display.hull == RocHull.of(*wanted)


def test_from_estimators_with_the_first_class_as_positive() -> None:
    features, y, models = fitted()
    display = RocHullDisplay.from_estimators(models, features, y, pos_label=0)
    wanted = [
        RocCurve.from_scores(y == 0, models["proba"].predict_proba(features)[:, 0], name="proba"),
        RocCurve.from_scores(
            y == 0, -models["decision"].decision_function(features), name="decision"
        ),
        RocCurve.from_scores(
            y == 0, models["pipeline"].predict_proba(features)[:, 0], name="pipeline"
        ),
        RocCurve.from_labels(y == 0, models["labels"].predict(features) == 0, name="labels"),
    ]
    assert display.hull == RocHull.of(*wanted)
    assert all(curve.auc > 0.5 for curve in display.curves)


def test_from_estimators_with_text_classes() -> None:
    features, y, _ = fitted()
    words = np.where(y == 1, "ill", "well")
    model = LogisticRegression().fit(features, words)
    default = RocHullDisplay.from_estimators({"m": model}, features, words)
    assert default.hull.totals.positives == np.count_nonzero(words == "well")
    display = RocHullDisplay.from_estimators({"m": model}, features, words, pos_label="ill")
    score = model.predict_proba(features)[:, 0]
    assert display.curves[0].auc == rocch.auc(y, score)


def test_from_estimators_takes_pairs_or_one_alone() -> None:
    features, y, models = fitted()
    mapping = RocHullDisplay.from_estimators(models, features, y)
    pairs = RocHullDisplay.from_estimators(list(models.items()), features, y)
    assert pairs.hull == mapping.hull
    alone = RocHullDisplay.from_estimators(models["proba"], features, y)
    assert [curve.name for curve in alone.curves] == ["LogisticRegression"]


def test_from_estimators_takes_a_pipeline_alone() -> None:
    features, y, models = fitted()
    alone = RocHullDisplay.from_estimators(models["pipeline"], features, y)
    assert [curve.name for curve in alone.curves] == ["Pipeline"]


def test_from_estimators_draws_a_classifier_that_knows_nothing() -> None:
    features, y, _ = fitted()
    constant = DummyClassifier(strategy="prior").fit(features, y)
    display = RocHullDisplay.from_estimators({"prior": constant}, features, y)
    assert xy(display.hull_line_) == ([0, 1], [0, 1])
    assert display.vertex_marks_ == {}


def test_from_estimators_judges_a_classifier_whose_classes_are_not_probabilities() -> None:
    features, y, _ = fitted()
    centroid = NearestCentroid().fit(features, y)
    display = RocHullDisplay.from_estimators([("centroid", centroid)], features, y)
    assert display.curves[0].auc > 0.5


def test_from_estimators_refuses_one_that_is_not_fitted() -> None:
    features, y, _ = fitted()
    with pytest.raises(rocch.InputError, match=r"estimators must be fitted.*'m'.*Fit it"):
        RocHullDisplay.from_estimators({"m": LogisticRegression()}, features, y)


def test_given_axes_are_drawn_on(hull: RocHull) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    display = RocHullDisplay.from_hull(hull, ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert display.hull_line_ in right.lines
    assert not left.lines
    assert len(plt.get_fignums()) == 1


def test_plot_draws_again_on_new_axes(hull: RocHull) -> None:
    display = RocHullDisplay.from_hull(hull, conditions=KNOWN)
    first = display.ax_
    lines = len(first.lines)
    assert display.plot() is display
    assert display.ax_ is not first
    assert len(display.ax_.lines) == len(first.lines) == lines
    assert xy(display.hull_line_) == (hull.fpr.tolist(), hull.tpr.tolist())


def test_drawing_leaves_global_settings_alone(hull: RocHull) -> None:
    before = dict(mpl.rcParams)
    RocHullDisplay.from_hull(hull, conditions=[KNOWN, VAGUE])
    assert dict(mpl.rcParams) == before


def test_large_curves_are_thinned_but_keep_both_ends() -> None:
    y, scores = data(size=50_000)
    display = RocHullDisplay.from_predictions(y, scores)
    for line, curve in zip(display.curve_lines_, display.curves, strict=True):
        assert len(curve) > MOST_POINTS
        x, height = xy(line)
        assert 1000 < len(x) <= 2001
        assert (x[0], height[0], x[-1], height[-1]) == (0, 0, 1, 1)
        on_curve = set(zip(curve.fpr.tolist(), curve.tpr.tolist(), strict=True))
        assert set(zip(x, height, strict=True)) <= on_curve
        gaps = np.diff(x) + np.diff(height)
        assert gaps.max() < 0.005  # even along the curve: no gap that the eye could see


def test_the_hull_is_never_thinned() -> None:
    steps = np.arange(2101)
    fp, tp = np.cumsum(steps), np.cumsum(steps[::-1])  # every point is a vertex: slopes fall
    thresholds = -steps.astype(float)
    curve = RocCurve.from_counts(
        fp, tp, negatives=int(fp[-1]), positives=int(tp[-1]), lowest_scores=thresholds, name="round"
    )
    hull = RocHull.of(curve)
    assert len(hull) > 2001
    display = RocHullDisplay.from_hull(hull)
    assert xy(display.hull_line_) == (hull.fpr.tolist(), hull.tpr.tolist())
    assert len(xy(display.curve_lines_[0])[0]) <= 2001
    assert len(np.asarray(display.vertex_marks_["round"].get_offsets())) == len(hull) - 2


def test_long_names_keep_both_ends() -> None:
    y, scores = data()
    name = "model_with_a_very_long_name_number_17"
    display = RocHullDisplay.from_predictions(y, {name: scores["sharp"]})
    (entry,) = [entry for entry in legend(display) if entry.startswith("model")]
    assert entry.startswith("model_with_a…me_number_17 (AUC")


def test_many_classifiers_can_be_drawn() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(300) < 0.5
    scores = {f"m{i}": rng.normal(size=300) + y for i in range(20)}
    display = RocHullDisplay.from_predictions(y, scores)
    assert len(display.curve_lines_) == 20
    (below,) = display.figure_.legends
    assert len(below.get_texts()) == 21
    assert display.ax_.get_legend() is None
    assert len({(look.color, look.line) for look in map(display._looks.get, scores) if look}) == 20


@pytest.mark.parametrize("name", ["_private", "$x$", r"$\frac$", "a_b", "100%", "x\ny"])
def test_any_name_stays_text(name: str, tmp_path: Path) -> None:
    y, scores = data()
    display = RocHullDisplay.from_predictions(y, {name: scores["sharp"]})
    entries = [entry.replace(r"\$", "$").lstrip("\u200b") for entry in legend(display)]
    assert any(entry.startswith(f"{name} (AUC") for entry in entries)
    display.figure_.savefig(tmp_path / "hull.png")
    assert (tmp_path / "hull.png").stat().st_size > 0


def test_a_hull_whose_curves_are_gone_is_drawn_without_them(hull: RocHull) -> None:
    restricted = hull.within(VAGUE)
    display = RocHullDisplay.from_hull(restricted)
    assert display.curve_lines_ == []
    assert xy(display.hull_line_) == (restricted.fpr.tolist(), restricted.tpr.tolist())


def test_without_matplotlib_the_extra_is_named(
    hull: RocHull, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rocch.MissingExtraError, match=r"'plot' extra.*pip install 'rocch\[plot\]'"):
        RocHullDisplay.from_hull(hull)
