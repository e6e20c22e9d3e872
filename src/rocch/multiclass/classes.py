"""Classes, labels, probabilities and features."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, BoolArray, Columns, Features, FloatArray, IntArray, Label
from rocch.errors import Hint, InputError, describe_type, format_count, format_list
from rocch.inputs import (
    as_array,
    as_columns,
    as_mapping,
    as_name,
    as_scores,
    as_whole,
    check_known,
    check_length,
    check_same_names,
    to_host,
)
from rocch.labels import distinct_labels, is_missing
from rocch.rows import as_groups

# How far the sum of a row's probabilities may be from 1: single precision needs this much.
SUM_TOLERANCE = 1e-5

# The names of classes, in order.
ClassNames: TypeAlias = "Classes | Sequence[Label] | ArrayLike"
# A truth and a prediction.
Pair: TypeAlias = tuple[Label, Label]


@dataclass(frozen=True, slots=True)
class Classes:
    """The names of the classes, in a fixed order.

    Examples
    --------
    >>> from rocch.multiclass import Classes
    >>> classes = Classes.of(["cat", "dog", "eel"])
    >>> classes.codes(["eel", "cat"], "y_true")
    array([2, 0])
    >>> classes.pairs[:2]
    (('cat', 'dog'), ('cat', 'eel'))
    """

    names: tuple[Any, ...]

    @classmethod
    def of(cls, names: ClassNames, argument: str = "classes") -> Classes:
        """Return classes in the order of `names`."""
        if isinstance(names, Classes):
            return names
        if isinstance(names, list | tuple):  # an array would make floats of 1 beside 2.5
            plain = [name.item() if isinstance(name, np.generic) else name for name in names]
        else:
            plain = as_array(names, argument).tolist()
        if any(map(is_missing, plain)):
            raise InputError(argument, "have no missing names", format_list(plain))
        distinct_labels(np.fromiter(plain, dtype=object, count=len(plain)), argument)
        twice = [name for place, name in enumerate(plain) if name in plain[:place]]
        if len(plain) < 2 or twice:
            got = f"{format_list(twice)} twice" if twice else f"only {format_list(plain)}"
            raise InputError(
                argument, "name two or more distinct classes", got if plain else "none"
            )
        return cls(tuple(plain))

    @classmethod
    def of_labels(cls, y_true: ArrayLike, argument: str = "y_true") -> Classes:
        """Return the labels that occur, sorted as in scikit-learn."""
        return cls.of(distinct_labels(as_array(y_true, argument), argument), argument)

    @classmethod
    def of_data(cls, classes: ClassNames | None, y_true: ArrayLike) -> Classes:
        """Return the given classes, or those of the labels."""
        return cls.of_labels(y_true) if classes is None else cls.of(classes)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names)

    @property
    def pairs(self) -> tuple[tuple[Any, Any], ...]:
        """All errors as (truth, prediction), row by row."""
        return tuple(
            (truth, other) for truth in self.names for other in self.names if truth != other
        )

    def place(self, name: Label, argument: str) -> int:
        """Return the place of a class."""
        check_known([name], self.names, argument, "classes")
        return self.names.index(name)

    def places(self, pair: Pair, argument: str = "pair") -> tuple[int, int]:
        """Return the places of a truth and a prediction."""
        check_pair(pair, argument)
        return self.place(pair[0], argument), self.place(pair[1], argument)

    def codes(self, labels: Columns, argument: str) -> IntArray:
        """Return the place of each label's class."""
        array = as_array(labels, argument)
        present = distinct_labels(array, argument)
        check_known(present, self.names, argument, "classes")
        if array.dtype.kind in "OT":
            place = {name: code for code, name in enumerate(self.names)}
            return np.array([place[label] for label in array.tolist()], dtype=np.int64)
        order = np.array([self.names.index(label) for label in present], dtype=np.int64)
        return order[np.searchsorted(np.unique(array), array)]

    def truths(self, y_true: ArrayLike, argument: str = "y_true") -> IntArray:
        """Return the place of each row's true class; every class must occur."""
        codes = self.codes(y_true, argument)
        absent = np.flatnonzero(np.bincount(codes, minlength=len(self)) == 0)
        if absent.size:
            raise InputError(
                argument,
                "hold at least one row of every class",
                f"none of {format_list(self.names[code] for code in absent)}",
                "Evaluate on rows of all classes, or leave the class out of the problem.",
            )
        return codes

    def order_in(self, others: Classes, argument: str) -> list[int]:
        """Return the places of `others`, the same classes in another order."""
        check_same_names(self, others, argument, "classes")
        return [self.names.index(name) for name in others]


def is_pair(key: object) -> TypeGuard[Pair]:
    """Whether a key is a pair."""
    return isinstance(key, tuple) and len(key) == 2


def describe_error(pair: Pair) -> str:
    """Return an error in words.

    Examples
    --------
    >>> from rocch.multiclass.classes import describe_error
    >>> describe_error(("ill", "well"))
    'predicting well when ill is true'
    """
    truth, prediction = pair
    return f"predicting {prediction} when {truth} is true"


def describe_errors(pairs: Iterable[Pair], most: int = 3) -> str:
    """Return a few errors in words, and the number of the others."""
    words = list(map(describe_error, pairs))
    rest = f", and {len(words) - most} other errors" if len(words) > most else ""
    return ", ".join(words[:most]) + rest


def check_pair(key: object, argument: str, *, hint: str | Hint = "") -> None:
    """Refuse keys other than (truth, prediction)."""
    if not is_pair(key):
        raise InputError(argument, "name pairs (truth, prediction)", repr(key), hint)


def as_table(
    values: Features, argument: str, width: int | None = None, *, hint: str | Hint = ""
) -> FloatArray:
    """Return a table of doubles that is not empty."""
    try:
        table = np.ascontiguousarray(to_host(values, argument), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(argument, "be a table of numbers", describe_type(values), hint) from None
    if table.ndim != 2 or not table.size or (width is not None and table.shape[1] != width):
        columns = " and columns" if width is None else f" of {format_count(width, 'column')}"
        raise InputError(argument, f"have rows{columns}", f"an array of shape {table.shape}", hint)
    return table


def as_integers(
    values: ArrayLike, argument: str, shape: tuple[int | None, ...], what: str
) -> IntArray:
    """Return integers in an array of some shape, with None for any size; `what` describes it."""
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.empty(0)
    fits = array.ndim == len(shape) and all(
        size in (None, own) for size, own in zip(shape, array.shape, strict=True)
    )
    if array.dtype.kind not in "iu" or not fits:
        plain = isinstance(values, np.ndarray | list | tuple)
        got = f"an array of shape {array.shape} and type {array.dtype}"
        raise InputError(
            argument,
            f"be {what}",
            got if plain else describe_type(values),
            "Pass integer counts, not rates.",
        )
    return array.astype(np.int64)


def check_cells(
    table: AnyArray,
    fits: BoolArray,
    argument: str,
    requirement: str,
    *,
    columns: Sequence[Label] | None = None,
    hint: str | Hint = "",
) -> None:
    """Refuse rows, or a table with named columns, that hold a value that does not fit."""
    wrong = np.argwhere(~fits)
    if wrong.size:
        row, *column = place = tuple(wrong[0].tolist())
        where = "".join(f", column {k if columns is None else repr(columns[k])}" for k in column)
        value = f"{table[place]:.10g}"
        got = f"{value} in row {row}{where}"
        raise InputError(argument, requirement, got, hint, value=value, row=row, column=where)


def as_probabilities(
    y_proba: Columns, classes: Classes, *, rows: int | None = None, argument: str = "y_proba"
) -> FloatArray:
    """Return probabilities as doubles: rows by classes.

    Arrays have columns in the order of `classes`.
    """
    if isinstance(y_proba, Mapping) or hasattr(y_proba, "columns"):
        columns = as_columns(y_proba, argument=argument)
        check_same_names(columns, map(str, classes), argument, "columns")
        named = [columns[str(name)] for name in classes]
        size = as_array(named[0], argument).size
        table = np.column_stack([as_scores(column, size, argument=argument) for column in named])
    else:
        order = format_list(classes, 30)
        hint = Hint(f"Pass predict_proba(X); the classes are, in this order: {order}.")
        table = as_table(y_proba, argument, len(classes), hint=hint)
    if rows is not None:
        check_length(len(table), rows, argument)
    check_cells(
        table,
        table >= 0,
        argument,
        "be probabilities: no missing values (NaN) and none below 0",
        columns=classes.names,
        hint="Drop rows that have none.",
    )
    sums = table.sum(axis=1)
    rounded = "If they are rounded, divide each row by its sum; other scores need a calibration."
    check_cells(
        sums,
        np.abs(sums - 1) <= SUM_TOLERANCE,
        argument,
        "sum to 1 in every row",
        hint=Hint(rounded, cli=f"Are all classes named ({{classes}})? {rounded}"),
    )
    return table


def probabilities_by_name(
    y_proba: Mapping[str, Columns], classes: Classes, *, rows: int | None = None
) -> dict[str, FloatArray]:
    """Return classifiers' probabilities of the same rows, by name."""
    by_name = as_mapping(
        y_proba,
        "y_proba",
        "classifiers' names to probabilities",
        hint=Hint("For example: {'lr': model.predict_proba(X)}."),
    )
    tables: dict[str, FloatArray] = {}
    for name, columns in as_columns(by_name, argument="y_proba").items():
        table = as_probabilities(columns, classes, rows=rows, argument=f"y_proba[{name!r}]")
        tables[as_name(name)], rows = table, len(table)
    return tables


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityRows:
    """True classes and each classifier's probabilities, on the same rows."""

    classes: Classes
    truths: IntArray
    probabilities: Mapping[str, FloatArray]
    groups: IntArray | None = None

    @classmethod
    def of(
        cls,
        y_true: ArrayLike,
        y_proba: Columns,
        *,
        classes: ClassNames | None = None,
        groups: ArrayLike | None = None,
        single: bool = False,
    ) -> Self:
        """Check labels, and probabilities of several classifiers by name or of one alone."""
        known = Classes.of_data(classes, y_true)
        truths = known.truths(y_true)
        names, rows = set(map(str, known)), truths.size
        if isinstance(y_proba, Mapping) and not single and set(map(str, y_proba)) != names:
            tables = probabilities_by_name(y_proba, known, rows=rows)
        else:
            tables = {"classifier": as_probabilities(y_proba, known, rows=rows)}
        return cls(
            known, truths, tables, None if groups is None else as_groups(groups, len(truths))
        )

    def __len__(self) -> int:
        return self.truths.size

    @property
    def totals(self) -> IntArray:
        """The number of rows of each class."""
        return np.bincount(self.truths, minlength=len(self.classes))

    @property
    def units(self) -> int:
        """The number of independent units: rows, or groups of rows."""
        return len(self) if self.groups is None else int(self.groups.max()) + 1

    def rows_by_class(self) -> list[IntArray]:
        """Return the places of each class's rows."""
        return [np.flatnonzero(self.truths == code) for code in range(len(self.classes))]


def feature_names(X: Features) -> tuple[str, ...] | None:
    """Return the names of a frame's columns, or None."""
    columns = getattr(X, "columns", None)
    return None if columns is None else tuple(map(str, columns))


def as_features(
    X: Features, *, width: int | None = None, names: tuple[str, ...] | None = None
) -> FloatArray:
    """Return features as finite doubles, with the columns that were fitted."""
    columns = feature_names(X)
    if names is not None and columns is not None and columns != names:
        raise InputError(
            "X",
            "have the columns {expected}, in this order",
            format_list(columns, 30),
            "Pass the features that were fitted.",
            expected=format_list(names, 30),
        )
    table = as_table(X, "X", width, hint="Pass rows by columns, all of them numbers.")
    check_cells(table, np.isfinite(table), "X", "hold finite numbers", hint="Drop or fill them.")
    return np.array(table)  # a copy, which nobody else changes


# Everson and Fieldsend, section 4.1: two centers for each class, all with the same weight. The
# paper prints the covariance 0.3 I, with which 40% would be misclassified at best; Ripley's 0.03 I
# gives 9.2%, which fits the 32 errors in 300 that it reports.
CENTERS = np.array(
    [
        [[0.7, 0.3], [0.3, 0.3]],
        [[-0.7, 0.7], [0.4, 0.7]],
        [[1.0, 1.0], [0.0, 1.0]],
    ]
)
VARIANCE = 0.03
CENTERS.flags.writeable = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ThreeClassData:
    """Rows of the classes 1, 2 and 3."""

    X: FloatArray
    y: IntArray

    def __repr__(self) -> str:
        return f"<ThreeClassData of {len(self.y)} rows>"

    @property
    def classes(self) -> Classes:
        """The classes."""
        return Classes((1, 2, 3))

    def probabilities(self, X: Features) -> FloatArray:
        """Return the true probabilities of the classes at each row of `X`."""
        rows = as_features(X, width=2)
        offsets = rows[:, np.newaxis, np.newaxis, :] - CENTERS
        exponents = -(offsets**2).sum(axis=3) / (2 * VARIANCE)
        exponents -= exponents.max(axis=(1, 2), keepdims=True)  # far away all would underflow
        densities = np.exp(exponents).sum(axis=2)
        return np.asarray(densities / densities.sum(axis=1, keepdims=True))


def three_class_data(rows: int = 300, *, seed: int = 0) -> ThreeClassData:
    """Draw Everson and Fieldsend's synthetic data, with classes of equal size.

    Parameters
    ----------
    rows
        The number of rows, a multiple of 3.
    seed
        The seed of the random numbers.

    Examples
    --------
    >>> import rocch
    >>> data = rocch.multiclass.three_class_data(300, seed=1)
    >>> data.X.shape, [int((data.y == label).sum()) for label in (1, 2, 3)]
    ((300, 2), [100, 100, 100])
    >>> data.probabilities([[0.7, 0.3]]).round(3)
    array([[0.986, 0.014, 0.   ]])
    """
    if as_whole(rows, "rows", least=3) % 3:
        raise InputError("rows", "be a multiple of 3", rows, "Each class gets a third of them.")
    rng = np.random.default_rng(as_whole(seed, "seed", least=0))
    codes = np.repeat(np.arange(3), rows // 3)
    centers = CENTERS[codes, rng.integers(0, 2, rows)]
    points = centers + np.sqrt(VARIANCE) * rng.standard_normal((rows, 2))
    y = codes + 1
    points.flags.writeable = y.flags.writeable = False
    return ThreeClassData(points, y)
