"""Searches on real data: scikit-learn's own, and published posteriors where they are at hand."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

DATA = Path(__file__).parents[3] / "shared" / "data"


def test_wine_out_of_fold_shared_by_two_classifiers() -> None:
    X, y = load_wine(return_X_y=True)
    lr = make_pipeline(StandardScaler(), LogisticRegression())
    y_proba = {
        name: cross_val_predict(model, X, y, cv=3, method="predict_proba")
        for name, model in {"lr": lr, "nb": GaussianNB()}.items()
    }
    model = rocch.multiclass.KnownProbabilities(y_proba, [0, 1, 2])
    surface = rocch.multiclass.SurfaceSearch(model, y).run(50)
    errors = surface.counts.sum(axis=(1, 2)) - np.trace(surface.counts, axis1=1, axis2=2)
    plain = [np.count_nonzero(p.argmax(axis=1) != y) for p in y_proba.values()]
    assert errors.min() <= min(plain)
    assert surface.totals.tolist() == [59, 71, 48]


def test_wine_with_neighbors_needs_scaling() -> None:
    X, y = load_wine(return_X_y=True)
    fewest = []
    for scale in (False, True):
        surface = rocch.multiclass.SurfaceSearch(
            rocch.multiclass.KnnModel(X, y, scale=scale), y, draws=20
        ).run(50)
        right = np.trace(surface.counts, axis1=1, axis2=2)
        fewest.append(int((178 - right).min()))
    assert fewest[1] < 10 < fewest[0]


def test_ten_digits_have_too_many_rates_but_not_too_many_misses() -> None:
    X, y = load_digits(return_X_y=True)
    model = rocch.multiclass.FittedModels({"nb": GaussianNB().fit(X[::2], y[::2])}, X[1::2])
    with pytest.raises(rocch.InputError, match="10 classes, which make 90 objectives"):
        rocch.multiclass.SurfaceSearch(model, y[1::2])
    surface = rocch.multiclass.SurfaceSearch(model, y[1::2], objectives="misses", draws=20).run(5)
    assert surface.counts.shape[1:] == (10, 10)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no data folder {DATA.name} beside us")
def test_published_posteriors_of_four_classes() -> None:
    with (DATA / "scores_hpc_cv_multiclass.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    names = ["VF", "F", "M", "L"]
    y = [row["obs"] for row in rows]
    y_proba = {name: [float(row[name]) for row in rows] for name in reversed(names)}
    model = rocch.multiclass.KnownProbabilities({"lda": y_proba}, names)
    surface = rocch.multiclass.SurfaceSearch(model, y, draws=50).run(20)
    assert surface.totals.tolist() == [1769, 1078, 412, 208]
    assert len(surface.models) > 100
