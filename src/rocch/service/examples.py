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
    "aimed_for": "evaluation rows",
    "new_rows": {"expected": 0.58, "low": 0.47, "high": 0.72, "confidence": 0.95, "note": ""},
    "words": "alarm when nb >= 0.6 (FPR 0.05, TPR 0.8, expected cost 0.545)",
    "mix": [{"probability": 1.0, "classifier": "nb", "threshold": 0.6, "fpr": 0.05, "tpr": 0.8}],
    "randomizing_gains": 0.0,
}
QUESTION = {"prevalence": 0.1, "false_positive": 1.0, "false_negative": 25.0}
WORDS = "10 % positive, a false alarm costs 1, a miss costs 25"
AIM: dict[str, Any] = {
    "id": 12,
    "at": "2026-03-02T09:00:00.000Z",
    "by": "Ada",
    "note": "winter",
    "source": "operator",
    "question": QUESTION,
    "words": WORDS,
    "tuning": "off",
}
COUNTS = {
    "prevalence": [0.1, 0.1],
    "alarms": [125.0, 125.0],
    "hits": [80.0, 80.0],
    "misses": [20.0, 20.0],
    "false_alarms": [45.0, 45.0],
}
DRAWING: dict[str, Any] = {
    "slopes": [0.36, 0.36],
    "lines": [{"kind": "iso", "ends": [[0.0, 0.782], [0.6055555555555556, 1.0]]}],
    "touched": [1, 1],
    "words": "Each mark is a vertex of the hull; the ring is where it operates. The aim has the "
    "slope 0.36: the dashed line.",
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
    "question": QUESTION,
    "words": WORDS,
    "point": POINT,
    "counts": COUNTS,
    "drawing": DRAWING,
    "preview": {
        "sentence": ["It would stay where it is: ", {"strong": "predict 1 when nb >= 0.6"}, "."],
        "comparison": [],
        "changes": [["Miss costs", "20", "25"]],
        "coin": None,
    },
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
        | {"rule": "never alarm"}
        | {"words": "nb: FPR 0 %, TPR 0 %", "details": [["div", {}, "never alarm"]]},
        {"fpr": 0.05, "tpr": 0.8, "knob": 0.425, "classifier": "nb", "threshold": 0.62}
        | {"deployed_threshold": 0.6, "classifiers": ["nb"], "false_positives": 45.0}
        | {"true_positives": 80.0, "rule": "alarm when nb >= 0.6"}
        | {"words": "nb at 0.6: FPR 5 %, TPR 80 %"}
        | {"details": [["div", {}, "alarm when nb >= 0.6"]]},
        {"fpr": 1.0, "tpr": 1.0, "knob": 1.0, "classifier": "nb", **END}
        | {"classifiers": ["nb"], "false_positives": 900.0, "true_positives": 100.0}
        | {"rule": "always alarm"}
        | {"words": "nb: FPR 100 %, TPR 100 %", "details": [["div", {}, "always alarm"]]},
    ],
    "pictures": {"legend": [["li", {}, "nb 3 marks"]]},
    "slope_ranges": [{"classifier": "nb", "low": 0.0, "high": "inf"}],
    "auc": 0.875,
    "slope_bounds": None,
    "judged": {"negatives": 900, "positives": 100},
}
HEALTH = {"status": "ok", "library_version": 7, "problems": []}
METRICS = "# HELP rocch_rows_total Rows decided.\n# TYPE rocch_rows_total counter\n"
CONDITIONS = {"current": AIM, "history": [AIM], "total": 1}
AIMED = {"current": AIM, "point": POINT, "message": f"Put in force: {WORDS}."}
FEEDBACK = {
    "event_id": "monday",
    "duplicate": False,
    "reaction": None,
    "stored_at": "2026-03-02T17:00:00.000Z",
}
