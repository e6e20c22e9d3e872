"""What multi-class choices cost on new rows, and what was expected of them.

Half of the rows of each data set fit five learners, out of fold and once more on all of them; the
other half are the new rows. Costs are drawn from even to extreme, and sum to 1.

For each data set, mean over splits and cost matrices, compared are:

- what the cheapest member of today's surface promises, and what it keeps;
- the best single model (largest out-of-fold likelihood), calibrated, predicting by the costs;
- what the hybrid's default, the stack, is expected to cost, and what it costs.

Run it from the repository's root, with a folder for the fits (seconds for each split):

    python -m studies.new_rows_many --data ../shared/data --work /tmp/fits

With `--frozen 300` it draws 300 samples of simulated rows of fitted models instead, whose true
costs are known, and prints how often the interval covers them.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

if TYPE_CHECKING:
    from rocch.arrays import FloatArray

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
# Larger halves are thinned to as many rows to fit on; the other half stays whole.
MOST_ROWS = 1000
# Small sets have more splits, because few errors decide there.
SPLITS, SPLITS_OF_SMALL, SMALL = 10, 40, ("iris", "wine")
NORMAL = 1.96
MATRICES, GENERATIONS = 12, 100
MATRICES_OF_FROZEN, NEW_ROWS = 3, 20_000
# A surface of more classes is not searched.
MOST_CLASSES = 6


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
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
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


class Stored(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A model whose probabilities are known by row number, its only feature."""

    def __init__(self, table: FloatArray) -> None:
        self.table = table

    @property
    def classes_(self) -> Any:
        """The class numbers."""
        return np.arange(self.table.shape[1])

    def fit(self, X: Any, y: Any) -> Stored:  # noqa: ARG002 - scikit-learn's signature
        """Do nothing."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the known probabilities."""
        return np.asarray(self.table[np.asarray(X)[:, 0]])


def draw_costs(classes: int, rng: np.random.Generator) -> rocch.CostMatrix:
    """Draw costs from even to extreme, which sum to 1."""
    pairs = rocch.multiclass.Classes.of(range(classes)).pairs
    drawn = rng.dirichlet(np.full(len(pairs), rng.choice([0.3, 1, 5])))
    return rocch.CostMatrix(dict(zip(pairs, drawn.tolist(), strict=True)))


def best_single(fits: Fits) -> FloatArray:
    """Return the new rows' probabilities by the calibrated model of largest likelihood."""
    found = []
    for known, new in zip(fits.out_of_fold, fits.new, strict=True):
        calibrated = rocch.multiclass.ProbabilityStack.fit(fits.truths, {"model": known})
        own = calibrated.predict_proba({"model": known})[np.arange(len(known)), fits.truths]
        found.append((float(np.log(own).sum()), calibrated.predict_proba({"model": new})))
    return max(found, key=lambda pair: pair[0])[1]


class Outcome(NamedTuple):
    """The costs of all choices under one cost matrix, and the interval of the default.

    `kept_error` is the standard error of the default's cost on the new rows.
    """

    promised: float
    kept_of_promised: float
    single: float
    expected: float
    kept: float
    kept_error: float
    low: float
    high: float


def compare_choices(fits: Fits, split: int) -> list[Outcome]:
    """Return the outcome of each cost matrix on one split."""
    classes = fits.new.shape[2]
    tables = np.concatenate([fits.out_of_fold, fits.new], axis=1)
    models = [
        (name, FrozenEstimator(Stored(table)))
        for name, table in zip(learners(), tables, strict=True)
    ]
    X = np.arange(tables.shape[1])[:, np.newaxis]
    old, new = X[: len(fits.truths)], X[len(fits.truths) :]
    today = rocch.RocSurfaceClassifier(
        models,
        objectives="rates" if classes <= MOST_CLASSES else None,
        generations=GENERATIONS,
        stack=False,
        random_state=split,
    ).fit(old, fits.truths)
    default = rocch.RocSurfaceClassifier(models, objectives=None).fit(old, fits.truths)
    single = best_single(fits)
    rng = np.random.default_rng(split)
    found = []
    for costs in [draw_costs(classes, rng) for _ in range(MATRICES)]:
        exact, aimed = today.at(costs, exact=True), default.at(costs)
        ahead, values = aimed.on_new_rows, costs.values
        ruled = rocch.multiclass.assign(single, costs, classes=range(classes))
        paid = [
            values[fits.new_truths, answers]
            for answers in (exact.predict(new), ruled, aimed.predict(new))
        ]
        kept_exact, kept_single, kept = (float(losses.mean()) for losses in paid)
        promised = float(exact.point.expected_cost or 0)
        error = stratified_error(paid[2], fits.new_truths)
        low, high = ahead.interval or (0.0, 0.0)
        expected = ahead.expected or 0.0
        found.append(Outcome(promised, kept_exact, kept_single, expected, kept, error, low, high))
    return found


def stratified_error(losses: FloatArray, truths: Any) -> float:
    """Return the standard error of a mean over rows with a given number of each class."""
    parts = [losses[truths == k] for k in np.unique(truths)]
    return float(np.sqrt(sum(part.size * part.var() for part in parts)) / truths.size)


def study_set(name: str, data: Path, work: Path) -> FloatArray | None:
    """Return the outcomes (cost matrices of all splits, columns) of a data set."""
    splits = SPLITS_OF_SMALL if name in SMALL else SPLITS
    found: list[Outcome] = []
    for split in range(splits):
        fits = read_fits(name, split, data, work)
        if fits is None:
            return None
        found += compare_choices(fits, split)
    return np.array(found)


def summarize(outcomes: FloatArray) -> list[float]:
    """Return mean costs, log ratios of them in percent, and how often the interval misses."""
    means = outcomes.mean(axis=0)
    promised, kept_of_promised, single, expected, kept = means[:5]
    logs = 100 * np.log(
        [promised / kept_of_promised, expected / kept, kept / kept_of_promised, kept / single]
    )
    _, _, _, expected, kept, error, low, high = outcomes.T
    # as if the cost on all possible new rows were known, and allowing for its error
    plain = kept > high, kept < low
    above, below = (np.hypot(end - expected, NORMAL * error) for end in (high, low))
    allowing = kept > expected + above, kept < expected - below
    return [*means[:5], *logs, *(100 * missed.mean() for missed in (*plain, *allowing))]


COLUMNS = (
    "today: promised",
    "kept",
    "single",
    "default: expected",
    "kept",
    "today: promised / kept, %",
    "default: expected / kept, %",
    "default / today, %",
    "default / single, %",
    "kept above the interval, %",
    "below, %",
    "above, allowing for the error of kept, %",
    "below, %",
)


def print_half(title: str, names: tuple[str, ...], data: Path, work: Path) -> None:
    """Print the table of one half of the sets."""
    print(f"\n{title}\n\n| data set | {' | '.join(COLUMNS)} |")
    print("|---|" + "---:|" * len(COLUMNS))
    rows = []
    for name in names:
        outcomes = study_set(name, data, work)
        if outcomes is None:
            continue
        rows.append(summarize(outcomes))
        costs = " | ".join(f"{value:.5f}" for value in rows[-1][:5])
        print(f"| {name} | {costs} | " + " | ".join(f"{v:.1f}" for v in rows[-1][5:]) + " |")
    table = np.array(rows)[:, 5:]
    errors = table.std(axis=0, ddof=1) / np.sqrt(len(table))
    cells = [f"{m:.1f} ± {e:.1f}" for m, e in zip(table.mean(axis=0), errors, strict=True)]
    print(f"| mean ± se over sets | | | | | | {' | '.join(cells)} |", flush=True)


def simulated_pool(classes: int) -> tuple[Any, dict[str, FloatArray]]:
    """Return labels of many rows, and probabilities by models that never saw them."""
    if classes == 3:
        old, new = (rocch.multiclass.three_class_data(n, seed=n) for n in (300, 60_000))
        X, y, X_new, y_new = old.X, old.y - 1, new.X, new.y - 1
    else:
        X, y = make_classification(
            61_000,
            12,
            n_informative=8,
            n_redundant=0,
            n_classes=6,
            n_clusters_per_class=1,
            weights=[0.4, 0.25, 0.15, 0.1, 0.06, 0.04],
            class_sep=1.2,
            flip_y=0.02,
            random_state=0,
        )
        X, X_new, y, y_new = X[:1000], X[1000:], y[:1000], y[1000:]
    names = ("logistic", "bayes", "forest")
    return y_new, {name: learners()[name].fit(X, y).predict_proba(X_new) for name in names}


def cover_frozen(classes: int, rows: int, samples: int) -> list[float]:
    """Return expected and apparent over true cost, how often the interval misses, its length."""
    truths, tables = simulated_pool(classes)
    models = [(name, FrozenEstimator(Stored(table))) for name, table in tables.items()]
    rng = np.random.default_rng(rows)
    found: list[tuple[float, ...]] = []
    while len(found) < samples * MATRICES_OF_FROZEN:
        drawn = rng.choice(truths.size, rows + NEW_ROWS, replace=False)
        own, new = drawn[:rows], drawn[rows:]
        if np.bincount(truths[own], minlength=classes).min() < 2:
            continue
        X = own[:, np.newaxis]
        hybrid = rocch.RocSurfaceClassifier(models, objectives=None, cv=2).fit(X, truths[own])
        probabilities = hybrid.predict_proba(new[:, np.newaxis])
        for costs in [draw_costs(classes, rng) for _ in range(MATRICES_OF_FROZEN)]:
            ahead = hybrid.at(costs).on_new_rows
            answers = rocch.multiclass.assign(probabilities, costs, classes=range(classes))
            confusion = rocch.multiclass.Confusion.from_labels(
                truths[new], answers, classes=range(classes)
            )
            shares = np.bincount(truths[own]) / rows
            true = confusion.expected_cost(costs, dict(enumerate(shares.tolist())))
            low, high = ahead.interval or (0.0, 0.0)
            found.append((ahead.expected or 0.0, ahead.apparent or 0.0, true, low, high))
    expected, apparent, true, low, high = np.array(found).T
    return [
        expected.mean() / true.mean(),
        apparent.mean() / true.mean(),
        100 * (true > high).mean(),
        100 * (true < low).mean(),
        float(np.median((high - low) / true)),
    ]


def print_frozen(samples: int) -> None:
    """Print the table of simulated rows."""
    print("| classes | rows | expected / true | apparent / true | ", end="")
    print("true above the interval, % | below, % | median length / true |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for classes in (3, 6):
        for rows in (90, 300, 1000):
            found = cover_frozen(classes, rows, samples)
            print(
                f"| {classes} | {rows} | " + " | ".join(f"{v:.3g}" for v in found) + " |",
                flush=True,
            )


def main() -> None:
    """Print both tables, or one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--work", type=Path, help="folder for fits")
    parser.add_argument("--frozen", type=int, help="samples of simulated rows")
    parser.add_argument("--half", choices=("chosen", "kept-back", "both"), default="both")
    given = parser.parse_args()
    if given.frozen:
        print_frozen(given.frozen)
        return
    if given.work is None:
        parser.error("--work names a folder for the fits")
    given.work.mkdir(parents=True, exist_ok=True)
    if given.half != "kept-back":
        print_half("Sets on which the defaults were chosen", CHOSEN_ON, given.data, given.work)
    if given.half != "chosen":
        print_half("Sets kept back", KEPT_BACK, given.data, given.work)


if __name__ == "__main__":
    main()
