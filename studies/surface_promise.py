"""What a surface promises on the rows that built it, and what it keeps on new ones.

Everson and Fieldsend's three classes, of which new rows can be drawn at will. Classifiers are
fitted, their joint surface is searched on out-of-fold posteriors, and cost matrices are drawn from
even to extreme. For each, the expected cost per row (costs sum to 1) is compared:

- what the cheapest of the surface's members and of the implied rules promises, and keeps;
- the same with `parsimonious=True`, kept;
- what the stack, the default, is expected to cost, and costs;
- what `best_classifier` chooses: a classifier that answers by the costs, or plainly;
- the most likely class, costs or not;
- the true posteriors.

Run it from the repository's root: python -m studies.surface_promise
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

import rocch

SAMPLES, MATRICES = 8, 30
NEW = rocch.multiclass.three_class_data(30_000, seed=999)
CLASSES = [1, 2, 3]
PAIRS = [(k, j) for k in CLASSES for j in CLASSES if k != j]


def models(kind: str) -> list[tuple[str, Any]]:
    """Return classifiers whose posteriors are good, or one that assumes too much."""
    if kind == "naive":
        return [("nb", GaussianNB())]
    curved = make_pipeline(PolynomialFeatures(3), LogisticRegression(max_iter=2000))
    forest = RandomForestClassifier(100, min_samples_leaf=3, random_state=0)
    return [("nb", GaussianNB()), ("curved", curved), ("forest", forest)]


def costs_of(rng: np.random.Generator) -> rocch.CostMatrix:
    """Draw costs, from even to extreme."""
    drawn = rng.dirichlet(np.full(6, rng.choice([0.3, 1, 5])))
    return rocch.CostMatrix(dict(zip(PAIRS, drawn.tolist(), strict=True)))


def reached(probabilities: Any, rule: rocch.CostMatrix, costs: rocch.CostMatrix) -> float:
    """Return the cost per new row of answers by a rule's costs."""
    answers = rocch.multiclass.assign(probabilities, rule, classes=CLASSES)
    return rocch.multiclass.Confusion.from_labels(NEW.y, answers).expected_cost(costs)


def one_sample(kind: str, rows: int, seed: int) -> list[list[float]]:
    """Return the costs of all choices for each cost matrix."""
    data = rocch.multiclass.three_class_data(rows, seed=seed)
    hybrid = rocch.RocSurfaceClassifier(
        models(kind), generations=300, stack=False, random_state=seed
    ).fit(data.X, data.y)
    stacked = rocch.RocSurfaceClassifier(models(kind), objectives=None).fit(data.X, data.y)
    shares = {name: m.predict_proba(NEW.X) for name, m in hybrid.named_estimators_.items()}
    shares["stack"] = stacked.predict_proba(NEW.X)
    true, plain = NEW.probabilities(NEW.X), hybrid.default_.point.member.model
    equal = rocch.CostMatrix.zero_one(CLASSES)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(MATRICES):
        costs = costs_of(rng)
        free, careful = hybrid.at(costs), hybrid.at(costs, parsimonious=True)
        default = stacked.at(costs)
        rule = rocch.multiclass.best_classifier(data.y, hybrid.hybrid_.probabilities, costs)
        chosen = [each.member for each in (free.point, careful.point, default.point, rule)]
        kept = [reached(shares[each.model], each.costs or costs, costs) for each in chosen]
        found.append(
            [
                float(free.point.expected_cost or 0),
                *kept[:2],
                float(default.on_new_rows.expected or 0),
                *kept[2:],
                reached(shares[plain], equal, costs),
                reached(true, costs, costs),
            ]
        )
    return found


def main() -> None:
    """Print the table."""
    print("| probabilities | rows | members: promised | kept | parsimonious: kept | ", end="")
    print("default: expected | kept | best_classifier | most likely class | true probabilities |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for kind in ("good", "naive"):
        for rows in (150, 300, 900, 3000):
            samples = [one_sample(kind, rows, seed) for seed in range(SAMPLES)]
            means = np.concatenate(samples).mean(axis=0)
            print(
                f"| {kind} | {rows} | " + " | ".join(f"{mean:.4f}" for mean in means) + " |",
                flush=True,
            )


if __name__ == "__main__":
    main()
