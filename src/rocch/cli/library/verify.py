"""`rocch library verify`: check everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import folder_argument, json_option
from rocch.cli.output import echo

if TYPE_CHECKING:
    from pathlib import Path

UNSOUND = 1


@click.command("verify")
@folder_argument
@json_option
@click.pass_context
def command(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Check the library in DIR, and remove what interrupted additions left behind.

    The record, every file against its digest, and the hull against the curves are checked. The
    status is 1 if something is damaged.

    \b
    Example:
      rocch library verify churn
    """
    from rocch.cli.render import print_json
    from rocch.library.library import ClassifierLibrary

    with ClassifierLibrary(folder) as library:
        found = library.verify()
    if as_json:
        document = {"sound": found.sound, "problems": found.problems, "cleaned": found.cleaned}
        print_json(document)
    else:
        echo(str(found))
    if not found.sound:
        ctx.exit(UNSOUND)
