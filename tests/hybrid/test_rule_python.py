"""The Python code of rules decides as the rules do."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rocch
from rocch.hybrid import AtLeast, Predicts, Rule
from rocch.hybrid.expression import Constant
from tests.support.nasty import NASTY
from tests.support.rules import run_python, run_sql

Y = np.random.default_rng(12).random(80) < 0.4
SCORES = np.random.default_rng(13).normal(size=80) + Y
NOISE = np.random.default_rng(14).normal(size=80)
NAMES = ("plain", 'quo"te', "it's", "back\\slash", "{key}", "new\nline", "a|b; --", NASTY)
LABELS: tuple[tuple[Any, Any], ...] = (
    (0, 1),
    (False, True),
    ("it's", 'a"b'),
    (-1, 1.5),
    ("\\", "x\ny"),
    ("{no}", NASTY),
)


def rule_of(part: Any, labels: tuple[Any, Any] = (0, 1)) -> Rule:
    return Rule(((1.0, part),), labels[1], labels[0], 0.1, 0.9)


@pytest.mark.parametrize(
    ("name", "labels"),
    [*((name, ("good", "bad")) for name in NAMES), *(("m", labels) for labels in LABELS)],
)
def test_python_decides_as_the_rule_does(name: str, labels: tuple[Any, Any]) -> None:
    rule = rule_of(AtLeast(name, float(SCORES[3])), labels)
    rows = pd.DataFrame({name: SCORES})
    wanted = rule.decide(rows).tolist()
    assert set(wanted) == set(labels)
    assert run_python(rule.to_python(), rows) == wanted
    labeled = pd.DataFrame({name: wanted})
    assert run_python(rule_of(Predicts(name), labels).to_python(), labeled) == wanted


def test_the_threshold_is_exact() -> None:
    exact = float(SCORES[5])
    rows = pd.DataFrame({"m": [np.nextafter(exact, -np.inf), exact, np.nextafter(exact, np.inf)]})
    assert run_python(rule_of(AtLeast("m", exact, "0.5")).to_python(), rows) == [0, 1, 1]


@pytest.mark.parametrize("threshold", [np.inf, -np.inf])
def test_infinite_thresholds(threshold: float) -> None:
    rule = rule_of(AtLeast("m", threshold, str(threshold)))
    rows = pd.DataFrame({"m": [np.inf, 0.0, -np.inf]})
    wanted = rule.decide(rows).tolist()
    assert rule.words == f"predict 1 when m >= {threshold}"
    assert run_python(rule.to_python(), rows) == wanted
    assert run_sql(rule.to_sql(), rows) == wanted


@pytest.mark.parametrize("alarm", [False, True])
def test_never_and_always_need_no_model(alarm: bool) -> None:
    rows = pd.DataFrame({"m": SCORES})
    assert run_python(rule_of(Constant(alarm)).to_python(), rows) == [int(alarm)] * 80


def test_a_missing_score_gets_no_prediction_in_sql() -> None:
    rows = pd.DataFrame({"m": pd.array([None, 9.0, -9.0], dtype="Float64")})
    assert run_sql(rule_of(AtLeast("m", 0.5)).to_sql(), rows) == [None, 1, 0]


def toss(key: str) -> float:
    return int(hashlib.sha256(f"0:{key}".encode()).hexdigest()[:13], 16) / 16**13


@pytest.mark.parametrize("max_fpr", [0.01, 0.04, 0.11, 0.23, 0.37])
def test_a_written_coin_decides_as_the_rule_does(max_fpr: float) -> None:
    hull = rocch.RocHull.from_scores(Y, {"m": SCORES})
    point = hull.best(rocch.NeymanPearson(max_fpr), randomize=True)
    rule = Rule.from_point(point, positive=1, negative=0, row_key="row_id")
    share = rule.mix[1][0]
    assert rule.has_coin
    assert f"with probability {rule.mix[0][0]!r} " in rule.words
    # between both thresholds the coin alone decides; the nearest coins are the hardest
    low, high = sorted(float(place.lowest_score) for _, place in point.mix if place.lowest_score)
    keys = sorted(map(str, range(20_000)), key=lambda key: abs(toss(key) - share))[:40]
    rows = pd.DataFrame({"row_id": keys, "m": np.full(40, (low + high) / 2)})
    wanted = rule.decide(rows, row_key=keys).tolist()
    assert wanted == [int(toss(key) < share) for key in keys]
    assert 0 < sum(wanted) < 40
    assert run_python(rule.to_python(), rows) == wanted
    sql = rule.to_sql(dialect="postgresql")
    assert run_sql(sql, rows) == wanted
    nothing = pd.DataFrame({"row_id": keys[:1], "m": [np.nan]})
    assert run_sql(sql, nothing) == [None]


def test_the_key_of_a_coin_is_named_or_given() -> None:
    mix = (0.25, AtLeast("m", 0.0)), (0.75, AtLeast("m", 1.0))
    rule = Rule(mix, 1, 0, 0.1, 0.9, seed=3)
    rows = pd.DataFrame({"it's": np.arange(80), "m": SCORES})
    wanted = rule.decide(rows, row_key=rows["it's"]).tolist()
    assert run_python(rule.to_python(row_key="it's"), rows) == wanted
    with pytest.raises(
        rocch.InputError, match="row_key must name the column of row keys; got none"
    ):
        rule.to_python()
