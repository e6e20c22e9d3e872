"""A stand-in for the service, whose state tests set at will: pages are opened on it.

It answers as the service does. Where one would have to wait for weeks (warnings, moves of the
tuner), the state is simply written down.
"""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np

import rocch
from rocch import Question, RocchError
from rocch.service import errors
from rocch.service.page import expected_counts, make_page, make_preview, write_rates
from rocch.service.pictures import draw_question, hull_pictures
from rocch.service.served import vertices_of

TOKENS = {"viewer-token-of-tests": "viewer", "operator-token-of-tests": "operator"}
VIEWER, OPERATOR = TOKENS
CALLER = "caller-token-of-tests"
HOSTILE = "<img src=x onerror=alert(1)>"


@cache
def scored_hull(names: tuple[str, ...] = ("gbm", "logit", "nb")) -> rocch.RocHull:
    """Return the hull of classifiers that win one after the other."""
    rng = np.random.default_rng(3)
    y = rng.random(4000) < 0.2
    width = (
        0.45,
        1.0,
        2.2,
    )  # of the positives: wide ones win on the left, narrow ones on the right
    shift = (1.45, 1.75, 1.9)
    scores = {
        name: (np.where(y, width[i % 3], 1) * rng.normal(size=y.size) + shift[i % 3] * y).round(1)
        for i, name in enumerate(names)
    }
    return rocch.RocHull.from_scores(y, scores)


def point_document(point: rocch.roc.OperatingPoint) -> dict[str, Any]:
    """Return an operating point as the service answers it."""
    cost = point.on_new_rows
    low, high = cost.interval or (None, None)
    return {
        "fpr": point.fpr,
        "tpr": point.tpr,
        "knob": (point.fpr + point.tpr) / 2,
        "expected_cost": point.expected_cost,
        "cost_range": point.cost_range,
        "rates_are": "on the evaluation rows",
        "aimed_for": "evaluation rows",
        "new_rows": {
            "on_evaluation_rows": cost.apparent,
            "expected": cost.expected,
            "expected_range": cost.expected_range,
            "low": low,
            "high": high,
            "confidence": cost.confidence,
            "note": cost.note,
            "rates": None,
        },
        "savings": point.savings().to_dict(),
        "words": point.describe(),
        "mix": [{"probability": share, "fpr": at.fpr, "tpr": at.tpr} for share, at in point.mix],
        "randomizing_gains": point.randomizing_gains,
        "guarantee": None,
        "referral": None,
    }


FIRST = {
    "id": 12,
    "at": "2026-03-02T08:02:11Z",
    "by": "Ada",
    "note": "winter",
    "source": "operator",
    "question": {"prevalence": [0.1, 0.2], "false_positive": 1, "false_negative": [5, 10]},
    "words": "10 to 20% positive, a false alarm costs 1, a miss costs 5 to 10",
    "tuning": "off",
}


class StandIn:
    """The service's state, and what it was sent."""

    def __init__(self, names: tuple[str, ...] = ("gbm", "logit", "nb")) -> None:
        self.hull = scored_hull(names)
        self.puts: list[Any] = []
        self.documents: dict[tuple[int, Question], dict[str, Any]] = {}
        self.asked: list[str] = []
        self.refusal: tuple[int, dict[str, Any]] | None = None
        self.faster: dict[str, Any] | None = None  # what someone else puts just before the next
        self.gone = False
        self.tokens = dict(TOKENS)
        self.history = [deepcopy(FIRST)]
        self.more: dict[str, Any] = _quiet(names, self.hull)
        self.address = ""

    @property
    def aim(self) -> dict[str, Any]:
        return self.history[0]

    @property
    def question(self) -> Question:
        return Question.from_dict(self.aim["question"])

    def point_of(self, question: Question) -> rocch.roc.OperatingPoint:
        return self.hull.best(question)

    def document_of(self, question: Question) -> dict[str, Any]:
        """Return the point for a question as the service answers it, computed once."""
        key = id(self.hull), question
        if key not in self.documents:
            self.documents[key] = point_document(self.point_of(question))
        return deepcopy(self.documents[key])

    def facts_of(self, question: Question) -> dict[str, Any]:
        """Return the rule for a question, where it operates and what to expect of it."""
        point, document = self.point_of(question), self.document_of(question)
        assumed = self.more["prevalence"]["assumed"]
        observed = self.hull.totals.prevalence
        counts = expected_counts(document, assumed or (observed, observed))
        return {"rule": point.rule(), "point": document, "counts": counts}

    def status(self, role: str) -> dict[str, Any]:
        force = {"source": self.aim["source"], **self.facts_of(self.question), "sql": None}
        force["drawing"] = draw_question(self.hull, self.question)
        known = {"role": role, "aim": self.aim, "in_force": force, **self.more}
        return {**known, "page": make_page(known, self.question)}

    def answer(self, method: str, path: str, role: str, body: Any) -> tuple[int, Any]:
        route = urlsplit(path)
        if route.path == "/v1/status":
            return 200, self.status(role)
        if route.path == "/v1/hull":
            return 200, self._hull()
        if route.path == "/v1/best":
            return self._best(dict(parse_qsl(route.query)))
        if method == "PUT":
            return self._put(body)
        return 200, {"current": self.aim, "history": self.history, "total": len(self.history)}

    def _hull(self) -> dict[str, Any]:
        names = self.more["model"]["classifiers"]
        now = {name: self.more["model"][name] for name in ("version", "sha256")}
        vertices = vertices_of(self.hull)
        return {"model": now, "vertices": vertices, "pictures": hull_pictures(vertices, names)}

    def _best(self, query: dict[str, str]) -> tuple[int, Any]:
        try:
            question = Question.from_strings(query)
            then = self.facts_of(question)
            drawing = draw_question(self.hull, question)
        except RocchError as error:
            refused = errors.ServiceError.of(error)
            return 422, refusal(refused.code, refused.message, refused.argument)
        now = self.facts_of(self.question)
        return 200, {
            "question": question.to_dict(),
            "words": question.describe(),
            **then,
            "rule": {"words": then["rule"]},
            "drawing": drawing,
            "preview": make_preview(now, then, (self.question, question)),
        }

    def _put(self, body: Any) -> tuple[int, Any]:
        if self.faster is not None:
            first, self.faster = self.faster, None
            message = f"aim {self.aim['id']} is not in force any more."
            self._put(first)
            self.refusal = 409, refusal("conflict", message, "replaces")
        self.puts.append(body)
        if self.refusal is not None:
            (status, document), self.refusal = self.refusal, None
            return status, document
        kept = {"by": "", "note": "", "tuning": "off", **body}
        kept.pop("replaces", None)
        words = Question.from_dict(body["question"]).describe()
        when = {"id": (self.aim["id"] or 0) + 1, "at": "2026-03-02T09:11:00Z", "source": "operator"}
        self.history.insert(0, {**kept, **when, "words": words})
        document = self.document_of(self.question)
        return 200, {
            "current": self.aim,
            "point": document,
            "message": f"Put in force: {words}. {write_rates(document)}.",
        }


def refusal(code: str, message: str, argument: str | None = None) -> dict[str, Any]:
    """Return an error as the service answers it."""
    return {"error": {"code": code, "message": message, "argument": argument}}


def _quiet(names: tuple[str, ...], hull: rocch.RocHull) -> dict[str, Any]:
    """Return what a service knows that decides and has nothing to complain of."""
    rng = np.random.default_rng(5)
    rows = rng.poisson(180, size=60)
    alarms = rng.binomial(rows, 0.34)
    model = {
        "version": 7,
        "sha256": "ab" * 32,
        "saved_at": "2026-02-27T16:40:00Z",
        "loaded_at": "2026-02-27T16:40:01Z",
        "note": "after the February review",
        "classifiers": list(names),
        "judged": {
            "negatives": hull.totals.negatives,
            "positives": hull.totals.positives,
        },
        "takes_features": False,
        "features": None,
        "pending": None,
    }
    return {
        "rocch": "0.1.0",
        "now": "2026-03-02T09:10:00Z",
        "started_at": "2026-02-27T16:39:00Z",
        "model": model,
        "decisions": {
            "total": 402_113,
            "alarms": 131_000,
            "requests": 1_200,
            "referred": 0,
            "per_minute": rows.tolist(),
            "alarms_per_minute": alarms.tolist(),
        },
        "prevalence": {
            "assumed": [0.1, 0.2],
            "estimated": 0.16,
            "interval": [0.145, 0.176],
            "rows": 5000,
            "model": names[0],
            "problem": None,
        },
        "workers": [],
        "audit_lag": None,
        "feedback": {"events": 0, "recent": [], "observed": None},
        "tuner": None,
        "warnings": [],
    }


def troubled(service: StandIn) -> None:
    """Give a service warnings, feedback and a tuner that moved."""
    service.aim["tuning"] = "follow"
    service.more["prevalence"].update(estimated=0.27, interval=[0.252, 0.291])
    service.more["warnings"] = [
        {
            "code": "prevalence_left",
            "message": "the estimated prevalence, 25.2 to 29.1%, left your interval, 10 to 20%. "
            "Look at what changed, or re-aim.",
        },
        {
            "code": "version_pending",
            "message": "version 8 is not used: it is damaged.",
        },
    ]
    service.more["model"]["pending"] = {"name": "version 8", "problem": "its file is damaged"}
    service.more["feedback"] = {
        "events": 41,
        "recent": [
            {
                "at": f"2026-03-02T0{8 - i}:55:00Z",
                "event_id": f"e{i}",
                "kind": ("outcomes", "load", "too_many_alarms")[i % 3],
                "rows": 500 if i % 3 == 0 else None,
                "words": "costs fell; the knob goes on to the right" if i % 3 == 0 else "noted",
                "moved": i % 3 == 0,
            }
            for i in range(6)
        ],
        "observed": {"rows": 3000, "fpr": 0.214, "tpr": 0.871},
    }
    moves = [
        {"at": f"2026-03-02T0{8 - i}:55:00Z", "from": 0.5 + i / 50, "to": 0.52 + i / 50, "why": why}
        for i, why in enumerate(("too many misses", "the queue was not filled", "too many misses"))
    ]
    service.more["tuner"] = {
        "mode": "follow",
        "position": 0.52,
        "setting": "alarm when gbm >= 0.4",
        "step": 0.02,
        "moves": moves,
    }
