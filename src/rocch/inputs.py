"""Checks of arguments, which become arrays and numbers; inputs are never changed."""

from __future__ import annotations

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from functools import wraps
from numbers import Integral, Number, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from rocch.arrays import AnyArray, Columns, FloatArray, IntArray
from rocch.errors import (
    CallError,
    Hint,
    InputError,
    LengthError,
    describe_type,
    format_count,
    format_list,
    with_article,
)

T = TypeVar("T")
Class = TypeVar("Class", bound=type)

LARGEST_EXACT_INTEGER = 2**53

# Weights other than 0 stay between these: sums and products of them neither overflow nor vanish.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 2.0**-500, 2.0**500

# Kinds of NumPy data that may be numbers: no dates, no complex numbers.
NUMERIC_KINDS = "biufOSU"

# The name of a classifier whose scores have none.
UNNAMED = "classifier"

# Types of one number each; a bool is an int.
INTEGERS = int | np.integer
NUMBERS = INTEGERS | float | np.floating | np.bool_


def as_numpy(values: Any, argument: str) -> AnyArray:
    """Return data as a NumPy array; values keep their types."""
    if type(values) is np.ndarray:
        return values
    if isinstance(values, list | tuple):
        values = _from_sequence(values, argument)
    elif not isinstance(values, np.ndarray):
        values = _from_any_series(values, argument)
    if np.ma.isMaskedArray(values) and np.ma.getmaskarray(values).any():
        raise InputError(
            argument,
            "have no missing values",
            f"a masked one at position {np.argmax(np.ma.getmaskarray(values))}",
            "Drop those rows, for every classifier alike.",
        )
    return np.asarray(values)


def as_array(values: Any, argument: str) -> AnyArray:
    """Return one-dimensional data as a NumPy array."""
    array = as_numpy(values, argument)
    if array.ndim != 1:
        raise InputError(
            argument,
            "be one-dimensional",
            f"an array of shape {array.shape}" if array.size else "rows of unequal length",
            "Pass one value per row, for example one column of the data.",
        )
    if not array.size:
        raise InputError(argument, "have at least one row", "none")
    return array


def as_scores(
    y_score: ArrayLike, rows: int | None = None, *, argument: str = "y_score"
) -> FloatArray:
    """Return scores as doubles, as many as `rows`; infinite ones are allowed, NaN is not."""
    raw = as_array(y_score, argument)
    scores = _as_doubles(raw, argument, "Pass one numeric score per row.")
    if rows is not None:
        check_length(scores.size, rows, argument)
    lowest = np.minimum.reduce(scores)
    if lowest != lowest:  # NaN
        raise missing_scores(np.flatnonzero(np.isnan(scores)), argument)
    got = "" if scores is raw else _inexact(raw, scores)
    if got:
        raise InputError(
            argument,
            "be integers below 2**53 in size, or numbers that stay distinct as doubles",
            f"{got}, which doubles cannot tell apart",
            Hint("Rank them first, for example with scipy.stats.rankdata."),
        )
    return scores


def missing_scores(where: IntArray, argument: str) -> InputError:
    """Return the error for scores that are NaN at some places."""
    return InputError(
        argument,
        "have no missing values (NaN)",
        f"{where.size} of them, first at position {where[0]}",
        "Drop or fill those rows, for every classifier alike.",
    )


def as_rates(
    values: ArrayLike, rows: int | None, argument: str, *, least: float = 0.0, hint: str | Hint = ""
) -> FloatArray:
    """Return probabilities, as many as `rows`."""
    rates = as_scores(values, rows, argument=argument)
    outside = np.flatnonzero((rates < least) | (rates > 1))
    if outside.size:
        got = f"{rates[outside[0]]:g} at position {outside[0]}"
        raise InputError(argument, f"be probabilities from {least:g} to 1", got, hint)
    return rates


def as_weights(
    sample_weight: ArrayLike | None,
    size: int,
    *,
    argument: str = "sample_weight",
    rows: str = "rows",
) -> FloatArray:
    """Return weights as doubles that are not negative, one for each row or other unit."""
    raw = as_array(sample_weight, argument)
    weights = _as_doubles(raw, argument, "Pass one weight per row.")
    check_length(weights.size, size, argument, rows)
    within = (weights >= SMALLEST_WEIGHT) & (weights <= LARGEST_WEIGHT)
    unusable = np.flatnonzero(~(within | (weights == 0)))
    if unusable.size:
        first = weights[unusable[0]]
        requirement, hint = "be finite and not negative", "Use 0 to leave a row out."
        if np.isfinite(first) and first >= 0:
            requirement = f"be 0, or from {SMALLEST_WEIGHT:.2g} to {LARGEST_WEIGHT:.2g}"
            hint = "State weights in another unit; only their ratios count."
        raise InputError(argument, requirement, f"{first} at position {unusable[0]}", hint)
    return weights


def as_columns(scores: Columns, *, argument: str = "scores") -> dict[str, Any]:
    """Return named columns of scores from a mapping, a data frame or the one of a classifier."""
    if isinstance(scores, Mapping):
        pairs = list(scores.items())
    elif _is_one_column(scores):
        pairs = [(find_name(scores), scores)]
    else:
        pairs = _frame(scores, argument)
    if not pairs:
        raise InputError(argument, "name at least one classifier", "none")
    columns = {str(name): column for name, column in pairs}
    if len(columns) < len(pairs):
        check_unique((str(name) for name, _ in pairs), argument)
    return columns


def _is_one_column(scores: Any) -> bool:
    """Return whether data are one value per row: an array, a series or a list of numbers."""
    if isinstance(scores, list | tuple):
        return bool(scores) and isinstance(scores[0], NUMBERS)
    if hasattr(scores, "columns"):
        return False
    import narwhals as nw

    return getattr(scores, "ndim", None) == 1 or nw.dependencies.is_into_series(scores)


def find_name(scores: object) -> str:
    """Return the name of a series, or a common one."""
    name = getattr(scores, "name", None)
    return str(name) if isinstance(name, str | int | tuple) and name != "" else UNNAMED


def find_duplicates(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def check_length(size: int, wanted: int, argument: str, rows: str = "rows") -> None:
    """Refuse data without one value for each row or other unit."""
    if size != wanted:
        one = wanted == 1
        each = f"the one {rows.removesuffix('s')}" if one else f"each of the {wanted} {rows}"
        raise LengthError(
            argument,
            f"have one value for {each}",
            f"{size}",
            f"Check that both come from the same {rows} in the same order.",
        )


def as_name(name: object) -> str:
    """Return a classifier's name."""
    return as_text(name, "name", hint="Name the classifier.")


def is_number(value: Any) -> bool:
    """Return whether a value is a real number other than NaN."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return bool(value == value)  # math.isnan overflows for large integers


def is_double(value: Any) -> bool:
    """Return whether a value is a real number other than NaN, and no integer beyond all doubles."""
    try:
        return is_number(value) and not math.isnan(value)
    except OverflowError:
        return False


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def as_number(
    value: Any,
    argument: str,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    hint: str | Hint = "",
) -> float:
    """Return a finite number within bounds as a float; `above` and `below` are excluded."""
    fits = (
        is_number(value)
        and _is_finite(value)
        and (least is None or value >= least)
        and (most is None or value <= most)
        and (above is None or value > above)
        and (below is None or value < below)
    )
    if not fits:
        bounds = _describe_bounds(least, most, above, below)
        raise InputError(argument, f"be a {bounds}", repr(value), hint)
    return float(value)


def _describe_bounds(
    least: float | None, most: float | None, above: float | None, below: float | None
) -> str:
    if least is not None and most is not None:
        return f"number from {least:g} to {most:g}"
    if above is not None and below is not None:
        return f"number between {above:g} and {below:g}, both excluded"
    if least is not None and below is not None:
        return f"number from {least:g} to below {below:g}"
    if above is not None and most is not None:
        return f"number above {above:g} and at most {most:g}"
    if least == 0:
        return "finite number, not negative"
    if least is not None:
        return f"finite number, at least {least:g}"
    if above is not None:
        return f"finite number above {above:g}"
    return "finite number"


def as_whole(
    value: Any, argument: str, *, least: int, most: int | None = None, hint: str | Hint = ""
) -> int:
    """Return a whole number within bounds."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        bounds = f", at least {least}" if most is None else f" from {least} to {most}"
        raise InputError(argument, f"be a whole number{bounds}", repr(value), hint)
    return int(value)


def as_rate(value: Any, argument: str) -> float:
    """Return a number from 0 to 1."""
    percent = value if is_number(value) and 1 < value <= 100 else 5
    hint = f"Write {percent:g}% as {percent / 100:g}, for example."
    return as_number(value, argument, least=0, most=1, hint=hint)


def as_level(
    value: Any,
    argument: str = "confidence",
    *,
    hint: str | Hint = "Write 95% as 0.95, for example.",
) -> float:
    """Return a number strictly between 0 and 1."""
    return as_number(value, argument, above=0, below=1, hint=hint)


def as_fraction(value: Any) -> Fraction:
    """Return a number as the fraction it is written as: 0.1 is one tenth."""
    return Fraction(str(value))


def as_flag(value: object, argument: str) -> bool:
    """Return True or False; texts are refused."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(argument, "be {yes} or {no}", repr(value), yes=True, no=False)
    return bool(value)


def as_choice(
    value: object, choices: Iterable[str], argument: str, *, hint: str | Hint = ""
) -> str:
    """Return one of a few texts."""
    words = list(choices)
    if not isinstance(value, str) or value not in words:
        raise InputError(
            argument, "be one of {expected}", repr(value), hint, expected=format_list(words)
        )
    return value


def as_text(value: object, argument: str, *, hint: str | Hint = "") -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise InputError(argument, "be a text that is not empty", repr(value), hint)
    return value


def as_instance(
    value: object, kinds: type[T] | tuple[type[T], ...], argument: str, *, hint: str | Hint = ""
) -> T:
    """Return an instance of one of the classes."""
    if not isinstance(value, kinds):
        classes = kinds if isinstance(kinds, tuple) else (kinds,)
        names = " or ".join(with_article(kind.__name__) for kind in classes)
        raise InputError(argument, f"be {names}", describe_type(value), hint)
    return value


def as_mapping(value: object, argument: str, of: str, *, hint: str | Hint = "") -> dict[Any, Any]:
    """Return a mapping that is not empty; `of` describes it, as in "names to scores"."""
    if not isinstance(value, Mapping) or not value:
        got = "none" if isinstance(value, Mapping) else describe_type(value)
        raise InputError(argument, f"map {of}", got, hint)
    return dict(value)


def as_function(
    value: object, argument: str, of: str, *, hint: str | Hint = ""
) -> Callable[..., Any]:
    """Return a function; `of` describes its arguments."""
    if not callable(value):
        raise InputError(argument, f"be a function of {of}", describe_type(value), hint)
    return value


def check_known(names: Iterable[object], known: Iterable[object], argument: str, what: str) -> None:
    """Refuse unknown names; `what` is what they name, such as "models"."""
    options = list(known)
    unknown = [name for name in names if name not in options]
    if unknown:
        raise InputError(
            argument,
            f"name one of the {what}",
            format_list(unknown),
            f"The {what} are: {{known}}." if options else f"There are no {what}.",
            known=format_list(options),
        )


def check_unique(names: Iterable[str], argument: str) -> None:
    """Refuse repeated names."""
    given = list(names)
    if len(set(given)) < len(given):
        twice = find_duplicates(given)
        raise InputError(
            argument, "have distinct names", f"{format_list(twice)} more than once", "Rename one."
        )


def _as_doubles(raw: AnyArray, argument: str, hint: str | Hint) -> FloatArray:
    try:
        if raw.dtype.kind not in NUMERIC_KINDS:
            raise TypeError
        return np.ascontiguousarray(raw, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(argument, "be numbers", _first_not_number(raw), hint) from None


def _inexact(raw: AnyArray, scores: FloatArray) -> str:
    kind = raw.dtype.kind
    large = merged = False
    if kind in "iu":
        large = max(-int(raw.min()), int(raw.max())) >= LARGEST_EXACT_INTEGER
    elif kind == "f" and raw.dtype.itemsize > scores.dtype.itemsize:
        merged = np.unique(raw).size > np.unique(scores).size
    elif kind in "OSU":
        values = raw.tolist()
        types = set(map(type, values))
        whole = {each for each in types if issubclass(each, Integral)}
        integers = (int(value) for value in values if type(value) in whole) if whole else ()
        large = any(abs(value) >= LARGEST_EXACT_INTEGER for value in integers)
        # small integers and floats are exact
        merged = not types <= whole | {float} and _merged(values, scores)
    return "larger integers" if large else "distinct numbers of more digits" if merged else ""


def _merged(values: list[Any], scores: FloatArray) -> bool:
    texts = (value.decode() if isinstance(value, bytes) else value for value in values)
    exact = (
        Decimal(value)
        if isinstance(value, str)
        else value
        if isinstance(value, Number)
        else float(value)
        for value in texts
    )
    return len(set(exact)) > np.unique(scores).size


def _first_not_number(raw: AnyArray) -> str:
    for position, value in enumerate(raw.tolist()):
        try:
            float(value)
        except OverflowError:
            return f"an integer beyond all doubles at position {position}"
        except (TypeError, ValueError):
            return f"{value!r} at position {position}"
    return f"data of type {raw.dtype}"


def _from_sequence(values: list[Any] | tuple[Any, ...], argument: str) -> AnyArray:
    """Return a sequence as an array; NumPy alone would turn mixed values into texts or doubles."""
    kinds = set(map(type, values))
    if any(hasattr(kind, "__dlpack__") for kind in kinds):  # arrays and tensors of one value each
        values = [_plain_item(value, argument) for value in values]
        kinds = set(map(type, values))
    numbers = all(issubclass(kind, NUMBERS) for kind in kinds)
    rows = any(issubclass(kind, list | tuple) for kind in kinds)
    if not numbers and not rows:
        return np.array(values, dtype=object)
    try:
        array = np.asarray(values)
    except ValueError:  # rows of unequal length
        return np.empty((0, 0))
    whole = any(issubclass(kind, INTEGERS) for kind in kinds)
    if whole and array.dtype.kind == "f" and (np.abs(array) >= LARGEST_EXACT_INTEGER).any():
        return np.array(values, dtype=object)
    return array


def _plain_item(value: Any, argument: str) -> Any:
    single = hasattr(value, "__dlpack__") and tuple(value.shape) == ()
    return _host_array(value, argument).item() if single else value


def _from_any_series(values: Any, argument: str) -> Any:
    import narwhals as nw

    try:
        return column_values(nw.from_native(values, series_only=True))
    except TypeError:
        pass
    except Exception as error:  # each library has its own errors
        raise _unreadable(values, argument) from error
    if hasattr(values, "__array__") or hasattr(values, "__dlpack__"):
        return _host_array(values, argument)
    ordered = hasattr(values, "__len__") and hasattr(values, "__getitem__")
    if not ordered or isinstance(values, (str, bytes, Mapping)):
        raise InputError(
            argument,
            "be an array, a list or a data frame's column",
            describe_type(values),
            "Pass one value per row.",
        )
    return _from_sequence(list(values), argument)


def column_values(series: Any) -> AnyArray:
    """Return a narwhals series as a NumPy array."""
    import narwhals as nw

    if series.dtype == nw.Categorical and series.null_count():
        # Arrow's own conversion of a dictionary gives null rows its last value
        return np.array(series.to_list(), dtype=object)
    values: AnyArray = series.to_numpy()
    return values


def to_host(values: Any, argument: str) -> Any:
    """Return another library's array as a NumPy array, anything else unchanged."""
    foreign = hasattr(values, "__dlpack__") and not isinstance(values, np.ndarray)
    return _host_array(values, argument) if foreign else values


def _host_array(values: Any, argument: str) -> AnyArray:
    """Return another library's array as a NumPy array, copied from its device if necessary."""
    try:
        return _copy_to_host(values)
    except Exception as error:  # each library has its own errors
        raise _unreadable(values, argument) from error


def _copy_to_host(values: Any) -> AnyArray:
    """Copy an array to the host; short floats that NumPy may lack become 32-bit ones."""
    if hasattr(values, "detach"):  # PyTorch
        values = values.detach().cpu()
        if values.is_floating_point() and values.element_size() < 4:
            values = values.float()
    try:
        found = np.asarray(values) if hasattr(values, "__array__") else np.from_dlpack(values)
    except Exception:  # as above; only CuPy has `get`, and only NumPy 2.1 has `device`
        found = values.get() if hasattr(values, "get") else np.from_dlpack(values, device="cpu")
    return found.astype(np.float32) if found.dtype.kind == "V" else found


def _unreadable(values: object, argument: str) -> InputError:
    where = getattr(values, "device", None)
    return InputError(
        argument,
        "be data that NumPy can read",
        f"{describe_type(values)} and dtype {getattr(values, 'dtype', 'unknown')}"
        + (f" on device {where}" if where is not None else ""),
        Hint("Convert it to a NumPy array of numbers or texts."),
    )


def _frame(scores: Any, argument: str) -> list[tuple[Any, Any]]:
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        frame = nw.from_native(scores, eager_only=True)
        return [(column.name, column_values(column)) for column in frame.iter_columns()]
    except NarwhalsError:
        names = getattr(scores, "column_names", scores.columns)  # Arrow's columns are the data
        check_unique(map(str, names), argument)
        raise
    except TypeError:
        raise InputError(
            argument,
            "be one classifier's scores, map names of classifiers to scores, or be a data frame "
            "with a column for each",
            describe_type(scores),
            Hint("For example: predict_proba(X)[:, 1], or {'nb': scores_nb, 'gbm': scores_gbm}."),
        ) from None


def check_same_names(
    names: Iterable[object], wanted: Iterable[object], argument: str, what: str
) -> None:
    """Refuse names other than exactly the wanted ones, in any order."""
    given, needed = list(names), list(wanted)
    if set(given) != set(needed):
        raise InputError(
            argument,
            f"have exactly the {what} {{expected}}",
            format_list(given, 30) or "none",
            expected=format_list(needed, 30),
        )


def _unknown_argument(function: Callable[..., Any], named: Iterable[str]) -> str:
    known = list(inspect.signature(function).parameters)[1:]
    for name in named:
        if name not in known:
            alike = get_close_matches(name, known, n=1)
            return f"the unknown {name!r}" + (f", perhaps for {alike[0]!r}" if alike else "")
    return ""


def _missing_arguments(function: Callable[..., Any], given: int, named: Iterable[str]) -> str:
    parameters = list(inspect.signature(function).parameters.values())[1:]
    places = [each for each in parameters if each.kind is not each.KEYWORD_ONLY]
    if given > len(places):
        return f"{format_count(given, 'value')} without a name"
    filled = {each.name for each in places[:given]} | set(named)
    empty = inspect.Parameter.empty
    missing = (p.name for p in parameters if p.default is empty and p.name not in filled)
    return f"no {' and no '.join(missing)}"


def explain_call(example: str) -> Callable[[Class], Class]:
    """Let a class explain calls with wrong arguments by an example."""

    def decorate(cls: Class) -> Class:
        plain = vars(cls)["__init__"]

        @wraps(plain)
        def init(self: Any, *given: Any, **named: Any) -> None:
            try:
                plain(self, *given, **named)
            except TypeError as error:
                try:
                    inspect.signature(plain).bind(self, *given, **named)
                except TypeError as misfit:
                    got = _unknown_argument(plain, named)
                    got = got or _missing_arguments(plain, len(given), named) or str(misfit)
                    hint = Hint(f"For example: {example}.")
                    requirement = "be called with the arguments that it takes"
                    raise CallError(cls.__name__, requirement, got, hint) from None
                raise error from None

        cls.__init__ = init  # type: ignore[misc]  # the same method with a better message
        return cls

    return decorate
