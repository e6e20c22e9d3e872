"""The `rocch` command. Subcommands are loaded when used, so that help appears at once."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from difflib import get_close_matches
from importlib import import_module
from io import UnsupportedOperation
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from rocch import __version__
from rocch.cli.output import echo, print_json
from rocch.errors import InfeasibleError, RocchError, Vocabulary, escape_controls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_format_warning = warnings.formatwarning

# Statuses to end with besides 0 and click's 2 for bad input; the last two are what shells use.
UNEXPECTED, UNWRITABLE, INFEASIBLE, INTERRUPTED, UNREAD = 1, 2, 3, 130, 141

# Where each command is, and what it is for.
COMMANDS = {
    "auc": (
        "rocch.cli.statistics:auc",
        "Show AUCs with intervals, and test their differences.",
    ),
    "assign": ("rocch.cli.assign:assign", "Predict by least expected cost, from probabilities."),
    "best": ("rocch.cli.binary:best", "Say which classifier and threshold to use."),
    "completion": ("rocch.cli.main:completion", "Print the script for shell completion."),
    "compare": (
        "rocch.cli.compare:compare",
        "Say who loses less, for how much of what you believe.",
    ),
    "demo": (
        "rocch.cli.demo:demo",
        "Train classifiers on real data and decide three questions.",
    ),
    "hull": ("rocch.cli.binary:hull", "Show the ROC convex hull: who wins where."),
    "library": (
        "rocch.cli.library:library",
        "Keep the classifiers that may still be optimal.",
    ),
    "power": (
        "rocch.cli.statistics:power",
        "Find how many rows a study needs, or its power.",
    ),
    "refer": ("rocch.cli.refer:refer", "Say which cases to decide, and which to refer."),
    "report": ("rocch.cli.report:report", "Write a page to look at, and to steer."),
    "serve": ("rocch.cli.serve:serve", "Serve decisions over HTTP."),
    "surface": (
        "rocch.cli.surface:surface",
        "Search the ROC surface of many classes: what trades off with what.",
    ),
}


# ---- errors, worded by the options of a command --------------------------------------------------

# The parameters that an argument of Python may come from, where the names differ. The first one
# that the command has is the one.
PARAMETERS = {
    "X": ("file", "files"),
    "columns": ("file", "files"),
    "default": ("default_cost",),
    "estimators": ("models", "model"),
    "folds": ("fold",),
    "frame": ("files",),
    "name": ("names",),
    "parameters": ("parameter",),
    "path": ("folder", "files"),
    "pos_label": ("positive",),
    "row_ids": ("row",),
    "sample_weight": ("weight",),
    "tags": ("tag",),
    "trusted": ("trust",),
    "y": ("label",),
    "y_true": ("label",),
}

# What comes from several options together.
WORDS = {
    "classifiers": "the classifiers",
    "costs": "the costs",
    "names": "the names",
    "question": "the question",
    "within": "the bounds",
    "y_proba": "the probabilities",
}


class NoChoice(click.ClickException):
    """Nothing on offer keeps the limits."""

    exit_code = INFEASIBLE


class CommandLine(Vocabulary):
    """The words of one command: its options, and its arguments in capitals."""

    surface = "cli"

    def __init__(self, parameters: Sequence[click.Parameter]) -> None:
        self._parameters = {each.name: each for each in parameters}

    def name(self, argument: str) -> str:
        """Return the option that an argument's value comes from."""
        if argument in WORDS:
            return WORDS[argument]
        found = self._find(argument)
        if found is not None:
            return _written(found)
        return argument.replace("_", " ") if argument.isidentifier() else argument

    def entry(self, argument: str, key: str) -> str:
        """Return the column of a classifier."""
        if argument == "scores":
            return f"column {key}"
        return self.name(argument) if argument == "y_proba" else f"{self.name(argument)} {key}"

    def setting(self, argument: str, value: object) -> str:
        """Return the option with its value, ready to be pasted."""
        name, found = self.name(argument), self._find(argument)
        if isinstance(found, click.Option) and found.is_flag and not value:
            return f"no {name}"
        if isinstance(value, bool):
            return name
        values = value if isinstance(value, list) else [value]
        return " ".join(f"{name} {shlex.quote(self.value(each))}" for each in values)

    def interval(self, low: str, high: str) -> str:
        """Return an interval as it is typed."""
        return f"{low}..{high}"

    def value(self, value: object) -> str:
        """Return a value as it is typed."""
        return str(value).lower() if isinstance(value, bool) else super().value(value)

    def _find(self, argument: str) -> click.Parameter | None:
        candidates = (argument, *PARAMETERS.get(argument, ()))
        return next((self._parameters[n] for n in candidates if n in self._parameters), None)


def _written(parameter: click.Parameter) -> str:
    if isinstance(parameter, click.Argument):
        return parameter.human_readable_name.strip("[].")
    return max(parameter.opts, key=len)


def as_click_error(error: RocchError, command: click.Command | None) -> click.ClickException:
    """Return an error as the command line reports it."""
    message = error.to_text(CommandLine(command.params if command else ()))
    return NoChoice(message) if isinstance(error, InfeasibleError) else click.UsageError(message)


class LazyGroup(click.Group):
    """A group that imports a command's module only to run it or to show its own help.

    Parameters
    ----------
    targets
        For each command where it is, as "module:attribute", and what it is for in one line.
    """

    def __init__(
        self, *arguments: Any, targets: Mapping[str, tuple[str, str]], **settings: Any
    ) -> None:
        super().__init__(*arguments, **settings)
        self.targets = {name: target for name, (target, _) in targets.items()}
        self.purposes = {name: purpose for name, (_, purpose) in targets.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands."""
        return sorted(self.purposes)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Load one command."""
        if name not in self.purposes:
            return None
        module, _, attribute = self.targets[name].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; where there is none, name the one that was probably meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.purposes, n=1)
            if not near:
                raise
            message = f"No such command {args[0]!r}. Did you mean {near[0]!r}?"
            raise click.UsageError(message, error.ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; word errors that users can meet with the command's own options."""
        try:
            return super().invoke(ctx)
        except RocchError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            raise as_click_error(error, command) from None

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self.purposes.items()))


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
    targets=COMMANDS,
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


# The variable by which a shell asks for what completes a line.
COMPLETE = "_ROCCH_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def completion(shell: str, as_json: bool) -> None:
    """Print the script that lets SHELL complete commands, options and columns.

    Let the shell read it when it starts: the first example goes into ~/.bashrc, the file of the
    second is sourced in ~/.zshrc.

    \b
    Example:
      eval "$(rocch completion bash)"
      rocch completion zsh > ~/.rocch-completion.zsh
      rocch completion fish > ~/.config/fish/completions/rocch.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    if kind is None:  # pragma: no cover - click knows all three
        raise click.UsageError(f"there is no completion for {shell}.")
    script = kind(cli, {}, "rocch", COMPLETE).source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script, nl=False)


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
    whoever closed it would otherwise take no output for a result.
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
    """Write our own warnings as messages; text from data in any cannot steer the terminal."""
    from rocch.errors import RocchWarning

    if issubclass(category, RocchWarning):
        return f"rocch: {escape_controls(_in_one_line(str(message)))}\n"
    return escape_controls(_format_warning(message, category, filename, lineno, line))


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
