"""Operating points: every criterion against the slow search, with and without a coin."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from tests.support.oracles import curves, decisions, hulls
from tests.support.strategies import judged_table

if TYPE_CHECKING:
    from collections.abc import Callable

Table = tuple[list[bool], dict[str, list[float]]]
Rates = list[tuple[Fraction, Fraction]]
RATE = st.fractions(0, 1, max_denominator=30)


def all_points(table: Table) -> Rates:
    labels, scores = table
    negatives, positives = labels.count(False), labels.count(True)
    return [
        (Fraction(p[0], negatives), Fraction(p[1], positives))
        for column in scores.values()
        for p in curves.points(labels, column)
    ]


def hull_points(table: Table) -> Rates:
    labels, scores = table
    negatives, positives = labels.count(False), labels.count(True)
    counts = [p[:2] for column in scores.values() for p in curves.points(labels, column)]
    return [
        (Fraction(x, negatives), Fraction(y, positives))
        for x, y in hulls.hull(counts, negatives, positives)
    ]


def hits(fpr: Fraction, tpr: Fraction) -> Fraction:  # noqa: ARG001 - a metric takes both rates
    return tpr


def fewest_alarms(fpr: Fraction, tpr: Fraction) -> Fraction:  # noqa: ARG001
    return -fpr


def reached(answer: rocch.roc.OperatingPoint) -> tuple[float, float]:
    """Return the rates that the mix really gives."""
    return (
        sum(share * point.fpr for share, point in answer.mix),
        sum(share * point.tpr for share, point in answer.mix),
    )


@given(judged_table(), RATE.filter(lambda p: 0 < p < 1), RATE, RATE)
@settings(max_examples=200)
def test_least_cost_is_never_above_any_point_of_any_curve(
    table: Table, prevalence: Fraction, fp: Fraction, fn: Fraction
) -> None:
    fp, fn = fp + Fraction(1, 30), fn + Fraction(1, 30)
    least, _ = decisions.cheapest(all_points(table), prevalence, fp, fn, Fraction(0), Fraction(0))
    conditions = rocch.Conditions(
        prevalence=float(prevalence), false_positive=float(fp), false_negative=float(fn)
    )
    answer = rocch.RocHull.from_scores(*table).best(conditions)
    assert answer.expected_cost == pytest.approx(float(least), abs=1e-12)
    assert answer.value == answer.expected_cost
    assert answer.randomizing_gains == 0
    for other in answer.also_best:
        assert conditions.expected_cost(other.fpr, other.tpr) == pytest.approx(float(least))


@given(judged_table(), RATE)
def test_neyman_pearson_with_a_coin_is_theorem_7(table: Table, limit: Fraction) -> None:
    tpr, *_ = decisions.neyman_pearson_mix(hull_points(table), limit)
    hull = rocch.RocHull.from_scores(*table)
    answer = hull.best(rocch.NeymanPearson(float(limit)), randomize=True)
    assert answer.tpr == pytest.approx(float(tpr))
    assert answer.fpr <= float(limit) + 1e-12
    assert reached(answer) == pytest.approx((answer.fpr, answer.tpr))
    assert sum(share for share, _ in answer.mix) == pytest.approx(1)
    assert all(share > 0 for share, _ in answer.mix)


@given(judged_table(), RATE)
def test_neyman_pearson_without_a_coin_is_the_best_point_of_any_curve(
    table: Table, limit: Fraction
) -> None:
    best = decisions.best_under_limits(all_points(table), hits, [(Fraction(0), Fraction(1), limit)])
    assert best is not None
    hull = rocch.RocHull.from_scores(*table)
    answer = hull.best(rocch.NeymanPearson(float(limit)))
    mixed = hull.best(rocch.NeymanPearson(float(limit)), randomize=True)
    assert answer.tpr == pytest.approx(float(best[0]))
    assert not answer.randomized
    assert answer.randomizing_gains == pytest.approx(mixed.tpr - answer.tpr, abs=1e-12)


@given(judged_table(), st.integers(0, 60), st.integers(1, 30), st.integers(1, 30))
def test_capacity_is_theorem_11(table: Table, k: int, positives: int, negatives: int) -> None:
    k = min(k, positives + negatives)
    tpr, *_ = decisions.capacity_mix(hull_points(table), k, positives, negatives)
    hull = rocch.RocHull.from_scores(*table)
    capacity = rocch.Capacity(k, positives=positives, negatives=negatives)
    answer = hull.best(capacity, randomize=True)
    assert answer.tpr == pytest.approx(float(tpr))
    assert answer.expected_cases is not None
    assert answer.expected_cases <= k + 1e-9
    plain = hull.best(capacity)
    best = decisions.best_under_limits(
        all_points(table),
        hits,
        [(Fraction(positives), Fraction(negatives), Fraction(k))],
    )
    assert best is not None
    assert plain.tpr == pytest.approx(float(best[0]))


@given(judged_table(), RATE, RATE)
def test_floor_on_tpr_and_limits_together(table: Table, floor: Fraction, limit: Fraction) -> None:
    hull = rocch.RocHull.from_scores(*table)
    answer = hull.best(rocch.MinimumTpr(float(floor)), randomize=True)
    lowest = decisions.best_on_path(
        hull_points(table), fewest_alarms, [(Fraction(-1), Fraction(0), -floor)], 4
    )
    assert lowest is not None
    assert answer.value == pytest.approx(-float(lowest[0]), abs=1e-12)
    known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
    both = rocch.Constrained(
        known, rocch.NeymanPearson(float(limit)), rocch.MinimumTpr(float(floor))
    )
    limits = [(Fraction(0), Fraction(1), limit), (Fraction(-1), Fraction(0), -floor)]
    exact = decisions.best_on_path(hull_points(table), lambda fpr, tpr: tpr - fpr, limits, 4)
    if exact is None:
        with pytest.raises(
            rocch.InfeasibleError, match="on the evaluation rows, not even with a coin"
        ):
            hull.best(both, randomize=True)
    else:
        value = hull.best(both, randomize=True).value
        assert value == pytest.approx(float((1 - exact[0]) / 2), abs=1e-9)


def _correlation(f: Fraction, t: Fraction, p: Fraction) -> Fraction:
    """The correlation of four counts, as in textbooks; 0 where a margin is empty."""
    tp, fp, fn, tn = p * t, (1 - p) * f, p * (1 - t), (1 - p) * (1 - f)
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return Fraction((tp * tn - fp * fn) / Fraction(math.sqrt(spread))) if spread else Fraction(0)


METRICS: dict[str, Callable[[Fraction], Callable[[Fraction, Fraction], Fraction]]] = {
    "precision": lambda p: lambda f, t: p * t / (p * t + (1 - p) * f) if f or t else Fraction(-1),
    "lift": lambda p: lambda f, t: t / (p * t + (1 - p) * f) if f or t else Fraction(-1),
    "f1": lambda p: lambda f, t: 2 * p * t / (p + p * t + (1 - p) * f),
    "accuracy": lambda p: lambda f, t: p * t + (1 - p) * (1 - f),
    "informedness": lambda _: lambda f, t: t - f,
    "youden": lambda _: lambda f, t: t - f,
    "mcc": lambda p: lambda f, t: _correlation(f, t, p),
    "tpr": lambda _: hits,
    "recall": lambda _: hits,
}


@pytest.mark.parametrize("metric", METRICS)
@given(table=judged_table(), limit=RATE)
@settings(max_examples=40)
def test_named_metrics_under_a_cut_off(metric: str, table: Table, limit: Fraction) -> None:
    p = Fraction(3, 10)
    share = max(limit, Fraction(1, 30))
    limits = [(p, 1 - p, share)]
    value = METRICS[metric](p)
    exact = decisions.best_on_path(hull_points(table), value, limits, 6)
    plain = decisions.best_under_limits(all_points(table), value, limits)
    assert exact is not None
    assert plain is not None
    hull = rocch.RocHull.from_scores(*table)
    criterion = rocch.Constrained(
        rocch.Maximize(metric, prevalence=0.3),
        rocch.PredictedPositiveLimit(float(share), prevalence=0.3),
    )
    if plain[0] >= 0:
        assert hull.best(criterion).value == pytest.approx(float(plain[0]), abs=1e-9)
    assert hull.best(criterion, randomize=True).value >= float(exact[0]) - 1e-9


@given(judged_table())
@settings(max_examples=60)
def test_a_metric_may_be_best_inside_a_segment(table: Table) -> None:
    hull = rocch.RocHull.from_scores(*table)
    exact = decisions.best_on_path(hull_points(table), lambda fpr, tpr: tpr * (1 - fpr), [], 400)
    assert exact is not None
    for metric in ("geometric_mean", lambda fpr, tpr: math.sqrt(tpr * (1 - fpr))):
        answer = hull.best(rocch.Maximize(metric), randomize=True)
        assert answer.value >= math.sqrt(float(exact[0])) - 1e-9
        assert answer.value == pytest.approx(math.sqrt(answer.tpr * (1 - answer.fpr)), abs=1e-9)


def test_between_two_vertices_the_geometric_mean_is_best_in_the_middle() -> None:
    """Hull (0, 0), (0, 0.5), (0.5, 1), (1, 1): sqrt(t (1 - f)) peaks halfway at 0.75."""
    hull = rocch.RocHull.of(
        rocch.RocCurve.from_counts([0], [5], negatives=10, positives=10, name="a"),
        rocch.RocCurve.from_counts([5], [10], negatives=10, positives=10, name="b"),
    )
    answer = hull.best(rocch.Maximize("geometric_mean"), randomize=True)
    assert (answer.fpr, answer.tpr) == pytest.approx((0.25, 0.75), abs=1e-6)
    assert [share for share, _ in answer.mix] == pytest.approx([0.5, 0.5], abs=1e-6)
    assert answer.rule() == ("with probability 0.5 alarm when a does, otherwise alarm when b does")
    alone = hull.best(rocch.Maximize("geometric_mean"))
    assert alone.randomizing_gains == pytest.approx(0.75 - math.sqrt(0.5))


def test_under_a_limit_the_winner_need_not_be_a_vertex() -> None:
    rng = np.random.default_rng(8)
    y = rng.random(500) < 0.3
    hull = rocch.RocHull.from_scores(y, {"a": rng.normal(size=500) + y})
    places = {(v.fpr, v.tpr) for v in hull.vertices}
    answers = [hull.best(rocch.NeymanPearson(limit / 100)) for limit in range(1, 60)]
    off_hull = [a for a in answers if (a.fpr, a.tpr) not in places]
    assert off_hull
    assert all(a.randomizing_gains > 0 for a in off_hull)


def test_ties_return_the_left_end_and_offer_both() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    assert hull.slopes.tolist() == [math.inf, 1.0, 0.0]
    even = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
    answer = hull.best(even)
    assert (answer.fpr, answer.tpr) == (0, 0.5)
    assert [(p.fpr, p.tpr) for p in answer.also_best] == [(0.5, 1)]
    sixth = rocch.Conditions(prevalence=1 / 3, false_positive=1, false_negative=2)
    assert len(hull.best(sixth).also_best) == 1


def test_small_capacities_on_a_vertical_first_segment() -> None:
    """There the coin of Theorem 7 is 0/0; it must be the share of the way up."""
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 2, 3, 4]})
    answer = hull.best(rocch.Capacity(1, positives=4, negatives=4), randomize=True)
    assert (answer.fpr, answer.tpr) == (0, 0.25)
    assert [share for share, _ in answer.mix] == pytest.approx([0.75, 0.25])
    assert answer.expected_cases == pytest.approx(1)


def test_a_capacity_of_the_whole_population_is_no_limit() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    assert hull.best(rocch.Capacity(7, positives=3, negatives=4)).tpr == 1
    assert hull.best(rocch.Capacity(0, positives=3, negatives=4)).tpr == 0


def test_error_rate_is_cost_with_equal_costs() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 0, 1, 1], {"a": [1, 2, 4, 3, 5]})
    answer = hull.best(rocch.ErrorRate())
    assert answer.value == pytest.approx(0.2)
    assert answer.objective == "least error rate"
    assert hull.best(rocch.ErrorRate(prevalence=0.01)).value == pytest.approx(0.005)


def test_minimax_regret_is_least_among_all_points_and_along_the_hull() -> None:
    rng = np.random.default_rng(9)
    vague = rocch.Conditions(
        prevalence=(0.1, 0.3), false_positive=(1, 2), false_negative=(2, 9), true_positive=(0, 1)
    )
    box = (
        (Fraction(1, 10), Fraction(3, 10)),
        (Fraction(1), Fraction(2)),
        (Fraction(2), Fraction(9)),
        (Fraction(0), Fraction(1)),
        (Fraction(0), Fraction(0)),
    )
    for _ in range(8):
        y = rng.random(40) < 0.4
        y[:2] = True, False
        table = y.tolist(), {"a": rng.integers(0, 9, 40).astype(float).tolist()}
        hull = rocch.RocHull.from_scores(*table)
        path = hull_points(table)
        worst = [float(decisions.worst_regret(p, path, box, 1)) for p in all_points(table)]
        answer = hull.best(rocch.MinimaxRegret(vague))
        assert answer.value == pytest.approx(min(worst), abs=1e-9)
        mixed = hull.best(rocch.MinimaxRegret(vague), randomize=True)
        dense = [
            float(decisions.worst_regret((f0 + s * (f1 - f0), t0 + s * (t1 - t0)), path, box, 1))
            for (f0, t0), (f1, t1) in pairwise(path)
            for s in (Fraction(i, 20) for i in range(21))
        ]
        assert mixed.value <= min(dense) + 1e-9
        assert answer.randomizing_gains == pytest.approx(answer.value - mixed.value, abs=1e-9)


def test_regret_under_limits_is_against_what_the_limits_allow() -> None:
    rng = np.random.default_rng(12)
    vague = rocch.Conditions(prevalence=(0.1, 0.2), false_positive=1, false_negative=(2, 20))
    for _ in range(10):
        y = rng.random(60) < 0.4
        y[:2] = True, False
        s = rng.integers(0, 9, 60) + 2.0 * y
        hull = rocch.RocHull.from_scores(y, {"a": s})
        criterion = rocch.Constrained(rocch.MinimaxRegret(vague), rocch.NeymanPearson(0.2))
        shares = np.linspace(0, 1, 2001)
        fpr = np.unique(np.append(0.2, np.interp(shares, [0, 1], [0, 0.2])))
        tpr = np.array([hull.tpr_at(float(x)) for x in fpr])
        curve = rocch.RocCurve.from_scores(y, s)
        kept = curve.fpr <= 0.2
        points = curve.fpr[kept], curve.tpr[kept]

        def worst(
            choices: tuple[Any, Any], allowed: tuple[Any, Any]
        ) -> np.ndarray[Any, np.dtype[np.float64]]:
            regrets = [c.cost(*choices) - c.cost(*allowed).min() for c in vague.corners()]
            return np.asarray(np.max(regrets, axis=0))

        answer = hull.best(criterion)
        assert answer.fpr <= 0.2
        assert answer.value == pytest.approx(worst(points, points).min(), abs=1e-9)
        mixed = hull.best(criterion, randomize=True)
        assert mixed.value == pytest.approx(worst((fpr, tpr), (fpr, tpr)).min(), abs=2e-3)
        at = np.array([answer.fpr]), np.array([answer.tpr])
        lost = float(worst(at, (fpr, tpr))[0])
        assert answer.randomizing_gains == pytest.approx(lost - mixed.value, abs=1e-9)


@pytest.mark.parametrize("metric", ["precision", "lift", "f1"])
def test_metrics_that_need_positives_are_undefined_without(metric: str) -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    with pytest.raises(rocch.UndefinedError, match="undefined at prevalence 0"):
        hull.best(rocch.Maximize(metric, prevalence=0))


def test_a_metric_that_is_infinite_somewhere_raises_no_warning() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    assert hull.best(rocch.Maximize(lambda fpr, tpr: tpr / fpr)).fpr == 0


@pytest.mark.parametrize(
    "limits",
    [
        [rocch.roc.LinearLimit(tpr=1, fpr=-1, at_most=0.3)],
        [rocch.roc.LinearLimit(tpr=1, at_most=0.6), rocch.roc.LinearLimit(fpr=-1, at_most=-0.2)],
    ],
)
def test_limits_that_forbid_being_too_good_end_the_guarantee(
    limits: list[rocch.roc.LinearLimit],
) -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    with pytest.raises(rocch.GuaranteeError, match="the best point may lie below the hull"):
        hull.best(rocch.Constrained(rocch.ErrorRate(), *limits))


@given(judged_table(), RATE, RATE)
def test_limits_that_allow_going_left_keep_the_guarantee(
    table: Table, one: Fraction, other: Fraction
) -> None:
    """A precision floor (negative on TPR) and a cap on TPR together: still the hull is enough."""
    limits = [(-one, Fraction(1), Fraction(0)), (Fraction(1), Fraction(0), other)]
    hull = rocch.RocHull.from_scores(*table)
    criterion = rocch.Constrained(
        rocch.Maximize("tpr"),
        rocch.roc.LinearLimit(tpr=-float(one), fpr=1, at_most=0),
        rocch.roc.LinearLimit(tpr=1, at_most=float(other)),
    )
    inside = decisions.best_under_limits(all_points(table), hits, limits)
    assert inside is not None
    answer = hull.best(criterion, randomize=True)
    assert answer.tpr >= float(inside[0]) - 1e-9


def test_limits_that_meet_in_one_point_of_the_hull_can_be_met() -> None:
    """FPR <= 1/3 and TPR >= 5/9 touch on a segment; rounding must not tear them apart."""
    y = [0, 1, 1, 1, 0, 1, 1, 1]
    hull = rocch.RocHull.from_scores(y, {"a": [0, 0, 0, 0, 0, 0, 1, np.inf]})
    both = rocch.Constrained(rocch.ErrorRate(), rocch.NeymanPearson(1 / 3), rocch.MinimumTpr(5 / 9))
    answer = hull.best(both, randomize=True)
    assert (answer.fpr, answer.tpr) == pytest.approx((1 / 3, 5 / 9))


def test_limits_only_a_coin_can_meet_say_so() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    both = rocch.Constrained(rocch.ErrorRate(), rocch.NeymanPearson(0.25), rocch.MinimumTpr(0.6))
    with pytest.raises(rocch.InfeasibleError, match="randomize=True"):
        hull.best(both)
    answer = hull.best(both, randomize=True)
    assert answer.tpr >= 0.6
    assert answer.fpr <= 0.25
    with pytest.raises(rocch.InputError, match="a mix of 2"):
        _ = answer.classifier


def test_a_hull_without_its_curves_says_that_only_vertices_were_searched() -> None:
    from dataclasses import replace

    rng = np.random.default_rng(10)
    y = rng.random(300) < 0.5
    full = rocch.RocHull.from_scores(y, {"a": rng.normal(size=300) + y})
    bare = replace(full, members=tuple(replace(m, source=None) for m in full.members))
    answer = bare.best(rocch.NeymanPearson(0.1))
    assert "Only hulls' vertices" in answer.note
    assert answer.tpr <= full.best(rocch.NeymanPearson(0.1)).tpr


def test_counts_alarms_and_words() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"a": [1, 3, 2, 4]})
    known = rocch.Conditions(prevalence=0.1, false_positive=1, false_negative=20)
    answer = hull.best(known)
    counts = answer.counts(cases=1000, prevalence=0.1)
    assert sum(counts.values()) == pytest.approx(1000)
    assert counts["true_positives"] == pytest.approx(100 * answer.tpr)
    assert answer.predicted_positive_rate == pytest.approx(
        (counts["true_positives"] + counts["false_positives"]) / 1000
    )
    assert answer.threshold == 1.5
    assert str(answer).startswith("alarm when a >= 1.5 (FPR 0.5, TPR 1, expected cost 0.45")
    assert hull.best(rocch.NeymanPearson(0.2)).predicted_positive_rate is None
    assert hull.best(rocch.NeymanPearson(0.2)).expected_cases is None


@pytest.mark.parametrize(
    ("cases", "positives", "negatives"),
    [(1, 1e308, 1e308), (1e308, 1e308, 5), (5e307, 3e307, 1.4e308)],
)
def test_a_capacity_whose_numbers_do_not_add_up(
    cases: float, positives: float, negatives: float
) -> None:
    with pytest.raises(rocch.InputError, match="negatives must have a finite sum"):
        rocch.Capacity(cases, positives=positives, negatives=negatives)


def test_a_capacity_of_large_numbers_is_met_as_one_of_small_ones() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(200) < 0.3
    hull = rocch.RocHull.from_scores(y, {"a": rng.normal(size=200) + y})
    small, large = (
        hull.best(
            rocch.Capacity(0.3 * scale, positives=0.2 * scale, negatives=0.8 * scale),
            randomize=True,
        )
        for scale in (1.0, 1.3e308)
    )
    assert (large.fpr, large.tpr) == pytest.approx((small.fpr, small.tpr))


def test_limits_that_cannot_be_met_say_which_of_them_is_too_much_alone() -> None:
    hull = rocch.RocHull.from_scores([0, 1, 0, 1], {"model": [1, 2, 3, 4]})
    known = rocch.Conditions(prevalence=0.5, false_positive=1, false_negative=1)
    both = rocch.Constrained(known, rocch.NeymanPearson(0), rocch.MinimumTpr(1))
    with pytest.raises(rocch.InfeasibleError) as caught:
        hull.best(both)
    assert "Even alone" not in str(caught.value)  # each of them can be met to the point
    steep = rocch.roc.LinearLimit(fpr=1, tpr=1, at_most=-0.25)
    with pytest.raises(rocch.InfeasibleError, match=r"Even alone, .* is missed, by 0\.25"):
        hull.best(rocch.Constrained(known, steep))


def test_a_coin_that_always_falls_one_way_is_no_coin() -> None:
    labels, scores = [0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1], [3, 3, 5, 4, 3, 3, 3, 5, 1, 4, 4, 0]
    hull = rocch.RocHull.from_scores(labels, {"model": scores})
    best = hull.best(rocch.MinimumTpr(0.6), randomize=True)
    assert (best.fpr, best.tpr) == (2 / 7, 0.6)
    assert [share for share, _ in best.mix] == [1]


def test_interval_conditions_know_the_ranges_of_prevalence_cost_and_alarms() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 0, 1, 1, 1], {"nb": [1, 2, 6, 5, 4, 7]})
    vague = rocch.Conditions(prevalence=(0.1, 0.4), false_positive=(1, 2), false_negative=(5, 9))
    best = hull.best(rocch.MinimaxRegret(vague))
    corners = [
        p * miss * (1 - best.tpr) + (1 - p) * alarm * best.fpr
        for p, alarm, miss in product((0.1, 0.4), (1, 2), (5, 9))
    ]
    assert best.prevalence is None
    assert best.prevalence_range == (0.1, 0.4)
    assert best.expected_cost is None
    assert best.cost_range == pytest.approx((min(corners), max(corners)))
    shares = [p * best.tpr + (1 - p) * best.fpr for p in (0.1, 0.4)]
    assert best.predicted_positive_range == pytest.approx((min(shares), max(shares)))
    costs = f"{min(corners):.6g} to {max(corners):.6g}"
    assert best.describe().endswith(f"expected cost {costs})")
    halfway = rocch.Conditions(prevalence=0.25, false_positive=(1, 2), false_negative=5)
    best = hull.best(rocch.MinimaxRegret(halfway))
    assert best.prevalence == 0.25
    assert best.predicted_positive_rate == pytest.approx(0.25 * best.tpr + 0.75 * best.fpr)


def test_exact_conditions_have_ranges_of_one_value_and_limits_alone_have_none() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 0, 1, 1, 1], {"nb": [1, 2, 6, 5, 4, 7]})
    known = hull.best(rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5))
    assert known.prevalence_range == (0.3, 0.3)
    assert known.cost_range == (known.expected_cost, known.expected_cost)
    limit = hull.best(rocch.NeymanPearson(0.5))
    assert (limit.prevalence_range, limit.cost_range, limit.predicted_positive_range) == (
        None,
        None,
        None,
    )


def test_a_capacity_is_described_in_cases() -> None:
    y = [0] * 8 + [1] * 4
    hull = rocch.RocHull.from_scores(y, {"a": [1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12]})
    best = hull.best(rocch.Capacity(9, positives=12, negatives=188))
    assert str(best).splitlines()[2:] == [
        "about 6 alarms among 200 cases; 6 of 12 positives are found",
        str(best.on_new_rows.rates),
    ]
    assert best.expected_cases == pytest.approx(6)


def test_a_guarantee_is_printed() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(600) < 0.4
    hull = rocch.RocHull.from_scores(y, {"a": rng.normal(size=600) + 2 * y})
    best = hull.best(rocch.NeymanPearson(0.1, confidence=0.95))
    assert str(best).splitlines()[1:] == [str(best.guarantee), str(best.on_new_rows.rates)]
    assert "On new rows, with 95% confidence: FPR <= 0.1" in str(best)
