"""Every kind of label and array gives what plain NumPy gives, and nothing passed in is altered."""

from __future__ import annotations

import array
import copy
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.naive_bayes import GaussianNB

import rocch
from rocch import RocCurve, RocHull
from rocch.labels import as_outcomes

if TYPE_CHECKING:
    from pathlib import Path

rng = np.random.default_rng(7)
POSITIVE = rng.random(60) < 0.4
SCORES = np.round(rng.normal(size=60) * 2 + POSITIVE)  # whole and tied, so that every type holds
OTHER = np.round(rng.normal(size=60) * 2 + 2 * POSITIVE)
WEIGHTS = rng.integers(0, 4, 60).astype(float)
for _array in (POSITIVE, SCORES, OTHER, WEIGHTS):
    _array.flags.writeable = False

Make = Callable[[Any], Any]

LABELS: dict[str, tuple[Make, Any]] = {
    "bool": (lambda p: p, None),
    "bool list": (lambda p: p.tolist(), None),
    "bool tuple": (lambda p: tuple(p.tolist()), None),
    "bool objects": (lambda p: p.astype(object), None),
    "bool, pos_label": (lambda p: ~p, False),
    "0/1": (lambda p: p.astype(int), None),
    "0/1 list": (lambda p: p.astype(int).tolist(), None),
    "0/1 uint8": (lambda p: p.astype(np.uint8), None),
    "0/1 float32": (lambda p: p.astype(np.float32), None),
    "0/1 objects": (lambda p: p.astype(int).astype(object), None),
    "0/1, pos_label 1": (lambda p: p.astype(int), 1),
    "0/1, pos_label 0": (lambda p: 1 - p.astype(int), 0),
    "0.0/1.0, pos_label 1": (lambda p: p.astype(float), 1),
    "-1/1": (lambda p: np.where(p, 1, -1), None),
    "-1/1 int8": (lambda p: np.where(p, 1, -1).astype(np.int8), None),
    "1/2, pos_label": (lambda p: np.where(p, 2, 1), 2),
    "text": (lambda p: np.where(p, "ill", "well"), "ill"),
    "text list": (lambda p: np.where(p, "ill", "well").tolist(), "ill"),
    "text objects": (lambda p: np.where(p, "ill", "well").astype(object), "ill"),
    "bytes": (lambda p: np.where(p, b"ill", b"well"), b"ill"),
    "three texts": (lambda p: np.where(p, "b", np.where(SCORES > 0, "a", "c")), "b"),
    "four numbers": (lambda p: np.where(p, 3, np.arange(60) % 3), 3),
    "texts and numbers": (lambda p: np.where(p, "b", np.arange(60) % 2 + 0).astype(object), "b"),
    "mixed objects": (lambda p: np.array(["b" if x else 0 for x in p], dtype=object), "b"),
    "every other row of a longer array": (lambda p: np.repeat(p, 2)[::2], None),
    "reversed view": (lambda p: p[::-1].copy()[::-1], None),
    "pandas bool": (lambda p: pd.Series(p), None),
    "pandas boolean": (lambda p: pd.Series(p, dtype="boolean"), None),
    "pandas boolean array": (lambda p: pd.array(p, dtype="boolean"), None),
    "pandas int": (lambda p: pd.Series(p.astype(int)), None),
    "pandas Int64": (lambda p: pd.Series(p.astype(int), dtype="Int64"), None),
    "pandas odd index": (lambda p: pd.Series(p, index=np.arange(60)[::-1] * 3), None),
    "pandas text": (lambda p: pd.Series(np.where(p, "ill", "well")), "ill"),
    "pandas category": (lambda p: pd.Series(np.where(p, "ill", "well"), dtype="category"), "ill"),
    "pandas arrow": (lambda p: pd.Series(p.astype(int), dtype="int64[pyarrow]"), None),
    "pandas index": (lambda p: pd.Index(p.astype(int)), None),
    "polars bool": (lambda p: pl.Series(p), None),
    "polars int": (lambda p: pl.Series(p.astype(int)), None),
    "polars text": (lambda p: pl.Series(np.where(p, "ill", "well").tolist()), "ill"),
    "polars category": (
        lambda p: pl.Series(np.where(p, "ill", "well").tolist(), dtype=pl.Categorical),
        "ill",
    ),
    "arrow bool": (lambda p: pa.array(p.tolist()), None),
    "arrow chunks": (lambda p: pa.chunked_array([p[:25].tolist(), p[25:].tolist()]), None),
    "arrow text": (lambda p: pa.chunked_array([np.where(p, "ill", "well").tolist()]), "ill"),
    "arrow dictionary": (
        lambda p: pa.chunked_array([pa.array(np.where(p, "a", "b").tolist()).dictionary_encode()]),
        "a",
    ),
}

NUMBERS: dict[str, Make] = {
    "float64": lambda s: s,
    "float32": lambda s: s.astype(np.float32),
    "float16": lambda s: s.astype(np.float16),
    "big-endian": lambda s: s.astype(">f8"),
    "longdouble": lambda s: s.astype(np.longdouble),
    "int64": lambda s: s.astype(np.int64),
    "int8": lambda s: s.astype(np.int8),
    "list": lambda s: s.tolist(),
    "tuple": lambda s: tuple(s.tolist()),
    "list of int": lambda s: s.astype(int).tolist(),
    "list of NumPy numbers": lambda s: list(s),
    "objects": lambda s: s.astype(object),
    "int objects": lambda s: s.astype(int).astype(object),
    "fractions": lambda s: [Fraction(int(x)) for x in s],
    "array.array": lambda s: array.array("d", s),
    "every other row of a longer array": lambda s: np.repeat(s, 2)[::2],
    "column of a matrix": lambda s: np.column_stack((s, s + 1))[:, 0],
    "pandas": lambda s: pd.Series(s),
    "pandas odd index": lambda s: pd.Series(s, index=np.arange(s.size)[::-1] * 3),
    "pandas float32": lambda s: pd.Series(s, dtype="float32"),
    "pandas Int64": lambda s: pd.Series(s.astype(int), dtype="Int64"),
    "pandas Float64": lambda s: pd.Series(s, dtype="Float64"),
    "pandas arrow": lambda s: pd.Series(s, dtype="double[pyarrow]"),
    "pandas objects": lambda s: pd.Series(s, dtype=object),
    "polars": lambda s: pl.Series(s),
    "polars float32": lambda s: pl.Series(s, dtype=pl.Float32),
    "polars int": lambda s: pl.Series(s.astype(int)),
    "polars decimal": lambda s: pl.Series([Decimal(int(x)) for x in s]),
    "arrow array": lambda s: pa.array(s),
    "arrow chunks": lambda s: pa.chunked_array([s[:11], s[11:]]),
    "arrow int32": lambda s: pa.array(s.astype(np.int32)),
}

FRAMES: dict[str, Make] = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "pandas odd index": lambda c: pd.DataFrame(c, index=np.arange(60)[::-1] * 3),
    "pandas float32": lambda c: pd.DataFrame(c).astype("float32"),
    "pandas Int64": lambda c: pd.DataFrame(c).astype("Int64"),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}

label_kinds = pytest.mark.parametrize(("make", "pos_label"), LABELS.values(), ids=LABELS.keys())
number_kinds = pytest.mark.parametrize("make", NUMBERS.values(), ids=NUMBERS.keys())
frame_kinds = pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES.keys())


def assert_same_curve(found: RocCurve, wanted: RocCurve) -> None:
    assert found.name == wanted.name
    assert found.totals == wanted.totals
    np.testing.assert_array_equal(found.false_positives, wanted.false_positives, strict=True)
    np.testing.assert_array_equal(found.true_positives, wanted.true_positives, strict=True)
    assert found.settings == wanted.settings
    if wanted.lowest_scores is None:
        assert found.lowest_scores is None
    else:
        assert found.lowest_scores is not None
        np.testing.assert_array_equal(found.lowest_scores, wanted.lowest_scores, strict=True)


def assert_same_hull(found: RocHull, wanted: RocHull) -> None:
    assert found == wanted
    assert found.totals == wanted.totals
    assert [member.name for member in found.members] == [member.name for member in wanted.members]


def plain_hull() -> RocHull:
    return RocHull.from_scores(POSITIVE, {"a": SCORES, "b": OTHER})


@label_kinds
def test_a_curve_from_any_labels(make: Make, pos_label: Any) -> None:
    found = RocCurve.from_scores(make(POSITIVE), SCORES, pos_label=pos_label, name="a")
    assert_same_curve(found, RocCurve.from_scores(POSITIVE, SCORES, name="a"))


@label_kinds
def test_a_hull_from_any_labels(make: Make, pos_label: Any) -> None:
    scores: dict[str, Any] = {"a": SCORES, "b": OTHER}
    found = RocHull.from_scores(make(POSITIVE), scores, pos_label=pos_label)
    assert_same_hull(found, plain_hull())


@label_kinds
def test_labeled_points_from_any_labels(make: Make, pos_label: Any) -> None:
    alarms = OTHER > 0
    found = RocCurve.from_labels(make(POSITIVE), make(alarms), pos_label=pos_label, name="rules")
    assert_same_curve(found, RocCurve.from_labels(POSITIVE, alarms, name="rules"))
    assert int(found.true_positives[1]) == np.count_nonzero(alarms & POSITIVE)
    assert int(found.false_positives[1]) == np.count_nonzero(alarms & ~POSITIVE)


@label_kinds
def test_auc_from_any_labels(make: Make, pos_label: Any) -> None:
    found = rocch.auc(make(POSITIVE), SCORES, pos_label=pos_label)
    assert found == RocCurve.from_scores(POSITIVE, SCORES).auc


@number_kinds
def test_a_curve_from_any_scores(make: Make) -> None:
    found = RocCurve.from_scores(POSITIVE, make(SCORES), name="a")
    assert_same_curve(found, RocCurve.from_scores(POSITIVE, SCORES, name="a"))


@number_kinds
def test_a_hull_from_any_scores(make: Make) -> None:
    found = RocHull.from_scores(POSITIVE, {"a": make(SCORES), "b": make(OTHER)})
    assert_same_hull(found, plain_hull())


@number_kinds
def test_auc_from_any_scores(make: Make) -> None:
    assert rocch.auc(POSITIVE, make(SCORES)) == RocCurve.from_scores(POSITIVE, SCORES).auc


@number_kinds
def test_a_curve_from_any_weights(make: Make) -> None:
    found = RocCurve.from_scores(POSITIVE, SCORES, sample_weight=make(WEIGHTS), name="a")
    wanted = RocCurve.from_scores(POSITIVE, SCORES, sample_weight=WEIGHTS, name="a")
    assert_same_curve(found, wanted)
    assert found.totals.positives == WEIGHTS[POSITIVE].sum()


@number_kinds
def test_a_curve_from_any_counts(make: Make) -> None:
    fp, tp, thresholds = np.array([1, 2, 5]), np.array([2, 3, 4]), np.array([9.0, 4.0, 1.0])
    known: dict[str, Any] = {"negatives": 5, "positives": 4, "name": "paper"}
    found = RocCurve.from_counts(make(fp), make(tp), lowest_scores=make(thresholds), **known)
    wanted = RocCurve.from_counts([1, 2, 5], [2, 3, 4], lowest_scores=[9.0, 4.0, 1.0], **known)
    assert_same_curve(found, wanted)


@frame_kinds
def test_a_hull_from_any_frame(make: Make) -> None:
    found = RocHull.from_scores(POSITIVE, make({"a": SCORES, "b": OTHER}))
    assert_same_hull(found, plain_hull())


@frame_kinds
def test_a_weighted_hull_from_any_frame(make: Make) -> None:
    frame = make({"a": SCORES, "b": OTHER})
    found = RocHull.from_scores(POSITIVE, frame, sample_weight=WEIGHTS)
    wanted = RocHull.from_scores(POSITIVE, {"a": SCORES, "b": OTHER}, sample_weight=WEIGHTS)
    assert_same_hull(found, wanted)


def test_a_column_of_the_same_frame_serves_as_labels() -> None:
    frame = pl.DataFrame({"y": POSITIVE, "a": SCORES, "b": OTHER})
    found = RocHull.from_scores(frame["y"], frame.drop("y"))
    assert_same_hull(found, plain_hull())


def test_frame_columns_named_by_numbers_keep_their_names() -> None:
    frame = pd.DataFrame({0: SCORES, 1: OTHER})
    found = RocHull.from_scores(POSITIVE, frame)
    assert_same_hull(found, RocHull.from_scores(POSITIVE, {"0": SCORES, "1": OTHER}))


def test_bool_scores_are_0_and_1() -> None:
    found = RocCurve.from_scores(POSITIVE, OTHER > 0)
    assert_same_curve(found, RocCurve.from_scores(POSITIVE, (OTHER > 0).astype(float)))


def test_negative_zero_ties_with_zero() -> None:
    curve = RocCurve.from_scores([0, 1, 0, 1], [0.0, -0.0, -1.0, 1.0])
    assert len(curve) == 4
    assert curve.true_positives.tolist() == [0, 1, 2, 2]


def test_infinite_scores_are_the_ends_of_the_order() -> None:
    curve = RocCurve.from_scores([0, 1, 0, 1], [-np.inf, 1.0, 1.0, np.inf])
    assert curve.lowest_scores is not None
    assert curve.lowest_scores.tolist() == [np.inf, 1.0, -np.inf]
    assert curve.true_positives.tolist() == [0, 1, 2, 2]


def test_labels_may_name_the_positive_class_that_all_others_are_not() -> None:
    labels = np.array(["a", "b", "c", "b"])
    curve = RocCurve.from_scores(labels, [1, 2, 3, 4], pos_label="b")
    assert (curve.totals.positives, curve.totals.negatives) == (2, 2)


@pytest.mark.parametrize("number", [np.float64, np.float32, np.float16])
def test_numpy_numbers_are_numbers_wherever_a_rate_is_asked_for(number: Any) -> None:
    hull, curve, half = plain_hull(), RocCurve.from_scores(POSITIVE, SCORES), number(0.5)
    best = hull.best
    assert best(rocch.NeymanPearson(half)) == best(rocch.NeymanPearson(0.5))
    assert best(rocch.MinimumTpr(half)) == best(rocch.MinimumTpr(0.5))
    share = rocch.PredictedPositiveLimit(half, prevalence=half)
    assert best(share) == best(rocch.PredictedPositiveLimit(0.5, prevalence=0.5))
    assert curve.partial_auc(fpr=(0, half)) == curve.partial_auc(fpr=(0, 0.5))
    assert curve.tpr_at(half) == curve.tpr_at(0.5)
    known = rocch.Conditions(prevalence=half, false_positive=half, false_negative=half)
    assert known.slope == 1


@pytest.mark.parametrize("number", [np.int64, np.int32, np.uint8])
def test_numpy_integers_are_numbers_wherever_cases_are_counted(number: Any) -> None:
    best, ten = plain_hull().best, number(10)
    capacity = rocch.Capacity(ten, positives=ten, negatives=ten)
    assert best(capacity) == best(rocch.Capacity(10, positives=10, negatives=10))
    limit = rocch.roc.LinearLimit(tpr=ten, fpr=ten, at_most=ten)
    assert (limit.tpr, limit.fpr, limit.at_most) == (10, 10, 10)
    counts = best(capacity).counts(cases=ten, prevalence=0.5)
    assert counts == best(capacity).counts(cases=10, prevalence=0.5)


def frozen(values: Any) -> Any:
    made = np.array(values)
    made.flags.writeable = False
    return made


def test_read_only_arrays_are_enough_for_everything() -> None:
    y, a, b = frozen(POSITIVE.astype(int)), frozen(SCORES), frozen(OTHER)
    weights, alarms = frozen(WEIGHTS), frozen((OTHER > 0).astype(int))
    hull = RocHull.from_scores(y, {"a": a, "b": b})
    RocHull.from_scores(y, {"a": a, "b": b}, sample_weight=weights)
    RocCurve.from_scores(y, a, sample_weight=weights)
    RocCurve.from_labels(y, {"x": alarms, "y": frozen(1 - alarms)}, sample_weight=weights)
    RocCurve.from_counts(frozen([1, 2]), frozen([1, 2]), negatives=2, positives=2)
    hull.add(RocCurve.from_scores(y, b, name="c"))
    assert hull.best(rocch.NeymanPearson(0.2)).fpr <= 0.2
    assert 0 < rocch.auc(y, a) < 1


def test_arrays_are_not_altered_and_stay_writeable() -> None:
    y, a, b = POSITIVE.astype(int), SCORES.copy(), OTHER.copy()
    weights, alarms = WEIGHTS.copy(), (OTHER > 0).astype(int)
    given: list[np.ndarray[Any, Any]] = [y, a, b, weights, alarms]
    before = [values.copy() for values in given]
    hull = RocHull.from_scores(y, {"a": a, "b": b})
    hull.best(rocch.NeymanPearson(0.2))
    RocHull.from_scores(y, {"a": a, "b": b}, sample_weight=weights)
    RocCurve.from_scores(y, a, sample_weight=weights)
    RocCurve.from_labels(y, alarms, sample_weight=weights)
    rocch.auc(y, a)
    for now, then in zip(given, before, strict=True):
        np.testing.assert_array_equal(now, then, strict=True)
        assert now.flags.writeable


def test_counts_and_thresholds_of_the_caller_stay_the_callers_own() -> None:
    fp, tp, thresholds = np.array([1, 2]), np.array([1, 2]), np.array([2.0, 1.0])
    curve = RocCurve.from_counts(fp, tp, negatives=2, positives=2, lowest_scores=thresholds)
    for values in (fp, tp, thresholds):
        assert values.flags.writeable
        values[0] = 77
    assert curve.lowest_scores is not None
    assert curve.lowest_scores.tolist() == [2.0, 1.0]
    assert curve.false_positives.tolist() == [0, 1, 2]


def test_lists_and_mappings_are_not_altered() -> None:
    y, scores = POSITIVE.tolist(), {"b": OTHER.tolist(), "a": SCORES.tolist()}
    y_before, scores_before = copy.deepcopy(y), copy.deepcopy(scores)
    RocHull.from_scores(y, scores).best(rocch.NeymanPearson(0.2))
    assert (y, scores) == (y_before, scores_before)
    assert list(scores) == ["b", "a"]


def test_pandas_frames_are_not_altered() -> None:
    frame = pd.DataFrame({"y": POSITIVE.astype(int), "a": SCORES, "b": OTHER})
    before = frame.copy(deep=True)
    RocHull.from_scores(frame["y"], frame[["a", "b"]]).best(rocch.NeymanPearson(0.2))
    RocCurve.from_scores(frame["y"], frame["a"], sample_weight=frame["b"].abs())
    pd.testing.assert_frame_equal(frame, before)


def test_polars_and_arrow_frames_are_not_altered() -> None:
    columns = {"y": POSITIVE.astype(int), "a": SCORES, "b": OTHER}
    polars, arrow = pl.DataFrame(columns), pa.table(columns)
    polars_before, arrow_before = polars.clone(), pa.table(copy.deepcopy(columns))
    RocHull.from_scores(polars["y"], polars.drop("y")).best(rocch.NeymanPearson(0.2))
    RocHull.from_scores(arrow["y"], arrow.drop_columns("y")).best(rocch.NeymanPearson(0.2))
    assert polars.equals(polars_before)
    assert arrow.equals(arrow_before)


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [
        ([True, False], None),
        ([1, 0], None),
        ([1, -1], None),
        (["ill", "well"], "ill"),
        ([3, 4], 3),
        (pd.Series(["ill", "well"], dtype="category"), "ill"),
    ],
)
def test_outcomes_are_read_as_labels_are(labels: Any, pos_label: Any) -> None:
    assert as_outcomes(labels, pos_label).tolist() == [True, False]


def test_outcomes_may_hold_one_class_only() -> None:
    assert as_outcomes([0, 0]).tolist() == [False, False]
    assert as_outcomes([True]).tolist() == [True]
    assert as_outcomes(["well"], "ill").tolist() == [False]


@pytest.mark.parametrize(
    ("labels", "pos_label", "message"),
    [
        (["ill", "well"], None, "pos_label must be given"),
        ([1, None], None, "y_true must have no missing labels"),
        (["ill", None], "ill", "y_true must have no missing labels"),
        ([1, 0], [1], "pos_label must be one label"),
        ([1, 0], pd.NA, "pos_label must be one label"),
        (["ill", "well"], "Ill", "pos_label must be one label that occurs in y_true; .*If none is"),
        ([], None, "y_true must have at least one row"),
        ([[1, 0]], None, "y_true must be one-dimensional"),
    ],
)
def test_unusable_outcomes_are_refused(labels: Any, pos_label: Any, message: str) -> None:
    with pytest.raises(rocch.InputError, match=message):
        as_outcomes(labels, pos_label)


Labeled = Callable[[list[Any]], Any]

TYPED: dict[str, Labeled] = {
    "list": list,
    "tuple": tuple,
    "objects": lambda labels: np.array(labels, dtype=object),
    "pandas objects": lambda labels: pd.Series(labels, dtype=object),
    "pandas category": lambda labels: pd.Series(labels, dtype="category"),
    "pandas index": lambda labels: pd.Index(labels, dtype=object),
    "polars objects": lambda labels: pl.Series(labels, dtype=pl.Object),
}
"""Containers that hold labels of several types, each as it is."""

GAPS: dict[str, Any] = {
    **{f"{name}, NaN": make(["b", np.nan, "a"]) for name, make in TYPED.items()},
    **{f"{name}, None": make(["b", None, "a"]) for name, make in TYPED.items()},
    **{f"{name}, NA": make(["b", pd.NA, "a"]) for name, make in TYPED.items()},
    **{f"{name}, NaT": make(["b", pd.NaT, "a"]) for name, make in TYPED.items()},
    "NumPy texts": np.array(["b", np.nan, "a"]),
    "NumPy bytes": np.array([b"b", np.nan, b"a"]),
    "NumPy variable texts": np.array(
        ["b", np.nan, "a"], dtype=np.dtypes.StringDType(na_object=np.nan)
    ),
    "NumPy dates": np.array(["2026-01-01", "NaT", "2026-01-02"], dtype="M8[ns]"),
    "pandas texts": pd.Series(["b", None, "a"]),
    "pandas string": pd.Series(["b", None, "a"], dtype="string"),
    "pandas Int64": pd.Series([1, None, 0], dtype="Int64"),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "pandas arrow": pd.Series(["b", None, "a"], dtype="string[pyarrow]"),
    "pandas numbers by category": pd.Series([1, None, 0], dtype="category"),
    "polars text": pl.Series(["b", None, "a"]),
    "polars category": pl.Series(["b", None, "a"], dtype=pl.Categorical),
    "polars Boolean": pl.Series([True, None, False]),
    "polars numbers": pl.Series([1, None, 0]),
    "polars NaN": pl.Series([1.0, np.nan, 0.0]),
    "arrow text": pa.array(["b", None, "a"]),
    "arrow chunks": pa.chunked_array([["b"], [None, "a"]]),
    "arrow dictionary": pa.array(["b", None, "a"]).dictionary_encode(),
    "arrow dictionary chunks": pa.chunked_array([pa.array(["b", None, "a"]).dictionary_encode()]),
    "arrow numbers": pa.chunked_array([[1, None, 0]]),
    "arrow Boolean": pa.array([True, None, False]),
}

COUNTED: dict[str, Callable[[Any], Any]] = {
    "curve": lambda y: RocCurve.from_scores(y, [3, 2, 1], pos_label="b"),
    "hull": lambda y: RocHull.from_scores(y, {"a": [3, 2, 1]}, pos_label="b"),
    "predictions": lambda y: RocCurve.from_labels(["b", "a", "a"], y, pos_label="b"),
    "auc": lambda y: rocch.auc(y, [3, 2, 1], pos_label="b"),
    "comparison": lambda y: rocch.stats.compare_aucs(
        y, {"a": [3, 2, 1], "b": [1, 2, 3]}, pos_label="b"
    ),
    "confusion": lambda y: rocch.multiclass.Confusion.from_labels(y, ["b", "a", "a"]),
    "answers": lambda y: rocch.multiclass.Confusion.from_labels(["b", "a", "a"], y),
    "several classes": lambda y: rocch.multiclass.pairwise_aucs(y, np.full((3, 2), 0.5)),
    "groups": lambda y: rocch.stats.auc_interval([0, 1, 0], [1, 2, 3], groups=y),
    "fit": lambda y: rocch.RocchClassifier([("nb", GaussianNB())]).fit([[1], [2], [3]], y),
    "surface": lambda y: rocch.RocSurfaceClassifier([("nb", GaussianNB())]).fit([[1], [2], [3]], y),
}


@pytest.mark.parametrize("labels", GAPS.values(), ids=GAPS.keys())
@pytest.mark.parametrize("use", COUNTED.values(), ids=COUNTED.keys())
def test_a_missing_label_is_refused_in_every_container(use: Labeled, labels: Any) -> None:
    with pytest.raises(rocch.InputError, match=r"no missing labels; got 1 of them.*position 1"):
        use(labels)


@pytest.mark.parametrize("make", TYPED.values(), ids=TYPED.keys())
@pytest.mark.parametrize("use", COUNTED.values(), ids=COUNTED.keys())
@pytest.mark.parametrize(
    ("one", "other", "types"),
    [
        (1, "1", r"1 \(int\) and '1' \(str\)"),
        (1.0, "1.0", r"1.0 \(float\) and '1.0' \(str\)"),
        (True, "True", r"True \(bool\) and 'True' \(str\)"),
        (b"b", "b", r"b'b' \(bytes\) and 'b' \(str\)"),
    ],
)
def test_labels_that_are_equal_only_as_text_are_refused_in_every_container(
    use: Labeled, make: Labeled, one: Any, other: Any, types: str
) -> None:
    with pytest.raises(rocch.InputError, match=f"equal only as text; got {types}"):
        use(make([one, other, 0]))


ONE_TYPE: dict[str, tuple[Labeled, tuple[type, ...]]] = {
    **{name: (make, (int, float, bool, str)) for name, make in TYPED.items()},
    "NumPy": (np.array, (int, float, bool, str)),
    "pandas": (pd.Series, (int, float, bool, str)),
    "pandas Int64": (lambda labels: pd.Series(labels, dtype="Int64"), (int,)),
    "pandas boolean": (lambda labels: pd.Series(labels, dtype="boolean"), (bool,)),
    "pandas string": (lambda labels: pd.Series(labels, dtype="string"), (str,)),
    "polars": (pl.Series, (int, float, bool, str)),
    "arrow": (pa.array, (int, float, bool, str)),
    "arrow chunks": (lambda labels: pa.chunked_array([labels]), (int, float, bool, str)),
}


@pytest.mark.parametrize(("make", "types"), ONE_TYPE.values(), ids=ONE_TYPE.keys())
def test_a_positive_class_of_another_type_is_refused_in_every_container(
    make: Labeled, types: tuple[type, ...]
) -> None:
    for kind in types:
        labels = [kind(1), kind(0), kind(1)]
        wrong: Any = 1 if kind is str else str(kind(1))
        message = (
            rf"pos_label must .*got {wrong!r} \(.*which is not {kind(1)!r} \({kind.__name__}\)"
        )
        with pytest.raises(rocch.InputError, match=message):
            RocCurve.from_scores(make(labels), [3, 2, 1], pos_label=wrong)


@pytest.mark.parametrize("make", TYPED.values(), ids=TYPED.keys())
def test_labels_of_several_types_stay_what_they_are(make: Labeled) -> None:
    labels = make([1, "a", 0.5, "a"])
    for pos_label, positives in ((1, 1), ("a", 2), (0.5, 1)):
        curve = RocCurve.from_scores(labels, [4, 3, 2, 1], pos_label=pos_label)
        assert curve.totals.positives == positives
    with pytest.raises(rocch.InputError, match="pos_label must be one label that occurs"):
        RocCurve.from_scores(labels, [4, 3, 2, 1], pos_label="1")
    assert set(rocch.multiclass.Confusion.from_labels(labels, labels).classes) == {1, "a", 0.5}


@given(
    st.lists(
        st.sampled_from([0, 1, 2, True, 1.0, "0", "1", "True", "a", None, np.nan]), min_size=2
    ),
    st.sampled_from([0, 1, True, "0", "1", "a", None]),
)
def test_the_container_never_decides_what_a_label_is(labels: list[Any], pos_label: Any) -> None:
    def outcome(given: Any) -> Any:
        try:
            judged = RocCurve.from_scores(given, range(len(labels)), pos_label=pos_label).totals
        except rocch.InputError as error:
            return error.argument
        return judged

    # a category makes one of labels that are equal, such as 1 and True, before anyone can look
    exact = {name: make for name, make in TYPED.items() if name != "pandas category"}
    found = {name: outcome(make(labels)) for name, make in exact.items()}
    assert len(set(found.values())) == 1, found


def test_the_text_nan_in_a_list_is_a_label() -> None:
    curve = RocCurve.from_scores(["nan", "b", "nan"], [3, 2, 1], pos_label="nan")
    assert curve.totals.positives == 2


def test_answers_are_labels_of_the_type_that_was_given() -> None:
    costs = rocch.CostMatrix({(1, "a"): 1, ("a", 1): 1})
    assert rocch.multiclass.assign([[0.9, 0.1], [0.2, 0.8]], costs, classes=[1, "a"]).tolist() == [
        1,
        "a",
    ]
    rule = rocch.RocHull.from_scores([0, 1, 0, 1], {"s": [1, 2, 3, 4]}).best(rocch.ErrorRate())
    decided = rocch.hybrid.Rule.from_point(rule, positive="ill", negative=0).decide({"s": [0, 9]})
    assert decided.tolist() == [0, "ill"]


def test_an_export_answers_with_labels_of_the_type_that_was_given(tmp_path: Path) -> None:
    library = rocch.library.ClassifierLibrary.create(tmp_path / "library")
    labels: Any = [0, "ill", 0, "ill"]
    library.add_scores(labels, {"s": [1, 2, 3, 4]}, pos_label="ill")
    model = rocch.load(library.export(scores=True).path)
    assert model.predict(pd.DataFrame({"s": [0, 9]})).tolist() == [0, "ill"]


def test_a_column_of_labels_is_no_alarm_only_where_it_holds_the_other_class() -> None:
    hull = RocHull.of(RocCurve.from_labels([0, 1, 0, 1], [0, 1, 0, 1], name="r"))
    rule = rocch.hybrid.Rule.from_point(hull.best(rocch.ErrorRate()), positive=1, negative=0)
    assert rule.decide({"r": [0, 1]}).tolist() == [0, 1]
    with pytest.raises(rocch.InputError, match=r"scores\['r'\] must have no missing labels"):
        rule.decide({"r": np.array([1, None])})
    nulls = pa.chunked_array([pa.array([1, None, 0]).dictionary_encode()])
    with pytest.raises(rocch.InputError, match=r"scores\['r'\] must have no missing labels"):
        rule.decide(pa.table({"r": nulls}))
    with pytest.raises(rocch.InputError, match=r"hold labels of the two classes; got '0', '1'"):
        rule.decide({"r": ["0", "1"]})


def test_outcomes_that_only_read_like_the_positive_class_are_refused() -> None:
    with pytest.raises(
        rocch.InputError, match=r"equal only as text; got 1 \(int\) and '1' \(str\)"
    ):
        as_outcomes(["1", "1"], 1)


def exact_scores() -> dict[str, tuple[Any, Any]]:
    """Return numbers that doubles cannot tell apart, and alike ones that they can."""
    tiny, digits = Fraction(1, 10**30), Decimal("1e-25")
    long = np.longdouble(2) ** -60
    return {
        "decimals": ([Decimal("0.1"), Decimal("0.1") + digits, Decimal(1)], Decimal("0.2")),
        "fractions": ([Fraction(1, 3), Fraction(1, 3) + tiny, Fraction(1)], Fraction(2, 3)),
        "decimals beside floats": ([0.1, Decimal("0.1"), 1], Decimal("0.2")),
        "integers beside floats": ([float(2**53), 2**53 + 1, 0.5], 1),
        "integers beyond 64 bits": ([2**63, 2**63 + 1, -1], 1),
        "NumPy integers as objects": ([np.int64(2**53), np.int64(2**53 + 1), "1"], 1),
        "texts": (["0.1", "0.1000000000000000000001", "1"], "0.2"),
        "decimals beyond all doubles": ([Decimal("1e400"), Decimal("1e401"), 1], Decimal(2)),
        "long doubles": ([np.longdouble(1), 1 + long, np.longdouble(2)], np.longdouble(1.5)),
    }


CONTAINED: dict[str, Labeled] = {
    "list": list,
    "tuple": tuple,
    "objects": lambda scores: np.array(scores, dtype=object),
    "pandas": lambda scores: pd.Series(scores, dtype=object),
    "polars": lambda scores: pl.Series(scores, dtype=pl.Object),
}


@pytest.mark.parametrize("make", CONTAINED.values(), ids=CONTAINED.keys())
@pytest.mark.parametrize("kind", exact_scores())
def test_scores_that_doubles_cannot_tell_apart_are_refused(kind: str, make: Labeled) -> None:
    if kind == "long doubles" and np.finfo(np.longdouble).nmant <= 52:
        pytest.skip("long doubles are doubles on this machine")
    scores, another = exact_scores()[kind]
    with pytest.raises(rocch.InputError, match=r"y_score must be .*doubles cannot tell apart"):
        RocCurve.from_scores([0, 1, 0], make(scores))
    apart = [another if place == 1 else score for place, score in enumerate(scores)]
    if all(abs(float(score)) < 2**53 for score in apart):
        assert len(RocCurve.from_scores([0, 1, 0], make(apart))) == 4


@pytest.mark.parametrize(
    "make",
    [
        lambda scores: pl.Series(scores, dtype=pl.Decimal(38, 30)),
        lambda scores: pa.array(scores, type=pa.decimal128(38, 30)),
        lambda scores: pa.chunked_array([pa.array(scores, type=pa.decimal128(38, 30))]),
        lambda scores: pd.Series(scores, dtype=pd.ArrowDtype(pa.decimal128(38, 30))),
    ],
)
def test_columns_of_decimals_are_held_to_the_same(make: Labeled) -> None:
    scores = [Decimal("0.1"), Decimal("0.1") + Decimal("1e-25"), Decimal(1)]
    with pytest.raises(rocch.InputError, match="doubles cannot tell apart"):
        RocHull.from_scores([0, 1, 0], {"a": make(scores)})
    scores[1] = Decimal("0.2")
    assert len(RocCurve.from_scores([0, 1, 0], make(scores))) == 4


@given(
    st.lists(st.fractions(0, 1, max_denominator=2**60), min_size=2, max_size=20),
    st.sampled_from([Fraction(0), Fraction(1, 2**70), Fraction(1, 2**40)]),
)
def test_exact_scores_are_ranked_exactly_or_refused(scores: list[Fraction], near: Fraction) -> None:
    values: Any = [*scores, scores[0] + near]
    labels = [place % 2 for place in range(len(values))]
    try:
        curve = RocCurve.from_scores(labels, values)
    except rocch.InputError:
        assert len(set(map(float, values))) < len(set(values))
        return
    rank = {value: place for place, value in enumerate(sorted(set(values)))}
    ranked = RocCurve.from_scores(labels, [rank[value] for value in values])
    assert curve.true_positives.tolist() == ranked.true_positives.tolist()
    assert curve.false_positives.tolist() == ranked.false_positives.tolist()


def test_a_type_that_numpy_does_not_have_is_refused_in_our_words() -> None:
    wide = pl.Series([1, 2, 3], dtype=pl.Int128)
    with pytest.raises(rocch.InputError, match=r"y_score must be data that NumPy can read.*Int128"):
        RocCurve.from_scores([0, 1, 0], wide)


SCALES: dict[str, tuple[Any, str]] = {
    "the smallest double": ([5e-324, 1, 1, 1], "sample_weight must be 0, or from 3.1e-151"),
    "doubles that vanish": ([5e-324] * 4, "sample_weight must be 0, or from 3.1e-151"),
    "doubles that overflow": ([1e308] * 4, r"to 3.3e\+150; got 1e\+308 at position 0"),
    "none for a class": ([0, 1, 0, 1], "leave both classes some weight"),
    "none at all": ([0, 0, 0, 0], "leave both classes some weight"),
    "next to nothing for a class": ([1e-30, 1, 1e-30, 1], "leave both classes some weight"),
}
WEIGHED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "curve": (
        "sample_weight",
        lambda w: RocCurve.from_scores([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=w),
    ),
    "labels": (
        "sample_weight",
        lambda w: RocCurve.from_labels([0, 1, 0, 1], [0, 1, 1, 1], sample_weight=w),
    ),
    "hull": (
        "sample_weight",
        lambda w: RocHull.from_scores([0, 1, 0, 1], {"a": [1, 2, 3, 4]}, sample_weight=w),
    ),
    "auc": ("sample_weight", lambda w: rocch.auc([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=w)),
    "fit": (
        "sample_weight",
        lambda w: rocch.RocchClassifier([("nb", GaussianNB())], cv=2).fit(
            [[1], [2], [3], [4]], [0, 1, 0, 1], sample_weight=w
        ),
    ),
    "hull_weight": (
        "hull_weight",
        lambda w: rocch.RocchClassifier([("nb", GaussianNB())], cv=2).fit(
            [[1], [2], [3], [4]], [0, 1, 0, 1], hull_weight=w
        ),
    ),
}


@pytest.mark.parametrize(("argument", "weigh"), WEIGHED.values(), ids=WEIGHED.keys())
@pytest.mark.parametrize(("weights", "message"), SCALES.values(), ids=SCALES.keys())
def test_weights_that_cannot_be_counted_are_refused(
    weights: Any, message: str, argument: str, weigh: Callable[[Any], Any]
) -> None:
    with pytest.raises(
        rocch.InputError, match=message.replace("sample_weight", argument)
    ) as caught:
        weigh(weights)
    assert caught.value.argument == argument


@pytest.mark.parametrize("unit", [2.0**-500, 2.0**-300, 2.0**300, 2.0**498])
def test_weights_in_any_unit_give_the_same_rates(unit: float) -> None:
    weights = np.array([1.0, 2.0, 3.0, 1.0])
    plain = RocCurve.from_scores([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=weights)
    curve = RocCurve.from_scores([0, 1, 0, 1], [1, 2, 3, 4], sample_weight=unit * weights)
    assert curve.auc == plain.auc
    assert curve.totals.positives * curve.totals.unit == 3 * unit
    assert np.isfinite(curve.totals.total * curve.totals.unit)


def test_a_discrete_belief_may_have_values_that_are_all_but_impossible() -> None:
    distribution = stats.binom(2000, 0.5)
    assert 0 < distribution.pmf(300) < 1e-200
    belief, sure = (rocch.Belief.cost_ratio_like(given) for given in (distribution, [1000.0]))
    best = [
        plain_hull().best(
            rocch.LeastExpectedRegret(each.with_prevalence(0.1).with_unit(false_positive=1))
        )
        for each in (belief, sure)
    ]
    assert best[0].rule() == best[1].rule()


@pytest.mark.parametrize("kind", [int, bool, np.int8])
def test_lists_of_arrays_of_one_value_are_lists_of_their_values(kind: type) -> None:
    labels = [np.array(kind(value)) for value in (1, 0, 1, 0)]
    assert rocch.auc(labels, [np.array(s) for s in (0.9, 0.1, 0.4, 0.5)]) == 0.75


def test_messages_list_six_values_and_count_the_others() -> None:
    for classes, end in ((6, "4, 5;?[.]"), (8, "4, 5 and 2 more[.]")):
        with pytest.raises(rocch.InputError, match=f"got labels 0, 1, 2, 3, {end}"):
            rocch.RocCurve.from_scores(range(classes), range(classes))
