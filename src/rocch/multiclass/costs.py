"""What each error costs when there are more than two classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rocch.errors import InputError, bad_input, shown
from rocch.multiclass.classes import Classes
from rocch.multiclass.cost_frames import NAME_THE_ROWS, entries_of_frame
from rocch.roc.conditions import Interval, as_cost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rocch.arrays import FloatArray

T = TypeVar("T")
MOST_LISTED = 6


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class CostMatrix:
    """The cost of answering one class when another is true, each with its names.

    Parameters
    ----------
    costs
        `{(truth, prediction): cost}`, or a labelled data frame: long, with the columns truth,
        prediction and cost (or low and high), or square, saying what its rows are (the index named
        "truth", or a column "truth" with the names). Each cost is a number or an interval
        (low, high), in one unit for all. Right answers cost 0 unless stated.
    classes
        The classes, where their order matters or not all occur; by default those named, sorted.
    default
        The cost of all errors that are not stated; without it, every one must be.

    Raises
    ------
    InputError
        If costs carry no names, are negative, missing or not finite, if an error can be cheaper
        than the right answer, or nothing costs anything.

    Examples
    --------
    >>> import rocch
    >>> costs = rocch.CostMatrix({("ill", "well"): 20, ("well", "ill"): (1, 3)})
    >>> costs["ill", "well"], costs["well", "ill"]
    (20.0, Interval(low=1.0, high=3.0))
    """

    classes: Classes
    low: FloatArray
    high: FloatArray

    def __init__(self, costs: Any, *, classes: Any = None, default: Any = None) -> None:
        entries = costs if isinstance(costs, Mapping) else _by_name(costs)
        named = classes_named(entries, classes)
        intervals = every_cost(entries, named, default, as_cost)
        low = np.array([[intervals[k, j].low for j in named] for k in named])
        high = np.array([[intervals[k, j].high for j in named] for k in named])
        self._take(named, low, high)

    def _take(self, classes: Classes, low: FloatArray, high: FloatArray) -> None:
        check_errors_cost(classes, low, high)
        for name, value in (("classes", classes), ("low", low), ("high", high)):
            object.__setattr__(self, name, value)
        low.flags.writeable = high.flags.writeable = False

    @classmethod
    def of_bounds(cls, classes: Classes, low: FloatArray, high: FloatArray) -> CostMatrix:
        """Take bounds that stand in the classes' order: truths in rows, answers in columns."""
        matrix = cls.__new__(cls)
        matrix._take(classes, np.array(low, dtype=float), np.array(high, dtype=float))
        return matrix

    @classmethod
    def zero_one(cls, classes: Any) -> CostMatrix:
        """Let every error cost 1: the expected cost is the error rate."""
        return cls({}, classes=classes, default=1)

    def __repr__(self) -> str:
        stated = {pair: self._interval(*pair) for pair in self._stated()}
        usual, times = Counter(self._interval(*pair) for pair in self.classes.pairs).most_common(1)[
            0
        ]
        rest = ""
        if len(stated) > MOST_LISTED and times > 1:  # the rule and its exceptions
            stated = {pair: cost for pair, cost in stated.items() if cost != usual}
            rest = f", classes={list(self.classes)!r}, default={usual}"
        listed = ", ".join(f"{pair!r}: {cost}" for pair, cost in stated.items())
        return f"CostMatrix({{{listed}}}{rest})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return NotImplemented
        if set(self.classes) != set(other.classes):
            return False
        there = other.in_order(self.classes)
        return bool((self.low == there.low).all() and (self.high == there.high).all())

    def __hash__(self) -> int:
        return hash(frozenset(self._stated()))

    def __getitem__(self, pair: tuple[Any, Any]) -> float | Interval:
        """Return the cost of (truth, prediction): a number, or an interval where it is one."""
        k, j = self.classes.places(pair)
        interval = self._interval(self.classes.names[k], self.classes.names[j])
        return interval.low if interval.exact else interval

    @property
    def exact(self) -> bool:
        """Whether every cost is one number."""
        return bool((self.low == self.high).all())

    @property
    def values(self) -> FloatArray:
        """The costs as an array, truths in rows and answers in columns; they must be exact."""
        if not self.exact:
            raise InputError(
                "costs known only between bounds have no single matrix. Ask what they allow "
                "(RocSurface.optimal_within), aim at the least regret (RocSurface.least_regret, "
                "RocSurfaceClassifier.at_least_regret), or take costs.middle()."
            )
        return self.low

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row for each cost; a data frame of them is one that `CostMatrix` reads."""
        return [
            {
                "truth": truth,
                "prediction": prediction,
                "low": float(self.low[k, j]),
                "high": float(self.high[k, j]),
            }
            for k, truth in enumerate(self.classes)
            for j, prediction in enumerate(self.classes)
        ]

    def middle(self) -> CostMatrix:
        """Return the matrix with every interval replaced by its middle."""
        middle = (self.low + self.high) / 2
        return CostMatrix.of_bounds(self.classes, middle, middle)

    def in_order(self, classes: Classes, argument: str = "costs") -> CostMatrix:
        """Return the same costs in another order of the same classes."""
        if self.classes == classes:
            return self
        order = same_classes(self.classes, classes, argument)
        grid = np.ix_(order, order)
        return CostMatrix.of_bounds(classes, self.low[grid], self.high[grid])

    def _interval(self, truth: Any, prediction: Any) -> Interval:
        k, j = self.classes.places((truth, prediction))
        return Interval(float(self.low[k, j]), float(self.high[k, j]))

    def _stated(self) -> Iterable[tuple[Any, Any]]:
        right = [(name, name) for name in self.classes if self._interval(name, name) != (0, 0)]
        return (*self.classes.pairs, *right)


def _by_name(costs: Any) -> dict[tuple[Any, Any], Any]:
    if isinstance(costs, (np.ndarray, list, tuple)):
        raise bad_input(
            "costs",
            "name the classes of each cost",
            "an unlabelled matrix, whose rows and columns could be swapped",
            NAME_THE_ROWS,
        )
    return entries_of_frame(costs)


def classes_named(entries: Mapping[Any, Any], classes: Any) -> Classes:
    """Return the classes that costs speak of, in the order given or else sorted."""
    for key in entries:
        if not isinstance(key, tuple) or len(key) != 2:
            raise bad_input(
                "costs", "have pairs (truth, prediction) as keys", repr(key), NAME_THE_ROWS
            )
    if classes is not None:
        return Classes.of(classes)
    named = dict.fromkeys(name for key in entries for name in key)
    try:
        return Classes.of(sorted(named), "costs")
    except TypeError:
        return Classes.of(sorted(named, key=repr), "costs")


def same_classes(named: Classes, classes: Classes, argument: str) -> list[int]:
    """Return where each of the classes stands among those named, which must be the same."""
    if set(named) != set(classes):
        raise bad_input(
            argument,
            f"speak of the classes {shown(classes, 30)}",
            shown(named, 30),
            "Name every class, and each as it is written in the data.",
        )
    return [named.names.index(name) for name in classes]


def every_cost(
    entries: Mapping[Any, Any], classes: Classes, default: Any, read: Callable[[Any, str], T]
) -> dict[tuple[Any, Any], T]:
    """Return each cost as it is read, those not stated too; refuse unknown classes and gaps."""
    found = {(name, name): read(0.0, "costs") for name in classes}
    if default is not None:
        found |= dict.fromkeys(classes.pairs, read(default, "default"))
    for (truth, prediction), value in entries.items():
        k, j = (classes.place(name, "costs") for name in (truth, prediction))
        cost = read(value, f"the cost of {truth!r} answered {prediction!r}")
        found[classes.names[k], classes.names[j]] = cost
    gaps = [pair for pair in classes.pairs if pair not in found]
    if gaps:
        raise bad_input(
            "costs",
            "state what every error costs",
            f"no cost for {shown(gaps)}",
            "Add them as (truth, prediction), or pass default= for all others.",
        )
    return found


def check_errors_cost(classes: Classes, low: FloatArray, high: FloatArray) -> None:
    """Refuse costs, (Q, Q) or one such matrix for each row, that reward errors or ask nothing."""
    right = np.diagonal(high, axis1=-2, axis2=-1)[..., None]
    cheaper = np.argwhere((low < right) & ~np.eye(len(classes), dtype=bool))
    for *row, k, j in cheaper:
        raise bad_input(
            f"the cost of {classes.names[k]!r} answered {classes.names[j]!r}",
            f"be at least that of the right answer, {high[*row, k, k]:g}",
            f"{low[*row, k, j]:g}" + "".join(f" in row {place}" for place in row),
            "If the error really is cheaper, the right answer is not what you want.",
        )
    if low.ndim == 2 and (low <= right).all(where=~np.eye(len(classes), dtype=bool)):
        raise bad_input(
            "costs",
            "make at least one error always dearer than the right answer",
            "no such error",
            "Give it a cost above that.",
        )
