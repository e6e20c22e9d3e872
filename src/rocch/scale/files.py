"""Parquet files of any size as one table, read by DuckDB, embedded, under a memory limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from rocch.errors import (
    InputError,
    RocchError,
    StorageError,
    describe_type,
    first_line,
    format_list,
    missing_column,
    missing_extra,
)
from rocch.files import remove_at_end
from rocch.inputs import as_whole, find_duplicates

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


# --- Which files paths stand for: themselves, those of a folder, those of a pattern ---------------

PARQUET = (".parquet", ".pq")
MANAGED = {"_delta_log": "Delta", "metadata": "Iceberg"}
"""Folders beside the files of tables some of whose rows may have been deleted or rewritten."""


def files_of(*paths: str | Path, suffixes: Sequence[str] = PARQUET) -> tuple[Path, ...]:
    """Return the files that paths stand for: themselves, those of a folder, those of a pattern.

    Files are sorted within each path. What is hidden, or begins with an underscore as marks of
    writers do, is left out of folders. No file may come twice, because its rows would count twice.
    """
    for path in paths:
        if not isinstance(path, str | Path):
            raise InputError(
                "paths", "be paths", describe_type(path), "Write 'scores.parquet', say."
            )
        if not str(path).strip():
            raise InputError("paths", "be paths", "an empty text", "Write '.' for this folder.")
    if not paths:
        raise InputError("paths", "be at least one file", "none", "Name a file, or a folder.")
    found = [file for path in paths for file in _files(Path(path), suffixes)]
    twice = find_duplicates([str(file.resolve()) for file in found])
    if twice:
        raise InputError(
            "paths",
            "name every file once",
            f"{twice[0]!r} twice",
            "Its rows would count twice; leave one out.",
        )
    return tuple(found)


def _files(path: Path, suffixes: Sequence[str]) -> list[Path]:
    if path.is_dir():
        return _below(path, suffixes)
    if path.exists():
        return [path]
    matches = sorted(glob(str(path), recursive=True)) if has_magic(str(path)) else []
    if matches:
        return [file for match in matches for file in _files(Path(match), suffixes)]
    if has_magic(str(path)):
        requirement, hint = "match at least one file", "Check the pattern and the folder."
    else:
        requirement, hint = "be an existing file, a folder or a pattern", "Check the path."
    raise InputError("paths", requirement, repr(str(path)), hint)


def _below(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """Return the files of a folder, at any depth."""
    for mark, kind in MANAGED.items():
        if any((folder / mark).glob("*.json")):
            raise InputError(
                "paths",
                "be a folder of plain files",
                f"the {kind} table {str(folder)!r}",
                "Some of its files may hold rows that were deleted. Export it as Parquet first, or "
                "read it with an engine that knows such tables.",
            )
    found = sorted(
        file
        for file in folder.rglob("*")
        if file.name.lower().endswith(tuple(suffixes))
        and not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
        and file.is_file()
    )
    if not found:
        raise InputError(
            "paths",
            f"be a folder with files that end in {format_list(suffixes)}",
            f"the folder {str(folder)!r} without any",
            "Name files or a pattern.",
        )
    return found


# --- Parquet files of any size as one table, read by DuckDB, embedded, under a memory limit -------

MEMORY_LIMIT = "1GB"
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT])i?B", re.IGNORECASE)
OFTEN = 0.2
"""So many seconds pass between two looks at how far a query has got."""


class Footer(NamedTuple):
    """What a Parquet file says about itself at its end."""

    rows: int
    types: dict[str, str]


@contextmanager
def open_files(
    *paths: str | Path,
    columns: Iterable[str] | None = None,
    memory_limit: str = MEMORY_LIMIT,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Iterator[DuckDBPyRelation]:
    """Open Parquet files as one table that need not fit into memory.

    DuckDB reads it, in this process. What does not fit into the memory limit goes to temporary
    files, which are removed at the end. The files themselves are only read.

    Parameters
    ----------
    paths
        Files, folders (all Parquet files below them count), or patterns such as
        `"scores/*.parquet"`. Together they are one table. Folders named as `country=DE` add a
        column `country` of texts.
    columns
        The columns that are needed, which must have the same type in all files. By default all,
        and then all files must have the same columns.
    memory_limit
        How much memory DuckDB may use: "1GB", "500MB".
    threads
        How many threads it may use; by default as many as there are processors.
    progress
        Is told a few times a second what share of the running query is done, from another thread.

    Yields
    ------
    DuckDBPyRelation
        The table, for `hull_from_frame` and the like. It is closed at the end.

    Raises
    ------
    InputError
        If files or columns are not there, or differ, or cannot be read, or if the memory limit
        leaves no room for the work.
    StorageError
        If the disk has no room for temporary files.
    MissingExtraError
        Without the `scale` extra (duckdb and pyarrow).

    Examples
    --------
    >>> import os, pyarrow, rocch, tempfile
    >>> from pyarrow import parquet
    >>> folder = tempfile.TemporaryDirectory()
    >>> for day in range(2):
    ...     rows = pyarrow.table({"y": [0, 1], "nb": [0.1 + day, 0.7]})
    ...     parquet.write_table(rows, os.path.join(folder.name, f"{day}.parquet"))
    >>> with rocch.scale.open_files(folder.name, memory_limit="200MB") as frame:
    ...     frame.columns, len(frame)
    (['y', 'nb'], 4)
    >>> folder.cleanup()
    """
    limit = _as_size(memory_limit)
    if threads is not None:
        as_whole(threads, "threads", least=1, hint="Write 2, for example.")
    names = None if columns is None else _as_names(columns)
    duckdb = _duckdb()
    files = files_of(*paths)
    wanted = _checked_columns(files, names)
    with TemporaryDirectory(prefix="rocch-") as spilling, remove_at_end(Path(spilling)):
        connection = duckdb.connect(config=_settings(limit, threads, spilling))
        try:
            with _watched(connection, progress):
                yield _relation(connection, files, wanted)
        except duckdb.Error as error:
            raise _told(error, memory_limit, spilling) from None
        except InputError as error:
            if not isinstance(error.__cause__, duckdb.Error | OSError):
                raise
            raise _told(error.__cause__, memory_limit, spilling) from None
        finally:
            connection.close()


def _as_names(columns: Any) -> list[str]:
    names = list(columns) if isinstance(columns, Iterable) and not isinstance(columns, str) else []
    if not names or not all(isinstance(name, str) for name in names):
        raise InputError(
            "columns", "be a list of names", repr(columns), 'Write ["y", "gbm"], for example.'
        )
    return names


def footer_of(file: Path) -> Footer:
    """Read how many rows a Parquet file has, and the types of its columns."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise missing_extra("scale", "Reading Parquet") from None
    try:
        with file.open("rb") as content:
            read = parquet.read_metadata(content)
        schema = read.schema.to_arrow_schema()
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"file {str(file)!r} cannot be read as Parquet: {first_line(error)}."
        ) from None
    types = {field.name: str(getattr(field.type, "value_type", field.type)) for field in schema}
    return Footer(read.num_rows, types)


def _checked_columns(files: Sequence[Path], columns: Iterable[str] | None) -> list[str] | None:
    """Check that columns are there, and of one type in all files.

    DuckDB would cast to the type that the first file has, which can make different scores equal.
    """
    first = footer_of(files[0]).types
    wanted = list(first) if columns is None else list(dict.fromkeys(columns))
    partitions = _partitions(files)
    _check_case(wanted, first)
    for name in wanted:
        if name not in first and name not in partitions:
            raise missing_column(name, [*first, *partitions], "columns")
    for file in files[1:]:
        own = footer_of(file).types
        names = set(own) | set(wanted) if columns is None else wanted
        differing = [name for name in names if own.get(name) != first.get(name)]
        if differing:
            raise _different(sorted(differing)[0], files[0], first, file, own)
    return None if columns is None else wanted


def _check_case(wanted: Iterable[str], names: Iterable[str]) -> None:
    """Refuse names that differ in case alone, because DuckDB would take one for the other."""
    for name in wanted:
        alike = [other for other in names if other.lower() == name.lower()]
        if len(alike) > 1:
            raise InputError(
                "columns",
                "differ in more than upper and lower case",
                format_list(alike),
                "Rename one.",
            )


def _partitions(files: Sequence[Path]) -> list[str]:
    """Return the columns that the names of folders add, if they are the same for all files."""
    first, *others = (
        [part.split("=")[0] for part in file.parts[:-1] if part.count("=") == 1] for file in files
    )
    return first if all(other == first for other in others) else []


def _different(
    name: str, first: Path, types: dict[str, str], file: Path, own: dict[str, str]
) -> InputError:
    said = [types.get(name, "missing"), own.get(name, "missing")]
    return InputError(
        "paths",
        "be files with the same columns, of the same types",
        f"column {name!r}, which is {said[0]} in {str(first)!r} and {said[1]} in {str(file)!r}",
        "Name files of one kind, or only the columns that agree.",
    )


def _relation(
    connection: DuckDBPyConnection, files: Sequence[Path], wanted: list[str] | None
) -> DuckDBPyRelation:
    # DuckDB takes brackets in names for patterns; these names are already what patterns stand for
    names = [re.sub(r"([*?\[])", r"[\1]", str(file)) for file in files]
    listed = ", ".join(_quoted(name, "'") for name in names)
    options = f"hive_partitioning={bool(_partitions(files))}, hive_types_autocast=false"
    if _knows(connection, "can_have_nan"):
        # otherwise it trusts the files' statistics, which are silent about NaN, and sees none
        options += ", can_have_nan=true"
    selected = "*" if wanted is None else ", ".join(_quoted(name, '"') for name in wanted)
    # no parameters of a prepared query: with these, DuckDB would hold the whole table in memory
    return connection.sql(f"SELECT {selected} FROM read_parquet([{listed}], {options})")  # noqa: S608 - quoted


def _knows(connection: DuckDBPyConnection, option: str) -> bool:
    """Say whether this DuckDB's reader of Parquet has an option."""
    asked = "SELECT parameters FROM duckdb_functions() WHERE function_name = 'read_parquet'"
    return any(option in parameters for (parameters,) in connection.execute(asked).fetchall())


def _quoted(name: str, mark: str) -> str:
    return mark + name.replace(mark, 2 * mark) + mark


def _settings(limit: str, threads: int | None, spilling: str) -> dict[str, Any]:
    return {
        "memory_limit": limit,
        "temp_directory": spilling,
        "preserve_insertion_order": False,  # groups have no order, and keeping one takes memory
        **({} if threads is None else {"threads": threads}),
    }


@contextmanager
def _watched(
    connection: DuckDBPyConnection, progress: Callable[[float], object] | None
) -> Iterator[None]:
    """Tell how far the running query has got, from a thread of its own."""
    if progress is None:
        yield
        return
    connection.execute("SET enable_progress_bar=true; SET enable_progress_bar_print=false")
    over = Event()

    def look() -> None:
        while not over.wait(OFTEN):
            share = connection.query_progress()
            if 0 <= share <= 100:
                progress(share / 100)

    watcher = Thread(target=look, name="rocch-progress", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def _as_size(memory_limit: str) -> str:
    found = SIZE.fullmatch(memory_limit.strip()) if isinstance(memory_limit, str) else None
    if found is None or float(found[1]) <= 0:
        raise InputError(
            "memory_limit", "be a size such as 1GB or 500MB", repr(memory_limit), "Name its unit."
        )
    return found[0]


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise missing_extra("scale", "Reading files that need not fit into memory") from None
    return duckdb


def _told(error: Exception, memory_limit: str, spilling: str) -> RocchError:
    """Return DuckDB's error in one line of our own."""
    import duckdb

    said = str(error)
    if "No space left" in said or "max_temp_directory_size" in said:
        return StorageError(
            f"the disk has no room for temporary files in {str(Path(spilling).parent)!r}. Free "
            "some, or set TMPDIR to a folder on a larger disk."
        )
    # rows that come in batches of Arrow's bring DuckDB's words only, not its type of error
    if isinstance(error, duckdb.OutOfMemoryException) or said.startswith("Out of Memory"):
        return InputError(
            "memory_limit",
            "leave room for the work",
            repr(memory_limit),
            "Raise it, or use fewer threads or columns.",
        )
    return InputError(f"the files cannot be read: {first_line(error)}.")
