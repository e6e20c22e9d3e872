"""Areas of fitted hybrids: rules, tuning, combining, saving, many classes, and the library."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .data import Results, conditions, hull, scored, three
from .many_classes import PRIORS, costs, vague
from .naming import rocch
from .reducing import if_there, outcome

DIALECTS = ("standard", "duckdb", "postgresql", "spark")


@cache
def rows() -> tuple[Any, Any, Any, Any]:
    """Return rows to fit on, their classes, and new ones."""
    from sklearn.datasets import make_classification

    X, y = make_classification(
        500, 5, n_informative=3, weights=[0.75], flip_y=0.1, class_sep=0.6, random_state=1
    )
    return X[:300], y[:300], X[300:], y[300:]


def estimators() -> list[tuple[str, Any]]:
    """Return classifiers to combine: probabilities, a decision function, a tree."""
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    return [
        ("nb", GaussianNB()),
        ("lr", LogisticRegression()),
        ("ridge", RidgeClassifier()),
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
    ]


@cache
def hybrid() -> Any:
    """Return the fitted hybrid of them."""
    X, y, _, _ = rows()
    return rocch.RocchClassifier(estimators(), cv=3).fit(X, y)


def written(rule: Any) -> Results:
    """Return a rule in all its formats."""
    given = {name: np.linspace(-1, 1, 11) for name in rule.models}
    said = {name: each for name, each in json.loads(rule.to_json()).items() if name != "words"}
    return {
        "rule": rule,
        "json": json.dumps(said),
        "sql": {each: outcome(rule.to_sql, dialect=each, row_key="id") for each in DIALECTS},
        "columns": rule.column_names({name: f"s {name}" for name in rule.models}),
        "again": rocch.Rule.from_dict(rule.to_dict()),
        "decided": outcome(rule.decide, given, row_key=list(range(11))) if given else None,
    }


def hybrids() -> Results:
    X, y, new, truth = rows()
    model, keys = hybrid(), [f"row {i}" for i in range(len(new))]
    aims = {
        "exact": conditions()["exact"],
        "limit": rocch.NeymanPearson(0.1),
        "capacity": rocch.Capacity(30, positives=50, negatives=150),
        "knob": rocch.Knob(0.4),
        "regret": rocch.MinimaxRegret(conditions()["vague"]),
    }
    aimed = {
        f"{name}, {coin}": model.at(each, randomize=coin, seed=7)
        for name, each in aims.items()
        for coin in (False, True)
    }
    amounts = np.exp(np.random.default_rng(0).normal(2, 1, len(new)))
    by_row = rocch.RowConditions(prevalence=0.2, false_positive=6, false_negative=amounts)
    groups = np.where(np.arange(len(new)) % 2, "north", "south")
    each = model.at_each({"north": aims["exact"], "south": aims["limit"]})
    return {
        "model": [model, model.kept_, sorted(model.discarded_), model.hull_, model.fold_rates_],
        "predicted": [model.predict(new), if_there(model, "predict_proba", new), model.score(X, y)],
        "aimed": {
            name: {
                "view": view,
                "written": written(view.rule),
                "predicted": view.predict(new, row_key=keys),
                "probability": view.decision_probability(new),
                "scores": if_there(view, "decision_function", new),
                "intervals": outcome(view.rate_intervals),
            }
            for name, view in aimed.items()
        },
        "rows": [by_row, model.at_rows(by_row), model.predict(new, conditions=by_row)],
        "slopes": by_row.slopes(model.hull_.totals),
        "groups": [each, each.rules, each.points, each.predict(new, groups=groups)],
        "selected": [
            model.select(new, 40, row_key=keys, seed=1),
            model.select(new, 7, prevalence=0.3, row_key=keys),
        ],
        "checked": model.check(new, truth),
        "prevalence": [
            model.estimate_prevalence(new),
            model.estimate_prevalence(new, model=model.kept_[0], method="adjusted_count"),
        ],
        "honest": model.out_of_sample_choice(aims["exact"], replicates=120, confidence=0.8),
        "rules of points": [
            written(rocch.Rule.from_point(point, positive="yes", negative="no", row_key="id"))
            for point in (hull().vertices[0], hull().vertices[3], hull().best(aims["exact"]))
        ],
    }


def fits() -> Results:
    X, y, new, _ = rows()
    rng = np.random.default_rng(1)
    options: dict[str, dict[str, Any]] = {
        "within": {"within": conditions()["vague"]},
        "budget": {"row_costs": {"nb": 1, "lr": 1, "ridge": 1, "tree": 9}, "row_budget": 5},
        "parsimonious": {"parsimonious": True},
        "combined": {"combine": True},
        "held out": {"check_size": 0.3, "random_state": 1},
        "not refitted": {"refit": False, "criterion": rocch.NeymanPearson(0.1)},
        "coins": {"randomize": True, "criterion": rocch.NeymanPearson(0.1), "seed": 2},
    }
    fitted = {
        name: rocch.RocchClassifier(estimators(), cv=3, **each).fit(X, y)
        for name, each in options.items()
    }
    fitted["weighted"] = rocch.RocchClassifier(estimators(), cv=3).fit(
        X, y, hull_weight=rng.integers(1, 4, len(y)), sample_weight=rng.integers(1, 4, len(y))
    )
    fitted["texts"] = rocch.RocchClassifier(estimators(), cv=3, pos_label="yes").fit(
        X, np.where(y == 1, "yes", "no")
    )
    return {
        name: [model, model.hull_, model.kept_, model.predict(new)]
        for name, model in fitted.items()
    }


def saved() -> Results:
    X, y, new, _ = rows()
    many = rocch.RocSurfaceClassifier(estimators()[:2], cv=3, generations=10, draws=10).fit(X, y)
    models = {
        "hybrid": hybrid(),
        "aimed": hybrid().at(rocch.NeymanPearson(0.1)),
        "mixed": hybrid().at(rocch.NeymanPearson(0.1), randomize=True, seed=1),
        "surface": many,
    }
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models.items():
            digest = rocch.save(model, Path(folder) / name)
            loaded = rocch.load(Path(folder) / name, digest=digest)
            found[name] = [loaded, loaded.predict(new), model.predict(new)]
    return found


def combining() -> Results:
    from sklearn.tree import DecisionTreeClassifier

    X, y, new, _ = rows()
    rng = np.random.default_rng(0)
    ill = rng.random(800) < 0.3
    deceived = rng.integers(0, 4, 800)
    scores = {
        "fever": np.round(0.5 * rng.normal(size=800) + 2 * (ill | (deceived == 0)), 1),
        "cough": np.round(0.5 * rng.normal(size=800) + 2 * (ill | (deceived == 1)), 1),
    }
    prices = {"fever": 1, "cough": 20}
    plain = rocch.find_combinations(ill, scores)
    cheap = rocch.find_combinations(ill, scores, costs=prices, budget=15, thresholds=8, rounds=1)
    rule = plain.confirmed[0].expression
    tree = DecisionTreeClassifier(random_state=0)
    voters = [
        ("large", rocch.RuleClassifier(large)),
        ("stump", DecisionTreeClassifier(max_depth=1, random_state=0)),
        ("tree", DecisionTreeClassifier(max_depth=3, random_state=0)),
    ]
    votes = [
        rocch.VoteClassifier(voters, weights=how, cv=3).fit(X, y)
        for how in (None, "learned", [1, 2, 2])
    ]
    settings = rocch.find_settings(
        tree, {"max_depth": [1, 2, 4], "class_weight": [None, "balanced"]}, X, y, cv=3
    )
    return {
        "plain": plain,
        "cheap": cheap,
        "running cost": [
            rocch.running_cost(rule, ill, scores, costs=prices, prevalence=share)
            for share in (None, 0.01)
        ],
        "order": rocch.cheapest_order(rule, ill, scores, costs=prices),
        "votes": [
            [vote, vote.votes(new), vote.decision_function(new), vote.predict(new)]
            for vote in votes
        ],
        "settings": settings,
        "dropped": [each.params for each in settings.dropped],
        "simplest": [
            rocch.simplest_subset(scored().y, scored().scores),
            rocch.simplest_subset(scored().y, scored().scores, slopes=(0.5, 2), standard_errors=0),
        ],
    }


def large(X: Any) -> Any:
    """Alarm where the first feature is large."""
    return X[:, 0] > 0.3


def tuning() -> Results:
    _, _, new, truth = rows()
    model, known = hybrid(), conditions()["exact"]
    keys = list(range(len(new)))
    tuner = rocch.KnobTuner(model, known)
    outcomes = [tuner.outcomes(new, truth, complete=True) for _ in range(6)]
    explored = tuner.explore(new, share=0.3, row_key=keys)
    review = explored.review
    outcomes.append(
        tuner.outcomes(new[review], truth[review], propensities=explored.reviewed_propensities)
    )
    loaded = rocch.KnobTuner(model, start=0.5, step=0.15, seed=3)
    loads = [loaded.load(alarms=alarms, capacity=100) for alarms in (105, 150, 40, 90)]
    loads += [loaded.too_many_alarms(times=2), loaded.queue_not_filled(), loaded.turn(0.1)]
    probing = rocch.KnobTuner(model, start=0.3, probe=True, step=0.15, least_step=0.1)
    spent = [probing.observed_cost(cost, cases=100) for cost in (50, 40, 70, 20, 90)]
    return {
        "outcomes": [outcomes, explored],
        "loads": loads,
        "spent": spent,
        "tuners": [
            [each.knob, each.setting, each.operating_point, each.history]
            for each in (tuner, loaded, probing)
        ],
        "again": rocch.KnobTuner.from_dict(model, tuner.to_dict()),
        "incomplete": outcome(tuner.outcomes, new[:5], truth[:5]),
    }


def surface_hybrids() -> Results:
    from sklearn.naive_bayes import GaussianNB

    data = three()
    model = rocch.RocSurfaceClassifier(
        [
            ("nb", GaussianNB()),
            ("near", rocch.KnnFamily(most_neighbors=20)),
            ("net", rocch.MlpFamily(hidden=2)),
        ],
        cv=3,
        generations=15,
        draws=10,
    ).fit(data.X, data.y)
    views = {
        "exact": model.at(costs()),
        "elsewhere": model.at(costs(), PRIORS, limits={(2, 1): 0.4}),
        "parsimonious": model.at(costs(), parsimonious=True),
        "least regret": model.at_least_regret(vague()),
    }
    without = rocch.RocSurfaceClassifier([("nb", GaussianNB())], cv=3, objectives=None)
    without.fit(data.X, data.y)
    return {
        "model": [model, model.surface_, model.predict(data.X), model.confusion(data.X, data.y)],
        "views": {
            name: [view, view.point, view.predict(data.X), if_there(view, "predict_proba", data.X)]
            for name, view in views.items()
        },
        "predicted": model.predict(data.X, costs=costs(), priors=PRIORS),
        "without": [without.at(costs()).point, without.predict(data.X, costs=costs())],
    }


def library() -> Results:
    X, y, new, truth = rows()
    given = {"row_ids": np.arange(len(new)), "by": "cy"}
    found: Results = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "churn"
        held = rocch.ClassifierLibrary.create(path)
        models = {name: model.fit(X, y) for name, model in estimators()}
        rng = np.random.default_rng(5)
        noise = {
            "noise": rng.random(len(new)),
            "rough": np.round(rng.normal(size=len(new)) + truth),
        }
        found["added"] = [
            held.add_scores(truth, noise, **given, tags=["a"], parameters={"depth": 2}),
            *(held.add_model(name, models[name], new, truth, **given) for name in ("nb", "tree")),
            held.add_scores(truth, {"ridge": models["ridge"].decision_function(new)}, **given),
        ]
        found["saving"] = [each.saving(conditions()["exact"]) for each in found["added"]]
        found["hull"] = held.hull
        found["best"] = [
            held.best(conditions()["exact"]),
            held.best(rocch.NeymanPearson(0.1), randomize=True),
        ]
        found["classifiers"] = [held.classifiers, held.all_classifiers()]
        exported = [
            held.export(scores=True, note="scores", by="cy"),
            held.export(
                Path(folder) / "copy.rocch",
                scores=True,
                by="cy",
                criterion=rocch.NeymanPearson(0.1),
            ),
        ]
        loaded = rocch.load(Path(folder) / "copy.rocch", digest=exported[1].sha256)
        found["exported"] = [exported, held.exports(), held.current_export, loaded]
        found["pruned"] = [
            held.prune("nb", by="cy"),
            held.prune(within=conditions()["vague"], by="cy"),
            held.prune(ties=True, by="cy"),
        ]
        found["log"] = held.log()
        compacted = held.compact()
        found["compacted"] = [compacted.exports_dropped, compacted.after <= compacted.before]
        found["verified"] = [held.verify(), held.state, held.hull]
        held.copy(Path(folder) / "again").close()
        found["compacted type"] = type(compacted) is rocch.Compacted
        held.close()
        bounded = rocch.ClassifierLibrary.create(Path(folder) / "b", within=conditions()["vague"])
        found["bounded"] = [bounded.add_scores(truth, noise, by="cy"), bounded.hull]
        bounded.close()
    return found
