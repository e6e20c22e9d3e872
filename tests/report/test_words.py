"""Sentences, each written out by hand with its arithmetic."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

import rocch
from rocch import Question
from rocch.report.answer import answer
from rocch.report.summary import Compared, NewRows
from rocch.report.words import (
    CLASS_TEXTS,
    TEXTS,
    counted,
    foremost,
    percent,
    saving,
    sentence,
)
from rocch.roc.conditions import Interval

Y = [1] * 10 + [0] * 10
# ten rows of each class: at 0.9 six positives, at 0.5 three and a negative, at 0.1 the rest
GBM = [0.9] * 6 + [0.5] * 3 + [0.1] + [0.5] + [0.1] * 9
ALL_AND_THREE = [1] * 13 + [0] * 7
FEW = [1] * 2 + [0] * 18


def gbm() -> rocch.RocHull:
    """Return a hull with the points (0, 0.6) at 0.7 and (0.1, 0.9) at 0.3; slopes inf, 3, 1/9."""
    return rocch.RocHull.from_scores(Y, {"gbm": GBM})


def with_rules(labels: Any = ALL_AND_THREE) -> rocch.RocHull:
    """Add a classifier that outputs labels only, at (0.3, 1): the slopes are inf, 3, 1/2, 0."""
    return rocch.RocHull.of(gbm(), rocch.RocCurve.from_labels(Y, labels, name="rules"))


def said(hull: rocch.RocHull, **asked: Any) -> str:
    """Answer without what all these sentences say of the evaluation rows."""
    known: dict[str, Any] = {"prevalence": 0.5, "false_positive": 1, "false_negative": 1}
    if "cost_ratio" in asked:
        known = {"prevalence": 0.5}
    if asked.pop("limits_alone", False):
        known = {}
    question = Question(**{**known, **asked})
    text = answer(hull, question).sentence
    best = ", the best choice" + (" within the limits" if question.limited else "")
    assert f"{best} on the evaluation rows. It catches " in text
    return text.replace(f"{best} on the evaluation rows", "")


def does(hits: str, alarms: str, cost: str = "") -> str:
    """Say what a setting does."""
    caught = f"It catches {hits} of 100 positives"
    raised = f"raises {alarms} false alarms per 100 negatives"
    return f"{caught}, {raised} and costs {cost}." if cost else f"{caught} and {raised}."


def test_exact_conditions() -> None:
    # 0.5 x 0.1 misses and 0.5 x 0.1 false alarms
    assert said(gbm()) == f"Use gbm at 0.3. {does('90', '10', '100 per 1,000 cases')}"


def test_never() -> None:
    assert said(gbm(), false_negative=0) == (
        f"Never alarm. {does('0', '0')} On new cases it costs 0 per 1,000 cases. Exactly as good: "
        "use gbm at 0.7."
    )


def test_names_cannot_turn_what_follows() -> None:
    hull = rocch.RocHull.from_scores([0, 0, 1, 1], {"\u202eevil": [0.1, 0.4, 0.35, 0.8]})
    known = Question(prevalence=0.5, false_positive=1, false_negative=1)
    text = answer(hull, known, names=("good", "\u202ebad")).sentence
    assert text.startswith("Use \\u202eevil at 0.6, the best choice on the evaluation rows. It")
    assert "of 100 \\u202ebad, raises 0 false alarms per 100 good and" in text


def test_always() -> None:
    # slope 1/20 lies below 1/9
    assert said(gbm(), false_negative=20) == (
        f"Always alarm. {does('100', '100')} On new cases it costs 500 per 1,000 cases."
    )


def test_labels_only() -> None:
    # slope 1/4: 0.5 x 0.3 false alarms
    found = said(with_rules(), false_negative=4)
    assert found == f"Use rules. {does('100', '30', '150 per 1,000 cases')}"


def test_labels_only_at_a_setting() -> None:
    found = said(with_rules({"lax": ALL_AND_THREE, "strict": FEW}), false_negative=4)
    assert found == f"Use rules at setting lax. {does('100', '30', '150 per 1,000 cases')}"


def test_amounts_are_in_money_and_months() -> None:
    money = said(gbm(), currency="EUR")
    assert money == f"Use gbm at 0.3. {does('90', '10', '100 EUR per 1,000 cases')}"
    month = said(gbm(), currency="EUR", cases_per_month=12345, false_negative=(1, 2))
    assert does("90", "10", "1,230 to 1,850 EUR per month") in month


@pytest.mark.parametrize(
    ("asked", "cost", "unknown"),
    [
        # a miss of 2: 0.5 x (0.1 x 2 + 0.1)
        ({"false_negative": (1, 2)}, "100 to 150", "every cost in your range"),
        ({"prevalence": (0.4, 0.5)}, "100", "every prevalence in your range"),
        (
            {"prevalence": (0.4, 0.5), "false_positive": (1, 1.5)},
            # most expensive where 0.6 of the rows are negative: 0.4 x 0.1 + 0.6 x 0.1 x 1.5
            "100 to 130",
            "every cost and prevalence in your range",
        ),
    ],
)
def test_a_choice_that_holds_throughout(asked: Any, cost: str, unknown: str) -> None:
    assert said(gbm(), **asked) == (
        f"Use gbm at 0.3. {does('90', '10', f'{cost} per 1,000 cases')} It is the best choice for "
        f"{unknown}."
    )


def test_a_threshold_that_moves() -> None:
    # at 0.7 it costs 0.2 in any case, at 0.3 either 0.1 or 0.5 x (0.1 + 0.1 x 8) = 0.45
    assert said(gbm(), false_positive=(1, 8)) == (
        f"Use gbm at 0.7. {does('60', '0', '200 per 1,000 cases')} gbm is best for every cost in "
        "your range, but its best threshold changes; this one costs at most 100 more per 1,000 "
        "cases than the best."
    )


def test_a_random_choice() -> None:
    # regrets 0.1 (1 - s) and 0.25 s meet at s = 2/7: TPR 0.6 + 0.3 x 2/7, FPR 0.2/7
    assert said(gbm(), false_positive=(1, 8), randomize=True) == (
        "Choose at random: with probability 0.714 use gbm at 0.7, otherwise use gbm at 0.3. "
        f"{does('69', '2.9', '171 to 271 per 1,000 cases')} gbm is best for every cost in your "
        "range, but its best threshold changes; this one costs at most 71.4 more per 1,000 cases "
        "than the best."
    )


def test_a_choice_that_depends() -> None:
    # gbm costs 0.1 to 0.25, rules 0.15
    assert said(with_rules(), false_negative=(1, 4)) == (
        f"Use rules. {does('100', '30', '150 per 1,000 cases')} The best choice depends on what "
        "you do not know; this one costs at most 50 more per 1,000 cases than the best."
    )


def test_a_belief() -> None:
    # the triangle lies on shares from 1/2 over 2/3 to 4/5, and rules win from 2/3 on: 4/9 of it;
    # a miss is 2.001 times as bad on average, so gbm costs 0.05 + 0.05 x 2.001, just above rules;
    # who knows which it is pays 0.1388 on average
    assert said(with_rules(), cost_ratio=(1, 4), likely=2) == (
        f"Use rules. {does('100', '30', '150 per 1,000 cases on average')} It is the best choice "
        "with a probability of 44%. It costs at most 50 more per 1,000 cases than the best "
        "choice. Knowing the costs exactly would save 11.2 per 1,000 cases on average."
    )


def test_a_belief_under_a_limit() -> None:
    assert said(with_rules(), cost_ratio=(1, 4), likely=2, max_fpr=0.2).startswith(
        f"Use gbm at 0.3. {does('90', '10', '15')[:-1]}"
    )


def test_a_belief_in_one_number() -> None:
    assert said(gbm(), cost_ratio=2) == (
        f"Use gbm at 0.3. {does('90', '10', '150 per 1,000 cases on average')} It is the best "
        "choice for every cost that you consider possible."
    )


def test_the_most_hits_within_a_limit() -> None:
    assert said(gbm(), limits_alone=True, max_fpr=0.05) == f"Use gbm at 0.7. {does('60', '0')}"


@pytest.mark.parametrize(
    ("prevalence", "capacity", "alarms"),
    [(0.1, 100, "60"), ((0.1, 0.2), 130, "60 to 120")],
)
def test_a_capacity(prevalence: Any, capacity: int, alarms: str) -> None:
    # 0.6 of the positives alarm; at 0.3 it were 90 + 90 and more
    asked = {"prevalence": prevalence, "capacity": capacity, "population": 1000}
    assert said(gbm(), limits_alone=True, **asked) == (
        "Use gbm at 0.7. It catches 60 of 100 positives, raises 0 false alarms per 100 negatives "
        f"and alarms on {alarms} of 1,000 cases."
    )


def test_limits_with_costs_that_are_vague() -> None:
    # at 0.7 it costs 0.2 or 0.8; only a random choice could reach (0.05, 0.75), which costs less
    assert said(gbm(), false_negative=(1, 4), max_fpr=0.05).endswith(
        "costs 200 to 800 per 1,000 cases. It is the best choice for every cost in your range."
    )


def test_small_words() -> None:
    assert percent(0.0413) == "4.1%"
    assert (counted(1234), counted(1234.5)) == ("1,234", "1,234.5")


def test_a_share_of_alarms_is_counted_per_100_rows() -> None:
    # 0.6 of 30 positives alarm
    text = said(gbm(), limits_alone=True, max_share=0.2, prevalence=0.3)
    assert text.endswith("0 false alarms per 100 negatives and alarms on 18 of 100 cases.")


def test_a_metric_is_named_with_its_value() -> None:
    text = said(gbm(), limits_alone=True, maximize="geometric_mean", prevalence=0.3)
    assert text.endswith("10 false alarms per 100 negatives and reaches geometric mean 0.9.")


def test_the_knob_is_no_best_choice() -> None:
    text = answer(gbm(), Question(knob=0.25)).sentence
    assert text.startswith("Use gbm at 0.7, the setting nearest to the knob at 25%. It catches 60")


def test_costs_of_right_decisions_count() -> None:
    # 0.5 x (0.9 x 1 + 0.1 x 4) + 0.5 x (0.1 x 4 + 0.9 x 2)
    text = said(gbm(), false_positive=4, false_negative=4, true_positive=1, true_negative=2)
    assert text.endswith("costs 1,750 per 1,000 cases.")


def test_new_rows_come_with_their_interval() -> None:
    question = Question(prevalence=0.5, false_positive=1, false_negative=1)
    found = replace(answer(gbm(), question), new_rows=NewRows(0.123, 0.1014, 0.149))
    assert sentence(found, question).endswith(
        f"{does('90', '10')} On new cases it costs about 123 per 1,000 cases (95%: 101 to 149)."
    )


@pytest.mark.parametrize(
    ("saves", "interval", "words"),
    [
        (
            (0.25, 0.25),
            (0.2, 0.3),
            "saves 250 per 1,000 cases against never alarming (95%: 200 to 300)",
        ),
        (
            (0.1, 0.2),
            None,
            "saves 100 to 200 per 1,000 cases against never alarming, depending on costs",
        ),
        (
            (-0.1, 0.2),
            (-0.2, 0.3),
            "saves between -100 (costs more) and 200 per 1,000 cases against never alarming, "
            "depending on costs (95%: -200 to 300, so not certain)",
        ),
        (
            (-0.1, -0.1),
            (-0.3, 0.2),
            "costs 100 more per 1,000 cases than never alarming (95%: -200 to 300, so not certain)",
        ),
    ],
)
def test_a_saving(saves: Any, interval: Any, words: str) -> None:
    bounds = None if interval is None else Interval(*interval)
    middle = sum(saves) / 2
    found = Compared("never alarming", Interval(0.4, 0.4), Interval(*saves), middle, bounds)
    question = Question(prevalence=0.5, false_positive=1, false_negative=(1, 2))
    assert saving(found, question) == f"It {words}"


def test_a_cheaper_rule_is_never_left_out() -> None:
    nothing = Interval(0.0, 0.0)
    rules = [Compared(str(each), nothing, nothing, each, None) for each in (3, 1, -1, 2, -2)]
    assert [each.baseline for each in foremost(rules)] == ["3", "-2"]
    assert foremost(rules[:2]) == rules[:1]
    assert foremost(()) == []


def test_an_open_belief_has_no_worst_case() -> None:
    text = said(with_rules(), cost_ratio=(1, math.inf), likely=2)
    assert re.search(r" best choice with a probability of \d+%\. Knowing the costs exactly", text)


def test_templates_have_slots_for_names_and_no_other_braces() -> None:
    for table in (TEXTS, CLASS_TEXTS):
        for text in table.values():
            bare = re.sub(r"\{[a-z_]+\}", "", text)
            assert not set("{}") & set(bare)
            assert text.format_map(defaultdict(str)) == bare
