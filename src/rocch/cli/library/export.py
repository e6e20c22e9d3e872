"""`rocch library export`: a deployable hybrid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocch.cli.options import (
    by_option,
    folder_argument,
    json_option,
    note_option,
    output_option,
    trust_option,
)
from rocch.cli.output import echo
from rocch.errors import escape_line

if TYPE_CHECKING:
    from pathlib import Path


@click.command("export")
@folder_argument
@output_option("Where to write a copy, for rocch.load; the library keeps the file in any case.")
@click.option(
    "--scores",
    is_flag=True,
    help="Decide on precomputed scores.  [default: if no classifier came with its model]",
)
@note_option
@by_option
@trust_option
@json_option
def command(
    folder: Path,
    output: Path | None,
    scores: bool,
    note: str,
    by: str | None,
    trust: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write a hybrid of the fewest classifiers of the library in DIR that hold every vertex.

    It becomes the library's current export. rocch.load reads it; check it by its digest.

    \b
    Example:
      rocch library export churn -o churn.rocch --note 'after the spring campaign'
    """
    from rocch.cli.render import print_json, print_written
    from rocch.files import check_place, is_stream
    from rocch.library.library import ClassifierLibrary

    if output is not None:
        check_place(output, "--output")
        if is_stream(output):
            raise click.UsageError("--output must be a file; a hybrid is not written to a stream.")
    with ClassifierLibrary(folder) as library:
        done = library.export(output, scores=scores, note=note, by=by, trusted=trust)
    if as_json:
        listed = {name: getattr(done, name) for name in done.__slots__}
        written = None if output is None else str(output)
        print_json({**listed, "path": str(done.path), "output": written})
        return
    echo(f"Export {done.version} of {', '.join(done.classifiers)}")
    echo(f"SHA-256: {done.sha256}")
    echo(f"Kept as: {escape_line(str(done.path))}")
    print_written(output)
