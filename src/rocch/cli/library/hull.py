"""`rocch library hull`: who wins where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.library.options import folder_argument
from rocch.cli.options import json_option, plot_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command("hull")
@folder_argument
@plot_option
@json_option
def command(folder: Path, plot: Path | None, as_json: bool) -> None:
    """Show the ROC convex hull of the library in DIR: who wins where.

    \b
    Example:
      rocch library hull churn
      rocch library hull churn --plot hull.png
    """
    from rocch.cli.binary import show_hull
    from rocch.cli.render import check_picture
    from rocch.library.library import ClassifierLibrary

    if plot:
        check_picture(plot)
    with ClassifierLibrary(folder) as library:  # open, because a picture reads the curves
        show_hull(library.hull, plot=plot, as_json=as_json)
