"""Parquet files as one table, read by DuckDB under a memory limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from rocch.errors import (
    InputError,
    RocchError,
    StorageError,
    first_line,
    format_list,
    missing_extra,
)
from rocch.files import remove_at_end
from rocch.inputs import as_instance, as_text, as_whole, find_duplicates

if TYPE_CHECKING:  # optional dependency
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

PARQUET = (".parquet", ".pq")
# Subfolders of table formats whose files may hold deleted rows.
MANAGED = {"_delta_log": "Delta", "metadata": "Iceberg"}
MEMORY_LIMIT = "1GB"
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT])i?B", re.IGNORECASE)
# Seconds between two reports of progress.
OFTEN = 0.2


def files_of(*paths: str | Path, suffixes: Sequence[str] = PARQUET) -> tuple[Path, ...]:
    """Return the files of paths, folders and patterns, sorted within each.

    In folders, names that begin with a dot or an underscore are left out.
    """
    for path in paths:
        hint = "Write '.' for the current folder."
        as_text(str(as_instance(path, (str, Path), "frame")), "frame", hint=hint)
    if not paths:
        raise InputError("frame", "be at least one file", "none")
    found = [file for path in paths for file in _files(Path(path), suffixes)]
    twice = find_duplicates([str(file.resolve()) for file in found])
    if twice:
        raise InputError(
            "frame", "name every file once", f"{twice[0]!r} twice", "Its rows would count twice."
        )
    return tuple(found)


def _files(path: Path, suffixes: Sequence[str]) -> list[Path]:
    if path.is_dir():
        return _files_below(path, suffixes)
    if path.exists():
        return [path]
    is_pattern = has_magic(str(path))
    matches = sorted(glob(str(path), recursive=True)) if is_pattern else []
    if matches:
        return [file for match in matches for file in _files(Path(match), suffixes)]
    pattern, plain = "match at least one file", "be an existing file, a folder or a pattern"
    raise InputError("frame", pattern if is_pattern else plain, repr(str(path)))


def _files_below(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    for mark, kind in MANAGED.items():
        if any((folder / mark).glob("*.json")):
            raise InputError(
                "frame",
                "be a folder of plain files",
                f"the {kind} table {str(folder)!r}",
                "Its files may hold deleted rows. Export it as Parquet first, or read it with an "
                "engine that supports such tables.",
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
            "frame",
            "be a folder with files that end in {expected}",
            f"the folder {str(folder)!r} without any",
            expected=format_list(suffixes),
        )
    return found


@contextmanager
def open_source(frame: Any, columns: Iterable[str] | None, **options: Any) -> Iterator[Any]:
    """Yield a frame, or the table of Parquet files; see `open_files`."""
    paths = frame if isinstance(frame, list | tuple) else [frame]
    if not paths or not all(isinstance(path, str | Path) for path in paths):
        yield frame
        return
    with open_files(*paths, columns=columns, **options) as table:
        yield table


@contextmanager
def open_files(
    *paths: str | Path,
    columns: Iterable[str] | None = None,
    memory_limit: str = MEMORY_LIMIT,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Iterator[DuckDBPyRelation]:
    """Open Parquet files as one DuckDB table; data beyond the memory limit spill to disk.

    Parameters
    ----------
    paths, memory_limit, threads
        As for `scan`.
    columns
        The columns to read, with the same types in all files. By default all.
    progress
        Called with the share of the query done, from another thread.
    """
    files = files_of(*paths)
    need_pyarrow()
    with connect(memory_limit, threads, progress) as connection:
        connection.execute("SET preserve_insertion_order=false")  # saves memory
        wanted = check_columns(connection, files, columns)
        selected = "*" if wanted is None else ", ".join(quote(name, '"') for name in wanted)
        # with parameters of a prepared query, DuckDB would hold the whole table in memory
        yield connection.sql(f"SELECT {selected} FROM {parquet_table(connection, files)}")  # noqa: S608 - quoted


def need_pyarrow() -> None:
    """Refuse to count rows in DuckDB without pyarrow, which brings small tables there."""
    try:
        import pyarrow  # noqa: F401 - only whether it is there
    except ImportError:
        raise missing_extra("scale", "Reading files that need not fit into memory") from None


@contextmanager
def connect(
    memory_limit: str = MEMORY_LIMIT,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Iterator[DuckDBPyConnection]:
    """Open a DuckDB database in memory; what goes beyond the limit spills to disk.

    Parameters are those of `open_files`. Extensions are neither loaded nor installed.
    """
    limit = _as_size(memory_limit)
    try:
        import duckdb
    except ImportError:
        raise missing_extra("scale", "Reading files that need not fit into memory") from None
    with TemporaryDirectory(prefix="rocch-") as spilling, remove_at_end(Path(spilling)):
        settings: dict[str, Any] = {
            "memory_limit": limit,
            "temp_directory": spilling,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        if threads is not None:
            settings["threads"] = as_whole(threads, "threads", least=1)
        connection = duckdb.connect(config=settings)
        try:
            with _watch(connection, progress):
                yield connection
        except duckdb.Error as error:
            raise _translate(error, memory_limit, spilling) from None
        except RuntimeError as error:
            if type(error) is RuntimeError and "interrupted" in str(error):  # by a signal
                raise KeyboardInterrupt from None
            raise
        except InputError as error:
            if not isinstance(error.__cause__, duckdb.Error | OSError):
                raise
            raise _translate(error.__cause__, memory_limit, spilling) from None
        finally:
            connection.close()


def parquet_types(connection: DuckDBPyConnection, file: Path) -> dict[str, str]:
    """Return the columns of a Parquet file and their types in DuckDB."""
    import duckdb

    path = quote_path(file)
    try:
        fields = connection.execute(
            f"SELECT name, num_children FROM parquet_schema({path})"  # noqa: S608 - quoted
        ).fetchall()
        query = f"DESCRIBE SELECT * FROM read_parquet({path}, hive_partitioning=false)"  # noqa: S608
        types = [row[1] for row in connection.execute(query).fetchall()]
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error as error:
        got = f"{str(file)!r}: {first_line(error)}"
        raise InputError("frame", "name files that can be read as Parquet", got) from None
    return dict(zip(_top_names(fields), types, strict=True))


def _top_names(fields: list[tuple[str, int | None]]) -> list[str]:
    """Return the names of columns; DuckDB would rename those that differ only in case."""
    names, inner = [], 0
    for name, children in fields[1:]:
        if not inner:
            names.append(name)
        inner += (children or 0) - (inner > 0)
    return names


def check_columns(
    connection: DuckDBPyConnection, files: Sequence[Path], columns: Iterable[str] | None
) -> list[str] | None:
    """Check the types of columns in all files; return the columns to read, None for all.

    DuckDB would cast to the types of the first file, which can make different scores equal. If a
    column is missing all are read, so that the error can name them.
    """
    first = parquet_types(connection, files[0])
    known = {*first, *_partitions(files)}
    needed = list(first) if columns is None else list(dict.fromkeys(columns))
    wanted = [name for name in needed if name in known]
    _check_case(wanted, first)
    for file in files[1:]:
        own = parquet_types(connection, file)
        names = set(own) | set(wanted) if columns is None else wanted
        differing = [name for name in names if own.get(name) != first.get(name)]
        if differing:
            name = min(differing)
            kinds = [types.get(name, "missing") for types in (first, own)]
            raise InputError(
                "frame",
                "be files with the same columns, of the same types",
                f"column {name!r}, which is {kinds[0]} in {str(files[0])!r} and {kinds[1]} in "
                f"{str(file)!r}",
                "Pass only the columns that agree, or convert the files.",
            )
    return None if columns is None or len(wanted) < len(needed) else wanted


def _check_case(wanted: Iterable[str], names: Iterable[str]) -> None:
    """Refuse names that differ only in case, which DuckDB confuses."""
    for name in wanted:
        alike = [other for other in names if other.lower() == name.lower()]
        if len(alike) > 1:
            raise InputError(
                "frame",
                "have columns that differ in more than upper and lower case",
                format_list(alike),
                "Rename one.",
            )


def _partitions(files: Sequence[Path]) -> list[str]:
    """Return the columns that folders name in all files."""
    first, *others = (
        [part.split("=")[0] for part in file.parts[:-1] if part.count("=") == 1] for file in files
    )
    return first if all(other == first for other in others) else []


def parquet_table(connection: DuckDBPyConnection, files: Sequence[Path]) -> str:
    """Return the SQL of Parquet files as one table."""
    options = f"hive_partitioning={bool(_partitions(files))}, hive_types_autocast=false"
    query = "SELECT parameters FROM duckdb_functions() WHERE function_name = 'read_parquet'"
    if any("can_have_nan" in known for (known,) in connection.execute(query).fetchall()):
        # otherwise DuckDB plans by the files' statistics, which leave NaN out
        options += ", can_have_nan=true"
    return f"read_parquet([{', '.join(map(quote_path, files))}], {options})"


def quote(name: str, mark: str = "'") -> str:
    """Return a text or, with double quotes as marks, a name for SQL."""
    return mark + name.replace(mark, 2 * mark) + mark


def quote_path(path: Path) -> str:
    """Return a path for SQL; DuckDB would read some characters in names as patterns."""
    return quote(re.sub(r"([*?\[])", r"[\1]", str(path)))


@contextmanager
def _watch(
    connection: DuckDBPyConnection, progress: Callable[[float], object] | None
) -> Iterator[None]:
    """Report the progress of the running query from another thread."""
    if progress is None:
        # otherwise `python -c` and notebooks print a bar among the results
        connection.execute("SET enable_progress_bar=false")
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
        raise InputError("memory_limit", "be a size such as 1GB or 500MB", repr(memory_limit))
    return found[0]


def _translate(error: Exception, memory_limit: str, spilling: str) -> RocchError:
    import duckdb

    text = str(error)
    if "No space left" in text or "max_temp_directory_size" in text:
        return StorageError(
            f"the disk has no room for temporary files in {str(Path(spilling).parent)!r}.",
            hint="Free some, or set TMPDIR to a folder on a larger disk.",
        )
    # Arrow's batches keep only the text of DuckDB's errors
    if isinstance(error, duckdb.OutOfMemoryException) or text.startswith("Out of Memory"):
        return InputError(
            "memory_limit",
            "be enough for the query",
            repr(memory_limit),
            "Raise it, or use fewer threads or columns.",
        )
    return InputError("frame", "name files that can be read to the end", first_line(error))
