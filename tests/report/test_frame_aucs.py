"""Reports on hulls whose rows are not at hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rocch import InputError, RocCurve, RocHull
from rocch.kernels.refine import Cells
from rocch.report import Summary
from rocch.report import summarize as summarize_any
from rocch.report.write import rendered
from rocch.roc import ClassTotals
from rocch.scale import FrameAuc

RNG = np.random.default_rng(4)
Y = RNG.random(400) < 0.3
SCORES = {"a": np.round(RNG.normal(size=400) + Y, 1), "b": RNG.normal(size=400) * (1 + Y) + Y}


def summarize(hull: RocHull, **said: Any) -> Summary:
    made = summarize_any(hull, **said)
    assert isinstance(made, Summary)
    return made


def bare() -> RocHull:
    """Return a hull that knows its vertices alone."""
    hull = RocHull.from_scores(Y, SCORES)
    members = tuple(replace(member, source=None) for member in hull.members)
    return RocHull(replace(hull.totals, rows=None), members)


def found(name: str, cells: int | None = None) -> FrameAuc:
    """Count a classifier's scores in so many cells, or in as many as there are scores."""
    curve = RocCurve.from_scores(Y, SCORES[name])
    thresholds: Any = curve.thresholds
    ends = np.unique(np.linspace(0, thresholds.size, (cells or thresholds.size) + 1).astype(int))
    counts = (np.diff(c[ends]) for c in (curve.false_positives, curve.true_positives))
    made = Cells(thresholds[ends[:-1]], thresholds[ends[1:] - 1], *counts)
    return FrameAuc.of(made, ClassTotals(curve.totals.negatives, curve.totals.positives))


def test_exact_aucs_are_those_of_the_rows() -> None:
    told = summarize(bare(), aucs={name: found(name) for name in SCORES})
    known = summarize(RocHull.from_scores(Y, SCORES), resamples=0)
    for one, other in zip(told.classifiers, known.classifiers, strict=True):
        assert one.auc == pytest.approx(other.auc, abs=1e-15)
        assert one.auc_interval == pytest.approx(other.auc_interval, abs=1e-12)
        assert one.curve is None
    assert told.winners == known.winners
    assert not any("within" in said for said in told.warnings)


def test_brackets_are_told_by_half_their_width() -> None:
    aucs = {"a": found("a"), "b": found("b", 40)}
    made = summarize(bare(), aucs=aucs)
    half = (aucs["b"].high - aucs["b"].low) / 2
    (said,) = (said for said in made.warnings if said.startswith("AUCs are known to within "))
    assert float(said.split()[-1].rstrip(".")) == pytest.approx(half, rel=0.05)
    assert made.classifiers[1].auc == aucs["b"].middle


def test_what_is_left_out_is_said_in_every_rendering() -> None:
    made = summarize(bare(), belief=(2, 3, 5))
    assert [each.auc for each in made.classifiers] == [None, None]
    for kind in ("html", "md", "json"):
        assert "rows were not kept" in rendered(made, kind)
    assert made.certainty is None
    assert made.losses is not None


def test_weighted_rows_have_no_interval() -> None:
    weighted = replace(found("a"), variance_low=None, variance_high=None, middle_variance=None)
    made = summarize(bare(), aucs={"a": weighted, "b": found("b")})
    assert made.classifiers[0].auc_interval is None
    assert made.classifiers[0].auc == weighted.middle


def test_aucs_of_rows_at_hand_are_not_replaced() -> None:
    hull = RocHull.from_scores(Y, SCORES)
    made = summarize(hull, resamples=0, aucs={name: found(name, 40) for name in SCORES})
    assert [each.auc for each in made.classifiers] == [
        RocCurve.from_scores(Y, SCORES[name]).auc for name in SCORES
    ]
    assert not any("within" in said for said in made.warnings)


@pytest.mark.parametrize(
    ("aucs", "says"),
    [
        ({"a": 0.7, "b": 0.8}, "aucs must be what Scan.auc returned"),
        ({"a": found("a")}, "aucs must have the AUC of every classifier; got none of 'b'"),
        ([0.7], "aucs must be"),
    ],
)
def test_other_aucs_are_refused(aucs: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        summarize(bare(), aucs=aucs)
