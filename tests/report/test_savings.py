"""What a report says is saved, against a slow oracle and against the library's own savings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch.numbers import money
from rocch.report import summarize
from rocch.report.aim import Decider
from rocch.report.answer import answer as answer_question
from rocch.report.savings import find_baselines
from rocch.report.words import saving
from tests.support.reports import binary, counts_only

RNG = np.random.default_rng(4)
Y = RNG.random(400) < 0.3
P = 1 / (1 + np.exp(-RNG.normal(2 * Y - 1, 1)))
KNOWN = rocch.Question(false_positive=1, false_negative=5)


def data_of(question: rocch.Question = KNOWN, scores: Any = P, **options: Any) -> Any:
    hull = rocch.RocHull.from_scores(Y, {"m": scores})
    return binary(summarize(hull, question, resamples=0, **options))


def rates(alarms: Any) -> tuple[float, float]:
    return alarms[~Y].mean(), alarms[Y].mean()


def test_the_reports_own_question_has_the_savings_of_the_hull() -> None:
    hull = rocch.RocHull.from_scores(Y, {"m": P})
    own = hull.best(KNOWN).savings(0.4)
    found = data_of(baseline=0.4).answer.savings
    assert [each.baseline for each in found] == [row.baseline for row in own.rows]
    assert found[0].baseline == "today's rule, m >= 0.4"
    assert [each.saves.low for each in found] == pytest.approx([row.saves for row in own.rows])
    assert [each.interval for each in found] == [row.saves_interval for row in own.rows]


def test_amounts_per_month_are_per_case_in_the_data() -> None:
    month = rocch.Question(**KNOWN.given, cases_per_month=20_000, currency="EUR")
    found, own = data_of(month).answer.savings, data_of().answer.savings
    assert [each.saves.low for each in found] == pytest.approx([each.saves.low for each in own])


def test_baselines_have_the_rates_of_their_rows() -> None:
    found = {each.name: (each.fpr, each.tpr) for each in data_of(baseline=0.4).baselines}
    assert found.pop("today's rule, m >= 0.4") == pytest.approx(rates(P >= 0.4))
    assert found.pop("m at threshold 0.5") == pytest.approx(rates(P >= 0.5))
    assert found == {"never alarming": (0, 0), "always alarming": (1, 1)}


def test_todays_rule_may_be_labels() -> None:
    alarms = RNG.random(400) < 0.5
    (first, *_) = data_of(baseline=alarms.astype(int)).baselines
    assert (first.fpr, first.tpr) == pytest.approx(rates(alarms))


VAGUE: dict[str, Any] = {
    "prevalence": (0.1, 0.4),
    "false_positive": 1,
    "false_negative": (2, 9),
}


@pytest.mark.parametrize("today", [None, 0.4, 0.99])
@pytest.mark.parametrize(
    "given",
    [VAGUE, {**VAGUE, "cases_per_month": 20_000, "currency": "EUR"}, {**VAGUE, "prevalence": 0.2}],
    ids=["per 1,000", "per month", "costs"],
)
def test_ranges_have_the_savings_and_the_sentences_of_the_hull(given: Any, today: Any) -> None:
    question = rocch.Question(**given)
    hull = rocch.RocHull.from_scores(Y, {"m": P})
    found = hull.best(question).savings(today)
    own = found.per(1000) if found.cases == 1 else found
    made = summarize(hull, question, resamples=0, baseline=today)
    answer = binary(made).answer
    assert [each.baseline for each in answer.savings] == [row.baseline for row in own.rows]
    for each, row in zip(answer.savings, own.per(1).rows, strict=True):
        assert each.cost == pytest.approx(row.cost_range)
        assert each.saves == pytest.approx(row.saves_range)
        assert each.interval == pytest.approx(row.saves_interval)
    said = [saving(each, question) for each in answer.savings]
    assert said == [f"It {sentence}" for sentence in own.sentences]
    # as printed: the first, and a rule that is cheaper
    assert f"It {str(own).replace('; ', '. It ')}." in made.sentence
    least, most = own.expected_range or (0, 0)
    assert f"On new cases it costs about {money(least)} to {money(most)}" in made.sentence
    assert answer.new_rows_note == ""
    texts = [part for section in made.sections for part in section.parts]
    assert any(isinstance(text, str) and "Estimated for new cases." in text for text in texts)


def test_other_ranges_are_counted_on_the_rows_and_say_so() -> None:
    """As the page does where its controls leave the report's own question."""
    hull, question = rocch.RocHull.from_scores(Y, {"m": P}), rocch.Question(**VAGUE)
    data = data_of(rocch.Question(**VAGUE))
    answer = answer_question(hull, question, new_rows=data.new_rows, baselines=data.baselines)
    assert answer.new_rows is None
    assert answer.new_rows_note.startswith("costs and savings are counted on the evaluation rows")
    for each in answer.savings:
        rule = {"m at threshold 0.5": P >= 0.5, "never alarming": np.zeros(400, bool)}
        fpr, tpr = rates(rule.get(each.baseline, np.ones(400, bool)))
        corners = [
            (1 - p) * (fpr - answer.fpr) + p * miss * (answer.tpr - tpr)
            for p in (0.1, 0.4)
            for miss in (2, 9)
        ]
        assert each.saves == pytest.approx((min(corners), max(corners)))
        assert each.interval is None


def test_scores_that_are_no_probabilities_have_no_default() -> None:
    found = data_of(scores=10 * P)
    assert [each.name for each in found.baselines] == ["never alarming", "always alarming"]
    assert "the threshold of today is not known" in found.savings_note


def test_without_rows_only_never_and_always_are_compared() -> None:
    data = binary(counts_only())
    assert {each.baseline for each in data.answer.savings} == {"never alarming", "always alarming"}
    assert all(each.interval is None for each in data.answer.savings)


def test_without_costs_nothing_is_saved() -> None:
    assert data_of(rocch.Question(max_fpr=0.1)).answer.savings == ()


def test_a_hybrid_knows_the_thresholds_of_its_models() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    models = [("nb", GaussianNB()), ("logit", LogisticRegression())]
    X = np.column_stack([P, RNG.normal(size=400) + Y])
    model = rocch.RocchClassifier(models, cv=3, stack=True).fit(X, Y)
    decider = Decider(model.hull_, model.hybrid_)
    names = {each.classifier: each.name for each in find_baselines(decider)}
    assert names["stack"] == "the stack at probability 0.5"
    assert names["nb"] == "nb at threshold 0.5"
    made = binary(summarize(model, KNOWN, resamples=0))
    assert made.answer.savings
    labels = np.asarray(RNG.random(400) < 0.5)
    today = binary(summarize(model, KNOWN, resamples=0, baseline=labels)).answer.savings[0]
    assert today.baseline == "today's rule"
    assert today.interval is not None


def test_a_baseline_that_decides_alike_is_said_to() -> None:
    best = rocch.RocHull.from_scores(Y, {"m": P}).best(KNOWN)
    threshold: Any = best.threshold
    answer = data_of(baseline=threshold <= P).answer
    assert "It decides as today's rule, on all 400 evaluation rows." in answer.sentence


def test_a_default_that_is_todays_rule_is_listed_once() -> None:
    data = data_of(baseline=0.5)
    names = ["today's rule, m >= 0.5", "never alarming", "always alarming"]
    assert [each.name for each in data.baselines] == names
