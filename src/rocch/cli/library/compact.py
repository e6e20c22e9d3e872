"""`rocch library compact`: give back disk space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import folder_argument, json_option
from rocch.cli.output import echo

if TYPE_CHECKING:
    from pathlib import Path


@click.command("compact")
@folder_argument
@json_option
def command(folder: Path, as_json: bool) -> None:
    """Give back space of the library in DIR: old exports, loose files, free pages.

    The newest export stays. The classifiers, the hull and the history are not touched.

    \b
    Example:
      rocch library compact churn
    """
    from rocch.cli.render import print_json
    from rocch.library.library import ClassifierLibrary

    with ClassifierLibrary(folder) as library:
        done = library.compact()
    if as_json:
        print_json({name: getattr(done, name) for name in done.__slots__})
    else:
        echo(
            f"{done.before} bytes before, {done.after} after; "
            f"{done.exports_dropped} old export(s) dropped."
        )
