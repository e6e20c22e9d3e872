"""A group of commands that are loaded when used, so that help answers at once."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from rocch.cli.vocabulary import as_click_error
from rocch.errors import RocchError

if TYPE_CHECKING:
    from collections.abc import Mapping


class LazyGroup(click.Group):
    """A group that imports a command's module only to run it or to show its own help.

    Parameters
    ----------
    package
        Where the modules are; each is called as its command is and has it as `command`.
    purposes
        The commands, and what each is for in one line.
    """

    def __init__(
        self, *arguments: Any, package: str, purposes: Mapping[str, str], **settings: Any
    ) -> None:
        super().__init__(*arguments, **settings)
        self.package = package
        self.purposes = purposes

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names of the commands."""
        return sorted(self.purposes)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:  # noqa: ARG002
        """Load one command."""
        if name not in self.purposes:
            return None
        command: click.Command = import_module(f"{self.package}.{name}").command
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
