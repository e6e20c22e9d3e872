"""`rocch demo`: the main job in one command."""

from __future__ import annotations

from pathlib import Path

import click

from rocch.cli.options import json_option, output_option, progress_option


@click.command("demo")
@output_option(
    "Folder for the picture and the result file.",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("rocch-demo"),
    show_default=True,
)
@json_option
@progress_option
def command(output: Path, as_json: bool) -> None:
    """Train classifiers on real data, build their hull, and answer three questions.

    Uses the breast cancer data that come with scikit-learn: 569 biopsies, 212 malignant. Half of
    them train five classifiers, the other half judges them. Writes a picture (if matplotlib is
    installed) and a result file.

    \b
    Example:
      rocch demo
      rocch demo --output somewhere
    """
    from rocch.cli import render
    from rocch.cli.demo_study import run

    study = run()
    files = study.write(output)
    if as_json:
        render.print_json({**study.document(), "files": [str(file) for file in files]})
    else:
        study.show(files)
