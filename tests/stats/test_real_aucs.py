"""Published AUCs and intervals, and real scores that are almost perfect.

The files are not part of the project; where the data folder is absent these tests are skipped.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import rocch

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

DATA = Path(__file__).parents[3] / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA.name} beside us")


def columns(name: str) -> dict[str, list[str]]:
    with (DATA / name).open(newline="") as stream:
        header, *rows = csv.reader(stream)
    return dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))


def numbers(column: list[str]) -> FloatArray:
    return np.array(column, dtype=float)


def asah() -> tuple[list[str], dict[str, FloatArray]]:
    table = columns("scores_proc_asah.csv")
    return table["outcome"], {m: numbers(table[m]) for m in ("wfns", "s100b", "ndka")}


@pytest.mark.parametrize(
    ("marker", "interval"),
    [("wfns", (0.7485, 0.8988)), ("s100b", (0.6301, 0.8326)), ("ndka", (0.5012, 0.7227))],
)
def test_proc_asah_has_its_known_delong_intervals(
    marker: str, interval: tuple[float, float]
) -> None:
    outcome, markers = asah()
    found = rocch.stats.auc_interval(outcome, markers[marker], pos_label="Poor", method="delong")
    assert found.interval == pytest.approx(interval, abs=5e-5)


def test_proc_asah_ndka_is_better_than_chance_by_delongs_interval_alone() -> None:
    outcome, markers = asah()
    assert rocch.stats.auc_interval(outcome, markers["ndka"], pos_label="Poor").interval.low < 0.5


# Statistic, p-value and interval of the difference, by pROC's own tests.
PAIRED = {
    ("wfns", "s100b"): (2.20898359144091, 0.0271757822291882, 0.0104061769564846, 0.17421441924948),
    ("wfns", "ndka"): (2.79777591868904, 0.00514557970691098, 0.0634011709339876, 0.36004056348336),
    ("ndka", "s100b"): (-1.39077002573558, 0.164295175223054, -0.287691744634191, 0.04887060642281),
}
UNPAIRED = {
    ("wfns", "s100b"): (1.43490640926908, 0.152825378808796),
    ("wfns", "ndka"): (3.10125096778969, 0.00220950791756457),
    ("ndka", "s100b"): (-1.55995743389685, 0.120192832430845),
}


def test_proc_asah_markers_have_their_known_tests() -> None:
    outcome, markers = asah()
    together = rocch.stats.compare_aucs(outcome, markers, pos_label="Poor", method="delong")
    for pair, known in PAIRED.items():
        found = together.difference(*pair)
        assert (found.z, found.p_value, *found.interval) == pytest.approx(known, rel=1e-12)
    apart = rocch.stats.compare_aucs_unpaired(
        {name: (outcome, scores) for name, scores in markers.items()}, pos_label="Poor"
    )
    for pair, (z, p_value) in UNPAIRED.items():
        found = apart.difference(*pair)
        assert (found.z, found.p_value) == pytest.approx((z, p_value), rel=1e-12)


@pytest.mark.parametrize(
    ("part", "known"),
    [
        ({"fpr": (0, 0.1)}, (0.0166804878048781, 0.0549866945197229)),
        ({"fpr": (0, 0.1), "standardized": True}, (0.561476251604621, 0.763087865893279)),
        ({"tpr": (0.9, 1)}, (0.0199303377855207, 0.0619611742424242)),
    ],
)
def test_proc_asah_partial_aucs_have_their_known_intervals(part: Any, known: Any) -> None:
    """By pROC's own tests, `ci.auc(partial.auc=c(1, .9))` of wfns; other draws, so two digits."""
    outcome, markers = asah()
    found = rocch.stats.partial_auc_interval(
        outcome, markers["wfns"], pos_label="Poor", method="percentile", **part
    )
    scale = 5 if part.get("standardized") else 1
    assert found.interval == pytest.approx(known, abs=0.002 * scale)


def compare_two(first: str, second: str) -> rocch.stats.AucComparison:
    outcome, markers = asah()
    pair = {first: markers[first], second: markers[second]}
    return rocch.stats.compare_aucs(outcome, pair, pos_label="Poor")


def test_proc_asah_as_a_pilot_study_has_its_known_power_and_sizes() -> None:
    """By pROC: 64.78 and 113.76 rows for ndka and wfns, 213.12 and 374.26 for s100b and ndka."""
    pilot = compare_two("ndka", "wfns")
    found = rocch.stats.auc_difference_power(pilot, formula="obuchowski")
    assert found.power == pytest.approx(0.7131594, abs=1e-7)
    loose = rocch.stats.auc_difference_power(pilot, significance=0.1836639, formula="obuchowski")
    assert loose.power == pytest.approx(0.9, abs=1e-6)
    for pair, sizes in ((("ndka", "wfns"), (65, 114)), (("s100b", "ndka"), (214, 375))):
        size = rocch.stats.auc_difference_sample_size(
            compare_two(*pair), power=0.9, formula="obuchowski"
        )
        assert (size.positives, size.negatives) == sizes


def test_proc_asah_markers_are_compared_with_their_known_aucs() -> None:
    outcome, markers = asah()
    found = rocch.stats.compare_aucs(outcome, markers, pos_label="Poor")
    known = {"wfns": 0.8237, "s100b": 0.7314, "ndka": 0.6120}
    assert {m: round(e.value, 4) for m, e in found.aucs.items()} == known
    assert found.overall.degrees == 2
    assert found.difference("wfns", "ndka").p_value < 0.01


def test_almost_perfect_scores_have_an_interval_below_1() -> None:
    table = columns("scores_asvspoof2019_la_dev_cm.csv")
    y = numbers(table["label"]) == 1
    scores = {m: numbers(table[m]) for m in ("baseline", "fused", "lfcc")}
    found = rocch.stats.compare_aucs(y, scores)
    for estimate in found.aucs.values():
        low, high = estimate.interval
        assert 0.99 < low < estimate.value <= high <= 1
        assert high < 1 or estimate.value == 1
    assert all(0 <= pair.p_value <= 1 for pair in found.differences)


def test_pairs_of_hiv_models_fold_by_fold() -> None:
    table = columns("scores_rocr_hiv_wide.csv")
    fold, y = np.array(table["fold"]), numbers(table["label"]) == 1
    scores = {m: numbers(table[m]) for m in ("nn", "svm")}
    whole = rocch.stats.compare_aucs(y, scores)
    assert {m: round(e.value, 4) for m, e in whole.aucs.items()} == {"nn": 0.8628, "svm": 0.9035}
    for name in np.unique(fold):
        rows = fold == name
        found = rocch.stats.compare_aucs(y[rows], {m: s[rows] for m, s in scores.items()})
        (pair,) = found.differences
        assert pair.interval.low <= pair.difference <= pair.interval.high
        apart = rocch.stats.compare_aucs_unpaired(
            {m: (y[rows], s[rows]) for m, s in scores.items()}
        )
        assert pair.standard_error < apart.differences[0].standard_error


def test_ten_folds_are_averaged_in_three_ways() -> None:
    table = columns("scores_rocr_xval.csv")
    fold, y, s = np.array(table["fold"]), numbers(table["label"]), numbers(table["score"])
    curves = [
        rocch.RocCurve.from_scores(y[fold == name], s[fold == name], name=f"fold {name}")
        for name in np.unique(fold)
    ]
    assert len(curves) == 10
    vertical = rocch.roc.average_curves(curves)
    # at one threshold fold 5 alarms on 71% of its positives where all alarm on 85%
    with pytest.warns(rocch.ScoreScaleWarning, match="'fold 5' alarms on 71% of its positives"):
        by_threshold = rocch.roc.average_curves(curves, by="threshold")
    with pytest.warns(rocch.ScoreScaleWarning):
        pooled = rocch.roc.pool_curves(curves)
    assert pooled.auc == rocch.auc(y, s) == pytest.approx(0.8957, abs=5e-5)
    areas = [area(mean) for mean in (vertical, by_threshold)]
    assert areas == pytest.approx([np.mean([curve.auc for curve in curves])] * 2, abs=0.01)
    at_5_percent = [curve.tpr_at(0.05) for curve in curves]
    assert vertical.tpr[5] == pytest.approx(np.mean(at_5_percent))
    assert vertical.tpr_deviation[5] == pytest.approx(np.std(at_5_percent, ddof=1))


def area(mean: rocch.roc.AveragedCurve) -> float:
    return float((np.diff(mean.fpr) * (mean.tpr[1:] + mean.tpr[:-1])).sum() / 2)
