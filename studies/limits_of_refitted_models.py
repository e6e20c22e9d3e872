"""How often limits with a confidence hold where models are cross-validated and refitted.

A limit is exact for models that were fitted on other rows. `RocchClassifier` evaluates models of
folds, fits a stack on their scores, and deploys models that were refitted on all rows. Here the
true rate of the deployed rule is measured on many fresh rows, with and without rows that
`check_size` holds out. Every table is Markdown; seeds are fixed.

    python -m studies.limits_of_refitted_models                          # about an hour
    python -m studies.limits_of_refitted_models --quick                  # a tenth of the samples
    python -m studies.limits_of_refitted_models --data ../shared/data    # and real data
"""

from __future__ import annotations

import argparse
import math
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import rocch

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray

MAX_FPR, CONFIDENCE = 0.05, 0.95
# Fresh rows that show the true rates.
MANY = 40_000
# The share of rows that is held out to certify the deployed models.
CHECK_SIZE = 0.3
SIZES = (500, 1500, 4000)
SAMPLES = 400


class Broken(NamedTuple):
    """How often the limit was broken, how often nothing was certified, and the mean rates."""

    samples: int
    broken: float
    without: float
    fpr: float
    tpr: float

    def __str__(self) -> str:
        error = 100 * math.sqrt(max(self.broken * (1 - self.broken), 1e-4) / self.samples)
        found = f"{100 * self.broken:.1f} ± {error:.1f}%"
        return f"{found}; {self.fpr:.3f}, {self.tpr:.3f}" + (
            f"; none in {100 * self.without:.0f}%" if self.without else ""
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    parser.add_argument("--data", type=Path, help="a folder with adult.csv and ann_thyroid.csv")
    options = parser.parse_args()
    samples = SAMPLES // 10 if options.quick else SAMPLES
    drawers: dict[str, Any] = {"one bend": draw_bend, "many weak features": draw_weak}
    if options.data is not None:
        drawers |= {
            name: read_rows(options.data / f"{name}.csv", positive)
            for name, positive in (("adult", ">50K"), ("ann_thyroid", "2"))
        }
    plain = rocch.NeymanPearson(MAX_FPR)
    sure = rocch.NeymanPearson(MAX_FPR, confidence=CONFIDENCE)
    print(f"\n**True FPR above {MAX_FPR:g}: share of samples; mean FPR, mean TPR**\n")
    print("| data | rows | plain limit | confidence, refitted | confidence, check_size |")
    print("|---|---:|---|---|---|")
    for name, draw in drawers.items():
        for size in SIZES:
            found = study(draw, size, samples, (plain, sure), seed=size)
            print(f"| {name} | {size} | {' | '.join(map(str, found))} |", flush=True)


def study(
    draw: Any, size: int, samples: int, criteria: tuple[Any, Any], seed: int
) -> tuple[Broken, Broken, Broken]:
    """Return what the plain limit does, and one with a confidence without and with check rows."""
    plain, sure = criteria
    outcomes: list[list[tuple[float, float] | None]] = [[], [], []]
    for number in range(samples):
        rng = np.random.default_rng((seed, number))
        X, y = draw(rng, size)
        fresh = draw(rng, MANY)
        for place, (share, criterion) in enumerate(
            ((None, plain), (None, sure), (CHECK_SIZE, sure))
        ):
            if place != 1:
                model = fit(X, y, share)
            outcomes[place].append(true_rates(model, criterion, *fresh))
    return tuple(map(summarize, outcomes))  # type: ignore[return-value]


def fit(X: Any, y: BoolArray, share: float | None) -> rocch.RocchClassifier:
    """Fit three models and their stack."""
    if isinstance(X, np.ndarray):
        prepare: Any = StandardScaler()
    else:
        prepare = make_column_transformer(
            (StandardScaler(), make_column_selector(dtype_include=np.number)),
            (
                OneHotEncoder(handle_unknown="ignore", sparse_output=False, max_categories=20),
                make_column_selector(dtype_exclude=np.number),
            ),
        )
    models = [
        ("linear", make_pipeline(prepare, LogisticRegression(max_iter=1000))),
        ("bayes", make_pipeline(prepare, GaussianNB())),
        ("tree", make_pipeline(prepare, DecisionTreeClassifier(max_depth=5, random_state=0))),
    ]
    model = rocch.RocchClassifier(models, check_size=share, keep_folds=False, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def true_rates(
    model: rocch.RocchClassifier, criterion: Any, X: Any, y: BoolArray
) -> tuple[float, float] | None:
    """Return FPR and TPR on fresh rows; None if nothing can be certified."""
    try:
        alarms = model.at(criterion).predict(X).astype(bool)
    except rocch.InfeasibleError:
        return None
    return float(alarms[~y].mean()), float(alarms[y].mean())


def summarize(outcomes: list[tuple[float, float] | None]) -> Broken:
    """Count broken limits; where nothing was certified, nothing is broken and nothing found."""
    rates = np.array([pair for pair in outcomes if pair is not None] or [(0.0, 0.0)])
    samples, found = len(outcomes), sum(pair is not None for pair in outcomes)
    broken = float(np.sum(rates[:, 0] > MAX_FPR)) / samples
    return Broken(samples, broken, 1 - found / samples, *rates.mean(axis=0).tolist())


def draw_bend(rng: np.random.Generator, size: int) -> tuple[FloatArray, BoolArray]:
    """Draw four features; the classes differ along a parabola."""
    y = rng.random(size) < 0.25
    X = rng.normal(size=(size, 4))
    X[:, 0] += 1.3 * y
    X[:, 1] += 0.7 * y * X[:, 0]
    return X, y


def draw_weak(rng: np.random.Generator, size: int) -> tuple[FloatArray, BoolArray]:
    """Draw thirty features, each of which tells little."""
    y = rng.random(size) < 0.25
    return rng.normal(size=(size, 30)) + 0.35 * y[:, None], y


def read_rows(path: Path, positive: str) -> Any:
    """Return a function that draws rows of a file, without replacement."""
    import pandas as pd

    table = pd.read_csv(path).dropna(axis=1, how="all")
    y = (table.pop("target").astype(str) == positive).to_numpy()
    for column in table:
        kind = table[column]
        is_number = pd.api.types.is_numeric_dtype(kind)
        table[column] = kind.fillna(kind.median()) if is_number else kind.fillna("missing")
    orders: dict[int, Any] = {}

    def draw(rng: np.random.Generator, size: int) -> tuple[Any, BoolArray]:
        if size < MANY:  # the sample; the next call takes all the others
            order = rng.permutation(y.size)
            orders[0], rows = order[size:], order[:size]
        else:
            rows = orders[0]
        return table.iloc[rows].reset_index(drop=True), y[rows]

    return draw


if __name__ == "__main__":
    main()
