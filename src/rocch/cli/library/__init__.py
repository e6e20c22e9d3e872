"""`rocch library`: the persistent collection of classifiers, one file for each command."""

from rocch.cli.library.group import command

__all__ = ["command"]
