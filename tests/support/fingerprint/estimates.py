"""Areas of two classes that say how sure the estimates are."""

from __future__ import annotations

import numpy as np

from .data import Results, beliefs, conditions, curves, hull, scored
from .naming import rocch
from .reducing import outcome

FEW = 120
"""How many resamples are drawn."""


def resampling() -> Results:
    rows, known = scored(), conditions()["exact"]
    y, scores = rows.y, {name: rows.scores[name] for name in ("gbm", "tied", "wide")}
    drawn = rocch.bootstrap(y, scores, replicates=FEW, random_state=5, fprs=np.linspace(0, 1, 11))
    grouped = rocch.bootstrap(
        y, scores, groups=rows.groups, replicates=FEW, random_state=5, fprs=[0.1]
    )
    kinds = ("pointwise", "simultaneous")
    methods = ("logit", "bca", "percentile", "basic", "normal")
    return {
        "drawn": drawn,
        "auc intervals": [
            outcome(each.auc_interval, "gbm", confidence=0.8, method=how)
            for each in (drawn, grouped)
            for how in methods
        ],
        "bands": [
            outcome(drawn.band, model, kind=kind, confidence=0.8)
            for model in ("tied", None)
            for kind in kinds
        ],
        "boxes": drawn.boxes("gbm", [0.5, 1.0], confidence=0.8),
        "areas": [drawn.auc("tied"), drawn.hull_auc("gbm"), drawn.hull_auc(), grouped.auc("wide")],
        "rates": [drawn.tpr("gbm"), drawn.hull_tpr(), drawn.rates_at({"gbm": [0.5], "wide": 1.0})],
        "hulls": [drawn.hull(), drawn.hull("tied")],
        "wins": [drawn.wins(known), drawn.on_hull(), drawn.wins(beliefs()["unit"])],
        "least cost": [drawn.least_cost(known), drawn.least_cost(known, "gbm")],
        "replicate": drawn.replicate(3),
        "map": drawn.map(lambda each: each.auc("gbm") + each.tpr_at("wide", np.array([0.2]))[0]),
        "counts": [drawn.replicate(1).counts("gbm"), drawn.replicate(1).hull()],
        "bands alone": [
            rocch.roc_band(
                y,
                scores["gbm"],
                kind=kind,
                method=how,
                confidence=0.8,
                replicates=FEW,
                random_state=1,
            )
            for kind, how in [*((kind, "bootstrap") for kind in kinds), (kinds[1], "kolmogorov")]
        ],
        "boxes alone": rocch.threshold_boxes(
            y, scores["wide"], [0.0, 1.5], confidence=0.8, replicates=FEW, random_state=2
        ),
        "contains": drawn.band("gbm", kind="pointwise", confidence=0.8).contains(
            drawn.tpr("gbm")[0]
        ),
    }


def honest() -> Results:
    rows = scored()
    asked = {name: conditions()[name] for name in ("exact", "observed")} | {
        "belief": beliefs()["unit"]
    }
    return {
        **{
            name: rocch.honest_choice(
                rows.y, rows.scores, each, replicates=FEW, random_state=3, confidence=0.8
            )
            for name, each in asked.items()
        },
        "groups": rocch.honest_choice(
            rows.y, rows.scores, asked["exact"], groups=rows.groups, replicates=FEW, confidence=0.8
        ),
    }


def aucs() -> Results:
    rows = scored()
    parts = {
        "north": (rows.y[:100], rows.scores["gbm"][:100]),
        "south": (rows.y[100:], rows.scores["gbm"][100:]),
    }
    adjusts = ("holm", "bonferroni", "benjamini-hochberg", "none")
    return {
        "intervals": [rocch.auc_interval(rows.y, score) for score in rows.scores.values()],
        "perfect": rocch.auc_interval([0] * 10 + [1] * 10, list(range(20))),
        "groups": rocch.auc_interval(rows.y, rows.scores["gbm"], groups=rows.groups),
        "paired": [outcome(rocch.compare_aucs, rows.y, rows.scores, adjust=how) for how in adjusts],
        "paired groups": rocch.compare_aucs(rows.y, rows.scores, groups=rows.groups),
        "difference": rocch.compare_aucs(rows.y, rows.scores).difference("wide", "gbm"),
        "unpaired": rocch.compare_aucs_unpaired(parts, confidence=0.9),
        "variation": rocch.variation(rows.y, rows.scores),
    }


def curve_tests() -> Results:
    rows = scored()
    scores = {name: rows.scores[name] for name in ("gbm", "tied", "wide")}
    parts = {
        "north": (rows.y[:100], scores["gbm"][:100]),
        "south": (rows.y[100:], scores["gbm"][100:]),
    }
    asked = {
        "costs": conditions()["exact"],
        "belief": beliefs()["unit"],
        "fpr": rocch.NeymanPearson(0.1),
        "whole": "whole curve",
    }
    paired = {
        name: rocch.compare_curves(
            rows.y, scores, at=at, replicates=FEW, random_state=1, confidence=0.8
        )
        for name, at in asked.items()
    }
    return {
        "paired": paired,
        "unpaired": {
            name: rocch.compare_curves_unpaired(
                parts, at=at, replicates=FEW, random_state=1, confidence=0.8
            )
            for name, at in asked.items()
        },
        "difference": paired["costs"].difference("wide", "gbm"),
        "reversed": paired["costs"].differences[0].reversed(),
    }


def prevalence() -> Results:
    rng, curve = np.random.default_rng(6), curves()["gbm"]
    today = rng.normal(size=300) + 1.3 * (np.arange(300) < 40)
    found = {
        how: outcome(rocch.estimate_prevalence, curve, today, method=how)
        for how in ("likelihood", "adjusted_count")
    }
    estimate = rocch.estimate_prevalence(curve, today)
    drifted = rocch.estimate_prevalence(curve, 3 * today)
    costs = conditions()["observed"]
    return {
        "by method": found,
        "drifted": [drifted, outcome(drifted.feed, costs)],
        "fed": [estimate.feed(costs), estimate.feed(costs, exact=True)],
        "best": hull().best(rocch.MinimaxRegret(estimate.feed(costs))),
        "em": rocch.em_prevalence(1 / (1 + np.exp(-today)), trained_at=0.3),
    }
