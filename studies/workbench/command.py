"""What every study's command line has in common."""

from __future__ import annotations

import inspect
import shutil
import tempfile
import time
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from studies.workbench.study import ROOT, Study
from studies.workbench.tables import DataError, Source

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)


def study_command(name: str, page: str) -> Callable[[Callable[[Study], None]], click.Command]:
    """Make a function of a study a command with the options that all studies have."""

    def decorate(run: Callable[[Study], None]) -> click.Command:
        @click.command(name=name, help=inspect.getdoc(run))
        @click.option(
            "--data",
            type=FOLDER,
            default=ROOT.parent / "shared" / "data",
            help="Folder of CSV files, the class last. Default: shared/data beside the clone.",
        )
        @click.option("--fetch", is_flag=True, help="Load the data from OpenML instead.")
        @click.option(
            "--quick", is_flag=True, help="Seconds, on data that scikit-learn ships, to try it."
        )
        @click.option(
            "--work",
            type=FOLDER,
            default=ROOT / "studies" / ".kept",
            help="Folder to keep results in, from which a stopped run goes on. Default: "
            "studies/.kept.",
        )
        @click.option(
            "--page",
            "to",
            type=FILE,
            help=f"Page to write. Default: docs/studies/{page}; beside the kept results with "
            "--quick, --fetch, or data other than that page is about.",
        )
        @click.option("--fresh", is_flag=True, help="Forget what earlier runs of this kind kept.")
        @click.option(
            "--jobs",
            type=click.IntRange(min=1),
            default=2,
            show_default=True,
            help="Processes that share the work.",
        )
        @wraps(run)
        def command(
            data: Path,
            fetch: bool,
            quick: bool,
            work: Path,
            to: Path | None,
            fresh: bool,
            jobs: int,
        ) -> None:
            if quick and fetch:
                raise click.UsageError("--quick and --fetch exclude each other; leave one out.")
            started = time.monotonic()
            study = Study(name, Source(data, fetch), work, to or Path(page), quick, jobs)
            if to is None:
                own = ROOT / "docs" / "studies" if study.as_written else study.kept
                study = replace(study, page=own / page)
            if fresh:
                shutil.rmtree(study.kept, ignore_errors=True)
            _run(run, study)
            minutes = (time.monotonic() - started) / 60
            click.echo(f"Written: {study.page} ({minutes:.1f} minutes)")

        return command

    return decorate


def _run(run: Callable[[Study], None], study: Study) -> None:
    """Run a study; what goes wrong ends in one sentence that says what to do."""
    _check_writable(study.kept, "--work")
    _check_writable(study.page.parent, "--page")
    try:
        run(study)
    except DataError as error:
        raise click.UsageError(str(error)) from None
    except KeyboardInterrupt:
        click.echo("What is done is kept: the same command goes on from here.", err=True)
        raise click.Abort from None


def _check_writable(folder: Path, option: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise click.UsageError(
            f"{option} must be where files can be written; {str(folder)!r}: {error.strerror}."
        ) from None
