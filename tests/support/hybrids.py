"""Hybrids of the hull alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import rocch


def hull_hybrid(estimators: Any, **options: Any) -> rocch.RocchClassifier:
    """Return an unfitted hybrid without a stack, aimed at the exact hull."""
    return rocch.RocchClassifier(estimators, **{"stack": False, "exact": True, **options})


def as_export(model: rocch.RocchClassifier) -> rocch.RocchClassifier:
    """Return a fitted hybrid like an export of a library, which keeps no rows to calibrate on."""
    hybrid = replace(model.hybrid_, scorer=None)
    model.restore(hybrid, discarded=model.discarded_, reference=model.reference_)
    return model
