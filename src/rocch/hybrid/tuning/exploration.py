"""Exploration: which rows to review so that outcomes tell about all rows, not about alarms alone.

Where only alarms are reviewed, nobody learns what was missed: the labels that exist say nothing
about FPR and TPR elsewhere. Reviewing a random share of the other rows, with that share written
down, mends this: each reviewed row then stands for 1 / propensity rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.hybrid.coin import key_texts, tosses
from rocch.inputs import as_array, as_rate, check_length

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Exploration:
    """Which rows to review, and with what probability each of them was chosen.

    Attributes
    ----------
    review
        Whether to review the row: every alarm, and a random share of the others.
    propensities
        The probability with which each row was to be reviewed, whether it is or not.
    """

    review: BoolArray
    propensities: FloatArray

    def __post_init__(self) -> None:
        self.review.flags.writeable = self.propensities.flags.writeable = False

    @property
    def reviewed_propensities(self) -> FloatArray:
        """The propensities of the rows to review, as `KnobTuner.outcomes` takes them."""
        return self.propensities[self.review]


def explored(
    probability: FloatArray, alarms: Any, *, share: float, row_key: Any, seed: int
) -> Exploration:
    """Choose rows to review: all alarms, and a share of the others by a coin keyed by row."""
    share = as_rate(share, "share")
    if share == 0:
        raise bad_input(
            "share",
            "be greater than 0",
            "0",
            "Rows that are never reviewed cannot be learned from; 0.02 is already a start.",
        )
    texts = key_texts(row_key, probability.size)
    raised = _raised(probability, alarms)
    drawn = tosses([f"explore:{text}" for text in texts], seed) < share
    return Exploration(raised | drawn, probability + (1 - probability) * share)


def _raised(probability: FloatArray, alarms: Any) -> BoolArray:
    """Return which rows alarmed; where a coin decides, only the caller knows."""
    sure = (probability == 0) | (probability == 1)
    if alarms is None:
        if not sure.all():
            raise bad_input(
                "alarms",
                "be given where the setting mixes two vertices by a coin",
                "none",
                "Pass which rows alarmed in operation.",
            )
        return np.asarray(probability == 1)
    raised = as_array(alarms, "alarms")
    check_length(raised.size, probability.size, "alarms")
    if raised.dtype != bool:
        raise bad_input(
            "alarms", "be true or false for each row", kind_of(raised[0].item()), "Compare first."
        )
    if (raised != (probability == 1))[sure].any():
        where = np.flatnonzero((raised != (probability == 1)) & sure)[0]
        raise bad_input(
            "alarms",
            "be those of the setting in force",
            f"another decision at position {where}",
            "Explore with the setting that raised the alarms (setting=).",
        )
    return raised
