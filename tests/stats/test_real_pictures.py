"""Cost space, DET and precision on published score files; skipped where those are not at hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, det_curve

from rocch import RocCurve
from rocch.roc import CostCurve, DetCurve, PrecisionRecallCurve

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA.name} beside us")

FILES = {
    "scores_proc_asah.csv": ("outcome", "Poor", ("wfns", "s100b", "ndka")),
    "scores_rocr_hiv_wide.csv": ("label", "1", ("nn", "svm")),
    "scores_asvspoof2019_la_dev_cm.csv": ("label", "1", ("baseline", "fused", "lfcc")),
}
every_file = pytest.mark.parametrize("name", FILES)


def judged(name: str) -> tuple[BoolArray, dict[str, FloatArray]]:
    label, positive, models = FILES[name]
    with (DATA / name).open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    y = np.array([row[label] == positive for row in rows])
    return y, {model: np.array([float(row[model]) for row in rows]) for model in models}


@every_file
def test_no_point_of_any_curve_costs_less_than_the_envelope(name: str) -> None:
    y, scores = judged(name)
    curves = [RocCurve.from_scores(y, column, name=model) for model, column in scores.items()]
    cost = CostCurve.of(*curves)
    for x in np.linspace(0, 1, 101).tolist():
        least = min(float(((1 - x) * c.fpr + x * (1 - c.tpr)).min()) for c in curves)
        assert cost.cost_at(x) == pytest.approx(least, abs=1e-12)
    for row in cost.winning_ranges():
        middle = (row.low + row.high) / 2
        assert cost.members[row.classifier].cost_at(middle) == pytest.approx(cost.cost_at(middle))


@every_file
def test_det_points_are_scikit_learns(name: str) -> None:
    y, scores = judged(name)
    for column in scores.values():
        fpr, fnr, _ = det_curve(y, column)
        ours = DetCurve.of(RocCurve.from_scores(y, column))
        pairs = set(zip(ours.fpr.round(12), ours.fnr.round(12), strict=True))
        assert set(zip(fpr.round(12), fnr.round(12), strict=True)) <= pairs


@every_file
def test_the_area_under_precision_is_close_to_average_precision(name: str) -> None:
    y, scores = judged(name)
    close = 0.03 if y.size < 200 else 5e-4  # steps against lines: they differ where rows are few
    for column in scores.values():
        area = PrecisionRecallCurve.of(RocCurve.from_scores(y, column)).area
        assert area == pytest.approx(average_precision_score(y, column), abs=close)
