"""The rule as texts: run as Python, run by a database, and compared with the counts."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import rocch
from rocch.report import deploy
from rocch.report.answer import answer
from rocch.report.question import Question
from rocch.report.summary import Answer, Data

Y = np.random.default_rng(12).random(80) < 0.4
SCORES = np.random.default_rng(13).normal(size=80) + Y
NOISE = np.random.default_rng(14).normal(size=80)
NAMES = ("plain", 'quo"te', "it's", "back\\slash", "ünïcode \N{FOX FACE}", "new\nline", "a|b; --")
LABELS = (("0", "1"), ("good", "bad"), ("False", "True"), ("it's", 'a"b'), ("-1", "1.5"))
ODD_LABELS = (
    *LABELS,
    ("00", "007"),
    ("0", "bad"),
    ("no", "True"),
    ("\\", "x\ny"),
    ("no", "já \N{FOX FACE}"),
)


def data_with(negative: str, positive: str) -> Data:
    return Data(80, int(Y.sum()), int((~Y).sum()), 0.4, False, "y", positive, negative)


def asked(hull: rocch.RocHull, **said: Any) -> Answer:
    return answer(hull, Question(**{"prevalence": 0.3, **said}))


def run_python(text: str, rows: pd.DataFrame) -> list[Any]:
    known: dict[str, Any] = {"rows": rows}
    exec(text, known)  # noqa: S102 - the text is what users are told to run
    found: list[Any] = known["answers"].tolist()
    return found


def run_sql(text: str, rows: pd.DataFrame) -> list[Any]:
    with duckdb.connect() as database:
        database.register("judged", rows)
        found = database.execute(f"SELECT {text} FROM judged").fetchall()  # noqa: S608
    return [value for (value,) in found]


def as_text(value: Any) -> str:
    return f"{float(value):g}" if isinstance(value, float | Decimal) else str(value)


@pytest.mark.parametrize(
    ("name", "negative", "positive"),
    [*((name, "good", "bad") for name in NAMES), *(("m", *labels) for labels in ODD_LABELS)],
)
def test_python_and_sql_answer_as_the_threshold_does(
    name: str, negative: str, positive: str
) -> None:
    scores = SCORES
    hull = rocch.RocHull.from_scores(Y, {name: scores})
    got = asked(hull, false_negative=2)
    (part,) = got.parts
    rows = pd.DataFrame({name: scores})
    alarms = scores >= float(part.threshold)
    wanted = [positive if alarm else negative for alarm in alarms]
    data = data_with(negative, positive)
    for found in (run_python(deploy.python(got, data), rows), run_sql(deploy.sql(got, data), rows)):
        assert [as_text(value) for value in found] == wanted
    # and these are the decisions that were counted
    assert (alarms & Y).sum() == pytest.approx(got.tpr * Y.sum())
    assert (alarms & ~Y).sum() == pytest.approx(got.fpr * (~Y).sum())


def test_the_rule_is_the_one_of_the_hybrid() -> None:
    from sklearn.naive_bayes import GaussianNB

    X = np.column_stack([SCORES, NOISE])
    labels = np.where(Y, "bad", "good")
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=3, pos_label="bad").fit(X, labels)
    known = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
    made: Any = rocch.summarise(model, conditions=known, resamples=0)
    rows = pd.DataFrame({"nb": np.linspace(0, 1, 1001)})
    wanted = model.at(known).rule.decide(rows).tolist()
    assert run_python(deploy.python(made.answer, made.data), rows) == wanted
    assert run_sql(deploy.sql(made.answer, made.data), rows) == wanted


def test_endless_thresholds() -> None:
    scores = np.where(Y, np.where(NOISE < 0.7, np.inf, 0.0), NOISE)
    hull = rocch.RocHull.from_scores(Y, {"m": scores})
    got = asked(hull, false_positive=100)
    assert got.parts[0].threshold == "inf"
    data, rows = data_with("0", "1"), pd.DataFrame({"m": scores})
    wanted = (scores == np.inf).astype(int).tolist()
    assert run_python(deploy.python(got, data), rows) == wanted
    assert run_sql(deploy.sql(got, data), rows) == wanted
    assert deploy.plain(got, data) == "Answer 1 when the score of m is at least inf, otherwise 0."


@pytest.mark.parametrize(
    ("kind", "asking", "every"), [("never", {"false_negative": 0}, 0), ("always", {}, 1)]
)
def test_the_ends_need_no_classifier(kind: str, asking: Any, every: int) -> None:
    # what is no better than chance has no vertex of its own
    hull = rocch.RocHull.from_scores(Y, {"m": -SCORES})
    got = asked(hull, **{"prevalence": 0.9, **asking})
    data, rows = data_with("0", "1"), pd.DataFrame({"m": SCORES})
    assert got.parts[0].kind == kind
    assert run_python(deploy.python(got, data), rows) == [every] * 80
    assert run_sql(deploy.sql(got, data), rows) == [every] * 80
    which = "no" if kind == "never" else "every"
    assert deploy.plain(got, data) == f"Answer 1 for {which} row, otherwise 0."


@pytest.mark.parametrize(("negative", "positive"), LABELS)
def test_labels_only_are_compared_with_the_positive_label(negative: str, positive: str) -> None:
    alarms = Y ^ (NOISE > 1.3)
    hull = rocch.RocHull.of(rocch.RocCurve.from_labels(Y, alarms, name="rules"))
    got, data = asked(hull), data_with(negative, positive)
    values: Any = np.where(alarms, positive, negative)
    if negative in ("0", "-1"):
        values = values.astype(float)
    if negative == "False":
        values = alarms
    rows = pd.DataFrame({"rules": values})
    wanted = [positive if alarm else negative for alarm in alarms]
    for found in (run_python(deploy.python(got, data), rows), run_sql(deploy.sql(got, data), rows)):
        assert [as_text(value) for value in found] == wanted
    assert deploy.plain(got, data) == f"Answer {positive} when rules does, otherwise {negative}."


def test_a_missing_score_gets_no_answer_in_sql() -> None:
    hull = rocch.RocHull.from_scores(Y, {"m": SCORES})
    rows = pd.DataFrame({"m": pd.array([None, 9.0, -9.0], dtype="Float64")})
    found = run_sql(deploy.sql(asked(hull, false_negative=2), data_with("0", "1")), rows)
    assert found == [None, 1, 0]


def coin() -> Answer:
    hull = rocch.RocHull.from_scores(Y, {"m": SCORES})
    got = asked(hull, false_positive=(1, 3), false_negative=(1, 9), randomise=True)
    assert [part.kind for part in got.parts] == ["scores", "scores"]
    return got


def test_a_coin_in_python_chooses_as_often_as_it_says() -> None:
    got = coin()
    first, second = got.parts
    low, high = sorted((float(first.threshold), float(second.threshold)))
    between = pd.DataFrame({"m": np.full(20_000, (low + high) / 2)})
    found = run_python(deploy.python(got, data_with("0", "1")), between)
    # the right vertex alarms on more, so what lies between alarms with its probability
    assert np.mean(found) == pytest.approx(second.probability, abs=0.015)
    outside = pd.DataFrame({"m": [high + 1, low - 1]})
    assert run_python(deploy.python(got, data_with("0", "1")), outside) == [1, 0]


def toss(key: str) -> float:
    return int(hashlib.sha256(f"0:{key}".encode()).hexdigest()[:13], 16) / 16**13


def test_a_coin_in_sql_is_the_rows_own() -> None:
    """The text is for PostgreSQL; its coin is put into words that DuckDB understands."""
    got = coin()
    first, second = got.parts
    text = deploy.sql(got, data_with("0", "1"))
    assert text.startswith(
        "-- PostgreSQL; the coin is made of the column row_id\nCASE WHEN substr("
    )
    own = "substr(sha256('0:' || CAST(\"row_id\" AS VARCHAR)), 1, 13)"
    keys = [str(key) for key in range(300)]
    middle = (float(first.threshold) + float(second.threshold)) / 2
    rows = pd.DataFrame({"row_id": keys, "m": np.full(300, middle)})
    found = run_sql(text.partition("\n")[2].replace(deploy.COIN, own), rows)
    share = round(second.probability, 6)
    assert found == [int(toss(key) < share) for key in keys]
    assert 0 < sum(found) < 300
    nothing = pd.DataFrame({"row_id": keys[:1], "m": [np.nan]})
    assert run_sql(text.partition("\n")[2].replace(deploy.COIN, own), nothing) == [None]


def test_the_coins_limit_by_hand() -> None:
    got = coin()
    first, second = got.parts
    parts = replace(first, probability=0.75), replace(second, probability=0.25)
    text = deploy.sql(replace(got, parts=parts), data_with("0", "1"))
    # a quarter of 16 ** 13
    assert text.count("'4000000000000'") == 2
    score = "NULLIF(\"m\", CAST('NaN' AS DOUBLE PRECISION))"
    assert f"< '4000000000000' THEN CASE WHEN {score} >= {second.threshold} " in text
    assert ">= '4000000000000' THEN CASE WHEN NULLIF(" in text
    said = deploy.plain(replace(got, parts=parts), data_with("0", "1"))
    assert said == (
        f"With probability 0.75 answer 1 when the score of m is at least {first.threshold}, "
        f"otherwise answer 1 when the score of m is at least {second.threshold}; else 0."
    )


def test_a_coin_in_sql_takes_endless_thresholds_too() -> None:
    got = coin()
    parts = replace(got.parts[0], threshold="inf"), got.parts[1]
    text = deploy.sql(replace(got, parts=parts), data_with("0", "1"))
    assert ">= CAST('Infinity' AS DOUBLE PRECISION) THEN 1" in text
