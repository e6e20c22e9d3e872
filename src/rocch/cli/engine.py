"""What reads a file: this process, with all rows in memory, or DuckDB, or Spark."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rocch.scale.files import footer_of

if TYPE_CHECKING:
    from rocch.cli.scores_source import ScoresSource

LARGE = 30_000_000
"""So many scores (rows times classifiers) take about 1.2 GB in memory, which is what DuckDB and the
counts that it returns take for any number of rows; of more the rows are not kept."""
PARQUET = b"PAR1"
NUMBERS = ("int", "uint", "halffloat", "float", "double", "decimal")
"""How the names of Arrow's types of numbers begin."""


def reads_frame(data: ScoresSource) -> bool:
    """Say whether an engine reads the data, and not this process itself."""
    if data.reading.spark:
        if data.is_long:
            raise click.UsageError(f"--spark {WIDE}")
        return True
    if data.reading.engine == "memory":
        return False
    unable = _why_not(data)
    if data.reading.engine == "duckdb":
        if unable:
            raise click.UsageError(f"--engine duckdb {unable}")
        return True
    there = all(file.exists() for file in data.table.files)
    return there and not unable and _scores_in(data) > LARGE


def need_rows(data: ScoresSource, option: str, *, weighted: bool = False) -> None:
    """Refuse an option that needs the rows themselves, before they are read by what keeps none."""
    if data.reading.weight is not None and not weighted:
        raise click.UsageError(f"{option} needs rows without weights. Leave out --weight.")
    if reads_frame(data):
        raise click.UsageError(f"{option} needs the rows in memory, and {_keeps_none(data)}")


def _keeps_none(data: ScoresSource) -> str:
    if data.reading.spark:
        return "Spark keeps them. Draw some at random, and write them to a file."
    return "DuckDB keeps none. Say --engine memory if they fit, or draw some at random first."


WIDE = (
    "reads wide tables, with a column for each classifier. Turn the long one into a wide one first "
    "(PIVOT)."
)


def _why_not(data: ScoresSource) -> str:
    """Return why DuckDB cannot read the data; an empty text if it can."""
    if data.is_long:
        return WIDE
    if data.table.is_standard_input:
        return "reads files by their names, not standard input."
    for file in filter(Path.exists, data.table.files):  # what is not there is told elsewhere
        if data.table.input_format not in (None, "parquet") or not _is_parquet(file):
            return f"reads Parquet files; {str(file)!r} is none. Write it as Parquet first."
    return ""


def _is_parquet(file: Path) -> bool:
    """Look at how a file begins; a pipe is not opened, because it could not be read again."""
    try:
        with file.open("rb") if file.is_file() else BytesIO() as content:
            return content.read(len(PARQUET)) == PARQUET
    except OSError:  # which is told when it is read
        return False


def _scores_in(data: ScoresSource) -> int:
    """Return how many scores there are, by what the files say of themselves."""
    footers = [footer_of(file) for file in data.table.files]
    named = data.named_scores
    numeric = [kind for kind in footers[0].types.values() if kind.startswith(NUMBERS)]
    return sum(each.rows for each in footers) * len(numeric if named is None else named)
