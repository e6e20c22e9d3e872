"""`rocch library prune`: keep fewer classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import (
    QuestionCommand,
    bounds_options,
    by_option,
    folder_argument,
    json_option,
)
from rocch.cli.output import echo

if TYPE_CHECKING:
    from pathlib import Path

    from rocch.roc.conditions import Conditions


@click.command("prune", cls=QuestionCommand)
@folder_argument
@click.argument("names", nargs=-1, metavar="[NAME]...")
@bounds_options
@click.option("--ties", is_flag=True, help="Keep the fewest classifiers that hold every vertex.")
@by_option
@json_option
def command(
    folder: Path,
    names: tuple[str, ...],
    within: Conditions | None,
    ties: bool,
    by: str | None,
    as_json: bool,
) -> None:
    """Keep fewer classifiers in the library in DIR.

    NAMEs are removed, on the hull or not; what they once drove out does not come back. Bounds on
    conditions hold from now on: classifiers that are best only outside them leave.

    \b
    Example:
      rocch library prune churn lda
      rocch library prune churn --prevalence 0.05..0.2 --false-positive 1 --false-negative 5..50
      rocch library prune churn --ties
    """
    from rocch.cli.render import print_json
    from rocch.library.library import ClassifierLibrary

    if not (names or within is not None or ties):
        raise click.UsageError(
            "say what to remove: NAMEs, bounds (--prevalence, --false-positive, "
            "--false-negative) or --ties."
        )
    with ClassifierLibrary(folder) as library:
        left = library.prune(*names, within=within, ties=ties, by=by)
        kept = len(library)
    if as_json:
        print_json({"left": left, "kept": kept})
    else:
        echo(f"Left: {', '.join(left) or 'nobody'}; {kept} kept.")
