"""Areas of more than two classes: costs, confusions, volumes, surfaces, searches and AUCs."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .data import Results, posteriors, three
from .naming import rocch
from .reducing import outcome

PRIORS = {1: 0.3, 2: 0.5, 3: 0.2}
TRAINED = {1: 0.4, 2: 0.3, 3: 0.3}


def costs() -> Any:
    """Return exact costs."""
    return rocch.CostMatrix({(2, 1): 20, (2, 3): 5}, classes=[1, 2, 3], default=1)


def vague() -> Any:
    """Return costs within bounds."""
    return rocch.CostMatrix(dict.fromkeys(costs().classes.pairs, (1, 3)), classes=[1, 2, 3])


def belief() -> Any:
    """Return a belief about costs."""
    return rocch.DirichletBelief.about(
        {pair: costs()[pair] for pair in costs().classes.pairs}, strength=30
    )


def matrices() -> Results:
    data, given, names = three(), posteriors()["lr"], [1, 2, 3]
    rng = np.random.default_rng(2)
    by_row = rocch.RowCosts({(2, 1): rng.uniform(5, 30, len(data.y))}, classes=names, default=1)
    answers = rocch.assign(given, costs(), classes=names)
    confusion = rocch.Confusion.from_labels(data.y, answers)
    classes = rocch.Classes.of(["cat", "dog", "eel"])
    return {
        "costs": [costs(), vague(), vague().middle(), rocch.CostMatrix.zero_one(names), by_row],
        "in order": costs().in_order(rocch.Classes.of([3, 1, 2])),
        "belief": [belief(), belief().mean_costs(), belief().sample(5, seed=1)],
        "alphas": rocch.DirichletBelief({(1, 2): 2.0, (2, 1): 1.0}),
        "cost draws": belief().cost_draws(confusion.classes, 4, seed=3),
        "classes": [classes, classes.codes(["eel", "cat"], "y"), classes.place("dog", "y")],
        "data": [data, data.probabilities(data.X[:9])],
        "assigned": [
            rocch.assign(given, each, classes=names, **balance)
            for each in (costs(), by_row, belief())
            for balance in ({}, {"priors": PRIORS, "trained_priors": TRAINED})
        ],
        "expected": rocch.expected_cost_of_answers(
            given, costs(), classes=names, priors=PRIORS, trained_priors=TRAINED
        ),
        "confusion": [confusion, confusion.in_order(rocch.Classes.of([3, 2, 1]))],
        "cost": [confusion.expected_cost(each, PRIORS) for each in (costs(), belief())],
        "cost range": confusion.expected_cost_range(vague()),
        "mean cost": by_row.mean_cost(data.y, answers),
        "best": [
            rocch.best_classifier(data.y, posteriors(), costs()),
            rocch.best_classifier(data.y, posteriors(), costs(), PRIORS, limits={(2, 1): 0.05}),
        ],
    }


def volumes() -> Results:
    rng = np.random.default_rng(4)
    counts, totals = rng.integers(0, 9, (6, 6)), [10] * 6
    other = rng.integers(0, 9, (5, 6))
    archive = rocch.Archive(totals)
    kept = [archive.insert(each) for each in (counts, other)]
    return {
        "regions": {
            f"{number} {kind}": outcome(rocch.region_volume, number, objectives=kind)
            for number in (2, 3, 4)
            for kind in ("rates", "misses")
        },
        "cube": rocch.cube_volume(counts, totals),
        "dominated": [
            rocch.dominated_share([[2, 4]], [10, 10]),
            rocch.dominated_share(counts, totals, samples=2000, seed=1),
            rocch.dominated_share(counts[:2], totals, exact=True),
            rocch.dominated_share(counts[:, :3], [10] * 3, objectives="misses", samples=2000),
        ],
        "exclusive": [
            rocch.exclusive_share([[2, 4]], [10, 10], [[4, 2]]),
            rocch.exclusive_share(counts, totals, other, samples=2000, seed=1),
        ],
        "archive": [kept, archive, archive.dominated(counts), archive.state(), archive.turn()],
        "selected": [archive.select(np.random.default_rng(seed)) for seed in range(5)],
        "again": rocch.Archive.from_state(archive.state()),
    }


@cache
def search_models() -> dict[str, Any]:
    """Return a model of every kind that can be searched."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    data, old = three(), rocch.three_class_data(120, seed=2)

    def tempered(values: dict[str, Any]) -> Any:
        powered = posteriors()["lr"] ** values["power"]
        return powered / powered.sum(axis=1, keepdims=True)

    knn, mlp = rocch.KnnModel(data.X, data.y), rocch.MlpModel(data.X, data.y, hidden=2)
    fitted = {"lr": LogisticRegression(), "nb": GaussianNB()}
    return {
        "knn": knn,
        "scaled knn": rocch.KnnModel(data.X, data.y, most_neighbors=9, scale=True),
        "mlp": mlp,
        "several": rocch.SeveralModels({"near": knn, "net": mlp}),
        "judged": rocch.JudgedPosteriors(posteriors(), [1, 2, 3]),
        "fitted": rocch.FittedModels(
            {name: model.fit(old.X, old.y) for name, model in fitted.items()}, data.X
        ),
        "function": rocch.FunctionModel(
            tempered, low={"power": 0.2}, high={"power": 3.0}, name="tempered"
        ),
    }


@cache
def surface(name: str = "knn", objectives: str = "rates") -> Any:
    """Return what a short search finds."""
    search = rocch.SurfaceSearch(
        search_models()[name], three().y, objectives=objectives, start=20, draws=10, seed=1
    )
    return search.run(30)


def searches() -> Results:
    data, rng = three(), np.random.default_rng(0)
    judged = search_models()["judged"]
    search = rocch.SurfaceSearch(judged, data.y, alphas=belief(), start=10, draws=10, seed=2)
    search.run(5)
    with tempfile.TemporaryDirectory() as folder:
        search.save(Path(folder) / "search.rocch")
        resumed = rocch.SurfaceSearch.resume(Path(folder) / "search.rocch", judged, data.y)
    return {
        "surfaces": {name: surface(name) for name in search_models()},
        "misses": surface(objectives="misses"),
        "is a model": [isinstance(each, rocch.SearchModel) for each in search_models().values()],
        "resumed": [resumed.run(5), search.run(5)],
        "models": {
            name: [
                (first := each.start(2, rng)),
                each.perturb(first[0], rng),
                each.name_of(first[0]),
                each.probabilities(first[0])[:5],
            ]
            for name, each in search_models().items()
        },
        "new rows": search_models()["knn"].probabilities_of(
            np.array([5.0, 10.0]), data.X[:5] + 0.1
        ),
    }


def surfaces() -> Results:
    whole, bounds = surface(), dict.fromkeys([1, 2, 3], (0.2, 0.5))
    limits = {(2, 1): 0.3}
    confusions = {
        name: rocch.Confusion.from_labels(three().y, three().classes.names[0] + each.argmax(axis=1))
        for name, each in posteriors().items()
    }
    return {
        "best": [
            whole.best(costs()),
            whole.best(costs(), PRIORS, limits=limits),
            whole.best(belief()),
            outcome(whole.best, costs(), limits={(2, 1): 0.0, (1, 2): 0.0}),
        ],
        "plain": [whole.fewest_errors(), whole.knee(), whole.farthest_from_random()],
        "limited": [whole.fewest_errors(limits=limits), whole.knee(limits=limits)],
        "within": [whole.optimal_within(vague()), whole.optimal_within(vague(), bounds)],
        "regret": [whole.least_regret(vague()), whole.least_regret(vague(), bounds, limits=limits)],
        "chances": whole.chances(belief(), PRIORS, samples=500, seed=1),
        "beyond random": whole.beyond_random,
        "member": [whole.member(0), whole.parameters_of(1), whole.members[-1]],
        "volume": [whole.cube_volume(), whole.dominated_share(samples=2000)],
        "exclusive": whole.exclusive_share(surface("judged"), samples=2000),
        "joined": rocch.RocSurface.joined({"near": whole, "other": surface("judged")}),
        "of": rocch.RocSurface.of(confusions),
        "answers": whole.predict(whole.knee(), search_models()["knn"], three().X[:20]),
    }


def multiclass_aucs() -> Results:
    y, given = three().y, posteriors()
    groups = np.arange(len(y)) // 2
    found = rocch.multiclass_auc(y, given["lr"])
    measures = ("hand_till", "total", "macro")
    return {
        "found": found,
        "elsewhere": rocch.multiclass_auc(y, given["lr"], priors=PRIORS, confidence=0.9),
        "groups": rocch.multiclass_auc(y, given["nb"], groups=groups),
        "pair": found.pair(1, 3),
        "pairwise": rocch.pairwise_aucs(y, given["nb"]),
        "measures": [found.pairwise.auc(each, priors=PRIORS) for each in measures[:2]],
        "compared": {
            each: rocch.compare_multiclass_aucs(y, given, measure=each) for each in measures
        },
        "curves": rocch.class_reference_curves(y, given["lr"]),
        "hulls": rocch.class_reference_hulls(y, given),
    }
