"""What a page needs for limits on new rows and for referrals, against Python itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

import rocch
from rocch.numbers import money, per_100
from rocch.report import guaranteed, summarize
from rocch.report.aim import Decider
from rocch.report.guaranteed import tabulate_guarantees
from rocch.report.render import to_markdown
from rocch.roc.guarantee import Certifier
from rocch.roc.guarantee_search import as_sample
from tests.support.questions import COSTS, REFERRALS, ask, hull, refer, rows
from tests.support.reports import binary

PLAIN = rocch.Question(max_fpr=0.2)


def test_bounds_are_those_of_clopper_and_pearson_at_each_level() -> None:
    table, note = tabulate_guarantees(Decider(hull()), PLAIN)
    assert table is not None
    assert (note, table.note, table.confidence, table.models) == ("", "", 0.95, 3)
    fp, tp = (
        np.array(each) for each in (table.settings.false_positives, table.settings.true_positives)
    )
    for bounds, kinds in ((table.one, 1), (table.two, 2)):
        assert bounds.level == pytest.approx(0.05 / (3 * kinds))
        high = beta.ppf(1 - bounds.level, fp + 1, 120 - fp)
        assert bounds.fpr_high == pytest.approx(np.where(fp < 120, high, 1))
        low = beta.ppf(bounds.level, tp, 81 - tp)
        assert bounds.tpr_low == pytest.approx(np.where(tp > 0, low, 0), abs=1e-12)


@pytest.mark.parametrize("max_fpr", [0.03, 0.05, 0.1, 0.2, 0.5, 0.97])
def test_a_bound_keeps_a_limit_where_the_test_of_counts_does(max_fpr: float) -> None:
    table, _ = tabulate_guarantees(Decider(hull()), PLAIN)
    assert table is not None
    limit = rocch.NeymanPearson(max_fpr, confidence=0.95).limit
    certifier = Certifier((limit,), as_sample(hull())[0], 0.95, 3)
    counts = (table.settings.false_positives, table.settings.true_positives)
    wanted = certifier.find_single(*(np.array(each) for each in counts))
    assert (np.array(table.one.fpr_high) <= max_fpr).tolist() == wanted.tolist()


def test_every_setting_is_there_that_catches_some_and_spares_some() -> None:
    table, _ = tabulate_guarantees(Decider(hull()), PLAIN)
    assert table is not None
    assert table.complete
    y, scores = rows()
    useful = [
        np.count_nonzero((np.unique(s) <= s[y].max()) & (np.unique(s) > s[~y].min()))
        for s in scores.values()
    ]
    assert len(table.settings.exact) == sum(useful)


def test_of_many_settings_some_are_kept_of_each_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guaranteed, "MOST_SETTINGS", 60)
    table, _ = tabulate_guarantees(Decider(hull()), PLAIN)
    assert table is not None
    assert not table.complete
    assert np.bincount(table.settings.classifier).tolist() == [20, 20, 20]


def test_weighted_rows_have_no_guarantee() -> None:
    y, scores = rows()
    weighted = rocch.RocHull.from_scores(y, scores, sample_weight=np.full(y.size, 2.0))
    data = binary(summarize(weighted, PLAIN, resamples=0))
    assert data.guarantee is None
    assert "independent rows" in data.guarantee_note


def test_a_report_says_what_is_guaranteed() -> None:
    question = rocch.Question(max_fpr=0.2, confidence=0.9)
    made = summarize(hull(), question, resamples=0)
    found = hull().best(question)
    assert binary(made).guaranteed == str(found.guarantee)
    assert "hold on new rows with 90% confidence" in made.sentence
    assert "## Limits on new rows" in to_markdown(made)
    assert found.guarantee is not None
    assert binary(made).answer.fpr_bound == pytest.approx(found.guarantee.bounds[0])
    assert binary(made).answer.tpr_bound is None
    table = binary(made).guarantee
    assert table is not None
    assert table.confidence == 0.9


@pytest.mark.parametrize("texts", REFERRALS.values(), ids=REFERRALS.keys())
def test_a_report_refers_as_python_does(texts: dict[str, str]) -> None:
    made = summarize(hull(), ask(texts), resamples=0)
    found, wanted = binary(made).referral, refer(texts)
    assert found is not None
    assert made.sentence == found.sentence
    (row,) = found.rows
    shares = row.referred, row.wrong_among_decided, row.expected_cost, row.saves
    assert shares == (
        wanted.referred,
        wanted.wrong_among_decided,
        wanted.expected_cost,
        wanted.saves,
    )
    assert rocch.Question.from_dict(made.question).refers
    sections = {section.title: section.parts for section in made.sections}
    assert sections["Referring cases to a person"][0] == found.words
    assert sections["If every case is decided"] == (binary(made).answer.sentence,)


def test_a_referral_is_stated_in_the_questions_own_units() -> None:
    month: Any = {"refer_cost": 0.1, "cases_per_month": 20_000, "currency": "EUR"}
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
    question = rocch.Question(prevalence=0.3, false_positive=1, false_negative=4, **month)
    made = summarize(hull(), question, resamples=0, names=("fair", "fraud"))
    wanted = hull().refer(known, cost=0.1)
    cost, plain = (
        money(20_000 * each)
        for each in (wanted.expected_cost, hull().best(known).expected_cost or 0.0)
    )
    assert made.sentence.startswith("Predict fraud when ")
    assert ", fair when " in made.sentence
    assert (
        f"Of 100 cases it refers {per_100(wanted.referred)}, and of 100 that it " in made.sentence
    )
    assert f"It costs {cost} EUR per month, against {plain} EUR if every" in made.sentence


def test_without_a_stated_cost_several_are_shown_and_the_cheapest_saves_most() -> None:
    found = binary(summarize(hull(), ask(COSTS), resamples=0)).referral
    assert found is not None
    assert [row.cost for row in found.rows] == [0.067, 0.17, 0.33, 0.5, 0.6]  # of 2 / 3
    saves = [row.saves for row in found.rows]
    assert saves == sorted(saves, reverse=True)
    for row in found.rows:
        known = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
        assert row.saves == hull().refer(known, cost=row.cost).saves


@pytest.mark.parametrize(
    "question",
    [
        rocch.Question(max_fpr=0.2),
        rocch.Question(false_positive=1, false_negative=(2, 4)),
        rocch.Question(cost_ratio=(2, 4)),
        rocch.Question(false_positive=0, false_negative=1),
    ],
)
def test_without_exact_costs_no_referrals_are_shown(question: rocch.Question) -> None:
    assert binary(summarize(hull(), question, resamples=0)).referral is None
