"""`rocch assign`: labels of least expected cost from a file of posteriors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.class_costs import add_costs_of_file, class_question_options
from rocch.cli.options import COLUMN, COLUMNS, label_option, output_option, table_options
from rocch.cli.question import QuestionCommand

if TYPE_CHECKING:
    from rocch.cli.data import TableSource
    from rocch.errors import InputError
    from rocch.multiclass.costs import CostMatrix
    from rocch.multiclass.question import ClassQuestion


@click.command("assign", cls=QuestionCommand)
@class_question_options
@click.option(
    "--classes",
    **COLUMNS,
    help="The classes, whose columns hold the posteriors.  [default: those that the costs name]",
)
@click.option(
    "--trained-priors",
    metavar="CLASS=SHARE,...",
    help="The class balance where the model learned, if --priors differ; posteriors are corrected "
    "by the ratio.",
)
@label_option(help="The column with the true classes: judge the answers by it.")
@click.option("--row", **COLUMN, help="Keep only this column beside the answers.  [default: all]")
@output_option("Write the answers to this CSV file.  [default: standard output]")
@table_options
def command(
    table: TableSource,
    class_question: ClassQuestion,
    costs_file: Path | None,
    trained_priors: str | None,
    classes: str | None,
    label: str | None,
    row: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Answer each row of FILE with the class of least expected cost.

    FILE (or - for standard input) has a column for each class that holds its probability. The
    answers are written as CSV: all columns of the file, then answer and expected_cost. With
    --label a summary on standard error says what the answers cost, beside answering the most
    likely class.

    \b
    Example:
      rocch assign posteriors.csv --costs-file costs.csv -o answers.csv
      rocch assign posteriors.csv --costs 'ill>well=20,well>ill=1' --label outcome
      rocch assign animals.csv --classes cat,dog,eel --costs 'eel>cat=9' --default-cost 1
    """
    from rocch.cli import assigned, render, render_assign
    from rocch.cli.csv_output import check_files, write_csv
    from rocch.errors import InputError

    check_files(output, (table.path, costs_file), as_json=as_json)
    named = None if classes is None else [name.strip() for name in classes.split(",")]
    costs = _exact_costs(add_costs_of_file(class_question, costs_file), named)
    balance = {"priors": class_question.priors, "trained_priors": _read_shares(trained_priors)}
    try:
        answers = assigned.from_file(table, costs, label=label, row=row, **balance)
    except InputError as error:
        raise _in_file(error) from None
    if output or not as_json:
        write_csv(output or Path("-"), *answers.table())
    if as_json:
        render.print_json(answers.document())
    else:
        render_assign.print_summary(answers)
        render.print_written(output)


def _exact_costs(question: ClassQuestion, classes: list[str] | None) -> CostMatrix:
    if question.costs is None and question.default_cost is None:
        raise click.UsageError(
            "state what errors cost: --costs-file FILE, or --costs 'cat>dog=3' (truth first) for "
            "each, with --default-cost for all others."
        )
    if question.costs is None and classes is None:
        raise click.UsageError(
            "--default-cost alone does not say what the classes are: name them with --classes."
        )
    costs = question.cost_matrix(classes)
    if not costs.exact:
        vague = next(row for row in costs.rows if row["low"] < row["high"])
        raise click.UsageError(
            "an answer needs every cost as one number; that of "
            f"'{vague['truth']}>{vague['prediction']}' is {vague['low']:g}..{vague['high']:g}. "
            "State one; rocch surface says what intervals allow."
        )
    return costs


def _read_shares(text: str | None) -> Any:
    from rocch.errors import renamed
    from rocch.multiclass.question import ClassQuestion

    if text is None:
        return None
    with renamed(priors="trained_priors"):
        return ClassQuestion.from_strings({"priors": text}).priors


def _in_file(error: InputError) -> InputError:
    """Count rows from 1, as everywhere about files; arrays are counted from 0."""
    from rocch.errors import InputError

    if "row" not in error.values:
        return error
    got = "{value} in row {row}{column}".format_map(error.values | {"row": error.values["row"] + 1})
    return InputError(error.argument or "", error.requirement, got, error.hint)
