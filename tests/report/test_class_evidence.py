"""What models for many classes do alone, against the library and by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import rocch
from rocch.multiclass import Classes
from rocch.report.class_evidence import (
    calibration_errors,
    describe_hulls,
    describe_model,
    describe_models,
    find_class_warnings,
    is_miscalibrated,
    list_some,
)
from tests.support.many_reports import drawn

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


def test_a_model_is_judged_as_the_library_judges_it() -> None:
    labels, posteriors = drawn(3)
    truths = np.array(labels)
    found = describe_model("m", posteriors, truths, most=300)
    expected = rocch.multiclass.multiclass_auc(labels, posteriors)
    assert found.aucs is not None
    assert found.aucs.hand_till.value == expected.hand_till.value
    assert expected.hand_till.interval is not None
    assert found.aucs.hand_till.interval == tuple(expected.hand_till.interval)
    assert found.aucs.by_class[1].value == expected.by_class[1].value
    assert found.aucs.pairs[0][1] == expected.pair(0, 1).auc == found.aucs.pairs[1][0]
    assert found.aucs.pairs[2][2] is None
    plain = rocch.multiclass.Confusion.from_labels(labels, posteriors.argmax(axis=1).tolist())
    assert found.confusion == tuple(map(tuple, plain.counts.tolist()))


def test_curves_are_whole_where_they_are_short() -> None:
    labels, posteriors = drawn(3, 60)
    found = describe_model("m", posteriors, np.array(labels), most=300)
    curve = rocch.multiclass.class_reference_curves(labels, posteriors)[2]
    assert found.curves[2].false_positives == tuple(curve.false_positives.tolist())
    assert found.curves[2].true_positives == tuple(curve.true_positives.tolist())


def test_long_curves_are_thinned_evenly_and_keep_both_ends() -> None:
    labels, posteriors = drawn(3, 3000)
    found = describe_model("m", posteriors, np.array(labels), most=50)
    curve = rocch.multiclass.class_reference_curves(labels, posteriors)[0]
    thin = found.curves[0]
    assert len(thin.false_positives) <= 50
    assert (thin.false_positives[0], thin.true_positives[0]) == (0, 0)
    assert thin.false_positives[-1] == curve.false_positives[-1]
    own, others = labels.count(0), 3000 - labels.count(0)
    steps = np.diff(np.array(thin.false_positives) / others + np.array(thin.true_positives) / own)
    assert steps.max() < 3 * 2 / 50


@pytest.mark.parametrize(("models", "most"), [(1, 300), (10, 300), (400, 50), (2000, 20)])
def test_many_curves_share_the_points(models: int, most: int) -> None:
    labels, posteriors = drawn(3, 3000)
    names = [f"m{i}" for i in range(models)]
    first, *others = describe_models(names, {"m0": posteriors}, np.array(labels))
    longest = max(len(curve.false_positives) for curve in first.curves)
    assert 0.8 * most <= longest <= most
    assert all(other.aucs is None and other.curves == () for other in others)


def test_a_class_with_a_single_row_has_areas_without_intervals() -> None:
    labels, posteriors = drawn(3, 40)
    truths = np.array([2, *(0 if label == 2 else label for label in labels[1:])])
    aucs = describe_model("m", posteriors, truths, most=300).aucs
    assert aucs is not None
    assert aucs.hand_till.interval is None
    pairwise = rocch.multiclass.pairwise_aucs(truths, posteriors)
    assert aucs.macro.value == pairwise.auc("macro")


def test_hulls_name_their_models() -> None:
    labels, posteriors = drawn(3)
    _, poor = drawn(3, seed=9, skill=0.0)
    hulls = describe_hulls({"poor": poor, "good": posteriors}, np.array(labels))
    expected = rocch.multiclass.class_reference_hulls(labels, {"poor": poor, "good": posteriors})
    for hull, other in zip(hulls, expected.values(), strict=True):
        assert hull.points.false_positives == tuple(other.false_positives.tolist())
        assert (hull.models[0], hull.models[-1]) == (-1, -1)
        named = [["poor", "good"][place] for place in hull.models[1:-1]]
        assert named == [v.classifier for v in other.vertices[1:-1]]


def test_true_probabilities_are_calibrated_and_sharpened_ones_are_not() -> None:
    data = rocch.multiclass.three_class_data(3999, seed=1)
    truths, posteriors = data.y - 1, data.probabilities(data.X)
    assert not is_miscalibrated(posteriors, truths)
    assert max(calibration_errors(posteriors, truths)) < 0.02
    sharp = posteriors**8
    sharp /= sharp.sum(axis=1, keepdims=True)
    blunt = 0.2 * posteriors + 0.8 / 3
    assert is_miscalibrated(blunt, truths)
    assert max(calibration_errors(sharp, truths)) > max(calibration_errors(posteriors, truths))


def test_probabilities_of_1_that_come_true_half_of_the_time_are_off_by_a_half() -> None:
    sure = np.array([[1.0, 0.0]] * 20)
    assert calibration_errors(sure, np.array([0, 1] * 10)) == (0.5, 0.5)


def test_a_handful_of_rows_does_not_convict_a_model() -> None:
    data = rocch.multiclass.three_class_data(30, seed=2)
    assert not is_miscalibrated(data.probabilities(data.X), data.y - 1)


def said(rows: int, posteriors: FloatArray, labels: list[int]) -> str:
    truths = np.array(labels)
    names = Classes(("a", "b", "c"))
    totals = np.bincount(truths, minlength=3)
    plain = rocch.multiclass.Confusion.from_labels(
        labels, posteriors.argmax(axis=1).tolist(), classes=[0, 1, 2]
    )
    surface = rocch.multiclass.RocSurface.of({"m": plain})
    known = {"m": posteriors} if rows else {}
    return " ".join(find_class_warnings(names, totals, known, truths, surface))


def test_rare_classes_and_classes_never_predicted_are_named() -> None:
    labels = [0] * 50 + [1] * 50 + [2] * 5
    posteriors = np.tile([0.5, 0.4, 0.1], (105, 1))
    assert "Few rows: c (5)." in said(1, posteriors, labels)
    assert "m never has as most likely: b, c." in said(1, posteriors, labels)
    assert "No classifier ever predicts: b, c." in said(0, posteriors, labels)


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    data = rocch.multiclass.three_class_data(3000, seed=3)
    assert said(1, data.probabilities(data.X), (data.y - 1).tolist()) == ""


@pytest.mark.parametrize(("number", "text"), [(2, "a, b"), (8, "a, b, c, d, e, f and 2 more")])
def test_few_are_listed_and_the_rest_counted(number: int, text: str) -> None:
    assert list_some(list("abcdefgh")[:number]) == text
