"""Data frames in the user's own library, made through narwhals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from rocch.errors import MissingExtraError
from rocch.inputs import as_choice
from rocch.numbers import format_number

# Libraries that can hold a data frame, the preferred one first.
FrameLibrary: TypeAlias = Literal["pandas", "polars", "pyarrow"]

# Cells that belong to one type; all others become text.
KINDS: tuple[Any, ...] = (bool, (int, float), str, date)

# Larger whole numbers fit no column of integers.
LARGEST = 2**63


def make_frame(columns: Mapping[str, Iterable[Any]], backend: FrameLibrary | None = None) -> Any:
    """Return columns as a data frame.

    Parameters
    ----------
    columns
        Values by name; missing ones are None. Values of several types in one column become text.
    backend
        "pandas", "polars" or "pyarrow"; by default the first of them that is installed.

    Raises
    ------
    MissingExtraError
        If the library is not installed.
    """
    import narwhals as nw

    values = {name: clean_column(column) for name, column in columns.items()}
    return nw.from_dict(values, backend=find_library(backend)).to_native()


def find_library(backend: FrameLibrary | None = None) -> FrameLibrary:
    """Return the library that holds frames: the one named, or the first that is installed."""
    libraries: tuple[FrameLibrary, ...] = get_args(FrameLibrary)
    if backend is not None:
        as_choice(backend, libraries, "backend")
        libraries = (backend,)
    for library in libraries:
        if find_spec(library) is not None:
            return library
    names = backend or "pandas, polars or pyarrow"
    raise MissingExtraError(
        f"A data frame needs {names}, which is not installed.",
        hint=f"Install it with: pip install {libraries[0]}",
    )


def library_of(frame: Any) -> FrameLibrary | None:
    """Return the library of a frame, or of the first of a list, if it holds what we return."""
    first = frame[0] if isinstance(frame, list) and frame else frame
    name = type(first).__module__.partition(".")[0]
    return next((library for library in get_args(FrameLibrary) if library == name), None)


def clean_column(column: Iterable[Any]) -> list[Any]:
    """Return values as Python objects of one type, so that every library can hold them."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return list(column.tolist())
    values = [value.item() if hasattr(value, "item") else value for value in column]
    present = [value for value in values if value is not None]
    if any(isinstance(value, int) and abs(value) >= LARGEST for value in present):
        return [None if value is None else float(value) for value in values]
    kinds = {next((i for i, k in enumerate(KINDS) if isinstance(v, k)), -1) for v in present}
    if len(kinds) <= 1 and -1 not in kinds:
        is_float = any(isinstance(value, float) for value in present)
        return [float(v) if is_float and v is not None else v for v in values]
    return [None if value is None else write_value(value) for value in values]


def write_value(value: object) -> str:
    """Return a cell as text."""
    return format_number(value) if type(value) is float and value == value else str(value)
