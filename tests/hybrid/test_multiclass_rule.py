"""Rules for several classes: words, Python and SQL that predict as the costs do."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.errors import escape_controls
from rocch.hybrid import MulticlassRule, MulticlassRuleTemplates
from rocch.hybrid.multiclass_rule import errors_cost_alike
from rocch.kernels.assignment import least_cost
from tests.support.many_reports import drawn
from tests.support.nasty import CONTROLS, NASTY
from tests.support.rules import fill

CLASSES = ("cat's", 'd"g', "eel")
COSTS = (0.0, 3.0, 0.25, 1.0, 0.0, 1e-07, 2.0, 0.5, 0.0)
EQUAL = (0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0)
RULES = {
    "least_expected_cost": MulticlassRule(CLASSES, "my\nmodel", COSTS),
    "least_weighted_sum": MulticlassRule(CLASSES, "my\nmodel", COSTS, adjusted=True),
    "most_likely_class": MulticlassRule(CLASSES, "my\nmodel", EQUAL),
    "own_predictions": MulticlassRule(CLASSES, "rules"),
    "always": MulticlassRule(CLASSES, always="eel"),
}
NAMES = st.text("ab{}'\"\\%\n\t\r\x1b\u202e\u2028é", min_size=1, max_size=5) | st.sampled_from(
    ["class", "model", "cost_0_1", NASTY]
)


def wanted(rule: MulticlassRule, probabilities: Any) -> list[Any]:
    if rule.costs is None:
        return ["eel"] * len(probabilities)
    size = len(rule.classes)
    places = least_cost(probabilities, np.array(rule.costs).reshape(size, size))
    return [rule.classes[place] for place in places]


class Fitted:
    """A fitted model, as the code of a rule calls it."""

    def __init__(self, probabilities: Any) -> None:
        self.probabilities = probabilities

    def predict_proba(self, X: Any) -> Any:  # noqa: ARG002 - the rows are known
        return self.probabilities

    def predict(self, X: Any) -> Any:
        return np.array(["eel"] * len(X))


def test_every_rule_has_words() -> None:
    for kind, rule in RULES.items():
        assert rule.kind == kind
        assert str(rule) == rule.words
    assert "my\nmodel gives to all classes" in RULES["least_expected_cost"].words
    assert "to which my\nmodel gives the largest" in RULES["most_likely_class"].words
    assert RULES["own_predictions"].words == "Use the predictions of rules as they are."
    assert RULES["always"].words == "Predict eel for every row."


@pytest.mark.parametrize("kind", RULES)
def test_python_predicts_as_the_costs_do(kind: str) -> None:
    _, probabilities = drawn(3, 40)
    rule = RULES[kind]
    scope = {"model": Fitted(probabilities), "X": [0] * 40}
    exec(rule.to_python(), scope)  # noqa: S102 - our own text
    assert list(scope["predictions"]) == wanted(rule, probabilities)  # type: ignore[call-overload]


def run_sql(
    rule: MulticlassRule, rows: list[tuple[Any, ...]], dialect: Any = "duckdb", kind: str = "DOUBLE"
) -> list[Any]:
    """Return the predictions of rows of probabilities and labels, made by a database."""
    names = [*map(str, rule.classes), "rules"]
    columns = ", ".join(f'"{name}" {kind}' for name in (n.replace('"', '""') for n in names[:-1]))
    query = f"SELECT {rule.to_sql(dialect=dialect)} FROM scored ORDER BY row_id"  # noqa: S608
    connect: Any = sqlite3.connect if dialect == "sqlite" else duckdb.connect
    with closing(connect(":memory:")) as base:
        base.execute(f"CREATE TABLE scored (row_id INTEGER, {columns}, rules VARCHAR)")
        marks = ", ".join("?" * (len(names) + 1))
        numbered = [(place, *row) for place, row in enumerate(rows)]
        base.executemany(f"INSERT INTO scored VALUES ({marks})", numbered)  # noqa: S608
        return [prediction for (prediction,) in base.execute(query).fetchall()]


DATABASES = pytest.mark.parametrize("dialect", ["standard", "duckdb", "sqlite"])


@DATABASES
@pytest.mark.parametrize("kind", RULES)
def test_sql_predicts_as_the_costs_do(kind: str, dialect: str) -> None:
    _, probabilities = drawn(3, 40)
    rows = [(*own, "eel") for own in probabilities.tolist()]
    assert run_sql(RULES[kind], rows, dialect) == wanted(RULES[kind], probabilities)


@DATABASES
@given(data=st.data())
def test_sql_and_python_break_ties_as_decide_does(dialect: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 4), label="classes")
    # few values, so that many expected costs are equal, or differ by a rounding error only
    cost = st.sampled_from([1.0, 2.0, 0.1, 0.2, 0.3, 1 / 3, 0.30000000000000004])
    costs = np.array(data.draw(st.lists(cost, min_size=size**2, max_size=size**2)))
    costs.reshape(size, size)[np.diag_indices(size)] = 0.0
    if data.draw(st.booleans(), label="equal costs"):
        costs = np.ravel(1.0 - np.eye(size))
    shares = st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any)
    counts = np.array(data.draw(st.lists(shares, min_size=1, max_size=8)), dtype=float)
    probabilities = counts / counts.sum(axis=1, keepdims=True)
    rule = MulticlassRule(tuple("abcd"[:size]), "nb", tuple(costs.tolist()))
    found = rule.decide(probabilities).tolist()
    assert run_sql(rule, [(*row, None) for row in probabilities.tolist()], dialect) == found
    if rule.kind == "least_expected_cost":
        scope = {"model": Fitted(probabilities), "X": counts}
        exec(rule.to_python(), scope)  # noqa: S102 - our own text
        assert scope["predictions"].tolist() == found  # type: ignore[attr-defined]


@DATABASES
@pytest.mark.parametrize("kind", ["least_expected_cost", "most_likely_class"])
def test_a_row_with_a_missing_probability_gets_no_prediction_in_sql(
    kind: str, dialect: str
) -> None:
    rows = [(None,) * 4, (1.0, 0.0, 0.0, None), (1.0, None, 0.0, None), (None, 0.0, 1.0, None)]
    assert run_sql(RULES[kind], rows, dialect) == [None, "cat's", None, None]


def test_nan_is_missing_in_the_sql_of_databases() -> None:
    for place in range(3):
        row = [0.5] * 3
        row[place] = float("nan")
        for kind in ("least_expected_cost", "most_likely_class"):
            assert run_sql(RULES[kind], [(*row, None)]) == [None]


@pytest.mark.parametrize("kind", ["FLOAT", "DECIMAL(9, 6)"])
def test_sql_calculates_in_double_precision_whatever_the_columns_are(kind: str) -> None:
    # in single precision the costs are equal, and the first class would win
    costs = (0.0, 1.0 + 1e-12, 1.0, 0.0)
    rule = MulticlassRule(("a", "b"), "nb", tuple(reversed(costs)))
    assert rule.decide([[0.5, 0.5]]).tolist() == ["b"]
    assert run_sql(rule, [(0.5, 0.5, None)], "standard", kind) == ["b"]


def test_equal_costs_take_the_first_class() -> None:
    third = [1 / 3] * 3
    assert run_sql(RULES["most_likely_class"], [(*third, None)]) == ["cat's"]


def test_sql_stays_short_with_many_classes() -> None:
    classes = tuple(f"class {place}" for place in range(20))
    rule = MulticlassRule(classes, "nb", tuple(float(place % 7) for place in range(400)))
    assert rule.to_sql().count(" * ") == 2 * 20**2


def test_classes_that_are_numbers_stay_numbers() -> None:
    rule = MulticlassRule((1, 2), "nb", (0, 1, 1, 0))
    scope = {"model": Fitted(np.array([[0.2, 0.8]])), "X": [0]}
    exec(rule.to_python(), scope)  # noqa: S102 - our own text
    assert scope["predictions"].tolist() == [2]  # type: ignore[attr-defined]
    assert 'WHEN 1e0 * "1" + 0e0 * "2" THEN 2' in rule.to_sql()


def test_weights_that_are_no_costs_say_so_in_every_text() -> None:
    rule, other = RULES["least_weighted_sum"], RULES["least_expected_cost"]
    for text in (rule.words, rule.to_python(), rule.to_sql(), rule.to_sql(dialect="spark")):
        assert "not your costs" in text
    for text in (other.words, other.to_python(), other.to_sql()):
        assert "not your costs" not in text
    assert rule.to_dict()["adjusted"]


def test_plain_data_say_which_error_each_cost_is_of() -> None:
    rule = MulticlassRule((1, 2), "nb", (0, 20, 1, 0))
    data = json.loads(rule.to_json())
    assert {"truth": 1, "prediction": 2, "cost": 20} in data["costs"]
    assert {"truth": 2, "prediction": 1, "cost": 1} in data["costs"]
    data["costs"].reverse()
    assert MulticlassRule.from_dict(data) == rule
    del data["costs"][0]
    with pytest.raises(rocch.InputError, match="version 1"):
        MulticlassRule.from_dict(data)


def test_whether_errors_cost_alike() -> None:
    assert errors_cost_alike((0, 2, 2, 0))
    assert not errors_cost_alike((0, 2, 1, 0))
    assert not errors_cost_alike((1, 2, 2, 1))


def test_impossible_rules_are_refused() -> None:
    with pytest.raises(rocch.InputError, match="costs must have 9 cells for 3 classes; got 4"):
        MulticlassRule(CLASSES, "nb", (0, 1, 1, 0))
    with pytest.raises(rocch.InputError, match="always must name one of the classes; got 'fox'"):
        MulticlassRule(CLASSES, always="fox")


@given(
    st.lists(NAMES, min_size=2, max_size=4, unique=True),
    st.lists(NAMES, min_size=1, max_size=2, unique=True),
    st.data(),
)
def test_filled_templates_are_the_texts_of_the_rule(
    classes: list[str], models: list[str], data: st.DataObject
) -> None:
    size = len(classes)
    templates = MulticlassRuleTemplates(tuple(classes), tuple(models)).to_dict()
    assert json.loads(json.dumps(templates)) == templates
    numbers = st.integers(0, 3) | st.sampled_from([0.25, 1 / 3, 123456.789])
    costs = data.draw(st.lists(numbers, min_size=size**2, max_size=size**2))
    model, place = data.draw(st.integers(0, len(models) - 1)), data.draw(st.integers(0, size - 1))
    for rule in (
        MulticlassRule(tuple(classes), models[model], tuple(costs)),
        MulticlassRule(tuple(classes), models[model], tuple(costs), adjusted=True),
        MulticlassRule(tuple(classes), models[model]),
        MulticlassRule(tuple(classes), always=classes[place]),
    ):
        texts = {"words": escape_controls(rule.words), "python": rule.to_python()}
        for kind, text in {**texts, "sql": rule.to_sql()}.items():
            end = "e0" if kind == "sql" else ""
            cells = {f"cost_{i // size}_{i % size}": cost for i, cost in enumerate(costs)}
            values = {name: f"{cost}{end}" for name, cost in cells.items()}
            values |= {"class": templates["classes"][place][kind]}
            values |= {"model": templates["models"][model][kind]}
            assert fill(templates["rules"][rule.kind][kind], values) == text
        assert not CONTROLS.findall(texts["words"] + texts["python"])


@pytest.mark.parametrize("kind", RULES)
def test_rules_are_read_back_and_decide_alike(kind: str) -> None:
    rule = RULES[kind]
    again = rocch.hybrid.Rule.from_dict(json.loads(rule.to_json()))
    assert again == rule
    _, probabilities = drawn(3, 40)
    columns: Any = probabilities
    if kind == "own_predictions":
        columns = {"rules": ["eel"] * 40}
    assert list(rule.decide(columns)) == wanted(rule, probabilities)


def test_columns_and_dialects_are_those_of_other_rules() -> None:
    rule = MulticlassRule(("ill", "well"), "nb", (0, 1, 1, 0))
    assert '0e0 * "p_ill" + 1e0 * "well"' in rule.to_sql(columns={"ill": "p_ill"})
    assert "0e0 * `ill` + 1e0 * `well`" in rule.to_sql(dialect="spark")
    assert rule.to_sql(dialect="sqlite").startswith("CASE MIN(")
    own = MulticlassRule(("ill", "well"), "rules").to_sql(columns={"rules": "said"})
    assert own == '"said"'
    with pytest.raises(rocch.InputError, match="columns"):
        rule.to_sql(columns={"dead": "x"})
    with pytest.raises(rocch.InputError, match="version 1"):
        MulticlassRule.from_dict({"classes": ["a", "b"]})


def test_an_aimed_surface_has_a_rule_that_predicts_alike() -> None:
    rng = np.random.default_rng(2)
    y = np.array(["a", "b", "c"])[np.arange(90) % 3]
    X = rng.normal(size=(90, 2)) + 2 * (np.arange(90) % 3)[:, np.newaxis]
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], generations=5, draws=5).fit(X, y)
    costs = rocch.CostMatrix({("a", "b"): 7}, classes=("a", "b", "c"), default=1)
    for view in (model.at(costs), model.at(costs, exact=True)):
        probabilities = view.predict_proba(X)
        assert list(view.rule.decide(probabilities)) == list(view.predict(X))
        scope: dict[str, Any] = {"model": view, "X": X}
        exec(view.rule.to_python(), scope)  # noqa: S102 - our own text
        assert list(scope["predictions"]) == list(view.predict(X))
        assert view.rule.models == (view.point.member.model,)
        assert view.rule.adjusted == (view.point.member.costs != costs)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_view_returns_the_table_that_its_rule_needs(library: Any) -> None:
    rng = np.random.default_rng(2)
    y = np.arange(90) % 3  # classes that are numbers, whose columns are texts
    X = pd.DataFrame(rng.normal(size=(90, 2)) + 2 * y[:, np.newaxis], columns=["p", "q"])
    model = rocch.RocSurfaceClassifier([("nb", GaussianNB())], objectives=None).fit(X, y)
    view = model.at(rocch.CostMatrix({(0, 1): 7}, classes=(0, 1, 2), default=1))
    rows = library(X.iloc[:40].to_dict("list"))
    scores = view.scores(rows)
    assert isinstance(scores, library)
    assert list(scores.columns) == ["0", "1", "2"]
    found = view.predict(rows).tolist()
    assert view.rule.decide(scores).tolist() == found
    table = pd.DataFrame(scores, columns=["0", "1", "2"]).assign(id=range(40))
    assert view.rule.decide(table).tolist() == found
    with duckdb.connect() as base:
        base.register("scored", table)
        query = f"SELECT {view.rule.to_sql()} FROM scored ORDER BY id"  # noqa: S608
        assert [label for (label,) in base.execute(query).fetchall()] == found


def test_a_table_without_a_class_is_refused() -> None:
    with pytest.raises(rocch.InputError, match="for each class; got none for 'eel'"):
        RULES["least_expected_cost"].decide({"cat's": [1.0], 'd"g': [0.0]})
