"""Progress on standard error, on a terminal only; elsewhere nothing is shown."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Step = Callable[[int, int], None]

ASKED = "rocch.progress"


def remember(context: click.Context, _: click.Parameter, asked: bool | None) -> None:
    """Keep what was asked for where `working` finds it, so that no command has to pass it on."""
    context.meta[ASKED] = asked


def is_shown() -> bool:
    """Say whether progress is to be shown: as asked for, else on a terminal and without JSON."""
    context = click.get_current_context(silent=True)
    asked: bool | None = None if context is None else context.meta.get(ASKED)
    if asked is not None:
        return asked
    as_json = context is not None and bool(context.params.get("as_json"))
    return sys.stderr.isatty() and not as_json


@contextmanager
def working(what: str) -> Iterator[Step]:
    """Show what is being done; the function that it yields is told how far it has got.

    As long as the end is not known there is a spinner. It goes away when the work is done.
    """
    if not is_shown():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=console.is_terminal) as bars:
        task = bars.add_task(escape(what), total=None)

        def step(done: int, total: int) -> None:
            bars.update(task, completed=done, total=total or None)

        yield step
