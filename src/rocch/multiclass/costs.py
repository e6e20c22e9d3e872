"""What each error costs when there are more than two classes, and how frequent the classes are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, UndefinedError, describe_type, format_list
from rocch.inputs import (
    as_array,
    as_number,
    as_scores,
    as_whole,
    check_length,
    find_duplicates,
    is_missing,
    is_number,
)
from rocch.multiclass.classes import Classes
from rocch.roc.conditions import OBSERVED, Interval, as_cost, as_interval

# --- Cost matrices that come as tables, which must say which way their rows run -------------------
#
# A square table of costs reads just as well the wrong way round, and a transposed one is a mistake
# that nobody sees. So a table must say it: by the name of its index or columns, or of the column
# that holds the names, or by being long, with a column each for truth, prediction and cost.

TRUTH, PREDICTION = "truth", "prediction"
OTHER = {TRUTH: PREDICTION, PREDICTION: TRUTH}

NAME_THE_ROWS = (
    "Pass {('cat', 'dog'): 3.0, ...} with (truth, prediction), a table with the columns truth, "
    "prediction and cost, or a square frame that says what its rows are: "
    "frame.rename_axis(index='truth'), or a column 'truth' with the names."
)


def entries_of_frame(frame: Any, argument: str = "costs") -> dict[tuple[Any, Any], Any]:
    """Return the costs in any data frame by (truth, prediction)."""
    import narwhals as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise InputError(
            argument, "name the classes of each cost", describe_type(frame), NAME_THE_ROWS
        ) from None
    twice = find_duplicates(map(str, frame.columns if hasattr(frame, "columns") else table.columns))
    if twice:
        raise InputError(
            argument, "have distinct column names", format_list(twice), "Rename one of them."
        )
    columns = {str(column.name): column.to_list() for column in table.iter_columns()}
    if {TRUTH, PREDICTION} & set(columns):
        return entries_of_columns(columns, argument)
    index = getattr(frame, "index", None)
    names = getattr(index, "name", None), getattr(frame.columns, "name", None)
    said = _said(*names)
    if index is None or said is None:
        told = [repr(name) for name in names if name is not None]
        got = f"a table whose axes are named {' and '.join(told)}" if told else "an unlabeled table"
        raise InputError(argument, "say whether its rows are truths", got, NAME_THE_ROWS)
    return _wide(index.tolist(), list(frame.columns), list(columns.values()), said, argument)


def entries_of_columns(
    columns: Mapping[str, list[Any]], argument: str = "costs"
) -> dict[tuple[Any, Any], Any]:
    """Return the costs in named columns, among them truth or prediction or both."""
    others = dict(columns)
    if {TRUTH, PREDICTION} <= set(others):
        return _long(others, argument)
    for side in (TRUTH, PREDICTION):
        if side in others:
            return _wide(others.pop(side), list(others), list(others.values()), side, argument)
    raise InputError(
        argument, "say whether its rows are truths", "an unlabeled table", NAME_THE_ROWS
    )


def _said(rows: Any, columns: Any) -> str | None:
    """Return what rows are, by the name of the index or of the columns."""
    if rows in OTHER and (columns is None or columns == OTHER[rows]):
        return str(rows)
    return OTHER[columns] if columns in OTHER and rows is None else None


def _long(columns: dict[str, list[Any]], argument: str) -> dict[tuple[Any, Any], Any]:
    truths, predictions = columns.pop(TRUTH), columns.pop(PREDICTION)
    if set(columns) == {"low", "high"}:
        values: list[Any] = list(zip(columns["low"], columns["high"], strict=True))
    elif set(columns) == {"cost"}:
        values = columns["cost"]
    else:
        raise InputError(
            argument,
            "have the columns truth, prediction and cost (or low and high)",
            f"besides truth and prediction: {format_list(columns)}",
            "Rename or drop columns.",
        )
    keys = list(zip(truths, predictions, strict=True))
    twice = find_duplicates(map(repr, keys))
    if twice:
        raise InputError(
            argument, "state each cost once", f"{format_list(twice)} twice", "Keep one."
        )
    return dict(zip(keys, values, strict=True))


def _wide(
    rows: list[Any], names: Sequence[Any], columns: list[list[Any]], side: str, argument: str
) -> dict[tuple[Any, Any], Any]:
    """Read a square table; column names are texts in some libraries although the names are not."""
    typed = {str(name): name for name in rows}
    if len(typed) != len(rows) or set(typed) != set(map(str, names)):
        raise InputError(
            argument,
            "have the same classes in its rows and columns",
            f"rows {format_list(rows)} and columns {format_list(names)}",
            "Add the missing ones; equal names must be written alike. A long table has the columns "
            "truth, prediction and cost.",
        )
    found = {}
    for name, column in zip(names, columns, strict=True):
        for row, value in zip(rows, column, strict=True):
            pair = (row, typed[str(name)]) if side == TRUTH else (typed[str(name)], row)
            if pair[0] != pair[1] or not is_missing(value):  # an empty diagonal costs nothing
                found[pair] = value
    return found


# --- What each error costs when there are more than two classes -----------------------------------

T = TypeVar("T")
MOST_LISTED = 6


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class CostMatrix:
    """The cost of answering one class when another is true, each with its names.

    Parameters
    ----------
    costs
        `{(truth, prediction): cost}`, or a labeled data frame: long, with the columns truth,
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
        raise InputError(
            "costs",
            "name the classes of each cost",
            "an unlabeled matrix, whose rows and columns could be swapped",
            NAME_THE_ROWS,
        )
    return entries_of_frame(costs)


def classes_named(entries: Mapping[Any, Any], classes: Any) -> Classes:
    """Return the classes that costs speak of, in the order given or else sorted."""
    for key in entries:
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(
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
        raise InputError(
            argument,
            f"speak of the classes {format_list(classes, 30)}",
            format_list(named, 30),
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
        raise InputError(
            "costs",
            "state what every error costs",
            f"no cost for {format_list(gaps)}",
            "Add them as (truth, prediction), or pass default= for all others.",
        )
    return found


def check_errors_cost(classes: Classes, low: FloatArray, high: FloatArray) -> None:
    """Refuse costs, (Q, Q) or one such matrix for each row, that reward errors or ask nothing."""
    right = np.diagonal(high, axis1=-2, axis2=-1)[..., None]
    cheaper = np.argwhere((low < right) & ~np.eye(len(classes), dtype=bool))
    for *row, k, j in cheaper:
        raise InputError(
            f"the cost of {classes.names[k]!r} answered {classes.names[j]!r}",
            f"be at least that of the right answer, {high[*row, k, k]:g}",
            f"{low[*row, k, j]:g}" + "".join(f" in row {place}" for place in row),
            "If the error really is cheaper, the right answer is not what you want.",
        )
    if low.ndim == 2 and (low <= right).all(where=~np.eye(len(classes), dtype=bool)):
        raise InputError(
            "costs",
            "make at least one error always dearer than the right answer",
            "no such error",
            "Give it a cost above that.",
        )


# --- Costs that differ from row to row: an order's value, a claim's amount ------------------------


@dataclass(frozen=True, slots=True, init=False, eq=False)
class RowCosts:
    """Exact costs of each error for each row: numbers for all rows alike, or one for each.

    Parameters
    ----------
    costs
        `{(truth, prediction): cost}`, each a number or a column of numbers.
    classes, default
        As for `CostMatrix`.

    Examples
    --------
    >>> import rocch
    >>> claims = rocch.multiclass.RowCosts({("fraud", "fine"): [900, 40], ("fine", "fraud"): 50})
    >>> rocch.multiclass.assign({"fraud": [0.1, 0.1], "fine": [0.9, 0.9]}, claims).tolist()
    ['fraud', 'fine']
    """

    classes: Classes
    values: FloatArray

    def __init__(self, costs: Any, *, classes: Any = None, default: Any = None) -> None:
        if not isinstance(costs, Mapping):
            raise InputError(
                "costs",
                "map (truth, prediction) to numbers or columns of numbers",
                describe_type(costs),
                "For example: {('fraud', 'fine'): amounts, ('fine', 'fraud'): 50}.",
            )
        named = classes_named(costs, classes)
        columns = every_cost(costs, named, default, _as_column)
        rows = max(column.size for column in columns.values())
        if all(column.ndim == 0 for column in columns.values()):
            raise InputError(
                "costs", "differ from row to row", "the same for all rows", "Use CostMatrix."
            )
        values = np.empty((rows, len(named), len(named)))
        for (truth, prediction), column in columns.items():
            if column.ndim:
                check_length(column.size, rows, f"the cost of {truth!r} answered {prediction!r}")
            values[:, named.names.index(truth), named.names.index(prediction)] = column
        check_errors_cost(named, values, values)
        self._take(named, values)

    def _take(self, classes: Classes, values: FloatArray) -> None:
        values.flags.writeable = False
        object.__setattr__(self, "classes", classes)
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    def mean_cost(self, y_true: Any, y_pred: Any) -> float:
        """Return what answers cost per row, given the truth."""
        truths, answers = self.classes.codes(y_true, "y_true"), self.classes.codes(y_pred, "y_pred")
        for size, argument in ((truths.size, "y_true"), (answers.size, "y_pred")):
            check_length(size, len(self), argument)
        return float(self.values[np.arange(len(self)), truths, answers].mean())

    def in_order(self, classes: Classes, *, rows: int) -> RowCosts:
        """Return the same costs in another order of the same classes, for so many rows."""
        check_length(len(self), rows, "costs")
        if self.classes == classes:
            return self
        order = same_classes(self.classes, classes, "costs")
        other = RowCosts.__new__(RowCosts)
        other._take(classes, self.values[:, order][:, :, order])
        return other


def _as_column(value: Any, argument: str) -> FloatArray:
    """Return a number without a shape, or a column of numbers."""
    if is_number(value):
        return np.array(as_cost(value, argument).low)
    column = as_array(value, argument)
    costs = as_scores(column, column.size, argument=argument)
    for place in np.flatnonzero(~(np.isfinite(costs) & (costs >= 0)))[:1]:
        raise InputError(
            argument, "be finite and not negative", f"{costs[place]} in row {place}", "Check it."
        )
    return costs


# --- A belief about shares: of the costs of all errors, or of the classes -------------------------


@dataclass(frozen=True, slots=True, init=False, eq=False)
class DirichletBelief:
    """A Dirichlet distribution over the costs of all errors, or over the shares of all classes.

    The ratios of the alphas say what is expected, their size how sure one is (Everson and
    Fieldsend, section 6). Costs are relative: they sum to 1, as in the paper.

    Parameters
    ----------
    alphas
        `{(truth, prediction): alpha}` for costs, with every error stated; `{class: alpha}` for
        shares of classes. All 1 is the uniform belief. An alpha of 0 means: certainly nothing.

    Examples
    --------
    >>> import rocch
    >>> shares = {("ill", "well"): 9, ("well", "ill"): 1}
    >>> costs = rocch.multiclass.DirichletBelief.about(shares, strength=20)
    >>> round(costs.mean["ill", "well"], 3)
    0.9
    >>> costs.sample(1000, seed=0).shape
    (1000, 2)
    """

    keys: tuple[Any, ...]
    alphas: FloatArray

    def __init__(self, alphas: Any) -> None:
        if not isinstance(alphas, Mapping):
            raise InputError(
                "alphas",
                "map (truth, prediction), or classes, to numbers",
                describe_type(alphas),
                "For example: {('ill', 'well'): 9, ('well', 'ill'): 1}.",
            )
        numbers = [
            as_number(alpha, f"the alpha of {key!r}", least=0, hint="1 is the uniform belief.")
            for key, alpha in alphas.items()
        ]
        if len(numbers) < 2 or not sum(numbers) > 0:
            raise InputError(
                "alphas",
                "have two or more keys, and not only zeros",
                format_list(numbers),
                "Add them.",
            )
        _check_keys(tuple(alphas))
        array = np.array(numbers)
        array.flags.writeable = False
        object.__setattr__(self, "keys", tuple(alphas))
        object.__setattr__(self, "alphas", array)

    @classmethod
    def about(cls, expected: Any, *, strength: float) -> DirichletBelief:
        """Believe in expected costs or shares (in any unit), as surely as `strength` says.

        The standard deviation of a share s is sqrt(s (1 - s) / (strength + 1)).
        """
        belief = cls(expected)
        sure = as_number(strength, "strength", least=0, hint="20 is fairly sure.")
        if not sure:
            raise InputError("strength", "be above 0", "0", "20 is fairly sure.")
        scaled = belief.alphas / belief.alphas.sum() * sure
        return cls(dict(zip(belief.keys, scaled.tolist(), strict=True)))

    @property
    def mean(self) -> dict[Any, float]:
        """The expected share of each key."""
        shares = self.alphas / self.alphas.sum()
        return dict(zip(self.keys, shares.tolist(), strict=True))

    def sample(self, number: int, *, seed: int = 0) -> FloatArray:
        """Draw shares: one row for each draw, one column for each key in its order."""
        size = as_whole(number, "number", least=1, hint="Draw at least once.")
        rng = np.random.default_rng(
            as_whole(seed, "seed", least=0, hint="Any whole number will do.")
        )
        shape = (size, len(self.keys))
        # gamma(a) is gamma(a + 1) u^(1/a); in logarithms even tiny alphas do not all become 0
        with np.errstate(divide="ignore"):
            logs = np.log(rng.standard_gamma(self.alphas + 1, shape))
            logs += np.log(rng.random(shape)) / self.alphas
        drawn: FloatArray = np.exp(logs - logs.max(axis=1, keepdims=True))
        drawn /= drawn.sum(axis=1, keepdims=True)
        return drawn

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DirichletBelief):
            return NotImplemented
        own, theirs = (dict(zip(b.keys, b.alphas.tolist(), strict=True)) for b in (self, other))
        return own == theirs

    def __hash__(self) -> int:
        return hash(frozenset(zip(self.keys, self.alphas.tolist(), strict=True)))

    def mean_costs(self, argument: str = "costs") -> CostMatrix:
        """Return the expected costs; least expected cost under this belief is that under them."""
        _check_pairs(self.keys, argument)
        return CostMatrix(self.mean)

    def cost_draws(self, classes: Classes, number: int, *, seed: int = 0) -> FloatArray:
        """Draw cost matrices in the order of the classes, right answers costing 0."""
        self.mean_costs().in_order(classes)
        draws = np.zeros((number, len(classes), len(classes)))
        for column, (truth, prediction) in zip(
            self.sample(number, seed=seed).T, self.keys, strict=True
        ):
            draws[:, classes.names.index(truth), classes.names.index(prediction)] = column
        return draws


def _check_keys(keys: tuple[Any, ...]) -> None:
    """Refuse beliefs that mix errors and classes, or speak of right answers."""
    pairs = [key for key in keys if isinstance(key, tuple) and len(key) == 2]
    if pairs and len(pairs) < len(keys):
        raise InputError(
            "alphas",
            "be about errors or about classes",
            f"both: {format_list(keys)}",
            "Make two beliefs.",
        )
    right = [pair for pair in pairs if pair[0] == pair[1]]
    if right:
        raise InputError(
            "alphas", "be about errors", format_list(right), "Right answers cost nothing."
        )


def _check_pairs(keys: tuple[Any, ...], argument: str) -> None:
    if not all(isinstance(key, tuple) and len(key) == 2 for key in keys):
        raise InputError(
            argument,
            "be a belief about errors, with (truth, prediction) as keys",
            f"keys {format_list(keys)}",
            "A belief about classes is for priors.",
        )


# --- The class balance where the classifier will work: exact, between bounds, or believed ---------

SUM_TOLERANCE = 1e-9
"""How far the sum of exact priors may be from 1: rounding, not carelessness."""


@dataclass(frozen=True, slots=True)
class Priors:
    """Bounds on each class's share, in the classes' order; equal bounds are exact shares.

    `totals` are kept where the shares are those observed, which have no rounding.
    """

    low: FloatArray
    high: FloatArray
    totals: IntArray | None = None

    @property
    def exact(self) -> bool:
        """Whether every share is one number."""
        return bool((self.low == self.high).all())

    @property
    def shares(self) -> FloatArray:
        """The shares, which must be exact."""
        if not self.exact:
            raise InputError(
                "priors known only between bounds are no single class balance. Ask what they allow "
                "(RocSurface.optimal_within, RocSurface.least_regret), or state one."
            )
        return self.low

    @property
    def fractions(self) -> list[Fraction]:
        """The shares without rounding."""
        if self.totals is not None:
            return [Fraction(int(n), int(self.totals.sum())) for n in self.totals]
        return [Fraction(share) for share in self.shares.tolist()]


def as_priors(
    given: Any, classes: Classes, totals: IntArray | None, argument: str = "priors"
) -> Priors:
    """Return the shares of the classes from what users state.

    Parameters
    ----------
    given
        The word "observed", a mapping of every class to its share (a number or an interval), or a
        `DirichletBelief` about classes, which counts as its mean.
    classes
        The classes, whose order the answer has.
    totals
        How many judged rows each class has; without them, nothing is observed.
    """
    if totals is not None and isinstance(given, str) and given == OBSERVED:
        if not totals.sum():
            raise UndefinedError("there are no judged rows, so no class balance was observed.")
        observed = totals / totals.sum()
        return Priors(observed, observed, totals)
    if isinstance(given, DirichletBelief):
        given = given.mean
    if hasattr(given, "to_dict") and not isinstance(given, Mapping):
        given = given.to_dict()  # a pandas Series maps its index to its values
    if not isinstance(given, Mapping):
        raise InputError(
            argument,
            "map every class to its share" + ("" if totals is None else ", or be 'observed'"),
            repr(given) if isinstance(given, str) else describe_type(given),
            "For example: {'ill': 0.1, 'well': 0.9}.",
        )
    return _of_mapping(given, classes, argument)


def _of_mapping(given: Mapping[Any, Any], classes: Classes, argument: str) -> Priors:
    unknown = [name for name in given if name not in classes.names]
    missing = [name for name in classes if name not in given]
    if unknown or missing:
        raise InputError(
            argument,
            f"have a share for each of the classes {format_list(classes, 30)}",
            f"shares of {format_list(given, 30)}",
            "Name every class, and no others.",
        )
    shares = {name: _as_share(given[name], f"{argument}, {name!r},") for name in classes}
    low, high = np.array([list(shares[name]) for name in classes]).T
    if (low < 0).any() or (high > 1).any():
        raise InputError(argument, "lie from 0 to 1", repr(dict(given)), "Write 5 % as 0.05.")
    if all(is_number(value) for value in given.values()):
        gap = abs(float(low.sum()) - 1) > SUM_TOLERANCE
    else:
        gap = low.sum() > 1 + SUM_TOLERANCE or high.sum() < 1 - SUM_TOLERANCE
    if gap:
        raise InputError(
            argument,
            "sum to 1, or allow it",
            f"{low.sum():.10g}"
            if (low == high).all()
            else f"{low.sum():.10g} to {high.sum():.10g}",
            "Divide by the sum, or widen the intervals.",
        )
    rest_low, rest_high = low.sum() - low, high.sum() - high
    if not (low == high).all():  # what the others leave bounds each share too
        low, high = np.maximum(low, 1 - rest_high), np.minimum(high, 1 - rest_low)
        high = np.maximum(low, high)
    return Priors(np.ascontiguousarray(low), np.ascontiguousarray(high))


def _as_share(value: Any, argument: str) -> Interval:
    try:
        return as_interval(value, argument)
    except InputError:
        raise InputError(
            argument,
            "be a share or an interval (low, high) of shares",
            repr(value),
            "For example: 0.1, or (0.05, 0.2).",
        ) from None
