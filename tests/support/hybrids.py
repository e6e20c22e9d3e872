"""Hybrids of the hull alone."""

from __future__ import annotations

from typing import Any

import rocch


def hull_hybrid(estimators: Any, **options: Any) -> rocch.RocchClassifier:
    """Return an unfitted hybrid without a stack, aimed at the exact hull."""
    return rocch.RocchClassifier(estimators, **{"stack": False, "exact": True, **options})
