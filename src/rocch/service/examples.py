"""Examples of answers, for the OpenAPI description; the tests hold them against their documents."""

from __future__ import annotations

from typing import Any

LIBRARY = {"version": 7, "sha256": "9f2c" + 60 * "0"}
RULE: dict[str, Any] = {
    "rocch_rule": 1,
    "words": "predict 1 when nb >= 0.6",
    "positive": 1,
    "negative": 0,
    "mix": [{"probability": 1.0, "alarm_when": {"model": "nb", "at_least": 0.6, "written": "0.6"}}],
    "scores": {"nb": "decision_function"},
    "coin": {"needed": False, "seed": 0, "row_key": None, "made": "..."},
    "expected": {"fpr": 0.05, "tpr": 0.8},
}
POINT: dict[str, Any] = {
    "fpr": 0.05,
    "tpr": 0.8,
    "knob": 0.425,
    "expected_cost": 0.545,
    "words": "alarm when nb >= 0.6 (FPR 0.05, TPR 0.8, expected cost 0.545)",
    "mix": [{"probability": 1.0, "classifier": "nb", "threshold": 0.6, "fpr": 0.05, "tpr": 0.8}],
    "randomizing_gains": 0.0,
}
AIM: dict[str, Any] = {
    "id": 12,
    "at": "2026-03-02T09:00:00.000Z",
    "by": "Ada",
    "note": "winter",
    "source": "operator",
    "conditions": {"prevalence": 0.1, "false_positive": 1.0, "false_negative": 25.0},
    "criterion": None,
    "randomize": False,
    "tuning": "off",
    "words": "prevalence 0.1, false positive 1, false negative 25",
}
DECIDED = {
    "decisions": [0, 1],
    "rows": 2,
    "alarms": 1,
    "rule": RULE,
    "coin": None,
    "library": LIBRARY,
    "aim": {"source": "operator", "id": 12},
    "decision_id": "0f9a5a3e0a5b4a0e9d3f6a1b2c3d4e5f",
    "decided_at": "2026-03-02T09:15:00.123Z",
}
BEST = {
    "point": POINT,
    "rule": RULE,
    "library": LIBRARY,
    "aim": {"source": "request", "id": None},
}
END: dict[str, Any] = {"threshold": None, "deployed_threshold": None}
HULL = {
    "library": LIBRARY,
    "vertices": [
        {"fpr": 0.0, "tpr": 0.0, "knob": 0.0, "classifier": "nb", **END}
        | {"classifiers": ["nb"], "false_positives": 0.0, "true_positives": 0.0}
        | {"rule": "never alarm"},
        {"fpr": 0.05, "tpr": 0.8, "knob": 0.425, "classifier": "nb", "threshold": 0.62}
        | {"deployed_threshold": 0.6, "classifiers": ["nb"], "false_positives": 45.0}
        | {"true_positives": 80.0, "rule": "alarm when nb >= 0.6"},
        {"fpr": 1.0, "tpr": 1.0, "knob": 1.0, "classifier": "nb", **END}
        | {"classifiers": ["nb"], "false_positives": 900.0, "true_positives": 100.0}
        | {"rule": "always alarm"},
    ],
    "slope_ranges": [{"classifier": "nb", "low": 0.0, "high": "inf"}],
    "auc": 0.875,
    "slope_bounds": None,
    "judged": {"negatives": 900, "positives": 100},
}
HEALTH = {"status": "ok", "library_version": 7, "problems": []}
METRICS = "# HELP rocch_rows_total Rows decided.\n# TYPE rocch_rows_total counter\n"
CONDITIONS = {"current": AIM, "history": [AIM], "total": 1}
AIMED = {"current": AIM, "point": POINT}
FEEDBACK = {
    "event_id": "monday",
    "duplicate": False,
    "reaction": None,
    "stored_at": "2026-03-02T17:00:00.000Z",
}
