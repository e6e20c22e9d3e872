"""Real score files: published AUCs, and hulls that agree with the slow path.

The files are not part of the project; where the data folder is absent these tests are skipped.
The same behavior is tested elsewhere on generated data and on scikit-learn's own.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import rocch
from rocch.kernels.engine import SAVES_A_SECOND
from rocch.kernels.refine import hull_from_scores

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


def test_rocr_simple_has_its_published_auc() -> None:
    table = columns("scores_rocr_simple.csv")
    curve = rocch.RocCurve.from_scores(numbers(table["label"]), numbers(table["score"]))
    assert curve.auc == pytest.approx(0.8341875, abs=5e-8)


@pytest.mark.parametrize(("marker", "auc"), [("wfns", 0.8237), ("s100b", 0.7314), ("ndka", 0.6120)])
def test_proc_asah_markers_have_their_published_aucs(marker: str, auc: float) -> None:
    table = columns("scores_proc_asah.csv")
    got = rocch.auc(table["outcome"], numbers(table[marker]), pos_label="Poor")
    assert got == pytest.approx(auc, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "label", "models"),
    [
        ("scores_rocr_hiv_wide.csv", "label", ["nn", "svm"]),
        ("scores_asvspoof2019_la_dev_cm.csv", "label", ["baseline", "fused", "lfcc"]),
    ],
)
def test_joint_hulls_of_real_scores_agree_on_all_paths(
    name: str, label: str, models: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = columns(name)
    y = numbers(table[label]) == 1
    scores = {model: numbers(table[model]) for model in models}
    fast = rocch.RocHull.from_scores(y, scores)
    slow = rocch.RocHull.of(
        *(rocch.RocCurve.from_scores(y, s, name=model) for model, s in scores.items())
    )
    assert fast == slow
    for s in scores.values():
        monkeypatch.setitem(SAVES_A_SECOND, "passes", 10**18)
        one = hull_from_scores(s, y)
        monkeypatch.setitem(SAVES_A_SECOND, "passes", 0)
        other = hull_from_scores(s, y)
        assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_on_real_scores_a_point_off_the_hull_wins_under_a_limit_without_a_coin() -> None:
    table = columns("scores_rocr_hiv_wide.csv")
    y = numbers(table["label"]) == 1
    hull = rocch.RocHull.from_scores(y, {m: numbers(table[m]) for m in ("nn", "svm")})
    better = 0
    for limit in np.linspace(0.01, 0.5, 50):
        answer = hull.best(rocch.NeymanPearson(float(limit)))
        within = hull.tpr[hull.fpr <= limit].max()
        assert answer.tpr >= within
        better += answer.tpr > within
    assert better > 0
