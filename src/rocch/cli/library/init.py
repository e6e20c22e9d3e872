"""`rocch library init`: a new library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import QuestionCommand, bounds_options, folder_argument, json_option
from rocch.cli.output import echo
from rocch.errors import escape_line

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.roc.conditions import Conditions


@click.command("init", cls=QuestionCommand)
@folder_argument
@bounds_options
@json_option
def command(folder: Path, within: Conditions | None, as_json: bool) -> None:
    """Make a new library in DIR, a folder that is empty or not there yet.

    With bounds on conditions it keeps fewer classifiers: those that are best only outside the
    bounds are not kept. Bounds can be narrowed later (rocch library prune), never widened.

    \b
    Example:
      rocch library init fraud
      rocch library init fraud --prevalence 0.05..0.2 --false-positive 1 --false-negative 5..50
    """
    from rocch.cli.render import print_json, slope_text
    from rocch.library.library import ClassifierLibrary

    with ClassifierLibrary.create(folder, within=within):
        pass
    slopes = None if within is None else within.slope_range
    if as_json:
        bounds = None if within is None else str(within)
        print_json({"library": str(folder), "bounds": bounds, "slope_bounds": slopes})
        return
    echo(f"Made: {escape_line(str(folder))}")
    if slopes is not None:
        low, high = map(slope_text, slopes)
        echo(f"Bounds: {within}, which allow slopes from {low} to {high}.")
