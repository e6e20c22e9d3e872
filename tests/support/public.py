"""The public names of `rocch`, by their full names."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import rocch

NAMESPACES = (
    "hybrid",
    "library",
    "multiclass",
    "plots",
    "report",
    "roc",
    "scale",
    "service",
    "stats",
)


def public_names() -> dict[str, Any]:
    """Return every public name with what it means; the namespaces themselves are left out."""
    spaces = {"rocch": rocch} | {f"rocch.{name}": getattr(rocch, name) for name in NAMESPACES}
    return {
        f"{space}.{name}": getattr(module, name)
        for space, module in spaces.items()
        for name in module.__all__
        if not (space == "rocch" and isinstance(getattr(module, name), ModuleType))
    }
