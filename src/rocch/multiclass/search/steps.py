"""Steps from one parameter vector to another: heavy-tailed, and kept within bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


def laplacian(
    parameters: FloatArray, scale: FloatArray | float, rng: np.random.Generator
) -> FloatArray:
    """Add a Laplacian step to each parameter; its tails now and then reach far (section 3)."""
    return np.asarray(parameters + rng.laplace(size=parameters.shape) * scale)


def reflected(values: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Mirror values at their bounds until they lie within.

    Cutting them off instead would pile up steps on the bounds themselves.
    """
    width = high - low
    period = np.where(width > 0, 2 * width, 1.0)  # where the bounds meet there is no way to go
    folded = np.abs(np.mod(values - low + width, period) - width)
    return np.asarray(np.clip(low + folded, low, high))


def as_vector(parameters: Any, size: int) -> FloatArray:
    """Return a parameter vector of so many finite numbers; a mapping's values in its order."""
    values = list(parameters.values()) if isinstance(parameters, Mapping) else parameters
    try:
        vector = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (size,) or not np.isfinite(vector).all():
        raise bad_input(
            "parameters", f"be {size} finite numbers", repr(parameters), "See parameter_names."
        )
    return vector
