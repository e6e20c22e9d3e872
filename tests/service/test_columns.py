from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from rocch import InputError, RocchClassifier
from rocch.service.columns import (
    as_feature,
    as_keys,
    as_labels,
    as_numbers,
    feature_rows,
    score_batch,
)
from tests.support.serving import of_columns

HYBRID = of_columns().hybrid_


def refused(work: Any, *arguments: Any) -> InputError:
    with pytest.raises(InputError) as error:
        work(*arguments)
    assert len(str(error.value)) < 700
    return error.value


def test_columns_become_a_batch() -> None:
    batch = score_batch(HYBRID, {"nb": [0.5, 1], "rules": [1, 0]})
    assert len(batch) == 2
    assert batch.scores("nb").tolist() == [0.5, 1.0]
    assert batch.alarms("rules").tolist() == [True, False]


@pytest.mark.parametrize(
    ("scores", "argument", "words"),
    [
        ({}, "scores", "at least one row"),
        ({"nb": []}, "scores", "at least one row"),
        ({"nb": [1], "gbm": [1, 2]}, "scores.gbm", "got 2"),
        ({"other": [1]}, "scores.other", "'gbm', 'nb', 'rules'"),
        ({"nb": [1, None]}, "scores.nb", "got null at position 1"),
        ({"nb": [True]}, "scores.nb", "got True at position 0"),
        ({"nb": ["0.5"]}, "scores.nb", "got '0.5' at position 0"),
        ({"nb": [[1]]}, "scores.nb", "at position 0"),
        ({"nb": [{}]}, "scores.nb", "at position 0"),
        ({"nb": [0, float("nan")]}, "scores.nb", "got nan at position 1"),
        ({"nb": [float("-inf")]}, "scores.nb", "got -inf at position 0"),
        ({"nb": [0.5, 10**400]}, "scores.nb", "000 ... at position 1"),
        ({"nb": ["x" * 10_000]}, "scores.nb", "xx ..."),
        ({"rules": [2]}, "scores.rules", "got 2 at position 0"),
        ({"rules": [None]}, "scores.rules", "got null"),
        ({"rules": [[]]}, "scores.rules", "at position 0"),
    ],
)
def test_bad_columns_are_named(scores: Any, argument: str, words: str) -> None:
    error = refused(score_batch, HYBRID, scores)
    assert error.argument == argument
    assert words in str(error)


def test_columns_of_other_exports_are_left_aside() -> None:
    batch = score_batch(HYBRID, {"older": ["anything"], "nb": [0.5]})
    assert list(batch.columns) == ["nb"]
    assert refused(score_batch, HYBRID, {"older": [1, 2], "nb": [0.5]}).argument == "scores.nb"


def test_a_missing_column_is_named_when_it_is_needed() -> None:
    batch = score_batch(HYBRID, {"nb": [0.5]})
    assert "none for 'gbm'" in str(refused(batch.scores, "gbm"))
    assert "none for 'rules'" in str(refused(batch.alarms, "rules"))


def test_labels_or_alarms() -> None:
    named = of_columns(labels=("good", "poor")).hybrid_
    assert as_labels(["poor", "good"], named, "x").tolist() == ["poor", "good"]
    assert as_labels([1, 0, True], named, "x").tolist() == ["poor", "good", "poor"]
    assert "got 'bad'" in str(refused(as_labels, ["bad"], named, "x"))
    signed = of_columns(labels=(-1, 1)).hybrid_
    assert as_labels([-1, 1], signed, "x").tolist() == [-1, 1]
    assert "got 0 at" in str(refused(as_labels, [0], signed, "x"))  # neither label nor alarm


def test_labels_that_could_be_taken_for_alarms_are_labels() -> None:
    numbered = of_columns(labels=(1, 2)).hybrid_
    assert as_labels([1, 2], numbered, "x").tolist() == [1, 2]
    assert "got 0" in str(refused(as_labels, [0, 1], numbered, "x"))


def test_numbers_are_exact() -> None:
    values = [0.1, 1e-300, -5, 2**53, 1.7976931348623157e308]
    assert as_numbers(values, "x").tolist() == values
    assert as_numbers([1, 2], "x").dtype == np.float64


def test_features_of_every_kind() -> None:
    assert as_feature([True, False], "x").dtype == bool
    assert as_feature([1, None, 2.5], "x").tolist()[0::2] == [1.0, 2.5]
    assert np.isnan(as_feature([1, None], "x")[1])
    assert np.isnan(as_feature([None], "x")).all()
    assert as_feature(["a", None, 3], "x").tolist() == ["a", None, 3]
    assert "at position 1" in str(refused(as_feature, [1, float("inf")], "x"))
    assert "at position 0" in str(refused(as_feature, [[]], "x"))


@pytest.mark.parametrize("key", [10**200 - 1, 1 - 10**199, "k" * 200])
def test_keys_of_200_characters(key: Any) -> None:
    assert as_keys([key], 1) == [str(key)]


@pytest.mark.parametrize(
    "key", [10**200, -(10**199), "k" * 201, 10**5000], ids=["long", "negative", "text", "huge"]
)
def test_longer_keys_are_refused_without_being_written_out(key: Any) -> None:
    error = refused(as_keys, ["short", key], 2)  # Python itself refuses to write 10**5000
    assert error.argument == "row_keys"
    assert "have at most 200 characters" in str(error)
    assert "at position 1" in str(error)


def test_keys_are_texts() -> None:
    assert as_keys(["a", 17, -2], 3) == ["a", "17", "-2"]
    for wrong in ([1.5], [True], [None], ["x" * 201], [10**300], ["a", "b"]):
        assert refused(as_keys, wrong, 1).argument == "row_keys"


X, Y = make_classification(200, 3, n_informative=2, n_redundant=0, random_state=0)


def test_features_by_position_are_a_matrix() -> None:
    hybrid = RocchClassifier([("nb", GaussianNB())]).fit(X, Y).hybrid_
    rows = feature_rows(hybrid, {"2": [3, 6], "0": [1, 4], "1": [2, 5]})
    assert rows.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert refused(feature_rows, hybrid, {"0": [1]}).argument == "features"
    assert refused(feature_rows, hybrid, {"0": [1], "1": [1], "x": [1]}).argument == "features.x"
    mixed = feature_rows(hybrid, {"0": ["a"], "1": [2], "2": [None]})
    assert mixed.dtype == object
    assert mixed[0, :2].tolist() == ["a", 2.0]


@pytest.mark.parametrize("missing", [(), ("pandas",), ("pandas", "polars")])
def test_features_by_name_are_a_frame(missing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    hybrid = RocchClassifier([("nb", GaussianNB())]).fit(frame, Y).hybrid_
    monkeypatch.setattr("rocch.service.columns.find_spec", lambda name: name not in missing)
    rows = feature_rows(hybrid, {"c": [3.0], "a": [1], "b": [2]})
    if len(missing) < 2:
        assert list(rows.columns) == ["a", "b", "c"]
    assert np.asarray(rows).tolist() == [[1, 2, 3]]
    assert "'a', 'b', 'c'" in str(refused(feature_rows, hybrid, {"d": [1]}))
