"""Types of arrays, and of the data that callers pass."""

from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

AnyArray: TypeAlias = NDArray[Any]
BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
# Counts: int64, or Python integers (dtype object) where int64 is too small.
IntArray: TypeAlias = NDArray[Any]

# The name of a class: a text, a number, a flag or a date.
Label: TypeAlias = Hashable

# Columns of numbers: a mapping from names, a data frame, or an array of one column.
Columns: TypeAlias = Mapping[Any, ArrayLike] | ArrayLike

# Rows of features, in whatever form the models accept: an array, a data frame, a sparse matrix or
# a list of anything.
Features: TypeAlias = Any
