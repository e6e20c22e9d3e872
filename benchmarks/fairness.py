"""Compare fair rates by group with fairlearn and error-parity: costs under the same constraint.

All get the same scores of one classifier at a time. fairlearn's `ThresholdOptimizer` minimizes the
error rate; its expected predictions (`_pmf_predict`, `flip=False`) are counted, and its own
violation is our tolerance. error-parity's `RelaxedThresholdOptimizer` takes costs and a tolerance.
Our cost must never be higher. "all models" is ours with every classifier, which they cannot have.
The last table has one row for each data set and rival. Rivals that are not installed are skipped.
Adult is read from `--data`, if it is there.

    python benchmarks/fairness.py                # about two minutes
    python benchmarks/fairness.py --only adult   # one kind of data
    python benchmarks/fairness.py --large        # time 10 groups and 10 models
    python benchmarks/fairness.py --coverage 500 # whether intervals hold on new rows
"""

from __future__ import annotations

import argparse
import logging
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import rocch
from rocch.hybrid import FairRates, fair_rates

# Costs of rivals are compared with ours up to this: error-parity's solver may leave the hull a bit.
SAME = 1e-9

# Our names of rates, with those of both rivals.
KINDS = {
    "tpr": "true_positive_rate_parity",
    "fpr": "false_positive_rate_parity",
    "both": "equalized_odds",
    "predicted_positive": "demographic_parity",
}
TOLERANCES = (0.0, 0.02, 0.05, 0.1)
EQUAL = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=1)
UNEQUAL = rocch.Conditions(prevalence="observed", false_positive=1, false_negative=4)


class Data(NamedTuple):
    """Labels, scores of each classifier, and groups numbered from 0."""

    name: str
    y: Any
    scores: dict[str, Any]
    groups: Any


class Found(NamedTuple):
    """Cost per case, violation and seconds of one method."""

    cost: float
    violation: float
    seconds: float


class Comparison(NamedTuple):
    """A rival, and ours at its tolerance: for its model, and for all models."""

    rival: Found
    tolerance: float
    ours: FairRates
    several: FairRates
    seconds: float


def main() -> None:
    """Print one row for each data set, kind of rate, tolerance and method."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--only", default="", help="a part of the data sets' names")
    parser.add_argument("--large", action="store_true", help="only time 10 groups and 10 models")
    parser.add_argument("--coverage", type=int, default=0, help="only check intervals; samples")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    if options.large:
        large()
        return
    if options.coverage:
        coverage(options.coverage)
        return
    rivals = {"fairlearn": fairlearn, "error-parity": error_parity}
    present = {name: run for name, run in rivals.items() if is_installed(name)}
    print(
        "| data | groups | rates | rival | tolerance | its cost | ours, with a coin | all models ",
        end="",
    )
    print("| one setting each | its violation | ours | seconds, its and ours |")
    print("|---|---:|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    rows: dict[tuple[str, str], list[Comparison]] = {}
    for data in data_sets(options.data, options.only):
        for kind in KINDS:
            for name, run in present.items():
                for row in run(data, kind):
                    rows.setdefault((data.name, name), []).append(row)
                    print_row(data, kind, name, row)
    summarize(rows)


def summarize(rows: dict[tuple[str, str], list[Comparison]]) -> None:
    """Print how often, and by how much, ours costs less."""
    print("\n| data | rival | comparisons | ours costs more | ours minus its, most ", end="")
    print("| its above ours, most | its above ours with all models, mean | our excess violation |")
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for (data, rival), own in rows.items():
        above = max(100 * (row.rival.cost / row.ours.cost - 1) for row in own)
        several = np.mean([100 * (row.rival.cost / row.several.cost - 1) for row in own])
        worse = sum(row.ours.cost > row.rival.cost + SAME for row in own)
        most = max(row.ours.cost - row.rival.cost for row in own)
        excess = max(row.ours.violation - row.tolerance for row in own)
        print(
            f"| {data} | {rival} | {len(own)} | {worse} | {most:.1g} | {above:.2f}% "
            f"| {several:.1f}% | {max(excess, 0):.1g} |"
        )


def is_installed(name: str) -> bool:
    """Return whether a rival is installed; say so if not."""
    try:
        __import__(name.replace("-", "_"))
    except ImportError:
        print(f"{name} is not installed and skipped\n")
        return False
    return True


def data_sets(folder: Path, only: str) -> Iterator[Data]:
    """Yield simulated data, and real ones where they are."""
    for seed, (groups, rows) in enumerate(((2, 600), (2, 5000), (4, 4000), (8, 8000))):
        if only in "simulated":
            yield simulated(groups, rows, seed)
    if only in "tied":
        data = simulated(3, 3000, 9)
        tied = {name: np.round(3 * scores) / 3 for name, scores in data.scores.items()}
        yield data._replace(name="tied", scores=tied)
    if (folder / "adult.csv").exists():
        yield from (data for data in adult(folder / "adult.csv") if only in data.name)
    else:
        print(f"adult.csv is not in {folder} and skipped\n")


def simulated(groups: int, rows: int, seed: int) -> Data:
    """Draw groups of different prevalence, whose classes are more or less apart."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, groups, rows)
    y = rng.random(rows) < np.linspace(0.2, 0.5, groups)[place]
    apart = rng.uniform(0.6, 2.0, (3, groups))
    names = ("lr", "gbm", "knn")
    scores = {n: rng.normal(size=rows) + apart[i][place] * y for i, n in enumerate(names)}
    return Data(f"simulated, {rows}", y.astype(int), scores, place)


def adult(path: Path) -> Iterator[Data]:
    """Fit two classifiers on half of the Adult data; groups are sexes, and races."""
    import pandas as pd
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    frame = pd.read_csv(path)
    y = (frame.pop("target") == ">50K").to_numpy().astype(int)
    numbers = list(frame.select_dtypes("number").columns)
    words = [name for name in frame.columns if name not in numbers]
    frame[words] = frame[words].fillna("missing").astype(str)
    frame[numbers] = frame[numbers].astype(float)
    encode = make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore"), words)
    )
    fitted = np.random.default_rng(0).random(y.size) < 0.5
    models = {
        "lr": make_pipeline(encode, LogisticRegression(max_iter=500)),
        "gbm": make_pipeline(
            make_column_transformer(("passthrough", numbers)),
            HistGradientBoostingClassifier(max_iter=60, random_state=0),
        ),
    }
    rest = frame[~fitted]
    scores = {
        name: model.fit(frame[fitted], y[fitted]).predict_proba(rest)[:, 1]
        for name, model in models.items()
    }
    for column in ("sex", "race"):
        places = np.unique(rest[column].to_numpy(), return_inverse=True)[1]
        yield Data(f"adult, {column}", y[~fitted], scores, places)


def solve(data: Data, kind: str, tolerance: float, costs: Any, model: str | None) -> FairRates:
    """Return our choice for one model, or for all of them."""
    scores = data.scores if model is None else {model: data.scores[model]}
    options: Any = {"rates": kind, "tolerance": tolerance, "randomize": True}
    return fair_rates(data.y, scores, data.groups, costs, **options)


def count(data: Data, kind: str, alarms: Any, costs: Any) -> tuple[float, float]:
    """Return the cost per case and the violation of expected predictions."""
    y = data.y.astype(bool)
    fp, fn = costs.false_positive.low, costs.false_negative.low
    cost = float(np.mean(np.where(y, fn * (1 - alarms), fp * alarms)))
    within = {"tpr": [y], "fpr": [~y], "both": [y, ~y], "predicted_positive": [y | True]}[kind]
    spreads = []
    for rows in within:
        rates = [alarms[rows & (data.groups == g)].mean() for g in np.unique(data.groups)]
        spreads.append(max(rates) - min(rates))
    return cost, float(max(spreads))


class Scores(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped
    """A fitted classifier whose features are its scores, for fairlearn."""

    classes_ = np.array([0, 1])

    def __init__(self) -> None:
        self.fitted_ = True

    def fit(self, X: Any, y: Any) -> Scores:  # noqa: ARG002 - scikit-learn's
        """Do nothing."""
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the only feature."""
        return np.asarray(X)[:, 0]


def fairlearn(data: Data, kind: str) -> Iterator[Comparison]:
    """Compare with fairlearn; it relaxes constraints on one rate only."""
    from fairlearn.postprocessing import ThresholdOptimizer

    model = next(iter(data.scores))
    X = data.scores[model][:, None]
    for relaxed in (None,) if kind == "both" else (None, 0.05):
        start = time.perf_counter()
        rival = ThresholdOptimizer(
            estimator=Scores(),
            constraints=KINDS[kind],
            objective="accuracy_score",
            prefit=True,
            predict_method="decision_function",
            flip=False,
            tol=relaxed,
        ).fit(X, data.y, sensitive_features=data.groups)
        seconds = time.perf_counter() - start
        alarms = rival._pmf_predict(X, sensitive_features=data.groups)[:, 1]
        found = Found(*count(data, kind, alarms, EQUAL), seconds)
        yield compare(data, kind, found, found.violation, EQUAL, model)


def error_parity(data: Data, kind: str) -> Iterator[Comparison]:
    """Compare with error-parity, with unequal costs at several tolerances."""
    from error_parity import RelaxedThresholdOptimizer

    model = next(iter(data.scores))
    scores = data.scores[model]
    for tolerance in TOLERANCES:
        start = time.perf_counter()
        rival = RelaxedThresholdOptimizer(
            predictor=lambda X: X[:, 0],
            constraint=KINDS[kind],
            tolerance=tolerance,
            false_pos_cost=1,
            false_neg_cost=4,
            max_roc_ticks=10**6,
        )
        try:
            rival.fit(scores[:, None], data.y, group=data.groups)
        except Exception as error:
            print(f"error-parity fails on {data.name}, {kind}, {tolerance}: {error}")
            continue
        seconds = time.perf_counter() - start
        violation = float(rival.constraint_violation())
        found = Found(float(rival.cost()), violation, seconds)
        # its solver may break the tolerance a little, and then so may we
        yield compare(data, kind, found, max(tolerance, violation), UNEQUAL, model)


def compare(
    data: Data, kind: str, found: Found, tolerance: float, costs: Any, model: str
) -> Comparison:
    """Compare a rival with ours at a tolerance."""
    tolerance = min(1.0, tolerance)
    start = time.perf_counter()
    ours = solve(data, kind, tolerance, costs, model)
    seconds = time.perf_counter() - start
    return Comparison(found, tolerance, ours, solve(data, kind, tolerance, costs, None), seconds)


def print_row(data: Data, kind: str, rival: str, row: Comparison) -> None:
    """Print one comparison."""
    found, ours, single = row.rival, row.ours, row.ours.deterministic
    print(
        f"| {data.name} | {len(np.unique(data.groups))} | {kind.replace('_', ' ')} | {rival} "
        f"| {row.tolerance:.4f} | {found.cost:.5f} | {ours.cost:.5f} | {row.several.cost:.5f} "
        f"| {single.cost if single else np.nan:.5f} | {found.violation:.2g} "
        f"| {ours.violation:.2g} | {found.seconds:.2f}, {row.seconds:.2f} |",
        flush=True,
    )


def large() -> None:
    """Time 10 groups, 10 models and 100,000 rows."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, 10, 100_000)
    y = rng.random(place.size) < np.linspace(0.1, 0.4, 10)[place]
    apart = rng.uniform(0.8, 2.0, (10, 10))
    scores = {f"m{m}": rng.normal(size=place.size) + apart[m][place] * y for m in range(10)}
    print("| rates | tolerance | seconds | one setting each | gap | with a coin |")
    print("|---|---:|---:|---:|---:|---:|")
    for kind in KINDS:
        for tolerance in (0.01, 0.05):
            start = time.perf_counter()
            options: Any = {"rates": kind, "tolerance": tolerance}
            found = fair_rates(y, scores, place, UNEQUAL, **options)
            seconds = time.perf_counter() - start
            assert found.deterministic is not None
            print(
                f"| {kind.replace('_', ' ')} | {tolerance} | {seconds:.1f} | {found.cost:.5f} "
                f"| {found.deterministic.gap:.2g} | {found.randomized.cost:.5f} |",
                flush=True,
            )


def coverage(samples: int) -> None:
    """Print how often all intervals hold the true differences.

    Each sample chooses a rule with tolerance 0.05, and is asked about new rows; then rows of their
    own, as many, are asked. Scores are normal, so the true rates of a rule are known.
    """
    print(
        "| rates | groups | rows of each | true violation, mean | above 0.05 | all intervals hold ",
        end="",
    )
    print("| of rows of their own |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for kind in KINDS:
        for groups, rows in ((2, 100), (2, 1000), (5, 200), (5, 1000)):
            if kind == "both" and groups > 2:  # takes long
                continue
            rng = np.random.default_rng(20261117)
            shares, apart = np.linspace(0.2, 0.5, groups), np.linspace(1.0, 2.0, groups)
            found = [cover(rng, kind, shares, apart, rows) for _ in range(samples)]
            violation, choosing, own = np.array(found, dtype=float).T
            print(
                f"| {kind.replace('_', ' ')} | {groups} | {rows} | {violation.mean():.3f} "
                f"| {100 * np.mean(violation > 0.05):.0f}% | {100 * choosing.mean():.1f}% "
                f"| {100 * own.mean():.1f}% |",
                flush=True,
            )


def cover(
    rng: np.random.Generator, kind: str, shares: Any, apart: Any, rows: int
) -> tuple[float, bool, bool]:
    """Return the true violation, and whether all intervals of both kinds of rows hold."""
    from scipy.stats import norm

    def draw() -> tuple[Any, Any, Any]:
        place = np.repeat(np.arange(shares.size), rows)
        y = rng.random(place.size) < shares[place]
        return y, {"m": rng.normal(size=place.size) + apart[place] * y}, place

    fair = fair_rates(*draw(), UNEQUAL, rates=kind, tolerance=0.05)  # type: ignore[arg-type]
    never, always = -np.inf, np.inf
    cuts = np.array(
        [
            p.threshold if p.threshold is not None else always if p.fpr == 0 else never
            for p in fair.points.values()
        ],
        dtype=float,
    )
    fpr, tpr = norm.sf(cuts), norm.sf(cuts - apart)
    true = {"fpr": fpr, "tpr": tpr, "predicted_positive": shares * tpr + (1 - shares) * fpr}

    def holds(check: Any) -> bool:
        return all(
            d.interval.low <= true[d.rate][d.group] - true[d.rate][d.other] <= d.interval.high
            for d in check.differences
        )

    names = ("fpr", "tpr") if kind == "both" else (kind,)
    violation = max(float(np.ptp(true[name])) for name in names)
    return violation, holds(fair.differences()), holds(fair.check(*draw()))


if __name__ == "__main__":
    main()
