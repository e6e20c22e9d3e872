"""The parameters of a query: known ones only, each given once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.errors import InputError, unknown_option
from rocch.inputs import find_duplicates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request


def read_query(request: Request, known: Sequence[str]) -> dict[str, str]:
    """Return the parameters of a query; refuse unknown ones, and those given twice."""
    pairs = request.query_params.multi_items()
    twice = find_duplicates(name for name, _ in pairs)  # in linear time: there may be thousands
    if twice:
        raise InputError(twice[0][:80], "be given once", "several", "Leave one out.")
    for name, _ in pairs:
        if name not in known:
            raise unknown_option(name[:80], known, "this query")
    return dict(pairs)


def read_whole(text: str, name: str, most: int) -> int:
    """Return a positive whole number as it is typed."""
    plain = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not (plain and 1 <= int(text) <= most):
        raise InputError(
            name, f"be a whole number from 1 to {most}", repr(text[:80]), "Leave it out."
        )
    return int(text)
