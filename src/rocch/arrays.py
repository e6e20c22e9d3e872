"""Types of arrays."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray: TypeAlias = NDArray[Any]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
# Counts: int64, or Python integers (dtype object) where int64 is too small.
IntArray: TypeAlias = NDArray[Any]
