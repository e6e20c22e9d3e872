"""The classes of a problem by their names, and data that speak of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rocch.arrays import FloatArray, IntArray
from rocch.errors import InputError, describe_type, format_count, format_list
from rocch.inputs import (
    as_array,
    as_columns,
    as_scores,
    as_whole,
    check_length,
    distinct_labels,
    is_missing,
    to_host,
)

# --------------------------------------------------------------------------------------------------
# The classes of a problem by their names, and data that speak of them: labels and posteriors.

SUM_TOLERANCE = 1e-5
"""How far the sum of a row's posteriors may be from 1; models that count in single precision need
this much, as scikit-learn's metrics grant too."""


@dataclass(frozen=True, slots=True)
class Classes:
    """The names of a problem's classes, in a fixed order; inside, a class is its place in it.

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
    def of(cls, names: Any, argument: str = "classes") -> Classes:
        """Take names in the order in which they stand."""
        if isinstance(names, Classes):
            return names
        plain = _plain(names, argument)
        if any(is_missing(name) for name in plain):
            raise InputError(
                argument, "have no missing names", format_list(plain), "Name every class."
            )
        distinct_labels(np.fromiter(plain, dtype=object, count=len(plain)), argument)
        twice = [name for place, name in enumerate(plain) if name in plain[:place]]
        if len(plain) < 2 or twice:
            got = (
                f"{format_list(twice)} twice"
                if twice
                else f"only {format_list(plain)}"
                if plain
                else "none"
            )
            raise InputError(argument, "name two or more distinct classes", got, "Name them all.")
        return cls(tuple(plain))

    @classmethod
    def of_labels(cls, y_true: Any, argument: str = "y_true") -> Classes:
        """Take the labels that occur, sorted as scikit-learn sorts them."""
        return cls.of(distinct_labels(as_array(y_true, argument), argument), argument)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names)

    @property
    def pairs(self) -> tuple[tuple[Any, Any], ...]:
        """All ways to err, as (truth, prediction), row by row of the confusion matrix."""
        return tuple(
            (truth, other) for truth in self.names for other in self.names if truth != other
        )

    def place(self, name: Any, argument: str) -> int:
        """Return where a class stands in the order."""
        try:
            return self.names.index(name)
        except ValueError:
            raise InputError(
                argument,
                "name a class",
                repr(name),
                f"The classes are: {format_list(self.names, 30)}.",
            ) from None

    def places(self, pair: Any) -> tuple[int, int]:
        """Return where the truth and the answer of a pair stand."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError("pair", "be (truth, prediction)", repr(pair), "Name both classes.")
        return self.place(pair[0], "pair"), self.place(pair[1], "pair")

    def codes(self, labels: Any, argument: str) -> IntArray:
        """Return each label's place; every label must be one of the classes."""
        array = as_array(labels, argument)
        present = distinct_labels(array, argument)
        unknown = [label for label in present if label not in self.names]
        if unknown:
            raise InputError(
                argument,
                "hold known classes only",
                format_list(unknown),
                f"The classes are: {format_list(self.names, 30)}.",
            )
        if array.dtype.kind in "OT":
            place = {name: code for code, name in enumerate(self.names)}
            return np.array([place[label] for label in array.tolist()], dtype=np.int64)
        order = np.array([self.names.index(label) for label in present], dtype=np.int64)
        return order[np.searchsorted(np.unique(array), array)]

    def truths(self, y_true: Any, argument: str = "y_true") -> IntArray:
        """Return each row's true class; every class must occur, or it has no rates."""
        codes = self.codes(y_true, argument)
        absent = np.flatnonzero(np.bincount(codes, minlength=len(self)) == 0)
        if absent.size:
            raise InputError(
                argument,
                "hold at least one row of every class",
                f"none of {format_list(self.names[code] for code in absent)}",
                "Judge on rows of all classes, or leave the class out of the problem.",
            )
        return codes


def _plain(names: Any, argument: str) -> list[Any]:
    """Return names as Python's own objects; an array would make floats of 1 beside 2.5."""
    if isinstance(names, list | tuple):
        return [name.item() if isinstance(name, np.generic) else name for name in names]
    plain: list[Any] = as_array(names, argument).tolist()
    return plain


def as_posteriors(
    y_proba: Any, classes: Classes, *, rows: int | None = None, argument: str = "y_proba"
) -> FloatArray:
    """Return posteriors as doubles, one row each and one column for each class in order.

    A frame or a mapping is read by the names of its columns, whatever their order; an array must
    have its columns in the order of `classes`, which is scikit-learn's `classes_`.
    """
    posteriors = _matrix(y_proba, classes, argument)
    if rows is not None:
        check_length(len(posteriors), rows, argument)
    unusable = np.argwhere(~(posteriors >= 0))
    if unusable.size:
        row, column = unusable[0]
        raise InputError(
            argument,
            "be probabilities: no missing values (NaN) and none below 0",
            f"{posteriors[row, column]} in row {row} for class {classes.names[column]!r}",
            "Pass probabilities, not scores; drop or repair rows that have none.",
        )
    wrong = np.flatnonzero(~(np.abs(posteriors.sum(axis=1) - 1) <= SUM_TOLERANCE))
    if wrong.size:
        raise InputError(
            argument,
            "sum to 1 in every row",
            f"{posteriors[wrong[0]].sum():.6g} in row {wrong[0]}"
            + (f", and others in {wrong.size - 1} more rows" if wrong.size > 1 else ""),
            "If they are rounded, divide each row by its sum; other scores need a calibration.",
        )
    return posteriors


def _matrix(y_proba: Any, classes: Classes, argument: str) -> FloatArray:
    if isinstance(y_proba, Mapping) or hasattr(y_proba, "columns"):
        return _by_name(as_columns(y_proba, argument=argument), classes, argument)
    try:
        array = np.ascontiguousarray(to_host(y_proba, argument), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            argument,
            "be an array of numbers, or a frame with a column for each class",
            describe_type(y_proba),
            "Pass predict_proba's answer.",
        ) from None
    if array.ndim != 2 or array.shape[1] != len(classes) or not len(array):
        raise InputError(
            argument,
            f"have rows, and one column for each of the {len(classes)} classes",
            f"an array of shape {array.shape}",
            f"The classes are, in this order: {format_list(classes, 30)}.",
        )
    return array


def _by_name(columns: dict[str, Any], classes: Classes, argument: str) -> FloatArray:
    missing = [name for name in classes if str(name) not in columns]
    foreign = [column for column in columns if column not in map(str, classes)]
    if missing or foreign:
        raise InputError(
            argument,
            "have one column for each class and no others",
            f"columns {format_list(columns, 30)}",
            f"The classes are: {format_list(classes, 30)}.",
        )
    first = as_array(columns[str(classes.names[0])], argument)
    stacked = [as_scores(columns[str(name)], first.size, argument=argument) for name in classes]
    return np.ascontiguousarray(np.stack(stacked, axis=1))


# --- Features of rows as a table of numbers, for the models that read them directly ---------------


def feature_names(X: Any) -> tuple[str, ...] | None:
    """Return the names of a frame's columns; None for tables without names."""
    columns = getattr(X, "columns", None)
    return None if columns is None else tuple(map(str, columns))


def as_features(
    X: Any, *, width: int | None = None, names: tuple[str, ...] | None = None
) -> FloatArray:
    """Return features as doubles, rows by columns: finite, and with the columns once fitted."""
    given = feature_names(X)
    if names is not None and given is not None and given != names:
        raise InputError(
            "X",
            f"have the columns {format_list(names, 30)}, in this order",
            format_list(given, 30),
            "Pass the features that were fitted.",
        )
    try:
        table = np.array(to_host(X, "X"), dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(
            "X",
            "be a table of numbers",
            describe_type(X),
            "Pass rows by columns; encode texts as numbers first.",
        ) from None
    if table.ndim != 2 or not table.size:
        raise InputError(
            "X", "have rows and columns", f"an array of shape {table.shape}", "Pass a table."
        )
    if width is not None and table.shape[1] != width:
        raise InputError(
            "X",
            f"have {format_count(width, 'column')}",
            table.shape[1],
            "Pass the features that were fitted.",
        )
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise InputError(
            "X",
            "hold finite numbers",
            f"{table[row, column]} in row {row}, column {column}",
            "Drop or fill those rows first.",
        )
    return table


# --- Three classes in the plane whose true posteriors are known, after Everson and Fieldsend ------
#
# Section 4.1 extends Ripley's two-class data by a third class. The centers are as printed there.
# The covariance is printed as 0.3 I, with which two rows in five would be misclassified at best;
# Ripley's own 0.03 I gives 9.2 %, which fits the 32 errors in 300 that the paper reports, and is
# used here.

CENTERS = np.array(
    [
        [[0.7, 0.3], [0.3, 0.3]],
        [[-0.7, 0.7], [0.4, 0.7]],
        [[1.0, 1.0], [0.0, 1.0]],
    ]
)
"""Two centers in the plane for each class; all six have the same weight."""
VARIANCE = 0.03
CENTERS.flags.writeable = False


@dataclass(frozen=True, slots=True, eq=False)
class ThreeClassData:
    """Rows of the three classes 1, 2 and 3, and the truth about them."""

    X: FloatArray
    y: IntArray

    @property
    def classes(self) -> Classes:
        """The classes in order."""
        return Classes((1, 2, 3))

    def posteriors(self, X: Any) -> FloatArray:
        """Return the true probabilities of the classes at each row of `X`."""
        rows = as_features(X, width=2)
        offsets = rows[:, np.newaxis, np.newaxis, :] - CENTERS
        exponents = -(offsets**2).sum(axis=3) / (2 * VARIANCE)
        exponents -= exponents.max(axis=(1, 2), keepdims=True)  # far away all would underflow
        densities = np.exp(exponents).sum(axis=2)
        return np.asarray(densities / densities.sum(axis=1, keepdims=True))


def three_class_data(rows: int = 300, *, seed: int = 0) -> ThreeClassData:
    """Draw the paper's synthetic data, with equal numbers of rows in each class.

    Parameters
    ----------
    rows
        How many rows in all, a multiple of 3; within a class each component is drawn with
        probability one half.
    seed
        The same seed gives the same rows.

    Returns
    -------
    ThreeClassData
        `X` with two columns, `y` with labels 1, 2 and 3, and `posteriors(X)`, the true ones.

    Raises
    ------
    InputError
        If `rows` cannot be shared out equally.

    Examples
    --------
    >>> import rocch
    >>> data = rocch.multiclass.three_class_data(300, seed=1)
    >>> data.X.shape, [int((data.y == label).sum()) for label in (1, 2, 3)]
    ((300, 2), [100, 100, 100])
    >>> data.posteriors([[0.7, 0.3]]).round(3)
    array([[0.986, 0.014, 0.   ]])
    """
    hint = "Each class gets a third of the rows, for example 100 of 300."
    if as_whole(rows, "rows", least=3, hint=hint) % 3:
        raise InputError("rows", "be a multiple of 3", rows, hint)
    rng = np.random.default_rng(as_whole(seed, "seed", least=0, hint="Pass a seed such as 0."))
    codes = np.repeat(np.arange(3), rows // 3)
    centers = CENTERS[codes, rng.integers(0, 2, rows)]
    points = centers + np.sqrt(VARIANCE) * rng.standard_normal((rows, 2))
    y = codes + 1
    points.flags.writeable = y.flags.writeable = False
    return ThreeClassData(points, y)
