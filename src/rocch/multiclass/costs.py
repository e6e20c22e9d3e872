"""Costs of errors and class priors for more than two classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import Columns, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, UndefinedError, describe_type, format_list
from rocch.inputs import (
    as_array,
    as_instance,
    as_mapping,
    as_number,
    as_scores,
    as_whole,
    check_length,
    check_same_names,
    check_unique,
    find_duplicates,
    is_number,
)
from rocch.labels import distinct_labels, is_missing
from rocch.multiclass.classes import (
    Classes,
    ClassNames,
    Pair,
    check_cells,
    check_pair,
    describe_error,
    describe_errors,
    is_pair,
)
from rocch.results import Table, Tabular, shorten
from rocch.roc.conditions import OBSERVED, Bounds, Interval, as_cost, as_interval

T = TypeVar("T")

# Costs by (truth, prediction), as they were given.
Entries: TypeAlias = dict[tuple[Any, Any], Any]
# Costs of errors, or a belief, whose mean decides.
Costs: TypeAlias = "CostMatrix | DirichletBelief"
# The classes' shares: "observed", numbers or intervals by class, or a belief.
Shares: TypeAlias = "Columns | DirichletBelief"

# Nobody notices a transposed table of costs. So a table must name its truths: by the name of its
# index, its columns or the column of names, or by columns truth, prediction and cost.

TRUTH, PREDICTION = "truth", "prediction"
OTHER = {TRUTH: PREDICTION, PREDICTION: TRUTH}

NAME_THE_ROWS = Hint(
    "Pass {('cat', 'dog'): 3.0, ...} with (truth, prediction), a table with the columns truth, "
    "prediction and cost, or a square frame that says what its rows are: "
    "frame.rename_axis(index='truth'), or a column 'truth' with the names.",
    cli="Name the columns truth, prediction and cost, or the first column of a square table truth.",
)


def _entries_of_frame(frame: Any, argument: str = "costs") -> Entries:
    """Return the costs in a data frame by (truth, prediction)."""
    import narwhals as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise _unlabeled(argument, describe_type(frame)) from None
    check_unique(map(str, getattr(frame, "columns", table.columns)), argument)
    columns = {str(column.name): column.to_list() for column in table.iter_columns()}
    if {TRUTH, PREDICTION} & set(columns):
        return entries_of_columns(columns, argument)
    index = getattr(frame, "index", None)
    names = getattr(index, "name", None), getattr(frame.columns, "name", None)
    side = _meaning_of_rows(*names)
    if index is None or side is None:
        axes = [repr(name) for name in names if name is not None]
        raise _unlabeled(argument, f"axes named {' and '.join(axes)}" if axes else "no names")
    return _wide(index.tolist(), list(frame.columns), list(columns.values()), side, argument)


def entries_of_columns(columns: Mapping[str, list[Any]], argument: str = "costs") -> Entries:
    """Return the costs in named columns, with truth, prediction or both among them."""
    others = dict(columns)
    if {TRUTH, PREDICTION} <= set(others):
        return _long(others, argument)
    for side in (TRUTH, PREDICTION):
        if side in others:
            return _wide(others.pop(side), list(others), list(others.values()), side, argument)
    raise _unlabeled(argument, "no names")


def _unlabeled(argument: str, got: str) -> InputError:
    return InputError(argument, "name its truths and predictions", got, NAME_THE_ROWS)


def _meaning_of_rows(rows: Label, columns: Label) -> str | None:
    if rows in OTHER and (columns is None or columns == OTHER[str(rows)]):
        return str(rows)
    return OTHER[str(columns)] if columns in OTHER and rows is None else None


def _long(columns: dict[str, list[Any]], argument: str) -> Entries:
    keys = list(zip(columns.pop(TRUTH), columns.pop(PREDICTION), strict=True))
    if set(columns) == {"low", "high"}:
        values: list[Any] = list(zip(columns["low"], columns["high"], strict=True))
    elif set(columns) == {"cost"}:
        values = columns["cost"]
    else:
        raise InputError(
            argument,
            "have the columns truth, prediction and cost (or low and high)",
            f"besides truth and prediction: {format_list(columns)}",
        )
    twice = set(find_duplicates(map(repr, keys)))
    if twice:
        pair = next(key for key in keys if repr(key) in twice)
        raise InputError(argument, "state each cost once", f"that of {describe_error(pair)} twice")
    return dict(zip(keys, values, strict=True))


def _wide(
    rows: list[Label], names: Sequence[Label], columns: list[list[Any]], side: str, argument: str
) -> Entries:
    """Read a square table; in some libraries column names are texts although classes are not."""
    typed = {str(name): name for name in rows}
    if len(typed) != len(rows) or set(typed) != set(map(str, names)):
        raise InputError(
            argument,
            "have the same classes in its rows and columns, or the columns truth, prediction and "
            "cost",
            f"rows {format_list(rows)} and columns {format_list(names)}",
        )
    entries = {}
    for name, column in zip(names, columns, strict=True):
        for row, value in zip(rows, column, strict=True):
            pair = (row, typed[str(name)]) if side == TRUTH else (typed[str(name)], row)
            if pair[0] != pair[1] or not is_missing(value):  # an empty diagonal costs nothing
                entries[pair] = value
    return entries


MOST_LISTED = 6


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class CostMatrix(Tabular):
    """Costs of predicting one class when another is true.

    Parameters
    ----------
    costs
        `{(truth, prediction): cost}`, or a data frame: long, with the columns truth, prediction and
        cost (or low and high), or square, with an index or a column named "truth". A cost is a
        number or an interval (low, high). Right predictions cost 0 by default, and no error costs
        less than the right prediction.
    classes
        The classes in order; by default those named, sorted.
    default
        The cost of errors that are not stated; without it, all must be.

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

    def __init__(
        self, costs: Columns, *, classes: ClassNames | None = None, default: Bounds | None = None
    ) -> None:
        entries = costs if isinstance(costs, Mapping) else _entries_of_frame(costs)
        named = _classes_of_entries(entries, classes)
        intervals = _every_cost(entries, named, default, as_cost)
        bounds = np.array([[intervals[k, j] for j in named] for k in named])
        self._fill(named, bounds[..., 0].copy(), bounds[..., 1].copy())

    def _fill(self, classes: Classes, low: FloatArray, high: FloatArray) -> None:
        _check_errors_cost(classes, low, high)
        _set_fields(self, classes=classes, low=low, high=high)

    @classmethod
    def of_bounds(cls, classes: Classes, low: FloatArray, high: FloatArray) -> CostMatrix:
        """Return a matrix from bounds in the classes' order, truths in rows."""
        matrix = cls.__new__(cls)
        matrix._fill(classes, np.array(low, dtype=float), np.array(high, dtype=float))
        return matrix

    @classmethod
    def zero_one(cls, classes: ClassNames) -> CostMatrix:
        """Return costs of 1 for every error: the expected cost is the error rate."""
        return cls({}, classes=classes, default=1)

    def __repr__(self) -> str:
        intervals, usual = self.with_usual(2)
        if usual is None or len(self.stated) <= MOST_LISTED:
            intervals, rest = self.stated, ""
        else:
            rest = f", classes={list(self.classes)!r}, default={usual}"
        costs = ", ".join(f"{pair!r}: {cost}" for pair, cost in intervals.items())
        return f"CostMatrix({{{costs}}}{rest})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return NotImplemented
        if set(self.classes) != set(other.classes):
            return False
        there = other.in_order(self.classes)
        return bool((self.low == there.low).all() and (self.high == there.high).all())

    def __hash__(self) -> int:
        return hash(frozenset(self.stated))

    def __getitem__(self, pair: Pair) -> float | Interval:
        interval = self._interval(pair)
        return interval.low if interval.exact else interval

    @property
    def exact(self) -> bool:
        """Whether every cost is one number."""
        return bool((self.low == self.high).all())

    @property
    def values(self) -> FloatArray:
        """The exact costs, truths in rows and predictions in columns."""
        return _exact_values(self, "costs")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The costs as rows; `CostMatrix` reads a data frame of them."""
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

    def _columns(self) -> Table:
        columns = {name: [row[name] for row in self.rows] for name in self.rows[0]}
        if self.exact:
            columns["cost"] = columns.pop("low")
            del columns["high"]
        return columns

    def _title(self) -> str:
        return "What predictions cost: truths in rows, predictions in columns"

    def _tables(self) -> tuple[Table, ...]:
        columns = {
            str(name): [_write_cost(self._interval((truth, name))) for truth in self.classes]
            for name in self.classes
        }
        return ({"truth": self.classes.names, **columns},)

    def middle(self) -> CostMatrix:
        """Return the matrix with intervals replaced by their middles."""
        middle = (self.low + self.high) / 2
        return CostMatrix.of_bounds(self.classes, middle, middle)

    def in_order(self, classes: Classes, argument: str = "costs") -> CostMatrix:
        """Return the same costs in another order of the classes."""
        if self.classes == classes:
            return self
        order = self.classes.order_in(classes, argument)
        grid = np.ix_(order, order)
        return CostMatrix.of_bounds(classes, self.low[grid], self.high[grid])

    def _interval(self, pair: Pair) -> Interval:
        k, j = self.classes.places(pair)
        return Interval(float(self.low[k, j]), float(self.high[k, j]))

    @property
    def stated(self) -> dict[Pair, Interval]:
        """The costs of errors, and of right predictions that cost something."""
        right = {(name, name): self._interval((name, name)) for name in self.classes}
        errors = {pair: self._interval(pair) for pair in self.classes.pairs}
        return errors | {pair: cost for pair, cost in right.items() if cost != (0, 0)}

    def with_usual(self, least: int) -> tuple[dict[Pair, Interval], Interval | None]:
        """Return exceptions from the cost of most errors, if at least this many have it."""
        stated = self.stated
        usual, times = Counter(stated[pair] for pair in self.classes.pairs).most_common(1)[0]
        if times < least:
            return stated, None
        return {p: cost for p, cost in stated.items() if cost != usual or p[0] == p[1]}, usual


def _write_cost(cost: Interval) -> float | str:
    return cost.low if cost.exact else f"{cost.low:g} to {cost.high:g}"


def as_costs(given: Costs, classes: Classes | None = None) -> CostMatrix:
    """Return costs in the order of the classes; a belief counts as its mean."""
    hint = Hint(
        "For example: rocch.CostMatrix.zero_one(classes). RowCosts go to rocch.multiclass.assign."
    )
    as_instance(given, (CostMatrix, DirichletBelief), "costs", hint=hint)
    costs = given if isinstance(given, CostMatrix) else given.mean_costs()
    return costs if classes is None else costs.in_order(classes)


def _classes_of_entries(entries: Mapping[Any, Any], classes: ClassNames | None) -> Classes:
    for key in entries:
        check_pair(key, "costs", hint=NAME_THE_ROWS)
    if classes is not None:
        return Classes.of(classes)
    named = [name for key in entries for name in key]
    labels = np.fromiter(named, dtype=object, count=len(named))
    return Classes.of(distinct_labels(labels, "costs"), "costs")


def _set_fields(record: object, **values: object) -> None:
    """Set the fields of a frozen record; arrays become read-only."""
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
        object.__setattr__(record, name, value)


def _every_cost(
    entries: Mapping[Any, Any],
    classes: Classes,
    default: Bounds | None,
    read: Callable[[Any, str], T],
) -> dict[Pair, T]:
    """Return all costs, converted by `read`; refuse unknown classes and gaps."""
    costs = {(name, name): read(0.0, "costs") for name in classes}
    if default is not None:
        costs |= dict.fromkeys(classes.pairs, read(default, "default"))
    for pair, value in entries.items():
        k, j = classes.places(pair, "costs")
        costs[classes.names[k], classes.names[j]] = read(value, cost_name(pair))
    gaps = [pair for pair in classes.pairs if pair not in costs]
    if gaps:
        raise InputError(
            "costs",
            "state what every error costs",
            f"no cost for {describe_errors(gaps)}",
            Hint(
                "Add them as (truth, prediction), or pass {default} for all others.",
                cli="State them with --costs, truth first, or all others with {default}.",
            ),
        )
    return costs


def _exact_values(bounds: CostMatrix | Priors, argument: str) -> FloatArray:
    if not bounds.exact:
        raise InputError(
            argument,
            "be exact here, without intervals",
            "bounds",
            Hint(
                "Use RocSurface.optimal_within, RocSurface.least_regret or "
                "RocSurfaceClassifier.at_least_regret, or state one value, such as costs.middle()."
            ),
        )
    return bounds.low


def cost_name(pair: Pair) -> str:
    """Return what an error's cost is called in messages."""
    return f"the cost of {describe_error(pair)}"


def _check_errors_cost(classes: Classes, low: FloatArray, high: FloatArray) -> None:
    """Refuse costs, (Q, Q) or (rows, Q, Q), that reward errors or are all equal."""
    right = np.diagonal(high, axis1=-2, axis2=-1)[..., None]
    errors = ~np.eye(len(classes), dtype=bool)
    for *row, k, j in np.argwhere((low < right) & errors):
        raise InputError(
            cost_name((classes.names[k], classes.names[j])),
            f"be at least that of the right prediction, {high[*row, k, k]:g}",
            f"{low[*row, k, j]:g}" + "".join(f" in row {place}" for place in row),
            "If the error really is cheaper, the right prediction is not what you want.",
        )
    if low.ndim == 2 and (low <= right).all(where=errors):
        raise InputError(
            "costs",
            "make at least one error always more expensive than the right prediction",
            "no such error",
        )


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class RowCosts:
    """Exact costs of errors that differ from row to row.

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

    def __init__(
        self,
        costs: Mapping[Any, ArrayLike],
        *,
        classes: ClassNames | None = None,
        default: float | None = None,
    ) -> None:
        as_mapping(costs, "costs", "(truth, prediction) to numbers or columns of numbers")
        named = _classes_of_entries(costs, classes)
        columns = _every_cost(costs, named, default, _as_cost_column)
        rows = max(column.size for column in columns.values())
        if all(column.ndim == 0 for column in columns.values()):
            raise InputError(
                "costs",
                "differ from row to row",
                "the same for all rows",
                Hint("Use CostMatrix."),
            )
        values = np.empty((rows, len(named), len(named)))
        for pair, column in columns.items():
            if column.ndim:
                check_length(column.size, rows, cost_name(pair))
            values[:, *named.places(pair)] = column
        _check_errors_cost(named, values, values)
        _set_fields(self, classes=named, values=values)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<RowCosts of {len(self)} rows, {len(self.classes)} classes>"

    def mean_cost(self, y_true: ArrayLike, y_pred: Columns) -> float:
        """Return the mean cost of predictions."""
        truths = self.classes.codes(y_true, "y_true")
        predictions = self.classes.codes(y_pred, "y_pred")
        for codes, argument in ((truths, "y_true"), (predictions, "y_pred")):
            check_length(codes.size, len(self), argument)
        return float(self.values[np.arange(len(self)), truths, predictions].mean())

    def in_order(self, classes: Classes) -> RowCosts:
        """Return the same costs in another order of the classes."""
        if self.classes == classes:
            return self
        order = self.classes.order_in(classes, "costs")
        other = RowCosts.__new__(RowCosts)
        _set_fields(other, classes=classes, values=self.values[:, order][:, :, order])
        return other


def _as_cost_column(value: ArrayLike, argument: str) -> FloatArray:
    if is_number(value):
        return np.array(as_cost(value, argument).low)
    column = as_array(value, argument)
    costs = as_scores(column, column.size, argument=argument)
    fits = np.isfinite(costs) & (costs >= 0)
    check_cells(costs, fits, argument, "be finite and not negative")
    return costs


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class DirichletBelief(Tabular):
    """A Dirichlet distribution over the costs of errors or the shares of classes.

    Costs are relative: they sum to 1 (Everson and Fieldsend, section 6).

    Parameters
    ----------
    alphas
        `{(truth, prediction): alpha}` for all errors, or `{class: alpha}`. Their ratios are the
        expected ones; larger alphas are more certain, and all 1 is uniform.

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

    def __init__(self, alphas: Mapping[Any, float]) -> None:
        mapping = as_mapping(alphas, "alphas", "(truth, prediction), or classes, to numbers")
        keys = tuple(mapping)
        numbers = [as_number(alpha, alpha_name(key), least=0) for key, alpha in mapping.items()]
        if len(numbers) < 2 or not sum(numbers) > 0:
            raise InputError(
                "alphas", "have two or more keys, and not only zeros", format_list(numbers)
            )
        pairs = [key for key in keys if is_pair(key)]
        if pairs:
            for key in keys:
                check_pair(key, "alphas", hint="A belief is about errors or about classes.")
        check_errors(pairs, "alphas")
        _set_fields(self, keys=keys, alphas=np.array(numbers))

    @classmethod
    def about(cls, expected: Mapping[Any, float], *, strength: float) -> DirichletBelief:
        """Return a belief with the given mean, in any unit.

        The standard deviation of a share s is sqrt(s (1 - s) / (strength + 1)).
        """
        belief = cls(expected)
        certainty = as_number(strength, "strength", above=0, hint="20 is fairly certain.")
        scaled = belief.alphas / belief.alphas.sum() * certainty
        return cls(dict(zip(belief.keys, scaled.tolist(), strict=True)))

    @property
    def mean(self) -> dict[Label, float]:
        """The expected share of each key."""
        shares = self.alphas / self.alphas.sum()
        return dict(zip(self.keys, shares.tolist(), strict=True))

    def sample(self, number: int, *, seed: int = 0) -> FloatArray:
        """Draw shares (number, keys)."""
        shape = (as_whole(number, "number", least=1), len(self.keys))
        rng = np.random.default_rng(as_whole(seed, "seed", least=0))
        # gamma(a) is gamma(a + 1) u^(1/a); in logarithms even tiny alphas do not all become 0
        with np.errstate(divide="ignore"):
            logs = np.log(rng.standard_gamma(self.alphas + 1, shape))
            logs += np.log(rng.random(shape)) / self.alphas
        shares: FloatArray = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DirichletBelief):
            return NotImplemented
        return self._by_key() == other._by_key()

    def __hash__(self) -> int:
        return hash(frozenset(self._by_key().items()))

    def __repr__(self) -> str:
        alphas = ", ".join(f"{key!r}: {alpha:g}" for key, alpha in self._by_key().items())
        return shorten(f"DirichletBelief({{{alphas}}})", end="})")

    def _columns(self) -> Table:
        if all(map(is_pair, self.keys)):
            truths, predictions = zip(*self.keys, strict=True)
            named: dict[str, Any] = {"truth": truths, "prediction": predictions}
        else:
            named = {"class": self.keys}
        return {**named, "alpha": self.alphas, "expected_share": list(self.mean.values())}

    def _by_key(self) -> dict[Label, float]:
        return dict(zip(self.keys, self.alphas.tolist(), strict=True))

    def mean_costs(self, argument: str = "costs") -> CostMatrix:
        """Return the expected costs, which decide wherever expected cost does."""
        for key in self.keys:
            check_pair(key, argument, hint="A belief about classes is for priors.")
        return CostMatrix(self.mean)

    def cost_draws(self, classes: Classes, number: int, *, seed: int = 0) -> FloatArray:
        """Draw cost matrices in the order of the classes."""
        self.mean_costs().in_order(classes)
        draws = np.zeros((number, len(classes), len(classes)))
        for pair, column in zip(self.keys, self.sample(number, seed=seed).T, strict=True):
            draws[:, *classes.places(pair)] = column
        return draws


def alpha_name(key: Any) -> str:
    """Return what the alpha of an error, or a class, is called in messages."""
    return f"the alpha of {describe_error(key) if is_pair(key) else key}"


def check_errors(
    pairs: Iterable[Pair], argument: str, hint: str | Hint = "Right predictions cost nothing."
) -> None:
    """Refuse pairs whose prediction is the truth."""
    right = [pair for pair in pairs if pair[0] == pair[1]]
    if right:
        raise InputError(argument, "be about errors", describe_errors(right), hint)


# How far the sum of exact priors may be from 1.
SUM_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Priors:
    """Bounds on each class's share; `totals` are the counts of observed shares."""

    low: FloatArray
    high: FloatArray
    totals: IntArray | None = None

    @property
    def exact(self) -> bool:
        """Whether every share is one number."""
        return bool((self.low == self.high).all())

    @property
    def shares(self) -> FloatArray:
        """The exact shares."""
        return _exact_values(self, "priors")

    @property
    def fractions(self) -> list[Fraction]:
        """The shares without rounding."""
        if self.totals is not None:
            return [Fraction(int(n), int(self.totals.sum())) for n in self.totals]
        return [Fraction(share) for share in self.shares.tolist()]

    def fill(self, order: IntArray) -> FloatArray:
        """Return what shares get above their lower bounds, each as much as it can in an order."""
        room = (self.high - self.low)[order]
        filled = np.minimum(np.cumsum(room, axis=1), 1 - self.low.sum())
        return np.diff(filled, axis=1, prepend=0)


def as_priors(
    given: Shares, classes: Classes, totals: IntArray | None, argument: str = "priors"
) -> Priors:
    """Return the shares of the classes, in their order.

    `given` is "observed", a mapping of classes to numbers or intervals, or a belief, which counts
    as its mean.
    """
    if totals is not None and isinstance(given, str) and given == OBSERVED:
        if not totals.sum():
            raise UndefinedError("there are no evaluation rows, so no class balance was observed.")
        observed = totals / totals.sum()
        return Priors(observed, observed, totals)
    if isinstance(given, DirichletBelief):
        given = given.mean
    if hasattr(given, "to_dict") and not isinstance(given, Mapping):
        given = given.to_dict()  # a pandas Series maps its index to its values
    known = "every class to its share" + ("" if totals is None else ", or be 'observed'")
    shares = as_mapping(given, argument, known)
    check_same_names(shares, classes, argument, "classes")
    hint = "Write 5% as 0.05."
    intervals = [
        as_interval(shares[name], f"{argument}[{name!r}]", least=0, most=1, hint=hint)
        for name in classes
    ]
    return _priors_between(intervals, argument)


def _priors_between(shares: list[Interval], argument: str) -> Priors:
    low, high = np.array(shares).T
    exact = bool((low == high).all())
    if low.sum() > 1 + SUM_TOLERANCE or high.sum() < 1 - SUM_TOLERANCE:
        raise InputError(
            argument,
            "sum to 1, or allow it",
            f"{low.sum():.10g}" if exact else f"{low.sum():.10g} to {high.sum():.10g}",
            "Divide by the sum, or widen the intervals.",
        )
    if not exact:  # what the others leave bounds each share too
        rest_low, rest_high = low.sum() - low, high.sum() - high
        low, high = np.maximum(low, 1 - rest_high), np.minimum(high, 1 - rest_low)
        high = np.maximum(low, high)
    return Priors(np.ascontiguousarray(low), np.ascontiguousarray(high))
