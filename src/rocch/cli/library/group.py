"""`rocch library`: the group of its commands."""

from __future__ import annotations

import click

from rocch.cli.main import LazyGroup

COMMANDS = {
    "add": "Add classifiers: by their scores, or a saved model.",
    "backup": "Copy a library, while others may be adding to it.",
    "best": "Say which classifier and threshold to use.",
    "compact": "Give back disk space.",
    "export": "Write a deployable hybrid.",
    "hull": "Show the hull: who wins where.",
    "init": "Make a new library.",
    "list": "List the classifiers, and where each is best.",
    "log": "Show the history: what grew the hull, and what it drove out.",
    "prune": "Keep fewer classifiers.",
    "show": "Show one classifier.",
    "verify": "Check everything, and remove what interrupted additions left.",
}


@click.group(
    "library",
    cls=LazyGroup,
    targets={
        name: (f"rocch.cli.library.{name}:command", purpose) for name, purpose in COMMANDS.items()
    },
    invoke_without_command=True,
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Keep the classifiers that may still be optimal, for months and many processes.

    A library is a folder on a local disk. Each addition either extends the hull, and may drive
    older classifiers out, or is nowhere the best on these rows and is discarded.

    \b
    Example:
      rocch library init churn
      rocch library add churn scores.csv --label y
      rocch library best churn --prevalence 0.1 --false-positive 1 --false-negative 9
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
