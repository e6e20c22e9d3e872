"""Options that several commands share, in the same words."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.completing import complete_columns
from rocch.cli.progress import remember

if TYPE_CHECKING:
    from collections.abc import Callable

    from rocch.cli.data import TableSource

    Command = Callable[..., Any]

# The formats of tables; Feather is Arrow's file format.
FORMATS = ("csv", "jsonl", "json", "parquet", "arrow")
DELIMITERS = {"tab": "\t", "\\t": "\t", "space": " "}
"""Delimiters that shells make hard to type."""


def delimiter(text: str) -> str:
    """Read a delimiter: one character, or the word for one."""
    mark = DELIMITERS.get(text.lower(), text)
    if len(mark) != 1 or mark in '"\r\n':
        raise click.BadParameter(f"{text!r} is not one character such as ';', or the word 'tab'.")
    return mark


COLUMN: dict[str, Any] = {"metavar": "COLUMN", "shell_complete": complete_columns}
"""What makes an option name a column."""
COLUMNS: dict[str, Any] = {"metavar": "A,B,...", "shell_complete": complete_columns}
"""What makes an option name several."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
progress_option = click.option(
    "--progress/--no-progress",
    default=None,
    expose_value=False,
    callback=remember,
    help="Show progress on standard error.  [default: on a terminal, without --json]",
)
plot_option = click.option(
    "--plot",
    type=click.Path(path_type=Path, readable=False),
    help="Also draw the picture to this file.",
)


def label_option(**given: Any) -> Callable[[Command], Command]:
    """Make the option that names the column with the true classes."""
    purpose = given.pop("help", "The column with the true classes.")
    return click.option("--label", help=purpose, **COLUMN, **given)


def output_option(purpose: str, **given: Any) -> Callable[[Command], Command]:
    """Make the option that names what is written."""
    given = {"type": click.Path(path_type=Path, readable=False), **given}
    return click.option("--output", "-o", help=purpose, **given)


def table_options(command: Command) -> Command:
    """Add a file and how to read it; the command gets both as one `table`."""

    @wraps(command)
    def with_table(
        file: Path,
        input_format: str | None,
        delimiter: str | None,
        decimal_comma: bool,
        encoding: str | None,
        **rest: Any,
    ) -> Any:
        from rocch.cli.data import TableSource  # not for --help, which is quick without

        table = TableSource(file, "FILE", input_format, delimiter, decimal_comma, encoding)
        return command(table=table, **rest)

    return _table_options(with_table, click.argument("file", type=click.Path(path_type=Path)))


def _table_options(wrapped: Command, file: Callable[[Command], Command]) -> Command:
    for add in (
        progress_option,
        json_option,
        click.option(
            "--decimal-comma", is_flag=True, help="Numbers in CSV are written 0,5 and not 0.5."
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="The encoding of a text file that is not UTF-8: cp1252 ...",
        ),
        click.option(
            "--delimiter",
            type=delimiter,
            metavar="MARK",
            help="What separates columns in CSV: ';', 'tab' ...  [default: recognized]",
        ),
        click.option(
            "--input-format",
            type=click.Choice(FORMATS),
            help="What FILE is.  [default: recognized]",
        ),
        file,
    ):
        wrapped = add(wrapped)
    return wrapped


def data_options(command: Command) -> Command:
    """Add a file of scores and what its columns are; the command gets it all as `data`."""
    return _data_options(command, label_option(required=True), table_options)


def scores_options(command: Command) -> Command:
    """Add the same for files of any size and number, or a table of Spark's."""
    return _data_options(command, label_option(required=True), tables_options)


def scores_or_model_options(command: Command) -> Command:
    """Add the same for a command that also takes a saved model, which has no label."""
    purpose = "The column with the true classes.  [required unless FILE is a saved model]"
    return _data_options(command, label_option(default="", help=purpose), tables_options)


def tables_options(command: Command) -> Command:
    """Add files and how to read them; the command gets `table` and `reading_options`."""

    @wraps(command)
    def with_tables(
        files: tuple[str, ...],
        input_format: str | None,
        delimiter: str | None,
        decimal_comma: bool,
        encoding: str | None,
        memory_limit: str | None,
        **rest: Any,
    ) -> Any:
        from rocch.cli.data import TableSource

        written = input_format, delimiter, decimal_comma, encoding
        table = TableSource(Path(files[0]), "FILE", *written, memory_limit)
        if not rest["spark"]:
            table = table.with_files(files)
        return command(table=table, named=files, **rest)

    # names of tables and addresses stay as they were typed; a Path would change s3://
    argument = click.argument(
        "files", metavar="FILE...", nargs=-1, required=True, type=click.Path()
    )
    wrapped: Command = with_tables
    for add in reversed(READING):
        wrapped = add(wrapped)
    return _table_options(wrapped, argument)


READING = (
    click.option("--weight", **COLUMN, help="The column with the weights of rows."),
    click.option(
        "--drop-nulls", is_flag=True, help="Leave out rows with missing values in used columns."
    ),
    click.option(
        "--engine",
        type=click.Choice(["memory", "duckdb"]),
        help="What reads FILE; DuckDB needs no memory for the rows.  [default: DuckDB for many "
        "rows]",
    ),
    click.option("--memory-limit", metavar="SIZE", help="How much DuckDB may use.  [default: 1GB]"),
    click.option(
        "--spark", is_flag=True, help="FILE is a table of Spark's, or a path that Spark reads."
    ),
)
"""Which rows of tables count, and what reads them."""


def _data_options(
    command: Command, label: Callable[[Command], Command], tables: Callable[[Command], Command]
) -> Command:

    @wraps(command)
    def with_data(
        table: TableSource,
        label: str,
        positive: str | None,
        scores: str | None,
        classifier: str | None,
        row: str | None,
        score: str | None,
        **rest: Any,
    ) -> Any:
        from rocch.cli.scores import ScoresSource

        columns = label, positive, scores, classifier, row, score
        options = ("weight", "drop_nulls", "engine", "spark", "named")
        reading = {name: rest.pop(name) for name in options if name in rest}
        return command(data=ScoresSource(table, *columns, **reading), **rest)

    wrapped = tables(with_data)
    for add in (
        click.option("--score", **COLUMN, help="... and the column with their scores."),
        click.option(
            "--row",
            **COLUMN,
            help="... and the column that says which row a score belongs to, or several: A,B. In "
            "a wide file: columns that are no scores.",
        ),
        click.option(
            "--classifier",
            **COLUMN,
            help="In a long file, with one line for each score: the column with the classifiers' "
            "names ...",
        ),
        click.option(
            "--scores",
            **COLUMNS,
            help="Columns with scores, or the classifiers of a long file.  [default: every other "
            "numeric column; all classifiers]",
        ),
        click.option("--positive", help="The positive class, where it is not 1 or true."),
        label,
    ):
        wrapped = add(wrapped)
    return wrapped
