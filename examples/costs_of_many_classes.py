"""Three grades of wine, and a mistake that is expensive: cost matrices used at prediction time.

python examples/costs_of_many_classes.py
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

wine = load_wine()
X, y = wine.data[:, [2, 9]], np.array(["barolo", "grignolino", "barbera"])[wine.target]
X_old, X_new, y_old, y_new = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)

model = rocch.RocSurfaceClassifier(
    [
        ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
        ("bayes", GaussianNB()),
        ("neighbors", rocch.hybrid.KnnFamily()),
    ],
    generations=100,
).fit(X_old, y_old)
print(model.surface_, "-", Counter(model.surface_.models))
print("the stack:", model.stack_)

# to sell a barolo or a grignolino as a barbera is ten times as bad as any other mistake
matrix = rocch.CostMatrix(
    {("barolo", "barbera"): 10, ("grignolino", "barbera"): 10}, classes=model.classes_, default=1
)
for name, view in {
    "equal costs": model.default_,
    "expensive mistakes": model.at(matrix),
}.items():
    found = view.confusion(X_new, y_new)
    print(
        f"\n{name}, on new rows: {found.errors} errors, {found.expected_cost(matrix):.3f} per row"
    )
    print(found)
    print(view.on_new_rows)

# known only roughly: between 5 and 20 times as bad, and grignolino may be rarer than it was
vague = rocch.CostMatrix(
    {("barolo", "barbera"): (5, 20), ("grignolino", "barbera"): (5, 20)},
    classes=model.classes_,
    default=1,
)
balance = {"barbera": (0.2, 0.4), "barolo": (0.3, 0.5), "grignolino": (0.2, 0.4)}
print("\nwithin these bounds", model.surface_.optimal_within(vague, balance))
safe = model.at_least_regret(vague, balance)
print(f"the safest, {safe.point.member}; regret at most {safe.regret:.3f} per row")
