"""Referring cases to a person: equal to trying every pair of settings, exactly."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.rows import ScoredRows
from tests.support.oracles import hulls, referral
from tests.support.strategies import judged_table

Table = tuple[list[bool], dict[str, list[float]]]
WHOLE = st.integers(0, 8)
SHARE = st.fractions(0, 1, max_denominator=12)
LIMIT = st.one_of(st.none(), SHARE)

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)


def normal_hull(rows: int = 400, models: int = 1, seed: int = 0, **options: Any) -> rocch.RocHull:
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    scores = {f"m{i}": rng.normal(size=rows) + (2 - 0.1 * i) * y for i in range(models)}
    return rocch.RocHull.from_scores(y, scores, **options)


@st.composite
def problems(draw: st.DrawFn) -> tuple[referral.Costs, Fraction]:
    """Draw conditions and the cost of a referred case."""
    tp, tn = (Fraction(draw(st.integers(0, 2))) for _ in range(2))
    fp, fn = tn + draw(st.integers(0, 8)), tp + draw(st.integers(1, 8))
    prevalence = draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
    r = Fraction(draw(st.integers(0, 12)), draw(st.sampled_from([1, 2, 3, 7])))
    return (prevalence, fp, fn, tp, tn), r


def conditions_of(costs: referral.Costs) -> rocch.Conditions:
    names = ("prevalence", "false_positive", "false_negative", "true_positive", "true_negative")
    values: Any = {name: float(value) for name, value in zip(names, costs, strict=True)}
    return rocch.Conditions(**values)


def vertex_settings(labels: list[bool], scores: list[float]) -> list[referral.Alarms]:
    """Return the alarms at the inner vertices of a scorer's own hull."""
    negatives, positives = labels.count(False), labels.count(True)
    found = referral.settings(scores)
    counts = [
        (sum(a and not b for a, b in zip(s, labels, strict=True)), sum(map(min, s, labels)))
        for s in found
    ]
    corners = hulls.hull(counts, negatives, positives)[1:-1]
    return [found[counts.index(corner)] for corner in corners]


def slow_best(table: Table, costs: referral.Costs, r: Fraction, **limits: Any) -> Any:
    """Return the best outcome: of one scorer, or of two if that is really better."""
    labels, scores = table
    pairs = [pair for column in scores.values() for pair in referral.one_scorer(labels, column)]
    single = referral.best(labels, iter(pairs), costs, r, **limits)
    corners = {name: vertex_settings(labels, column) for name, column in scores.items()}
    names = sorted(corners)
    mixed = [
        pair
        for i, one in enumerate(names)
        for other in names[i + 1 :]
        for pair in referral.two_scorers(corners[one], corners[other])
    ]
    double = referral.best(labels, iter(mixed), costs, r, **limits)
    return single, double


def pays(costs: referral.Costs, r: Fraction) -> bool:
    alarm, miss = costs[1] - costs[4], costs[2] - costs[3]
    return r * (alarm + miss) < alarm * miss


def as_outcome(found: rocch.roc.Referral) -> tuple[float, float, float]:
    return found.expected_cost, found.referred, found.wrong


def same(found: rocch.roc.Referral, outcome: referral.Outcome) -> None:
    assert as_outcome(found) == pytest.approx(tuple(map(float, outcome)), rel=1e-12, abs=1e-15)
    assert found.expected_cost == float(outcome.cost)


@given(judged_table(models=1, largest=16), problems())
@settings(max_examples=60)
def test_one_scorer_is_the_best_of_all_pairs_of_thresholds(
    table: Table, problem: tuple[referral.Costs, Fraction]
) -> None:
    costs, r = problem
    single, _ = slow_best(table, costs, r)
    hull = rocch.RocHull.from_scores(*table)
    found = hull.refer(conditions_of(costs), cost=float(r))
    assert found.expected_cost == float(single.cost)
    assert found.referred == pytest.approx(float(single.referred), abs=1e-15)
    if not pays(costs, r):
        assert not found.refers
        assert "so none is referred" in found.note


@given(judged_table(models=1, largest=14), problems(), SHARE, st.booleans())
@settings(max_examples=60)
def test_within_a_capacity_one_scorer_is_the_best_of_all_pairs(
    table: Table, problem: tuple[referral.Costs, Fraction], most: Fraction, priced: bool
) -> None:
    costs, r = problem
    r = r if priced else Fraction(0)
    single, _ = slow_best(table, costs, r, max_referred=most)
    hull = rocch.RocHull.from_scores(*table)
    options: dict[str, Any] = {"cost": float(r)} if priced else {}
    found = hull.refer(conditions_of(costs), max_referred=float(most), **options)
    assert found.expected_cost == float(single.cost)
    if pays(costs, r):
        assert found.referred == pytest.approx(float(single.referred), abs=1e-15)


@given(judged_table(models=3, largest=12), problems(), LIMIT)
@settings(max_examples=100)
def test_two_scorers_are_the_best_of_all_pairs_of_vertices(
    table: Table, problem: tuple[referral.Costs, Fraction], most: Fraction | None
) -> None:
    costs, r = problem
    single, double = slow_best(table, costs, r, max_referred=most)
    limit = None if most is None else float(most)
    hull = rocch.RocHull.from_scores(*table)
    found = hull.refer(conditions_of(costs), cost=float(r), max_referred=limit)
    if pays(costs, r) and double is not None and double[:2] < single[:2]:
        same(found, double)
        assert len(found.scorers) == 2
    else:
        assert found.expected_cost == float(single.cost)
        assert len(found.scorers) < 2


@given(judged_table(models=2, largest=12), problems(), SHARE, LIMIT, st.booleans())
@settings(max_examples=150)
def test_the_limit_on_wrong_decisions_counts_among_those_decided(
    table: Table,
    problem: tuple[referral.Costs, Fraction],
    wrong: Fraction,
    most: Fraction | None,
    priced: bool,
) -> None:
    costs, r = problem
    if not priced:
        r = Fraction(0)
    single, double = slow_best(table, costs, r, max_referred=most, max_wrong=wrong)
    limits = {
        "max_wrong": float(wrong),
        "max_referred": None if most is None else float(most),
        "cost": float(r) if priced else None,
    }
    hull = rocch.RocHull.from_scores(*table)
    if single is None and double is None:
        with pytest.raises(rocch.InfeasibleError, match="wrong ones among those decided"):
            hull.refer(conditions_of(costs), **limits)
        return
    found = hull.refer(conditions_of(costs), **limits)
    assert (found.wrong_among_decided or 0) <= float(wrong) + 1e-12
    if priced or most is not None:
        options = [each for each in (single, double) if each is not None]
        assert found.expected_cost == float(min(options).cost)


def test_the_limit_on_wrong_decisions_alone_refers_as_few_as_possible() -> None:
    y = [0, 0, 1, 0, 1, 1]
    hull = rocch.RocHull.from_scores(y, {"nb": [1, 2, 3, 4, 5, 6]})
    found = hull.refer(KNOWN, max_wrong=0)
    assert (found.upper.lowest_score, found.lower.lowest_score) == (5, 3)
    assert found.wrong_among_decided == 0
    prevalence = 0.3
    assert found.referred == pytest.approx(prevalence / 3 + (1 - prevalence) / 3)


def test_where_nothing_is_decided_nothing_is_wrong() -> None:
    hull = rocch.RocHull.from_scores([0, 1, 0, 1], {"nb": [1, 1, 1, 1]})
    found = hull.refer(KNOWN, max_wrong=0.1)
    assert found.referred == 1
    assert found.wrong_among_decided is None
    assert not found.decides
    assert "nothing but referring every case keeps the limit" in found.note
    assert str(found).startswith("Refer every case. Nothing is decided automatically, so nothing")


def test_the_thresholds_are_tangent_points_of_two_slopes() -> None:
    hull = normal_hull(2000)
    p, r = 0.3, 0.2
    found = hull.refer(KNOWN, cost=r)
    upper, lower = (1 - p) * (1 - r) / (p * r), (1 - p) * r / (p * (5 - r))
    for point, slope in ((found.upper, upper), (found.lower, lower)):
        at = rocch.Conditions(prevalence=0.5, false_positive=slope, false_negative=1)
        assert hull.best(at).point == point
    assert rocch.roc.referral_slopes(KNOWN.case, r) == pytest.approx((upper, lower))


@pytest.mark.parametrize(
    ("cost", "why"),
    [
        (0.9, "referring pays only below 0.8333, so none is referred"),
        (1, "no less than a false alarm, the cheaper error (1), so none is referred"),
        (7, "a referred case costs 7, no less than a false alarm"),
    ],
)
def test_where_referring_cannot_pay_the_plain_rule_says_why(cost: float, why: str) -> None:
    hull = normal_hull()
    found = hull.refer(KNOWN, cost=cost)
    assert found.upper == found.lower == hull.best(KNOWN).point
    assert found.saves == 0
    assert why in found.note
    assert str(found).startswith("Refer nothing; alarm when m0 >=")
    assert rocch.roc.referral_slopes(KNOWN.case, cost) is None


def test_rows_that_leave_nothing_to_refer() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"nb": [1, 2, 3, 4]})
    found = hull.refer(KNOWN, cost=0.1)
    assert not found.refers
    assert "no pair of thresholds is cheaper" in found.note


def test_the_shares_add_up() -> None:
    hull = normal_hull(models=2)
    found = hull.refer(KNOWN, cost=0.2)
    assert len(found.scorers) == 2
    assert found.referred + found.decided == pytest.approx(1)
    assert found.saves > 0
    p = found.prevalence
    hits = 1 - found.fnr - found.referred_positives
    assert found.wrong_among_positive == pytest.approx(
        (1 - p) * found.fpr / ((1 - p) * found.fpr + p * hits)
    )
    assert found.wrong_among_negative is not None
    assert found.wrong_among_positive is not None
    assert found.wrong_among_decided is not None
    between = sorted((found.wrong_among_negative, found.wrong_among_positive))
    assert between[0] <= found.wrong_among_decided <= between[1]
    text = str(found)
    assert re.search(r"when m0 >= \S+ and m1 >= \S+, negative when neither, refer otherwise", text)
    assert "of those decided automatically" in text


def test_weights_count_as_rows() -> None:
    rng = np.random.default_rng(3)
    y = rng.random(60) < 0.4
    scores = {name: np.round(rng.normal(size=60) + 1.5 * y, 1) for name in ("a", "b")}
    weights = rng.integers(1, 4, 60)
    once = rocch.RocHull.from_scores(y, scores, sample_weight=weights)
    many = rocch.RocHull.from_scores(
        np.repeat(y, weights), {n: np.repeat(s, weights) for n, s in scores.items()}
    )
    for options in ({"cost": 0.3}, {"max_referred": 0.1}, {"max_wrong": 0.05}):
        one, other = (hull.refer(KNOWN, **options) for hull in (once, many))
        assert as_outcome(one) == pytest.approx(as_outcome(other))
        assert one.scorers == other.scorers


def test_fractional_weights_decide_exactly() -> None:
    rng = np.random.default_rng(4)
    y = rng.random(80) < 0.4
    scores = {name: np.round(rng.normal(size=80) + 1.5 * y, 1) for name in ("a", "b")}
    weights = rng.random(80)
    hull = rocch.RocHull.from_scores(y, scores, sample_weight=weights)
    found = hull.refer(KNOWN, cost=0.3)
    other = hull.refer(KNOWN, cost=0.3, max_referred=1)
    assert as_outcome(found) == as_outcome(other)
    limited = hull.refer(KNOWN, cost=0.3, max_wrong=1)
    assert as_outcome(found) == as_outcome(limited)


def test_observed_prevalence_is_exact() -> None:
    y = [0, 0, 1, 0, 1, 1, 0]
    hull = rocch.RocHull.from_scores(y, {"nb": [1, 2, 3, 4, 5, 6, 0]})
    observed = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1)
    found = hull.refer(observed, max_referred=2 / 7)
    assert found.referred == pytest.approx(2 / 7)
    assert found.wrong == 0


def test_curves_without_rows_are_searched_for_one_scorer() -> None:
    rng = np.random.default_rng(5)
    y = rng.random(300) < 0.3
    scores = {name: rng.normal(size=300) + 2 * y for name in ("a", "b")}
    curves = [rocch.RocCurve.from_scores(y, column, name=n) for n, column in scores.items()]
    found = rocch.RocHull.of(*curves).refer(KNOWN, cost=0.2)
    assert len(found.scorers) == 1
    assert "pairs of scorers with a, b could not be tried" in found.note
    alone = [rocch.RocHull.of(curve).refer(KNOWN, cost=0.2) for curve in curves]
    assert found.expected_cost == min(each.expected_cost for each in alone)
    assert alone[0].note == ""


def test_different_rows_need_a_prevalence_and_compare_rates() -> None:
    one = rocch.RocCurve.from_scores([0, 0, 1, 0, 1, 1], [1, 2, 3, 4, 5, 6], name="one")
    other = rocch.RocCurve.from_scores([0, 1, 0, 1], [1, 2, 2, 3], name="other")
    hull = rocch.RocHull.of(one, other, allow_different_rows=True)
    for options in ({"cost": 0.2}, {"max_referred": 0.5}, {"max_wrong": 0}):
        found = hull.refer(KNOWN, **options)
        assert found.scorers == ("one",)
        alone = rocch.RocHull.of(one).refer(KNOWN, **options)
        assert as_outcome(found) == pytest.approx(as_outcome(alone))


def test_labels_only_are_settings_of_their_own() -> None:
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    strict, loose = [0, 0, 0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1, 1, 1]
    both = rocch.RocCurve.from_labels(y, {"strict": strict, "loose": loose}, name="rules")
    found = rocch.RocHull.of(both).refer(KNOWN, cost=0.1)
    loose_words = "rules at setting loose does not alarm"
    assert found.rule() == f"predict negative when {loose_words}, refer otherwise"
    only = rocch.RocCurve.from_labels(y, strict, name="rules")
    found = rocch.RocHull.of(only).refer(KNOWN, cost=0.1)
    assert found.rule() == "predict positive when rules alarms, refer otherwise"


def test_many_thresholds_under_a_limit_on_wrong_decisions() -> None:
    hull = normal_hull(3000)
    found = hull.refer(KNOWN, max_wrong=0.02)
    assert found.wrong_among_decided is not None
    assert found.wrong_among_decided <= 0.02
    tighter = hull.refer(KNOWN, max_wrong=0.01)
    assert tighter.referred > found.referred
    with pytest.raises(rocch.InfeasibleError, match="refer at most 1% of all cases"):
        hull.refer(KNOWN, max_wrong=0.01, max_referred=0.01)


def test_where_curves_are_unknown_vertices_are_searched() -> None:
    hull = normal_hull(300)
    known = tuple(replace(member, source=None) for member in hull.members)
    vertices = rocch.RocHull(hull.totals, known)
    found = vertices.refer(KNOWN, max_referred=0.1)
    assert "only the vertices of hulls could be searched for m0" in found.note
    assert found.referred <= 0.1
    assert found.expected_cost >= hull.refer(KNOWN, max_referred=0.1).expected_cost
    assert (
        vertices.refer(KNOWN, cost=0.2).expected_cost == hull.refer(KNOWN, cost=0.2).expected_cost
    )


def test_labels_and_scores_decide_together() -> None:
    rng = np.random.default_rng(9)
    y = rng.random(300) < 0.4
    says = np.where(rng.random(300) < 0.1, ~y, y)
    rows = ScoredRows.of(y, {"a": rng.normal(size=300) + 2 * y, "says": says})
    found = rocch.RocHull.from_rows(rows).refer(KNOWN, cost=0.2)
    assert found.scorers == ("a", "says")
    assert found.rule().endswith("and says alarms, negative when neither, refer otherwise")
    threshold: Any = found.upper.threshold
    above = np.asarray(rows.scores["a"]) >= threshold
    assert found.fpr == pytest.approx(np.mean((above & says)[~y]))
    assert found.referred_positives == pytest.approx(np.mean((above != says)[y]))
    assert found.on_new_rows.expected is not None


def test_changed_rows_are_noticed() -> None:
    rng = np.random.default_rng(6)
    y = rng.random(100) < 0.5
    scores = {name: rng.normal(size=100) + y for name in ("a", "b")}
    hull = rocch.RocHull.from_scores(y, scores)
    scores["a"][:] = 0
    with pytest.raises(rocch.InputError, match="stay as they were"):
        hull.refer(KNOWN, cost=0.2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "cost must be given, or max_referred, or max_wrong; got none of them"),
        ({"cost": -1}, "cost must be .*-1"),
        ({"cost": "x"}, "cost must be"),
        ({"max_referred": 1.5}, "max_referred must"),
        ({"max_wrong": -0.1}, "max_wrong must"),
    ],
)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        normal_hull().refer(KNOWN, **options)


def test_vague_conditions_and_restricted_hulls_are_refused() -> None:
    vague = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=(3, 5))
    with pytest.raises(rocch.InputError, match="be exact to give one expected cost"):
        normal_hull().refer(vague, cost=0.2)
    with pytest.raises(rocch.InputError, match="come from a whole hull"):
        normal_hull().within(vague).refer(KNOWN, cost=0.2)


def test_a_question_states_everything() -> None:
    hull = normal_hull(models=2)
    costs: Any = {"prevalence": 0.3, "false_positive": 1, "false_negative": 5}
    own: Any
    options: Any
    for own, options in (
        ({"refer_cost": 0.2}, {"cost": 0.2}),
        ({"max_referred": 0.1}, {"max_referred": 0.1}),
        ({"refer_cost": 0.1, "max_wrong": 0.05}, {"cost": 0.1, "max_wrong": 0.05}),
    ):
        question = rocch.Question(**costs, **own)
        assert hull.refer(question) == hull.refer(KNOWN, **options)
    errors = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1)
    assert hull.refer(rocch.Question(max_wrong=0.05)) == hull.refer(errors, max_wrong=0.05)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"refer_cost": 0.2}, "refer_cost must be given with false_positive and false_negative"),
        ({"max_wrong": 0.1, "max_fpr": 0.1}, "max_fpr must be left out where cases are referred"),
        ({"max_wrong": 0.1, "cost_ratio": 3}, "cost_ratio must be left out"),
        ({"max_fpr": 0.1}, "max_fpr must be left out"),
        ({"false_positive": 1, "false_negative": 2}, "refer_cost must be given, or max_referred"),
    ],
)
def test_questions_that_refer_nothing_or_too_much(given: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        normal_hull().refer(rocch.Question(**given))


def test_options_stand_in_the_question_or_beside_conditions() -> None:
    with pytest.raises(rocch.InputError, match="cost must be part of the question"):
        normal_hull().refer(rocch.Question(max_wrong=0.1), cost=0.1)


def test_new_rows_cost_what_was_expected() -> None:
    """The mean of the estimates is near the true cost, and the cost on the rows is too low."""
    rng = np.random.default_rng(7)
    p, r = 0.3, 0.2
    seen, expected, true = [], [], []
    for seed in range(20):
        hull = normal_hull(150, models=2, seed=seed)
        found = hull.refer(KNOWN, cost=r)
        estimate = found.on_new_rows
        assert estimate.interval is not None
        assert estimate.expected is not None
        assert estimate.interval.low <= estimate.expected <= estimate.interval.high
        y = rng.random(20_000) < p
        new = {f"m{i}": rng.normal(size=y.size) + (2 - 0.1 * i) * y for i in range(2)}
        alarms = [
            new[point.classifier] >= point.threshold
            if isinstance(point.threshold, float)
            else np.full(y.size, point.fpr == 1)
            for point in (found.upper, found.lower)
        ]
        both, one = alarms[0] & alarms[1], alarms[0] != alarms[1]
        true.append(np.mean(r * one + (both & ~y) + 5 * (~both & ~one & y)))
        seen.append(float(estimate.apparent or 0))
        expected.append(estimate.expected)
    assert np.mean(seen) < np.mean(true) - 0.01
    assert np.mean(expected) == pytest.approx(np.mean(true), abs=0.015)


def test_where_there_is_no_estimate_it_says_why() -> None:
    rng = np.random.default_rng(8)
    y = rng.random(60) < 0.4
    curve = rocch.RocCurve.from_scores(y, rng.normal(size=60) + y)
    note = rocch.RocHull.of(curve).refer(KNOWN, cost=0.2).on_new_rows.note
    assert "rows behind the hull were not kept" in note
    hull = rocch.RocHull.from_scores(y, {"nb": rng.normal(size=60) + y})
    note = hull.refer(KNOWN, cost=3, max_wrong=0.1).on_new_rows.note
    assert "costs no more than the cheaper error" in note
    free = hull.refer(KNOWN, cost=0)
    assert free.on_new_rows.expected == pytest.approx(free.expected_cost, abs=0.2)
    fewest = hull.refer(KNOWN, max_wrong=0.05).referred
    tight = hull.refer(KNOWN, max_wrong=0.05, max_referred=fewest + 1e-9).on_new_rows.note
    assert "on parts of the rows no two thresholds meet the limits" in tight


OBSERVED = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=5)


@pytest.mark.parametrize(("conditions", "samples"), [(OBSERVED, 100), (KNOWN, 30)])
def test_with_a_confidence_decisions_are_wrong_as_rarely_on_new_rows(
    conditions: rocch.Conditions, samples: int
) -> None:
    """Exact normal tails say what is truly wrong; 10% of the samples may break the limit."""
    from scipy.stats import norm

    broken, limit = [], 0.1
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        y = rng.random(400) < 0.3
        scores = {name: rng.normal(size=400) + 2.5 * y for name in ("a", "b")}
        hull = rocch.RocHull.from_scores(y, scores)
        found = hull.refer(conditions, max_wrong=limit, confidence=0.9)
        assert len(found.scorers) == 1
        assert found.guarantee is not None
        assert found.guarantee.models == 2
        assert found.guarantee.level == pytest.approx(0.1 / 4)
        upper, lower = found.upper.threshold, found.lower.threshold
        t1, t2 = (x if isinstance(x, float) else e for x, e in ((upper, 99), (lower, -99)))
        wrong = 0.7 * norm.sf(t1) + 0.3 * norm.cdf(t2 - 2.5)
        right = 0.3 * norm.sf(t1 - 2.5) + 0.7 * norm.cdf(t2)
        broken.append(wrong > limit * (wrong + right))
    assert np.mean(broken) <= 0.1
    plain = hull.refer(conditions, max_wrong=limit)
    assert plain.referred < found.referred


def test_a_guarantee_names_both_sides_and_its_bounds() -> None:
    hull = normal_hull(4000, seed=2)
    found = hull.refer(OBSERVED, max_wrong=0.1, confidence=0.95)
    assert found.guarantee is not None
    assert found.guarantee.limits == (
        "of the cases decided positive at most 10% are wrong",
        "of the cases decided negative at most 10% are wrong",
    )
    for bound, wrong in zip(
        found.guarantee.bounds,
        (found.wrong_among_positive, found.wrong_among_negative),
        strict=True,
    ):
        assert wrong is not None
        assert wrong < bound <= 0.1
    text = str(found)
    assert "On the evaluation rows" in text
    assert "On new rows, with 95% confidence: of the cases decided positive at most" in text
    both = hull.refer(OBSERVED, max_wrong=0.1, max_referred=0.9, cost=0.3, confidence=0.95)
    assert "limit on referred cases is counted on the evaluation rows" in both.note
    assert both.guarantee is not None
    with pytest.raises(
        rocch.InfeasibleError, match="no two thresholds were found that refer at most 1%"
    ):
        hull.refer(OBSERVED, max_wrong=0.1, max_referred=0.01, confidence=0.95)
    question = rocch.Question(max_wrong=0.1, confidence=0.95)
    assert hull.refer(question).guarantee is not None


def test_labels_only_are_certified_one_by_one() -> None:
    y = np.repeat([False, True], 400)
    alarms = y.copy()
    alarms[:8] = True
    hull = rocch.RocHull.of(rocch.RocCurve.from_labels(y, alarms, name="rules"))
    found = hull.refer(OBSERVED, max_wrong=0.05, confidence=0.95)
    assert not found.refers
    assert found.guarantee is not None
    assert len(found.guarantee.bounds) == 2


def test_too_few_rows_say_how_many_would_do() -> None:
    message = (
        "no thresholds of 2 models can be guaranteed.* at least 459 decided cases, and no error"
    )
    with pytest.raises(rocch.InfeasibleError, match=message):
        normal_hull(300, models=2).refer(OBSERVED, max_wrong=0.01, confidence=0.96)
    with pytest.raises(rocch.InfeasibleError, match="No number of rows would be enough"):
        normal_hull(300).refer(OBSERVED, max_wrong=0, confidence=0.95)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost": 0.1, "confidence": 0.95}, "confidence must be given with max_wrong"),
        ({"max_wrong": 0.1, "confidence": 1.5}, "confidence must"),
        ({"max_wrong": 1, "confidence": 0.95}, "max_wrong must be below 1 to be guaranteed"),
    ],
)
def test_confidences_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        normal_hull().refer(OBSERVED, **options)


def test_weighted_rows_are_not_guaranteed() -> None:
    hull = normal_hull(400, sample_weight=np.arange(1, 401))
    with pytest.raises(rocch.InputError, match="be left out unless all rows are independent"):
        hull.refer(OBSERVED, max_wrong=0.1, confidence=0.95)
