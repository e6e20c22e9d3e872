"""A table in DuckDB: columns of numbers and of names, checked before they are used."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rocch.errors import InputError, is_single_line, missing_column
from rocch.inputs import LARGEST_EXACT_INTEGER, find_duplicates
from rocch.scale.files import check_columns, parquet_types, quote

if TYPE_CHECKING:
    from pathlib import Path

    from duckdb import DuckDBPyConnection

    from rocch.arrays import BoolArray, FloatArray, IntArray

# The texts that stand for a missing value, in lower case.
MISSING = ("", "na", "n/a", "nan", "null", "none", "?")
# Of a label; "none" and "?" may be names of classes.
MISSING_LABELS = ("", "na", "n/a", "nan", "null")
# The number of values that show whether a column is one of numbers, and of rows they are from.
LOOKED_AT, FIRST_ROWS = 100, 20_000
# What Python strips from texts.
SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
WHOLE = re.compile(r"[+-]?\d+")
# A nonzero number, or the text of an infinite one.
NONZERO, INFINITE = re.compile(r"[^eE]*[1-9]"), re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
NUMERIC = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|FLOAT|DOUBLE|DECIMAL.*")
LEAVE_OUT = "Fix the file, or leave the column out."
# What to do about missing values.
DROP_FIRST = "Drop or fill such rows first."
DROP = "Set {drop_nulls} to leave such rows out, or fill them first."
# Columns of names that are printed among results, and what they name.
PRINTED = {"--label": "class", "--by": "group"}


def text_of(value: Any) -> str:
    """Return a value as text; whole numbers without a point, a missing value as nothing."""
    if isinstance(value, float | np.floating):
        return "" if value != value else str(int(value)) if value.is_integer() else str(value)
    return "" if value is None else str(value).strip()


def as_number(text: str, *, decimal_comma: bool = False) -> float:
    """Return the number that a text stands for, as Python reads it; else raise ValueError.

    Marks that would be overlooked are refused: 1_000, or the point of 1.000 beside decimal commas.
    """
    if "_" in text or (decimal_comma and "." in text):
        raise ValueError
    return float(text.replace(",", ".") if decimal_comma else text)


def is_number(text: str, *, decimal_comma: bool = False) -> bool:
    """Whether a text stands for a number."""
    try:
        as_number(text, decimal_comma=decimal_comma)
    except ValueError:
        return False
    return True


def need_column(names: Sequence[str], name: str, argument: str) -> None:
    """Refuse a column that is not there."""
    if name not in names:
        error = missing_column(name, names, argument)
        if len(names) == 1:
            raise error.with_hint("There is only one: say --delimiter if it should be cut.")
        raise error


def check_distinct(argument: str, names: Sequence[str]) -> None:
    """Refuse a name that is given twice."""
    twice = find_duplicates(names)
    if twice:
        raise InputError(argument, "have distinct columns", f"{twice[0]!r} twice", "Leave one out.")


def check_lines(names: Iterable[str], what: str = "classifier", argument: str = "FILE") -> None:
    """Refuse names that would write lines of their own among those of results."""
    for name in names:
        if not is_single_line(name):
            raise InputError(
                argument, f"name each {what} in one line", repr(name), "Rename it in the file."
            )


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of names: those that occur, in the order they came, and which row has which.

    The code of a missing name is -1.
    """

    names: tuple[str, ...]
    codes: IntArray

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> Coded:
        """Code texts."""
        seen: dict[str | None, int] = {None: -1}
        codes = [seen.setdefault(text, len(seen) - 1) for text in texts]
        return cls(tuple(text for text in seen if text is not None), np.array(codes, np.int64))

    def texts(self) -> list[str]:
        """Return the name of each row."""
        return [self.names[code] for code in self.codes.tolist()]

    def only(self, rows: BoolArray) -> Coded:
        """Return some of the rows, without the names that then do not occur."""
        used, codes = np.unique(self.codes[rows], return_inverse=True)
        return Coded(tuple(self.names[code] for code in used), codes)


class Table:
    """Columns of files in DuckDB, as c0, c1 and so on of the table t.

    Attributes
    ----------
    names
        The columns by the names that they have in the file.
    report
        Called with the share of the running query done, while a pass is shown.
    """

    def __init__(
        self,
        connection: DuckDBPyConnection,
        names: list[str],
        *,
        typed: bool = False,
        decimal_comma: bool = False,
        lacking: Mapping[str, InputError] | None = None,
        parquet: tuple[Path, ...] = (),
    ) -> None:
        self.connection, self.names = connection, names
        self._typed, self.decimal_comma = typed, decimal_comma
        self.report: Callable[[float], object] | None = None
        self._lacking, self._parquet = lacking or {}, parquet
        described = connection.execute("DESCRIBE t").fetchall()
        self.kinds: dict[str, str] = dict(zip(names, (row[1] for row in described), strict=True))

    @cached_property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.fetch("SELECT count(*) FROM t")[0][0])

    def fetch(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.connection.execute(query).fetchall()

    def column(self, name: str) -> str:
        """Return the name of a column in SQL."""
        return f"c{self.names.index(name)}"

    def text(self, name: str) -> str:
        """Return the SQL for a column's texts, as they are written."""
        return sql_text(self.column(name), self.kinds[name])

    def has_numbers(self, name: str) -> bool:
        """Whether a column has a numeric type."""
        return NUMERIC.fullmatch(self.kinds[name]) is not None

    def numeric(self) -> list[str]:
        """Return the columns of numbers, by their type or else by their first values.

        At least half of the first values that are not missing are numbers then, so that one that is
        not is a mistake. Truth values are no numbers.
        """
        texts = [] if self._typed else self.names
        firsts = self._first_texts(texts)
        found = {name for name in self.names if self.has_numbers(name)}
        for name, some in firsts.items():
            numbers = sum(is_number(text, decimal_comma=self.decimal_comma) for text in some)
            if numbers and 2 * numbers >= len(some):
                found.add(name)
            elif some and self.kinds[name] == "VARCHAR" and DECIMAL_COMMA.fullmatch(some[0]):
                raise InputError(
                    f"column {name!r}",
                    "have decimal points",
                    repr(some[0]),
                    "Say --decimal-comma if commas are decimal points here; else name the score "
                    "columns.",
                )
        return [name for name in self.names if name in found]

    def _first_texts(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the first values of columns of texts that are not missing."""
        if not names:
            return {}
        columns = ", ".join(self.text(name) for name in names)
        rows = self.fetch(f"SELECT {columns} FROM t LIMIT {2 * LOOKED_AT}")
        firsts = {}
        for name, column in zip(names, zip(*rows, strict=True), strict=True):
            some = [text.strip() for text in column if text is not None]
            firsts[name] = [text for text in some if text.lower() not in MISSING][:LOOKED_AT]
            if len(firsts[name]) < LOOKED_AT and len(rows) == 2 * LOOKED_AT:
                text = f"trim({self.text(name)}, {quote(SPACES)})"
                query = f"SELECT {text} AS x FROM (FROM t LIMIT {FIRST_ROWS})"
                present = f"FROM ({query}) WHERE lower(x) NOT IN {MISSING} LIMIT {LOOKED_AT}"
                firsts[name] = [found for (found,) in self.fetch(present)]
        return firsts

    def count_distinct(self, names: Iterable[str]) -> dict[str, int]:
        """Return how many different values columns have."""
        wanted = list(dict.fromkeys(names))
        counts = ", ".join(f"count(DISTINCT {self.column(name)})" for name in wanted)
        return dict(zip(wanted, self.fetch(f"SELECT {counts} FROM t")[0], strict=True))

    def count_pairs(self, pairs: Iterable[tuple[str, str]]) -> list[int]:
        """Return how many different pairs of values two columns have, for each pair of columns."""
        rows = [f"({self.column(first)}, {self.column(second)})" for first, second in pairs]
        return list(
            self.fetch(f"SELECT {', '.join(f'count(DISTINCT {r})' for r in rows)} FROM t")[0]
        )

    def values(self, name: str) -> list[Any]:
        """Return a column as it is in the file, to carry it along."""
        self.check_present([name])
        found = [value for (value,) in self.fetch(f"SELECT {self.column(name)} FROM t")]
        if self.kinds[name] != "JSON":
            return found
        return [None if value is None else json.loads(value) for value in found]

    def select(
        self,
        numbers: Sequence[str] = (),
        names: Mapping[str, str] | None = None,
        *,
        finite: bool = False,
        gaps: bool = False,
        can_drop: bool = False,
        hint: str = LEAVE_OUT,
    ) -> Columns:
        """Take columns of numbers and of names out of the table, and check them.

        Parameters
        ----------
        numbers
            The columns of numbers.
        names
            The columns of names, and the option that names each of them.
        finite, gaps
            Whether numbers must be finite, and whether values may be missing.
        can_drop
            Whether the command has an option to leave out rows with missing values.
        hint
            What to do about a column that does not hold numbers.
        """
        names = names or {}
        self.check_present([*numbers, *names])
        columns = Columns(
            self,
            list(numbers),
            dict(names),
            finite=finite,
            gaps=gaps,
            hint=hint,
            remedy=DROP if can_drop else DROP_FIRST,
        )
        columns.create()
        return columns

    @cached_property
    def uneven(self) -> set[str]:
        """The columns that not all files have, or with different types."""
        types = [parquet_types(self.connection, file) for file in self._parquet[1:]]
        differing = (
            name for name in self.names if any(t.get(name) != self.kinds[name] for t in types)
        )
        return {*self._lacking, *differing}

    def check_present(self, wanted: Sequence[str]) -> None:
        """Refuse columns that not all files have, or with different types."""
        for name in wanted:
            if name in self._lacking:
                raise self._lacking[name]
        if len(self._parquet) > 1:
            check_columns(self.connection, self._parquet, wanted)


def sql_text(column: str, kind: str) -> str:
    """Return the SQL for the texts of a column, as `text_of` writes them."""
    if kind == "VARCHAR":
        return column
    if kind == "JSON":
        return f"json_extract_string({column}, '$')"
    text = f"CAST({column} AS VARCHAR)"
    if kind in ("FLOAT", "DOUBLE"):
        is_whole = f"abs({column}) < 1e15 AND {column} = trunc({column})"
        whole = f"CAST(CAST({column} AS BIGINT) AS VARCHAR)"
        return f"CASE WHEN {is_whole} THEN {whole} WHEN NOT isnan({column}) THEN {text} END"
    return text


@dataclass(eq=False)
class Columns:
    """Columns that were taken out of a table, as the table or view `used`.

    Numbers stand in n0, n1 and so on, texts of names in t0, t1 and so on; missing ones are null.
    """

    table: Table
    number_names: list[str]
    options: dict[str, str]
    finite: bool
    gaps: bool
    hint: str
    remedy: str
    _texts: list[str] = field(default_factory=list)

    def create(self) -> None:
        """Cast the columns, and check those that DuckDB holds as texts."""
        table = self.table
        self._texts = [name for name in self.number_names if not self._is_typed(name)]
        inner = [f"{self._name(name)} AS t{i}" for i, name in enumerate(self.options)]
        outer = [
            f"{f't{i}' if self._is_typed(name) else _present(f't{i}', option)} AS t{i}"
            for i, (name, option) in enumerate(self.options.items())
        ]
        for i, name in enumerate(self.number_names):
            if name in self._texts:
                comma = table.decimal_comma and table.kinds[name] == "VARCHAR"
                inner += [
                    f"{table.text(name)} AS x{i}",
                    f"{_cast(table.text(name), comma)} AS n{i}",
                ]
                is_plain = f"abs(n{i}) > 0 AND abs(n{i}) < {LARGEST_EXACT_INTEGER}"  # most are
                otherwise = f"WHEN {self._odd(i)} THEN NULL ELSE n{i}"
                outer.append(f"CASE WHEN {is_plain} THEN n{i} {otherwise} END AS n{i}")
            else:
                is_truth = table.kinds[name] == "BOOLEAN"
                column = table.column(name)
                inner.append(f"{f'CAST({column} AS TINYINT)' if is_truth else column} AS n{i}")
                outer.append(f"n{i}")
        kept = "TABLE" if self._texts else "VIEW"
        table.connection.execute(
            f"CREATE OR REPLACE {kept} used AS "
            f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(inner)} FROM t)"
        )
        if self._texts:
            self._check_texts()

    def _name(self, name: str) -> str:
        """Return the SQL for a name; DuckDB writes 1.0 for 1 where JSON has a float."""
        text, column = self.table.text(name), self.table.column(name)
        if self.table.kinds[name] != "JSON":
            return text
        whole = rf"regexp_replace({text}, '\.0$', '')"
        return f"CASE json_type({column}) WHEN 'DOUBLE' THEN {whole} ELSE {text} END"

    def _is_typed(self, name: str) -> bool:
        return self.table.has_numbers(name) or self.table.kinds[name] == "BOOLEAN"

    def _odd(self, i: int) -> str:
        """Return the SQL for the numbers that Python looks at."""
        infinite = rf"NOT regexp_full_match(x{i}, '\s*[+-]?inf(inity)?\s*', 'i')"
        return (
            f"n{i} IS NULL OR isnan(n{i}) "
            f"OR (n{i} = 0 AND regexp_matches(x{i}, '^[^eE]*[1-9]')) "
            f"OR (isinf(n{i}) AND {'true' if self.finite else infinite}) "
            f"OR (abs(n{i}) >= {LARGEST_EXACT_INTEGER} AND "
            rf"regexp_full_match(x{i}, '\s*[+-]?[0-9]+\s*'))"
        )

    def _check_texts(self) -> None:
        """Look at every text that is no plain number: Python has the last word about it."""
        table = self.table
        places = [i for i, name in enumerate(self.number_names) if name in self._texts]
        counts = ", ".join(f"count(n{i})" for i in places)
        for i, count in zip(places, table.fetch(f"SELECT {counts} FROM used")[0], strict=True):
            if count == table.rows:
                continue
            name = self.number_names[i]
            text = table.text(name)
            missing = f"lower(trim(x, {quote(SPACES)})) IN {MISSING}"
            skipped = f"AND NOT coalesce({missing}, true)" if self.gaps else ""
            odd = table.connection.execute(
                f"SELECT r, x FROM (SELECT row_number() OVER () AS r, {text} AS x, n{i} AS n "
                f"FROM t POSITIONAL JOIN used) WHERE n IS NULL {skipped} ORDER BY r"
            )
            fixes = {row: self._number(name, text, row) for row, text in _each(odd)}
            if fixes:
                table.connection.execute(
                    f"UPDATE used SET n{i} = f.v FROM (SELECT unnest($1::BIGINT[]) AS r, "
                    f"unnest($2::DOUBLE[]) AS v) AS f WHERE used.rowid = f.r - 1",
                    [list(fixes), list(fixes.values())],
                )

    def _number(self, name: str, value: str | None, row: int) -> float:
        comma = self.table.decimal_comma and self.table.kinds[name] == "VARCHAR"
        try:
            number = as_number(value or "", decimal_comma=comma)
        except ValueError:
            raise self._unusable(name, value, row) from None
        written = text_of(value)
        if math.isnan(number) or (self.finite and math.isinf(number)):
            raise self._unusable(name, value, row)
        self._check_exact(name, written, row, number)
        plain = written.replace(",", ".") if comma else written
        is_lost = math.isinf(number) and not INFINITE.fullmatch(plain)
        if is_lost or (number == 0 and NONZERO.match(plain)):
            raise InputError(
                f"column {name!r}",
                "hold numbers in the range of doubles",
                f"{written!r} in row {row}",
                "Rescale the column; as doubles such numbers are infinite or zero.",
            )
        return number

    def _unusable(self, name: str, value: Any, row: int) -> InputError:
        argument, written = f"column {name!r}", text_of(value)
        if written.lower() in MISSING:
            got = f"one in row {row}" + (f", written {written!r}" if written else "")
            return InputError(argument, "have no missing values", got, self.remedy)
        comma = self.table.decimal_comma
        got, hint = f"{written!r} in row {row}", self.hint
        if is_number(written, decimal_comma=comma):
            return InputError(argument, "hold finite numbers", got, hint)
        if comma and "." in written:
            hint = "With --decimal-comma numbers have no points."
        elif DECIMAL_COMMA.fullmatch(written):
            hint = "Say --decimal-comma if commas are decimal points here."
        return InputError(argument, "hold numbers", got, hint)

    def _check_exact(self, name: str, written: str, row: int, number: float) -> None:
        """Refuse whole numbers that doubles cannot tell apart."""
        if abs(number) >= LARGEST_EXACT_INTEGER and WHOLE.fullmatch(written):
            raise InputError(
                f"column {name!r}",
                "hold whole numbers below 2**53 in size, or floats",
                f"{written} in row {row}",
                "Rank them first; doubles cannot tell such numbers apart.",
            )

    def check_weights(self, name: str) -> None:
        """Refuse weights that are negative or not finite."""
        weight = f"n{self.number_names.index(name)}"
        found = self.table.fetch(
            f"SELECT r, w FROM (SELECT row_number() OVER () AS r, CAST({weight} AS DOUBLE) AS w "
            "FROM used) WHERE w < 0 OR isinf(w) ORDER BY r LIMIT 1"
        )
        for row, value in found:
            got = f"{text_of(value)} in row {row}"
            raise InputError("--weight", "be finite and not negative", got, "Fix the file.")

    def release(self) -> None:
        """Drop the texts of the table; nothing else can be taken out of it then."""
        if self._texts:
            self.table.connection.execute("DROP TABLE IF EXISTS t")

    def numbers(self) -> dict[str, FloatArray]:
        """Return the columns of numbers in memory; missing ones are NaN."""
        if not self.number_names:
            return {}
        columns = ", ".join(
            f"{self._double(i, name)} AS n{i}" for i, name in enumerate(self.number_names)
        )
        fetched = self.table.connection.execute(f"SELECT {columns} FROM used").fetchnumpy()
        found = {}
        for i, name in enumerate(self.number_names):
            array = fetched[f"n{i}"]
            masked = np.ma.isMaskedArray(array)
            found[name] = np.ma.filled(array.astype(float), np.nan) if masked else array
            if name not in self._texts:
                self._check_typed(i, name, found[name])
        return found

    def _double(self, i: int, name: str) -> str:
        """Return the SQL for numbers as doubles; DuckDB 1 rounds decimals right only from texts."""
        kind = self.table.kinds[name]
        through = f"CAST(n{i} AS VARCHAR)" if kind.startswith("DECIMAL") else f"n{i}"
        return f"CAST({through} AS DOUBLE)"

    def _check_typed(self, i: int, name: str, found: FloatArray) -> None:
        bad = np.isinf(found) if self.finite else np.zeros(found.size, dtype=bool)
        if not self.gaps:
            bad |= np.isnan(found)
        if bad.any():
            place = int(np.argmax(bad))
            raise self._unusable(name, found[place], place + 1)
        if self.table.kinds[name] in ("FLOAT", "DOUBLE"):
            return
        for place in np.flatnonzero(np.abs(found) >= LARGEST_EXACT_INTEGER).tolist():
            query = f"SELECT CAST(n{i} AS VARCHAR) FROM used LIMIT 1 OFFSET {place}"
            ((written,),) = self.table.fetch(query)
            self._check_exact(name, written, place + 1, found[place])

    def distinct(self, name: str, most: int) -> list[str]:
        """Return the different names in a column, sorted; no more than a number of them."""
        text = f"t{list(self.options).index(name)}"
        query = f"SELECT DISTINCT {text} FROM used WHERE {text} IS NOT NULL LIMIT {most}"
        return sorted(found for (found,) in self.table.fetch(query))

    def coded(self, name: str) -> Coded:
        """Return a column of names in memory."""
        place, option = list(self.options).index(name), self.options[name]
        fetched = self.table.connection.execute(f"SELECT t{place} FROM used").fetchnumpy()
        found = Coded.of(fetched[f"t{place}"].tolist())  # None where it is masked
        if not self.gaps and found.codes.min() < 0:
            row = int(np.argmin(found.codes)) + 1
            raise InputError(option, "have no missing values", f"one in row {row}", self.remedy)
        if option in PRINTED:
            check_lines(found.names, PRINTED[option], option)
        return found


def _each(result: Any) -> Iterator[tuple[Any, ...]]:
    while rows := result.fetchmany(10_000):
        yield from rows


def _present(text: str, option: str) -> str:
    """Return the SQL for a name: stripped, and null where it is missing."""
    stripped = f"trim({text}, {quote(SPACES)})"
    missing = MISSING_LABELS if option == "--label" else ("", "nan")
    return f"CASE WHEN lower({stripped}) NOT IN {missing} THEN {stripped} END"


def _cast(text: str, decimal_comma: bool) -> str:
    """Return the SQL for texts as doubles; null where DuckDB reads more than Python does."""
    marks = [f"contains({text}, '_')", f"contains({text}, '+-')"]
    if decimal_comma:
        marks.append(f"contains({text}, '.')")
        text = f"replace({text}, ',', '.')"
    return f"CASE WHEN {' OR '.join(marks)} THEN NULL ELSE TRY_CAST({text} AS DOUBLE) END"
