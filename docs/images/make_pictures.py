"""Draw the pictures of docs/pictures.md and docs/surface-pictures.md.

The data come with scikit-learn, or are drawn as in Everson and Fieldsend, section 4.1.

Run it from the repository's root: python docs/images/make_pictures.py
"""

from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import numpy as np
from PIL import Image
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import rocch

mpl.use("Agg")
FOLDER = Path(__file__).parent


class Fitted:
    """A fitted classifier as a model of a surface: only the costs vary."""

    def __init__(self, model):
        """Keep the classifier."""
        self.model = model

    def posteriors_of(self, parameters, rows):  # noqa: ARG002 - it has no parameters
        """Return the posteriors of new rows."""
        return self.model.predict_proba(rows)


def true_posteriors(rows):
    """Return the true posteriors of the three classes."""
    offsets = np.asarray(rows)[:, None, None, :] - CENTRES
    densities = np.exp(-(offsets**2).sum(axis=3) / 0.06).sum(axis=2)
    return densities / densities.sum(axis=1, keepdims=True)


def surface_of(model, rows, labels, draws=4000):
    """Return the surface of a fitted classifier, from costs drawn evenly."""
    classes = rocch.Classes.of(model.classes_)
    costs = rocch.DirichletBelief(dict.fromkeys(classes.pairs, 1)).cost_draws(classes, draws)
    shares = model.predict_proba(rows)
    counts = {}
    for i, own in enumerate(costs):
        matrix = rocch.CostMatrix.of_bounds(classes, own, own)
        answers = rocch.assign(shares, matrix, classes=classes)
        counts[str(i)] = rocch.Confusion.from_labels(labels, answers)
    kept = [int(name) for name in rocch.RocSurface.of(counts).models]
    tables = np.stack([counts[str(i)].counts for i in kept])
    _, first = np.unique(tables.reshape(len(kept), -1), axis=0, return_index=True)
    kept = [kept[i] for i in sorted(first)]
    return rocch.RocSurface(
        classes,
        tables[sorted(first)],
        ("model",) * len(kept),
        np.empty((len(kept), 0)),
        (),
        costs[kept],
    )


# Stands here until the package draws these data itself.
CENTRES = np.array([[[0.7, 0.3], [0.3, 0.3]], [[-0.7, 0.7], [0.4, 0.7]], [[1.0, 1.0], [0.0, 1.0]]])

X, y = load_breast_cancer(return_X_y=True)
malignant = y == 0
X_train, X_test, y_train, y_test = train_test_split(
    X[:, :4], malignant, test_size=0.5, random_state=0, stratify=malignant
)
models = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(100, random_state=0),
    "bayes": GaussianNB(),
}
curves = [
    rocch.RocCurve.from_scores(
        y_test, model.fit(X_train, y_train).predict_proba(X_test)[:, 1], name=name
    )
    for name, model in models.items()
]
rules = rocch.RocCurve.from_labels(
    y_test, {"strict": X_test[:, 0] > 17, "loose": X_test[:, 0] > 14}, name="radius"
)
hull = rocch.RocHull.of(*curves, rules)
screening = rocch.Conditions(prevalence=(0.02, 0.05), false_positive=1, false_negative=(10, 40))

drawn_again = rocch.bootstrap(y_test, {"logistic": models["logistic"].predict_proba(X_test)[:, 1]})

rng = np.random.default_rng(1)
kind = np.repeat([1, 2, 3], 100)
places = CENTRES[kind - 1, rng.integers(0, 2, 300)] + np.sqrt(0.03) * rng.normal(size=(300, 2))
curved = make_pipeline(PolynomialFeatures(4), LogisticRegression(C=100, max_iter=5000))
surface = surface_of(curved.fit(places, kind), places, kind)
straight = surface_of(LogisticRegression().fit(places, kind), places, kind)
misses_dear, alarms_dear = (
    surface.best(rocch.CostMatrix(dict.fromkeys(pairs, 20), classes=[1, 2, 3], default=1))
    for pairs in ([(2, 1), (2, 3)], [(1, 2), (3, 2)])
)

pictures = {
    "hull": rocch.RocHullDisplay.from_hull(hull, conditions=screening),
    "cost-curves": rocch.CostCurveDisplay.from_hull(hull, conditions=screening),
    "det": rocch.DetDisplay.from_hull(hull),
    "precision-recall": rocch.RocPrecisionRecallDisplay.from_hull(
        hull, prevalence=0.1, f1=(0.4, 0.6, 0.8)
    ),
    "gain": rocch.GainDisplay.from_hull(hull, prevalence=0.1, capacity=0.15),
    "lift": rocch.GainDisplay.from_hull(hull, prevalence=0.1, capacity=0.15, lift=True),
    "net-benefit": rocch.NetBenefitDisplay.from_hull(hull),
    "bands": rocch.RocBandDisplay.from_bands(
        drawn_again.band("logistic", kind="simultaneous"),
        drawn_again.band("logistic", kind="vertical"),
        boxes=drawn_again.boxes("logistic", [0.2, 0.8]),
    ),
    "decision-regions": rocch.DecisionRegionsDisplay.from_surface(
        surface,
        Fitted(curved),
        places,
        kind,
        {
            "fewest errors": surface.fewest_errors(),
            "few misses of class 2": misses_dear,
            "nothing else taken for class 2": alarms_dear,
        },
        posteriors=true_posteriors,
    ),
    "miss-front": rocch.MissFrontDisplay.from_surface(surface),
    "surface": rocch.SurfaceDisplay.from_surface(surface),
    "parallel-rates": rocch.ParallelRatesDisplay.from_surface(
        surface, marks={"fewest errors": surface.fewest_errors(), "class 2 dear": misses_dear}
    ),
    "random-distance": rocch.RandomDistanceDisplay.from_surfaces(
        {"curved": surface, "straight": straight}
    ),
}
for name, picture in pictures.items():
    drawn = BytesIO()
    picture.figure_.savefig(drawn, dpi=100)
    Image.open(drawn).convert("RGB").quantize(128).save(FOLDER / f"{name}.png", optimize=True)
