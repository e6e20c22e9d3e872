"""The `rocch` command. Subcommands are loaded when used, so that help answers at once."""

from __future__ import annotations

import os
import sys
import warnings
from io import UnsupportedOperation
from typing import Any, NoReturn, TextIO

import click

from rocch import __version__
from rocch.cli.lazy_group import LazyGroup
from rocch.cli.terminal import echo
from rocch.errors import escape_controls

_format_warning = warnings.formatwarning

# Statuses to end with besides 0, click's 2 for bad input and 3 where no choice meets the limits;
# the last two are what shells use.
UNEXPECTED, UNWRITABLE, INTERRUPTED, UNREAD = 1, 2, 130, 141
COMMANDS = {
    "assign": "Answer rows by least expected cost, from posteriors.",
    "best": "Say which classifier and threshold to use.",
    "completion": "Print the script for shell completion.",
    "compare": "Say who loses less, for how much of what you believe.",
    "demo": "Train classifiers on real data and answer three questions.",
    "hull": "Show the ROC convex hull: who wins where.",
    "library": "Keep the classifiers that may still be optimal.",
    "report": "Write a page to look at, and to steer.",
    "serve": "Serve decisions over HTTP.",
    "surface": "Search the ROC surface of many classes: what trades off with what.",
}


class Rocch(LazyGroup):
    """The commands, and what happens where nobody reads what they print."""

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Read the command line; --help and --version print and end here."""
        try:
            return super().make_context(*given, **more)
        except BrokenPipeError:
            raise _unread() from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, where it can still be seen that nobody reads it
        except BrokenPipeError:
            raise _unread() from None
        return result


def _unread() -> click.exceptions.Exit:
    """Return the end of a command whose output nobody reads any more."""
    _forget(sys.stdout)
    return click.exceptions.Exit(UNREAD)


def _forget(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that closing the stream does not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@click.group(
    cls=Rocch,
    package="rocch.cli",
    purposes=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)
@click.version_option(__version__, prog_name="rocch")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Pick and run classifiers when costs and class balance are known only roughly.

    \b
    Example:
      rocch best scores.csv --label y --negatives-per-positive 5 \\
          --false-positive 10..20 --false-negative 200..250
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main() -> None:
    """Run the command line, and end with a status that says how it went."""
    warnings.formatwarning = _visible_warning
    _replace_closed_outputs()
    try:
        status = cli.main(prog_name="rocch", standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        _end("interrupted", INTERRUPTED)
    except click.ClickException as error:
        _end(error.format_message(), error.exit_code)
    except Exception as error:
        problem = _output_problem(error)
        if problem is not None:
            _end(f"standard output cannot be written: {problem}.", UNWRITABLE)
        if os.environ.get("ROCCH_DEBUG"):
            raise
        text = f"{type(error).__name__}: {error}".rstrip(": ")
        advice = "Set ROCCH_DEBUG=1 to see where it happened."
        _end(f"unexpected failure, {_in_one_line(text)}. {advice}", UNEXPECTED)
    sys.exit(status or 0)  # click returns the status of what ended early


def _end(message: str, status: int) -> NoReturn:
    """Say in one line why the command ends; a stream that takes nothing does not change the end."""
    try:
        echo(f"rocch: {_in_one_line(message)}", err=True)
    except OSError:
        _forget(sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        _forget(sys.stdout)
    sys.exit(status)


def _replace_closed_outputs() -> None:
    """Replace closed streams, for which Python has None.

    What is printed on standard error is lost. On standard output it fails, as it does elsewhere:
    who closed it would otherwise take nothing for an answer.
    """
    if sys.stdout is None:
        unwritable = os.open(os.devnull, os.O_RDONLY)
        sys.stdout = open(unwritable, "w", encoding="utf-8")  # noqa: SIM115 - for good
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for good


def _output_problem(error: Exception) -> str | None:
    """Return why standard output takes nothing more, if that is what an error comes from.

    Errors of streams name no file, so an empty line is written to see whether this one fails.
    """
    if not isinstance(error, OSError) or error.filename is not None:
        return None
    try:
        os.write(sys.stdout.fileno(), b"\n")
    except UnsupportedOperation:  # it is no file
        return None
    except OSError as problem:
        return problem.strerror or str(problem)
    return None


def _visible_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, line: Any = None
) -> str:
    """Write a warning as Python does; text from data in it cannot steer the terminal."""
    return escape_controls(_format_warning(message, category, filename, lineno, line))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
