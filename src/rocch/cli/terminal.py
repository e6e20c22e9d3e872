"""Lines for the terminal."""

from __future__ import annotations

import click

from rocch.errors import escape_controls


def echo(text: str, *, err: bool = False) -> None:
    """Print a line, on standard output or standard error; names in it cannot steer the terminal."""
    click.echo(escape_controls(text), err=err)
