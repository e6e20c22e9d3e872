"""Surfaces as arrays that can be kept, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import rocch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rocch.multiclass.objectives import Objectives


def arrays_of(surface: rocch.RocSurface, name: str) -> dict[str, Any]:
    """Return what a surface is made of, under a name."""
    return {
        f"{name} counts": surface.counts.astype(np.int32),
        f"{name} parameters": surface.parameters,
        f"{name} parameter names": np.array(surface.parameter_names, dtype=str),
        f"{name} costs": surface.costs,
        f"{name} classes": np.array(surface.classes.names),
        f"{name} objectives": surface.objectives,
    }


def surface_of(found: Mapping[str, Any], name: str) -> rocch.RocSurface:
    """Return a surface that was kept under a name; its members all have that name."""
    counts = found[f"{name} counts"].astype(np.int64)
    objectives: Objectives = str(found[f"{name} objectives"])  # type: ignore[assignment]
    return rocch.RocSurface(
        rocch.Classes(tuple(found[f"{name} classes"].tolist())),
        counts,
        (name,) * len(counts),
        found[f"{name} parameters"].copy(),
        tuple(found[f"{name} parameter names"].tolist()),
        found[f"{name} costs"].copy(),
        objectives,
    )


def figures_of(surface: rocch.RocSurface) -> dict[str, Any]:
    """Return the numbers that the paper gives about a surface, and G with its interval."""
    fewest = surface.fewest_errors()
    share = surface.dominated_share()
    return {
        "members": len(surface),
        "fewest": fewest.confusion.errors,
        "reach": len(fewest.equals),
        "beyond": int(surface.beyond_random.sum()),
        "G": share.value,
        "G low": share.low,
        "G high": share.high,
    }
