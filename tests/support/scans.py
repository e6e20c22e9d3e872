"""Questions to `rocch.scale.scan` in one call each, for tests that ask several of them alike."""

from __future__ import annotations

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
