"""What the page on two classes computes and writes, against Python, number by number."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import rocch
from rocch.errors import InfeasibleError, UndefinedError, escape_controls
from rocch.hybrid.rule_templates import shown_texts
from rocch.numbers import (
    fixed,
    format_number,
    money,
    parse_interval,
    per_100,
    rough_threshold,
    significant,
)
from rocch.report.answer import answer
from rocch.report.binary import Source, summarize_binary
from rocch.report.render import ANSWERING, page_file
from rocch.report.words import TEXTS, counted, percent
from rocch.roc.criteria import METRICS
from rocch.roc.question_table import REFERRAL
from tests.support.asking import hull_of, question_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from rocch import Question
    from rocch.report.aim import Decider
    from rocch.report.summary import Answer, BinaryData

    Open = Callable[..., Page]

LABELS = (
    ("0", "1"),
    ("good", "bad"),
    ("it's", 'a"b\\'),
    ("-1", "1.0"),
    ("00", "007"),
)
ANSWER = """
(cases) => cases.map(({ binary, questions }) => {
  const model = RocchAnswer.prepare(binary);
  return questions.map((question) => {
    const answer = RocchAnswer.answer(model, question);
    if (answer.problem) return answer.problem;
    const { texts, fields, rule } = binary;
    return {
      answer: { ...answer, sentence: RocchSentences.sentence(answer, question, texts) },
      assumed: RocchSentences.describe(question, fields, texts),
      rules: ["words", "python", "sql"].map((kind) => RocchSentences.rule(kind, answer, rule)),
    };
  });
})
"""


@pytest.fixture
def computing(open_page: Open) -> Page:
    """Return an empty page with the scripts that answer questions."""
    scripts = "".join(f"<script>{page_file(name)}</script>" for name in ANSWERING)
    return open_page(f"<!doctype html><meta charset='utf-8'><title>x</title>{scripts}")


def hulls() -> list[rocch.RocHull]:
    """Return hulls: plain, with labels, weighted, without curves, pooled; tiny to large."""
    sizes = (9, 30, 30, 300)
    made = [hull_of(seed, size=sizes[seed % 4]) for seed in range(33)]
    return [*made, *(hull_of(seed, size=3000) for seed in (40, 41))]


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(asdict(value)))


def with_least_tpr(question: Question, rng: np.random.Generator) -> Question:
    """Return the question, sometimes with a limit on TPR, which others may contradict."""
    least = float(rng.choice([0, 0.2, 0.5, 0.9, 1]))
    return question if question.knob or rng.random() < 0.9 else replace(question, min_tpr=least)


def with_other_limits(question: Question, rng: np.random.Generator) -> Question:
    """Return the question, sometimes with a least precision, a limit on costs, or a confidence."""
    kind = rng.random()
    if question.knob is not None or kind < 0.7:
        return question
    if kind < 0.78:
        return replace(question, min_precision=float(rng.choice([0.1, 0.5, 0.9, 1])))
    if kind < 0.84 and question.conditions is not None:
        return replace(question, max_cost=float(rng.choice([0.1, 1, 10, 100])))
    if question.capacity is not None or question.max_share is not None:
        return question
    most = float(rng.choice([0.05, 0.2, 0.5, 1]))
    return replace(question, max_fpr=most, confidence=0.95, randomize=False)


def with_amounts(question: Question, rng: np.random.Generator) -> Question:
    """Return a question about costs, sometimes with a unit of money and cases in a month."""
    if not question.has_unit or question.maximize is not None or rng.random() < 0.7:
        return question
    return replace(question, currency="EUR", cases_per_month=float(rng.choice([7, 20_000])))


def answer_or_problem(
    hull: rocch.RocHull, question: Question, data: BinaryData, decider: Decider | None = None
) -> Answer | str:
    """Return Python's answer, or the name of the problem that the page has instead."""
    why_not = next((name for name, text in TEXTS.items() if text == data.new_rows_note), "")
    try:
        return answer(
            hull,
            question,
            decider=decider,
            new_rows=data.new_rows,
            baselines=data.baselines,
            why_not=why_not,
            names=(data.texts["negatives"], data.texts["positives"]),
        )
    except InfeasibleError as error:
        if question.confidence is not None:
            return "unsure"
        return "needs_coin" if "but a coin" in str(error) else "infeasible"
    except UndefinedError as error:
        return "infinite" if "infinite" in str(error) else "undefined"


def difference(wanted: Any, got: Any, off: float = 1e-9, path: str = "") -> str:
    """Return where two answers differ first; numbers may by a part as small as `off`."""
    if isinstance(wanted, bool) or not isinstance(wanted, int | float | list | dict):
        return "" if wanted == got else f"{path}: {wanted!r} and {got!r}"
    if isinstance(wanted, int | float):
        close = isinstance(got, int | float) and math.isclose(
            wanted, got, rel_tol=off, abs_tol=1e-12
        )
        return "" if close else f"{path}: {wanted!r} and {got!r}"
    if type(wanted) is not type(got) or len(wanted) != len(got):
        return f"{path}: {wanted!r} and {got!r}"
    if isinstance(wanted, dict) and set(wanted) != set(got):
        return f"{path}: {sorted(wanted)} and {sorted(got)}"
    keys = wanted if isinstance(wanted, dict) else range(len(wanted))
    return next(
        (
            found
            for key in keys
            if (found := difference(wanted[key], got[key], off, f"{path}.{key}"))
        ),
        "",
    )


def with_coin_of(wanted: Answer, got: Any) -> Answer:
    """Return Python's answer with the last digits of the page's coin."""
    shares = [part["probability"] for part in got["parts"]]
    parts = zip(wanted.parts, shares, strict=True)
    return replace(wanted, parts=tuple(replace(part, probability=p) for part, p in parts))


def test_page_and_python_agree_on_a_thousand_questions(computing: Page) -> None:
    cases, sent = [], []
    for number, hull in enumerate(hulls()):
        labels = LABELS[number % len(LABELS)]
        data = summarize_binary(hull, rocch.Question(max_fpr=1), resamples=0, labels=labels).binary
        assert data is not None
        rng = np.random.default_rng(1000 + number)
        many = 33 if hull.totals.total < 1000 else 10  # Python takes its time with large ones
        drawn = [with_least_tpr(question_of(rng), rng) for _ in range(many)]
        drawn = [with_other_limits(question, rng) for question in drawn]
        drawn = [with_amounts(question, rng) for question in drawn]
        pooled = hull.totals.pooled  # it has no observed prevalence
        if data.guarantee is None:
            assert pooled or hull.totals.weighted
            drawn = [replace(question, confidence=None) for question in drawn]
        asked = [q.resolve(hull.totals) for q in drawn if q.prevalence or not pooled]
        wanted = [(each, answer_or_problem(hull, each, data)) for each in asked]
        cases.append((Source.of(hull, label="y", labels=labels), wanted))
        sent.append({"binary": as_json(data), "questions": [each.to_dict() for each in asked]})
    seen: Counter[str] = Counter()
    for (source, wanted), found in zip(cases, computing.evaluate(ANSWER, sent), strict=True):
        for (question, expected), got in zip(wanted, found, strict=True):
            seen.update([*question.given, f"{len(question.given)} fields"])
            if isinstance(expected, str) or isinstance(got, str):
                # settings that catch nothing are left out of the front: never alarming is better,
                # though a precision or lift is undefined there
                nothing = not isinstance(expected, str) and expected.fpr > expected.tpr == 0
                assert got == ("undefined" if nothing else expected), question
                seen["problems"] += 1
                continue
            numbers = as_json(expected)
            del numbers["objective"]
            # at the peak of the geometric mean many coins are equally good
            off = 1e-6 if question.maximize == "geometric_mean" else 1e-9
            assert difference(numbers, got["answer"], off) == "", question
            assert got["assumed"] == question.describe()
            seen["coins"] += len(expected.parts) > 1
            seen["guarantees"] += question.confidence is not None
            rule = source.rule(with_coin_of(expected, got["answer"]))
            assert dict(zip(("words", "python", "sql"), got["rules"], strict=True)) == (
                shown_texts(rule, source.called)
            ), question
    every = (
        {field.name for field in rocch.Question.fields()} - {"negatives_per_positive"} - REFERRAL
    )
    assert every <= set(seen)
    assert sum(count for name, count in seen.items() if name.endswith(" fields")) >= 1000
    assert seen["coins"] >= 50
    assert seen["problems"] >= 10
    assert min(seen["min_precision"], seen["max_cost"]) >= 20
    assert seen["guarantees"] >= 40


def models() -> list[rocch.RocchClassifier]:
    """Return fitted models: with a stack, with one model that gives probabilities or scores."""
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.35
    X = rng.normal(size=(300, 2)) + 1.1 * y[:, None]
    columns = [make_column_transformer(("passthrough", [place])) for place in (0, 1)]
    kinds: list[Any] = [
        [(name, make_pipeline(c, GaussianNB())) for name, c in zip("ab", columns, strict=True)],
        [("nb", GaussianNB())],
        [("margin", LinearSVC())],
    ]
    made = [rocch.RocchClassifier(kind, cv=3, pos_label=True).fit(X, y) for kind in kinds]
    small = rocch.RocchClassifier([("margin", LinearSVC())], cv=3, pos_label=True)
    held = rocch.RocchClassifier(kinds[0], cv=3, pos_label=True, check_size=0.4)
    return [*made, small.fit(1e6 * X, y), held.fit(X, y)]


def test_page_and_python_agree_on_fitted_models(computing: Page) -> None:
    """Exact costs are aimed for new rows, as `model.at` aims them; other questions at the hull."""
    cases, sent = [], []
    for number, model in enumerate(models()):
        rng = np.random.default_rng(number)
        own = summarize_binary(model, rocch.Question(max_fpr=1), resamples=0).binary
        assert own is not None
        source, totals = Source.of(model), model.hull_.totals
        drawn = [question_of(rng) for _ in range(60)]
        drawn += [
            rocch.Question(false_positive=1, false_negative=miss, prevalence=share)
            for miss in (0, 1e-6, 0.5, 1, 4, 1e6)
            for share in ("observed", 0.1)
        ]
        drawn.append(rocch.Question(max_fpr=0.2, confidence=0.95))
        asked = [each.resolve(totals) for each in drawn]
        wanted = [
            (each, answer_or_problem(source.hull, each, own, source.decider)) for each in asked
        ]
        cases.append((model, source, wanted))
        sent.append({"binary": as_json(own), "questions": [each.to_dict() for each in asked]})
    seen: Counter[str] = Counter()
    for (model, source, wanted), found in zip(cases, computing.evaluate(ANSWER, sent), strict=True):
        for (question, expected), got in zip(wanted, found, strict=True):
            if isinstance(expected, str):
                assert got == expected, question
                continue
            numbers = as_json(expected)
            del numbers["objective"]
            off = 1e-6 if question.maximize == "geometric_mean" else 1e-9
            assert difference(numbers, got["answer"], off) == "", question
            seen["aimed"] += expected.on_rows is not None
            seen["hull"] += expected.on_rows is None
            if len(expected.parts) > 1:
                continue
            texts = shown_texts(model.at(question).rule, source.called)
            assert dict(zip(("words", "python", "sql"), got["rules"], strict=True)) == texts
    assert min(seen.values()) >= 50


def test_thresholds_are_written_as_python_does(computing: Page) -> None:
    values = [float(f"{number:.6g}") for number in numbers()]
    got = computing.evaluate(
        "(values) => values.map((x) => [RocchNumbers.pythonic(x), RocchNumbers.pythonic(x, true)])",
        values,
    )
    assert got == [[repr(float(x)), f"{x:.6g}"] for x in values]


@pytest.mark.parametrize("metric", METRICS)
def test_metrics_agree_with_a_coin_and_limits(computing: Page, metric: str) -> None:
    hull = hull_of(7, size=300)
    data = summarize_binary(hull, rocch.Question(max_fpr=1), resamples=0, label="y").binary
    assert data is not None
    asked = [
        rocch.Question(maximize=metric, randomize=coin, **cast(Any, more))
        for coin in (False, True)
        for more in ({}, {"prevalence": 0.02}, {"max_fpr": 0.03}, {"min_tpr": 0.6, "max_fpr": 0.5})
    ]
    resolved = [each.resolve(hull.totals) for each in asked]
    sent = [{"binary": as_json(data), "questions": [each.to_dict() for each in resolved]}]
    for question, got in zip(resolved, computing.evaluate(ANSWER, sent)[0], strict=True):
        wanted = answer(hull, question, new_rows=data.new_rows, baselines=data.baselines)
        assert got["answer"]["value"] == pytest.approx(wanted.value, rel=1e-9), question
        assert got["answer"]["sentence"] == wanted.sentence


def test_negatives_per_positive_are_a_prevalence(computing: Page) -> None:
    hull = hull_of(0, size=300)
    data = summarize_binary(hull, rocch.Question(max_fpr=1), resamples=0, label="y").binary
    assert data is not None
    costs: dict[str, Any] = {"false_positive": 1, "false_negative": 4}
    asked = [
        rocch.Question(negatives_per_positive=ratio, **costs) for ratio in (0.5, 3, (2, 7), (0, 1))
    ]
    sent = [{"binary": as_json(data), "questions": [each.to_dict() for each in asked]}]
    for question, got in zip(asked, computing.evaluate(ANSWER, sent)[0], strict=True):
        assert (
            got["answer"]["sentence"]
            == answer(hull, question, new_rows=data.new_rows, baselines=data.baselines).sentence
        )


def numbers() -> list[float]:
    """Return numbers of every size, many of them halfway between what can be written."""
    rng = np.random.default_rng(6)
    ties = [12.5, 0.125, 0.5, 1.5, 2.5, 1.005, 0.045, 99.5, 99.95, 999.5, 1e21, 1e22, 1e30, 1e-13]
    halves = (rng.integers(0, 10**5, size=1000) + 0.5) / 2.0 ** rng.integers(0, 12, size=1000)
    sizes = 10 ** rng.uniform(-13, 25, size=2500)
    shares = np.concatenate((rng.random(800), 1 - 10 ** rng.uniform(-12, -1, size=700)))
    found = [0.0, *ties, *halves.tolist(), *sizes.tolist(), *shares.tolist()]
    return [*found, *(-number for number in found[1:40])]


def test_numbers_are_written_alike(computing: Page) -> None:
    values = numbers()
    assert len(values) > 5000
    rates = [value for value in values if 0 <= value <= 1]
    got = computing.evaluate(
        """([values, rates]) => [
          values.map((x) => [0, 2, 6, 12].map((n) => RocchNumbers.fixed(x, n))),
          values.map((x) => [1, 2, 3, 6].map((n) => RocchNumbers.significant(x, n))),
          values.map(RocchNumbers.money),
          values.map(RocchNumbers.counted),
          rates.map(RocchNumbers.per100),
          rates.map(RocchNumbers.percent),
          rates.map(RocchNumbers.percentage),
          values.map((x) => RocchNumbers.roughThreshold(String(x))),
        ]""",
        [values, rates],
    )
    assert got[0] == [[fixed(x, n) for n in (0, 2, 6, 12)] for x in values]
    assert got[1] == [[significant(x, n) for n in (1, 2, 3, 6)] for x in values]
    assert got[2] == [money(x) for x in values]
    assert got[3] == [counted(x) for x in values]
    assert got[4] == [per_100(x) for x in rates]
    assert got[5] == [percent(x) for x in rates]
    assert got[6] == [per_100(x, 3) for x in rates]
    assert got[7] == [rough_threshold(format_number(x)) for x in values]


TYPED = (
    *("5", "1e3", "1e-5", "+3", "-1", ".5", "5.", "1,000", "1,234,567.5", "1/6", "2/0", "1/2/4"),
    *(
        "inf",
        "Infinity",
        "2..inf",
        "10..40",
        "10...40",
        "10…40",
        "5-20",
        "5 \N{EN DASH} 20",
        "0.1-0.2",
    ),
    *("5%", "5 %", "5..10 %", "5%..10%", "5-10%", "1/4%", "0.5..", "..5", "1..2..3", "", " "),
    *("0,5", ",5", "1,00,000", "1.000,5", "1e999", "five", "5 6", "1e", "%", "-", "1--2", "1e5-2"),
)


def test_numbers_are_read_alike(computing: Page) -> None:
    rng = np.random.default_rng(2)
    marks = list("0123456789..,,//--%e+ …inf")
    typed = [*TYPED, *("".join(rng.choice(marks, rng.integers(1, 9))) for _ in range(3000))]
    got = computing.evaluate(
        """(typed) => typed.map((text) => [false, true].map((isShare) => {
          const found = RocchNumbers.parseInterval(text, isShare);
          return found === null ? null : [found].flat().map(String);
        }))""",
        typed,
    )
    read = 0
    for text, both in zip(typed, got, strict=True):
        for is_share, found in zip((False, True), both, strict=True):
            wanted = parse_interval(text, is_share=is_share)
            ends = wanted if isinstance(wanted, tuple) else (wanted,)
            if wanted is None:
                assert found is None, text
                continue
            read += 1
            assert [float(end) for end in found] == list(ends), text
    assert read > 500


def test_names_are_escaped_alike(computing: Page) -> None:
    names = [chr(code) for code in (*range(0x180), *range(0x600, 0x620), *range(0x2000, 0x2080))]
    got = computing.evaluate("(names) => names.map(RocchNumbers.escaped)", names)
    assert got == [escape_controls(name) for name in names]
