"""Names for the arrays that flow through the house."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
BoolArray: TypeAlias = NDArray[np.bool_]

IntArray: TypeAlias = NDArray[Any]
"""Counts: int64, or Python integers (dtype object) where int64 would be too small."""
