"""Changes that were meant for another state of affairs than the present one."""

from __future__ import annotations

from rocch.errors import InputError


class ConflictError(InputError):
    """A change that was meant for another state of affairs than the present one."""


def conflict(argument: str, must: str, came: str, do: str) -> ConflictError:
    """Build the house's message for a change that comes too late, or twice and not the same."""
    error = ConflictError(f"{argument} must {must}; got {came}. {do}")
    error.argument = argument
    return error
