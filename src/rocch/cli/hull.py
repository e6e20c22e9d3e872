"""`rocch hull`: who wins where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import COLUMN, plot_option, scores_options

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.cli.scores import ScoresSource
    from rocch.roc.hull import RocHull


@click.command("hull")
@scores_options
@click.option("--by", **COLUMN, help="One hull for each value of this column.")
@plot_option
def command(data: ScoresSource, as_json: bool, by: str | None, plot: Path | None) -> None:
    """Show the ROC convex hull of the classifiers in FILE: who wins where.

    FILE (or - for standard input) is CSV, JSON lines, Parquet or Arrow, perhaps compressed; a
    folder or a quoted pattern stands for several files, which are one table. A wide file has one
    column for the label and one for each classifier's scores (higher for the positive class); a
    long file one line for each score (--classifier, --row, --score). Large Parquet files need not
    fit into memory.

    \b
    Example:
      rocch hull scores.csv --label y
      rocch hull scores.parquet --label outcome --positive Poor --scores wfns,s100b --json
      rocch hull long.csv --label y --classifier model --row id --score score
      rocch hull scores --label y --memory-limit 500MB
      rocch hull 'scores/*.parquet' --label y --by country --drop-nulls
      gunzip --stdout scores.csv.gz | rocch hull - --label y
    """
    from rocch.cli import render
    from rocch.cli.scores import hull_from_file

    if by is not None:
        _show_groups(data, by, plot=plot, as_json=as_json)
        return
    if plot:
        render.check_picture(plot)
    show(hull_from_file(data), plot=plot, as_json=as_json)


def _show_groups(data: ScoresSource, by: str, *, plot: Path | None, as_json: bool) -> None:
    from rocch.cli import render
    from rocch.cli.scores import hulls_from_file

    if plot:
        raise click.UsageError("--plot draws one hull; leave out --by, or --plot.")
    if data.is_long:
        raise click.UsageError("--by goes with a wide file.")
    hulls = hulls_from_file(data, by)
    if as_json:
        groups = [{"group": name, **render.hull_json(hull)} for name, hull in hulls.items()]
        render.print_json({"by": by, "groups": groups})
        return
    for name, hull in hulls.items():
        render.print_group(by, name)
        render.print_hull(hull)


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
