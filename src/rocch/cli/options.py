"""The options that commands share, in the same words: files, columns, questions, libraries."""

from __future__ import annotations

import json
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.output import remember
from rocch.errors import InputError, format_list
from rocch.numbers import parse_interval
from rocch.roc.question_table import (
    CLASS_QUESTION_FIELDS,
    METRIC_NAMES,
    QUESTION_FIELDS,
    REFERRAL,
    known_names,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from rocch.cli.data import TableSource
    from rocch.multiclass.classes import Pair
    from rocch.multiclass.question import ClassQuestion
    from rocch.roc.conditions import Conditions
    from rocch.roc.question import Question
    from rocch.roc.question_table import FieldData

    Command = Callable[..., Any]

# The formats of tables; Feather is Arrow's file format.
FORMATS = ("csv", "jsonl", "json", "parquet", "arrow")
# Delimiters that shells make hard to type.
DELIMITERS = {"tab": "\t", "\\t": "\t", "space": " "}
# Shell completion does not look into larger files, because it must be quick.
LARGEST_COMPLETED = 2**26


# ---- files and columns ---------------------------------------------------------------------------


def complete_columns(context: click.Context, _: click.Parameter, typed: str) -> list[str]:
    """Return the columns that go on as typed; of several, separated by commas, the last one."""
    # an option that still lacks its value keeps click from telling the arguments apart
    files = context.params.get("files") or (context.params.get("file") or "",)
    named = [*files, *context.args]
    file = next((Path(each) for each in named if Path(each).is_file()), None)
    if file is None or file.stat().st_size > LARGEST_COMPLETED:
        return []
    from rocch.cli.data import column_names

    before, comma, last = typed.rpartition(",")
    try:
        names = column_names(file)
    except Exception:  # a shell that completes must never show an error
        return []
    return [before + comma + name for name in names if name.startswith(last)]


def delimiter(text: str) -> str:
    """Read a delimiter: one character, or the word for one."""
    mark = DELIMITERS.get(text.lower(), text)
    if len(mark) != 1 or mark in '"\r\n':
        raise click.BadParameter(f"{text!r} is not one character such as ';', or the word 'tab'.")
    return mark


def share(text: str) -> float:
    """Read a number, perhaps as a percentage."""
    found = parse_interval(text, is_share=True)
    if not isinstance(found, float):
        raise click.BadParameter(f"{text!r} is not a number such as 0.8 or 80%.")
    return found


def share_range(text: str) -> tuple[float, float]:
    """Read a range of rates."""
    found = parse_interval(text, is_share=True)
    if not isinstance(found, tuple):
        raise click.BadParameter(f"{text!r} is not a range such as 0..0.1 or 0..10%.")
    return found


# What makes an option name a column, or several.
COLUMN: dict[str, Any] = {"metavar": "COLUMN", "shell_complete": complete_columns}
COLUMNS: dict[str, Any] = {"metavar": "A,B,...", "shell_complete": complete_columns}

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


# Which rows of tables count, and what reads them.
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
        can_drop = "drop_nulls" in rest
        reading = {name: rest.pop(name) for name in options if name in rest}
        return command(data=ScoresSource(table, *columns, **reading, can_drop=can_drop), **rest)

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


# ---- the question --------------------------------------------------------------------------------

# The fields that bound conditions, and those that state a belief.
BALANCE = ("prevalence", "negatives_per_positive")
BOUNDS = (*BALANCE, "false_positive", "false_negative", "true_positive", "true_negative")
BELIEF = (*BALANCE, "cost_ratio", "likely")
# The fields of questions that decide every case, and of those that may refer some to a person.
DECIDING = tuple(each.name for each in QUESTION_FIELDS if each.name not in REFERRAL)
REFERRING = (*BOUNDS, *REFERRAL, "confidence")

TITLES = {
    "balance": "Class balance",
    "costs": "Costs",
    "belief": "A belief about costs",
    "limits": "Limits",
    "goal": "Other aims",
    "classes": "More than two classes",
}
METAVARS = {
    "share": "SHARE",
    "shares": "LOW..HIGH",
    "range": "LOW..HIGH",
    "ratio": "LOW..HIGH",
    "number": "NUMBER",
    "metric": "NAME",
    "text": "UNIT",
    "costs": "TRUTH>PREDICTION=COST",
    "priors": "CLASS=SHARE,...",
}


class FieldOption(click.Option):
    """An option that states a field of a question."""

    def __init__(self, *declarations: Any, group: str, **settings: Any) -> None:
        super().__init__(*declarations, **settings)
        self.group = group


class QuestionCommand(click.Command):
    """A command that lists the options of a question under titles of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections of the options."""
        titles = ("Options", *TITLES.values())
        sections: dict[str, list[tuple[str, str]]] = {title: [] for title in titles}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and not isinstance(parameter, click.Argument):
                title = TITLES.get(getattr(parameter, "group", ""), "Options")
                sections[title].append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def question_options(
    names: Iterable[str] | None = None, *, refused: Iterable[str] = ()
) -> Callable[[Command], Command]:
    """Add an option for each field, or for those named; the command gets `question`.

    Those that are `refused` are not listed: the question says what to state instead.
    """
    hidden = set(refused)
    wanted = None if names is None else {*names, *hidden}
    chosen = [each for each in QUESTION_FIELDS if wanted is None or each.name in wanted]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_question(**given: Any) -> Any:
            values = {each.name: given.pop(each.name) for each in chosen}
            return command(question=read_question(values), **given)

        return add_fields(with_question, chosen, hidden=hidden)

    return decorate


def add_fields(
    command: Command,
    fields: Iterable[FieldData],
    group: str = "",
    hidden: Collection[str] = (),
) -> Command:
    """Add an option for each field; those that are hidden are not listed."""
    for each in reversed(list(fields)):
        kind: dict[str, Any] = {"metavar": METAVARS.get(each.kind)}
        if each.kind == "flag":
            kind = {"is_flag": True}
        elif each.kind == "metric":
            kind["shell_complete"] = _complete_metrics
        elif each.kind == "costs":
            kind["multiple"] = True
        option = f"--{each.name.replace('_', '-')}"
        about: dict[str, Any] = {
            "cls": FieldOption,
            "group": group or each.group,
            "help": each.help,
            "hidden": each.name in hidden,
        }
        command = click.option(option, each.name, **about, **kind)(command)
    return command


def read_question(values: dict[str, Any]) -> Question:
    """Return the question that options state; flags are yes or no, all others texts."""
    from rocch.roc.question import Question

    texts = {name: str(value) for name, value in values.items() if value not in (None, False)}
    return Question.from_strings(texts)


def check_question(question: Question) -> None:
    """Refuse a question that makes no sense, before a long file is read."""
    from rocch.roc.operating_point import ClassTotals

    # the real class balance is not known yet, and no check depends on it
    _ = question.resolve(ClassTotals(1, 1)).criterion


def _complete_metrics(
    ctx: click.Context,  # noqa: ARG001 - click's signature
    parameter: click.Parameter,  # noqa: ARG001
    incomplete: str,
) -> list[str]:
    return [name for name in known_names(METRIC_NAMES) if name.startswith(incomplete)]


# ---- costs by class ------------------------------------------------------------------------------


def class_question_options(command: Command) -> Command:
    """Add costs and shares of classes; the command gets `class_question` and `costs_file`."""

    @wraps(command)
    def with_question(costs_file: Path | None, **given: Any) -> Any:
        from rocch.multiclass.question import ClassQuestion

        texts = {each.name: given.pop(each.name) for each in CLASS_QUESTION_FIELDS}
        texts["costs"] = ",".join(texts["costs"])
        stated = {name: text for name, text in texts.items() if text not in (None, "")}
        question = ClassQuestion.from_strings(stated)
        return command(class_question=question, costs_file=costs_file, **given)

    file = click.option(
        "--costs-file",
        cls=FieldOption,
        group="classes",
        type=click.Path(path_type=Path),
        help="Costs in a file: columns truth, prediction, cost (or low, high); or a square table "
        "whose first column is named truth.",
    )
    return file(add_fields(with_question, CLASS_QUESTION_FIELDS, group="classes"))


def add_costs_of_file(question: ClassQuestion, file: Path | None) -> ClassQuestion:
    """Return the question with the costs of a file too; each cost may be stated once."""
    from dataclasses import replace

    if file is None:
        return question
    found, stated = _read_costs(file), dict(question.costs or {})
    twice = [">".join(map(str, pair)) for pair in stated if pair in found]
    if twice:
        raise InputError(
            "costs", "state each cost once", f"{format_list(twice)} in {file.name} too"
        )
    return replace(question, costs=found | stated)


def read_limit(text: str) -> tuple[Pair | str, float]:
    """Read a limit on one error, cat>dog=0.05, or on all misses of a class, cat=0.1."""
    what, _, value = text.rpartition("=")
    rate = parse_interval(value, is_share=True)
    if not what.strip() or not isinstance(rate, float):
        raise InputError(
            "limits",
            "be a name and a rate",
            repr(text),
            "For example: 'cat>dog=0.05' (truth first), or 'cat=0.1' for all misses of a class.",
        )
    from rocch.multiclass.question import parse_pair

    return (parse_pair(what, text, "limits") if ">" in what else what.strip()), rate


def _read_costs(file: Path) -> dict[Pair, Any]:
    from rocch.cli.data import TableSource, whole_table
    from rocch.cli.table import text_of
    from rocch.multiclass.costs import PREDICTION, TRUTH, entries_of_columns

    columns = whole_table(TableSource(file, "--costs-file"))
    for name, column in columns.items():
        if name in (TRUTH, PREDICTION):
            columns[name] = [text_of(value) for value in column]
        else:
            columns[name] = [_read_cell(text_of(value), name) for value in column]
    return entries_of_columns(columns, "costs_file")


def _read_cell(text: str, column: str) -> Any:
    if not text:
        return None
    bounds = parse_interval(text)
    if bounds is None:
        got = f"{text!r} in column {column!r}"
        raise InputError("costs_file", "hold numbers or intervals such as 10..20", got)
    return bounds


# ---- models and libraries ------------------------------------------------------------------------


class LibraryPlace(click.Path):
    """A folder, or the URL of a PostgreSQL database, which a `Path` would shorten."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, readable=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the place."""
        from rocch.database.places import is_database_url

        if isinstance(value, str) and ("://" in value or is_database_url(value)):
            from rocch.library.library import as_place

            name = None if param is None else param.name
            return as_place(value, name if name in ("target", "state") else "path")
        return super().convert(value, param, ctx)


folder_argument = click.argument("folder", metavar="DIR", type=LibraryPlace())
objects_option = click.option(
    "--objects",
    metavar="URL",
    help="Where a library on a server keeps its files: a URL such as s3://bucket/churn, or the "
    "whole path of a folder that all machines share.",
)
by_option = click.option("--by", help="Who does it.  [default: the present user]")
note_option = click.option("--note", default="", help="A note to remember.")
trust_option = click.option(
    "--trust",
    multiple=True,
    metavar="TYPE",
    help="Accept this type in a model, beside those on the allow-list; may be repeated.",
)
digest_option = click.option(
    "--digest",
    metavar="SHA256",
    help="The model file's digest, recorded when it was saved; boosters of LightGBM and XGBoost "
    "are read only with it.",
)


def about_options(command: Command) -> Command:
    """Add what to remember about classifiers; the command gets it all as `about`."""

    @wraps(command)
    def with_about(
        by: str | None, tag: tuple[str, ...], parameter: tuple[str, ...], note: str, **rest: Any
    ) -> Any:
        if not all(one.strip() for one in tag):
            raise click.UsageError("--tag must be a text that is not empty; got ''. Leave it out.")
        about = {"by": by, "tags": tag, "parameters": read_parameters(parameter), "note": note}
        return command(about=about, **rest)

    wrapped: Command = with_about
    for add in (
        by_option,
        note_option,
        click.option(
            "--parameter",
            multiple=True,
            metavar="KEY=VALUE",
            help="A parameter to remember, such as max_depth=3; may be repeated.",
        ),
        click.option("--tag", multiple=True, help="A tag to find it by; may be repeated."),
    ):
        wrapped = add(wrapped)
    return wrapped


def read_parameters(pairs: Sequence[str]) -> dict[str, Any]:
    """Read KEY=VALUE; a value that is JSON is taken as such, anything else as a text."""
    read: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise click.UsageError(f"--parameter must be KEY=VALUE; got {pair!r}.")
        if key in read:
            raise click.UsageError(f"--parameter names {key!r} twice. Keep one.")
        read[key] = _value(value)
    return read


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return text


def _no_number(text: str) -> None:
    raise ValueError(text)  # NaN and infinities are no JSON, although Python reads them


def bounds_options(command: Command) -> Command:
    """Add bounds on conditions; the command gets them as `within`, None if none were given."""

    @wraps(command)
    def with_bounds(question: Question, **given: Any) -> Any:
        return command(within=_bounds(question), **given)

    return question_options(BOUNDS)(with_bounds)


def _bounds(question: Question) -> Conditions | None:
    from rocch.roc.conditions import OBSERVED

    if question and (question.conditions is None or question.balance == OBSERVED):
        raise click.UsageError(
            "bounds need both costs, --false-positive and --false-negative, and the class balance "
            "in numbers (--prevalence): they bound the slopes only together."
        )
    return question.conditions
