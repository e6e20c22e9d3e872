"""What the hybrid costs: building the hull beside the fits, deciding, and aiming anew.

    OMP_NUM_THREADS=1 python benchmarks/hybrid.py

Answers are checked first; ratios are taken in one run, as the best of interleaved repetitions.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

if TYPE_CHECKING:
    from collections.abc import Callable

MODELS: dict[str, Any] = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "naive Bayes": GaussianNB(),
    "gradient boosting": HistGradientBoostingClassifier(max_iter=50, random_state=0),
}
KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)


def best_of(repetitions: int, *jobs: Callable[[], Any]) -> list[float]:
    """Return the shortest time of each job, run in turn."""
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(repetitions):
        for job, own in zip(jobs, times, strict=True):
            start = perf_counter()
            job()
            own.append(perf_counter() - start)
    return [min(own) for own in times]


def building() -> None:
    """Print what hull and bookkeeping cost beside the cross-validated fits."""
    print("| data | model | 5 fits | scoring | hull | all the rest | hull / fits |")
    print("|---|---|---:|---:|---:|---:|---:|")
    sets: dict[str, Any] = {
        "breast_cancer": load_breast_cancer(return_X_y=True),
        "100,000 x 20": make_classification(100_000, 20, random_state=0),
    }
    for data, (X, y) in sets.items():
        for name, model in MODELS.items():
            one_building(data, name, model, X, y)


def one_building(data: str, name: str, model: Any, X: Any, y: Any) -> None:
    """Print one row of the table."""
    splits = list(StratifiedKFold(5).split(X, y))
    hybrid = rocch.RocchClassifier([("m", model)], cv=splits, refit=False)

    def fits() -> None:
        for train, _ in splits:
            clone(model).fit(X[train], y[train])

    def fits_and_scores() -> None:
        for train, test in splits:
            clone(model).fit(X[train], y[train]).predict_proba(X[test])

    hybrid.fit(X, y)
    scores = dict(hybrid.out_of_fold_.scores)
    assert hybrid.hull_ == rocch.RocHull.from_scores(y, scores)
    fit, both, whole, hull = best_of(
        5 if len(y) < 1000 else 3,
        fits,
        fits_and_scores,
        lambda: hybrid.fit(X, y),
        lambda: rocch.RocHull.from_scores(y, scores),
    )
    cells = [f"{1e3 * t:.1f} ms" for t in (fit, max(both - fit, 0), hull, max(whole - both, 0))]
    print(f"| {data} | {name} | {' | '.join(cells)} | {hull / fit:.1%} |", flush=True)


def tuned_threshold() -> None:
    """Print how long the usual search over 100 thresholds takes, for comparison."""
    X, y = load_breast_cancer(return_X_y=True)
    model = MODELS["logistic regression"]

    def cost(y_true: Any, y_pred: Any) -> float:
        _, fp, fn, _ = confusion_matrix(y_true, y_pred).ravel()
        return -float(fp + 4 * fn)

    tuned = TunedThresholdClassifierCV(model, scoring=make_scorer(cost), cv=5)
    hybrid = rocch.RocchClassifier([("m", model)], cv=5)
    one, all_conditions = best_of(3, lambda: tuned.fit(X, y), lambda: hybrid.fit(X, y))
    print(
        f"\nbreast_cancer, logistic regression: TunedThresholdClassifierCV {1e3 * one:.0f} ms for "
        f"one condition, RocchClassifier {1e3 * all_conditions:.0f} ms for all: "
        f"{one / all_conditions:.1f} times as long"
    )


def deciding() -> None:
    """Print the overhead of an aimed vertex over its model and a comparison."""
    print("\n| 100,000 x 20 | model alone | at(...).predict | overhead |")
    print("|---|---:|---:|---:|")
    X, y = make_classification(120_000, 20, random_state=0)
    chosen = {
        "logistic regression": LogisticRegression(),
        "gradient boosting": MODELS["gradient boosting"],
    }
    for name, estimator in chosen.items():
        model = rocch.RocchClassifier([("m", estimator)], cv=3).fit(X[:20_000], y[:20_000])
        view = model.at(KNOWN)
        component, threshold, new = model.named_estimators_["m"], view.point.threshold, X[20_000:]

        def alone(component: Any = component, threshold: Any = threshold, new: Any = new) -> Any:
            return component.predict_proba(new)[:, 1] >= threshold

        def aimed(view: Any = view, new: Any = new) -> Any:
            return view.predict(new)

        np.testing.assert_array_equal(aimed() == 1, alone())
        plain, ours = best_of(60 if name == "logistic regression" else 15, alone, aimed)
        cells = f"{1e3 * plain:.2f} ms | {1e3 * ours:.2f} ms | {ours / plain - 1:+.1%}"
        print(f"| {name} | {cells} |", flush=True)


def aiming() -> None:
    """Print how long it takes to aim anew."""
    X, y = make_classification(20_000, 20, flip_y=0.1, random_state=0)
    models = [("nb", GaussianNB()), ("lr", LogisticRegression())]
    model = rocch.RocchClassifier(models).fit(X, y)
    print(f"\naiming anew, {len(model.hull_)} vertices, {len(y)} judged rows:")
    limit = rocch.NeymanPearson(0.05)
    jobs: dict[str, Callable[[], Any]] = {
        "at(conditions)": lambda: model.at(KNOWN),
        "at(NeymanPearson)": lambda: model.at(limit),
        "at(NeymanPearson, randomize=True)": lambda: model.at(limit, randomize=True),
    }
    for name, time in zip(jobs, best_of(200, *jobs.values()), strict=True):
        print(f"- {name}: {1e6 * time:.0f} microseconds")


if __name__ == "__main__":
    building()
    tuned_threshold()
    deciding()
    aiming()
