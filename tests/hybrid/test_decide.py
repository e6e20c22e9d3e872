"""Tables of DuckDB decided where they lie, and everything that cannot be decided."""

from __future__ import annotations

import uuid
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid import And, AtLeast, Or, ScoreColumn
from tests.support.deciding import ODD, arrow, fitted, rules_of, scored_rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rocch.hybrid.expression import Expression

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
COIN = rocch.hybrid.Rule(
    ((0.5, AtLeast("a", 0.25)), (0.5, AtLeast("a", -0.25))), 1, 0, 0.1, 0.9, seed=4, row_key="id"
)
PLAIN = rocch.hybrid.Rule(((1.0, AtLeast("a", 0.5)),), 1, 0, 0.1, 0.9)


@pytest.fixture(scope="module")
def base() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def answers(frame: Any) -> list[Any]:
    """Return the last column, in the order of the rows."""
    return [row[-1] for row in frame.fetchall()]


def test_rules_of_every_form(base: duckdb.DuckDBPyConnection) -> None:
    rows = scored_rows()
    frame = base.from_arrow(arrow(rows))
    for rule in rules_of():
        expected = rule.decide(rows, row_key=rows["id"]).tolist()
        assert answers(rocch.hybrid.decide_frame(frame, rule)) == expected


def expressions() -> st.SearchStrategy[Expression]:
    """Return statements about two models, of any depth."""
    threshold = st.floats(allow_nan=False)
    leaves = st.builds(AtLeast, st.sampled_from(["a", "b"]), threshold)
    return st.recursive(
        leaves, lambda parts: st.builds(And, parts, parts) | st.builds(Or, parts, parts)
    )


@settings(max_examples=40)
@given(data=st.data(), width=st.sampled_from([32, 64]), share=st.floats(0, 1))
def test_any_rule_decides_as_in_memory(
    base: duckdb.DuckDBPyConnection, data: st.DataObject, width: Any, share: float
) -> None:
    parts = data.draw(expressions()), data.draw(expressions())
    score = st.floats(allow_nan=False, width=width)
    near = [np.float64(t) for part in parts for t in _thresholds(part)]
    a, b = (
        data.draw(st.lists(score | st.sampled_from(near), min_size=5, max_size=5)) for _ in "ab"
    )
    kind = {32: np.float32, 64: np.float64}[width]
    with np.errstate(over="ignore"):
        columns = {"a": np.array(a, dtype=kind), "b": np.array(b, dtype=kind)}
    rule = rocch.hybrid.Rule(
        ((1 - share, parts[0]), (share, parts[1])), "yes", "no", 0.1, 0.9, seed=1
    )
    frame = base.from_arrow(arrow({**columns, "key": np.arange(5)}))
    expected = rule.decide(columns, row_key=np.arange(5)).tolist()
    assert answers(rocch.hybrid.decide_frame(frame, rule, row_key="key")) == expected


def _thresholds(part: Expression) -> list[float]:
    if isinstance(part, AtLeast):
        return [part.threshold]
    assert isinstance(part, And | Or)
    return _thresholds(part.first) + _thresholds(part.second)


def test_single_precision_is_not_rounded_once_more(base: duckdb.DuckDBPyConnection) -> None:
    score = np.float32(0.1)
    rule = rocch.hybrid.Rule(((1.0, AtLeast("a", float(score) + 1e-12)),), 1, 0, 0.1, 0.9)
    frame = base.from_arrow(arrow({"a": np.array([score])}))
    assert rule.decide({"a": np.array([score])}).tolist() == [0]
    assert answers(rocch.hybrid.decide_frame(frame, rule)) == [0]


@pytest.mark.parametrize(
    "keys",
    [
        pa.array(range(40), pa.uint8()),
        pa.array([2**62 + row for row in range(40)], pa.int64()),
        pa.array([f"käse-{row}\t'" for row in range(40)]),
        pa.array([date(2024, 2, 29) + timedelta(days=9 * row) for row in range(40)]),
    ],
    ids=lambda keys: str(keys.type),
)
def test_coins_are_those_of_memory(base: duckdb.DuckDBPyConnection, keys: Any) -> None:
    expected = COIN.decide({"a": np.zeros(40)}, row_key=keys.to_pylist()).tolist()
    frame = base.from_arrow(pa.table({"a": np.zeros(40), "key": keys}))
    assert 5 < sum(expected) < 35
    assert answers(rocch.hybrid.decide_frame(frame, COIN, row_key="key")) == expected


def test_uuids_are_keys(base: duckdb.DuckDBPyConnection) -> None:
    keys = [uuid.UUID(int=7**40 + row) for row in range(20)]
    texts = pa.table({"a": np.zeros(20), "key": [str(key).upper() for key in keys]})
    frame = base.from_arrow(texts).project("a, CAST(key AS UUID) AS key")
    expected = COIN.decide({"a": np.zeros(20)}, row_key=keys).tolist()
    assert answers(rocch.hybrid.decide_frame(frame, COIN, row_key="key")) == expected


def test_missing_scores_and_keys_get_no_answer(base: duckdb.DuckDBPyConnection) -> None:
    columns = {"a": [0.9, 0.1, None, float("nan")], "id": [1, None, 3, 4]}
    frame = base.from_arrow(arrow(columns))
    assert answers(rocch.hybrid.decide_frame(frame, PLAIN)) == [1, 0, None, None]
    found = answers(rocch.hybrid.decide_frame(frame, COIN))
    assert found[0] is not None
    assert found[1:] == [None, None, None]


def test_a_rule_without_coin_needs_no_key(base: duckdb.DuckDBPyConnection) -> None:
    rule = rocch.hybrid.Rule(PLAIN.mix, 1, 0, 0.1, 0.9, row_key="id")
    frame = base.from_arrow(arrow({"a": [0.9, 0.1]}))
    assert answers(rocch.hybrid.decide_frame(frame, rule)) == [1, 0]


def test_names_that_must_be_quoted(base: duckdb.DuckDBPyConnection) -> None:
    rows = scored_rows(20)
    rule = rules_of()[7]
    frame = base.from_arrow(arrow({ODD.get(name, name): v for name, v in rows.items()}))
    columns = {name: ODD[name] for name in rule.models}
    decided = rocch.hybrid.decide_frame(frame, rule, columns=columns, column='the "answer"')
    assert decided.columns == [*frame.columns, 'the "answer"']
    assert answers(decided) == rule.decide(rows).tolist()


@pytest.mark.parametrize(
    ("labels", "kind"),
    [((True, False), "BOOLEAN"), ((1, 0), "BIGINT"), ((1, 0.5), "DOUBLE"), (("y", "n"), "VARCHAR")],
)
def test_labels_keep_their_kind(
    base: duckdb.DuckDBPyConnection, labels: tuple[Any, Any], kind: str
) -> None:
    rule = rocch.hybrid.Rule(((1.0, AtLeast("a", 0.5)),), *labels, 0.1, 0.9)
    decided = rocch.hybrid.decide_frame(base.from_arrow(arrow({"a": [0.1, 0.9]})), rule)
    assert str(decided.types[-1]) == kind
    assert answers(decided) == [labels[1], labels[0]]


def test_points_of_a_hull_answer_true_or_false(base: duckdb.DuckDBPyConnection) -> None:
    y, scores = [0, 0, 1, 1, 0, 1], {"a": [0.1, 0.4, 0.35, 0.8, 0.7, 0.9]}
    hull = rocch.RocHull.from_scores(y, scores)
    frame = base.from_arrow(arrow({**scores, "y": y}))
    for vertex in hull.vertices:
        alarms = answers(rocch.hybrid.decide_frame(frame, vertex))
        hits = sum(alarm for alarm, label in zip(alarms, y, strict=True) if label)
        assert (sum(alarms) - hits, hits) == (vertex.false_positives, vertex.true_positives)
    mixed = hull.best(rocch.NeymanPearson(0.1), randomize=True)
    keyed = base.from_arrow(arrow({**scores, "key": range(6)}))
    expected = rocch.hybrid.Rule.from_point(mixed).decide(scores, row_key=list(range(6)))
    assert answers(rocch.hybrid.decide_frame(keyed, mixed, row_key="key")) == expected.tolist()
    with pytest.raises(rocch.InputError, match="row_key must name the column of row keys"):
        rocch.hybrid.decide_frame(keyed, mixed)


def test_a_column_of_scores_may_be_called_otherwise_than_its_classifier(
    base: duckdb.DuckDBPyConnection,
) -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(90) < 0.4).astype(int)
    rows = pd.DataFrame({"score 7": rng.normal(size=90) + 2 * y})
    frame = base.from_arrow(arrow({"score 7": rows["score 7"].to_numpy()}))
    column = FrozenEstimator(ScoreColumn("score 7"))
    model = rocch.RocchClassifier([("m", column)]).fit(rows, y)
    assert answers(rocch.hybrid.decide_frame(frame, model)) == model.predict(rows).tolist()
    # of the other class a rule would read the scores with the opposite sign
    model = rocch.RocchClassifier([("m", column)], pos_label=0).fit(rows, y)
    with pytest.raises(rocch.InputError, match="decider must be a rule for a DuckDB"):
        rocch.hybrid.decide_frame(frame, model)


def test_a_hybrid_of_columns_is_taken_by_its_rule(
    base: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(90) < 0.4).astype(int)
    scores = {"m": rng.normal(size=90) + 2 * y}
    with rocch.library.ClassifierLibrary.create(tmp_path / "library") as library:
        library.add_scores(y, scores)
        export = library.export()
    model = rocch.load(export.path)
    assert isinstance(model, rocch.RocchClassifier)
    expected = model.predict(pd.DataFrame(scores)).tolist()
    frame = base.from_arrow(arrow(scores))
    assert answers(rocch.hybrid.decide_frame(frame, export.path)) == expected
    assert answers(rocch.hybrid.decide_frame(frame, model.default_)) == expected
    renamed = base.from_arrow(arrow({"v7": scores["m"]}))
    assert answers(rocch.hybrid.decide_frame(renamed, model, columns={"m": "v7"})) == expected


@pytest.mark.parametrize("groups", [("DE", "it's"), (1, 2), (True, False)])
def test_grouped_rules(base: duckdb.DuckDBPyConnection, groups: tuple[Any, Any]) -> None:
    rng = np.random.default_rng(0)
    rows: dict[str, Any] = {"a": rng.normal(size=50), "id": np.arange(50)}
    rows["place"] = list(groups) * 25
    rule = rocch.hybrid.GroupedRule(dict(zip(groups, (PLAIN, COIN), strict=True)), "place")
    frame = base.from_arrow(arrow(rows))
    expected = rule.decide(rows, row_key=rows["id"]).tolist()
    assert 0 < sum(expected) < 50
    assert rule.decide(rows).tolist() == expected  # the rule names the column of row keys
    assert answers(rocch.hybrid.decide_frame(frame, rule)) == expected
    dated = base.from_arrow(arrow({**rows, "place": [date(2024, 1, 1)] * 50}))
    with pytest.raises(rocch.InputError, match="group must name a column of groups such as"):
        rocch.hybrid.decide_frame(dated, rule)
    rows["v7"] = rows.pop("a")
    renamed = base.from_arrow(arrow(rows))
    assert answers(rocch.hybrid.decide_frame(renamed, rule, columns={"a": "v7"})) == expected


def test_rules_that_refer_cases(base: duckdb.DuckDBPyConnection) -> None:
    rows = {"a": np.linspace(-1, 1, 21), "b": np.linspace(1, -1, 21)}
    frame = base.from_arrow(arrow(rows))
    for upper, lower in (("a", "a"), ("a", "b")):
        rule = rocch.hybrid.ReferralRule(AtLeast(upper, 0.5), AtLeast(lower, -0.25), 1, 0)
        expected = list(map(str, rule.decide(rows).tolist()))
        assert "refer" in expected
        assert answers(rocch.hybrid.decide_frame(frame, rule)) == expected


def test_groups_and_referrals_of_a_hybrid_of_columns(base: duckdb.DuckDBPyConnection) -> None:
    rng = np.random.default_rng(1)
    y = (rng.random(300) < 0.4).astype(int)
    rows = pd.DataFrame({"v7": rng.normal(size=300) + 2 * y})
    column = FrozenEstimator(ScoreColumn("v7").fit(rows, y))
    model = rocch.RocchClassifier([("m", column)]).fit(rows, y)
    frame = base.from_arrow(arrow({"v7": rows["v7"], "place": ["x", "y"] * 150}))
    known = rows.assign(place=["x", "y"] * 150)
    each = model.at_each({"x": KNOWN, "y": rocch.NeymanPearson(0.1)}, group="place")
    assert answers(rocch.hybrid.decide_frame(frame, each)) == each.predict(known).tolist()
    refer = model.refer(KNOWN, cost=0.2)
    expected = list(map(str, refer.predict(rows).tolist()))
    assert answers(rocch.hybrid.decide_frame(frame, refer)) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"column": ""}, "column must be a text that is not empty; got ''"),
        ({"column": 3}, "column must be a text that is not empty; got 3"),
        ({"column": "A"}, "column must be new; got 'A', which the table has"),
        ({"columns": {"a": "z"}}, "columns must name a column of the data; got 'z'"),
        ({"columns": {"z": "a"}}, "columns must name one of the models of the rule; got 'z'"),
        ({"columns": ["a"]}, "columns must map models to columns of scores; got ['a']"),
        ({"columns": {"a": "text"}}, "columns must name a column of numbers; got 'text'"),
        ({"row_key": 3}, "row_key must be a text that is not empty; got 3"),
        ({"row_key": "z"}, "row_key must name a column of the data; got 'z'"),
        ({"row_key": "a"}, "row_key must name a column of whole numbers, texts, dates or UUIDs"),
        ({"row_key": "when"}, "got 'when' of another type"),
        ({"criterion": KNOWN}, "criterion must be left out for what is aimed already"),
        ({"digest": "00"}, "digest must come with a path; got an object of type Rule"),
    ],
)
def test_bad_options(
    base: duckdb.DuckDBPyConnection, options: dict[str, Any], message: str
) -> None:
    frame = base.sql("SELECT 0.5 AS a, 1 AS id, 'x' AS text, TIMESTAMP '2024-01-01' AS \"when\"")
    with pytest.raises(rocch.InputError) as caught:
        rocch.hybrid.decide_frame(frame, COIN, **options)
    assert message in str(caught.value)


def test_other_things_of_spark_are_no_tables() -> None:
    column = type("Column", (), {"__module__": "pyspark.sql.column"})()
    with pytest.raises(rocch.InputError, match="frame must be"):
        rocch.hybrid.decide_frame(column, PLAIN)


@pytest.mark.parametrize("adjusted", [False, True])
def test_a_rule_of_several_classes_decides_a_table(
    base: duckdb.DuckDBPyConnection, *, adjusted: bool
) -> None:
    rule = rocch.hybrid.MulticlassRule(
        (1, 2, 3), "nb", (0, 3, 1 / 3, 1, 0, 1e-7, 2, 0.5, 0), adjusted=adjusted
    )
    rows = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    table = pd.DataFrame(rows, columns=["1", "2", "three"])
    frame = base.from_df(table)
    found = rocch.hybrid.decide_frame(frame, rule, columns={"3": "three"}).df()
    assert found["decision"].tolist() == rule.decide(rows).tolist()
    with pytest.raises(rocch.InputError, match="'3'"):
        rocch.hybrid.decide_frame(frame, rule)
    always = rocch.hybrid.MulticlassRule((1, 2, 3), always=2)
    assert set(rocch.hybrid.decide_frame(frame, always).df()["decision"]) == {2}
    texts = base.sql("SELECT 'b' AS nb, 0.5 AS \"a\", 'x' AS \"b\"")
    own = rocch.hybrid.MulticlassRule(("a", "b"), "nb")
    assert rocch.hybrid.decide_frame(texts, own).df()["decision"].tolist() == ["b"]
    with pytest.raises(rocch.InputError, match="columns must name a column of probabilities"):
        rocch.hybrid.decide_frame(texts, rocch.hybrid.MulticlassRule(("a", "b"), "n", (0, 1, 2, 0)))


def test_bad_deciders(base: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    frame = base.sql("SELECT 0.5 AS a, 1 AS id")
    wrong: Any = 3
    with pytest.raises(rocch.InputError, match="decider must be a rule, an operating point"):
        rocch.hybrid.decide_frame(frame, wrong)
    mixed = rocch.hybrid.Rule(PLAIN.mix, "yes", 0, 0.1, 0.9)
    with pytest.raises(rocch.InputError, match="labels of one kind: numbers, texts or flags"):
        rocch.hybrid.decide_frame(frame, mixed)
    with pytest.raises(rocch.InputError, match="labels of one kind: numbers, texts or flags"):
        rocch.hybrid.decide_frame(frame, rocch.hybrid.Rule(PLAIN.mix, True, 0, 0.1, 0.9))
    with pytest.raises(rocch.InputError, match="decider must be a rule for a DuckDB"):
        rocch.hybrid.decide_frame(frame, fitted())
    with pytest.raises(rocch.InputError, match="decider must be a rule; got a hybrid of models"):
        rocch.hybrid.decide_frame(frame, fitted().at_each({"DE": KNOWN}))
    path = tmp_path / "view.rocch"
    rocch.save(fitted(), path)
    with pytest.raises(rocch.InputError, match="another file than the one whose digest was given"):
        rocch.hybrid.decide_frame(frame, path, digest="00")


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": [1.0]}), {"a": [1.0]}, None])
def test_frames_in_memory_are_sent_to_predict(frame: Any) -> None:
    with pytest.raises(
        rocch.InputError, match="frame must be a PySpark DataFrame or a DuckDB"
    ) as e:
        rocch.hybrid.decide_frame(frame, PLAIN)
    assert "Use predict" in str(e.value)
