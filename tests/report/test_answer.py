"""The answer to a question, against what hulls, sensitivity and weighing say by themselves."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch
from rocch.report.answer import answer, believed_standings
from rocch.report.question import Question
from tests.support.asking import hull_of, question_of

if TYPE_CHECKING:
    from rocch.report.summary import Answer

SEEDS = range(25)


@cache
def cases(seed: int) -> list[tuple[rocch.RocHull, Question, Answer]]:
    hull, rng = hull_of(seed, size=25), np.random.default_rng(100 + seed)
    questions = [question_of(rng) for _ in range(10)]
    return [(hull, question, answer(hull, question)) for question in questions]


def conditions(question: Question) -> rocch.Conditions:
    return rocch.Conditions(
        prevalence=question.prevalence,
        false_positive=question.false_positive,
        false_negative=question.false_negative,
    )


def belief(question: Question) -> rocch.Belief:
    assert question.belief is not None
    low, likely, high = question.belief
    believed = rocch.Belief.cost_ratio(low, high, likely=likely)
    unit = believed.with_unit(false_positive=question.false_positive.low)
    low, high = question.prevalence
    return unit.with_prevalence(low if low == high else (low, high))


def limits(question: Question) -> list[Any]:
    found: list[Any] = []
    if question.max_fpr is not None:
        found.append(rocch.NeymanPearson(question.max_fpr))
    if question.capacity is not None:
        rows = question.population or 0
        found += [
            rocch.Capacity(question.capacity, positives=p * rows, negatives=rows - p * rows)
            for p in question.prevalence
        ]
    return found


def expected(hull: rocch.RocHull, question: Question) -> rocch.roc.OperatingPoint:
    """Ask the hull itself, in the words of the library."""
    goal: Any = rocch.NeymanPearson(1.0)
    if question.goal == "cost":
        goal = conditions(question) if question.belief is None else belief(question)
        if question.belief is not None:
            goal = rocch.LeastExpectedRegret(goal)
        elif not goal.exact:
            goal = rocch.MinimaxRegret(goal)
    found = limits(question)
    criterion = rocch.Constrained(goal, *found) if found else goal
    return hull.best(criterion, randomize=question.randomize)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_setting_is_the_hulls_own_best(seed: int) -> None:
    for hull, question, got in cases(seed):
        found = expected(hull, question)
        assert (got.fpr, got.tpr) == pytest.approx((found.fpr, found.tpr), abs=1e-12)
        assert len(got.parts) == len(found.mix)
        for part, (share, point) in zip(got.parts, found.mix, strict=True):
            assert part.probability == pytest.approx(share, abs=1e-9)
            assert (part.fpr, part.tpr) == (point.fpr, point.tpr)
            if part.kind in ("scores", "labels"):
                assert (part.classifier, *part.also) == point.classifiers
                assert part.threshold == point.written_threshold
            else:
                assert part.classifier == part.kind
                assert point.fpr == point.tpr == (part.kind == "always")
        gains = math.inf if got.randomizing_gains == "inf" else got.randomizing_gains
        assert gains == pytest.approx(found.randomizing_gains, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_choices_are_those_of_the_sensitivity(seed: int) -> None:
    for hull, question, got in cases(seed):
        if question.goal == "hits" or question.belief is not None:
            continue
        report = hull.sensitivity(conditions(question))
        assert [hull.vertices[c.vertex] for c in got.choices] == [c.point for c in report.choices]
        assert [c.low for c in got.choices] == [c.low for c in report.choices]
        highs = [math.inf if c.high == "inf" else c.high for c in got.choices]
        assert highs == [c.high for c in report.choices]
        if question.exact:
            assert got.holds == "exact"
            assert got.worst_regret is None
            continue
        regrets = [c.worst_regret for c in got.choices]
        assert regrets == pytest.approx([c.worst_regret for c in report.choices], abs=1e-12)
        if not question.limited:
            same = report.insensitive, report.same_classifier is not None
            assert (got.holds == "throughout") == same[0]
            assert (got.holds in ("throughout", "threshold")) <= any(same)


@pytest.mark.parametrize("seed", SEEDS)
def test_beliefs_are_weighed_alike(seed: int) -> None:
    for hull, question, got in cases(seed):
        if question.belief is None or question.goal == "hits":
            continue
        weighed = rocch.stats.decision_analysis(hull, belief(question))
        chances = [choice.chance for choice in got.choices]
        for choice in got.choices:
            alone = weighed.analyze(hull.vertices[choice.vertex])
            assert choice.chance == pytest.approx(alone.probability, abs=1e-12)
        if weighed.belief.smooth:
            assert sum(c or 0.0 for c in chances) == pytest.approx(1, abs=1e-9)
        if question.limited:
            binding = any(
                limit.excess(hull.fpr[[c.vertex]], hull.tpr[[c.vertex]])[0] > 0
                for limit in question.criterion().limits
                for c in got.choices
            )
            assert (got.standings == ()) == binding
            continue
        assert got.chance == pytest.approx(
            weighed.analyze(expected(hull, question).point).probability
        )
        assert got.expected_regret == pytest.approx(weighed.value_of_knowing, abs=1e-12)
        assert got.cost is not None
        assert got.cost.low == got.cost.high == weighed.least_expected_regret.expected_cost
        assert sum(row.chance for row in got.standings) == pytest.approx(1, abs=1e-9)
        ranked = [(-row.chance, row.classifier) for row in got.standings]
        assert ranked == sorted(ranked)


@pytest.mark.parametrize("seed", SEEDS)
def test_costs_and_regrets_are_those_of_the_corners(seed: int) -> None:
    for hull, question, got in cases(seed):
        if question.goal == "hits" or question.belief is not None:
            continue
        corners = [
            (p, alarm, miss)
            for p in question.prevalence
            for alarm in question.false_positive
            for miss in question.false_negative
        ]

        def cost(case: tuple[float, ...], fpr: Any, tpr: Any) -> Any:
            return case[0] * (1 - tpr) * case[2] + (1 - case[0]) * fpr * case[1]

        own = [float(cost(case, got.fpr, got.tpr)) for case in corners]
        assert got.cost == pytest.approx((min(own), max(own)))
        low, high = got.slopes or (0, 0)
        slopes = [case[1] / case[2] * (1 - case[0]) / case[0] for case in corners]
        assert (low, high) == pytest.approx((min(slopes), max(slopes)))
        if question.exact or question.limited:
            continue
        least = [float(cost(case, hull.fpr, hull.tpr).min()) for case in corners]
        worst = max(mine - best for mine, best in zip(own, least, strict=True))
        assert got.worst_regret == pytest.approx(worst, abs=1e-12)
        assert worst <= min(c.worst_regret or 0.0 for c in got.choices) + 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_per_1000_rows_add_up_and_limits_are_kept(seed: int) -> None:
    for _, question, got in cases(seed):
        counts = got.per_1000
        assert counts is not None
        tpr, fpr = got.tpr, got.fpr
        positives = [1000 * p for p in question.prevalence]
        negatives = [1000 - rows for rows in positives]
        for pair, rows, rate in (
            (counts.true_positives, positives, tpr),
            (counts.false_positives, negatives, fpr),
            (counts.false_negatives, positives, 1 - tpr),
            (counts.true_negatives, negatives, 1 - fpr),
        ):
            ends = sorted((rows[0] * rate, rows[1] * rate))
            assert pair == pytest.approx(tuple(ends), abs=1e-9)
        if question.max_fpr is not None:
            assert fpr <= question.max_fpr + 1e-9
        if question.capacity is not None and question.population is not None:
            for p in question.prevalence:
                alarms = question.population * (p * tpr + (1 - p) * fpr)
                assert alarms <= question.capacity + 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_the_coin_never_loses_and_gains_what_was_said(seed: int) -> None:
    hull, rng = hull_of(seed, size=25), np.random.default_rng(seed)
    for _ in range(6):
        given = question_of(rng)
        if given.belief is not None or given.exact or given.goal == "hits":
            continue
        known: dict[str, Any] = {
            "prevalence": given.prevalence,
            "false_positive": given.false_positive,
            "false_negative": given.false_negative,
            "max_fpr": given.max_fpr,
        }
        plain = answer(hull, Question(**known))
        mixed = answer(hull, Question(**known, randomize=True))
        assert plain.worst_regret is not None
        assert mixed.worst_regret is not None
        assert mixed.randomizing_gains == pytest.approx(plain.randomizing_gains, abs=1e-9)
        if given.max_fpr is None:  # under a limit each is measured against what it may reach
            gain = plain.worst_regret - mixed.worst_regret
            assert gain == pytest.approx(plain.randomizing_gains, abs=1e-9)
        assert sum(part.probability for part in mixed.parts) == pytest.approx(1)


@pytest.mark.parametrize("seed", SEEDS)
def test_rates_have_intervals_where_rows_were_counted(seed: int) -> None:
    for hull, _, got in cases(seed):
        judged = hull.totals
        counted = not judged.weighted and not judged.pooled and len(got.parts) == 1
        assert (got.fpr_interval is not None) == (got.tpr_interval is not None) == counted
        if got.fpr_interval is None or got.tpr_interval is None:
            continue
        for rate, rows, interval in (
            (got.fpr, judged.negatives, got.fpr_interval),
            (got.tpr, judged.positives, got.tpr_interval),
        ):
            own = rocch.stats.rate_interval(round(rate * rows), rows, method="wilson")
            assert tuple(interval) == tuple(own)
            assert 0 <= interval.low <= rate <= interval.high <= 1


def test_where_a_limit_costs_nothing_the_choice_holds() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"m": [1, 2, 3, 4]})
    asked = Question(prevalence=0.3, false_negative=(1, 9), max_fpr=0.5)  # type: ignore[arg-type]
    assert answer(hull, asked).holds == "throughout"


def test_standings_share_what_is_believed_by_hand() -> None:
    # "left" holds (0, 1/2), "right" (1/2, 1): they part at slope 1, a share of 1/2 at even balance
    y = [0, 0, 1, 1]
    hull = rocch.RocHull.from_scores(y, {"left": [1, 2, 0, 3], "right": [1, 2, 2, 2]})
    believed = rocch.Belief.cost_ratio(1 / 3, 3, likely=1).with_prevalence(0.5)
    standings = believed_standings(hull, believed)
    assert {row.classifier: row.chance for row in standings} == pytest.approx(
        {"left": 0.5, "right": 0.5}
    )


def test_an_endless_slope_is_a_text() -> None:
    hull = hull_of(0)
    got = answer(hull, Question(prevalence=0.2, false_negative=(0, 1)))  # type: ignore[arg-type]
    assert got.slopes is not None
    assert got.slopes[1] == "inf"
    assert got.choices[-1].high == "inf"
