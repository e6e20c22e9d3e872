"""`rocch surface`: what trades off with what when there are many classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rocch.cli.class_costs import add_costs_of_file, class_question_options, read_limit
from rocch.cli.model_names import NamedModel, model_name
from rocch.cli.options import COLUMNS, label_option, output_option, plot_option, table_options
from rocch.cli.question import QuestionCommand

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.cli.data import TableSource
    from rocch.cli.rows import LabeledRows
    from rocch.cli.surface_study import SurfaceQuestion
    from rocch.multiclass.question import ClassQuestion


@click.command("surface", cls=QuestionCommand)
@label_option(required=True)
@click.option(
    "--features",
    **COLUMNS,
    help="Columns with features, which must be numbers.  [default: every other column]",
)
@click.option(
    "--model",
    "models",
    type=model_name,
    multiple=True,
    required=True,
    metavar="NAME",
    help="knn, mlp or a scikit-learn classifier, perhaps with settings: 'mlp(hidden=8)', "
    "'RandomForestClassifier(n_estimators=200)'. Several share one surface.",
)
@click.option(
    "--generations",
    type=click.IntRange(min=0),
    default=2000,
    show_default=True,
    help="How many parameter vectors (or classifiers) meet new costs.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="Cost matrices that each one meets.",
)
@click.option(
    "--objectives",
    type=click.Choice(["rates", "misses"]),
    default="rates",
    show_default=True,
    help="Trade off every kind of error, or the miss rates of the classes.",
)
@class_question_options
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="TRUTH>ANSWER=RATE",
    help="Largest rate of an error, 'cat>dog=0.05', or of a class's misses, 'cat=0.1'.",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Stop when G grows by less than this ...",
)
@click.option(
    "--patience",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="... over so many generations.",
)
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Folds in which scikit-learn's classifiers are judged.",
)
@click.option(
    "--scale/--no-scale",
    default=True,
    show_default=True,
    help="Standardize features first (mlp always does).",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="Seed of folds and search.",
)
@output_option("Write all members to this CSV file.")
@plot_option
@table_options
def command(
    table: TableSource,
    label: str,
    features: str | None,
    models: tuple[NamedModel, ...],
    output: Path | None,
    plot: Path | None,
    as_json: bool,
    folds: int,
    scale: bool,
    class_question: ClassQuestion,
    costs_file: Path | None,
    limits: tuple[str, ...],
    **known: Any,
) -> None:
    """Search the ROC surface of FILE: classifiers of which none is better in every error.

    FILE (or - for standard input) has a column of classes and columns of numbers. Every member of
    the surface is a model with parameters and costs to answer by. Costs (numbers or intervals) say
    which member to use; limits say which may be used. The picture shows the surface in space, for
    more than 3 classes as parallel rates.

    \b
    Example:
      rocch surface iris.csv --label species --model knn
      rocch surface iris.csv --label species --model LogisticRegression --model GaussianNB \\
          --costs 'virginica>setosa=10' --default-cost 1 --limit 'versicolor=0.1'
      rocch surface vehicle.csv --label kind --model 'mlp(hidden=8)' --objectives misses \\
          --output members.csv
    """
    from rocch.cli import render_surface
    from rocch.cli.csv_output import check_files, write_csv
    from rocch.cli.render import check_picture
    from rocch.cli.rows import labeled_rows
    from rocch.cli.surface_study import study

    check_files(output, (table.path, costs_file), as_json=as_json)
    if plot and output and plot.resolve() == output.resolve():
        raise click.UsageError("--output and --plot name the same file.")
    if plot:
        check_picture(plot)  # before a long search rather than after it
    data = labeled_rows(table, label=label, features=features)
    question = _question(add_costs_of_file(class_question, costs_file), limits, data)
    found = study(
        data,
        models,
        question,
        folds=folds,
        scale=scale,
        search={name: known[name] for name in ("objectives", "draws", "seed")},
        run={name: known[name] for name in ("generations", "tolerance", "patience")},
    )
    if output:
        write_csv(output, *render_surface.members_table(found))
    if plot:
        render_surface.save_picture(found, plot)
    render_surface.show(found, as_json=as_json, written=[path for path in (output, plot) if path])


def _question(stated: ClassQuestion, limits: tuple[str, ...], data: LabeledRows) -> SurfaceQuestion:
    """Return what is known about costs, shares and limits; refuse what would have no effect."""
    from rocch.cli.surface_study import SurfaceQuestion
    from rocch.inputs import as_rate

    knows_costs = stated.costs is not None or stated.default_cost is not None
    if stated.priors is not None and not knows_costs:
        raise click.UsageError("--priors has no effect here; it goes with --costs.")
    read = dict(map(read_limit, limits))
    for what, rate in read.items():  # before a long search rather than after it
        as_rate(rate, "limits")
        for name in (what,) if isinstance(what, str) else what:
            data.classes.place(name, "limits")
    if len(read) < len(limits):
        raise click.UsageError("--limit names the same rate twice. Keep one.")
    costs = stated.cost_matrix(data.classes) if knows_costs else None
    return SurfaceQuestion(costs, stated.priors or "observed", read or None)
