"""`rocch assign`: predictions of least expected cost, from a file of probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.binary import savings_parts
from rocch.cli.options import (
    COLUMN,
    COLUMNS,
    QuestionCommand,
    add_costs_of_file,
    class_question_options,
    label_option,
    output_option,
    table_options,
)
from rocch.cli.output import (
    Printed,
    check_files,
    make_table,
    print_json,
    print_parts,
    print_written,
    write_csv,
)
from rocch.errors import InputError, format_count, renamed
from rocch.numbers import money
from rocch.report.parts import Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rocch.arrays import FloatArray
    from rocch.cli.data import TableSource
    from rocch.multiclass.confusion import Confusion
    from rocch.multiclass.costs import CostMatrix
    from rocch.multiclass.question import ClassQuestion
    from rocch.roc.new_rows import NewRowsCost
    from rocch.roc.savings import Savings

# The columns that are added.
PREDICTION, EXPECTED = "prediction", "expected_cost"
# Confusion matrices of more classes do not fit a screen; JSON has them.
MOST_CLASSES = 12


@dataclass(frozen=True, slots=True)
class Outcome:
    """What predictions did on rows whose class is known, and their cost per row."""

    cost: float
    confusion: Confusion


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The predictions of least expected cost, beside the most likely classes.

    `new_rows` and `savings` are what they cost and save on other such rows: the costs alone decide,
    so these rows are as good as new ones.
    """

    least_cost: Outcome
    most_likely: Outcome
    new_rows: NewRowsCost
    savings: Savings

    def parts(self) -> Iterator[Printed]:
        """Return what both cost, and the confusion matrix."""
        both = (self.least_cost, self.most_likely)
        confusions = [each.confusion for each in both]
        rows = (
            ("cost per row", *align_costs([each.cost for each in both])),
            ("wrong predictions", *(str(each.errors) for each in confusions)),
            ("error rate", *(f"{each.errors / each.totals.sum():.4f}" for each in confusions)),
        )
        yield make_table("", ">least expected cost", ">most likely class", rows=rows)
        low, high = map(money, self.new_rows.interval or (0.0, 0.0))
        yield (
            f"On other such rows expect {money(self.least_cost.cost)} per case "
            f"({100 * self.new_rows.confidence:.3g}%: {low} to {high})."
        )
        yield from savings_parts(self.savings)
        if len(confusions[0].classes) <= MOST_CLASSES:
            yield confusion_section("Predictions of least expected cost", confusions[0])


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """A file's rows with their predictions.

    Attributes
    ----------
    kept
        The columns that are kept beside the predictions, as they are in the file.
    probabilities
        The columns of the classes as numbers.
    expected_costs
        What each prediction is expected to cost, if the probabilities are right.
    """

    costs: CostMatrix
    kept: dict[str, list[Any]]
    probabilities: dict[str, FloatArray]
    predictions: list[str]
    expected_costs: list[float]
    evaluation: Evaluation | None

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes."""
        return self.costs.classes.names

    @property
    def mean_expected_cost(self) -> float:
        """What a row is expected to cost, if the probabilities are right."""
        return sum(self.expected_costs) / len(self.expected_costs)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The columns to write."""
        return {**self.kept, PREDICTION: self.predictions, EXPECTED: self.expected_costs}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows to write, probabilities as numbers."""
        numbers = {name: column.tolist() for name, column in self.probabilities.items()}
        columns = {name: numbers.get(name, column) for name, column in self.columns.items()}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def parts(self) -> Iterator[Printed]:
        """Return what the predictions cost, where the truth is known."""
        if self.evaluation is not None:
            yield (
                f"{format_count(len(self.predictions), 'row')}; by the probabilities the "
                f"predictions should cost {self.mean_expected_cost:.4g} per row."
            )
            yield from self.evaluation.parts()


def align_costs(costs: list[float]) -> list[str]:
    """Write costs with as many decimals as give the largest of them four digits.

    Examples
    --------
    >>> from rocch.cli.assign import align_costs
    >>> align_costs([12.3456, 0.5]), align_costs([0.0])
    (['12.35', '0.50'], ['0'])
    """
    largest = max(costs)
    decimals = 3 - math.floor(math.log10(largest)) if largest > 0 else 0
    return [f"{cost:,.{max(decimals, 0)}f}" for cost in costs]


def confusion_section(title: str, confusion: Confusion) -> Section:
    """Return a confusion matrix as a table, with each class's miss rate."""
    names = [str(name) for name in confusion.classes]
    rows = []
    for place, (name, counts) in enumerate(zip(names, confusion.counts.tolist(), strict=True)):
        rate = f"{1 - counts[place] / sum(counts):.4f}" if any(counts) else "-"
        rows.append((name, *map(str, counts), rate))
    table = make_table("truth", *(f">{name}" for name in names), ">miss rate", rows=rows)
    return Section(f"{title}: truths in rows, predictions in columns", (table,))


@click.command("assign", cls=QuestionCommand)
@class_question_options
@click.option(
    "--classes",
    **COLUMNS,
    help="The classes, whose columns hold the probabilities.  [default: those that the costs name]",
)
@click.option(
    "--trained-priors",
    metavar="CLASS=SHARE,...",
    help="The class balance where the model learned, if --priors differ; probabilities are "
    "corrected by the ratio.",
)
@label_option(help="The column with the true classes: evaluate the predictions by it.")
@click.option(
    "--row", **COLUMN, help="Keep only this column beside the predictions.  [default: all]"
)
@output_option("Write the predictions to this CSV file.  [default: standard output]")
@table_options
def assign(
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
    """Predict for each row of FILE the class of least expected cost.

    FILE (or - for standard input) has a column for each class that holds its probability. The
    predictions are written as CSV: all columns of the file, then prediction and expected_cost. With
    --label a summary on standard error says what the predictions cost, beside predicting the most
    likely class.

    \b
    Example:
      rocch assign probabilities.csv --costs-file costs.csv -o predictions.csv
      rocch assign probabilities.csv --costs 'ill>well=20,well>ill=1' --label outcome
      rocch assign animals.csv --classes cat,dog,eel --costs 'eel>cat=9' --default-cost 1
    """
    check_files(output, (table.path, costs_file), as_json=as_json)
    named = None if classes is None else [name.strip() for name in classes.split(",")]
    costs = _exact_costs(add_costs_of_file(class_question, costs_file), named)
    balance = {"priors": class_question.priors, "trained_priors": _read_shares(trained_priors)}
    try:
        found = _predict(table, costs, label=label, row=row, **balance)
    except InputError as error:
        raise _in_file(error) from None
    if output or not as_json:
        columns = found.columns
        write_csv(output or Path("-"), list(columns), zip(*columns.values(), strict=True))
    if as_json:
        print_json(found)
    else:
        print_parts(found.parts(), err=True)  # the predictions may be on standard output
        print_written(output)


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
            "a prediction needs every cost as one number; that of "
            f"'{vague['truth']}>{vague['prediction']}' is {vague['low']:g}..{vague['high']:g}. "
            "State one; rocch surface says what intervals allow."
        )
    return costs


def _read_shares(text: str | None) -> Any:
    from rocch.multiclass.question import ClassQuestion

    if text is None:
        return None
    with renamed(priors="trained_priors"):
        return ClassQuestion.from_strings({"priors": text}).priors


def _in_file(error: InputError) -> InputError:
    """Count rows from 1, as everywhere about files; arrays are counted from 0."""
    if "row" not in error.values:
        return error
    got = "{value} in row {row}{column}".format_map(error.values | {"row": error.values["row"] + 1})
    return InputError(error.argument or "", error.requirement, got, error.hint)


def _predict(
    file: TableSource, costs: CostMatrix, *, label: str | None, row: str | None, **balance: Any
) -> Predictions:
    """Predict the rows of a file."""
    from rocch.multiclass.classes import Classes
    from rocch.multiclass.costs import CostMatrix
    from rocch.multiclass.rules import assign, prediction_risks

    probabilities, kept, truths = _read(file, costs, label=label, row=row)
    costs = costs.in_order(Classes.of(list(probabilities)))
    predictions = assign(probabilities, costs, **balance).tolist()
    risks = prediction_risks(probabilities, costs, **balance)
    expected = [float(risks[prediction][place]) for place, prediction in enumerate(predictions)]
    evaluation = None
    if truths is not None:
        likely = assign(probabilities, CostMatrix.zero_one(costs.classes)).tolist()
        evaluation = _evaluate(truths, predictions, likely, costs, balance["priors"])
    return Predictions(costs, kept, probabilities, predictions, expected, evaluation)


def _evaluate(
    truths: list[str],
    predictions: list[str],
    likely: list[str],
    costs: CostMatrix,
    priors: Any,
) -> Evaluation:
    """Return what predictions, and the most likely classes, cost by the true classes."""
    import numpy as np

    from rocch.multiclass.confusion import Confusion, count_predictions
    from rocch.multiclass.costs import as_priors
    from rocch.multiclass.new_rows import LEVEL, class_cost_interval, compare_predictions
    from rocch.roc.conditions import OBSERVED
    from rocch.roc.new_rows import NewRowsCost

    classes, size = costs.classes, len(costs.classes)
    codes = classes.codes(truths, "--label")  # so that errors name the option
    ours, theirs = (classes.codes(each, "predictions") for each in (predictions, likely))
    found = [Confusion(classes, count_predictions(codes, each, size)) for each in (ours, theirs)]
    best, plain = (Outcome(each.expected_cost(costs, priors or OBSERVED), each) for each in found)
    shares = as_priors(priors or OBSERVED, classes, found[0].totals).shares
    rows, losses = np.arange(codes.size), costs.values[codes, ours]
    cost, interval = class_cost_interval(losses, codes, rows, costs.values, shares)
    new_rows = NewRowsCost(cost, cost, interval, LEVEL)
    baselines = {"the most likely class": theirs}
    savings = compare_predictions((new_rows, losses), baselines, codes, rows, costs, shares)
    return Evaluation(best, plain, new_rows, savings)


def _read(
    file: TableSource, costs: CostMatrix, *, label: str | None, row: str | None
) -> tuple[dict[str, FloatArray], dict[str, list[Any]], list[str] | None]:
    """Return the probabilities, the columns that are kept, and the true classes if there are."""
    from rocch.cli.data import open_table
    from rocch.cli.table import need_column

    with open_table(file) as table:
        for name, option in ((label, "--label"), (row, "--row")):
            if name is not None:
                need_column(table.names, name, option)
        kept = list(table.names) if row is None else [row]
        _check_free(kept)
        columns = table.select(
            _class_columns(table.names, costs),
            {} if label is None else {label: "--label"},
            finite=True,
            hint="The columns of classes hold probabilities.",
        )
        truths = None if label is None else columns.coded(label).texts()
        return columns.numbers(), {name: table.values(name) for name in kept}, truths


def _class_columns(names: Sequence[str], costs: CostMatrix) -> list[str]:
    from rocch.cli.table import check_lines

    check_lines(costs.classes.names, "class", "the costs")
    absent = [name for name in costs.classes if name not in names]
    if absent:
        raise InputError(
            "FILE",
            "have a column for each class",
            f"none for {absent[0]!r}",
            "The columns are: {known}.",
            known=", ".join(map(repr, names)),
        )
    return [name for name in names if name in costs.classes.names]


def _check_free(kept: list[str]) -> None:
    for name in (PREDICTION, EXPECTED):
        if name in kept:
            raise InputError(
                "FILE",
                f"leave the names {PREDICTION} and {EXPECTED} to the predictions",
                f"a column {name!r}",
                "Rename it, or keep one column only (--row).",
            )
