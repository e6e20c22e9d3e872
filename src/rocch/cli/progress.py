"""Progress on standard error, on a terminal only; elsewhere nothing is shown."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rocch.errors import escape_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Step = Callable[[int, int], None]

WANTED = "rocch.progress"


def remember(context: click.Context, _: click.Parameter, wanted: bool | None) -> None:
    """Keep the choice where `working` finds it, so that no command has to pass it on."""
    context.meta[WANTED] = wanted


def is_shown() -> bool:
    """Whether to show progress: as chosen, or else on a terminal and without JSON."""
    context = click.get_current_context(silent=True)
    wanted: bool | None = None if context is None else context.meta.get(WANTED)
    if wanted is not None:
        return wanted
    as_json = context is not None and bool(context.params.get("as_json"))
    return sys.stderr.isatty() and not as_json


@contextmanager
def working(what: str) -> Iterator[Step]:
    """Show what is being done; the function that it yields takes how far the work has got.

    As long as the end is not known there is a spinner. It goes away when the work is done.
    """
    with _bar(what) as update:
        yield lambda done, total: update(completed=done, total=total or None)


class Passes:
    """Passes over a table: which it is, and how far it has got."""

    def __init__(self, what: str, update: Callable[..., None]) -> None:
        self._what, self._update = what, update

    def within(self, share: float) -> None:
        """Show which share of the present pass is done."""
        self._update(completed=share, total=1.0)

    def finished(self, work: Any) -> None:
        """Show that a pass is done, by what the work has come to."""
        passes = "1 pass" if work.passes == 1 else f"{work.passes} passes"
        text = f"{self._what}: {passes} over {work.rows:,} rows done"
        self._update(completed=0, total=None, description=text)


@contextmanager
def passing(what: str) -> Iterator[Passes]:
    """Show passes over a table, of which it is not known how many there will be."""
    with _bar(what) as update:
        yield Passes(what, update)


@contextmanager
def _bar(what: str) -> Iterator[Callable[..., None]]:
    """Yield what changes a bar that is shown for as long as the work takes."""
    if not is_shown():
        yield lambda **_: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=console.is_terminal) as bars:
        task = bars.add_task(escape(escape_line(what)), total=None)

        def update(**changed: Any) -> None:
            if "description" in changed:
                changed["description"] = escape(escape_line(changed["description"]))
            bars.update(task, **changed)

        yield update
