"""Limits with a confidence: the whole procedure over every sample, laws, words and refusals."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rocch
from rocch.errors import InfeasibleError, InputError
from rocch.kernels.certify import most_errors, rate_high, rate_low
from rocch.roc.guarantee import Certifier, Sample
from rocch.roc.guarantee_search import short_number
from rocch.rows import ScoredRows
from tests.support.asking import without_curves
from tests.support.oracles import limits as oracle

# A law of one row: the grades that the scorers give it.
Law = Mapping[tuple[int, ...], Fraction]

THIRD, SIXTH = Fraction(1, 3), Fraction(1, 6)


def hull_of(negatives: Mapping[Any, int], positives: Mapping[Any, int]) -> rocch.RocHull:
    rows = [(grades, 0) for grades, count in negatives.items() for _ in range(count)]
    rows += [(grades, 1) for grades, count in positives.items() for _ in range(count)]
    columns = np.array([grades for grades, _ in rows], dtype=float).T
    scores = {f"m{number}": column for number, column in enumerate(columns)}
    return rocch.RocHull.from_scores([label for _, label in rows], scores)


def true_rate(best: rocch.roc.OperatingPoint, law: Law) -> Fraction:
    """Return the chance of an alarm by the deployed rule."""
    if best.threshold is None:  # never or always
        return Fraction(int(best.fpr))
    place = int(best.classifier.removeprefix("m"))
    assert isinstance(best.threshold, float)
    threshold = best.threshold
    alarms = (chance for grades, chance in law.items() if grades[place] >= threshold)
    return sum(alarms, Fraction(0))


def chance_of_breaking(
    criterion: Any, negatives: tuple[Law, int], positives: tuple[Law, int], limit: Any
) -> Fraction:
    def breaks(negative: dict[Any, int], positive: dict[Any, int]) -> bool:
        try:
            best = hull_of(negative, positive).best(criterion)
        except InfeasibleError:
            return False
        return bool(limit(true_rate(best, negatives[0]), true_rate(best, positives[0])))

    return oracle.chance_of_breaking(negatives, positives, breaks)


def just_above(limit: Fraction, grades: int = 3) -> Law:
    """Return a law whose second-strictest setting has a rate just above a limit."""
    above = limit + Fraction(1, 1000)
    strict = above / 4
    return {(2,): strict, (1,): above - strict, (0,): 1 - above} if grades == 3 else {}


GOOD: Law = {(2,): THIRD, (1,): THIRD, (0,): THIRD}


def test_a_limit_on_fpr_is_broken_as_seldom_as_stated_over_all_samples() -> None:
    limit = Fraction(3, 10)
    criterion = rocch.NeymanPearson(0.3, confidence=0.75)
    broken = chance_of_breaking(
        criterion, (just_above(limit), 8), (GOOD, 3), lambda fpr, _: fpr > limit
    )
    assert 0 < broken <= Fraction(1, 4)
    # without a confidence it is far more
    plain = chance_of_breaking(
        rocch.NeymanPearson(0.3), (just_above(limit), 8), (GOOD, 3), lambda fpr, _: fpr > limit
    )
    assert plain > Fraction(2, 5)


def test_a_floor_on_tpr_is_broken_as_seldom_as_stated() -> None:
    floor = Fraction(7, 10)
    law: Law = {(0,): Fraction(1, 10), (1,): Fraction(201, 1000), (2,): Fraction(699, 1000)}
    criterion = rocch.MinimumTpr(0.7, confidence=0.75)
    broken = chance_of_breaking(criterion, (GOOD, 3), (law, 8), lambda _, tpr: tpr < floor)
    assert 0 < broken <= Fraction(1, 4)


def test_two_scorers_share_the_error() -> None:
    """Independent grades: the luckier of two equal scorers is chosen."""
    limit = Fraction(3, 10)
    rate = limit + Fraction(1, 1000)
    law: Law = {
        (a, b): (rate if a else 1 - rate) * (rate if b else 1 - rate)
        for a in (0, 1)
        for b in (0, 1)
    }
    hits: Law = {(1, 1): THIRD, (1, 0): THIRD, (0, 1): SIXTH, (0, 0): SIXTH}

    def breaks(fpr: Fraction, _: Fraction) -> bool:
        return fpr > limit

    criterion = rocch.NeymanPearson(0.3, confidence=0.75)
    broken = chance_of_breaking(criterion, (law, 9), (hits, 3), breaks)
    assert 0 < broken <= Fraction(1, 4)


def test_limits_at_both_ends_share_the_error() -> None:
    limit, floor = Fraction(4, 10), Fraction(6, 10)
    negatives: Law = {(2,): Fraction(1, 10), (1,): Fraction(301, 1000), (0,): Fraction(599, 1000)}
    positives: Law = {(2,): Fraction(599, 1000), (1,): Fraction(301, 1000), (0,): Fraction(1, 10)}
    both = rocch.Constrained(
        rocch.NeymanPearson(0.4, confidence=0.6), rocch.MinimumTpr(0.6, confidence=0.6)
    )
    broken = chance_of_breaking(
        both, (negatives, 8), (positives, 8), lambda fpr, tpr: fpr > limit or tpr < floor
    )
    assert 0 < broken <= Fraction(2, 5)


def test_a_limit_on_two_rates_is_broken_as_seldom_as_stated() -> None:
    negatives: Law = {(2,): Fraction(1, 10), (1,): Fraction(3, 10), (0,): Fraction(6, 10)}
    positives: Law = {(2,): Fraction(6, 10), (1,): Fraction(3, 10), (0,): Fraction(1, 10)}
    # 0.5 FPR + 0.5 TPR is 0.35 at the strict setting, and 0.65 at the other
    criterion = rocch.PredictedPositiveLimit(0.64, prevalence=0.5, confidence=0.7)
    broken = chance_of_breaking(
        criterion,
        (negatives, 5),
        (positives, 5),
        lambda fpr, tpr: (fpr + tpr) / 2 > Fraction(64, 100),
    )
    assert 0 < broken <= Fraction(3, 10)


def among_all_rows(criterion: Any, law: Law, rows: int, breaks: Any) -> Fraction:
    """Return the chance of breaking where the numbers of both classes vary; grades end in one."""
    total = Fraction(0)
    for counts, chance in oracle.samples(law, rows):
        sides = [{g[:-1]: k for g, k in counts.items() if g[-1] == side} for side in (0, 1)]
        if not all(sum(side.values()) for side in sides):
            continue
        try:
            best = hull_of(*sides).best(criterion)
        except InfeasibleError:
            continue
        alarms = [
            true_rate(best, {g: p for g, p in law.items() if g[-1] == side}) for side in (0, 1)
        ]
        misses = sum((p for g, p in law.items() if g[-1] == 1), Fraction(0)) - alarms[1]
        if breaks(*alarms, misses):
            total += chance
    return total


# Grades and classes of one row: hits are two thirds of the strictest alarms.
MIXED: Law = {
    (2, 1): Fraction(30, 100),
    (2, 0): Fraction(16, 100),
    (1, 1): Fraction(10, 100),
    (1, 0): Fraction(10, 100),
    (0, 1): Fraction(4, 100),
    (0, 0): Fraction(30, 100),
}


@pytest.mark.parametrize("precision", [0.66, 0.61])
def test_a_floor_on_precision_among_alarms_is_broken_as_seldom_as_stated(precision: float) -> None:
    criterion = rocch.MinimumPrecision(precision, confidence=0.6)
    floor = Fraction(str(precision))
    broken = among_all_rows(
        criterion, MIXED, 7, lambda wrong, right, _: right < floor * (wrong + right)
    )
    assert 0 < broken <= Fraction(2, 5)


@pytest.mark.parametrize("misses", [1, 2])
def test_a_limit_on_the_cost_at_the_observed_prevalence_is_kept(misses: int) -> None:
    known = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=misses)
    limit = Fraction(29, 100) if misses == 1 else Fraction(33, 100)
    criterion = rocch.CostLimit(float(limit), known, confidence=0.6)
    broken = among_all_rows(criterion, MIXED, 7, lambda fp, _, fn: fp + misses * fn > limit)
    assert broken <= Fraction(2, 5)


def test_a_floor_on_precision_at_a_stated_prevalence_is_kept() -> None:
    negatives: Law = {(2,): Fraction(2, 10), (1,): Fraction(3, 10), (0,): Fraction(5, 10)}
    positives: Law = {(2,): Fraction(7, 10), (1,): Fraction(2, 10), (0,): Fraction(1, 10)}
    floor = Fraction(65, 100)  # it is 0.78 and 0.64
    criterion = rocch.MinimumPrecision(0.65, prevalence=0.5, confidence=0.6)
    broken = chance_of_breaking(
        criterion, (negatives, 6), (positives, 6), lambda fpr, tpr: tpr < floor * (fpr + tpr)
    )
    assert 0 < broken <= Fraction(2, 5)


# ---- what is certified -----------------------------------------------------------------------


def rows_of(seed: int, rows: int, models: int = 1, shift: float = 1.5) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    y[:2] = (False, True)
    return y, {f"m{i}": rng.normal(size=rows) + shift * y for i in range(models)}


@given(st.integers(0, 10**6), st.integers(30, 150), st.sampled_from([1, 3]))
def test_a_scorer_keeps_the_settings_of_the_order_statistic(
    seed: int, rows: int, models: int
) -> None:
    y, scores = rows_of(seed, rows, models)
    negatives = int((~y).sum())
    most = oracle.most_errors(negatives, Fraction(1, 10), Fraction(1, 20 * models))
    hull = rocch.RocHull.from_scores(y, scores)
    hits = []
    for column in scores.values():
        threshold = np.sort(column[~y])[::-1][most] if most >= 0 else np.inf
        hits.append(int((column[y] > threshold).sum()))
    if not max(hits):
        with pytest.raises(InfeasibleError):
            hull.best(rocch.NeymanPearson(0.1, confidence=0.95))
        return
    best = hull.best(rocch.NeymanPearson(0.1, confidence=0.95))
    assert best.point.true_positives == max(hits)
    # the most false alarms that are certified, since they leave room for more hits on new rows
    assert best.point.false_positives == most
    column = scores[best.classifier]
    assert int((column[~y] >= best.threshold).sum()) == most


@given(st.integers(0, 10**6), st.floats(0.55, 0.9), st.floats(0.01, 0.09))
def test_more_confidence_never_gives_more_alarms(seed: int, level: float, more: float) -> None:
    y, scores = rows_of(seed, 150, 2)
    hull = rocch.RocHull.from_scores(y, scores)
    alarms = []
    for confidence in (level, level + more):
        try:
            best = hull.best(rocch.NeymanPearson(0.2, confidence=confidence))
        except InfeasibleError:
            alarms.append(-1.0)
            continue
        assert best.fpr <= 0.2
        assert best.guarantee is not None
        assert best.fpr <= best.guarantee.bounds[0] <= 0.2
        alarms.append(best.point.false_positives)
    assert alarms[1] <= alarms[0]


CRITERIA: dict[str, Callable[[float | None], Any]] = {
    "fpr": lambda c: rocch.NeymanPearson(0.3, confidence=c),
    "tpr": lambda c: rocch.MinimumTpr(0.6, confidence=c),
    "alarms": lambda c: rocch.PredictedPositiveLimit(0.5, prevalence=0.3, confidence=c),
    "share": lambda c: rocch.PredictedPositiveLimit(0.5, prevalence="observed", confidence=c),
    "capacity": lambda c: rocch.Capacity(40, positives=30, negatives=70, confidence=c),
    "precision": lambda c: rocch.MinimumPrecision(0.6, confidence=c),
    "stated": lambda c: rocch.MinimumPrecision(0.6, prevalence=0.4, confidence=c),
    "cost": lambda c: rocch.CostLimit(0.35, rocch.Conditions(**COSTS), confidence=c),
    "rows": lambda c: rocch.CostLimit(
        0.35, rocch.Conditions(**{**COSTS, "prevalence": "observed"}), confidence=c
    ),
    "errors": lambda c: rocch.CostLimit(
        0.3, rocch.Conditions(**{**COSTS, "false_negative": 1}), confidence=c
    ),
    "vague": lambda c: rocch.CostLimit(
        0.45, rocch.Conditions(**{**COSTS, "false_negative": (1, 2)}), confidence=c
    ),
    "linear": lambda c: rocch.Constrained(
        rocch.ErrorRate(), rocch.roc.LinearLimit(tpr=-1, fpr=0.5, at_most=-0.4, confidence=c)
    ),
    "both": lambda c: rocch.Constrained(
        rocch.ErrorRate(),
        rocch.NeymanPearson(0.4, confidence=c),
        rocch.MinimumTpr(0.5, confidence=c),
    ),
    "precision and more": lambda c: rocch.Constrained(
        rocch.MinimumPrecision(0.5, confidence=c),
        rocch.NeymanPearson(0.4, confidence=c),
        rocch.MinimumTpr(0.3, confidence=c),
    ),
}
COSTS: dict[str, Any] = {"prevalence": 0.4, "false_positive": 1, "false_negative": 1.5}


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_what_is_guaranteed_also_holds_on_the_evaluation_rows(name: str, seed: int) -> None:
    y, scores = rows_of(seed, 600, 2, shift=2)
    hull = rocch.RocHull.from_scores(y, scores)
    criterion = CRITERIA[name](0.9)
    best = hull.best(criterion)
    limits = criterion.resolved(hull.totals).limits
    assert best.guarantee is not None
    assert best.guarantee.limits == tuple(map(str, limits))
    assert best.guarantee.models == 2
    # limits that hold at neither end of a scorer's settings have a reservation
    is_proved = all(limit.tpr * limit.fpr >= 0 for limit in limits)
    assert best.guarantee.is_exact == is_proved
    assert ("crosses the limit once" in best.guarantee.note) == (not is_proved)
    for limit, bound in zip(limits, best.guarantee.bounds, strict=True):
        assert limit.excess(np.array(best.fpr), np.array(best.tpr)) <= 0
        at = limit.at_most + limit.offset
        if limit.prevalence is not None:
            precision = best.performance(prevalence=limit.prevalence).precision
            assert precision >= bound >= 0.5 - 1e-9
        elif limit.text:
            value = limit.tpr * best.tpr + limit.fpr * best.fpr + limit.offset
            assert value <= bound <= at + 1e-9
    # the deployed rule does on these rows what the point says
    alarms = scores[best.classifier] >= best.threshold
    assert alarms[~y].mean() == best.fpr
    assert alarms[y].mean() == best.tpr
    plain = hull.best(CRITERIA[name](None))
    assert plain.guarantee is None


@pytest.mark.parametrize("name", CRITERIA)
def test_vertices_alone_certify_no_more_than_the_whole_curve(name: str) -> None:
    y, scores = rows_of(3, 800, 2, shift=2)
    hull = rocch.RocHull.from_scores(y, scores)
    criterion = CRITERIA[name](0.9)
    curves = [rocch.RocCurve.from_scores(y, column, name=key) for key, column in scores.items()]
    kept = {
        curve.name: set(
            zip(curve.false_positives.tolist(), curve.true_positives.tolist(), strict=True)
        )
        for curve in curves
    }
    limits = criterion.resolved(hull.totals).limits
    certifier = Certifier(limits, Sample(hull.totals.negatives, hull.totals.positives), 0.9, 2)
    try:
        best = without_curves(hull).best(criterion)
    except InfeasibleError:
        return
    for curve in curves:
        fp, tp = curve.false_positives[1:-1], curve.true_positives[1:-1]
        found = certifier.find_nested(fp, tp)
        kept[curve.name] = set(zip(fp[found].tolist(), tp[found].tolist(), strict=True))
    point = best.point
    assert (point.false_positives, point.true_positives) in kept[best.classifier]


def test_bounds_of_single_rates_are_those_of_clopper_and_pearson() -> None:
    y, scores = rows_of(1, 500)
    hull = rocch.RocHull.from_scores(y, scores)
    best = hull.best(rocch.NeymanPearson(0.2, confidence=0.9))
    assert best.guarantee is not None
    high = rate_high(np.array(best.point.false_positives), hull.totals.negatives, 0.1)
    assert best.guarantee.bounds[0] == pytest.approx(float(high))
    best = hull.best(rocch.MinimumTpr(0.6, confidence=0.9))
    assert best.guarantee is not None
    low = rate_low(np.array(best.point.true_positives), hull.totals.positives, 0.1)
    assert best.guarantee.bounds[0] == pytest.approx(float(low))


def test_a_cost_at_the_stated_prevalence_has_its_bound() -> None:
    y, scores = rows_of(5, 1000, shift=2)
    hull = rocch.RocHull.from_scores(y, scores)
    known = rocch.Conditions(**COSTS, true_positive=0.1, true_negative=0.05)
    best = hull.best(rocch.CostLimit(0.45, known, confidence=0.9))
    assert best.guarantee is not None
    cost = float(known.case.cost(best.fpr, best.tpr))
    assert cost < best.guarantee.bounds[0] <= 0.45 + 1e-9


def test_a_goal_chooses_among_what_is_certified() -> None:
    y, scores = rows_of(7, 2000, 3, shift=2)
    hull = rocch.RocHull.from_scores(y, scores)
    known = rocch.Conditions(prevalence=0.4, false_positive=1, false_negative=1)
    limit = rocch.NeymanPearson(0.5, confidence=0.95)
    best = hull.best(rocch.Constrained(known, limit))
    assert best.guarantee is not None
    assert best.expected_cost == hull.best(known).expected_cost  # the limit does not bind
    assert best.on_new_rows.apparent == best.expected_cost
    assert best.on_new_rows.expected is not None
    vague = replace(known, false_negative=(1, 3))
    regret = hull.best(rocch.Constrained(rocch.MinimaxRegret(vague), limit))
    assert regret.guarantee is not None
    assert regret.value >= 0


@pytest.mark.parametrize(
    ("false_positive", "false_negative", "rule"),
    [(1000, 1, "never alarm"), (1, 1000, "always alarm")],
)
def test_never_and_always_are_known_to_keep_limits(
    false_positive: float, false_negative: float, rule: str
) -> None:
    rng = np.random.default_rng(4)
    y = rng.random(400) < 0.4
    scores = rng.normal(size=400) + 0.5 * y
    scores[np.flatnonzero(y)[0]] = -10  # only always alarming misses nothing
    hull = rocch.RocHull.from_scores(y, {"m0": scores})
    known = rocch.Conditions(
        prevalence=0.4, false_positive=false_positive, false_negative=false_negative
    )
    precision = rocch.MinimumPrecision(0.3, prevalence=0.4, confidence=0.9)
    best = hull.best(rocch.Constrained(known, precision, rocch.NeymanPearson(1, confidence=0.9)))
    assert best.rule() == rule
    assert best.guarantee is not None
    assert best.guarantee.bounds == ((1.0, 0.0) if rule.startswith("never") else (0.4, 1.0))


def test_thresholds_stay_where_scores_are_too_close_for_a_short_number() -> None:
    y = np.repeat([0, 1], 100)
    scores = np.concatenate([1 - np.arange(1, 101) * 2.0**-50, 1 + np.arange(100) * 2.0**-50])
    best = rocch.RocHull.from_scores(y, {"m0": scores}).best(
        rocch.NeymanPearson(0.1, confidence=0.9)
    )
    assert isinstance(best.threshold, float)
    assert int((scores[y == 0] >= best.threshold).sum()) == best.point.false_positives


def test_plain_limits_beside_confident_ones_hold_on_the_evaluation_rows() -> None:
    y, scores = rows_of(7, 2000, 2, shift=2)
    hull = rocch.RocHull.from_scores(y, scores)
    mixed = rocch.Constrained(rocch.NeymanPearson(0.5, confidence=0.95), rocch.NeymanPearson(0.1))
    best = hull.best(mixed)
    assert best.fpr <= 0.1
    assert best.guarantee is not None
    assert best.guarantee.limits == ("FPR <= 0.5",)
    with pytest.raises(InfeasibleError, match="limits without a confidence on the evaluation rows"):
        hull.best(
            rocch.Constrained(rocch.NeymanPearson(0.05, confidence=0.95), rocch.MinimumTpr(0.999))
        )


def test_settings_of_labels_are_not_nested_and_count_each() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.4
    settings = {name: (rng.normal(size=500) + 2 * y > 1.5).astype(int) for name in "abc"}
    curve = rocch.RocCurve.from_labels(y.astype(int), settings, name="rules")
    best = rocch.RocHull.of(curve).best(rocch.NeymanPearson(0.2, confidence=0.95))
    assert best.guarantee is not None
    assert best.guarantee.models == 3
    assert best.guarantee.level == pytest.approx(0.05 / 3)


def test_classifiers_that_were_left_out_before_count_as_well() -> None:
    y, scores = rows_of(1, 500)
    hull = replace(rocch.RocHull.from_scores(y, scores), considered=10)
    for each in (hull, rocch.RocHull.of(hull)):
        best = each.best(rocch.NeymanPearson(0.1, confidence=0.95))
        assert best.guarantee is not None
        assert best.guarantee.models == 10
    other = rocch.RocCurve.from_scores(y, scores["m0"], name="other")
    assert rocch.RocHull.of(hull, other).considered == 11


def test_other_rows_may_choose_the_classifier() -> None:
    y, scores = rows_of(1, 300, 10)
    other, others = rows_of(2, 300, 10)
    hull = rocch.RocHull.from_scores(y, scores)
    order = rocch.RocHull.from_scores(other, others)
    limit = rocch.NeymanPearson(0.1, confidence=0.95)
    best = hull.best(limit, order=order)
    assert best.guarantee is not None
    assert best.guarantee.models == 1
    assert best.guarantee.level == pytest.approx(0.05)
    most = most_errors(hull.totals.negatives, 0.1, 0.05)
    assert best.point.false_positives == most
    # too few other rows choose by the limit on themselves
    few, fewer = rows_of(3, 20, 10)
    assert hull.best(limit, order=rocch.RocHull.from_scores(few, fewer)).guarantee is not None


def test_other_rows_may_have_the_same_labels_in_the_same_order() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 200)
    hull, order = (
        rocch.RocHull.from_scores(y, {"a": rng.normal(size=400) + 2 * y}) for _ in range(2)
    )
    assert hull.best(rocch.NeymanPearson(0.1, confidence=0.95), order=order).guarantee is not None


def test_words_and_plain_data() -> None:
    y, scores = rows_of(1, 500)
    best = rocch.RocHull.from_scores(y, scores).best(rocch.NeymanPearson(0.1, confidence=0.95))
    assert best.guarantee is not None
    text = str(best.guarantee)
    assert text.startswith("On new rows, with 95% confidence: FPR <= 0.1 (bound 0.0")
    assert text.endswith(").")
    data = json.loads(json.dumps(best.guarantee.to_dict()))
    assert data["limits"] == ["FPR <= 0.1"]
    assert data["confidence"] == 0.95


def test_cross_validated_rows_say_that_the_guarantee_is_approximate() -> None:
    y, scores = rows_of(1, 500)
    folds = np.arange(500) % 5
    limit = rocch.NeymanPearson(0.1, confidence=0.95)
    held_out = rocch.RocHull.from_rows(ScoredRows(y, scores, folds=folds)).best(limit)
    assert held_out.guarantee is not None
    assert not held_out.guarantee.is_exact
    assert "cross-validation" in str(held_out.guarantee)
    twice = {name: np.repeat(column, 2) for name, column in scores.items()}
    rows = ScoredRows(
        np.repeat(y, 2), twice, folds=np.repeat(folds, 2), index=np.repeat(np.arange(500), 2)
    )
    repeated = rocch.RocHull.from_rows(rows).best(limit)
    assert repeated.guarantee is not None
    assert "count once" in repeated.guarantee.note
    assert repeated.fpr == held_out.fpr


# ---- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(("models", "need"), [(1, 59), (3, 80), (10, 104)])
def test_too_few_rows_say_how_many_would_do(models: int, need: int) -> None:
    rng = np.random.default_rng(0)
    for negatives, enough in ((need - 1, False), (need, True)):
        y = np.repeat([0, 1], [negatives, 50])
        scores = {f"m{i}": rng.normal(size=y.size) + 20 * y for i in range(models)}
        hull = rocch.RocHull.from_scores(y, scores)
        limit = rocch.NeymanPearson(0.05, confidence=0.95)
        if enough:
            assert hull.best(limit).tpr == 1
        else:
            message = f"at least {need} negatives \\(there are {need - 1}\\)"
            with pytest.raises(InfeasibleError, match=message):
                hull.best(limit)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (rocch.NeymanPearson(0, confidence=0.9), "No number of rows would be enough"),
        (rocch.MinimumTpr(0.999, confidence=0.9), "at least 2,302 positives"),
        (rocch.MinimumPrecision(0.999, confidence=0.9), "at least 2,302 alarms"),
        (rocch.MinimumPrecision(1, confidence=0.9), "No number of rows would be enough"),
        (rocch.NeymanPearson(0.02, confidence=0.9), "too many false alarms among them"),
        (rocch.PredictedPositiveLimit(0.001, prevalence=0.3, confidence=0.9), "at least .* rows"),
        (
            rocch.CostLimit(
                -1,
                rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=1),
                confidence=0.9,
            ),
            "No number of rows",
        ),
    ],
)
def test_nothing_can_be_certified(criterion: Any, message: str) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [300, 300])
    worse = rng.normal(size=600) + y
    worse[:30] = 50 + np.arange(30)  # the strictest settings are false alarms
    with pytest.raises(InfeasibleError, match=message):
        rocch.RocHull.from_scores(y, {"m0": worse}).best(criterion)


def test_limits_that_contradict_each_other_can_be_kept_alone() -> None:
    y, scores = rows_of(1, 2000)
    limits = rocch.NeymanPearson(0.1, confidence=0.9), rocch.MinimumTpr(0.9, confidence=0.9)
    with pytest.raises(InfeasibleError, match=r"though each of them can be kept alone\. More rows"):
        rocch.RocHull.from_scores(y, scores).best(rocch.Constrained(*limits))


def test_limits_that_fail_together_say_how_many_rows_would_do() -> None:
    y, scores = rows_of(1, 400, shift=3)
    limits = rocch.NeymanPearson(0.08, confidence=0.9), rocch.MinimumTpr(0.92, confidence=0.9)
    with pytest.raises(InfeasibleError) as caught:
        rocch.RocHull.from_scores(y, scores).best(rocch.Constrained(*limits))
    found = re.search(r"about ([\d,]+) rows would do \(there are 400\)", str(caught.value))
    assert found is not None
    times = int(found[1].replace(",", "")) / 400
    several = (
        np.tile(y, math.ceil(1.1 * times)),
        {"m0": np.tile(scores["m0"], math.ceil(1.1 * times))},
    )
    assert (
        rocch.RocHull.from_scores(*several).best(rocch.Constrained(*limits)).guarantee is not None
    )
    fewer = math.floor(times / 1.1)
    if fewer > 1:
        several = np.tile(y, fewer), {"m0": np.tile(scores["m0"], fewer)}
        with pytest.raises(InfeasibleError):
            rocch.RocHull.from_scores(*several).best(rocch.Constrained(*limits))


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (rocch.NeymanPearson(0.3, confidence=0.9), "A higher threshold finds as many positives"),
        (rocch.MinimumTpr(0.3, confidence=0.9), "A lower threshold finds more positives"),
    ],
)
def test_a_choice_that_is_beaten_on_the_evaluation_rows_says_why(limit: Any, words: str) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(300) < 150
    gap = rng.normal(size=300) + np.where(y, 6, 0)  # hardly any overlap
    best = rocch.RocHull.from_scores(y, {"m": gap}).best(limit)
    assert best.note.startswith(words)
    same = rocch.RocHull.from_scores(*rows_of(7, 2000, shift=1)).best(
        rocch.Constrained(rocch.ErrorRate(), limit)
    )
    assert same.note == ""


def test_refusals() -> None:
    y, scores = rows_of(1, 300)
    hull = rocch.RocHull.from_scores(y, scores)
    limit = rocch.NeymanPearson(0.1, confidence=0.95)
    with pytest.raises(InputError, match="confidence must be a number between 0 and 1, both"):
        rocch.NeymanPearson(0.1, confidence=95)
    with pytest.raises(InputError, match=r"same number for all limits; got 0.9 and 0.95"):
        hull.best(rocch.Constrained(limit, rocch.MinimumTpr(0.2, confidence=0.9)))
    with pytest.raises(InputError, match="randomize must be left out beside confidence"):
        hull.best(limit, randomize=True)
    with pytest.raises(InputError, match="randomize must be left out beside confidence"):
        hull.best(rocch.Question(max_fpr=0.1, confidence=0.95, randomize=True))
    with pytest.raises(InputError, match="order must be given with limits"):
        hull.best(rocch.NeymanPearson(0.1), order=hull)
    with pytest.raises(InputError, match="order must be a hull of other rows"):
        hull.best(limit, order=hull)
    with pytest.raises(InputError, match="order must be a RocHull"):
        hull.best(limit, order=scores)
    z, others = rows_of(2, 280)
    renamed = rocch.RocHull.from_scores(z, {"new": others["m0"]})
    with pytest.raises(InputError, match="choose a classifier of this hull; got 'new'"):
        hull.best(limit, order=renamed)
    weighted = rocch.RocHull.from_scores(y, scores, sample_weight=np.linspace(1, 2, 300))
    with pytest.raises(InputError, match="each counts once; got weighted rows"):
        weighted.best(limit)
    grouped = rocch.RocHull.from_rows(ScoredRows(y, scores, groups=np.arange(300) // 2))
    with pytest.raises(InputError, match="got rows in groups"):
        grouped.best(limit)
    pooled = rocch.RocHull.of(hull, renamed, allow_different_rows=True)
    with pytest.raises(InputError, match="different rows"):
        pooled.best(limit)
    too_good = rocch.roc.LinearLimit(tpr=1, fpr=-1, at_most=0.5, confidence=0.9)
    with pytest.raises(rocch.GuaranteeError):
        hull.best(rocch.Constrained(rocch.ErrorRate(), too_good))


def test_short_numbers_stay_in_the_gap() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        low = float(rng.normal() * 10.0 ** rng.integers(-6, 6))
        high = low + float(abs(rng.normal()) * 10.0 ** rng.integers(-9, 3))
        for near_low in (True, False):
            found = short_number(low, high, near_low=near_low)
            if found is None:
                continue
            assert low < found <= high
            part = (found - low) / (high - low)
            assert part < 0.0101 if near_low else part > 0.9899
    assert short_number(1, 1 + 1e-15, near_low=True) is None
    assert short_number(-np.inf, 1, near_low=True) is None


@pytest.mark.parametrize(
    "question",
    [
        {"max_fpr": 5e-324},
        {"min_precision": 1e-300, "prevalence": 5e-324},
        {"min_precision": 0.5, "prevalence": 1e-300},
    ],
)
def test_limits_beyond_any_sample_are_infeasible(question: Any) -> None:
    y, scores = rows_of(0, 300, 1, shift=2)
    hull = rocch.RocHull.from_scores(y, scores)
    with pytest.raises(rocch.InfeasibleError, match="guaranteed"):
        hull.best(rocch.Question(confidence=0.5, **question))
