"""A model's multi-class AUCs: agreement with scikit-learn and with two classes, and intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import rocch
from tests.support.strategies import judged_posteriors

lib: Any = rocch
Drawn = tuple[list[int], list[list[list[float]]]]
ANIMALS = ["cat", "cat", "dog", "dog", "eel", "eel"]
P = np.array(
    [
        [0.7, 0.2, 0.1],
        [0.4, 0.5, 0.1],
        [0.4, 0.6, 0.0],
        [0.1, 0.8, 0.1],
        [0.2, 0.2, 0.6],
        [0.5, 0.1, 0.4],
    ]
)


def judged(load: Any) -> tuple[Any, Any]:
    X, y = load(return_X_y=True)
    return y, cross_val_predict(GaussianNB(), X, y, method="predict_proba")


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_values_are_scikit_learns(load: Any) -> None:
    y, probabilities = judged(load)
    found = rocch.multiclass.multiclass_auc(y, probabilities)

    def theirs(kind: str, average: str | None) -> Any:
        return roc_auc_score(y, probabilities, multi_class=kind, average=average)

    assert found.hand_till.value == pytest.approx(theirs("ovo", "macro"), abs=1e-13)
    assert found.total.value == pytest.approx(theirs("ovr", "weighted"), abs=1e-13)
    assert found.macro.value == pytest.approx(theirs("ovr", "macro"), abs=1e-13)
    own = [estimate.value for estimate in found.by_class.values()]
    assert own == pytest.approx(theirs("ovr", None), abs=1e-13)


@given(judged_posteriors())
@settings(max_examples=40)
def test_every_interval_holds_its_value_and_stays_inside(drawn: Drawn) -> None:
    labels, (probabilities,) = drawn
    found = rocch.multiclass.multiclass_auc(labels, probabilities)
    estimates = [found.hand_till, found.total, found.macro, *found.by_class.values()]
    known = [(estimate.value, estimate.interval) for estimate in estimates]
    known += [(pair.auc, pair.interval) for pair in found.pairs]
    for value, interval in known:
        assert interval is not None
        assert 0 <= interval.low <= value <= interval.high <= 1
        assert interval.low < interval.high


@given(judged_posteriors())
@settings(max_examples=40)
def test_the_plain_values_are_the_same(drawn: Drawn) -> None:
    labels, (probabilities,) = drawn
    found = rocch.multiclass.multiclass_auc(labels, probabilities)
    plain = rocch.multiclass.pairwise_aucs(labels, probabilities)
    assert found.hand_till.value == plain.auc("hand_till")
    assert found.total.value == plain.auc("total")
    assert found.macro.value == plain.auc("macro")
    assert np.array_equal(found.pairwise.matrix, plain.matrix)
    separation: dict[Any, float] = {(pair.first, pair.second): pair.auc for pair in found.pairs}
    for (i, j), value in separation.items():
        assert value == pytest.approx(plain.separation[i, j], abs=1e-15)
    assert list(separation.values()) == sorted(separation.values())


def test_two_classes_have_the_binary_auc_and_interval() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(90) % 3 == 0
    scores = np.round(64 * np.clip(0.4 * rng.random(90) + 0.3 * y, 0, 1)) / 64
    found = rocch.multiclass.multiclass_auc(y, np.stack((1 - scores, scores), axis=1))
    plain = rocch.stats.auc_interval(y, scores)
    for estimate in (found.hand_till, found.total, found.macro, *found.by_class.values()):
        assert (estimate.value, estimate.standard_error) == (plain.value, plain.standard_error)
        assert estimate.interval == plain.interval
    assert found.by_class[True] == plain


def test_class_reference_values_and_rows_are_those_of_the_curves() -> None:
    y, probabilities = judged(load_wine)
    found = rocch.multiclass.multiclass_auc(y, probabilities)
    for name, curve in rocch.multiclass.class_reference_curves(y, probabilities).items():
        estimate = found.by_class[name]
        assert estimate.value == curve.auc
        assert (estimate.rows, estimate.positives) == (178, curve.totals.positives)
    assert found.hand_till.positives is None


def test_perfect_posteriors_of_few_rows_are_no_proof() -> None:
    found = rocch.multiclass.multiclass_auc([0, 1, 2] * 4, np.tile(np.eye(3), (4, 1)))
    assert found.hand_till.value == found.total.value == 1
    assert found.hand_till.standard_error == 0
    assert found.hand_till.interval is not None
    assert 0.5 < found.hand_till.interval.low < 0.9
    assert found.hand_till.interval.high == 1


def test_more_confidence_is_wider() -> None:
    wide, narrow = (
        rocch.multiclass.multiclass_auc(ANIMALS, P, confidence=level).hand_till
        for level in (0.99, 0.8)
    )
    assert wide.interval is not None
    assert narrow.interval is not None
    assert wide.interval.low < narrow.interval.low < narrow.interval.high < wide.interval.high
    assert wide.confidence == 0.99


def test_the_intervals_hold_the_truth_often_enough() -> None:
    rng = np.random.default_rng(8)
    y = np.repeat(np.arange(4), [15, 25, 20, 20])

    def drawn(labels: Any) -> Any:
        logits = rng.normal(size=(labels.size, 4)) + 1.2 * np.eye(4)[labels]
        return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)

    many = np.repeat(np.arange(4), 20_000)
    true = rocch.multiclass.pairwise_aucs(many, drawn(many)).auc()
    found = [rocch.multiclass.multiclass_auc(y, drawn(y)).hand_till.interval for _ in range(100)]
    held = np.mean([each is not None and each.low <= true <= each.high for each in found])
    assert held >= 0.9


def test_priors_change_what_depends_on_the_balance_and_nothing_else() -> None:
    even = dict.fromkeys(("cat", "dog", "eel"), 1 / 3)
    skewed = {"cat": 0.1, "dog": 0.8, "eel": 0.1}
    rows, other = (
        rocch.multiclass.multiclass_auc(ANIMALS, P, priors=priors)
        for priors in ("observed", skewed)
    )
    assert rocch.multiclass.multiclass_auc(ANIMALS, P, priors=even).total.value == rows.total.value
    assert other.hand_till == rows.hand_till
    assert other.total.value != rows.total.value
    assert other.by_class["cat"].value != rows.by_class["cat"].value
    assert other.by_class["dog"].value == rows.by_class["dog"].value  # its rest is even still
    assert other.shares == pytest.approx(skewed)
    assert rows.shares == pytest.approx(even)


def test_groups_change_errors_and_not_values() -> None:
    rng = np.random.default_rng(9)
    who = np.repeat(np.arange(30), 4)
    y = who % 3
    logits = rng.normal(size=(120, 3)) + (2 * rng.random(30)[who])[:, None] * np.eye(3)[y]
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    plain = rocch.multiclass.multiclass_auc(y, probabilities)
    found = rocch.multiclass.multiclass_auc(y, probabilities, groups=[f"patient {w}" for w in who])
    for one, other in ((found.hand_till, plain.hand_till), (found.total, plain.total)):
        assert one.value == other.value
        assert one.standard_error is not None
        assert other.standard_error is not None
        assert one.standard_error > other.standard_error
        assert (one.groups, other.groups) == (30, None)
    # of a class against the rest, two classes with groups tell the same where no group mixes both
    alone = rocch.stats.auc_interval(y == 0, probabilities[:, 0], groups=who)
    assert found.by_class[0].value == alone.value
    assert found.by_class[0].standard_error == pytest.approx(alone.standard_error, rel=0.1)


def test_frames_are_read_by_the_names_of_columns() -> None:
    plain = rocch.multiclass.multiclass_auc(ANIMALS, P)
    columns = {"eel": P[:, 2], "cat": P[:, 0], "dog": P[:, 1]}
    for given_as in (columns, pd.DataFrame(columns), pl.DataFrame(columns)):
        found = rocch.multiclass.multiclass_auc(pd.Series(ANIMALS), given_as)
        assert found.total == plain.total
        assert found.by_class == plain.by_class


def test_columns_may_stand_in_any_stated_order() -> None:
    found = rocch.multiclass.multiclass_auc(ANIMALS, P[:, [2, 0, 1]], classes=["eel", "cat", "dog"])
    plain = rocch.multiclass.multiclass_auc(ANIMALS, P)
    assert list(found.by_class) == ["eel", "cat", "dog"]
    assert (found.hand_till, found.total) == (plain.hand_till, plain.total)


def test_pairs_are_a_table_and_can_be_asked_for() -> None:
    found = rocch.multiclass.multiclass_auc(ANIMALS, P)
    table = pd.DataFrame(found.pairs)
    assert list(table) == [
        "first",
        "second",
        "auc",
        "standard_error",
        "interval",
        "by_first",
        "by_second",
    ]
    assert len(table) == 3
    pair = found.pair("eel", "cat")
    assert pair is found.pair("cat", "eel")
    assert (pair.first, pair.by_first, pair.by_second) == ("cat", 0.75, 1.0)
    assert pair.auc == (pair.by_first + pair.by_second) / 2
    with pytest.raises(rocch.InputError, match="first must name one of the classes; got 'fox'"):
        found.pair("fox", "cat")
    with pytest.raises(rocch.InputError, match="second must be another class"):
        found.pair("cat", "cat")


def test_it_reads_well() -> None:
    text = str(rocch.multiclass.multiclass_auc(ANIMALS, P))
    first, *_, last = text.splitlines()
    assert first.startswith("Hand and Till's M: AUC 0.")
    assert "dog against the rest: AUC 1.0000 (95% interval" in text
    assert last.startswith("worst separated: cat and ")
    assert len(text.splitlines()) == 7


def test_inputs_may_be_read_only() -> None:
    frozen = P.copy()
    frozen.flags.writeable = False
    assert (
        rocch.multiclass.multiclass_auc(ANIMALS, frozen).total
        == rocch.multiclass.multiclass_auc(ANIMALS, P).total
    )


def changed(row: int, column: int, value: float) -> Any:
    probabilities = P.copy()
    probabilities[row, column] = value
    return probabilities


@pytest.mark.parametrize(
    ("given_as", "says"),
    [
        ({"y": ANIMALS[:5]}, ["y_proba", "one value for each of the 5 rows"]),
        ({"y": ANIMALS[:4]}, ["y_proba", "rows of 2 columns", "(6, 3)"]),
        ({"y": ["cat"] * 6}, ["y_true", "two or more distinct classes"]),
        ({"y": [*ANIMALS[:5], None]}, ["y_true", "missing"]),
        ({"y": ["cat", "dog"] * 3, "classes": list("abc")}, ["name one of the classes", "'cat'"]),
        ({"classes": ["cat", "dog", "eel", "fox"]}, ["at least one row of every class", "'fox'"]),
        ({"classes": ["cat"]}, ["classes", "two or more"]),
        ({"p": changed(1, 1, np.nan)}, ["y_proba", "NaN", "row 1", "'dog'"]),
        ({"p": changed(1, 1, -0.5)}, ["y_proba", "none below 0", "-0.5"]),
        ({"p": changed(2, 0, 0.9)}, ["y_proba", "sum to 1", "row 2"]),
        ({"p": P[:, 0]}, ["y_proba", "(6,)"]),
        ({"p": {"cat": P[:, 0], "dog": 1 - P[:, 0]}}, ["exactly the columns"]),
        ({"p": "posteriors"}, ["y_proba", "table of numbers"]),
        ({"confidence": 95}, ["confidence", "95"]),
        ({"priors": {"cat": 1}}, ["priors"]),
        ({"groups": [1, 2, 3]}, ["groups", "6 rows"]),
        ({"groups": [1] * 6}, ["groups", "at least two groups"]),
    ],
)
def test_bad_input_is_refused(given_as: dict[str, Any], says: list[str]) -> None:
    y, probabilities = given_as.pop("y", ANIMALS), given_as.pop("p", P)
    with pytest.raises(rocch.InputError) as caught:
        lib.multiclass.multiclass_auc(y, probabilities, **given_as)
    for words in says:
        assert words in str(caught.value)


def test_a_single_row_of_a_class_has_no_interval_but_a_value() -> None:
    y = ["cat", "cat", "dog", "dog", "eel", "cat"]
    found, exact = rocch.multiclass.multiclass_auc(y, P), rocch.multiclass.pairwise_aucs(y, P)
    assert found.hand_till.value == exact.auc("hand_till")
    assert found.total.value == exact.auc("total")
    assert found.macro.value == exact.auc("macro")
    for name, curve in rocch.multiclass.class_reference_curves(y, P).items():
        assert found.by_class[name].value == curve.auc
    for each in (found.hand_till, found.total, found.macro, *found.by_class.values()):
        assert (each.standard_error, each.interval) == (None, None)
        assert "no interval: a class has a single row" in str(each)
    without = found.pair("cat", "eel")
    assert (without.standard_error, without.interval) == (None, None)
    assert str(without) == f"cat and eel: AUC {without.auc:.4f} (no interval)"


def test_a_single_row_of_a_class_leaves_other_pairs_their_intervals() -> None:
    y = ["cat", "cat", "dog", "dog", "eel", "cat"]
    once, twice = (
        rocch.multiclass.multiclass_auc(y, P),
        rocch.multiclass.multiclass_auc([*y, "eel"], [*P, P[4]]),
    )
    assert once.pair("cat", "dog").interval is not None
    assert once.pair("cat", "dog") == twice.pair("cat", "dog")


def test_a_class_in_a_single_group_has_no_interval_but_a_value() -> None:
    y = ["cat", "cat", "dog", "dog", "eel", "eel"]
    found = rocch.multiclass.multiclass_auc(y, P, groups=[1, 2, 3, 1, 4, 4])
    assert found.hand_till.value == rocch.multiclass.multiclass_auc(y, P).hand_till.value
    assert found.hand_till.interval is None
    assert "a class has a single group" in str(found.hand_till)
