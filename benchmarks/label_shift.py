"""Prevalence estimates of fitted models under pure label shift: what is refused and covered.

A batch is drawn by class from rows that no model has seen, so nothing but the prevalence moves. It
is scored in five ways:

- refitted: by the model refitted on all training rows, beside the curve of out-of-fold scores;
- average: by the mean of the fold models, beside the same curve;
- drawn: each row by one fold model, drawn evenly, beside the same curve;
- all folds: by every fold model, beside the same curve: `RocchClassifier.estimate_prevalence`;
- kept back: by a model fitted on 80% of the rows, beside its curve on the other 20%.

"hybrid" is a `RocchClassifier` of all models but the forest. Its stack is usually the best scorer;
"refitted" is its best component.

Simulated data are new for each repetition (`make_classification`, 30% positives). Real ones are
split anew; rows of the batch are drawn without replacement, because a small pool drawn from with
replacement differs from the training rows by more than a sample of the batch's size does.

    python benchmarks/label_shift.py              # about half an hour
    python benchmarks/label_shift.py --repeat 4   # rougher, three minutes
    python benchmarks/label_shift.py --learners lr nb --rows 300
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

LEARNERS: dict[str, Any] = {
    "lr": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "nb": GaussianNB(),
    "knn": make_pipeline(StandardScaler(), KNeighborsClassifier(25)),
    "forest": RandomForestClassifier(50, random_state=0),
    "gbm": HistGradientBoostingClassifier(max_iter=50, random_state=0),
}
HYBRID = "hybrid"
ROWS = (300, 1000, 3000)
POOL, BATCH = 9000, 1000
PREVALENCES = (0.05, 0.3, 0.6)
WAYS = ("refitted", "average", "drawn", "all folds", "kept back")
# Sets of at least 3,000 rows with two classes, the last column.
SETS = ("sick", "adult")
REAL_ROWS, REAL_BATCH = 1000, 500
# Times the usual odds of the positive class.
ODDS = (0.5, 1, 3)
# Standard deviation of noise on the features, for a batch in which more has changed.
NOISE = 0.5


class World(NamedTuple):
    """Training rows, rows to draw batches from, the size of batches, and their prevalences."""

    X: Any
    y: Any
    pool: Any
    positive: Any
    batch: int
    prevalences: tuple[float, ...]


class Line(NamedTuple):
    """One batch scored in one way: where it comes from, and what was found."""

    repetition: int
    way: str
    noisy: bool
    refused: bool
    covered: bool
    width: float


def main() -> None:
    """Print a table for simulated data, and one for real data."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=40, help="repetitions of each line")
    parser.add_argument(
        "--learners", nargs="*", default=[*LEARNERS, HYBRID], choices=[*LEARNERS, HYBRID]
    )
    parser.add_argument("--rows", nargs="*", type=int, default=list(ROWS))
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    folder = Path(__file__).parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=folder, help="folder of CSV files")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    worlds: dict[str, Callable[[int], World]] = {}
    for rows in given.rows:
        worlds[f"simulated, {rows} rows"] = partial(simulated, rows)
    for name in given.sets:
        file = given.data / f"{name}.csv"
        if file.is_file():
            table = read(file)
            title = f"{name}, {REAL_ROWS} rows"
            worlds[title] = partial(resampled, *table)
        else:
            print(f"skipped {name}: there is no {file}")
    print(f"{given.repeat} repetitions with {len(PREVALENCES)} batches; errors over repetitions\n")
    print(
        "| data | model | " + " | ".join(f"{way}: refused, covered, width" for way in WAYS), end=""
    )
    print(" | noisy features refused: refitted, drawn, all folds, kept back |")
    print("|---|---|" + "---:|" * (len(WAYS) + 1))
    found = []
    for title, world in worlds.items():
        for learner in given.learners:
            lines: list[Line] = []
            for repetition in range(given.repeat):
                if learner == HYBRID:
                    lines += scored_by_hybrid(world(repetition), repetition)
                else:
                    lines += scored(world(repetition), LEARNERS[learner], repetition)
            show(title, learner, lines)
            found += [(title, learner, *each) for each in lines]
    columns = ["data", "model", *Line._fields]
    every = pd.DataFrame(found, columns=columns).query("not noisy")
    by = every.groupby(["data", "model", "way"], sort=False)[["refused", "covered"]].mean()
    extremes = by.groupby("way", sort=False).agg(["min", "mean", "max"])
    print("\n" + extremes.map("{:.3f}".format).to_string())


def simulated(rows: int, seed: int) -> World:
    """Draw a new population, and rows of it."""
    X, y = make_classification(
        rows + POOL,
        12,
        n_informative=6,
        n_redundant=2,
        n_clusters_per_class=3,
        weights=[0.7],
        class_sep=0.8,
        flip_y=0.03,
        random_state=seed,
    )
    return World(X[:rows], y[:rows], X[rows:], y[rows:] == 1, BATCH, PREVALENCES)


def read(file: Path) -> tuple[Any, Any]:
    """Return numbers without gaps, and whether each row is of the rarer class; each row once."""
    frame = pd.read_csv(file).drop_duplicates()
    target = frame.iloc[:, -1].astype(str)
    y = (target == target.value_counts().idxmin()).to_numpy().astype(int)
    features = pd.get_dummies(frame.iloc[:, :-1], dtype=float)
    features = features.fillna(features.median()).fillna(0)
    return features.to_numpy(), y


def resampled(X: Any, y: Any, seed: int) -> World:
    """Split rows anew."""
    order = np.random.default_rng(seed).permutation(y.size)
    rows, pool = order[:REAL_ROWS], order[REAL_ROWS:]
    odds = y.mean() / (1 - y.mean()) * np.array(ODDS)
    shares = tuple((odds / (1 + odds)).tolist())
    return World(X[rows], y[rows], X[pool], y[pool] == 1, REAL_BATCH, shares)


def scored(world: World, learner: Any, repetition: int) -> Iterator[Line]:
    """Fit, and score batches in all ways."""
    rng = np.random.default_rng(repetition)
    model: Any = rocch.RocchClassifier([("m", learner)]).fit(world.X, world.y)
    curve = rocch.RocCurve.from_rows(model.out_of_fold_, "m")
    refitted, folds = model.named_estimators_["m"], model.reference_.folds["m"]
    X, X_kept, y, y_kept = train_test_split(
        world.X, world.y, test_size=0.2, stratify=world.y, random_state=repetition
    )
    part = clone(learner).fit(X, y)
    kept = rocch.RocCurve.from_scores(y_kept, part.predict_proba(X_kept)[:, 1], name="m")
    for batch, share, noisy in batches(rng, world):
        columns = np.column_stack([fold.predict_proba(batch)[:, 1] for fold in folds])
        lot = rng.permutation(len(batch)) % len(folds)
        scores = {
            "refitted": refitted.predict_proba(batch)[:, 1],
            "average": columns.mean(axis=1),
            "drawn": columns[np.arange(len(batch)), lot],
        }
        estimates = {
            way: rocch.stats.estimate_prevalence(curve, column) for way, column in scores.items()
        }
        estimates["all folds"] = model.estimate_prevalence(batch)
        estimates["kept back"] = rocch.stats.estimate_prevalence(
            kept, part.predict_proba(batch)[:, 1]
        )
        for way, estimate in estimates.items():
            yield line(repetition, way, noisy, estimate, share)


def scored_by_hybrid(world: World, repetition: int) -> Iterator[Line]:
    """Fit a hybrid, and score batches by its best component as refitted, and by its fold models."""
    rng = np.random.default_rng(repetition)
    pairs = [(name, each) for name, each in LEARNERS.items() if name != "forest"]
    model: Any = rocch.RocchClassifier(pairs).fit(world.X, world.y)
    rows = model.out_of_fold_
    curves = [rocch.RocCurve.from_rows(rows, name) for name in model.kept_]
    best = max(curves, key=lambda curve: curve.auc)
    for batch, share, noisy in batches(rng, world):
        scores = model.named_estimators_[best.name].predict_proba(batch)[:, 1]
        refitted = rocch.stats.estimate_prevalence(best, scores)
        yield line(repetition, "refitted", noisy, refitted, share)
        yield line(repetition, "all folds", noisy, model.estimate_prevalence(batch), share)


def batches(rng: np.random.Generator, world: World) -> Iterator[tuple[Any, float, bool]]:
    """Draw a batch of each prevalence, and one with noisy features."""
    for share in world.prevalences:
        yield drawn(rng, world, share), share, False
    batch = drawn(rng, world, world.prevalences[1])
    noise = NOISE * world.X.std(axis=0) * rng.normal(size=batch.shape)
    yield batch + noise, world.prevalences[1], True


def line(repetition: int, way: str, noisy: bool, estimate: Any, share: float) -> Line:
    """Return what was found."""
    low, high = estimate.interval
    return Line(repetition, way, noisy, estimate.rejected, low <= share <= high, high - low)


def drawn(rng: np.random.Generator, world: World, share: float) -> Any:
    """Draw a batch by class, without replacement."""
    positives = int(rng.binomial(world.batch, share))
    sizes = {True: positives, False: world.batch - positives}
    rows = [
        rng.choice(np.flatnonzero(world.positive == kind), size, replace=False)
        for kind, size in sizes.items()
    ]
    return world.pool[np.concatenate(rows)]


def show(title: str, learner: str, lines: list[Line]) -> None:
    """Print one line of the table."""
    frame = pd.DataFrame(lines, columns=list(Line._fields))
    cells = []
    for way in WAYS:
        if way not in set(frame.way):
            cells.append("")
            continue
        own = frame[(frame.way == way) & ~frame.noisy].groupby("repetition")
        means = own[["refused", "covered", "width"]].mean()
        mean, error = means.mean(), means.sem()
        cells.append(
            f"{100 * mean.refused:.1f} ± {100 * error.refused:.1f}%, "
            f"{100 * mean.covered:.0f}%, {mean.width:.3f}"
        )
    noisy = frame[frame.noisy].groupby("way").refused.mean()
    power = ", ".join(
        f"{100 * noisy[way]:.0f}%" for way in WAYS if way != "average" and way in noisy
    )
    print(f"| {title} | {learner} | " + " | ".join(cells) + f" | {power} |", flush=True)


if __name__ == "__main__":
    main()
