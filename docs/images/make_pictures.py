"""Draw the pictures of the guide's pages.

The data come with scikit-learn, or are those of Everson and Fieldsend, section 4.1.

Run it from the repository's root: python docs/images/make_pictures.py
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from saving import save_all

import rocch

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCREENING = rocch.Conditions(prevalence=(0.02, 0.05), false_positive=1, false_negative=(10, 40))
SIZE = ("mean radius", "mean texture", "mean perimeter", "mean area")
MIXED = ("mean radius", "mean texture", "mean smoothness", "mean symmetry")
"""The measurements of docs/guide/results.md, and those of docs/tutorial.md."""


@cache
def judged(columns: tuple[str, ...]) -> tuple[Any, Any, dict[str, Any]]:
    """Return test rows, which of them are malignant, and three models' probabilities for them."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    features, y = load_breast_cancer(return_X_y=True, as_frame=True)
    malignant = (y == 0).to_numpy()
    train, test, y_train, y_test = train_test_split(
        features[list(columns)], malignant, test_size=0.5, random_state=0, stratify=malignant
    )
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(100, random_state=0),
        "bayes": GaussianNB(),
    }
    scores = {
        name: model.fit(train, y_train).predict_proba(test)[:, 1] for name, model in models.items()
    }
    return test, y_test, scores


@cache
def hull() -> rocch.RocHull:
    """Return the hull of docs/guide/results.md."""
    test, y_test, scores = judged(SIZE)
    curves = [rocch.RocCurve.from_scores(y_test, s, name=name) for name, s in scores.items()]
    radius = test["mean radius"].to_numpy()
    rules = {"strict": radius > 17, "loose": radius > 14}
    return rocch.RocHull.of(*curves, rocch.RocCurve.from_labels(y_test, rules, name="radius"))


def bands() -> Figure:
    """Draw two bands of one curve, and two boxes."""
    _, y_test, scores = judged(SIZE)
    drawn = rocch.stats.bootstrap(y_test, {"logistic": scores["logistic"]})
    return rocch.plots.RocBandDisplay.from_bands(
        drawn.band("logistic", kind="simultaneous"),
        drawn.band("logistic", kind="pointwise"),
        boxes=drawn.boxes("logistic", [0.2, 0.8]),
    ).figure_


def superiority() -> Figure:
    """Draw the comparison of docs/guide/beliefs.md."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.model_selection import train_test_split

    features, y = load_breast_cancer(return_X_y=True)
    train, test, y_train, y_test = train_test_split(
        features[:, :4], y == 0, test_size=0.5, random_state=1, stratify=y == 0
    )
    lda, qda = (
        rocch.RocCurve.from_scores(
            y_test, model.fit(train, y_train).predict_proba(test)[:, 1], name=name
        )
        for name, model in (
            ("lda", LinearDiscriminantAnalysis()),
            ("qda", QuadraticDiscriminantAnalysis()),
        )
    )
    expert = rocch.Belief.cost_ratio(5, 20, likely=10)
    comparison = rocch.stats.compare_losses(lda, qda, belief=expert, prevalence="observed")
    return rocch.plots.SuperiorityDisplay.from_comparison(comparison).figure_


def tutorial() -> Figure:
    """Draw the hull of docs/tutorial.md."""
    _, y_test, scores = judged(MIXED)
    return rocch.plots.RocHullDisplay.from_predictions(y_test, scores).figure_


@cache
def three() -> Any:
    """Return the three classes of Everson and Fieldsend."""
    return rocch.multiclass.three_class_data(300, seed=1)


@cache
def near() -> rocch.multiclass.KnnModel:
    """Return their nearest neighbors."""
    return rocch.multiclass.KnnModel(three().X, three().y)


@cache
def surface() -> rocch.multiclass.RocSurface:
    """Return the surface of the nearest neighbors."""
    return rocch.multiclass.SurfaceSearch(near(), three().y).run(5000)


def expensive(*pairs: tuple[int, int]) -> Any:
    """Return the member that is best where these errors are 20 times as expensive as the others."""
    costs = rocch.CostMatrix(dict.fromkeys(pairs, 20), classes=[1, 2, 3], default=1)
    return surface().best(costs)


def decision_regions() -> Figure:
    """Draw what three members answer where (their Figure 3)."""
    members = {
        "fewest errors": surface().fewest_errors(),
        "few misses of class 2": expensive((2, 1), (2, 3)),
        "nothing else taken for class 2": expensive((1, 2), (3, 2)),
    }
    return rocch.plots.DecisionRegionsDisplay.from_surface(
        surface(), near(), three().X, three().y, members, probabilities=three().probabilities
    ).figure_


def parallel_rates() -> Figure:
    """Draw all six rates of the members."""
    marks = {
        "fewest errors": surface().fewest_errors(),
        "class 2 expensive": expensive((2, 1), (2, 3)),
    }
    return rocch.plots.ParallelRatesDisplay.from_surface(surface(), marks=marks).figure_


PICTURES = {
    "hull": lambda: rocch.plots.RocHullDisplay.from_hull(hull(), conditions=SCREENING).figure_,
    "cost-curves": lambda: (
        rocch.plots.CostCurveDisplay.from_hull(hull(), conditions=SCREENING).figure_
    ),
    "net-benefit": lambda: rocch.plots.NetBenefitDisplay.from_hull(hull()).figure_,
    "bands": bands,
    "superiority": superiority,
    "tutorial-hull": tutorial,
    "decision-regions": decision_regions,
    "parallel-rates": parallel_rates,
}

if __name__ == "__main__":
    save_all(PICTURES)
