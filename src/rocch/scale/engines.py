"""Differences between engines: DuckDB, Spark, Polars, Dask, pandas, Arrow."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from importlib import import_module
from importlib.metadata import version
from numbers import Integral
from typing import Any

import narwhals as nw
from narwhals.dtypes import DType
from narwhals.exceptions import DuplicateError, NarwhalsError

from rocch.arrays import AnyArray
from rocch.errors import Hint, InputError, describe_type, first_line
from rocch.inputs import find_duplicates
from rocch.kernels.cuts import INFINITE, SMALLEST_EXPONENT, Cut, CutGrid
from rocch.labels import is_missing, labels_by_type

Frame = nw.LazyFrame[Any]

# The largest double.
LARGEST = sys.float_info.max

# Names of helper columns in `with_magnitudes`.
SIZE, GUESS, POWER = "size", "guess", "power"

# A column with more distinct texts has no classes.
MOST_LABELS = 1_000


def as_frames(frame: Any) -> tuple[Frame, ...]:
    """Return a frame, or a list of frames, as lazy frames."""
    frames = frame if isinstance(frame, list | tuple) else [frame]
    if not frames:
        raise InputError("frame", "be at least one frame", "none")
    return tuple(map(_as_lazy, frames))


def _as_lazy(frame: Any) -> Frame:
    try:
        lazy: Frame = nw.from_native(frame).lazy()
    except DuplicateError as error:
        raise InputError(
            "frame", "have distinct columns", str(error).replace("\n", " "), "Rename one of them."
        ) from None
    except TypeError:
        raise InputError(
            "frame",
            "be a frame of DuckDB, Spark, Polars, Dask, pandas or Arrow, or paths of Parquet files",
            describe_type(frame),
            Hint("For arrays use RocHull.from_scores."),
        ) from None
    if lazy.implementation.is_spark_like():
        _check_case(lazy)
    _check_types(lazy)
    return _show_nan(lazy) if lazy.implementation.is_duckdb() else lazy


def _show_nan(frame: Frame) -> Frame:
    """Let DuckDB see NaN in columns of floats.

    It plans by the statistics of Parquet files, which leave NaN out; `try(x)` is x without
    statistics.
    """
    floats = [name for name, kind in frame.collect_schema().items() if kind.is_float()]
    if not floats:
        return frame
    quoted = ['"' + name.replace('"', '""') + '"' for name in floats]
    same = ", ".join(f"try({name}) AS {name}" for name in quoted)
    shown: Frame = nw.from_native(frame.to_native().project(f"* REPLACE ({same})"))
    return shown


def _check_case(frame: Frame) -> None:
    """Refuse columns that Spark cannot tell apart."""
    twice = find_duplicates(name.lower() for name in frame.to_native().columns)
    if twice:
        raise InputError(
            "frame",
            "have distinct columns",
            f"{twice[0]!r} more than once; Spark ignores upper and lower case",
            "Rename one of them.",
        )


def _check_types(frame: Frame) -> None:
    """Refuse columns whose type narwhals cannot name, as decimals with a negative scale."""
    try:
        frame.collect_schema()
    except ValueError as error:
        if type(error) is not ValueError:  # raised by an engine
            raise
        raise InputError(
            "frame",
            "have columns of readable types",
            first_line(error),
            "Convert those columns first.",
        ) from None


def unreadable_number_type(frame: Frame, column: str) -> str:
    """Return the type of a numeric column that narwhals cannot read, else an empty text."""
    engine, native = frame.implementation, frame.to_native()
    if frame.collect_schema()[column] != nw.Unknown:
        return ""
    if engine.is_pyarrow():
        kind = str(native.schema.field(column).type)
    elif engine.is_pandas() or engine.is_dask():
        kind = str(native[column].dtype)
    else:
        return ""
    return kind if kind.startswith(("float", "decimal")) else ""


def column_of(name: str, frame: Frame) -> nw.Expr:
    """Return a column by name; Spark and DuckDB 1 read dots in names as fields."""
    if frame.implementation.is_spark_like():
        quoted = name.replace("`", "``")
        return nw.col(f"`{quoted}`")
    if "." in name and is_duckdb_1(frame):
        return nw.col(f'"{name}"')
    return nw.col(name)


def is_duckdb_1(frame: Frame) -> bool:
    """Whether a frame belongs to DuckDB 1."""
    return frame.implementation.is_duckdb() and version("duckdb").startswith("1.")


def nan_is_greatest(frame: Frame) -> bool:
    """Whether the engine's maximum is NaN if there is one; other engines skip NaN."""
    engine = frame.implementation
    return engine.is_duckdb() or engine.is_spark_like()


def literal(value: Any, kind: DType, frame: Frame) -> Any:
    """Return a value to compare a column with; Arrow needs decimals beside decimals."""
    whole = isinstance(value, Integral) and kind.is_decimal()
    return Decimal(int(value)) if whole and frame.implementation.is_pyarrow() else value


def as_doubles(column: str, kind: DType, frame: Frame, *, rounded: bool = False) -> nw.Expr:
    """Return a column as doubles.

    Arrow and DuckDB 1 round decimals correctly only from texts, and Arrow long integers.
    """
    engine = frame.implementation
    arrow = engine.is_pyarrow() or engine.is_pandas() or engine.is_dask()
    values = column_of(column, frame)
    decimal = kind.is_decimal() and (arrow or is_duckdb_1(frame))
    if decimal or (arrow and rounded and kind in (nw.Int64, nw.UInt64)):
        values = values.cast(nw.String)
    return values.cast(nw.Float64)


def missing(column: nw.Expr, kind: DType) -> nw.Expr:
    """Return where a column is null or NaN."""
    return column.is_null() | column.is_nan() if kind.is_float() else column.is_null()


def holds_objects(frame: Frame, column: str) -> bool:
    """Whether a column may hold values of several or hidden types."""
    if not (frame.implementation.is_pandas() or frame.implementation.is_dask()):
        return False
    kind = frame.to_native()[column].dtype
    if hasattr(kind, "categories"):
        kind = kind.categories.dtype
        return str(kind) == "object" or kind.kind in "biuf"
    return str(kind) == "object"


def distinct_objects(frame: Frame, column: str, argument: str) -> list[Any]:
    """Return the distinct values of a column of objects, per type."""
    values = frame.to_native()[column]
    if frame.implementation.is_dask():
        meta = (column, object)
        values = values.map_partitions(_distinct_part, argument, meta=meta).compute()
    present = labels_by_type(_distinct_part(values, argument).tolist(), argument)
    return [value for value in present if not is_missing(value)]


def distinct_labels_of(frame: Frame, column: str, kind: DType) -> list[str]:
    """Return the distinct labels of a column of texts or categories, sorted."""
    values = column_of(column, frame)
    rows = frame.filter(~values.is_null())
    if kind != nw.String:
        values = values.cast(nw.String)
    found = collect(rows.select(label=values).unique().head(MOST_LABELS + 1))["label"]
    if found.size > MOST_LABELS:
        raise InputError(
            "label",
            "name a column of classes",
            f"{column!r} with more than {MOST_LABELS:,} different values",
            "Is it the right column?",
        )
    return sorted(value for value in found.tolist() if not is_missing(value))


def _distinct_part(values: Any, argument: str) -> Any:
    if hasattr(values.dtype, "categories"):
        values = values.drop_duplicates()
    found = labels_by_type(values.tolist(), argument)
    return type(values)(found, name=values.name, dtype=object)


@contextmanager
def read_errors() -> Iterator[None]:
    """Turn errors of engines about their data, such as a damaged file, into an `InputError`.

    Functions that build queries need it too: engines open files early.
    """
    try:
        yield
    except RuntimeError as error:
        if "interrupted" in str(error).lower():  # DuckDB's message for Ctrl-C
            raise KeyboardInterrupt from None
        raise
    except _engine_errors() as error:
        if "INTERRUPT Error" in str(error):
            raise KeyboardInterrupt from None
        raise InputError(
            "frame",
            "be readable to the end in every pass",
            first_line(error),
            "Check whether files behind it were changed, moved or damaged.",
        ) from error


def _engine_errors() -> tuple[type[BaseException], ...]:
    """Return the errors of loaded engines; a panic of Polars is no `Exception`."""
    names = {
        "duckdb": "Error",
        "pyarrow": "ArrowException",
        "polars.exceptions": "PanicException",
    }
    loaded = [getattr(sys.modules[name], names[name]) for name in names if name in sys.modules]
    return (OSError, NarwhalsError, *loaded)


def collect(frame: Frame) -> dict[str, AnyArray]:
    """Run a query within `read_errors` and return its columns."""
    result = frame.collect()
    return {name: result[name].to_numpy() for name in result.columns}


def small_table(columns: Mapping[str, Any], like: Frame) -> Frame:
    """Return a small table in the engine of another frame."""
    lazy: Frame = nw.from_native(_native_table(dict(columns), like)).lazy()
    return lazy


def _native_table(columns: dict[str, Any], like: Frame) -> Any:
    engine, native = like.implementation, like.to_native()
    if engine.is_polars():
        import polars as pl

        return pl.LazyFrame(columns)
    if engine.is_pandas() or engine.is_dask():
        import pandas as pd

        frame = pd.DataFrame(columns)
        if engine.is_pandas():
            return frame
        dask: Any = import_module("dask.dataframe")
        return dask.from_pandas(frame, npartitions=1)
    import pyarrow as pa

    small = pa.table(columns)
    if engine.is_duckdb():
        return native.query("_", "SELECT * FROM small")
    return small if engine.is_pyarrow() else native.sparkSession.createDataFrame(small)


def long_form(frame: Frame, parts: Sequence[Mapping[str, nw.Expr]]) -> Frame:
    """Return a row for each row and part, with the columns of the parts.

    Spark reads the table once for all parts; in other engines a union costs no more.
    """
    if len(parts) > 1 and frame.implementation.is_spark_like():
        return _explode(frame, parts)
    return nw.concat([frame.select(**part) for part in parts], how="vertical")


def _explode(frame: Frame, parts: Sequence[Mapping[str, nw.Expr]]) -> Frame:
    names = list(parts[0])
    columns = {f"{name}_{i}": part[name] for i, part in enumerate(parts) for name in names}
    wide = frame.select(**columns).to_native()
    functions = import_module(f"{type(wide).__module__.split('.sql')[0]}.sql.functions")
    rows = functions.array(
        *(
            functions.struct(*(functions.col(f"{name}_{i}").alias(name) for name in names))
            for i in range(len(parts))
        )
    )
    exploded: Frame = nw.from_native(wide.select(functions.inline(rows)))
    return exploded


def with_magnitudes(frame: Frame, scores: Mapping[str, nw.Expr]) -> Frame:
    """Add columns of `kernels.cuts.magnitudes`, by name.

    A comparison corrects the logarithm, which engines round differently. Each step is a column,
    because engines that compile queries repeat long expressions.
    """
    if not scores:
        return frame
    steps: dict[str, Callable[[str], nw.Expr]] = {
        # finite, because Spark makes an integer of the logarithm, and refuses that of infinity
        SIZE: lambda name: _either(
            nw.col(name) == 0, nw.lit(1.0), nw.col(name).abs().clip(None, LARGEST)
        ),
        # clipped, so that two to its power is a double
        GUESS: lambda name: nw.col(f"{SIZE}_{name}").log(2).floor().clip(-1074, 1023),
        POWER: lambda name: nw.lit(2.0) ** nw.col(f"{GUESS}_{name}"),
    }
    frame = frame.with_columns(**scores)
    for step, expression in steps.items():
        frame = frame.with_columns(**{f"{step}_{name}": expression(name) for name in scores})
    return frame.with_columns(**{name: _magnitude(name) for name in scores})


def _magnitude(name: str) -> nw.Expr:
    score = nw.col(name)
    size, guess, power = (nw.col(f"{step}_{name}") for step in (SIZE, GUESS, POWER))
    above = guess + SMALLEST_EXPONENT - 1
    place = _either(
        size < power,
        above - 1 + size / (power / 2),
        _either(size >= power * 2, above + 1 + size / (power * 2), above + size / power),
    )
    place = _either(score.abs() > LARGEST, nw.lit(float(INFINITE)), place)
    return _either(score > 0, place, _either(score < 0, place * -1, nw.lit(0.0)))


def cut_bucket(
    score: nw.Expr, along: nw.Expr, cut: Cut, part_of: Callable[[str], nw.Expr]
) -> nw.Expr:
    """Return the bucket of a score, as `kernels.cuts.buckets_of` does.

    Parameters
    ----------
    along
        The position of the score along the magnitude.
    part_of
        Returns a field of the cut that holds for the score.
    """
    position = score
    if cut.by_magnitude.all():
        position = along
    elif cut.by_magnitude.any():
        position = _either(part_of("by_magnitude"), along, score)
    if (cut.pre != 1).any():
        position = position * part_of("pre")
    return (position * part_of("factor")).floor().cast(nw.Int64) + part_of("shift")


def clip_to_grid(score: nw.Expr, grid: CutGrid, *, covered: bool) -> nw.Expr:
    """Return a score, clipped to a grid unless that covers it."""
    return score if covered else score.clip(grid.low, grid.high)


def grid_bucket(
    score: nw.Expr, along: nw.Expr, grid: CutGrid, base: int = 0, *, covered: bool = False
) -> nw.Expr:
    """Return the bucket of a score in a grid.

    Parameters
    ----------
    along
        The position of the clipped score along the magnitude.
    base
        The first bucket's number.
    covered
        Whether all scores lie in the grid.
    """
    inner, knots = clip_to_grid(score, grid, covered=covered), grid.knots.tolist()
    cut = grid.cut._replace(shift=grid.cut.shift + base)

    def part_of(name: str) -> nw.Expr:
        if name == "by_magnitude":
            return _by_region(inner, knots, cut.by_magnitude.astype(float).tolist()) > 0
        return _by_region(inner, knots, getattr(cut, name).tolist())

    place = cut_bucket(inner, along, cut, part_of)
    if covered:
        return place
    last = _either(score > grid.high, nw.lit(grid.buckets - 1 + base), place)
    return _either(score < grid.low, nw.lit(base), last)


def _either(condition: nw.Expr, yes: nw.Expr, no: nw.Expr) -> nw.Expr:
    return nw.when(condition).then(yes).otherwise(no)


def _by_region(score: nw.Expr, knots: list[float], values: list[float] | list[int]) -> nw.Expr:
    """Return the value of a score's region, by bisection."""
    if not knots or all(value == values[0] for value in values):
        return nw.lit(values[0])
    middle = len(knots) // 2
    below = _by_region(score, knots[:middle], values[: middle + 1])
    above = _by_region(score, knots[middle + 1 :], values[middle + 1 :])
    return _either(score < knots[middle], below, above)
