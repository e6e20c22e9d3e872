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
from rocch.errors import InfeasibleError, InputError, RocchError, UntrustedError, escape_controls

_format_warning = warnings.formatwarning

UNEXPECTED, UNWRITABLE, INFEASIBLE, INTERRUPTED, UNREAD = 1, 2, 3, 130, 141
"""Statuses to end with besides 0 and click's 2 for bad input; the last two are what shells use."""
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


OPTIONS = {
    "false_positive": "--false-positive",
    "false_negative": "--false-negative",
    "true_positive": "--true-positive",
    "true_negative": "--true-negative",
    "false_positive, false_negative": "--false-positive, --false-negative",
    "low": "--cost-ratio",
    "high": "--cost-ratio",
    "cost_ratio": "--cost-ratio",
    "inverse_cost_ratio": "--inverse-cost-ratio",
    "likely": "--likely",
    "prevalence": "--prevalence",
    "negatives_per_positive": "--negatives-per-positive",
    "max_fpr": "--max-fpr",
    "min_tpr": "--min-tpr",
    "cases": "--capacity",
    "cases, positives, negatives": "--capacity, --positives, --negatives",
    "capacity": "--capacity",
    "population": "--population",
    "capacity, population": "--capacity, --population",
    "belief": "--cost-ratio",
    "resamples": "--resamples",
    "folds": "--fold",
    "positives": "--positives",
    "negatives": "--negatives",
    "positives, negatives": "--positives, --negatives",
    "max_share": "--max-share",
    "metric": "--maximize",
    "maximize": "--maximize",
    "pos_label": "--positive",
    "y_true": "--label",
    "costs": "the costs",
    "default": "--default-cost",
    "priors": "--priors",
    "trained_priors": "--trained-priors",
    "priors, trained_priors": "--priors, --trained-priors",
    "limits": "--limit",
    "generations": "--generations",
    "draws": "--draws",
    "tolerance": "--tolerance",
    "patience": "--patience",
    "seed": "--seed",
    "sample_weight": "--weight",
    "label": "--label",
    "label, pos_label": "--label, --positive",
    "scores": "--scores",
    "weight": "--weight",
    "by": "--by",
    "frame": "FILE",
    "drop_nulls": "--drop-nulls",
    "columns": "FILE",
    "memory_limit": "--memory-limit",
    "path": "DIR",
    "name": "NAME",
    "names": "the names",
    "target": "TARGET",
    "within": "the bounds",
    "row_ids": "--row",
    "allow_different_rows": "--allow-different-rows",
    "parameters": "--parameter",
    "y": "--label",
    "X": "FILE",
    "estimators": "--model",
}
"""Which option an argument's value came from."""


IN_PYTHON = {
    "Pass costs.middle();": "Name one number for each;",
    "y_proba['the model']": "the posteriors",
    "For example: 10, or (10, 20).": "For example: 10, or 10..20.",
    "For example: 0.1, or (0.1, 0.2).": "For example: 0.1, or 0.1..0.2.",
    "fix another unit: belief.with_unit(sum_of_costs=1).": "give the other cost as the unit.",
    "that occurs in y_true": "that occurs in the column of --label",
    "Add them as (truth, prediction), or pass default= for all others.": (
        "State them with --cost, truth first, or all others with --default-cost."
    ),
    "Pass {('cat', 'dog'): 3.0, ...} with (truth, prediction), a table with the columns truth, "
    "prediction and cost, or a square frame that says what its rows are: "
    "frame.rename_axis(index='truth'), or a column 'truth' with the names.": (
        "Name the columns truth, prediction and cost, or the first column of a square table truth."
    ),
    "If they are rounded, divide each row by its sum; other scores need a calibration.": (
        "Are all classes named (--classes)? If they are rounded, divide each row by its sum; other "
        "scores need a calibration."
    ),
    "objectives='misses', ": "--objectives misses, or ",
    "objectives='misses'": "--objectives misses",
    "objectives='rates'": "--objectives rates",
    "Make one with ClassifierLibrary.create(path), or rocch library init.": (
        "Make one with rocch library init."
    ),
    "it was saved; or, if you trust": "it was saved (--digest); or, if you trust",
    "Ask within these bounds, or a hull without them.": (
        "Ask within them; a library's bounds cannot be widened, so for more begin a new library "
        "without them."
    ),
    "Ask a hull without bounds.": "For that, begin a new library without bounds.",
    "rocch.multiclass.assign for known costs, or rocch.multiclass.best_classifier to choose among "
    "several classifiers at "
    "known costs.": "rocch assign if costs are known.",
}
"""Advice that makes sense in Python alone, and what to say instead."""


class Rocch(LazyGroup):
    """The commands, and how errors that users can meet come out."""

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        """Read the command line; --help and --version print and end here."""
        try:
            return super().make_context(*given, **more)
        except BrokenPipeError:
            raise _unread() from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; turn errors that users can meet into one clear line."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()  # here, where it can still be seen that nobody reads it
        except InfeasibleError as error:
            raise NoChoice(_as_typed(error)) from None
        except RocchError as error:
            raise click.UsageError(_as_typed(error)) from None
        except BrokenPipeError:
            raise _unread() from None
        return result


class NoChoice(click.ClickException):
    """Nothing on offer keeps the limits that were asked for."""

    exit_code = INFEASIBLE


def _unread() -> click.exceptions.Exit:
    """Return the end of a command whose output nobody reads any more."""
    _forget(sys.stdout)
    return click.exceptions.Exit(UNREAD)


def _forget(stream: TextIO) -> None:
    """Send what is still buffered nowhere, so that closing the stream does not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _as_typed(error: RocchError) -> str:
    """Return the message with the option's name where Python users see the argument's."""
    if isinstance(error, UntrustedError):
        message = error.typed
    elif isinstance(error, InputError):
        message = error.to_text(_option_of)
    else:
        message = str(error)
    for python, typed in IN_PYTHON.items():
        message = message.replace(python, typed)
    return message


def _option_of(argument: str) -> str:
    """Return the option that an argument's value came from."""
    if argument.startswith("scores["):
        return f"column {argument[7:-1]}"
    return OPTIONS.get(argument, argument)


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
        said = f"{type(error).__name__}: {error}".rstrip(": ")
        advice = "Set ROCCH_DEBUG=1 to see where it happened."
        _end(f"unexpected failure, {_in_one_line(said)}. {advice}", UNEXPECTED)
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
