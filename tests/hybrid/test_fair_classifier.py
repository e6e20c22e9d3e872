"""Views with fair rates by group, and rules for each group."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import rocch
from rocch.hybrid import GroupedRule, Rule

COSTS = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=2)
TRAINED = 1200


@pytest.fixture(scope="module")
def data() -> tuple[pd.DataFrame, Any, Any]:
    rng = np.random.default_rng(0)
    groups = rng.choice(["f", "m"], 2000)
    X = pd.DataFrame(rng.normal(size=(2000, 4)), columns=list("wxyz"))
    signal = X["w"] + X["x"] ** 2 / 2 + 0.8 * (groups == "f") * X["y"]
    return X, (signal + rng.normal(size=2000) > 0.9).to_numpy().astype(int), groups


@pytest.fixture(scope="module")
def model(data: tuple[pd.DataFrame, Any, Any]) -> rocch.RocchClassifier:
    X, y, _ = data
    models = [
        ("nb", GaussianNB()),
        ("lr", LogisticRegression()),
        ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
    ]
    return rocch.RocchClassifier(models).fit(X[:TRAINED], y[:TRAINED])


def aim(model: rocch.RocchClassifier, groups: Any, **options: Any) -> Any:
    return model.at_fair(COSTS, groups=groups[:TRAINED], tolerance=0.01, **options)


@pytest.mark.parametrize("randomize", [False, True])
def test_a_view_decides_by_the_rule_of_each_group(
    data: tuple[pd.DataFrame, Any, Any], model: rocch.RocchClassifier, randomize: bool
) -> None:
    X, y, groups = data
    view = aim(model, groups, randomize=randomize, group="sex")
    assert view.fair.violation <= 0.01 + 1e-9
    assert view.fair.points == view.points == view.criteria
    new, keys = X[TRAINED:].assign(sex=groups[TRAINED:]), np.arange(800)
    decisions = view.predict(new, row_key=keys)
    scores = {n: m.predict_proba(X[TRAINED:])[:, 1] for n, m in model.named_estimators_.items()}
    assert np.array_equal(view.rule.decide(scores, groups[TRAINED:], row_key=keys), decisions)
    frame = pd.DataFrame(scores).assign(sex=groups[TRAINED:])
    assert np.array_equal(view.rule.decide(frame, row_key=keys), decisions)
    for name in "fm":
        own = np.flatnonzero(groups[TRAINED:] == name)
        alone = view.rules[name].decide({n: s[own] for n, s in scores.items()}, row_key=keys[own])
        assert np.array_equal(alone, decisions[own])
    same = view.predict(X[TRAINED:], groups=groups[TRAINED:], row_key=keys)
    assert np.array_equal(same, decisions)
    chances = view.decision_probability(new)
    assert set(np.unique(chances)) - {0, 1} if randomize else set(chances) == {0, 1}
    checked = view.check(new, y[TRAINED:])
    assert not checked.chose_rule
    by_hand = [
        [chances[(groups[TRAINED:] == name) & (y[TRAINED:] == label)].mean() for name in "fm"]
        for label in (0, 1)
    ]
    assert checked.violation == pytest.approx(max(abs(a - b) for a, b in by_hand))
    assert view.check(new, y[TRAINED:], groups[TRAINED:]) == checked


def test_evaluation_rows_choose_the_rule(
    data: tuple[pd.DataFrame, Any, Any], model: rocch.RocchClassifier
) -> None:
    X, y, groups = data
    view = aim(model, groups)
    rows = model.out_of_fold_
    kept = {name: rows.scores[name] for name in (*model.kept_, "stack") if name in rows.scores}
    direct = rocch.hybrid.fair_rates(rows.positive, kept, groups[rows.index], COSTS, tolerance=0.01)
    assert view.fair.cost == direct.cost
    assert view.points == direct.points
    shuffled = rocch.RocchClassifier(
        [("lr", LogisticRegression()), ("t", DecisionTreeClassifier(max_depth=2, random_state=0))],
        cv=0.5,
        random_state=0,
        combine=True,
        check_size=0.2,
    ).fit(X, y)
    found: Any = shuffled.at_fair(COSTS, groups=groups, tolerance=0.05)
    assert sum(len(g.hull.members[0].rows) for g in found.fair.problem.groups) < len(X)


def test_unknown_groups_are_refused_or_mapped(
    data: tuple[pd.DataFrame, Any, Any], model: rocch.RocchClassifier
) -> None:
    X, _, groups = data
    plain = aim(model, groups)
    with pytest.raises(rocch.InputError, match="groups must be given; got none"):
        plain.predict(X)
    other = np.where(groups == "f", "x", groups)
    with pytest.raises(rocch.InputError, match="one of the groups with a rule; got 'x'"):
        plain.predict(X, groups=other)
    missing = other.astype(object)
    missing[3] = None
    with pytest.raises(rocch.InputError, match="groups must have no missing labels"):
        plain.predict(X, groups=missing)
    mapped = aim(model, groups, unknown="m")
    as_m = plain.predict(X, groups=["m"] * len(X))
    assert np.array_equal(mapped.predict(X, groups=["x"] * len(X)), as_m)
    assert np.array_equal(mapped.predict(X, groups=[None] * len(X)), as_m)
    assert mapped.rule.words.endswith("for any other or no group: as for 'm'")
    with pytest.raises(rocch.InputError, match="unknown must name one of the groups with a rule"):
        aim(model, groups, unknown="x")
    with pytest.raises(rocch.InputError, match="group must be a text that is not empty"):
        aim(model, groups, group=groups)
    with pytest.raises(rocch.InputError, match="for each of the 1200 rows; got 3"):
        aim(model, groups[:3])


def test_views_are_saved_and_cannot_be_changed(
    data: tuple[pd.DataFrame, Any, Any], model: rocch.RocchClassifier, tmp_path: Path
) -> None:
    X, y, groups = data
    view = aim(model, groups, randomize=True, unknown="f", seed=3)
    assert clone(view) is view
    assert repr(view) == "<FairClassifier of 2 groups: 'f', 'm'>"
    assert str(view) == f"{view.rule}\n{view.fair}"
    with pytest.raises(AttributeError, match="cannot be changed"):
        view.seed = 4
    rocch.save(view, tmp_path / "fair.rocch")
    again: Any = rocch.load(tmp_path / "fair.rocch")
    assert isinstance(again, rocch.hybrid.FairClassifier)
    assert again.get_params() == view.get_params()
    assert again.rule == view.rule
    assert np.array_equal(again.predict(X, groups=groups), view.predict(X, groups=groups))
    with pytest.raises(rocch.InputError, match="know its fair rates; got a loaded model"):
        again.check(X, y, groups)


def rule(*thresholds: float, shares: tuple[float, ...] = (1.0,)) -> Rule:
    parts = [rocch.hybrid.AtLeast("nb", threshold) for threshold in thresholds]
    return Rule(tuple(zip(shares, parts, strict=True)), "yes", "no", 0.1, 0.8, 0, "id")


GROUPED = GroupedRule(
    {"a": rule(0.5), "it's": rule(0.2, 0.4, 0.7, shares=(0.5, 0.3, 0.2))}, "region"
)


def test_rules_in_words_and_json() -> None:
    assert str(GROUPED) == (
        "for region = 'a': predict yes when nb >= 0.5\n"
        'for region = "it\'s": with probability 0.5 predict yes when nb >= 0.2, with probability '
        "0.3 predict yes when nb >= 0.4, otherwise predict yes when nb >= 0.7"
    )
    assert GROUPED.has_coin
    assert GROUPED.models == ("nb",)
    assert Rule.from_dict(json.loads(GROUPED.to_json())) == GROUPED
    wrong: Any
    for wrong in ({}, [], {**GROUPED.to_dict(), "rocch_grouped_rule": 9}):
        with pytest.raises(rocch.InputError, match="be a grouped rule of version 1"):
            GroupedRule.from_dict(wrong)


@pytest.mark.parametrize("unknown", [None, "a"])
def test_sql_decides_as_python_does(unknown: str | None) -> None:
    rng = np.random.default_rng(0)
    grouped = GroupedRule(GROUPED.rules, "region", unknown)
    rows = pd.DataFrame(
        {"id": range(400), "score": rng.random(400), "region": rng.choice(["a", "it's"], 400)}
    )
    sql = grouped.to_sql(columns={"nb": "score"}, dialect="duckdb")
    query = f"SELECT {sql} AS decision FROM rows ORDER BY id"  # noqa: S608 - our own
    ask: Any = duckdb.sql
    found = ask(query).df()["decision"]
    expected = grouped.decide({"nb": rows["score"]}, rows["region"], row_key=rows["id"])
    assert found.tolist() == expected.tolist()
    part = grouped.rules["it's"]
    names = {"rows": rows.rename(columns={"score": "nb"})}
    exec(part.to_python(), names)  # noqa: S102 - our own code
    alone = part.decide({"nb": rows["score"]}, row_key=rows["id"])
    assert names["predictions"].tolist() == alone.tolist()
    exec(grouped.to_python(), names)  # noqa: S102 - our own code
    assert names["predictions"].tolist() == expected.tolist()
    rows["region"] = ["z", None] * 200
    names["rows"]["region"] = ["z"] * 400
    exec(grouped.to_python(), names)  # noqa: S102 - our own code
    others = [None] * 400 if unknown is None else np.where(rows["score"] >= 0.5, "yes", "no")
    assert names["predictions"].tolist() == list(others)
    found = ask(query).df()["decision"]
    plain = np.where(rows["score"] >= 0.5, "yes", "no")
    assert found.isna().all() if unknown is None else (found == plain).all()


def test_rules_of_groups_predict_the_same_labels() -> None:
    other = Rule(GROUPED.rules["a"].mix, 1, 0, 0.1, 0.8)
    with pytest.raises(rocch.InputError, match="rules must predict the same two labels; got"):
        GroupedRule({"a": GROUPED.rules["a"], "b": other})
    with pytest.raises(rocch.InputError, match="rules must map groups to rules; got none"):
        GroupedRule({})


def test_three_parts_are_taken_as_often_as_stated() -> None:
    part = GROUPED.rules["it's"]
    keys = np.arange(20_000)
    shares = [
        np.mean(part.decide({"nb": np.full(keys.size, score)}, row_key=keys) == "yes")
        for score in (0.1, 0.3, 0.5, 0.8)
    ]
    assert shares == pytest.approx([0, 0.5, 0.8, 1], abs=0.01)
    with pytest.raises(rocch.InputError, match="parts with probabilities"):
        Rule.from_dict({**part.to_dict(), "mix": part.to_dict()["mix"] * 2})


def test_rules_that_never_alarm_need_no_scores() -> None:
    never = rocch.RocHull.from_scores([0, 1], {"nb": [1.0, 2.0]}).vertices[0]
    rules = {"a": Rule.from_point(never), "b": Rule.from_point(never)}
    decisions = GroupedRule(rules).decide({"x": [1, 2]}, ["a", "a"])
    assert decisions.tolist() == [False, False]
    with pytest.raises(rocch.InputError, match="groups must name one of the columns; got 'group'"):
        GroupedRule(rules).decide({"x": [1, 2]})


def test_groups_aimed_one_by_one_have_one_rule(model: rocch.RocchClassifier) -> None:
    view = model.at_each({"f": COSTS, "m": rocch.NeymanPearson(0.1)}, group="sex")
    assert view.rule.rules == view.rules
    assert "for sex = 'm': predict 1 when" in view.rule.words
