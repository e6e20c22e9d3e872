"""Settings typed and turned as a person would; the page must say what Python says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy as np
import pytest

import rocch
from rocch.hybrid.rule_templates import shown_texts
from rocch.numbers import money, per_100, significant
from rocch.report import summarize
from rocch.report.answer import answer
from rocch.report.binary import Source
from rocch.report.render import to_html
from rocch.report.words import PAGE_TEXTS, TEXTS, percent
from rocch.roc.criteria import METRICS
from tests.support.pages import reach, wait_until
from tests.support.questions import QUESTIONS, UNCERTIFIED, hull, rows
from tests.support.reports import binary

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from rocch.report.summary import Answer, BinaryData, Summary

    Open = Callable[..., Page]

KEYS = ("ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End")
SLIDERS = ("prevalence", "false_positive", "false_negative")
MORE = (
    *("negatives_per_positive", "true_positive", "true_negative", "min_tpr", "max_share"),
    *("min_precision", "max_cost", "capacity", "population", "positives", "negatives"),
)
GOALS = {"knob": "position", "maximize": "metric", "cost_ratio": "cost", "false_positive": "cost"}


@cache
def summary() -> Summary:
    known = rocch.Question(prevalence=0.3, false_positive=1, false_negative=4)
    return summarize(hull(), known, resamples=0)


@cache
def data() -> BinaryData:
    return binary(summary())


def tick(page: Page, box: str, on: bool) -> None:
    """Tick a box, or clear it, by the space bar."""
    place = page.locator(f"#{box}")
    if place.is_checked() != on:
        place.press("Space")


def type_text(page: Page, field: str, text: str) -> None:
    place = page.locator(f"#{field}")
    if place.is_enabled():
        place.fill(text)
        place.press("Tab")


def set_question(page: Page, texts: dict[str, str]) -> None:
    """Type a question into empty controls."""
    reach(page, "#reset").click()
    if not page.locator("#more").evaluate("(details) => details.open"):
        reach(page, "#more summary").click()
    for field in ("negatives_per_positive", "population", *MORE, "max_fpr"):
        type_text(page, field, "")
    tick(page, "confidence", False)
    goal = next((GOALS[name] for name in GOALS if name in texts), "hits")
    reach(page, f"#goal-{goal}").check()
    tick(page, "randomize", "randomize" in texts)
    if goal == "cost":
        tick(page, "belief-on", "cost_ratio" in texts)
        for field in (
            ("false_positive", "false_negative", "likely") if "cost_ratio" in texts else ()
        ):
            type_text(page, field, "")
    if goal != "position":
        type_text(page, "prevalence", "")
    for name, text in texts.items():
        if name == "maximize":
            page.locator("#maximize").select_option(text)
        elif name not in ("randomize", "confidence"):
            type_text(page, name, text)
    if "confidence" in texts:
        tick(page, "confidence", True)


def facts_of(found: Answer, question: rocch.Question) -> dict[str, str]:
    """Return the facts beside the sentence, from Python's answer."""
    facts = {"hits": per_100(found.tpr), "alarms": per_100(found.fpr)}
    cases = question.cases_per_month or 1000
    unit = f" {question.currency}" if question.currency else ""
    if found.cost is not None:
        low, high = (f"{money(cases * end)}{unit}" for end in found.cost)
        facts["cost"] = low if low == high else f"{low} to {high}"
    if found.new_rows is not None:
        about = "about " if found.new_rows.slack else ""
        facts["new-rows"] = f"{about}{money(cases * found.new_rows.expected)}{unit}"
    if question.maximize is not None:
        facts["metric"] = significant(found.value, 3)
    if found.worst_regret is not None:
        facts["regret"] = money(1000 * found.worst_regret)
    if found.chance is not None:
        facts["chance"] = percent(found.chance)
    return facts


def gain_of(found: Answer, question: rocch.Question) -> str:
    """Return what a random choice between two settings would gain, as a text."""
    gain = found.randomizing_gains
    if not isinstance(gain, float) or gain <= 0 or question.randomize or question.knob is not None:
        return ""
    if question.confidence is not None:
        return ""
    if found.cost is not None:
        return f"another {money(1000 * gain)} per 1,000 cases"
    return f" {significant(gain, 3) if question.maximize is not None else per_100(gain)}"


def shown_facts(page: Page) -> dict[str, str]:
    shown = page.locator("#facts > div:not([hidden]) dd span")
    return {
        str(each.get_attribute("id")).removeprefix("fact-"): each.text_content() or ""
        for each in shown.all()
    }


def from_address(page: Page) -> rocch.Question:
    """Return the question that Python reads in the page's address."""
    wait_until(page, "location.hash === '#' + RocchForm.encode(RocchApp.current().question)")
    pairs = page.evaluate("location.hash").removeprefix("#").split("&")
    return rocch.Question.from_strings(
        {name: unquote(text) for name, text in (pair.split("=") for pair in pairs)}
    )


def check(page: Page, *, exact_coin: bool = True) -> str:
    """Compare sentence, description, facts and rules with Python's; return the sentence."""
    assert page.locator(".problem:visible").all_text_contents() == []
    current = page.evaluate("RocchApp.current()")
    question = rocch.Question.from_dict(current["question"])
    expected = answer(hull(), question, new_rows=data().new_rows, baselines=data().baselines)
    assert page.locator("#sentence").text_content() == expected.sentence
    assumed = page.locator("#assumed").text_content()
    assert assumed == PAGE_TEXTS["assumed"].format(question=question.describe())
    assert shown_facts(page) == facts_of(expected, question)
    page.evaluate("RocchShell.settled()")
    gain, words = gain_of(expected, question), page.locator("#gain-words").text_content() or ""
    assert gain in words
    assert bool(gain) == bool(words)
    remark = page.locator("#new-rows-remark").text_content() or ""
    assert remark.lower().removesuffix(".") == expected.new_rows_note.lower()
    shares = [part["probability"] for part in current["answer"]["parts"]]
    assert shares == pytest.approx([part.probability for part in expected.parts], rel=1e-9)
    if not exact_coin:  # a search ends within the last digits
        parts = zip(expected.parts, shares, strict=True)
        own = tuple(replace(part, probability=share) for part, share in parts)
        expected = replace(expected, parts=own)
    source = Source.of(hull(), label="label", labels=("0", "1"))
    for kind, text in shown_texts(source.rule(expected), "positive").items():
        assert page.locator(f"#rule-{kind}").text_content() == text
    assert from_address(page) == question
    return expected.sentence


@pytest.fixture
def page(open_page: Open) -> Page:
    return open_page(to_html(summary()))


# Pages on which the kinds of questions are asked: all on one would take a slow machine minutes.
PARTS = 5


@pytest.mark.parametrize("part", range(PARTS))
def test_every_kind_of_question_is_answered_as_python_does(page: Page, part: int) -> None:
    names = list(QUESTIONS)[part::PARTS]
    assert len(names) >= 30 // PARTS
    seen = set()
    for name in names:
        set_question(page, QUESTIONS[name])
        asked = rocch.Question.from_strings(QUESTIONS[name]).resolve(hull().totals)
        got = rocch.Question.from_dict(page.evaluate("RocchApp.current().question"))
        # an observed prevalence is shown as the number that it is
        wanted = replace(asked, prevalence=got.prevalence) if asked.prevalence is None else asked
        assert got.confidence == asked.confidence
        assert got == wanted, name
        seen.add(check(page))
    assert len(seen) >= 20 // PARTS


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_is_maximized_as_python_does(page: Page, metric: str) -> None:
    for texts in ({}, {"prevalence": "2%"}, {"max_fpr": "0.1", "randomize": "true"}):
        set_question(page, {"maximize": metric, **texts})
        sentence = check(page, exact_coin=metric != "geometric_mean")
        assert TEXTS[f"metric_{metric}"] in sentence


POOLS = {
    "prevalence": (
        "0",
        "1",
        "0.1",
        "5%",
        "0.2..0.6",
        "0..0.3",
        "20-60%",
        "0.5..0.1",
        "7",
    ),
    "negatives_per_positive": ("0", "3", "2..9", "-1"),
    "false_positive": ("0", "1", "2.5", "1..3", "0..2", "1e200"),
    "false_negative": ("0", "4", "1/2", "3..30", "0..1"),
    "true_positive": ("0", "1", "0.1..0.3"),
    "true_negative": ("0.5", "0..1"),
    "cost_ratio": ("0", "3", "2..9", "2..inf", "0..5", "1e10", "0.1..0.5", "inf"),
    "likely": ("3", "0", "1..2"),
    "max_fpr": ("0", "0.07", "1", "5%", "2"),
    "min_tpr": ("0", "0.6", "1"),
    "max_share": ("0", "0.2", "30%"),
    "capacity": ("0", "40", "400"),
    "population": ("0", "1000"),
    "positives": ("0", "60"),
    "negatives": ("0", "900"),
    "maximize": ("f1", "precision", "geometric_mean", "auc"),
    "knob": ("0", "0.4", "1", "3"),
    "randomize": ("true", "false"),
}
READ = """(links) => links.map((link) => {
  try {
    const question = RocchForm.decode(link);
    const answer = RocchAnswer.answer(RocchAnswer.prepare(BINARY), question);
    if (answer.problem) return answer.problem;
    return { question, sentence: RocchSentences.sentence(answer, question, BINARY.texts) };
  } catch (error) {
    return "refused";
  }
})""".replace("BINARY", "RocchShell.data('summary').binary")


def drawn_texts(rng: np.random.Generator) -> dict[str, str]:
    """Draw a few fields, which mostly go together, and a text for each."""
    cores = (("false_positive", "false_negative"), ("cost_ratio",), ("maximize",), ("max_fpr",), ())
    names = {*cores[rng.integers(len(cores))], *rng.choice(list(POOLS), rng.integers(0, 4))}
    ordered = [name for name in POOLS if name in names]
    return {name: str(rng.choice(POOLS[name])) for name in ordered}


def answered(texts: dict[str, str]) -> tuple[rocch.Question, str] | None:
    """Return Python's question and sentence; None where it refuses."""
    if set(texts) <= {"prevalence", "negatives_per_positive", "randomize"}:
        texts = {**texts, "false_positive": "1", "false_negative": "1"}  # as reports do
    try:
        question = rocch.Question.from_strings(texts).resolve(hull().totals)
        return question, answer(
            hull(), question, new_rows=data().new_rows, baselines=data().baselines
        ).sentence
    except rocch.RocchError:
        return None


def test_page_and_python_refuse_the_same_questions(page: Page) -> None:
    rng = np.random.default_rng(4)
    drawn = [drawn_texts(rng) for _ in range(1200)]
    drawn = [texts for texts in drawn if texts]
    links = ["#" + "&".join(f"{k}={quote(v)}" for k, v in texts.items()) for texts in drawn]
    accepted, wrong = 0, []
    for texts, got in zip(drawn, page.evaluate(READ, links), strict=True):
        expected = answered(texts)
        read = isinstance(got, dict) and (
            rocch.Question.from_dict(got["question"]),
            got["sentence"],
        )
        if (read or None) != expected:
            wrong.append((texts, got, expected))
        accepted += expected is not None
    assert wrong == []
    assert 200 < accepted < len(drawn) - 200


def turn(page: Page, rng: np.random.Generator) -> None:
    """Turn a few knobs at random: by typing, by keys, and by mouse."""
    reach(page, "#goal-cost").check()
    tick(page, "belief-on", False)
    for name, low, high in zip(SLIDERS, (0.1, 0.1, 0.1), (90, 50, 500), strict=True):
        ends = np.sort(np.exp(rng.uniform(np.log(low), np.log(high), 2)))
        unit = "%" if name == "prevalence" else ""
        ranged = rng.random() < 0.5
        text = f"{ends[0]:.4g}..{ends[1]:.4g}" if ranged else f"{ends[0]:.4g}"
        type_text(page, name, text + unit)
    slider = reach(page, f"#{rng.choice(SLIDERS)}-low-slider")
    slider.press(str(rng.choice(KEYS[:4])))
    if rng.random() < 0.3:
        box = slider.bounding_box()
        assert box is not None
        x = box["x"] + rng.uniform(0.1, 0.9) * box["width"]
        page.mouse.click(x, box["y"] + box["height"] / 2)


def limit(page: Page, rng: np.random.Generator) -> None:
    """Set a belief, limits, the goal and the coin at random."""
    limited, full = rng.random(2) < 0.4
    type_text(page, "max_fpr", str(rng.choice(["0.5%", "2%", "0.05", "20%"])) if limited else "")
    if not page.locator("#more").evaluate("(details) => details.open"):
        reach(page, "#more summary").click()
    type_text(page, "population", "10,000" if full else "")
    type_text(page, "capacity", str(rng.choice(["50", "400", "2500"])) if full else "")
    if (limited or full) and rng.random() < 0.3:
        reach(page, "#goal-hits").check()
    elif rng.random() < 0.4:
        tick(page, "belief-on", True)
        least, likely, most = np.sort(np.exp(rng.uniform(np.log(0.2), np.log(80), 3)))
        type_text(page, "cost_ratio", f"{least:.4g}..{most:.4g}")
        type_text(page, "likely", f"{likely:.4g}" if rng.random() < 0.5 else "")
        alarm: Any = page.locator("#false_positive")
        alarm.fill(f"{rng.uniform(0.5, 30):.3g}")
        alarm.press("Tab")
    tick(page, "randomize", bool(rng.random() < 0.4))


@pytest.mark.parametrize("seed", range(3))
def test_random_settings_are_answered_as_python_does(page: Page, seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen = set()
    for _ in range(14):
        turn(page, rng)
        limit(page, rng)
        seen.add(check(page, exact_coin=False))
    assert len(seen) >= 10


def test_too_few_rows_for_a_guarantee_are_explained_at_the_switch(page: Page) -> None:
    set_question(page, {"max_fpr": "1%", "confidence": "95%"})
    problem = page.locator("#confidence-problem").text_content() or ""
    with pytest.raises(rocch.InfeasibleError) as refused:
        hull().best(rocch.Question(max_fpr=0.01, confidence=0.95))
    need = "it takes at least 408 negatives (there are 120), and no false alarm among them"
    assert need in problem
    assert need.removeprefix("it takes ") in str(refused.value)
    set_question(page, {"min_tpr": "99.9%", "confidence": "95%"})
    problem = page.locator("#confidence-problem").text_content() or ""
    assert "positives (there are 80)" in problem


@pytest.mark.parametrize("texts", UNCERTIFIED.values(), ids=UNCERTIFIED.keys())
def test_limits_that_only_python_certifies_name_the_command(
    page: Page, texts: dict[str, str]
) -> None:
    set_question(page, texts)
    problem = page.locator("#confidence-problem").text_content() or ""
    assert problem == PAGE_TEXTS["uncertified"]
    assert "rocch best with --confidence" in problem


def test_the_reports_own_question_is_shown_though_the_page_cannot_certify_it(
    open_page: Open,
) -> None:
    question = rocch.Question(min_precision=0.6, confidence=0.95)
    made = summarize(hull(), question, resamples=0)
    page = open_page(to_html(made))
    assert page.locator("#sentence").text_content() == made.sentence
    assert page.locator("#confidence").is_checked()
    assert page.locator(".problem:visible").all_text_contents() == []


def test_the_switch_goes_with_limits_and_not_with_a_coin(page: Page, open_page: Open) -> None:
    set_question(page, {"false_positive": "1", "false_negative": "2", "randomize": "true"})
    assert page.locator("#confidence").is_disabled()
    assert page.locator("#randomize").is_enabled()
    set_question(page, {"max_fpr": "0.2", "confidence": "95%"})
    assert page.locator("#confidence").is_enabled()
    assert page.locator("#randomize").is_disabled()
    y, scores = rows()
    weighted = rocch.RocHull.from_scores(y, scores, sample_weight=np.full(y.size, 2.0))
    made = summarize(weighted, rocch.Question(max_fpr=0.2), resamples=0)
    other = open_page(to_html(made))
    assert other.locator("#confidence").is_disabled()
    assert "independent rows" in (other.locator("#confidence-hint").text_content() or "")
