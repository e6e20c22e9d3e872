"""Progress of long work: one line in terminals and notebooks, one line at the end in logs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from time import monotonic
from typing import Any, TypeAlias

from rocch.errors import Hint, InputError, describe_type

# How much to tell: 0 is nothing, 1 a line, and a function gets what is done and the total.
Verbose: TypeAlias = bool | int | Callable[[int, int], object]

# Seconds between two updates, and letters of a bar.
PAUSE, WIDTH = 0.1, 24


class Progress:
    """Work that is done step by step; call it with what is done and the total."""

    def __init__(self, report: Callable[[int, int], object], total: int = 0) -> None:
        self._report, self.done, self.total = report, 0, total

    def __call__(self, done: int, total: int) -> None:
        """Report how much is done."""
        self.done, self.total = done, total
        self._report(done, total)

    def advance(self, steps: int = 1) -> None:
        """Report that more steps are done."""
        self(min(self.done + steps, self.total), self.total)


@contextmanager
def track(what: str, verbose: Verbose, total: int = 0) -> Iterator[Progress]:
    """Show progress while the work inside goes on.

    Parameters
    ----------
    what
        What is being done, such as "Fitting models".
    verbose
        0 shows nothing. 1 shows a line on standard error, which is rewritten in terminals and
        notebooks; elsewhere it is written once, at the end. A function is called with what is done
        and the total.
    total
        How many steps there are, if that is known.
    """
    if callable(verbose):
        yield Progress(verbose, total)
        return
    if not isinstance(verbose, int) or verbose < 0:
        raise InputError(
            "verbose",
            "be 0, 1, or a function of two numbers, done and total",
            repr(verbose) if isinstance(verbose, int | str) else describe_type(verbose),
            Hint("For example: verbose=1."),
        )
    if not verbose:
        yield Progress(lambda _done, _total: None, total)
        return
    line = _Line(what, _find_screen())
    progress = Progress(line.update, total)
    line.update(0, total)
    try:
        yield progress
    except BaseException:
        line.end(f"stopped after {_count(progress.done, progress.total)}")
        raise
    line.end(f"{progress.done:,} done" if progress.done else "done")


class _Line:
    """A line about some work, which is rewritten while it goes on."""

    def __init__(self, what: str, screen: _Screen) -> None:
        self._what, self._screen = what, screen
        self._start = self._shown = monotonic()
        self._shown -= PAUSE

    def update(self, done: int, total: int) -> None:
        now = monotonic()
        if now - self._shown < PAUSE:
            return
        self._shown = now
        share = done / total if total else 0.0
        bar = ("█" * round(WIDTH * share)).ljust(WIDTH, "░")
        left = (now - self._start) * (1 / share - 1) if share else 0.0
        rest = f", {_duration(left)} left" if share and left >= 1 else ""
        self._screen.show(f"{self._what} {bar} {_count(done, total)}{rest}")

    def end(self, how: str) -> None:
        self._screen.end(f"{self._what}: {how} in {_duration(monotonic() - self._start)}")


class _Screen:
    """A log, which gets the last line alone."""

    def show(self, text: str) -> None:
        """Show a line in place of the one before."""

    def end(self, text: str) -> None:
        """Write the last line."""
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


class _Terminal(_Screen):
    """A terminal, whose line is written over."""

    def __init__(self) -> None:
        self._length = 0

    def show(self, text: str) -> None:
        sys.stderr.write(f"\r{text.ljust(self._length)}")
        sys.stderr.flush()
        self._length = len(text)

    def end(self, text: str) -> None:
        self.show(text)
        sys.stderr.write("\n")
        sys.stderr.flush()


class _Notebook(_Screen):
    """An output of a notebook that is replaced."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display = display
        self._handle: Any = None

    def show(self, text: str) -> None:
        bundle = {"text/plain": text}
        if self._handle is None:
            self._handle = self._display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    end = show


def _find_screen() -> _Screen:
    """Return where progress is shown: a notebook, a terminal, or a log."""
    python = sys.modules.get("IPython")
    if python is not None and hasattr(python.get_ipython(), "kernel"):
        return _Notebook(import_module("IPython.display").display)
    return _Terminal() if sys.stderr.isatty() else _Screen()


def _count(done: int, total: int) -> str:
    return f"{done:,} of {total:,}" if total else f"{done:,}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
