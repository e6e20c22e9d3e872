"""Provost and Fawcett's study: who wins where, what hybrids save, and the whole of it in small."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator

import rocch
from rocch.hybrid import ScoreColumn
from studies import provost_fawcett
from studies.learners import rosters
from studies.learners.rosters import ROSTERS, judge_fold
from studies.robustness.domain import (
    Domain,
    Fold,
    Judged,
    dominance_of,
    published_ranges,
    range_text,
    ranges_of,
)
from studies.robustness.saving import SLOPES, WEIGHTS, costs_on, hybrid_of, saving_of
from studies.workbench.tables import Source

if TYPE_CHECKING:
    from pathlib import Path


def judged(seed: int, rows: int = 400) -> Judged:
    """Draw rows on which 'keen' wins at expensive false alarms, and 'wide' at expensive misses."""
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.4
    keen = np.where(y & (rng.random(rows) < 0.5), 3.0, 0.0) + rng.normal(size=rows)
    wide = np.where(~y & (rng.random(rows) < 0.5), -3.0, 0.0) + rng.normal(size=rows)
    return Judged(y, {"keen": keen, "wide": wide, "noise": rng.normal(size=rows)})


@pytest.fixture
def domain() -> Domain:
    folds = tuple(Fold(judged(seed, 200), judged(100 + seed)) for seed in range(4))
    return Domain("Drawn", folds)


def test_no_learner_beats_the_hybrid_on_the_rows_that_built_it(domain: Domain) -> None:
    for fold in domain.folds:
        hybrid = costs_on(fold.building.hull, fold.building)
        for name in fold.building.scores:
            alone = costs_on(fold.building.alone(name), fold.building)
            assert (hybrid <= alone + 1e-12).all()


def test_costs_on_new_rows_are_those_of_the_deployed_hybrid(domain: Domain) -> None:
    [fold, *_] = domain.folds
    frozen = [(name, FrozenEstimator(ScoreColumn(name))) for name in domain.learners]
    model = rocch.RocchClassifier(frozen, pos_label=1, stack=False)
    model.fit(pd.DataFrame(dict(fold.building.scores)), fold.building.positive.astype(int))
    rows, y = pd.DataFrame(dict(fold.test.scores)), fold.test.positive
    costs = costs_on(fold.building.hull, fold.test)
    for weight, cost in zip(WEIGHTS[::7], costs[::7], strict=True):
        known = rocch.Conditions(prevalence=weight, false_positive=1, false_negative=1)
        alarms = model.at(known, exact=True).predict(rows) == 1
        found = weight * np.mean(~alarms[y]) + (1 - weight) * np.mean(alarms[~y])
        assert found == pytest.approx(cost, abs=1e-12)
        assert known.slope_range == pytest.approx((SLOPES[weight == WEIGHTS][0],) * 2)


def test_savings_are_those_written_out(domain: Domain) -> None:
    saving = saving_of(domain)
    hybrid = np.mean([costs_on(f.building.hull, f.test).mean() for f in domain.folds])
    alone = np.mean(
        [costs_on(f.building.alone(f.building.best_alone), f.test).mean() for f in domain.folds]
    )
    assert saving.saved("new").percent == pytest.approx(100 * (1 - hybrid / alone))
    assert saving.saved("building").percent > 10


def test_the_error_of_a_saving_is_that_of_paired_differences(domain: Domain) -> None:
    saving = saving_of(domain)
    alone, hybrid = saving.alone.new.mean(axis=1), saving.hybrid.new.mean(axis=1)
    paired = alone - hybrid
    error = np.sqrt(((paired - paired.mean()) ** 2).sum() / (4 - 1)) / 2  # of the mean of four
    assert saving.saved("new").error == pytest.approx(100 * error / alone.mean())


def test_tied_learners_are_kept_as_the_hybrid_keeps_them(domain: Domain) -> None:
    [fold, *_] = domain.folds
    scores = {**fold.building.scores, "a copy": fold.building.scores["keen"].copy()}
    hybrid = hybrid_of(Judged(fold.building.positive, scores))
    assert len(hybrid.kept_) == len(hybrid_of(fold.building).kept_)


def test_parsimony_drops_what_adds_nothing() -> None:
    rows = judged(3)
    same = Judged(rows.positive, {"keen": rows.scores["keen"], "noise": rows.scores["noise"]})
    assert hybrid_of(same, parsimonious=True).kept_ == ("keen",)


def test_averages_are_hulls_of_mean_rates(domain: Domain) -> None:
    hull = domain.averaged_hull
    for name in domain.learners:
        mean = domain.averages[name]
        assert all(
            hull.tpr_at(fpr) >= tpr - 1e-6 for fpr, tpr in zip(mean.fpr, mean.tpr, strict=True)
        )
    assert dominance_of(domain).averaged is None
    assert {row.classifier for row in hull.slope_ranges()} >= {"keen", "wide"}


def with_oracle(rows: Judged) -> Judged:
    return Judged(rows.positive, {**rows.scores, "oracle": rows.positive.astype(np.float64)})


def test_a_learner_that_is_always_better_dominates_in_every_way(domain: Domain) -> None:
    folds = (Fold(with_oracle(fold.test), with_oracle(fold.building)) for fold in domain.folds)
    perfect = Domain("Perfect", tuple(folds))
    found = dominance_of(perfect)
    assert found.averaged == "oracle"
    assert found.runs == (("oracle",),) * 4
    assert found.dominated_runs == 4


def test_all_who_dominate_a_run_are_counted(domain: Domain) -> None:
    [fold, *_] = domain.folds
    rows = with_oracle(fold.test)
    twins = Judged(rows.positive, {**rows.scores, "twin": 2 * rows.scores["oracle"] - 1})
    assert twins.dominators == ("oracle", "twin")
    assert fold.test.dominators == ()


def test_table_2_is_written_as_it_was_printed() -> None:
    assert range_text(published_ranges("Vehicle")) == "[0, ∞) Bagged-MC4"
    assert range_text(published_ranges("CRX")) == (
        "[0, 0.03] Bagged-MC4<br>[0.03, 0.06] NB<br>[0.06, 2.06] Bagged-MC4<br>[2.06, ∞) NB"
    )
    assert range_text(published_ranges("Adult")) == "-"


def test_ranges_touch_from_0_to_infinity(domain: Domain) -> None:
    rows = ranges_of(domain)
    assert (rows[0][1], rows[-1][2]) == (0, np.inf)
    assert all(left[2] == right[1] for left, right in pairwise(rows))


class Memory(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Says 1 of rows that it was fitted on, and of others less."""

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        self.seen_ = set(map(tuple, np.asarray(X).tolist()))
        return self

    def predict_proba(self, X: Any) -> Any:
        rows = np.asarray(X)
        known = np.array([tuple(row) in self.seen_ for row in rows.tolist()])
        share = np.where(known, 1.0, rows[:, 0] / 100)
        return np.column_stack((1 - share, share))

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_a_fold_is_judged_by_learners_that_have_not_seen_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ROSTERS, "memory", lambda *_: {"memory": Memory()})
    found = judge_fold(Source(tmp_path), "sklearn/breast_cancer", ("memory",), 1, 4, 0)
    assert found["test"].size + found["building"].size == 569
    assert found["test/memory"].max() < 1
    assert found["building/memory"].max() < 1


def test_where_rows_are_plenty_a_part_is_held_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ROSTERS, "memory", lambda *_: {"memory": Memory()})
    monkeypatch.setattr(rosters, "MANY", 100)
    found = judge_fold(Source(tmp_path), "sklearn/breast_cancer", ("memory",), 0, 4, 0)
    assert found["building"].size == round(0.25 * (569 - found["test"].size) + 0.49)
    assert found["building/memory"].max() < 1


def test_a_fold_is_judged_by_the_whole_roster_the_same_each_time(tmp_path: Path) -> None:
    wanted = (Source(tmp_path), "sklearn/breast_cancer", ("bradley",), 1, 4, 0)
    found, again = judge_fold(*wanted), judge_fold(*wanted)
    assert {key for key in found if key.startswith("test/")} == {
        f"test/{name}" for name in ("Perceptron", "MLP", "C4.5", "CART", "k-NN", "QDF")
    }
    assert all(np.array_equal(found[key], again[key]) for key in found)


def run(tmp_path: Path, *options: str) -> str:
    page = tmp_path / "docs" / "page.md"
    asked = ["--quick", "--work", str(tmp_path / "kept"), "--page", str(page), *options]
    done = CliRunner().invoke(provost_fawcett.main, asked)
    assert done.exit_code == 0, done.output
    return done.output + done.stderr


def test_the_study_in_small(tmp_path: Path) -> None:
    said = run(tmp_path, "--jobs", "1")
    page = (tmp_path / "docs" / "page.md").read_text()
    assert "1 of 2, sklearn/breast_cancer, fold 1" in said
    assert re.search(r"\| Breast cancer \(diagnostic\) \| \[0, .*∞\) \S+ \| - \|", page)
    for picture in re.findall(r"\]\((page-\w+\.png)\)", page):
        assert (tmp_path / "docs" / picture).stat().st_size > 5000
    assert page.count(".png)") == 2
    assert "What agrees" not in page
    assert "kept from an earlier run" in run(tmp_path)
    assert (tmp_path / "docs" / "page.md").read_text() == page


def test_without_data_nothing_is_begun(tmp_path: Path) -> None:
    asked = ["--data", str(tmp_path), "--work", str(tmp_path / "kept")]
    done = CliRunner().invoke(provost_fawcett.main, asked)
    assert done.exit_code == 2
    assert "heart_cleveland.csv" in done.stderr
    assert not list(tmp_path.rglob("*.npz"))
