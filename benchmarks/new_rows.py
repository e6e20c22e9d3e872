"""Cost on new rows, and what was expected: the hybrid against single models, on many data sets.

    python benchmarks/new_rows.py --half chosen    # the sets that the default was chosen on
    python benchmarks/new_rows.py --half kept      # the sets that were kept back

Each set is split into halves ten times. Five learners are cross-validated and refitted on one half;
all methods aim the same fits at nine slopes, from 1/20 to 20, and pay on the other half. Costs are
divided by that of the better trivial answer (never or always alarm) and averaged over slopes and
splits. Standard errors are over data sets; those over splits of one set would be too small.

Fits are slow, so their scores are kept in the folder --work. Data sets are CSV files in --data, and
two that scikit-learn ships.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    StratifiedKFold,
    StratifiedShuffleSplit,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import rocch

SLOPES = (1 / 20, 1 / 10, 1 / 5, 1 / 2, 1, 2, 5, 10, 20)
FOLDS = 5
SINGLE = "best single model, its hull"
CALIBRATED = "the same calibrated, Bayes' threshold"
DEFAULT = "the default"
METHODS = (
    SINGLE,
    "hull of all models (exact, no stack)",
    "tuned threshold",
    CALIBRATED,
    "hull with the stack (exact)",
    DEFAULT,
    "the default's scores, best threshold in hindsight",
)

Frame = tuple[pd.DataFrame, Any]


class Source(NamedTuple):
    """A CSV file and its positive labels, or a function; at most so many rows, drawn at random."""

    file: str | Callable[..., Any]
    positive: tuple[Any, ...]
    rows: int | None = None

    def load(self, folder: Path) -> Frame:
        """Return rows and whether each is positive."""
        if isinstance(self.file, str):
            parts = [pd.read_csv(folder / f"{name}.csv") for name in self.file.split("+")]
            frame = pd.concat(parts, ignore_index=True)
            if self.rows is not None:
                frame = frame.sample(self.rows, random_state=0).reset_index(drop=True)
            labels = frame.pop("target")
        else:
            frame, labels = self.file(return_X_y=True, as_frame=True)
        return frame, labels.isin(self.positive).to_numpy()


# Every second source in alphabetical order; sets of one source stay together.
CHOSEN = {
    "adult": Source("adult", (">50K",), 10_000),
    "breast_cancer": Source(load_breast_cancer, (0,)),
    "creditcard": Source("creditcard_sample", (1,)),
    "digits_8": Source(load_digits, (8,)),
    "digits_3": Source(load_digits, (3,)),
    "german": Source("german_credit", ("bad",)),
    "heart_hungarian": Source("heart_hungarian_261", (1,)),
    "ripley": Source("ripley_synth_tr+ripley_synth_te", (1,)),
    "sick": Source("sick", ("sick",)),
    "waveform_0": Source("waveform21", (0,)),
    "waveform_1": Source("waveform21", (1,)),
}
KEPT = {
    "thyroid_abnormal": Source("ann_thyroid", (1, 2)),
    "thyroid_2": Source("ann_thyroid", (2,)),
    "bcw": Source("breast_cancer_wisconsin", ("malignant",)),
    "crx": Source("crx", ("+",)),
    "dna_ei": Source("dna_statlog", ("ei",)),
    "dna_n": Source("dna_statlog", ("n",)),
    "heart_cleveland": Source("heart_cleveland", (1,)),
    "pima": Source("pima", (1,)),
    "satimage_4": Source("satimage_class4", (1,)),
    "vehicle_van": Source("vehicle", ("van",)),
    "vehicle_opel": Source("vehicle", ("opel",)),
    "vehicle_saab": Source("vehicle", ("saab",)),
    "yeast_CYT": Source("yeast", ("CYT",)),
    "yeast_MIT": Source("yeast", ("MIT",)),
    "yeast_NUC": Source("yeast", ("NUC",)),
}


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


def learners() -> dict[str, Any]:
    """Return the five competitors."""
    forest = RandomForestClassifier(100, min_samples_leaf=3, random_state=0)
    return {
        "lr": prepared(LogisticRegression(max_iter=1000)),
        "nb": prepared(GaussianNB()),
        "knn": prepared(KNeighborsClassifier(25)),
        "forest": prepared(forest),
        "gbm": prepared(HistGradientBoostingClassifier(max_iter=80, random_state=0)),
    }


def scores_of(file: Path, source: Source, folder: Path, train: Any, test: Any) -> dict[str, Any]:
    """Return labels, out-of-fold scores, and scores of new rows by the refitted models."""
    if not file.exists():
        warnings.simplefilter("ignore")
        X, y = source.load(folder)
        rows, labels, new = X.iloc[train], y[train], X.iloc[test]
        out_of_fold = np.zeros((labels.size, len(learners())))
        for fit, hold in StratifiedKFold(FOLDS).split(rows, labels):
            for place, model in enumerate(learners().values()):
                model.fit(rows.iloc[fit], labels[fit])
                out_of_fold[hold, place] = model.predict_proba(rows.iloc[hold])[:, 1]
        refitted = [m.fit(rows, labels).predict_proba(new)[:, 1] for m in learners().values()]
        found = {"y": labels, "oof": out_of_fold, "y_new": y[test], "new": np.stack(refitted, 1)}
        np.savez(file, **found)
    with np.load(file) as stored:
        return {name: stored[name] for name in ("y", "oof", "y_new", "new")}


class Replay(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn is untyped
    """A model whose scores are known: out of fold for the first rows, refitted for the others."""

    def __init__(self, scores: Any = None) -> None:
        self.scores = scores

    def fit(self, X: Any, y: Any) -> Self:
        """Remember the classes."""
        self.classes_ = np.unique(y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict_proba(self, X: Any) -> Any:
        """Look the scores up."""
        shares = self.scores[X[:, 0].astype(int)]
        return np.column_stack((1 - shares, shares))


def conditions(slope: float, share: float) -> rocch.Conditions:
    """Return conditions with this slope at a prevalence."""
    return rocch.Conditions(
        prevalence="observed", false_positive=slope * share / (1 - share), false_negative=1
    )


def relative_cost(alarms: Any, truth: Any, slope: float) -> float:
    """Return the cost of decisions, divided by that of the better trivial answer."""
    return float((slope * alarms[~truth].mean() + (~alarms[truth]).mean()) / min(slope, 1))


def tuned(replay: Replay, ids: Any, y: Any, new: Any, slope: float) -> Any:
    """Return the decisions of scikit-learn's tuned threshold."""
    odds = y.mean() / (1 - y.mean())

    def gain(y_true: Any, y_pred: Any) -> float:
        return -float(slope * odds * np.sum(y_pred & ~y_true) + np.sum(~y_pred & y_true))

    model = TunedThresholdClassifierCV(replay, scoring=make_scorer(gain), cv=FOLDS)
    return model.fit(ids, y).predict(new)


def one_split(found: dict[str, Any]) -> dict[str, Any]:
    """Return each method's costs by slope, what the default expected, and its log loss."""
    y, truth = found["y"], found["y_new"]
    names = list(learners())
    both = np.concatenate((found["oof"], found["new"]))
    replays = {name: Replay(both[:, place]) for place, name in enumerate(names)}
    ids = np.arange(len(both), dtype=float)[:, None]
    old, new = ids[: y.size], ids[y.size :]
    model = rocch.RocchClassifier(list(replays.items()), cv=FOLDS).fit(old, y)
    plain = rocch.RocHull.from_scores(y, dict(zip(names, found["oof"].T, strict=True)))
    aucs = {name: rocch.auc(y, found["oof"][:, place]) for place, name in enumerate(names)}
    best = max(aucs, key=lambda name: aucs[name])
    single = rocch.RocHull.from_scores(y, {best: found["oof"][:, names.index(best)]})
    odds = logit(np.clip(both[:, names.index(best)], 1e-4, 1 - 1e-4))[:, None]
    platt = LogisticRegression(C=1e6).fit(odds[: y.size], y).decision_function(odds[y.size :])
    columns = dict(zip(names, found["new"].T, strict=True))

    def decide(point: Any) -> Any:
        return rocch.hybrid.Rule.from_point(point).decide(columns)

    scorer: Any = model.hybrid_.scorer
    stack = scorer.stack.log_odds(model.default_.batch(new))
    costs: dict[str, list[float]] = {method: [] for method in METHODS}
    expected = []
    for slope in SLOPES:
        aim = conditions(slope, y.mean())
        view = model.at(aim)
        hindsight = rocch.RocHull.from_scores(truth, {"stack": stack}).best(
            conditions(slope, truth.mean())
        )
        answers = (
            decide(single.best(aim)),
            decide(plain.best(aim)),
            tuned(replays[best], old, y, new, slope),
            platt >= np.log(slope) + logit(y.mean()),
            model.at(aim, exact=True).predict(new),
            view.predict(new),
            rocch.hybrid.Rule.from_point(hindsight).decide({"stack": stack}),
        )
        for method, alarms in zip(METHODS, answers, strict=True):
            costs[method].append(relative_cost(alarms, truth, slope))
        unit = y.mean() * min(slope, 1)  # of relative costs
        cost: Any = view.on_new_rows
        expected.append([v / unit for v in (cost.apparent, cost.expected, *cost.interval)])
    out_of_fold = model.out_of_fold_.scores.get("stack")
    losses = [log_loss(y, out_of_fold), log_loss(truth, stack)] if out_of_fold is not None else []
    return {"costs": costs, "expected": expected, "losses": losses}


def log_loss(truth: Any, log_odds: Any) -> float:
    """Return the mean log loss of log odds."""
    return float(np.mean(np.logaddexp(0, np.where(truth, -log_odds, log_odds))))


def study(name: str, source: Source, given: argparse.Namespace) -> dict[str, Any]:
    """Return the results of all splits, as arrays splits x slopes."""
    y = source.load(given.data)[1]
    splitter = StratifiedShuffleSplit(given.splits, test_size=0.5, random_state=0)
    tasks = [
        (given.work / f"{name}-{number}.npz", source, given.data, train, test)
        for number, (train, test) in enumerate(splitter.split(y, y))
    ]

    def run(*task: Any) -> dict[str, Any]:
        warnings.simplefilter("ignore")
        return one_split(scores_of(*task))

    found = Parallel(given.jobs)(delayed(run)(*task) for task in tasks)
    return {
        "rows": f"{y.size // 2}, {y.mean():.0%}",
        "costs": {m: np.array([one["costs"][m] for one in found]) for m in METHODS},
        "expected": np.array([one["expected"] for one in found]),
        "losses": np.array([one["losses"] for one in found if one["losses"]]),
    }


def saved(result: dict[str, Any], method: str, over: str = SINGLE) -> float:
    """Return the percentage that a method saves over another."""
    return float(100 * (1 - result["costs"][method].mean() / result["costs"][over].mean()))


def print_costs(results: dict[str, dict[str, Any]]) -> None:
    """Print each method's saving over sets, and the default's by set."""
    print(f"\n**Saved over the {SINGLE}**, mean ± standard error over {len(results)} sets\n")
    print("| method | saved, % | worst set | cheaper on | cells above the better trivial answer |")
    print("|---|---:|---:|---:|---:|")
    for method in METHODS:
        gains = np.array([saved(result, method) for result in results.values()])
        error = gains.std(ddof=1) / np.sqrt(gains.size) if gains.size > 1 else np.nan
        above = [result["costs"][method].mean(axis=0) > 1 + 1e-9 for result in results.values()]
        print(
            f"| {method} | {gains.mean():.1f} ± {error:.1f} | {gains.min():.1f} "
            f"| {np.sum(gains > 0)} of {gains.size} | {np.sum(above)} of {np.size(above)} |"
        )
    against = np.array([saved(result, DEFAULT, CALIBRATED) for result in results.values()])
    error = against.std(ddof=1) / np.sqrt(against.size) if against.size > 1 else np.nan
    print(f"\nThe default saves {against.mean():.1f} ± {error:.1f}% over {CALIBRATED}.")
    print("\n| data (rows to fit on, positives) | saved | ± over splits | over the calibrated |")
    print("|---|---:|---:|---:|")
    for name, result in results.items():
        single, ours = (result["costs"][m].mean(axis=1) for m in (SINGLE, DEFAULT))
        over_splits = 100 * (single - ours) / single.mean()
        error = over_splits.std(ddof=1) / np.sqrt(over_splits.size)
        print(
            f"| {name} ({result['rows']}) | {saved(result, DEFAULT):.1f} | {error:.1f} "
            f"| {saved(result, DEFAULT, CALIBRATED):.1f} |"
        )


def print_expected(results: dict[str, dict[str, Any]]) -> None:
    """Print how well the default's expected costs are kept."""
    print("\n**Expected against true cost of the default**, refitted models\n")
    print("| data | log ratio, % | apparent, % | true cost above the upper limit, % | inside, % |")
    print("|---|---:|---:|---:|---:|")
    ratios, above, inside = [], [], []
    for name, result in results.items():
        true = result["costs"][DEFAULT]
        apparent, expected, low, high = np.moveaxis(result["expected"], 2, 0)
        ratio = 100 * np.log(expected.mean() / true.mean())
        first = 100 * np.log(apparent.mean() / true.mean())
        ratios.append(ratio)
        above.append(100 * np.mean(true > high))
        inside.append(100 * np.mean((true >= low) & (true <= high)))
        print(f"| {name} | {ratio:+.1f} | {first:+.1f} | {above[-1]:.0f} | {inside[-1]:.0f} |")
    print(
        f"\nMean log ratio {np.mean(ratios):+.1f}%, median {np.median(ratios):+.1f}%, mean "
        f"absolute {np.mean(np.abs(ratios)):.1f}%; the true cost (on the other half, so with its "
        f"own noise) is above the upper limit in {np.mean(above):.1f}% of cells and inside the "
        f"interval in {np.mean(inside):.1f}%."
    )
    losses = [result["losses"].mean(axis=0) for result in results.values() if result["losses"].size]
    gaps = np.array([100 * np.log(new / old) for old, new in losses])
    error = gaps.std(ddof=1) / np.sqrt(gaps.size) if gaps.size > 1 else np.nan
    print(
        f"The stack's log loss on new rows against that of its out-of-fold scores: "
        f"{gaps.mean():+.1f} ± {error:.1f}%, median {np.median(gaps):+.1f}% (log ratios)."
    )


def main() -> None:
    """Run the sets of one half, or some of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="data sets; by default all of the half")
    parser.add_argument("--half", choices=("chosen", "kept"), default="chosen")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, default=Path("build/new_rows"))
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    sets = CHOSEN if given.half == "chosen" else KEPT
    chosen = given.names or list(sets)
    results = {name: study(name, (CHOSEN | KEPT)[name], given) for name in chosen}
    print_costs(results)
    print_expected(results)


if __name__ == "__main__":
    main()
