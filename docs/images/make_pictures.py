"""Draw the pictures of docs/pictures.md and docs/surface-pictures.md.

The data come with scikit-learn, or are those of Everson and Fieldsend, section 4.1.

Run it from the repository's root: python docs/images/make_pictures.py
"""

from io import BytesIO
from pathlib import Path

import matplotlib as mpl
from PIL import Image
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

mpl.use("Agg")
FOLDER = Path(__file__).parent


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

three = rocch.three_class_data(300, seed=1)
near, net = rocch.KnnModel(three.X, three.y), rocch.MlpModel(three.X, three.y)
surface, wired = (rocch.SurfaceSearch(model, three.y).run(5000) for model in (near, net))
misses = rocch.SurfaceSearch(near, three.y, objectives="misses").run(5000)
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
        near,
        three.X,
        three.y,
        {
            "fewest errors": surface.fewest_errors(),
            "few misses of class 2": misses_dear,
            "nothing else taken for class 2": alarms_dear,
        },
        posteriors=three.posteriors,
    ),
    "miss-front": rocch.MissFrontDisplay.from_surface(misses),
    "surface": rocch.SurfaceDisplay.from_surface(surface),
    "parallel-rates": rocch.ParallelRatesDisplay.from_surface(
        surface, marks={"fewest errors": surface.fewest_errors(), "class 2 dear": misses_dear}
    ),
    "random-distance": rocch.RandomDistanceDisplay.from_surfaces(
        {"k-nn": surface, "network": wired}
    ),
}
for name, picture in pictures.items():
    drawn = BytesIO()
    picture.figure_.savefig(drawn, dpi=100)
    Image.open(drawn).convert("RGB").quantize(128).save(FOLDER / f"{name}.png", optimize=True)
