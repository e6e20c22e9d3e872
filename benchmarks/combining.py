"""Measure how often combinations help: on noise, where they must not, and on real data.

    python benchmarks/combining.py [data folder]

For each data set four classifiers are scored out of fold. A third of the rows finds combinations, a
third confirms them, and a third, used for nothing else, tells what they were worth: by how much the
cost of the hull's best vertex, averaged over nine slopes, changes when combinations join. Three
ways: all that were found, aimed on the finding rows; all, aimed on the confirming rows; and the
confirmed alone, aimed on the confirming rows.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

import rocch
from rocch.hybrid.gain import as_scored_rows, gains, list_rules, predict_each, prediction_hull
from rocch.rows import ScoredRows

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

DATA = Path(__file__).parents[2] / "shared" / "data"
SETS = {
    "heart_cleveland": 1,
    "pima": 1,
    "german_credit": "bad",
    "crx": "+",
    "vehicle_van": 1,
    "creditcard_sample": 1,
    "sick": "sick",
    "satimage_class4": 1,
    "adult": ">50K",
}
SHARES = np.arange(1, 10) / 10
"""What a false alarm weighs beside a miss: m / (1 + m) for the nine slopes."""
REPEATS = 10
LARGEST = 8000


class Tally(NamedTuple):
    """What one split of one data set gave."""

    found: int
    confirmed: int
    as_found: float
    joined: float
    kept: float


def main() -> None:
    """Print the tables."""
    noise()
    parsimony()
    worth(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)


def worth(folder: Path) -> None:
    """Print what combinations are worth on real data."""
    print("\n| data | rows | found | confirmed | as found, % | joined, % | confirmed, % |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name, positive in SETS.items():
        y, scores = scored(folder / f"{name}.csv", positive)
        real(name, y, scores)
    table = pd.read_csv(folder / "scores_rocr_hiv_wide.csv")
    published = {model: table[model].to_numpy() for model in ("nn", "svm")}
    real("rocr_hiv scores", (table["label"] == 1).to_numpy(), published)


def noise() -> None:
    """Print how much of what is found by luck is confirmed, and how much would be otherwise."""
    print("| rows | models | found per run | confirmed | runs with any | kept thresholds | runs |")
    print("|---:|---|---:|---:|---:|---:|---:|")
    for rows in (400, 2000, 10000):
        for kind, shift in (("3, all noise", 0.0), ("1 good, 2 noise", 1.0)):
            runs = np.array([noisy_run(rows, shift, seed) for seed in range(100)])
            found, confirmed, lenient = runs.sum(axis=0)
            some, more = np.count_nonzero(runs[:, 1:], axis=0)
            print(
                f"| {rows:,} | {kind} | {found / 100:.1f} | {confirmed / found:.2%} | {some}% "
                f"| {lenient / found:.2%} | {more}% |",
                flush=True,
            )


def noisy_run(rows: int, shift: float, seed: int) -> tuple[int, int, int]:
    """Count what is found, what is confirmed, and what would be with the finding thresholds.

    The last lets the single models, too, keep the thresholds that are best on the finding rows.
    """
    rng = np.random.default_rng(seed)
    y = rng.random(rows) < 0.3
    scores = {f"m{i}": rng.normal(size=rows) + shift * (i == 0) * y for i in range(3)}
    find = np.arange(rows) < rows // 2
    result = rocch.hybrid.find_combinations(y, scores, find=find)
    finders, others = _part(y, scores, find), _part(y, scores, ~find)
    kept = predict_each(others, (s for model in finders.scores for s in list_rules(finders, model)))
    base = prediction_hull(others, kept)
    lenient = 0
    for combination in result.found:
        joint = prediction_hull(
            others, np.vstack([kept, predict_each(others, [combination.expression])])
        )
        lenient += any(gain.exceeds(1) for gain in gains(others, joint, base))
    return len(result.found), len(result.confirmed), lenient


def parsimony() -> None:
    """Print how many of ten models stay where one would do."""
    print("\n| rows | ten models | hold a vertex | kept | kept at 2 standard errors |")
    print("|---:|---|---:|---:|---:|")
    for rows, runs in ((400, 30), (2000, 30), (10000, 10)):
        for kind in ("1 good, 9 noise", "all equally good"):
            sizes = []
            for seed in range(runs):
                rng = np.random.default_rng(seed)
                y = rng.random(rows) < 0.3
                good = range(1 if kind.startswith("1") else 10)
                scores = {f"m{i}": rng.normal(size=rows) + (i in good) * y for i in range(10)}
                subsets = [
                    rocch.hybrid.simplest_subset(y, scores, standard_errors=k) for k in (1, 2)
                ]
                winners = rocch.RocHull.from_scores(y, scores).winners
                sizes.append([len(winners), *map(len, subsets)])
            means = " | ".join(f"{mean:.1f}" for mean in np.mean(sizes, axis=0))
            print(f"| {rows:,} | {kind} | {means} |", flush=True)


def real(name: str, y: BoolArray, scores: dict[str, FloatArray]) -> None:
    """Print one line for a data set."""
    tallies = [split(y, scores, seed) for seed in range(REPEATS)]
    means = np.mean(tallies, axis=0)
    errors = np.std(tallies, axis=0, ddof=1) / REPEATS**0.5
    changes = " | ".join(
        f"{100 * mean:+.1f} +- {100 * error:.1f}"
        for mean, error in zip(means[2:], errors[2:], strict=True)
    )
    print(f"| {name} | {y.size:,} | {means[0]:.0f} | {means[1]:.1f} | {changes} |", flush=True)


def split(y: BoolArray, scores: dict[str, FloatArray], seed: int) -> Tally:
    """Find, confirm and test on a third of the rows each."""
    third = np.empty(y.size, dtype=int)
    rng = np.random.default_rng(seed)
    for rows in (np.flatnonzero(y), np.flatnonzero(~y)):
        third[rng.permutation(rows)] = np.arange(rows.size) % 3
    parts = [_part(y, scores, third == i) for i in range(3)]
    known = third < 2
    result = rocch.hybrid.find_combinations(
        y[known], {n: s[known] for n, s in scores.items()}, find=third[known] == 0
    )
    everything = [c.expression for c in result.found]
    kept = [c.expression for c in result.confirmed]
    return Tally(
        len(everything),
        len(kept),
        change(parts[0], parts[2], everything),
        change(parts[1], parts[2], everything),
        change(parts[1], parts[2], kept),
    )


def change(aimed: ScoredRows, test: ScoredRows, expressions: list[Any]) -> float:
    """Return by what share the mean cost on the test rows changes when combinations join."""
    singles = [s for model in aimed.scores for s in list_rules(aimed, model)]
    costs = []
    for candidates in (singles, [*singles, *expressions]):
        here, there = (rates(sample, candidates) for sample in (aimed, test))
        picks = [int(np.argmin(w * here[0] + (1 - w) * (1 - here[1]))) for w in SHARES]
        paid = [
            w * there[0][pick] + (1 - w) * (1 - there[1][pick])
            for w, pick in zip(SHARES, picks, strict=True)
        ]
        costs.append(float(np.mean(paid)))
    return costs[1] / costs[0] - 1


def rates(sample: ScoredRows, expressions: list[Any]) -> tuple[FloatArray, FloatArray]:
    """Return FPR and TPR of expressions, never and always included."""
    fp, tp = sample.count_all(predict_each(sample, expressions))
    negatives, positives = sample.totals
    return np.concatenate(([0, 1], fp / negatives)), np.concatenate(([0, 1], tp / positives))


def scored(file: Path, positive: Any) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Score four classifiers out of fold."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    table = pd.read_csv(file).dropna(axis=1, how="all")
    if len(table) > LARGEST:
        table = table.sample(LARGEST, random_state=0)
    y = (table.pop("target").astype(str) == str(positive)).to_numpy()
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    prepare = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (words, make_column_selector(dtype_exclude="number")),
    )
    models = {
        "logistic": LogisticRegression(max_iter=2000),
        "bayes": GaussianNB(),
        "forest": RandomForestClassifier(100, min_samples_leaf=2, random_state=0),
        "near": KNeighborsClassifier(25),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return y, {
            name: cross_val_predict(
                make_pipeline(prepare, model), table, y, cv=5, method="predict_proba"
            )[:, 1]
            for name, model in models.items()
        }


def _part(y: BoolArray, scores: dict[str, FloatArray], rows: BoolArray) -> ScoredRows:
    mine = {name: column[rows] for name, column in scores.items()}
    return as_scored_rows(y[rows], mine, pos_label=None, sample_weight=None)


if __name__ == "__main__":
    main()
