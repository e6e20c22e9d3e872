"""Areas of two classes that need no resampling: curves, hulls, criteria, beliefs and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from .data import Results, beliefs, chances, conditions, curves, hull, rules, scored
from .naming import rocch
from .reducing import outcome


def curve_results() -> Results:
    rows, curve = scored(), curves()["gbm"]
    many = {
        **curves(),
        "weighted": rocch.RocCurve.from_scores(
            rows.y, rows.scores["tied"], sample_weight=rows.weights, name="weighted"
        ),
        "infinite": rocch.RocCurve.from_scores(
            [0, 1, 0, 1, 1, 0, 1], [-np.inf, np.inf, 0.0, -0.0, 2.0, np.inf, 1.0]
        ),
        "texts": rocch.RocCurve.from_scores(
            ["b", "a", "a", "b"], [3, 1, 2, 2], pos_label="b", name="texts"
        ),
        "labels": rocch.RocCurve.from_labels(rows.y, rows.scores["gbm"] > 1, name="labels"),
        "counts": rocch.RocCurve.from_counts(
            [1, 4, 10],
            [3, 6, 8],
            negatives=10,
            positives=8,
            lowest_scores=[0.8, 0.2, 0],
            name="counts",
        ),
    }
    return {
        "curves": many,
        "points": {name: each.points() for name, each in many.items() if len(each.fpr) < 40},
        "at": {name: outcome(each.at, 0.5) for name, each in many.items()},
        "rates": [[curve.tpr_at(x), curve.fpr_at(x)] for x in (0.0, 0.05, 0.3, 1.0)],
        "partial": [
            curve.partial_auc(fpr=(0, 0.2)),
            curve.partial_auc(tpr=(0.6, 1), standardized=True),
            curve.partial_auc(fpr=(0.1, 0.5), standardized=True),
        ],
        "auc": [
            rocch.auc(rows.y, score, sample_weight=weight)
            for score in rows.scores.values()
            for weight in (None, rows.weights)
        ],
        "performance": curve.at(0.5).performance(prevalence=0.03),
        "f": [rocch.Performance(fpr=0.1, tpr=0.7, prevalence=0.2).f_score(b) for b in (0.5, 2)],
        "rate intervals": [
            rocch.rate_interval(count, 30, method=method, confidence=0.9)
            for method in ("clopper-pearson", "wilson")
            for count in (0, 4, 30)
        ],
        "point intervals": [
            rocch.point_intervals(curve, 0.5),
            rocch.point_intervals(hull(), hull().vertices[2], method="wilson"),
            rocch.point_intervals(hull(), hull().best(conditions()["exact"])),
        ],
    }


def hull_results() -> Results:
    rows, whole = scored(), hull()
    few = rocch.RocHull.of(curves()["tied"])
    weighted = rocch.RocHull.from_scores(rows.y, rows.scores, sample_weight=rows.weights)
    other = rocch.RocCurve.from_scores(rows.y[:90], rows.scores["wide"][:90], name="elsewhere")
    return {
        "hulls": [whole, few, weighted, rocch.RocHull.from_scores(rows.y, rows.scores)],
        "slope ranges": [each.slope_ranges() for each in (whole, few, weighted)],
        "consider": [few.consider(curves()[name]) for name in ("gbm", "wide", "noise")],
        "grown": few.add(curves()["gbm"]).add(curves()["wide"]),
        "different rows": few.add(other, allow_different_rows=True),
        "same rows": outcome(few.add, other),
        "dominator": [few.dominator(), whole.dominator()],
        "best each": whole.best_each(np.array([0.0, 0.1, 1.0, 7.0, np.inf])),
        "best between": [whole.best_between(0.1, 3), whole.best_between(0, np.inf)],
        "restricted": [whole.restricted(0.5, 2), whole.within(conditions()["vague"])],
        "rates": [[whole.tpr_at(x), whole.fpr_at(x)] for x in (0.0, 0.05, 0.3, 1.0)],
        "sensitivity": {
            name: whole.sensitivity(each.resolved(whole.totals))
            for name, each in conditions().items()
        },
        "shortfalls": rocch.RocHull.of(rules()).sensitivity(conditions()["steep"]),
        "iso": conditions()["exact"].iso_performance_line(whole.vertices[1]),
        "line": rocch.IsoPerformanceLine(slope=1.0, intercept=0.5),
        "conditions": conditions(),
        "judged": [whole.totals, weighted.totals, rocch.Judged(negatives=3, positives=4)],
    }


def criteria() -> Results:
    known, vague = conditions()["exact"], conditions()["vague"]
    belief = beliefs()["joint"]

    def own(fpr: Any, tpr: Any) -> Any:
        return tpr - fpr**0.5

    names = [
        "tpr",
        "recall",
        "precision",
        "lift",
        "f1",
        "accuracy",
        "informedness",
        "geometric_mean",
    ]
    limit = rocch.LinearLimit(tpr=0.1, fpr=0.9, at_most=0.2)
    asked = {
        **conditions(),
        "expected cost": rocch.ExpectedCost(known),
        "error rate": rocch.ErrorRate(),
        "error rate, elsewhere": rocch.ErrorRate(0.02),
        "neyman-pearson": rocch.NeymanPearson(0.07),
        "nothing allowed": rocch.NeymanPearson(0),
        "minimum tpr": rocch.MinimumTpr(0.83),
        "capacity": rocch.Capacity(37, positives=50, negatives=950),
        "alarm share": rocch.AlarmShare(0.13, prevalence=0.05),
        "own": rocch.Maximise(own),
        **{f"highest {name}": rocch.Maximise(name) for name in names},
        **{f"highest {name} at 5%": rocch.Maximise(name, prevalence=0.05) for name in names},
        "minimax": rocch.MinimaxRegret(vague),
        "minimax of a belief": rocch.MinimaxRegret(belief),
        "least expected regret": rocch.LeastExpectedRegret(belief),
        "constrained": rocch.Constrained(known, rocch.NeymanPearson(0.5), rocch.MinimumTpr(0.8)),
        "constrained line": rocch.Constrained(rocch.ErrorRate(), limit),
        "constrained regret": rocch.Constrained(
            rocch.LeastExpectedRegret(belief), rocch.NeymanPearson(0.1)
        ),
        "constrained minimax": rocch.Constrained(rocch.MinimaxRegret(vague), limit),
        "impossible": rocch.Constrained(known, rocch.NeymanPearson(0), rocch.MinimumTpr(0.99)),
    }
    best = {
        f"{name}, {coin}": outcome(hull().best, each, randomize=coin)
        for name, each in asked.items()
        for coin in (False, True)
    }
    point = best["neyman-pearson, True"]
    return {
        "asked": asked,
        "best": best,
        "counts": point.counts(cases=1000, prevalence=0.1),
        "performance": point.performance(prevalence=0.1),
        "knobs": [
            [rocch.Knob(x).on(hull(), randomize=coin), rocch.Knob(x).turned(0.2)]
            for x in (0.0, 0.3, 0.55, 1.0)
            for coin in (False, True)
        ],
        "knob of": [rocch.Knob.of(point), rocch.Knob(0.3).neighbor(hull(), 0.05)],
    }


def belief_results() -> Results:
    axis, judged = np.linspace(0, 1, 9), hull().totals
    found: Results = {}
    for name, each in beliefs().items():
        whole = each if each.has_prevalence else each.with_prevalence("observed")
        told = outcome(whole.resolved, judged)
        found[name] = {
            "belief": each,
            "mass": outcome(told.cumulative_mass, axis),
            "stretches": outcome(told.stretches, axis),
            "shapes": outcome(each.other_shapes),
            "weighed": outcome(weighed, each),
            "h": outcome(rocch.h_measure, curves()["gbm"], belief=each),
            "best": outcome(least_expected_regret, told),
            "probability cost": outcome(rocch.probability_cost, told),
        }
    plain = {belief: rocch.h_measure(hull(), belief=belief) for belief in ("symmetric", "balanced")}
    return {**found, "h": {**plain, "elsewhere": rocch.h_measure(hull(), prevalence=0.05)}}


def least_expected_regret(belief: Any) -> Any:
    """Return the choice of least expected regret."""
    return hull().best(rocch.LeastExpectedRegret(belief))


def weighed(belief: Any) -> Any:
    """Weigh the choices, at a prevalence of its own or at 0.15."""
    found = rocch.weigh_choices(hull(), belief, prevalence=None if belief.has_prevalence else 0.15)
    return [found, found.analyze(hull().vertices[1])]


def losses() -> Results:
    first, second = curves()["gbm"], curves()["wide"]
    rows, found = scored(), {}
    for name in ("triangle", "even", "pooled", "gamma", "drawn", "beta"):
        belief = beliefs()[name]
        compared = rocch.compare_losses(first, second, belief=belief, prevalence="observed")
        best = rocch.who_is_best(curves(), belief=belief, prevalence=0.2)
        found[name] = {
            "compared": compared,
            "shapes": outcome(compared.shapes),
            "under": compared.under(beliefs()["open"]).lc_index,
            "losses": compared.losses_at(false_positive=1, false_negative=8),
            "best": best,
            "pairwise": best.pairwise(),
        }
    expert = beliefs()["triangle"]
    return {
        **found,
        "implied": rocch.compare_losses(
            *chances().values(), belief=expert, prevalence=0.1, reading="implied", names=("a", "b")
        ),
        "vague": rocch.compare_losses(
            first, hull(), belief=expert, prevalence=rocch.Belief.prevalence(0.1, 0.3)
        ),
        "intervals": rocch.lc_intervals(
            rows.y, rows.scores, belief=expert, prevalence=0.2, replicates=60, random_state=4
        ),
        "choice": rocch.weigh_choices(hull(), beliefs()["unit"]).least_expected_regret,
    }


def pictures_of_curves() -> Results:
    whole, curve = hull(), curves()["gbm"]
    folds = [
        rocch.RocCurve.from_scores(scored().y[k::4], scored().scores["gbm"][k::4], name=f"{k}")
        for k in range(4)
    ]
    cost = rocch.CostCurve(whole)
    at = np.array([0.05, 0.1, 0.3, 0.7])
    return {
        "cost": [cost, rocch.CostCurve.of(curve), cost.winning_ranges()],
        "cost of members": [[name, each.operating_range] for name, each in cost.members.items()],
        "cost at": [[cost.cost_at(x), cost.line_at(x), cost.line_at(x).cost_at(x)] for x in at],
        "probability cost": [rocch.probability_cost(each) for each in _with_prevalence()],
        "det": [rocch.DetCurve.of(part) for part in (whole, curve)],
        "det line": rocch.DetCurve.of(curve).line((0.001, 0.002)),
        "gain": [rocch.GainCurve.of(part, prevalence=0.1) for part in (whole, curve)],
        "gain at": [
            [rocch.GainCurve.of(whole).recall_at(x), rocch.GainCurve.of(whole).lift_at(x)]
            for x in at
        ],
        "precision": [rocch.PrecisionRecallCurve.of(part) for part in (whole, curve)],
        "precision at": [
            rocch.PrecisionRecallCurve.of(whole, prevalence=0.1).precision_at(x) for x in at
        ],
        "decision": [
            rocch.DecisionCurve.best(whole, thresholds=at),
            rocch.DecisionCurve.always(whole, thresholds=at, prevalence=0.1),
            rocch.DecisionCurve.calibrated(chances()["gbm"], thresholds=at),
        ],
        "average": [rocch.average_curves(folds, by=by, samples=11) for by in ("fpr", "threshold")],
        "pooled": rocch.pool_curves(folds, name="pooled"),
        "choice": rocch.Interval(low=0.1, high=0.2),
    }


def _with_prevalence() -> list[Any]:
    return [each for name, each in conditions().items() if name != "observed"]
