"""Which labels imply the positive class: alike in Python, data frames and commands."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch.labels import find_positive, is_same_label, positive_column, recognize_positive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Answer, Refusal

SCORES = [0.9, 0.8, 0.7, 0.4, 0.3, 0.1]
IS_POSITIVE = [True, False, True, True, False, False]

# The negative and the positive class as texts, each in one or several ways.
RECOGNIZED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "0/1": (("0",), ("1",)),
    "-1/1": (("-1",), ("1",)),
    "0.0/1.0": (("0.0",), ("1.0",)),
    "0/1 in several ways": (("0", "0.0"), ("1", "1.0", "1e0")),
    "yes/no": (("no",), ("yes",)),
    "YES/no": (("no",), ("YES",)),
    "Yes, yes, no": (("no",), ("Yes", "yes")),
    "true/false": (("false",), ("true",)),
    "True/False": (("False",), ("True",)),
    "t/f": (("f",), ("t",)),
    "T/F": (("F",), ("T",)),
    "words of several kinds": (("no", "F", "false"), ("t", "TRUE")),
}
UNCLEAR = [("bad", "good"), ("1", "2"), ("yes", "1"), ("no", "maybe"), ("y", "n"), ("-1", "0")]


def texts_of(negative: tuple[str, ...], positive: tuple[str, ...]) -> list[str]:
    """Return labels of the rows, with every way to write a class."""
    return [
        (positive if hit else negative)[place % len(positive if hit else negative)]
        for place, hit in zip([0, 0, 1, 2, 1, 2], IS_POSITIVE, strict=True)
    ]


COLUMNS: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "NumPy texts": np.array,
    "NumPy bytes": lambda labels: np.array(labels, dtype=bytes),
    "NumPy objects": lambda labels: np.array(labels, dtype=object),
    "NumPy strings": lambda labels: np.array(labels, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series,
    "pandas objects": lambda labels: pd.Series(labels, dtype=object),
    "pandas categories": lambda labels: pd.Series(labels, dtype="category"),
    "Polars": pl.Series,
    "Polars categories": lambda labels: pl.Series(labels, dtype=pl.Categorical),
    "Arrow": pa.array,
    "Arrow dictionary": lambda labels: pa.array(labels).dictionary_encode(),
}


def as_duckdb(labels: list[str]) -> duckdb.DuckDBPyRelation:
    table = pa.table({"y": labels, "s": SCORES})
    return duckdb.connect().from_arrow(table)


FRAMES: dict[str, Callable[[list[str]], Any]] = {
    "DuckDB": as_duckdb,
    "pandas": lambda labels: pd.DataFrame({"y": labels, "s": SCORES}),
    "pandas objects": lambda labels: pd.DataFrame(
        {"y": pd.Series(labels, dtype=object), "s": SCORES}
    ),
    "pandas categories": lambda labels: pd.DataFrame({"y": pd.Categorical(labels), "s": SCORES}),
    "Polars": lambda labels: pl.LazyFrame({"y": labels, "s": SCORES}),
    "Polars categories": lambda labels: pl.DataFrame(
        {"y": pl.Series(labels, dtype=pl.Categorical), "s": SCORES}
    ),
    "Arrow": lambda labels: pa.table({"y": labels, "s": SCORES}),
}


def write_table(labels: list[str], folder: Path, kind: str) -> Path:
    table, path = pa.table({"y": labels, "s": SCORES}), folder / f"scores.{kind}"
    if kind == "parquet":
        parquet.write_table(table, path)
    else:
        lines = (f"{label},{score}" for label, score in zip(labels, SCORES, strict=True))
        path.write_text("\n".join(["y,s", *lines]))
    return path


@pytest.mark.parametrize(("negative", "positive"), RECOGNIZED.values(), ids=RECOGNIZED.keys())
def test_the_same_labels_are_recognized_everywhere(
    negative: tuple[str, ...], positive: tuple[str, ...], tmp_path: Path, answer: Answer
) -> None:
    labels = texts_of(negative, positive)
    wanted = rocch.RocHull.from_scores(IS_POSITIVE, {"s": SCORES})
    for name, make in COLUMNS.items():
        assert rocch.RocHull.from_scores(make(labels), {"s": SCORES}) == wanted, name
        assert rocch.auc(make(labels), SCORES) == rocch.auc(IS_POSITIVE, SCORES), name
        curve = rocch.RocCurve.from_labels(make(labels), make(labels))
        assert (curve.false_positives[1], curve.true_positives[1]) == (0, 3), name
    for name, make in FRAMES.items():
        found = rocch.scale.scan(make(labels), label="y", scores="s").hull()
        assert found.vertices == wanted.vertices, name
    for kind in ("csv", "parquet"):
        found = answer("hull", write_table(labels, tmp_path, kind), "--label", "y")
        assert found["auc"] == wanted.auc, kind
        assert (found["negatives"], found["positives"]) == (3, 3), kind


@pytest.mark.parametrize("classes", UNCLEAR, ids="/".join)
def test_other_labels_are_refused_with_those_that_occur(
    classes: tuple[str, str], tmp_path: Path, refusal: Refusal
) -> None:
    labels = texts_of(classes[:1], classes[1:])
    got = f"got labels {', '.join(map(repr, sorted(classes)))}"
    message = rf"pos_label must be given unless \w+ is boolean.*yes/no; {got}"
    for make in COLUMNS.values():
        with pytest.raises(rocch.InputError, match=message.replace("'", "b?'")):
            rocch.RocHull.from_scores(make(labels), {"s": SCORES})
    for make in FRAMES.values():
        with pytest.raises(rocch.InputError, match="pos_label must be given unless label is"):
            rocch.scale.scan(make(labels), label="y", scores="s").hull()
    for kind in ("csv", "parquet"):
        text = refusal("hull", write_table(labels, tmp_path, kind), "--label", "y")
        assert "--positive must be given unless --label is boolean, 0/1, -1/1, " in text
        assert got in text


def test_labels_of_several_types_are_read_by_what_they_say() -> None:
    mixed: list[Any] = [True, "no", "Yes", "true", False, "f"]
    frame = pd.DataFrame({"y": pd.Series(mixed, dtype=object), "s": SCORES})
    wanted = rocch.RocHull.from_scores(IS_POSITIVE, {"s": SCORES})
    assert rocch.RocHull.from_scores(mixed, {"s": SCORES}) == wanted
    assert rocch.scale.scan(frame, label="y").hull().vertices == wanted.vertices
    assert recognize_positive([Decimal(1), 0, "0.0", 1.0]) == [True, False, False, True]
    assert recognize_positive([np.True_, np.str_("No"), b"YES"]) == [True, False, True]
    assert recognize_positive(["yes", 0]) is None
    assert recognize_positive(["nan", "1"]) is None
    assert recognize_positive([" yes ", "no "]) == [True, False]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_labels_beside_recognized_ones_are_refused(missing: Any) -> None:
    labels = ["yes", "no", missing, "yes", "no", "no"]
    columns = [labels, np.array(labels, dtype=object), pd.Series(labels, dtype=object)]
    if missing is None:
        columns += [pl.Series(labels), pa.array(labels), pd.Series(labels)]
    for column in columns:
        with pytest.raises(rocch.InputError, match="y_true must have no missing labels"):
            rocch.RocHull.from_scores(column, {"s": SCORES})
        frame = pd.DataFrame({"s": SCORES}).assign(y=column)
        with pytest.raises(rocch.InputError, match="label must have no missing labels; got 1 null"):
            rocch.scale.scan(frame, label="y", scores="s").hull()
        kept = rocch.scale.scan(frame, label="y", scores="s", drop_nulls=True).hull()
        assert (kept.totals.negatives, kept.totals.positives) == (3, 2)


def test_frames_of_one_class_each_are_recognized_together() -> None:
    frames = [
        pl.DataFrame({"y": labels, "s": [0.1, 0.5]}) for labels in (["no", "no"], ["yes", "Yes"])
    ]
    hull = rocch.scale.scan(frames, label="y", scores="s").hull()
    assert (hull.totals.negatives, hull.totals.positives) == (2, 2)
    parts = [rocch.scale.scan(frame, label="y", scores="s").summary() for frame in frames]
    assert sum(parts).totals() == hull.totals  # type: ignore[union-attr] # begins with 0
    numbers = pl.DataFrame({"y": [1, 0], "s": [0.2, 0.5]})
    hull = rocch.scale.scan([*frames, numbers], label="y", scores="s").hull()
    assert (hull.totals.negatives, hull.totals.positives) == (3, 3)


def test_a_column_of_many_texts_has_no_classes() -> None:
    frame = pl.DataFrame({"y": [f"{i}" for i in range(1_001)], "s": range(1_001)})
    with pytest.raises(rocch.InputError, match="name a column of classes; got 'y' with more than"):
        rocch.scale.scan(frame, label="y").hull()


@pytest.mark.parametrize(
    ("negative", "positive", "is_known"),
    [
        ("no", "YES", True),  # sorted, it is the first
        ("no", "yes", True),
        ("0", "1", True),
        (False, True, True),
        (-1, 1, True),
        ("bad", "good", False),
        ("true", "yes", False),
    ],
)
@pytest.mark.filterwarnings("ignore::rocch.PositiveClassWarning")
def test_a_hybrid_detects_the_recognized_class(
    negative: Any, positive: Any, is_known: bool
) -> None:
    rng = np.random.default_rng(3)
    hits = rng.random(80) < 0.5
    features = rng.normal(size=(80, 1)) + hits[:, None]
    labels = np.where(hits, positive, negative)
    model = rocch.RocchClassifier([("nb", GaussianNB())], cv=2).fit(features, labels)
    assert model.hybrid_.positive == positive
    assert model.hybrid_.direction_known == is_known
    display = rocch.plots.RocHullDisplay.from_estimators(
        {"nb": GaussianNB().fit(features, labels)}, features, labels
    )
    plain = GaussianNB().fit(features, hits).predict_proba(features)[:, 1]
    assert display.hull.auc == rocch.RocHull.from_scores(hits, {"nb": plain}).auc


def test_positive_labels_are_found_or_refused() -> None:
    assert find_positive(["no", "Yes", "t"], "y") == ["Yes", "t"]
    assert find_positive([0], "y") == []
    with pytest.raises(rocch.InputError, match=r"must be given unless y is .*; got labels 1, 2\."):
        find_positive([1, 2], "y")
    assert positive_column(["YES", "no"]) == (0, True)
    assert positive_column(["a", "b"]) == (1, False)


@pytest.mark.parametrize(
    ("label", "typed", "is_same"),
    [
        ("yes", "yes", True),
        (1, "1", True),
        ("1", "1.0", True),
        (1.0, "1", True),
        (Decimal("0.50"), "0.5", True),
        (9007199254740993, "9007199254740992", False),
        (True, "true", True),
        (False, "FALSE", True),
        ("True", "false", False),
        (True, "1", False),
        (b"ill", "ill", True),
        ("Yes", "yes", True),
        ("no", "NO", True),
        ("yes", "true", False),
        ("Ill", "ill", False),
        ("nan", "NaN", False),
        ("sNaN", "1", False),
        ("ill", "1", False),
    ],
)
def test_a_typed_label_names_a_stored_one(label: Any, typed: str, is_same: bool) -> None:
    assert is_same_label(label, typed) is is_same
