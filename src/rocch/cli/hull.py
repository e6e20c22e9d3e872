"""`rocch hull`: who wins where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import data_options, plot_option

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.cli.scores_asked import ScoresAsked
    from rocch.roc.hull import RocHull


@click.command("hull")
@data_options
@plot_option
def command(data: ScoresAsked, as_json: bool, plot: Path | None) -> None:
    """Show the ROC convex hull of the classifiers in FILE: who wins where.

    FILE (or - for standard input) is CSV, JSON lines, Parquet or Arrow, perhaps compressed. A wide
    file has one column for the label and one for each classifier's scores (higher for the positive
    class); a long file one line for each score (--classifier, --row, --score).

    \b
    Example:
      rocch hull scores.csv --label y
      rocch hull scores.parquet --label outcome --positive Poor --scores wfns,s100b --json
      rocch hull long.csv --label y --classifier model --row id --score score
      gunzip --stdout scores.csv.gz | rocch hull - --label y
    """
    from rocch.cli import render
    from rocch.cli.scores_file import hull_from_file

    if plot:
        render.check_picture(plot)
    show(hull_from_file(data), plot=plot, as_json=as_json)


def show(hull: RocHull, *, plot: Path | None, as_json: bool) -> None:
    """Show a hull, as tables or as JSON."""
    from rocch.cli import render

    if plot:
        render.save_plot(hull, plot)
    if as_json:
        render.print_json(render.hull_json(hull))
    else:
        render.print_hull(hull)
        render.print_written(plot)
