"""The words of a query: known ones only, each said once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocch.errors import InputError
from rocch.inputs import find_duplicates
from rocch.service.aims import check_known

if TYPE_CHECKING:
    from starlette.requests import Request


def words_of(request: Request, known: tuple[str, ...]) -> dict[str, str]:
    """Return what a query says, or refuse what it says twice or in unknown words."""
    pairs = request.query_params.multi_items()
    words = dict(pairs)
    twice = find_duplicates(name for name, _ in pairs)  # in linear time: there may be thousands
    if twice:
        raise InputError(twice[0][:80], "be said once", "several", "Leave one out.")
    check_known(words, known)
    return words


def whole(text: str, name: str, most: int) -> int:
    """Return a positive whole number as it is typed."""
    plain = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    if not (plain and 1 <= int(text) <= most):
        raise InputError(
            name, f"be a whole number from 1 to {most}", repr(text[:80]), "Leave it out."
        )
    return int(text)
