"""`rocch library backup`: a copy, while others may be adding."""

from __future__ import annotations

from pathlib import Path

import click

from rocch.cli.options import folder_argument, json_option


@click.command("backup")
@folder_argument
@click.argument("target", type=click.Path(path_type=Path, readable=False))
@json_option
def command(folder: Path, target: Path, as_json: bool) -> None:
    """Copy the library in DIR to the new folder TARGET, while others may be adding to it.

    The copy is the library as it was at one moment, and is itself a library.

    \b
    Example:
      rocch library backup churn churn-copy
    """
    from rocch.cli.render import print_json, print_written
    from rocch.library.library import ClassifierLibrary

    with ClassifierLibrary(folder) as library:
        written = library.backup(target)
    if as_json:
        print_json({"library": str(folder), "target": str(written)})
    else:
        print_written(written)
