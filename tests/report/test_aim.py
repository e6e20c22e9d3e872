"""The report of a fitted model recommends what the model itself deploys."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import rocch
from rocch.hybrid.rule_templates import shown_texts
from rocch.report import aim, summarize
from rocch.report.aim import Decider, tabulate_aims
from rocch.report.words import saving
from tests.support.reports import binary

RNG = np.random.default_rng(8)
Y = RNG.random(400) < 0.3
X = RNG.normal(size=(400, 2)) + 1.2 * Y[:, None]
COSTS: dict[str, Any] = {"prevalence": 0.2, "false_positive": 1, "false_negative": 6}
QUESTIONS = {
    "costs": COSTS,
    "month": {**COSTS, "cases_per_month": 5000, "currency": "EUR"},
    "even": {"false_positive": 1, "false_negative": 1},
    "belief": {"prevalence": 0.3, "cost_ratio": (2, 9), "false_positive": 1},
    "ranges": {**COSTS, "false_negative": (3, 9)},
    "never": {**COSTS, "false_negative": 0},
    "a limit": {"max_fpr": 0.1},
    "costs within a limit": {**COSTS, "max_fpr": 0.1},
    "a capacity": {"capacity": 30, "population": 200},
    "a metric": {"maximize": "f1"},
    "a position": {"knob": 0.3},
    "a sure limit": {"max_fpr": 0.2, "confidence": 0.9},
}


@cache
def fitted(kind: str = "stack") -> rocch.RocchClassifier:
    """Return a model with a stack, with one model, or with rows held out to certify limits."""
    models: Any = [
        (name, make_pipeline(make_column_transformer(("passthrough", [place])), GaussianNB()))
        for place, name in enumerate(("one", "two"))
    ]
    if kind == "one":
        models = [("nb", GaussianNB())]
    if kind == "scores":
        models = [("margin", LinearSVC())]
    more: dict[str, Any] = {"check_size": 0.4} if kind == "checked" else {}
    return rocch.RocchClassifier(models, cv=3, pos_label=True, **more).fit(X, Y)


@pytest.mark.parametrize("kind", ["stack", "one", "scores", "checked"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_report_recommends_what_the_model_deploys(kind: str, name: str) -> None:
    model, question = fitted(kind), rocch.Question(**QUESTIONS[name])
    view = model.at(question)
    for what, asked in ((model, question), (view, None)):
        made = binary(summarize(what, asked, resamples=0))
        texts = shown_texts(view.rule, "positive")
        assert (made.deployment.words, made.deployment.sql) == (texts["words"], texts["sql"])
        assert made.deployment.python == texts["python"]
        answer = made.answer
        assert (answer.fpr, answer.tpr) == (view.point.fpr, view.point.tpr)
        assert (answer.on_rows is not None) == (view.for_new_rows and question.confidence is None)
        found = view.on_new_rows
        if found.expected is None or found.interval is None:
            assert answer.new_rows is None
            continue
        assert answer.new_rows is not None
        expected = answer.new_rows.expected, answer.new_rows.low, answer.new_rows.high
        assert expected == pytest.approx((found.expected, *found.interval))
        savings = view.savings()
        own = savings.per(1000) if savings.cases == 1 else savings
        said = [saving(each, question) for each in answer.savings]
        if not question.limited:  # within limits, savings are against known rates alone
            assert said == [f"It {sentence}" for sentence in own.sentences]


def test_an_exact_view_is_reported_by_the_hull() -> None:
    model, question = fitted(), rocch.Question(**COSTS)
    view = model.at(question, exact=True)
    made = binary(summarize(view, resamples=0))
    assert made.aim is None
    assert made.answer.on_rows is None
    assert (made.answer.fpr, made.answer.tpr) == (view.point.fpr, view.point.tpr)
    assert view.point.fpr == model.hull_.best(question).fpr
    assert made.deployment.sql == view.rule.to_sql()


def test_one_line_says_what_is_best_on_the_evaluation_rows() -> None:
    model, question = fitted(), rocch.Question(**COSTS)
    made = summarize(model, question, resamples=0)
    best, on_rows = model.hull_.best(question), binary(made).answer.on_rows
    assert on_rows is not None
    assert on_rows.cost == best.expected_cost
    assert (on_rows.part.fpr, on_rows.part.tpr) == (best.fpr, best.tpr)
    assert "aimed at new cases" in made.sentence
    sections = {section.title: section.parts for section in made.sections}
    (line,) = sections["New rows"]
    assert str(line).startswith("On the evaluation rows alone, the best choice would be to use ")
    assert made.remarks == (binary(made).texts["stack"],)
    assert made.remarks[0].startswith("The stack weighs one and two together.")


def test_a_stack_that_is_not_on_the_hull_is_listed_beside_it() -> None:
    decider = Decider(fitted("one").hull_, fitted().hybrid_)
    names = [member.name for member in decider.members]
    assert names == ["nb", "stack"]
    assert decider.names == names


@pytest.mark.parametrize("kind", ["stack", "one", "scores"])
def test_the_table_has_the_thresholds_and_rates_of_the_scorer(kind: str) -> None:
    scorer = fitted(kind).hybrid_.scorer
    table = tabulate_aims(scorer)
    assert scorer is not None
    assert table is not None
    assert table.complete
    for slope in (0.01, 0.3, 1, 2.5, 40):
        wanted = math.log(slope) + table.offset
        threshold = scorer.threshold(slope)
        if math.isinf(threshold):
            assert not table.low < (wanted - table.intercept) / table.weight <= table.high
            continue
        place = sum(each >= wanted for each in table.log_odds)
        point = scorer.point(threshold)
        counts = table.false_positives[place], table.true_positives[place]
        assert counts == pytest.approx((point.false_positives, point.true_positives), abs=1)
    fp, trials = np.array(table.false_positives), scorer.trials[0]
    rate = fp / table.negatives * trials
    low, high = beta.ppf(0.025, rate, trials - rate + 1), beta.ppf(0.975, rate + 1, trials - rate)
    assert table.fpr_low == pytest.approx(np.where(fp > 0, low, 0))
    assert table.fpr_high == pytest.approx(np.where(fp < table.negatives, high, 1))


def test_of_many_settings_some_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aim, "MOST_SETTINGS", 50)
    table, whole = tabulate_aims(fitted().hybrid_.scorer), fitted().hybrid_.scorer
    assert table is not None
    assert whole is not None
    assert not table.complete
    assert len(table.false_positives) <= 50
    assert (table.false_positives[0], table.false_positives[-1]) == (0, table.negatives)
    assert len(table.log_odds) == len(table.false_positives) - 1
    kept = set(zip(table.log_odds, table.false_positives[1:], strict=True))
    scores = np.asarray(whole.curve.lowest_scores).tolist()
    assert kept <= set(zip(scores, whole.curve.false_positives[1:].tolist(), strict=True))


def test_even_odds_have_the_threshold_0() -> None:
    model = fitted()
    known = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1)
    assert model.at(known).point.threshold == 0.0
