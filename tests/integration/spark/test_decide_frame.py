"""Spark tables decided where they lie answer row by row as the same rows do in memory."""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import functions

import rocch
from rocch.hybrid import AtLeast, MulticlassRule, Predicts
from tests.support.deciding import ODD, arrow, fitted, rows_of_features, rules_of, scored_rows

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
COIN = rocch.hybrid.Rule(
    ((0.5, AtLeast("a", 0.25)), (0.5, AtLeast("a", -0.25))), 1, 0, 0.1, 0.9, seed=4, row_key="id"
)


def laid_out(spark: SparkSession, columns: pa.Table, partitions: int = 2) -> DataFrame:
    """Return a table in partitions, of which the planner cannot compute anything beforehand."""
    return spark.createDataFrame(columns).repartition(partitions).localCheckpoint()


def answers(frame: DataFrame, *columns: str) -> list[list[Any]]:
    """Return columns of a table in the order of its keys."""
    rows = frame.orderBy("id").collect()
    return [[row[column] for row in rows] for column in columns or ("decision",)]


def by_rules(frame: DataFrame, rules: list[rocch.hybrid.Rule], **options: Any) -> list[list[Any]]:
    """Return the answers of many rules, in one job."""
    names = [f"answer {place}" for place in range(len(rules))]
    for name, rule in zip(names, rules, strict=True):
        frame = rocch.hybrid.decide_frame(frame, rule, column=name, **options)
    return answers(frame, *names)


@pytest.mark.parametrize("partitions", [1, 7])
def test_rules_of_every_form(spark: SparkSession, partitions: int) -> None:
    rows, rules = scored_rows(), rules_of()
    frame = laid_out(spark, arrow(rows), partitions)
    expected = [rule.decide(rows, row_key=rows["id"]).tolist() for rule in rules]
    assert by_rules(frame, rules) == expected


def test_no_python_runs_beside_the_rows(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    rocch.hybrid.decide_frame(laid_out(spark, arrow(scored_rows())), COIN).explain()
    plan = capsys.readouterr().out
    assert "CASE WHEN" in plan
    assert "Python" not in plan
    assert "Arrow" not in plan


@pytest.mark.parametrize(
    ("positive", "negative", "kind"),
    [(True, False, "boolean"), (1, 0, "bigint"), (2**40, -1, "bigint"), (1.5, -1, "double")],
)
def test_labels_keep_their_kind(
    spark: SparkSession, positive: Any, negative: Any, kind: str
) -> None:
    rows = scored_rows(20)
    rows["c"] = [positive if label != "good" else negative for label in rows["c"]]
    rules = rules_of(positive, negative)
    frame = spark.createDataFrame(arrow(rows))
    assert rocch.hybrid.decide_frame(frame, rules[0]).dtypes[-1] == ("decision", kind)
    expected = [rule.decide(rows, row_key=rows["id"]).tolist() for rule in rules]
    assert by_rules(frame, rules) == expected


def test_columns_with_names_that_must_be_quoted(spark: SparkSession) -> None:
    rows = scored_rows(30)
    rules = [*rules_of(), rocch.hybrid.Rule(((1.0, AtLeast("d", 0.5)),), "x", "y", 0.1, 0.9)]
    rows["d"] = rows["b"]
    called = ODD | {"id": "id"}
    frame = spark.createDataFrame(arrow({called[name]: v for name, v in rows.items()}))
    found = [
        by_rules(frame, [rule], columns={name: ODD[name] for name in rule.models})[0]
        for rule in (rules[7], rules[-1], rules[-3])
    ]
    expected = [rule.decide(rows, row_key=rows["id"]) for rule in (rules[7], rules[-1], rules[-3])]
    assert found == [answer.tolist() for answer in expected]
    named = rocch.hybrid.decide_frame(
        frame, rules[-1], columns={"d": ODD["d"]}, column="my `new.col`"
    )
    assert named.columns[-1] == "my `new.col`"


def test_scores_of_single_precision_are_compared_as_doubles(spark: SparkSession) -> None:
    low = np.nextafter(np.float32(0.1), np.float32(0))
    scores = np.array([low, 0.1, np.nextafter(np.float32(0.1), np.float32(1))], dtype=np.float32)
    between = [float(scores[1]) - 1e-12, float(scores[1]), float(scores[1]) + 1e-12, 0.1]
    rules = [rocch.hybrid.Rule(((1.0, AtLeast("a", t)),), 1, 0, 0.1, 0.9) for t in between]
    columns = {"a": scores, "id": [0, 1, 2]}
    expected = [rule.decide({"a": scores}).tolist() for rule in rules]
    assert len({tuple(row) for row in expected}) > 1
    assert by_rules(laid_out(spark, arrow(columns, a=pa.float32())), rules) == expected


@pytest.mark.parametrize("kind", [pa.int8(), pa.int64(), pa.decimal128(22, 3), pa.bool_()])
def test_scores_that_are_no_floats(spark: SparkSession, kind: Any) -> None:
    values = pa.array([0, 1, 1, 0]).cast(kind)
    rules = [
        rocch.hybrid.Rule(((1.0, AtLeast("a", t)),), 1, 0, 0.1, 0.9) for t in (-1.0, 0.5, 1.0, 1e9)
    ]
    frame = laid_out(spark, pa.table({"a": values, "id": [0, 1, 2, 3]}))
    expected = [rule.decide({"a": [0.0, 1.0, 1.0, 0.0]}).tolist() for rule in rules]
    assert by_rules(frame, rules) == expected


def keys_of_every_kind() -> list[Any]:
    days = [date(2024, 2, 29) + timedelta(days=9 * row) for row in range(60)]
    return [
        pa.array(range(60), pa.int8()),
        pa.array(range(-30, 30), pa.int32()),
        pa.array([2**62 + row for row in range(60)], pa.int64()),
        pa.array([f"käse-{row}\t'" for row in range(60)]),
        pa.array(days),
    ]


@pytest.mark.parametrize("keys", keys_of_every_kind(), ids=lambda keys: str(keys.type))
def test_coins_are_those_of_memory(spark: SparkSession, keys: Any) -> None:
    scores = np.zeros(60)  # every row is up to its coin
    expected = COIN.decide({"a": scores}, row_key=keys.to_pylist()).tolist()
    assert 10 < sum(expected) < 50
    assert COIN.decide({"a": scores}, row_key=keys).tolist() == expected
    frame = laid_out(spark, pa.table({"a": scores, "id": range(60), "key": keys}))
    assert by_rules(frame, [COIN], row_key="key") == [expected]


def test_missing_scores_and_keys_get_no_answer(spark: SparkSession) -> None:
    nothing = float("nan")
    columns = {"a": [0.0, None, nothing, 0.9], "b": [None, 1.0, 0.0, None], "id": [1, 2, 3, 4]}
    frame = spark.createDataFrame(arrow(columns)).withColumn("key", functions.expr("nullif(id, 4)"))
    either: Any = rocch.hybrid.Rule.from_dict(
        {
            **COIN.to_dict(),
            "mix": [
                {
                    "probability": 1.0,
                    "alarm_when": {
                        "or": [AtLeast("a", 0.5).to_dict(), AtLeast("b", 0.5).to_dict()]
                    },
                }
            ],
        }
    )
    plain = rocch.hybrid.Rule(((1.0, AtLeast("a", 0.5)),), 1, 0, 0.1, 0.9)
    found = by_rules(frame, [plain, either, COIN], row_key="key")
    assert found[0] == [0, None, None, 1]
    assert found[1] == [None, 1, None, 1]
    assert found[2][1:] == [None, None, None]
    assert found[2][0] is not None


def test_a_rule_of_many_classes_is_an_expression(spark: SparkSession) -> None:
    rule = MulticlassRule(("a", "b", "c"), "nb", (0, 3, 1 / 3, 1, 0, 1e-7, 2, 0.5, 0))
    rows = np.random.default_rng(0).dirichlet(np.ones(3), 200).tolist()
    rows += [[1 / 3] * 3, [0.5, 0.5, 0.0], [0.25, math.nan, 0.75]]
    frame = spark.createDataFrame(rows, ["a", "b", "c"])
    found = frame.selectExpr(f"{rule.to_sql(dialect='spark')} AS prediction").collect()
    assert [row[0] for row in found] == [*rule.decide(rows[:-1]).tolist(), None]


def test_a_hull_decides_by_its_points(spark: SparkSession) -> None:
    rng = np.random.default_rng(2)
    y = rng.random(400) < 0.3
    columns = {"nb": rng.normal(size=400) + y, "gbm": rng.normal(size=400) * (1 + y) + 2 * y}
    hull = rocch.RocHull.from_scores(y, columns)
    frame = spark.createDataFrame(arrow({**columns, "y": y, "id": np.arange(400)}))
    for number, vertex in enumerate(hull.vertices):
        frame = rocch.hybrid.decide_frame(frame, vertex, column=f"v{number}")
    counted = frame.groupBy("y").agg(
        *(functions.sum(functions.col(f"v{n}").cast("int")) for n in range(len(hull.vertices)))
    )
    false, true = (list(row)[1:] for row in counted.orderBy("y").collect())
    assert false == [vertex.false_positives for vertex in hull.vertices]
    assert true == [vertex.true_positives for vertex in hull.vertices]


def features(spark: SparkSession) -> tuple[pd.DataFrame, DataFrame]:
    """Return rows of features, and the same as a table with other columns."""
    rows = rows_of_features()
    big = [None if row % 3 else 2**60 + row for row in range(len(rows))]
    columns = {name: pa.array(rows[name].to_numpy()) for name in reversed(rows.columns)}
    columns |= {"id": pa.array(range(len(rows))), "big": pa.array(big, pa.int64())}
    return rows, spark.createDataFrame(pa.table(columns))


@pytest.mark.parametrize(
    ("labels", "kind"),
    [(("good", "bad"), "string"), ((False, True), "boolean"), ((0, 1), "bigint")],
)
def test_models_decide_as_predict_does(
    spark: SparkSession, labels: tuple[Any, Any], kind: str
) -> None:
    rows, frame = features(spark)
    view = fitted(labels).at(KNOWN)
    decided = rocch.hybrid.decide_frame(frame.repartition(5), view)
    assert decided.dtypes == [*frame.dtypes, ("decision", kind)]
    found, big = answers(decided, "decision", "big")
    assert found == view.predict(rows).tolist()
    assert big[3] == 2**60 + 3  # which a double would not hold
    assert big[4] is None


def test_models_toss_the_coins_of_memory(spark: SparkSession) -> None:
    rows, frame = features(spark)
    view = fitted().at(rocch.NeymanPearson(0.111), randomize=True, seed=6)
    assert len(view.rule.mix) == 2
    keys = [date(2024, 1, 1) + timedelta(days=row) for row in range(len(rows))]
    day = functions.expr("CASE WHEN id < 290 THEN date_add(DATE'2024-01-01', CAST(id AS INT)) END")
    (by_day,) = answers(
        rocch.hybrid.decide_frame(frame.withColumn("day", day), view, row_key="day")
    )
    (by_id,) = answers(rocch.hybrid.decide_frame(frame, view, row_key="id"))
    (by_content,) = answers(rocch.hybrid.decide_frame(frame, view))
    assert by_day[:290] == view.predict(rows, row_key=keys).tolist()[:290]
    assert by_day[290:] == [None] * 10
    assert by_id == view.predict(rows, row_key=list(range(len(rows)))).tolist()
    assert by_content == view.predict(rows).tolist()


def test_saved_hybrids_and_features_without_names(spark: SparkSession, tmp_path: Path) -> None:
    rows, frame = features(spark)
    model = fitted(named=False)
    digest = rocch.save(model, tmp_path / "model.rocch")
    order = list(rows.columns)
    (found,) = answers(
        rocch.hybrid.decide_frame(
            frame, tmp_path / "model.rocch", digest=digest, criterion=KNOWN, columns=order
        )
    )
    rocch.save(model.at(rocch.NeymanPearson(0.05)), tmp_path / "view.rocch")
    (strict,) = answers(
        rocch.hybrid.decide_frame(frame, str(tmp_path / "view.rocch"), columns=order)
    )
    assert found == model.at(KNOWN).predict(rows.to_numpy()).tolist()
    assert strict == model.at(rocch.NeymanPearson(0.05)).predict(rows.to_numpy()).tolist()


def test_empty_tables_and_partitions(spark: SparkSession) -> None:
    rows, frame = features(spark)
    view = fitted().at(KNOWN)
    none = frame.where("id < 0")
    assert rocch.hybrid.decide_frame(none, view).collect() == []
    few = frame.where("id < 2").repartition(6)
    assert answers(rocch.hybrid.decide_frame(few, view)) == [view.predict(rows[:2]).tolist()]
    scored = spark.createDataFrame(arrow(scored_rows(20))).repartition(6)
    assert rocch.hybrid.decide_frame(scored.where("id < 0"), COIN).collect() == []
    assert len(rocch.hybrid.decide_frame(scored, COIN).collect()) == 20


def test_exports_of_a_library_are_taken_by_their_rule(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(3)
    y = rng.random(300) < 0.4
    columns = {"nb": rng.normal(size=300) + y, "gbm": rng.normal(size=300) + 2 * y}
    with rocch.library.ClassifierLibrary.create(tmp_path / "library") as library:
        library.add_scores(y.astype(int), columns)
        export = library.export()
    frame = laid_out(spark, arrow({**columns, "id": np.arange(300)}))
    decided = rocch.hybrid.decide_frame(frame, export.path, digest=export.sha256, criterion=KNOWN)
    decided.explain()
    assert "Python" not in capsys.readouterr().out
    model = rocch.load(export.path)
    assert isinstance(model, rocch.RocchClassifier)
    assert answers(decided) == [model.at(KNOWN).predict(pd.DataFrame(columns)).tolist()]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (
            "CAST(id AS DOUBLE)",
            "row_key must name a column of whole numbers, texts, dates or UUIDs",
        ),
        ("CAST('2024-01-01' AS TIMESTAMP)", "'key' of another type. Cast it to BIGINT"),
        ("CAST(id AS DECIMAL(20, 0))", "Cast it to BIGINT or text"),
    ],
)
def test_keys_that_spark_would_write_otherwise_are_refused(
    spark: SparkSession, key: str, message: str
) -> None:
    frame = spark.createDataFrame(arrow(scored_rows(20))).withColumn("key", functions.expr(key))
    with pytest.raises(rocch.InputError, match="row_key") as caught:
        rocch.hybrid.decide_frame(frame, COIN, row_key="key")
    assert message in str(caught.value)


def test_bad_tables(spark: SparkSession) -> None:
    frame = spark.createDataFrame(arrow(scored_rows(20)))
    says = rocch.hybrid.Rule(((1.0, Predicts("c")),), 1, 0, 0.1, 0.9)
    with pytest.raises(rocch.InputError, match="columns must name a column of labels such as 1"):
        rocch.hybrid.decide_frame(frame, says)
    with pytest.raises(rocch.InputError, match="columns must name a column of numbers; got 'c'"):
        rocch.hybrid.decide_frame(frame, COIN, columns={"a": "c"})
    with pytest.raises(rocch.InputError, match="column must be new; got 'ID', which the table has"):
        rocch.hybrid.decide_frame(frame, COIN, column="ID")
    twice = frame.select("*", functions.col("b").alias("a"))
    with pytest.raises(rocch.InputError, match="'a', which 2 columns are called"):
        rocch.hybrid.decide_frame(twice, COIN)
    with pytest.raises(rocch.InputError, match="The columns are: 'a', 'b', 'c', 'id'"):
        rocch.hybrid.decide_frame(frame, fitted())


def test_a_model_that_refuses_a_row_ends_the_job_with_its_words(spark: SparkSession) -> None:
    from pyspark.errors import PythonException

    _, frame = features(spark)
    holes = frame.withColumn("age", functions.expr("nullif(age, age)"))
    with pytest.raises(PythonException, match="NaN"):
        rocch.hybrid.decide_frame(holes, fitted().at(KNOWN)).collect()
