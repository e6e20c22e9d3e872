"""Cost on new rows: the hybrid against single models, for many conditions, on real data.

For each data set rows are split into halves several times. On one half models are fitted and the
hybrid is built; on the other the cost is measured under conditions from "a false alarm is 50 times
as bad" to "a miss is 50 times as bad". Costs are divided by that of the better trivial answer
(never or always alarm), so 1 means that nothing was gained. Run with the names of data sets;
`breast_cancer` comes with scikit-learn, the others are CSV files in a folder given by --data.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, make_scorer
from sklearn.model_selection import StratifiedShuffleSplit, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import rocch

RATIOS = (1 / 50, 1 / 20, 1 / 5, 1 / 2, 1, 2, 5, 20, 50)
"""How many times as bad as a false alarm a miss is."""

MIDDLE = slice(2, 7)
"""Those from 1/5 to 5, where not a handful of rows decides."""

METHODS = ("hybrid", "hybrid, parsimonious", "best single", "tuned threshold", "plain 0.5")


def prepared(model: Any) -> Any:
    """Return a model behind imputing, scaling and one-hot encoding."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="?"),
        OneHotEncoder(handle_unknown="ignore", sparse_output=False),
    )
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (words, make_column_selector(dtype_exclude="number")),
    )
    return make_pipeline(columns, model)


def models() -> list[tuple[str, Any]]:
    """Return the five competitors."""
    return [
        ("lr", prepared(LogisticRegression(max_iter=1000))),
        ("nb", prepared(GaussianNB())),
        ("knn", prepared(KNeighborsClassifier(25))),
        ("forest", prepared(RandomForestClassifier(100, min_samples_leaf=3, random_state=0))),
        ("gbm", prepared(HistGradientBoostingClassifier(max_iter=80, random_state=0))),
    ]


def data_set(name: str, folder: Path) -> tuple[Any, Any]:
    """Return rows and whether each is positive."""
    if name == "breast_cancer":
        X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        return X, (y == 0).to_numpy()  # malignant
    frame = pd.read_csv(folder / f"{name}.csv")
    labels = frame.pop("target")
    positive = {"adult": ">50K", "crx": "+"}.get(name, 1)
    return frame, (labels == positive).to_numpy()


def relative_cost(answers: Any, truth: Any, ratio: float) -> float:
    """Return the cost of answers, divided by that of the better trivial answer."""
    cost = (answers & ~truth).sum() + ratio * (~answers & truth).sum()
    return float(cost / min((~truth).sum(), ratio * truth.sum()))


def cost_scorer(ratio: float) -> Any:
    """Return a scorer that rewards a low cost, for the tuned threshold."""

    def gain(y_true: Any, y_pred: Any) -> float:
        _, fp, fn, _ = confusion_matrix(y_true, y_pred, labels=[False, True]).ravel()
        return -float(fp + ratio * fn)

    return make_scorer(gain)


def one_split(X: Any, y: Any, train: Any, test: Any) -> dict[str, list[float]]:
    """Return the relative cost of every method under every condition."""
    rows, labels = X.iloc[train], y[train]
    new, truth = X.iloc[test], y[test]
    hybrid = rocch.RocchClassifier(models()).fit(rows, labels)
    simple = rocch.RocchClassifier(models(), parsimonious=True).fit(rows, labels)
    judged = hybrid.out_of_fold_
    aucs = {name: rocch.RocCurve.from_rows(judged, name).auc for name in judged.scores}
    best = max(aucs, key=lambda name: aucs[name])
    single = rocch.RocchClassifier([(best, dict(models())[best])]).fit(rows, labels)
    plain = single.named_estimators_[best].predict(new) if single.kept_ else np.zeros_like(truth)
    costs: dict[str, list[float]] = {method: [] for method in METHODS}
    for ratio in RATIOS:
        aim = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=ratio)
        tuned = TunedThresholdClassifierCV(
            dict(models())[best], scoring=cost_scorer(ratio), cv=5
        ).fit(rows, labels)
        answers = {
            "hybrid": hybrid.at(aim).predict(new),
            "hybrid, parsimonious": simple.at(aim).predict(new),
            "best single": single.at(aim).predict(new),
            "tuned threshold": tuned.predict(new),
            "plain 0.5": plain,
        }
        for method, answer in answers.items():
            costs[method].append(relative_cost(answer, truth, ratio))
    return costs


def study(name: str, folder: Path, splits: int) -> None:
    """Print a data set's row: mean relative cost and its standard error over the splits."""
    X, y = data_set(name, folder)
    splitter = StratifiedShuffleSplit(splits, test_size=0.5, random_state=0)
    found = [one_split(X, y, train, test) for train, test in splitter.split(X, y)]
    means = {m: np.array([np.mean(costs[m]) for costs in found]) for m in METHODS}
    cells = []
    for method in METHODS:
        error = means[method].std(ddof=1) / np.sqrt(splits)
        cells.append(f"{means[method].mean():.3f} ± {error:.3f}")
    gain = means["best single"] - means["hybrid"]
    won = sum(
        h <= s + 1e-12
        for costs in found
        for h, s in zip(costs["hybrid"], costs["best single"], strict=True)
    )
    cells.append(f"{gain.mean():+.3f} ± {gain.std(ddof=1) / np.sqrt(splits):.3f}")
    middle = np.array([np.mean(np.subtract(c["best single"], c["hybrid"])[MIDDLE]) for c in found])
    cells.append(f"{middle.mean():+.3f} ± {middle.std(ddof=1) / np.sqrt(splits):.3f}")
    cells.append(f"{won} of {splits * len(RATIOS)}")
    print(f"| {name} ({len(y)}, {y.mean():.0%}) | " + " | ".join(cells) + " |", flush=True)


def main() -> None:
    """Run the data sets named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["breast_cancer"])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--splits", type=int, default=10)
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    head = [
        "data (rows, positives)",
        *METHODS,
        "hybrid gains on single",
        "from 1/5 to 5",
        "as good or better",
    ]
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for name in given.names:
        study(name, given.data, given.splits)


if __name__ == "__main__":
    main()
