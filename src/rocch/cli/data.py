"""Tables in files of any kind, parsed by DuckDB; what a file means is never guessed.

Python looks at how a file begins: compression, encoding, delimiter, header. DuckDB then fills one
table, with texts where the format has no types, and no later step parses text again. In SQL the
columns are c0, c1 and so on, because DuckDB confuses names that differ only in case.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import json
import lzma
import shutil
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import dropwhile, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, cast

import click

from rocch.cli.output import end_quietly, ended_in_order, is_shown, working
from rocch.cli.table import Table, sql_text
from rocch.errors import InputError, RocchError, format_count, missing_extra
from rocch.files import remove_at_end
from rocch.inputs import find_duplicates
from rocch.scale.files import (
    MEMORY_LIMIT,
    PARQUET,
    connect,
    files_of,
    parquet_table,
    parquet_types,
    quote,
    quote_path,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
}
COMPRESSED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd")
# How files end that a folder can stand for; where it has Parquet files, these alone count.
TABLES = (*SUFFIXES, *(".csv" + end for end in COMPRESSED_SUFFIXES))
# How files begin that are no text; a stream of Arrow begins with a continuation mark.
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
KINDS = {"parquet": "Parquet", "arrow": "Arrow"}
# Byte order marks of other encodings; that of UTF-32 begins like that of UTF-16.
ENCODINGS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
# The errors of damaged files.
UNREADABLE = (OSError, EOFError, csv.Error, zlib.error, lzma.LZMAError)

# Delimiters that are tried; the rare ones only where no usual one is in the header.
USUAL, RARE = (",", "\t", ";", "|"), (":", "^", "~", " ")
# The number of lines that show what the delimiter is.
SNIFFED = 100
# The number of bytes that are searched for newlines, or decoded, at a time.
BLOCK = 2**22
# No cell is read as null: with the usual null (nothing) DuckDB overlooks cells that are too many.
NEVER = "\x01never\x01"


@dataclass(frozen=True, slots=True)
class TableSource:
    """A file, or `-` for standard input, and how to read it where that is stated.

    Attributes
    ----------
    argument
        What users call the file: the argument or option that names it.
    parts
        The files of a table that consists of several; `path` is the first of them then.
    """

    path: Path
    argument: str = "FILE"
    input_format: str | None = None
    delimiter: str | None = None
    decimal_comma: bool = False
    encoding: str | None = None
    memory_limit: str | None = None
    parts: tuple[Path, ...] = ()

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the table."""
        return self.parts or (self.path,)

    @property
    def short_name(self) -> str:
        """A few words for it, to show with progress."""
        return f"{len(self.parts)} files" if self.parts else self.path.name

    @property
    def is_standard_input(self) -> bool:
        """Whether the table comes through standard input."""
        return str(self.path) == "-"

    def __str__(self) -> str:
        """Name it at the beginning of a message."""
        return f"{self.argument} {'-' if self.is_standard_input else str(self.path)!r}"

    def check_exists(self) -> None:
        """Refuse a file that does not exist, and a folder."""
        is_folder = self.path.is_dir()
        if is_folder or not (self.is_standard_input or self.path.exists()):
            raise InputError(
                self.argument,
                "be an existing file, or - for standard input",
                f"{'the folder ' if is_folder else ''}{str(self.path)!r}",
                "Name a file in it." if is_folder else "Check the path.",
            )

    def with_files(self, named: Sequence[str]) -> TableSource:
        """Return the source with the files that names, folders and patterns stand for.

        A file that does not exist is refused at once.
        """
        if "-" in named and len(named) > 1:
            raise click.UsageError("standard input (-) must be the only FILE.")
        path = Path(named[0])
        is_pattern = any(mark in named[0] for mark in "*?[") and not path.exists()
        if len(named) == 1 and not path.is_dir() and not is_pattern:
            found = replace(self, path=path)
            found.check_exists()
            return found
        try:
            files = files_of(*named, suffixes=PARQUET)
        except InputError:
            files = files_of(*named, suffixes=TABLES)
        return replace(self, path=files[0], parts=files if len(files) > 1 else ())


# Files as plain UTF-8


def is_saved(path: Path) -> bool:
    """Whether a file is a model that `rocch.save` wrote, or is named as one."""
    if path.suffix.lower() == ".rocch":
        return True
    if not path.is_file() or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as container:
        return "manifest.json" in container.namelist()


def _check_names(names: Sequence[str], argument: str) -> None:
    """Refuse columns without a name, or with that of another."""
    if "" in names:
        place = names.index("") + 1
        hint = "Fix the header line."
        if place == 1:
            hint = "Is it the index of a data frame? Write the file without it (index=False)."
        raise InputError(argument, "name every column", f"an empty name for column {place}", hint)
    twice = find_duplicates(names)
    if twice:
        raise InputError(argument, "have distinct columns", f"{twice[0]!r} twice", "Rename one.")


def find_format(head: bytes, source: TableSource) -> str:
    """Return the format: as stated, or by how the file begins, or by its name."""
    if source.input_format is not None:
        return source.input_format
    for magic, name in MAGIC.items():
        if head.startswith(magic):
            return name
    suffixes = [suffix.lower() for suffix in source.path.suffixes[-2:]]
    if suffixes and suffixes[-1] in COMPRESSED_SUFFIXES:
        suffixes.pop()
    if suffixes and suffixes[-1] in SUFFIXES:
        return SUFFIXES[suffixes[-1]]
    first = head.decode(_encoding(head, source) or "utf-8", "ignore").lstrip("\ufeff \t\r\n")[:1]
    return {"{": "jsonl", "[": "json"}.get(first, "csv")


def _encoding(head: bytes, source: TableSource) -> str | None:
    """Return the encoding to convert from; None for UTF-8."""
    marked = (name for mark, name in ENCODINGS.items() if head.startswith(mark))
    name = source.encoding or next(marked, None)
    try:
        return None if name is None or codecs.lookup(name).name == "utf-8" else name
    except LookupError:
        hint = "For example: cp1252."
        raise InputError("--encoding", "be the name of an encoding", repr(name), hint) from None


class _PlainFile:
    """A file that DuckDB can read: decompressed, and its text in UTF-8."""

    def __init__(self, source: TableSource, folder: Path) -> None:
        self._source, self._folder, self._count = source, folder, 0
        self.path = self._spool_stream()
        self._decompress()
        head = self._head()
        self.format = find_format(head, source)
        if self.format in KINDS and not head:
            raise InputError(f"{source} cannot be read as {KINDS[self.format]}: it is empty.")
        encoding = _encoding(head, source)
        if self.format not in KINDS and encoding is not None:
            with self.path.open(encoding=encoding, newline="") as text:
                self._spool(text, "w")

    def _head(self) -> bytes:
        with self.path.open("rb") as content:
            return content.read(64)

    def _spool_stream(self) -> Path:
        """Return the file itself; a pipe gives its content once, so it is copied first."""
        source, self.path = self._source, self._source.path
        source.check_exists()
        if source.is_standard_input:
            if sys.stdin is None:
                raise InputError(
                    source.argument,
                    "be an existing file, or - for standard input",
                    "- while standard input is closed",
                    "Pipe a table into the command, or name a file.",
                )
            self._spool(sys.stdin.buffer)
        elif not self.path.is_file():
            with self.path.open("rb") as pipe:
                self._spool(pipe)
        elif not _is_plain_path(str(self.path)):
            link = self._folder / "link"
            link.symlink_to(self.path.absolute())
            self.path = link
        return self.path

    def _decompress(self) -> None:
        head = self._head()
        if head.startswith(b"PK\x03\x04"):
            if is_saved(self.path):
                raise InputError(
                    f"{self._source} cannot be read as a table: it is a model that rocch.save "
                    "wrote. Ask it with rocch report, or name the table of scores."
                )
            raise InputError(
                f"{self._source} cannot be read: it is a zip archive or a spreadsheet. Unpack it, "
                "or save the sheet as CSV."
            )
        for magic, open_compressed in COMPRESSIONS.items():
            if head.startswith(magic):
                with open_compressed(self.path) as content:
                    self._spool(content)

    def _spool(self, content: Any, mode: str = "wb") -> None:
        """Write content to a temporary file, and go on with that."""
        self._count += 1
        path = self._folder / f"{self._count}"
        options = {} if mode == "wb" else {"encoding": "utf-8", "newline": ""}
        with path.open(mode, **cast("Any", options)) as spooled:
            shutil.copyfileobj(content, spooled, BLOCK)
        self.path = path

    def unify_newlines(self, delimiter: str) -> None:
        """Write all newlines in one way if they are mixed, which DuckDB refuses."""
        feeds = returns = pairs = 0
        previous = b""
        with self.path.open("rb") as content:
            while block := content.read(BLOCK):
                feeds += block.count(b"\n")
                returns += block.count(b"\r")
                pairs += (previous + block).count(b"\r\n") if returns else 0
                previous = block[-1:] if block.endswith(b"\r") else b""
        if not returns or feeds == returns == pairs or not feeds:
            return
        path = self._folder / "newlines"
        with self.open_text() as text, path.open("w", encoding="utf-8", newline="") as spooled:
            rows = csv.reader(text, delimiter=delimiter, strict=True)
            options: Any = {"lineterminator": "\n", "quoting": csv.QUOTE_ALL}
            csv.writer(spooled, delimiter=delimiter, **options).writerows(rows)
        self.path = path

    def open_text(self) -> IO[str]:
        """Open the text, with newlines as they are."""
        return self.path.open(encoding="utf-8-sig", newline="")


def _open_zstd(path: Path) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise missing_extra("scale", "Reading files compressed with zstd") from None
    return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")


def _is_plain_path(path: str) -> bool:
    """Whether DuckDB can be given a path: as text, and as a name or a pattern without backslash."""
    is_text = path.encode("utf-8", "replace") == path.encode("utf-8", "surrogateescape")
    return is_text and not ("\\" in path and any(mark in path for mark in "*?["))


# How compressed files begin.
COMPRESSIONS: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": _open_zstd,
}


@contextmanager
def _reading(source: TableSource) -> Iterator[None]:
    """Word whatever is wrong with a file in one line."""
    try:
        yield
    except RocchError:
        raise
    except UnicodeDecodeError:
        raise _not_text(source) from None
    except UNREADABLE as error:
        raise InputError(f"{source} cannot be read: {_reason(error)}.") from None


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0].rstrip(".")


def _not_text(source: TableSource) -> InputError:
    if source.encoding is not None:
        return InputError(f"{source} cannot be read: it is no text in {source.encoding}.")
    return InputError(
        f"{source} cannot be read: it is no text in UTF-8. Say --encoding cp1252 or another, or "
        "name its kind with --input-format."
    )


# Filling the table


@dataclass(frozen=True, slots=True)
class _Part:
    """The columns of a file, the query for them as c0, c1 and so on, and what follows it."""

    names: list[str]
    query: str
    kept: str = "TABLE"
    finish: Callable[[], object] = lambda: None


@contextmanager
def open_table(source: TableSource) -> Iterator[Table]:
    """Read files into a table that lasts as long as the context."""
    end_quietly()
    table: Table | None = None
    with ExitStack() as stack, working(f"Reading {source.short_name}") as step:
        stack.enter_context(ended_in_order())
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="rocch-")))
        stack.enter_context(remove_at_end(folder))

        def progress(share: float) -> None:
            if table is not None and table.report is not None:
                table.report(share)
            else:
                step(int(1000 * share), 1000)

        limit = source.memory_limit or MEMORY_LIMIT
        shown = progress if is_shown() else None
        connection = stack.enter_context(connect(limit, progress=shown))
        table = _fill(connection, source, folder)
        step(1, 1)
        left = stack.pop_all()
    with left:
        yield table


def column_names(path: Path) -> list[str]:
    """Return the names of a file's columns; the rows of CSV are not read for it."""
    source = TableSource(path)
    with TemporaryDirectory(prefix="rocch-") as folder, _reading(source):
        file = _PlainFile(source, Path(folder))
        if file.format == "csv":
            return _read_header(file, source).names
    with open_table(source) as table:
        return table.names


def whole_table(source: TableSource) -> dict[str, list[Any]]:
    """Read all columns of a small table as they are."""
    with open_table(source) as table:
        return {name: table.values(name) for name in table.names}


def _fill(connection: DuckDBPyConnection, source: TableSource, folder: Path) -> Table:
    own = [replace(source, path=path, parts=()) for path in source.files]
    files = []
    for place, one in enumerate(own):
        (folder / f"{place}").mkdir()
        with _reading(one):
            files.append(_PlainFile(one, folder / f"{place}"))
    if {file.format for file in files} == {"parquet"}:
        paths = tuple(file.path for file in files)
        part = _load_parquet(connection, paths, source)
        connection.execute(f"CREATE VIEW t AS {part.query}")
        table = Table(connection, part.names, typed=True, parquet=paths)
    else:
        table = _load_all(connection, source, list(zip(files, own, strict=True)))
    if not table.rows:
        raise _no_rows(source, files[0].format)
    return table


def _load_all(
    connection: DuckDBPyConnection,
    source: TableSource,
    files: Sequence[tuple[_PlainFile, TableSource]],
) -> Table:
    lacking: dict[str, InputError] = {}
    names: list[str] = []
    for file, one in files:
        with _reading(one):
            part = LOADERS[file.format](connection, file, one)
            if not names:
                names = part.names
            if len(files) == 1:
                connection.execute(f"CREATE {part.kept} t AS {part.query}")
            else:
                _add_texts(connection, part, names)
            part.finish()
        for name in names:
            if name not in part.names:
                lacking.setdefault(name, _lacks(one, name, part.names))
    typed = len(files) == 1 and files[0][0].format in KINDS
    comma = source.decimal_comma
    return Table(connection, names, typed=typed, decimal_comma=comma, lacking=lacking)


def _add_texts(connection: DuckDBPyConnection, part: _Part, names: list[str]) -> None:
    """Add one of several files to the table; its columns may come in another order."""
    kinds = [row[1] for row in connection.execute(f"DESCRIBE {part.query}").fetchall()]
    places = {name: place for place, name in enumerate(part.names)}
    columns = ", ".join(
        f"CAST({sql_text(f'c{places[name]}', kinds[places[name]]) if name in places else 'NULL'} "
        f"AS VARCHAR) AS c{place}"
        for place, name in enumerate(names)
    )
    verb = "INSERT INTO t" if part.names is not names else "CREATE TABLE t AS"
    connection.execute(f"{verb} SELECT {columns} FROM ({part.query})")


def _lacks(source: TableSource, name: str, names: Sequence[str]) -> InputError:
    return InputError(
        "FILE",
        "be files with the same columns",
        f"{str(source.path)!r} without {name!r}",
        "Its columns are: {known}.",
        known=", ".join(map(repr, names)),
    )


@dataclass(frozen=True, slots=True)
class _Header:
    """The names of a CSV file's columns, its delimiter, and the blank lines before."""

    names: list[str]
    delimiter: str
    skip: int


def _read_header(file: _PlainFile, source: TableSource) -> _Header:
    with file.open_text() as text:
        lines = list(islice(dropwhile(str.isspace, text), SNIFFED))
        text.seek(0)
        skip = 0
        while skip < 2**20 and text.readline().isspace():
            skip += 1
    delimiter = source.delimiter or find_delimiter(lines)
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter != " ")
    return _Header([name.strip() for name in next(rows, [])], delimiter, skip)


def find_delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that cuts the header into most columns, and every line alike."""
    if len(lines) == SNIFFED:
        lines = lines[:-1]  # it may be the first half of a quoted text
    for marks in (USUAL, RARE):
        widths = {mark: _widths(lines, mark) for mark in marks}
        header = {mark: found[0] for mark, found in widths.items() if found and found[0] > 1}
        even = {mark: width for mark, width in header.items() if set(widths[mark]) == {width}}
        if header:
            return max(even or header, key=lambda mark: header[mark])
    return ","


def _widths(lines: Sequence[str], delimiter: str) -> list[int]:
    try:
        return [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []


def _load_csv(connection: DuckDBPyConnection, file: _PlainFile, source: TableSource) -> _Part:
    header = _read_header(file, source)
    if not header.names:
        raise _no_rows(source, "csv")
    _check_names(header.names, source.argument)
    file.unify_newlines(header.delimiter)
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(header.names)))
    query = (
        f"SELECT * FROM read_csv({quote_path(file.path)}, compression='none', header=true, "
        f"skip={header.skip}, delim={quote(header.delimiter)}, quote='\"', escape='\"', "
        "auto_detect=false, strict_mode=true, store_rejects=true, comment='', "
        f"nullstr={quote(NEVER)}, columns={{{columns}}})"
    )
    return _Part(
        header.names, query, finish=lambda: _check_rejects(connection, file, source, header)
    )


def _check_rejects(
    connection: DuckDBPyConnection, file: _PlainFile, source: TableSource, header: _Header
) -> None:
    """Refuse a file of which DuckDB could not read a row."""
    rejected = connection.execute(
        "SELECT line, error_type, csv_line FROM reject_errors ORDER BY line, column_idx LIMIT 1"
    ).fetchone()
    if rejected is None:
        if _is_duckdb_1():
            _check_widths(file, source, header)
        return
    line, kind, text = rejected
    row = line - header.skip - 1 - _blank_rows(file, header, line)
    if kind in ("MISSING COLUMNS", "TOO MANY COLUMNS"):
        lines = text.strip("\r\n").splitlines(keepends=True)
        raise _ragged(source, header, len(next(csv.reader(lines, delimiter=header.delimiter))), row)
    if kind == "INVALID ENCODING":
        raise _not_text(source)
    reason = {
        "UNQUOTED VALUE": "has a quote that is never closed, or more text after it",
        "LINE SIZE OVER MAXIMUM": "is longer than 2 MB",
    }.get(kind, "cannot be parsed")
    raise InputError(f"{source} cannot be read: row {row} {reason}.")


def _blank_rows(file: _PlainFile, header: _Header, line: int) -> int:
    """Return how many of the first rows are blank, which DuckDB counts and skips."""
    try:
        with file.open_text() as text:
            rows = csv.reader(islice(text, header.skip, None), delimiter=header.delimiter)
            return sum(not row for row in islice(rows, line - header.skip))
    except (UnicodeDecodeError, csv.Error):
        return 0


def _ragged(source: TableSource, header: _Header, found: int, row: int) -> InputError:
    return InputError(
        source.argument,
        f"have {format_count(len(header.names), 'value')} in every row, as in its header",
        f"{found} in row {row}",
        "The delimiter is taken to be {known}; say --delimiter if it is another.",
        known=repr(header.delimiter),
    )


def _is_duckdb_1() -> bool:
    import duckdb

    return duckdb.__version__.startswith("1.")


def _check_widths(file: _PlainFile, source: TableSource, header: _Header) -> None:
    """Refuse rows with empty cells that are too many, which DuckDB 1 overlooks."""
    with file.open_text() as text:
        if not any(line.rstrip("\r\n").endswith(header.delimiter) for line in text):
            return
        text.seek(0)
        rows = filter(None, csv.reader(islice(text, header.skip, None), delimiter=header.delimiter))
        for row, cells in enumerate(rows):
            if len(cells) != len(header.names):
                raise _ragged(source, header, len(cells), row)


def _load_json(connection: DuckDBPyConnection, file: _PlainFile, source: TableSource) -> _Part:
    """Load records whose keys are the columns; a key that a record lacks is a missing value."""
    import duckdb

    is_list, path = file.format == "json", quote_path(file.path)
    reader = f"read_json_objects({path}, compression='uncompressed', format='array')"
    if not is_list:
        reader = f"read_ndjson_objects({path}, compression='uncompressed', ignore_errors=true)"
    try:
        connection.execute(
            f"CREATE TABLE records AS SELECT row_number() OVER () AS r, json AS j FROM {reader}"
        )
        damaged = "SELECT count(*) FROM records WHERE j IS NULL OR NOT json_valid(j)"
        if connection.execute(damaged).fetchall() != [(0,)]:
            _explain_json(file, source)
    except duckdb.InvalidInputException:
        _explain_json(file, source)
        raise
    _check_records(connection, source)
    keys = connection.execute(
        "SELECT k FROM (SELECT r, unnest(json_keys(j)) AS k, "
        "generate_subscripts(json_keys(j), 1) AS p FROM records) GROUP BY k ORDER BY min((r, p))"
    ).fetchall()
    names = [key for (key,) in keys]
    if not names:
        raise _no_rows(source, file.format)
    _check_names(names, source.argument)
    pointers = ["/" + name.replace("~", "~0").replace("/", "~1") for name in names]
    columns = ", ".join(f"v[{place + 1}] AS c{place}" for place in range(len(names)))
    query = (
        f"SELECT {columns} FROM (SELECT json_extract(j, [{', '.join(map(quote, pointers))}]) AS v "
        "FROM records)"
    )
    return _Part(names, query, finish=lambda: connection.execute("DROP TABLE records"))


def _check_records(connection: DuckDBPyConnection, source: TableSource) -> None:
    row = connection.execute(
        "SELECT r, j FROM records WHERE json_type(j) != 'OBJECT' ORDER BY r LIMIT 1"
    ).fetchone()
    if row is not None:
        raise InputError(
            source.argument,
            'hold records such as {"y": 1, "nb": 0.7}',
            f"{type(json.loads(row[1])).__name__} in row {row[0]}",
            "Name the values.",
        )
    row = connection.execute(
        "SELECT r, json_keys(j) AS k FROM records WHERE len(list_distinct(k)) < len(k) "
        "ORDER BY r LIMIT 1"
    ).fetchone()
    if row is not None:
        twice = find_duplicates(row[1])[0]
        got = f"{twice!r} twice in row {row[0]}"
        raise InputError(source.argument, "have distinct columns", got, "Rename one.")


def _explain_json(file: _PlainFile, source: TableSource) -> None:
    """Refuse what is not JSON with the words of Python's decoder."""
    with file.open_text() as text:
        if file.format == "json":
            records = _decode(text.read(), "it", source)
            if not isinstance(records, list):
                raise InputError(
                    source.argument,
                    'be a list of records such as [{"y": 1, "nb": 0.7}]',
                    type(records).__name__,
                    "For one record on each line say --input-format jsonl.",
                )
        else:
            for number, line in enumerate(text, start=1):
                if line.strip():
                    _decode(line, f"line {number}", source)


def _decode(text: str, what: str, source: TableSource) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError(f"{source} cannot be read: {what} is nested too deeply.") from None
    except ValueError as error:
        lines = " For one record on each line say --input-format jsonl." if what == "it" else ""
        raise InputError(f"{source} cannot be read: {what} is not JSON ({error}).{lines}") from None


def _load_arrow(connection: DuckDBPyConnection, file: _PlainFile, source: TableSource) -> _Part:
    """Load an Arrow file (Feather) or stream with pyarrow."""
    try:
        import pyarrow as pa
        from pyarrow import ipc
    except ImportError:
        raise missing_extra("scale", "Reading Arrow") from None
    try:
        with file.path.open("rb") as content:
            is_file = content.read(6) == b"ARROW1"
        opened = (ipc.open_file if is_file else ipc.open_stream)(pa.memory_map(str(file.path)))
        table = opened.read_all()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{source} cannot be read as Arrow: {_reason(error)}.") from None
    names = list(table.schema.names)
    _check_names(names, source.argument)
    narrow = [(pa.types.is_float16, pa.float32()), (pa.types.is_decimal256, pa.string())]
    for place, field in enumerate(table.schema):  # of types that DuckDB lacks
        for is_such, other in narrow:
            if is_such(field.type):
                table = table.set_column(place, field.name, table.column(place).cast(other))
    view = f"arrow{id(table)}"
    connection.register(view, table.rename_columns([f"c{place}" for place in range(len(names))]))
    return _Part(names, f"SELECT * FROM {view}", kept="VIEW")


def _load_parquet(
    connection: DuckDBPyConnection, files: Sequence[Path], source: TableSource
) -> _Part:
    """Load Parquet files as a view; folders may add columns."""
    own = list(parquet_types(connection, files[0]))
    loaded = parquet_table(connection, files)
    described = connection.execute(f"DESCRIBE SELECT * FROM {loaded}").fetchall()
    names = own + [row[0] for row in described[len(own) :]]
    _check_names(names, source.argument)
    listed = ", ".join(f"c{place}" for place in range(len(names)))
    return _Part(names, f"SELECT * FROM {loaded} AS t({listed})", kept="VIEW")


LOADERS: dict[str, Callable[[DuckDBPyConnection, _PlainFile, TableSource], _Part]] = {
    "csv": _load_csv,
    "jsonl": _load_json,
    "json": _load_json,
    "arrow": _load_arrow,
    "parquet": lambda connection, file, source: _load_parquet(connection, [file.path], source),
}


def _no_rows(source: TableSource, kind: str) -> InputError:
    if kind == "csv":
        needs, hint = "have a header line and at least one row", "Write the column names first."
    elif kind in KINDS:
        needs, hint = "have at least one row", "Check it."
    else:
        needs, hint = "have at least one record", "Check the file."
    return InputError(source.argument, needs, "none", hint)
