"""The answer to a question, against hulls, sensitivity, decision analysis and slow oracles."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import rocch
from rocch import Question
from rocch.report.answer import (
    answer,
    believed_standings,
    case_of,
    conditions_of,
    look_up,
    prevalence_of,
    tabulate_new_rows,
)
from rocch.report.summary import Answer, Baseline, NewRows, NewRowsTable
from rocch.report.words import TEXTS, saving
from rocch.roc.conditions import COSTS, Case
from rocch.roc.criteria import METRICS
from tests.support import questions
from tests.support.asking import every_point, hull_of, question_of
from tests.support.questions import QUESTIONS

SEEDS = range(25)


@cache
def cases(seed: int) -> list[tuple[rocch.RocHull, Question, Answer]]:
    hull, rng = hull_of(seed, size=25), np.random.default_rng(100 + seed)
    questions = [question_of(rng).resolve(hull.totals) for _ in range(10)]
    return [(hull, question, answer(hull, question)) for question in questions]


def is_limited(question: Question) -> bool:
    return question.knob is None and bool(question.criterion.limits)  # type: ignore[union-attr]


def ends(value: Any) -> tuple[float, float]:
    return value if isinstance(value, tuple) else (value or 0, value or 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_setting_is_the_hulls_own_best(seed: int) -> None:
    for hull, question, got in cases(seed):
        found = hull.best(question.criterion, randomize=question.randomize)
        assert found == hull.best(question)
        assert (got.fpr, got.tpr) == (found.fpr, found.tpr)
        assert (got.objective, got.value) == (found.objective, found.value)
        assert len(got.parts) == len(found.mix)
        for part, (share, point) in zip(got.parts, found.mix, strict=True):
            assert part.probability == share
            assert (part.fpr, part.tpr) == (point.fpr, point.tpr)
            if part.kind in ("scores", "labels"):
                assert (part.classifier, *part.also) == tuple(dict.fromkeys(point.classifiers))
                assert part.threshold == point.written_threshold
            else:
                assert part.classifier == part.kind
                assert point.fpr == point.tpr == (part.kind == "always")
        gains = math.inf if got.randomizing_gains == "inf" else got.randomizing_gains
        assert gains == found.randomizing_gains


@pytest.mark.parametrize("seed", SEEDS)
def test_choices_are_those_of_the_sensitivity(seed: int) -> None:
    for hull, question, got in cases(seed):
        if question.conditions is None:
            continue
        report = hull.sensitivity(question.conditions)
        assert [hull.vertices[c.vertex] for c in got.choices] == [c.point for c in report.choices]
        assert [c.low for c in got.choices] == [c.low for c in report.choices]
        highs = [math.inf if c.high == "inf" else c.high for c in got.choices]
        assert highs == [c.high for c in report.choices]
        if question.is_exact:
            assert got.holds == "exact"
            assert got.worst_regret is None
            continue
        regrets = [c.worst_regret for c in got.choices]
        assert regrets == pytest.approx([c.worst_regret for c in report.choices], abs=1e-12)
        if not is_limited(question):
            same = report.insensitive, report.same_classifier is not None
            assert (got.holds == "throughout") == same[0]
            assert (got.holds in ("throughout", "threshold")) <= any(same)


@pytest.mark.parametrize("seed", SEEDS)
def test_beliefs_are_weighed_as_decisions_are_analyzed(seed: int) -> None:
    for hull, question, got in cases(seed):
        if question.belief is None:
            continue
        weighed = rocch.stats.decision_analysis(hull, question.belief)
        for choice in got.choices:
            alone = weighed.analyze(hull.vertices[choice.vertex])
            assert choice.chance == pytest.approx(alone.probability, abs=1e-12)
        if weighed.belief.smooth:
            chances = [choice.chance or 0.0 for choice in got.choices]
            assert sum(chances) == pytest.approx(1, abs=1e-9)
        if is_limited(question):
            binding = any(
                limit.excess(hull.fpr[[c.vertex]], hull.tpr[[c.vertex]])[0] > 0
                for limit in question.criterion.limits  # type: ignore[union-attr]
                for c in got.choices
            )
            assert (got.standings == ()) == binding
            continue
        best = hull.best(question)
        assert got.chance == pytest.approx(weighed.analyze(best.point).probability)
        assert got.expected_regret == pytest.approx(weighed.value_of_knowing, abs=1e-9)
        assert got.cost is not None
        assert got.cost.low == got.cost.high == weighed.least_expected_regret.expected_cost
        assert sum(row.chance for row in got.standings) == pytest.approx(1, abs=1e-9)
        ranked = [(-row.chance, row.classifier) for row in got.standings]
        assert ranked == sorted(ranked)


@pytest.mark.parametrize("seed", SEEDS)
def test_costs_and_regrets_are_those_of_the_corners(seed: int) -> None:
    for hull, question, got in cases(seed):
        if question.conditions is None:
            continue
        corners = [
            (p, alarm, miss, hit, none)
            for p in ends(question.balance)
            for alarm in ends(question.false_positive)
            for miss in ends(question.false_negative)
            for hit in ends(question.true_positive)
            for none in ends(question.true_negative)
        ]

        def cost(case: tuple[float, ...], fpr: Any, tpr: Any) -> Any:
            p, alarm, miss, hit, none = case
            positives = (1 - tpr) * miss + tpr * hit
            return p * positives + (1 - p) * (fpr * alarm + (1 - fpr) * none)

        own = [float(cost(case, got.fpr, got.tpr)) for case in corners]
        assert got.cost == pytest.approx((min(own), max(own)))
        low, high = got.slopes or (0, 0)
        slopes = [(a - n) / (m - h) * (1 - p) / p for p, a, m, h, n in corners]
        assert (low, high) == pytest.approx((min(slopes), max(slopes)))
        if question.is_exact or is_limited(question):
            continue
        least = [float(cost(case, hull.fpr, hull.tpr).min()) for case in corners]
        worst = max(mine - best for mine, best in zip(own, least, strict=True))
        assert got.worst_regret == pytest.approx(worst, abs=1e-9)
        assert worst <= min(c.worst_regret or 0.0 for c in got.choices) + 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_per_1000_rows_add_up_and_limits_are_kept(seed: int) -> None:
    for hull, question, got in cases(seed):
        bounds = prevalence_of(question, hull.totals)
        assert (got.per_1000 is None) == (bounds is None)
        tpr, fpr = got.tpr, got.fpr
        if question.max_fpr is not None:
            assert fpr <= question.max_fpr + 1e-9
        if bounds is None or got.per_1000 is None:
            continue
        positives = [1000 * p for p in bounds]
        negatives = [1000 - rows for rows in positives]
        for pair, rows, rate in (
            (got.per_1000.true_positives, positives, tpr),
            (got.per_1000.false_positives, negatives, fpr),
            (got.per_1000.false_negatives, positives, 1 - tpr),
            (got.per_1000.true_negatives, negatives, 1 - fpr),
        ):
            assert pair == pytest.approx(tuple(sorted(row * rate for row in rows)), abs=1e-9)
        for p in bounds:
            share = p * tpr + (1 - p) * fpr
            if question.max_share is not None:
                assert share <= question.max_share + 1e-9
            if question.capacity is not None and question.population is not None:
                assert question.population * share <= question.capacity + 1e-6


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_a_metric_is_the_highest_of_every_single_setting(seed: int, metric: str) -> None:
    hull = hull_of(seed)
    got = answer(hull, Question(maximize=metric, prevalence=0.2))
    function, _ = METRICS[metric]
    fpr, tpr = np.array(every_point(hull)).T
    assert got.value == pytest.approx(float(function(fpr, tpr, 0.2).max()))
    assert got.cost is got.slopes is None
    assert got.objective == f"highest {TEXTS[f'metric_{metric}']}"
    assert got.new_rows_note == TEXTS["no_cost"]


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_limits_alone_mean_the_most_hits_or_the_fewest_false_alarms(seed: int) -> None:
    hull, points = hull_of(seed), every_point(hull_of(seed))
    tpr = max(t for f, t in points if f <= 0.2)
    assert answer(hull, Question(max_fpr=0.2)).tpr == pytest.approx(tpr)
    fpr = min(f for f, t in points if t >= 0.6)
    assert answer(hull, Question(min_tpr=0.6)).fpr == pytest.approx(fpr)
    tpr = max(t for f, t in points if 0.3 * t + 0.7 * f <= 0.25)
    few = Question(max_share=0.25, prevalence=0.3)
    assert answer(hull, few).tpr == pytest.approx(tpr)
    some = Question(capacity=25, positives=30, negatives=70)
    assert answer(hull, some).tpr == pytest.approx(tpr)


def test_the_knob_is_a_position_on_the_hull() -> None:
    hull = hull_of(0)
    near, exact = (answer(hull, Question(knob=0.37, randomize=coin)) for coin in (False, True))
    assert (near.fpr + near.tpr) / 2 == pytest.approx(
        min(((hull.fpr + hull.tpr) / 2).tolist(), key=lambda position: abs(position - 0.37))
    )
    assert (exact.fpr + exact.tpr) / 2 == pytest.approx(0.37)
    assert exact.value == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_coin_never_loses_and_gains_what_is_stated(seed: int) -> None:
    hull, rng = hull_of(seed, size=25), np.random.default_rng(seed)
    for _ in range(12):
        given = question_of(rng)
        if given.conditions is None or given.is_exact:
            continue
        names = ("prevalence", *COSTS, "max_fpr")
        known = {name: given.given[name] for name in names if name in given.given}
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
        totals = hull.totals
        counted = not totals.weighted and not totals.pooled and len(got.parts) == 1
        assert (got.fpr_interval is not None) == (got.tpr_interval is not None) == counted
        if got.fpr_interval is None or got.tpr_interval is None:
            continue
        for rate, rows, interval in (
            (got.fpr, totals.negatives, got.fpr_interval),
            (got.tpr, totals.positives, got.tpr_interval),
        ):
            own = rocch.stats.rate_interval(round(rate * rows), rows, method="wilson")
            assert tuple(interval) == tuple(own)
            assert 0 <= interval.low <= rate <= interval.high <= 1


def test_where_a_limit_costs_nothing_the_choice_holds() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"m": [1, 2, 3, 4]})
    question = Question(prevalence=0.3, false_positive=1, false_negative=(1, 9), max_fpr=0.5)
    assert answer(hull, question).holds == "throughout"


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
    got = answer(hull_of(0), Question(prevalence=0.2, false_positive=1, false_negative=(0, 1)))
    assert got.slopes is not None
    assert got.slopes[1] == "inf"
    assert got.choices[-1].high == "inf"


def test_an_open_belief_has_no_worst_regret_in_false_alarms_but_has_one_in_misses() -> None:
    hull = hull_of(0)
    belief: dict[str, Any] = {"prevalence": 0.3, "cost_ratio": (2, math.inf)}
    open_end = answer(hull, Question(**belief, likely=4))
    assert open_end.worst_regret is None
    assert {choice.worst_regret for choice in open_end.choices} == {None}
    assert open_end.expected_regret is not None
    bounded = answer(hull, Question(**belief, false_negative=10))
    assert bounded.worst_regret is not None
    with pytest.raises(rocch.UndefinedError, match="the expected cost is infinite"):
        answer(hull, Question(**belief))


@pytest.mark.parametrize("texts", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_every_kind_of_question_is_answered_as_the_hull_does(texts: dict[str, str]) -> None:
    question, hull = Question.from_strings(texts), questions.hull()
    table, why_not = tabulate_new_rows(hull, question)
    found, best = answer(hull, question, new_rows=table, why_not=why_not), hull.best(question)
    assert (found.fpr, found.tpr, found.value) == (best.fpr, best.tpr, best.value)
    assert found.sentence.endswith(".")
    own = best.on_new_rows
    is_tabulated = own.expected_range is None and not question.limited
    if own.expected is None or not is_tabulated:
        assert found.new_rows is None
        assert found.new_rows_note
    else:
        assert found.new_rows is not None
        assert found.new_rows.expected == pytest.approx(own.expected)
        assert (found.new_rows.low, found.new_rows.high) == pytest.approx(own.interval)


# ---- new rows -----------------------------------------------------------------------------------

KNOWN = Question(prevalence=0.3, false_positive=2, false_negative=5)


def rows_hull(rows: int = 200) -> rocch.RocHull:
    rng = np.random.default_rng(3)
    y = rng.random(rows) < 0.4
    return rocch.RocHull.from_scores(y, {n: rng.normal(size=rows) + y for n in "ab"})


@pytest.mark.parametrize(
    "question",
    [
        KNOWN,
        Question(false_positive=1, false_negative=1),
        Question(false_positive=3, false_negative=5, true_positive=2, true_negative=1),
        Question(prevalence=(0.1, 0.3), cost_ratio=(2, 9), likely=4, false_positive=20),
        Question(cost_ratio=(2, math.inf), false_negative=100),
    ],
)
def test_the_own_question_is_expected_to_cost_what_the_hull_says(question: Question) -> None:
    hull = rows_hull()
    table, _ = tabulate_new_rows(hull, question)
    found = answer(hull, question, new_rows=table)
    own = hull.best(question).on_new_rows
    assert own.expected is not None
    assert own.interval is not None
    assert found.new_rows is not None
    assert found.new_rows.expected == pytest.approx(own.expected)
    assert (found.new_rows.low, found.new_rows.high) == pytest.approx(own.interval)
    assert found.new_rows_note == ""
    assert ". On new cases it costs about " in found.sentence


def test_other_questions_are_interpolated_and_near_what_the_hull_says() -> None:
    hull = rows_hull(600)
    table, _ = tabulate_new_rows(hull, KNOWN)
    assert table is not None
    assert len(table.share) == 98
    for miss in (0.4, 1.3, 7.7, 40):
        question = Question(prevalence=0.2, false_positive=1, false_negative=miss)
        found = answer(hull, question, new_rows=table).new_rows
        own = hull.best(question).on_new_rows
        assert found is not None
        assert own.expected is not None
        assert found.expected == pytest.approx(own.expected, rel=0.1)
        assert found.low < found.expected < found.high


def test_around_what_is_stated_expected_costs_are_close_and_say_how_far_off_they_may_be() -> None:
    hull = rows_hull(600)
    for stated, others in ((5.0, np.geomspace(2, 14, 40)), ((3, 8), np.geomspace(1.2, 20, 40))):
        known: dict[str, Any] = {"prevalence": 0.3, "false_positive": 2}
        question = Question(**known, false_negative=stated)
        table, _ = tabulate_new_rows(hull, question)
        assert table is not None
        within = []
        for miss in others:
            other = Question(**known, false_negative=miss)
            found = answer(hull, other, new_rows=table).new_rows
            own = hull.best(other).on_new_rows.expected
            assert found is not None
            assert own is not None
            assert found.expected == pytest.approx(own, rel=0.02)
            within.append(abs(found.expected - own) <= found.slack + 1e-12)
        assert np.mean(within) >= 0.9


def test_a_saving_whose_sign_may_be_wrong_is_about_the_same() -> None:
    hull, table = rows_hull(), NewRowsTable((0.2, 0.5, 0.8), (0.1, 0.3, 0.2), (0,) * 3, (1,) * 3)
    question = Question(prevalence=0.5, false_positive=1, false_negative=1.5)
    # share 0.6, unit 1.25: 1.25 x (0.3 - 0.1 / 3); the middle lies 0.15 above its neighbors' line
    near = Baseline("near", "", *rates_at(1.25 * (0.3 - 0.1 / 3) + 0.18))
    far = Baseline("far", "", *rates_at(1.25 * (0.3 - 0.1 / 3) + 0.20))
    found = answer(hull, question, new_rows=table, baselines=(near, far))
    assert found.new_rows is not None
    assert found.new_rows.slack == pytest.approx(1.25 * 0.15)
    assert [each.slack for each in found.savings] == [found.new_rows.slack] * 2
    first, second = (saving(each, question) for each in found.savings)
    assert first == "It costs about as much as near"
    assert second == "It saves about 200 per 1,000 cases against far"


def rates_at(cost: float) -> tuple[float, float]:
    """Return rates that cost so much at even classes, where alarms cost 1."""
    return cost / 0.5, 1.0


def test_a_case_is_looked_up_by_its_share_in_its_unit_beyond_perfect_decisions() -> None:
    table = NewRowsTable((0.25, 0.75), (0.1, 0.2), (0.05, 0.1), (0.2, 0.4))
    # weights: 0.5 x (4 - 2) and 0.5 x (3 - 1), so share 1/2 and unit 2; perfect: (1 + 2) / 2
    case = Case(0.5, 4, 3, true_positive=1, true_negative=2)
    found = look_up(table, case)
    assert found is not None
    # 1.5 + 2 x 0.15, 1.5 + 2 x 0.075, 1.5 + 2 x 0.3
    assert (found.expected, found.low, found.high) == pytest.approx((1.8, 1.65, 2.1))
    assert look_up(table, Case(0.5, 1, 9)) is None
    assert look_up(table, Case(0.5, 9, 1)) is None
    assert look_up(table, Case(0.5, 1, 3)) is not None  # at an end


@pytest.mark.parametrize(
    ("question", "note"),
    [
        (Question(max_fpr=0.1), "no_cost"),
        (Question(maximize="f1"), "no_cost"),
        (Question(knob=0.3), "no_cost"),
        (Question(false_positive=1, false_negative=(2, 3)), "vague"),
        (Question(false_positive=1, false_negative=2, max_fpr=0.1), "bound"),
        (Question(cost_ratio=(2, 3), max_fpr=0.1), "bound"),
        (Question(prevalence=0.001, false_positive=1, false_negative=0.01), "off_table"),
    ],
)
def test_where_nothing_can_be_expected_a_note_says_why(question: Question, note: str) -> None:
    hull = rows_hull()
    table, _ = tabulate_new_rows(hull, KNOWN)
    found = answer(hull, question, new_rows=table)
    assert found.new_rows is None
    assert found.new_rows_note == TEXTS[note]
    assert (case_of(question, hull.totals) is None) == (note != "off_table")


def test_never_and_always_cost_what_they_cost() -> None:
    hull = rocch.RocHull.from_scores([0, 1, 0, 1], {"m": [4, 3, 2, 1]})
    for miss, cost in ((0.1, 0.5 * 0.1), (9, 0.5)):
        found = answer(hull, Question(prevalence=0.5, false_positive=1, false_negative=miss))
        assert found.new_rows == NewRows(cost, cost, cost)


def test_without_rows_or_with_too_few_there_is_no_table() -> None:
    for seed in (3, 4):
        assert tabulate_new_rows(hull_of(seed), KNOWN) == (None, "no_rows")
    few = rocch.RocHull.from_scores([0, 0, 1], {"m": [1, 3, 2]})
    assert tabulate_new_rows(few, KNOWN) == (None, "few_rows")
    found = answer(few, KNOWN, why_not="few_rows")
    assert found.new_rows_note == TEXTS["few_rows"]


def test_much_work_leaves_fewer_shares_and_then_the_own_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from rocch.report import answer as answers

    hull = rows_hull()
    once = 20 * 7 * 200 * 2
    monkeypatch.setattr(answers, "TABLE_WORK", 12 * once)
    table, _ = tabulate_new_rows(hull, KNOWN)
    assert table is not None
    assert len(table.share) == 12  # nine over all shares, and three around the own
    monkeypatch.setattr(answers, "TABLE_WORK", 8 * once)
    table, _ = tabulate_new_rows(hull, KNOWN)
    assert table is not None
    assert len(table.share) == 1
    assert answer(hull, KNOWN, new_rows=table).new_rows is not None
    other = Question(prevalence=0.3, false_positive=2, false_negative=6)
    assert answer(hull, other, new_rows=table).new_rows_note == TEXTS["off_table"]
    assert tabulate_new_rows(hull, Question(max_fpr=0.1)) == (None, "off_table")
    monkeypatch.setattr(answers, "MOST_SCORES", 399)
    assert tabulate_new_rows(hull, KNOWN) == (None, "many_rows")


def test_what_is_stated_has_the_observed_prevalence() -> None:
    totals = rocch.RocHull.from_scores([0, 0, 0, 1], {"m": [1, 2, 3, 4]}).totals
    stated = conditions_of(Question(false_positive=1, false_negative=2), totals)
    assert isinstance(stated, rocch.Conditions)
    assert stated.prevalence == (0.25, 0.25)
    assert conditions_of(Question(max_fpr=0.1), totals) is None
    assert prevalence_of(Question(max_fpr=0.1), totals) == (0.25, 0.25)
    cases = Question(capacity=5, positives=10, negatives=30)
    assert prevalence_of(cases, totals) == (0.25, 0.25)
    ratio = Question(negatives_per_positive=(3, 4), false_positive=1, false_negative=1)
    assert prevalence_of(ratio, totals) == (0.2, 0.25)
