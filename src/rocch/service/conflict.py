"""Changes that were meant for another state of affairs than the present one."""

from __future__ import annotations

from rocch.errors import InputError


class ConflictError(InputError):
    """A change that was meant for another state of affairs than the present one."""
