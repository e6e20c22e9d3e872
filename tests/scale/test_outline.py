"""An outline's points are points of the curve, and the curve passes between them."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rocch
from rocch.roc import ClassTotals
from rocch.scale import CurveOutline, FrameAuc
from tests.support.cut_rows import Cut, as_cells, cut_rows, totals
from tests.support.oracles import cells as oracle
from tests.support.strategies import SCORES

RESOLUTIONS = st.sampled_from([0.0, 0.1, 0.5, 1.0])
CELLS = as_cells(
    [oracle.Cell(0.9, 0.9, 0, 2), oracle.Cell(0.6, 0.4, 2, 1), oracle.Cell(0.1, 0.1, 1, 0)]
)


def outlined(resolution: float = 0.0) -> CurveOutline:
    return CurveOutline.of(CELLS, ClassTotals(3, 3), name="nb", resolution=resolution)


@settings(max_examples=50)
@given(cut_rows(), RESOLUTIONS)
def test_points_are_those_of_the_curve(cut: Cut, resolution: float) -> None:
    labels, scores, rows = cut
    cells = as_cells(rows)
    outline = CurveOutline.of(cells, totals(cells), resolution=resolution)
    curve = rocch.RocCurve.from_scores(labels, scores)
    assert outline.points() == [curve.point(0), *map(curve.at, outline.lowest_scores)]
    assert len(outline) == len(outline.points()) == outline.fpr.size == outline.tpr.size
    assert outline.auc == FrameAuc.of(cells, totals(cells))


@settings(max_examples=50)
@given(cut_rows(), RESOLUTIONS, SCORES, st.booleans(), st.data())
def test_the_true_point_is_between_the_known_ones(
    cut: Cut, resolution: float, threshold: float, observed: bool, data: st.DataObject
) -> None:
    labels, scores, rows = cut
    cells = as_cells(rows)
    outline = CurveOutline.of(cells, totals(cells), resolution=resolution)
    curve = rocch.RocCurve.from_scores(labels, scores)
    if observed:
        threshold = data.draw(st.sampled_from(scores))
    before, after = outline.between(threshold)
    true = curve.at(threshold)
    assert before.false_positives <= true.false_positives <= after.false_positives
    assert before.true_positives <= true.true_positives <= after.true_positives
    assert before in outline.points()
    assert after in outline.points()
    inside = ((cell.low < threshold <= cell.high) for cell in zip_cells(outline))
    assert (before == after) == (not any(inside))
    if before == after:
        assert before == true


def zip_cells(outline: CurveOutline) -> list[oracle.Cell]:
    return [oracle.Cell(*row) for row in zip(*(c.tolist() for c in outline.cells), strict=True)]


def test_thresholds_to_deploy_are_halfway_to_the_next_score_and_not_to_the_next_threshold() -> None:
    point = outlined().point(1)
    assert (point.classifier, point.lowest_score, point.threshold) == ("nb", 0.9, 0.75)
    assert outlined().curve.point(1).threshold == pytest.approx(0.65)


@pytest.mark.parametrize(
    ("threshold", "counts"),
    [
        (math.inf, [(0, 0), (0, 0)]),
        (0.95, [(0, 0), (0, 0)]),
        (0.9, [(0, 2), (0, 2)]),
        (0.61, [(0, 2), (0, 2)]),
        (0.6, [(0, 2), (2, 3)]),
        (0.41, [(0, 2), (2, 3)]),
        (0.4, [(2, 3), (2, 3)]),
        (0.2, [(2, 3), (2, 3)]),
        (-math.inf, [(3, 3), (3, 3)]),
        (np.float32(0.5), [(0, 2), (2, 3)]),
    ],
)
def test_between(threshold: float, counts: list[tuple[int, int]]) -> None:
    found = outlined().between(threshold)
    assert [(p.false_positives, p.true_positives) for p in found] == counts


def test_the_curve_for_pictures_runs_through_the_points() -> None:
    outline = outlined()
    curve = outline.curve
    assert curve.name == "nb"
    assert np.array_equal(curve.false_positives, outline.false_positives)
    assert np.array_equal(curve.true_positives, outline.true_positives)
    assert curve.lowest_scores is not None
    assert np.array_equal(curve.lowest_scores, outline.lowest_scores)
    assert curve.auc == outline.auc.middle


def test_the_auc_is_that_of_all_cells_also_when_thinned() -> None:
    whole = outlined(resolution=1.0)
    assert len(whole) == 2
    assert whole.auc == outlined().auc
    assert whole.auc.low > 0.7


def test_weighted_counts_are_weights_at_the_points() -> None:
    outline = CurveOutline.of(CELLS, ClassTotals(3, 3, unit=0.5, weighted=True), resolution=0)
    assert outline.point(2).false_positives == 1.0
    assert outline.false_positives.tolist() == [0, 0, 2, 3]


def test_resolution_is_the_widest_step() -> None:
    assert outlined().resolution == pytest.approx(2 / 3)
    assert repr(outlined()) == (
        "<CurveOutline 'nb': 4 points, at most 0.667 apart, 3 positives, 3 negatives>"
    )


def test_fine_cells_are_thinned_to_what_was_asked_for() -> None:
    low = -np.arange(10_000.0)
    ones = np.ones(10_000, dtype=np.int64)
    outline = CurveOutline.of(type(CELLS)(low, low, ones, ones), ClassTotals(10_000, 10_000))
    assert len(outline) == 1001
    assert outline.resolution == 0.001


def test_arrays_are_read_only_and_the_cells_given_stay_free() -> None:
    outline = outlined()
    for array in (*outline.cells, outline.false_positives, outline.true_positives, outline.fpr):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert all(column.flags.writeable for column in CELLS)


def test_it_can_be_sent_elsewhere() -> None:
    sent = pickle.loads(pickle.dumps(outlined()))  # noqa: S301 - our own bytes
    assert sent.points() == outlined().points()


def test_negative_indices_count_backwards() -> None:
    assert outlined().point(-1) == outlined().point(3)
    assert outlined().point(-1).classifier == "always"
    with pytest.raises(rocch.InputError, match="index must be below 4"):
        outlined().point(4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resolution": -0.1}, "resolution must be a number from 0 to 1"),
        ({"resolution": 2}, "resolution must be a number from 0 to 1"),
        ({"resolution": math.nan}, "resolution must be a number from 0 to 1"),
        ({"resolution": None}, "resolution must be a number from 0 to 1"),
        ({"name": ""}, "name must be a text"),
        ({"judged": ClassTotals(3, 4)}, "cells must hold all rows"),
    ],
)
def test_bad_input_is_refused(options: dict[str, Any], message: str) -> None:
    ground = options.pop("judged", ClassTotals(3, 3))
    with pytest.raises(rocch.InputError, match=message):
        CurveOutline.of(CELLS, ground, **options)


@pytest.mark.parametrize(
    "threshold", ["x", math.nan, None, True, pytest.param(10**5000, id="huge")]
)
def test_a_threshold_must_be_a_number(threshold: Any) -> None:
    with pytest.raises(rocch.InputError, match="threshold must be a number"):
        outlined().between(threshold)
