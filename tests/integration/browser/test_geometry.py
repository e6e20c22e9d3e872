"""The page's geometry and words, against Python's on the same cases, to the letter."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.integrate import trapezoid

import rocch
from rocch.numbers import fixed, money, per_100, significant
from rocch.report import Summary
from rocch.report.answer import answer
from rocch.report.front import front_of
from rocch.report.html import GEOMETRY, page_file
from rocch.report.question import Question
from rocch.report.words import counted, percent
from tests.support.asking import hull_of, question_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Open = Callable[..., Page]

LABELS = (
    (0, 1),
    ("good", "bad"),
    (False, True),
    ("it's", 'a"b\\'),
    (-1, 1.0),
    ("00", "007"),
    ("0", "bad"),
)
KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)


@pytest.fixture
def twin(open_page: Open) -> Page:
    """Return an empty page with both modules."""
    scripts = "".join(f"<script>{page_file(name)}</script>" for name in GEOMETRY)
    return open_page(f"<!doctype html><meta charset='utf-8'><title>x</title>{scripts}")


def hulls() -> list[rocch.RocHull]:
    """Return 36 hulls: plain, with labels, weighted, without curves, pooled; tiny to large."""
    sizes = (9, 30, 30, 300)
    made = [hull_of(seed, size=sizes[seed % 4]) for seed in range(33)]
    return [*made, *(hull_of(seed, size=3000) for seed in (40, 41, 42))]


def case(number: int, hull: rocch.RocHull) -> dict[str, Any]:
    labels = LABELS[number % len(LABELS)]
    summary = rocch.report.summarize(hull, conditions=KNOWN, resamples=0, labels=labels)
    assert isinstance(summary, Summary)
    rng = np.random.default_rng(1000 + number)
    many = 31 if hull.totals.total < 1000 else 10  # Python takes its time with large ones
    questions = [question_of(rng) for _ in range(many)]
    return {
        "summary": as_json(summary),
        "questions": [as_json(question) for question in questions],
        "wanted": [{"answer": as_json(answer(hull, question))} for question in questions],
        "rules": [writer(hull, question, labels) for question in questions],
    }


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(asdict(value)))


def writer(hull: rocch.RocHull, question: Question, labels: tuple[Any, Any]) -> Any:
    """Return what writes the rule of an answer, given the page's own coin; None without a rule."""
    point = hull.best(question.criterion(), randomize=question.randomize)
    if any(isinstance(place.threshold, str) for _, place in point.mix):
        return None  # a setting that is known by its name only

    def texts(shares: list[float]) -> dict[str, str]:
        mix = tuple((share, place) for share, (_, place) in zip(shares, point.mix, strict=True))
        rule = rocch.hybrid.Rule.from_point(
            replace(point, mix=mix), positive=labels[1], negative=labels[0], row_key="row_id"
        )
        dialect: Any = "postgresql" if len(mix) > 1 else "standard"
        return {"plain": str(rule), "sql": rule.to_sql(dialect=dialect)}

    return texts


ASK = """
(cases) => cases.map(({ summary, questions }) => {
  const model = RocchGeometry.prepare(JSON.parse(JSON.stringify(summary)));
  return questions.map((question) => {
    const problem = RocchQuestion.problem(question);
    if (problem) return problem;
    const answer = RocchGeometry.answer(model, question);
    return {
      answer,
      plain: RocchWords.plain(answer, summary.deployment),
      sql: RocchWords.sql(answer, summary.deployment).replace(/^--.*\\n/, ""),
    };
  });
})
"""


def difference(wanted: Any, got: Any, path: str = "") -> str:
    """Say where two answers differ first; numbers may in the ninth digit."""
    if isinstance(wanted, bool) or not isinstance(wanted, int | float | list | dict):
        return "" if wanted == got else f"{path}: {wanted!r} and {got!r}"
    if isinstance(wanted, int | float):
        close = isinstance(got, int | float) and math.isclose(
            wanted, got, rel_tol=1e-9, abs_tol=1e-12
        )
        return "" if close else f"{path}: {wanted!r} and {got!r}"
    if type(wanted) is not type(got) or len(wanted) != len(got):
        return f"{path}: {wanted!r} and {got!r}"
    keys = wanted if isinstance(wanted, dict) else range(len(wanted))
    if isinstance(wanted, dict) and set(wanted) != set(got):
        return f"{path}: {sorted(wanted)} and {sorted(got)}"
    return next(
        (found for key in keys if (found := difference(wanted[key], got[key], f"{path}.{key}"))), ""
    )


def test_page_and_python_agree_on_a_thousand_questions(twin: Page) -> None:
    cases = [case(number, hull) for number, hull in enumerate(hulls())]
    sent = [{key: each[key] for key in ("summary", "questions")} for each in cases]
    answers = twin.evaluate(ASK, sent)
    asked = tossed = 0
    for number, (each, found) in enumerate(zip(cases, answers, strict=True)):
        asking = zip(each["questions"], each["wanted"], each["rules"], found, strict=True)
        for question, wanted, rule, got in asking:
            texts = {key: got.pop(key) for key in ("plain", "sql")}
            assert difference(wanted, got) == "", (number, question)
            shares = [part["probability"] for part in got["answer"]["parts"]]
            assert rule is None or rule(shares) == texts, (number, question)
            asked += 1
            tossed += rule is not None and len(shares) > 1
    assert asked >= 1000
    assert tossed >= 50


def numbers() -> list[float]:
    """Return numbers of every size, many of them halfway between what can be written."""
    rng = np.random.default_rng(6)
    ties = [12.5, 0.125, 0.5, 1.5, 2.5, 1.005, 0.045, 99.5, 99.95, 999.5, 1e21, 1e22, 1e30, 1e-13]
    halves = (rng.integers(0, 10**5, size=1000) + 0.5) / 2.0 ** rng.integers(0, 12, size=1000)
    sizes = 10 ** rng.uniform(-13, 25, size=2500)
    shares = np.concatenate((rng.random(800), 1 - 10 ** rng.uniform(-12, -1, size=700)))
    found = [0.0, *ties, *halves.tolist(), *sizes.tolist(), *shares.tolist()]
    return [*found, *(-number for number in found[1:40])]


def test_numbers_are_written_alike(twin: Page) -> None:
    values = numbers()
    assert len(values) > 5000
    rates = [value for value in values if 0 <= value <= 1]
    got = twin.evaluate(
        """([values, rates]) => [
          values.map((x) => [0, 2, 6, 12].map((n) => RocchWords.fixed(x, n))),
          values.map((x) => [1, 2, 3, 6].map((n) => RocchWords.significant(x, n))),
          values.map(RocchWords.money),
          values.map(RocchWords.counted),
          rates.map(RocchWords.per100),
          rates.map(RocchWords.percent),
        ]""",
        [values, rates],
    )
    assert got[0] == [[fixed(x, n) for n in (0, 2, 6, 12)] for x in values]
    assert got[1] == [[significant(x, n) for n in (1, 2, 3, 6)] for x in values]
    assert got[2] == [money(x) for x in values]
    assert got[3] == [counted(x) for x in values]
    assert got[4] == [per_100(x) for x in rates]
    assert got[5] == [percent(x) for x in rates]


BAD: tuple[dict[str, Any], ...] = (
    {"prevalence": [0, 0.5]},
    {"prevalence": [0.5, 1]},
    {"prevalence": [0.5, 0.2]},
    {"false_positive": [-1, 1]},
    {"false_negative": [2, 1]},
    {"false_negative": [1, 1e101]},
    {"false_positive": [0, 1], "false_negative": [0, 2]},
    {"belief": [3, 2, 4]},
    {"belief": [1, 5, 4]},
    {"belief": [-1, 2, 3]},
    {"belief": [1, 2, 1e10]},
    {"belief": [1, 2, 3], "false_positive": [0, 1]},
    {"max_fpr": 1.5},
    {"max_fpr": -0.1},
    {"capacity": 5},
    {"population": 5},
    {"capacity": -5, "population": 5},
    {"capacity": 5, "population": 0},
    {"goal": "hits"},
)


def test_page_and_python_refuse_alike(twin: Page) -> None:
    usual = as_json(Question(prevalence=0.2))  # type: ignore[arg-type]
    for bad in BAD:
        with pytest.raises(rocch.InputError):
            Question(**{**usual, **bad})
    asked = [usual, *({**usual, **bad} for bad in BAD)]
    first, *problems = twin.evaluate("(asked) => asked.map(RocchQuestion.problem)", asked)
    assert first == ""
    assert all(problems), list(zip(BAD, problems, strict=True))


def test_iso_performance_lines_stay_within_the_square(twin: Page) -> None:
    rng = np.random.default_rng(2)
    places = [
        (float(slope), *rng.random(2).tolist())
        for slope in (0, 0.01, 0.5, 1, 3, 100, *rng.exponential(size=50))
    ]
    lines = twin.evaluate(
        "(places) => places.map(([slope, x, y]) => RocchGeometry.isoLine(slope, x, y))", places
    )
    for (slope, fpr, tpr), line in zip(places, lines, strict=True):
        for x, y in zip(line["x"], line["y"], strict=True):
            assert -1e-12 <= x <= 1 + 1e-12
            assert -1e-12 <= y <= 1 + 1e-12
            assert y - tpr == pytest.approx(slope * (x - fpr), abs=1e-9)
            # each end lies on an edge
            assert min(x, 1 - x, y, 1 - y) == pytest.approx(0, abs=1e-9)
    upright = twin.evaluate("() => RocchGeometry.isoLine(Infinity, 0.3, 0.7)")
    assert upright == {"x": [0.3, 0.3], "y": [0, 1]}


@pytest.mark.parametrize("seed", [0, 1, 5, 10])
def test_cost_curves_are_the_lower_envelope(twin: Page, seed: int) -> None:
    hull = hull_of(seed, size=60)
    points = front_of(hull).points
    counts = hull.false_positives.tolist(), hull.true_positives.tolist()
    totals = hull.totals.negatives, hull.totals.positives
    got = twin.evaluate("(c) => RocchGeometry.costCurve(...c)", [*counts, *totals])
    fpr = np.array(points.false_positives) / totals[0]
    tpr = np.array(points.true_positives) / totals[1]
    for x in np.linspace(0, 1, 101):
        least = float(np.min((1 - x) * fpr + x * (1 - tpr)))
        assert np.interp(x, got["x"], got["y"]) == pytest.approx(least, abs=1e-12)


def test_the_belief_is_a_triangle_of_area_one(twin: Page) -> None:
    for low, likely, high in ((1, 2, 4), (0.2, 0.2, 7), (5, 9, 9)):
        got = twin.evaluate("(belief) => RocchBelief.density(belief)", [low, likely, high])
        assert got["x"] == pytest.approx(
            [low / (1 + low), likely / (1 + likely), high / (1 + high)]
        )
        assert got["y"][0] == got["y"][2] == 0
        assert trapezoid(got["y"], got["x"]) == pytest.approx(1)
    spike = twin.evaluate("() => RocchBelief.density([1, 1, 1])")
    assert spike == {"x": [0.5, 0.5], "y": [0, 1]}


def test_the_cost_axis_is_where_slopes_are(twin: Page) -> None:
    for share, prevalence in ((0.5, 0.5), (0.9, 0.1), (0.25, 0.6)):
        got = twin.evaluate("(p) => RocchBelief.axisOfShare(...p)", [share, prevalence])
        slope = (1 - share) / share * (1 - prevalence) / prevalence
        assert got == pytest.approx(1 / (1 + slope))
