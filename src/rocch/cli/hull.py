"""`rocch hull`: who wins where."""

from __future__ import annotations

from pathlib import Path

import click

from rocch.cli.options import data_options


@click.command("hull")
@data_options
@click.option(
    "--plot", type=click.Path(path_type=Path), help="Also draw the ROC graph to this file."
)
def command(
    file: Path,
    label: str,
    positive: str | None,
    scores: str | None,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Show the ROC convex hull of the classifiers in FILE: who wins where.

    FILE is CSV or Parquet, with one column for the label and one for each classifier's scores
    (higher for the positive class).

    \b
    Example:
      rocch hull scores.csv --label y
      rocch hull scores.parquet --label outcome --positive Poor --scores wfns,s100b --json
    """
    from rocch.cli import render
    from rocch.cli.scores_file import hull_from_file

    hull = hull_from_file(file, label=label, positive=positive, scores=scores)
    if plot:
        render.save_plot(hull, plot)
    if as_json:
        render.print_json(render.hull_json(hull))
    else:
        render.print_hull(hull)
        if plot:
            click.echo(f"Written: {plot}")
