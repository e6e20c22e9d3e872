"""Requests take every field of a question, and answer as Python does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from jsonschema import Draft202012Validator

from rocch import Question
from rocch.roc.question_table import REFERRAL
from rocch.service.responses import Best
from rocch.service.schemas import AimBody, DecideBody
from tests.support.serving import Asking, aim_of, asking, error_of, judged, of_columns, served

MODEL = of_columns()
SCORES, _ = judged(9, 100)
COLUMNS = SCORES.to_dict("list")
KEYS = [f"row {place}" for place in range(len(SCORES))]
COSTS = {"false_positive": "1", "false_negative": "5"}
# Each field as people type it, with what it needs beside it.
TYPED: dict[str, dict[str, str]] = {
    "prevalence": {"prevalence": "5-20%", **COSTS},
    "negatives_per_positive": {"negatives_per_positive": "4..6", **COSTS},
    "false_positive": {"false_positive": "1..2", "false_negative": "5"},
    "false_negative": {"false_positive": "1", "false_negative": "5 .. 1,000"},
    "true_positive": {"true_positive": "0.5", **COSTS},
    "true_negative": {"true_negative": "0.25", **COSTS},
    "cost_ratio": {"cost_ratio": "21/6..inf", "false_negative": "10", "prevalence": "observed"},
    "likely": {"cost_ratio": "5..10", "likely": "9"},
    "max_fpr": {"max_fpr": "15%"},
    "min_tpr": {"min_tpr": "0.9"},
    "max_share": {"max_share": "0.3"},
    "capacity": {"capacity": "100", "positives": "50", "negatives": "950"},
    "population": {"capacity": "100", "population": "1000", "prevalence": "0.1..0.2"},
    "positives": {"capacity": "100", "positives": "80", "negatives": "950"},
    "negatives": {"capacity": "100", "positives": "50", "negatives": "500"},
    "min_precision": {"min_precision": "80%"},
    "max_cost": {"max_cost": "0.5", **COSTS},
    "confidence": {"max_fpr": "0.15", "confidence": "0.95"},
    "maximize": {"maximize": "F1"},
    "knob": {"knob": "0.3"},
    "randomize": {"max_fpr": "0.15", "randomize": "true"},
    "currency": {"currency": "EUR", **COSTS},
    "cases_per_month": {"cases_per_month": "20,000", **COSTS},
}


@pytest.fixture(scope="module")
def ask() -> Iterator[Asking]:
    with asking(served(MODEL)) as running:
        yield running


def test_the_table_has_every_field() -> None:
    decided = [about.name for about in Question.fields() if about.name not in REFERRAL]
    assert list(TYPED) == decided  # `test_same_questions` sends the others


@pytest.mark.parametrize("name", TYPED)
def test_every_field_leads_where_python_does(ask: Asking, name: str) -> None:
    question = Question.from_strings(TYPED[name])
    today = MODEL.at(question)
    rates = today.point.fpr, today.point.tpr
    best = ask.get(f"/v1/best?{urlencode(TYPED[name])}").json()
    Best.model_validate(best)
    assert best["question"] == question.to_dict()
    assert best["words"] == question.describe()
    assert (best["point"]["fpr"], best["point"]["tpr"]) == rates
    assert best["rule"]["words"] == str(today.rule)
    assert Draft202012Validator(Question.json_schema()).is_valid(best["question"])
    decided = ask.decide(scores=COLUMNS, row_keys=KEYS, question=best["question"])
    assert decided["decisions"] == today.predict(SCORES, row_key=KEYS).tolist()
    put = ask.put("/v1/conditions", {"question": best["question"]}).json()
    assert put["current"]["question"] == question.to_dict()
    assert (put["point"]["fpr"], put["point"]["tpr"]) == rates
    status = ask.get("/v1/status").json()
    assert status["in_force"]["point"] == put["point"] == best["point"]
    assert status["in_force"]["drawing"] == best["drawing"]


@pytest.mark.parametrize("body", [AimBody, DecideBody])
def test_the_schema_of_a_body_is_that_of_the_question(body: Any) -> None:
    schema = body.model_json_schema()["$defs"]["Question"]
    own = Question.json_schema()
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == set(own["properties"])
    for name, about in own["properties"].items():
        assert {**schema["properties"][name], **about} == schema["properties"][name]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("prevalence", "often", "'observed'; got \"often\""),
        ("prevalence", 2, "from 0 to 1"),
        ("prevalence", True, "got true"),
        ("prevalence", None, "got null"),
        ("prevalence", "a tenth", "For example: 0.05..0.1."),
        ("false_positive", -1, "not negative"),
        ("false_positive", [1, 2, 3], "an interval; got [1, 2, 3]"),
        ("false_positive", [2, 1], "run from low to high"),
        ("false_positive", [1, None], "got [1, null]"),
        ("false_positive", [1, "inf"], 'got [1, "inf"]'),
        ("false_positive", {}, "got {}"),
        ("false_positive", "x" * 500, "xxx ..."),
        ("max_fpr", [0.1, 0.2], "a number; got [0.1, 0.2]"),
        ("knob", 1.5, "from 0 to 1"),
        ("maximize", "joy", "The names are: "),
        ("maximize", 3, "got 3"),
        ("cost_ratio", ["inf", "inf"], "an interval"),
        ("randomize", "yes", 'got "yes"'),
        ("randomize", 1, "got 1"),
    ],
)
def test_values_of_another_kind_are_refused(
    ask: Asking, field: str, value: Any, words: str
) -> None:
    question = {"prevalence": 0.1, "false_positive": 1, "false_negative": 2, field: value}
    for answer in (
        ask.put("/v1/conditions", {"question": question}),
        ask.post("/v1/decide", {"scores": COLUMNS, "question": question}),
    ):
        error = error_of(answer, 422)
        assert (error["code"], error["argument"]) == ("bad_input", field)
        assert words in error["message"]
        assert len(error["message"]) < 400


@pytest.mark.parametrize("text", ["", "x", "1..2..3", "nan", "1..", "inf", "2..1", "1,5,"])
def test_texts_that_are_no_numbers_are_refused(ask: Asking, text: str) -> None:
    query = urlencode({"false_positive": text, "false_negative": "1"})
    error = error_of(ask.get(f"/v1/best?{query}"), 422)
    assert error["argument"] == "false_positive"


def test_a_request_without_fields_shows_the_aim_in_force() -> None:
    question = Question(max_fpr=0.15)
    with asking(served(MODEL), question=question) as other:
        best = other.get("/v1/best").json()
        assert (best["question"], best["words"]) == (None, question.describe())
        assert best["aim"] == aim_of("command line", None)
        assert best["preview"]["comparison"] == []
        coin = other.get("/v1/best?randomize=true").json()
        assert coin["aim"]["source"] == "request"
        assert coin["point"]["tpr"] > best["point"]["tpr"]
        assert other.get("/v1/best?randomize=no").json()["point"] == best["point"]


def test_points_show_their_cost_on_new_rows_and_which_aim_is_meant() -> None:
    question = "prevalence=0.3&false_positive=1&false_negative=2"
    stated = Question(prevalence=0.3, false_positive=1, false_negative=2)
    for model, aimed_for in ((MODEL, "evaluation rows"), (of_columns(stack=True), "new rows")):
        cost = model.at(stated).on_new_rows
        assert cost.interval is not None
        assert cost.expected is not None
        with asking(served(model)) as other:
            point = other.get(f"/v1/best?{question}").json()["point"]
        assert point["aimed_for"] == aimed_for
        assert point["new_rows"] == {
            "on_evaluation_rows": cost.apparent,
            "expected": cost.expected,
            "low": cost.interval.low,
            "high": cost.interval.high,
            "expected_range": None,
            "confidence": 0.95,
            "note": "",
            "rates": None,
        }
        assert cost.interval.low < cost.expected < cost.interval.high
        with asking(served(model)) as other:
            limited = other.get("/v1/best?max_fpr=0.1").json()["point"]
        assert limited["aimed_for"] == "evaluation rows"
        assert limited["new_rows"]["expected"] is None
        rates = model.at(Question(max_fpr=0.1)).on_new_rows.rates
        assert rates is not None
        assert limited["new_rows"]["rates"]["tpr"] == rates.tpr
        assert limited["new_rows"]["rates"]["tpr_interval"] == list(rates.tpr_interval)
        assert limited["new_rows"]["rates"]["text"] == str(rates)


def test_points_show_what_they_save() -> None:
    query = "prevalence=0.3&false_positive=1&false_negative=2&currency=EUR&cases_per_month=1000"
    costs: Any = {"prevalence": 0.3, "false_positive": 1, "false_negative": 2}
    stated = Question(**costs, currency="EUR", cases_per_month=1000)
    for model in (MODEL, of_columns(stack=True)):
        with asking(served(model)) as other:
            found = other.get(f"/v1/best?{query}").json()
            limited = other.get("/v1/best?max_fpr=0.1").json()["point"]["savings"]
        savings = found["point"]["savings"]
        assert savings == model.at(stated).savings().to_dict()
        assert (savings["per"], savings["cases"], savings["currency"]) == ("month", 1000, "EUR")
        assert limited["baselines"] == []
        assert limited["note"] == "no costs were stated"


def test_a_preview_tells_what_would_change() -> None:
    stated = Question(prevalence=(0.1, 0.2), false_positive=1, false_negative=5)
    with asking(served(MODEL), question=stated) as other:
        query = urlencode({"prevalence": "0.1..0.2", "false_positive": 1, "false_negative": 40})
        best = other.get(f"/v1/best?{query}").json()
        preview, point = best["preview"], best["point"]
        now = other.get("/v1/status").json()["in_force"]
        assert preview["sentence"][0] == "Would move to: "
        assert preview["sentence"][1] == {"strong": best["rule"]["words"]}
        assert ["Miss costs", "5", "40"] in preview["changes"]
        assert preview["changes"][0] == ["Rule", now["rule"], best["rule"]["words"]]
        assert preview["coin"] is None
        assert best["counts"]["misses"] == pytest.approx(
            [1000 * p * (1 - point["tpr"]) for p in (0.1, 0.2)]
        )
        alarms = f"{min(best['counts']['alarms']):.0f} to {max(best['counts']['alarms']):.0f}"
        assert next(row for row in preview["comparison"] if "Alarms" in row[0])[2] == alarms
        coin = other.get("/v1/best?max_fpr=0.071&randomize=true").json()["preview"]
        assert "row_keys" in coin["coin"]


def test_lines_touch_the_hull_and_show_limits() -> None:
    from rocch.service.pictures import draw_question

    hull = MODEL.hull_
    question = Question(prevalence=(0.1, 0.2), false_positive=1, false_negative=(5, 10))
    drawing = draw_question(hull, question)
    assert drawing["slopes"] == pytest.approx([0.4, 1.8])
    between = hull.best_between(*drawing["slopes"])
    assert drawing["touched"] == [between[0], between[-1]]
    for slope, place, line in zip(
        drawing["slopes"], drawing["touched"][::-1], drawing["lines"], strict=True
    ):
        (x1, y1), (x2, y2) = line["ends"]
        assert (y2 - y1) / (x2 - x1) == pytest.approx(slope)
        vertex = hull.vertices[place]
        assert y1 + slope * (vertex.fpr - x1) == pytest.approx(vertex.tpr)
        assert {0.0, 1.0} & {x1, y1}
        assert {0.0, 1.0} & {x2, y2}
    steep = draw_question(hull, Question(prevalence=0, false_positive=1, false_negative=1))
    assert steep["slopes"] == ["inf", "inf"]
    assert steep["lines"][0]["ends"][0][1] == 0
    limits = draw_question(hull, Question(min_tpr=0.6, max_share=0.4, prevalence=0.25))["lines"]
    assert limits[1]["ends"] == [[0.0, 0.6], [1.0, 0.6]]
    for fpr, tpr in limits[0]["ends"]:
        assert 0.75 * fpr + 0.25 * tpr == pytest.approx(0.4)
    knob = draw_question(hull, Question(knob=0.3))
    assert (knob["slopes"], knob["lines"], knob["touched"]) == (None, [], None)
