"""A stand-in for the service, whose state tests set at will: pages are opened on it.

It answers as the service does. Where one would have to wait for weeks (warnings, moves of the
tuner), the state is simply written down.
"""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import numpy as np

import rocch
from rocch import RocchError
from rocch.roc.asked import Asked

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
    return {
        "fpr": point.fpr,
        "tpr": point.tpr,
        "knob": (point.fpr + point.tpr) / 2,
        "expected_cost": point.expected_cost,
        "words": str(point),
        "mix": [{"probability": share, "fpr": at.fpr, "tpr": at.tpr} for share, at in point.mix],
        "randomizing_gains": point.randomizing_gains,
    }


def hull_document(hull: rocch.RocHull) -> dict[str, Any]:
    """Return a hull as the service answers it."""
    vertices = [
        {
            "fpr": v.fpr,
            "tpr": v.tpr,
            "knob": (v.fpr + v.tpr) / 2,
            "classifier": v.classifier,
            "classifiers": list(v.classifiers),
            "threshold": v.threshold,
            "deployed_threshold": v.deployed_threshold,
            "false_positives": v.false_positives,
            "true_positives": v.true_positives,
            "rule": v.rule(),
        }
        for v in hull.vertices
    ]
    judged = {"negatives": hull.totals.negatives, "positives": hull.totals.positives}
    return {"vertices": vertices, "judged": judged, "auc": hull.auc}


FIRST = {
    "id": 12,
    "at": "2026-03-02T08:02:11Z",
    "by": "Ada",
    "note": "winter",
    "source": "operator",
    "conditions": {"prevalence": [0.1, 0.2], "false_positive": 1, "false_negative": [5, 10]},
    "criterion": None,
    "randomize": False,
    "tuning": "off",
    "words": "prevalence 0.1..0.2, false positive 1, false negative 5..10",
}


def words_of(aim: dict[str, Any]) -> str:
    """Return an aim in words."""
    said = {**(aim.get("conditions") or {}), **(aim.get("criterion") or {})}
    return ", ".join(
        f"{name.replace('_', ' ')} {'..'.join(f'{x:g}' for x in value)}"
        if isinstance(value, list)
        else f"{name.replace('_', ' ')} {value}"
        for name, value in said.items()
    )


def criterion_of(words: dict[str, Any]) -> Any:
    """Return the criterion that words ask for."""
    if "knob" in words:
        return rocch.roc.Knob(words["knob"])
    return Asked(**words).criterion


def typed(text: str) -> Any:
    """Read a word of an address."""
    try:
        ends = [float(end) for end in text.split("..")]
    except ValueError:
        return text
    return ends[0] if len(ends) == 1 else tuple(ends)


class StandIn:
    """The service's state, and what it was sent."""

    def __init__(self, names: tuple[str, ...] = ("gbm", "logit", "nb")) -> None:
        self.hull = scored_hull(names)
        self.puts: list[Any] = []
        self.asked: list[str] = []
        self.refusal: tuple[int, dict[str, Any]] | None = None
        self.gone = False
        self.tokens = dict(TOKENS)
        self.history = [deepcopy(FIRST)]
        self.more: dict[str, Any] = _quiet(names, self.hull)
        self.address = ""

    @property
    def aim(self) -> dict[str, Any]:
        return self.history[0]

    def best(self, words: dict[str, Any], *, randomize: bool) -> rocch.roc.OperatingPoint:
        criterion = criterion_of(words)
        if isinstance(criterion, rocch.roc.Knob):
            return criterion.on(self.hull, randomize=randomize)
        return self.hull.best(criterion, randomize=randomize)

    def point_of(self, aim: dict[str, Any]) -> rocch.roc.OperatingPoint:
        words = {**(aim.get("conditions") or {}), **(aim.get("criterion") or {})}
        return self.best(words, randomize=aim["randomize"])

    def status(self, role: str) -> dict[str, Any]:
        point = self.point_of(self.aim)
        force = {"source": self.aim["source"], "point": point_document(point), "rule": point.rule()}
        return {"role": role, "aim": self.aim, "in_force": {**force, "sql": None}, **self.more}

    def answer(self, method: str, path: str, role: str, body: Any) -> tuple[int, Any]:
        route = urlsplit(path)
        if route.path == "/v1/status":
            return 200, self.status(role)
        if route.path == "/v1/hull":
            now = {name: self.more["library"][name] for name in ("version", "sha256")}
            return 200, {**hull_document(self.hull), "library": now}
        if route.path == "/v1/best":
            return self._best(dict(parse_qsl(route.query)))
        if method == "PUT":
            return self._put(body)
        return 200, {"current": self.aim, "history": self.history, "total": len(self.history)}

    def _best(self, query: dict[str, str]) -> tuple[int, Any]:
        randomize = query.pop("randomize", "false") == "true"
        try:
            point = self.best({k: typed(v) for k, v in query.items()}, randomize=randomize)
        except RocchError as error:
            named = re.search(r"\{(\w+)\}", getattr(error, "template", ""))
            argument = named[1] if named else getattr(error, "argument", None)
            return 422, refusal("bad_input", str(error), argument)
        return 200, {"point": point_document(point), "rule": {"words": point.rule()}}

    def _put(self, body: Any) -> tuple[int, Any]:
        self.puts.append(body)
        if self.refusal is not None:
            (status, document), self.refusal = self.refusal, None
            return status, document
        said = {"conditions": None, "criterion": None, **body}
        said.pop("replaces", None)
        when = {"id": self.aim["id"] + 1, "at": "2026-03-02T09:11:00Z", "source": "operator"}
        self.history.insert(0, {**said, **when, "words": words_of(said)})
        return 200, {"current": self.aim, "point": point_document(self.point_of(self.aim))}


def refusal(code: str, message: str, argument: str | None = None) -> dict[str, Any]:
    """Return an error as the service answers it."""
    return {"error": {"code": code, "message": message, "argument": argument}}


def _quiet(names: tuple[str, ...], hull: rocch.RocHull) -> dict[str, Any]:
    """Return what a service knows that decides and has nothing to complain of."""
    rng = np.random.default_rng(5)
    rows = rng.poisson(180, size=60)
    alarms = rng.binomial(rows, 0.34)
    library = {
        "version": 7,
        "sha256": "ab" * 32,
        "exported_at": "2026-02-27T16:40:00Z",
        "loaded_at": "2026-02-27T16:40:01Z",
        "note": "after the February review",
        "classifiers": list(names),
        "judged": {
            "negatives": hull.totals.negatives,
            "positives": hull.totals.positives,
        },
        "takes_features": False,
        "pending": None,
    }
    return {
        "rocch": "0.1.0",
        "now": "2026-03-02T09:10:00Z",
        "started_at": "2026-02-27T16:39:00Z",
        "library": library,
        "decisions": {
            "total": 402_113,
            "alarms": 131_000,
            "requests": 1_200,
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
            "message": "the estimated prevalence, 25.2 to 29.1 %, left your interval, 10 to 20 %. "
            "Look at what changed, or re-aim.",
        },
        {
            "code": "export_pending",
            "message": "version 8 of the library is not used: it is damaged.",
        },
    ]
    service.more["library"]["pending"] = {"version": 8, "problem": "its file is damaged"}
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
