"""Areas of what people look at: reports as data, displays as lines; and the errors they meet."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .data import Results, beliefs, conditions, curves, hull, posteriors, scored, three
from .hybrids import hybrid, rows
from .many_classes import costs, search_models, surface
from .naming import rocch
from .reducing import outcome

if TYPE_CHECKING:
    from collections.abc import Callable


def summaries() -> Results:
    y, given = scored().y, scored().scores
    asked: dict[str, Any] = {
        "nothing": None,
        "exact": conditions()["exact"],
        "vague": conditions()["vague"],
        "belief": {"cost_ratio": (5, 20), "likely": 10, "prevalence": 0.2},
        "limit": {"max_fpr": 0.1, "randomize": True},
        "capacity": {"capacity": 30, "population": 200, "prevalence": 0.1},
    }
    with_rows = rocch.RocHull.from_scores(y, given)
    found: Results = {
        name: rocch.summarise(with_rows, each, resamples=40) for name, each in asked.items()
    }
    found["labels"] = rocch.summarise(hull(), resamples=0, labels=("no", "yes"), label="churn")
    found["hybrid"] = rocch.summarise(hybrid(), resamples=0)
    found["aimed"] = rocch.summarise(hybrid().at(rocch.NeymanPearson(0.1)), resamples=0)
    found["surface"] = rocch.summarise(surface(), costs())
    found["posteriors"] = rocch.summarise_posteriors(
        three().y, posteriors(), costs(), generations=10, seed=1
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in ("exact", "surface"):
            file = Path(folder) / "report.json"
            rocch.write_report(found[name], file)
            found[f"written {name}"] = json.loads(file.read_text())
    return {
        **found,
        "classes": [isinstance(found[name], rocch.Summary) for name in ("exact", "surface")],
        "schema": rocch.summary_schema(),
    }


def drawn(display: Any) -> Results:
    """Return the numbers in a picture: lines, areas and marks of all its axes."""
    from matplotlib import pyplot

    display.figure_.canvas.draw()
    found = {}
    for place, ax in enumerate(display.figure_.axes):
        found[f"axes {place}"] = {
            "lines": [_line(line) for line in ax.lines],
            "areas": [_collection(each) for each in ax.collections],
            "limits": [ax.get_xlim(), ax.get_ylim()],
        }
    pyplot.close("all")
    return found


def _line(line: Any) -> Any:
    if hasattr(line, "get_data_3d"):
        return np.array([np.asarray(each, dtype=float) for each in line.get_data_3d()])
    return np.asarray(line.get_xydata(), dtype=float)


def _collection(collection: Any) -> Any:
    paths = [] if hasattr(collection, "do_3d_projection") else collection.get_paths()
    return [
        np.asarray(collection.get_offsets(), dtype=float),
        *(np.asarray(path.vertices) for path in paths),
    ]


def displays() -> Results:
    import matplotlib as mpl

    mpl.use("Agg")
    X, y, _, _ = rows()
    whole, vague, expert = hull(), conditions()["vague"], beliefs()["triangle"]
    compared = rocch.compare_losses(
        curves()["gbm"], curves()["wide"], belief=expert, prevalence="observed"
    )
    best = rocch.who_is_best(curves(), belief=expert, prevalence=0.2)
    sampled = rocch.bootstrap(scored().y, scored().scores, replicates=60, random_state=1)
    folds = [
        rocch.RocCurve.from_scores(scored().y[k::3], scored().scores["gbm"][k::3], name=f"{k}")
        for k in range(3)
    ]
    found, data = surface(), three()
    marks = {"fewest errors": found.fewest_errors(), "dear": found.best(costs())}
    point = whole.best(rocch.NeymanPearson(0.1))
    made = {
        "hull": rocch.RocHullDisplay.from_hull(whole, conditions=vague, points=[point]),
        "hull of scores": rocch.RocHullDisplay.from_predictions(scored().y, scored().scores),
        "hull of models": rocch.RocHullDisplay.from_estimators(hybrid().named_estimators_, X, y),
        "cost": rocch.CostCurveDisplay.from_hull(whole, conditions=vague),
        "det": rocch.DetDisplay.from_hull(whole),
        "precision": rocch.RocPrecisionRecallDisplay.from_hull(whole, prevalence=0.1, f1=(0.4,)),
        "gain": rocch.GainDisplay.from_hull(whole, prevalence=0.1, capacity=0.15),
        "lift": rocch.GainDisplay.from_hull(whole, lift=True),
        "net benefit": rocch.NetBenefitDisplay.from_hull(whole),
        "band": rocch.RocBandDisplay.from_bands(
            sampled.band("gbm", kind="pointwise", confidence=0.8),
            boxes=sampled.boxes("gbm", [0.5], confidence=0.8),
        ),
        "average": rocch.RocBandDisplay.from_average(rocch.average_curves(folds), curves=folds),
        "losses": rocch.SuperiorityDisplay.from_comparison(compared),
        "best": rocch.SuperiorityDisplay.from_superiority(best),
        "regions": rocch.DecisionRegionsDisplay.from_surface(
            found, search_models()["knn"], data.X, data.y, marks, resolution=20
        ),
        "front": rocch.MissFrontDisplay.from_surface(surface(objectives="misses")),
        "surface": rocch.SurfaceDisplay.from_surface(found),
        "rates": rocch.ParallelRatesDisplay.from_surface(found, marks=marks),
        "distances": rocch.RandomDistanceDisplay.from_surfaces(
            {"near": found, "judged": surface("judged")}
        ),
    }
    return {name: drawn(display) for name, display in made.items()}


def errors() -> Results:
    y, given = [0, 0, 1, 1], {"nb": [0.1, 0.4, 0.35, 0.8]}
    small = rocch.RocHull.from_scores(y, given)
    bad: dict[str, Callable[[], Any]] = {
        "one class": lambda: rocch.auc([1, 1], [1, 2]),
        "nan": lambda: rocch.auc([0, 1], [float("nan"), 2]),
        "lengths": lambda: rocch.RocHull.from_scores([0, 1, 1], given),
        "reversed costs": lambda: rocch.Conditions(
            prevalence=0.1, false_positive=(20, 10), false_negative=1
        ),
        "wrong call": lambda: rocch.Conditions(prevalence=0.1, fp=1),
        "vague best": lambda: small.best(conditions()["vague"]),
        "infeasible": lambda: small.best(
            rocch.Constrained(rocch.ErrorRate(), rocch.NeymanPearson(0), rocch.MinimumTpr(1))
        ),
        "no guarantee": lambda: small.best(rocch.Maximise(lambda fpr, tpr: fpr - tpr)),
        "undefined": lambda: small.best(rocch.Maximise("precision", prevalence=0)),
        "no library": lambda: rocch.ClassifierLibrary("/nowhere/at/all"),
        "no file": lambda: rocch.load("/nowhere/at/all.rocch"),
        "no prevalence": lambda: rocch.weigh_choices(small, beliefs()["triangle"]),
        "no unit": lambda: (
            rocch.weigh_choices(small, beliefs()["even"], prevalence=0.1).value_of_knowing
        ),
        "order of costs": lambda: rocch.CostMatrix(np.array([[0, 50], [2, 0]])),
        "column": lambda: rocch.hull_from_frame({"y": y, **given}, label="z").hull(),
        "option": lambda: rocch.summarise(small, max_fpt=0.1),
        "drift": lambda: rocch.estimate_prevalence(curves()["gbm"], [90.0] * 99).feed(
            conditions()["observed"]
        ),
        "damaged library": _damaged_library,
        "without an extra": _without_moocore,
    }
    scales = [
        rocch.RocCurve.from_scores(scored().y, scale * scored().scores["gbm"], name=f"{scale}")
        for scale in (1, 10)
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rocch.pool_curves(scales)
    kinds = ("RocchError", "InputError", "StorageError", "UndefinedError", "InfeasibleError")
    return {
        **{name: outcome(ask) for name, ask in bad.items()},
        "warned": [issubclass(each.category, rocch.ScoreScaleWarning) for each in caught],
        "bases": [
            [
                base.__name__
                for base in (ValueError, OSError, ArithmeticError)
                if issubclass(getattr(rocch, kind), base)
            ]
            for kind in kinds
        ],
    }


def _damaged_library() -> Any:
    with tempfile.TemporaryDirectory() as folder:
        rocch.ClassifierLibrary.create(Path(folder) / "churn").close()
        for file in (Path(folder) / "churn").rglob("*"):
            if file.is_file():
                file.write_bytes(b"nothing of the kind" * 100)
        return rocch.ClassifierLibrary(Path(folder) / "churn").hull


def _without_moocore() -> Any:
    held = sys.modules.get("moocore")
    sys.modules["moocore"] = None  # type: ignore[assignment]  # so that it cannot be imported
    try:
        return rocch.cube_volume([[2, 4]], [10, 10])
    finally:
        del sys.modules["moocore"]
        if held is not None:
            sys.modules["moocore"] = held
