"""What a worker does with the batches that are sent to it; Spark itself is not needed for that."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pyarrow as pa
import pytest

import rocch
from rocch.hybrid.decide import Worker, feature_columns
from tests.support.deciding import fitted, rows_of_features

KNOWN = rocch.Conditions(prevalence=0.3, false_positive=1, false_negative=4)
KINDS: list[Any] = [(("good", "bad"), "text"), ((0, 1), "whole"), ((-1.0, 1.0), "real")]


def batch_of(rows: Any) -> Any:
    """Return rows in the order of other columns: a number, and keys with holes."""
    keys = [None if place % 4 == 3 else 2**60 + place for place in range(len(rows))]
    table = pa.table({"n": range(len(rows)), **rows, "key": pa.array(keys, pa.int64())})
    return table.to_batches()[0]


@pytest.mark.parametrize(("labels", "kind"), [*KINDS, ((False, True), "flag")])
@pytest.mark.parametrize("named", [True, False])
def test_batches_leave_with_a_column_more(labels: Any, kind: Any, named: bool) -> None:
    view = fitted(labels, named=named).at(KNOWN)
    rows = rows_of_features(50)
    batch = batch_of(rows)
    worker = Worker.of(view, [1, 2, 3])
    assert worker.kind == kind
    whole, part, none = worker.decide([batch, batch.slice(10, 5), batch.slice(0, 0)])
    expected = view.predict(rows if named else rows.to_numpy()).tolist()
    assert whole.select(range(5)).equals(batch)
    assert whole.column(5).to_pylist() == expected
    assert part.column(5).to_pylist() == expected[10:15]
    assert none.num_rows == 0
    assert none.schema == whole.schema


def test_a_row_without_key_gets_no_coin() -> None:
    view = fitted().at(rocch.NeymanPearson(0.111), randomize=True)
    rows = rows_of_features(60)
    batch = batch_of(rows)
    worker = Worker.of(view, [1, 2, 3], 4)
    there = [place for place in range(60) if place % 4 != 3]
    keys = [2**60 + place for place in there]
    expected = dict(zip(there, view.predict(rows.iloc[there], row_key=keys).tolist(), strict=True))
    assert worker.decisions(batch).to_pylist() == [expected.get(place) for place in range(60)]
    assert worker.decisions(batch.slice(3, 1)).to_pylist() == [None]


def test_a_model_is_read_once_in_each_process() -> None:
    view = fitted().at(KNOWN)
    shipped = Worker.of(view, [1, 2, 3])
    again = pickle.loads(pickle.dumps(shipped))  # noqa: S301 - as Spark sends it
    assert again == shipped
    assert again.model is shipped.model
    assert str(shipped.model.rule) == str(view.rule)
    assert copy.copy(shipped).digest in repr(shipped)
    assert len(repr(shipped)) < 250


def test_what_was_altered_on_the_way_is_refused() -> None:
    shipped = Worker.of(fitted().at(rocch.NeymanPearson(0.2)), [1, 2, 3])
    altered = dataclasses.replace(shipped, digest="0" * 64)
    with pytest.raises(rocch.InputError, match="another file than the one whose digest was given"):
        altered.model  # noqa: B018 - it is loaded here


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (None, ["age", "in come", "x.y"]),
        ({"age": "years"}, ["years", "in come", "x.y"]),
        (["p", "q", "r"], ["p", "q", "r"]),
        (("p", "q", "r"), ["p", "q", "r"]),
    ],
)
def test_features_are_found_by_name_or_in_order(columns: Any, expected: list[str]) -> None:
    assert feature_columns(fitted().default_, columns) == expected


@pytest.mark.parametrize(
    ("named", "columns", "message"),
    [
        (True, {"z": "a"}, "columns must name one of the features of the models; got 'z'"),
        (True, {"age": 3}, "columns['age'] must be a text that is not empty; got 3"),
        (True, ["a", "b"], "columns must list the columns of the 3 features in their order; got 2"),
        (True, "age", "got 'age'. The features are"),
        (False, None, "got None. The features have no names"),
        (False, {"age": "a"}, "The features have no names"),
    ],
)
def test_features_that_cannot_be_found(named: bool, columns: Any, message: str) -> None:
    with pytest.raises(rocch.InputError) as caught:
        feature_columns(fitted(named=named).default_, columns)
    assert message in str(caught.value)
