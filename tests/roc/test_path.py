"""Paths through ROC space: which points, what joins them, and how they are refined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rocch
from rocch import Conditions, RocCurve, RocHull
from rocch.roc.views import FINE_ENOUGH, RocPath, as_prevalence

Y, S = [0, 0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8, 0.8]


def curve() -> RocCurve:
    return RocCurve.from_scores(Y, S, name="nb")


def test_a_scoring_classifier_is_joined_and_one_that_labels_is_not() -> None:
    path = RocPath.of(curve())
    assert (path.name, path.joined) == ("nb", True)
    assert path.tpr.tolist() == curve().tpr.tolist()
    rules = RocCurve.from_labels(Y, [0, 1, 1, 1, 0], name="rules")
    points = RocPath.of(rules)
    assert (points.name, points.joined) == ("rules", False)
    assert (points.fpr.tolist(), points.tpr.tolist()) == ([1 / 3], [1.0])
    assert points.refine() is points


def test_a_hull_is_joined_under_the_name_hull() -> None:
    hull = RocHull.of(curve())
    path = RocPath.of(hull)
    assert (path.name, path.joined, path.fpr.tolist()) == ("hull", True, hull.fpr.tolist())


def test_refined_points_lie_on_their_segments_and_keep_all_corners() -> None:
    path = RocPath.of(curve())
    fine = path.refine()
    assert fine.fpr.size > 50 * (path.fpr.size - 1)
    assert (np.diff(fine.fpr) >= 0).all()
    assert (np.diff(fine.tpr) >= 0).all()
    corners = set(zip(path.fpr.tolist(), path.tpr.tolist(), strict=True))
    assert corners <= set(zip(fine.fpr.tolist(), fine.tpr.tolist(), strict=True))
    length = fine.fpr + fine.tpr
    wanted = np.interp(length, path.fpr + path.tpr, path.fpr)
    assert fine.fpr == pytest.approx(wanted, abs=1e-15)


def test_refined_points_crowd_toward_the_ends_of_a_segment() -> None:
    fine = RocPath.of(RocHull.of(RocCurve.from_scores([0, 1], [1, 1]))).refine()
    assert 0 < fine.fpr[1] < 1e-5
    assert 0 < 1 - fine.fpr[-2] < 1e-5
    assert np.diff(fine.fpr).max() < 0.04


def test_long_paths_are_left_as_they_are() -> None:
    rows = FINE_ENOUGH + 1
    long = RocPath.of(RocCurve.from_scores(np.arange(rows) % 2, np.arange(rows)))
    assert long.refine() is long


def test_paths_are_read_only() -> None:
    for path in (RocPath.of(curve()), RocPath.of(curve()).refine()):
        with pytest.raises(ValueError, match="read-only"):
            path.fpr[0] = 1


def test_what_is_no_curve_is_refused() -> None:
    anything: Any = S
    with pytest.raises(rocch.InputError, match=r"part must be a RocCurve or a RocHull.*type list"):
        RocPath.of(anything)


def test_a_restricted_hull_is_refused() -> None:
    some = Conditions(prevalence=0.5, false_positive=1, false_negative=(1, 2))
    with pytest.raises(rocch.InputError, match="the view must come from a whole hull"):
        RocPath.of(RocHull.of(curve()).within(some))


def test_the_observed_prevalence_or_the_stated_one() -> None:
    judged = curve().totals
    assert as_prevalence("observed", judged) == 2 / 5
    assert as_prevalence(0.01, judged) == 0.01
    assert as_prevalence(np.float32(0.5), judged) == 0.5  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "prevalence", [0, 1, 0.0, 1.0, -0.1, 2, np.nan, True, None, "often", (0.1, 0.2)]
)
def test_a_prevalence_without_both_classes_is_refused(prevalence: Any) -> None:
    with pytest.raises(
        rocch.InputError, match=r"prevalence must be a number between 0 and 1.*'observed'"
    ):
        as_prevalence(prevalence, curve().totals)


def test_nothing_was_observed_together_on_different_rows() -> None:
    other = RocCurve.from_scores([0, 1], [1, 2], name="other")
    hull = RocHull.of(curve(), other, allow_different_rows=True)
    with pytest.raises(rocch.InputError, match="prevalence must be named"):
        as_prevalence("observed", hull.totals)
