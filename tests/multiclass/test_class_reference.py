"""Curves and hulls of each class against all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

import rocch
from tests.support.oracles import multiclass_aucs as oracle
from tests.support.strategies import judged_posteriors

Drawn = tuple[list[int], list[list[list[float]]]]


@given(judged_posteriors())
def test_each_curve_is_one_class_against_the_rest(drawn: Drawn) -> None:
    labels, (probabilities,) = drawn
    found = rocch.multiclass.class_reference_curves(labels, probabilities)
    assert list(found) == sorted(set(labels))
    code: Any
    for code, curve in found.items():
        assert curve.name == str(code)
        assert curve.totals.positives == labels.count(code)
        assert curve.auc == float(oracle.class_reference(labels, probabilities, code))


@given(judged_posteriors(models=2))
@settings(max_examples=30)
def test_each_hull_joins_all_models(drawn: Drawn) -> None:
    labels, (one, other) = drawn
    found = rocch.multiclass.class_reference_hulls(labels, {"one": one, "other": other})
    code: Any
    for code, hull in found.items():
        curves = {
            name: rocch.multiclass.class_reference_curves(labels, matrix)[code]
            for name, matrix in (("one", one), ("other", other))
        }
        positive = [label == code for label in labels]
        expected = rocch.RocHull.from_scores(
            positive, {"one": [r[code] for r in one], "other": [r[code] for r in other]}
        )
        assert hull == expected
        assert hull.auc >= max(curve.auc for curve in curves.values())
        assert {member.name for member in hull.members} == {"one", "other"}


def test_one_model_alone_needs_no_name() -> None:
    labels, probabilities = ["a", "b", "c", "a"], np.eye(3)[[0, 1, 2, 1]]
    plain = rocch.multiclass.class_reference_hulls(labels, probabilities)
    assert plain["a"].members[0].name == "classifier"
    columns = dict(zip("abc", probabilities.T, strict=True))
    for same in (columns, pd.DataFrame(columns), {"m": probabilities}):
        found = rocch.multiclass.class_reference_hulls(labels, same)
        assert [hull.auc for hull in found.values()] == [hull.auc for hull in plain.values()]


def test_a_hull_outlives_changes_of_what_it_was_made_from() -> None:
    probabilities = np.eye(3)[[0, 1, 2, 1]]
    hull = rocch.multiclass.class_reference_hulls(["a", "b", "c", "a"], {"m": probabilities})["a"]
    probabilities[:] = 1 / 3
    assert hull.best(rocch.NeymanPearson(max_fpr=0.1)).tpr == 0.5


def test_bad_input_is_refused() -> None:
    good = np.eye(3)
    with pytest.raises(rocch.InputError, match="y_proba must sum to 1"):
        rocch.multiclass.class_reference_curves([0, 1, 2], good / 2)
    with pytest.raises(rocch.InputError, match=r"y_proba\['b'\] must have"):
        rocch.multiclass.class_reference_hulls([0, 1, 2], {"a": good, "b": good[:, :2]})
    with pytest.raises(rocch.InputError, match="y_proba must map classifiers' names"):
        rocch.multiclass.class_reference_hulls([0, 1, 2], {})
    with pytest.raises(rocch.InputError, match="hold at least one row of every class"):
        rocch.multiclass.class_reference_hulls([0, 1, 1], good, classes=[0, 1, 2])
