"""What multi-class choices cost on new rows, and what was expected of them.

Half of the rows of each data set fit five learners, out of fold and once more on all of them; the
other half are the new rows. Costs are drawn from even to extreme, and sum to 1.

Run it from the repository's root, with a folder for the fits (minutes for each data set):

    python -m studies.new_rows_many --data ../shared/data --work /tmp/fits
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

# Every second name, in alphabetical order, is kept back; defaults were chosen on the others.
SETS = (
    "ann_thyroid",
    "digits",
    "dna_statlog",
    "iris",
    "satimage",
    "three_class",
    "vehicle",
    "waveform21",
    "wine",
    "yeast",
)
CHOSEN_ON, KEPT_BACK = SETS[::2], SETS[1::2]
# Classes with fewer rows are left out (of yeast, one with 5 rows).
FEWEST = 20
MOST_ROWS = 1000


def read_set(name: str, folder: Path) -> tuple[Any, Any] | None:
    """Return features and class numbers, or None with a message where the file is missing."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
    elif name == "three_class":
        data = rocch.multiclass.three_class_data(6000, seed=1)
        X, y = data.X, data.y
    elif (folder / f"{name}.csv").exists():
        frame = pd.read_csv(folder / f"{name}.csv")
        X, y = frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy()
    else:
        print(f"{name} is left out: there is no {folder / f'{name}.csv'}")
        return None
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    keep = counts[codes] >= FEWEST
    return X[keep], np.unique(codes[keep], return_inverse=True)[1]


def learners() -> dict[str, Any]:
    """Return the five learners."""
    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "bayes": GaussianNB(),
        "neighbors": make_pipeline(StandardScaler(), KNeighborsClassifier(25)),
        "forest": RandomForestClassifier(100, min_samples_leaf=3, random_state=0),
        "boosting": HistGradientBoostingClassifier(max_iter=80, random_state=0),
    }


class Fits(NamedTuple):
    """Probabilities (models, rows, classes): out of fold, and of new rows by refitted models."""

    truths: Any
    out_of_fold: Any
    new_truths: Any
    new: Any


def fit_split(X: Any, y: Any, split: int) -> Fits:
    """Fit the learners on one half."""
    own, others = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=split)
    if len(own) > MOST_ROWS:
        own, _ = train_test_split(own, train_size=MOST_ROWS, stratify=y[own], random_state=split)
    folds = StratifiedKFold(5, shuffle=True, random_state=split)
    out_of_fold, new = [], []
    for model in learners().values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out_of_fold.append(
                cross_val_predict(model, X[own], y[own], cv=folds, method="predict_proba")
            )
            new.append(model.fit(X[own], y[own]).predict_proba(X[others]))
    return Fits(y[own], np.array(out_of_fold), y[others], np.array(new))


def read_fits(name: str, split: int, data: Path, work: Path) -> Fits | None:
    """Return the fits of one split, computed once."""
    file = work / f"{name}-{split}.npz"
    if not file.exists():
        rows = read_set(name, data)
        if rows is None:
            return None
        np.savez(file, **fit_split(*rows, split)._asdict())
    with np.load(file) as found:
        return Fits(**found)
