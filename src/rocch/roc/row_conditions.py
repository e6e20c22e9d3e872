"""Conditions that differ from row to row: a loan's amount, a patient's risk of a side effect."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import bad_input, explain_call
from rocch.inputs import as_array, as_scores
from rocch.roc.conditions import OBSERVED

if TYPE_CHECKING:
    from rocch.arrays import BoolArray, FloatArray
    from rocch.roc.judged import Judged


@explain_call("RowConditions(prevalence=0.3, false_positive=1, false_negative=amounts)")
@dataclass(frozen=True, kw_only=True, eq=False)
class RowConditions:
    """Exact prevalence and costs for each row: numbers for all rows alike, or one for each.

    A row is decided by the vertex that would be best if all rows had its conditions. That is the
    best decision for it as long as what is at stake says nothing about the score beyond the class:
    hull rates are averages over all rows. Where the amount goes with the score, weigh the hull by
    amounts instead: `RocchClassifier.fit(X, y, hull_weight=amounts)`, then `Conditions` as usual.

    Parameters
    ----------
    prevalence
        The share of positives where the classifier will work, or "observed".
    false_positive, false_negative, true_positive, true_negative
        The cost of each outcome.

    Examples
    --------
    >>> import rocch
    >>> loans = rocch.RowConditions(
    ...     prevalence=0.1, false_positive=50, false_negative=[1_000, 20_000, 400]
    ... )
    >>> len(loans)
    3
    """

    prevalence: Any
    false_positive: Any
    false_negative: Any
    true_positive: Any = 0
    true_negative: Any = 0

    def __post_init__(self) -> None:
        sizes = {}
        for name in (field.name for field in fields(self)):
            value = getattr(self, name)
            if name == "prevalence" and isinstance(value, str) and value == OBSERVED:
                continue
            array = _as_numbers(value, name)
            _check_bounds(array, name)
            object.__setattr__(self, name, array)
            if array.ndim:
                sizes[name] = array.size
        if len(set(sizes.values())) > 1:
            raise bad_input(
                ", ".join(sizes),
                "have one number for each row",
                ", ".join(map(str, sizes.values())),
                "Check that all come from the same rows.",
            )
        object.__setattr__(self, "_rows", next(iter(sizes.values()), None))

    def __len__(self) -> int:
        rows: int | None = getattr(self, "_rows")  # noqa: B009 - set in __post_init__
        if rows is None:
            raise bad_input(
                "conditions",
                "differ from row to row",
                "the same numbers for all rows",
                "Use Conditions for those.",
            )
        return rows

    def slopes(self, judged: Judged) -> FloatArray:
        """Return the slope of each row's iso-performance lines."""
        prevalence = judged.prevalence if isinstance(self.prevalence, str) else self.prevalence
        alarm = self.false_positive - self.true_negative
        miss = self.false_negative - self.true_positive
        rows = np.broadcast_shapes((len(self),), np.shape(alarm), np.shape(miss))
        alarm, miss, p = (np.broadcast_to(a, rows) for a in (alarm, miss, prevalence))
        _refuse((alarm < 0) | (miss < 0), "an error that is cheaper than the right decision")
        top, bottom = alarm * (1 - p), miss * p
        _refuse((top == 0) & (bottom == 0), "nothing to lose: neither error can cost anything")
        with np.errstate(divide="ignore"):
            return np.asarray(top / bottom, dtype=float)


def _as_numbers(value: Any, name: str) -> FloatArray:
    scalar = np.ndim(value) == 0 and not hasattr(value, "__len__")
    given = as_array([value] if scalar else value, name)
    numbers = as_scores(given, given.size, argument=name)
    return numbers.reshape(()) if scalar else numbers


def _check_bounds(values: FloatArray, name: str) -> None:
    most = 1.0 if name == "prevalence" else np.finfo(float).max
    wrong = np.flatnonzero(~((values >= 0) & (values <= most)))
    if wrong.size:
        must = "lie within [0, 1]" if name == "prevalence" else "be finite and not negative"
        came = f"{values.ravel()[wrong[0]]} at position {wrong[0]}"
        raise bad_input(name, must, came, "State all costs in one unit.")


def _refuse(wrong: BoolArray, what: str) -> None:
    if wrong.any():
        raise bad_input(
            "conditions",
            "give every row a slope",
            f"{what}, at position {np.argmax(wrong)}",
            "Check the costs of that row.",
        )
