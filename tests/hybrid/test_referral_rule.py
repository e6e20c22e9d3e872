"""Rules that refer cases: the same decisions in Python, JSON, SQL and words."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

import rocch
from rocch.hybrid import AtLeast, Or, Predicts, ReferralRule, Rule, Stack, StackAtLeast, Term
from rocch.hybrid.expression import Constant

STACKED = Stack(
    -0.5, (Term("a", "probability", 0.75, 0.01, 0.99), Term("b", "score", 2.0, -1.0, 1.0))
)
RULES = {
    "one scorer": ReferralRule(AtLeast("a", 0.75), AtLeast("a", 0.25), 1, 0),
    "two scorers": ReferralRule(AtLeast("a", 0.5), AtLeast("b", 0.25), "bad", "it's good"),
    "labels": ReferralRule(Predicts("c"), AtLeast("b", 0.25), True, False),
    "never positive": ReferralRule(Constant(False), AtLeast("a", 0.25), 1, 0),
    "never negative": ReferralRule(AtLeast("a", 0.75), Constant(True), 1, 0),
    "every case": ReferralRule(Constant(False), Constant(True), 1, 0),
    "no case": ReferralRule(AtLeast("a", 0.5), AtLeast("a", 0.5), 1, 0),
    "stack": ReferralRule(StackAtLeast(STACKED, 0.5), StackAtLeast(STACKED, -0.5), 1, 0),
    "always": ReferralRule(Constant(True), Constant(True), 1, 0),
    "other side": ReferralRule(Constant(False), Or(AtLeast("a", 0.5), AtLeast("b", 0.5)), 1, 0),
    "combination": ReferralRule(Or(AtLeast("a", 0.5), AtLeast("b", 0.5)), Constant(True), 1, 0),
}
WORDS = {
    "one scorer": "predict 1 when a >= 0.75, 0 when a < 0.25, refer otherwise",
    "two scorers": "predict bad when a >= 0.5 and b >= 0.25, it's good when a < 0.5 and b < 0.25, "
    "refer cases that one calls bad and the other it's good",
    "labels": "predict True when c alarms and b >= 0.25, False when c does not alarm and "
    "b < 0.25, refer cases that one calls True and the other False",
    "never positive": "predict 0 when a < 0.25, refer otherwise",
    "never negative": "predict 1 when a >= 0.75, refer otherwise",
    "every case": "refer every case",
    "no case": "predict 1 when a >= 0.5, otherwise 0, refer nothing",
    "stack": f"predict 1 when stack >= 0.5, 0 when stack < -0.5, refer otherwise, where stack = "
    f"{STACKED}",
    "always": "predict 1, refer nothing",
    "other side": "predict 0 when not (a >= 0.5 or b >= 0.5), refer otherwise",
    "combination": "predict 1 when (a >= 0.5 or b >= 0.5), refer otherwise",
}
KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=5)


def frame_for(rule: ReferralRule, rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    labels = [rule.negative, rule.positive]
    return pd.DataFrame(
        {
            "a": rng.integers(0, 101, rows) / 100,
            "b": rng.integers(0, 101, rows) / 100,
            "c": [labels[place] for place in rng.integers(0, 2, rows)],
        }
    )


def query(sql: str, frame: pd.DataFrame) -> list[Any]:
    with duckdb.connect() as base:
        base.register("frame", frame)
        return [each for (each,) in base.execute(f"SELECT {sql} FROM frame").fetchall()]  # noqa: S608


def slow_decision(rule: ReferralRule, row: Any) -> Any:
    """Return the decision on one row by definition."""

    def alarm(part: Any) -> bool:
        if isinstance(part, Constant):
            return part.alarm
        if isinstance(part, Predicts):
            return bool(row[part.model] == rule.positive)
        if isinstance(part, Or):
            return alarm(part.first) or alarm(part.second)
        if isinstance(part, StackAtLeast):
            share = min(max(row["a"], 0.01), 0.99)
            total = -0.5 + 0.75 * math.log(share / (1 - share)) + 2 * min(max(row["b"], -1), 1)
            return bool(total >= part.threshold)
        return bool(row[part.model] >= part.threshold)

    alarms = alarm(rule.upper), alarm(rule.lower)
    if all(alarms):
        return rule.positive
    return "refer" if any(alarms) else rule.negative


@pytest.mark.parametrize("name", RULES)
def test_every_form_decides_alike(name: str) -> None:
    rule = RULES[name]
    frame = frame_for(rule)
    slow = [slow_decision(rule, row) for _, row in frame.iterrows()]
    assert rule.decide(frame).tolist() == slow
    read = Rule.from_dict(json.loads(rule.to_json()))
    assert read == rule
    assert read.to_dict() == rule.to_dict()
    scope: dict[str, Any] = {"rows": frame}
    exec(rule.to_python(), scope)  # noqa: S102 - the code is ours
    assert scope["predictions"].tolist() == slow
    texts = [str(each) for each in slow]
    assert query(rule.to_sql(dialect="duckdb"), frame) == texts
    if name not in ("labels", "stack"):  # SQLite stores True as 1, and may have no logarithms
        with closing(sqlite3.connect(":memory:")) as database:
            frame.to_sql("frame", database)
            found = database.execute(f"SELECT {rule.to_sql()} FROM frame").fetchall()  # noqa: S608
        assert [each for (each,) in found] == texts


@pytest.mark.parametrize("name", RULES)
def test_words(name: str) -> None:
    assert str(RULES[name]) == WORDS[name]


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        (
            "never positive",
            """CASE WHEN NOT ("a" >= 0.25) THEN '0' WHEN "a" >= 0.25 THEN 'refer' END""",
        ),
        (
            "never negative",
            """CASE WHEN "a" >= 0.75 THEN '1' WHEN NOT ("a" >= 0.75) THEN 'refer' END""",
        ),
        ("every case", "'refer'"),
        ("no case", """CASE WHEN "a" >= 0.5 THEN '1' WHEN NOT ("a" >= 0.5) THEN '0' END"""),
        ("always", "'1'"),
    ],
)
def test_sql_has_no_branch_that_never_applies(name: str, sql: str) -> None:
    assert RULES[name].to_sql() == sql
    assert ("refer" in RULES[name].to_python()) == ("refer" in sql)


@pytest.mark.parametrize("name", ["one scorer", "two scorers", "never positive", "never negative"])
@pytest.mark.parametrize("missing", ["a", "b"])
def test_missing_scores_leave_the_decision_open(name: str, missing: str) -> None:
    rule = RULES[name]
    frame = frame_for(rule).assign(**{missing: math.nan})
    for dialect in ("duckdb", "standard"):
        if dialect == "standard":
            frame[missing] = None
            frame[missing] = frame[missing].astype("Float64")
        sql = rule.to_sql(dialect=dialect)
        assert (set(query(sql, frame)) == {None}) == (missing in rule.models)


def test_renamed_columns() -> None:
    rule = RULES["two scorers"]
    sql = rule.to_sql(columns={"a": "first score"})
    assert '"first score" >= 0.5 AND "b" >= 0.25' in sql
    with pytest.raises(rocch.InputError, match="columns"):
        rule.to_sql(columns={"z": "first score"})


def test_the_rule_of_a_referral_decides_the_evaluation_rows_as_counted() -> None:
    rng = np.random.default_rng(1)
    y = rng.random(500) < 0.3
    scores = {name: rng.normal(size=500) + 2 * y for name in ("a", "b")}
    for names in (["a"], ["a", "b"]):
        own = {name: scores[name] for name in names}
        referral = rocch.RocHull.from_scores(y, own).refer(KNOWN, cost=0.2)
        rule = ReferralRule.from_referral(referral, positive="bad", negative="good")
        assert rule.models == tuple(names)
        decisions = rule.decide(own)
        assert decisions.dtype.kind == "U"
        assert np.mean(decisions[~y] == "bad") == pytest.approx(referral.fpr)
        assert np.mean(decisions[y] == "good") == pytest.approx(referral.fnr)
        assert np.mean(decisions[y] == "refer") == pytest.approx(referral.referred_positives)
        assert np.mean(decisions[~y] == "refer") == pytest.approx(referral.referred_negatives)
        assert rule.expected["referred"] == referral.referred


def test_labels_that_are_no_texts_stay_what_they_are() -> None:
    found = RULES["one scorer"].decide({"a": [0.0, 0.5, 1.0]})
    assert found.dtype == object
    assert found.tolist() == [0, "refer", 1]


@pytest.mark.parametrize(
    ("labels", "message"),
    [(("refer", "good"), "not be 'refer'"), (("x", "x"), "differ from negative")],
)
def test_labels_must_be_told_from_referring(labels: tuple[str, str], message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        ReferralRule(AtLeast("a", 0.75), AtLeast("a", 0.25), *labels)


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"rocch_referral_rule": 2},
        {"rocch_referral_rule": 1, "upper": {"never": True}},
        {**RULES["one scorer"].to_dict(), "lower": {"model": 3}},
        {**RULES["one scorer"].to_dict(), "expected": 3},
    ],
)
def test_other_data_are_no_rule(data: Any) -> None:
    with pytest.raises(rocch.InputError, match=r"be a (referral )?rule of version 1"):
        ReferralRule.from_dict(data)


def test_settings_of_labels_need_names_of_their_own() -> None:
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    both = {"strict": [0, 0, 0, 0, 0, 1, 1, 1], "loose": [0, 0, 1, 1, 1, 1, 1, 1]}
    hull = rocch.RocHull.of(rocch.RocCurve.from_labels(y, both, name="rules"))
    with pytest.raises(rocch.InputError, match="Give each setting a curve with its own name"):
        ReferralRule.from_referral(hull.refer(KNOWN, cost=0.1))
    with pytest.raises(rocch.InputError, match="referral must be a Referral"):
        ReferralRule.from_referral("x")  # type: ignore[arg-type]
