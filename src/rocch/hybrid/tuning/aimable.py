"""What a tuner needs of a hybrid: a hull, and a way to aim at a point on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rocch.errors import bad_input, kind_of
from rocch.inputs import as_scores
from rocch.roc.hull import RocHull

if TYPE_CHECKING:
    from rocch.arrays import FloatArray
    from rocch.roc.operating_point import OperatingPoint


class Aimed(Protocol):
    """A hybrid aimed at one operating point."""

    def decision_probability(self, rows: Any, /) -> Any:
        """Return the probability of an alarm for each row; 0 or 1 where nothing is mixed."""

    def predict(self, rows: Any, /) -> Any:
        """Return the class of each row."""


class Aimable(Protocol):
    """A fitted hybrid."""

    @property
    def hull_(self) -> RocHull:
        """The hull that the knob runs along."""

    def at(self, point: Any, /) -> Aimed:
        """Return the hybrid aimed at an operating point."""


def checked_model(model: Any) -> Any:
    """Return a fitted hybrid, or refuse what is none."""
    if not isinstance(getattr(model, "hull_", None), RocHull) or not hasattr(model, "at"):
        raise bad_input(
            "model", "be a fitted hybrid, with hull_ and at(...)", kind_of(model), "Fit it first."
        )
    return model


def alarm_probability(model: Aimable, point: OperatingPoint, rows: Any) -> FloatArray:
    """Return the probability of an alarm for each row, at an operating point."""
    given = model.at(point).decision_probability(rows)
    probability = as_scores(given, np.size(given), argument="decision_probability")
    if probability.min() < 0 or probability.max() > 1:
        raise bad_input(
            "decision_probability",
            "be probabilities from 0 to 1",
            f"{probability.min():g} to {probability.max():g}",
            "The model's at(...) must return the probability of an alarm.",
        )
    return probability
