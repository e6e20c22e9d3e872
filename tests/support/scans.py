"""Questions to `rocch.scale.scan` in one call each, for tests that ask several of them alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rocch


def hull(frame: Any, *, by: Any = None, **asked: Any) -> Any:
    return rocch.scale.scan(frame, **asked).hull(by)


def auc(frame: Any, *, by: Any = None, width: Any = None, **asked: Any) -> Any:
    return rocch.scale.scan(frame, **asked).auc(by, width=width)


def curve(frame: Any, *, by: Any = None, resolution: Any = 0.001, **asked: Any) -> Any:
    return rocch.scale.scan(frame, **asked).curve(by, resolution=resolution)


def counts(frame: Any, *, thresholds: Any, by: Any = None, **asked: Any) -> Any:
    return rocch.scale.scan(frame, **asked).counts(thresholds, by)


def summary(frame: Any, *, by: Any = None, **asked: Any) -> Any:
    return rocch.scale.scan(frame, **asked).summary(by)


def _counts_at_some(frame: Any, *, scores: Any, **asked: Any) -> Any:
    at = {name: [0.3] for name in ([scores] if isinstance(scores, str) else scores)}
    return counts(frame, thresholds=at, scores=scores, **asked)


# Those that a column `g` of groups allows; both classes must occur in each.
QUESTIONS: dict[str, Callable[..., Any]] = {
    "hull": hull,
    "hulls": lambda frame, **asked: hull(frame, **{"by": "g", **asked}),
    "area": auc,
    "bracket": lambda frame, **asked: auc(frame, width=0.1, **asked),
    "outlines": curve,
    "counts": _counts_at_some,
}
# One class may be missing in a summary.
EVERY_QUESTION = {**QUESTIONS, "summary": summary}
