"""Numbers of any size turned into probabilities, the same for a row alone and in a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rocch.arrays import FloatArray


def softmax(scores: FloatArray) -> FloatArray:
    """Return exp(scores), divided by the sum of each row; columns are added up in their order."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    total = powers[:, 0].copy()
    for column in range(1, powers.shape[1]):
        total += powers[:, column]
    return np.asarray(powers / total[:, np.newaxis])
