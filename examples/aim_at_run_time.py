"""One classifier for every day: fit once, aim anew when costs, class balance or capacity change.

python examples/aim_at_run_time.py
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import rocch

X, y = make_classification(
    4000, 12, n_informative=5, weights=[0.85], flip_y=0.05, class_sep=0.8, random_state=3
)
X_today, y_today = X[3000:], y[3000:]

model = rocch.RocchClassifier(
    [
        ("bayes", GaussianNB()),
        ("logistic", LogisticRegression()),
        ("forest", RandomForestClassifier(60, min_samples_leaf=3, random_state=0)),
    ],
    check_size=0.2,
    random_state=0,
).fit(X[:3000], y[:3000])

print("kept:", ", ".join(model.kept_))
for row in model.hull_.slope_ranges():
    print("  slopes", row)
broken = sum(min(c.fpr_p_value, c.tpr_p_value) < 0.01 for c in model.check_)
print(f"promises checked on unseen rows: {broken} of {len(model.check_)} vertices are off")

aims = {
    "a miss is 5 times as bad": rocch.Conditions(
        prevalence="observed", false_positive=1, false_negative=5
    ),
    "a miss is 50 times as bad, 2 % are positive": rocch.Conditions(
        prevalence=0.02, false_positive=1, false_negative=50
    ),
    "at most 1 % false alarms": rocch.NeymanPearson(0.01),
    "find 95 %": rocch.MinimumTpr(0.95),
}
for words, aim in aims.items():
    view = model.at(aim)
    alarms = view.predict(X_today) == 1
    fpr, tpr = alarms[y_today == 0].mean(), alarms[y_today == 1].mean()
    print(f"\n{words}: {view.rule}")
    print(f"  promised FPR {view.point.fpr:.3f}, TPR {view.point.tpr:.3f}; ", end="")
    print(f"today FPR {fpr:.3f}, TPR {tpr:.3f}")
    if view.on_new_rows.expected is not None:  # the aim has costs
        print(f"  {view.on_new_rows}")

chosen = model.select(X_today, 50)
found = int(np.sum(y_today[chosen.rows]))
print(f"\n50 appointments: {chosen.expected_true_positives:.0f} hits expected, {found} found")
