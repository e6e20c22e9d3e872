"""The study of multi-class costs on new rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rocch
from studies import new_rows_many as study


@pytest.fixture(scope="module")
def fits() -> study.Fits:
    data = rocch.multiclass.three_class_data(240, seed=0)
    return study.fit_split(data.X, data.y - 1, 0)


def test_a_missing_file_is_left_out_visibly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert study.read_set("vehicle", tmp_path) is None
    assert "vehicle is left out" in capsys.readouterr().out


def test_classes_with_few_rows_are_left_out(tmp_path: Path) -> None:
    rows = ["a"] * 30 + ["b"] * 5 + ["c"] * 20
    frame = pd.DataFrame({"x": np.arange(55), "target": rows})
    frame.to_csv(tmp_path / "vehicle.csv", index=False)
    found = study.read_set("vehicle", tmp_path)
    assert found is not None
    assert np.bincount(found[1]).tolist() == [30, 20]
    assert found[0][:, 0].tolist() == [*range(30), *range(35, 55)]


def test_halves_have_no_row_in_common(fits: study.Fits) -> None:
    assert fits.out_of_fold.shape == (5, 120, 3)
    assert fits.new.shape == (5, 120, 3)
    assert np.bincount(fits.truths).tolist() == np.bincount(fits.new_truths).tolist()


def test_stored_fits_cost_what_the_hybrid_of_the_same_models_costs(
    fits: study.Fits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "GENERATIONS", 5)
    monkeypatch.setattr(study, "MATRICES", 2)
    found = study.compare_choices(fits, 0)
    assert len(found) == 2
    stack = rocch.multiclass.ProbabilityStack.fit(
        fits.truths, dict(zip(study.learners(), fits.out_of_fold, strict=True))
    )
    new = stack.predict_proba(dict(zip(study.learners(), fits.new, strict=True)))
    costs = study.draw_costs(3, np.random.default_rng(0))
    answers = rocch.multiclass.assign(new, costs, classes=range(3))
    want = rocch.multiclass.Confusion.from_labels(fits.new_truths, answers).expected_cost(costs)
    assert found[0].kept == pytest.approx(want)
    assert found[0].low <= found[0].expected <= found[0].high


def test_the_error_of_a_mean_over_classes() -> None:
    truths = np.repeat([0, 1], [4, 6])
    losses = np.array([0, 1, 0, 1, 2, 2, 2, 2, 2, 2.0])
    # only the first class varies: variance 1/4, four of ten rows
    assert study.stratified_error(losses, truths) == pytest.approx((4 * 0.25) ** 0.5 / 10)
