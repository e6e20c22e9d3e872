"""Every bad input gets one clear error of the right kind; nothing becomes NaN silently.

A message names the argument, what it must be, what came, and where that helps what to do.
"""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rocch
from rocch.hybrid.components import curve_of, list_estimators

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

lib: Any = rocch  # so that mypy lets the tests pass what users should not
Curve, Hull, Conditions = lib.RocCurve, lib.RocHull, lib.Conditions
InputError, UndefinedError = rocch.InputError, rocch.UndefinedError

masked: Any = np.ma.array
NAN, INF = math.nan, math.inf
Y = [0, 0, 1, 1]
S = [0.1, 0.4, 0.35, 0.8]


def hull() -> Any:
    return Hull.from_scores(Y, {"a": S})


def curve() -> Any:
    return Curve.from_scores(Y, S, name="a")


def rules() -> Any:
    return Curve.from_labels(Y, [0, 1, 0, 1], name="rules")


def conditions(**given: Any) -> Any:
    return Conditions(**{"prevalence": 0.5, "false_positive": 1, "false_negative": 1, **given})


def vague() -> Any:
    return conditions(false_positive=(1, 2))


def best(*criterion: Any) -> Any:
    return hull().best(lib.Constrained(*criterion) if len(criterion) > 1 else criterion[0])


def counts(fp: Any, tp: Any, **given: Any) -> Any:
    return Curve.from_counts(fp, tp, **{"negatives": 2, "positives": 2, **given})


def performance() -> Any:
    return hull().vertices[1].performance(prevalence=0.5)


def answer() -> Any:
    return best(lib.ErrorRate())


@dataclass(frozen=True)
class Bad:
    """A call that must be refused, and words that its message must hold."""

    what: str
    call: Callable[[], Any]
    says: tuple[str, ...]
    error: type[Exception] = InputError
    never_says: tuple[str, ...] = field(default=())


# Requirements that say what to do by themselves. All others need a hint.
SAYS_ENOUGH = {
    "be a function of FPR and TPR that returns a number",
    "be a number",
    "be at least one curve",
    "have at least one row",
    "have at least one setting",
    "leave both classes some weight",
    "name at least one classifier",
    "not both be 0",
    "not exceed {negatives} and {positives}",
    "return numbers",
}


LABELS = [
    Bad("one class", lambda: Curve.from_scores([1, 1], [1, 2]), ("y_true", "both classes", "2")),
    Bad(
        "one class, bool", lambda: Curve.from_scores([False] * 3, [1, 2, 3]), ("y_true", "all neg")
    ),
    Bad("one class, hull", lambda: Hull.from_scores([0, 0], {"a": [1, 2]}), ("y_true", "both")),
    Bad("one class, auc", lambda: lib.auc([1, 1], [1, 2]), ("y_true", "both classes")),
    Bad("one class, labels", lambda: Curve.from_labels([1, 1], [0, 1]), ("y_true", "both classes")),
    Bad("empty", lambda: Curve.from_scores([], []), ("y_true", "at least one row", "none")),
    Bad("empty hull", lambda: Hull.from_scores([], {"a": []}), ("y_true", "at least one row")),
    Bad("empty auc", lambda: lib.auc(np.array([]), np.array([])), ("y_true", "at least one row")),
    Bad(
        "NaN label",
        lambda: Curve.from_scores([0, 1, NAN, 1], S),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "None label",
        lambda: Curve.from_scores([0, 1, None, 1], S),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "None among texts",
        lambda: Curve.from_scores(["a", "b", None, "b"], S, pos_label="a"),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "NaN among texts",
        lambda: Curve.from_scores(np.array(["a", "b", NAN, "b"], dtype=object), S, pos_label="a"),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "pandas NA in boolean",
        lambda: Curve.from_scores(pd.Series([True, False, None, True], dtype="boolean"), S),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "pandas NA in Int64",
        lambda: Curve.from_scores(pd.Series([1, 0, None, 1], dtype="Int64"), S),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "polars null",
        lambda: Curve.from_scores(pl.Series([True, False, None, True]), S),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "arrow null",
        lambda: Curve.from_scores(pa.chunked_array([["a", "b", None, "a"]]), S, pos_label="a"),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "masked label",
        lambda: Curve.from_scores(masked(Y, mask=[0, 0, 1, 0]), S),
        ("y_true", "missing", "position 2"),
    ),
    Bad(
        "three numbers without pos_label",
        lambda: Curve.from_scores([0, 1, 2, 1], S),
        ("pos_label", "0, 1, 2"),
    ),
    Bad(
        "three texts without pos_label",
        lambda: Curve.from_scores(["a", "b", "c", "a"], S),
        ("pos_label", "'a', 'b', 'c'"),
    ),
    Bad(
        "two texts without pos_label",
        lambda: Curve.from_scores(["bad", "good", "bad", "good"], S),
        ("pos_label", "'bad', 'good'"),
    ),
    Bad("1/2 without pos_label", lambda: Curve.from_scores([1, 2, 1, 2], S), ("pos_label", "1, 2")),
    Bad("-1/0/1", lambda: Curve.from_scores([-1, 0, 1, 1], S), ("pos_label", "-1, 0, 1")),
    Bad(
        "foreign pos_label",
        lambda: Curve.from_scores(Y, S, pos_label=7),
        ("pos_label", "7", "0, 1"),
    ),
    Bad(
        "pos_label of another type",
        lambda: Curve.from_scores(Y, S, pos_label="1"),
        ("pos_label", "'1'", "0, 1"),
    ),
    Bad(
        "pos_label NaN",
        lambda: Curve.from_scores([0.0, 1.0, 0.0, 1.0], S, pos_label=NAN),
        ("pos_label", "nan", "0.0, 1.0"),
    ),
    Bad(
        "pos_label an array",
        lambda: Curve.from_scores(Y, S, pos_label=np.array([0, 1])),
        ("pos_label",),
    ),
    Bad("2-D labels", lambda: Curve.from_scores(np.eye(4), S), ("y_true", "one-dim", "(4, 4)")),
    Bad(
        "frame as labels",
        lambda: Curve.from_scores(pd.DataFrame({"y": Y}), S),
        ("y_true", "one-dimensional", "(4, 1)"),
    ),
    Bad("text as labels", lambda: Curve.from_scores("0011", S), ("y_true", "type str")),
    Bad("a number as labels", lambda: Curve.from_scores(1, S), ("y_true", "int")),
]

SCORES = [
    Bad("empty", lambda: Curve.from_scores(Y, []), ("y_score", "at least one row")),
    Bad(
        "NaN",
        lambda: Curve.from_scores(Y, [1, NAN, NAN, 3]),
        ("y_score", "NaN", "2 of", "position 1"),
    ),
    Bad(
        "NaN, hull",
        lambda: Hull.from_scores(Y, {"a": S, "b": [1, 2, 3, NAN]}),
        ("'b'", "position 3"),
    ),
    Bad("NaN, auc", lambda: lib.auc(Y, [1, 2, 3, NAN]), ("y_score", "NaN", "position 3")),
    Bad(
        "None", lambda: Curve.from_scores(Y, [1, 2, None, 3]), ("y_score", "missing", "position 2")
    ),
    Bad(
        "NaN float32", lambda: lib.auc(Y, np.array([1, 2, 3, NAN], "f4")), ("y_score", "position 3")
    ),
    Bad(
        "pandas NA",
        lambda: Curve.from_scores(Y, pd.Series([1, 2, None, 3], dtype="Int64")),
        ("y_score", "missing", "position 2"),
    ),
    Bad(
        "polars null",
        lambda: Curve.from_scores(Y, pl.Series([1, 2, None, 3])),
        ("y_score", "missing", "position 2"),
    ),
    Bad(
        "arrow null in a table",
        lambda: Hull.from_scores(Y, pa.table({"a": [1.0, 2.0, None, 3.0]})),
        ("scores['a']", "missing", "position 2"),
    ),
    Bad(
        "masked score",
        lambda: Curve.from_scores(Y, masked(S, mask=[0, 0, 1, 0])),
        ("y_score", "missing", "position 2"),
    ),
    Bad(
        "not a time",
        lambda: Curve.from_scores(Y, np.array(["2020", "2021", "NaT", "2023"], dtype="M8[Y]")),
        ("y_score", "numbers"),
    ),
    Bad("times", lambda: Curve.from_scores(Y, pd.to_datetime(["2020-01-01"] * 4)), ("y_score",)),
    Bad("complex", lambda: Curve.from_scores(Y, np.array([1j, 2, 3, 4])), ("y_score", "numbers")),
    Bad(
        "text",
        lambda: Curve.from_scores(Y, ["low", "2", "3", "4"]),
        ("y_score", "'low'", "position 0"),
    ),
    Bad(
        "objects",
        lambda: Curve.from_scores(Y, [1, 2, 3, {}]),
        ("y_score", "numbers", "{} at position 3"),
    ),
    Bad("too few", lambda: Curve.from_scores(Y, [1, 2, 3]), ("y_score", "4 rows", "got 3")),
    Bad(
        "too many", lambda: Hull.from_scores(Y, {"a": [1] * 5}), ("scores['a']", "4 rows", "got 5")
    ),
    Bad("2-D", lambda: Curve.from_scores(Y, np.zeros((4, 2))), ("y_score", "one-dim", "(4, 2)")),
    Bad("0-D", lambda: Curve.from_scores(Y, np.array(1.0)), ("y_score", "one-dimensional")),
    Bad("ragged", lambda: Curve.from_scores(Y, [[1, 2], [1], 3, 4]), ("y_score", "unequal length")),
    Bad("a number", lambda: Curve.from_scores(Y, 0.5), ("y_score", "type float")),
    Bad("text alone", lambda: Curve.from_scores(Y, "abcd"), ("y_score", "type str")),
    Bad("a set", lambda: Curve.from_scores(Y, {1, 2, 3, 4}), ("y_score", "set")),
    Bad("a generator", lambda: Curve.from_scores(Y, (s for s in S)), ("y_score", "generator")),
    Bad("2**53", lambda: Curve.from_scores(Y, [2**53, 1, 2, 3]), ("y_score", "2**53")),
    Bad(
        "-2**63", lambda: Curve.from_scores(Y, np.array([-(2**63), 1, 2, 3])), ("y_score", "2**53")
    ),
    Bad(
        "uint64",
        lambda: Curve.from_scores(Y, np.array([2**64 - 1, 2**64 - 2, 2, 3], dtype=np.uint64)),
        ("y_score", "2**53"),
    ),
    Bad("2**70", lambda: Curve.from_scores(Y, [2**70, 2**70 + 1, 2, 3]), ("y_score", "2**53")),
    Bad(
        "2**60 as objects",
        lambda: Curve.from_scores(Y, np.array([2**60, 2**60 + 1, 2, 3], dtype=object)),
        ("y_score", "2**53"),
    ),
    Bad("10**5000", lambda: Curve.from_scores(Y, [10**5000, 1, 2, 3]), ("y_score",)),
    Bad("list of lists", lambda: Hull.from_scores(Y, [S]), ("scores", "names", "type list")),
    Bad("matrix", lambda: Hull.from_scores(Y, np.array([S]).T), ("scores", "names", "ndarray")),
    Bad("no classifier", lambda: Hull.from_scores(Y, {}), ("scores", "at least one", "none")),
    Bad("frame without columns", lambda: Hull.from_scores(Y, pd.DataFrame()), ("scores", "one")),
    Bad(
        "frame with one name twice",
        lambda: Hull.from_scores(Y, pd.DataFrame([[1, 2]] * 4, columns=["a", "a"])),
        ("distinct", "'a'"),
    ),
]

WEIGHTS = [
    Bad(
        what,
        partial(Curve.from_scores, Y, S, sample_weight=weights),
        ("sample_weight", *says),
    )
    for what, weights, says in (
        ("negative", [1, 1, -1, 1], ("not negative", "-1.0 at position 2")),
        ("NaN", [1, 1, 1, NAN], ("finite", "nan at position 3")),
        ("infinite", [INF, 1, 1, 1], ("finite", "inf at position 0")),
        ("None", [1, None, 1, 1], ("finite", "position 1")),
        ("text", ["a", 1, 1, 1], ("numbers", "'a' at position 0")),
        ("too few", [1, 1], ("4 rows", "got 2")),
        ("2-D", [[1, 1, 1, 1]], ("one-dimensional", "(1, 4)")),
        ("nothing for one class", [0, 0, 1, 1], ("both classes", "zero for one class")),
        ("nothing for anyone", [0, 0, 0, 0], ("both classes",)),
        ("complex", np.array([1j, 1, 1, 1]), ("numbers",)),
    )
] + [
    Bad(
        "negative, hull",
        lambda: Hull.from_scores(Y, {"a": S}, sample_weight=[1, 1, -1, 1]),
        ("sample_weight", "-1.0 at position 2"),
    ),
    Bad(
        "negative, labels",
        lambda: Curve.from_labels(Y, Y, sample_weight=[1, 1, -1, 1]),
        ("sample_weight", "-1.0 at position 2"),
    ),
    Bad(
        "negative, auc",
        lambda: lib.auc(Y, S, sample_weight=[1, 1, -1, 1]),
        ("sample_weight", "-1.0 at position 2"),
    ),
]

NAMES = [
    Bad("empty name", lambda: Curve.from_scores(Y, S, name=""), ("name", "not empty", "''")),
    Bad("blank name", lambda: Curve.from_labels(Y, Y, name="  "), ("name", "not empty")),
    Bad("no name", lambda: Curve.from_scores(Y, S, name=3), ("name", "text", "3")),
    Bad("empty name, hull", lambda: Hull.from_scores(Y, {"": S}), ("name", "not empty", "''")),
    Bad(
        "never",
        lambda: Hull.from_scores(Y, {"never": S}),
        ("name", "be 'never' or 'always'", "Rename"),
    ),
    Bad("always", lambda: Hull.of(Curve.from_scores(Y, S, name="always")), ("name", "'always'")),
    Bad("one name twice", lambda: Hull.of(curve(), curve()), ("names", "distinct", "'a'")),
    Bad("a name that is there already", lambda: hull().add(curve()), ("distinct", "'a'")),
    Bad(
        "two names that are one as text",
        lambda: Hull.from_scores(Y, {1: S, "1": Y}),
        ("distinct", "'1'"),
    ),
]

PARTS = [
    Bad("nothing", lambda: Hull.of(), ("parts", "at least one", "none")),
    Bad("scores", lambda: Hull.of(S), ("parts", "RocCurve", "type list")),
    Bad("None", lambda: hull().consider(None), ("RocCurve", "NoneType")),
    Bad(
        "different rows",
        lambda: Hull.of(curve(), Curve.from_scores([0, 1, 1], [1, 2, 3], name="b")),
        (
            "curves",
            "same rows",
            "2 positives of 3",
            "2 positives of 4",
            "allow_different_rows=True",
        ),
    ),
    Bad(
        "same totals, other order",
        lambda: Hull.of(curve(), Curve.from_scores([1, 0, 1, 0], S, name="b")),
        ("curves", "same rows", "different order", "allow_different_rows=True"),
    ),
    Bad(
        "other order, consider",
        lambda: hull().consider(Curve.from_scores([1, 0, 1, 0], S, name="b")),
        ("curves", "same rows", "different order"),
    ),
    Bad(
        "other weights",
        lambda: Hull.of(curve(), Curve.from_scores(Y, S, sample_weight=[1, 2, 1, 2], name="b")),
        ("curves", "same rows", "allow_different_rows=True"),
    ),
    Bad(
        "weights in another order",
        lambda: Hull.of(
            Curve.from_scores(Y, S, sample_weight=[1, 2, 1, 2], name="a"),
            Curve.from_scores(Y, S, sample_weight=[2, 1, 1, 2], name="b"),
        ),
        ("curves", "same rows", "allow_different_rows=True"),
    ),
]

CONDITIONS = [
    Bad(what, partial(conditions, **given), says)
    for what, given, says in (
        ("negative cost", {"false_positive": -1}, ("false_positive", "not negative", "-1")),
        ("negative miss", {"false_negative": -0.5}, ("false_negative", "not negative", "-0.5")),
        ("negative hit", {"true_positive": (-1, 0)}, ("true_positive", "not negative", "-1")),
        ("infinite cost", {"false_positive": INF}, ("false_positive", "finite", "inf")),
        ("NaN cost", {"false_positive": NAN}, ("false_positive", "number", "nan")),
        ("NaN in interval", {"false_positive": (1, NAN)}, ("false_positive", "nan")),
        ("text cost", {"false_negative": "ten"}, ("false_negative", "number", "'ten'")),
        ("no cost", {"false_negative": None}, ("false_negative", "number", "None")),
        ("true as cost", {"false_negative": True}, ("false_negative", "number", "True")),
        ("three ends", {"false_positive": (1, 2, 3)}, ("false_positive", "(1, 2, 3)")),
        ("high to low", {"false_positive": (20, 10)}, ("false_positive", "(20, 10)", "(10, 20)")),
        (
            "both free",
            {"false_positive": 0, "false_negative": 0},
            ("false_positive, false_negative", "not both", "0"),
        ),
        (
            "both may be free",
            {"false_positive": (0, 1), "false_negative": (0, 1)},
            ("false_positive, false_negative", "not both", "0..1"),
        ),
        (
            "hit dearer than miss",
            {"true_positive": 2},
            ("false_negative", "true_positive", "1 and 2"),
        ),
        ("prevalence missing", {"prevalence": None}, ("prevalence", "given", "nothing")),
        ("prevalence above 1", {"prevalence": 5}, ("prevalence", "0 to 1", "5", "from_ratio")),
        ("prevalence below 0", {"prevalence": -0.1}, ("prevalence", "0 to 1", "-0.1")),
        ("prevalence beyond", {"prevalence": (0.5, 1.5)}, ("prevalence", "0 to 1", "1.5")),
        ("prevalence NaN", {"prevalence": NAN}, ("prevalence", "nan", "0.1, or (0.1, 0.2)")),
        ("prevalence 20", {"prevalence": 20}, ("prevalence", "0 to 1", "20% is 0.2;")),
        ("prevalence 1 to 20", {"prevalence": (1, 20)}, ("1 to 20% is (0.01, 0.2);",)),
        ("prevalence infinite", {"prevalence": INF}, ("prevalence", "0 to 1", "inf")),
        ("prevalence a word", {"prevalence": "half"}, ("prevalence", "'half'", "'observed'")),
        ("prevalence true", {"prevalence": True}, ("prevalence", "number", "True")),
        ("prevalence high to low", {"prevalence": (0.2, 0.1)}, ("prevalence", "from low to")),
        ("prevalence array", {"prevalence": np.array([0.1, 0.2])}, ("prevalence", "array")),
    )
] + [
    Bad(
        "no prevalence at all",
        lambda: Conditions(false_positive=1, false_negative=1),
        ("prevalence", "given", "nothing"),
    ),
    Bad(
        "negative ratio",
        lambda: Conditions.from_ratio(
            negatives_per_positive=-1, false_positive=1, false_negative=1
        ),
        ("negatives_per_positive", "not negative", "-1"),
    ),
    Bad(
        "ratio high to low",
        lambda: Conditions.from_ratio(
            negatives_per_positive=(6, 4), false_positive=1, false_negative=1
        ),
        ("negatives_per_positive", "from low to", "(4, 6)"),
    ),
    Bad(
        "no slope",
        lambda: conditions(prevalence=0, false_positive=0).slope_range,
        ("prevalence", "costs", "can occur and costs something"),
    ),
    Bad("slope of a range", lambda: vague().slope, ("slope", "1 to 2", "slope_range")),
    Bad(
        "threshold of a range",
        lambda: vague().probability_threshold,
        ("probability_threshold", "exact", "probability_threshold_range"),
    ),
    Bad("cost of a range", lambda: vague().expected_cost(0, 1), ("conditions", "exact", "1..2")),
]

CRITERIA = [
    Bad(
        "best of a range",
        lambda: best(vague()),
        ("conditions", "intervals", "1..2", "sensitivity", "MinimaxRegret"),
    ),
    Bad(
        "error rate of a range",
        lambda: best(lib.ErrorRate((0.1, 0.2))),
        ("intervals", "0.1..0.2", "MinimaxRegret"),
    ),
    Bad(
        "a range under limits",
        lambda: best(vague(), lib.NeymanPearson(0.5)),
        ("intervals", "MinimaxRegret"),
    ),
    Bad("no criterion", lambda: best(None), ("criterion", "Conditions", "got nothing")),
    Bad(
        "a number", lambda: best(0.5), ("criterion", "Conditions", "the number 0.5", "RocCurve.at")
    ),
    Bad("a class", lambda: best(lib.ErrorRate), ("criterion",)),
    Bad("cost of nothing", lambda: best(lib.ExpectedCost(None)), ("conditions", "NoneType")),
    Bad("regret of nothing", lambda: best(lib.MinimaxRegret(None)), ("conditions", "NoneType")),
    Bad("sensitivity to nothing", lambda: hull().sensitivity(None), ("conditions", "NoneType")),
    Bad(
        "sensitivity to a limit",
        lambda: hull().sensitivity(lib.NeymanPearson(0.1)),
        ("conditions",),
    ),
    Bad("FPR above 1", lambda: lib.NeymanPearson(5), ("max_fpr", "0 to 1", "5", "0.05")),
    Bad("FPR below 0", lambda: lib.NeymanPearson(-0.1), ("max_fpr", "-0.1")),
    Bad("FPR NaN", lambda: lib.NeymanPearson(NAN), ("max_fpr", "nan")),
    Bad("FPR a text", lambda: lib.NeymanPearson("0.1"), ("max_fpr", "'0.1'")),
    Bad("TPR above 1", lambda: lib.MinimumTpr(1.5), ("min_tpr", "1.5")),
    Bad(
        "confidence in percent",
        lambda: lib.NeymanPearson(0.1, confidence=95),
        ("confidence", "between 0 and 1", "95", "0.95"),
    ),
    Bad("confidence 0", lambda: lib.MinimumTpr(0.1, confidence=0), ("confidence", "got 0")),
    Bad("confidence 1", lambda: lib.MinimumPrecision(0.9, confidence=1), ("confidence", "got 1")),
    Bad(
        "different confidences",
        lambda: best(lib.NeymanPearson(0.5, confidence=0.9), lib.MinimumTpr(0.1, confidence=0.8)),
        ("confidence", "same number", "0.8 and 0.9"),
    ),
    Bad(
        "a coin with a confidence",
        lambda: hull().best(lib.NeymanPearson(0.5, confidence=0.9), randomize=True),
        ("randomize", "confidence", "without a coin"),
    ),
    Bad(
        "too few rows for a confidence",
        lambda: best(lib.NeymanPearson(0.05, confidence=0.95)),
        ("FPR <= 0.05", "95% confidence", "at least 59 negatives (there are 2)", "Relax"),
        rocch.InfeasibleError,
    ),
    Bad("precision 0", lambda: lib.MinimumPrecision(0), ("min_precision", "more than 0")),
    Bad("limit on no costs", lambda: lib.CostLimit(1, None), ("Conditions",)),
    Bad("TPR None", lambda: lib.MinimumTpr(None), ("min_tpr", "None")),
    Bad("share", lambda: lib.PredictedPositiveLimit(1.5, prevalence=0.5), ("max_rate", "1.5")),
    Bad("share at", lambda: lib.PredictedPositiveLimit(0.5, prevalence=5), ("prevalence", "5")),
    Bad(
        "negative capacity",
        lambda: lib.Capacity(-1, positives=5, negatives=5),
        ("cases", "not negative", "-1"),
    ),
    Bad("NaN capacity", lambda: lib.Capacity(NAN, positives=5, negatives=5), ("cases", "nan")),
    Bad("infinite capacity", lambda: lib.Capacity(INF, positives=5, negatives=5), ("cases", "inf")),
    Bad("negative crowd", lambda: lib.Capacity(1, positives=-5, negatives=5), ("positives", "-5")),
    Bad("nobody", lambda: lib.Capacity(1, positives=0, negatives=0), ("positives, negatives", "0")),
    Bad("limit on nothing", lambda: lib.roc.LinearLimit(at_most=1), ("tpr, fpr", "not both be 0")),
    Bad("limit NaN", lambda: lib.roc.LinearLimit(tpr=NAN, at_most=1), ("tpr", "finite", "nan")),
    Bad(
        "limit infinite",
        lambda: lib.roc.LinearLimit(tpr=1, at_most=INF),
        ("at_most", "finite", "inf"),
    ),
    Bad("limit text", lambda: lib.roc.LinearLimit(fpr="1", at_most=1), ("fpr", "number", "'1'")),
    Bad("a number as limit", lambda: best(lib.ErrorRate(), 0.5), ("limits", "float")),
    Bad(
        "nobody meets it",
        lambda: best(lib.NeymanPearson(0.0), lib.MinimumTpr(0.9)),
        ("limits", "TPR >= 0.9", "FPR <= 0", "Relax"),
        rocch.InfeasibleError,
    ),
    Bad(
        "only a coin meets it",
        lambda: best(lib.NeymanPearson(0.3), lib.MinimumTpr(0.7)),
        ("limits", "TPR >= 0.7", "FPR <= 0.3", "randomize=True"),
        rocch.InfeasibleError,
    ),
    Bad(
        "a limit that cannot be met alone",
        lambda: best(lib.ErrorRate(), lib.roc.LinearLimit(tpr=1, fpr=1, at_most=-1)),
        ("limits", "-1", "Relax"),
        rocch.InfeasibleError,
    ),
    Bad(
        "no guarantee",
        lambda: best(lib.ErrorRate(), lib.roc.LinearLimit(tpr=1, fpr=-1, at_most=0.2)),
        ("limits", "got TPR - FPR <= 0.2", "below the hull", "Drop"),
        rocch.GuaranteeError,
    ),
    Bad(
        "no guarantee together",
        lambda: best(
            lib.ErrorRate(),
            lib.roc.LinearLimit(tpr=1, at_most=0.9),
            lib.roc.LinearLimit(fpr=-1, at_most=-0.1),
        ),
        ("limits", "TPR", "FPR", "below the hull"),
        rocch.GuaranteeError,
    ),
    Bad(
        "metric upside down",
        lambda: best(lib.Maximize(lambda fpr, tpr: fpr - tpr)),
        ("metric", "rise with TPR", "metric(fpr, tpr)"),
        rocch.GuaranteeError,
    ),
    Bad(
        "metric with a hump",
        lambda: best(lib.Maximize(lambda fpr, tpr: -((tpr - 0.5) ** 2) - fpr)),
        ("metric", "rise with TPR"),
        rocch.GuaranteeError,
    ),
    Bad("metric unknown", lambda: lib.Maximize("auc"), ("metric", "'auc'", "precision")),
    Bad("metric missing", lambda: best(lib.Maximize(None)), ("metric", "None")),
    Bad("metric a number", lambda: best(lib.Maximize(3)), ("metric", "3")),
    Bad("metric gives text", lambda: best(lib.Maximize(lambda fpr, tpr: "x")), ("metric",)),  # noqa: ARG005
    Bad(
        "metric gives NaN",
        lambda: best(lib.Maximize(lambda fpr, tpr: fpr * tpr * NAN)),
        ("metric", "NaN"),
        rocch.RocchError,
    ),
    Bad("metric at 200%", lambda: lib.Maximize("f1", prevalence=2.0), ("prevalence", "2.0")),
    Bad(
        "metric at a word", lambda: lib.Maximize("f1", prevalence="half"), ("prevalence", "'half'")
    ),
    Bad("error rate at 2", lambda: best(lib.ErrorRate(2)), ("prevalence", "0 to 1", "2")),
    Bad("NaN slope", lambda: hull().best_between(NAN, 1), ("low", "nan")),
    Bad("slopes high to low", lambda: hull().best_between(2, 1), ("low", "high", "2")),
]

CURVES = [
    Bad("NaN threshold", lambda: curve().at(NAN), ("threshold", "number", "nan")),
    Bad("no threshold", lambda: curve().at(None), ("threshold", "number", "None")),
    Bad("text threshold", lambda: curve().at("high"), ("threshold", "number", "'high'")),
    Bad("pAUC of nothing", lambda: curve().partial_auc(), ("fpr, tpr", "one range", "neither")),
    Bad(
        "pAUC of both",
        lambda: curve().partial_auc(fpr=(0, 0.1), tpr=(0, 0.1)),
        ("fpr, tpr", "one range", "both"),
    ),
    Bad("pAUC high to low", lambda: curve().partial_auc(fpr=(0.2, 0.1)), ("fpr", "from low to")),
    Bad("pAUC of no width", lambda: curve().partial_auc(tpr=(0.2, 0.2)), ("tpr", "from low to")),
    Bad(
        "pAUC to a number",
        lambda: curve().partial_auc(fpr=0.1),
        ("fpr", "from low to a higher end", "0.1"),
    ),
    Bad("pAUC beyond 1", lambda: curve().partial_auc(fpr=(0, 2)), ("fpr", "0 to 1", "2")),
    Bad("pAUC to NaN", lambda: curve().partial_auc(tpr=(0, NAN)), ("tpr", "interval", "nan")),
    Bad("TPR at 1.5", lambda: curve().tpr_at(1.5), ("fpr", "0 to 1", "1.5")),
    Bad("TPR at NaN", lambda: curve().tpr_at(NAN), ("fpr", "0 to 1", "nan")),
    Bad("FPR at -1", lambda: hull().fpr_at(-1), ("tpr", "0 to 1", "-1")),
    Bad("prevalence 2", lambda: hull().vertices[1].performance(prevalence=2), ("prevalence", "2")),
    Bad("F-NaN", lambda: performance().f_score(NAN), ("beta", "nan")),
    Bad("F-infinite", lambda: performance().f_score(INF), ("beta", "inf")),
    Bad("F-negative", lambda: performance().f_score(-1), ("beta", "-1")),
    Bad("-1 cases", lambda: answer().counts(cases=-1, prevalence=0.5), ("cases", "-1")),
    Bad("NaN cases", lambda: answer().counts(cases=NAN, prevalence=0.5), ("cases", "nan")),
    Bad("infinite cases", lambda: answer().counts(cases=INF, prevalence=0.5), ("cases", "inf")),
    Bad("negative counts", lambda: counts(-1, 1), ("false_positives", "at least 0", "-1")),
    Bad("half counts", lambda: counts(1, 0.5), ("true_positives", "whole", "0.5")),
    Bad("NaN counts", lambda: counts(NAN, 1), ("false_positives", "whole", "nan")),
    Bad("infinite counts", lambda: counts(1, INF), ("true_positives", "whole", "inf")),
    Bad("no counts", lambda: counts(None, 1), ("false_positives", "whole", "None")),
    Bad("text counts", lambda: counts("many", 1), ("false_positives", "whole", "'many'")),
    Bad("empty counts", lambda: counts([], []), ("false_positives",)),
    Bad("2-D counts", lambda: counts([[1, 2]], [[1, 2]]), ("false_positives",)),
    Bad("counts too many", lambda: counts(5, 1), ("false_positives", "negatives", "5 of 2")),
    Bad("total 0", lambda: counts(0, 1, negatives=0), ("negatives", "at least 1", "0")),
    Bad("total NaN", lambda: counts(0, 1, positives=NAN), ("positives", "whole", "nan")),
    Bad("total None", lambda: counts(0, 1, negatives=None), ("negatives", "whole", "None")),
    Bad(
        "counts of unequal length",
        lambda: counts([1, 2], [1]),
        ("true_positives", "2 points", "got 1"),
        never_says=("y_true",),
    ),
    Bad(
        "thresholds of another length",
        lambda: counts([1, 2], [1, 2], lowest_scores=[1]),
        ("lowest_scores", "got 1"),
        never_says=("y_true",),
    ),
    Bad(
        "rising thresholds",
        lambda: counts([1, 2], [1, 2], lowest_scores=[1, 2]),
        ("lowest_scores", "fall"),
    ),
    Bad(
        "thresholds without the last",
        lambda: counts([1, 1], [1, 2], lowest_scores=[2, 1]),
        ("lowest_scores", "totals"),
    ),
    Bad(
        "NaN in lowest_scores", lambda: counts(2, 2, lowest_scores=[NAN]), ("lowest_scores", "NaN")
    ),
    Bad("too few predictions", lambda: Curve.from_labels(Y, [0, 1]), ("y_pred", "4 rows", "got 2")),
    Bad("2-D predictions", lambda: Curve.from_labels(Y, np.eye(4)), ("y_pred", "one-dimensional")),
    Bad(
        "too few in a setting",
        lambda: Curve.from_labels(Y, {"strict": Y, "loose": [1]}),
        ("y_pred['loose']", "4 rows", "got 1"),
    ),
    Bad("NaN prediction", lambda: Curve.from_labels(Y, [0, 1, NAN, 1]), ("y_pred", "missing")),
    Bad("None prediction", lambda: Curve.from_labels(Y, [0, 1, None, 1]), ("y_pred", "missing")),
    Bad(
        "predictions of another kind",
        lambda: Curve.from_labels(Y, ["no", "yes", "no", "yes"]),
        ("y_pred", "'no'"),
    ),
    Bad("scores as predictions", lambda: Curve.from_labels(Y, S), ("y_pred", "0.1")),
    Bad("no settings", lambda: Curve.from_labels(Y, {}), ("y_pred", "at least one")),
]


class Fitted:
    """A classifier that offers nothing but its classes and its labels."""

    def __init__(self, *classes: Any) -> None:
        self.classes_ = np.array(classes)

    def predict(self, features: Any) -> Any:
        return np.full(len(features), self.classes_[0])


def judge(estimator: Any, y: Any = Y, pos_label: Any = None) -> Any:
    return curve_of(estimator, [[0]] * len(y), y, pos_label=pos_label, name="m")


ESTIMATORS = [
    Bad("not fitted", lambda: judge(object()), ("estimators", "'m', which is not fitted")),
    Bad("three classes", lambda: judge(Fitted(0, 1, 2)), ("estimators", "two classes", "'m'")),
    Bad("foreign pos_label", lambda: judge(Fitted(0, 1), pos_label=3), ("pos_label", "3", "0, 1")),
    Bad(
        "a pos_label it never learned",
        lambda: judge(Fitted(0, 1), y=[1, 2, 1, 2], pos_label=2),
        ("pos_label", "2", "0, 1"),
    ),
    Bad(
        "a list without names",
        lambda: list(list_estimators([Fitted(0, 1)])),
        ("estimators", "name"),
    ),
    Bad("empty name", lambda: list(list_estimators({"": Fitted(0, 1)})), ("name", "not empty")),
]

MISTAKES = [
    Bad(
        "labels and scores for a hull",
        lambda: Hull(Y, S),
        (
            "RocHull must be built by one of its methods",
            "list",
            "RocHull.from_scores(y_true, {'nb'",
        ),
    ),
    Bad("a hull of labels alone", lambda: Hull(Y), ("RocHull", "list", "from_scores")),
    Bad("labels and scores for a curve", lambda: Curve(Y, S), ("RocCurve", "RocCurve.from_scores")),
    Bad(
        "conditions by place",
        lambda: Conditions(0.3, 1, 5),
        (
            "Conditions",
            "3 values without a name",
            "Conditions(prevalence=0.3, false_positive=1, false_negative",
        ),
    ),
    Bad(
        "conditions misspelt",
        lambda: conditions(prevalance=0.3),
        ("Conditions", "got the unknown 'prevalance', perhaps for 'prevalence'", "prevalence=0.3"),
    ),
    Bad(
        "half of the conditions",
        lambda: Conditions(prevalence=0.3),
        ("got no false_positive and no false_negative",),
    ),
    Bad("performance by place", lambda: lib.roc.Performance(0.1, 0.8, 0.5), ("Performance(fpr=",)),
    Bad(
        "more capacity than cases",
        lambda: lib.Capacity(250, positives=12, negatives=188),
        ("cases must be at most positives + negatives", "250 of 200", "no effect"),
    ),
    Bad(
        "capacity out of shares",
        lambda: lib.Capacity(20, positives=0.06, negatives=0.94),
        ("cases must be at most positives + negatives", "20 of 1", "not as shares"),
    ),
    Bad(
        "more capacity than population",
        lambda: lib.Question(capacity=250, population=200, prevalence=0.06).criterion,
        ("capacity must be at most", "250 of 200"),
    ),
    Bad("capacity by place", lambda: lib.Capacity(9, 50, 50), ("Capacity(100, positives=50",)),
    Bad(
        "alarm share by place",
        lambda: lib.PredictedPositiveLimit(0.1, 0.5),
        ("PredictedPositiveLimit(0.1, prevalence",),
    ),
    Bad("a metric's balance by place", lambda: lib.Maximize("f1", 0.1), ("Maximize('f1', prev",)),
    Bad(
        "rows by place", lambda: lib.roc.RowConditions(0.1, 1, [1]), ("RowConditions(prevalence=",)
    ),
    Bad(
        "best_each of conditions",
        lambda: hull().best_each(conditions()),
        ("slopes", "Conditions", "hull.best(conditions)"),
    ),
    Bad("best_each of one slope", lambda: hull().best_each(2.0), ("slopes", "sequence", "float")),
    Bad("best_each of NaN", lambda: hull().best_each([NAN]), ("slopes", "numbers")),
    Bad("best_each of texts", lambda: hull().best_each(["a"]), ("slopes", "numbers")),
    Bad("scores first, auc", lambda: lib.auc(S, Y), ("y_true", "Labels come first: (y_true, y_")),
    Bad("scores first, curve", lambda: Curve.from_scores(S, Y), ("Are these scores?",)),
    Bad("two scores first", lambda: lib.auc([0.2, 0.9], [0, 1]), ("Are these scores?",)),
    Bad("whole scores first", lambda: lib.auc([3, 1, 2], [0, 1, 1]), ("Are these scores?",)),
    Bad(
        "labels 1 and 2",
        lambda: lib.auc([1, 2, 1], S[:3]),
        ("pos_label", "1, 2"),
        never_says=("scores?",),
    ),
    Bad(
        "labels of texts",
        lambda: lib.auc(["a", "b", "c"], S[:3]),
        ("pos_label", "'a', 'b', 'c'"),
        never_says=("scores?",),
    ),
    Bad("one row", lambda: lib.auc([1], [2.0]), ("1 row, all positive",)),
    Bad("one label, two scores", lambda: lib.auc([1], S), ("y_true", "1 row, all positive")),
    Bad("20%", lambda: lib.NeymanPearson(20), ("max_fpr", "Write 20% as 0.2, for example.")),
]

TABLE = {
    "labels": LABELS,
    "scores": SCORES,
    "weights": WEIGHTS,
    "names": NAMES,
    "parts": PARTS,
    "conditions": CONDITIONS,
    "criteria": CRITERIA,
    "curves": CURVES,
    "estimators": ESTIMATORS,
    "mistakes": MISTAKES,
}
EVERY = [
    pytest.param(bad, id=f"{group}: {bad.what}") for group, bads in TABLE.items() for bad in bads
]


@pytest.mark.parametrize("bad", EVERY)
def test_bad_input_gets_one_clear_error(bad: Bad) -> None:
    with pytest.raises(bad.error) as caught:
        bad.call()
    assert isinstance(caught.value, rocch.RocchError)
    message = str(caught.value)
    for words in bad.says:
        assert words in message
    for words in bad.never_says:
        assert words not in message
    assert "\n" not in message
    assert "must" in message or bad.error is rocch.InfeasibleError
    if isinstance(caught.value, InputError) and caught.value.requirement in SAYS_ENOUGH:
        assert caught.value.got
        return
    assert len(re.findall(r"[^.][.?](?= [A-Z]|$)", message)) >= 2, f"what to do? {message}"


UNDEFINED = {
    "threshold of labels": (lambda: rules().at(0.5), ("rules", "threshold", "points()")),
    "precision of never": (
        lambda: hull().vertices[0].performance(prevalence=0.5).precision,
        ("precision", "no alarm"),
    ),
    "lift without positives": (
        lambda: hull().vertices[1].performance(prevalence=0).lift,
        ("undefined", "because"),
    ),
    "likelihood ratio": (
        lambda: performance().positive_likelihood_ratio,
        ("positive_likelihood_ratio", "FPR is 0"),
    ),
    "NPV of always": (
        lambda: hull().vertices[-1].performance(prevalence=0.5).negative_predictive_value,
        ("negative_predictive_value", "all alarm"),
    ),
    "MCC of never": (
        lambda: hull().vertices[0].performance(prevalence=0.5).matthews_correlation,
        ("matthews_correlation", "empty"),
    ),
    "F without positives or alarms": (
        lambda: hull().vertices[0].performance(prevalence=0).f_score(),
        ("f_score", "neither"),
    ),
    "AUC of points that are not nested": (
        lambda: counts([1, 2], [2, 1]).auc,
        ("auc", "not nested", "RocHull.of"),
    ),
    "Gini of points that are not nested": (lambda: counts([1, 2], [2, 1]).gini, ("gini", "nested")),
    "pAUC of points that are not nested": (
        lambda: counts([1, 2], [2, 1]).partial_auc(fpr=(0, 1)),
        ("partial_auc", "not nested", "RocHull.of"),
    ),
}


@pytest.mark.parametrize(("call", "says"), UNDEFINED.values(), ids=UNDEFINED.keys())
def test_what_has_no_value_raises(call: Callable[[], Any], says: tuple[str, ...]) -> None:
    with pytest.raises(UndefinedError) as caught:
        call()
    for words in says:
        assert words in str(caught.value)


@pytest.mark.parametrize("metric", ["lift", "f1", "precision"])
def test_a_metric_without_positives_never_gives_nan(metric: str) -> None:
    try:
        found = hull().best(rocch.Maximize(metric, prevalence=0.0))
    except rocch.RocchError as error:
        assert "prevalence" in str(error)  # noqa: PT017 - raising is one of two right answers
    else:
        assert math.isfinite(found.value)


def test_a_metric_that_is_nan_in_one_corner_never_gives_nan() -> None:
    def precision(fpr: Any, tpr: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return tpr / (tpr + fpr)  # NaN where nothing alarms

    try:
        found = hull().best(rocch.Maximize(precision))
    except rocch.RocchError as error:
        assert "metric" in str(error)  # noqa: PT017 - raising is one of two right answers
    else:
        assert found.value == 1
        assert found.fpr == 0


def test_scores_changed_after_the_hull_was_built_are_noticed() -> None:
    scores = np.array(S)
    built = Hull.from_scores(Y, {"a": scores})
    scores[:] = scores[::-1].copy()
    with pytest.raises(InputError, match=r"changed ones of 'a'.*Build the hull again"):
        built.best(rocch.NeymanPearson(0.5))


def test_labels_changed_after_the_hull_was_built_are_noticed() -> None:
    y = np.array(Y, dtype=bool)
    built = Hull.from_scores(y, {"a": S})
    y[:] = y[::-1].copy()
    with pytest.raises(InputError, match=r"stay as they were .*Build the hull again"):
        built.best(rocch.NeymanPearson(0.5))


def test_a_restricted_hull_says_what_it_can_be_asked() -> None:
    restricted = hull().within(conditions())
    with pytest.raises(InputError, match=r"slopes 1 to 1; got a slope of 9.*a hull without them"):
        restricted.best(conditions(prevalence=0.1))
    with pytest.raises(InputError, match=r"restricted to bounds.*a hull without them"):
        restricted.best(rocch.NeymanPearson(0.1))


def test_observed_prevalence_alone_has_no_slope() -> None:
    with pytest.raises(InputError, match=r"prevalence must be .*'observed'.*with_prevalence"):
        assert conditions(prevalence="observed").slope


def test_the_point_of_a_mix_is_refused() -> None:
    mixed = hull().best(rocch.NeymanPearson(0.25), randomize=True)
    assert mixed.randomized
    with pytest.raises(InputError, match=r"a mix of 2 points, .*\. Use its mix"):
        assert mixed.point


def test_an_unknown_public_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="attribute Roc"):
        assert lib.Roc


NOT_BAD = {
    "capacity for the whole population": (
        lib.Capacity(10, positives=5, negatives=5),
        (0.5, 1.0),
    ),
    "no capacity": (lib.Capacity(0, positives=5, negatives=5), (0.0, 0.0)),
    "no false alarms": (lib.NeymanPearson(0), (0.0, 0.5)),
    "every positive": (lib.MinimumTpr(1), (0.5, 1.0)),
    "no positives": (conditions(prevalence=0), (0.0, 0.0)),
    "no negatives": (conditions(prevalence=1), (0.5, 1.0)),
    "free false alarms": (conditions(false_positive=0), (0.5, 1.0)),
    "free misses": (conditions(false_negative=0), (0.0, 0.0)),
}


@pytest.mark.parametrize(("criterion", "wanted"), NOT_BAD.values(), ids=NOT_BAD.keys())
def test_extremes_are_not_errors(criterion: Any, wanted: tuple[float, float]) -> None:
    found = hull().best(criterion)
    assert (found.fpr, found.tpr) == wanted
    numbers = (found.value, found.randomizing_gains, found.expected_cost or 0.0)
    assert all(map(math.isfinite, numbers))


def test_rows_may_differ_when_asked_for() -> None:
    other = Curve.from_scores([0, 1, 1], [1, 2, 3], name="b")
    joint = Hull.of(curve(), other, allow_different_rows=True)
    assert joint.dominator() == "b"
    assert joint.auc == 1


def test_an_unknown_option_of_a_report_names_the_one_that_was_meant(tmp_path: Path) -> None:
    wanted = tmp_path / "report.html"
    says = (
        "options must be those of a report of two classes; got 'resample'. "
        "Did you mean 'resamples'? There are: "
    )
    with pytest.raises(InputError, match=re.escape(says)) as caught:
        lib.write_report(hull(), wanted, resample=100)
    assert caught.value.argument == "options"
    with pytest.raises(
        InputError, match=r"options must be those .* two classes; got 'color'. There are"
    ):
        lib.report.summarize(hull(), color="red")
    assert not wanted.exists()


def test_slopes_may_be_a_list() -> None:
    slopes = [0.0, 1.0, INF]
    assert hull().best_each(slopes).tolist() == hull().best_each(np.array(slopes)).tolist()


def test_calls_that_fit_keep_their_own_errors_and_signatures() -> None:
    with pytest.raises(InputError, match="prevalence must be given"):
        Conditions(false_positive=1, false_negative=1)
    parameters = list(inspect.signature(rocch.Conditions).parameters)
    assert parameters[:3] == ["prevalence", "false_positive", "false_negative"]
