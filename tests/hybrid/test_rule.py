"""Rules: words, JSON and SQL that decide as the aimed classifier does."""

from __future__ import annotations

import json
import math
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid import AtLeast, Rule
from rocch.hybrid.expression import Constant
from tests.support.columns import ColumnLabels, ColumnScores, scored_columns
from tests.support.hybrids import hull_hybrid

AIMS: list[Any] = [
    rocch.ErrorRate(),
    rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=9),
    rocch.NeymanPearson(0.03),
    rocch.NeymanPearson(0.2),
    rocch.MinimumTpr(0.97),
    rocch.Conditions(prevalence=0.2, false_positive=1, false_negative=0),
    rocch.Conditions(prevalence=0.2, false_positive=0, false_negative=1),
]


@pytest.fixture(scope="module")
def hybrid() -> tuple[Any, rocch.RocchClassifier]:
    rng = np.random.default_rng(0)
    positive = rng.random(500) < 0.4
    y = np.where(positive, "it's bad", "good")
    scores = rng.normal(size=500) + 2 * positive, 2 * rng.normal(size=500) + 3 * positive
    rule = rng.random(500) < np.where(positive, 0.97, 0.03)
    X = scored_columns(*scores, rule)
    frozen = [
        ("a", FrozenEstimator(ColumnScores(0).fit(X, y))),
        ('say "b"', FrozenEstimator(ColumnScores(1).fit(X, y))),
        ("rule", FrozenEstimator(ColumnLabels(2).fit(X, y))),
    ]
    return X, hull_hybrid(frozen, pos_label="it's bad").fit(X, y)


def columns_of(model: Any, X: Any) -> dict[str, Any]:
    """Return what each model says, as a table of scores would hold it."""
    parts = model.hybrid_.components.items()
    return {n: c.scores(X) if c.scoring else c.estimator.predict(X) for n, c in parts}


@pytest.mark.parametrize("randomize", [False, True])
@pytest.mark.parametrize("aim", AIMS)
def test_sql_json_and_the_rule_itself_decide_as_the_view_does(
    hybrid: tuple[Any, rocch.RocchClassifier], aim: Any, randomize: bool
) -> None:
    X, model = hybrid
    view = model.at(aim, randomize=randomize, seed=11)
    keys = [f"case-{i}" for i in range(len(X))]
    expected = view.predict(X, row_key=keys).tolist()
    table = pd.DataFrame({**columns_of(model, X), "key": keys})
    rule = view.rule
    again = rocch.hybrid.Rule.from_dict(json.loads(rule.to_json()))
    assert again == rule
    assert again.decide(table.drop(columns="key"), row_key=keys).tolist() == expected
    sql = rule.to_sql(row_key="key", dialect="duckdb")
    without_key = {**table.iloc[0].to_dict(), "key": None}
    without_scores = dict.fromkeys(table.columns) | {"key": "no scores"}
    table = pd.DataFrame([*table.to_dict("records"), without_key, without_scores])
    answers = asked(f"SELECT {sql} FROM table_", table)  # noqa: S608
    assert [row[0] for row in answers][: len(X)] == expected
    constant = not rule.models
    assert (answers[-1][0] is None) != constant
    assert (answers[-2][0] is None) == (len(rule.mix) > 1)


def asked(query: str, table: Any = None) -> list[Any]:
    """Return DuckDB's answers, from a table under the name `table_`."""
    with duckdb.connect() as base:
        if table is not None:
            base.register("table_", table)
        return base.execute(query).fetchall()


def test_standard_sql_without_a_coin(hybrid: tuple[Any, rocch.RocchClassifier]) -> None:
    """SQLite knows nothing of DuckDB's ways."""
    import sqlite3

    X, model = hybrid
    view = model.at(AIMS[1])
    table = pd.DataFrame(columns_of(model, X))
    with closing(sqlite3.connect(":memory:")) as base:
        table.to_sql("t", base)
        query = f"SELECT {view.rule.to_sql()} FROM t"  # noqa: S608
        answers = [row[0] for row in base.execute(query)]
    assert answers == view.predict(X).tolist()


def test_sqlite_knows_infinite_thresholds() -> None:
    import sqlite3

    rule = Rule(((1.0, AtLeast("nb", math.inf)),), "yes", "no", 0.0, 0.0)
    with closing(sqlite3.connect(":memory:")) as base:
        query = f'SELECT {rule.to_sql(dialect="sqlite")} FROM (SELECT ? AS "nb")'  # noqa: S608
        found = [base.execute(query, (score,)).fetchone()[0] for score in (5.0, math.inf)]
    assert found == ["no", "yes"]


def test_a_missing_score_is_no_negative_answer(hybrid: tuple[Any, rocch.RocchClassifier]) -> None:
    view = hybrid[1].at(rocch.NeymanPearson(0.03))
    (name,) = view.rule.models
    sql = view.rule.to_sql(columns={name: "s"})
    query = f"SELECT {sql} FROM (VALUES (CAST(NULL AS DOUBLE))) AS t(s)"  # noqa: S608
    assert asked(query) == [(None,)]
    # a NaN would be the greatest number there, and so an alarm
    sql = view.rule.to_sql(columns={name: "s"}, dialect="duckdb")
    query = f"SELECT {sql} FROM (VALUES (CAST('NaN' AS DOUBLE))) AS t(s)"  # noqa: S608
    assert asked(query) == [(None,)]


def test_words_are_short_and_decide_alike(hybrid: tuple[Any, rocch.RocchClassifier]) -> None:
    _, model = hybrid
    view = model.at(rocch.NeymanPearson(0.03))
    words = str(view.rule)
    assert words.startswith("predict it's bad when ")
    name, number = words.removeprefix("predict it's bad when ").split(" >= ")
    assert len(number) <= 9
    judged = model.out_of_fold_
    assert isinstance(view.point.threshold, float)
    exact = judged.scores[name] >= view.point.threshold
    np.testing.assert_array_equal(judged.scores[name] >= float(number), exact)


def test_words_of_a_coin_and_of_the_ends(hybrid: tuple[Any, rocch.RocchClassifier]) -> None:
    _, model = hybrid
    mixed = str(model.at(rocch.NeymanPearson(0.111), randomize=True).rule)
    assert mixed.startswith("with probability 0.")
    assert ", otherwise predict it's bad when " in mixed
    assert str(model.at(AIMS[5]).rule) == "never predict it's bad"
    last = model.hull_.vertices[-1]
    whole = rocch.roc.OperatingPoint(1.0, 1.0, ((1.0, last),), "by hand", 0.0, None, 0.0)
    assert str(model.at(whole).rule) == "always predict it's bad"


def test_other_dialects_quote_and_hash_in_their_own_way(
    hybrid: tuple[Any, rocch.RocchClassifier],
) -> None:
    rule = hybrid[1].at(rocch.NeymanPearson(0.111), randomize=True).rule
    assert "sha2('0:' || CAST(`id` AS STRING), 256)" in rule.to_sql(row_key="id", dialect="spark")
    assert "encode(sha256(convert_to('0:' || " in rule.to_sql(row_key="id", dialect="postgresql")
    with pytest.raises(rocch.InputError, match="dialect must be one of 'standard'"):
        rule.to_sql(row_key="id", dialect="oracle")  # type: ignore[arg-type]
    with pytest.raises(rocch.InputError, match="row_key must name the column of row keys"):
        rule.to_sql(dialect="duckdb")
    with pytest.raises(rocch.InputError, match="dialect must name a database"):
        rule.to_sql(row_key="id")
    wrong: list[tuple[Any, str]] = [
        ({"typo": "a"}, "columns must name one of the models of the rule; got 'typo'"),
        ({"a": 3}, r"columns\['a'\] must be a text"),
    ]
    for columns, message in wrong:
        with pytest.raises(rocch.InputError, match=message):
            rule.to_sql(columns=columns, row_key="id", dialect="duckdb")


def test_bad_input(hybrid: tuple[Any, rocch.RocchClassifier]) -> None:
    X, model = hybrid
    table = columns_of(model, X)
    mixed = model.at(rocch.NeymanPearson(0.111), randomize=True).rule
    with pytest.raises(rocch.InputError, match="row_key must hold the key of each row"):
        mixed.decide(table)
    with pytest.raises(rocch.InputError, match="have a column for each model of the rule"):
        mixed.decide({"z": [1.0]}, row_key=[1])
    with pytest.raises(rocch.InputError, match=r"scores\['.*'\] must have no missing labels"):
        mixed.decide({n: np.full(3, np.nan) for n in table}, row_key=[1, 2, 3])
    with pytest.raises(rocch.InputError, match="rule must be a rule of version 1; got version 7"):
        rocch.hybrid.Rule.from_dict({"rocch_rule": 7})
    with pytest.raises(rocch.InputError, match="rule must be a rule of version 1; got 'x'"):
        rocch.hybrid.Rule.from_dict("x")  # type: ignore[arg-type]
    whole = mixed.to_dict()
    for key in ("positive", "mix", "coin", "expected", "scores"):
        partial = {name: value for name, value in whole.items() if name != key}
        with pytest.raises(rocch.InputError, match=f"got one without '{key}'"):
            rocch.hybrid.Rule.from_dict(partial)
    for mix in ([], [{**whole["mix"][0], "probability": 2.0}], whole["mix"] * 2):
        with pytest.raises(rocch.InputError, match="parts with probabilities"):
            rocch.hybrid.Rule.from_dict({**whole, "mix": mix})


def test_the_rule_says_which_scores_it_means() -> None:
    X = scored_columns([0.1, 0.2, 0.7, 0.9])
    y = np.array([1, 1, 0, 0])
    frozen = FrozenEstimator(ColumnScores(0).fit(X, y))
    models = {1: "decision_function", 0: "minus decision_function"}
    for label, meaning in models.items():
        view = hull_hybrid([("m", frozen)], pos_label=label).fit(X, y)
        rule = view.at(rocch.NeymanPearson(0.5)).rule
        if rule.models:
            assert rule.scores == {"m": meaning}
            assert rule.to_dict()["scores"] == {"m": meaning}


def test_numbers_and_flags_as_labels() -> None:
    X = scored_columns([0.1, 0.2, 0.7, 0.9])
    for y, yes, no in (
        (np.array([0, 0, 1, 1]), "THEN 1", "THEN 0"),
        (np.array([False, False, True, True]), "THEN TRUE", "THEN FALSE"),
        (np.array([-1.0, -1.0, 1.0, 1.0]), "THEN 1.0", "THEN -1.0"),
    ):
        frozen = FrozenEstimator(ColumnScores(0).fit(X, y))
        rule = hull_hybrid([("m", frozen)]).fit(X, y).at(rocch.ErrorRate()).rule
        assert yes in rule.to_sql()
        assert no in rule.to_sql()
        json.loads(rule.to_json())


def test_the_rule_of_a_point_of_any_hull() -> None:
    y, scores = [0, 0, 1, 1, 0, 1], {"a": [0.1, 0.4, 0.35, 0.8, 0.7, 0.9]}
    labels = rocch.RocCurve.from_labels(y, [0, 0, 0, 1, 0, 1], name="rules")
    hull = rocch.RocHull.from_scores(y, scores)
    for vertex in hull.vertices:
        alarms = rocch.hybrid.Rule.from_point(vertex).decide(scores)
        hits = int(np.count_nonzero(alarms[np.array(y) == 1]))
        counts = int(np.count_nonzero(alarms)) - hits, hits
        assert counts == (vertex.false_positives, vertex.true_positives)
    mixed = hull.best(rocch.NeymanPearson(0.1), randomize=True)
    rule = rocch.hybrid.Rule.from_point(mixed, positive="x", negative="y", row_key="id", seed=5)
    assert (len(rule.mix), rule.seed, rule.row_key) == (2, 5, "id")
    assert set(rule.decide(scores, row_key=y).tolist()) <= {"x", "y"}
    both = rocch.RocHull.of(labels)
    assert (
        str(rocch.hybrid.Rule.from_point(both.best(rocch.ErrorRate())))
        == "predict True when rules alarms"
    )
    wrong: Any = 3
    with pytest.raises(rocch.InputError, match="point must be an OperatingPoint; got an object"):
        rocch.hybrid.Rule.from_point(wrong)
    with pytest.raises(rocch.InputError, match="seed must be a whole number"):
        rocch.hybrid.Rule.from_point(mixed, seed=-1)


def test_the_rule_of_one_of_several_settings_says_what_is_missing() -> None:
    rules = rocch.RocCurve.from_counts([1, 2], [2, 3], negatives=4, positives=4, name="rules")
    point = rocch.RocHull.of(rules).vertices[1]
    says = "point must belong to classifiers that score, or that have one setting; got 'rules' at"
    with pytest.raises(rocch.InputError, match=f"{says} setting '1'.*its own name"):
        rocch.hybrid.Rule.from_point(point)


def test_spark_reads_signs_in_texts_that_others_leave() -> None:
    mix: Any = ((1.0, Constant(True)),)
    for label in ("it's", "a\\b", "${x}"):
        rule = rocch.hybrid.Rule(mix, label, "good", 0.1, 0.9)
        assert f"THEN CAST(X'{label.encode().hex()}' AS STRING) " in rule.to_sql(dialect="spark")
        assert "THEN 'good'" in rule.to_sql(dialect="spark")
        assert "X'" not in rule.to_sql(dialect="duckdb")
