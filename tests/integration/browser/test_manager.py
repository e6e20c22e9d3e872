"""The page for a manager: few sections, rounded numbers, commas, the wheel and paper."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import rocch
from rocch.hybrid.rule_templates import shown_texts
from rocch.report import Summary, summarize
from rocch.report.answer import answer
from rocch.report.binary import Source
from rocch.report.render import to_html
from rocch.report.words import on_rows
from tests.support.many_reports import wine
from tests.support.pages import reach, wait_until
from tests.support.reports import binary, fraud, scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Open = Callable[..., Page]

PAGES = {"two classes": fraud, "many classes": wine}


@cache
def credit() -> Summary:
    """Return the summary of a model with probabilities under exact costs in money."""
    y, columns = scores(("gbm", "logit"))
    probabilities = {name: 1 / (1 + np.exp(-column)) for name, column in columns.items()}
    hull = rocch.RocHull.from_scores(y, probabilities)
    known = rocch.Question(
        false_positive=5, false_negative=40, currency="EUR", cases_per_month=20_000
    )
    return summarize(hull, known, resamples=0, names=("honest", "fraud"), baseline=("gbm", 0.9))


def texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_text_contents()


@pytest.mark.parametrize("kind", PAGES)
def test_a_manager_sees_four_sections(open_page: Open, kind: str) -> None:
    page = open_page(to_html(PAGES[kind]()), details=False)
    assert len(texts(page, "header .contents a")) == 4
    seen = [each for each in page.locator("main h2").all() if each.is_visible()]
    assert [each.text_content() for each in seen][-1] == "Details"
    assert len(seen) == 5  # with the recommendation
    page.locator("header .contents a").last.click()
    page.locator(".details .contents a").last.click()
    assert page.locator("#appendix").is_visible()


def test_what_it_saves_stands_at_the_top(open_page: Open) -> None:
    page = open_page(to_html(credit()), details=False)
    rows = [row.locator("td").all_text_contents() for row in page.locator("#savings-rows tr").all()]
    assert [row[0] for row in rows] == [each.baseline for each in binary(credit()).answer.savings]
    assert rows[0][0].startswith("today's rule, gbm >= 0.9")
    assert texts(page, "#savings-unit") == ["per month, in EUR"]
    assert (
        f"It saves {rows[0][2]} EUR per month against {rows[0][0]}" in texts(page, "#sentence")[0]
    )
    # other costs: rates of the baselines are looked up, and bounds remain where they are known
    page.locator("#false_negative").fill("60")
    bounded = {
        row[0]: bool(row[3])
        for row in (
            each.locator("td").all_text_contents()
            for each in page.locator("#savings-rows tr").all()
        )
    }
    assert bounded.pop("never alarming")
    assert bounded.pop("always alarming")
    assert bounded
    assert not any(bounded.values())
    page.locator("#more summary").click()
    page.locator("#cases_per_month").fill("")
    assert texts(page, "#savings-unit") == ["per 1,000 cases, in EUR"]
    page.locator("#currency").fill("CHF")
    assert texts(page, "#savings-unit") == ["per 1,000 cases, in CHF"]
    assert "CHF per 1,000 cases" in texts(page, "#sentence")[0]


def test_numbers_have_three_digits_and_thresholds_all_of_them_in_tooltips(open_page: Open) -> None:
    page = open_page(to_html(fraud()), details=False)
    page.evaluate("RocchShell.settled()")
    for text in (
        *texts(page, "#sentence"),
        *texts(page, "#facts dd > *"),
        *texts(page, "#choices td"),
    ):
        for number in re.findall(r"\d[\d,]*\.?\d*", text):
            digits = number.replace(",", "").replace(".", "").strip("0")
            assert len(digits) <= 3, text
    shown = page.locator("#choices-rows td:nth-child(2) span").all()
    exact = [each.get_attribute("title") or "" for each in shown]
    assert max(map(len, exact)) > 5
    for each, threshold in zip(shown, exact, strict=True):
        assert float(each.text_content() or "") == pytest.approx(float(threshold), rel=0.005)


def test_classes_have_their_names(open_page: Open) -> None:
    page = open_page(to_html(credit()), details=False)
    assert "of 100 fraud" in texts(page, "#sentence")[0]
    assert texts(page, "#per-1000 tbody th") == ["fraud", "honest"]
    assert texts(page, "#rule-words")[0].startswith("predict fraud when ")


def test_commas_are_read_and_shown_where_the_language_has_them(open_page: Open) -> None:
    american = open_page(to_html(fraud()))
    german = open_page(to_html(fraud()), language="de-DE")
    for page in (american, german):
        page.locator("#false_positive").fill("0,05")
        assert page.evaluate("RocchApp.current().question.false_positive") == 0.05
    american.locator("#false_negative").fill("1,000.5")
    german.locator("#false_negative").fill("1.000,5")
    for page in (american, german):
        assert page.evaluate("RocchApp.current().question.false_negative") == 1000.5
        assert page.evaluate("RocchForm.encode(RocchApp.current().question)") == (
            "prevalence=0.2..0.3&false_positive=0.05&false_negative=1000.5"
        )
    assert "a false alarm costs 0,05, a miss costs 1.000,5" in texts(german, "#assumed")[0]
    assert "a false alarm costs 0.05, a miss costs 1,000.5" in texts(american, "#assumed")[0]
    swapped = str.maketrans(",.", ".,")
    for place in ("#vertices-rows td.number", "#facts dd", "#savings-rows td.number"):
        assert texts(german, place) == [text.translate(swapped) for text in texts(american, place)]
    assert texts(german, "#rule-sql") == texts(american, "#rule-sql")


def test_shares_of_many_classes_are_typed_as_everywhere(open_page: Open) -> None:
    page = open_page(to_html(wine()))
    field, problem = page.locator("#share-0"), page.locator("#shares-problem")
    field.fill("12")
    assert problem.text_content() == "It is a share: write 12% or 0.12."
    for text in ("12 %", "0.12", "12,0%"):
        field.fill(text)
        assert problem.text_content() == ""
        assert page.evaluate("RocchManyApp.current().question.shares[0]") == 0.12
    assert "12% class_0" in texts(page, "#assumed")[0]


@pytest.mark.parametrize("kind", PAGES)
def test_the_wheel_scrolls_the_page_over_charts(open_page: Open, kind: str) -> None:
    page = open_page(to_html(PAGES[kind]()), charts=True)
    page.evaluate("RocchShell.settled()")
    for chart in page.locator(".chart:has(.main-svg)").all():
        chart.scroll_into_view_if_needed()
        chart.hover()
        before = page.evaluate("scrollY")
        ranges = chart.evaluate("(node) => JSON.stringify(node.layout.xaxis?.range ?? null)")
        page.mouse.wheel(0, -120)
        wait_until(page, f"scrollY !== {before}")
        again = chart.evaluate("(node) => JSON.stringify(node.layout.xaxis?.range ?? null)")
        assert again == ranges


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_paper_has_the_question_and_no_controls(open_page: Open, kind: str, paper: str) -> None:
    page = open_page(to_html(PAGES[kind]()), charts=True, details=False)
    page.evaluate("RocchShell.settled()")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    width = {"A4": 680, "Letter": 702}[paper]  # within the margins
    page.set_viewport_size({"width": width, "height": 900})
    assert page.locator("#assumed").is_visible()
    for hidden in ("#panel", ".tools", ".contents", "button.copy", "#details", "select"):
        assert not any(each.is_visible() for each in page.locator(hidden).all()), hidden
    assert page.evaluate("document.documentElement.scrollWidth") <= width + 2
    wide = "(node) => node.scrollWidth > node.clientWidth + 1"
    assert not any(each.evaluate(wide) for each in page.locator(".scroll:visible").all())


def test_ranges_show_the_estimate_and_others_are_counted(open_page: Open) -> None:
    y, columns = scores(("gbm", "logit"))
    probabilities = {name: 1 / (1 + np.exp(-column)) for name, column in columns.items()}
    hull = rocch.RocHull.from_scores(y, probabilities)
    vague = rocch.Question(
        false_positive=5, false_negative=(40, 90), currency="EUR", cases_per_month=20_000
    )
    made = summarize(hull, vague, resamples=0, baseline=("gbm", 0.9))
    page = open_page(to_html(made))
    said = f"It {hull.best(vague).savings(('gbm', 0.9)).sentences[0]}."
    assert said in made.sentence
    assert texts(page, "#sentence") == [made.sentence]
    assert "Estimated for new cases." in texts(page, "#savings-note")[0]
    assert page.locator("#fact-new-rows").is_visible()
    assert texts(page, "#new-rows-remark") == [""]
    page.locator("#false_negative").fill("40..100")
    assert said not in texts(page, "#sentence")[0]
    assert "On new cases" not in texts(page, "#sentence")[0]
    assert "Counted on the evaluation rows." in texts(page, "#savings-note")[0]
    assert texts(page, "#new-rows-remark")[0].startswith("Costs and savings are counted on the ev")
    assert not page.locator("#fact-new-rows").is_visible()
    page.locator("#false_negative").fill("40..90")
    assert texts(page, "#sentence") == [made.sentence]


def test_the_page_of_a_fitted_model_aims_as_the_model_does(open_page: Open) -> None:
    rng = np.random.default_rng(8)
    y = rng.random(400) < 0.3
    X = rng.normal(size=(400, 2)) + 1.2 * y[:, None]
    models = [
        (name, make_pipeline(make_column_transformer(("passthrough", [place])), GaussianNB()))
        for place, name in enumerate(("one", "two"))
    ]
    model = rocch.RocchClassifier(models, cv=3, pos_label=True).fit(X, y)
    made = summarize(model, rocch.Question(false_positive=1, false_negative=6), resamples=0)
    page = open_page(to_html(made))
    source, data = Source.of(model), binary(made)
    seen = []
    asked: Any = (
        ({}, {"false_positive": 1, "false_negative": 6}),
        ({"false_negative": "20"}, {"false_positive": 1, "false_negative": 20}),
        ({"prevalence": "5%"}, {"false_positive": 1, "false_negative": 20, "prevalence": 0.05}),
        ({"max_fpr": "10%"}, {"false_positive": 1, "false_negative": 20, "prevalence": 0.05}),
    )
    for typed, given in asked:
        for name, value in typed.items():
            page.locator(f"#{name}").fill(value)
        limit: Any = {"max_fpr": 0.1} if "max_fpr" in typed else {}
        question = rocch.Question(**given, **limit).resolve(model.hull_.totals)
        view = model.at(question)
        rule = shown_texts(view.rule, "positive")
        shown = {kind: texts(page, f"#rule-{kind}")[0] for kind in rule}
        assert shown == rule
        found = answer(
            source.hull, question, decider=source.decider, why_not="", baselines=data.baselines
        )
        assert texts(page, "#sentence") == [found.sentence if typed else made.sentence]
        line = on_rows(found, question)
        assert texts(page, "#new-rows-remark")[0].startswith(line or "Within limits, costs")
        seen.append((shown["words"], bool(line)))
    assert len(set(seen)) == 4
    assert [aimed for _, aimed in seen] == [True, True, True, False]


def test_a_question_that_refers_cases_leads_with_that_rule(open_page: Open) -> None:
    hull = rocch.RocHull.from_scores(*scores(("gbm", "logit")))
    known = rocch.Question(false_positive=1, false_negative=4, refer_cost=0.1)
    made = summarize(hull, known, resamples=0)
    assert made.question["refer_cost"] == 0.1
    assert "a referred case costs 0.1" in made.assumed
    page = open_page(to_html(made))
    referral = binary(made).referral
    assert referral is not None
    assert made.sentence == referral.sentence
    assert texts(page, "#sentence") == [made.sentence]
    assert texts(page, "#sentence strong")[0].startswith("Predict positive when ")
    assert made.assumed in texts(page, "#assumed")[0]
    assert texts(page, "#plain-sentence") == [binary(made).answer.sentence]
    assert texts(page, "#referral-words") == [referral.words]
    shown = ("dl.referring", "h3.referring", "#plain-sentence", "#referral-words")
    assert all(page.locator(part).is_visible() for part in shown)
    page.locator("#false_negative").fill("5")  # the page knows no referral for other questions
    assert texts(page, "#sentence")[0].startswith("Use ")
    assert not any(page.locator(part).is_visible() for part in shown)
    assert "known for the report's own question" in texts(page, "#moved")[0]
    reach(page, "#reset").click()
    assert texts(page, "#sentence") == [made.sentence]
    assert texts(page, "#moved") == [""]
