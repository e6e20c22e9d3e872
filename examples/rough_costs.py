"""Choose among three models when a miss is "20 to 60 times as bad", on rows they never saw."""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rocch

X, y = load_breast_cancer(return_X_y=True)
malignant = y == 0
X_train, X_test, y_train, y_test = train_test_split(
    X[:, :8], malignant, test_size=0.5, random_state=0, stratify=malignant
)
models = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "forest": RandomForestClassifier(100, random_state=0),
    "bayes": GaussianNB(),
}
scores = {
    name: model.fit(X_train, y_train).predict_proba(X_test)[:, 1] for name, model in models.items()
}

hull = rocch.RocHull.from_scores(y_test, scores)
print("Who wins where:")
for row in hull.slope_ranges():
    print("  slope", row)

rough = rocch.Conditions(prevalence=(0.02, 0.05), false_positive=1, false_negative=(20, 60))
report = hull.sensitivity(rough)
print(report)
for choice in report.choices:
    print(
        f"  {choice.point.rule()}: best for slopes {choice.low:.3g} to {choice.high:.3g}, "
        f"at worst {choice.worst_regret:.3f} more per patient"
    )

answer = report.minimax
counts = answer.counts(cases=1000, prevalence=0.03)
print(f"Of 1,000 patients, 30 of them ill, expect {counts['true_positives']:.0f} found and")
print(f"{counts['false_positives']:.0f} false alarms.")
